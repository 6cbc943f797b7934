//===- lib/Dialect/Quack/Groups.cpp - groups of columns ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The encoding of rows with an element a group, and constraints of the
// operations between those and other rows.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/KernelOperands.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;

LogicalResult GroupsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t size) {
  // G1
  if (size >= 16 && size <= 1024 && llvm::isPowerOf2_64(size))
    return success();
  return emitError() << "groups must have 16, 32, 64, ... or 1024 columns, got "
                     << size;
}

int64_t GroupsAttr::getCount(int64_t columns) const {
  return ShapedType::isDynamic(columns)
             ? columns
             : llvm::divideCeil(static_cast<uint64_t>(columns), getSize());
}

GroupsAttr quack::getGroups(Type type) {
  auto row = dyn_cast<RankedTensorType>(type);
  return row ? dyn_cast_or_null<GroupsAttr>(row.getEncoding()) : GroupsAttr();
}

/// Checks that `groups` has an element for each group of the row `columns`, and
/// its element type.
static LogicalResult verifyPair(Operation *op, Type columns,
                                StringRef columnsName, Type groups,
                                StringRef groupsName) {
  GroupsAttr encoding = getGroups(groups);
  if (!encoding)
    return op->emitOpError("'") << groupsName
                                << "' must have an element a group, as "
                                   "#quack.groups<size> says, got "
                                << groups;
  auto row = cast<RankedTensorType>(columns);
  if (row.getEncoding())
    return op->emitOpError("'")
           << columnsName << "' must be a row of all columns, got " << columns;
  auto expected = RankedTensorType::get({encoding.getCount(row.getDimSize(0))},
                                        row.getElementType(), encoding);
  if (groups != expected)
    return op->emitOpError("'")
           << groupsName << "' must be " << expected << " to match " << columns
           << ", got " << groups;
  return success();
}

LogicalResult GroupReduceOp::verify() {
  Type element = getElementTypeOrSelf(getSource().getType());
  // C1
  if (!fitsElementType(getKind(), element))
    return emitOpError("kind ")
           << stringifyReduceKind(getKind()) << " must not be used on "
           << element
           << ": kinds that end in f take floats, the others integers";
  // C2
  if (!element.isF32() && !element.isInteger(32))
    return emitOpError("source must have element type f32 or i32, got ")
           << element;
  // C3
  return verifyPair(*this, getSource().getType(), "source",
                    getResult().getType(), "result");
}

LogicalResult GroupBroadcastOp::verify() {
  // C1
  return verifyPair(*this, getResult().getType(), "result",
                    getSource().getType(), "source");
}
