//===- lib/Conversion/MathToPTX/Casts.cpp - floats to integers --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `arith.fptosi` and `arith.fptoui` are defined for every number here: what is
// out of range becomes the integer type's greatest or least number, and NaN
// becomes 0. LLVM's casts are undefined there, so that its passes may make
// anything of them; PTX's do what is wanted (PTX ISA, cvt), apart from NaN
// where 64 bits are in play.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace quack {

namespace {
/// arith.fptosi %x : f32 to i8 → cvt.rzi.s8.f32
template <typename Op, char sign> struct LowerToInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type result = op.getType(), from = op.getIn().getType();
    unsigned width = getElementTypeOrSelf(result).getIntOrFloatBitWidth();
    if (width < 8 || width > 64 || (width & (width - 1)) ||
        isa<TensorType>(result))
      return rewriter.notifyMatchFailure(op, "no type of PTX");
    bool isDouble = getElementTypeOrSelf(from).isF64();
    if (!isDouble && failed(checkThroughF32(rewriter, op, from)))
      return failure();
    MathEmitter emitter(rewriter, op.getLoc(), from);
    Value x = op.getIn();
    if (!isDouble && from != emitter.f32())
      x = emitter.make<arith::ExtFOp>(emitter.f32(), x);
    Value integer = convertLanes(emitter, x, result, width, isDouble);
    if (isDouble || width == 64) {
      Value isNaN =
          emitter.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
      Value zero = emitter.integer(integer, 0);
      integer = emitter.select(isNaN, zero, integer);
    }
    rewriter.replaceOp(op, integer);
    return success();
  }

  static Value convertLanes(MathEmitter &emitter, Value x, Type result,
                            unsigned width, bool isDouble) {
    OpBuilder &b = emitter.builder;
    std::string text = std::string("cvt.rzi.") + sign + std::to_string(width) +
                       (isDouble ? ".f64" : ".f32") + " $0, $1;";
    // A register may be wider than the number.
    std::string constraints =
        std::string(width == 64 ? "=l" : "=r") + (isDouble ? ",d" : ",f");
    Type held = b.getIntegerType(width == 64 ? 64 : 32);
    auto convert = [&](Value lane) -> Value {
      Value wide = LLVM::InlineAsmOp::create(
                       b, emitter.loc, held, lane, text, constraints,
                       /*has_side_effects=*/false, /*is_align_stack=*/false,
                       LLVM::tailcallkind::TailCallKind::None,
                       LLVM::AsmDialectAttr::get(b.getContext(),
                                                 LLVM::AsmDialect::AD_ATT),
                       ArrayAttr())
                       .getResult(0);
      return width < 32 ? Value(arith::TruncIOp::create(
                              b, emitter.loc, b.getIntegerType(width), wide))
                        : wide;
    };
    if (!isa<VectorType>(x.getType()))
      return convert(x);
    SmallVector<Value, 8> lanes;
    auto elements = vector::ToElementsOp::create(b, emitter.loc, x);
    for (Value lane : elements.getElements())
      lanes.push_back(convert(lane));
    return vector::FromElementsOp::create(b, emitter.loc, result, lanes);
  }
};
} // namespace

void populateCastPatterns(RewritePatternSet &patterns) {
  patterns.add<LowerToInteger<arith::FPToSIOp, 's'>,
               LowerToInteger<arith::FPToUIOp, 'u'>>(patterns.getContext());
}

} // namespace quack
