//===- lib/JIT/Arguments.h - tensors as operands ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a call's tensors as a kernel sees them: an address, a row stride, and
// how many rows and columns there are.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_JIT_ARGUMENTS_H
#define QUACK_LIB_JIT_ARGUMENTS_H

#include "quack/JIT/RowFunction.h"
#include "quack/Runtime/Storage.h"

#include "llvm/ADT/SmallVector.h"

namespace quack::jit {

/// What of a call a specialisation depends on: N; of each operand, in the
/// program's order, whether it is there, its type and its own columns; and whether
/// it is for the simulator, which takes no cubin.
using Key = llvm::SmallVector<int64_t, 24>;

/// A call as launches take it.
struct ReadCall {
  Key key;
  llvm::SmallVector<QuackArgument, 16> arguments; ///< of what is there
  int64_t rows = 0;
  bool isOnHost = false;
  int device = -1;
};

/// Reads `arguments`, one for each operand of `program`. An error names the
/// operand, what it must be, and what it is.
llvm::Error readCall(const Signature &program, llvm::ArrayRef<CallArgument> arguments,
                     ReadCall &result);

/// Returns the options that compile what `key` of a call of `program` says.
llvm::Expected<Options> optionsFor(const Signature &program, const Key &key);

} // namespace quack::jit

#endif // QUACK_LIB_JIT_ARGUMENTS_H
