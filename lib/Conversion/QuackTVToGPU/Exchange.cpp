//===- Exchange.cpp - how partial results meet ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Butterflies within a warp, buffers between warps, st.async between CTAs.
//
// Buffer layout: partials in row-major order of their tile, `exchangeSlotWords`
// words each. In a cluster every CTA's buffer receives all partials, its own
// too, and an mbarrier there counts their bytes.
//
//===----------------------------------------------------------------------===//

#include "quack/Dialect/Quack/Combiners.h"
#include "quack/Dialect/QuackTV/Exchange.h"
#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

ThreadBuilder::Values ThreadBuilder::combine(const Combiner &combiner,
                                             ValueRange lhs, ValueRange rhs,
                                             Location loc) {
  Values results;
  if (combiner.region->empty()) {
    for (auto [kind, l, r] :
         llvm::zip(combiner.kinds.getAsRange<ReduceKindAttr>(), lhs, rhs))
      results.push_back(createCombine(b, loc, kind.getValue(), l, r));
    return results;
  }
  return inlineCombiner(b, *combiner.region, lhs, rhs);
}

TypedAttr ThreadBuilder::identity(const Combiner &combiner, unsigned index,
                                  Type type) {
  if (combiner.region->empty())
    return getIdentity(
        cast<ReduceKindAttr>(combiner.kinds[index]).getValue(), type);
  return cast<TypedAttr>(combiner.identities[index]);
}

ThreadBuilder::Values ThreadBuilder::foldPieces(const Combiner &combiner, Values pieces,
                                                Location loc) {
  auto type = dyn_cast<VectorType>(pieces.front().getType());
  if (!type)
    return pieces;
  // By column, then by value.
  SmallVector<Values> columns(type.getNumElements());
  for (Value piece : pieces) {
    for (auto [column, element] : llvm::zip(columns, elementsOf(piece)))
      column.push_back(element);
  }
  for (size_t half = columns.size() / 2; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      columns[i] = combine(combiner, columns[i], columns[i + half], loc);
  return columns.front();
}

void ThreadBuilder::finish(tv::ThreadReduceOp reduce, const Values &sums, int64_t row) {
  Values partials = foldPieces(combinerOf(reduce), sums, reduce.getLoc());
  for (auto [result, partial] : llvm::zip(reduce.getResults(), partials))
    pieces[{result, row}] = partial;
}

//===----------------------------------------------------------------------===//
// Within a warp
//===----------------------------------------------------------------------===//

/// shfl.sync on 32 bits: bfly from a distance, idx from a lane (PTX ISA, shfl.sync).
static Value shuffle(OpBuilder &b, Location loc, Value value, Value from,
                     NVVM::ShflKind kind = NVVM::ShflKind::bfly) {
  auto i32 = [&](int64_t v) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(v));
  };
  return NVVM::ShflOp::create(b, loc, value.getType(), i32(-1), value, from,
                              i32(warpSize - 1), kind, UnitAttr());
}

ThreadBuilder::Values ThreadBuilder::butterfly(const Combiner &combiner,
                                               Values values,
                                               ArrayRef<int64_t> distances,
                                               Location loc) {
  for (int64_t distance : distances) {
    Values others;
    for (Value value : values)
      others.push_back(shuffle(b, loc, value, i32(distance)));
    values = combine(combiner, values, others, loc);
  }
  // Lanes have combined the same partials, but in changed places: take one lane's.
  if (!distances.empty() && !combiner.region->empty() && !isSymmetric(*combiner.region)) {
    int64_t joined = 0;
    for (int64_t distance : distances)
      joined |= distance;
    Value first = arith::AndIOp::create(b, loc, lane(), i32(~joined & (warpSize - 1)));
    for (Value &value : values)
      value = shuffle(b, loc, value, first, NVVM::ShflKind::idx);
  }
  return values;
}

/// Returns the xor distances between the lanes that share a row, greatest
/// first: the bits of the lane index that the column modes occupy.
static SmallVector<int64_t> laneDistances(const Fragment &fragment) {
  SmallVector<int64_t> distances;
  int64_t position = 1;
  for (Mode mode : fragment.layout->modes(Level::Lane)) {
    if (fragment.layout->isColumnMode(mode, fragment.shape))
      for (int64_t d = 1; d < mode.size; d *= 2)
        distances.push_back(position * d);
    position *= mode.size;
  }
  std::reverse(distances.begin(), distances.end());
  return distances;
}

void ThreadBuilder::visitWarpReduce(tv::WarpReduceOp reduce) {
  loc = reduce.getLoc();
  Fragment fragment = fragmentOf(reduce.getSources().front().getType());
  Combiner combiner{reduce.getKinds(), reduce.getIdentities(),
                    &reduce.getCombiner()};
  SmallVector<int64_t> distances = laneDistances(fragment);
  SmallVector<Values> sources(fragment.pieces);
  for (int64_t index = 0; index < fragment.pieces; ++index)
    for (Value source : reduce.getSources())
      sources[index].push_back(piece(source, index));
  // A shuffle brings values, but orders no memory (PTX ISA, shfl.sync): what lanes have
  // read comes before what others store when they know it.
  if (hasGathered)
    NVVM::SyncWarpOp::create(b, loc, i32(-1));
  hasGathered = false;
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    Values values = butterfly(combiner, sources[index], distances, loc);
    for (auto [result, value] : llvm::zip(reduce.getResults(), values))
      pieces[{result, index}] = value;
  }
}

//===----------------------------------------------------------------------===//
// Publishing
//===----------------------------------------------------------------------===//

Value ThreadBuilder::partialSlot(const Fragment &fragment, int64_t rowOffset) {
  Value row = threadCoord(fragment).first, column = sliceLocalColumn(fragment);
  Value columns = i32(fragment.sliceColumns());
  Value first = arith::MulIOp::create(b, loc, row, columns);
  first = arith::AddIOp::create(b, loc, first, column);
  if (rowOffset)
    first = arith::AddIOp::create(b, loc, first,
                                  i32(rowOffset * fragment.sliceColumns()));
  return first;
}

/// Returns `value`, 32 bits wide, as i32.
static Value asWord(OpBuilder &b, Location loc, Value value) {
  return value.getType().isInteger(32)
             ? value
             : LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
}

void ThreadBuilder::visitPublish(tv::PublishOp publish) {
  loc = publish.getLoc();
  Fragment fragment = fragmentOf(publish.getValues().front().getType());
  auto alloc = publish.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  if (alloc.getBarrierOffset())
    publishRemote(publish, fragment);
  else
    publishLocal(publish, fragment);
}

/// Returns the words of each of the thread's slots. They exist before the branch
/// in which one copy stores them: every lane has shuffled for them.
SmallVector<ThreadBuilder::Values>
ThreadBuilder::partialWords(ValueRange partials, const Fragment &fragment,
                            int64_t slotWords) {
  SmallVector<Values> rows;
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    Values words;
    for (Value value : partials)
      words.push_back(asWord(b, loc, piece(value, index)));
    words.resize(slotWords, words.front());
    rows.push_back(words);
  }
  return rows;
}

void ThreadBuilder::storePartials(ArrayRef<Value> words, Value address) {
  int64_t count = words.size();
  Value stored = words.front();
  if (count > 1)
    stored = vector::FromElementsOp::create(
        b, loc, VectorType::get({count}, b.getI32Type()), words);
  LLVM::StoreOp::create(b, loc, stored, address,
                        /*alignment=*/4 * std::min<int64_t>(count, 4));
}

void ThreadBuilder::publishLocal(tv::PublishOp publish,
                                 const Fragment &fragment) {
  auto alloc = publish.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  int64_t slotWords = tv::exchangeSlotWords(publish.getValues().size());
  SmallVector<Values> rows =
      partialWords(publish.getValues(), fragment, slotWords);
  Value base = exchangePointer(alloc);
  Value first = partialSlot(fragment, 0);
  ifThen(isCanonicalCopy(fragment, {Level::Lane, Level::Warp}), [&] {
    for (auto [index, words] : llvm::enumerate(rows)) {
      int64_t below = fragment.offset(index).row * fragment.sliceColumns();
      Value slot = below
                       ? Value(arith::AddIOp::create(b, loc, first, i32(below)))
                       : first;
      Value word = arith::MulIOp::create(b, loc, slot, i32(slotWords));
      Value to = LLVM::GEPOp::create(b, loc, base.getType(), b.getI32Type(),
                                     base, ArrayRef<LLVM::GEPArg>{word});
      storePartials(words, to);
    }
  });
}

/// Lane i sends this warp's partials to CTA i of the cluster (PTX ISA,
/// st.async: the data and the bytes' completion go to the same CTA).
void ThreadBuilder::publishRemote(tv::PublishOp publish, const Fragment &fragment) {
  auto alloc = publish.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  int64_t slotWords = tv::exchangeSlotWords(publish.getValues().size());
  SmallVector<Values> rows =
      partialWords(publish.getValues(), fragment, slotWords);
  Value sends = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane(),
                                      i32(kernel.getPlan().getCluster()));
  // Of warps that hold the same partial, one sends.
  sends = both(sends, isCanonicalCopy(fragment, {Level::Warp}));
  Value first = partialSlot(fragment, 0);
  // Bytes may arrive before they are expected: the count is signed, and the
  // phase cannot end before this arrival.
  ifThen(isFirstThread(), [&] {
    expectBytes(LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), barrierPointer(alloc)),
                i32(alloc.getBytes()));
  });
  ifThen(sends, [&] {
    Type remote = LLVM::LLVMPointerType::get(b.getContext(), 7);
    auto peer = [&](Value local) -> Value {
      if (!turn.tile)
        return NVVM::MapaOp::create(b, loc, remote, local, lane());
      // LLVM would compute it before the loop, where lanes that have no peer do, too.
      return inlinePTX(
          "mapa.shared::cluster.u64 $0, $1, $2;", "=l,l,r", b.getI64Type(),
          {LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), local), lane()});
    };
    Value word = arith::MulIOp::create(b, loc, first, i32(slotWords));
    Value base = exchangePointer(alloc);
    Value to = peer(LLVM::GEPOp::create(b, loc, base.getType(), b.getI32Type(),
                                        base, ArrayRef<LLVM::GEPArg>{word}));
    Value barrier = peer(barrierPointer(alloc));
    for (auto [index, words] : llvm::enumerate(rows)) {
      int64_t below = fragment.offset(index).row * fragment.sliceColumns();
      for (int64_t at = 0; at < slotWords; at += 4) {
        int64_t count = std::min<int64_t>(4, slotWords - at);
        std::string registers, width = count > 1 ? ".v" + std::to_string(count) : "";
        SmallVector<Value> operands{to, barrier};
        std::string constraints = "l,l";
        for (int64_t i = 0; i < count; ++i) {
          registers += (i ? ", $" : "$") + std::to_string(2 + i);
          operands.push_back(words[at + i]);
          constraints += ",r";
        }
        if (count > 1)
          registers = "{" + registers + "}";
        int64_t offset = (below * slotWords + at) * 4;
        inlinePTX("st.async.shared::cluster.mbarrier::complete_tx::bytes" + width +
                      ".b32 [$0" + (offset ? "+" + std::to_string(offset) : "") +
                      "], " + registers + ", [$1];",
                  constraints + ",~{memory}", Type(), operands);
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

ThreadBuilder::Values ThreadBuilder::loadPartials(TypeRange types,
                                                  const Combiner &combiner,
                                                  Value address,
                                                  Predicate valid) {
  int64_t slotWords = tv::exchangeSlotWords(types.size());
  Values words;
  for (int64_t at = 0; at < slotWords; at += 4) {
    int64_t count = tv::exchangeReadWords(types.size(), at);
    Value from = address;
    if (at)
      from = LLVM::GEPOp::create(b, loc, address.getType(), b.getI32Type(), address,
                                 ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
    Type type = count > 1 ? Type(VectorType::get({count}, b.getI32Type()))
                          : Type(b.getI32Type());
    Value loaded = LLVM::LoadOp::create(b, loc, type, from, /*alignment=*/4 * count);
    if (count == 1) {
      words.push_back(loaded);
      continue;
    }
    auto elements = vector::ToElementsOp::create(b, loc, loaded);
    llvm::append_range(words, elements.getResults());
  }
  Values values;
  for (auto [index, tile] : llvm::enumerate(types)) {
    Type element = getElementTypeOrSelf(tile);
    Value value = words[index];
    if (!element.isInteger(32))
      value = LLVM::BitcastOp::create(b, loc, element, value);
    if (valid)
      value = arith::SelectOp::create(
          b, loc, valid, value,
          constant(identity(combiner, index, element), element));
    values.push_back(value);
  }
  return values;
}

ThreadBuilder::Values ThreadBuilder::readPartials(tv::CollectOp collect,
                                                  const Combiner &combiner,
                                                  Value slot, Predicate valid) {
  auto alloc = collect.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  int64_t slotWords = tv::exchangeSlotWords(collect.getPartials().size());
  Value base = exchangePointer(alloc);
  if (valid)
    slot = arith::SelectOp::create(b, loc, valid, slot, i32(0));
  Value word = arith::MulIOp::create(b, loc, slot, i32(slotWords));
  Value from = LLVM::GEPOp::create(b, loc, base.getType(), b.getI32Type(), base,
                                   ArrayRef<LLVM::GEPArg>{word});
  return loadPartials(collect.getPartials().getTypes(), combiner, from, valid);
}

/// The column modes that a collect consumes: those of the warps, and of the
/// CTAs where its buffer is written by peers.
static Modes consumedModes(const Fragment &fragment, bool remote) {
  Modes modes;
  for (Level level : {Level::Warp, Level::Cta}) {
    if (level == Level::Cta && !remote)
      continue;
    for (Mode mode : fragment.layout->modes(level))
      if (fragment.layout->isColumnMode(mode, fragment.shape))
        modes.push_back(mode);
  }
  return modes;
}

void ThreadBuilder::visitCollect(tv::CollectOp collect) {
  loc = collect.getLoc();
  Fragment fragment = fragmentOf(collect.getPartials().front().getType());
  auto alloc = collect.getBuffer().getDefiningOp<tv::AllocExchangeOp>();
  bool remote = alloc.getBarrierOffset().has_value();
  Combiner combiner{collect.getKinds(), collect.getIdentities(),
                    &collect.getCombiner()};
  Modes modes = consumedModes(fragment, remote);
  int64_t count = 1;
  for (Mode mode : modes)
    count *= mode.size;
  // Lanes share the reads: lane i takes partials i, i + 32, ...
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(count));
  Value member = group == warpSize
                     ? lane()
                     : Value(arith::AndIOp::create(b, loc, lane(), i32(group - 1)));
  SmallVector<int64_t> distances;
  for (int64_t d = group / 2; d > 0; d /= 2)
    distances.push_back(d);
  // Row and own column of this thread, without the modes that are consumed.
  Value threadRow = threadCoord(fragment).first, ownColumn;
  if (!remote && fragment.layout->size(Level::Cta) > 1) {
    Value row;
    addDigits(fragment.layout->modes(Level::Cta), *fragment.layout, fragment.shape,
              ctaRank(), row, ownColumn);
  }
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    Values total;
    for (int64_t start = 0; start < count; start += warpSize) {
      Value partial = start ? Value(arith::AddIOp::create(b, loc, member, i32(start)))
                            : member;
      Predicate valid;
      if (start + group > count)
        valid = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, partial,
                                      i32(count));
      Value row, column = ownColumn;
      addDigits(modes, *fragment.layout, fragment.shape, partial, row, column);
      int64_t columns = fragment.sliceColumns();
      Value slot = arith::MulIOp::create(b, loc, threadRow, i32(columns));
      if (column)
        slot = arith::AddIOp::create(b, loc, slot, column);
      if (int64_t below = fragment.offset(index).row)
        slot = arith::AddIOp::create(b, loc, slot, i32(below * columns));
      Values values = readPartials(collect, combiner, slot, valid);
      total = total.empty() ? values : combine(combiner, total, values, loc);
    }
    total = butterfly(combiner, total, distances, loc);
    for (auto [result, value] : llvm::zip(collect.getResults(), total))
      pieces[{result, index}] = value;
  }
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

int64_t ThreadBuilder::countArrivals(int64_t barrierOffset) {
  tv::PlanAttr plan = kernel.getPlan();
  bool isMeeting = plan.overlapsTiles() && barrierOffset == meetingOffset();
  return isMeeting ? plan.getCluster() * plan.getThreads() / warpSize : 1;
}

/// The fence alone makes the initialisation visible to peers that pass the
/// cluster's barrier; its arrive need not release anything (PTX ISA,
/// fence.mbarrier_init).
void ThreadBuilder::visitClusterInit(tv::ClusterInitOp init) {
  loc = init.getLoc();
  ifThen(isFirstThread(), [&] {
    for (int64_t offset : init.getBarrierOffsets())
      NVVM::MBarrierInitOp::create(b, loc, sharedPointer(offset),
                                   i32(countArrivals(offset)), Value());
    NVVM::FenceMbarrierInitOp::create(b, loc);
  });
  // What the first warp does next with an mbarrier comes after this.
  NVVM::SyncWarpOp::create(b, loc, i32(-1));
}

Value ThreadBuilder::ofTurn(Value first, int64_t bytes) {
  if (!turn.slot)
    return first;
  Value at = arith::MulIOp::create(b, loc, turn.slot, i32(bytes));
  return LLVM::GEPOp::create(b, loc, first.getType(), b.getI8Type(), first,
                             ArrayRef<LLVM::GEPArg>{at});
}

Value ThreadBuilder::exchangePointer(tv::AllocExchangeOp alloc) {
  return ofTurn(sharedPointer(alloc.getOffset()), alloc.getBytes());
}

Value ThreadBuilder::barrierPointer(tv::AllocExchangeOp alloc) {
  return ofTurn(sharedPointer(*alloc.getBarrierOffset()), tv::mbarrierBytes);
}

void ThreadBuilder::expectBytes(Value barrier, Value bytes) {
  inlinePTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
            "r,r,~{memory}", Type(), {barrier, bytes});
}

/// Every thread tries until the mbarrier's first phase is over, or that of this
/// tile.
void ThreadBuilder::waitMBarrier(Value barrier, bool cluster, Location loc,
                                 bool isRelaxed) {
  Value parity = turn.parity ? turn.parity : i32(0);
  Value always = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  auto scope = cluster ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBefore());
  Value isOver = NVVM::MBarrierTryWaitOp::create(b, loc, b.getI1Type(), barrier,
                                                 parity, Value(), scope, isRelaxed);
  Value again = arith::XOrIOp::create(b, loc, isOver, always);
  scf::ConditionOp::create(b, loc, again, ValueRange());
  b.createBlock(&loop.getAfter());
  scf::YieldOp::create(b, loc);
}
