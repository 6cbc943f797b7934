//===- CacheKeyTest.cpp - what a result depends on -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever differs gives another key; what does not differ the same.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/CacheKey.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace quack;

using Options = std::vector<std::pair<StringRef, StringRef>>;

static CacheKey keyOf(StringRef program, const Options &options, StringRef build = "b") {
  return CacheKey().add("program", program).add("build", build).addOptions(options);
}

TEST(CacheKeyTest, everyFieldCounts) {
  const Options all = {{"columns", "4096"}, {"storage", "bf16"},   {"groups", "32"},
                       {"picks", "4"},      {"pin", "cluster = 2"}, {"target", "h200"},
                       {"chip", "sm_90"},   {"ptx-version", "83"},  {"max-cluster", "8"}};
  std::set<std::string> digests = {
      keyOf("p", all).digest(), keyOf("q", all).digest(), keyOf("p", all, "c").digest(),
      keyOf("p", {}).digest()};
  size_t count = digests.size();
  EXPECT_EQ(count, 4u);
  for (size_t changed = 0; changed < all.size(); ++changed) {
    Options options = all;
    options[changed].second = "9";
    digests.insert(keyOf("p", options).digest());
    options.erase(options.begin() + changed);
    digests.insert(keyOf("p", options).digest());
    EXPECT_EQ(digests.size(), count += 2) << all[changed].first.str();
  }
}

TEST(CacheKeyTest, partsDoNotRunTogether) {
  EXPECT_NE(keyOf("p", {{"a", "bc"}}).bytes(), keyOf("p", {{"ab", "c"}}).bytes());
  EXPECT_NE(keyOf("p", {{"a", "b"}, {"c", ""}}).bytes(), keyOf("p", {{"a", "b c="}}).bytes());
  EXPECT_NE(CacheKey().add("a", "b").add("c", "d").bytes(), CacheKey().add("a", "bcd").bytes());
  EXPECT_NE(CacheKey().add("a", StringRef("\0", 1)).bytes(), CacheKey().add("a", "").bytes());
  EXPECT_NE(CacheKey().add("option a", "b").bytes(), CacheKey().add("a", "b").bytes());
}

TEST(CacheKeyTest, optionsAreASet) {
  EXPECT_EQ(keyOf("p", {{"a", "1"}, {"b", "2"}}).digest(),
            keyOf("p", {{"b", "2"}, {"a", "1"}}).digest());
  // Which of the same name comes last decides.
  EXPECT_NE(keyOf("p", {{"a", "1"}, {"a", "2"}}).digest(),
            keyOf("p", {{"a", "2"}, {"a", "1"}}).digest());
}

TEST(CacheKeyTest, isParsed) {
  auto fields = CacheKey::parse(keyOf("text", {{"columns", "64"}}).bytes());
  ASSERT_TRUE(fields);
  ASSERT_EQ(fields->size(), 5u);
  EXPECT_EQ(fields->at(0).first, "compiler");
  EXPECT_TRUE(StringRef(fields->at(0).second).starts_with("quack 0."));
  EXPECT_EQ(fields->at(1), CacheKey::Field("llvm", LLVM_VERSION_STRING));
  EXPECT_EQ(fields->at(2), CacheKey::Field("program", "text"));
  EXPECT_EQ(fields->at(4), CacheKey::Field("option columns", "64"));
  std::string bytes = keyOf("text", {}).bytes().str();
  EXPECT_FALSE(CacheKey::parse(StringRef(bytes).drop_back()));
  EXPECT_FALSE(CacheKey::parse(bytes + "x"));
}

TEST(CacheKeyTest, digestIsHexadecimal) {
  std::string digest = keyOf("p", {}).digest();
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(StringRef(digest).find_first_not_of("0123456789abcdef"), StringRef::npos);
}

TEST(CacheKeyTest, buildsHaveIdentities) {
  // This program, and libc.
  std::string own = buildIdentityOf(reinterpret_cast<const void *>(&keyOf));
  std::string other = buildIdentityOf(reinterpret_cast<const void *>(&::getenv));
  // mold writes 20 bytes, others 8 to 20.
  EXPECT_GE(own.size(), 16u) << own;
  EXPECT_EQ(StringRef(own).find_first_not_of("0123456789abcdef"), StringRef::npos) << own;
  EXPECT_FALSE(other.empty());
  EXPECT_NE(own, other);
  static int data = 1;
  EXPECT_EQ(buildIdentityOf(&data), own);
  int onStack = 0;
  EXPECT_EQ(buildIdentityOf(&onStack), "");
}
