//===- Reduction.cpp - what atomics do to memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "FloatBits.h"

#include <algorithm>

using namespace quack::sim;

llvm::StringRef quack::sim::getName(Reduction reduction) {
  static constexpr llvm::StringLiteral names[] = {"add", "min", "max", "and",
                                                  "or",  "xor", "inc", "dec"};
  return names[unsigned(reduction)];
}

template <typename T, Reduction kind> static T combine(T old, T b) {
  switch (kind) {
  case Reduction::add:
    return T(uint64_t(old) + uint64_t(b));
  case Reduction::minimum:
    return std::min(old, b);
  case Reduction::maximum:
    return std::max(old, b);
  case Reduction::bitAnd:
    return T(old & b);
  case Reduction::bitOr:
    return T(old | b);
  case Reduction::bitXor:
    return T(old ^ b);
  case Reduction::increment:
    return old >= b ? T(0) : T(old + 1);
  case Reduction::decrement:
    return old == 0 || old > b ? b : T(old - 1);
  }
}

template <typename T, typename F>
static void overElements(uint8_t *to, const uint8_t *from, size_t bytes, F f) {
  for (size_t i = 0; i < bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, to + i, sizeof(T));
    std::memcpy(&b, from + i, sizeof(T));
    a = f(a, b);
    std::memcpy(to + i, &a, sizeof(T));
  }
}

template <typename T, Reduction kind>
static void integers(uint8_t *to, const uint8_t *from, size_t bytes) {
  overElements<T>(to, from, bytes, combine<T, kind>);
}

template <bool flush>
static void addSingles(uint8_t *to, const uint8_t *from, size_t bytes) {
  overElements<uint32_t>(to, from, bytes, [](uint32_t a, uint32_t b) {
    if constexpr (flush)
      return flushed(canonical(asFloat(flushed(a)) + asFloat(flushed(b))));
    else
      return canonical(asFloat(a) + asFloat(b));
  });
}

static void addDoubles(uint8_t *to, const uint8_t *from, size_t bytes) {
  overElements<uint64_t>(to, from, bytes, [](uint64_t a, uint64_t b) {
    double sum = asDouble(a) + asDouble(b);
    return sum != sum ? canonicalDoubleNaN : asBits(sum);
  });
}

/// add, and min and max as the instructions of these names: a NaN gives way to
/// a number, +0 is above -0.
template <typename Format, Reduction kind>
static uint16_t combineHalves(uint16_t a, uint16_t b) {
  if constexpr (kind == Reduction::add)
    return uint16_t(roundTo(Format::format,
                            double(asFloat(Format::toBits(a))) +
                                double(asFloat(Format::toBits(b))),
                            Rounding::nearest));
  bool isNaNA = (a & 0x7fff) > Format::infinity;
  bool isNaNB = (b & 0x7fff) > Format::infinity;
  if (isNaNA || isNaNB)
    return isNaNA && isNaNB ? canonicalHalfNaN : isNaNA ? b : a;
  return (orderOf(a) > orderOf(b)) == (kind == Reduction::maximum) ? a : b;
}

template <typename Format, Reduction kind>
static void halves(uint8_t *to, const uint8_t *from, size_t bytes) {
  overElements<uint16_t>(to, from, bytes, combineHalves<Format, kind>);
}

/// PTX ISA, atom: which operations a type has.
template <typename T> static Reducer pickInteger(Reduction reduction) {
  switch (reduction) {
  case Reduction::add:
    return integers<T, Reduction::add>;
  case Reduction::minimum:
    return integers<T, Reduction::minimum>;
  case Reduction::maximum:
    return integers<T, Reduction::maximum>;
  default:
    return nullptr;
  }
}

template <typename T> static Reducer pickBits(Reduction reduction) {
  switch (reduction) {
  case Reduction::bitAnd:
    return integers<T, Reduction::bitAnd>;
  case Reduction::bitOr:
    return integers<T, Reduction::bitOr>;
  case Reduction::bitXor:
    return integers<T, Reduction::bitXor>;
  default:
    return nullptr;
  }
}

template <typename Format> static Reducer pickHalf(Reduction reduction) {
  switch (reduction) {
  case Reduction::add:
    return halves<Format, Reduction::add>;
  case Reduction::minimum:
    return halves<Format, Reduction::minimum>;
  case Reduction::maximum:
    return halves<Format, Reduction::maximum>;
  default:
    return nullptr;
  }
}

Reducer quack::sim::pickReducer(Reduction reduction, Type type, bool flush) {
  switch (type) {
  case Type::b32:
    return pickBits<uint32_t>(reduction);
  case Type::b64:
    return pickBits<uint64_t>(reduction);
  case Type::u32:
    return reduction == Reduction::increment
               ? integers<uint32_t, Reduction::increment>
           : reduction == Reduction::decrement
               ? integers<uint32_t, Reduction::decrement>
               : pickInteger<uint32_t>(reduction);
  case Type::s32:
    return pickInteger<int32_t>(reduction);
  case Type::u64:
    return pickInteger<uint64_t>(reduction);
  case Type::s64:
    return reduction == Reduction::add ? nullptr
                                       : pickInteger<int64_t>(reduction);
  case Type::f32:
    if (reduction != Reduction::add)
      return nullptr;
    return flush ? addSingles<true> : addSingles<false>;
  case Type::f64:
    return reduction == Reduction::add ? addDoubles : nullptr;
  case Type::f16:
  case Type::f16x2:
    return pickHalf<HalfFormat>(reduction);
  case Type::bf16:
  case Type::bf16x2:
    return pickHalf<BF16Format>(reduction);
  default:
    return nullptr;
  }
}
