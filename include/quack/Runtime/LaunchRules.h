//===- include/quack/Runtime/LaunchRules.h - fit to launch ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel takes for granted of its launch: the grid's limit, where its
// operands lie, how many rows there are. The launcher refuses by these rules,
// and a report predicts by them. No CUDA and no MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_LAUNCHRULES_H
#define QUACK_RUNTIME_LAUNCHRULES_H

#include "quack/Target/KernelMetadata.h"

#include "llvm/ADT/ArrayRef.h"

namespace quack {

/// An argument for one operand of a kernel.
struct LaunchArgument {
  /// A memref operand's address in device memory.
  uint64_t pointer = 0;
  /// The distance of two rows, in elements: N for contiguous `row` operands, 1
  /// for `scalar` ones, 0 for `columns` and `single`.
  int64_t rowStride = 0;
  /// A `value` operand's number.
  double scalar = 0;
};

/// Returns the CTAs of a launch for `rows` rows. Refuses more than 2^31 - 1,
/// what a grid has at most, and negative numbers of rows.
llvm::Expected<int64_t> countCtas(const KernelMetadata &kernel, int64_t rows);

/// Returns the bytes of workspace that a launch for `rows` rows needs.
llvm::Expected<int64_t> getWorkspaceBytes(const KernelMetadata &kernel,
                                          int64_t rows);

/// Checks that addresses can count the bytes of an array of `rows` rows,
/// `rowStride` elements apart, that starts `offset` elements after an aligned
/// address.
llvm::Error checkExtent(int64_t rows, int64_t rowStride, int64_t offset,
                        int64_t elementBytes);

/// Returns which guard of `kernel` a launch does not fulfil; empty if it
/// fulfils all: pointers, and strides of `row` operands, are multiples of what
/// the kernel demands, and there are as many rows as it takes. A launch of no
/// rows fulfils all, as nothing is launched or only sums over rows are stored.
/// There is an argument for each operand.
std::string violatedGuard(const KernelMetadata &kernel,
                          llvm::ArrayRef<LaunchArgument> arguments,
                          int64_t rows);

/// Checks that there is an argument for each operand of `kernel`, and that none
/// of its guards is violated.
llvm::Error checkGuards(const KernelMetadata &kernel,
                        llvm::ArrayRef<LaunchArgument> arguments, int64_t rows);

/// Returns the first of `variants` whose guards `arguments` and `rows` fulfil.
/// If there is none, the error is the last one's, which demands the least, with
/// what may be done.
llvm::Expected<const KernelMetadata *>
chooseVariant(llvm::ArrayRef<const KernelMetadata *> variants,
              llvm::ArrayRef<LaunchArgument> arguments, int64_t rows);

} // namespace quack

#endif // QUACK_RUNTIME_LAUNCHRULES_H
