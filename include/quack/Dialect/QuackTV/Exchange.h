//===- include/quack/Dialect/QuackTV/Exchange.h -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of exchange buffers, which the pass that allots them and the
// lowering that accesses them must agree on.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACKTV_EXCHANGE_H
#define QUACK_DIALECT_QUACKTV_EXCHANGE_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace quack::tv {

/// Returns the 32-bit words that one slot takes for a partial of `values`
/// values, so that one vector store (or several of four words) carries it.
///
///     values  1  2  3  4  5
///     words   1  2  4  4  8
inline int64_t exchangeSlotWords(int64_t values) {
  return values <= 2 ? values : llvm::alignTo(values, 4);
}

/// Returns the words that one access reads of such a slot from word `at` on, a
/// multiple of 4: what there is, rounded up to a vector.
///
///     values            1  2  3  4  5     6     7
///     reads of          1  2  4  4  4, 1  4, 2  4, 4
inline int64_t exchangeReadWords(int64_t values, int64_t at) {
  int64_t left = values - at;
  return left <= 2 ? left : 4;
}

/// The mbarriers of an exchange lie side by side, 8 bytes each (PTX ISA, mbarrier): one
/// for the bytes of each buffer and, where tiles overlap and there are several, one more,
/// at which the warps of all CTAs arrive when they have read some tiles' partials.
inline constexpr int64_t mbarrierBytes = 8;
inline int64_t countExchangeBarriers(int64_t buffers) {
  return buffers > 1 ? buffers + 1 : 1;
}

} // namespace quack::tv

#endif // QUACK_DIALECT_QUACKTV_EXCHANGE_H
