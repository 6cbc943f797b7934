//===- lib/CAPI/Cache.cpp - library and cache from C ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"
#include "quack/Cache/CompileCached.h"
#include "quack/Kernels/Library.h"

#include <cstring>

using namespace quack;
using namespace quack::c;
using llvm::Expected;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

size_t quackLibraryCount(void) { return libraryKernels().size(); }

// Both texts are literals, which end with a null.
const char *quackLibraryName(size_t index) {
  return index < libraryKernels().size() ? libraryKernels()[index].name.data() : nullptr;
}

const char *quackLibraryText(const char *name) {
  Expected<StringRef> text = findLibraryKernel(name ? name : "");
  if (text)
    return text->data();
  llvm::consumeError(text.takeError());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

QuackCompiled *quackCompileText(const char *text, size_t length, const char *fileName,
                                const QuackOption *options, size_t count,
                                QuackDiagnostics **diagnostics) {
  std::vector<std::pair<StringRef, StringRef>> list;
  for (const QuackOption &option : llvm::ArrayRef(options, count))
    list.push_back({option.name ? option.name : "", option.value ? option.value : ""});
  CompileRequest request;
  request.program = StringRef(text ? text : "", text ? length : 0);
  request.fileName = fileName ? fileName : "program";
  request.options = list;
  auto refuse = [&](llvm::Error error) -> QuackCompiled * {
    fail(diagnostics, std::move(error));
    return nullptr;
  };
  Expected<CompileCache::Kernels> kernels = compileCached(request);
  if (!kernels)
    return refuse(kernels.takeError());
  Expected<llvm::json::Value> json = llvm::json::parse((*kernels)->metadata);
  if (!json)
    return refuse(json.takeError());
  Expected<ModuleMetadata> metadata = ModuleMetadata::fromJSON(*json);
  if (!metadata)
    return refuse(metadata.takeError());
  succeed(diagnostics);
  return makeCompiled((*kernels)->ptx, std::move(*metadata));
}

int quackCacheCount(QuackCacheCounters *counters, QuackDiagnostics **diagnostics) {
  if (!counters)
    return fail(diagnostics, "where the counters go is NULL");
  Expected<CompileCache &> cache = CompileCache::process();
  if (!cache)
    return fail(diagnostics, cache.takeError());
  CompileCache::Counters counted = cache->counters();
  *counters = {counted.memoryHits, counted.diskHits, counted.compiled, counted.rejected};
  return succeed(diagnostics);
}

char *quackCacheDirectory(QuackDiagnostics **diagnostics) {
  Expected<DiskCache> cache = DiskCache::fromEnvironment();
  if (!cache) {
    fail(diagnostics, cache.takeError());
    return nullptr;
  }
  succeed(diagnostics);
  return strdup(cache->directory().str().c_str());
}

int64_t quackCacheClear(QuackDiagnostics **diagnostics) {
  Expected<DiskCache> cache = DiskCache::fromEnvironment();
  if (!cache) {
    fail(diagnostics, cache.takeError());
    return -1;
  }
  succeed(diagnostics);
  return static_cast<int64_t>(cache->removeOlderThan(llvm::sys::TimePoint<>::max()).size());
}
