//===- include/quack/Runtime/CopyKernels.h - copies, reads ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do nothing but move memory: what other kernels' speed is
// compared with.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUNTIME_COPYKERNELS_H
#define QUACK_RUNTIME_COPYKERNELS_H

#include <cstdint>
#include <string>
#include <vector>

namespace quack {

/// What these kernels load and store at once.
inline constexpr int64_t copyPieceBytes = 16;

/// One kernel. Parameters: source, target, number of pieces (each 64 bits).
/// Launch: any number of threads, and CTAs so that each piece has its share.
struct CopyKernel {
  std::string name;
  int piecesPerThread = 1;
  const char *storeSuffix = ""; ///< the cache policy of its stores
  bool isRead = false;          ///< reads only; writes nothing
};

/// Returns the kernels of the module.
std::vector<CopyKernel> getCopyKernels();

/// Returns the module's PTX, for sm_80 and newer.
std::string getCopyKernelsPTX();

} // namespace quack

#endif // QUACK_RUNTIME_COPYKERNELS_H
