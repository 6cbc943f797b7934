//===- lib/CAPI/Launch.cpp - what compiled programs call --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program's state is its kernels, which the first of its calls makes; if
// several are the first at once, one of them stays.
//
//===----------------------------------------------------------------------===//

#include "quack-c/Runtime.h"

#include "quack/Runtime/Executable.h"

#include <cstdio>

using namespace quack;

/// Returns the kernels of a program; those of another thread if it was faster.
static llvm::Expected<const Executable *> kernelsOf(void **state, const char *ptx,
                                                    const char *metadata) {
  if (void *known = __atomic_load_n(state, __ATOMIC_ACQUIRE))
    return static_cast<const Executable *>(known);
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(metadata);
  if (!json)
    return json.takeError();
  llvm::Expected<ModuleMetadata> document = ModuleMetadata::fromJSON(*json);
  if (!document)
    return document.takeError();
  llvm::Expected<std::unique_ptr<const Executable>> made =
      Executable::create(ptx, std::move(*document));
  if (!made)
    return made.takeError();
  void *expected = nullptr, *own = const_cast<Executable *>(made->get());
  if (!__atomic_compare_exchange_n(state, &expected, own, /*weak=*/false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return static_cast<const Executable *>(expected);
  return made->release();
}

static llvm::Error launch(void **state, const char *ptx, const char *metadata,
                          const char *name, int64_t rows,
                          llvm::ArrayRef<QuackArgument> arguments, void *stream) {
  llvm::Expected<const Executable *> executable = kernelsOf(state, ptx, metadata);
  if (!executable)
    return executable.takeError();
  const Executable::Kernel *kernel = (*executable)->lookup(name);
  if (!kernel)
    return llvm::createStringError("the program has no kernel '" + llvm::Twine(name) + "'");
  LaunchOptions options;
  options.stream = stream;
  return (*executable)->launchWithOwnWorkspace(*kernel, arguments, rows, options);
}

int32_t quackLaunch(void **state, const char *ptx, const char *metadata, const char *kernel,
                    int64_t rows, const QuackArgument *arguments, int64_t count,
                    void *stream) {
  llvm::Error error = launch(state, ptx, metadata, kernel, rows,
                             {arguments, static_cast<size_t>(count)}, stream);
  if (!error)
    return 0;
  // The caller is a program without words, which this ends.
  std::fprintf(stderr, "quackLaunch: %s\n", toString(std::move(error)).c_str());
  return 1;
}
