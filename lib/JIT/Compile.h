//===- lib/JIT/Compile.h - programs as text ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function asks of the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_JIT_COMPILE_H
#define QUACK_LIB_JIT_COMPILE_H

#include "quack/JIT/RowFunction.h"

namespace quack::jit {

/// Returns the signature of the kernel called `kernel`, or of the only one of
/// `text` where that is empty. An error is what the compiler says, with places.
llvm::Expected<Signature> readSignature(llvm::StringRef text, llvm::StringRef fileName,
                                        llvm::StringRef kernel);

/// Returns the kernels of `text` compiled with `options`, from the cache where
/// they are there; with a cubin, if that is wanted and can be made.
llvm::Expected<std::unique_ptr<const Executable>>
compile(llvm::StringRef text, llvm::StringRef fileName, const Options &options,
        bool wantsCubin);

} // namespace quack::jit

#endif // QUACK_LIB_JIT_COMPILE_H
