//===- lib/Report/Report.cpp - sums and names -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Report/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace quack;

AccessCounts &AccessCounts::operator+=(const AccessCounts &other) {
  requests += other.requests;
  bytes += other.bytes;
  sectors += other.sectors;
  leastSectors += other.leastSectors;
  wavefronts += other.wavefronts;
  leastWavefronts += other.leastWavefronts;
  remoteBytes += other.remoteBytes;
  return *this;
}

AccessCounts AccessReport::sum(std::optional<int64_t> laneBytes) const {
  AccessCounts sum;
  for (const InstructionReport &instruction : instructions)
    if (!laneBytes || instruction.laneBytes == *laneBytes)
      sum += instruction.counts;
  return sum;
}

std::vector<int64_t> AccessReport::widths() const {
  std::vector<int64_t> widths;
  for (const InstructionReport &instruction : instructions)
    widths.push_back(instruction.laneBytes);
  llvm::sort(widths, std::greater<>());
  widths.erase(llvm::unique(widths), widths.end());
  return widths;
}

std::string AccessReport::name() const {
  std::string name = operation;
  if (!operand.empty())
    name += " %" + operand;
  return form.empty() ? name : name + ", " + form;
}

AccessCounts KernelReport::sum(MemorySpace space) const {
  AccessCounts sum;
  for (const AccessReport &access : accesses)
    if (access.space == space)
      sum += access.sum();
  return sum;
}

llvm::StringRef quack::stringifySpace(MemorySpace space) {
  switch (space) {
  case MemorySpace::global:
    return "global";
  case MemorySpace::shared:
    return "shared";
  case MemorySpace::cluster:
    return "cluster";
  }
  llvm_unreachable("unknown space");
}
