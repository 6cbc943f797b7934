//===- include/quack/Runtime/Npy.h - numpy's array files --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes .npy files (format versions 1 and 2, C order, little
// endian).
//
// | dtype | here                                                  |
// |-------|-------------------------------------------------------|
// | <f4   | f32                                                   |
// | <f2   | f16                                                   |
// | <u2   | bf16: each element is the upper half of an f32 pattern |
// | \|u1  | f8E4M3FN or f8E5M2, as the operand says: their patterns |
// | \|i1  | i8                                                    |
// | <i4   | i32                                                   |
// | <i8   | i64                                                   |
// | <f8   | read only: rounded to f32                             |
//
// numpy has no bf16: `x.view(numpy.uint16)` of an array with an ml_dtypes or
// torch bf16 type is what to save; of floats of 8 bits `x.view(numpy.uint8)`.
// The dtypes |V1 and <f1, as which ml_dtypes' are saved, are read as |u1 is.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_NPY_H
#define QUACK_RUNTIME_NPY_H

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace quack {

/// An array as a .npy file holds it, row-major.
struct NpyArray {
  StorageType type = StorageType::f32;
  std::vector<int64_t> shape;
  std::vector<char> data;
  /// Whether `type` is f8E4M3FN or f8E5M2 and the file does not say which.
  bool isEitherByte = false;

  /// Returns the number of elements.
  int64_t size() const;
};

/// Reads the file at `path`. Errors name the file and what is wrong with it.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Reads the elements of the file at `path` as it holds them, whatever numbers
/// they are.
llvm::Expected<std::vector<char>> readNpyBytes(llvm::StringRef path);

/// Checks that a file can be written at `path`, before work is done for it. Leaves no
/// file and changes none.
llvm::Error checkWritable(llvm::StringRef path);

/// Writes `data`, elements of `type` in the row-major order of `shape`.
llvm::Error writeNpy(llvm::StringRef path, StorageType type,
                     llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> data);

/// Returns the elements of `array` converted to `type`, rounded once. Floats
/// and integers do not turn into each other; patterns of 8 bits remain what
/// they are.
llvm::Expected<std::vector<char>> convertElements(const NpyArray &array,
                                                  StorageType type);

} // namespace quack

#endif // QUACK_RUNTIME_NPY_H
