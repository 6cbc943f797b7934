//===- lib/Cache/Environment.cpp - where the cache is -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// QUACK_CACHE_DIR and QUACK_CACHE_SIZE, and the XDG base directories.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/DiskCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <limits>

using namespace llvm;
using namespace quack;

/// Returns the directory; empty for no cache on disk.
static std::string findDirectory() {
  SmallString<128> path;
  if (auto given = sys::Process::GetEnv("QUACK_CACHE_DIR")) {
    if (given->empty() || *given == "off")
      return "";
    path = *given;
    // The process may leave its directory.
    if (sys::fs::make_absolute(path))
      return "";
    return std::string(path);
  }
  // Relative ones are to be ignored (XDG Base Directory Specification).
  if (auto base = sys::Process::GetEnv("XDG_CACHE_HOME");
      base && sys::path::is_absolute(*base))
    path = *base;
  else if (sys::path::home_directory(path) && sys::path::is_absolute(path))
    sys::path::append(path, ".cache");
  else
    return "";
  sys::path::append(path, "quack");
  return std::string(path);
}

/// Reads a number of bytes, as 512M; returns whether it is one.
static bool readBytes(StringRef text, uint64_t &bytes) {
  uint64_t unit = text.consume_back_insensitive("k")   ? uint64_t(1) << 10
                  : text.consume_back_insensitive("m") ? uint64_t(1) << 20
                  : text.consume_back_insensitive("g") ? uint64_t(1) << 30
                                                       : 1;
  if (!to_integer(text, bytes, 10) || bytes > std::numeric_limits<uint64_t>::max() / unit)
    return false;
  bytes *= unit;
  return true;
}

Expected<DiskCache> DiskCache::fromEnvironment() {
  uint64_t maxBytes = defaultMaxBytes;
  auto size = sys::Process::GetEnv("QUACK_CACHE_SIZE");
  if (size && !readBytes(*size, maxBytes))
    return createStringError("QUACK_CACHE_SIZE must be a number of bytes, or one with K, M or G "
                             "behind it, such as 512M, got '" +
                             *size + "'");
  return DiskCache(findDirectory(), maxBytes);
}
