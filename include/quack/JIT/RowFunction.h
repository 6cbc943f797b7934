//===- include/quack/JIT/RowFunction.h - compiled when called ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row program that is called on tensors. The types, columns and presence of
// what it is called on make a specialisation, which is compiled at its first
// call, or taken from the cache; the number of rows, addresses and numbers make
// none.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_JIT_ROWFUNCTION_H
#define QUACK_JIT_ROWFUNCTION_H

#include "quack-c/Tensor.h"
#include "quack/JIT/Signature.h"
#include "quack/Runtime/Executable.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>

namespace quack::jit {

/// What a call passes for one operand.
struct CallArgument {
  const QuackTensor *tensor = nullptr; ///< null: a value, or absent
  bool isGiven = false;
  double number = 0;   ///< of a float `value` operand
  int64_t integer = 0; ///< of an integer `value` operand
};

/// Options of a compilation by name, as the pipelines have them.
using Options = std::map<std::string, std::string>;

/// A call's demands beside its arguments.
struct Call {
  void *stream = nullptr; ///< a CUstream
  uint64_t workspace = 0; ///< 0: what is needed is allocated in the stream's order
  int64_t workspaceBytes = 0;
};

/// A kernel of a program. All functions may be called by several threads at once.
class RowFunction {
public:
  /// `kernel` is empty for the only kernel of `text`. `options` hold for all
  /// specialisations: pin, target, chip, ptx-version, max-cluster, and groups or
  /// columns where no tensor says them. An error is what the compiler says.
  static llvm::Expected<std::unique_ptr<RowFunction>>
  create(std::string text, std::string fileName, llvm::StringRef kernel, Options options);
  ~RowFunction();

  const Signature &signature() const { return program; }

  /// Returns the bytes of workspace that `call` with these arguments takes;
  /// compiles what is not there yet.
  llvm::Expected<int64_t> workspaceBytes(llvm::ArrayRef<CallArgument> arguments) const;

  /// Computes: on the GPU that the tensors are on, in the call's stream, without
  /// waiting; or, where they are in the host's memory, in the simulator. There
  /// is an argument for each operand. A tensor of role `row` (or `groups`,
  /// `picks`) is [..., N] with columns side by side and leading dimensions that
  /// one stride spans; `scalar` [...], `columns` [N], `single` one element.
  /// Nothing is copied: what cannot be addressed so is an error.
  llvm::Error operator()(llvm::ArrayRef<CallArgument> arguments, const Call &call) const;

  /// Does the same, but compiles nothing. Returns false, having done nothing, if
  /// that takes a compilation or the simulator. Where a workspace is needed,
  /// `allocate` returns one of so many bytes; 0: there is none, so false.
  llvm::Expected<bool> tryCall(llvm::ArrayRef<CallArgument> arguments, Call call,
                               llvm::function_ref<uint64_t(int64_t bytes)> allocate) const;

  /// Returns the compiled kernels that a call with these arguments takes.
  llvm::Expected<const Executable *> executable(llvm::ArrayRef<CallArgument> arguments) const;

  /// Returns how many specialisations there are.
  size_t countSpecializations() const;

private:
  struct State;
  RowFunction();

  Signature program;
  std::unique_ptr<State> state;
};

} // namespace quack::jit

#endif // QUACK_JIT_ROWFUNCTION_H
