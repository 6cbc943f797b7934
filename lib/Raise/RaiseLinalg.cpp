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

#include "quack/Plan/Pins.h"
#include "quack/Plan/Planner.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
  /// Puts the kernel before `func`, if it can be planned.
  KernelOp createKernel(func::FuncOp func, const Group &group, KernelBuilder &builder,
                        std::string &whyNot);

  std::optional<Target> gpu;
  llvm::DenseSet<Operation *> tried;
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

KernelOp RaiseLinalgPass::createKernel(func::FuncOp func, const Group &group,
                                       KernelBuilder &builder, std::string &whyNot) {
  OpBuilder b(func);
  auto module = func->getParentOfType<ModuleOp>();
  KernelOp kernel = builder.create(b, nameKernel(module, func.getSymName()));
  FailureOr<Operation *> pinned = pinPlan(group, kernel);
  bool isGeneric = ShapedType::isDynamic(kernel.getColumns());
  if (succeeded(pinned)) {
    // What is wrong with it is no error: the program stays as it is.
    ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diagnostic) {
      if (whyNot.empty())
        whyNot = diagnostic.str();
      return success();
    });
    if (succeeded(verify(kernel)) &&
        (isGeneric || succeeded(choosePlan(kernel, *gpu, noPins(&getContext())))))
      return kernel;
  }
  kernel.erase();
  if (failed(pinned)) {
    whyNot = "what is pinned of it is wrong";
    signalPassFailure();
  } else if (*pinned) {
    // Whoever pins a plan must hear that there is none.
    (*pinned)->emitOpError("pins a plan that cannot be: ") << whyNot;
    signalPassFailure();
  }
  return KernelOp();
}

/// Says what a group that was raised spares: tensors that are no longer written and read
/// again.
static std::string describe(const Group &group, const KernelBuilder &builder,
                            KernelOp kernel) {
  unsigned apart = 0;
  for (Operation *op : group.inOrder()) {
    const Member &member = *group.lookup(op);
    auto isRow = [&](const Access &access) {
      return !access.extract &&
             group.space.roleOf(group.labelsOf(access, member.loops)) == Role::row;
    };
    if (isa<linalg::LinalgOp, linalg::SoftmaxOp>(op))
      apart += llvm::count_if(member.view.reads, isRow) +
               llvm::count_if(member.view.results, isRow);
  }
  auto isRow = [](const KernelOperand &operand) { return operand.role == Role::row; };
  auto together =
      llvm::count_if(builder.inputs, isRow) + llvm::count_if(builder.outputs, isRow);
  int64_t columns = kernel.getColumns();
  return llvm::formatv("@{0} has operations: {1}, among them reductions: {2}; rows of {3} "
                       "columns are read or written {4} times in place of {5}",
                       kernel.getSymName(), builder.numOperations, builder.numReductions,
                       ShapedType::isDynamic(columns) ? "?" : std::to_string(columns),
                       together, apart);
}

/// Returns the member that adds up rows and is not `anchor`, if there is one: the last.
static Operation *findSumOfRows(const Group &group, Operation *anchor) {
  for (Operation *op : llvm::reverse(group.inOrder()))
    if (op != anchor && group.lookup(op)->sumsRows)
      return op;
  return nullptr;
}

bool RaiseLinalgPass::raiseGroup(func::FuncOp func, Operation *anchor, Form form,
                                 std::string &whyNot) {
  Excluded excluded;
  while (true) {
    std::optional<Group> group = Group::seed(anchor, form, whyNot);
    if (!group)
      return false;
    auto miss = [&](const Twine &why) {
      whyNot = why.str();
      return false;
    };
    if (ShapedType::isDynamic(group->space.columns()) && !dynamicColumns)
      return miss("the number of columns is not known; dynamic-columns raises it to a "
                  "generic kernel, which must be specialised");
    group->grow(excluded);
    std::optional<Obstacle> obstacle = group->findCycle();
    KernelBuilder builder(*group, &getContext());
    if (!obstacle && failed(builder.build()))
      obstacle = builder.obstacle;
    KernelOp kernel;
    if (!obstacle) {
      if (!canOutline(*group, builder))
        return miss("an extent of its results is not known before they are there");
      whyNot.clear();
      kernel = createKernel(func, *group, builder, whyNot);
      // Sums over rows leave fewer plans.
      Operation *sum = kernel ? nullptr : findSumOfRows(*group, anchor);
      if (sum)
        obstacle = {sum, whyNot};
    }
    if (obstacle && obstacle->op != anchor) {
      excluded.insert({obstacle->op, obstacle->why});
      continue;
    }
    if (obstacle)
      return miss(obstacle->why);
    if (!kernel)
      return false;
    for (const Excluded &out : {excluded, group->refused})
      for (const auto &[op, why] : out)
        remark::missed(op->getLoc(), remarkOn(func, "LeftOut"))
            << "this operation stays out of @" + kernel.getSymName().str() + ": " + why;
    remark::passed(anchor->getLoc(), remarkOn(func, "Raised"))
        << describe(*group, builder, kernel);
    ++raised;
    absorbed += builder.numOperations;
    outline(*group, builder, kernel, [&](Operation *op) { tried.erase(op); });
    return true;
  }
}

void RaiseLinalgPass::raiseReduction(func::FuncOp func, Operation *anchor) {
  std::string first, second;
  if (raiseGroup(func, anchor, Form::row, first) ||
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

void RaiseLinalgPass::runOnOperation() {
  gpu = Target::lookup(target);
  if (!gpu) {
    getOperation().emitError("unknown target '")
        << target << "', expected one of: " << llvm::join(Target::names(), ", ");
    return signalPassFailure();
  }
  for (func::FuncOp func : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
    SmallVector<Block *> blocks;
    func.walk([&](Operation *op) {
      if (isReduction(op) && !llvm::is_contained(blocks, op->getBlock()))
        blocks.push_back(op->getBlock());
    });
    for (Block *block : blocks)
      raiseBlock(func, *block);
  }
}
