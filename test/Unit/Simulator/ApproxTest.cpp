//===- ApproxTest.cpp - approximate functions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The errors of .approx and .full instructions against double precision, and
// the special values; both as the PTX ISA documents them.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "Simulator/Approx.h"
#include "Simulator/FloatBits.h"

#include <cmath>

using namespace llvm;
using namespace quack::sim;

/// Singles from `low` to `high` in equal steps, and at each power of two
/// between.
static std::vector<Operands> range(double low, double high, int steps) {
  std::vector<Operands> list;
  for (int i = 0; i <= steps; ++i)
    list.push_back({asBits(float(low + (high - low) * i / steps)), 0, 0});
  for (int e = -126; e < 128; ++e)
    for (double scale : {1.0, 1.37, 1.5, 1.9999998, -1.0, -1.73})
      if (double x = std::ldexp(scale, e); x >= low && x <= high)
        list.push_back({asBits(float(x)), 0, 0});
  return list;
}

/// Positive singles of all exponents.
static std::vector<Operands> positives() {
  std::vector<Operands> list;
  for (uint32_t bits = 0x00800000; bits < 0x7f800000; bits += 52361)
    list.push_back({bits, 0, 0});
  return list;
}

/// Returns the largest error of `instruction` against `exact`.
template <typename F>
static double worst(const char *instruction,
                    const std::vector<Operands> &inputs, F exact,
                    bool isRelative) {
  std::vector<uint64_t> results =
      runLanes(std::string(instruction) + " %r5, %r2;", 'r', inputs);
  double most = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    double got = asFloat(uint32_t(results[i]));
    double wanted = exact(double(asFloat(uint32_t(inputs[i][0]))));
    double error = std::fabs(got - wanted);
    if (isRelative && error != 0)
      error /= std::fabs(wanted);
    most = std::max(most, error);
  }
  return most;
}

TEST(Approx, ErrorsAreBelowWhatPTXDocuments) {
  constexpr bool relative = true, absolute = false;
  auto rcp = [](double x) { return 1 / x; };
  auto rsqrt = [](double x) { return 1 / std::sqrt(x); };
  auto root = [](double x) { return std::sqrt(x); };
  auto exp2 = [](double x) { return std::exp2(x); };
  auto log2 = [](double x) { return std::log2(x); };
  auto sine = [](double x) { return std::sin(x); };
  auto cosine = [](double x) { return std::cos(x); };
  auto tanh = [](double x) { return std::tanh(x); };
  std::vector<Operands> normal = range(1e-37, 1e37, 20000);
  // 1 ulp.
  EXPECT_LE(worst("rcp.approx.f32", normal, rcp, relative), 0x1p-23);
  EXPECT_LE(worst("rsqrt.approx.f32", positives(), rsqrt, relative),
            std::exp2(-22.9));
  EXPECT_LE(worst("sqrt.approx.f32", positives(), root, relative), 0x1p-23);
  EXPECT_LE(worst("ex2.approx.f32", range(-126, 127.9, 40000), exp2, relative),
            0x1p-22);
  EXPECT_LE(worst("lg2.approx.f32", range(0.5, 2, 40000), log2, absolute),
            0x1p-22);
  EXPECT_LE(worst("lg2.approx.f32", range(2, 1e38, 20000), log2, relative),
            0x1p-22);
  EXPECT_LE(worst("lg2.approx.f32", range(1e-37, 0.5, 20000), log2, relative),
            0x1p-22);
  const double turn = 6.283185307179586;
  EXPECT_LE(worst("sin.approx.f32", range(-turn, turn, 40000), sine, absolute),
            std::exp2(-20.5));
  EXPECT_LE(
      worst("cos.approx.f32", range(-turn, turn, 40000), cosine, absolute),
      std::exp2(-20.5));
  EXPECT_LE(worst("sin.approx.f32", range(-50 * turn, 50 * turn, 40000), sine,
                  absolute),
            std::exp2(-14.7));
  EXPECT_LE(worst("cos.approx.f32", range(-50 * turn, 50 * turn, 40000), cosine,
                  absolute),
            std::exp2(-14.7));
  EXPECT_LE(worst("tanh.approx.f32", range(-12, 12, 40000), tanh, relative),
            0x1p-11);
}

TEST(Approx, QuotientsAreWithinTwoUnits) {
  std::vector<Operands> inputs;
  Noise noise;
  for (int i = 0; i < 40000; ++i) {
    // Exponents from -60 to 60, so that quotients are normal.
    auto some = [&] {
      return (noise.next() & 0x807fffff) | (67 + noise.next() % 120) << 23;
    };
    inputs.push_back({some(), some(), 0});
  }
  for (const char *text : {"div.approx.f32", "div.approx.ftz.f32",
                           "div.full.f32", "div.full.ftz.f32"}) {
    std::vector<uint64_t> results =
        runLanes(std::string(text) + " %r5, %r2, %r3;", 'r', inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double wanted = double(asFloat(uint32_t(inputs[i][0]))) /
                      double(asFloat(uint32_t(inputs[i][1])));
      ASSERT_LE(std::fabs(asFloat(uint32_t(results[i])) / wanted - 1), 0x1p-22)
          << text;
    }
  }
}

/// f16 and bf16: all finite patterns.
TEST(Approx, HalvesExhaustively) {
  struct Row {
    const char *text;
    const Format &format;
    double (*exact)(double);
    bool isRelative;
    double bound;
  };
  const Row rows[] = {{"ex2.approx.f16", half, std::exp2, true, 0x1.122p-10},
                      {"ex2.approx.ftz.bf16", bfloat, std::exp2, true, 0x1p-7},
                      {"tanh.approx.f16", half, std::tanh, false, 0x1.024p-11},
                      {"tanh.approx.bf16", bfloat, std::tanh, false, 0x1p-8}};
  for (const Row &row : rows) {
    std::vector<Operands> inputs;
    for (uint64_t bits = 0; bits < 65536; ++bits)
      if (row.format.number(bits).isFinite())
        inputs.push_back({bits, 0, 0});
    std::vector<uint64_t> results =
        runLanes(std::string(row.text) + " %rs5, %rs2;", 'h', inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double x = row.format.number(inputs[i][0]).convertToDouble();
      double wanted = row.exact(x);
      APFloat got = row.format.number(results[i]);
      // Beyond the format's range, and below its normal numbers, are only
      // infinity and steps of the least subnormal.
      APFloat least = APFloat::getSmallestNormalized(row.format.semantics);
      if (!got.isFinite() || wanted < least.convertToDouble()) {
        if (row.isRelative)
          continue;
      }
      double error = std::fabs(got.convertToDouble() - wanted);
      ASSERT_LE(row.isRelative ? error / wanted : error, row.bound)
          << row.text << " " << x;
    }
  }
}

TEST(Approx, SpecialValues) {
  constexpr uint32_t infinity = 0x7f800000, minus = 0x80000000,
                     nan = 0x7fc00001;
  struct Row {
    const char *text;
    uint32_t operand, result;
  };
  const Row rows[] = {
      {"rcp.approx.f32", infinity, 0},
      {"rcp.approx.f32", minus | infinity, minus},
      {"rcp.approx.f32", minus, minus | infinity},
      {"rcp.approx.f32", 0, infinity},
      {"rcp.approx.f32", nan, canonicalNaN},
      {"rcp.approx.ftz.f32", 0x80000001, minus | infinity},
      {"rcp.approx.ftz.f32", 0x7f7fffff, 0},
      {"rsqrt.approx.f32", infinity, 0},
      {"rsqrt.approx.f32", minus | infinity, canonicalNaN},
      {"rsqrt.approx.f32", minus, minus | infinity},
      {"rsqrt.approx.f32", 0xbf800000, canonicalNaN},
      {"rsqrt.approx.ftz.f32", 1, infinity},
      {"sqrt.approx.f32", minus, minus},
      {"sqrt.approx.f32", infinity, infinity},
      {"sqrt.approx.f32", 0xbf800000, canonicalNaN},
      {"ex2.approx.f32", minus | infinity, 0},
      {"ex2.approx.f32", infinity, infinity},
      {"ex2.approx.f32", 0, 0x3f800000},
      {"ex2.approx.f32", minus, 0x3f800000},
      {"ex2.approx.ftz.f32", 0x80000001, 0x3f800000},
      {"ex2.approx.ftz.f32", 0xc3000000, 0}, // 2^-128 is subnormal
      {"ex2.approx.f32", 0xc3000000, 0x00200000},
      {"lg2.approx.f32", 0, minus | infinity},
      {"lg2.approx.f32", minus, minus | infinity},
      {"lg2.approx.ftz.f32", 1, minus | infinity},
      {"lg2.approx.f32", infinity, infinity},
      {"lg2.approx.f32", 0xbf800000, canonicalNaN},
      {"lg2.approx.f32", 0x3f800000, 0},
      {"lg2.approx.f32", 0x41000000, 0x40400000}, // 8
      {"sin.approx.f32", minus, minus},
      {"sin.approx.f32", infinity, canonicalNaN},
      {"cos.approx.f32", minus, 0x3f800000},
      {"cos.approx.f32", infinity, canonicalNaN},
      {"tanh.approx.f32", infinity, 0x3f800000},
      {"tanh.approx.f32", minus | infinity, 0xbf800000},
      {"tanh.approx.f32", minus, minus},
      {"tanh.approx.f32", nan, canonicalNaN}};
  for (const Row &row : rows)
    EXPECT_EQ(runLanes(std::string(row.text) + " %r5, %r2;", 'r',
                       {{row.operand, 0, 0}})
                  .front(),
              row.result)
        << row.text << " " << std::hex << row.operand;
}

TEST(Approx, DoublesHaveTwentyBits) {
  std::vector<Operands> inputs;
  Noise noise;
  for (int i = 0; i < 20000; ++i)
    inputs.push_back(
        {(noise.next() >> 12) | (500 + noise.next() % 1000) << 52, 0, 0});
  for (bool isRoot : {false, true}) {
    std::vector<uint64_t> results =
        runLanes(isRoot ? "rsqrt.approx.ftz.f64 %rd5, %rd2;"
                        : "rcp.approx.ftz.f64 %rd5, %rd2;",
                 'd', inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      double x = asDouble(inputs[i][0]);
      double wanted = isRoot ? 1 / std::sqrt(x) : 1 / x;
      ASSERT_LE(std::fabs(asDouble(results[i]) / wanted - 1), 0x1p-19);
      ASSERT_EQ(results[i] & 0xffffffff, 0u);
    }
  }
}

TEST(Approx, Ex2OverLanesIsEx2) {
  std::vector<Operands> inputs = range(-160, 160, 6000);
  for (uint64_t bits : {0u, 1u, 0x80000000u, 0x7f800000u, 0xff800000u,
                        0x7fc00000u, 0x7f7fffffu, 0xc3160000u, 0xc2fd0000u})
    inputs.push_back({bits, 0, 0});
  std::vector<uint64_t> results =
      runLanes("ex2.approx.f32 %r5, %r2;", 'r', inputs);
  std::vector<uint64_t> flushing =
      runLanes("ex2.approx.ftz.f32 %r5, %r2;", 'r', inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    uint32_t bits = uint32_t(inputs[i][0]);
    EXPECT_EQ(results[i], approxEx2(bits));
    EXPECT_EQ(flushing[i], flushed(approxEx2(flushed(bits))));
  }
}
