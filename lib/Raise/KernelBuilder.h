//===- lib/Raise/KernelBuilder.h - from a group to a kernel -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the row program of a group. Nothing of the function is changed, so that a group
// that turns out not to be possible can be tried again without the operation in the way.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_RAISE_KERNELBUILDER_H
#define QUACK_LIB_RAISE_KERNELBUILDER_H

#include "Emitter.h"
#include "Group.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace quack::raise {

/// What a kernel's operand holds: a value of the function, or a result of a member.
struct KernelOperand {
  mlir::Value value;
  std::optional<Role> role; ///< none of a result that no operand can hold
  Labels labels;
};

class KernelBuilder {
public:
  KernelBuilder(const Group &group, mlir::MLIRContext *context)
      : group(group), b(context), emit(b, group.space.columns()) {}

  /// Emits the body. On failure `obstacle` says which operation is in the way.
  llvm::LogicalResult build();
  Obstacle obstacle;

  /// Makes the kernel of what was emitted, where `at` stands.
  KernelOp create(mlir::OpBuilder &at, llvm::StringRef name);

  llvm::SmallVector<KernelOperand> inputs, outputs;
  /// Members that were emitted, and reductions among them.
  unsigned numOperations = 0, numReductions = 0;

private:
  using Values = llvm::DenseMap<mlir::Value, mlir::Value>;

  /// Finds what others use of the group, and the members that it needs.
  void findOutputs();
  llvm::LogicalResult emitMember(const Member &member);
  llvm::LogicalResult emitReshape(const Member &member);
  llvm::LogicalResult emitSoftmax(const Member &member, mlir::linalg::SoftmaxOp op);
  llvm::LogicalResult emitLinalg(const Member &member, mlir::linalg::LinalgOp op);
  llvm::LogicalResult emitReductions(const Member &member, mlir::linalg::LinalgOp op);
  llvm::LogicalResult emitExtreme(const Member &member, mlir::linalg::LinalgOp op,
                                  mlir::ValueRange inits);
  llvm::LogicalResult store(const KernelOperand &output);

  /// Emits all operations of a body but those of `except`.
  llvm::LogicalResult
  emitBody(const Member &member, mlir::Block &body,
           const llvm::SmallPtrSetImpl<mlir::Operation *> &except);
  mlir::Value emitIndex(const Member &member, mlir::linalg::IndexOp op);
  mlir::Value emitExtract(const Member &member, mlir::tensor::ExtractOp op);
  /// Emits a reduction of `value` by `kind`; both `value` and `init` are held for `type`.
  mlir::Value reduce(mlir::Location loc, ReduceKind kind, mlir::Type type,
                     mlir::Value value, mlir::Value init);

  /// Emits what a sum over all rows adds for this one.
  mlir::Value addRow(const Member &member, mlir::Operation *merge, mlir::Value value);

  /// Returns what a value of a body, or a scalar of the function, is in the kernel.
  mlir::Value lower(mlir::Value value);
  /// Returns a tensor that a member reads: emitted, a constant, or an operand that is
  /// loaded.
  mlir::Value read(const Access &access, const Labels &loops);
  mlir::Value load(mlir::Value tensor, const Labels &labels, mlir::Location loc);
  mlir::Value addInput(mlir::Value value, Role role, const Labels &labels,
                       mlir::Type type);

  const Group &group;
  mlir::OpBuilder b;
  Emitter emit;
  mlir::Region body;
  llvm::SetVector<mlir::Operation *> needed;
  Values emitted; ///< by the tensors of the function
  Values locals;  ///< by the values of the body that is being emitted
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> loads; ///< by role
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::SmallVector<OperandAttr> specs;
};

/// Returns whether elements of type `type` can lie in memory.
bool isStored(mlir::Type type);

/// The kind of reduction that an operation of two elements is, if it is one.
std::optional<ReduceKind> kindOf(mlir::Operation *op);

/// Whether a reduction finds the first greatest (least) element and its place.
enum class Extreme { none, greatest, least };

/// Decides this for a body that is given an element, its place, and both of the best
/// one before.
Extreme findExtreme(mlir::Block &body, mlir::Value element, mlir::Value place,
                    mlir::Value best, mlir::Value bestPlace);

} // namespace quack::raise

#endif // QUACK_LIB_RAISE_KERNELBUILDER_H
