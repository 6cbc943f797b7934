//===- Scatter.cpp - elements stored by their columns -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "quack/Dialect/QuackTV/PickBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quack;

void ThreadBuilder::syncRow() {
  if (kernel.getPlan().getThreadsPerRow() > warpSize)
    NVVM::Barrier0Op::create(b, loc);
  else
    inlinePTX("bar.warp.sync 0xffffffff;", "~{memory}", Type(), {});
}

Value ThreadBuilder::pickAddress(Value operand, const Fragment &fragment,
                                 Value column) {
  unsigned number = cast<BlockArgument>(operand).getArgNumber();
  Value pointer = func.getArgument(launchArgument[number]);
  Value element =
      arith::MulIOp::create(b, loc, globalRow(fragment, 0),
                            func.getArgument(launchArgument[number] + 1));
  element = arith::AddIOp::create(
      b, loc, element, arith::ExtUIOp::create(b, loc, b.getI64Type(), column));
  return LLVM::GEPOp::create(b, loc, pointer.getType(),
                             getElementTypeOrSelf(operand.getType()), pointer,
                             ArrayRef<LLVM::GEPArg>{element});
}

/// The row, or slice, has been stored. Element i is, unless a later one has the same
/// column, so that no two threads store to one place.
void ThreadBuilder::visitScatter(tv::ScatterOp scatter) {
  loc = scatter.getLoc();
  auto compare = [&](arith::CmpIPredicate predicate, Value lhs,
                     Value rhs) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  };
  auto zero =
      llvm::find_if(scatter.getTarget().getUsers(),
                    [](Operation *user) { return isa<tv::StoreOp>(user); });
  Fragment fragment = fragmentOf(cast<tv::StoreOp>(*zero).getValue().getType());
  int64_t threads = kernel.getPlan().getThreadsPerRow(),
          count = scatter.getCount();
  bool isWarp = threads == warpSize;
  Value thread = isWarp ? lane() : threadId();
  Value buffer = sharedPointer(*scatter.getOffset());
  if (isWarp) {
    Value bytes =
        arith::MulIOp::create(b, loc, warp(), i32(tv::scatterBytes(count)));
    buffer = LLVM::GEPOp::create(b, loc, buffer.getType(), b.getI8Type(),
                                 buffer, ArrayRef<LLVM::GEPArg>{bytes});
  }
  auto place = [&](Value index) -> Value {
    return LLVM::GEPOp::create(b, loc, buffer.getType(), b.getI32Type(), buffer,
                               ArrayRef<LLVM::GEPArg>{index});
  };
  auto eachOwn = [&](function_ref<void(Value)> body) {
    auto loop = scf::ForOp::create(b, loc, thread, i32(count), i32(threads));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  };
  int64_t columns = fragment.sliceColumns();
  bool isSplit = columns < fragment.shape.columns;
  // Columns as i32, -1 where there is none in the slice. M rows exist at least.
  Predicate exists = rowExists(fragment, 0);
  ifThen(exists, [&] {
    eachOwn([&](Value index) {
      Type type = getElementTypeOrSelf(scatter.getColumns().getType());
      Value column = LLVM::LoadOp::create(
          b, loc, type, pickAddress(scatter.getColumns(), fragment, index));
      Value end = arith::ConstantOp::create(
          b, loc, b.getIntegerAttr(type, kernel.getColumns()));
      Value isColumn = compare(arith::CmpIPredicate::ult, column, end);
      if (!type.isInteger(32))
        column = arith::TruncIOp::create(b, loc, b.getI32Type(), column);
      if (isSplit) {
        Value before = arith::MulIOp::create(b, loc, sliceIndex(), i32(columns));
        Value local = arith::SubIOp::create(b, loc, column, before);
        isColumn = both(isColumn, compare(arith::CmpIPredicate::ult, local,
                                          i32(columns)));
      }
      column = arith::SelectOp::create(b, loc, isColumn, column, i32(-1));
      LLVM::StoreOp::create(b, loc, column, place(index));
    });
  });
  syncRow();
  ifThen(exists, [&] {
    eachOwn([&](Value index) {
      Value column = LLVM::LoadOp::create(b, loc, b.getI32Type(), place(index));
      Value next = arith::AddIOp::create(b, loc, index, i32(1));
      Value isOurs = compare(arith::CmpIPredicate::sge, column, i32(0));
      auto later = scf::ForOp::create(b, loc, next, i32(count), i32(1),
                                      ValueRange{isOurs});
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(later.getBody());
        Value other = LLVM::LoadOp::create(b, loc, b.getI32Type(),
                                           place(later.getInductionVar()));
        Value isOther = compare(arith::CmpIPredicate::ne, other, column);
        scf::YieldOp::create(b, loc,
                             ValueRange{arith::AndIOp::create(
                                 b, loc, later.getRegionIterArg(0), isOther)});
      }
      ifThen(later.getResult(0), [&] {
        Type from = getElementTypeOrSelf(scatter.getValues().getType());
        Type to = getElementTypeOrSelf(scatter.getTarget().getType());
        Value value = LLVM::LoadOp::create(
            b, loc, from, pickAddress(scatter.getValues(), fragment, index));
        if (from != to && !from.isF32())
          value = arith::ExtFOp::create(b, loc, b.getF32Type(), value);
        if (from != to && !to.isF32())
          value = arith::TruncFOp::create(b, loc, to, value);
        LLVM::StoreOp::create(
            b, loc, value, pickAddress(scatter.getTarget(), fragment, column));
      });
    });
  });
}
