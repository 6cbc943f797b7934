//===- Storage.cpp - elements in memory ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions by bit arithmetic, the same on every host.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

using namespace quack;

std::optional<StorageType> quack::parseStorageType(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<StorageType>>(name)
      .Case("f32", StorageType::f32)
      .Case("bf16", StorageType::bf16)
      .Case("f16", StorageType::f16)
      .Case("f8E4M3FN", StorageType::f8E4M3FN)
      .Case("f8E5M2", StorageType::f8E5M2)
      .Case("i8", StorageType::i8)
      .Case("i32", StorageType::i32)
      .Case("i64", StorageType::i64)
      .Default(std::nullopt);
}

llvm::StringRef quack::getName(StorageType type) {
  switch (type) {
  case StorageType::f32:
    return "f32";
  case StorageType::bf16:
    return "bf16";
  case StorageType::f16:
    return "f16";
  case StorageType::f8E4M3FN:
    return "f8E4M3FN";
  case StorageType::f8E5M2:
    return "f8E5M2";
  case StorageType::i8:
    return "i8";
  case StorageType::i32:
    return "i32";
  case StorageType::i64:
    return "i64";
  }
  llvm_unreachable("unknown storage type");
}

int64_t quack::getSizeInBytes(StorageType type) {
  switch (type) {
  case StorageType::f8E4M3FN:
  case StorageType::f8E5M2:
  case StorageType::i8:
    return 1;
  case StorageType::bf16:
  case StorageType::f16:
    return 2;
  case StorageType::f32:
  case StorageType::i32:
    return 4;
  case StorageType::i64:
    return 8;
  }
  llvm_unreachable("unknown storage type");
}

FloatFormat quack::getFloatFormat(StorageType type) {
  switch (type) {
  case StorageType::bf16:
    return FloatFormat::bf16;
  case StorageType::f16:
    return FloatFormat::f16;
  case StorageType::f8E4M3FN:
    return FloatFormat::f8E4M3FN;
  case StorageType::f8E5M2:
    return FloatFormat::f8E5M2;
  default:
    return FloatFormat::f32;
  }
}

//===----------------------------------------------------------------------===//
// bf16 and f16
//===----------------------------------------------------------------------===//

static uint32_t toBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

static float toFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint16_t quack::floatToBF16(float value) {
  uint32_t bits = toBits(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float quack::bf16ToFloat(uint16_t bits) {
  return toFloat(static_cast<uint32_t>(bits) << 16);
}

uint16_t quack::floatToHalf(float value) {
  uint32_t bits = toBits(value);
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00 | ((magnitude >> 13) & 0x1ff);
  if (magnitude >= 0x477ff000) // 65520 and more round to infinity
    return sign | 0x7c00;
  if (magnitude < 0x38800000) { // below 2^-14: whole multiples of 2^-24
    float units = toFloat(magnitude) * 0x1p24f;
    return sign | static_cast<uint16_t>(std::nearbyint(units));
  }
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | static_cast<uint16_t>((rounded - 0x38000000) >> 13);
}

float quack::halfToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, fraction = bits & 0x3ff;
  if (exponent == 31)
    return toFloat(sign | 0x7f800000 | fraction << 13);
  if (exponent == 0)
    return std::copysign(static_cast<float>(fraction) * 0x1p-24f,
                         toFloat(sign));
  return toFloat(sign | ((exponent + 112) << 23) | fraction << 13);
}

//===----------------------------------------------------------------------===//
// 8 bits
//===----------------------------------------------------------------------===//

uint8_t quack::floatToByte(FloatFormat format, double value) {
  FloatTraits traits = getTraits(format);
  if (std::isnan(value))
    return 0x7f;
  double rounded = roundTo(traits, value), magnitude = std::fabs(rounded);
  auto sign = static_cast<uint8_t>(std::signbit(rounded) ? 0x80 : 0);
  if (magnitude < traits.minNormal)
    return sign | static_cast<uint8_t>(magnitude / traits.minSubnormal);
  // The pattern counts steps of the significand from the least normal number
  // on.
  int exponent = std::ilogb(magnitude), least = std::ilogb(traits.minNormal);
  int steps = 1 << (traits.precision - 1);
  double significand = std::ldexp(magnitude, traits.precision - 1 - exponent);
  return sign | static_cast<uint8_t>((exponent - least) * steps +
                                     static_cast<int>(significand));
}

float quack::byteToFloat(FloatFormat format, uint8_t bits) {
  FloatTraits traits = getTraits(format);
  int magnitude = bits & 0x7f, steps = 1 << (traits.precision - 1);
  bool hasInfinity = format == FloatFormat::f8E5M2;
  double value = magnitude * traits.minSubnormal;
  if (magnitude >= steps)
    value = std::ldexp((magnitude % steps + steps) * traits.minSubnormal,
                       magnitude / steps - 1);
  if (hasInfinity && magnitude == 0x7c)
    value = std::numeric_limits<double>::infinity();
  else if (magnitude > (hasInfinity ? 0x7c : 0x7e))
    value = std::numeric_limits<double>::quiet_NaN();
  return static_cast<float>(bits & 0x80 ? -value : value);
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

template <typename T, typename Fn>
static void widenEach(const void *from, double *to, int64_t count, Fn convert) {
  const char *bytes = static_cast<const char *>(from);
  for (int64_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, bytes + i * sizeof(T), sizeof(T));
    to[i] = static_cast<double>(convert(element));
  }
}

void quack::widen(StorageType type, const void *from, double *to,
                  int64_t count) {
  auto keep = [](auto element) { return element; };
  switch (type) {
  case StorageType::f32:
    return widenEach<float>(from, to, count, keep);
  case StorageType::bf16:
    return widenEach<uint16_t>(from, to, count, bf16ToFloat);
  case StorageType::f16:
    return widenEach<uint16_t>(from, to, count, halfToFloat);
  case StorageType::f8E4M3FN:
  case StorageType::f8E5M2:
    return widenEach<uint8_t>(from, to, count, [=](uint8_t bits) {
      return byteToFloat(getFloatFormat(type), bits);
    });
  case StorageType::i8:
    return widenEach<int8_t>(from, to, count, keep);
  case StorageType::i32:
    return widenEach<int32_t>(from, to, count, keep);
  case StorageType::i64:
    return widenEach<int64_t>(from, to, count, keep);
  }
}

template <typename T, typename Fn>
static void narrowEach(const double *from, void *to, int64_t count,
                       Fn convert) {
  char *bytes = static_cast<char *>(to);
  for (int64_t i = 0; i < count; ++i) {
    T element = convert(from[i]);
    std::memcpy(bytes + i * sizeof(T), &element, sizeof(T));
  }
}

template <typename T> static T clampTo(double value) {
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T most = std::numeric_limits<T>::max();
  if (std::isnan(value))
    return 0;
  if (value >= static_cast<double>(most))
    return most;
  return value <= static_cast<double>(least) ? least : static_cast<T>(value);
}

void quack::narrow(StorageType type, const double *from, void *to,
                   int64_t count) {
  switch (type) {
  case StorageType::f32:
    return narrowEach<float>(from, to, count,
                             [](double v) { return static_cast<float>(v); });
  case StorageType::bf16:
    // Rounded once from the double: what is then a bf16 number converts
    // exactly.
    return narrowEach<uint16_t>(from, to, count, [](double v) {
      return floatToBF16(static_cast<float>(roundTo(FloatFormat::bf16, v)));
    });
  case StorageType::f16:
    return narrowEach<uint16_t>(from, to, count, [](double v) {
      return floatToHalf(static_cast<float>(roundTo(FloatFormat::f16, v)));
    });
  case StorageType::f8E4M3FN:
  case StorageType::f8E5M2:
    return narrowEach<uint8_t>(from, to, count, [=](double v) {
      return floatToByte(getFloatFormat(type), v);
    });
  case StorageType::i8:
    return narrowEach<int8_t>(from, to, count, clampTo<int8_t>);
  case StorageType::i32:
    return narrowEach<int32_t>(from, to, count, clampTo<int32_t>);
  case StorageType::i64:
    return narrowEach<int64_t>(from, to, count, clampTo<int64_t>);
  }
}
