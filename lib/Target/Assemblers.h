//===- lib/Target/Assemblers.h - ptxas and nvJitLink ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two assemblers.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_TARGET_ASSEMBLERS_H
#define QUACK_LIB_TARGET_ASSEMBLERS_H

#include "quack/Target/Assembler.h"

#include <chrono>

namespace quack {

/// Returns the assembler that runs the program at `path`, each time for at most `limit`.
std::unique_ptr<Assembler> createPtxas(std::string path,
                                       std::chrono::milliseconds limit = std::chrono::minutes(2));

/// Returns the assembler in the library called `name`, which is what the loader takes; an error
/// if it cannot be loaded or lacks something.
llvm::Expected<std::unique_ptr<Assembler>> loadNvJitLink(const std::string &name);

} // namespace quack

#endif // QUACK_LIB_TARGET_ASSEMBLERS_H
