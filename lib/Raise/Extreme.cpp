//===- lib/Raise/Extreme.cpp - proving argmax and argmin --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Frontends write argmax in many ways, which differ in what they do with NaN and with
// equal elements. A body that only compares and selects depends on the order of its
// arguments alone, of which there are few: all are tried.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>

using namespace mlir;
using namespace quack;
using namespace quack::raise;

namespace {
/// One number of an evaluated body.
struct Number {
  double real = 0;     ///< of a float
  int64_t integer = 0; ///< of an integer, an index or a truth value
};

/// Evaluates bodies that only compare and select.
class Evaluator {
public:
  llvm::DenseMap<Value, Number> numbers;

  /// Returns false if there is an operation that does something else.
  bool run(Block &body) {
    return llvm::all_of(body.without_terminator(), [&](Operation &op) { return run(op); });
  }

private:
  bool run(Operation &op);
  Number operand(Operation &op, unsigned index) {
    return numbers.lookup(op.getOperand(index));
  }
};
} // namespace

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  return arith::applyCmpPredicate(predicate, APFloat(a), APFloat(b));
}

/// Places are not negative, and those of distinct columns differ: the caller sees to it.
static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  return arith::applyCmpPredicate(predicate, APInt(64, a), APInt(64, b));
}

bool Evaluator::run(Operation &op) {
  if (op.getNumResults() != 1)
    return false;
  Number &result = numbers[op.getResult(0)];
  if (op.getName().getStringRef() == "linalg.index")
    return true; // A place, set from outside.
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    // Only truth values: other numbers have an order relative to the arguments.
    auto truth = dyn_cast<BoolAttr>(constant.getValue());
    if (truth)
      result = {0, truth.getValue()};
    return static_cast<bool>(truth);
  }
  bool isTruth = op.getResult(0).getType().isInteger(1);
  Number a, b;
  if (op.getNumOperands() > 0)
    a = operand(op, 0);
  if (op.getNumOperands() > 1)
    b = operand(op, 1);
  if (auto cmpf = dyn_cast<arith::CmpFOp>(op))
    result = {0, compare(cmpf.getPredicate(), a.real, b.real)};
  else if (auto cmpi = dyn_cast<arith::CmpIOp>(op))
    result = {0, compare(cmpi.getPredicate(), a.integer, b.integer)};
  else if (isa<arith::SelectOp>(op))
    result = a.integer ? b : operand(op, 2);
  else if (isa<arith::AndIOp>(op) && isTruth)
    result = {0, a.integer & b.integer};
  else if (isa<arith::OrIOp>(op) && isTruth)
    result = {0, a.integer | b.integer};
  else if (isa<arith::XOrIOp>(op) && isTruth)
    result = {0, a.integer ^ b.integer};
  else if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    result.real = std::isnan(a.real) || std::isnan(b.real) ? NAN
                  : isa<arith::MaximumFOp>(op)             ? std::max(a.real, b.real)
                                                           : std::min(a.real, b.real);
  else if (isa<arith::MaxNumFOp>(op))
    result.real = std::fmax(a.real, b.real);
  else if (isa<arith::MinNumFOp>(op))
    result.real = std::fmin(a.real, b.real);
  else if (isa<arith::MinSIOp, arith::MinUIOp>(op) && !isTruth)
    result.integer = std::min(a.integer, b.integer);
  else if (isa<arith::MaxSIOp, arith::MaxUIOp>(op) && !isTruth)
    result.integer = std::max(a.integer, b.integer);
  else if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
               arith::TruncIOp>(op) &&
           !isTruth && !op.getOperand(0).getType().isInteger(1))
    result = a;
  else
    return false;
  return true;
}

static bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

Extreme raise::findExtreme(Block &body, Value element, Value place, Value best,
                           Value bestPlace) {
  // All ways in which two floats can be ordered, NaN included.
  static const std::pair<double, double> orders[] = {{1, 2},   {2, 1},   {1, 1},
                                                     {NAN, 1}, {1, NAN}, {NAN, NAN}};
  bool isGreatest = true, isLeast = true;
  // The place lies behind that of the best one, or is the first.
  for (int64_t bestAt : {3, 5})
    for (auto [x, v] : orders) {
      Evaluator evaluator;
      evaluator.numbers[element] = {x, 0};
      evaluator.numbers[place] = {0, 5};
      evaluator.numbers[best] = {v, 0};
      evaluator.numbers[bestPlace] = {0, bestAt};
      if (!evaluator.run(body))
        return Extreme::none;
      Number value, at;
      for (Value yielded : body.getTerminator()->getOperands()) {
        auto it = evaluator.numbers.find(yielded);
        if (it == evaluator.numbers.end())
          return Extreme::none;
        (isa<FloatType>(yielded.getType()) ? value : at) = it->second;
      }
      auto isRight = [&](bool isBetter) {
        bool takes = (std::isnan(x) && !std::isnan(v)) || isBetter;
        return isSame(value.real, takes ? x : v) && at.integer == (takes ? 5 : bestAt);
      };
      isGreatest &= isRight(x > v);
      isLeast &= isRight(x < v);
    }
  return isGreatest ? Extreme::greatest : isLeast ? Extreme::least : Extreme::none;
}
