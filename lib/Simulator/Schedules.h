//===- Schedules.h - a kernel under several schedules -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_SCHEDULES_H
#define QUACK_LIB_SIMULATOR_SCHEDULES_H

#include "ModuleVariables.h"
#include "Program.h"

#include "quack/Simulator/Simulator.h"

namespace quack::sim {

struct ModuleImpl {
  std::string source;
  std::vector<Program> programs;
  std::string warning; ///< see Module::warning
  ModuleVariables variables;
};

/// Returns the kernel `name`, or the only one if that is empty.
llvm::Expected<const Program *>
findProgram(const std::vector<Program> &programs, llvm::StringRef name);

/// Returns the schedule as parseSchedules takes it.
std::string str(const Options &options);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_SCHEDULES_H
