//===- mini-compiler.cpp - quack in somebody else's compiler ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   mini-compiler [host|ptx] program.mlir
//
// `host`: functions on tensors become a program in the LLVM dialect that launches its
// kernels. `ptx`: the kernels of a file of row programs, as PTX.
//
//===----------------------------------------------------------------------===//

#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static LogicalResult compileHost(ModuleOp module) {
  PassManager pm(module.getContext());
  quack::HostOptions options;
  options.to = "runtime";
  quack::buildLinalgPipeline(pm, options);
  // What is left is this compiler's own business.
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  if (failed(pm.run(module)))
    return failure();
  module.print(llvm::outs());
  return success();
}

static LogicalResult compileKernels(ModuleOp module) {
  quack::PipelineOptions options;
  options.columns = 1024;
  FailureOr<quack::CompiledModule> compiled =
      quack::compileModule(module, options, quack::Stage::ptx);
  if (failed(compiled))
    return failure();
  llvm::outs() << compiled->text << compiled->metadata.toJSON() << "\n";
  return success();
}

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: mini-compiler host|ptx program.mlir\n";
    return 2;
  }
  DialectRegistry registry;
  quack::registerAll(registry);
  registerAllExtensions(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(argv[2], &context);
  if (!module)
    return 1;
  bool toHost = llvm::StringRef(argv[1]) == "host";
  return failed(toHost ? compileHost(*module) : compileKernels(*module));
}
