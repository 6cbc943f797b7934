//===- Picker.h - the K greatest elements of a row --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Picks.cpp for how they are found, PickRanks.cpp for how they are sorted.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CONVERSION_QUACKTVTOGPU_PICKER_H
#define QUACK_LIB_CONVERSION_QUACKTVTOGPU_PICKER_H

#include "ThreadBuilder.h"

#include "quack/Dialect/QuackTV/PickBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace quack {

/// Builds what one `topk` does, or one `save_topk`, to which a slice is a row. Numbers
/// of a row are the same in all of its threads.
class ThreadBuilder::Picker {
public:
  Picker(ThreadBuilder &thread, tv::TopKOp topk);
  Picker(ThreadBuilder &thread, tv::SaveTopKOp save);
  void build();

private:
  /// What both operations have.
  struct Task {
    mlir::Value row, again, retry;
    int64_t count;
    bool softmax;
    int64_t offset; ///< of the buffer, in shared memory
    mlir::Location loc;
  };
  Picker(ThreadBuilder &thread, Task task);

  /// A bound: all elements whose key is not less are candidates.
  struct Bound {
    mlir::Value key, greatest; ///< u32; greatest: that of the row
  };
  /// Elements of a group, and its greatest one's key.
  struct Group {
    llvm::SmallVector<int64_t> pieces;
    int64_t from, to; ///< of each piece's elements
    mlir::Value key;
  };

  //===--- Groups and bounds -------------------------------------------===//
  void formGroups();
  void findGreatest();
  Bound findBound();
  mlir::Value raiseBound(Bound bound, mlir::Value total);
  void
  inRetry(mlir::Value turn,
          llvm::function_ref<mlir::Value(int64_t, llvm::ArrayRef<mlir::Value>)>
              body);
  /// Between two keys: half way between their numbers, or between the keys.
  mlir::Value between(mlir::Value low, mlir::Value high, mlir::Value turn);
  mlir::Value between64(mlir::Value low, mlir::Value high, mlir::Value above,
                        mlir::Value below, mlir::Value turn, mlir::Value key);

  //===--- Candidates --------------------------------------------------===//
  using Test =
      llvm::function_ref<mlir::Value(mlir::Value element, mlir::Value column)>;
  /// Appends those of a piece's elements `from` to `to` that pass the test:
  /// piece by piece, so that few elements are wide at a time. Returns how many
  /// do.
  mlir::Value append(int64_t piece, llvm::ArrayRef<mlir::Value> elements,
                     int64_t from, int64_t to, Test test);
  /// Meets, and returns how many candidates there are.
  mlir::Value finishCollecting();
  void makeKeys(mlir::Value total);
  void rankAll(mlir::Value total);
  void rankInBuckets(mlir::Value total, Bound bound);
  void startBuckets();
  mlir::Value countGreater(mlir::Value own, int64_t offset, mlir::Value from,
                           mlir::Value to, mlir::Value rank);
  void storeRanked(mlir::Value rank, mlir::Value key, mlir::Value index);
  /// Stores number (f32) and column (i32), or one of both, of pick `rank` (i32).
  void storePick(mlir::Value rank, mlir::Value number, mlir::Value column);
  void savePick(mlir::Value rank, mlir::Value number, mlir::Value column);
  void storeShares();

  //===--- Elements ----------------------------------------------------===//
  Values elementsOf(mlir::Value row, int64_t piece);
  mlir::Value columnOf(int64_t piece, int64_t element);
  mlir::Value keyOf(mlir::Value number);
  mlir::Value numberOf(mlir::Value key);
  mlir::Value fullKey(mlir::Value key, mlir::Value column);

  //===--- Threads of a row --------------------------------------------===//
  mlir::Value redux(mlir::Value own, mlir::NVVM::ReduxKind kind);
  void leave(mlir::Value ofWarp, int64_t offset, mlir::Value first);
  mlir::Value combineWarps(int64_t offset, mlir::Value first,
                           mlir::NVVM::ReduxKind kind, mlir::Value neutral);
  mlir::Value count(mlir::Value own, mlir::Value turn);
  mlir::Value sum(mlir::Value own);

  //===--- Small helpers -----------------------------------------------===//
  mlir::Value i32(int64_t value) { return t.i32(value); }
  mlir::Value i64(int64_t value) { return t.i64(value); }
  mlir::Value f32(double value) {
    return mlir::arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(static_cast<float>(value)));
  }
  template <typename Op> mlir::Value make(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(b, loc, lhs, rhs);
  }
  mlir::Value is(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                 mlir::Value rhs) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }
  mlir::Value choose(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return mlir::arith::SelectOp::create(b, loc, condition, yes, no);
  }
  mlir::Value wide(mlir::Value value) {
    return mlir::arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  }
  mlir::Value place(int64_t offset, mlir::Type type,
                    mlir::Value index = mlir::Value());
  /// Accesses element `index` of an array of the row's buffer.
  mlir::Value load(int64_t offset, mlir::Type type, mlir::Value index);
  void store(mlir::Value value, int64_t offset, mlir::Value index);
  /// Returns the address of byte `offset` of the row's buffer as i32, for
  /// inline PTX.
  mlir::Value sharedBase(int64_t offset);
  /// A loop while `condition` of what it carries, through which `next` leads.
  llvm::SmallVector<mlir::Value>
  loopWhile(mlir::ValueRange start,
            llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
                next);
  void eachOf(mlir::Value count, llvm::function_ref<void(mlir::Value)> body);

  ThreadBuilder &t;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Task task;
  /// The operation: one of both is null.
  tv::TopKOp topk;
  tv::SaveTopKOp save;
  Fragment fragment;
  int64_t picks, threads, warps;
  tv::PickBuffer layout;
  mlir::Value buffer, thread;
  /// A zero that no compiler can know, while the row is passed over once more.
  mlir::Value opaque;
  std::vector<Group> groups;
};

} // namespace quack

#endif // QUACK_LIB_CONVERSION_QUACKTVTOGPU_PICKER_H
