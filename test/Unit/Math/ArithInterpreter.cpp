//===- test/Unit/Math/ArithInterpreter.cpp - runs lowered math --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations are interpreted one after the other, each for all arguments,
// so that the cost of dispatch is small.
//
//===----------------------------------------------------------------------===//

#include "ArithInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSwitch.h"

#include "gtest/gtest.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace quack::test {

/// Returns the number whose bits are the low ones of `bits`.
template <typename T> static T decode(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename T> static uint64_t encode(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

static size_t widthOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

static unsigned bitsOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

static uint64_t maskOf(Type type) {
  return ~uint64_t(0) >> (64 - bitsOf(type));
}

Lanes ArithInterpreter::run(Block &block) {
  for (Operation &op : block.without_terminator())
    execute(op);
  return get(block.getTerminator()->getOperand(0));
}

void ArithInterpreter::execute(Operation &op) {
  bool isKnown = executeFloat(op) || executeInteger(op) ||
                 executeConversion(op) || executeVector(op) || executeIf(op);
  if (!isKnown)
    GTEST_FAIL() << "the interpreter does not know "
                 << op.getName().getStringRef().str();
}

template <typename Function>
bool ArithInterpreter::map(Operation &op, Function function) {
  size_t count = rows * widthOf(op.getResult(0).getType());
  Lanes result(count);
  const Lanes *operands[3] = {};
  for (auto [i, operand] : llvm::enumerate(op.getOperands()))
    operands[i] = &get(operand);
  auto at = [&](int operand, size_t i) {
    return operands[operand] ? (*operands[operand])[i] : 0;
  };
  uint64_t mask = maskOf(op.getResult(0).getType());
  for (size_t i = 0; i < count; ++i)
    result[i] = function(at(0, i), at(1, i), at(2, i)) & mask;
  values[op.getResult(0)] = std::move(result);
  return true;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

template <typename T, bool wantsLarger> static T extremum(T a, T b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<T>::quiet_NaN();
  return (a < b) == wantsLarger ? b : a;
}

/// Returns the function of three numbers that `op` computes, or null.
template <typename T> static T (*arithmeticOf(Operation &op))(T, T, T) {
  return llvm::StringSwitch<T (*)(T, T, T)>(op.getName().getStringRef())
      .Case("arith.addf", [](T a, T b, T) { return a + b; })
      .Case("arith.subf", [](T a, T b, T) { return a - b; })
      .Case("arith.mulf", [](T a, T b, T) { return a * b; })
      .Case("arith.maximumf",
            [](T a, T b, T) { return extremum<T, true>(a, b); })
      .Case("arith.minimumf",
            [](T a, T b, T) { return extremum<T, false>(a, b); })
      .Case("llvm.intr.fma", [](T a, T b, T c) { return std::fma(a, b, c); })
      .Case("llvm.intr.fabs", [](T a, T, T) { return std::fabs(a); })
      .Case("llvm.intr.copysign",
            [](T a, T b, T) { return std::copysign(a, b); })
      .Case("llvm.intr.sqrt", [](T a, T, T) { return std::sqrt(a); })
      .Case("llvm.intr.floor", [](T a, T, T) { return std::floor(a); })
      .Case("llvm.intr.ceil", [](T a, T, T) { return std::ceil(a); })
      .Case("llvm.intr.trunc", [](T a, T, T) { return std::trunc(a); })
      .Case("llvm.intr.round", [](T a, T, T) { return std::round(a); })
      .Case("llvm.intr.roundeven", [](T a, T, T) { return std::nearbyint(a); })
      .Default(nullptr);
}

static bool compare(arith::CmpFPredicate predicate, float a, float b) {
  switch (predicate) {
  case arith::CmpFPredicate::OLT:
    return a < b;
  case arith::CmpFPredicate::OEQ:
    return a == b;
  case arith::CmpFPredicate::UNO:
    return std::isnan(a) || std::isnan(b);
  default:
    ADD_FAILURE() << "a predicate that no formula uses";
    return false;
  }
}

static float flushSubnormal(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, x)
             : x;
}

/// Returns the f32 furthest from `exact` in the given direction (-1 to 1) that
/// is within the error.
static float moveWithin(double exact, double error, double direction) {
  if (std::isnan(exact) || std::isinf(exact))
    return exact;
  float moved = exact + direction * error;
  if (std::fabs(moved - exact) <= error)
    return moved;
  return std::nextafter(moved, exact < moved ? -FLT_MAX : FLT_MAX);
}

/// PTX ISA 9.7.3: the functions and their largest errors.
float ArithInterpreter::approximate(StringRef intrinsic, float x) const {
  double direction = approximation == Approximation::Low ? -1 : 1;
  if (approximation == Approximation::Mixed)
    direction = ((encode(x) * 0x9e3779b97f4a7c15ull) >> 40) % 2048 / 1024.0 - 1;
  if (intrinsic == "llvm.nvvm.ex2.approx.ftz.f32") {
    double exact = std::exp2(double(flushSubnormal(x)));
    return flushSubnormal(moveWithin(exact, exact * 0x1p-22, direction));
  }
  if (intrinsic == "llvm.nvvm.rcp.approx.ftz.f") {
    double exact = 1 / double(flushSubnormal(x));
    double error = std::fabs(exact) * 0x1p-23;
    return flushSubnormal(moveWithin(exact, error, direction));
  }
  if (intrinsic == "llvm.nvvm.rsqrt.approx.f") {
    double exact = 1 / std::sqrt(double(x));
    return moveWithin(exact, exact * std::exp2(-22.9), direction);
  }
  if (intrinsic == "llvm.nvvm.lg2.approx.f") {
    double exact = std::log2(double(x));
    bool isNearOne = x >= 0.5f && x <= 2.0f;
    double error = isNearOne ? 0x1p-22 : std::fabs(exact) * 0x1p-22;
    return moveWithin(exact, error, direction);
  }
  ADD_FAILURE() << "the interpreter does not know " << intrinsic.str();
  return 0;
}

bool ArithInterpreter::executeFloat(Operation &op) {
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    StringRef name = call.getIntrin();
    return map(op, [&](uint64_t a, uint64_t, uint64_t) {
      return encode(approximate(name, decode<float>(a)));
    });
  }
  if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    return map(op, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      return compare(comparison.getPredicate(), decode<float>(a),
                     decode<float>(b));
    });
  if (op.getNumResults() == 1 && bitsOf(op.getResult(0).getType()) == 64) {
    auto function = arithmeticOf<double>(op);
    return function && map(op, [&](uint64_t a, uint64_t b, uint64_t c) {
             return encode(function(decode<double>(a), decode<double>(b),
                                    decode<double>(c)));
           });
  }
  auto function = arithmeticOf<float>(op);
  return function && map(op, [&](uint64_t a, uint64_t b, uint64_t c) {
           return encode(
               function(decode<float>(a), decode<float>(b), decode<float>(c)));
         });
}

//===----------------------------------------------------------------------===//
// Integers and conversions
//===----------------------------------------------------------------------===//

static int64_t signExtend(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

bool ArithInterpreter::executeInteger(Operation &op) {
  using Function = uint64_t (*)(uint64_t, uint64_t, uint64_t);
  if (isa<arith::ShRSIOp>(op)) {
    unsigned bits = bitsOf(op.getResult(0).getType());
    return map(op, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      return signExtend(a, bits) >> b;
    });
  }
  if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    bool wantsEqual = comparison.getPredicate() == arith::CmpIPredicate::eq;
    return map(op, [&](uint64_t a, uint64_t b, uint64_t) -> uint64_t {
      return (a == b) == wantsEqual;
    });
  }
  // Operands are zero-extended and results masked, so that u64 serves i32 too.
  auto function =
      llvm::StringSwitch<Function>(op.getName().getStringRef())
          .Case("arith.addi", [](auto a, auto b, auto) { return a + b; })
          .Case("arith.subi", [](auto a, auto b, auto) { return a - b; })
          .Case("arith.muli", [](auto a, auto b, auto) { return a * b; })
          .Case("arith.andi", [](auto a, auto b, auto) { return a & b; })
          .Case("arith.ori", [](auto a, auto b, auto) { return a | b; })
          .Case("arith.xori", [](auto a, auto b, auto) { return a ^ b; })
          .Case("arith.shli", [](auto a, auto b, auto) { return a << b; })
          .Case("arith.shrui", [](auto a, auto b, auto) { return a >> b; })
          .Case("arith.bitcast", [](auto a, auto, auto) { return a; })
          .Case("arith.extui", [](auto a, auto, auto) { return a; })
          .Case("arith.trunci", [](auto a, auto, auto) { return a; })
          .Case("arith.select",
                [](auto a, auto b, auto c) { return a ? b : c; })
          .Default(nullptr);
  return function && map(op, function);
}

static uint64_t convertFloat(uint64_t bits, FloatType from, FloatType to) {
  llvm::APFloat value(from.getFloatSemantics(),
                      llvm::APInt(from.getWidth(), bits));
  bool losesInfo;
  value.convert(to.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.bitcastToAPInt().getZExtValue();
}

bool ArithInterpreter::executeConversion(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Attribute value = constant.getValue();
    if (auto splat = dyn_cast<SplatElementsAttr>(value))
      value = splat.getSplatValue<Attribute>();
    uint64_t bits =
        isa<FloatAttr>(value)
            ? cast<FloatAttr>(value).getValue().bitcastToAPInt().getZExtValue()
            : cast<IntegerAttr>(value).getValue().getZExtValue();
    return map(op, [=](uint64_t, uint64_t, uint64_t) { return bits; });
  }
  if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
    auto from =
        cast<FloatType>(getElementTypeOrSelf(op.getOperand(0).getType()));
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getResult(0).getType()));
    return map(op, [=](uint64_t a, uint64_t, uint64_t) {
      return convertFloat(a, from, to);
    });
  }
  if (!isa<arith::SIToFPOp>(op))
    return false;
  unsigned bits = bitsOf(op.getOperand(0).getType());
  bool isDouble = bitsOf(op.getResult(0).getType()) == 64;
  return map(op, [=](uint64_t a, uint64_t, uint64_t) {
    int64_t value = signExtend(a, bits);
    return isDouble ? encode(double(value)) : encode(float(value));
  });
}

//===----------------------------------------------------------------------===//
// Vectors and control flow
//===----------------------------------------------------------------------===//

bool ArithInterpreter::executeVector(Operation &op) {
  if (isa<vector::ToElementsOp>(op)) {
    const Lanes source = get(op.getOperand(0));
    size_t width = op.getNumResults();
    for (size_t lane = 0; lane < width; ++lane) {
      Lanes &result = values[op.getResult(lane)];
      result.resize(rows);
      for (size_t row = 0; row < rows; ++row)
        result[row] = source[row * width + lane];
    }
    return true;
  }
  if (isa<vector::FromElementsOp>(op)) {
    size_t width = op.getNumOperands();
    Lanes result(rows * width);
    for (size_t lane = 0; lane < width; ++lane) {
      const Lanes &element = get(op.getOperand(lane));
      for (size_t row = 0; row < rows; ++row)
        result[row * width + lane] = element[row];
    }
    values[op.getResult(0)] = std::move(result);
    return true;
  }
  auto reduction = dyn_cast<vector::ReductionOp>(op);
  if (!reduction || reduction.getKind() != vector::CombiningKind::OR)
    return false;
  const Lanes &source = get(reduction.getVector());
  size_t width = widthOf(reduction.getVector().getType());
  Lanes result(rows);
  for (size_t i = 0; i < source.size(); ++i)
    result[i / width] |= source[i];
  values[op.getResult(0)] = std::move(result);
  return true;
}

/// Runs both branches, which have no effects, and chooses row by row.
bool ArithInterpreter::executeIf(Operation &op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return false;
  run(*branch.thenBlock());
  run(*branch.elseBlock());
  const Lanes condition = get(branch.getCondition());
  for (auto [result, thenValue, elseValue] :
       llvm::zip(branch.getResults(), branch.thenYield().getResults(),
                 branch.elseYield().getResults())) {
    size_t width = widthOf(result.getType());
    Lanes chosen = get(elseValue);
    const Lanes &taken = get(thenValue);
    for (size_t i = 0; i < chosen.size(); ++i)
      if (condition[i / width])
        chosen[i] = taken[i];
    values[result] = std::move(chosen);
  }
  return true;
}

} // namespace quack::test
