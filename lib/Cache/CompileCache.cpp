//===- lib/Cache/CompileCache.cpp - compile once ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One lock for what is in memory and for the keys that some thread works on; no
// lock is held while it reads the disk or compiles.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/CompileCache.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <condition_variable>
#include <list>
#include <mutex>

#include <pthread.h>

using namespace llvm;
using namespace quack;

struct CompileCache::State {
  State(DiskCache disk, uint64_t maxBytes) : disk(std::move(disk)), maxBytes(maxBytes) {}

  /// Returns the kernels that are in memory, which this uses; null if none are.
  Kernels find(StringRef digest);
  /// Keeps kernels in memory, and removes others.
  void keep(StringRef digest, Kernels kernels);
  /// Returns what is on disk; null if nothing is.
  Kernels readDisk(const CacheKey &key);
  /// Returns what is on disk, or what `compile` makes, which is then stored there.
  Expected<Kernels> load(const CacheKey &key,
                         function_ref<Expected<CompiledKernels>()> compile);
  /// Is called in a child after a fork that held the lock.
  void forgetOtherThreads();

  using Used = std::list<std::pair<std::string, Kernels>>; ///< by digest, last use first

  const DiskCache disk;
  const uint64_t maxBytes;
  std::mutex mutex;
  /// That a thread has finished a key. In a child its waiters are gone, which its destructor
  /// would wait for.
  std::unique_ptr<std::condition_variable> finished =
      std::make_unique<std::condition_variable>();
  StringSet<> inWork; ///< digests
  Used used;
  StringMap<Used::iterator> places;
  uint64_t bytes = 0; ///< of what is in `used`
  Counters counters;
  std::string lastRejection;
};

CompileCache::Kernels CompileCache::State::find(StringRef digest) {
  auto place = places.find(digest);
  if (place == places.end())
    return nullptr;
  used.splice(used.begin(), used, place->second);
  return used.front().second;
}

void CompileCache::State::keep(StringRef digest, Kernels kernels) {
  // A child of fork may have compiled what its parent was about to.
  if (places.contains(digest))
    return;
  bytes += kernels->bytes();
  used.emplace_front(digest, std::move(kernels));
  places[digest] = used.begin();
  while (bytes > maxBytes) {
    bytes -= used.back().second->bytes();
    places.erase(used.back().first);
    used.pop_back();
  }
}

CompileCache::Kernels CompileCache::State::readDisk(const CacheKey &key) {
  std::string rejected;
  std::optional<CompiledKernels> kernels = disk.lookup(key, rejected);
  std::lock_guard lock(mutex);
  if (!rejected.empty()) {
    ++counters.rejected;
    lastRejection = std::move(rejected);
  }
  if (!kernels)
    return nullptr;
  ++counters.diskHits;
  return std::make_shared<const CompiledKernels>(std::move(*kernels));
}

Expected<CompileCache::Kernels>
CompileCache::State::load(const CacheKey &key,
                          function_ref<Expected<CompiledKernels>()> compile) {
  if (Kernels kernels = readDisk(key))
    return kernels;
  Expected<CompiledKernels> compiled = compile();
  {
    std::lock_guard lock(mutex);
    ++counters.compiled;
  }
  if (!compiled)
    return compiled.takeError();
  if (compiled->cubinProblem.empty())
    disk.store(key, *compiled);
  return std::make_shared<const CompiledKernels>(std::move(*compiled));
}

void CompileCache::State::forgetOtherThreads() {
  (void)finished.release();
  finished = std::make_unique<std::condition_variable>();
  inWork.clear();
}

CompileCache::CompileCache(DiskCache disk, uint64_t maxBytes)
    : state(std::make_unique<State>(std::move(disk), maxBytes)) {}

CompileCache::~CompileCache() = default;

Expected<CompileCache::Kernels>
CompileCache::lookupOrCompile(const CacheKey &key,
                              function_ref<Expected<CompiledKernels>()> compile) {
  std::string digest = key.digest();
  std::unique_lock lock(state->mutex);
  while (true) {
    if (Kernels kernels = state->find(digest)) {
      ++state->counters.memoryHits;
      return kernels;
    }
    if (state->inWork.insert(digest).second)
      break;
    state->finished->wait(lock);
  }
  lock.unlock();

  Expected<Kernels> kernels = state->load(key, compile);

  lock.lock();
  state->inWork.erase(digest);
  if (kernels)
    state->keep(digest, *kernels);
  state->finished->notify_all();
  return kernels;
}

CompileCache::Counters CompileCache::counters() const {
  std::lock_guard lock(state->mutex);
  return state->counters;
}

std::string CompileCache::lastRejection() const {
  std::lock_guard lock(state->mutex);
  return state->lastRejection;
}

Expected<CompileCache &> CompileCache::process() {
  // Nothing is destroyed: threads may outlive static objects. Fork's handlers take no argument.
  static State *forked = nullptr;
  static std::string &problem = *new std::string;
  static CompileCache *cache = []() -> CompileCache * {
    Expected<DiskCache> disk = DiskCache::fromEnvironment();
    if (!disk) {
      problem = toString(disk.takeError());
      return nullptr;
    }
    auto *made = new CompileCache(std::move(*disk));
    forked = made->state.get();
    ::pthread_atfork([] { forked->mutex.lock(); }, [] { forked->mutex.unlock(); },
                     [] {
                       forked->forgetOtherThreads();
                       forked->mutex.unlock();
                     });
    return made;
  }();
  if (!cache)
    return createStringError(problem);
  return *cache;
}
