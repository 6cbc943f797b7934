//===- CompileCacheTest.cpp - compile once ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is compiled how often: by one thread, by many, after errors, after a fork.
//
//===----------------------------------------------------------------------===//

#include "CacheTest.h"

#include "quack/Cache/CompileCache.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace quack;

namespace {
class CompileCacheTest : public CacheTest {
protected:
  /// Asks for `program`, whose PTX is its name; returns the PTX, or the error.
  static std::string ask(CompileCache &cache, StringRef program) {
    Expected<CompileCache::Kernels> kernels = cache.lookupOrCompile(
        keyOf(program), [&]() -> Expected<CompiledKernels> { return sample(program); });
    return kernels ? (*kernels)->ptx : toString(kernels.takeError());
  }
  static std::string fail(CompileCache &cache, StringRef program, StringRef error) {
    return toString(cache
                        .lookupOrCompile(keyOf(program),
                                         [&]() -> Expected<CompiledKernels> {
                                           return createStringError(error);
                                         })
                        .takeError());
  }
  static void expectCounters(const CompileCache &cache, uint64_t memoryHits, uint64_t diskHits,
                             uint64_t compiled, uint64_t rejected = 0) {
    CompileCache::Counters counters = cache.counters();
    EXPECT_EQ(counters.memoryHits, memoryHits);
    EXPECT_EQ(counters.diskHits, diskHits);
    EXPECT_EQ(counters.compiled, compiled);
    EXPECT_EQ(counters.rejected, rejected);
  }
};

/// A place where threads meet.
class Meeting {
public:
  void arrive() {
    std::lock_guard lock(mutex);
    ++arrived;
    changed.notify_all();
  }
  void await(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return arrived >= count; });
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
};
} // namespace

TEST_F(CompileCacheTest, compilesOnce) {
  CompileCache cache{DiskCache(directory)};
  EXPECT_EQ(ask(cache, "p"), "p");
  EXPECT_EQ(ask(cache, "p"), "p");
  EXPECT_EQ(ask(cache, "q"), "q");
  expectCounters(cache, 1, 0, 2);
  // As another process.
  CompileCache next{DiskCache(directory)};
  EXPECT_EQ(ask(next, "p"), "p");
  EXPECT_EQ(ask(next, "p"), "p");
  expectCounters(next, 1, 1, 0);
}

TEST_F(CompileCacheTest, worksWithoutADisk) {
  CompileCache cache{DiskCache("")};
  EXPECT_EQ(ask(cache, "p"), "p");
  EXPECT_EQ(ask(cache, "p"), "p");
  expectCounters(cache, 1, 0, 1);
  EXPECT_FALSE(sys::fs::exists(directory));
}

TEST_F(CompileCacheTest, compilesAnewWhatIsNoGood) {
  CompileCache first{DiskCache(directory)};
  EXPECT_EQ(ask(first, "p"), "p");
  write(onlyFile(), "x");
  CompileCache cache{DiskCache(directory)};
  EXPECT_EQ(ask(cache, "p"), "p");
  expectCounters(cache, 0, 0, 1, 1);
  EXPECT_TRUE(StringRef(cache.lastRejection()).ends_with("not a file of the cache"));
  CompileCache next{DiskCache(directory)};
  EXPECT_EQ(ask(next, "p"), "p");
  expectCounters(next, 0, 1, 0);
}

TEST_F(CompileCacheTest, errorsAreNotKept) {
  CompileCache cache{DiskCache(directory)};
  EXPECT_EQ(fail(cache, "p", "first"), "first");
  EXPECT_EQ(fail(cache, "p", "second"), "second");
  EXPECT_EQ(ask(cache, "p"), "p");
  expectCounters(cache, 0, 0, 3);
}

TEST_F(CompileCacheTest, lacksAreKeptInMemoryOnly) {
  auto compile = []() -> Expected<CompiledKernels> {
    return CompiledKernels{"ptx", "", {}, "", "no cubin today"};
  };
  CompileCache cache{DiskCache(directory)};
  ASSERT_TRUE(bool(cache.lookupOrCompile(keyOf("p"), compile)));
  EXPECT_EQ((*cache.lookupOrCompile(keyOf("p"), compile))->cubinProblem, "no cubin today");
  expectCounters(cache, 1, 0, 1);
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(CompileCacheTest, memoryIsBounded) {
  CompileCache cache(DiskCache(""), /*maxBytes=*/10 * sample("p0").bytes());
  for (int i = 0; i < 10; ++i)
    ask(cache, "p" + std::to_string(i));
  EXPECT_EQ(ask(cache, "p0"), "p0");
  expectCounters(cache, 1, 0, 10);
  ask(cache, "pa"); // instead of p1, which was used least recently
  ask(cache, "p0");
  ask(cache, "p2");
  expectCounters(cache, 3, 0, 11);
  ask(cache, "p1");
  expectCounters(cache, 3, 0, 12);
  // What is larger than all is returned all the same.
  std::string large(1000, 'x');
  EXPECT_EQ(ask(cache, large), large);
  EXPECT_EQ(ask(cache, large), large);
  expectCounters(cache, 3, 0, 14);
}

TEST_F(CompileCacheTest, threadsWaitForOneCompilation) {
  CompileCache cache{DiskCache(directory)};
  constexpr int count = 8;
  Meeting started;
  std::atomic<int> compilations = 0;
  std::vector<CompileCache::Kernels> results(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      started.arrive();
      auto kernels = cache.lookupOrCompile(keyOf("p"), [&]() -> Expected<CompiledKernels> {
        started.await(count);
        ++compilations;
        // Another key meanwhile, also by who compiles.
        EXPECT_EQ(ask(cache, "q"), "q");
        return sample();
      });
      ASSERT_TRUE(bool(kernels));
      results[i] = *kernels;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compilations, 1);
  EXPECT_TRUE(all_equal(results));
  expectCounters(cache, count - 1, 0, 2);
}

TEST_F(CompileCacheTest, whoWaitedForAnErrorCompiles) {
  CompileCache cache{DiskCache(directory)};
  Meeting second;
  std::thread waiter;
  std::string waited;
  EXPECT_EQ(toString(cache
                         .lookupOrCompile(keyOf("p"),
                                          [&]() -> Expected<CompiledKernels> {
                                            waiter = std::thread([&] {
                                              second.arrive();
                                              waited = ask(cache, "p");
                                            });
                                            second.await(1);
                                            return createStringError("first");
                                          })
                         .takeError()),
            "first");
  waiter.join();
  EXPECT_EQ(waited, "p");
  expectCounters(cache, 0, 0, 2);
}

TEST_F(CompileCacheTest, worksInChildrenOfForks) {
  ::setenv("QUACK_CACHE_DIR", directory.c_str(), 1);
  Expected<CompileCache &> found = CompileCache::process();
  ASSERT_TRUE(bool(found));
  CompileCache &cache = *found;
  EXPECT_EQ(&cache, &*CompileCache::process());
  EXPECT_EQ(ask(cache, "old"), "old");
  // Forks while one thread compiles and another waits for it.
  Meeting compiling, forked;
  auto compile = [&]() -> Expected<CompiledKernels> {
    compiling.arrive();
    forked.await(1);
    return sample("p");
  };
  std::thread compiler([&] { ASSERT_TRUE(bool(cache.lookupOrCompile(keyOf("p"), compile))); });
  compiling.await(1);
  std::thread waiter([&] { ASSERT_TRUE(bool(cache.lookupOrCompile(keyOf("p"), compile))); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20); // instead of waiting for ever
    bool isGood = ask(cache, "old") == "old" && ask(cache, "p") == "p" &&
                  ask(cache, "new") == "new" && cache.counters().compiled == 3;
    ::_exit(isGood ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  forked.arrive();
  compiler.join();
  waiter.join();
  EXPECT_EQ(ask(cache, "p"), "p");
  EXPECT_EQ(cache.counters().compiled, 2u);
}
