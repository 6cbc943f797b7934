//===- lib/Cache/DiskCache.cpp - kernels on disk ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file an entry, named by the digest of its key. A file is written under
// another name and renamed, so that names have whole files or none; a hit sets its
// time of change, by which files are removed.
//
// LLVM's TempFile is not for a library: it installs signal handlers in the process.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/DiskCache.h"

#include "EntryFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace quack;

static constexpr StringLiteral ending(".quack");
static constexpr StringLiteral unfinished("unfinished-");
/// Nothing that a compilation gives is nearly as large.
static constexpr int64_t maxFileBytes = int64_t(256) << 20;

StringRef CacheFile::digest() const { return sys::path::stem(path); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// How an attempt to read a file ended.
struct FileContent {
  std::optional<SmallVector<char, 0>> bytes; ///< nothing if there is a problem or no file
  std::string problem;                       ///< empty if there is no file
  bool isOthers = false;                     ///< the file is another user's

  StringRef text() const { return {bytes->data(), bytes->size()}; }
};
} // namespace

/// Reads a file that is ours alone: a cubin is code. `isUse` marks it as used now.
static FileContent readOwnFile(const std::string &path, bool isUse) {
  FileContent content;
  // A link leads elsewhere, and a pipe would be waited for.
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      content.problem = "cannot be opened: " + sys::StrError();
    return content;
  }
  scope_exit close([&] { ::close(file); });
  struct stat status;
  if (::fstat(file, &status)) {
    content.problem = "cannot be asked for its owner: " + sys::StrError();
    return content;
  }
  content.isOthers = status.st_uid != ::geteuid();
  if (content.isOthers)
    content.problem = "belongs to another user";
  else if (!S_ISREG(status.st_mode))
    content.problem = "not a regular file";
  else if (status.st_mode & (S_IWGRP | S_IWOTH))
    content.problem = "other users may write to it";
  else if (status.st_size > maxFileBytes)
    content.problem = "has more than " + std::to_string(maxFileBytes) + " bytes";
  if (!content.problem.empty())
    return content;
  // Not mapped, as by a MemoryBuffer: whoever truncates a mapped file ends the process.
  SmallVector<char, 0> bytes;
  bytes.reserve(status.st_size + sys::fs::DefaultReadChunkSize);
  if (Error error = sys::fs::readNativeFileToEOF(file, bytes)) {
    content.problem = "cannot be read: " + toString(std::move(error));
    return content;
  }
  content.bytes = std::move(bytes);
  if (isUse) // a file system that is read-only keeps the old time
    (void)::futimens(file, nullptr);
  return content;
}

/// Writes all of `bytes`; returns whether that worked.
static bool writeAll(int file, StringRef bytes) {
  raw_fd_ostream stream(file, /*shouldClose=*/true, /*unbuffered=*/true);
  stream << bytes;
  stream.close();
  bool isGood = !stream.has_error();
  // An error that nobody has seen ends the process.
  stream.clear_error();
  return isGood;
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

std::string DiskCache::pathOf(StringRef digest) const {
  SmallString<128> result(path);
  sys::path::append(result, digest + ending);
  return std::string(result);
}

std::optional<CompiledKernels> DiskCache::lookup(const CacheKey &key,
                                                 std::string &rejected) const {
  rejected.clear();
  if (!isOn())
    return std::nullopt;
  std::string file = pathOf(key.digest());
  FileContent content = readOwnFile(file, /*isUse=*/true);
  if (content.bytes) {
    Expected<CacheEntry> entry = decodeEntry(content.text());
    if (entry && entry->key == key.bytes())
      return std::move(entry->kernels);
    content.problem = entry ? "has another key" : toString(entry.takeError());
  }
  if (content.problem.empty())
    return std::nullopt;
  rejected = file + ": " + content.problem;
  if (!content.isOthers)
    sys::fs::remove(file);
  return std::nullopt;
}

bool DiskCache::write(StringRef target, StringRef bytes) const {
  SmallString<128> model(path), temporary;
  sys::path::append(model, unfinished + "%%%%%%%%%%%%");
  int file;
  auto create = [&] {
    return sys::fs::createUniqueFile(model, file, temporary, sys::fs::OF_None,
                                     sys::fs::owner_read | sys::fs::owner_write);
  };
  if (std::error_code error = create()) {
    // Whoever only reads the cache makes no directory.
    if (error != errc::no_such_file_or_directory ||
        sys::fs::create_directories(path, /*IgnoreExisting=*/true, sys::fs::owner_all) ||
        create())
      return false;
  }
  if (writeAll(file, bytes) && !sys::fs::rename(temporary, target))
    return true;
  sys::fs::remove(temporary);
  return false;
}

/// Returns whether storing `bytes` under `digest` is to look at all entries. Digests are even,
/// so that between two such looks all processes together store a twentieth of the limit, about,
/// without a count that they would have to share.
static bool isLookDue(StringRef digest, uint64_t bytes, uint64_t limit) {
  uint64_t number = 0;
  (void)to_integer(digest.take_front(15), number, 16);
  return number % std::max<uint64_t>(limit / 20, 1) < bytes;
}

bool DiskCache::store(const CacheKey &key, const CompiledKernels &kernels) const {
  if (!isOn())
    return false;
  std::string bytes = encodeEntry(key.bytes(), kernels), digest = key.digest();
  if (bytes.size() > std::min<uint64_t>(limit, maxFileBytes))
    return false;
  if (!write(pathOf(digest), bytes))
    return false;
  if (isLookDue(digest, bytes.size(), limit))
    shrink();
  return true;
}

Expected<CacheEntry> DiskCache::read(const CacheFile &file) const {
  FileContent content = readOwnFile(file.path, /*isUse=*/false);
  if (!content.bytes)
    return createStringError(content.problem.empty() ? "is gone" : content.problem);
  Expected<CacheEntry> entry = decodeEntry(content.text());
  if (entry && CacheKey::digestOf(entry->key) != file.digest())
    return createStringError("has another key");
  return entry;
}

//===----------------------------------------------------------------------===//
// All entries
//===----------------------------------------------------------------------===//

/// Calls `each` with the name and the status of the files in `directory`.
static void
visitFiles(StringRef directory,
           function_ref<void(const std::string &, const sys::fs::basic_file_status &)> each) {
  std::error_code error;
  for (sys::fs::directory_iterator file(directory, error, /*follow_symlinks=*/false), end;
       file != end && !error; file.increment(error))
    // What another process removes meanwhile has no status.
    if (auto status = file->status())
      each(file->path(), *status);
}

std::vector<CacheFile> DiskCache::list() const {
  std::vector<CacheFile> files;
  if (!isOn())
    return files;
  visitFiles(path, [&](const std::string &file, const sys::fs::basic_file_status &status) {
    StringRef name = sys::path::filename(file);
    if (name.consume_back(ending) && name.size() == 64 && all_of(name, isHexDigit))
      files.push_back({file, status.getSize(), status.getLastModificationTime()});
  });
  llvm::sort(files, [](const CacheFile &a, const CacheFile &b) {
    return std::tie(a.lastUse, a.path) < std::tie(b.lastUse, b.path);
  });
  return files;
}

/// Removes what writers that were killed have left in `directory`.
static void removeUnfinished(StringRef directory) {
  // Nobody writes for an hour.
  sys::TimePoint<> old = std::chrono::system_clock::now() - std::chrono::hours(1);
  visitFiles(directory, [&](const std::string &file, const sys::fs::basic_file_status &status) {
    if (sys::path::filename(file).starts_with(unfinished) &&
        status.getLastModificationTime() < old)
      sys::fs::remove(file);
  });
}

std::vector<CacheFile> DiskCache::removeOlderThan(sys::TimePoint<> time) const {
  std::vector<CacheFile> removed;
  for (CacheFile &file : list()) {
    if (file.lastUse >= time)
      break;
    if (!sys::fs::remove(file.path, /*IgnoreNonExisting=*/false))
      removed.push_back(std::move(file));
  }
  if (isOn())
    removeUnfinished(path);
  return removed;
}

void DiskCache::shrink() const {
  removeUnfinished(path);
  std::vector<CacheFile> files = list();
  uint64_t total = 0;
  for (const CacheFile &file : files)
    total += file.bytes;
  if (total <= limit)
    return;
  // Some more, or the next entry would be one too many again. Others may do the same at the
  // same time: each counts what it has seen, and all remove from the same end.
  for (const CacheFile &file : files) {
    if (total <= limit - limit / 20)
      break;
    sys::fs::remove(file.path);
    total -= file.bytes;
  }
}
