//===- lib/Transforms/SplitStages.cpp ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-tv-split-stages: a kernel whose rows are split over several clusters
// ends where their partials must meet, and another goes on. Runs when
// reductions are fused, so that as few stages as possible are needed, and
// before barriers are placed.
//
// Invariants. A slot of the workspace is written by one stage and read by later
// ones. Operands are written by the stage after the last round; scalars that are
// updated, which all clusters of that stage may load, by one more.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/Exchange.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#define DEBUG_TYPE "quack-tv-split-stages"

using namespace mlir;

namespace quack {
#define GEN_PASS_DEF_QUACKTVSPLITSTAGES
#include "dialects/Passes/Passes.h.inc"
} // namespace quack

using namespace quack;

namespace {
class SplitStagesPass
    : public quack::impl::QuackTVSplitStagesBase<SplitStagesPass> {
public:
  using QuackTVSplitStagesBase::QuackTVSplitStagesBase;
  void runOnOperation() override;
};

/// Where the partials of one grid_reduce meet.
struct Meeting {
  int64_t round;  ///< 1 for those that need no other's result
  int64_t offset; ///< in a row's part of the workspace
};

/// The meetings of a kernel, in the order of its grid_reduces.
struct Meetings {
  explicit Meetings(tv::KernelOp kernel);

  SmallVector<Meeting> list;
  int64_t rounds = 0, workspace = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

Meetings::Meetings(tv::KernelOp kernel) {
  llvm::DenseMap<Value, int64_t> roundOf;
  for (Operation &op : kernel.getBody().front()) {
    int64_t round = 0;
    for (Value operand : op.getOperands())
      round = std::max(round, roundOf.lookup(operand));
    if (auto step = dyn_cast<tv::GridReduceOp>(op)) {
      rounds = std::max(rounds, ++round);
      int64_t slot = 4 * tv::exchangeSlotWords(step.getSources().size());
      int64_t offset =
          llvm::alignTo(workspace, std::min(slot, tv::maxAccessBytes));
      list.push_back({round, offset});
      workspace = offset + kernel.getPlan().getSlices() * slot;
    }
    for (Value result : op.getResults())
      roundOf[result] = round;
  }
  workspace = llvm::alignTo(workspace, tv::maxAccessBytes);
}

//===----------------------------------------------------------------------===//
// One stage
//===----------------------------------------------------------------------===//

/// grid_reduce  ->  merge
static void createMerge(tv::GridReduceOp step, const Meeting &meeting,
                        int64_t slices) {
  OpBuilder b(step);
  auto merge = tv::MergeOp::create(b, step.getLoc(), step.getResultTypes(),
                                   step.getKinds(), step.getIdentities(),
                                   slices, meeting.offset);
  merge.getCombiner().takeBody(step.getCombiner());
  step->replaceAllUsesWith(merge.getResults());
}

static bool storesRows(tv::StoreOp store) {
  return tv::getTileShape(store.getValue().getType()).columns > 1;
}

static bool updatesScalar(tv::StoreOp store) {
  unsigned number = cast<BlockArgument>(store.getTarget()).getArgNumber();
  OperandAttr spec =
      store->getParentOfType<tv::KernelOp>().getOperandAttr(number);
  return spec.getRole() == Role::scalar && spec.getDirection() == Direction::inout;
}

/// Erases what has no use, and the steps that another stage takes.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isa<tv::GridReduceOp>(op) || isOpTriviallyDead(&op))
      op.erase();
}

/// Returns how many stages a kernel has.
static int64_t countStages(tv::KernelOp kernel, const Meetings &meetings) {
  auto stores = kernel.getBody().front().getOps<tv::StoreOp>();
  bool storesRow = llvm::any_of(stores, storesRows);
  bool updates = llvm::any_of(stores, updatesScalar);
  return meetings.rounds + (storesRow && updates ? 2 : 1);
}

/// Returns whether `stage` of `stages` performs `store`.
static bool hasStore(const Meetings &meetings, int64_t stage, int64_t stages,
                     tv::StoreOp store) {
  return stage == (updatesScalar(store) ? stages : meetings.rounds + 1);
}

/// Turns a copy of the whole kernel into stage `stage` of the `stages` that
/// `meetings` make.
static void makeStage(tv::KernelOp kernel, const Meetings &meetings,
                      int64_t stage, int64_t stages) {
  Block &block = kernel.getBody().front();
  for (auto store : llvm::make_early_inc_range(block.getOps<tv::StoreOp>()))
    if (!hasStore(meetings, stage, stages, store))
      store.erase();
  auto steps = llvm::to_vector(block.getOps<tv::GridReduceOp>());
  for (auto [step, meeting] : llvm::zip_equal(steps, meetings.list)) {
    if (meeting.round < stage)
      createMerge(step, meeting, kernel.getPlan().getSlices());
    if (meeting.round != stage)
      continue;
    OpBuilder b(step);
    tv::SaveOp::create(b, step.getLoc(), step.getSources(), meeting.offset);
  }
  eraseUnused(block);
}

//===----------------------------------------------------------------------===//
// Stages without rows
//===----------------------------------------------------------------------===//

/// Returns whether all tiles are row scalars.
static bool hasNoRows(Block &block) {
  return llvm::all_of(block, [](Operation &op) {
    return llvm::all_of(op.getResultTypes(), [](Type type) {
      return !isa<tv::StagedType>(type) &&
             (!tv::getLayoutAttr(type) || tv::getTileShape(type).columns == 1);
    });
  });
}

/// Returns `plan` with a warp for each row, unsplit.
static tv::PlanAttr withWarpsForRows(tv::PlanAttr plan) {
  constexpr int64_t threads = 128;
  return tv::PlanAttr::get(plan.getContext(), threads, warpSize,
                           /*rowsPerThread=*/1, /*cluster=*/1,
                           plan.getVectorSize(), plan.getAlignment(),
                           /*ctasPerSM=*/0, plan.getExchange(), plan.getHold(),
                           /*kept=*/-1, plan.getLoad(), plan.getStore(),
                           /*split=*/0, plan.getRowsHint(),
                           plan.getReproducible(), plan.getLeastRows(),
                           /*partials=*/0);
}

/// Gives the row scalars of a kernel that has nothing else the layout that a
/// warp a row makes.
static void spreadRowScalars(tv::KernelOp kernel) {
  tv::PlanAttr plan = withWarpsForRows(kernel.getPlan());
  kernel.setPlanAttr(plan);
  int64_t columns = kernel.getColumns();
  TVLayout layout = plan.getLayout(columns).projectColumns(
      {plan.getRows(), plan.getPaddedColumns(columns)});
  for (Operation &op : kernel.getBody().front()) {
    for (Value result : op.getResults())
      if (tv::getLayoutAttr(result.getType()))
        result.setType(tv::getTileType({plan.getRows(), 1},
                                       getElementTypeOrSelf(result.getType()),
                                       layout, op.getContext()));
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            splat.resizeSplat(cast<ShapedType>(constant.getType())));
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

static std::string nameOf(tv::KernelOp kernel, int64_t stage) {
  std::string name =
      (kernel.getSymName() + "_stage" + std::to_string(stage)).str();
  while (kernel->getParentOfType<ModuleOp>().lookupSymbol(name))
    name += "_";
  return name;
}

/// Splits `kernel` into its stages. Returns how many there are.
static int64_t splitKernel(tv::KernelOp kernel) {
  Meetings meetings(kernel);
  int64_t count = countStages(kernel, meetings);
  OpBuilder b(kernel->getContext());
  if (meetings.rounds > 0)
    kernel.setWorkspace(meetings.workspace);
  SmallVector<tv::KernelOp> stages{kernel};
  for (int64_t stage = 2; stage <= count; ++stage) {
    b.setInsertionPointAfter(stages.back());
    auto clone = cast<tv::KernelOp>(b.clone(*kernel));
    clone.setSymName(nameOf(kernel, stage));
    clone.removeOtherwiseAttr();
    clone.removeNextAttr();
    stages.back().setNext(clone.getSymName());
    stages.push_back(clone);
  }
  for (auto [index, stage] : llvm::enumerate(stages))
    makeStage(stage, meetings, index + 1, count);
  if (hasNoRows(stages.back().getBody().front()))
    spreadRowScalars(stages.back());
  return stages.size();
}

void SplitStagesPass::runOnOperation() {
  for (tv::KernelOp kernel :
       llvm::to_vector(getOperation().getOps<tv::KernelOp>()))
    if (kernel.getPlan().getSlices() > 1)
      numStages += splitKernel(kernel);
}
