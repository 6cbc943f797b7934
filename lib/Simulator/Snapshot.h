//===- Snapshot.h - what global memory held ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_SNAPSHOT_H
#define QUACK_LIB_SIMULATOR_SNAPSHOT_H

#include "quack/Simulator/Simulator.h"

namespace quack::sim {

/// What is in a launch's buffers.
class Snapshot {
public:
  explicit Snapshot(llvm::ArrayRef<Buffer> buffers);
  void restore(llvm::ArrayRef<Buffer> buffers) const;
  /// Returns the address of the first byte that is another one now; 0 if none
  /// is.
  uint64_t findChange(llvm::ArrayRef<Buffer> buffers) const;

private:
  std::vector<std::vector<char>> contents;
  std::vector<std::vector<uint8_t>> written; ///< see Buffer::written
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_SNAPSHOT_H
