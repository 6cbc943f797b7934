//===- Blocks.h - the basic blocks of a program -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of instructions that are entered at the first and left at the last one.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_BLOCKS_H
#define QUACK_LIB_SIMULATOR_BLOCKS_H

#include "Program.h"

namespace quack::sim {

struct BlockGraph {
  std::vector<uint32_t> begins; ///< first op of each block; the exit is last
  std::vector<std::vector<uint32_t>> successors;
};

/// Cuts `program` into blocks. What leaves a function leads to the exit.
BlockGraph buildBlocks(const Program &program);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_BLOCKS_H
