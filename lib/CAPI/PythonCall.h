//===- lib/CAPI/PythonCall.h - calls with Python's objects --------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For lib/Bindings/Python alone, by ctypes: a call reads its tensors here, where
// that takes tenths of microseconds. No header of Python: what is used of it is
// in its stable ABI (docs.python.org/3/c-api/stable.html), and is looked up in
// the process.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CAPI_PYTHONCALL_H
#define QUACK_LIB_CAPI_PYTHONCALL_H

#include "quack-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A type of tensors, and how it shows what they are. */
typedef struct QuackTensorType {
  void *type;              /**< the Python type */
  const void *exchangeAPI; /**< what the capsule `__dlpack_c_exchange_api__` of it holds:
                                DLPack's DLPackExchangeAPI, major version 1 */
} QuackTensorType;

/** Returns 1 if `type` is one that quackPythonCall can take. */
QUACK_C_EXPORT int quackPythonCanCall(const QuackTensorType *type);

/** Calls `function` on a Python tuple, which has for each operand None, a tensor of `type`
 *  or a number, on the framework's current stream. The GIL is held. Returns 0 on success; 1
 *  if nothing was done, since the call is wrong, is the first of its kind, or needs what
 *  only quackFunctionCall can do. */
QUACK_C_EXPORT int quackPythonCall(const QuackFunction *function, const QuackTensorType *type,
                                   void *tuple);

#ifdef __cplusplus
}
#endif

#endif /* QUACK_LIB_CAPI_PYTHONCALL_H */
