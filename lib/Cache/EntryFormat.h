//===- lib/Cache/EntryFormat.h - an entry as bytes --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// | offset | bytes |                                                        |
// |--------|-------|--------------------------------------------------------|
// | 0      | 8     | magic                                                  |
// | 8      | 8     | version of this format                                 |
// | 16     | 40    | lengths of the five parts                              |
// | 56     | 32    | BLAKE3 of all other bytes                              |
// | 88     |       | key, PTX, metadata, cubin, what the cubin was made by  |
//
// Numbers are 64-bit little-endian. Nothing follows the last part.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CACHE_ENTRYFORMAT_H
#define QUACK_LIB_CACHE_ENTRYFORMAT_H

#include "quack/Cache/DiskCache.h"

namespace quack {

inline constexpr size_t entryVersionOffset = 8;
inline constexpr size_t entryHashOffset = 56;
inline constexpr size_t entryHeaderBytes = 88;

/// Returns the bytes of an entry.
std::string encodeEntry(llvm::StringRef key, const CompiledKernels &kernels);

/// Returns the entry that `bytes` are; an error says what is wrong with them.
llvm::Expected<CacheEntry> decodeEntry(llvm::StringRef bytes);

/// Returns the hash that an entry of these bytes must have, which need not be sound otherwise
/// but have a whole header.
std::string hashEntry(llvm::StringRef bytes);

} // namespace quack

#endif // QUACK_LIB_CACHE_ENTRYFORMAT_H
