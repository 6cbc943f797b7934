//===- Checks.h - how faults are reported -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults and warnings, undefined values, deadlocks.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_CHECKS_H
#define QUACK_LIB_SIMULATOR_CHECKS_H

#include "Machine.h"

namespace quack::sim {

/// Returns an address as faults show it.
std::string hex(uint64_t address);
/// Reports a fault of `op`; once for each kind and line in a machine's run.
void report(Warp &warp, const Op &op, uint32_t lane, llvm::StringRef kind,
            const llvm::Twine &text);
/// The same as a warning.
void warn(Warp &warp, const Op &op, uint32_t lane, llvm::StringRef kind,
          const llvm::Twine &text);
/// Reports an undefined value of `slot` among `lanes` that reaches `use`.
/// Returns the lanes whose value is defined.
uint32_t requireDefined(Warp &warp, const Op &op, Slot slot, uint32_t lanes,
                        llvm::StringRef use);
/// Reports who waits for what: nobody can go on, or all `spin`.
void reportDeadlock(Machine &machine, bool spin = false);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_CHECKS_H
