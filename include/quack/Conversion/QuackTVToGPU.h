//===- include/quack/Conversion/QuackTVToGPU.h - pieces, order --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What convert-quack-tv-to-gpu makes of kernels, as their launches see it; and how it
// cuts a tile into accesses and in which order it asks for them: what the conversion does
// and what a report of its accesses says must rest on the same cut.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CONVERSION_QUACKTVTOGPU_H
#define QUACK_CONVERSION_QUACKTVTOGPU_H

#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

#include <optional>

namespace quack {

/// The gpu.module that kernels become functions of.
inline constexpr llvm::StringLiteral kernelModuleName = "quack_kernels";

/// Returns the type of the function that `kernel` becomes: the launch ABI.
mlir::LLVM::LLVMFunctionType getLaunchType(tv::KernelOp kernel);

/// How a thread's share of a tile is cut into pieces: runs of consecutive
/// columns, one vector each.
struct Fragment {
  const TVLayout *layout;
  TileShape shape;
  mlir::Type element;
  int64_t run;    ///< columns of a piece
  int64_t pieces; ///< pieces of a thread

  /// Cuts `tile` into runs of at most `longestRun` columns.
  Fragment(mlir::Type tile, int64_t longestRun);
  /// Returns row and column of piece `index`, from the thread's first element.
  Coord offset(int64_t index) const;
  /// Returns `vector<run x element>`, or the element for a run of one.
  mlir::Type pieceType() const;
  mlir::Type pieceType(mlir::Type element) const;
  int64_t elementBytes() const;
  /// Returns the columns that one cluster has of a row.
  int64_t sliceColumns() const { return layout->sliceColumns(shape); }

  /// Returns the bytes of a window, an aligned access: 16, or all of a shorter
  /// run's.
  int64_t windowBytes() const;
  /// Returns how many lanes hold neighbouring runs: 1, or the size of the first
  /// lane mode where it steps from run to run.
  int64_t neighbours() const;
  /// Returns whether piece `index` goes on where the last lane's run of the
  /// piece before it ends.
  bool continuesChain(int64_t index) const;
};

/// Returns the columns of the widest tiles of `kernel`, those of its rows.
/// Narrower tiles have a column for each of some groups of those; they are cut
/// into single elements, since their rows in memory are aligned to elements.
int64_t getTileColumns(tv::KernelOp kernel);

/// Returns the bytes that the pointer of memref operand `index` and, for a row
/// operand, the row stride must be multiples of, for accesses to be aligned.
int64_t getOperandAlignment(tv::KernelOp kernel, unsigned index);

/// Returns whether rows of `kernel` that are cut like `fragment` may start at
/// any element, so that they are accessed by aligned windows.
bool isAccessedByWindows(tv::KernelOp kernel, const Fragment &fragment);

/// Returns `first` and the stores and thread reductions after it, up to the
/// next operation that has a place of its own, which go through the same pieces
/// and do not need each other.
llvm::SmallVector<mlir::Operation *> gatherConsumers(mlir::Operation &first);

/// Returns whether all lanes of a warp access the windows at the ends of its stretch
/// together, an element each: those of a row, one after the other.
bool sharesEdges(const Fragment &fragment);

/// Returns whether warps may store what others load by `load`: its operand is updated,
/// or may lie where an out row does, which has elements of that size.
bool mayBeOverwritten(tv::LoadOp load);

/// Reductions of a thread that one combiner merges, over rows that are held
/// nowhere: they read a row once, in chunks.
struct OnlineGroup {
  tv::WarpReduceOp merge;
  /// In the block's order.
  llvm::SmallVector<tv::ThreadReduceOp> reductions;
  llvm::SmallVector<tv::LoadOp> loads;
  /// A later load, with the first one that reads the same.
  llvm::SmallVector<std::pair<tv::LoadOp, tv::LoadOp>> shared;
  /// Values for a row of the tile that are made of a chunk's partials.
  llvm::SmallVector<mlir::Value> ofPartials;
  /// For each source of the merge, whether chunks have partials of it.
  llvm::SmallVector<bool> changes;
};

/// Returns the group of which `first` is the first reduction, if there is one.
std::optional<OnlineGroup> findOnlineGroup(tv::ThreadReduceOp first);

} // namespace quack

#endif // QUACK_CONVERSION_QUACKTVTOGPU_H
