//===- Prediction.cpp - a report beside the simulator's counters -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Prediction.h"

#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Simulator/Simulator.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

using namespace mlir;
using namespace quack;
using namespace quack::test;

std::string Case::str() const {
  std::string text =
      llvm::formatv("{0} --columns={1} --storage={2} --pin='{3}' "
                    "--rows={4}",
                    program, columns, storage, pin, launch.rows);
  for (const auto &[name, stride] : launch.rowStrides)
    text += llvm::formatv(" --row-stride={0}={1}", name, stride);
  for (const auto &[name, offset] : launch.offsets)
    text += llvm::formatv(" --offset={0}={1}", name, offset);
  return text;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

namespace {
/// What an instruction asks for, in the same form from both sides.
struct Counted {
  std::string what; ///< space and direction
  int64_t width, requests, bytes, sectors, leastSectors, wavefronts,
      leastWavefronts, remoteBytes;

  auto tie() const {
    return std::tie(what, width, requests, bytes, sectors, leastSectors,
                    wavefronts, leastWavefronts, remoteBytes);
  }
  bool operator<(const Counted &other) const { return tie() < other.tie(); }
  std::string str() const {
    return llvm::formatv(
        "{0} of {1} bytes: {2} requests, {3} bytes, {4} sectors "
        "(least {5}), {6} wavefronts (least {7}), {8} remote "
        "bytes\n",
        what, width, requests, bytes, sectors, leastSectors, wavefronts,
        leastWavefronts, remoteBytes);
  }
};
} // namespace

static std::vector<Counted> predicted(const KernelReport &report) {
  std::vector<Counted> list;
  for (const AccessReport &access : report.accesses)
    for (const InstructionReport &instruction : access.instructions) {
      const AccessCounts &c = instruction.counts;
      // The simulator counts bytes of global memory only, and takes for the
      // width of cp.async what it has copied.
      bool isAsync = access.operation == "stage" && access.form == "async";
      list.push_back({(stringifySpace(access.space) +
                       (access.isWrite ? " write" : " read"))
                          .str(),
                      isAsync ? 0 : instruction.laneBytes, c.requests,
                      access.space == MemorySpace::global ? c.bytes : 0,
                      c.sectors, c.leastSectors, c.wavefronts,
                      c.leastWavefronts, c.remoteBytes});
    }
  return list;
}

static std::vector<Counted> simulated(const sim::Report &report) {
  std::vector<Counted> list;
  for (const sim::InstructionCount &c : report.instructions) {
    StringRef text = c.text;
    if (text.starts_with("st.async") && c.warps) {
      // One st.async is 4 bytes a word of its vector; it has no counter of
      // shared memory.
      int64_t width = text.contains(".v4.")   ? 16
                      : text.contains(".v2.") ? 8
                                              : 4;
      list.push_back({"cluster write", width, int64_t(c.warps), 0, 0, 0, 0, 0,
                      int64_t(c.remoteBytes)});
      continue;
    }
    if (!c.requests)
      continue;
    bool isWrite = text.starts_with("st");
    list.push_back({std::string(c.sectors ? "global" : "shared") +
                        (isWrite ? " write" : " read"),
                    text.starts_with("cp.async.c") ? 0 : int64_t(c.width),
                    int64_t(c.requests), int64_t(c.bytesRead + c.bytesWritten),
                    int64_t(c.sectors), int64_t(c.leastSectors),
                    int64_t(c.wavefronts), int64_t(c.leastWavefronts),
                    int64_t(c.remoteBytes)});
  }
  return list;
}

/// Returns what only one side has; of the right one nothing, unless the left one
/// `isWhole`.
static std::string difference(std::vector<Counted> left,
                              std::vector<Counted> right, bool isWhole) {
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  std::vector<Counted> onlyLeft, onlyRight;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(onlyLeft));
  std::set_difference(right.begin(), right.end(), left.begin(), left.end(),
                      std::back_inserter(onlyRight));
  std::string text;
  for (const Counted &one : onlyLeft)
    text += "  report    " + one.str();
  if (!isWhole)
    return text;
  for (const Counted &one : onlyRight)
    text += "  simulator " + one.str();
  return text;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static int64_t bytesOf(StringRef type) {
  return type.ends_with("64")   ? 8
         : type.ends_with("32") ? 4
         : type.ends_with("16") ? 2
                                : 1;
}

/// Runs `kernel` under the launch, on arrays of zeros.
static llvm::Expected<sim::Report> simulate(const sim::Module &module,
                                            const KernelMetadata &kernel,
                                            const DescribedLaunch &launch) {
  auto lookup = [](const std::map<std::string, int64_t> &map,
                   const std::string &name, int64_t otherwise) {
    auto found = map.find(name);
    return found == map.end() ? otherwise : found->second;
  };
  sim::LaunchConfig config;
  config.kernel = kernel.name;
  config.grid = {uint32_t(llvm::cantFail(countCtas(kernel, launch.rows))), 1, 1};
  config.block = {uint32_t(kernel.threads), 1, 1};
  config.cluster = {uint32_t(kernel.cluster), 1, 1};
  config.sharedBytes = uint32_t(kernel.sharedBytes);
  std::vector<std::vector<char>> arrays;
  std::vector<uint64_t> scalars;
  for (const OperandMetadata &operand : kernel.operands) {
    if (operand.role == "value") {
      scalars.push_back(0);
      continue;
    }
    bool isNumber = operand.role == "scalar" || operand.role == "single";
    bool isShared = operand.role == "columns" || operand.role == "single";
    int64_t width = isNumber ? 1 : kernel.columns;
    int64_t stride = isShared ? 0 : lookup(launch.rowStrides, operand.name, width);
    int64_t offset = lookup(launch.offsets, operand.name, 0);
    int64_t bytes = bytesOf(operand.type);
    int64_t elements = launch.rows ? (launch.rows - 1) * stride + width : 0;
    arrays.emplace_back(size_t(elements * bytes));
    // What an access outside the array would miss.
    uint64_t address = (uint64_t(arrays.size()) << 40) + offset * bytes;
    config.buffers.push_back(
        {address, arrays.back().data(), arrays.back().size()});
    config.arguments.push_back(address);
    config.arguments.push_back(uint64_t(stride));
  }
  config.arguments.push_back(uint64_t(launch.rows));
  config.arguments.insert(config.arguments.end(), scalars.begin(),
                          scalars.end());
  if (kernel.hasWorkspace()) {
    arrays.emplace_back(
        size_t(llvm::cantFail(getWorkspaceBytes(kernel, launch.rows))));
    uint64_t address = uint64_t(arrays.size()) << 40;
    config.buffers.push_back(
        {address, arrays.back().data(), arrays.back().size()});
    config.arguments.push_back(address);
  }
  sim::Options options;
  options.checks = 0;
  return module.launch(config, options);
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

std::string test::compare(const Case &test, int64_t &compared) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return success();
  });
  PipelineOptions options;
  options.columns = test.columns;
  options.storage = test.storage;
  options.pin = test.pin;
  std::string path = std::string(QUACK_SOURCE) + "/" + test.program;
  auto parse = [&] { return parseSourceFile<ModuleOp>(path, &context); };
  OwningOpRef<ModuleOp> source = parse(), described = parse();
  if (!source)
    return errors;
  FailureOr<std::vector<KernelReport>> reports =
      reportModule(*described, options, test.launch);
  if (failed(reports))
    return errors.find("has no legal plan") != std::string::npos ? "" : errors;
  FailureOr<CompiledModule> compiled =
      compileModule(*source, options, quack::Stage::ptx);
  if (failed(compiled))
    return errors;
  llvm::Expected<sim::Module> module = sim::Module::parse(compiled->text);
  if (!module)
    return toString(module.takeError());
  std::string text;
  for (const KernelReport &report : *reports) {
    if (!report.guard.empty())
      continue;
    const KernelMetadata &kernel = *llvm::find_if(
        compiled->metadata.kernels,
        [&](const KernelMetadata &other) { return other.name == report.name; });
    llvm::Expected<sim::Report> counted =
        simulate(*module, kernel, test.launch);
    if (!counted)
      return toString(counted.takeError());
    if (!counted->isClean())
      return counted->faults.front().str();
    std::vector<Counted> ours = predicted(report);
    // What else a kernel that picks accesses depends on the numbers.
    bool isWhole = llvm::none_of(
        kernel.operands, [](const OperandMetadata &operand) {
          return operand.role == "picks";
        });
    std::string differs = difference(ours, simulated(*counted), isWhole);
    if (!differs.empty())
      text += "@" + report.name + "\n" + differs;
    else
      compared += int64_t(ours.size());
  }
  return text;
}
