//===- lib/Raise/View.cpp - which elements an operation touches -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack::raise;

bool View::isReducing() const {
  return llvm::any_of(llvm::seq<unsigned>(0, extents.size()),
                      [&](unsigned loop) { return combines(loop); });
}

//===----------------------------------------------------------------------===//
// Linalg operations
//===----------------------------------------------------------------------===//

/// Translates an indexing map, which must pick loops, each once, and zeros of dimensions
/// of extent 1.
static bool readMap(AffineMap map, RankedTensorType type, Access &access) {
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [expr, extent] : llvm::zip_equal(map.getResults(), type.getShape())) {
    access.dims.emplace_back();
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      if (!seen.insert(dim.getPosition()).second)
        return false;
      access.dims.back().push_back(dim.getPosition());
      continue;
    }
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    if (!constant || constant.getValue() != 0 || extent != 1)
      return false;
  }
  return true;
}

/// Takes the extents of loops from those of a tensor that they index.
static void noteExtents(View &view, const Access &access) {
  auto type = cast<RankedTensorType>(access.tensor.getType());
  for (auto [loops, extent] : llvm::zip_equal(access.dims, type.getShape()))
    if (loops.size() == 1 && ShapedType::isDynamic(view.extents[loops[0]]))
      view.extents[loops[0]] = extent;
}

/// Translates an access in the body of an operation.
static bool readExtract(tensor::ExtractOp extract, Access &access) {
  access.tensor = extract.getTensor();
  access.extract = extract;
  auto type = cast<RankedTensorType>(access.tensor.getType());
  for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
    access.dims.emplace_back();
    if (auto loop = index.getDefiningOp<linalg::IndexOp>())
      access.dims.back().push_back(loop.getDim());
    else if (type.getDimSize(dim) == 1)
      continue; // Any other index than 0 is undefined.
    else if (access.gatherDim < 0)
      access.gatherDim = dim;
    else
      return false;
  }
  return true;
}

static std::optional<View> viewLinalg(linalg::LinalgOp op, std::string &whyNot) {
  if (!op.hasPureTensorSemantics())
    return std::nullopt;
  View view{op, {}, {}, {}, {}, -1};
  for (utils::IteratorType type : op.getIteratorTypesArray())
    view.isReduction.push_back(type == utils::IteratorType::reduction);
  view.extents.assign(op.getNumLoops(), ShapedType::kDynamic);
  Block &body = *op.getBlock();
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue; // A scalar.
    Access access;
    access.tensor = operand.get();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!readMap(map, type, access)) {
      llvm::raw_string_ostream(whyNot)
          << "it accesses a tensor by " << map
          << ", which is more than to pick dimensions";
      return std::nullopt;
    }
    noteExtents(view, access);
    if (operand.getOperandNumber() < body.getNumArguments())
      access.arg = body.getArgument(operand.getOperandNumber());
    if (access.arg && !access.arg.use_empty())
      view.reads.push_back(access);
    if (!op.isDpsInit(&operand))
      continue;
    access.tensor = op.getTiedOpResult(&operand);
    access.arg = BlockArgument();
    view.results.push_back(access);
  }
  bool isKnown = true;
  body.walk([&](tensor::ExtractOp extract) {
    isKnown &= readExtract(extract, view.reads.emplace_back());
  });
  if (!isKnown) {
    whyNot = "it gathers along several dimensions";
    return std::nullopt;
  }
  // An access by a map has the loop's extent; one by an index may be a part of a tensor.
  for (const Access &read : view.reads) {
    auto type = cast<RankedTensorType>(read.tensor.getType());
    for (auto [dim, loops] : llvm::enumerate(read.dims))
      if (read.extract && !loops.empty() &&
          type.getDimSize(dim) != view.extents[loops.front()]) {
        whyNot = "it reads a part of a tensor by the numbers of its loops";
        return std::nullopt;
      }
  }
  // Each element of a result must be written by one iteration, but for reductions.
  for (const Access &result : view.results)
    for (unsigned loop = 0; loop < view.extents.size(); ++loop)
      if (!view.isReduction[loop] && !view.isUnit(loop) &&
          llvm::none_of(result.dims,
                        [&](const auto &dim) { return llvm::is_contained(dim, loop); })) {
        whyNot = "it writes elements of its result several times";
        return std::nullopt;
      }
  return view;
}

//===----------------------------------------------------------------------===//
// Softmax and reshapes
//===----------------------------------------------------------------------===//

/// Returns an access by all loops, in order.
static Access accessAll(Value tensor) {
  Access access;
  access.tensor = tensor;
  for (int64_t dim : llvm::seq(cast<RankedTensorType>(tensor.getType()).getRank()))
    access.dims.push_back({static_cast<unsigned>(dim)});
  return access;
}

static std::optional<View> viewSoftmax(linalg::SoftmaxOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!type || op->getNumResults() != 1)
    return std::nullopt;
  View view{op, SmallVector<int64_t, 4>(type.getShape()), {}, {}, {}, -1};
  view.isReduction.assign(type.getRank(), false);
  view.reads.push_back(accessAll(op.getInput()));
  view.results.push_back(accessAll(op->getResult(0)));
  view.softmaxLoop = op.getDimension();
  return view;
}

/// Views a reshape: a copy, with a loop for each dimension of `fine`. Each dimension of
/// `coarse` is made of those of a group.
static View viewReshape(Operation *op, Value fine, Value coarse,
                        ArrayRef<ReassociationIndices> groups) {
  auto type = cast<RankedTensorType>(fine.getType());
  View view{op, SmallVector<int64_t, 4>(type.getShape()), {}, {}, {}, -1};
  view.isReduction.assign(type.getRank(), false);
  Access merged;
  merged.tensor = coarse;
  for (const ReassociationIndices &group : groups)
    merged.dims.emplace_back(group.begin(), group.end());
  Access whole = accessAll(fine);
  bool isExpanding = fine == op->getResult(0);
  view.reads.push_back(isExpanding ? merged : whole);
  view.results.push_back(isExpanding ? whole : merged);
  return view;
}

std::optional<View> View::of(Operation *op, std::string &whyNot) {
  using Result = std::optional<View>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](linalg::LinalgOp linalg) { return viewLinalg(linalg, whyNot); })
      .Case([&](linalg::SoftmaxOp softmax) { return viewSoftmax(softmax); })
      .Case([&](tensor::ExpandShapeOp expand) -> Result {
        return viewReshape(op, expand.getResult(), expand.getSrc(),
                           expand.getReassociationIndices());
      })
      .Case([&](tensor::CollapseShapeOp collapse) -> Result {
        return viewReshape(op, collapse.getSrc(), collapse.getResult(),
                           collapse.getReassociationIndices());
      })
      .Default([](Operation *) { return std::nullopt; });
}
