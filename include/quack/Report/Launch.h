//===- include/quack/Report/Launch.h - the launch of a report ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch that a report is about, and what it means for a kernel. No MLIR
// here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_REPORT_LAUNCH_H
#define QUACK_REPORT_LAUNCH_H

#include "quack/Runtime/LaunchRules.h"

#include <map>

namespace quack {

/// The launch that is described: M rows, and where operands lie. What is not
/// named lies at a multiple of 128 bytes, its rows one after the other.
struct DescribedLaunch {
  /// usualRows: as many as the cost model takes launches to have.
  int64_t rows = usualRows;
  /// By operand, in elements: the distance of two rows, and how far the first
  /// one is from a multiple of 128 bytes.
  std::map<std::string, int64_t> rowStrides, offsets;

  static constexpr int64_t usualRows = -1;
};

/// Checks that `launch` fits the operands of `kernel`: names, strides of at
/// least a row, arrays and a grid that there can be.
llvm::Error verifyLaunch(const KernelMetadata &kernel,
                         const DescribedLaunch &launch);

/// Returns where a launch that is verified has the operands: addresses are
/// those after a multiple of 128 bytes.
std::vector<LaunchArgument> placeOperands(const KernelMetadata &kernel,
                                          const DescribedLaunch &launch);

} // namespace quack

#endif // QUACK_REPORT_LAUNCH_H
