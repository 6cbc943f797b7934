//===- Types.h - the types of PTX -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fundamental and packed types (PTX ISA, "Types").
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_TYPES_H
#define QUACK_LIB_SIMULATOR_TYPES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace quack::sim {

enum class Type : uint8_t {
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2,
  b128,
  pred
};

/// Returns the type called `name`, without a dot.
std::optional<Type> parseType(llvm::StringRef name);
llvm::StringRef getName(Type type);

/// Returns the bytes of a value in memory; a predicate has none.
inline unsigned sizeOf(Type type) {
  constexpr uint8_t sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 1,  2,
                               4, 8, 2, 2, 4, 8, 4, 4, 16, 0};
  return sizes[unsigned(type)];
}
inline bool isSigned(Type type) {
  return type >= Type::s8 && type <= Type::s64;
}
inline bool isFloat(Type type) {
  return type >= Type::f16 && type <= Type::bf16x2;
}
inline bool isInteger(Type type) { return type <= Type::s64; }

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_TYPES_H
