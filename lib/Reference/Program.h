//===- Program.h - a row program, ready to run -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The evaluator takes a kernel apart once and then runs the steps for each row.
// Running cannot fail and touches no MLIR, so rows can run on several threads.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REFERENCE_PROGRAM_H
#define QUACK_LIB_REFERENCE_PROGRAM_H

#include "Elementwise.h"

#include "quack/Dialect/Quack/KernelOperands.h"
#include "quack/Reference/Evaluator.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>

namespace quack::reference {

/// One kernel operand: where its rows come from or go to.
struct OperandBuffers {
  std::string name;
  Role role = Role::row;
  int64_t columns = 0; ///< of a `groups` or `picks` operand
  bool isRead = false, isWritten = false;
  const double *input = nullptr;
  double *output = nullptr, *bound = nullptr;

  /// Returns how many of the operand's elements a row of `columns` columns has.
  int64_t widthOf(int64_t columns) const {
    if (role == Role::row || role == Role::columns)
      return columns;
    return hasOwnColumns(role) ? this->columns : 1;
  }
  /// Returns where row `row` starts in the operand's array.
  int64_t rowOffset(int64_t row, int64_t columns) const {
    if (role == Role::row || hasOwnColumns(role))
      return row * widthOf(columns);
    return role == Role::scalar ? row : 0;
  }
};

/// Returns the operands that a kernel of level 1 or 2 states, not yet bound.
std::vector<OperandBuffers> describeOperands(mlir::FunctionType type,
                                             mlir::ArrayAttr specs);

/// Points `operands` at their inputs and at the outputs made for them in
/// `result`. Emits an error at `kernel` where an input is missing or has the
/// wrong size.
llvm::LogicalResult
bindOperands(mlir::Operation *kernel, std::vector<OperandBuffers> &operands,
             int64_t rows, int64_t columns,
             const std::map<std::string, ReferenceArray> &inputs,
             ReferenceResult &result);

/// Values that add up, with the sums of their magnitudes and of their errors.
struct RunningSum {
  std::vector<double> values, magnitudes, errors;

  explicit RunningSum(size_t size = 0)
      : values(size), magnitudes(size), errors(size) {}
  void add(const RunningSum &other);
};

/// What one thread needs to evaluate a row.
struct Frame {
  int64_t row = 0;
  std::vector<Lane> lanes; ///< one for each SSA value, kept from row to row
  /// By operand: what its rows so far have added; empty for other operands.
  std::vector<RunningSum> sums;
};

/// A kernel as a list of steps over numbered lanes.
class Program {
public:
  /// Takes `kernel` apart. Emits an error at what cannot be evaluated.
  static llvm::FailureOr<Program> build(KernelOp kernel);

  /// Returns a frame whose constants are filled in.
  Frame makeFrame() const;

  /// Evaluates row `frame.row`.
  void runRow(Frame &frame) const {
    for (const auto &step : steps)
      step(frame, operands);
  }

  /// Stores what the rows have added, where a row's value meets `depth`
  /// roundings.
  void storeSums(const Frame &total, double depth) const;

  /// Returns whether rows are added.
  bool accumulates() const { return !initial.sums.empty(); }

  int64_t columns = 0;
  std::vector<OperandBuffers> operands;

private:
  using Step =
      std::function<void(Frame &, const std::vector<OperandBuffers> &)>;

  llvm::LogicalResult addOp(mlir::Operation &op);
  llvm::LogicalResult addConstant(mlir::Operation &op, mlir::Attribute value);
  llvm::LogicalResult addElementwise(mlir::Operation &op);
  void addLoad(LoadOp op);
  void addStore(StoreOp op);
  void addAccumulate(AccumulateOp op);
  void addBroadcast(BroadcastOp op);
  llvm::LogicalResult addReduce(ReduceOp op);
  llvm::LogicalResult addCombiner(ReduceOp op);
  void addArg(mlir::Operation *op, bool isMax);
  void addMoments(MomentsOp op);
  void addIndex(IndexOp op);
  void addExtract(ExtractOp op);
  void addGroupReduce(GroupReduceOp op);
  void addGroupBroadcast(GroupBroadcastOp op);
  void addTopK(TopKOp op);
  void addScatter(ScatterOp op);

  /// Returns the lane of `value`, making one at its definition.
  unsigned laneOf(mlir::Value value);
  bool isNonNegative(mlir::Operation &op) const;

  std::vector<Step> steps;
  Frame initial;
  llvm::DenseMap<mlir::Value, unsigned> laneOfValue;
  llvm::DenseSet<mlir::Value> nonNegative;
};

} // namespace quack::reference

#endif // QUACK_LIB_REFERENCE_PROGRAM_H
