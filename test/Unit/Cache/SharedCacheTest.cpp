//===- SharedCacheTest.cpp - many processes, one directory -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that store, read, evict, damage and clear the same entries at once:
// whoever gets kernels gets the right ones, whole.
//
//===----------------------------------------------------------------------===//

#include "CacheTest.h"

#include "quack/Cache/CompileCache.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace quack;

namespace {
class SharedCacheTest : public CacheTest {
protected:
  /// Returns the PTX of program `number`: some pages long, so that a write takes a while.
  static std::string ptxOf(int number) {
    return std::string(20000 + 1000 * number, 'a' + number);
  }
  /// Asks for programs again and again; returns whether all that came was right.
  static bool work(const DiskCache &disk, int process) {
    for (int i = 0; i < 200; ++i) {
      int number = (i * 7 + process) % 8;
      // A new one each time: nothing is in memory.
      CompileCache cache{disk};
      auto kernels = cache.lookupOrCompile(
          keyOf("p" + std::to_string(number)),
          [&]() -> Expected<CompiledKernels> { return sample(ptxOf(number)); });
      if (!kernels || (*kernels)->ptx != ptxOf(number))
        return false;
      // One process removes, one cuts files.
      std::vector<CacheFile> files = i % 5 ? std::vector<CacheFile>() : disk.list();
      if (process == 0)
        for (const CacheFile &file : files)
          sys::fs::remove(file.path);
      if (process == 1 && !files.empty())
        (void)::truncate(files.front().path.c_str(), 100 * (i % 7));
    }
    return true;
  }
};
} // namespace

TEST_F(SharedCacheTest, processesShareEntries) {
  // Room for half of what there is: they evict, too.
  DiskCache disk(directory, /*maxBytes=*/100000);
  std::vector<pid_t> children;
  for (int process = 0; process < 8; ++process) {
    pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      ::_exit(work(disk, process) ? 0 : 1);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  // Nobody leaves a file that is not finished.
  EXPECT_EQ(countFiles(), disk.list().size());
}
