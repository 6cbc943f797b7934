//===- Memory.cpp - loads, stores and staging -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global and staged accesses, as inline PTX: each says its width, its cache
// policy and its predicate, and neither LLVM nor ptxas merges those of two
// passes. A predicated load gives zero where it does not happen.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

Value ThreadBuilder::fromWords(ArrayRef<Value> words, const Fragment &to) {
  Type type = to.pieceType();
  int64_t bytes = to.run * to.elementBytes();
  if (bytes <= 4)
    return LLVM::BitcastOp::create(b, loc, type, words.front());
  auto vectorType = VectorType::get({bytes / 4}, b.getI32Type());
  Value vector = vector::FromElementsOp::create(b, loc, vectorType, words);
  return LLVM::BitcastOp::create(b, loc, type, vector);
}

SmallVector<Value> ThreadBuilder::toWords(Value piece, const Fragment &from) {
  int64_t bytes = from.run * from.elementBytes();
  if (bytes <= 4)
    return {LLVM::BitcastOp::create(b, loc, b.getIntegerType(bytes * 8), piece)};
  auto vectorType = VectorType::get({bytes / 4}, b.getI32Type());
  Value vector = LLVM::BitcastOp::create(b, loc, vectorType, piece);
  auto elements = vector::ToElementsOp::create(b, loc, vector);
  return llvm::to_vector(llvm::map_range(elements.getResults(),
                                         [](OpResult r) -> Value { return r; }));
}

//===----------------------------------------------------------------------===//
// Inline PTX accesses
//===----------------------------------------------------------------------===//

namespace {
/// The register form of an access of some width: `.v4.b32 {$0, $1, $2, $3}`.
struct AccessForm {
  int64_t words;
  std::string suffix;     ///< ".v4.b32"
  std::string registers;  ///< "{$0, $1, $2, $3}", from `first` on
  char constraint;        ///< register class

  AccessForm(int64_t bytes, int64_t first) {
    words = bytes < 4 ? 1 : bytes / 4;
    std::string type = bytes == 1 ? "u8" : bytes == 2 ? "b16" : "b32";
    // PTX loads a byte into a 16-bit register at least.
    constraint = bytes < 4 ? 'h' : 'r';
    suffix = (words > 1 ? ".v" + std::to_string(words) : "") + "." + type;
    for (int64_t i = 0; i < words; ++i)
      registers += (i ? ", $" : "$") + std::to_string(first + i);
    if (words > 1)
      registers = "{" + registers + "}";
  }
};
} // namespace

static std::string addressText(int64_t operand, int64_t offset) {
  std::string text = "[$" + std::to_string(operand);
  if (offset)
    text += "+" + std::to_string(offset);
  return text + "]";
}

/// Returns `count` constraints of one register class, each after a comma.
static std::string repeat(char constraint, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += std::string(",") + constraint;
  return text;
}

/// Returns `count` output constraints, each followed by a comma.
static std::string outputs(StringRef prefix, char constraint, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += prefix.str() + constraint + ",";
  return text;
}

/// Loads up to 16 bytes as one word or a struct of words.
Value ThreadBuilder::loadWords(Address address, int64_t bytes, StringRef space,
                               Predicate predicate, Value policy) {
  AccessForm form(bytes, 0);
  int64_t next = form.words;
  bool isGlobal = space.starts_with("global");
  SmallVector<Value> operands{address.base};
  std::string text = ("ld." + space).str() + form.suffix + " " + form.registers +
                     ", " + addressText(next++, address.offset);
  std::string inputs = isGlobal ? "l" : "r";
  if (policy) {
    text += ", $" + std::to_string(next++);
    inputs += ",l";
    operands.push_back(policy);
  }
  text += ";";
  if (predicate) {
    // Zero first, so that no register is read that nobody wrote.
    std::string zero;
    for (int64_t i = 0; i < form.words; ++i)
      zero += std::string(bytes < 4 ? "mov.b16" : "mov.b32") + " $" +
              std::to_string(i) + ", 0; ";
    text = "{ " + zero + "@$" + std::to_string(next++) + " " + text + " }";
    inputs += ",b";
    operands.push_back(predicate);
  }
  // With a predicate the outputs are written before the inputs are read.
  std::string constraints =
      outputs(predicate ? "=&" : "=", form.constraint, form.words) + inputs;
  if (!isGlobal)
    constraints += ",~{memory}";
  Type word = b.getIntegerType(bytes < 4 ? 16 : 32);
  Type result = word;
  if (form.words > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(form.words, word));
  return inlinePTX(text, constraints, result, operands);
}

/// Splits the result of `loadWords` into its words.
static void appendWords(OpBuilder &b, Location loc, Value loaded,
                        SmallVectorImpl<Value> &words) {
  auto structType = dyn_cast<LLVM::LLVMStructType>(loaded.getType());
  if (!structType) {
    words.push_back(loaded);
    return;
  }
  for (size_t i = 0, e = structType.getBody().size(); i < e; ++i)
    words.push_back(LLVM::ExtractValueOp::create(b, loc, loaded, i));
}

void ThreadBuilder::storeWords(Address address, ArrayRef<Value> words,
                               int64_t bytes, StringRef space,
                               Predicate predicate) {
  AccessForm form(bytes, 1);
  SmallVector<Value> operands{address.base};
  llvm::append_range(operands, words);
  std::string constraints = "l" + repeat(form.constraint, form.words);
  std::string store = ("st." + space).str() + form.suffix + " " +
                      addressText(0, address.offset) + ", " + form.registers + ";";
  if (predicate) {
    store = "@$" + std::to_string(operands.size()) + " " + store;
    constraints += ",b";
    operands.push_back(predicate);
  }
  inlinePTX(store, constraints, Type(), operands);
}

Value ThreadBuilder::evictionPolicy(tv::LoadPolicy policy) {
  if (policy != tv::LoadPolicy::evict_first && policy != tv::LoadPolicy::evict_last)
    return Value();
  StringRef name = tv::stringifyLoadPolicy(policy);
  return once(name, [&]() -> Value {
    return inlinePTX(("createpolicy.fractional.L2::" + name + ".b64 $0, 1.0;").str(),
                     "=l", b.getI64Type(), {});
  });
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// An operand's row starts at base + row * stride; a piece lies at a constant
/// distance from the thread's first column.
ThreadBuilder::Address ThreadBuilder::globalAddress(Value operand,
                                                    const Fragment &fragment,
                                                    int64_t index) {
  unsigned number = cast<BlockArgument>(operand).getArgNumber();
  Role role = kernel.getOperandAttr(number).getRole();
  Coord offset = fragment.offset(index);
  int64_t bytes = fragment.elementBytes();
  std::string key = "address" + std::to_string(number) + "|" +
                    std::to_string(role == Role::columns ? 0 : offset.row) + "|" +
                    fragment.layout->str();
  Value base = once(key, [&]() -> Value {
    Value pointer = func.getArgument(launchArgument[number]);
    Value elements;
    if (role != Role::columns)
      elements = arith::MulIOp::create(
          b, loc, globalRow(fragment, offset.row),
          func.getArgument(launchArgument[number] + 1));
    if (fragment.shape.columns > 1) {
      Value column = arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                            threadCoord(fragment).second);
      elements = elements
                     ? Value(arith::AddIOp::create(b, loc, elements, column))
                     : column;
    }
    if (!elements)
      return pointer;
    return LLVM::GEPOp::create(b, loc, pointer.getType(),
                               b.getIntegerType(bytes * 8), pointer,
                               ArrayRef<LLVM::GEPArg>{elements});
  });
  return {base, offset.column * bytes};
}

static StringRef loadSpace(tv::LoadPolicy policy) {
  switch (policy) {
  case tv::LoadPolicy::cached:
    return "global";
  case tv::LoadPolicy::no_allocate:
    return "global.L1::no_allocate";
  case tv::LoadPolicy::evict_first:
  case tv::LoadPolicy::evict_last:
    return "global.L2::cache_hint";
  }
  llvm_unreachable("unknown load policy");
}

Value ThreadBuilder::loadPiece(tv::LoadOp load, int64_t index) {
  loc = load.getLoc();
  Fragment fragment = fragmentOf(load.getType());
  Coord offset = fragment.offset(index);
  Predicate exists = both(rowExists(fragment, offset.row),
                          fragment.shape.columns > 1
                              ? columnsExist(fragment, offset.column)
                              : Predicate());
  Address address = globalAddress(load.getSource(), fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  SmallVector<Value> words;
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes)
    appendWords(b, loc,
                loadWords({address.base, address.offset + at},
                          std::min(bytes - at, tv::maxAccessBytes),
                          loadSpace(load.getPolicy()), exists,
                          evictionPolicy(load.getPolicy())),
                words);
  if (fragment.element.isInteger(8) && bytes == 1)
    return arith::TruncIOp::create(b, loc, b.getI8Type(), words.front());
  return fromWords(words, fragment);
}

/// Loads that are used later: all are issued here, before any waits.
void ThreadBuilder::visitLoad(tv::LoadOp load) {
  if (load.getAtUse())
    return;
  int64_t count = fragmentOf(load.getType()).pieces;
  for (int64_t index = 0; index < count; ++index)
    pieces[{load.getResult(), index}] = loadPiece(load, index);
}

/// Accesses made together when one of them is needed: enough that their
/// latencies overlap, few enough that registers stay free.
static constexpr int64_t loadsAhead = 4;

Value ThreadBuilder::loadAtUse(tv::LoadOp load, int64_t index) {
  int64_t count = fragmentOf(load.getType()).pieces;
  Value first = loadPiece(load, index);
  for (int64_t i = index + 1; i < std::min(index + loadsAhead, count); ++i)
    if (!pieces.contains({load.getResult(), i}))
      pieces[{load.getResult(), i}] = loadPiece(load, i);
  return first;
}

static StringRef storeSpace(tv::StorePolicy policy) {
  switch (policy) {
  case tv::StorePolicy::write_back:
    return "global";
  case tv::StorePolicy::streaming:
    return "global.cs";
  case tv::StorePolicy::skip_l1:
    return "global.L1::no_allocate";
  }
  llvm_unreachable("unknown store policy");
}

void ThreadBuilder::storePiece(tv::StoreOp store, int64_t index) {
  Fragment fragment = fragmentOf(store.getValue().getType());
  Value value = piece(store.getValue(), index);
  loc = store.getLoc();
  Coord offset = fragment.offset(index);
  bool isRow = fragment.shape.columns > 1;
  Predicate exists = both(
      rowExists(fragment, offset.row),
      isRow ? columnsExist(fragment, offset.column) : isCanonicalCopy(fragment));
  Address address = globalAddress(store.getTarget(), fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  if (bytes == 1)
    value = arith::ExtUIOp::create(b, loc, b.getI16Type(), value);
  SmallVector<Value> words =
      bytes == 1 ? SmallVector<Value>{value} : toWords(value, fragment);
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
    ArrayRef<Value> part = ArrayRef(words).slice(
        at / 4, std::max<int64_t>(1, std::min(bytes - at, tv::maxAccessBytes) / 4));
    storeWords({address.base, address.offset + at}, part, std::min(bytes - at, tv::maxAccessBytes),
               storeSpace(store.getPolicy()), exists);
  }
}

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
  return fragment.shape.columns / fragment.layout->size(Level::Cta);
}

ThreadBuilder::Address ThreadBuilder::stagedAddress(tv::StageOp stage,
                                                    int64_t index) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  Coord offset = fragment.offset(index);
  int64_t bytes = fragment.elementBytes(), width = columnsPerCta(fragment);
  std::string key = "staged" + std::to_string(*stage.getOffset()) + "|" +
                    fragment.layout->str();
  Value base = once(key, [&]() -> Value {
    auto [row, column] = threadCoord(fragment);
    if (fragment.layout->size(Level::Cta) > 1)
      column = arith::SubIOp::create(
          b, loc, column, arith::MulIOp::create(b, loc, ctaRank(), i32(width)));
    Value element = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, row, i32(width)), column);
    return arith::AddIOp::create(
        b, loc, sharedAddress(*stage.getOffset()),
        arith::MulIOp::create(b, loc, element, i32(bytes)));
  });
  return {base, (offset.row * width + offset.column) * bytes};
}

/// Each thread copies the runs that it will read itself; those outside the rows
/// are filled with zero (PTX ISA, cp.async with src-size 0).
void ThreadBuilder::stageAsync(tv::StageOp stage) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  int64_t bytes = fragment.run * fragment.elementBytes();
  for (int64_t index = 0; index < fragment.pieces; ++index) {
    Coord offset = fragment.offset(index);
    Predicate exists = both(rowExists(fragment, offset.row),
                            columnsExist(fragment, offset.column));
    Address from = globalAddress(stage.getSource(), fragment, index);
    Address to = stagedAddress(stage, index);
    for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
      SmallVector<Value> operands{to.base, from.base};
      std::string text = "cp.async.cg.shared.global " +
                         addressText(0, to.offset + at) + ", " +
                         addressText(1, from.offset + at) + ", 16";
      std::string constraints = "r,l";
      if (exists) {
        operands.push_back(arith::SelectOp::create(b, loc, exists, i32(16), i32(0)));
        text += ", $2";
        constraints += ",r";
      }
      inlinePTX(text + ";", constraints + ",~{memory}", Type(), operands);
    }
  }
  NVVM::CpAsyncCommitGroupOp::create(b, loc);
}

/// One thread announces the bytes and issues one copy a row.
void ThreadBuilder::stageBulk(tv::StageOp stage) {
  Fragment fragment = fragmentOf(stage.getStaged().getType().getTile());
  int64_t bytes = fragment.elementBytes(), width = columnsPerCta(fragment);
  int64_t columns = kernel.getColumns();
  unsigned number = cast<BlockArgument>(stage.getSource()).getArgNumber();
  Type i64Type = b.getI64Type();
  ifThen(isFirstThread(), [&] {
    // This CTA's columns of a row, as bytes.
    Value start = i64(0), rowBytes = i64(columns * bytes);
    if (fragment.layout->size(Level::Cta) > 1) {
      Value rank = arith::ExtUIOp::create(b, loc, i64Type, ctaRank());
      start = arith::MulIOp::create(b, loc, rank, i64(width));
      Value left = arith::SubIOp::create(b, loc, i64(columns), start);
      left = arith::MaxSIOp::create(b, loc, left, i64(0));
      left = arith::MinSIOp::create(b, loc, left, i64(width));
      rowBytes = arith::MulIOp::create(b, loc, left, i64(bytes));
    }
    Value row = arith::MulIOp::create(b, loc, clusterIndex(),
                                      i64(fragment.shape.rows));
    Value rows = arith::SubIOp::create(b, loc, func.getArgument(rowsArgument), row);
    rows = arith::MinSIOp::create(b, loc, rows, i64(fragment.shape.rows));
    Value total = arith::MulIOp::create(b, loc, rows, rowBytes);
    Value total32 = arith::TruncIOp::create(b, loc, b.getI32Type(), total);
    Value bytes32 = arith::TruncIOp::create(b, loc, b.getI32Type(), rowBytes);
    Value barrier = sharedAddress(*stage.getBarrierOffset());
    expectBytes(*stage.getBarrierOffset(), total32);
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
  if (stage.getForm() == tv::Hold::async)
    stageAsync(stage);
  else
    stageBulk(stage);
}

void ThreadBuilder::visitAwait(tv::AwaitOp await) {
  auto stage = await.getStaged().getDefiningOp<tv::StageOp>();
  if (stage.getForm() == tv::Hold::bulk)
    return waitMBarrier(*stage.getBarrierOffset(), /*cluster=*/false,
                        await.getLoc());
  // Groups complete in order: those committed later may still be under way.
  int64_t later = 0;
  for (Operation *op = stage->getNextNode(); op != await; op = op->getNextNode())
    if (auto other = dyn_cast<tv::StageOp>(op))
      later += other.getForm() == tv::Hold::async;
  NVVM::CpAsyncWaitGroupOp::create(b, loc, later);
}

Value ThreadBuilder::readPiece(tv::ReadOp read, int64_t index) {
  loc = read.getLoc();
  auto stage = read.getStaged().getDefiningOp<tv::StageOp>();
  Fragment fragment = fragmentOf(read.getType());
  Coord offset = fragment.offset(index);
  // cp.async has filled what lies outside; a bulk copy has not.
  Predicate exists;
  if (stage.getForm() == tv::Hold::bulk)
    exists = both(rowExists(fragment, offset.row),
                  columnsExist(fragment, offset.column));
  Address address = stagedAddress(stage, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  SmallVector<Value> words;
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes)
    appendWords(b, loc,
                loadWords({address.base, address.offset + at},
                          std::min(bytes - at, tv::maxAccessBytes), "shared",
                          exists, Value()),
                words);
  return fromWords(words, fragment);
}
