//===- lib/CAPI/Functions.h - functions behind the C API --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CAPI_FUNCTIONS_H
#define QUACK_LIB_CAPI_FUNCTIONS_H

#include "Records.h"
#include "quack/JIT/RowFunction.h"

struct QuackFunction {
  std::unique_ptr<quack::jit::RowFunction> function;
  quack::KernelMetadata metadata; ///< what `info` points into
  std::unique_ptr<quack::c::KernelRecord> info;
};

#endif // QUACK_LIB_CAPI_FUNCTIONS_H
