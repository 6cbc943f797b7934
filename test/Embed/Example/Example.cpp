//===- test/Embed/Example/Example.cpp - somebody's dialect ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Example.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace example;
using quack::createNumber;

#include "ExampleDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ExampleOps.cpp.inc"

void ExampleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ExampleOps.cpp.inc"
      >();
}

using Meaning = FailureOr<SmallVector<Value>>;

//===----------------------------------------------------------------------===//
// What operations mean
//===----------------------------------------------------------------------===//

Meaning GeluOp::expandRow(OpBuilder &b, Location loc, ValueRange operands) {
  Value x = operands[0];
  Type type = x.getType();
  Value scaled =
      arith::MulFOp::create(b, loc, x, createNumber(b, loc, 0.70710678118654752, type));
  Value erf = math::ErfOp::create(b, loc, scaled);
  Value weight = arith::AddFOp::create(b, loc, erf, createNumber(b, loc, 1, type));
  Value half = arith::MulFOp::create(b, loc, x, createNumber(b, loc, 0.5, type));
  return SmallVector<Value>{arith::MulFOp::create(b, loc, half, weight)};
}

Meaning PartsOp::expandRow(OpBuilder &b, Location loc, ValueRange operands) {
  Value below = math::FloorOp::create(b, loc, operands[0]);
  return SmallVector<Value>{below, arith::SubFOp::create(b, loc, operands[0], below)};
}

//===----------------------------------------------------------------------===//
// Meanings that are attached
//===----------------------------------------------------------------------===//

namespace {
struct ClampMeaning
    : quack::RowMeaningOpInterface::ExternalModel<ClampMeaning, ClampOp> {
  Meaning expandRow(Operation *op, OpBuilder &b, Location loc, ValueRange operands) const {
    auto clamp = cast<ClampOp>(op);
    Type type = operands[0].getType();
    auto bound = [&](FloatAttr number) {
      return createNumber(b, loc, number.getValueAsDouble(), type);
    };
    Value low = arith::MaximumFOp::create(b, loc, operands[0], bound(clamp.getLoAttr()));
    return SmallVector<Value>{
        arith::MinimumFOp::create(b, loc, low, bound(clamp.getHiAttr()))};
  }
};

/// Upstream's, which no lowering of kernels knows.
struct SinhMeaning
    : quack::RowMeaningOpInterface::ExternalModel<SinhMeaning, math::SinhOp> {
  Meaning expandRow(Operation *, OpBuilder &b, Location loc, ValueRange operands) const {
    Value x = operands[0];
    Value up = math::ExpOp::create(b, loc, x);
    Value down = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
    Value twice = arith::SubFOp::create(b, loc, up, down);
    Value half = createNumber(b, loc, 0.5, x.getType());
    return SmallVector<Value>{arith::MulFOp::create(b, loc, twice, half)};
  }
};
} // namespace

void example::registerExample(DialectRegistry &registry) {
  registry.insert<ExampleDialect>();
  registry.addExtension(+[](MLIRContext *context, ExampleDialect *) {
    ClampOp::attachInterface<ClampMeaning>(*context);
  });
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    math::SinhOp::attachInterface<SinhMeaning>(*context);
  });
}

//===----------------------------------------------------------------------===//
// What goes wrong
//===----------------------------------------------------------------------===//

Meaning NestedOp::expandRow(OpBuilder &, Location, ValueRange operands) {
  return SmallVector<Value>(operands);
}

Meaning EffectOp::expandRow(OpBuilder &, Location, ValueRange operands) {
  return SmallVector<Value>(operands);
}

Meaning BrokenOp::expandRow(OpBuilder &b, Location loc, ValueRange operands) {
  StringRef how = getHow();
  Value x = operands[0];
  if (how == "explained")
    return emitOpError("is broken today");
  if (how == "unexplained")
    return failure();
  if (how == "few")
    return SmallVector<Value>();
  if (how == "null")
    return SmallVector<Value>{Value()};
  if (how == "unknown")
    return SmallVector<Value>{MuteOp::create(b, loc, x.getType(), x)};
  if (how == "unexpanded")
    return SmallVector<Value>{math::SinhOp::create(b, loc, x)};
  return SmallVector<Value>(operands);
}
