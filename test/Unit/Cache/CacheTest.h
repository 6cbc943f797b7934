//===- CacheTest.h - a directory for caches --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the cache share.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_CACHE_CACHETEST_H
#define QUACK_TEST_UNIT_CACHE_CACHETEST_H

#include "quack/Cache/DiskCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace quack {

/// A directory for a cache that is not there yet, removed at the end.
class CacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("quack-cache", root));
    directory = (root + "/cache").str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }

  static CacheKey keyOf(llvm::StringRef program) {
    return CacheKey().add("program", program);
  }
  static CompiledKernels sample(llvm::StringRef ptx = "ptx") {
    return {ptx.str(), "metadata", {1, 0, 255}, "ptxas 13.0.88", ""};
  }
  /// Returns the only file of the cache; empty if there are none or more.
  std::string onlyFile() const {
    std::vector<CacheFile> files = DiskCache(directory).list();
    return files.size() == 1 ? files.front().path : "";
  }
  static std::string read(llvm::StringRef path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  static void write(llvm::StringRef path, llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << bytes;
    ASSERT_FALSE(error) << error.message();
  }
  /// Returns how many files the directory holds, entries or not.
  size_t countFiles() const {
    std::error_code error;
    size_t count = 0;
    for (llvm::sys::fs::directory_iterator file(directory, error), end;
         file != end && !error; file.increment(error))
      ++count;
    return count;
  }

  llvm::SmallString<128> root;
  std::string directory;
};

} // namespace quack

#endif // QUACK_TEST_UNIT_CACHE_CACHETEST_H
