//===- Report.cpp - counters as text ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/Simulator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack::sim;

std::string Fault::str() const {
  return formatv("line {0}: {1}: {2} (CTA {3}, warp {4}, lane {5})", line, kind,
                 text, cta, warp, lane);
}

/// The share of `least` in `actual`, in words.
static std::string share(uint64_t least, uint64_t actual) {
  if (actual == 0)
    return "";
  return formatv(" ({0:P0} of the least possible)",
                 double(actual) / double(least));
}

std::string Report::str(unsigned topInstructions) const {
  std::string text;
  raw_string_ostream os(text);
  os << "warp instructions: " << warpInstructions
     << ", lanes: " << laneInstructions << "\n";
  os << "global memory: " << globalBytesRead << " bytes read, "
     << globalBytesWritten << " written, " << sectors << " sectors"
     << share(leastSectors, sectors) << "\n";
  os << "shared memory: " << wavefronts << " wavefronts, "
     << wavefronts - leastWavefronts << " of them bank conflicts\n";
  os << "barriers: " << barriers << ", shuffles: " << shuffles
     << ", bytes between CTAs: " << remoteBytes << "\n";
  std::vector<const InstructionCount *> order;
  for (const InstructionCount &count : instructions)
    if (count.sectors || count.wavefronts)
      order.push_back(&count);
  stable_sort(order, [](const InstructionCount *x, const InstructionCount *y) {
    return x->sectors + x->wavefronts > y->sectors + y->wavefronts;
  });
  if (order.size() > topInstructions)
    order.resize(topInstructions);
  if (!order.empty())
    os << "   line      warps    sectors      least wavefronts      least\n";
  for (const InstructionCount *count : order)
    os << formatv("{0,7} {1,10} {2,10} {3,10} {4,10} {5,10}  {6}\n",
                  count->line, count->warps, count->sectors,
                  count->leastSectors, count->wavefronts,
                  count->leastWavefronts, count->text);
  return text;
}
