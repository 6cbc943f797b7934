//===- Staging.cpp - rows in shared memory ---------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies by each thread (cp.async) or by the copy engine (cp.async.bulk), and
// the reads that follow.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Staging
//===----------------------------------------------------------------------===//

Value ThreadBuilder::sharedPointer(int64_t offset) {
  Value base = once("shared", [&]() -> Value {
    return LLVM::AddressOfOp::create(b, loc, shared);
  });
  if (offset == 0)
    return base;
  return LLVM::GEPOp::create(b, loc, base.getType(), b.getI8Type(), base,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value ThreadBuilder::sharedAddress(int64_t offset) {
  Value base = once("shared32", [&]() -> Value {
    return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), sharedPointer(0));
  });
  return offset ? Value(arith::AddIOp::create(b, loc, base, i32(offset))) : base;
}

/// Columns that one CTA stages of each row.
static int64_t columnsPerCta(const Fragment &fragment) {
  return fragment.sliceColumns() / fragment.layout->size(Level::Cta);
}

ThreadBuilder::Address ThreadBuilder::stagedAddress(tv::StageOp stage,
                                                    int64_t index) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  Coord offset = fragment.offset(index);
  int64_t bytes = fragment.elementBytes(), width = columnsPerCta(fragment);
  std::string key = "staged" + std::to_string(*stage.getOffset()) + "|" +
                    fragment.layout->str();
  Value base = once(key, [&]() -> Value {
    Value row = threadCoord(fragment).first,
          column = sliceLocalColumn(fragment);
    if (fragment.layout->size(Level::Cta) > 1)
      column = arith::SubIOp::create(
          b, loc, column, arith::MulIOp::create(b, loc, ctaRank(), i32(width)));
    Value element = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, row, i32(width)), column);
    Value at = arith::AddIOp::create(
        b, loc, sharedAddress(*stage.getOffset()),
        arith::MulIOp::create(b, loc, element, i32(bytes)));
    if (!turn.buffer)
      return at;
    // Tiles that follow each other have buffers by turns.
    int64_t buffer = fragment.shape.rows * width * bytes;
    return arith::AddIOp::create(b, loc, at,
                                 arith::MulIOp::create(b, loc, turn.buffer, i32(buffer)));
  });
  return {base, (offset.row * width + offset.column) * bytes};
}

/// Each thread copies the runs that it will read itself; what lies outside the
/// rows is filled with zero (PTX ISA, cp.async with a src-size).
void ThreadBuilder::stageAsync(tv::StageOp stage) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  int64_t bytes = fragment.run * fragment.elementBytes();
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    Part whole = partOf(fragment, index);
    Address from = globalAddress(stage.getSource(), fragment, index);
    Address to = stagedAddress(stage, index);
    for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
      SmallVector<Value> operands{to.base, from.base};
      std::string text = "cp.async.cg.shared.global " +
                         addressText(0, to.offset + at) + ", " +
                         addressText(1, from.offset + at) + ", 16";
      std::string constraints = "r,l";
      Part part = slice(whole, at, tv::maxAccessBytes);
      if (part.whole) {
        Value size = i32(0);
        if (part.tail)
          size = arith::SelectOp::create(b, loc, part.tail, i32(part.tailBytes), size);
        operands.push_back(
            arith::SelectOp::create(b, loc, part.whole, i32(16), size));
        text += ", $2";
        constraints += ",r";
      }
      inlinePTX(text + ";", constraints + ",~{memory}", Type(), operands);
    }
  }
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// One thread announces the bytes and issues one copy a row. Copies are of
/// multiples of 16 bytes: what is left at a row's end is read where it is used.
void ThreadBuilder::stageBulk(tv::StageOp stage) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  int64_t bytes = fragment.elementBytes(), width = columnsPerCta(fragment);
  int64_t columns = kernel.getColumns();
  unsigned number = cast<BlockArgument>(stage.getSource()).getArgNumber();
  Type i64Type = b.getI64Type();
  ifThen(isFirstThread(), [&] {
    // This CTA's columns of a row, as bytes.
    Value start = i64(0), rowBytes = i64(columns * bytes / 16 * 16);
    int64_t ctas = fragment.layout->size(Level::Cta);
    int64_t slices = fragment.layout->size(Level::Slice);
    if (ctas > 1 || slices > 1) {
      Value part = ctas > 1 ? ctaRank() : i32(0);
      if (slices > 1)
        part = arith::AddIOp::create(
            b, loc, part,
            arith::MulIOp::create(b, loc, sliceIndex(), i32(ctas)));
      part = arith::ExtUIOp::create(b, loc, i64Type, part);
      start = arith::MulIOp::create(b, loc, part, i64(width));
      Value left = arith::SubIOp::create(b, loc, i64(columns), start);
      left = arith::MaxSIOp::create(b, loc, left, i64(0));
      left = arith::MinSIOp::create(b, loc, left, i64(width));
      rowBytes = arith::MulIOp::create(b, loc, left, i64(bytes));
      rowBytes = arith::AndIOp::create(b, loc, rowBytes, i64(-16));
    }
    Value row =
        arith::MulIOp::create(b, loc, tileIndex(), i64(fragment.shape.rows));
    Value rows =
        arith::SubIOp::create(b, loc, func.getArgument(rowsArgument), row);
    rows = arith::MinSIOp::create(b, loc, rows, i64(fragment.shape.rows));
    Value total = arith::MulIOp::create(b, loc, rows, rowBytes);
    Value total32 = arith::TruncIOp::create(b, loc, b.getI32Type(), total);
    Value bytes32 = arith::TruncIOp::create(b, loc, b.getI32Type(), rowBytes);
    Value barrier = sharedAddress(*stage.getBarrierOffset());
    expectBytes(barrier, total32);
    Value pointer = func.getArgument(launchArgument[number]);
    Value stride = func.getArgument(launchArgument[number] + 1);
    Value hasBytes = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                           rowBytes, i64(0));
    for (int64_t r = 0; r < fragment.shape.rows; ++r) {
      Value exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, rows,
                                           i64(r));
      Value element = arith::AddIOp::create(
          b, loc,
          arith::MulIOp::create(
              b, loc, arith::AddIOp::create(b, loc, row, i64(r)), stride),
          start);
      Value source = LLVM::GEPOp::create(b, loc, pointer.getType(),
                                         b.getIntegerType(bytes * 8), pointer,
                                         ArrayRef<LLVM::GEPArg>{element});
      inlinePTX("@$4 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                "bytes [$0], [$1], $2, [$3];",
                "r,l,r,r,b,~{memory}", Type(),
                {sharedAddress(*stage.getOffset() + r * width * bytes), source,
                 bytes32, barrier, both(exists, hasBytes)});
    }
  });
}

void ThreadBuilder::visitStage(tv::StageOp stage) {
  if (ahead.tile)
    stageTile(stage, ahead);
  else if (stage.getForm() == tv::Hold::async)
    stageAsync(stage);
  else
    stageBulk(stage);
}

void ThreadBuilder::visitAwait(tv::AwaitOp await) {
  auto stage = await.getStaged().getDefiningOp<tv::StageOp>();
  if (stage.getForm() == tv::Hold::bulk)
    return waitMBarrier(sharedPointer(*stage.getBarrierOffset()),
                        /*cluster=*/false, await.getLoc());
  // Groups complete in order: those committed later may still be under way.
  int64_t later = 0;
  for (auto other : kernel.getBody().getOps<tv::StageOp>()) {
    if (other.getForm() != tv::Hold::async)
      continue;
    bool isBefore = other->isBeforeInBlock(await);
    later += stage->isBeforeInBlock(other) && (ahead.tile || isBefore);
    // Those of the next tile come after all of this one's.
    later += ahead.tile && isBefore;
  }
  NVVM::CpAsyncWaitGroupOp::create(b, loc, later);
}

Value ThreadBuilder::readPiece(tv::ReadOp read, int64_t index) {
  loc = read.getLoc();
  auto stage = read.getStaged().getDefiningOp<tv::StageOp>();
  Fragment fragment = fragmentOf(read.getType());
  // cp.async has filled what lies outside; a bulk copy has not.
  Part whole;
  if (stage.getForm() == tv::Hold::bulk)
    whole = partOf(fragment, index);
  whole.fill = fillOf(read);
  Address address = stagedAddress(stage, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  SmallVector<Value> words;
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
    int64_t width = std::min(bytes - at, tv::maxAccessBytes);
    Part part = slice(whole, at, width);
    SmallVector<Value> staged;
    loadVector({address.base, address.offset + at}, width, "shared",
               {part.whole, Predicate(), 0, part.fill}, Value(), staged);
    if (part.tail)
      addTail(stage, index, at, part, staged);
    llvm::append_range(words, staged);
  }
  return fromWords(words, fragment);
}

/// What a bulk copy leaves out of a row, its last bytes below a multiple of 16,
/// is read from global memory.
void ThreadBuilder::addTail(tv::StageOp stage, int64_t index, int64_t at,
                            const Part &part, SmallVectorImpl<Value> &words) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  Address address = globalAddress(stage.getSource(), fragment, index);
  Value never = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  SmallVector<Value> tail;
  loadVector({address.base, address.offset + at}, tv::maxAccessBytes, "global",
             {never, part.tail, part.tailBytes, part.fill}, Value(), tail);
  for (auto [word, more] : llvm::zip(words, tail))
    word = arith::SelectOp::create(b, loc, part.tail, more, word);
}
