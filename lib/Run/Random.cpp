//===- lib/Run/Random.cpp - inputs from a seed ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SplitMix64 of the element's number. The sum of the four 16-bit parts of a
// word is close enough to normal, and takes no logarithm.
//
//===----------------------------------------------------------------------===//

#include "quack/Run/Random.h"

#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstring>
#include <thread>
#include <vector>

using namespace quack;

static uint64_t splitMix(uint64_t state) {
  uint64_t z = state + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

uint64_t quack::mixSeed(uint64_t seed, llvm::StringRef name) {
  return splitMix(seed ^ llvm::xxh3_64bits(name));
}

static float normal(uint64_t word) {
  uint64_t sum = (word & 0xffff) + (word >> 16 & 0xffff) +
                 (word >> 32 & 0xffff) + (word >> 48);
  // Four uniform parts: mean 2 * 65535, deviation 65536 / sqrt(3).
  constexpr float mean = 131070.0f, perDeviation = 1.7320508f / 65536.0f;
  return (static_cast<float>(sum) - mean) * perDeviation;
}

template <typename T, typename Fn>
static void fillWith(uint64_t seed, int64_t begin, int64_t count, char *to,
                     Fn fn) {
  for (int64_t i = 0; i < count; ++i) {
    T element = fn(splitMix(seed + static_cast<uint64_t>(begin + i)));
    std::memcpy(to + i * sizeof(T), &element, sizeof(T));
  }
}

static void fill(const RandomSource &source, int64_t begin, int64_t count,
                 char *to) {
  auto columns = static_cast<uint64_t>(source.columns);
  switch (source.type) {
  case StorageType::f32:
    return fillWith<float>(source.seed, begin, count, to, normal);
  case StorageType::bf16:
    return fillWith<uint16_t>(source.seed, begin, count, to, [](uint64_t w) {
      return floatToBF16(normal(w));
    });
  case StorageType::f16:
    return fillWith<uint16_t>(source.seed, begin, count, to, [](uint64_t w) {
      return floatToHalf(normal(w));
    });
  case StorageType::f8E4M3FN:
  case StorageType::f8E5M2:
    return fillWith<uint8_t>(source.seed, begin, count, to, [&](uint64_t w) {
      return floatToByte(getFloatFormat(source.type), normal(w));
    });
  case StorageType::i8:
    return fillWith<int8_t>(source.seed, begin, count, to, [](uint64_t w) {
      return static_cast<int8_t>(static_cast<int64_t>(w % 201) - 100);
    });
  case StorageType::i32:
    return fillWith<int32_t>(source.seed, begin, count, to,
                             [=](uint64_t w) { return w % columns; });
  case StorageType::i64:
    return fillWith<int64_t>(source.seed, begin, count, to,
                             [=](uint64_t w) { return w % columns; });
  }
}

void quack::makeRandom(const RandomSource &source, int64_t begin, int64_t count,
                       char *to) {
  constexpr int64_t leastPerThread = 1 << 18;
  int64_t cores = std::max(1u, std::thread::hardware_concurrency());
  int64_t parts = std::clamp<int64_t>(count / leastPerThread, 1, cores);
  int64_t size = getSizeInBytes(source.type);
  auto part = [&](int64_t index) {
    int64_t first = count * index / parts, last = count * (index + 1) / parts;
    fill(source, begin + first, last - first, to + first * size);
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < parts; ++i)
    helpers.emplace_back(part, i);
  part(0);
  for (std::thread &helper : helpers)
    helper.join();
}
