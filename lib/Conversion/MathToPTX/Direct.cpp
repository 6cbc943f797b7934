//===- lib/Conversion/MathToPTX/Direct.cpp - one instruction ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations for which LLVM has an intrinsic that NVPTX selects to an
// instruction or two, and tests of a number's class.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include <limits>

using namespace mlir;

namespace quack {

/// Returns whether LLVM's intrinsics take `type` as it is.
static bool isLLVMType(Type type) {
  return LLVM::isCompatibleType(type) && !isa<TensorType>(type);
}

namespace {
/// math.op %x : T → llvm.intr.op(%x) : T, in T itself.
template <typename Op, typename Intrinsic>
struct LowerInPlace : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isLLVMType(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a type of LLVM");
    rewriter.replaceOpWithNewOp<Intrinsic>(op, op.getType(), op->getOperands());
    return success();
  }
};

/// math.op %x : T → llvm.intr.op(%x) <{flag = false}> : T, where the flag would
/// make one argument poison.
template <typename Op, typename Intrinsic>
struct LowerWithFlag : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!isLLVMType(op.getType()))
      return rewriter.notifyMatchFailure(op, "not a type of LLVM");
    rewriter.replaceOpWithNewOp<Intrinsic>(op, op.getType(), op.getOperand(),
                                           /*poison=*/false);
    return success();
  }
};

/// math.isinf %x : f32 → arith.cmpf of |%x| with a bound
template <typename Op, UnaryFormula formula>
struct LowerClass : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (failed(checkThroughF32(rewriter, op, x.getType())))
      return failure();
    MathEmitter emitter(rewriter, op.getLoc(), x.getType());
    if (x.getType() != emitter.f32())
      x = emitter.make<arith::ExtFOp>(emitter.f32(), x);
    rewriter.replaceOp(op, formula(emitter, x));
    return success();
  }
};
} // namespace

static constexpr float infinity = std::numeric_limits<float>::infinity();

template <typename Intrinsic> static Value emitAs(MathEmitter &e, Value x) {
  return e.make<Intrinsic>(x);
}

static Value emitRsqrt(MathEmitter &e, Value x) {
  return e.intrinsic("llvm.nvvm.rsqrt.approx.f", x);
}

static Value emitIsNaN(MathEmitter &e, Value x) {
  return e.make<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}

static Value emitIsInf(MathEmitter &e, Value x) {
  Value magnitude = e.abs(x);
  Value bound = e.constant(infinity);
  return e.make<arith::CmpFOp>(arith::CmpFPredicate::OEQ, magnitude, bound);
}

static Value emitIsFinite(MathEmitter &e, Value x) {
  return e.less(e.abs(x), infinity);
}

void populateDirectPatterns(RewritePatternSet &patterns) {
  patterns.add<
      LowerInPlace<math::AbsFOp, LLVM::FAbsOp>,
      LowerInPlace<math::CopySignOp, LLVM::CopySignOp>,
      LowerInPlace<math::FmaOp, LLVM::FMAOp>,
      LowerInPlace<math::CtPopOp, LLVM::CtPopOp>,
      LowerWithFlag<math::AbsIOp, LLVM::AbsOp>,
      LowerWithFlag<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>,
      LowerWithFlag<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp>,
      LowerClass<math::IsNaNOp, emitIsNaN>,
      LowerClass<math::IsInfOp, emitIsInf>,
      LowerClass<math::IsFiniteOp, emitIsFinite>,
      LowerUnary<math::FloorOp, emitAs<LLVM::FFloorOp>>,
      LowerUnary<math::CeilOp, emitAs<LLVM::FCeilOp>>,
      LowerUnary<math::TruncOp, emitAs<LLVM::FTruncOp>>,
      LowerUnary<math::RoundOp, emitAs<LLVM::RoundOp>>,
      LowerUnary<math::RoundEvenOp, emitAs<LLVM::RoundEvenOp>>,
      LowerUnary<math::SqrtOp, emitAs<LLVM::SqrtOp>>,
      LowerUnary<math::RsqrtOp, emitRsqrt>>(patterns.getContext());
}

} // namespace quack
