//===- ThreadBodies.h - what a few threads do to each other -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Litmus tests: a few threads of different warps, CTAs and clusters, and words
// of the buffer that they pass on.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_SIMULATOR_THREADBODIES_H
#define QUACK_TEST_UNIT_SIMULATOR_THREADBODIES_H

#include "SimulatorTest.h"

namespace quack::sim {

/// A kernel of which one thread of each warp does something: that of warp `i %
/// 2` of CTA `i / 2` runs `bodies[i]`.
inline std::string threads(const std::vector<std::string> &bodies) {
  std::string text = "and.b32 %r9, %r0, 31; setp.ne.u32 %p0, %r9, 0; @%p0 ret; "
                     "mov.u32 %r2, %ctaid.x; shr.u32 %r3, %r0, 5; mad.lo.u32 "
                     "%r2, %r2, 2, %r3;\n";
  for (unsigned i = 1; i < bodies.size(); ++i)
    text += "setp.eq.u32 %p1, %r2, " + std::to_string(i) + "; @%p1 bra T" +
            std::to_string(i) + ";\n";
  text += "setp.ge.u32 %p1, %r2, " + std::to_string(bodies.size()) +
          "; @%p1 ret;\n";
  for (unsigned i = 0; i < bodies.size(); ++i)
    text += (i ? "ret;\nT" + std::to_string(i) + ":\n" : "") + bodies[i];
  return text;
}

/// Reads word `at` of the buffer with `load` until it is `value`.
inline std::string until(const std::string &load, unsigned at, unsigned value) {
  return "{ U: ld." + load + ".global.b32 %r5, [%rd0+" +
         std::to_string(4 * at) + "]; setp.ne.u32 %p2, %r5, " +
         std::to_string(value) + "; @%p2 bra U; }\n";
}

/// Writes word `at` with `store`.
inline std::string set(const std::string &store, unsigned at, unsigned value) {
  return "st." + store + ".global.b32 [%rd0+" + std::to_string(4 * at) + "], " +
         std::to_string(value) + ";\n";
}

} // namespace quack::sim

#endif // QUACK_TEST_UNIT_SIMULATOR_THREADBODIES_H
