//===- FloatOps.cpp - float arithmetic, comparisons, casts -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The float operations of arith. Each function computes the value in float64
// and, from the inputs' bounds, how far an f32 kernel may be from it.
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace quack;
using namespace quack::reference;
using llvm::ArrayRef;
using mlir::arith::CmpFPredicate;

using Lanes = ArrayRef<const Lane *>;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static void addf(const OpContext &c, Lanes x, Lane &r) {
  mapBinary(x, r, [&](Number a, Number b) {
    return settleRounded(c.traits, a.value + b.value, a.error + b.error,
                         isUnknown(a) || isUnknown(b));
  });
}

static void subf(const OpContext &c, Lanes x, Lane &r) {
  mapBinary(x, r, [&](Number a, Number b) {
    return settleRounded(c.traits, a.value - b.value, a.error + b.error,
                         isUnknown(a) || isUnknown(b));
  });
}

/// Returns the error of a product that its factors' errors cause.
static double productError(Number a, Number b) {
  return std::fabs(a.value) * b.error + std::fabs(b.value) * a.error +
         a.error * b.error;
}

/// 0 * inf is NaN and x * inf is not: a factor near 0 leaves that open.
static bool isUnsureProduct(Number a, Number b) {
  return isUnknown(a) || isUnknown(b) || mayBeZero(a) || mayBeZero(b);
}

static void mulf(const OpContext &c, Lanes x, Lane &r) {
  mapBinary(x, r, [&](Number a, Number b) {
    return settleRounded(c.traits, a.value * b.value, productError(a, b),
                         isUnsureProduct(a, b));
  });
}

/// Division may be a multiplication by a rounded reciprocal, the way a row is
/// divided by its scalar: 2.5 units.
static void divf(const OpContext &c, Lanes x, Lane &r) {
  const double units = 2.5;
  mapBinary(x, r, [&](Number a, Number b) {
    double value = a.value / b.value;
    if (mayBeZero(b) || isUnknown(a) || isUnknown(b))
      return Number{value, infinity};
    double error = 0;
    if (a.error != 0 || b.error != 0)
      error = (a.error + std::fabs(value) * b.error) /
              (std::fabs(b.value) - b.error);
    double own = units * operationUnit(c.traits) * std::fabs(value) +
                 (value != 0 ? tiny : 0);
    return settle(c.traits, value, error + own, mayBeZero(a));
  });
}

static void fma(const OpContext &c, Lanes x, Lane &r) {
  const Lane &third = *x[2];
  size_t i = 0;
  mapBinary(x.take_front(2), r, [&](Number a, Number b) {
    Number d = third[i++];
    return settleRounded(c.traits, std::fma(a.value, b.value, d.value),
                         productError(a, b) + d.error,
                         isUnsureProduct(a, b) || isUnknown(d));
  });
}

static void negf(const OpContext &, Lanes x, Lane &r) {
  mapUnary(x, r, [](Number a) { return Number{-a.value, a.error}; });
}

static void absf(const OpContext &, Lanes x, Lane &r) {
  mapUnary(x, r, [](Number a) { return Number{std::fabs(a.value), a.error}; });
}

static void copysign(const OpContext &, Lanes x, Lane &r) {
  mapBinary(x, r, [](Number a, Number b) {
    double error = mayBeZero(b) ? 2 * std::fabs(a.value) + a.error : a.error;
    return Number{std::copysign(a.value, b.value), error};
  });
}

//===----------------------------------------------------------------------===//
// Maxima and minima
//===----------------------------------------------------------------------===//

/// The greater of two numbers that are not NaN: the winner's bound if it is
/// sure, else the wider one.
static Number greater(Number a, Number b) {
  const Number &winner = a.value >= b.value ? a : b;
  const Number &loser = a.value >= b.value ? b : a;
  bool isSure = winner.value - winner.error > loser.value + loser.error;
  return {winner.value, isSure ? winner.error : std::max(a.error, b.error)};
}

static Number negated(Number a) { return {-a.value, a.error}; }

/// Either operand's NaN is the result (maximumf).
static Number maximum(Number a, Number b) {
  if (std::isnan(a.value) || std::isnan(b.value))
    return {a.value + b.value, isUnknown(a) || isUnknown(b) ? infinity : 0.0};
  return greater(a, b);
}

/// The operand that is not NaN is the result (maxnumf). What might be NaN is
/// unknown, and so is the result.
static Number maxNum(Number a, Number b) {
  if (isUnknown(a) || isUnknown(b))
    return {std::fmax(a.value, b.value), infinity};
  if (std::isnan(a.value))
    return b;
  return std::isnan(b.value) ? a : greater(a, b);
}

static void maximumf(const OpContext &, Lanes x, Lane &r) {
  mapBinary(x, r, maximum);
}
static void minimumf(const OpContext &, Lanes x, Lane &r) {
  mapBinary(x, r, [](Number a, Number b) {
    return negated(maximum(negated(a), negated(b)));
  });
}
static void maxnumf(const OpContext &, Lanes x, Lane &r) {
  mapBinary(x, r, maxNum);
}
static void minnumf(const OpContext &, Lanes x, Lane &r) {
  mapBinary(x, r, [](Number a, Number b) {
    return negated(maxNum(negated(a), negated(b)));
  });
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

static bool compare(CmpFPredicate predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case CmpFPredicate::AlwaysFalse:
    return false;
  case CmpFPredicate::OEQ:
    return a == b;
  case CmpFPredicate::OGT:
    return a > b;
  case CmpFPredicate::OGE:
    return a >= b;
  case CmpFPredicate::OLT:
    return a < b;
  case CmpFPredicate::OLE:
    return a <= b;
  case CmpFPredicate::ONE:
    return !unordered && a != b;
  case CmpFPredicate::ORD:
    return !unordered;
  case CmpFPredicate::UEQ:
    return unordered || a == b;
  case CmpFPredicate::UGT:
    return unordered || a > b;
  case CmpFPredicate::UGE:
    return unordered || a >= b;
  case CmpFPredicate::ULT:
    return unordered || a < b;
  case CmpFPredicate::ULE:
    return unordered || a <= b;
  case CmpFPredicate::UNE:
    return a != b;
  case CmpFPredicate::UNO:
    return unordered;
  case CmpFPredicate::AlwaysTrue:
    return true;
  }
  return false;
}

/// A comparison within its operands' error may go either way: its bound is 1.
/// Whether they are NaN does not hang on it.
static void cmpf(const OpContext &c, Lanes x, Lane &r) {
  auto predicate = static_cast<CmpFPredicate>(c.predicate);
  bool hasOrder =
      predicate != CmpFPredicate::ORD && predicate != CmpFPredicate::UNO;
  mapBinary(x, r, [&](Number a, Number b) {
    double slack = a.error + b.error;
    bool isOpen = hasOrder && slack > 0 &&
                  !(std::fabs(a.value - b.value) > slack) &&
                  !std::isnan(a.value) && !std::isnan(b.value);
    isOpen |= slack == infinity;
    return Number{compare(predicate, a.value, b.value) ? 1.0 : 0.0,
                  isOpen ? 1.0 : 0.0};
  });
}

/// An open condition lets either operand through.
static void select(const OpContext &, Lanes x, Lane &r) {
  const Lane &condition = *x[0];
  size_t step = condition.size() == 1 ? 0 : 1, at = 0;
  mapBinary(x.drop_front(), r, [&](Number a, Number b) {
    Number choice = condition[at];
    at += step;
    Number taken = choice.value != 0 ? a : b;
    if (choice.error == 0)
      return taken;
    Number other = choice.value != 0 ? b : a;
    double apart = std::fabs(distance(other.value, taken.value)) + other.error;
    return Number{taken.value,
                  std::isnan(apart) ? infinity : std::max(taken.error, apart)};
  });
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

static void extf(const OpContext &, Lanes x, Lane &r) {
  mapUnary(x, r, [](Number a) { return a; });
}

static void truncf(const OpContext &c, Lanes x, Lane &r) {
  mapUnary(x, r, [&](Number a) { return roundInterval(c.traits, a); });
}

ElementwiseLoop reference::lookupFloatOp(llvm::StringRef name) {
  return llvm::StringSwitch<ElementwiseLoop>(name)
      .Case("arith.addf", addf)
      .Case("arith.subf", subf)
      .Case("arith.mulf", mulf)
      .Case("arith.divf", divf)
      .Case("arith.negf", negf)
      .Case("arith.maximumf", maximumf)
      .Case("arith.minimumf", minimumf)
      .Case("arith.maxnumf", maxnumf)
      .Case("arith.minnumf", minnumf)
      .Case("arith.cmpf", cmpf)
      .Case("arith.select", select)
      .Case("arith.extf", extf)
      .Case("arith.truncf", truncf)
      .Case("math.fma", fma)
      .Case("math.absf", absf)
      .Case("math.copysign", copysign)
      .Default(nullptr);
}
