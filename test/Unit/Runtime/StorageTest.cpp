//===- StorageTest.cpp - conversions against APFloat -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All 16-bit patterns, and the f32 patterns round each of them, against LLVM's
// APFloat.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <vector>

using namespace llvm;
using namespace quack;

namespace {
struct Format {
  const fltSemantics &semantics;
  FloatFormat format;
  uint16_t (*narrow)(float);
  float (*widen)(uint16_t);
};
} // namespace

static const Format formats[] = {
    {APFloat::BFloat(), FloatFormat::bf16, floatToBF16, bf16ToFloat},
    {APFloat::IEEEhalf(), FloatFormat::f16, floatToHalf, halfToFloat},
};

static APFloat fromPattern(const Format &format, uint16_t bits) {
  return APFloat(format.semantics, APInt(16, bits));
}

template <typename T>
static uint16_t roundedByAPFloat(const Format &format, T value) {
  APFloat wide(value);
  bool losesInfo;
  wide.convert(format.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return wide.bitcastToAPInt().getZExtValue();
}

/// Checks that `got`, made of `bits`, has the bits of `expected` as an f32, or is NaN
/// like it.
static void checkWidened(float got, APFloat expected, unsigned bits) {
  bool losesInfo;
  expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  if (expected.isNaN())
    ASSERT_TRUE(std::isnan(got)) << bits;
  else
    ASSERT_EQ(bit_cast<uint32_t>(got), expected.bitcastToAPInt().getZExtValue()) << bits;
}

TEST(StorageTest, widensEveryPattern) {
  for (const Format &format : formats)
    for (unsigned bits = 0; bits < 65536; ++bits) {
      float got = format.widen(bits);
      APFloat expected = fromPattern(format, bits);
      ASSERT_NO_FATAL_FAILURE(checkWidened(got, expected, bits));
    }
}

TEST(StorageTest, narrowsEveryPatternAndItsNeighbours) {
  for (const Format &format : formats)
    for (unsigned bits = 0; bits < 65536; ++bits) {
      float value = format.widen(bits);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(format.widen(format.narrow(value)))) << bits;
        continue;
      }
      ASSERT_EQ(format.narrow(value), bits);
      // The ties between two patterns, and what is just beside them.
      float next = format.widen(bits + 1);
      float middle = std::isfinite(next) ? value + (next - value) / 2 : value;
      for (float probe : {middle, std::nextafter(middle, INFINITY),
                          std::nextafter(middle, -INFINITY),
                          std::nextafter(value, INFINITY)}) {
        if (std::isnan(probe))
          continue;
        ASSERT_EQ(format.narrow(probe), roundedByAPFloat(format, probe))
            << bits << " " << probe;
        ASSERT_EQ(roundTo(format.format, probe),
                  format.widen(roundedByAPFloat(format, probe)))
            << probe;
      }
    }
}

TEST(StorageTest, narrowsAStrideOverAllFloats) {
  for (const Format &format : formats)
    for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4099) {
      float value = bit_cast<float>(static_cast<uint32_t>(bits));
      if (std::isnan(value))
        continue;
      ASSERT_EQ(format.narrow(value), roundedByAPFloat(format, value)) << value;
    }
}

TEST(StorageTest, roundsADoubleOnce) {
  // Just above a bf16 tie in float64, on it after rounding to f32 first.
  double value = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(roundTo(FloatFormat::bf16, value), 1 + 0x1p-7);
  uint16_t stored;
  narrow(StorageType::bf16, &value, &stored, 1);
  EXPECT_EQ(bf16ToFloat(stored), 1 + 0x1p-7);
  for (const Format &format : formats)
    for (double probe :
         {0x1p-133, 0x1p-134, 0x1.8p-133, 0x1p-24, 0x1p-25, 0x1.8p-25,
          0x1.fffp-15, 65519.999, 65520.0, 3.39e38, 3.4e38, 1e300})
      for (double sign : {1.0, -1.0})
        EXPECT_EQ(roundTo(format.format, sign * probe),
                  format.widen(roundedByAPFloat(format, sign * probe)))
            << probe;
}

namespace {
struct ByteFormat {
  const fltSemantics &semantics;
  FloatFormat format;
  uint8_t largest;
};
} // namespace

static const ByteFormat byteFormats[] = {
    {APFloat::Float8E4M3FN(), FloatFormat::f8E4M3FN, 0x7e},
    {APFloat::Float8E5M2(), FloatFormat::f8E5M2, 0x7b},
};

/// APFloat does not saturate: what it makes of numbers out of range is
/// replaced.
static uint8_t saturatedByAPFloat(const ByteFormat &format, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(format.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  uint8_t sign = std::signbit(value) ? 0x80 : 0;
  return number.isFinite() ? number.bitcastToAPInt().getZExtValue()
                           : format.largest | sign;
}

TEST(StorageTest, widensEveryByte) {
  for (const ByteFormat &format : byteFormats)
    for (unsigned bits = 0; bits < 256; ++bits) {
      APFloat expected(format.semantics, APInt(8, bits));
      float got = byteToFloat(format.format, bits);
      ASSERT_NO_FATAL_FAILURE(checkWidened(got, expected, bits));
    }
}

TEST(StorageTest, narrowsToEveryByteAndSaturates) {
  for (const ByteFormat &format : byteFormats) {
    std::vector<double> probes = {INFINITY, 1e30, 1e300, 0x1p-200};
    for (unsigned bits = 0; bits <= format.largest; ++bits) {
      double value = byteToFloat(format.format, bits);
      // The tie with the number above, which of the greatest one does not
      // exist.
      double below = bits ? byteToFloat(format.format, bits - 1) : 0;
      double next = bits < format.largest ? byteToFloat(format.format, bits + 1)
                                          : value + (value - below);
      double middle = value + (next - value) / 2;
      for (double probe : {value, middle, next})
        for (double direction : {-INFINITY, INFINITY}) {
          probes.push_back(probe);
          probes.push_back(std::nextafter(probe, direction));
          probes.push_back(std::nextafterf(float(probe), float(direction)));
        }
    }
    for (double probe : probes)
      for (double sign : {1.0, -1.0}) {
        uint8_t got = floatToByte(format.format, sign * probe);
        ASSERT_EQ(got, saturatedByAPFloat(format, sign * probe))
            << sign * probe;
        ASSERT_EQ(roundTo(format.format, sign * probe),
                  byteToFloat(format.format, got))
            << sign * probe;
      }
    EXPECT_EQ(floatToByte(format.format, NAN), 0x7f);
    EXPECT_EQ(floatToByte(format.format, -NAN), 0x7f);
    EXPECT_TRUE(std::isnan(roundTo(format.format, NAN)));
  }
}

TEST(StorageTest, roundsToFloatAsTheHostDoes) {
  for (double probe :
       {0.1, 1e-40, 1e-46, 3.5e38, 3.4028235677973366e38, 1e300, -0.0})
    EXPECT_EQ(roundTo(FloatFormat::f32, probe), static_cast<float>(probe))
        << probe;
  EXPECT_TRUE(std::isnan(roundTo(FloatFormat::f32, NAN)));
}

TEST(StorageTest, integersKeepTheirValue) {
  const double values[] = {-128, 127, 0, 5};
  char bytes[32];
  for (StorageType type :
       {StorageType::i8, StorageType::i32, StorageType::i64}) {
    double back[4];
    narrow(type, values, bytes, 4);
    widen(type, bytes, back, 4);
    EXPECT_TRUE(std::equal(values, values + 4, back));
  }
  const double beyond[] = {1e30, -1e30, NAN};
  double back[3];
  narrow(StorageType::i32, beyond, bytes, 3);
  widen(StorageType::i32, bytes, back, 3);
  EXPECT_EQ(back[0], 2147483647.0);
  EXPECT_EQ(back[1], -2147483648.0);
  EXPECT_EQ(back[2], 0.0);
}

TEST(StorageTest, namesRoundTrip) {
  for (StorageType type :
       {StorageType::f32, StorageType::bf16, StorageType::f16,
        StorageType::f8E4M3FN, StorageType::f8E5M2, StorageType::i8,
        StorageType::i32, StorageType::i64})
    EXPECT_EQ(parseStorageType(getName(type)), type);
  EXPECT_EQ(parseStorageType("f64"), std::nullopt);
}
