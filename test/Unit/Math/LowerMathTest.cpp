//===- test/Unit/Math/LowerMathTest.cpp - errors of the formulas *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Holds what quack-lower-math makes of each function to the bounds that
// include/quack/Conversion/MathToPTX.h promises: against the C library in f64,
// over all exponents, the working range, and the arguments that are hard.
//
//===----------------------------------------------------------------------===//

#include "ArithInterpreter.h"

#include "quack/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace mlir;
using namespace quack::test;

namespace {
/// A function, and the largest error that its lowering may have at an argument
/// with the given exact result.
struct Function {
  const char *name;
  double (*exact)(double);
  double (*bound)(double x, double result);
};

/// What a comparison of all samples found.
struct Worst {
  double errorOverBound = 0;
  float argument = 0;
  float result = 0;
};
} // namespace

static constexpr float infinity = std::numeric_limits<float>::infinity();
static constexpr double smallestNormal = 0x1p-126;

static double ulp(double value) {
  if (value == 0)
    return 0x1p-149;
  return std::exp2(std::max(std::ilogb(value), -126) - 23);
}

template <int count> static double ulps(double, double result) {
  return count * ulp(result);
}

static double halfUlp(double, double result) { return ulp(result) / 2; }

static double nothing(double, double) { return 0; }

/// An absolute error of 2^-near in [0.5, 2], where the logarithm is small, and
/// a relative one of `far` elsewhere.
template <int near>
static double logarithm(double x, double result, double far) {
  return x >= 0.5 && x <= 2 ? std::exp2(-near) : far * std::fabs(result);
}

static double binaryLogarithm(double x, double result) {
  return logarithm<22>(x, result, 0x1p-22);
}

static double naturalLogarithm(double x, double result) {
  return logarithm<22>(x, result, std::exp2(-21.4));
}

static double decimalLogarithm(double x, double result) {
  return logarithm<23>(x, result, std::exp2(-21.4));
}

static double power(double, double result) {
  return 0x1p-22 * result + smallestNormal;
}

static double exponential(double x, double result) {
  return (0x1.001p-22 + std::exp2(-23.6) * std::fabs(x)) * result +
         smallestNormal;
}

static double inverseRoot(double, double result) {
  return std::exp2(-22.9) * result;
}

static double turn(double, double) { return 1e-7; }

static const Function functions[] = {
    {"exp2", std::exp2, power},
    {"exp", std::exp, exponential},
    {"expm1", std::expm1, ulps<2>},
    {"log2", std::log2, binaryLogarithm},
    {"log", std::log, naturalLogarithm},
    {"log10", std::log10, decimalLogarithm},
    {"log1p", std::log1p, ulps<2>},
    {"tanh", std::tanh, ulps<3>},
    {"erf", std::erf, ulps<2>},
    {"sin", std::sin, turn},
    {"cos", std::cos, turn},
    {"sqrt", std::sqrt, halfUlp},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, inverseRoot},
    {"absf", std::fabs, nothing},
    {"floor", std::floor, nothing},
    {"ceil", std::ceil, nothing},
    {"trunc", std::trunc, nothing},
    {"round", std::round, nothing},
    {"roundeven", std::nearbyint, nothing},
};

/// Returns the arguments of every function, a multiple of 8 of them.
static const std::vector<float> &samples() {
  static const std::vector<float> all = [] {
    std::vector<float> xs = {
        0.0f,       -0.0f,     infinity,        -infinity,
        NAN,        1.0f,      -1.0f,           0x1p-149f,
        -0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -0x1.fffffep127f};
    std::mt19937 random(1);
    // Every exponent; the fraction is random.
    for (int i = 0; i < 40000; ++i) {
      uint32_t bits = random();
      float x;
      std::memcpy(&x, &bits, sizeof(x));
      xs.push_back(x);
    }
    auto addRange = [&](float low, float high, int count) {
      std::uniform_real_distribution<float> in(low, high);
      for (int i = 0; i < count; ++i)
        xs.push_back(in(random));
    };
    addRange(-1.5f, 1.5f, 24000);
    addRange(-10.0f, 10.0f, 12000);
    addRange(-128.0f, 128.0f, 12000);
    addRange(-106000.0f, 106000.0f, 8000);
    // Neighbours of multiples of pi/2, where the reduction cancels most.
    for (int i = 0; i < 4000; ++i) {
      float x = static_cast<float>((random() % 100000) * M_PI_2);
      xs.push_back(std::nextafter(x, (i & 1) ? infinity : 0.0f));
    }
    while (xs.size() % 8)
      xs.push_back(0.5f);
    return xs;
  }();
  return all;
}

static OwningOpRef<ModuleOp> lower(MLIRContext &context, StringRef name,
                                   const std::string &type) {
  std::string text = "func.func @f(%x: " + type + ") -> " + type +
                     " {\n  %r = math." + name.str() + " %x : " + type +
                     "\n  return %r : " + type + "\n}\n";
  auto module = parseSourceString<ModuleOp>(text, &context);
  PassManager passes(&context);
  passes.addPass(quack::createQuackLowerMath());
  if (!module || failed(passes.run(*module)))
    return nullptr;
  return module;
}

static Block &bodyOf(ModuleOp module) {
  return module.lookupSymbol<func::FuncOp>("f").getBody().front();
}

/// Runs the function on `xs`, `width` of them in a row, in pieces that stay in
/// the cache.
static std::vector<float> evaluate(Block &body, ArrayRef<float> xs,
                                   size_t width, Approximation approximation) {
  std::vector<float> results;
  while (!xs.empty()) {
    ArrayRef<float> piece = xs.take_front(1024);
    xs = xs.drop_front(piece.size());
    Lanes arguments(piece.size());
    for (size_t i = 0; i < piece.size(); ++i)
      std::memcpy(&arguments[i], &piece[i], sizeof(float));
    ArithInterpreter interpreter(piece.size() / width, approximation);
    interpreter.bind(body.getArgument(0), std::move(arguments));
    for (uint64_t bits : interpreter.run(body)) {
      results.emplace_back();
      std::memcpy(&results.back(), &bits, sizeof(float));
    }
  }
  return results;
}

/// Returns how far `result` is from `exact` in units of the bound; infinite if
/// one of them only is NaN, or a zero has the wrong sign.
static double compare(const Function &function, float x, double exact,
                      float result) {
  double worst = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(result))
    return std::isnan(exact) && std::isnan(result) ? 0 : worst;
  if (std::isinf(x) && std::isinf(exact))
    return result == exact ? 0 : worst;
  if (x == 0 && exact == 0 && std::signbit(exact) != std::signbit(result))
    return worst;
  // An overflow is 2^128, where the next f32 would be.
  auto bounded = [](double value) {
    return std::fmin(std::fmax(value, -0x1p128), 0x1p128);
  };
  double error = std::fabs(bounded(exact) - bounded(result));
  return error == 0 ? 0 : error / function.bound(x, bounded(exact));
}

static Worst findWorst(const Function &function, ArrayRef<float> xs,
                       ArrayRef<float> results) {
  Worst worst;
  for (size_t i = 0; i < xs.size(); ++i) {
    double exact = function.exact(xs[i]);
    double error = compare(function, xs[i], exact, results[i]);
    if (error > worst.errorOverBound)
      worst = {error, xs[i], results[i]};
  }
  return worst;
}

namespace {
class LowerMath : public testing::TestWithParam<Function> {
protected:
  LowerMath() { context.loadDialect<func::FuncDialect, math::MathDialect>(); }

  MLIRContext context;
};
} // namespace

TEST_P(LowerMath, StaysWithinItsBound) {
  const Function &function = GetParam();
  auto module = lower(context, function.name, "vector<8xf32>");
  ASSERT_TRUE(module);
  for (auto approximation :
       {Approximation::Low, Approximation::High, Approximation::Mixed}) {
    Worst worst =
        findWorst(function, samples(),
                  evaluate(bodyOf(*module), samples(), 8, approximation));
    EXPECT_LE(worst.errorOverBound, 1)
        << function.name << "(" << worst.argument << ") is " << worst.result
        << ", exactly " << function.exact(worst.argument);
    RecordProperty("error_over_bound", std::to_string(worst.errorOverBound));
  }
}

TEST_P(LowerMath, GivesTheSameOnScalars) {
  const Function &function = GetParam();
  auto onVectors = lower(context, function.name, "vector<8xf32>");
  ASSERT_TRUE(onVectors);
  std::vector<float> expected =
      evaluate(bodyOf(*onVectors), samples(), 8, Approximation::Mixed);
  for (const char *type : {"f32", "vector<1xf32>"}) {
    auto module = lower(context, function.name, type);
    ASSERT_TRUE(module);
    std::vector<float> results =
        evaluate(bodyOf(*module), samples(), 1, Approximation::Mixed);
    EXPECT_EQ(std::memcmp(results.data(), expected.data(),
                          results.size() * sizeof(float)),
              0)
        << function.name << " on " << type;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, LowerMath, testing::ValuesIn(functions),
                         [](const testing::TestParamInfo<Function> &info) {
                           return std::string(info.param.name);
                         });

/// Returns the f32 that a constant holds in each lane, if it is a coefficient.
static std::optional<float> coefficientOf(arith::ConstantOp constant) {
  auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
  if (!splat || !splat.getElementType().isF32())
    return std::nullopt;
  float value = splat.getSplatValue<float>();
  float magnitude = std::fabs(value);
  bool isMagic = magnitude == 0 || magnitude >= 2 || std::isinf(value);
  return isMagic ? std::nullopt : std::optional<float>(value);
}

/// Changes one coefficient after the other by 2^-9 and returns how many of the
/// faults the samples show, and how many there were.
static std::pair<int, int> countSeenFaults(const Function &function) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect, math::MathDialect>();
  auto module = lower(context, function.name, "vector<8xf32>");
  std::vector<float> xs;
  for (size_t i = 0; i < samples().size() / 64 * 64; i += 8)
    xs.push_back(samples()[i]);
  int numSeen = 0, numFaults = 0;
  for (auto constant : bodyOf(*module).getOps<arith::ConstantOp>()) {
    std::optional<float> value = coefficientOf(constant);
    if (!value)
      continue;
    TypedAttr original = constant.getValue();
    constant.setValueAttr(DenseElementsAttr::get(
        cast<ShapedType>(constant.getType()), *value * (1 + 0x1p-9f)));
    std::vector<float> results =
        evaluate(bodyOf(*module), xs, 8, Approximation::Mixed);
    numSeen += findWorst(function, xs, results).errorOverBound > 1;
    ++numFaults;
    constant.setValueAttr(original);
  }
  return {numSeen, numFaults};
}

TEST(LowerMathSamples, SeeAChangedCoefficient) {
  for (const Function &function : functions) {
    if (!llvm::is_contained({"exp", "expm1", "log1p", "tanh", "erf", "sin"},
                            StringRef(function.name)))
      continue;
    auto [numSeen, numFaults] = countSeenFaults(function);
    // Where two formulas meet may move; the last part of pi/2 or ln(2) and the
    // highest coefficients are below the bound.
    EXPECT_GE(numSeen, 1) << function.name;
    EXPECT_GE(numSeen, numFaults - 4) << function.name;
  }
}
