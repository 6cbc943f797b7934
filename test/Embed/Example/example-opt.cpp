//===- test/Embed/Example/example-opt.cpp - somebody's compiler -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// quack's dialects and passes beside a dialect of one's own.
//
//===----------------------------------------------------------------------===//

#include "Example.h"

#include "quack/InitAll.h"

#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  quack::registerAllDialects(registry);
  example::registerExample(registry);
  quack::registerAllPasses();
  mlir::registerConvertElementwiseToLinalgPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "quack beside a dialect of one's own\n", registry));
}
