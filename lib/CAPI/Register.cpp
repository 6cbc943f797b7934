//===- lib/CAPI/Register.cpp - in programs of MLIR's C API ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Needs no code of MLIR's C API: its handles are pointers.
//
//===----------------------------------------------------------------------===//

#include "quack-c/Register.h"

#include "quack/InitAll.h"

#include "mlir/CAPI/IR.h"

#include <mutex>

void quackRegisterDialects(MlirDialectRegistry registry) {
  if (!mlirDialectRegistryIsNull(registry))
    quack::registerAllDialects(*unwrap(registry));
}

void quackRegisterPasses(void) {
  static std::once_flag once;
  std::call_once(once, quack::registerAllPasses);
}
