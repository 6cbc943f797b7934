//===- ConversionTest.cpp - cvt ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions against APFloat: of 16 bits or fewer exhaustively, of more at
// patterns where something changes.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

#include "llvm/ADT/APSInt.h"

using namespace llvm;
using namespace quack::sim;

static const Format *const formats[] = {&half, &bfloat, &single, &wide};

/// All patterns of a format of 16 bits, or its edges and as many without a
/// pattern, with exponents near those of other formats' ends.
static std::vector<Operands> patterns(const Format &format) {
  std::vector<Operands> list;
  if (format.bits == 16) {
    for (uint64_t bits = 0; bits < 65536; ++bits)
      list.push_back({bits, 0, 0});
    return list;
  }
  for (uint64_t bits : edges(format))
    list.push_back({bits, 0, 0});
  Noise noise;
  uint64_t bias = (1ull << (format.bits - 2 - format.mantissa)) - 1;
  for (int i = 0; i < 8000; ++i) {
    uint64_t bits = noise.next() >> (64 - format.bits);
    uint64_t exponent = bias - 160 + noise.next() % 320;
    if (i % 2)
      bits = (bits & ~(2 * bias + 1) << format.mantissa) |
             (exponent & (2 * bias + 1)) << format.mantissa;
    // Ties and what is next to them, at any place.
    unsigned place = unsigned(noise.next() % format.mantissa);
    if (i % 4 >= 2)
      bits = (bits >> place << place) + (noise.next() % 3 - 1);
    list.push_back({bits & ~0ull >> (64 - format.bits), 0, 0});
  }
  return list;
}

TEST(Conversions, BetweenFloatsInEveryDirection) {
  for (const Format *from : formats)
    for (const Format *to : formats)
      for (auto [name, mode] : roundings) {
        bool narrows =
            to->bits < from->bits || (to->bits == from->bits && to->bits == 16);
        if (to == from || (!narrows && mode != APFloat::rmNearestTiesToEven))
          continue;
        std::string text = std::string("cvt.") + (narrows ? name : "") +
                           (narrows ? "." : "") + to->name + "." + from->name +
                           " " + to->source(5) + ", " + from->source(2) + ";";
        std::vector<Operands> inputs = patterns(*from);
        std::vector<uint64_t> results = runLanes(text, to->reg, inputs);
        for (size_t i = 0; i < inputs.size(); ++i) {
          APFloat number = from->number(inputs[i][0]);
          if (number.isNaN()) {
            ASSERT_TRUE(to->number(results[i]).isNaN()) << text;
            continue;
          }
          bool loses;
          number.convert(to->semantics, mode, &loses);
          ASSERT_EQ(results[i], to->pattern(number))
              << text << std::hex << inputs[i][0];
        }
      }
}

TEST(Conversions, FloatsToIntegersSaturate) {
  const std::pair<const char *, APFloat::roundingMode> modes[] = {
      {"rni", APFloat::rmNearestTiesToEven},
      {"rzi", APFloat::rmTowardZero},
      {"rmi", APFloat::rmTowardNegative},
      {"rpi", APFloat::rmTowardPositive}};
  for (const Format *from : formats)
    for (unsigned bits : {8, 16, 32, 64})
      for (bool isSigned : {false, true})
        for (auto [name, mode] : modes) {
          if (from == &bfloat && bits == 8)
            continue; // does not exist
          char reg = bits == 64 ? 'd' : bits == 32 ? 'r' : 'h';
          std::string text = std::string("cvt.") + name +
                             (isSigned ? ".s" : ".u") + std::to_string(bits) +
                             "." + from->name +
                             (reg == 'd'   ? " %rd5, "
                              : reg == 'r' ? " %r5, "
                                           : " %rs5, ") +
                             from->source(2) + ";";
          std::vector<Operands> inputs = patterns(*from);
          std::vector<uint64_t> results = runLanes(text, reg, inputs);
          uint64_t mask = ~0ull >> (64 - std::max(bits, 16u));
          for (size_t i = 0; i < inputs.size(); ++i) {
            APFloat number = from->number(inputs[i][0]);
            APSInt integer(bits, !isSigned);
            bool exact;
            number.convertToInteger(integer, mode, &exact);
            uint64_t wanted = isSigned ? uint64_t(integer.getSExtValue())
                                       : integer.getZExtValue();
            // PTX ISA, cvt: 0, but if f64 or 64 bits are in play.
            if (number.isNaN())
              wanted = from == &wide || bits == 64 ? 1ull << (bits - 1) : 0;
            if (number.isNaN() && isSigned)
              wanted = uint64_t(int64_t(wanted << (64 - bits)) >> (64 - bits));
            ASSERT_EQ(results[i], wanted & mask)
                << text << std::hex << inputs[i][0];
          }
        }
}

/// Integers near powers of two and of any size.
static std::vector<Operands> integers() {
  std::vector<Operands> list;
  for (unsigned place = 0; place < 64; ++place)
    for (uint64_t below : {0, 1, 2, 3})
      for (uint64_t step :
           {uint64_t(0), uint64_t(1), ~uint64_t(0), uint64_t(2)}) {
        uint64_t value = (1ull << place) + (below << place >> 2) + step;
        list.push_back({value, 0, 0});
        list.push_back({0 - value, 0, 0});
      }
  Noise noise;
  for (int i = 0; i < 8000; ++i)
    list.push_back({noise.next() >> (noise.next() % 64), 0, 0});
  return list;
}

TEST(Conversions, IntegersToFloatsInEveryDirection) {
  std::vector<Operands> inputs = integers();
  for (const Format *to : formats)
    for (unsigned bits : {8, 16, 32, 64})
      for (bool isSigned : {false, true})
        for (auto [name, mode] : roundings) {
          if (to == &bfloat && bits == 8)
            continue; // does not exist
          std::string text = std::string("cvt.") + name + "." + to->name +
                             (isSigned ? ".s" : ".u") + std::to_string(bits) +
                             " " + to->source(5) + ", " +
                             (bits == 64   ? "%rd2;"
                              : bits == 32 ? "%r2;"
                                           : "%rs2;");
          std::vector<uint64_t> results = runLanes(text, to->reg, inputs);
          for (size_t i = 0; i < inputs.size(); ++i) {
            APFloat number(to->semantics);
            number.convertFromAPInt(APInt(64, inputs[i][0]).trunc(bits),
                                    isSigned, mode);
            ASSERT_EQ(results[i], to->pattern(number))
                << text << std::hex << inputs[i][0];
          }
        }
}

/// The numbers of 8 bits: from and to f16, exhaustively, and from f32.
struct Byte {
  const fltSemantics &semantics;
  const char *name;
  uint64_t largest;

  /// Returns what .satfinite makes of `number`.
  uint64_t narrow(APFloat number, bool relu) const {
    if (number.isNaN())
      return 0x7f;
    if (relu && number.isNegative())
      return 0;
    bool loses, isNegative = number.isNegative();
    number.convert(semantics, APFloat::rmNearestTiesToEven, &loses);
    uint64_t magnitude = number.isFinite()
                             ? number.bitcastToAPInt().getZExtValue() & 0x7f
                             : largest;
    return magnitude | uint64_t(isNegative) << 7;
  }
};
static const Byte bytes[] = {{APFloat::Float8E4M3FN(), "e4m3x2", 0x7e},
                             {APFloat::Float8E5M2(), "e5m2x2", 0x7b}};

TEST(Conversions, ToEightBits) {
  for (const Byte &byte : bytes)
    for (bool relu : {false, true})
      for (const Format *from : {&half, &single}) {
        bool fromHalves = from == &half;
        std::string text =
            std::string("cvt.rn.satfinite.") + (relu ? "relu." : "") +
            byte.name + "." +
            (fromHalves ? "f16x2 %rs5, %r2;" : "f32 %rs5, %r2, %r3;");
        std::vector<Operands> inputs = patterns(*from);
        for (size_t i = 0; i < inputs.size(); ++i) {
          uint64_t other = inputs[(i * 7 + 3) % inputs.size()][0] & 0xffffffff;
          if (fromHalves)
            inputs[i][0] = (inputs[i][0] & 0xffff) | (other & 0xffff) << 16;
          else
            inputs[i][1] = other;
        }
        std::vector<uint64_t> results = runLanes(text, 'h', inputs);
        for (size_t i = 0; i < inputs.size(); ++i) {
          uint64_t lower = fromHalves ? inputs[i][0] & 0xffff : inputs[i][1];
          uint64_t upper = fromHalves ? inputs[i][0] >> 16 : inputs[i][0];
          ASSERT_EQ(results[i], byte.narrow(from->number(upper), relu) << 8 |
                                    byte.narrow(from->number(lower), relu))
              << text << std::hex << upper << " " << lower;
        }
      }
}

TEST(Conversions, FromEightBits) {
  for (const Byte &byte : bytes) {
    std::vector<Operands> inputs = patterns(half);
    std::vector<uint64_t> results = runLanes(
        std::string("cvt.rn.f16x2.") + byte.name + " %r5, %rs2;", 'r', inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      for (unsigned part : {0, 1}) {
        APFloat number(byte.semantics, APInt(8, i >> (8 * part) & 0xff));
        bool loses;
        number.convert(half.semantics, APFloat::rmNearestTiesToEven, &loses);
        uint64_t wanted = number.isNaN() ? 0x7fff : half.pattern(number);
        ASSERT_EQ(results[i] >> (16 * part) & 0xffff, wanted) << i;
      }
  }
}

TEST(Conversions, ToTF32) {
  const std::pair<const char *, APFloat::roundingMode> modes[] = {
      {"rna", APFloat::rmNearestTiesToAway},
      {"rn", APFloat::rmNearestTiesToEven},
      {"rz", APFloat::rmTowardZero}};
  std::vector<Operands> inputs = patterns(single);
  for (auto [name, mode] : modes) {
    std::vector<uint64_t> results = runLanes(
        std::string("cvt.") + name + ".tf32.f32 %r5, %r2;", 'r', inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      APFloat number = single.number(inputs[i][0]);
      if (number.isNaN())
        continue;
      bool loses;
      number.convert(APFloat::FloatTF32(), mode, &loses);
      ASSERT_EQ(results[i], number.bitcastToAPInt().getZExtValue() << 13)
          << name << std::hex << inputs[i][0];
    }
  }
}

TEST(Conversions, RoundingToIntegersWithinAFormat) {
  const std::pair<const char *, APFloat::roundingMode> modes[] = {
      {"rni", APFloat::rmNearestTiesToEven},
      {"rzi", APFloat::rmTowardZero},
      {"rmi", APFloat::rmTowardNegative},
      {"rpi", APFloat::rmTowardPositive}};
  for (const Format *format : formats)
    for (auto [name, mode] : modes) {
      std::string text = std::string("cvt.") + name + "." + format->name + "." +
                         format->name + " " + format->source(5) + ", " +
                         format->source(2) + ";";
      std::vector<Operands> inputs = patterns(*format);
      std::vector<uint64_t> results = runLanes(text, format->reg, inputs);
      for (size_t i = 0; i < inputs.size(); ++i) {
        APFloat number = format->number(inputs[i][0]);
        if (number.isNaN())
          continue;
        number.roundToIntegral(mode);
        ASSERT_EQ(results[i], format->pattern(number))
            << text << std::hex << inputs[i][0];
      }
    }
}
