//===- KernelMetadata.h - what a launcher must know -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launch metadata that accompanies a kernel's PTX, as data and as JSON. No
// MLIR here: a runtime reads it without the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TARGET_KERNELMETADATA_H
#define QUACK_TARGET_KERNELMETADATA_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <vector>

namespace quack {

/// One operand of a kernel, in the order of the launch ABI.
struct OperandMetadata {
  std::string name;
  std::string direction; ///< in, out or inout
  std::string role; ///< row, columns, scalar, single, value, groups or picks
  std::string type; ///< storage type: f32, bf16, f16, f8E4M3FN, ..., i64
  /// What the pointer and, for `row` operands, the row stride in bytes must be
  /// a multiple of. The launcher checks it.
  int64_t alignmentBytes = 1;
  /// Of a `groups` operand how many groups a row has, of a `picks` one how many
  /// elements of it are picked.
  int64_t columns = 0;

  /// Returns whether a row has `columns` elements, other than the kernel's
  /// columns.
  bool hasOwnColumns() const { return role == "groups" || role == "picks"; }
};

/// One kernel of a PTX module.
///
/// Launch: a grid of (ceil(M / rowsPerTile) * split * cluster, 1, 1) CTAs of
/// (threads, 1, 1), in clusters of `cluster`, with `sharedBytes` of dynamic
/// shared memory. Nothing is launched for M = 0. Where `ctas` is not 0, there
/// are so many CTAs whatever M is, 0 too: sums over rows are there then.
/// Parameters: for each memref operand (role other than `value`) a device
/// pointer and an i64 row stride in elements; then i64 M; then the `value`
/// operands; then, if `workspaceBytes` or `fixedWorkspaceBytes` is not 0, a
/// pointer to M * workspaceBytes + fixedWorkspaceBytes bytes of device memory,
/// aligned to 16, with any contents. `next`, if there is one, is launched after
/// it in the same stream, with the same arguments: the kernel's further stage.
struct KernelMetadata {
  std::string name;
  int64_t columns = 0; ///< N
  int64_t threads = 0;
  int64_t cluster = 1;
  int64_t rowsPerTile = 1;
  int64_t split = 1; ///< clusters that share a row
  int64_t sharedBytes = 0;
  int64_t workspaceBytes = 0;      ///< for each row of M
  int64_t fixedWorkspaceBytes = 0; ///< whatever M is
  int64_t partials = 0; ///< clusters that each have a partial sum over rows
  int64_t ctas = 0;     ///< of a launch, whatever M is; 0: they follow from M
  std::vector<OperandMetadata> operands;
  std::string plan; ///< the plan, as #quack_tv.plan prints it
  int64_t leastRows = 0; ///< the fewest rows that it is launched for
  /// The kernel of the module to launch instead, with the same arguments, where an
  /// operand has not its alignment, or M is less than `leastRows`; empty if there is
  /// none.
  std::string otherwise;
  /// The kernel of the module to launch after this one; empty if there is none.
  std::string next;

  /// Returns whether the last parameter is a workspace.
  bool hasWorkspace() const { return workspaceBytes || fixedWorkspaceBytes; }

  llvm::json::Value toJSON() const;
  static llvm::Expected<KernelMetadata> fromJSON(const llvm::json::Value &json);
};

/// The JSON document beside a PTX file: chip, PTX version, compiler version and
/// the kernels.
struct ModuleMetadata {
  std::string chip;       ///< e.g. sm_90
  int64_t ptxVersion = 0; ///< e.g. 83 for PTX ISA 8.3
  std::vector<KernelMetadata> kernels;

  /// Returns the kernel called `name` and those that it names as `otherwise`, in
  /// order; empty if there is none of that name.
  std::vector<const KernelMetadata *> variantsOf(llvm::StringRef name) const;

  /// Returns the stages of a launch of the kernel called `name`: it, and those
  /// that are launched after it, in order; empty if there is none of that name.
  std::vector<const KernelMetadata *> stagesOf(llvm::StringRef name) const;

  llvm::json::Value toJSON() const;
  static llvm::Expected<ModuleMetadata> fromJSON(const llvm::json::Value &json);
};

} // namespace quack

#endif // QUACK_TARGET_KERNELMETADATA_H
