//===- Fold.cpp - adds up the partials of sums over rows ---------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA has 32 columns: a lane has one, warp w of W the partials w, w + W, ...
// The warps' sums meet in shared memory, and the first warp adds, rounds and
// stores. The order depends on the number of partials alone.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;

/// Partials of a column that a thread has under way.
static constexpr int64_t loadsAhead = 8;

/// Returns the sum of this thread's partials, which lie from `base` on.
Value ThreadBuilder::addPartials(tv::FoldOp fold, Value base) {
  int64_t count = fold.getPartials(), bytes = *kernel.getWorkspace();
  int64_t warps = kernel.getPlan().getThreads() / warpSize;
  auto load = [&](Value partial) -> Value {
    Value at = arith::MulIOp::create(
        b, loc, arith::ExtUIOp::create(b, loc, b.getI64Type(), partial),
        i64(bytes));
    Value from = LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(),
                                     base, ArrayRef<LLVM::GEPArg>{at});
    return LLVM::LoadOp::create(b, loc, b.getF32Type(), from, 4);
  };
  Value total = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
  int64_t batch = warps * loadsAhead, full = count / batch;
  if (full > 0) {
    auto loop = scf::ForOp::create(b, loc, warp(), i32(full * batch),
                                   i32(batch), total);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    Values loaded;
    for (int64_t i = 0; i < loadsAhead; ++i)
      loaded.push_back(load(arith::AddIOp::create(
          b, loc, loop.getInductionVar(), i32(i * warps))));
    Value sum = loop.getRegionIterArg(0);
    for (Value value : loaded)
      sum = arith::AddFOp::create(b, loc, sum, value);
    scf::YieldOp::create(b, loc, sum);
    total = loop.getResult(0);
  }
  Values rest, exists;
  for (int64_t first = full * batch; first < count; first += warps) {
    Value partial = arith::AddIOp::create(b, loc, warp(), i32(first));
    exists.push_back(Value());
    if (first + warps > count) {
      exists.back() = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            partial, i32(count));
      partial = arith::SelectOp::create(b, loc, exists.back(), partial, i32(0));
    }
    rest.push_back(load(partial));
  }
  for (auto [value, isThere] : llvm::zip_equal(rest, exists)) {
    Value sum = arith::AddFOp::create(b, loc, total, value);
    total = isThere
                ? Value(arith::SelectOp::create(b, loc, isThere, sum, total))
                : sum;
  }
  return total;
}

/// Returns the sum of what the warps have, in their order; the first warp's
/// counts.
Value ThreadBuilder::addWarps(Value total) {
  int64_t warps = kernel.getPlan().getThreads() / warpSize;
  if (warps == 1)
    return total;
  Value shared = sharedPointer(0);
  auto at = [&](Value index) -> Value {
    return LLVM::GEPOp::create(b, loc, shared.getType(), b.getF32Type(), shared,
                               ArrayRef<LLVM::GEPArg>{index});
  };
  LLVM::StoreOp::create(b, loc, total, at(threadId()), 4);
  NVVM::Barrier0Op::create(b, loc);
  Values sums;
  for (int64_t i = 0; i < warps; ++i)
    sums.push_back(LLVM::LoadOp::create(
        b, loc, b.getF32Type(),
        at(arith::AddIOp::create(b, loc, lane(), i32(i * warpSize))), 4));
  for (total = sums.front(); Value sum : llvm::drop_begin(sums))
    total = arith::AddFOp::create(b, loc, total, sum);
  return total;
}

void ThreadBuilder::visitFold(tv::FoldOp fold) {
  loc = fold.getLoc();
  // CTAs of the folds before this one come first.
  int64_t begin = 0, columns = fold.getColumns();
  auto folds = kernel.getBody().getOps<tv::FoldOp>();
  for (tv::FoldOp other : folds) {
    if (other == fold)
      break;
    begin += llvm::divideCeil(other.getColumns(), tv::foldColumns);
  }
  int64_t ctas = llvm::divideCeil(columns, tv::foldColumns);
  Value cta = NVVM::BlockIdXOp::create(b, loc, b.getI32Type());
  cta = arith::SubIOp::create(b, loc, cta, i32(begin));
  Predicate isMine;
  if (!llvm::hasSingleElement(folds))
    isMine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, cta,
                                   i32(ctas));
  ifThen(isMine, [&] {
    Value column = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, cta, i32(tv::foldColumns)),
        lane());
    Predicate exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                             column, i32(columns));
    // Column 0 is there.
    Value wide = arith::ExtUIOp::create(
        b, loc, b.getI64Type(),
        arith::SelectOp::create(b, loc, exists, column, i32(0)));
    Value bytes = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, wide, i64(4)),
        i64(fold.getOffset()));
    Value workspace = func.getArgument(workspaceArgument);
    Value base = LLVM::GEPOp::create(b, loc, workspace.getType(), b.getI8Type(),
                                     workspace, ArrayRef<LLVM::GEPArg>{bytes});
    Value total = addWarps(addPartials(fold, base));
    Type storage = getElementTypeOrSelf(fold.getTarget().getType());
    if (!storage.isF32())
      total = arith::TruncFOp::create(b, loc, storage, total);
    Value isFirstWarp = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                              threadId(), i32(warpSize));
    ifThen(both(exists, isFirstWarp), [&] {
      unsigned number = cast<BlockArgument>(fold.getTarget()).getArgNumber();
      Value pointer = func.getArgument(launchArgument[number]);
      Value to = LLVM::GEPOp::create(b, loc, pointer.getType(), storage,
                                     pointer, ArrayRef<LLVM::GEPArg>{wide});
      LLVM::StoreOp::create(b, loc, total, to,
                            storage.getIntOrFloatBitWidth() / 8);
    });
  });
}
