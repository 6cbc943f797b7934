//===- include/quack/Cache/CompileCache.h - compile once --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled kernels by their key: in memory, then on disk, then by a compilation.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CACHE_COMPILECACHE_H
#define QUACK_CACHE_COMPILECACHE_H

#include "quack/Cache/DiskCache.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace quack {

/// A cache in memory before one on disk. Any number of threads may use it at once.
class CompileCache {
public:
  using Kernels = std::shared_ptr<const CompiledKernels>;

  static constexpr uint64_t defaultMaxBytes = uint64_t(64) << 20;

  /// Makes a cache of at most `maxBytes` in memory before `disk`. Kernels that callers still
  /// hold do not count once they have been removed.
  explicit CompileCache(DiskCache disk, uint64_t maxBytes = defaultMaxBytes);
  ~CompileCache();

  /// Returns the process-wide cache, made at the first call as the environment says
  /// (DiskCache::fromEnvironment). It may be used after fork in the child, also if other
  /// threads were compiling: what they had not finished is compiled anew there. An error names
  /// a variable that cannot be read, at each call.
  static llvm::Expected<CompileCache &> process();

  /// Returns the kernels of `key`: from memory, from disk, or what `compile` returns, which is
  /// then kept. Of threads that ask for the same key at once, one compiles and the others wait.
  /// An error of `compile` is returned and not kept: a thread that waited compiles itself.
  /// `compile` may ask this cache for other keys, not for the same. Processes do not wait for
  /// each other.
  llvm::Expected<Kernels>
  lookupOrCompile(const CacheKey &key,
                  llvm::function_ref<llvm::Expected<CompiledKernels>()> compile);

  /// How often kernels came from where, since this was made.
  struct Counters {
    uint64_t memoryHits = 0;
    uint64_t diskHits = 0;
    uint64_t compiled = 0; ///< `compile` was called, with success or not
    uint64_t rejected = 0; ///< files on disk that were no good
  };
  Counters counters() const;
  /// Returns why the file that was rejected last was no good; empty if none was.
  std::string lastRejection() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace quack

#endif // QUACK_CACHE_COMPILECACHE_H
