//===- include/quack/Kernels/Library.h - the ready-made kernels -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The row programs of lib/Kernels, as text in the binary: nothing is read from
// disk.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_KERNELS_LIBRARY_H
#define QUACK_KERNELS_LIBRARY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace quack {

/// A kernel of the library.
struct LibraryKernel {
  llvm::StringRef name; ///< of its file without .mlir, and of its quack.kernel
  llvm::StringRef text; ///< the whole file
};

/// Returns the kernels by name in ascending order.
llvm::ArrayRef<LibraryKernel> libraryKernels();

/// Returns the text of the kernel called `name`. An error says that there is none, and which
/// name is nearly the same.
llvm::Expected<llvm::StringRef> findLibraryKernel(llvm::StringRef name);

} // namespace quack

#endif // QUACK_KERNELS_LIBRARY_H
