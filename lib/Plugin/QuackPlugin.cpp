//===- lib/Plugin/QuackPlugin.cpp - for mlir-opt ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialects, passes and pipelines as a plugin of any tool that loads these:
//
//   mlir-opt --load-dialect-plugin=libQuackPlugin.so --load-pass-plugin=libQuackPlugin.so
//
//===----------------------------------------------------------------------===//

#include "quack/InitAll.h"
#include "quack/Pipelines/Pipelines.h"
#include "quack/Transforms/Passes.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;

/// Our own: the tool has upstream's.
static void registerPasses() {
  quack::registerQuackPasses();
  quack::registerPipelines();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Quack", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) { quack::registerAllDialects(*registry); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuackPasses", LLVM_VERSION_STRING, registerPasses};
}
