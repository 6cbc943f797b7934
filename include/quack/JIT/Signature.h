//===- include/quack/JIT/Signature.h - operands of programs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says of its kernel before it is specialised and planned.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_JIT_SIGNATURE_H
#define QUACK_JIT_SIGNATURE_H

#include "quack/Target/KernelMetadata.h"

#include <optional>

namespace quack {
class KernelOp;
}

namespace quack::jit {

/// An operand of a program, in its order.
struct Operand {
  OperandMetadata metadata; ///< `type` is the program's, before it is specialised
  bool isOptional = false;  ///< may be left out of a call
  bool isValue() const { return metadata.role == "value"; }
};

struct Signature {
  std::string kernel;
  std::optional<int64_t> columns; ///< N, where the program fixes it
  std::vector<Operand> operands;
};

/// Returns the signature of a kernel of level 1.
Signature describeSignature(KernelOp kernel);

} // namespace quack::jit

#endif // QUACK_JIT_SIGNATURE_H
