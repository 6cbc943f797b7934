//===- Workspace.cpp - how the stages of a launch meet ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workspace layout: a part for each row of M, in it the slots of each round of
// reductions, in those a slot for each slice. A stage writes slots that no
// stage before it has read, and reads what stages before it have written: the
// launch of a kernel orders them.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"
#include "quack/Dialect/QuackTV/Exchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;

Value ThreadBuilder::slotAddress(Value row, int64_t offset, Value slot,
                                 int64_t slotWords) {
  Value pointer = func.getArgument(workspaceArgument);
  Value bytes = arith::MulIOp::create(b, loc, row, i64(*kernel.getWorkspace()));
  Value at = arith::MulIOp::create(b, loc, slot, i32(4 * slotWords));
  at = arith::AddIOp::create(b, loc, at, i32(offset));
  at = arith::ExtUIOp::create(b, loc, b.getI64Type(), at);
  bytes = arith::AddIOp::create(b, loc, bytes, at);
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

void ThreadBuilder::visitSave(tv::SaveOp save) {
  loc = save.getLoc();
  Fragment fragment = fragmentOf(save.getValues().front().getType());
  int64_t slotWords = tv::exchangeSlotWords(save.getValues().size());
  SmallVector<Values> rows =
      partialWords(save.getValues(), fragment, slotWords);
  Predicate first =
      isCanonicalCopy(fragment, {Level::Lane, Level::Warp, Level::Cta});
  for (auto [index, words] : llvm::enumerate(rows)) {
    int64_t below = fragment.offset(index).row;
    ifThen(both(first, rowExists(fragment, below)), [&, &words = words] {
      storePartials(words,
                    slotAddress(globalRow(fragment, below), save.getOffset(),
                                sliceIndex(), slotWords));
    });
  }
}

void ThreadBuilder::visitMerge(tv::MergeOp merge) {
  loc = merge.getLoc();
  Fragment fragment = fragmentOf(merge.getResults().front().getType());
  int64_t slotWords = tv::exchangeSlotWords(merge.getNumResults());
  Combiner combiner{merge.getKinds(), merge.getIdentities(),
                    &merge.getCombiner()};
  // Lanes share the reads: lane i takes slots i, i + 32, ...
  int64_t count = merge.getSlices();
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(count));
  Value member = arith::AndIOp::create(b, loc, lane(), i32(group - 1));
  SmallVector<int64_t> distances;
  for (int64_t distance = group / 2; distance > 0; distance /= 2)
    distances.push_back(distance);
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    int64_t below = fragment.offset(index).row;
    Predicate exists = rowExists(fragment, below);
    Value row = globalRow(fragment, below);
    // Row 0 is there.
    if (exists)
      row = arith::SelectOp::create(b, loc, exists, row, i64(0));
    Values total;
    for (int64_t start = 0; start < count; start += warpSize) {
      Value slot =
          start ? Value(arith::AddIOp::create(b, loc, member, i32(start)))
                : member;
      Predicate valid = exists;
      if (start + group > count) {
        Value isSlice = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                              slot, i32(count));
        slot = arith::SelectOp::create(b, loc, isSlice, slot, i32(0));
        valid = both(valid, isSlice);
      }
      Values values = loadPartials(
          merge.getResultTypes(), combiner,
          slotAddress(row, merge.getOffset(), slot, slotWords), valid);
      total = total.empty() ? values : combine(combiner, total, values, loc);
    }
    total = butterfly(combiner, total, distances, loc);
    for (auto [result, value] : llvm::zip(merge.getResults(), total))
      pieces[{result, index}] = value;
  }
}
