//===- Fusion.cpp - products that may be fused with sums --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, mul and add: without a rounding they "may be optimized
// aggressively", that is fused, which rounds once. The simulator rounds twice,
// as with .rn: a program in which a bare product feeds a bare sum may give
// other bits on a GPU.
//
//===----------------------------------------------------------------------===//

#include "Syntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace quack::sim;

/// Returns the type of a bare `root`, one without a rounding, or nothing.
static std::optional<Type> bareType(const ParsedInstruction &instruction) {
  std::optional<Type> type;
  for (const Modifier &modifier : instruction.modifiers) {
    if (llvm::is_contained({"rn", "rz", "rm", "rp"}, modifier.text))
      return std::nullopt;
    if (!type)
      type = parseType(modifier.text);
  }
  return type && isFloat(*type) ? type : std::nullopt;
}

std::string quack::sim::findFusible(const ParsedKernel &kernel) {
  // Which bare product each register holds; registers are written once, mostly.
  std::vector<const ParsedInstruction *> products(kernel.registers.size());
  for (const ParsedInstruction &instruction : kernel.instructions)
    if (instruction.root == "mul" && bareType(instruction) &&
        instruction.operands[0].kind == ParsedOperand::reg)
      products[instruction.operands[0].index] = &instruction;
  for (const ParsedInstruction &instruction : kernel.instructions) {
    std::optional<Type> type = bareType(instruction);
    if (!type || (instruction.root != "add" && instruction.root != "sub"))
      continue;
    for (const ParsedOperand &operand :
         llvm::ArrayRef(instruction.operands).drop_front())
      if (operand.kind == ParsedOperand::reg && products[operand.index] &&
          bareType(*products[operand.index]) == type)
        return "line " + std::to_string(instruction.place.line) + ": '" +
               instruction.text + "' may be fused with '" +
               products[operand.index]->text + "' of line " +
               std::to_string(products[operand.index]->place.line) +
               " on a GPU, and then rounds once; .rn keeps them apart";
  }
  return "";
}
