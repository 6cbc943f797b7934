//===- Kept.cpp - what is kept of rows that are read again ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that fits neither registers nor shared memory is read again in each pass,
// but as much of it as there is shared memory waits there. The first load puts it
// there as shifted and filled; each thread has places of its own, so nothing is
// synchronised, and those of a warp lie side by side, so that no banks conflict.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace quack;

/// Returns where the first 16 bytes of a piece wait; the others follow in steps of
/// all threads' 16 bytes.
ThreadBuilder::Address ThreadBuilder::keptAddress(tv::LoadOp load,
                                                  const Fragment &fragment,
                                                  int64_t index) {
  int64_t bytes = fragment.run * fragment.elementBytes();
  int64_t width = std::min(bytes, tv::maxAccessBytes), offset = *load.getKeptAt();
  Value base = once("kept" + std::to_string(offset), [&]() -> Value {
    return arith::AddIOp::create(
        b, loc, sharedAddress(offset),
        arith::MulIOp::create(b, loc, threadId(), i32(width)));
  });
  return {base, index * bytes * kernel.getPlan().getThreads()};
}

void ThreadBuilder::keepPiece(tv::LoadOp load, int64_t index, Value piece) {
  Fragment fragment = fragmentOf(load.getType());
  if (index * fragment.run >= int64_t(load.getKept().value_or(0)))
    return;
  Address to = keptAddress(load, fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  SmallVector<Value> words{piece};
  if (bytes == 1)
    words[0] = arith::ExtUIOp::create(b, loc, b.getI16Type(), piece);
  else
    words = toWords(piece, fragment);
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes) {
    int64_t width = std::min(bytes - at, tv::maxAccessBytes);
    storeVector({to.base, to.offset + at * kernel.getPlan().getThreads()},
                ArrayRef(words).slice(at / 4, std::max<int64_t>(1, width / 4)), width,
                "shared", Part{Predicate(), Predicate(), 0});
  }
}

Value ThreadBuilder::keptPiece(tv::LoadOp load, int64_t index) {
  Fragment fragment = fragmentOf(load.getType());
  Address from = keptAddress(load, fragment, index);
  int64_t bytes = fragment.run * fragment.elementBytes();
  SmallVector<Value> words;
  for (int64_t at = 0; at < bytes; at += tv::maxAccessBytes)
    loadVector({from.base, from.offset + at * kernel.getPlan().getThreads()},
               std::min(bytes - at, tv::maxAccessBytes), "shared",
               Part{Predicate(), Predicate(), 0}, Value(), words);
  if (bytes == 1)
    return arith::TruncIOp::create(b, loc, b.getI8Type(), words.front());
  return fromWords(words, fragment);
}
