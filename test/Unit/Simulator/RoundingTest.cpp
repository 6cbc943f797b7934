//===- RoundingTest.cpp - floating-point arithmetic -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation that IEEE 754 fixes, in every format and rounding, with and
// without .ftz and .sat, against APFloat.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

using namespace llvm;
using namespace quack::sim;

/// A pattern as an operand of the operation, or as its result.
static APFloat flush(const Format &format, APFloat number, bool flushes) {
  if (flushes && number.isDenormal())
    return APFloat::getZero(format.semantics, number.isNegative());
  return number;
}

static APFloat compute(const std::string &root, const Format &format,
                       APFloat::roundingMode mode, const APFloat &a,
                       const APFloat &b, const APFloat &c) {
  APFloat result = a;
  if (root == "add")
    result.add(b, mode);
  else if (root == "sub")
    result.subtract(b, mode);
  else if (root == "mul")
    result.multiply(b, mode);
  else if (root == "div")
    result.divide(b, mode);
  else if (root == "fma")
    result.fusedMultiplyAdd(b, c, mode);
  else {
    result = APFloat::getOne(format.semantics);
    result.divide(a, mode);
  }
  return result;
}

struct Modifiers {
  bool flushes, saturates, relu;
};

static APFloat expected(const std::string &root, const Format &format,
                        APFloat::roundingMode mode, const Modifiers &modifiers,
                        const Operands &operands) {
  APFloat numbers[3] = {format.number(operands[0]), format.number(operands[1]),
                        format.number(operands[2])};
  for (APFloat &number : numbers)
    number = flush(format, number, modifiers.flushes);
  APFloat result = flush(
      format, compute(root, format, mode, numbers[0], numbers[1], numbers[2]),
      modifiers.flushes);
  APFloat zero = APFloat::getZero(format.semantics),
          one = APFloat::getOne(format.semantics);
  if (modifiers.saturates)
    return !(result > zero) ? zero : result > one ? one : result;
  if (modifiers.relu && !result.isNaN() && !(result > zero))
    return zero;
  return result;
}

/// Operands for `arity` sources: all combinations of `edges`, thinned out to
/// some `most`, and as many without a pattern.
static std::vector<Operands> operandsFor(const Format &format, unsigned arity,
                                         size_t most) {
  std::vector<uint64_t> list = edges(format);
  size_t n = list.size(), all = arity == 1 ? n : arity == 2 ? n * n : n * n * n;
  std::vector<Operands> result;
  Noise noise;
  for (size_t i = 0; i < all; i += std::max<size_t>(1, all / most | 1))
    result.push_back({list[i % n], list[i / n % n], list[i / n / n % n]});
  for (size_t i = 0; i < most; ++i) {
    Operands some{noise.next(), noise.next(), noise.next()};
    // Every other one near a cancellation.
    if (i % 2) {
      APFloat product = format.number(some[0]);
      product.multiply(format.number(some[1]), APFloat::rmNearestTiesToEven);
      some[2] = format.pattern(product) ^ 1ull << (format.bits - 1);
      some[2] += noise.next() & 3;
      some[1] = i % 4 == 1 ? some[1] : some[0] + (noise.next() & 0xff);
    }
    result.push_back(some);
  }
  return result;
}

static void expectOperation(const std::string &root, const Format &format,
                            unsigned arity, size_t most,
                            const std::string &rounding,
                            APFloat::roundingMode mode,
                            const Modifiers &modifiers) {
  std::string text = root + rounding + (modifiers.flushes ? ".ftz" : "") +
                     (modifiers.saturates ? ".sat" : "") +
                     (modifiers.relu ? ".relu" : "") + "." + format.name + " " +
                     format.source(5);
  for (unsigned k = 0; k < arity; ++k)
    text += ", " + format.source(2 + k);
  std::vector<Operands> inputs = operandsFor(format, arity, most);
  std::vector<uint64_t> results = runLanes(text + ";", format.reg, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    APFloat wanted = expected(root, format, mode, modifiers, inputs[i]);
    APFloat got = format.number(results[i]);
    if (wanted.isNaN()) {
      ASSERT_TRUE(got.isNaN()) << text << " " << i;
      // Only f64 has more than one NaN.
      if (format.bits != 64) {
        ASSERT_EQ(results[i], (1ull << (format.bits - 1)) - 1) << text;
      }
      continue;
    }
    ASSERT_EQ(results[i], format.pattern(wanted))
        << text << " " << std::hex << inputs[i][0] << " " << inputs[i][1] << " "
        << inputs[i][2];
  }
}

TEST(Rounding, SinglesAndDoublesInEveryDirection) {
  for (auto [name, mode] : roundings)
    for (const char *root : {"add", "sub", "mul", "div", "rcp", "fma"}) {
      std::string text = root;
      unsigned arity = text == "fma" ? 3 : text == "rcp" ? 1 : 2;
      bool saturates = text != "div" && text != "rcp";
      std::string rounding = std::string(".") + name;
      expectOperation(text, wide, arity, 4000, rounding, mode, {});
      for (bool flushes : {false, true})
        for (bool sat : {false, true})
          if (saturates || !sat)
            expectOperation(text, single, arity, 4000, rounding, mode,
                            {flushes, sat, false});
    }
}

TEST(Rounding, Halves) {
  for (const char *root : {"add", "sub", "mul", "fma"})
    for (const Format *format : {&half, &bfloat})
      for (bool flushes : {false, true})
        for (unsigned what : {0, 1, 2}) {
          bool isHalf = format == &half, isFma = root[0] == 'f';
          if ((!isHalf && (flushes || what == 1)) || (what == 2 && !isFma))
            continue;
          expectOperation(root, *format, isFma ? 3 : 2, 8000, ".rn",
                          APFloat::rmNearestTiesToEven,
                          {flushes, what == 1, what == 2});
        }
}

/// Square roots are checked by squaring, in 113 bits: exact.
static void expectRoot(const Format &format, const char *name,
                       APFloat::roundingMode mode) {
  std::vector<Operands> inputs = operandsFor(format, 1, 8000);
  std::vector<uint64_t> results =
      runLanes(std::string("sqrt.") + name + "." + format.name + " " +
                   format.source(5) + ", " + format.source(2) + ";",
               format.reg, inputs);
  auto square = [](APFloat x) {
    APFloat result = x;
    EXPECT_EQ(result.multiply(x, APFloat::rmNearestTiesToEven), APFloat::opOK);
    return result;
  };
  auto widened = [](APFloat x) {
    bool loses;
    x.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &loses);
    return x;
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    APFloat x = format.number(inputs[i][0]), root = format.number(results[i]);
    if (x.isZero() || (x.isInfinity() && !x.isNegative())) {
      ASSERT_EQ(results[i], format.pattern(x));
      continue;
    }
    if (x.isNaN() || x.isNegative()) {
      ASSERT_TRUE(root.isNaN());
      continue;
    }
    APFloat below = root, above = root, exact = widened(x);
    below.next(/*nextDown=*/true);
    above.next(/*nextDown=*/false);
    if (mode == APFloat::rmNearestTiesToEven) {
      // Halfway to the neighbours has one bit more.
      APFloat two(APFloat::IEEEquad(), "2");
      APFloat low = widened(root), high = widened(root);
      low.add(widened(below), mode);
      high.add(widened(above), mode);
      low.divide(two, mode);
      high.divide(two, mode);
      ASSERT_TRUE(square(low) < exact && exact < square(high)) << i;
    } else if (mode == APFloat::rmTowardPositive) {
      ASSERT_TRUE(square(widened(below)) < exact &&
                  !(square(widened(root)) < exact))
          << i;
    } else {
      ASSERT_TRUE(!(exact < square(widened(root))) &&
                  exact < square(widened(above)))
          << i;
    }
  }
}

TEST(Rounding, SquareRoots) {
  for (auto [name, mode] : roundings) {
    expectRoot(single, name, mode);
    expectRoot(wide, name, mode);
  }
}

TEST(Rounding, ExtremesOfZerosAndNaNs) {
  for (const Format *format : {&half, &bfloat, &single, &wide})
    for (bool isMax : {false, true})
      for (bool nan : {false, true}) {
        if (nan && format == &wide)
          continue;
        std::string text = std::string(isMax ? "max" : "min") +
                           (nan ? ".NaN." : ".") + format->name + " " +
                           format->source(5) + ", " + format->source(2) + ", " +
                           format->source(3) + ";";
        std::vector<Operands> inputs = operandsFor(*format, 2, 8000);
        std::vector<uint64_t> results = runLanes(text, format->reg, inputs);
        for (size_t i = 0; i < inputs.size(); ++i) {
          APFloat a = format->number(inputs[i][0]);
          APFloat b = format->number(inputs[i][1]);
          APFloat wanted = nan     ? (isMax ? maximum(a, b) : minimum(a, b))
                           : isMax ? maximumnum(a, b)
                                   : minimumnum(a, b);
          uint64_t canonical = (1ull << (format->bits - 1)) - 1;
          ASSERT_EQ(results[i],
                    wanted.isNaN() ? canonical : format->pattern(wanted))
              << text << i;
        }
      }
}
