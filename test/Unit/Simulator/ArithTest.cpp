//===- ArithTest.cpp - what instructions compute ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values against APFloat and against PTX's rules, by running the instructions.
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"

#include "Simulator/FloatBits.h"

#include "llvm/ADT/APFloat.h"

#include <array>
#include <cmath>

using namespace llvm;
using namespace quack::sim;

/// Runs `instruction`, which reads %r2 (and %r3, %r4) and writes %r5, on every
/// tuple of `inputs`; 32 at a time.
static std::vector<uint32_t>
runOn(const std::string &instruction,
      std::vector<std::array<uint32_t, 3>> inputs) {
  std::vector<uint32_t> buffer;
  for (const auto &input : inputs) {
    buffer.insert(buffer.end(), input.begin(), input.end());
    buffer.push_back(0);
  }
  size_t padded = (inputs.size() + 31) / 32 * 32;
  buffer.resize(padded * 4);
  Report report = runBody(
      "mov.u32 %r6, %ctaid.x; shl.b32 %r6, %r6, 5; add.s32 %r6, %r6, %r0;\n"
      "mul.wide.u32 %rd1, %r6, 16; add.s64 %rd1, %rd1, %rd0;\n"
      "ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd1];\n" +
          instruction + "\nst.global.b32 [%rd1+12], %r5;",
      buffer, {32, 1, uint32_t(padded / 32)});
  EXPECT_EQ(describe(report), "");
  std::vector<uint32_t> results;
  for (size_t i = 0; i < inputs.size(); ++i)
    results.push_back(buffer[4 * i + 3]);
  return results;
}

static uint32_t one(const std::string &instruction, uint32_t a, uint32_t b = 0,
                    uint32_t c = 0) {
  return runOn(instruction, {{a, b, c}}).front();
}

static APFloat makeFloat(const fltSemantics &semantics, uint32_t bits,
                         unsigned width) {
  return APFloat(semantics, APInt(width, bits));
}

TEST(Conversions, HalfAndBF16ToSingleExhaustively) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    for (bool isHalf : {true, false}) {
      APFloat value =
          makeFloat(isHalf ? APFloat::IEEEhalf() : APFloat::BFloat(), bits, 16);
      uint32_t got =
          isHalf ? halfToBits(uint16_t(bits)) : bf16ToBits(uint16_t(bits));
      if (value.isNaN()) {
        ASSERT_TRUE(std::isnan(asFloat(got)));
        continue;
      }
      bool loses;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                    &loses);
      ASSERT_EQ(got, value.bitcastToAPInt().getZExtValue()) << bits;
    }
  }
}

/// Patterns around every representable value, every tie and every exponent.
static std::vector<uint32_t> interestingSingles() {
  std::vector<uint32_t> list;
  for (uint32_t top = 0; top < 65536; top += 3)
    for (uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0x0fffu, 0x1000u,
                         0x1001u, 0xffffu})
      list.push_back(top << 16 | low);
  return list;
}

TEST(Conversions, SingleToSmallFormatsInEveryDirection) {
  const std::pair<Rounding, APFloat::roundingMode> modes[] = {
      {Rounding::nearest, APFloat::rmNearestTiesToEven},
      {Rounding::zero, APFloat::rmTowardZero},
      {Rounding::down, APFloat::rmTowardNegative},
      {Rounding::up, APFloat::rmTowardPositive}};
  for (uint32_t bits : interestingSingles())
    for (bool isHalf : {true, false})
      for (auto [rounding, mode] : modes) {
        uint32_t got =
            roundTo(isHalf ? halfFormat : bf16Format, asFloat(bits), rounding);
        if (rounding == Rounding::nearest) {
          ASSERT_EQ(got, isHalf ? bitsToHalf(bits) : bitsToBF16(bits)) << bits;
        }
        APFloat value = makeFloat(APFloat::IEEEsingle(), bits, 32);
        if (value.isNaN()) {
          ASSERT_EQ(got, 0x7fffu);
          continue;
        }
        bool loses;
        value.convert(isHalf ? APFloat::IEEEhalf() : APFloat::BFloat(), mode,
                      &loses);
        ASSERT_EQ(got, value.bitcastToAPInt().getZExtValue())
            << bits << " " << isHalf << " " << int(rounding);
      }
}

TEST(Conversions, Instructions) {
  // The first source is the upper half.
  EXPECT_EQ(one("cvt.rn.bf16x2.f32 %r5, %r2, %r3;", 0x3f800000, 0x40000000),
            0x3f804000u);
  EXPECT_EQ(one("cvt.rn.f16x2.f32 %r5, %r2, %r3;", 0x3f800000, 0xc0000000),
            0x3c00c000u);
  // Float to integer saturates; NaN gives 0.
  EXPECT_EQ(one("cvt.rzi.s32.f32 %r5, %r2;", 0x7f800000), 0x7fffffffu);
  EXPECT_EQ(one("cvt.rzi.s32.f32 %r5, %r2;", 0xff800000), 0x80000000u);
  EXPECT_EQ(one("cvt.rzi.u32.f32 %r5, %r2;", 0xbf800000), 0u);
  EXPECT_EQ(one("cvt.rzi.s32.f32 %r5, %r2;", 0x7fc00000), 0u);
  EXPECT_EQ(one("cvt.rni.s32.f32 %r5, %r2;", asBits(2.5f)), 2u);
  EXPECT_EQ(one("cvt.rmi.f32.f32 %r5, %r2;", asBits(-0.5f)), asBits(-1.0f));
  EXPECT_EQ(one("cvt.s8.s32 %r5, %r2;", 0x1ff), ~0u);
  EXPECT_EQ(one("cvt.sat.u8.s32 %r5, %r2;", 300), 255u);
  EXPECT_EQ(one("cvt.rn.f32.s32 %r5, %r2;", 16777217), asBits(16777216.0f));
  EXPECT_EQ(one("cvt.rp.f32.s32 %r5, %r2;", 16777217), asBits(16777218.0f));
  EXPECT_EQ(one("cvt.sat.f32.f32 %r5, %r2;", asBits(-2.0f)), 0u);
}

TEST(FloatArith, FusedMultiplyAddRoundsOnce) {
  std::vector<std::array<uint32_t, 3>> inputs;
  uint64_t state = 1;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return uint32_t(state >> 32);
  };
  for (unsigned i = 0; i < 4096; ++i) {
    uint32_t a = next(), b = next();
    uint32_t product = asBits(asFloat(a) * asFloat(b));
    // Near cancellation and far apart.
    inputs.push_back(
        {a, b, i % 2 ? (product ^ 0x80000000) + (next() & 3) : next()});
  }
  std::vector<uint32_t> results =
      runOn("fma.rn.f32 %r5, %r2, %r3, %r4;", inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    APFloat a = makeFloat(APFloat::IEEEsingle(), inputs[i][0], 32);
    a.fusedMultiplyAdd(makeFloat(APFloat::IEEEsingle(), inputs[i][1], 32),
                       makeFloat(APFloat::IEEEsingle(), inputs[i][2], 32),
                       APFloat::rmNearestTiesToEven);
    uint32_t expected =
        a.isNaN() ? canonicalNaN : uint32_t(a.bitcastToAPInt().getZExtValue());
    ASSERT_EQ(results[i], expected) << i;
  }
}

TEST(FloatArith, Rules) {
  uint32_t nan = 0x7fc12345, minusZero = 0x80000000, one32 = asBits(1.0f);
  EXPECT_EQ(one("max.f32 %r5, %r2, %r3;", nan, one32), one32);
  EXPECT_EQ(one("max.NaN.f32 %r5, %r2, %r3;", nan, one32), canonicalNaN);
  EXPECT_EQ(one("max.f32 %r5, %r2, %r3;", 0, minusZero), 0u);
  EXPECT_EQ(one("min.f32 %r5, %r2, %r3;", 0, minusZero), minusZero);
  EXPECT_EQ(one("max.NaN.bf16x2 %r5, %r2, %r3;", 0x7fc03f80, 0x3f804000),
            0x7fff4000u);
  EXPECT_EQ(one("add.ftz.f32 %r5, %r2, %r3;", 0x00000001, 0), 0u);
  EXPECT_EQ(one("add.sat.f32 %r5, %r2, %r3;", one32, one32), one32);
  EXPECT_EQ(one("add.f32 %r5, %r2, %r3;", 0x7f800000, 0xff800000),
            canonicalNaN);
  EXPECT_EQ(one("add.rz.f32 %r5, %r2, %r3;", one32, asBits(1e-10f)), one32);
  EXPECT_EQ(one("add.rp.f32 %r5, %r2, %r3;", one32, asBits(1e-10f)), one32 + 1);
  EXPECT_EQ(one("div.rm.f32 %r5, %r2, %r3;", one32, asBits(3.0f)), 0x3eaaaaaau);
  EXPECT_EQ(one("mul.rn.bf16x2 %r5, %r2, %r3;", 0x3f803fc0, 0x40003fc0),
            0x40004010u);
  EXPECT_EQ(one("fma.rn.f16x2 %r5, %r2, %r3, %r4;", 0x3c003c00, 0x40004000,
                0x3c003c00),
            0x42004200u);
}

TEST(IntegerArith, Rules) {
  EXPECT_EQ(one("shl.b32 %r5, %r2, %r3;", 1, 32), 0u);
  EXPECT_EQ(one("shr.s32 %r5, %r2, %r3;", 0x80000000, 40), ~0u);
  EXPECT_EQ(one("shf.l.wrap.b32 %r5, %r2, %r3, %r4;", 0x80000000, 1, 33), 3u);
  EXPECT_EQ(one("shf.r.clamp.b32 %r5, %r2, %r3, %r4;", 5, 7, 40), 7u);
  EXPECT_EQ(one("prmt.b32 %r5, %r2, %r3, 0x7632;", 0x33221100, 0x77665544),
            0x77663322u);
  EXPECT_EQ(one("prmt.b32 %r5, %r2, %r3, 0x888b;", 0x80000000, 0), 0x000000ffu);
  EXPECT_EQ(one("bfe.s32 %r5, %r2, 4, 4;", 0xf0), ~0u);
  EXPECT_EQ(one("bfi.b32 %r5, %r2, %r3, 8, 8;", 0xab, 0xffffffff), 0xffffabffu);
  EXPECT_EQ(one("mul.hi.u32 %r5, %r2, %r3;", 0x80000000, 4), 2u);
  EXPECT_EQ(one("mul.hi.s32 %r5, %r2, %r3;", 0xffffffff, 4), ~0u);
  EXPECT_EQ(one("add.sat.s32 %r5, %r2, %r3;", 0x7fffffff, 1), 0x7fffffffu);
  EXPECT_EQ(one("bfind.u32 %r5, %r2;", 0), ~0u);
  EXPECT_EQ(one("clz.b32 %r5, %r2;", 1), 31u);
  EXPECT_EQ(one("lop3.b32 %r5, %r2, %r3, %r4, 0xE8;", 1, 3, 2), 3u);
}

/// As on an H200: of all patterns of a factor, 0x7ff7 and 0xfff7 give zero.
TEST(HalfArith, OutOfBoundsOperandsGiveZero) {
  struct Row {
    const char *type;
    uint32_t one, two;
  };
  for (const Row &row :
       {Row{"f16", 0x3c00, 0x4000}, Row{"bf16", 0x3f80, 0x4000}}) {
    std::string plain = std::string("fma.rn.oob.") + row.type +
                        "x2 %r5, %r2, "
                        "%r3, %r4;";
    std::string relu =
        std::string("fma.rn.oob.relu.") + row.type + "x2 %r5, %r2, %r3, %r4;";
    uint32_t ones = row.one * 0x10001;
    for (const std::string &form : {plain, relu}) {
      // The halves stand for themselves.
      EXPECT_EQ(one(form, 0x7ff70000 | row.one, ones, ones), row.two) << form;
      EXPECT_EQ(one(form, row.one << 16 | 0xfff7, ones, ones), row.two << 16);
      EXPECT_EQ(one(form, ones, 0x7ff70000 | row.one, ones), row.two);
      EXPECT_EQ(one(form, ones, ones, 0xfff7 | row.one << 16),
                row.two << 16 | 0x7fff);
      for (uint32_t other : {0x7ff6u, 0x7ff8u, 0x7fffu, 0xfff6u})
        EXPECT_EQ(one(form, other << 16 | row.one, ones, ones),
                  0x7fff0000 | row.two);
    }
    EXPECT_EQ(one(relu, ones | 0x8000, ones, 0), row.one << 16);
    EXPECT_EQ(one(std::string("fma.rn.") + row.type + "x2 %r5, %r2, %r3, %r4;",
                  0x7ff70000 | row.one, ones, ones),
              0x7fff0000 | row.two);
  }
}

TEST(IntegerArith, Divisions) {
  EXPECT_EQ(one("div.s32 %r5, %r2, %r3;", 0x80000000, ~0u), 0x80000000u);
  EXPECT_EQ(one("rem.s32 %r5, %r2, %r3;", 0x80000000, ~0u), 0u);
  EXPECT_EQ(one("div.s32 %r5, %r2, %r3;", uint32_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(one("rem.s32 %r5, %r2, %r3;", uint32_t(-7), 2), uint32_t(-1));
  // Unspecified; as on an H200.
  EXPECT_EQ(one("div.u32 %r5, %r2, %r3;", 7, 0), ~0u);
  EXPECT_EQ(one("rem.u32 %r5, %r2, %r3;", 7, 0), ~0u);
}

TEST(IntegerArith, CarriesRunThroughWords) {
  // 64-bit sums and products in two words.
  EXPECT_EQ(one("add.cc.u32 %r6, %r2, %r3; addc.u32 %r5, %r4, 0;", ~0u, 1, 6),
            7u);
  EXPECT_EQ(one("add.cc.u32 %r6, %r2, %r3; addc.u32 %r5, %r4, 0;", ~0u, 0, 6),
            6u);
  EXPECT_EQ(one("sub.cc.u32 %r6, %r2, %r3; subc.u32 %r5, %r4, 0;", 0, 1, 6),
            5u);
  EXPECT_EQ(one("sub.cc.u32 %r6, %r2, %r3; subc.u32 %r5, %r4, 0;", 1, 1, 6),
            6u);
  EXPECT_EQ(one("mad.lo.cc.u32 %r6, %r2, %r3, %r4; madc.hi.u32 %r5, %r2, %r3, "
                "0;",
                0x10001, 0xffff, 1),
            1u);
  // A carry goes in and out.
  EXPECT_EQ(one("add.cc.u32 %r6, %r2, %r3; addc.cc.u32 %r6, %r2, 0; addc.u32 "
                "%r5, %r4, 0;",
                ~0u, 1, 6),
            7u);
}

TEST(IntegerArith, PartsOfWords) {
  EXPECT_EQ(one("max.s16x2 %r5, %r2, %r3;", 0x8000ffff, 0x7fff0001),
            0x7fff0001u);
  EXPECT_EQ(one("add.u16x2 %r5, %r2, %r3;", 0x0001ffff, 0x00010001),
            0x00020000u);
  EXPECT_EQ(one("min.s16x2.relu %r5, %r2, %r3;", 0x8000ffff, 0x7fff0001), 0u);
  EXPECT_EQ(one("dp4a.s32.u32 %r5, %r2, %r3, %r4;", 0xff020304, 0x01020304, 5),
            uint32_t(-1 + 4 + 9 + 16 + 5));
  EXPECT_EQ(
      one("dp2a.hi.u32.u32 %r5, %r2, %r3, %r4;", 0x00020003, 0x05070000, 1),
      2u * 5 + 3 * 7 + 1);
  EXPECT_EQ(one("mul24.hi.s32 %r5, %r2, %r3;", 0x00800000, 2), 0xffffff00u);
  EXPECT_EQ(one("fns.b32 %r5, %r2, 3, 2;", 0xb0), 5u);
  EXPECT_EQ(one("fns.b32 %r5, %r2, 31, -1;", 0xb0), 7u);
  EXPECT_EQ(one("fns.b32 %r5, %r2, 3, 4;", 0xb0), ~0u);
  EXPECT_EQ(one("bmsk.clamp.b32 %r5, %r2, %r3;", 4, 8), 0xff0u);
  EXPECT_EQ(one("bmsk.clamp.b32 %r5, %r2, %r3;", 4, 99), 0xfffffff0u);
  EXPECT_EQ(one("szext.wrap.s32 %r5, %r2, %r3;", 0x8f, 8), 0xffffff8fu);
  EXPECT_EQ(one("szext.clamp.u32 %r5, %r2, %r3;", 0x8f, 40), 0x8fu);
  EXPECT_EQ(one("bfe.u32 %r5, %r2, 28, 8;", 0xf0000001), 0xfu);
  EXPECT_EQ(one("bfe.s32 %r5, %r2, 40, 8;", 0xf0000001), ~0u);
  EXPECT_EQ(one("bfe.s32 %r5, %r2, 8, 0;", 0xf0000f01), 0u);
  EXPECT_EQ(one("bfi.b32 %r5, %r2, %r3, 28, 8;", 0x5, 0xffffffff), 0x5fffffffu);
}

TEST(Comparisons, TwoPredicates) {
  const char *read = "selp.b32 %r5, 1, 0, %p1; @%p2 or.b32 %r5, %r5, 2;";
  auto both = [&](const char *text, uint32_t a, uint32_t b) {
    return one(std::string(text) + read, a, b);
  };
  // p is the comparison and q its opposite; of packed types, each half's.
  EXPECT_EQ(both("setp.lt.s32 %p1|%p2, %r2, %r3;", 1, 2), 1u);
  EXPECT_EQ(both("setp.lt.f16x2 %p1|%p2, %r2, %r3;", 0x3c000000, 0x00003c00),
            1u);
  EXPECT_EQ(both("setp.gt.f16x2 %p1|%p2, %r2, %r3;", 0x3c000000, 0x00003c00),
            2u);
  EXPECT_EQ(both("setp.nan.bf16x2 %p1|%p2, %r2, %r3;", 0x7fc10000, 0), 2u);
  EXPECT_EQ(one("set.eq.u32.f16x2 %r5, %r2, %r3;", 0x80000000, 0x00000001),
            0xffff0000u);
  EXPECT_EQ(one("set.ge.f16x2.f16x2 %r5, %r2, %r3;", 0x3c003c00, 0x40003800),
            0x00003c00u);
  EXPECT_EQ(both("setp.ne.u32 %p1, %r2, %r2; lop3.or.b32 %r6|%p1, %r2, %r3, "
                 "%r2, 0xc0, %p1; setp.eq.u32 %p2, %r6, 4;",
                 6, 12),
            3u);
}

TEST(Parser, WhatSm90DoesNotHaveIsAnError) {
  for (const char *text :
       {"max.f32 %r5, %r2, %r3, %r4;", "add.f32.f16 %r5, %rs2, %r3;",
        "redux.sync.max.f32 %r5, %r2, -1;", "vote.all.pred %p1, %p2;",
        "shfl.up.b32 %r5, %r2, 1, 0;", "cvt.rn.satfinite.tf32.f32 %r5, %r2;",
        "sub.u16x2 %r5, %r2, %r3;", "set.geu.u32.u32 %r5, %r2, %r3;",
        "cvt.sat.u32.u32 %r5, %r2;", "cvt.rn.bf16.u8 %rs5, %rs2;",
        "div.f32 %r5, %r2, %r3;", "fma.f16 %rs5, %rs2, %rs3, %rs4;",
        "redux.sync.add.b32 %r5, %r2, -1;", "match.any.sync.b16 %r5, %rs2, -1;",
        "vadd4.u32.u32.u32 %r5, %r2, %r3, %r4;", "ex2.f32 %r5, %r2;",
        "cvt.rn.satfinite.e2m1x2.f32 %rs5, %r2, %r3;"}) {
    Expected<Module> module = Module::parse(wrap(text));
    EXPECT_FALSE(bool(module)) << text;
    consumeError(module.takeError());
  }
}

TEST(Warnings, ABareProductThatFeedsABareSum) {
  auto warningOf = [](const char *text) {
    Expected<Module> module = Module::parse(wrap(text));
    EXPECT_TRUE(bool(module)) << text;
    return module->warning();
  };
  EXPECT_EQ(
      warningOf("mul.f32 %r2, %r3, %r4;\nadd.f32 %r5, %r2, %r6;"),
      "line 11: 'add.f32' may be fused with 'mul.f32' of line 10 on a GPU, "
      "and then rounds once; .rn keeps them apart");
  EXPECT_EQ(warningOf("mul.rn.f32 %r2, %r3, %r4; add.f32 %r5, %r2, %r6;"), "");
  EXPECT_EQ(warningOf("mul.f32 %r2, %r3, %r4; add.rn.f32 %r5, %r2, %r6;"), "");
  EXPECT_EQ(warningOf("mul.f32 %r2, %r3, %r4; add.f32 %r5, %r3, %r6;"), "");
  EXPECT_EQ(warningOf("mul.lo.u32 %r2, %r3, %r4; add.u32 %r5, %r2, %r6;"), "");
}
