//===- include/quack/Runtime/Storage.h - elements in memory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types that operands are stored in, and the way from a pattern in
// memory to a number and back. No MLIR and no CUDA here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_STORAGE_H
#define QUACK_RUNTIME_STORAGE_H

#include "quack/Support/FloatFormat.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace quack {

/// The element type of an operand in memory.
enum class StorageType { f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32, i64 };

/// Returns the type that is called `name` in metadata, if there is one.
std::optional<StorageType> parseStorageType(llvm::StringRef name);

/// Returns the name that parseStorageType takes.
llvm::StringRef getName(StorageType type);

/// Returns the bytes of one element.
int64_t getSizeInBytes(StorageType type);

inline bool isFloat(StorageType type) { return type <= StorageType::f8E5M2; }

/// Returns the format of a float storage type.
FloatFormat getFloatFormat(StorageType type);

/// Returns the patterns of `value` in bf16 and f16, rounded to nearest even. A
/// NaN stays one: its payload is cut off and the quiet bit set.
uint16_t floatToBF16(float value);
uint16_t floatToHalf(float value);

/// Returns the exact value of a pattern.
float bf16ToFloat(uint16_t bits);
float halfToFloat(uint16_t bits);

/// Returns the pattern of `value` in a format of 8 bits, rounded to nearest
/// even. What is out of range, infinities too, becomes the greatest finite
/// number of its sign; a NaN becomes the one with all other bits set, without a
/// sign.
uint8_t floatToByte(FloatFormat format, double value);

/// Returns the exact value of a pattern of 8 bits.
float byteToFloat(FloatFormat format, uint8_t bits);

/// Widens `count` elements at `from`; integers exactly up to 2^53.
void widen(StorageType type, const void *from, double *to, int64_t count);

/// Rounds `count` numbers to the elements at `to`; what is beyond an integer
/// type's range is clamped, NaN becomes 0.
void narrow(StorageType type, const double *from, void *to, int64_t count);

} // namespace quack

#endif // QUACK_RUNTIME_STORAGE_H
