//===- Picks.h - the greatest elements of a row ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_PICKS_H
#define QUACK_LIB_REFERENCE_PICKS_H

#include "Number.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace quack::reference {

/// Returns the columns of the `count` greatest of `values`: NaN first, equal
/// ones in the order of their columns.
std::vector<size_t> pickGreatest(llvm::ArrayRef<double> values, size_t count);

/// Turns picked numbers, the greatest first, into their shares exp(v - max) /
/// sum.
void applySoftmax(std::vector<Number> &picked);

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_PICKS_H
