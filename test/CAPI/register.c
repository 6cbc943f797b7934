//===- test/CAPI/register.c - a program of MLIR's C API -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   capi-register FILE PIPELINE    runs a pass pipeline on a file, and prints it
//
//===----------------------------------------------------------------------===//

#include "quack-c/Register.h"

#include "mlir-c/IR.h"
#include "mlir-c/Pass.h"

#include <stdio.h>
#include <stdlib.h>

static void print(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, file);
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  MlirContext context = mlirContextCreate();
  MlirPassManager passes;
  MlirModule module;
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  int failed = 1;
  if (!file)
    return 2;
  text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
  fclose(file);
  quackRegisterDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  quackRegisterPasses();
  quackRegisterPasses();
  module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  passes = mlirPassManagerCreate(context);
  if (!mlirModuleIsNull(module) &&
      mlirLogicalResultIsSuccess(
          mlirParsePassPipeline(mlirPassManagerGetAsOpPassManager(passes),
                                mlirStringRefCreateFromCString(argv[2]), print, stderr)))
    failed = mlirLogicalResultIsFailure(
        mlirPassManagerRunOnOp(passes, mlirModuleGetOperation(module)));
  if (!failed)
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirPassManagerDestroy(passes);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return failed;
}
