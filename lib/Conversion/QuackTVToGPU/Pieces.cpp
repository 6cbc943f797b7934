//===- Pieces.cpp - how tiles are cut, and who asks together ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Support/Dependence.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

Fragment::Fragment(Type tile, int64_t longestRun)
    : layout(nullptr), shape(tv::getTileShape(tile)),
      element(cast<RankedTensorType>(tile).getElementType()) {
  // The attribute is uniqued, so its layout outlives this.
  layout = &tv::getLayoutAttr(tile).getValue();
  int64_t consecutive = layout->contiguousRun(shape);
  run = std::min(longestRun, consecutive & -consecutive);
  pieces = layout->size(Level::Value) / run;
}

Coord Fragment::offset(int64_t index) const {
  return layout->valueCoord(index * run, shape);
}

Type Fragment::pieceType(Type element) const {
  return run == 1 ? element : VectorType::get({run}, element);
}

Type Fragment::pieceType() const {
  // LLVM has no floats of 8 bits.
  return pieceType(isByteFloat(element)
                       ? IntegerType::get(element.getContext(), 8)
                       : element);
}

int64_t Fragment::elementBytes() const {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// Windows and chains
//===----------------------------------------------------------------------===//

int64_t Fragment::windowBytes() const {
  return std::min(tv::maxAccessBytes, run * elementBytes());
}

int64_t Fragment::neighbours() const {
  const Modes &lane = layout->modes(Level::Lane);
  bool isNext = !lane.empty() && lane.front().stride == run &&
                layout->isColumnMode(lane.front(), shape);
  return isNext ? lane.front().size : 1;
}

bool Fragment::continuesChain(int64_t index) const {
  if (index == 0 || index == pieces)
    return false;
  Coord before = offset(index - 1), at = offset(index);
  return at.row == before.row &&
         at.column == before.column + neighbours() * run;
}

int64_t quack::getTileColumns(tv::KernelOp kernel) {
  int64_t columns = 1;
  for (Operation &op : kernel.getBody().front())
    for (Type type : op.getResultTypes()) {
      if (auto staged = dyn_cast<tv::StagedType>(type))
        type = staged.getTile();
      if (tv::getLayoutAttr(type))
        columns = std::max(columns, tv::getTileShape(type).columns);
    }
  return columns;
}

int64_t quack::getOperandAlignment(tv::KernelOp kernel, unsigned index) {
  Role role = kernel.getOperandAttr(index).getRole();
  Type element = getElementTypeOrSelf(kernel.getFunctionType().getInput(index));
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  tv::PlanAttr plan = kernel.getPlan();
  // Sums are stored number by number.
  bool isSum = kernel.getOperandAttr(index).getDirection() == Direction::out;
  bool isWide = role == Role::row || (role == Role::columns && !isSum);
  return isWide && !plan.startsAnywhere()
             ? std::min(tv::maxAccessBytes, plan.getVectorSize() * bytes)
             : bytes;
}

bool quack::isAccessedByWindows(tv::KernelOp kernel, const Fragment &fragment) {
  return kernel.getPlan().startsAnywhere() && fragment.shape.columns > 1 &&
         fragment.run > 1;
}

bool quack::sharesEdges(const Fragment &fragment) {
  return fragment.neighbours() == warpSize;
}

bool quack::mayBeOverwritten(tv::LoadOp load) {
  auto kernel = load->getParentOfType<tv::KernelOp>();
  unsigned index = cast<BlockArgument>(load.getSource()).getArgNumber();
  return mayBeStored(kernel.getFunctionType(), kernel.getOperandSpecs(), index);
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

SmallVector<Operation *> quack::gatherConsumers(Operation &first) {
  SmallVector<Operation *> group;
  llvm::SmallPtrSet<Operation *, 8> members;
  RankedTensorType type;
  for (Operation *op = &first; op; op = op->getNextNode()) {
    if (isMemoryEffectFree(op) &&
        !isa<tv::ThreadReduceOp, tv::WarpReduceOp>(op))
      continue;
    if (!isa<tv::StoreOp, tv::AccumulateOp, tv::ThreadReduceOp>(op))
      break;
    auto tile = cast<RankedTensorType>(op->getOperand(0).getType());
    if (type && (type.getEncoding() != tile.getEncoding() ||
                 type.getShape() != tile.getShape()))
      break;
    if (dependsOn(op->getOperands(),
                  [&](Operation *other) { return members.contains(other); }))
      break;
    type = tile;
    members.insert(op);
    group.push_back(op);
  }
  return group;
}
