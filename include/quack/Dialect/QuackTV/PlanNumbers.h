//===- include/quack/Dialect/QuackTV/PlanNumbers.h - values -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which numbers the fields of a plan may have by themselves, and which of them
// are near one that they may not have.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACKTV_PLANNUMBERS_H
#define QUACK_DIALECT_QUACKTV_PLANNUMBERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace quack::tv {

/// The most clusters that share a row.
inline constexpr int64_t maxSplit = 1024;

/// The PTX ISA version, times ten, that has what clusters meet by where tiles overlap:
/// fences that are restricted to shared memory (fence.sync_restrict).
inline constexpr int64_t versionOfRestrictedFences = 86;

/// The most clusters that stay, and partial sums over rows.
inline constexpr int64_t maxPartials = 16384;

/// Elements of a thread, of all operands, that are read together where a row is
/// reduced in chunks: enough accesses under way, few enough registers for a CTA
/// of 1024 threads.
inline constexpr int64_t chunkElements = 32;

/// Returns how many runs of a thread are read ahead of their use, of each of
/// `operands` operands that are read where they are used: enough that latencies
/// overlap, few enough that registers stay free.
constexpr int64_t runsAhead(int64_t operands) {
  return operands > 4 ? 1 : 4 / (operands > 0 ? operands : 1);
}

/// The values of one field.
struct PlanNumber {
  llvm::StringRef rule;           ///< "a multiple of 32 from 32 to 1024"
  llvm::ArrayRef<int64_t> values; ///< ascending
};

/// Returns the values of the field called `name`; none if it holds no number.
PlanNumber planNumber(llvm::StringRef name);

/// Returns the greatest of `values`, which ascend, below `value` and the least
/// above it, as text: "64, 128".
std::string nearestOf(llvm::ArrayRef<int64_t> values, int64_t value);

} // namespace quack::tv

#endif // QUACK_DIALECT_QUACKTV_PLANNUMBERS_H
