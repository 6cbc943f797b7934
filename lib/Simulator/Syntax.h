//===- Syntax.h - PTX as parsed ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parsed form of a PTX module. Registers are resolved (a block `{ }` may
// declare its own); what an instruction means is Decode's business.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_SYNTAX_H
#define QUACK_LIB_SIMULATOR_SYNTAX_H

#include "Lexer.h"
#include "Types.h"

#include <string>

namespace quack::sim {

/// An operand (PTX ISA, "Instruction Operands").
struct ParsedOperand {
  enum Kind {
    reg,     ///< `index` is the register
    sink,    ///< _
    special, ///< %tid.x: `name`
    integer, ///< `bits`
    real,    ///< `bits`, an f32's if `isSingle`, else an f64's
    symbol,  ///< name+bits: a variable, a label, a parameter
    address, ///< [elements[0] + bits]
    vector,  ///< {elements}
    list     ///< (elements), of a call
  };
  Kind kind = sink;
  Place place;
  unsigned index = 0;
  std::string name;
  uint64_t bits = 0;
  bool isSingle = false;
  bool isNegated = false; ///< !%p1
  bool hasSecond = false; ///< d|p, d|_
  int second = -1;        ///< p: the register, if any
  std::vector<ParsedOperand> elements;
};

struct Modifier {
  llvm::StringRef text;
  Place place;
};

/// `@!%p1 root.modifiers operands;`
struct ParsedInstruction {
  Place place;
  int guard = -1;
  bool isGuardNegated = false;
  llvm::StringRef root;
  std::vector<Modifier> modifiers;
  std::vector<ParsedOperand> operands;
  unsigned block = 0; ///< the `{ }` it stands in, for labels
  std::string text;   ///< the mnemonic
};

struct ParsedRegister {
  std::string name;
  Type type = Type::b32;
};

/// A value of an initialiser.
struct ParsedValue {
  Place place;
  std::string symbol; ///< whose address, plus `bits`; empty: none
  uint64_t bits = 0;
  bool isReal = false, isSingle = false;
};

/// A variable, or a parameter.
struct ParsedVariable {
  std::string name;
  Type type = Type::b8;
  Place place;
  uint64_t alignment = 1;
  uint64_t count = 1; ///< elements; 0 for `name[]`
  bool isExternal = false;
  bool isConstant = false;         ///< .const
  int reg = -1;                    ///< of a parameter in .reg: the register
  unsigned block = 0;              ///< the `{ }` it stands in
  std::vector<ParsedValue> values; ///< in the order of memory; the rest is 0

  uint64_t bytes() const { return count * sizeOf(type); }
};

/// What a label names that is no place (PTX ISA, .branchtargets, .calltargets,
/// .callprototype).
struct ParsedTable {
  std::string name;
  unsigned block = 0;
  enum Kind { branchTargets, callTargets, prototype } kind = branchTargets;
  std::vector<ParsedOperand> targets;
  std::vector<ParsedVariable> results, parameters; ///< of a prototype
};

struct ParsedLabel {
  std::string name;
  unsigned block = 0;
  unsigned instruction = 0; ///< the next one
};

/// A kernel (.entry) or a function (.func).
struct ParsedKernel {
  std::string name;
  Place place;
  bool isFunction = false;
  std::vector<ParsedVariable> results, parameters;
  std::vector<ParsedVariable> shared; ///< declared inside
  std::vector<ParsedVariable> local;  ///< .local, and .param of calls
  std::vector<ParsedTable> tables;
  std::vector<ParsedRegister> registers;
  std::vector<ParsedInstruction> instructions;
  std::vector<ParsedLabel> labels;
  std::vector<unsigned> blockParents; ///< block 0 is the body
  /// Directives (PTX ISA, "Performance-Tuning" and "Cluster Dimension
  /// Directives"); zero where absent.
  uint32_t requiredThreads[3] = {0, 0, 0}, maxThreads[3] = {0, 0, 0};
  uint32_t requiredCluster[3] = {0, 0, 0};
};

struct ParsedModule {
  std::string name;
  std::vector<ParsedVariable> shared;
  std::vector<ParsedVariable> globals; ///< .global and .const
  std::vector<ParsedKernel> kernels;
  std::vector<ParsedKernel> functions; ///< that have a body
};

/// Parses PTX text; `text` must outlive the result.
llvm::Expected<ParsedModule> parseModule(llvm::StringRef text,
                                         llvm::StringRef name);

/// Returns a sentence on the first product without a rounding that feeds a sum
/// without one, or nothing.
std::string findFusible(const ParsedKernel &kernel);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_SYNTAX_H
