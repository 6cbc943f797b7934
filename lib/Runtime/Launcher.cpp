//===- Launcher.cpp - metadata to launch -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packs parameters, and launches the stages of the variant that LaunchRules
// chooses.
//
//===----------------------------------------------------------------------===//

#include "quack/Runtime/Launcher.h"

#include "quack/Runtime/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace llvm;
using namespace quack;

static bool isValue(const OperandMetadata &operand) {
  return operand.role == "value";
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Returns a scalar's bytes as the kernel's parameter type holds them.
static uint64_t packScalar(StringRef type, double value) {
  StorageType storage = parseStorageType(type).value_or(StorageType::f32);
  uint64_t word = 0;
  narrow(storage, &value, &word, /*count=*/1);
  return word;
}

ParameterPack::ParameterPack(const KernelMetadata &kernel,
                             ArrayRef<LaunchArgument> arguments, int64_t rows,
                             cuda::DevicePointer workspace) {
  for (auto [operand, argument] : zip_equal(kernel.operands, arguments))
    if (!isValue(operand)) {
      values.push_back(argument.pointer);
      values.push_back(static_cast<uint64_t>(argument.rowStride));
    }
  values.push_back(static_cast<uint64_t>(rows));
  for (auto [operand, argument] : zip_equal(kernel.operands, arguments))
    if (isValue(operand))
      values.push_back(packScalar(operand.type, argument.scalar));
  if (kernel.hasWorkspace())
    values.push_back(workspace);
  for (uint64_t &value : values)
    addresses.push_back(&value);
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

Expected<cuda::LaunchShape> quack::getLaunchShape(const KernelMetadata &kernel,
                                                  int64_t rows) {
  Expected<int64_t> ctas = countCtas(kernel, rows);
  if (!ctas)
    return createStringError("kernel '" + kernel.name +
                             "': " + toString(ctas.takeError()));
  cuda::LaunchShape shape;
  shape.grid = *ctas;
  shape.threads = kernel.threads;
  shape.cluster = kernel.cluster;
  shape.sharedBytes = kernel.sharedBytes;
  return shape;
}

std::string quack::describeLaunch(const KernelMetadata &kernel,
                                  const cuda::LaunchShape &shape) {
  std::string text;
  raw_string_ostream os(text);
  os << "kernel '" << kernel.name << "', grid (" << shape.grid
     << ", 1, 1), block (" << shape.threads << ", 1, 1), cluster "
     << shape.cluster << ", " << shape.sharedBytes
     << " bytes of dynamic shared memory";
  return text;
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

/// What the workspace must be a multiple of: its widest access.
static constexpr int64_t workspaceAlignment = 16;

/// Adds the launch to an error of the driver.
static Error withLaunch(Error error, const KernelMetadata &kernel,
                        const cuda::LaunchShape &shape) {
  if (!error)
    return error;
  return createStringError(toString(std::move(error)) + "; " +
                           describeLaunch(kernel, shape));
}

Expected<Launcher::Variant> Launcher::load(const KernelMetadata &kernel) const {
  int64_t sharedLimit = context->properties().sharedBytesPerBlock;
  if (kernel.sharedBytes > sharedLimit)
    return createStringError(
        "kernel '" + kernel.name + "': needs " + Twine(kernel.sharedBytes) +
        " bytes of shared memory, the GPU allows " + Twine(sharedLimit));
  Variant variant;
  variant.kernel = kernel;
  Expected<cuda::Function> function = context->getFunction(module, kernel.name);
  if (!function)
    return function.takeError();
  variant.function = *function;
  Expected<std::pair<int, int>> resources = context->getResources(*function);
  if (!resources)
    return resources.takeError();
  std::tie(variant.registers, variant.localBytes) = *resources;
  Expected<cuda::LaunchShape> shape = getLaunchShape(kernel, /*rows=*/1);
  if (!shape)
    return shape.takeError();
  if (Error error =
          withLaunch(context->prepare(*function, *shape), kernel, *shape))
    return error;
  return variant;
}

Expected<Launcher> Launcher::create(const cuda::Context &context, StringRef ptx,
                                    const ModuleMetadata &metadata,
                                    StringRef name) {
  Launcher launcher;
  launcher.context = &context;
  Expected<cuda::Module> module = context.loadModule(ptx);
  if (!module)
    return module.takeError();
  launcher.module = std::move(*module);
  for (const KernelMetadata *kernel : metadata.variantsOf(name)) {
    Expected<Variant> variant = launcher.load(*kernel);
    if (!variant)
      return variant.takeError();
    launcher.variants.push_back(std::move(*variant));
    std::vector<const KernelMetadata *> stages =
        metadata.stagesOf(kernel->name);
    if (!stages.back()->next.empty())
      return createStringError("kernel '" + stages.back()->name +
                               "': the stage after it, '" +
                               stages.back()->next + "', is not in the module");
    for (const KernelMetadata *later : ArrayRef(stages).drop_front()) {
      Expected<Variant> stage = launcher.load(*later);
      if (!stage)
        return stage.takeError();
      launcher.laterStages.push_back(std::move(*stage));
    }
  }
  if (launcher.variants.empty())
    return createStringError("the module has no kernel '" + name + "'");
  return launcher;
}

Expected<const KernelMetadata *>
Launcher::variantFor(ArrayRef<LaunchArgument> arguments, int64_t rows) const {
  std::vector<const KernelMetadata *> kernels;
  for (const Variant &variant : variants)
    kernels.push_back(&variant.kernel);
  return chooseVariant(kernels, arguments, rows);
}

const Launcher::Variant &Launcher::lookup(StringRef name) const {
  auto isIt = [&](const Variant &variant) {
    return variant.kernel.name == name;
  };
  auto found = find_if(variants, isIt);
  return found != variants.end() ? *found : *find_if(laterStages, isIt);
}

int Launcher::registersPerThread(StringRef variant) const {
  return lookup(variant).registers;
}

int Launcher::localBytesPerThread(StringRef variant) const {
  return lookup(variant).localBytes;
}

Expected<cuda::Occupancy> Launcher::occupancyOf(StringRef name) const {
  const Variant &variant = lookup(name);
  Expected<cuda::LaunchShape> shape =
      getLaunchShape(variant.kernel, /*rows=*/1);
  if (!shape)
    return shape.takeError();
  return context->getOccupancy(variant.function, *shape);
}

Error Launcher::launchStage(const Variant &stage,
                            ArrayRef<LaunchArgument> arguments, int64_t rows,
                            cuda::DevicePointer workspace) const {
  Expected<cuda::LaunchShape> shape = getLaunchShape(stage.kernel, rows);
  if (!shape)
    return shape.takeError();
  ParameterPack parameters(stage.kernel, arguments, rows, workspace);
  return withLaunch(
      context->launch(stage.function, *shape, parameters.pointers()),
      stage.kernel, *shape);
}

Error Launcher::launch(
    ArrayRef<LaunchArgument> arguments, int64_t rows,
    cuda::DevicePointer workspace,
    function_ref<void(const KernelMetadata &)> afterStage) const {
  Expected<const KernelMetadata *> kernel = variantFor(arguments, rows);
  if (!kernel)
    return kernel.takeError();
  if (rows == 0 && (*kernel)->ctas == 0)
    return Error::success();
  if ((*kernel)->hasWorkspace() &&
      (workspace == 0 || workspace % workspaceAlignment != 0))
    return createStringError(
        "kernel '" + (*kernel)->name + "': the workspace must be " +
        ((*kernel)->ctas
             ? Twine((*kernel)->fixedWorkspaceBytes)
             : Twine(rows) + " * " + Twine((*kernel)->workspaceBytes)) +
        " bytes at a multiple of " + Twine(workspaceAlignment) +
        ", got address 0x" + Twine::utohexstr(workspace));
  for (StringRef stage = (*kernel)->name; !stage.empty();) {
    const Variant &variant = lookup(stage);
    Error error = launchStage(variant, arguments, rows, workspace);
    if (afterStage)
      afterStage(variant.kernel);
    if (error)
      return error;
    stage = variant.kernel.next;
  }
  return Error::success();
}
