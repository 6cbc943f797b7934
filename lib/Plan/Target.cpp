//===- lib/Plan/Target.cpp - the numbers of a GPU ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One description a GPU.
//
//===----------------------------------------------------------------------===//

#include "quack/Plan/Target.h"

#include <array>

using namespace quack;

static constexpr std::array<llvm::StringRef, 2> targetNames = {"h100", "h200"};

llvm::ArrayRef<llvm::StringRef> Target::names() { return targetNames; }

std::optional<Target> Target::lookup(llvm::StringRef name) {
  Target target{};
  target.name = name;
  target.sms = 132;
  target.registersPerSM = 65536;
  target.threadsPerSM = 2048;
  target.ctasPerSM = 32;
  target.sharedPerSM = 228 * 1024;
  target.sharedPerCta = 227 * 1024;
  target.sharedBesideL1 = 164 * 1024;
  // Fitted to the order of timed plans: README.md.
  target.bandwidth = 4.8e6;
  target.readBandwidth = 4.6e6;
  target.l2Bytes = 50 << 20;
  target.l2Bandwidth = 6.0e6;
  target.clock = 1755;
  target.memoryLatency = 0.94;
  target.kernelLaunch = 2.5;
  target.smBandwidth = 7e4;
  target.ctaTurnover = 0.98;
  target.ctaLaunch = 0.039;
  target.clusterLaunch = 2.66;
  target.blockExchange = 0.01;
  target.clusterExchange = 1.26;
  target.clusterMember = 0.135;
  target.shuffleLatency = 23;
  target.keptRate = 0.85;
  if (name == "h200")
    return target;
  if (name == "h100") {
    target.bandwidth = 3.3e6;
    target.readBandwidth = 3.1e6;
    return target;
  }
  return std::nullopt;
}
