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

int64_t Target::smsOfClusters(int64_t cluster) const {
  // As cuOccupancyMaxActiveClusters says of an H200 with one CTA an SM. How many SMs
  // a GPC has differs from one to the other.
  if (cluster > 8)
    return sms - 20;
  return cluster > 2 ? sms - 12 : sms;
}

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
  target.firstData = 3.75;
  target.kernelLaunch = 2.33;
  target.smBandwidth = 1.3e5;
  target.shortBandwidth = 4.2e6;
  target.ctaStart = 0.052;
  target.memberStart = 0.16;
  target.clusterStart = 0.21;
  target.foldTime = 0.073;
  target.ctaTurnover = 0.98;
  target.ctaLaunch = 0.039;
  target.clusterLaunch = 2.66;
  target.blockExchange = 0.01;
  target.clusterExchange = 1.26;
  target.clusterMember = 0.135;
  target.shuffleLatency = 23;
  target.keptRate = 0.85;
  target.stayRate = 0.85;
  if (name == "h200")
    return target;
  if (name == "h100") {
    target.bandwidth = 3.3e6;
    target.readBandwidth = 3.1e6;
    target.shortBandwidth = 2.9e6;
    return target;
  }
  return std::nullopt;
}
