//===- include/quack/Cache/DiskCache.h - kernels on disk --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directory of compiled kernels that processes share. Each entry is one file
// that says what it is of; what is damaged, foreign or of another version is no
// entry. Nothing here fails for the user: what cannot be read is not there, what
// cannot be written is not kept.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CACHE_DISKCACHE_H
#define QUACK_CACHE_DISKCACHE_H

#include "quack/Cache/CacheKey.h"
#include "quack/Cache/CompiledKernels.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace quack {

/// An entry as its file holds it.
struct CacheEntry {
  std::string key; ///< CacheKey::bytes
  CompiledKernels kernels;
};

/// What the directory says of an entry.
struct CacheFile {
  std::string path;
  uint64_t bytes = 0;
  llvm::sys::TimePoint<> lastUse;

  /// Returns the file's name without its ending: the digest of the key.
  llvm::StringRef digest() const;
};

/// The cache on disk. It holds no state but its place: threads and processes may use it at
/// once, and after a fork.
class DiskCache {
public:
  static constexpr uint64_t defaultMaxBytes = uint64_t(512) << 20;

  /// Makes a cache in `directory`, which need not be there; that keeps nothing if the name
  /// is empty. Entries beyond `maxBytes` in all are removed, those that were used least
  /// recently first; for a while there may be a tenth more.
  explicit DiskCache(std::string directory, uint64_t maxBytes = defaultMaxBytes)
      : path(std::move(directory)), limit(maxBytes) {}

  /// Makes the cache that QUACK_CACHE_DIR and QUACK_CACHE_SIZE ask for (lib/Cache/README.md).
  /// An error names a variable that cannot be read.
  static llvm::Expected<DiskCache> fromEnvironment();

  bool isOn() const { return !path.empty(); }
  llvm::StringRef directory() const { return path; }
  uint64_t maxBytes() const { return limit; }

  /// Returns the kernels that were stored under `key`, which this uses. A file that is no
  /// good is removed, unless it is another user's; `rejected` is then why, otherwise empty.
  std::optional<CompiledKernels> lookup(const CacheKey &key, std::string &rejected) const;

  /// Stores kernels under `key`, in place of what is there; returns whether that was possible.
  /// Readers see either.
  bool store(const CacheKey &key, const CompiledKernels &kernels) const;

  /// Returns the files of entries, those that were used least recently first.
  std::vector<CacheFile> list() const;
  /// Reads a file of `list`, which does not count as use. An error says why it is no good.
  llvm::Expected<CacheEntry> read(const CacheFile &file) const;

  /// Removes entries that were last used before `time`, and what writers that were killed
  /// have left; returns the entries removed.
  std::vector<CacheFile> removeOlderThan(llvm::sys::TimePoint<> time) const;

private:
  std::string pathOf(llvm::StringRef digest) const;
  bool write(llvm::StringRef target, llvm::StringRef bytes) const;
  void shrink() const;

  std::string path;
  uint64_t limit;
};

} // namespace quack

#endif // QUACK_CACHE_DISKCACHE_H
