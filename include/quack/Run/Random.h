//===- include/quack/Run/Random.h - inputs from a seed ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random inputs whose every element is a function of its number and the seed:
// any part can be made again, in any order, on any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_RANDOM_H
#define QUACK_RUN_RANDOM_H

#include "quack/Runtime/Storage.h"

namespace quack {

/// Where an operand's random elements come from.
struct RandomSource {
  StorageType type = StorageType::f32;
  uint64_t seed = 0;
  int64_t columns = 1; ///< i32 and i64 elements are column numbers below it
};

/// Returns the seed of operand `name` in a run with seed `seed`.
uint64_t mixSeed(uint64_t seed, llvm::StringRef name);

/// Writes elements `begin` to `begin + count` to `to`. Floats have mean 0,
/// deviation 1 and lie within 3.5; i8 lie within 100.
void makeRandom(const RandomSource &source, int64_t begin, int64_t count,
                char *to);

} // namespace quack

#endif // QUACK_RUN_RANDOM_H
