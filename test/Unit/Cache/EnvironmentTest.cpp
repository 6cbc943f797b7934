//===- EnvironmentTest.cpp - where the cache is ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of lib/Cache/README.md, and what there is without them.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/DiskCache.h"

#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>

using namespace llvm;
using namespace quack;

namespace {
class EnvironmentTest : public ::testing::Test {
protected:
  void SetUp() override {
    for (const char *name :
         {"QUACK_CACHE_DIR", "QUACK_CACHE_SIZE", "XDG_CACHE_HOME", "HOME"})
      ::unsetenv(name);
  }
  static void set(const char *name, const char *value) { ::setenv(name, value, 1); }
  static std::string directory() {
    Expected<DiskCache> cache = DiskCache::fromEnvironment();
    return cache ? cache->directory().str() : toString(cache.takeError());
  }
};
} // namespace

TEST_F(EnvironmentTest, directory) {
  set("HOME", "/users/a");
  EXPECT_EQ(directory(), "/users/a/.cache/quack");
  set("XDG_CACHE_HOME", "relative");
  EXPECT_EQ(directory(), "/users/a/.cache/quack");
  set("XDG_CACHE_HOME", "");
  EXPECT_EQ(directory(), "/users/a/.cache/quack");
  set("XDG_CACHE_HOME", "/caches");
  EXPECT_EQ(directory(), "/caches/quack");
  set("QUACK_CACHE_DIR", "/elsewhere");
  EXPECT_EQ(directory(), "/elsewhere");
  SmallString<128> current;
  ASSERT_FALSE(sys::fs::current_path(current));
  set("QUACK_CACHE_DIR", "here");
  EXPECT_EQ(directory(), (current + "/here").str());
  for (const char *off : {"", "off"}) {
    set("QUACK_CACHE_DIR", off);
    EXPECT_EQ(directory(), "");
  }
}

TEST_F(EnvironmentTest, noHome) {
  set("HOME", "relative");
  EXPECT_EQ(directory(), "");
}

TEST_F(EnvironmentTest, size) {
  set("QUACK_CACHE_DIR", "/elsewhere");
  for (auto [text, bytes] : {std::pair<const char *, uint64_t>{"0", 0},
                             {"1000", 1000},
                             {"2K", 2048},
                             {"3m", uint64_t(3) << 20},
                             {"4G", uint64_t(4) << 30}}) {
    set("QUACK_CACHE_SIZE", text);
    Expected<DiskCache> cache = DiskCache::fromEnvironment();
    ASSERT_TRUE(bool(cache)) << toString(cache.takeError());
    EXPECT_EQ(cache->maxBytes(), bytes) << text;
  }
  ::unsetenv("QUACK_CACHE_SIZE");
  EXPECT_EQ(DiskCache::fromEnvironment()->maxBytes(), uint64_t(512) << 20);
  for (const char *text : {"", "many", "-1", "1.5G", "10T", "99999999999G", "0x10"}) {
    set("QUACK_CACHE_SIZE", text);
    EXPECT_EQ(directory(), "QUACK_CACHE_SIZE must be a number of bytes, or one with K, M or G "
                           "behind it, such as 512M, got '" +
                               std::string(text) + "'");
  }
}
