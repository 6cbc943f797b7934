//===- lib/Simulator/HostLaunch.cpp - on host arrays ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses are the host's own. Operands that lie in one another, as where a
// kernel works in place, are one buffer.
//
//===----------------------------------------------------------------------===//

#include "quack/Simulator/HostLaunch.h"

#include "quack/Runtime/LaunchRules.h"
#include "quack/Runtime/Storage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <array>

using namespace llvm;
using namespace quack;
using namespace quack::sim;

namespace {
/// Bytes from `begin` on, before `end`.
struct Range {
  uint64_t begin, end;
};

/// Memory of a launch that holds no values at first.
struct Workspace {
  explicit Workspace(size_t bytes)
      : memory(bytes / 16 + 2), written(bytes),
        address(alignTo(reinterpret_cast<uint64_t>(memory.data()), 16)) {}
  std::vector<std::array<char, 16>> memory;
  std::vector<uint8_t> written;
  uint64_t address;
};
} // namespace

/// Returns what `rows` rows of `operand` occupy; a negative stride leads down from the
/// address.
static Range rangeOf(const OperandMetadata &operand, const KernelMetadata &kernel,
                     int64_t rows, const QuackArgument &argument) {
  int64_t bytes = getSizeInBytes(*parseStorageType(operand.type));
  int64_t columns = operand.role == "row" || operand.role == "columns" ? kernel.columns
                    : operand.hasOwnColumns()                          ? operand.columns
                                                                       : 1;
  bool isShared = operand.role == "columns" || operand.role == "single";
  if (rows == 0 && !isShared)
    return {argument.word, argument.word};
  int64_t last = isShared ? 0 : (rows - 1) * argument.rowStride * bytes;
  return {argument.word + std::min<int64_t>(last, 0),
          argument.word + std::max<int64_t>(last, 0) + columns * bytes};
}

/// Makes one buffer of ranges that overlap or touch.
static std::vector<Buffer> mergeRanges(std::vector<Range> ranges) {
  std::vector<Buffer> buffers;
  llvm::sort(ranges, [](Range a, Range b) { return a.begin < b.begin; });
  for (Range range : ranges) {
    if (range.begin == range.end)
      continue;
    uint64_t end = buffers.empty() ? 0 : buffers.back().address + buffers.back().bytes;
    if (range.begin >= end)
      buffers.push_back({range.begin, reinterpret_cast<void *>(range.begin),
                         range.end - range.begin});
    else if (range.end > end)
      buffers.back().bytes += range.end - end;
  }
  return buffers;
}

/// Launches one stage.
static Error launchStage(const sim::Module &module, const KernelMetadata &stage,
                         ArrayRef<QuackArgument> arguments, int64_t rows,
                         Workspace &workspace, const Options &options) {
  Expected<int64_t> ctas = countCtas(stage, rows);
  if (!ctas)
    return createStringError("kernel '" + stage.name + "': " + toString(ctas.takeError()));
  LaunchConfig config;
  config.kernel = stage.name;
  config.grid.x = static_cast<uint32_t>(*ctas);
  config.block.x = static_cast<uint32_t>(stage.threads);
  config.cluster.x = static_cast<uint32_t>(stage.cluster);
  config.sharedBytes = static_cast<uint32_t>(stage.sharedBytes);
  std::vector<uint64_t> values;
  std::vector<Range> ranges;
  for (auto [operand, argument] : zip_equal(stage.operands, arguments)) {
    if (operand.role == "value") {
      values.push_back(argument.word);
      continue;
    }
    config.arguments.push_back(argument.word);
    config.arguments.push_back(static_cast<uint64_t>(argument.rowStride));
    ranges.push_back(rangeOf(operand, stage, rows, argument));
  }
  config.arguments.push_back(static_cast<uint64_t>(rows));
  append_range(config.arguments, values);
  config.buffers = mergeRanges(std::move(ranges));
  if (stage.hasWorkspace()) {
    config.arguments.push_back(workspace.address);
    config.buffers.push_back({workspace.address,
                              reinterpret_cast<void *>(workspace.address),
                              workspace.written.size(), workspace.written.data()});
  }
  Expected<Report> report = module.launch(config, options);
  if (!report)
    return report.takeError();
  if (report->isClean())
    return Error::success();
  std::string text = "kernel '" + stage.name + "' has faults in the simulator:";
  for (const Fault &fault : report->faults)
    if (!fault.isWarning)
      text += "\n" + fault.str();
  return createStringError(text);
}

Error quack::sim::launchOnHost(const Module &module, const ModuleMetadata &metadata,
                               StringRef name, ArrayRef<QuackArgument> arguments,
                               int64_t rows, const Options &options) {
  std::vector<LaunchArgument> launched;
  for (const QuackArgument &argument : arguments)
    launched.push_back({argument.word, argument.rowStride});
  Expected<const KernelMetadata *> variant =
      chooseVariant(metadata.variantsOf(name), launched, rows);
  if (!variant)
    return variant.takeError();
  if (rows == 0 && (*variant)->ctas == 0)
    return Error::success();
  Expected<int64_t> bytes = getWorkspaceBytes(**variant, rows);
  if (!bytes)
    return bytes.takeError();
  Workspace workspace(static_cast<size_t>(*bytes));
  for (const KernelMetadata *stage : metadata.stagesOf((*variant)->name))
    if (Error error = launchStage(module, *stage, arguments, rows, workspace, options))
      return error;
  return Error::success();
}
