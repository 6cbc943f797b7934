//===- TileMachine.h - one cluster at work ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes a tile program for one cluster after the other, operation by
// operation, all CTAs in step. What needs an order between threads (buffers,
// barriers) is checked by the protocol's rules instead of by interleaving.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_TILEMACHINE_H
#define QUACK_LIB_REFERENCE_TILEMACHINE_H

#include "Combiner.h"
#include "Distribution.h"
#include "Program.h"

#include "quack/Reference/TileEvaluator.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <optional>

namespace quack::reference {

/// An exchange buffer: in each CTA a slot for each partial of a tile.
struct ExchangeBuffer {
  bool isRemote = false;
  bool isReady = false;
  tv::PublishOp published;
  /// By CTA, then by the partial's element; empty where nobody has written.
  std::vector<std::vector<Partial>> slots;
  /// By CTA.
  std::vector<int64_t> arrivedBytes;
};

/// The combined partials of one group of holders, by row.
using RowPartials = std::map<int64_t, Partial>;

/// Returns whether two copies of an element are the same. Zeros of either sign
/// and all NaN are.
inline bool isSameCopy(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// What the stages of a launch share.
struct GlobalMemory {
  GlobalMemory(tv::KernelOp kernel, std::vector<OperandBuffers> operands,
               int64_t rows);

  /// Ends a stage: what it has saved can be read, and what it has added up is
  /// stored.
  void finishStage();

  std::vector<OperandBuffers> operands;
  /// How often each element of an operand was written, by operand.
  std::vector<std::vector<unsigned>> writes;
  /// A slot of the workspace: row, offset, slice.
  using Slot = std::array<int64_t, 3>;
  /// What earlier stages have saved, and this one.
  std::map<Slot, Partial> workspace, saved;
  /// By operand: the sums over rows that this stage leaves to no other.
  std::map<unsigned, std::vector<double>> sums;
  /// By offset in a partial: the partials of this stage, one after the other,
  /// and those of earlier ones.
  std::map<int64_t, std::vector<double>> partials, finishedPartials;
  /// By operand: what its storage type is.
  std::vector<FloatTraits> storage;
};

class TileMachine {
public:
  TileMachine(tv::KernelOp kernel, int64_t rows, TileEvaluation evaluation,
              GlobalMemory &memory);

  /// Begins a stage: the sums over no rows are 0.
  void beginSums();

  /// Adds up what earlier stages have left, where that is the stage.
  llvm::LogicalResult runFolds();

  /// Checks what does not change from tile to tile.
  llvm::LogicalResult checkKernel();

  /// Executes the program for the rows from `tile` * R on.
  llvm::LogicalResult runTile(int64_t tile);

  /// Checks that each output element was written.
  llvm::LogicalResult checkOutputs();

private:
  llvm::LogicalResult visit(mlir::Operation *op);

  // Elementwise work (TileMachine.cpp).
  llvm::LogicalResult visitElementwise(mlir::Operation *op);
  llvm::LogicalResult visitConstant(mlir::Operation *op, mlir::Attribute value);
  llvm::LogicalResult visitBroadcast(tv::BroadcastOp op);
  void visitIndex(tv::IndexOp op);
  llvm::LogicalResult visitMask(tv::MaskOp op);

  // Global memory and stages (TileMemory.cpp).
  llvm::LogicalResult visitLoad(tv::LoadOp op);
  llvm::LogicalResult visitGather(tv::GatherOp op);
  llvm::LogicalResult visitStore(tv::StoreOp op);
  llvm::LogicalResult visitStage(tv::StageOp op);
  llvm::LogicalResult visitAwait(tv::AwaitOp op);
  llvm::LogicalResult visitRead(tv::ReadOp op);
  llvm::LogicalResult loadTile(mlir::Operation *op, mlir::Value source,
                               mlir::Type tile, Lane &to);
  llvm::LogicalResult checkCopies(mlir::Operation *op, const Distribution &tile,
                                  const Lane &lane);

  // Reductions (TileReductions.cpp).
  template <typename StepOp>
  llvm::LogicalResult visitStep(StepOp op, Level scope);
  llvm::LogicalResult reduceWithin(Level scope, mlir::Operation *op,
                                   mlir::ValueRange sources,
                                   Combiner &combiner);
  llvm::LogicalResult reduceHolders(mlir::Operation *op,
                                    const Distribution &from,
                                    mlir::ValueRange sources,
                                    llvm::ArrayRef<int64_t> holders,
                                    Combiner &combiner, RowPartials &totals);
  /// Gives the holders `first` to `first` + `count` of the results of `op`
  /// their row's partial.
  llvm::LogicalResult deliver(mlir::Operation *op, int64_t first, int64_t count,
                              const RowPartials &totals);

  // Groups of columns (TileGroups.cpp).
  llvm::LogicalResult visitGroupReduce(tv::GroupReduceOp op);
  llvm::LogicalResult visitGroupBroadcast(tv::GroupBroadcastOp op);

  // Elements that are picked (TilePicks.cpp).
  llvm::LogicalResult visitTopK(tv::TopKOp op);
  llvm::LogicalResult visitSaveTopK(tv::SaveTopKOp op);
  llvm::LogicalResult visitRecall(tv::RecallOp op);
  /// Returns the `count` greatest of the columns from `from` to `to` of row `row` of
  /// a tile, which is given once for each pass, and their columns.
  mlir::FailureOr<std::vector<Number>>
  pickColumns(mlir::Operation *op, llvm::ArrayRef<mlir::Value> passes,
              int64_t row, int64_t from, int64_t to, int64_t count,
              std::vector<int64_t> &columnsOfPicks);
  llvm::LogicalResult visitScatter(tv::ScatterOp op);
  /// Writes element `column` of row `row` of the operand `index`.
  void write(unsigned index, int64_t row, int64_t column, double value);

  // Exchanges (TileExchange.cpp).
  llvm::LogicalResult visitAlloc(tv::AllocExchangeOp op);
  llvm::LogicalResult visitPublish(tv::PublishOp op);
  llvm::LogicalResult writeSlot(tv::PublishOp op, ExchangeBuffer &buffer,
                                int64_t cta, int64_t element,
                                const Partial &partial);
  llvm::LogicalResult visitBarrier();
  llvm::LogicalResult visitExchangeWait(tv::ExchangeWaitOp op);
  llvm::LogicalResult visitCollect(tv::CollectOp op);
  llvm::LogicalResult collectInCta(tv::CollectOp op, ExchangeBuffer &buffer,
                                   const Distribution &partials, int64_t cta,
                                   Combiner &combiner);
  llvm::LogicalResult visitClusterInit(tv::ClusterInitOp op);
  llvm::LogicalResult visitClusterWait(tv::ClusterWaitOp op);
  llvm::LogicalResult checkAllArrived();

  // Sums over rows (TileSums.cpp).
  llvm::LogicalResult visitAccumulate(tv::AccumulateOp op);

  // The workspace (TileWorkspace.cpp).
  llvm::LogicalResult visitSave(tv::SaveOp op);
  llvm::LogicalResult visitMerge(tv::MergeOp op);

  /// Returns the distribution of a tile type.
  const Distribution &distributionOf(mlir::Type tile);
  const Distribution &distributionOf(mlir::Value tile) {
    return distributionOf(tile.getType());
  }
  /// Returns the numbers of `value`: one for each holder of a tile, or one.
  Lane &laneOf(mlir::Value value);

  tv::KernelOp kernel;
  int64_t rows, columns;
  TileEvaluation evaluation;
  GlobalMemory &memory;
  std::map<std::pair<const void *, std::pair<int64_t, int64_t>>, Distribution>
      distributions;

  // The state of one tile.
  int64_t firstRow = 0, tileNumber = 0;
  std::map<const void *, Lane> lanes;
  std::map<const void *, ExchangeBuffer> exchanges;
  llvm::SmallVector<mlir::Value> awaited, stored;
  /// Expected bytes by mbarrier offset, once initialised.
  std::map<int64_t, int64_t> barriers;
  bool hasInit = false, isInitVisible = false, hasArrived = false,
       arePeersReady = false;
};

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_TILEMACHINE_H
