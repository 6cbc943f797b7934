//===- include/quack/Pipelines/Pipelines.h - the way to PTX -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that orders the passes, and the whole way from a row program to
// PTX with its launch metadata.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PIPELINES_PIPELINES_H
#define QUACK_PIPELINES_PIPELINES_H

#include "quack/Report/Launch.h"
#include "quack/Report/Report.h"
#include "quack/Target/KernelMetadata.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace quack {

/// How far a compilation goes.
enum class Stage {
  plan, ///< kernels are specialised and planned (level 1)
  tv,   ///< tile programs with their barriers (level 2)
  gpu,  ///< thread programs (level 3)
  llvm, ///< LLVM IR, optimised
  ptx,  ///< PTX text and metadata (level 4)
};

/// What `quack-opt`, `quack-run` and `--quack-to-gpu` can be told.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<int64_t> columns{
      *this, "columns",
      llvm::cl::desc("N, the columns of a row (0: as the kernel says)"),
      llvm::cl::init(0)};
  Option<std::string> storage{
      *this, "storage",
      llvm::cl::desc("Storage types: f32, bf16 or f16 for all float row and "
                     "columns operands, or name:type pairs, joined by commas"),
      llvm::cl::init("")};
  Option<int64_t> groups{
      *this, "groups",
      llvm::cl::desc("Columns of a group, of kernels that have groups (0: as the "
                     "kernel says)"),
      llvm::cl::init(0)};
  Option<int64_t> picks{
      *this, "picks",
      llvm::cl::desc(
          "Elements that are picked of a row, of kernels that do (0: as the "
          "kernel says)"),
      llvm::cl::init(0)};
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The GPU whose numbers the plan uses (h100, h200)"),
      llvm::cl::init("h200")};
  Option<std::string> pin{
      *this, "pin",
      llvm::cl::desc("Plan fields to pin: 'threads = 256, cluster = 4'; those of one "
                     "kernel behind its name: '@a: cluster = 8; @b: threads = 64'"),
      llvm::cl::init("")};
  Option<int64_t> maxCluster{
      *this, "max-cluster",
      llvm::cl::desc("The most CTAs of a cluster (launchers that set no attribute "
                     "take 8)"),
      llvm::cl::init(16)};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("The chip to emit PTX for (sm_90, sm_90a)"),
                           llvm::cl::init("sm_90")};
  Option<int64_t> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("The PTX ISA version times ten (80, 81, 82, 83, 84, 85, 86, "
                     "87, 88 or 90; 0: 83, but 86 where tiles overlap)"),
      llvm::cl::init(0)};
};

/// What programs that launch kernels themselves can be told, beside.
struct HostOptions : PipelineOptions {
  Option<std::string> to{
      *this, "to",
      llvm::cl::desc("What launches: gpu (gpu.launch_func, for upstream's gpu pipeline) or "
                     "runtime (a call of the launcher)"),
      llvm::cl::init("gpu")};
  Option<std::string> launcher{
      *this, "launcher",
      llvm::cl::desc("The symbol that launches, with to=runtime (include/quack-c/Launch.h)"),
      llvm::cl::init("quackLaunch")};
};

/// Adds the pass that fixes N, groups, picks and storage types. What is computed is as it
/// was written.
void addSpecialization(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Adds what comes before `quack-plan`: `addSpecialization`, and the passes after which
/// row programs are as they are planned.
void addRowPasses(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Adds the passes that lead a module of `quack.kernel`s to `stage`, which or to
/// the LLVM and NVVM dialects for the stages after gpu.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options,
                   Stage stage = Stage::gpu);

/// Adds the passes that lead planned row programs to tile programs whose exchanges
/// have memory and barriers.
void buildTilePipeline(mlir::OpPassManager &pm);

/// Adds the passes that lead tile programs to `stage`: gpu, or the LLVM and NVVM
/// dialects for a later one.
void buildThreadPipeline(mlir::OpPassManager &pm, Stage stage = Stage::gpu,
                         int64_t ptxVersion = 0);

/// Adds the passes that compile a module's kernels and make its functions launch them,
/// which call them on memrefs. After them the module has a `gpu.module` in the LLVM and
/// NVVM dialects, which `gpu-module-to-binary` compiles (to=gpu), or the kernels' PTX as a
/// global (to=runtime); functions are left in upstream's dialects for the host.
void buildHostPipeline(mlir::OpPassManager &pm, const HostOptions &options);

/// Adds the passes that make kernels of what functions on tensors reduce along rows
/// (`quack-raise-linalg`, after functions are inlined), bufferize, and go on as
/// `buildHostPipeline` does.
void buildLinalgPipeline(mlir::OpPassManager &pm, const HostOptions &options);

/// Registers `quack-to-plan`, `quack-to-tv`, `quack-to-gpu`, `quack-to-llvm`,
/// `quack-to-host` and `quack-linalg-to-host`.
void registerPipelines();

/// What a compilation gives: the text of the stage asked for, and metadata once
/// the stage is ptx.
struct CompiledModule {
  std::string text;
  ModuleMetadata metadata;
};

/// Wall-clock milliseconds that one stage took.
struct StageTime {
  std::string stage;
  double milliseconds;
};

/// Returns the `most` cheapest plans that each kernel of `module` could have, as lines
/// of comment; nothing for a kernel that cannot be planned, which `compileModule`
/// explains.
std::string describePlans(mlir::ModuleOp module, const PipelineOptions &options,
                          size_t most = 10);

/// Plans the kernels of `module`, makes tile programs of them and returns what a
/// launch of each asks for. Errors are diagnostics at their location.
mlir::FailureOr<std::vector<KernelReport>>
reportModule(mlir::ModuleOp module, const PipelineOptions &options,
             const DescribedLaunch &launch);

/// Leads the kernels of `module` to `stage`; beyond Stage::tv its functions are dropped.
/// Errors are diagnostics at their location. Times of the stages are appended to `times` if
/// given.
mlir::FailureOr<CompiledModule>
compileModule(mlir::ModuleOp module, const PipelineOptions &options, Stage stage,
              std::vector<StageTime> *times = nullptr);

} // namespace quack

#endif // QUACK_PIPELINES_PIPELINES_H
