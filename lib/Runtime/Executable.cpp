//===- lib/Runtime/Executable.cpp - kernels to launch -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch needs is laid out when the executable is made: a launch checks
// addresses against masks, points the parameters at the arguments where they
// are, and calls the driver. Sentences are made once something is wrong, by the
// rules that everybody else has (LaunchRules.h).
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Executable.h"

#include "CurrentContext.h"
#include "DriverCalls.h"
#include "quack/Runtime/Launcher.h"
#include "quack/Runtime/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace quack;

namespace {
/// What an operand's address, and of rows the stride, must be a multiple of.
struct Guard {
  unsigned operand;
  unsigned elementBytes; ///< 0: the stride may be anything
  uint64_t mask;
};

struct Stage {
  const KernelMetadata *kernel;
  unsigned index; ///< in Loaded::functions
};
} // namespace
struct Executable::Variant {
  std::vector<Stage> stages;
  std::vector<Guard> guards;
  std::vector<unsigned> memrefs, values; ///< operands in the order of parameters

  const KernelMetadata &kernel() const { return *stages.front().kernel; }
};

bool Executable::Kernel::mayNeedWorkspace() const {
  return any_of(variants,
                [](const Variant &variant) { return variant.kernel().hasWorkspace(); });
}

/// The functions of one context. Contexts are known by their number, since the
/// address of one that is gone may be another's.
struct Executable::Loaded {
  void *context;
  uint64_t id;
  std::vector<void *> functions; ///< in the order of the metadata
  const Loaded *next;
};

QuackArgument quack::makeValueArgument(StringRef type, double number) {
  QuackArgument argument = {0, 0};
  narrow(parseStorageType(type).value_or(StorageType::f32), &number, &argument.word,
         /*count=*/1);
  return argument;
}

//===----------------------------------------------------------------------===//
// Making one
//===----------------------------------------------------------------------===//

static std::vector<Guard> makeGuards(const KernelMetadata &kernel) {
  std::vector<Guard> guards;
  for (auto [index, operand] : enumerate(kernel.operands)) {
    if (operand.role == "value" || operand.alignmentBytes <= 1)
      continue;
    unsigned bytes = operand.role == "row"
                         ? getSizeInBytes(*parseStorageType(operand.type))
                         : 0;
    guards.push_back({unsigned(index), bytes, uint64_t(operand.alignmentBytes) - 1});
  }
  return guards;
}

/// Returns what is wrong with a document that was read from somewhere; empty if
/// it can be launched by.
static std::string findWrong(const ModuleMetadata &document) {
  for (const KernelMetadata &kernel : document.kernels) {
    if (kernel.threads < 1 || kernel.cluster < 1 || kernel.rowsPerTile < 1 ||
        kernel.split < 1)
      return "kernel '" + kernel.name + "' has no shape to launch";
    for (const OperandMetadata &operand : kernel.operands)
      if (!isPowerOf2_64(operand.alignmentBytes) || !parseStorageType(operand.type))
        return "operand '" + operand.name + "' of kernel '" + kernel.name +
               "' has the type " + operand.type + " at multiples of " +
               std::to_string(operand.alignmentBytes) + " bytes";
    const KernelMetadata &last = *document.stagesOf(kernel.name).back();
    if (!last.next.empty())
      return "kernel '" + last.name + "': the stage after it, '" + last.next +
             "', is not in the module";
  }
  return "";
}

Expected<std::unique_ptr<const Executable>>
Executable::create(std::string ptx, ModuleMetadata metadata, std::string cubin,
                   const cuda::EntryPoints *api) {
  if (std::string wrong = findWrong(metadata); !wrong.empty())
    return createStringError("the metadata cannot be launched by: " + wrong);
  std::unique_ptr<Executable> result(new Executable);
  result->text = std::move(ptx);
  result->binary = std::move(cubin);
  result->document = std::move(metadata);
  result->givenApi = api;
  const std::vector<KernelMetadata> &all = result->document.kernels;
  for (const KernelMetadata &first : all) {
    Kernel kernel;
    kernel.name = first.name;
    for (const KernelMetadata *metadata : result->document.variantsOf(first.name)) {
      Variant variant;
      for (const KernelMetadata *stage : result->document.stagesOf(metadata->name))
        variant.stages.push_back({stage, unsigned(stage - all.data())});
      variant.guards = makeGuards(*metadata);
      for (auto [index, operand] : enumerate(metadata->operands))
        (operand.role == "value" ? variant.values : variant.memrefs)
            .push_back(unsigned(index));
      kernel.variants.push_back(std::move(variant));
    }
    result->kernels.push_back(std::move(kernel));
  }
  return std::unique_ptr<const Executable>(std::move(result));
}

Executable::Executable() = default;

Executable::~Executable() {
  for (const Loaded *entry = loaded; entry;)
    delete std::exchange(entry, entry->next);
}

const Executable::Kernel *Executable::lookup(StringRef name) const {
  auto found = find_if(kernels, [&](const Kernel &kernel) { return kernel.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Expected<cuda::CurrentContext> Executable::enter(int device) const {
  if (givenApi)
    return cuda::CurrentContext::enter(*givenApi, device);
  Expected<const cuda::EntryPoints *> api = cuda::processDriver();
  if (!api)
    return api.takeError();
  return cuda::CurrentContext::enter(**api, device);
}

Expected<void *> Executable::loadModule(const cuda::EntryPoints &api) const {
  if (!binary.empty()) {
    // A driver that is too old for this cubin, or another chip's, may take the PTX.
    Expected<void *> module = cuda::loadImage(api, binary.data());
    if (module)
      return module;
    consumeError(module.takeError());
  }
  return cuda::loadImage(api, text.c_str());
}

Expected<const Executable::Loaded *> Executable::load(const cuda::EntryPoints &api,
                                                      void *context, uint64_t id,
                                                      void *stream) const {
  std::lock_guard<std::mutex> lock(loading);
  for (const Loaded *entry = loaded; entry; entry = entry->next)
    if (entry->context == context && entry->id == id)
      return entry;
  if (Error error = cuda::checkCapture(api, stream))
    return error;
  cuda::RelaxedCapture relaxed(api);
  Expected<void *> module = loadModule(api);
  if (!module)
    return module.takeError();
  auto entry = std::make_unique<Loaded>();
  auto fail = [&](Error error, const KernelMetadata &kernel) {
    api.moduleUnload(*module);
    return createStringError(toString(std::move(error)) + " (of kernel '" + kernel.name +
                             "', cluster " + Twine(kernel.cluster) + ", " +
                             Twine(kernel.sharedBytes) +
                             " bytes of dynamic shared memory)");
  };
  for (const KernelMetadata &kernel : document.kernels) {
    Expected<void *> function = cuda::findFunction(api, *module, kernel.name);
    if (!function)
      return fail(function.takeError(), kernel);
    cuda::LaunchShape shape;
    shape.cluster = kernel.cluster;
    shape.sharedBytes = kernel.sharedBytes;
    if (Error error = cuda::allowShape(api, *function, shape))
      return fail(std::move(error), kernel);
    entry->functions.push_back(*function);
  }
  entry->context = context;
  entry->id = id;
  entry->next = loaded;
  loaded = entry.release();
  return loaded.load();
}

Expected<const Executable::Loaded *> Executable::loadedIn(const cuda::EntryPoints &api,
                                                          void *stream) const {
  void *context = nullptr;
  uint64_t id = 0;
  if (int result = api.ctxGetCurrent(&context))
    return cuda::makeError(api, result, "cuCtxGetCurrent");
  if (!context)
    return createStringError("no CUDA context is current: make one current, or say which "
                             "device to launch on");
  if (int result = api.ctxGetId(context, &id))
    return cuda::makeError(api, result, "cuCtxGetId");
  for (const Loaded *entry = loaded; entry; entry = entry->next)
    if (entry->context == context && entry->id == id)
      return entry;
  return load(api, context, id, stream);
}

Error Executable::prepare(int device) const {
  Expected<cuda::CurrentContext> current = enter(device);
  if (!current)
    return current.takeError();
  return loadedIn(current->api(), /*stream=*/nullptr).takeError();
}

Expected<KernelOccupancy> Executable::occupancy(StringRef name, int device) const {
  auto kernel = find_if(document.kernels, [&](const KernelMetadata &candidate) {
    return candidate.name == name;
  });
  if (kernel == document.kernels.end())
    return createStringError("the module has no kernel '" + name + "'");
  Expected<cuda::CurrentContext> current = enter(device);
  if (!current)
    return current.takeError();
  Expected<const Loaded *> entry = loadedIn(current->api(), /*stream=*/nullptr);
  if (!entry)
    return entry.takeError();
  return cuda::queryKernel(current->api(), (*entry)->functions[kernel - document.kernels.begin()],
                              *kernel);
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static bool fulfils(const std::vector<Guard> &guards, ArrayRef<QuackArgument> arguments) {
  for (const Guard &guard : guards) {
    const QuackArgument &argument = arguments[guard.operand];
    if ((argument.word | uint64_t(argument.rowStride) * guard.elementBytes) & guard.mask)
      return false;
  }
  return true;
}

const Executable::Variant *Executable::choose(const Kernel &kernel,
                                              ArrayRef<QuackArgument> arguments,
                                              int64_t rows) const {
  for (const Variant &variant : kernel.variants) {
    if (arguments.size() != variant.kernel().operands.size())
      return nullptr;
    // Without rows the guards of some operands do not matter: the rules know.
    if (rows > 0 && rows >= variant.kernel().leastRows && fulfils(variant.guards, arguments))
      return &variant;
  }
  if (rows != 0)
    return nullptr;
  std::vector<LaunchArgument> launched;
  for (const QuackArgument &argument : arguments)
    launched.push_back({argument.word, argument.rowStride});
  for (const Variant &variant : kernel.variants)
    if (violatedGuard(variant.kernel(), launched, rows).empty())
      return &variant;
  return nullptr;
}

Error Executable::explainRefusal(const Kernel &kernel, ArrayRef<QuackArgument> arguments,
                                 int64_t rows) const {
  std::vector<LaunchArgument> launched;
  for (const QuackArgument &argument : arguments)
    launched.push_back({argument.word, argument.rowStride});
  std::vector<const KernelMetadata *> variants;
  for (const Variant &variant : kernel.variants)
    variants.push_back(&variant.kernel());
  if (size_t count = variants.back()->operands.size(); launched.size() != count)
    return createStringError("kernel '" + kernel.name + "': takes " + Twine(count) +
                             " operands, got " + Twine(launched.size()));
  if (Error error = countCtas(*variants.back(), rows).takeError())
    return createStringError("kernel '" + kernel.name + "': " + toString(std::move(error)));
  return chooseVariant(variants, launched, rows).takeError();
}

Expected<int64_t> Executable::workspaceBytes(const Kernel &kernel,
                                             ArrayRef<QuackArgument> arguments,
                                             int64_t rows) const {
  if (const Variant *variant = choose(kernel, arguments, rows))
    return getWorkspaceBytes(variant->kernel(), rows);
  return explainRefusal(kernel, arguments, rows);
}

/// What the workspace must be a multiple of: its widest access.
static constexpr uint64_t workspaceAlignment = 16;

static Error checkWorkspace(const KernelMetadata &kernel, int64_t rows,
                            const LaunchOptions &options) {
  Expected<int64_t> needed = getWorkspaceBytes(kernel, rows);
  if (!needed)
    return needed.takeError();
  if (*needed == 0 || (options.workspace != 0 && options.workspaceBytes >= *needed &&
                       options.workspace % workspaceAlignment == 0))
    return Error::success();
  return createStringError("kernel '" + kernel.name + "': the workspace must be " +
                           Twine(*needed) + " bytes at a multiple of " +
                           Twine(workspaceAlignment) + ", got " +
                           Twine(options.workspaceBytes) + " bytes at address 0x" +
                           Twine::utohexstr(options.workspace));
}

Error Executable::launchStages(const cuda::EntryPoints &api, const Variant &variant,
                               ArrayRef<QuackArgument> arguments, int64_t rows,
                               const LaunchOptions &options) const {
  Expected<cuda::LaunchShape> first = getLaunchShape(variant.kernel(), rows);
  if (!first)
    return first.takeError();
  Expected<const Loaded *> entry = loadedIn(api, options.stream);
  if (!entry)
    return createStringError(toString(entry.takeError()) + "; " +
                             describeLaunch(variant.kernel(), *first));
  uint64_t workspace = options.workspace;
  // The driver reads parameters, which these point to, and writes none.
  SmallVector<const void *, 40> parameters;
  for (unsigned operand : variant.memrefs) {
    parameters.push_back(&arguments[operand].word);
    parameters.push_back(&arguments[operand].rowStride);
  }
  parameters.push_back(&rows);
  for (unsigned operand : variant.values)
    parameters.push_back(&arguments[operand].word);
  if (variant.kernel().hasWorkspace())
    parameters.push_back(&workspace);
  for (const Stage &stage : variant.stages) {
    Expected<cuda::LaunchShape> shape = getLaunchShape(*stage.kernel, rows);
    if (!shape)
      return shape.takeError();
    int result = cuda::launchFunction(api, (*entry)->functions[stage.index],
                                      cuda::Configuration(*shape, options.stream),
                                      const_cast<void **>(parameters.data()));
    if (result != cuda::resultSuccess)
      return createStringError(
          toString(cuda::makeError(api, result, "cuLaunchKernelEx")) + "; " +
          describeLaunch(*stage.kernel, *shape) + cuda::adviceForLaunch(result));
  }
  return Error::success();
}

Error Executable::launch(const Kernel &kernel, ArrayRef<QuackArgument> arguments,
                         int64_t rows, const LaunchOptions &options) const {
  const Variant *variant = choose(kernel, arguments, rows);
  if (!variant)
    return explainRefusal(kernel, arguments, rows);
  if (rows == 0 && variant->kernel().ctas == 0)
    return Error::success();
  if (variant->kernel().hasWorkspace())
    if (Error error = checkWorkspace(variant->kernel(), rows, options))
      return error;
  Expected<cuda::CurrentContext> current = enter(options.device);
  if (!current)
    return current.takeError();
  return launchStages(current->api(), *variant, arguments, rows, options);
}

Error Executable::launchWithOwnWorkspace(const Kernel &kernel,
                                         ArrayRef<QuackArgument> arguments, int64_t rows,
                                         const LaunchOptions &options) const {
  Expected<int64_t> bytes = workspaceBytes(kernel, arguments, rows);
  if (!bytes)
    return bytes.takeError();
  if (*bytes == 0)
    return launch(kernel, arguments, rows, options);
  Expected<cuda::CurrentContext> current = enter(options.device);
  if (!current)
    return current.takeError();
  LaunchOptions own = options;
  own.workspaceBytes = *bytes;
  if (int result = current->api().memAllocAsync(&own.workspace, size_t(*bytes), options.stream))
    return createStringError(
        "kernel '" + kernel.name + "': its workspace of " + Twine(*bytes) + " bytes: " +
        toString(cuda::makeError(current->api(), result, "cuMemAllocAsync")));
  Error error = launch(kernel, arguments, rows, own);
  Error freed = cuda::makeError(current->api(), current->api().memFreeAsync(own.workspace, options.stream),
                                "cuMemFreeAsync");
  // After a launch that failed, the free tells the same.
  if (!error)
    return freed;
  consumeError(std::move(freed));
  return error;
}
