//===- Skew.cpp - how far a row starts after a window ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The skew of a row, words shifted by it, and where the words are that a run lacks:
// in the next lane, or, for the last lane, in the next piece of the chain.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace quack;

//===----------------------------------------------------------------------===//
// Skew
//===----------------------------------------------------------------------===//

/// Runs begin at multiples of the window from the row's start, so that all
/// threads of a row have the row's skew.
ThreadBuilder::Skew ThreadBuilder::skewOf(Value operand, const Fragment &fragment,
                                          int64_t index) {
  int64_t window = fragment.windowBytes(), bytes = fragment.elementBytes();
  int64_t rowOffset = fragment.offset(index).row;
  Value start = globalAddress(operand, fragment, index).base;
  std::string key =
      "skew" + std::to_string(cast<BlockArgument>(operand).getArgNumber()) + "|" +
      std::to_string(rowOffset) + "|" + fragment.layout->str();
  auto i32Type = b.getI32Type();
  auto part = [&](StringRef name, function_ref<Value()> make) {
    return once((key + name).str(), make);
  };
  Skew skew;
  skew.bytes = part("bytes", [&]() -> Value {
    // Of the row's start: where a warp works on one row, its threads know it alike.
    Value row = rowAddress(operand, fragment, rowOffset);
    Value low = LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), row);
    low = arith::TruncIOp::create(b, loc, i32Type, low);
    return arith::AndIOp::create(b, loc, low, i32(window - 1));
  });
  skew.base = part("base", [&]() -> Value {
    Value back = arith::SubIOp::create(b, loc, i32(0), skew.bytes);
    return LLVM::GEPOp::create(b, loc, start.getType(), b.getI8Type(), start,
                               ArrayRef<LLVM::GEPArg>{back});
  });
  skew.elements = part("elements", [&]() -> Value {
    return arith::ShRUIOp::create(b, loc, skew.bytes, i32(llvm::Log2_64(bytes)));
  });
  skew.isSome = part("some", [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, skew.bytes,
                                 i32(0));
  });
  for (int64_t words = 1; 4 * words < window; words *= 2)
    skew.words.push_back(part("words" + std::to_string(words), [&]() -> Value {
      Value bit = arith::AndIOp::create(b, loc, skew.bytes, i32(4 * words));
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, i32(0));
    }));
  if (bytes < 4)
    skew.bits = part("bits", [&]() -> Value {
      Value low = arith::AndIOp::create(b, loc, skew.bytes, i32(3));
      return arith::ShLIOp::create(b, loc, low, i32(3));
    });
  return skew;
}

/// Returns `count` words: what stands a skew after the start of `words`.
SmallVector<Value> ThreadBuilder::shiftDown(SmallVector<Value> words,
                                            const Skew &skew, int64_t known,
                                            int64_t count) {
  if (known >= 0) {
    words.erase(words.begin(), words.begin() + known);
  } else {
    int64_t left = count + (skew.bits ? 1 : 0);
    for (size_t i = skew.words.size(); i-- > 0;) {
      int64_t distance = int64_t(1) << i;
      for (int64_t j = 0; j < left + distance - 1; ++j)
        words[j] = arith::SelectOp::create(b, loc, skew.words[i],
                                           words[j + distance], words[j]);
    }
  }
  for (int64_t j = 0; skew.bits && j < count; ++j)
    words[j] = LLVM::FshrOp::create(b, loc, words[j + 1], words[j], skew.bits);
  words.resize(count);
  return words;
}

/// Returns `count` words: what ends a skew before the end of `words`.
SmallVector<Value> ThreadBuilder::shiftUp(SmallVector<Value> words, const Skew &skew,
                                          int64_t known, int64_t count) {
  if (known >= 0) {
    words.resize(words.size() - known);
  } else {
    int64_t left = count + (skew.bits ? 1 : 0), end = words.size();
    for (size_t i = skew.words.size(); i-- > 0;) {
      int64_t distance = int64_t(1) << i;
      for (int64_t j = end - 1; j >= end - left - distance + 1; --j)
        words[j] = arith::SelectOp::create(b, loc, skew.words[i],
                                           words[j - distance], words[j]);
    }
  }
  SmallVector<Value> result;
  for (size_t j = words.size() - count; j < words.size(); ++j)
    result.push_back(skew.bits ? Value(LLVM::FshlOp::create(b, loc, words[j],
                                                            words[j - 1], skew.bits))
                               : words[j]);
  return result;
}

/// Returns the `count` words that `make` makes. Where a warp works on one row, it
/// makes them for each number of whole words in the skew, in branches that all
/// lanes take alike: a shift by a known number costs nothing. Elsewhere the number
/// is -1.
SmallVector<Value>
ThreadBuilder::perSkew(const Skew &skew, const Fragment &fragment, int64_t count,
                       function_ref<SmallVector<Value>(int64_t)> make) {
  if (fragment.neighbours() != warpSize)
    return make(-1);
  SmallVector<Type> types(count, b.getI32Type());
  std::function<Values(size_t, int64_t)> choose = [&](size_t bit, int64_t known) {
    if (bit == 0)
      return make(known);
    auto branch = scf::IfOp::create(b, loc, types, skew.words[bit - 1],
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, choose(bit - 1, known + (1 << (bit - 1))));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, choose(bit - 1, known));
    return Values(branch.getResults());
  };
  return choose(skew.words.size(), 0);
}

//===----------------------------------------------------------------------===//
// Neighbours
//===----------------------------------------------------------------------===//

/// Returns, of each of `words`, the value of the lane `distance` (1 or -1) away
/// among those that hold neighbouring runs, in a circle.
SmallVector<Value> ThreadBuilder::fromNeighbour(SmallVector<Value> words,
                                                const Fragment &fragment,
                                                int64_t distance) {
  int64_t lanes = fragment.neighbours();
  if (lanes == 1)
    return words;
  Value source = once("neighbour" + std::to_string(lanes * distance), [&]() -> Value {
    Value next = arith::AddIOp::create(b, loc, lane(), i32(distance));
    Value digit = arith::AndIOp::create(b, loc, next, i32(lanes - 1));
    Value group = arith::AndIOp::create(b, loc, lane(), i32(warpSize - lanes));
    return arith::OrIOp::create(b, loc, group, digit);
  });
  for (Value &word : words)
    word = NVVM::ShflOp::create(b, loc, b.getI32Type(), i32(-1), word, source,
                                i32(warpSize - 1), NVVM::ShflKind::idx, UnitAttr());
  return words;
}

/// Whether this is the first (or last) of the lanes that hold neighbouring runs;
/// null: always.
Predicate ThreadBuilder::isAtEdge(const Fragment &fragment, bool first) {
  int64_t lanes = fragment.neighbours();
  if (lanes == 1)
    return Predicate();
  return once((first ? "first" : "last") + std::to_string(lanes), [&]() -> Value {
    Value digit = arith::AndIOp::create(b, loc, lane(), i32(lanes - 1));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, digit,
                                 i32(first ? 0 : lanes - 1));
  });
}

/// Returns `atEdge` where this is the first (or last) lane, else `elsewhere`.
SmallVector<Value> ThreadBuilder::selectAtEdge(const Fragment &fragment, bool first,
                                               ArrayRef<Value> atEdge,
                                               ArrayRef<Value> elsewhere) {
  Predicate isEdge = isAtEdge(fragment, first);
  if (!isEdge)
    return llvm::to_vector(atEdge);
  SmallVector<Value> words;
  for (auto [edge, other] : llvm::zip_equal(atEdge, elsewhere))
    words.push_back(arith::SelectOp::create(b, loc, isEdge, edge, other));
  return words;
}
