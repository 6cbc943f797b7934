//===- include/quack-c/Register.h - in programs of MLIR's C API ---*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For programs that use MLIR through its own C API and its shared library: the dialects
// and passes of this project become theirs. Programs that only compile want Compiler.h.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_C_REGISTER_H
#define QUACK_C_REGISTER_H

#include "quack-c/Compiler.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the dialects that the compiler reads or makes to a registry, which is to be
 *  appended to a context before that reads or makes any of their operations. */
QUACK_C_EXPORT void quackRegisterDialects(MlirDialectRegistry registry);

/** Makes the passes and pipelines known to MLIR's parser of pass pipelines, of the whole
 *  process: `quack-raise-linalg`, `quack-to-gpu` and so on. A second call does nothing.
 *  Threads may call it at once, but none may parse a pipeline meanwhile. */
QUACK_C_EXPORT void quackRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif // QUACK_C_REGISTER_H
