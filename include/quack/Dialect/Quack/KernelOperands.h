//===- KernelOperands.h - operand lists of kernels --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `quack.kernel` and `quack_tv.kernel` take the same operands: this is their
// common syntax, `%x: memref<?x?xf32> in row`, and their common rules.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_QUACK_KERNELOPERANDS_H
#define QUACK_DIALECT_QUACK_KERNELOPERANDS_H

#include "quack/Dialect/Quack/Quack.h"
#include "quack/Support/Columns.h"

namespace quack {

/// Parses `(%x: type direction role, %eps: f32, ...)`. A type that is no memref
/// is a `value` operand and takes no keywords.
mlir::ParseResult
parseKernelOperands(mlir::OpAsmParser &parser,
                    llvm::SmallVectorImpl<mlir::OpAsmParser::Argument> &args,
                    llvm::SmallVectorImpl<mlir::Attribute> &specs);

/// Parses what follows a kernel's own clauses: `otherwise`, attributes and body,
/// and adds the attributes `function_type` and `operand_specs` that both kernels
/// have.
mlir::ParseResult
parseKernelBody(mlir::OpAsmParser &parser, mlir::OperationState &result,
                llvm::ArrayRef<mlir::OpAsmParser::Argument> args,
                llvm::ArrayRef<mlir::Attribute> specs);

/// Prints what `parseKernelBody` parses, without the attributes `elided`, which
/// the kernel's own clauses print.
void printKernelBody(mlir::OpAsmPrinter &printer, mlir::Operation *kernel,
                     mlir::FlatSymbolRefAttr otherwise,
                     llvm::ArrayRef<llvm::StringRef> elided);

/// Checks that `otherwise`, if there, names another kernel of the same
/// operation and with the same operands, and that no chain of them leads back
/// (C13 of `quack.kernel`, C11 of `quack_tv.kernel`).
template <typename KernelOp>
llvm::LogicalResult verifyOtherwise(KernelOp kernel,
                                    mlir::SymbolTableCollection &symbols) {
  mlir::FlatSymbolRefAttr name = kernel.getOtherwiseAttr();
  if (!name)
    return llvm::success();
  // A kernel may be a symbol table itself.
  auto other = symbols.lookupNearestSymbolFrom<KernelOp>(kernel->getParentOp(), name);
  if (!other || other == kernel)
    return kernel.emitOpError("otherwise must name another ")
           << KernelOp::getOperationName() << ", got " << name;
  if (other.getFunctionType() != kernel.getFunctionType() ||
      other.getOperandSpecs() != kernel.getOperandSpecs())
    return kernel.emitOpError("otherwise must name a kernel with the same operands, "
                              "but those of ")
           << name << " differ";
  // A circle that `kernel` leads to but is not in is an error of its members.
  llvm::SmallPtrSet<mlir::Operation *, 4> seen;
  while (other && seen.insert(other).second) {
    if (other == kernel)
      return kernel.emitOpError(
                 "otherwise must lead to a kernel that has none, "
                 "but ")
             << name << " leads back to this one";
    mlir::FlatSymbolRefAttr next = other.getOtherwiseAttr();
    other = next ? symbols.lookupNearestSymbolFrom<KernelOp>(other->getParentOp(), next)
                 : KernelOp();
  }
  return llvm::success();
}

/// Parses and prints what follows an operand's role: `optional`, `optional 1.0`, or
/// `absent`.
mlir::ParseResult parsePresence(mlir::AsmParser &parser, Presence &presence,
                                mlir::Attribute &substitute);
void printPresence(mlir::AsmPrinter &printer, OperandAttr spec);

/// Takes operands that are absent, their stores, and what only these need out of the
/// kernel.
void dropAbsentOperands(KernelOp kernel);

/// Prints the operands of `block` in the form that `parseKernelOperands` takes.
void printKernelOperands(mlir::OpAsmPrinter &printer, mlir::Block &block,
                         mlir::ArrayAttr specs);

/// Suggests the operands' names for the SSA values of the kernel's arguments.
void suggestKernelOperandNames(mlir::Region &region, mlir::ArrayAttr specs,
                               mlir::OpAsmSetValueNameFn setName);

/// Checks a kernel's name, and types, roles, directions and names of its operands
/// (constraints C1 to C5 and C8 to C12 of `quack.kernel`).
llvm::LogicalResult verifyKernelOperands(mlir::Operation *kernel,
                                         mlir::FunctionType type,
                                         mlir::ArrayAttr specs);

/// Returns the N that the `row` and `columns` operands share; kDynamic if it is
/// not fixed yet.
int64_t getKernelColumns(mlir::FunctionType type, mlir::ArrayAttr specs);

/// Returns whether storing operand `written` may change what operand `read` holds: it
/// is the same, updated, or both are rows, `written` is `out` and their elements are of
/// one size, so that one may lie where the other does.
bool mayShareMemory(mlir::FunctionType type, mlir::ArrayAttr specs, unsigned read,
                    unsigned written);

/// The same of any operand that a kernel with such operands stores.
bool mayBeStored(mlir::FunctionType type, mlir::ArrayAttr specs, unsigned read);

/// Returns the kernel operand that `value` is an argument of, or null with an
/// error on `op` if it is none. `what` names the operand of `op`.
OperandAttr verifyIsKernelOperand(mlir::Operation *op, mlir::Value value,
                                  llvm::StringRef what);

/// Checks that `value` is a kernel operand with this role and direction.
llvm::LogicalResult verifyIsOperand(mlir::Operation *op, mlir::Value value,
                                    llvm::StringRef what, Role role,
                                    Direction direction);

/// Returns the kernel operand that `op` writes for each row, which must not be
/// `in`.
OperandAttr verifyIsWritableOperand(mlir::Operation *op, mlir::Value value,
                                    llvm::StringRef what);

/// The same for one that `op` adds up over all rows.
OperandAttr verifyIsSumOperand(mlir::Operation *op, mlir::Value value,
                               llvm::StringRef what);

/// Returns whether there is one of an operand with this role, in memory, for
/// all rows.
inline bool isSharedByRows(Role role) {
  return role == Role::columns || role == Role::single;
}

/// Returns whether a row has another number of elements of an operand with this
/// role than it has columns, which the operand's type says.
inline bool hasOwnColumns(Role role) {
  return role == Role::groups || role == Role::picks;
}

/// Elements of a row that `topk` picks at most.
inline constexpr int64_t maxPicks = 256;

/// Returns whether a row has one number of an operand with this role.
inline bool isOneNumber(Role role) {
  return role == Role::scalar || role == Role::single;
}

/// Returns the groups of columns that a row of type `type` has an element for;
/// null if it is another type.
GroupsAttr getGroups(mlir::Type type);

/// Returns whether `type` is a float of 8 bits: a storage type, which nothing
/// is computed in.
inline bool isByteFloat(mlir::Type type) {
  return llvm::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(type);
}

/// Returns whether `kind` combines elements of type `type`.
bool fitsElementType(ReduceKind kind, mlir::Type type);

/// Returns the element that leaves any other unchanged under `kind`.
mlir::TypedAttr getIdentity(ReduceKind kind, mlir::Type type);

/// Builds the arith operation that combines `lhs` and `rhs`: scalars, vectors
/// or tensors of one type.
mlir::Value createCombine(mlir::OpBuilder &builder, mlir::Location loc,
                          ReduceKind kind, mlir::Value lhs, mlir::Value rhs);

/// Returns how many passes over its row `op` takes before its results are there: 0 for
/// all but reductions. Those that tell each thread about its own elements first, before
/// threads meet, take 2.
int64_t getPassCount(mlir::Operation *op);

/// Returns whether all threads of a row must have made `extract` before the row is
/// stored: what it reads may lie where the row does.
bool mustMeet(ExtractOp extract);

/// Parses and prints a bare reduction kind, for assembly formats.
mlir::ParseResult parseReduceKind(mlir::OpAsmParser &parser,
                                  ReduceKindAttr &kind);
void printReduceKind(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     ReduceKindAttr kind);

} // namespace quack

#endif // QUACK_DIALECT_QUACK_KERNELOPERANDS_H
