//===- compile-cached.cpp - kernels by way of the cache --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the process's cache for kernels, one after the other, and prints what came
// and where it came from:
//
//   compile-cached [cubin] KERNEL [NAME=VALUE...] [-- [cubin] KERNEL ...]...
//   compile-cached threads=8 ...     each thread asks for all
//
// A kernel is a file, or `library:softmax`.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/CompileCached.h"
#include "quack/Pipelines/ReadModule.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <thread>

using namespace llvm;
using namespace quack;

/// Compiles what `words` say, and returns a line about it.
static std::string describe(ArrayRef<StringRef> words) {
  CompileRequest request;
  if (!words.empty() && words.front() == "cubin") {
    request.wantsCubin = true;
    words = words.drop_front();
  }
  if (words.empty())
    return "error: no kernel";
  std::string error;
  std::unique_ptr<MemoryBuffer> file = openProgram(words.front(), &error);
  if (!file)
    return "error: " + error;
  request.program = file->getBuffer();
  request.fileName = sys::path::filename(file->getBufferIdentifier());
  SmallVector<std::pair<StringRef, StringRef>> options;
  for (StringRef word : words.drop_front())
    options.push_back(word.split('='));
  request.options = options;
  auto kernels = compileCached(request);
  if (!kernels)
    return toString(kernels.takeError());
  std::string cubin = !(*kernels)->cubin.empty()          ? (*kernels)->cubinMadeBy
                      : !(*kernels)->cubinProblem.empty() ? (*kernels)->cubinProblem
                                                          : "none";
  return formatv("{0} ptx {1} metadata {2} cubin {3}", words.front(),
                 CacheKey::digestOf((*kernels)->ptx).substr(0, 16),
                 CacheKey::digestOf((*kernels)->metadata).substr(0, 16), cubin);
}

int main(int argc, char **argv) {
  SmallVector<StringRef> words(argv + 1, argv + argc);
  unsigned count = 1;
  if (!words.empty() && words.front().starts_with("threads="))
    if (words.front().split('=').second.getAsInteger(10, count))
      return 1;
  if (count > 1)
    words.erase(words.begin());
  auto askForAll = [&](std::vector<std::string> &lines) {
    ArrayRef<StringRef> rest(words);
    do {
      ArrayRef<StringRef> request = rest.take_while([](StringRef word) { return word != "--"; });
      lines.push_back(describe(request));
      rest = rest.drop_front(std::min(request.size() + 1, rest.size()));
    } while (!rest.empty());
  };
  std::vector<std::vector<std::string>> lines(count);
  std::vector<std::thread> threads;
  for (std::vector<std::string> &mine : lines)
    threads.emplace_back([&] { askForAll(mine); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<std::string> &mine : lines) {
    if (mine != lines.front()) {
      errs() << "threads got different kernels\n";
      return 1;
    }
  }
  for (const std::string &line : lines.front())
    outs() << line << "\n";
  if (Expected<CompileCache &> cache = CompileCache::process()) {
    CompileCache::Counters counters = cache->counters();
    outs() << formatv("compiled {0}, from memory {1}, from disk {2}, rejected {3}\n",
                      counters.compiled, counters.memoryHits, counters.diskHits,
                      counters.rejected);
  } else {
    consumeError(cache.takeError());
  }
}
