//===- PickBuffer.h - where a row's candidates wait ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory of `quack_tv.topk` and `quack_tv.scatter`, and what the slices of
// a row save of the elements that they pick.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACKTV_PICKBUFFER_H
#define QUACK_DIALECT_QUACKTV_PICKBUFFER_H

#include "quack/Layout/TVLayout.h"

#include "llvm/Support/MathExtras.h"

namespace quack::tv {

/// What one row has in shared memory while `topk` picks `count` of its
/// elements: offsets in bytes.
struct PickBuffer {
  int64_t capacity;        ///< candidates: the picks, and as many again
  int64_t keys = 0;        ///< a u64 a candidate: greater ones are picked first
  int64_t candidates;      ///< an f32 and its column, a u32, a candidate
  int64_t sorted;          ///< an f32 a pick, where they have a softmax
  int64_t greatest, least; ///< a u32 a warp
  int64_t counts[2];       ///< a u32 a warp, by turns
  int64_t number;          ///< a u32: candidates so far
  /// Where many elements are picked they are ranked in so many buckets; or 0.
  int64_t buckets;
  int64_t bucketCounts, bucketStarts; ///< a u32 a bucket
  int64_t keysByBucket;               ///< a u64 a candidate
  int64_t placeInBucket, candidateAt; ///< a u32 a candidate
  int64_t bytes;

  PickBuffer(int64_t count, int64_t warpsPerRow, bool softmax) {
    capacity = 2 * count + 32;
    candidates = keys + 8 * capacity;
    sorted = candidates + 8 * capacity;
    greatest = sorted + (softmax ? 4 * count : 0);
    least = greatest + 4 * warpsPerRow;
    counts[0] = least + 4 * warpsPerRow;
    counts[1] = counts[0] + 4 * warpsPerRow;
    number = counts[1] + 4 * warpsPerRow;
    // A few are as soon compared with all others.
    buckets = count > 32 ? 128 : 0;
    keysByBucket = llvm::alignTo(number + 4, 16);
    int64_t ranked = buckets > 0 ? capacity : 0;
    placeInBucket = keysByBucket + 8 * ranked;
    candidateAt = placeInBucket + 4 * ranked;
    bucketCounts = candidateAt + 4 * ranked;
    bucketStarts = bucketCounts + 4 * buckets;
    bytes = llvm::alignTo(bucketStarts + 4 * buckets, 16);
  }
};

/// Returns the bytes in which a row's columns wait while `scatter` stores them.
inline int64_t scatterBytes(int64_t count) {
  return llvm::alignTo(4 * count, 16);
}

/// The most elements that all slices of a row may have picked, together: one CTA
/// picks from them.
inline constexpr int64_t maxSavedPicks = 131072;

/// What one row has in the workspace while its slices' picks wait: offsets in
/// bytes from the place that the row has for them.
struct SavedPicks {
  int64_t total;      ///< of all slices
  int64_t values = 0; ///< an f32 a pick, slice after slice
  int64_t columns;    ///< a u32 a pick
  int64_t bytes;      ///< a multiple of 16

  SavedPicks(int64_t count, int64_t slices) : total(count * slices) {
    columns = llvm::alignTo(4 * total, 16);
    bytes = 2 * columns;
  }
};

} // namespace quack::tv

#endif // QUACK_DIALECT_QUACKTV_PICKBUFFER_H
