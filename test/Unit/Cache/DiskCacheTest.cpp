//===- DiskCacheTest.cpp - kernels on disk ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was stored comes back, and nothing else does: files that are cut, changed,
// of others or of other versions are misses, and go. What cannot be written is no
// error.
//
//===----------------------------------------------------------------------===//

#include "CacheTest.h"

#include "Cache/EntryFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <csignal>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace quack;

namespace {
class DiskCacheTest : public CacheTest {
protected:
  /// Expects that the file of "p" is no entry, for `reason`, and is gone afterwards.
  void expectRejected(StringRef reason) const {
    std::string file = onlyFile(), rejected;
    EXPECT_FALSE(DiskCache(directory).lookup(keyOf("p"), rejected)) << reason.str();
    EXPECT_TRUE(StringRef(rejected).contains(reason)) << rejected;
    EXPECT_FALSE(sys::fs::exists(file)) << reason.str();
    EXPECT_FALSE(DiskCache(directory).lookup(keyOf("p"), rejected));
    EXPECT_EQ(rejected, "");
  }
  /// Stores "p" and returns its file's bytes.
  std::string storeSample() const {
    EXPECT_TRUE(DiskCache(directory).store(keyOf("p"), sample()));
    return read(onlyFile());
  }
  static unsigned modeOf(const std::string &path) {
    struct stat status;
    return ::stat(path.c_str(), &status) ? 0 : status.st_mode & 0777;
  }
  /// Sets a file's last use to so many seconds ago.
  static void age(const std::string &path, int seconds) {
    int file = ::open(path.c_str(), O_RDONLY);
    ASSERT_GE(file, 0);
    ASSERT_FALSE(sys::fs::setLastAccessAndModificationTime(
        file, std::chrono::system_clock::now() - std::chrono::seconds(seconds)));
    ::close(file);
  }
};
} // namespace

TEST_F(DiskCacheTest, returnsWhatWasStored) {
  DiskCache cache(directory);
  std::string rejected;
  EXPECT_FALSE(cache.lookup(keyOf("p"), rejected));
  EXPECT_EQ(rejected, "");
  // Reading makes no directory.
  EXPECT_FALSE(sys::fs::exists(directory));
  ASSERT_TRUE(cache.store(keyOf("p"), sample()));
  ASSERT_TRUE(cache.store(keyOf("q"), {}));
  std::optional<CompiledKernels> kernels = cache.lookup(keyOf("p"), rejected);
  ASSERT_TRUE(kernels);
  EXPECT_EQ(kernels->ptx, "ptx");
  EXPECT_EQ(kernels->metadata, "metadata");
  EXPECT_EQ(kernels->cubin, (std::vector<uint8_t>{1, 0, 255}));
  EXPECT_EQ(kernels->cubinMadeBy, "ptxas 13.0.88");
  kernels = cache.lookup(keyOf("q"), rejected);
  ASSERT_TRUE(kernels);
  EXPECT_TRUE(kernels->ptx.empty() && kernels->cubin.empty());
  EXPECT_EQ(cache.list().size(), 2u);
  EXPECT_EQ(countFiles(), 2u);
  // The last one counts.
  ASSERT_TRUE(cache.store(keyOf("p"), sample("other")));
  EXPECT_EQ(cache.lookup(keyOf("p"), rejected)->ptx, "other");
}

TEST_F(DiskCacheTest, isForItsUserAlone) {
  ::umask(0);
  storeSample();
  ::umask(022);
  EXPECT_EQ(modeOf(directory), 0700u);
  EXPECT_EQ(modeOf(onlyFile()), 0600u);
  ASSERT_EQ(::chmod(onlyFile().c_str(), 0620), 0);
  expectRejected("other users may write to it");
}

TEST_F(DiskCacheTest, filesOfOthersStay) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  storeSample();
  std::string file = onlyFile(), rejected;
  ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(DiskCache(directory).lookup(keyOf("p"), rejected));
  EXPECT_TRUE(StringRef(rejected).contains("belongs to another user")) << rejected;
  EXPECT_TRUE(sys::fs::exists(file));
}

TEST_F(DiskCacheTest, truncatedFilesAreMisses) {
  std::string bytes = storeSample();
  // In the magic, each number, the hash, and each part of the body.
  for (size_t length = 0; length < bytes.size(); ++length) {
    write(onlyFile(), bytes.substr(0, length));
    expectRejected("truncated");
    ASSERT_TRUE(DiskCache(directory).store(keyOf("p"), sample()));
  }
  write(onlyFile(), bytes + "x");
  expectRejected("1 bytes too many");
}

TEST_F(DiskCacheTest, everyBitCounts) {
  std::string bytes = encodeEntry("key", sample());
  ASSERT_TRUE(bool(decodeEntry(bytes)));
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string changed = bytes;
    changed[bit / 8] ^= 1 << bit % 8;
    Expected<CacheEntry> entry = decodeEntry(changed);
    EXPECT_FALSE(bool(entry)) << "bit " << bit;
    consumeError(entry.takeError());
  }
}

TEST_F(DiskCacheTest, damagedFilesAreMisses) {
  std::string bytes = storeSample();
  bytes.back() ^= 1;
  write(onlyFile(), bytes);
  expectRejected("damaged: the hash is wrong");
}

TEST_F(DiskCacheTest, otherVersionsAreMisses) {
  std::string bytes = storeSample();
  support::endian::write64le(bytes.data() + entryVersionOffset, 2);
  // As a sound file of that version.
  bytes.replace(entryHashOffset, entryHeaderBytes - entryHashOffset, hashEntry(bytes));
  write(onlyFile(), bytes);
  expectRejected("format version 2, expected 1");
}

TEST_F(DiskCacheTest, otherKeysAreMisses) {
  storeSample();
  write(onlyFile(), encodeEntry(keyOf("q").bytes(), sample()));
  expectRejected("has another key");
}

TEST_F(DiskCacheTest, foreignFilesAreMisses) {
  storeSample();
  write(onlyFile(), std::string(200, 'x'));
  expectRejected("not a file of the cache");

  storeSample();
  std::string file = onlyFile();
  sys::fs::remove(file);
  ASSERT_EQ(::symlink("/etc/passwd", file.c_str()), 0);
  expectRejected("cannot be opened");
  EXPECT_TRUE(sys::fs::exists("/etc/passwd"));

  // Nobody waits for its writer.
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  std::string rejected;
  EXPECT_FALSE(DiskCache(directory).lookup(keyOf("p"), rejected));
  EXPECT_TRUE(StringRef(rejected).contains("not a regular file")) << rejected;
  ASSERT_TRUE(DiskCache(directory).store(keyOf("p"), sample()));
  EXPECT_TRUE(DiskCache(directory).lookup(keyOf("p"), rejected));

  sys::fs::remove(file);
  ASSERT_FALSE(sys::fs::create_directories(file + "/inside"));
  EXPECT_FALSE(DiskCache(directory).lookup(keyOf("p"), rejected));
  EXPECT_FALSE(DiskCache(directory).store(keyOf("p"), sample()));
}

TEST_F(DiskCacheTest, filesAreReadByTheirName) {
  DiskCache cache(directory);
  storeSample();
  CacheFile file = cache.list().front();
  Expected<CacheEntry> entry = cache.read(file);
  ASSERT_TRUE(bool(entry)) << toString(entry.takeError());
  EXPECT_EQ(entry->key, keyOf("p").bytes());
  EXPECT_EQ(entry->kernels.ptx, "ptx");
  EXPECT_EQ(file.digest(), keyOf("p").digest());
  EXPECT_EQ(file.bytes, read(file.path).size());
  write(file.path, encodeEntry(keyOf("q").bytes(), sample()));
  EXPECT_EQ(toString(cache.read(file).takeError()), "has another key");
  sys::fs::remove(file.path);
  EXPECT_EQ(toString(cache.read(file).takeError()), "is gone");
}

TEST_F(DiskCacheTest, removesWhatWasUsedLeastRecently) {
  CompiledKernels kernels = sample(std::string(1000, 'x'));
  DiskCache cache(directory, /*maxBytes=*/10000);
  auto name = [](int i) { return "p" + std::to_string(i); };
  for (int i = 0; i < 8; ++i)
    ASSERT_TRUE(cache.store(keyOf(name(i)), kernels));
  ASSERT_EQ(cache.list().size(), 8u);
  for (const CacheFile &file : cache.list())
    for (int i = 0; i < 8; ++i)
      if (file.digest() == keyOf(name(i)).digest())
        age(file.path, 100 - i);
  std::string rejected;
  EXPECT_TRUE(cache.lookup(keyOf("p0"), rejected));
  ASSERT_TRUE(cache.store(keyOf("p8"), kernels));
  EXPECT_FALSE(cache.lookup(keyOf("p1"), rejected));
  for (const char *kept : {"p0", "p3", "p7", "p8"})
    EXPECT_TRUE(cache.lookup(keyOf(kept), rejected)) << kept;
  uint64_t total = 0;
  for (const CacheFile &file : cache.list())
    total += file.bytes;
  EXPECT_LE(total, 10000u);
  // What is larger than all may be is not kept, and removes nothing.
  size_t count = cache.list().size();
  EXPECT_FALSE(cache.store(keyOf("large"), sample(std::string(20000, 'x'))));
  EXPECT_EQ(cache.list().size(), count);
}

TEST_F(DiskCacheTest, looksAtAllEntriesSeldom) {
  // 2000 entries of 1/1000 of the limit each: twice what there may be, and a tenth more.
  CompiledKernels kernels = sample(std::string(400, 'x'));
  uint64_t limit = 1000 * encodeEntry(keyOf("0000").bytes(), kernels).size();
  DiskCache cache(directory, limit);
  size_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(cache.store(keyOf(std::to_string(1000 + i)), kernels));
    if (i % 100 == 99)
      most = std::max(most, countFiles());
  }
  // More than there may be at once, so that not each store looks; but not many more.
  EXPECT_GT(most, 1000u);
  EXPECT_LT(most, 1150u);
}

TEST_F(DiskCacheTest, removesWhatIsOld) {
  DiskCache cache(directory);
  ASSERT_TRUE(cache.store(keyOf("old"), sample()));
  age(onlyFile(), 100);
  ASSERT_TRUE(cache.store(keyOf("new"), sample()));
  std::string ours = directory + "/notes.txt", left = directory + "/unfinished-1",
              written = directory + "/unfinished-2";
  for (const std::string &path : {ours, left, written})
    write(path, "x");
  age(ours, 10000);
  age(left, 10000);
  auto now = std::chrono::system_clock::now();
  EXPECT_EQ(cache.removeOlderThan(now - std::chrono::seconds(200)).size(), 0u);
  std::vector<CacheFile> removed = cache.removeOlderThan(now - std::chrono::seconds(50));
  ASSERT_EQ(removed.size(), 1u);
  EXPECT_EQ(removed.front().digest(), keyOf("old").digest());
  EXPECT_EQ(cache.list().size(), 1u);
  // Files that are not the cache's, or that somebody may still write, stay.
  EXPECT_TRUE(sys::fs::exists(ours));
  EXPECT_FALSE(sys::fs::exists(left));
  EXPECT_TRUE(sys::fs::exists(written));
}

TEST_F(DiskCacheTest, keepsNothingWhereItCannotWrite) {
  std::string rejected;
  for (const char *place : {"/proc/quack", "/dev/null/quack", "/dev/full"}) {
    DiskCache cache(place);
    EXPECT_FALSE(cache.store(keyOf("p"), sample())) << place;
    EXPECT_FALSE(cache.lookup(keyOf("p"), rejected)) << place;
    EXPECT_EQ(rejected, "") << place;
    EXPECT_TRUE(cache.list().empty()) << place;
  }
  DiskCache off("");
  EXPECT_FALSE(off.isOn());
  EXPECT_FALSE(off.store(keyOf("p"), sample()));
  EXPECT_FALSE(off.lookup(keyOf("p"), rejected));
  EXPECT_TRUE(off.list().empty());
  EXPECT_TRUE(off.removeOlderThan(std::chrono::system_clock::now()).empty());
}

/// Returns whether `body` returns true in a process of its own.
static bool isTrueInChild(function_ref<bool()> body) {
  pid_t child = ::fork();
  if (child == 0)
    ::_exit(body() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

TEST_F(DiskCacheTest, readsFromADirectoryThatIsReadOnly) {
  // Root writes everywhere.
  constexpr uid_t nobody = 65534;
  if (::geteuid() == 0) {
    ASSERT_EQ(::chown(root.c_str(), nobody, nobody), 0);
  }
  EXPECT_TRUE(isTrueInChild([&] {
    if (::geteuid() == 0 && ::setuid(nobody))
      return false;
    DiskCache cache(directory);
    std::string rejected;
    bool isGood = cache.store(keyOf("p"), sample()) && !::chmod(directory.c_str(), 0500) &&
                  cache.lookup(keyOf("p"), rejected) && !cache.store(keyOf("q"), sample()) &&
                  !cache.lookup(keyOf("q"), rejected) && rejected.empty();
    return ::chmod(directory.c_str(), 0700) == 0 && isGood;
  }));
}

TEST_F(DiskCacheTest, keepsNothingWhenTheDiskIsFull) {
  EXPECT_TRUE(isTrueInChild([&] {
    // A file that ends before the entry does.
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = {4096, 4096};
    DiskCache cache(directory);
    std::string rejected;
    return !::setrlimit(RLIMIT_FSIZE, &limit) && cache.store(keyOf("p"), sample()) &&
           !cache.store(keyOf("q"), sample(std::string(10000, 'x'))) &&
           !cache.lookup(keyOf("q"), rejected) && cache.lookup(keyOf("p"), rejected);
  }));
  // Nor is the part left that was written.
  EXPECT_EQ(countFiles(), 1u);
}
