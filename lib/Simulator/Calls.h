//===- Calls.h - functions that a warp is in --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's registers are a part of the warp's register file. When lanes
// that are in a function call it again, what they have there is put aside until
// they return.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_CALLS_H
#define QUACK_LIB_SIMULATOR_CALLS_H

#include "Local.h"

namespace quack::sim {

/// A function that lanes have called together.
struct Activation {
  uint32_t function = 0; ///< in Program::functions
  uint32_t call = 0;     ///< in Program::calls
  uint32_t returnTo = 0;
  uint32_t depth = 1;
  int caller = -1;                ///< in CallState::activations; -1: the kernel
  uint32_t lanes = 0;             ///< those that are in it; 0: it is free
  uint32_t setAside = 0;          ///< lanes that were in the function before
  std::vector<uint8_t> registers; ///< what these had there
  std::vector<uint32_t> defined;
};

struct CallState {
  std::vector<Activation> activations;
  /// By function: lanes that are in it.
  std::vector<uint32_t> active;
  LocalMemory local;

  explicit CallState(const Program &program);
  /// Lanes leave everything they are in.
  void exit(uint32_t lanes);
};

/// Flow::call, Flow::ret and Flow::table. Each returns whether the current
/// fragment goes on.
bool callFunction(Warp &warp, const Op &op, uint32_t lanes);
bool returnFromFunction(Warp &warp, const Op &op, uint32_t lanes);
bool branchByTable(Warp &warp, const Op &op, uint32_t lanes);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_CALLS_H
