//===- tools/quack-cache/quack-cache.cpp - compiled kernels -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists, checks and clears the cache of compiled kernels on disk.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/DiskCache.h"
#include "quack/Target/KernelMetadata.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace quack;

static constexpr StringLiteral overview =
    R"(the cache of compiled kernels on disk

  quack-cache list [--json]              what is in it, what was used least recently first
  quack-cache dir                        where it is
  quack-cache verify                     reads all of it, and removes what is damaged
  quack-cache clear [--older-than=7d]    removes all, or what was not used for so long

QUACK_CACHE_DIR says where it is (default: $XDG_CACHE_HOME/quack, or
$HOME/.cache/quack), QUACK_CACHE_SIZE how large it may be (default: 512M).

Exit code: 0, or 1 for an error.
)";

namespace {
struct Options {
  cl::OptionCategory category{"quack-cache options"};
  cl::opt<std::string> verb{cl::Positional, cl::Required, cl::cat(category),
                            cl::desc("<list, dir, verify or clear>")};
  cl::opt<bool> json{"json", cl::cat(category), cl::desc("Of list: as JSON")};
  cl::opt<std::string> olderThan{
      "older-than", cl::cat(category), cl::value_desc("time"),
      cl::desc("Of clear: what was not used for so many s, m, h, d or w, such as 7d")};
};

/// What `list` shows of an entry.
struct Listing {
  CacheFile file;
  std::string problem; ///< why it is no good; the rest is empty then
  std::vector<std::string> kernels;
  std::vector<CacheKey::Field> fields; ///< of its key, but for the program
  uint64_t cubinBytes = 0;
  std::string cubinMadeBy;

  json::Value toJSON() const;
  /// Returns the options as `name=value`s.
  std::string optionsText() const;
};
} // namespace

static constexpr StringLiteral optionPrefix("option ");

static Listing describe(const DiskCache &cache, const CacheFile &file) {
  Listing listing{file};
  Expected<CacheEntry> entry = cache.read(file);
  if (!entry) {
    listing.problem = toString(entry.takeError());
    return listing;
  }
  if (auto fields = CacheKey::parse(entry->key))
    for (CacheKey::Field &field : *fields)
      if (field.first != "program")
        listing.fields.push_back(std::move(field));
  // What a key does not say the entry need not, either: its bytes are as they were written.
  Expected<json::Value> json = json::parse(entry->kernels.metadata);
  Expected<ModuleMetadata> metadata =
      json ? ModuleMetadata::fromJSON(*json) : json.takeError();
  if (metadata)
    for (const KernelMetadata &kernel : metadata->kernels)
      listing.kernels.push_back(kernel.name);
  else
    consumeError(metadata.takeError());
  listing.cubinBytes = entry->kernels.cubin.size();
  listing.cubinMadeBy = entry->kernels.cubinMadeBy;
  return listing;
}

/// Returns a time in UTC, as ISO 8601 has it.
static std::string formatTime(sys::TimePoint<> time) {
  return formatv("{0:%Y-%m-%dT%H:%M:%SZ}", sys::toUtcTime(sys::toTimeT(time)));
}

json::Value Listing::toJSON() const {
  json::Object object{{"file", file.path},
                      {"key", file.digest().str()},
                      {"bytes", file.bytes},
                      {"last_use", formatTime(file.lastUse)}};
  if (!problem.empty()) {
    object["problem"] = problem;
    return object;
  }
  json::Object options;
  json::Array builds;
  for (const auto &[name, value] : fields) {
    if (StringRef option = name; option.consume_front(optionPrefix))
      options[option.str()] = value;
    else if (name == "build")
      builds.push_back(value);
    else
      object[name] = value;
  }
  object["builds"] = std::move(builds);
  object["options"] = std::move(options);
  object["kernels"] = json::Array(kernels);
  object["cubin_bytes"] = cubinBytes;
  object["cubin_made_by"] = cubinMadeBy;
  return object;
}

std::string Listing::optionsText() const {
  std::vector<std::string> texts;
  for (const auto &[name, value] : fields)
    if (StringRef option = name; option.consume_front(optionPrefix))
      texts.push_back((option + "=" + value).str());
  return join(texts, " ");
}

static void list(const DiskCache &cache, bool asJSON) {
  json::Array array;
  uint64_t bytes = 0;
  std::vector<CacheFile> files = cache.list();
  for (const CacheFile &file : files) {
    Listing listing = describe(cache, file);
    bytes += file.bytes;
    if (asJSON) {
      array.push_back(listing.toJSON());
      continue;
    }
    outs() << formatv("{0}  {1}  {2,9}  ", file.digest().take_front(12),
                      formatTime(file.lastUse), file.bytes);
    if (listing.problem.empty())
      outs() << formatv("{0}  {1}  {2}\n", join(listing.kernels, ","), listing.optionsText(),
                        listing.cubinMadeBy.empty() ? "PTX" : listing.cubinMadeBy);
    else
      outs() << listing.problem << "\n";
  }
  if (asJSON)
    outs() << formatv("{0:2}\n", json::Value(std::move(array)));
  else
    outs() << formatv("{0} entries, {1} of {2} bytes\n", files.size(), bytes,
                      cache.maxBytes());
}

static Error verify(const DiskCache &cache) {
  std::vector<CacheFile> files = cache.list();
  size_t removed = 0;
  for (const CacheFile &file : files) {
    Expected<CacheEntry> entry = cache.read(file);
    if (entry)
      continue;
    std::string problem = toString(entry.takeError());
    if (std::error_code error = sys::fs::remove(file.path))
      return createStringError(file.path + " " + problem +
                               ", and cannot be removed: " + error.message());
    outs() << file.path << ": " << problem << "\n";
    ++removed;
  }
  outs() << formatv("{0} entries, {1} removed\n", files.size(), removed);
  return Error::success();
}

/// Reads a time such as 7d.
static Expected<std::chrono::seconds> readDuration(StringRef text) {
  static constexpr std::pair<char, int64_t> units[] = {
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 604800}};
  uint32_t number = 0;
  for (auto [letter, seconds] : units)
    if (!text.empty() && text.back() == letter && to_integer(text.drop_back(), number, 10))
      return std::chrono::seconds(number * seconds);
  return createStringError("--older-than must be a number with s, m, h, d or w behind it, such as "
                           "7d, got '" +
                           text + "'");
}

static Error clear(const DiskCache &cache, const Options &options) {
  // Also what has been used since this program was started.
  sys::TimePoint<> time = sys::TimePoint<>::max();
  if (options.olderThan.getNumOccurrences()) {
    Expected<std::chrono::seconds> age = readDuration(options.olderThan);
    if (!age)
      return age.takeError();
    time = std::chrono::system_clock::now() - *age;
  }
  uint64_t bytes = 0;
  std::vector<CacheFile> removed = cache.removeOlderThan(time);
  for (const CacheFile &file : removed)
    bytes += file.bytes;
  outs() << formatv("{0} entries removed, {1} bytes\n", removed.size(), bytes);
  return Error::success();
}

static Error run(const Options &options) {
  StringRef verb = options.verb;
  if (verb != "list" && verb != "dir" && verb != "verify" && verb != "clear")
    return createStringError("expected list, dir, verify or clear, got '" + verb + "'");
  if (options.json && verb != "list")
    return createStringError("--json is for list, got " + verb);
  if (options.olderThan.getNumOccurrences() && verb != "clear")
    return createStringError("--older-than is for clear, got " + verb);
  Expected<DiskCache> cache = DiskCache::fromEnvironment();
  if (!cache)
    return cache.takeError();
  if (!cache->isOn())
    return createStringError("there is no cache: QUACK_CACHE_DIR is empty or 'off', or there is "
                             "no home directory");
  if (verb == "verify")
    return verify(*cache);
  if (verb == "clear")
    return clear(*cache, options);
  if (verb == "list")
    list(*cache, options.json);
  else
    outs() << cache->directory() << "\n";
  return Error::success();
}

extern "C" int quackCacheMain(int argc, char **argv) {
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(argc, argv, overview);
  if (Error error = run(options)) {
    errs() << "quack-cache: " << toString(std::move(error)) << "\n";
    return 1;
  }
  return 0;
}
