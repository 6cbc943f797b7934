//===- lib/CAPI/Runtime.cpp - launching from C ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments go on as they are; text is made where something is wrong.
//
//===----------------------------------------------------------------------===//

#include "quack-c/Runtime.h"

#include "Functions.h"

#include "llvm/ADT/SmallVector.h"

#include <cstddef>
#include <cstring>

using namespace quack;
using namespace quack::c;
using llvm::ArrayRef;
using llvm::Expected;
using llvm::StringRef;

struct QuackKernel {
  const Executable *executable;
  const Executable::Kernel *kernel;
};

struct QuackExecutable {
  std::unique_ptr<const Executable> executable;
  std::deque<std::pair<std::string, QuackKernel>> kernels; ///< in the metadata's order
};

/// Returns the options of a caller of this version or an older one.
static QuackLaunchOptions readOptions(const QuackLaunchOptions *given) {
  QuackLaunchOptions options = {};
  options.device = -1;
  if (given)
    std::memcpy(&options, given, std::min(given->size, sizeof(options)));
  return options;
}

static LaunchOptions convert(const QuackLaunchOptions *given) {
  QuackLaunchOptions read = readOptions(given);
  LaunchOptions options;
  options.stream = read.stream;
  options.device = read.device;
  options.workspace = reinterpret_cast<uint64_t>(read.workspace);
  options.workspaceBytes = read.workspaceBytes;
  return options;
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

static QuackExecutable *makeExecutable(std::string ptx, ModuleMetadata metadata,
                                       QuackDiagnostics **diagnostics) {
  Expected<std::unique_ptr<const Executable>> made =
      Executable::create(std::move(ptx), std::move(metadata));
  if (!made) {
    fail(diagnostics, made.takeError());
    return nullptr;
  }
  succeed(diagnostics);
  auto result = std::make_unique<QuackExecutable>();
  result->executable = std::move(*made);
  for (const KernelMetadata &kernel : result->executable->metadata().kernels)
    result->kernels.push_back(
        {kernel.name,
         {result->executable.get(), result->executable->lookup(kernel.name)}});
  return result.release();
}

QuackExecutable *quackLoad(const QuackCompiled *compiled, QuackDiagnostics **diagnostics) {
  if (compiled)
    return makeExecutable(compiled->ptx, compiled->metadata, diagnostics);
  fail(diagnostics, "there are no compiled kernels: `compiled` is NULL");
  return nullptr;
}

QuackExecutable *quackLoadTexts(const char *ptx, const char *metadata,
                                QuackDiagnostics **diagnostics) {
  auto refuse = [&](llvm::Error error) -> QuackExecutable * {
    fail(diagnostics, "the metadata cannot be read: " + toString(std::move(error)));
    return nullptr;
  };
  if (!ptx || !metadata)
    return refuse(llvm::createStringError("a text is NULL"));
  Expected<llvm::json::Value> json = llvm::json::parse(metadata);
  if (!json)
    return refuse(json.takeError());
  Expected<ModuleMetadata> document = ModuleMetadata::fromJSON(*json);
  if (!document)
    return refuse(document.takeError());
  return makeExecutable(ptx, std::move(*document), diagnostics);
}

void quackExecutableDestroy(QuackExecutable *executable) { delete executable; }

const QuackKernel *quackExecutableKernel(const QuackExecutable *executable,
                                         const char *name) {
  if (executable)
    for (const auto &[known, kernel] : executable->kernels)
      if (!name || known == name)
        return &kernel;
  return nullptr;
}

QuackArgument quackFloatValue(float value) {
  QuackArgument argument = {0, 0};
  std::memcpy(&argument.word, &value, sizeof(value));
  return argument;
}

QuackArgument quackIntegerValue(int64_t value) {
  return {static_cast<uint64_t>(value), 0};
}

int quackKernelWorkspaceBytes(const QuackKernel *kernel, int64_t rows,
                              const QuackArgument *arguments, size_t count, int64_t *bytes,
                              QuackDiagnostics **diagnostics) {
  if (!kernel || !bytes)
    return fail(diagnostics, "the kernel, or where its workspace is told, is NULL");
  Expected<int64_t> needed = kernel->executable->workspaceBytes(
      *kernel->kernel, ArrayRef(arguments, count), rows);
  if (!needed)
    return fail(diagnostics, needed.takeError());
  *bytes = *needed;
  return succeed(diagnostics);
}

int quackKernelLaunch(const QuackKernel *kernel, int64_t rows, const QuackArgument *arguments,
                      size_t count, const QuackLaunchOptions *options,
                      QuackDiagnostics **diagnostics) {
  if (!kernel)
    return fail(diagnostics, "the kernel is NULL");
  if (llvm::Error error = kernel->executable->launch(
          *kernel->kernel, ArrayRef(arguments, count), rows, convert(options)))
    return fail(diagnostics, std::move(error));
  return succeed(diagnostics);
}

int quackExecutablePrepare(const QuackExecutable *executable, int32_t device,
                           QuackDiagnostics **diagnostics) {
  if (!executable)
    return fail(diagnostics, "the executable is NULL");
  if (llvm::Error error = executable->executable->prepare(device))
    return fail(diagnostics, std::move(error));
  return succeed(diagnostics);
}

int quackExecutableOccupancy(const QuackExecutable *executable, const char *name,
                             int32_t device, QuackOccupancy *occupancy,
                             QuackDiagnostics **diagnostics) {
  if (!executable || !name || !occupancy)
    return fail(diagnostics, "the executable, the name or the result is NULL");
  Expected<KernelOccupancy> found = executable->executable->occupancy(name, device);
  if (!found)
    return fail(diagnostics, found.takeError());
  *occupancy = {found->ctasPerMultiprocessor, found->clusters, found->registers,
                found->localBytes};
  return succeed(diagnostics);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

QuackFunction *quackFunctionCreate(const char *text, size_t length, const char *fileName,
                                   const char *kernel, const QuackOption *options,
                                   size_t count, QuackDiagnostics **diagnostics) {
  jit::Options named;
  for (const QuackOption &option : ArrayRef(options, count))
    named[option.name ? option.name : ""] = option.value ? option.value : "";
  Expected<std::unique_ptr<jit::RowFunction>> made = jit::RowFunction::create(
      std::string(text ? text : "", text ? length : 0), fileName ? fileName : "program",
      kernel ? kernel : "", std::move(named));
  if (!made) {
    fail(diagnostics, made.takeError());
    return nullptr;
  }
  succeed(diagnostics);
  auto result = std::make_unique<QuackFunction>();
  result->function = std::move(*made);
  const jit::Signature &signature = result->function->signature();
  result->metadata = describe(signature);
  result->info = std::make_unique<KernelRecord>(result->metadata);
  result->info->markOptional(signature);
  return result.release();
}

void quackFunctionDestroy(QuackFunction *function) { delete function; }

const QuackKernelInfo *quackFunctionInfo(const QuackFunction *function) {
  return function ? function->info.get() : nullptr;
}

size_t quackFunctionSpecializations(const QuackFunction *function) {
  return function ? function->function->countSpecializations() : 0;
}

using CallArguments = llvm::SmallVector<jit::CallArgument, 16>;

static CallArguments convert(const QuackCallArgument *arguments, size_t count) {
  CallArguments result;
  for (const QuackCallArgument &argument : ArrayRef(arguments, count))
    result.push_back({argument.tensor, argument.isGiven != 0, argument.number,
                      argument.integer});
  return result;
}

int quackFunctionWorkspaceBytes(const QuackFunction *function,
                                const QuackCallArgument *arguments, size_t count,
                                int64_t *bytes, QuackDiagnostics **diagnostics) {
  if (!function || !bytes)
    return fail(diagnostics, "the function, or where its workspace is told, is NULL");
  Expected<int64_t> needed = function->function->workspaceBytes(convert(arguments, count));
  if (!needed)
    return fail(diagnostics, needed.takeError());
  *bytes = *needed;
  return succeed(diagnostics);
}

int quackFunctionCall(const QuackFunction *function, const QuackCallArgument *arguments,
                      size_t count, const QuackLaunchOptions *options,
                      QuackDiagnostics **diagnostics) {
  if (!function)
    return fail(diagnostics, "the function is NULL");
  LaunchOptions read = convert(options);
  jit::Call call{read.stream, read.workspace, read.workspaceBytes};
  if (llvm::Error error = (*function->function)(convert(arguments, count), call))
    return fail(diagnostics, std::move(error));
  return succeed(diagnostics);
}
