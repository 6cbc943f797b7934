//===- Bytes.cpp - floats of 8 bits ------------------------------*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM has no such types: a piece of them is a vector of i8. PTX converts two
// at a time, to and from f16 (which has every one of both formats) and from f32
// (PTX ISA, cvt). Inline PTX, since LLVM's intrinsics want a newer PTX ISA than
// sm_90 does; it has no effects, so that what nobody needs goes away.
//
//===----------------------------------------------------------------------===//

#include "ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace quack;

static StringRef pairName(Type element) {
  return isa<Float8E4M3FNType>(element) ? "e4m3x2" : "e5m2x2";
}

/// Returns the result of an instruction without effects.
static Value compute(OpBuilder &b, Location loc, const Twine &text,
                     StringRef constraints, Type result, ValueRange operands) {
  return LLVM::InlineAsmOp::create(
             b, loc, result, operands, text.str(), constraints,
             /*has_side_effects=*/false, /*is_align_stack=*/false,
             LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr::get(b.getContext(),
                                       LLVM::AsmDialect::AD_ATT),
             ArrayAttr())
      .getResult(0);
}

Value ThreadBuilder::createNarrow(tv::NarrowOp narrow, int64_t index) {
  Fragment to = fragmentOf(narrow.getType());
  Value source = piece(narrow.getSource(), index);
  loc = narrow.getLoc();
  Values wide = elementsOf(source);
  Type pair = b.getI16Type();
  SmallVector<Value> pairs;
  for (size_t i = 0; i < wide.size(); i += 2) {
    Value upper = i + 1 < wide.size() ? wide[i + 1] : wide[i];
    pairs.push_back(compute(
        b, loc, "cvt.rn.satfinite." + pairName(to.element) + ".f32 $0, $1, $2;",
        "=h,f,f", pair, {upper, wide[i]}));
  }
  if (to.run == 1)
    return arith::TruncIOp::create(b, loc, b.getI8Type(), pairs.front());
  auto packed = VectorType::get({int64_t(pairs.size())}, pair);
  return LLVM::BitcastOp::create(
      b, loc, to.pieceType(),
      vector::FromElementsOp::create(b, loc, packed, pairs));
}

Value ThreadBuilder::widenBytes(Value piece, const Fragment &from, Type element,
                                Location loc) {
  Type pair = b.getI16Type();
  Value packed =
      from.run == 1
          ? Value(arith::ExtUIOp::create(b, loc, pair, piece))
          : Value(LLVM::BitcastOp::create(
                b, loc, VectorType::get({from.run / 2}, pair), piece));
  auto halves = VectorType::get({2}, b.getF16Type());
  SmallVector<Value> wide;
  for (Value bytes : elementsOf(packed)) {
    Value both =
        compute(b, loc, "cvt.rn.f16x2." + pairName(from.element) + " $0, $1;",
                "=r,h", b.getI32Type(), bytes);
    Value pairOfHalves = LLVM::BitcastOp::create(b, loc, halves, both);
    llvm::append_range(wide, elementsOf(pairOfHalves));
  }
  wide.resize(from.run);
  Type type = from.pieceType(b.getF16Type());
  Value half = from.run == 1
                   ? wide.front()
                   : Value(vector::FromElementsOp::create(b, loc, type, wide));
  if (element.isF16())
    return half;
  Type result = from.pieceType(element);
  if (element.isBF16()) {
    Value single =
        arith::ExtFOp::create(b, loc, from.pieceType(b.getF32Type()), half);
    return arith::TruncFOp::create(b, loc, result, single);
  }
  return arith::ExtFOp::create(b, loc, result, half);
}
