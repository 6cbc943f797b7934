//===- TileBuilder.h - one row program to one tile program ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A *pass* is the stretch of work between two dependent reductions: pass 0 needs
// no reduction, pass 1 needs results of pass 0, and so on. A row value that is
// used in several passes is either kept (its SSA value stays live) or computed
// again in each pass from operands that are held in a cheaper form. Which of the
// two follows from how the plan holds the operands that it depends on.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CONVERSION_QUACKTOQUACKTV_TILEBUILDER_H
#define QUACK_LIB_CONVERSION_QUACKTOQUACKTV_TILEBUILDER_H

#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/IR/Builders.h"

namespace quack {

/// Builds the tile program of one kernel, beside it.
class TileBuilder {
public:
  TileBuilder(KernelOp kernel, tv::PlanAttr plan);

  /// Creates the `quack_tv.kernel`, or emits an error at what has no tile form.
  llvm::LogicalResult build();

private:
  /// Returns the pass in which `value` can first be computed.
  int64_t passOf(mlir::Value value);
  /// Returns the pass after which nothing is stored.
  int64_t lastPass();
  /// Returns whether the row `value` is computed again in each pass.
  bool isRecomputed(mlir::Value value);
  tv::Hold holdOf(LoadOp load);

  /// Returns the tile that stands for `value` in `pass`, making it if needed;
  /// null after an error.
  mlir::Value get(mlir::Value value, int64_t pass);
  mlir::Value create(mlir::Operation *op, mlir::Value value, int64_t pass);
  mlir::Value createLoad(LoadOp load, int64_t pass);
  mlir::Value createConstant(mlir::Operation *op);
  mlir::Value createElementwise(mlir::OpResult value, int64_t pass);
  /// Divides a row by a row scalar, or by an element a group: one division for
  /// each of those, products for elements.
  mlir::Value createDivideByScalar(mlir::Location loc, mlir::Value row,
                                   mlir::Value divisor);

  //===--- Reductions (TileReductions.cpp) ----------------------------------===//
  /// Each returns the tiles of the operation's results, or nothing after an error.
  llvm::SmallVector<mlir::Value> createReduce(ReduceOp reduce);
  llvm::SmallVector<mlir::Value> createArg(mlir::Operation *op, bool isMax);
  llvm::SmallVector<mlir::Value> createMoments(MomentsOp moments);
  mlir::Value createFirst(mlir::Location loc, mlir::Value row);
  /// Returns `tile` with the identity in columns that do not exist.
  mlir::Value createMask(mlir::Location loc, mlir::Value tile,
                         mlir::TypedAttr identity);
  /// Combines partials of threads by the region that `build` fills: from one partial
  /// and another to what it yields.
  llvm::SmallVector<mlir::Value> combinePartials(
      mlir::Location loc, mlir::ValueRange partials,
      llvm::ArrayRef<mlir::Attribute> identities,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange, mlir::ValueRange)>
          build);

  //===--- One element of a row (Extract.cpp) -------------------------------===//
  mlir::Value createExtract(ExtractOp extract);
  /// Returns the element of `row` at `column`, both row scalars: what `row` is made by
  /// is made again for it alone. Null after an error.
  mlir::Value elementOf(mlir::Value row, mlir::Value column);
  mlir::Value createElement(mlir::OpResult row, mlir::Value column);
  /// Returns `scalar` once all threads of the row have it.
  mlir::Value meet(mlir::Location loc, mlir::Value scalar);

  llvm::LogicalResult createAccumulate(AccumulateOp sum, int64_t pass);

  //===--- Groups of columns (Groups.cpp) -----------------------------------===//
  /// Checks that the plan leaves no group to several warps.
  llvm::LogicalResult checkGroups();
  mlir::Value createGroupReduce(GroupReduceOp reduce, int64_t pass);
  /// Gives each element of a tile of type `type` what `source` has of its row
  /// or group.
  mlir::Value spread(mlir::Location loc, mlir::RankedTensorType type,
                     mlir::Value source);

  //===--- Elements that are picked (Picks.cpp)
  //-----------------------------===//
  llvm::LogicalResult createTopK(TopKOp topk);
  void createScatter(ScatterOp scatter);

  bool isStoredLast(StoreOp store);
  /// Stores values that are computed in `pass`.
  llvm::LogicalResult createStores(llvm::ArrayRef<StoreOp> stores, int64_t pass);
  /// Starts what each operand's first access starts: loads and stages.
  void createEarlyLoads();

  /// Returns the tile type of a row, or the row-scalar type of a scalar.
  mlir::RankedTensorType tileType(mlir::Type type);
  mlir::RankedTensorType scalarType(mlir::Type element);
  /// Converts between storage and compute type of one kind.
  mlir::Value convert(mlir::Location loc, mlir::Value tile, mlir::Type element);
  mlir::Value splat(mlir::Location loc, mlir::TypedAttr value,
                    mlir::RankedTensorType type);

  KernelOp kernel;
  tv::PlanAttr plan;
  tv::KernelOp target;
  mlir::OpBuilder b;
  TVLayout layout;
  TileShape shape;
  llvm::DenseMap<mlir::Value, int64_t> passes;
  llvm::DenseMap<mlir::Value, bool> recomputed;
  /// What was loaded or staged early, by kernel operand.
  llvm::DenseMap<mlir::Value, mlir::Value> held;
  /// Tiles by source value and pass (-1 where the pass makes no difference).
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> tiles;
  /// Elements by row value and tile of the column.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> elements;
};

} // namespace quack

#endif // QUACK_LIB_CONVERSION_QUACKTOQUACKTV_TILEBUILDER_H
