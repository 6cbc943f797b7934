//===- include/quack/Dialect/QuackTV/QuackTV.h - tile programs --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile-program dialect: who holds which element, and how partials meet. The
// language itself is documented in dialects/QuackTV.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACKTV_QUACKTV_H
#define QUACK_DIALECT_QUACKTV_QUACKTV_H

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Layout/TVLayout.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <optional>

namespace quack {
/// Hashes a layout, for attribute uniquing.
llvm::hash_code hash_value(const TVLayout &layout);
} // namespace quack

#include "dialects/QuackTV/QuackTVDialect.h.inc"
#include "dialects/QuackTV/QuackTVEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/QuackTV/QuackTVAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/QuackTV/QuackTVTypes.h.inc"

namespace quack::tv {

/// Returns the layout of a tile type, or null if it has none.
LayoutAttr getLayoutAttr(mlir::Type tile);

/// Returns rows and columns of a tile type.
TileShape getTileShape(mlir::Type tile);

/// Returns `tensor<shape x element, #layout>`.
mlir::RankedTensorType getTileType(TileShape shape, mlir::Type element,
                                   const TVLayout &layout,
                                   mlir::MLIRContext *context);

/// Returns the tile type after `level` is reduced along the columns of `tile`.
mlir::RankedTensorType reduceTileType(mlir::RankedTensorType tile, Level level);

/// Returns the row-scalar type of `tile`: one column, each thread of the row
/// with a copy.
mlir::RankedTensorType getRowScalarType(mlir::RankedTensorType tile);

/// Returns the tile type with a column for each `group` columns of `tile`; null
/// if a group's columns are not all of them within a warp, or do not fill the
/// tile.
mlir::RankedTensorType getGroupTileType(mlir::RankedTensorType tile,
                                        int64_t group);

/// Returns how many elements of `tile` one CTA has.
int64_t getCtaElements(mlir::RankedTensorType tile);

/// The widest access, in bytes (PTX ISA, ld.global.v4.b32).
inline constexpr int64_t maxAccessBytes = 16;

} // namespace quack::tv

#define GET_OP_CLASSES
#include "dialects/QuackTV/QuackTVOps.h.inc"

namespace quack::tv {

/// Returns how many buffers a stage of a kernel with `plan` has: where a cluster works
/// on one tile after the other, that of the next is on its way while this one's is
/// read; where tiles overlap, two of them are.
inline int64_t countStageBuffers(PlanAttr plan) {
  if (plan.overlapsTiles())
    return 3;
  return plan.getPartials() > 0 ? 2 : 1;
}

/// Where tiles overlap, the CTAs of a cluster meet once in so many tiles.
inline constexpr int64_t tilesOfMeeting = 4;

/// Returns how many buffers an exchange has: where tiles overlap, those of one meeting
/// are written while those of the one before are read.
inline int64_t countExchangeBuffers(PlanAttr plan) {
  return plan.overlapsTiles() ? 2 * tilesOfMeeting : 1;
}

/// Columns of one CTA of a kernel that folds: a lane has one.
inline constexpr int64_t foldColumns = warpSize;

/// Returns the bytes of shared memory in which the warps of a kernel that folds
/// meet.
inline int64_t getFoldBytes(KernelOp kernel) {
  int64_t threads = kernel.getPlan().getThreads();
  return threads == warpSize ? 0 : 4 * threads;
}

/// Returns the CTAs of a kernel with partials, whatever M is.
int64_t countFixedCtas(KernelOp kernel);

/// Returns the most columns that one access of `kernel` covers.
inline int64_t getLongestRun(KernelOp kernel) {
  return kernel.getPlan().getVectorSize();
}

} // namespace quack::tv

#endif // QUACK_DIALECT_QUACKTV_QUACKTV_H
