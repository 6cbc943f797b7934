//===- lib/Cache/CompileCached.cpp - text to kernels ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key of a program, and how kernels are made that the cache does not have.
//
//===----------------------------------------------------------------------===//

#include "quack/Cache/CompileCached.h"

#include "quack/InitAll.h"
#include "quack/Pipelines/Diagnostics.h"
#include "quack/Pipelines/OptionList.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Pipelines/ReadModule.h"
#include "quack/Target/Assembler.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace quack;

/// Returns the builds of this compiler, of MLIR and of LLVM: three where the latter are shared
/// libraries, otherwise one thrice.
static const std::array<std::string, 3> &compilerBuilds() {
  // Never destroyed: threads may outlive static objects.
  static const auto &builds = *new std::array<std::string, 3>{
      buildIdentityOf(reinterpret_cast<const void *>(&compileModule)),
      buildIdentityOf(reinterpret_cast<const void *>(&mlir::verify)),
      buildIdentityOf(reinterpret_cast<const void *>(&llvm::sys::getDefaultTargetTriple))};
  return builds;
}

static CacheKey makeKey(const CompileRequest &request) {
  CacheKey key;
  for (const std::string &build : compilerBuilds())
    key.add("build", build);
  return key.add("program", request.program).addOptions(request.options);
}

static llvm::Expected<CompiledKernels> compile(const CompileRequest &request) {
  std::unique_ptr<MLIRContext> context = makeContext();
  DiagnosticCollector diagnostics(*context);
  auto fail = [&] { return llvm::make_error<CompileError>(diagnostics.take()); };
  OwningOpRef<ModuleOp> module = readText(request.program, request.fileName, context.get());
  PipelineOptions options;
  if (!module || failed(parseOptions(request.options, module->getLoc(), options)))
    return fail();
  FailureOr<CompiledModule> compiled = compileModule(*module, options, Stage::ptx);
  if (failed(compiled))
    return fail();
  CompiledKernels kernels;
  kernels.ptx = std::move(compiled->text);
  kernels.metadata = llvm::formatv("{0:2}\n", compiled->metadata.toJSON());
  return kernels;
}

/// Returns `kernels` with a cubin, or with the reason why there is none.
static llvm::Expected<CompiledKernels> addCubin(CompiledKernels kernels,
                                                const Assembler &assembler) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(kernels.metadata);
  if (!json)
    return json.takeError();
  llvm::Expected<ModuleMetadata> metadata = ModuleMetadata::fromJSON(*json);
  if (!metadata)
    return metadata.takeError();
  llvm::Expected<Cubin> cubin = assembler.assemble(kernels.ptx, metadata->chip);
  if (!cubin) {
    kernels.cubinProblem = toString(cubin.takeError());
    return kernels;
  }
  kernels.cubin = std::move(cubin->bytes);
  kernels.cubinMadeBy = std::move(cubin->madeBy);
  return kernels;
}

llvm::Expected<CompileCache::Kernels> quack::compileCached(const CompileRequest &request,
                                                           CompileCache &cache,
                                                           const Assembler *assembler) {
  CacheKey key = makeKey(request);
  auto compilePTX = [&] { return compile(request); };
  if (!request.wantsCubin || !assembler)
    return cache.lookupOrCompile(key, compilePTX);
  CacheKey keyWithCubin = key;
  keyWithCubin.add("assembler", assembler->identity());
  return cache.lookupOrCompile(keyWithCubin, [&]() -> llvm::Expected<CompiledKernels> {
    llvm::Expected<CompileCache::Kernels> kernels = cache.lookupOrCompile(key, compilePTX);
    if (!kernels)
      return kernels.takeError();
    return addCubin(**kernels, *assembler);
  });
}

llvm::Expected<CompileCache::Kernels> quack::compileCached(const CompileRequest &request) {
  llvm::Expected<CompileCache &> cache = CompileCache::process();
  if (!cache)
    return cache.takeError();
  if (!request.wantsCubin)
    return compileCached(request, *cache, /*assembler=*/nullptr);
  llvm::Expected<const Assembler *> assembler = Assembler::process();
  if (!assembler)
    return assembler.takeError();
  return compileCached(request, *cache, *assembler);
}
