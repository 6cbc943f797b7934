//===- include/quack/Transforms/Passes.h - the passes -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation and registration of all passes of dialects/Passes/Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TRANSFORMS_PASSES_H
#define QUACK_TRANSFORMS_PASSES_H

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Dialect/QuackTV/QuackTV.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace quack {

#define GEN_PASS_DECL
#include "dialects/Passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "dialects/Passes/Passes.h.inc"

} // namespace quack

#endif // QUACK_TRANSFORMS_PASSES_H
