//===- ThreadBuilder.cpp - pieces and elementwise work ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ThreadBuilder.h for how pieces are asked for.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Set-up
//===----------------------------------------------------------------------===//

ThreadBuilder::ThreadBuilder(tv::KernelOp kernel, LLVM::LLVMFuncOp func,
                             LLVM::GlobalOp shared, int64_t ptxVersion)
    : kernel(kernel), func(func), shared(shared), b(func.getContext()),
      loc(kernel.getLoc()), ptxVersion(ptxVersion), tileColumns(getTileColumns(kernel)) {
  unsigned next = 0;
  unsigned memrefs = 0;
  for (Type type : kernel.getFunctionType().getInputs())
    memrefs += isa<MemRefType>(type);
  rowsArgument = 2 * memrefs;
  unsigned nextScalar = rowsArgument + 1;
  for (Type type : kernel.getFunctionType().getInputs()) {
    bool isMemref = isa<MemRefType>(type);
    launchArgument.push_back(isMemref ? next : nextScalar);
    (isMemref ? next : nextScalar) += isMemref ? 2 : 1;
  }
  workspaceArgument = nextScalar;
  llvm::SmallDenseSet<Value> atUse;
  for (auto load : kernel.getBody().front().getOps<tv::LoadOp>())
    if (load.getAtUse())
      atUse.insert(load.getSource());
  operandsAtUse = atUse.size();
}

LogicalResult ThreadBuilder::build() {
  Block &entry = func.getBody().front();
  b.setInsertionPointToEnd(&entry);
  restartPrologue();
  for (Operation &op : kernel.getBody().front())
    if (!done.contains(&op) && failed(visit(op)))
      return failure();
  if (turn.tile)
    endTiles();
  LLVM::ReturnOp::create(b, loc, ValueRange());
  prologueEnd->erase();
  return success();
}

LogicalResult ThreadBuilder::visit(Operation &op) {
  loc = op.getLoc();
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](tv::LoadOp load) { return visitLoad(load), success(); })
      .Case([&](tv::StageOp stage) { return visitStage(stage), success(); })
      .Case([&](tv::AwaitOp await) { return visitAwait(await), success(); })
      .Case<tv::StoreOp, tv::AccumulateOp, tv::ThreadReduceOp>(
          [&](Operation *consumer) {
            auto reduce = dyn_cast<tv::ThreadReduceOp>(consumer);
            if (!reduce || !visitOnline(reduce))
              visitConsumers(*consumer);
            return success();
          })
      .Case([&](tv::WarpReduceOp reduce) {
        return visitWarpReduce(reduce), success();
      })
      .Case([&](tv::PublishOp publish) {
        return visitPublish(publish), success();
      })
      .Case([&](tv::CollectOp collect) {
        return visitCollect(collect), success();
      })
      .Case([&](tv::EachTileOp) { return beginTiles(), success(); })
      .Case([&](tv::TileBeforeOp) { return takeTileBefore(), success(); })
      .Case([&](tv::FoldOp fold) { return visitFold(fold), success(); })
      .Case([&](tv::TopKOp topk) { return visitTopK(topk), success(); })
      .Case([&](tv::SaveTopKOp save) { return visitSaveTopK(save), success(); })
      .Case([&](tv::ScatterOp scatter) {
        return visitScatter(scatter), success();
      })
      .Case([&](tv::SaveOp save) { return visitSave(save), success(); })
      .Case([&](tv::MergeOp merge) { return visitMerge(merge), success(); })
      .Case([&](tv::ClusterInitOp init) {
        return visitClusterInit(init), success();
      })
      .Case([&](tv::BarrierOp) {
        NVVM::Barrier0Op::create(b, loc);
        return success();
      })
      .Case([&](tv::ExchangeWaitOp wait) {
        auto alloc = wait.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
        waitMBarrier(barrierPointer(alloc), /*cluster=*/true, loc);
        return success();
      })
      .Case([&](tv::ClusterArriveOp arrive) {
        if (turn.slot)
          return ifThen(meetsInTurn(), [&] { arriveInTurn(); }), success();
        if (arrive.getRelease())
          NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
        else
          NVVM::ClusterArriveRelaxedOp::create(b, loc, b.getUnitAttr());
        return success();
      })
      .Case([&](tv::ClusterWaitOp) {
        if (turn.slot)
          return ifThen(meetsInTurn(), [&] { waitForMeeting(meetingOf(turnsBefore)); }),
                 success();
        NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
        return success();
      })
      .Case<tv::ReduceOp, tv::BlockReduceOp, tv::ClusterReduceOp,
            tv::GridReduceOp>([&](Operation *step) -> LogicalResult {
        return step->emitOpError(
            "must be lowered first: run quack-tv-lower-reductions, "
            "quack-tv-fuse-reductions, quack-tv-split-stages and "
            "quack-tv-place-barriers");
      })
      // All others are pure and made when asked for.
      .Default([&](Operation *) { return success(); });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

void ThreadBuilder::visitConsumers(Operation &first) {
  SmallVector<Operation *> group = gatherConsumers(first);
  Fragment fragment = fragmentOf(first.getOperand(0).getType());
  // By reduction and row: what is accumulated so far.
  llvm::DenseMap<std::pair<Operation *, int64_t>, Values> sums;
  llvm::MapVector<int64_t, int64_t> rows;
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    int64_t row = fragment.offset(index).row;
    rows.insert({row, rows.size()});
    // One of the rows that are stored may be one that another is made from.
    for (Operation *op : group)
      if (isa<tv::StoreOp, tv::AccumulateOp>(op))
        std::ignore = piece(op->getOperand(0), index);
    for (Operation *op : group) {
      if (auto store = dyn_cast<tv::StoreOp>(op)) {
        storePiece(store, index);
        continue;
      }
      if (auto sum = dyn_cast<tv::AccumulateOp>(op)) {
        accumulateRows(sum, index);
        continue;
      }
      accumulate(cast<tv::ThreadReduceOp>(op), sums[{op, row}], index);
    }
  }
  for (Operation *op : group) {
    done.insert(op);
    if (auto reduce = dyn_cast<tv::ThreadReduceOp>(op))
      for (auto [row, index] : rows)
        finish(reduce, sums[{op, row}], index);
  }
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Whether an operation's pieces are made from its operands' pieces of the same number.
static bool isElementwise(Operation *op) {
  return op && !isa<tv::QuackTVDialect>(op->getDialect()) && !isa<arith::ConstantOp>(op);
}

ThreadBuilder::Values ThreadBuilder::elementsOf(Value piece) {
  if (!isa<VectorType>(piece.getType()))
    return {piece};
  auto apart = vector::ToElementsOp::create(b, loc, piece);
  return llvm::to_vector_of<Value>(apart.getResults());
}

/// Without a call for each operation that leads to `tile`: there may be thousands.
Value ThreadBuilder::piece(Value tile, int64_t index) {
  SmallVector<Value> needed{tile};
  while (!needed.empty()) {
    Value next = needed.back();
    if (pieces.contains({next, index})) {
      needed.pop_back();
      continue;
    }
    size_t before = needed.size();
    if (Operation *op = next.getDefiningOp(); isElementwise(op))
      for (Value operand : llvm::reverse(op->getOperands()))
        if (isa<RankedTensorType>(operand.getType()) && !pieces.contains({operand, index}))
          needed.push_back(operand);
    if (needed.size() != before)
      continue;
    Value made = createPiece(next, index);
    pieces[{next, index}] = made;
    needed.pop_back();
  }
  return pieces.lookup({tile, index});
}

Value ThreadBuilder::createPiece(Value tile, int64_t index) {
  Operation *op = tile.getDefiningOp();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](tv::LoadOp load) { return loadAtUse(load, index); })
      .Case([&](tv::ReadOp read) { return readPiece(read, index); })
      .Case([&](tv::MaskOp mask) { return createMask(mask, index); })
      .Case([&](tv::WidenOp widen) { return createWiden(widen, index); })
      .Case([&](tv::IndexOp op) { return createIndex(op, index); })
      .Case([&](tv::GatherOp gather) { return gatherPiece(gather, index); })
      .Case([&](tv::RecallOp recall) { return recallPiece(recall, index); })
      .Case([&](tv::NarrowOp narrow) { return createNarrow(narrow, index); })
      .Case([&](tv::BroadcastOp broadcast) {
        return createBroadcast(broadcast, index);
      })
      .Case([&](tv::GroupReduceOp reduce) {
        return createGroupReduce(reduce, index);
      })
      .Case([&](tv::GroupBroadcastOp broadcast) {
        return createGroupBroadcast(broadcast, index);
      })
      .Case([&](arith::ConstantOp op) {
        auto splat = cast<DenseElementsAttr>(op.getValue());
        return constant(splat.getSplatValue<TypedAttr>(),
                        fragmentOf(tile.getType()).pieceType());
      })
      .Default([&](Operation *op) {
        return createElementwise(op, cast<OpResult>(tile), index);
      });
}

Value ThreadBuilder::createElementwise(Operation *op, OpResult result,
                                       int64_t index) {
  if (auto extend = dyn_cast<arith::ExtFOp>(op))
    if (Fragment from = fragmentOf(extend.getIn().getType());
        isByteFloat(from.element))
      return widenBytes(piece(extend.getIn(), index), from,
                        getElementTypeOrSelf(extend.getType()), op->getLoc());
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, isa<RankedTensorType>(operand.getType())
                             ? piece(operand, index)
                             : operand);
  Operation *clone = b.clone(*op, mapping);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults())) {
    to.setType(fragmentOf(from.getType()).pieceType());
    pieces[{from, index}] = to;
  }
  return clone->getResult(result.getResultNumber());
}

Value ThreadBuilder::createBroadcast(tv::BroadcastOp broadcast, int64_t index) {
  Fragment to = fragmentOf(broadcast.getType());
  Value source = broadcast.getSource();
  Value scalar;
  if (auto arg = dyn_cast<BlockArgument>(source)) {
    scalar = func.getArgument(launchArgument[arg.getArgNumber()]);
  } else if (!isa<RankedTensorType>(source.getType())) {
    scalar = source;
  } else {
    // The source's pieces are the thread's rows, in the order of their offsets.
    Fragment from = fragmentOf(source.getType());
    int64_t row = to.offset(index).row, sourceIndex = 0;
    while (from.offset(sourceIndex).row != row)
      ++sourceIndex;
    scalar = piece(source, sourceIndex);
  }
  if (to.run == 1)
    return scalar;
  return vector::BroadcastOp::create(b, broadcast.getLoc(), to.pieceType(),
                                     scalar);
}

Value ThreadBuilder::createIndex(tv::IndexOp op, int64_t index) {
  Fragment fragment = fragmentOf(op.getType());
  loc = op.getLoc();
  Value first = threadCoord(fragment).second;
  // LLVM would move the columns' numbers out of a loop over tiles, a register for each.
  if (turn.tile)
    first = inlinePTX("mov.b32 $0, $1;", "=r,r", b.getI32Type(), {first});
  SmallVector<Value> columns;
  for (int64_t i = 0; i < fragment.run; ++i)
    columns.push_back(
        arith::AddIOp::create(b, loc, first, i32(fragment.offset(index).column + i)));
  if (fragment.run == 1)
    return columns.front();
  return vector::FromElementsOp::create(b, loc, cast<VectorType>(fragment.pieceType()),
                                        columns);
}

/// The grid has one row of CTAs, so %ctaid.y and %ctaid.z are 0, which neither
/// LLVM nor ptxas can know. A product by another odd number for each pass is
/// another value to them.
Value ThreadBuilder::opaqueZero(int64_t pass) {
  return once("opaque" + std::to_string(pass), [&]() -> Value {
    Type type = b.getI32Type();
    // Weights that stay for all tiles would be widened before the loop: there another one
    // for each tile, whose number is never negative.
    if (turn.tile && pass == 0)
      return inlinePTX("{ .reg .b64 sign; shr.u64 sign, $1, 63; cvt.u32.u64 $0, sign; }",
                       "=r,l", type, {turn.tile});
    if (turn.tile)
      return arith::MulIOp::create(b, loc, opaqueZero(0), i32(2 * pass + 1));
    if (pass == 0)
      return NVVM::BlockIdYOp::create(b, loc, type);
    if (pass == 1)
      return NVVM::BlockIdZOp::create(b, loc, type);
    return arith::MulIOp::create(b, loc, opaqueZero(pass % 2), i32(2 * pass + 1));
  });
}

/// Bytes: words are xored with the opaque zero before they are converted.
/// bf16: each half word becomes the upper half of an f32 by a byte permutation
/// whose lower bytes come from the opaque zero. f16: the word is xored with it.
Value ThreadBuilder::createWiden(tv::WidenOp widen, int64_t index) {
  Fragment from = fragmentOf(widen.getSource().getType()), to = fragmentOf(widen.getType());
  Location loc = widen.getLoc();
  Value packed = piece(widen.getSource(), index);
  if (from.run == 1 && !isByteFloat(from.element))
    return arith::ExtFOp::create(b, loc, to.element, packed);
  Value zero = opaqueZero(widen.getPass());
  SmallVector<Value> words = toWords(packed, from);
  if (isByteFloat(from.element)) {
    Value part = zero;
    if (words.front().getType() != zero.getType())
      part = arith::TruncIOp::create(b, loc, words.front().getType(), zero);
    for (Value &word : words)
      word = arith::XOrIOp::create(b, loc, word, part);
    return widenBytes(fromWords(words, from), from, to.element, loc);
  }
  if (from.element.isF16()) {
    for (Value &word : words)
      word = arith::XOrIOp::create(b, loc, word, zero);
    return arith::ExtFOp::create(b, loc, to.pieceType(), fromWords(words, from));
  }
  auto permute = [&](Value word, int64_t selector) -> Value {
    return LLVM::CallIntrinsicOp::create(
               b, loc, b.getI32Type(), b.getStringAttr("llvm.nvvm.prmt"),
               ValueRange{word, zero, i32(selector)})
        .getResult(0);
  };
  SmallVector<Value> wide;
  for (Value word : words) {
    wide.push_back(permute(word, 0x1044));
    wide.push_back(permute(word, 0x3244));
  }
  return fromWords(wide, to);
}

//===----------------------------------------------------------------------===//
// Small helpers
//===----------------------------------------------------------------------===//

Value ThreadBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
}

Value ThreadBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

Value ThreadBuilder::constant(TypedAttr value, Type pieceType) {
  if (auto vectorType = dyn_cast<VectorType>(pieceType))
    value = DenseElementsAttr::get(vectorType, value);
  return arith::ConstantOp::create(b, loc, value);
}

Value ThreadBuilder::inlinePTX(StringRef text, StringRef constraints, Type result,
                               ValueRange operands) {
  auto op = LLVM::InlineAsmOp::create(
      b, loc, result ? TypeRange(result) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  return result ? op.getResult(0) : Value();
}

void ThreadBuilder::ifThen(Predicate predicate, std::function<void()> body) {
  if (!predicate)
    return body();
  auto ifOp = scf::IfOp::create(b, loc, predicate, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

Value ThreadBuilder::once(StringRef key, std::function<Value()> make) {
  if (auto it = singles.find(key); it != singles.end())
    return it->second;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(prologueEnd);
  Value made = make();
  return singles[key] = made;
}
