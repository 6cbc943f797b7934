//===- ModuleVariables.h - .global and .const variables ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "State Spaces", "Initializers": variables of a module live in global
// memory from when the module is loaded; launches see what launches before them
// have left there. Constant memory has the same addresses.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_MODULEVARIABLES_H
#define QUACK_LIB_SIMULATOR_MODULEVARIABLES_H

#include "Syntax.h"

#include "quack/Simulator/Simulator.h"

#include "llvm/ADT/StringMap.h"

namespace quack::sim {

class ModuleVariables {
public:
  /// Places the variables of a module and gives them their first values.
  static llvm::Expected<ModuleVariables> make(const ParsedModule &module);

  const llvm::StringMap<uint64_t> &addresses() const { return places; }
  /// The variables' memory, a buffer for each.
  std::vector<Buffer> buffers();

private:
  llvm::StringMap<uint64_t> places;
  std::vector<std::pair<uint64_t, std::vector<uint8_t>>> contents;

  llvm::Error initialise(const ParsedModule &module,
                         const ParsedVariable &variable,
                         std::vector<uint8_t> &bytes) const;
};

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_MODULEVARIABLES_H
