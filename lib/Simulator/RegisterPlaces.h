//===- RegisterPlaces.h - registers that share a place ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers write each register of PTX once: a kernel names thousands, of which
// few are live at a time. Those that are never live together share a place in
// the register file, so that a warp's fits into the host's cache.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_REGISTERPLACES_H
#define QUACK_LIB_SIMULATOR_REGISTERPLACES_H

#include "Program.h"

#include "llvm/ADT/ArrayRef.h"

namespace quack::sim {

/// An instruction reads or writes a register.
struct RegisterUse {
  uint32_t op, reg;
  bool isWrite;
};

/// Returns a place for each register from `next` on, and moves `next` behind
/// them. `uses` are in the order of the instructions.
///
/// Lanes go their own ways, but each along the program's edges, and a place has
/// a value for each lane: what holds for one thread holds for the warp. A
/// register that may be read before it is written is live from the start, so
/// that nobody's value is taken for it.
std::vector<Slot> placeRegisters(const Program &program,
                                 llvm::ArrayRef<ParsedRegister> registers,
                                 llvm::ArrayRef<RegisterUse> uses, Slot &next);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_REGISTERPLACES_H
