//===- lib/Transforms/SplitStages.cpp ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack-tv-split-stages: a kernel whose rows are split over several clusters
// ends where their partials must meet, and another goes on. Runs when
// reductions are fused, so that as few stages as possible are needed, and
// before barriers are placed.
//
// What slices pick of their rows meets in a stage after all others, in which one
// CTA has a row.
//
// Invariants. A slot of the workspace is written by one stage and read by later
// ones. Operands are written by the stage after the last round; scalars that are
// updated, which all clusters of that stage may load, by one more; elements that
// are picked by the stage in which they meet.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/QuackTV/Exchange.h"
#include "quack/Dialect/QuackTV/PickBuffer.h"
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

/// Where the partials of one grid_reduce meet, or what one topk picks of slices.
struct Meeting {
  int64_t round;  ///< 1 for those that need no other's result
  int64_t offset; ///< in a row's part of the workspace
};

/// The meetings of a kernel.
class Meetings {
public:
  explicit Meetings(tv::KernelOp kernel);

  SmallVector<Meeting> list;  ///< in the order of its grid_reduces
  SmallVector<Meeting> picks; ///< in the order of its topks
  int64_t rounds = 0;         ///< of grid_reduces
  int64_t workspace = 0;      ///< bytes a row

private:
  int64_t reserve(int64_t bytes, int64_t alignment) {
    int64_t offset = llvm::alignTo(workspace, alignment);
    workspace = offset + bytes;
    return offset;
  }
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
      list.push_back({round, reserve(kernel.getPlan().getSlices() * slot,
                                     std::min(slot, tv::maxAccessBytes))});
    } else if (auto topk = dyn_cast<tv::TopKOp>(op)) {
      tv::SavedPicks saved(topk.getCount(), kernel.getPlan().getSlices());
      picks.push_back({round + 1, reserve(saved.bytes, tv::maxAccessBytes)});
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

/// Returns how many stages work on slices.
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
  // A row is scattered to where it has been stored.
  if (stage != meetings.rounds + 1)
    for (auto scatter :
         llvm::make_early_inc_range(block.getOps<tv::ScatterOp>()))
      scatter.erase();
  auto steps = llvm::to_vector(block.getOps<tv::GridReduceOp>());
  for (auto [step, meeting] : llvm::zip_equal(steps, meetings.list)) {
    if (meeting.round < stage)
      createMerge(step, meeting, kernel.getPlan().getSlices());
    if (meeting.round != stage)
      continue;
    OpBuilder b(step);
    tv::SaveOp::create(b, step.getLoc(), step.getSources(), meeting.offset);
  }
  auto topks = llvm::to_vector(block.getOps<tv::TopKOp>());
  for (auto [topk, meeting] : llvm::zip_equal(topks, meetings.picks)) {
    OpBuilder b(topk);
    if (meeting.round == stage)
      tv::SaveTopKOp::create(b, topk.getLoc(), topk.getRow(), topk.getAgain(),
                             topk.getRetry(), topk.getCount(), meeting.offset,
                             /*offset=*/IntegerAttr());
    topk.erase();
  }
  eraseUnused(block);
}

//===----------------------------------------------------------------------===//
// Picks
//===----------------------------------------------------------------------===//

/// Elements of a thread where slices' picks meet, as long as one CTA has threads
/// for them, and the columns of one access.
static constexpr int64_t picksPerThread = 16, picksPerAccess = 4;

/// Returns the plan of the stage that picks from `total` elements that have been
/// saved: one CTA a row. It accesses no row operand, so that these may start
/// anywhere.
static tv::PlanAttr planOfPicks(tv::PlanAttr plan, int64_t total) {
  int64_t threads = std::clamp<int64_t>(
      llvm::PowerOf2Ceil(llvm::divideCeil(total, picksPerThread)), warpSize,
      1024);
  return tv::PlanAttr::get(
      plan.getContext(), threads, /*threadsPerRow=*/threads,
      /*rowsPerThread=*/1, /*cluster=*/1,
      /*vectorSize=*/std::min(picksPerAccess, total & -total),
      tv::Alignment::element, /*ctasPerSM=*/1, plan.getExchange(),
      /*hold=*/DictionaryAttr(), /*kept=*/-1, /*load=*/DictionaryAttr(),
      /*store=*/DictionaryAttr(), /*split=*/0, plan.getRowsHint(),
      plan.getReproducible(), /*leastRows=*/0, /*partials=*/0,
      /*overlap=*/std::nullopt);
}

/// Fills `stage` with the topks of `kernel`, of what its slices save.
static void createPicks(tv::KernelOp stage, tv::KernelOp kernel,
                        const Meetings &meetings) {
  int64_t slices = kernel.getPlan().getSlices();
  MLIRContext *context = kernel.getContext();
  tv::PlanAttr plan = stage.getPlan();
  OpBuilder b = OpBuilder::atBlockEnd(&stage.getBody().front());
  auto operand = [&](Value argument) {
    return stage.getBody().getArgument(
        cast<BlockArgument>(argument).getArgNumber());
  };
  for (auto [topk, meeting] :
       llvm::zip_equal(kernel.getBody().getOps<tv::TopKOp>(), meetings.picks)) {
    int64_t total = topk.getCount() * slices;
    TileShape shape{plan.getRows(), plan.getPaddedColumns(total)};
    auto tile = [&](Type element) {
      return tv::getTileType(shape, element, plan.getLayout(total), context);
    };
    SmallVector<tv::RecallOp> passes;
    for (int64_t pass = 0; pass < 3; ++pass)
      passes.push_back(tv::RecallOp::create(
          b, topk.getLoc(), tile(b.getF32Type()), tile(b.getI32Type()),
          topk.getCount(), slices, meeting.offset,
          b.getI64IntegerAttr(pass)));
    tv::TopKOp::create(b, topk.getLoc(), passes[0].getValues(),
                       passes[1].getValues(), passes[2].getValues(),
                       passes[0].getColumns(), operand(topk.getValues()),
                       operand(topk.getColumns()), topk.getSoftmax(),
                       /*offset=*/IntegerAttr());
  }
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
                           /*partials=*/0, /*overlap=*/std::nullopt);
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

/// Adds the stage after `last` in which the picks of the slices of `kernel` meet.
static void addPicks(tv::KernelOp last, tv::KernelOp kernel, int64_t stage,
                     const Meetings &meetings) {
  int64_t most = 0;
  for (auto topk : kernel.getBody().getOps<tv::TopKOp>())
    most = std::max(most, topk.getCount() * kernel.getPlan().getSlices());
  OpBuilder b(kernel->getContext());
  b.setInsertionPointAfter(last);
  auto picks = tv::KernelOp::create(
      b, kernel.getLoc(), nameOf(kernel, stage), kernel.getFunctionType(),
      kernel.getOperandSpecs(), planOfPicks(kernel.getPlan(), most),
      /*shared_bytes=*/IntegerAttr(), /*otherwise=*/FlatSymbolRefAttr(),
      kernel.getWorkspaceAttr(), /*next=*/FlatSymbolRefAttr());
  Block &body = picks.getBody().emplaceBlock();
  for (BlockArgument arg : kernel.getBody().getArguments())
    body.addArgument(arg.getType(), arg.getLoc());
  createPicks(picks, kernel, meetings);
  last.setNext(picks.getSymName());
}

/// Splits `kernel` into its stages. Returns how many there are.
static int64_t splitKernel(tv::KernelOp kernel) {
  Meetings meetings(kernel);
  int64_t count = countStages(kernel, meetings);
  OpBuilder b(kernel->getContext());
  if (meetings.workspace > 0)
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
  if (!meetings.picks.empty())
    addPicks(stages.back(), kernel, count + 1, meetings);
  for (auto [index, stage] : llvm::enumerate(stages))
    makeStage(stage, meetings, index + 1, count);
  if (hasNoRows(stages.back().getBody().front()))
    spreadRowScalars(stages.back());
  return count + (meetings.picks.empty() ? 0 : 1);
}

void SplitStagesPass::runOnOperation() {
  for (tv::KernelOp kernel :
       llvm::to_vector(getOperation().getOps<tv::KernelOp>()))
    if (kernel.getPlan().getSlices() > 1)
      numStages += splitKernel(kernel);
}
