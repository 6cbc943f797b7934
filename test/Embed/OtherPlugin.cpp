//===- OtherPlugin.cpp - somebody else's plugin ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that counts functions, and symbols of the same names as ours: each plugin must
// keep to its own.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace quack {
/// Not ours to be called.
void registerQuackPasses() { llvm::report_fatal_error("another plugin's function was called"); }
void registerPipelines() { llvm::report_fatal_error("another plugin's function was called"); }
void registerAllDialects(DialectRegistry &) {
  llvm::report_fatal_error("another plugin's function was called");
}
} // namespace quack

namespace {
struct CountFunctions : PassWrapper<CountFunctions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountFunctions)
  StringRef getArgument() const override { return "count-functions"; }
  StringRef getDescription() const override { return "Says how many functions there are"; }
  void runOnOperation() override {
    auto functions = getOperation().getOps<func::FuncOp>();
    getOperation().emitRemark("functions: ")
        << std::distance(functions.begin(), functions.end());
  }
};
} // namespace

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Other", LLVM_VERSION_STRING,
          [] { PassRegistration<CountFunctions>(); }};
}
