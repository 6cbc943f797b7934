//===- lib/Raise/RaiseLinalg.cpp - quack-raise-linalg -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level 0 to 1. Each reduction along rows is tried as the seed of a group. What turns out
// to be in the way of a kernel is taken out, and the group is made again without it;
// nothing is changed before all of a kernel is there and has a plan.
//
//===----------------------------------------------------------------------===//

#include "Outline.h"
#include "PinnedPlan.h"
#include "Profit.h"

#include "quack/Plan/Pins.h"
#include "quack/Plan/Planner.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "quack-raise-linalg"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKRAISELINALG
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;
using namespace quack::raise;

namespace {
class RaiseLinalgPass : public quack::impl::QuackRaiseLinalgBase<RaiseLinalgPass> {
public:
  using QuackRaiseLinalgBase::QuackRaiseLinalgBase;
  void runOnOperation() override;

private:
  void raiseBlock(func::FuncOp func, Block &block);
  /// Raises the group of `anchor`, or says why not.
  void raiseReduction(func::FuncOp func, Operation *anchor);
  /// Raises it if it has the form `form`.
  bool raiseGroup(func::FuncOp func, Operation *anchor, Form form, std::string &whyNot);
  /// Makes a kernel of the group of `anchor`, and takes out of it what is in the way.
  Attempt tryGroup(func::FuncOp func, Operation *anchor, Form form, const Excluded &excluded);
  /// Puts the kernel before `func`, if it can be planned.
  void createKernel(func::FuncOp func, Attempt &attempt);

  std::optional<Target> gpu;
  llvm::DenseSet<Operation *> tried;
  bool hasWrongPins = false;
};
} // namespace

static remark::RemarkOpts remarkOn(func::FuncOp func, StringRef name) {
  return remark::RemarkOpts::name(name)
      .category("quack-raise-linalg")
      .function(func.getSymName());
}

/// Returns a name that PTX has, too, and nobody in `module`.
static std::string nameKernel(ModuleOp module, StringRef function) {
  std::string base = function.str();
  for (char &c : base)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      c = '_';
  if (base.empty() || llvm::isDigit(base.front()))
    base = "_" + base;
  for (unsigned number = 0;; ++number) {
    std::string name = base + "_" + std::to_string(number);
    if (!module.lookupSymbol(name))
      return name;
  }
}

void RaiseLinalgPass::createKernel(func::FuncOp func, Attempt &attempt) {
  OpBuilder b(func);
  auto module = func->getParentOfType<ModuleOp>();
  KernelOp kernel = attempt.builder->create(b, nameKernel(module, func.getSymName()));
  attempt.whyNot.clear();
  FailureOr<Operation *> pinned = pinPlan(*attempt.group, kernel);
  if (failed(pinned)) {
    attempt.whyNot = "what is pinned of it is wrong";
    hasWrongPins = true;
    kernel.erase();
    return;
  }
  attempt.pinned = *pinned;
  // What is wrong with it is no error: the program stays as it is.
  ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
    if (attempt.whyNot.empty())
      attempt.whyNot = diagnostic.str();
    return success();
  });
  bool isGeneric = ShapedType::isDynamic(kernel.getColumns());
  if (succeeded(verify(kernel))) {
    FailureOr<PlanChoice> choice =
        isGeneric ? PlanChoice() : choosePlan(kernel, *gpu, noPins(&getContext()));
    if (succeeded(choice)) {
      attempt.kernel = kernel;
      if (!isGeneric)
        attempt.plan = choice->plans[choice->picked];
      return;
    }
  }
  kernel.erase();
}

/// Returns the member that adds up rows and is not `anchor`, if there is one: the last.
static Operation *findSumOfRows(const Group &group, Operation *anchor) {
  SmallVector<Operation *> ops = group.inOrder();
  for (Operation *op : llvm::reverse(ops))
    if (op != anchor && group.lookup(op)->sumsRows)
      return op;
  return nullptr;
}

Attempt RaiseLinalgPass::tryGroup(func::FuncOp func, Operation *anchor, Form form,
                                  const Excluded &excluded) {
  Attempt attempt;
  attempt.form = form;
  attempt.excluded = excluded;
  auto miss = [&](const Twine &why) {
    attempt.whyNot = why.str();
    return std::move(attempt);
  };
  while (true) {
    std::string whyNot;
    std::optional<Group> group = Group::seed(anchor, form, whyNot);
    if (!group)
      return miss(whyNot);
    if (ShapedType::isDynamic(group->space.columns()) && !dynamicColumns)
      return miss("the number of columns is not known; dynamic-columns raises it to a "
                  "generic kernel, which must be specialised");
    group->grow(attempt.excluded);
    attempt.builder.reset();
    attempt.group = std::make_unique<Group>(std::move(*group));
    attempt.builder = std::make_unique<KernelBuilder>(*attempt.group, &getContext());
    std::optional<Obstacle> obstacle = attempt.group->findCycle();
    if (!obstacle && failed(attempt.builder->build()))
      obstacle = attempt.builder->obstacle;
    if (!obstacle) {
      if (!canOutline(*attempt.group, *attempt.builder))
        return miss("an extent of its results is not known before they are there");
      createKernel(func, attempt);
      // Sums over rows leave fewer plans.
      Operation *sum = attempt.kernel || hasWrongPins
                           ? nullptr
                           : findSumOfRows(*attempt.group, anchor);
      if (!sum)
        return attempt;
      obstacle = {sum, attempt.whyNot};
    }
    if (obstacle->op == anchor)
      return miss(obstacle->why);
    attempt.excluded.insert({obstacle->op, obstacle->why});
  }
}

bool RaiseLinalgPass::raiseGroup(func::FuncOp func, Operation *anchor, Form form,
                                 std::string &whyNot) {
  auto attemptWithout = [&](Operation *anchor, Form form, const Excluded &excluded) {
    return tryGroup(func, anchor, form, excluded);
  };
  Setting setting{*gpu, rows};
  Attempt attempt = attemptWithout(anchor, form, {});
  // Whoever pins a plan has decided what it is of.
  while (attempt.kernel && !attempt.pinned) {
    Excluded excluded = findCheaper(setting, attempt, attemptWithout);
    if (excluded.empty())
      break;
    attempt.kernel.erase();
    for (const auto &[op, why] : attempt.excluded)
      excluded.insert({op, why});
    attempt = attemptWithout(anchor, form, excluded);
  }
  if (!attempt.kernel) {
    whyNot = attempt.whyNot;
    if (attempt.pinned) {
      // And must hear that there is none.
      attempt.pinned->emitOpError("pins a plan that cannot be: ") << whyNot;
      hasWrongPins = true;
    }
    return false;
  }
  for (const Excluded &out : {attempt.excluded, attempt.group->refused})
    for (const auto &[op, why] : out)
      remark::missed(op->getLoc(), remarkOn(func, "LeftOut"))
          << "this operation stays out of @" + attempt.kernel.getSymName().str() + ": " + why;
  remark::passed(anchor->getLoc(), remarkOn(func, "Raised")) << describe(setting, attempt);
  ++raised;
  absorbed += attempt.builder->numOperations;
  outline(*attempt.group, *attempt.builder, attempt.kernel,
          [&](Operation *op) { tried.erase(op); });
  return true;
}

void RaiseLinalgPass::raiseReduction(func::FuncOp func, Operation *anchor) {
  std::string first, second;
  if (raiseGroup(func, anchor, Form::row, first) || hasWrongPins ||
      raiseGroup(func, anchor, Form::rows, second))
    return;
  // The reason of the form that it has; if it has both, of the first.
  std::string ignored;
  bool isSecond = !Group::seed(anchor, Form::row, ignored) &&
                  Group::seed(anchor, Form::rows, ignored);
  remark::missed(anchor->getLoc(), remarkOn(func, "NotRaised"))
      << "this reduction is left as it is: " + (isSecond ? second : first);
}

/// Returns whether `op` combines elements of a tensor.
static bool isReduction(Operation *op) {
  if (isa<linalg::SoftmaxOp>(op))
    return op->getNumResults() == 1;
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  return linalg && linalg.hasPureTensorSemantics() && linalg.getNumReductionLoops() != 0;
}

/// Returns whether `op` reduces each of several rows.
static bool hasRows(Operation *op) {
  std::string ignored;
  std::optional<Group> group = Group::seed(op, Form::row, ignored);
  return group && !group->space.all(/*areColumns=*/false).empty();
}

void RaiseLinalgPass::raiseBlock(func::FuncOp func, Block &block) {
  // Sums over rows join reductions of rows: these first.
  for (bool isFirst : {true, false})
    while (true) {
      auto anchor = llvm::find_if(block, [&](Operation &op) {
        return isReduction(&op) && !tried.contains(&op) && (!isFirst || hasRows(&op));
      });
      if (anchor == block.end())
        break;
      tried.insert(&*anchor);
      raiseReduction(func, &*anchor);
    }
}

/// Takes results that nobody uses out of reductions, such as the place of a maximum: torch
/// has no other one.
static void eraseUnusedResults(func::FuncOp func) {
  SmallVector<Operation *> reductions, inits;
  func.walk([&](linalg::GenericOp op) {
    if (!isReduction(op) ||
        llvm::none_of(op->getResults(), [](Value result) { return result.use_empty(); }))
      return;
    reductions.push_back(op);
    // Another of these may be replaced.
    for (Value init : op.getDpsInits())
      if (Operation *made = init.getDefiningOp(); made && !isReduction(made))
        inits.push_back(made);
  });
  RewritePatternSet patterns(func.getContext());
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  GreedyRewriteConfig config;
  config.enableFolding(false).enableConstantCSE(false).setStrictness(
      GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(reductions, std::move(patterns), config);
  // What they began with has no other use.
  eraseDead(inits, [](Operation *) {});
}

/// Rounds constants that are rounded where they are used: numbers of Python are f64 in torch.
static void roundConstants(func::FuncOp func) {
  SmallVector<Operation *> constants;
  func.walk([&](arith::TruncFOp op) {
    FloatAttr wide;
    auto type = dyn_cast<FloatType>(op.getType());
    if (!type || !matchPattern(op.getIn(), m_Constant(&wide)) || !wide.getType().isF64() ||
        op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
            arith::RoundingMode::to_nearest_even)
      return;
    APFloat number = wide.getValue();
    bool losesInfo;
    number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    OpBuilder b(op);
    constants.push_back(op.getIn().getDefiningOp());
    Value rounded = arith::ConstantOp::create(b, op.getLoc(), FloatAttr::get(type, number));
    op.replaceAllUsesWith(rounded);
    op.erase();
  });
  eraseDead(constants, [](Operation *) {});
}

void RaiseLinalgPass::runOnOperation() {
  hasWrongPins = false;
  tried.clear();
  gpu = Target::lookup(target);
  if (!gpu) {
    getOperation().emitError("unknown target '")
        << target << "', expected one of: " << llvm::join(Target::names(), ", ");
    return signalPassFailure();
  }
  if (rows < 0) {
    getOperation().emitError("rows must be 0 or more, got ")
        << rows.getValue();
    return signalPassFailure();
  }
  for (func::FuncOp func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
    eraseUnusedResults(func);
    roundConstants(func);
    SmallVector<Block *> blocks;
    func.walk([&](Operation *op) {
      if (isReduction(op) && !llvm::is_contained(blocks, op->getBlock()))
        blocks.push_back(op->getBlock());
    });
    for (Block *block : blocks)
      raiseBlock(func, *block);
  }
  if (hasWrongPins)
    signalPassFailure();
}
