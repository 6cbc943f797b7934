//===- Access.cpp - single accesses to memory -------------------- -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX for one access: each says its width, its cache policy and when it
// happens, and neither LLVM nor ptxas merges those of two passes.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
  return elementsOf(vector);
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

std::string quack::addressText(int64_t operand, int64_t offset) {
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

/// The accesses that make up the first `bytes` bytes of a vector, `bytes` no
/// multiple of its width: as (offset, bytes), each aligned to its own width.
static SmallVector<std::pair<int64_t, int64_t>, 4> splitBytes(int64_t bytes) {
  SmallVector<std::pair<int64_t, int64_t>, 4> parts;
  int64_t at = 0;
  for (int64_t width : {8, 4, 2, 1})
    if (bytes & width) {
      parts.push_back({at, width});
      at += width;
    }
  return parts;
}

/// `{$0, $1}` for words `first` to `first + count - 1`, `$0` for one.
static std::string wordList(int64_t first, int64_t count) {
  std::string text = "$" + std::to_string(first);
  return count == 2 ? "{" + text + ", $" + std::to_string(first + 1) + "}" : text;
}

/// Text that loads the first `bytes` bytes under predicate `$predicate` into the
/// words from $0 on, which hold `fill`. `rest` is the policy operand, if any.
static std::string loadTail(StringRef load, int64_t bytes, int64_t address,
                            int64_t offset, StringRef rest, int64_t predicate,
                            uint32_t fill) {
  std::string text, guard = "@$" + std::to_string(predicate) + " ";
  for (auto [at, width] : splitBytes(bytes)) {
    std::string where = addressText(address, offset + at) + rest.str() + "; ";
    std::string word = "$" + std::to_string(at / 4);
    if (width >= 4) {
      text += guard + load.str() + (width == 8 ? ".v2.b32 " : ".b32 ") +
              wordList(at / 4, width / 4) + ", " + where;
    } else if (at % 4 == 0) {
      text += guard + load.str() + (width == 2 ? ".u16 " : ".u8 ") + word + ", " +
              where;
      // Narrow loads leave zero above.
      if (uint32_t above = fill >> (8 * width) << (8 * width))
        text += guard + "or.b32 " + word + ", " + word + ", " +
                std::to_string(above) + "; ";
    } else {
      // The third byte of a word; after it stands none.
      text += "{ .reg .b32 t; mov.b32 t, 0; " + guard + load.str() + ".u8 t, " +
              where + guard + "prmt.b32 " + word + ", " + word +
              ", t, 0x3410; } ";
    }
  }
  return text;
}

static std::string storeTail(StringRef store, int64_t bytes, int64_t offset,
                             int64_t predicate) {
  std::string text, guard = "@$" + std::to_string(predicate) + " ";
  for (auto [at, width] : splitBytes(bytes)) {
    std::string where = addressText(0, offset + at) + ", ";
    std::string word = "$" + std::to_string(1 + at / 4);
    if (width >= 4)
      text += guard + store.str() + (width == 8 ? ".v2.b32 " : ".b32 ") + where +
              wordList(1 + at / 4, width / 4) + "; ";
    else if (at % 4 == 0)
      text += guard + store.str() + (width == 2 ? ".u16 " : ".u8 ") + where + word +
              "; ";
    else
      text += "{ .reg .b32 t; shr.u32 t, " + word + ", 16; " + guard + store.str() +
              ".u8 " + where + "t; } ";
  }
  return text;
}

ThreadBuilder::Part ThreadBuilder::slice(const Part &part, int64_t at,
                                         int64_t bytes) {
  int64_t left = std::clamp<int64_t>(part.tailBytes - at, 0, bytes);
  if (!part.tail || left == 0)
    return {part.whole, Predicate(), 0, part.fill};
  if (left == bytes)
    return {arith::OrIOp::create(b, loc, part.whole, part.tail), Predicate(), 0,
            part.fill};
  return {part.whole, part.tail, left, part.fill};
}

/// Splits the result of a load into its words.
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

/// Loads up to 16 bytes.
void ThreadBuilder::loadVector(Address address, int64_t bytes, StringRef space,
                               const Part &part, Value policy,
                               SmallVectorImpl<Value> &words) {
  AccessForm form(bytes, 0);
  int64_t next = form.words;
  bool isGlobal = space.starts_with("global");
  SmallVector<Value> operands{address.base};
  int64_t base = next++;
  std::string inputs = isGlobal ? "l" : "r", rest;
  if (policy) {
    rest = ", $" + std::to_string(next++);
    inputs += ",l";
    operands.push_back(policy);
  }
  std::string load = ("ld." + space).str();
  std::string text = load + form.suffix + " " + form.registers + ", " +
                     addressText(base, address.offset) + rest + ";";
  if (part.whole) {
    // What joins narrow elements to words finds nothing above them.
    uint32_t fill = bytes < 4 ? part.fill & ((1u << (bytes * 8)) - 1) : part.fill;
    std::string fills;
    for (int64_t i = 0; i < form.words; ++i)
      fills += std::string(bytes < 4 ? "mov.b16" : "mov.b32") + " $" +
               std::to_string(i) + ", " + std::to_string(fill) + "; ";
    text = "{ " + fills + "@$" + std::to_string(next++) + " " + text + " ";
    inputs += ",b";
    operands.push_back(part.whole);
    if (part.tail) {
      text += loadTail(load, part.tailBytes, base, address.offset, rest, next++, fill);
      inputs += ",b";
      operands.push_back(part.tail);
    }
    text += "}";
  }
  // With a predicate the outputs are written before the inputs are read.
  std::string constraints =
      outputs(part.whole ? "=&" : "=", form.constraint, form.words) + inputs;
  if (!isGlobal)
    constraints += ",~{memory}";
  Type word = b.getIntegerType(bytes < 4 ? 16 : 32);
  Type result = word;
  if (form.words > 1)
    result = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(form.words, word));
  appendWords(b, loc, inlinePTX(text, constraints, result, operands), words);
}

SmallVector<Value> ThreadBuilder::loadWords(Address address, int64_t bytes,
                                            StringRef space, const Part &part,
                                            Value policy) {
  SmallVector<Value> words;
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
    int64_t width = std::min(bytes - at, tv::maxAccessBytes);
    loadVector({address.base, address.offset + at}, width, space,
               slice(part, at, width), policy, words);
  }
  return words;
}

/// Stores up to 16 bytes.
void ThreadBuilder::storeVector(Address address, ArrayRef<Value> words,
                                int64_t bytes, StringRef space, const Part &part) {
  AccessForm form(bytes, 1);
  SmallVector<Value> operands{address.base};
  llvm::append_range(operands, words);
  bool isGlobal = space.starts_with("global");
  std::string constraints =
      (isGlobal ? "l" : "r") + repeat(form.constraint, form.words);
  std::string store = ("st." + space).str();
  std::string text = store + form.suffix + " " + addressText(0, address.offset) +
                     ", " + form.registers + ";";
  if (part.whole) {
    text = "@$" + std::to_string(operands.size()) + " " + text;
    constraints += ",b";
    operands.push_back(part.whole);
  }
  if (part.tail) {
    text = "{ " + text + " " +
           storeTail(store, part.tailBytes, address.offset, int64_t(operands.size())) +
           "}";
    constraints += ",b";
    operands.push_back(part.tail);
  }
  if (!isGlobal)
    constraints += ",~{memory}";
  inlinePTX(text, constraints, Type(), operands);
}

void ThreadBuilder::storeWords(Address address, ArrayRef<Value> words,
                               int64_t bytes, StringRef space, const Part &part) {
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
    int64_t width = std::min(bytes - at, tv::maxAccessBytes);
    storeVector({address.base, address.offset + at},
                words.slice(at / 4, std::max<int64_t>(1, width / 4)), width, space,
                slice(part, at, width));
  }
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

