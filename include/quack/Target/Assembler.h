//===- include/quack/Target/Assembler.h - PTX to cubin ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's assemblers, which are found when the program runs: ptxas, or
// libnvJitLink. Without one, the driver compiles PTX when it loads it.
//
// | variable        | says                                                       |
// |-----------------|------------------------------------------------------------|
// | QUACK_PTXAS     | ptxas; empty or `off`: none. Otherwise it is looked for in |
// |                 | PATH, $CUDA_HOME/bin, /usr/local/cuda/bin                  |
// | QUACK_NVJITLINK | the library; empty or `off`: none. Otherwise               |
// |                 | libnvJitLink.so.13, then .12: where the loader finds it,   |
// |                 | $CUDA_HOME/lib64, /usr/local/cuda/lib64                    |
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TARGET_ASSEMBLER_H
#define QUACK_TARGET_ASSEMBLER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace quack {

/// SASS as the driver loads it (cuModuleLoadData).
struct Cubin {
  std::vector<uint8_t> bytes;
  std::string madeBy; ///< such as "ptxas 13.0.88" or "nvJitLink 13.0"
};

/// One of NVIDIA's assemblers. Any number of threads may use it at once.
class Assembler {
public:
  virtual ~Assembler() = default;

  /// Returns ptxas or, if there is none, nvJitLink; null if there is neither. An error names a
  /// variable that says where one is that is not there.
  static llvm::Expected<std::unique_ptr<Assembler>> find();

  /// Returns what `find` has found at the first call in this process, or its error. It is the
  /// process's.
  static llvm::Expected<const Assembler *> process();

  /// Assembles PTX for `chip`, such as sm_90. An error has what the assembler says, or that it
  /// took more than two minutes (ptxas).
  virtual llvm::Expected<Cubin> assemble(llvm::StringRef ptx, llvm::StringRef chip) const = 0;

  /// Returns what changes when another assembler, or another version of it, is used. It is
  /// known without running it.
  virtual std::string identity() const = 0;
};

} // namespace quack

#endif // QUACK_TARGET_ASSEMBLER_H
