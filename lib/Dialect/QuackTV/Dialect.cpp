//===- lib/Dialect/QuackTV/Dialect.cpp - registration -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers the tile-program dialect, and the helpers around tile types.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/QuackTV.h"
#include "quack/Layout/LayoutGroups.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/CompilationInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;
using namespace quack::tv;

#include "dialects/QuackTV/QuackTVDialect.cpp.inc"
#include "dialects/QuackTV/QuackTVEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/QuackTV/QuackTVAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/QuackTV/QuackTVTypes.cpp.inc"

namespace {
/// `#tile`, `#tile1`, ... and `#plan` at the head of a dump, instead of a
/// spelled-out layout in each type.
struct TVAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<LayoutAttr>(attr))
      os << "tile";
    else if (isa<PlanAttr>(attr))
      os << "plan";
    else
      return AliasResult::NoAlias;
    return AliasResult::FinalAlias;
  }
};
} // namespace

void QuackTVDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/QuackTV/QuackTVAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/QuackTV/QuackTVTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/QuackTV/QuackTVOps.cpp.inc"
      >();
  addInterfaces<TVAsmInterface>();
  // In lib/Target, with the backend.
  declarePromisedInterface<gpu::TargetAttrInterface, TargetAttr>();
}

//===----------------------------------------------------------------------===//
// Tile types
//===----------------------------------------------------------------------===//

LayoutAttr quack::tv::getLayoutAttr(Type tile) {
  auto tensor = dyn_cast<RankedTensorType>(tile);
  return tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding())
                : LayoutAttr();
}

TileShape quack::tv::getTileShape(Type tile) {
  auto tensor = cast<RankedTensorType>(tile);
  return {tensor.getDimSize(0), tensor.getDimSize(1)};
}

RankedTensorType quack::tv::getTileType(TileShape shape, Type element,
                                        const TVLayout &layout,
                                        MLIRContext *context) {
  return RankedTensorType::get({shape.rows, shape.columns}, element,
                               LayoutAttr::get(context, layout));
}

RankedTensorType quack::tv::reduceTileType(RankedTensorType tile, Level level) {
  TileShape result;
  TVLayout layout = getLayoutAttr(tile).getValue().reduceLevel(
      level, getTileShape(tile), result);
  return getTileType(result, tile.getElementType(), layout, tile.getContext());
}

RankedTensorType quack::tv::getGroupTileType(RankedTensorType tile,
                                             int64_t group) {
  std::optional<LayoutGroups> groups =
      groupColumns(getLayoutAttr(tile).getValue(), getTileShape(tile), group);
  return groups ? getTileType(groups->result, tile.getElementType(),
                              groups->groups, tile.getContext())
                : RankedTensorType();
}

int64_t quack::tv::getCtaElements(RankedTensorType tile) {
  const TVLayout &layout = getLayoutAttr(tile).getValue();
  return tile.getNumElements() / layout.size(Level::Slice) /
         layout.size(Level::Cta);
}

RankedTensorType quack::tv::getRowScalarType(RankedTensorType tile) {
  TileShape shape = getTileShape(tile);
  return getTileType({shape.rows, 1}, tile.getElementType(),
                     getLayoutAttr(tile).getValue().projectColumns(shape),
                     tile.getContext());
}
