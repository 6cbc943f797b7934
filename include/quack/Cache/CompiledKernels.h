//===- include/quack/Cache/CompiledKernels.h - what is kept -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compilation of kernels gives and the cache keeps. Plain data.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CACHE_COMPILEDKERNELS_H
#define QUACK_CACHE_COMPILEDKERNELS_H

#include <cstdint>
#include <string>
#include <vector>

namespace quack {

/// The kernels of one program, compiled for one set of options.
struct CompiledKernels {
  std::string ptx;
  std::string metadata;       ///< the JSON document of ModuleMetadata
  std::vector<uint8_t> cubin; ///< the same kernels as SASS; empty if there is none
  std::string cubinMadeBy;    ///< such as "ptxas 13.0.88"; empty without a cubin
  /// Why there is no cubin although one was asked for and an assembler was found. Kernels
  /// with such a reason are kept in memory only: the next process tries again.
  std::string cubinProblem;

  /// Returns what it takes of memory and disk, about.
  uint64_t bytes() const { return ptx.size() + metadata.size() + cubin.size(); }
};

} // namespace quack

#endif // QUACK_CACHE_COMPILEDKERNELS_H
