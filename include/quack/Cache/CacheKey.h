//===- include/quack/Cache/CacheKey.h - what a result depends on *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the outcome of a compilation depends on, as named fields. Names and
// values carry their lengths, so that no two lists of fields have the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CACHE_CACHEKEY_H
#define QUACK_CACHE_CACHEKEY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quack {

/// The key of one compilation.
class CacheKey {
public:
  using Field = std::pair<std::string, std::string>;

  /// Starts with the versions of this compiler and of the LLVM that it was built with.
  CacheKey();

  CacheKey &add(llvm::StringRef name, llvm::StringRef value);
  /// Adds options, which are a set: in the order of their names, and those of the same name
  /// in the order given, which decides between them.
  CacheKey &addOptions(llvm::ArrayRef<std::pair<llvm::StringRef, llvm::StringRef>> options);

  /// Returns the key itself.
  llvm::StringRef bytes() const { return encoded; }
  /// Returns the key's BLAKE3 in hexadecimal, 64 digits: the entry's name.
  std::string digest() const;
  static std::string digestOf(llvm::StringRef bytes);

  /// Returns the fields of a key; nothing if `bytes` is none.
  static std::optional<std::vector<Field>> parse(llvm::StringRef bytes);

private:
  std::string encoded;
};

/// Returns what tells the build of the loaded program or library that has code or data at
/// `address` from others: its GNU build id in hexadecimal; where it was linked without one, its file's
/// name, size and time of change; empty where no such object is known.
std::string buildIdentityOf(const void *address);

} // namespace quack

#endif // QUACK_CACHE_CACHEKEY_H
