//===- test/Embed/Example/Example.h - somebody's dialect --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_EMBED_EXAMPLE_H
#define QUACK_TEST_EMBED_EXAMPLE_H

#include "quack/Dialect/Quack/RowMeaning.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ExampleDialect.h.inc"

#define GET_OP_CLASSES
#include "ExampleOps.h.inc"

namespace example {

/// Registers the dialect, and what `example.clamp` and `math.sinh` mean, which they do not
/// say themselves.
void registerExample(mlir::DialectRegistry &registry);

} // namespace example

#endif // QUACK_TEST_EMBED_EXAMPLE_H
