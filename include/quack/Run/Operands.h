//===- include/quack/Run/Operands.h - arrays on host and GPU ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel's arrays. Inputs come from files or a seed. Outputs are filled with
// a sentinel (NaN, or bytes of 0x5A) and lie between guard regions; so are the
// gaps between strided rows: what a kernel does not write, or writes where it
// must not, shows.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_RUN_OPERANDS_H
#define QUACK_RUN_OPERANDS_H

#include "quack/Run/Job.h"
#include "quack/Run/Random.h"
#include "quack/Run/Session.h"
#include "quack/Runtime/Launcher.h"

namespace quack {

/// What there is at most of the gap after an array's last row.
constexpr int64_t mostLastGapBytes = 4096;

/// One array, or one scalar of the launch.
struct Operand {
  OperandMetadata metadata;
  StorageType type = StorageType::f32;
  int64_t rows = 1, columns = 1; ///< extents in memory
  int64_t rowStride = 1;         ///< distance of rows in memory, in elements
  int64_t offset = 0; ///< from an aligned address to the first row, in elements
  double scalar = 0;             ///< of a `value` operand

  std::optional<std::vector<char>> file; ///< initial values from a file,
  RandomSource random;                   ///< or from a seed

  /// The out row in whose memory an in row lies, before the kernel overwrites it.
  const Operand *overwrittenBy = nullptr;

  cuda::Buffer buffer; ///< unless the session or another operand owns the memory
  cuda::DevicePointer address = 0;

  bool isValue() const { return metadata.role == "value"; }
  /// Returns whether there is one of it for all rows, in memory.
  bool isShared() const {
    return metadata.role == "columns" || metadata.role == "single";
  }
  bool isRead() const { return metadata.direction != "out"; }
  bool isWritten() const { return metadata.direction != "in"; }
  int64_t elementBytes() const { return getSizeInBytes(type); }
  int64_t rowBytes() const { return columns * elementBytes(); }
  int64_t offsetBytes() const { return offset * elementBytes(); }
  /// Returns whether all rows are one row of memory.
  bool isBroadcast() const { return rowStride == 0; }
  int64_t storedRows() const {
    return isBroadcast() ? std::min<int64_t>(rows, 1) : rows;
  }
  /// Returns the bytes from one stored row to the next.
  int64_t strideBytes() const {
    return isBroadcast() ? rowBytes() : rowStride * elementBytes();
  }
  /// Returns how many bytes of the gap after a stored row are there. No row follows
  /// the last one: rows that lie far apart take no more memory than they need.
  int64_t gapBytesAfter(int64_t row) const {
    int64_t gap = strideBytes() - rowBytes();
    return row + 1 < storedRows() ? gap : std::min(gap, mostLastGapBytes);
  }
  /// Returns the bytes from the first row to the end of the last row's gap.
  int64_t spanBytes() const {
    int64_t last = storedRows() - 1;
    return last < 0 ? 0 : last * strideBytes() + rowBytes() + gapBytesAfter(last);
  }
  /// Returns whether there are gaps between rows.
  bool hasGaps() const { return strideBytes() != rowBytes(); }
  /// Returns the stride that the kernel is passed.
  int64_t abiStride() const { return isShared() ? 0 : rowStride; }

  /// Writes the initial values of `count` rows from `begin` to `to`, packed.
  void readInitial(int64_t begin, int64_t count, char *to) const;
};

/// A kernel's operands in order, and M.
struct Operands {
  std::vector<Operand> list;
  std::optional<int64_t> rows; ///< nothing: neither files nor the job say
  /// What the stages of a launch meet through, between guards; none for one
  /// stage.
  cuda::Buffer workspaceBuffer;
  cuda::DevicePointer workspace = 0;
  int64_t workspaceBytes = 0;

  /// Returns the arguments of a launch.
  std::vector<LaunchArgument> arguments() const;
};

/// Bytes that a run has to move, each array once in each direction it goes.
struct Traffic {
  int64_t read = 0, written = 0;

  int64_t bytes() const { return read + written; }
  /// Returns whether a read is a fairer yardstick than a copy.
  bool hardlyWrites() const { return written * 8 < read; }
};

Traffic countTraffic(const Operands &operands);

/// Reads the job's files and decides shapes, strides and M. Needs no GPU.
llvm::Expected<Operands> loadOperands(const Job &job,
                                      const KernelMetadata &kernel);

/// Allocates the operands on the GPU and fills them.
llvm::Error placeOperands(Session &session, Operands &operands);

/// Allocates `to`, which was loaded from the same job as `from` and has none that
/// takes another's memory: inputs are copies of what `from` has on the GPU.
llvm::Error placeCopies(Session &session, const Operands &from, Operands &to);

/// Fills with sentinels what is only written, so that what a later launch leaves out
/// shows.
llvm::Error poisonOutputs(const cuda::Context &context,
                          const Operands &operands);

/// Allocates the workspace of `kernel`, the variant that is launched. On a GPU
/// it is filled with what no kernel expects; the simulator knows what nobody
/// wrote.
llvm::Error placeWorkspace(Session &session, const KernelMetadata &kernel,
                           Operands &operands);

/// Copies `count` rows from `begin` of an operand back, packed. Bytes of the
/// gaps that changed are counted in `gapChanges`.
llvm::Error fetchRows(const cuda::Context &context, const Operand &operand,
                      int64_t begin, int64_t count, std::vector<char> &packed,
                      int64_t &gapChanges);

/// Returns which guard regions a kernel has written into, as text; empty if
/// none.
llvm::Expected<std::string> findGuardChanges(const cuda::Context &context,
                                             const Operands &operands);

/// Writes the outputs that the job wants to their files.
llvm::Error writeOutputs(const cuda::Context &context, const Job &job,
                         const Operands &operands);

} // namespace quack

#endif // QUACK_RUN_OPERANDS_H
