//===- Launcher.cpp - metadata to launch -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that can be wrong with a launch is refused here, by name, before
// the GPU would fault or, worse, not fault.
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
                             ArrayRef<LaunchArgument> arguments, int64_t rows) {
  for (auto [operand, argument] : zip_equal(kernel.operands, arguments))
    if (!isValue(operand)) {
      values.push_back(argument.pointer);
      values.push_back(static_cast<uint64_t>(argument.rowStride));
    }
  values.push_back(static_cast<uint64_t>(rows));
  for (auto [operand, argument] : zip_equal(kernel.operands, arguments))
    if (isValue(operand))
      values.push_back(packScalar(operand.type, argument.scalar));
  for (uint64_t &value : values)
    addresses.push_back(&value);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Expected<cuda::LaunchShape> quack::getLaunchShape(const KernelMetadata &kernel,
                                                  int64_t rows) {
  constexpr int64_t maxGrid = (int64_t(1) << 31) - 1;
  if (rows < 0)
    return createStringError(
        "kernel '" + kernel.name +
        "': the number of rows must not be negative, got " + Twine(rows));
  int64_t tiles =
      rows / kernel.rowsPerTile + (rows % kernel.rowsPerTile != 0 ? 1 : 0);
  if (tiles > maxGrid / kernel.cluster)
    return createStringError("kernel '" + kernel.name + "': " + Twine(rows) +
                             " rows need more than the " + Twine(maxGrid) +
                             " CTAs of a grid (" + Twine(kernel.rowsPerTile) +
                             " rows a tile, clusters of " +
                             Twine(kernel.cluster) + ")");
  cuda::LaunchShape shape;
  shape.grid = tiles * kernel.cluster;
  shape.threads = kernel.threads;
  shape.cluster = kernel.cluster;
  shape.sharedBytes = kernel.sharedBytes;
  return shape;
}

Error quack::checkGuards(const KernelMetadata &kernel,
                         ArrayRef<LaunchArgument> arguments) {
  if (arguments.size() != kernel.operands.size())
    return createStringError("kernel '" + kernel.name + "': takes " +
                             Twine(kernel.operands.size()) + " operands, got " +
                             Twine(arguments.size()));
  for (auto [operand, argument] : zip_equal(kernel.operands, arguments)) {
    if (isValue(operand))
      continue;
    int64_t alignment = operand.alignmentBytes;
    auto fail = [&](const Twine &what, const Twine &got) {
      return createStringError("kernel '" + kernel.name + "': the " + what +
                               " of operand '" + operand.name +
                               "' must be a multiple of " + Twine(alignment) +
                               " bytes, got " + got);
    };
    if (argument.pointer % alignment != 0)
      return fail("address", "0x" + Twine::utohexstr(argument.pointer));
    std::optional<StorageType> type = parseStorageType(operand.type);
    if (!type)
      return createStringError("kernel '" + kernel.name + "': operand '" +
                               operand.name + "' has the unknown type " +
                               operand.type);
    int64_t strideBytes = argument.rowStride * getSizeInBytes(*type);
    if (operand.role == "row" && strideBytes % alignment != 0)
      return fail("row stride", Twine(strideBytes) + " (" +
                                    Twine(argument.rowStride) +
                                    " elements of " + operand.type + ")");
  }
  return Error::success();
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

/// Adds the launch to an error of the driver.
static Error withLaunch(Error error, const KernelMetadata &kernel,
                        const cuda::LaunchShape &shape) {
  if (!error)
    return error;
  return createStringError(toString(std::move(error)) + "; " +
                           describeLaunch(kernel, shape));
}

Expected<Launcher> Launcher::create(const cuda::Context &context, StringRef ptx,
                                    const KernelMetadata &kernel) {
  int64_t sharedLimit = context.properties().sharedBytesPerBlock;
  if (kernel.sharedBytes > sharedLimit)
    return createStringError(
        "kernel '" + kernel.name + "': needs " + Twine(kernel.sharedBytes) +
        " bytes of shared memory, the GPU allows " + Twine(sharedLimit));
  Launcher launcher;
  launcher.context = &context;
  launcher.kernel = kernel;
  Expected<cuda::Module> module = context.loadModule(ptx);
  if (!module)
    return module.takeError();
  launcher.module = std::move(*module);
  Expected<cuda::Function> function =
      context.getFunction(launcher.module, kernel.name);
  if (!function)
    return function.takeError();
  launcher.function = *function;
  Expected<std::pair<int, int>> resources = context.getResources(*function);
  if (!resources)
    return resources.takeError();
  std::tie(launcher.registers, launcher.localBytes) = *resources;
  Expected<cuda::LaunchShape> shape = getLaunchShape(kernel, /*rows=*/1);
  if (!shape)
    return shape.takeError();
  if (Error error =
          withLaunch(context.prepare(*function, *shape), kernel, *shape))
    return error;
  return launcher;
}

Error Launcher::launch(ArrayRef<LaunchArgument> arguments, int64_t rows) const {
  if (Error error = checkGuards(kernel, arguments))
    return error;
  Expected<cuda::LaunchShape> shape = getLaunchShape(kernel, rows);
  if (!shape)
    return shape.takeError();
  if (shape->grid == 0)
    return Error::success();
  ParameterPack parameters(kernel, arguments, rows);
  return withLaunch(context->launch(function, *shape, parameters.pointers()),
                    kernel, *shape);
}
