//===- lib/Kernels/Library.cpp - the ready-made kernels ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts are string literals that the build makes of the files (Embed.cmake).
//
//===----------------------------------------------------------------------===//

#include "quack/Kernels/Library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace quack;

static constexpr LibraryKernel kernels[] = {
#include "Library.inc"
};

ArrayRef<LibraryKernel> quack::libraryKernels() { return kernels; }

Expected<StringRef> quack::findLibraryKernel(StringRef name) {
  const LibraryKernel *nearest = nullptr;
  // As many letters may differ as in a slip of the keyboard.
  unsigned least = 1 + name.size() / 4;
  for (const LibraryKernel &kernel : kernels) {
    if (kernel.name == name)
      return kernel.text;
    unsigned distance = name.edit_distance(kernel.name, /*AllowReplacements=*/true, least);
    if (distance > least || (nearest && distance == least))
      continue;
    least = distance;
    nearest = &kernel;
  }
  std::string hint = nearest ? "did you mean '" + nearest->name.str() + "'?"
                             : "there are " + join(map_range(kernels, [](auto &kernel) {
                                                     return kernel.name;
                                                   }),
                                                   ", ");
  return createStringError("there is no library kernel '" + name + "': " + hint);
}
