//===- include/quack/Support/Columns.h - how long rows may be ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule for N, as kernels and tools have it. No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_SUPPORT_COLUMNS_H
#define QUACK_SUPPORT_COLUMNS_H

#include <cstdint>
#include <string>

namespace quack {

/// The greatest N: column numbers are 32 bits wide.
inline constexpr int64_t maxColumns = int64_t(1) << 30;

/// Returns what is wrong with N as a user gives it, to follow the name of what
/// gives it; empty if nothing.
inline std::string violatedColumns(int64_t columns) {
  if (columns >= 1 && columns <= maxColumns)
    return "";
  return "must be 1 to " + std::to_string(maxColumns) + ", got " +
         std::to_string(columns);
}

} // namespace quack

#endif // QUACK_SUPPORT_COLUMNS_H
