//===- include/quack/Report/Report.h - what a kernel asks for ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch of a kernel asks of the machine, as predicted: for each access
// to memory its requests, sectors and wavefronts, and for the kernel registers,
// occupancy and time. As data, as text and as JSON. No MLIR here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_REPORT_REPORT_H
#define QUACK_REPORT_REPORT_H

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace quack {

/// What warps ask for, added up over a launch.
struct AccessCounts {
  int64_t requests = 0; ///< a warp's instruction with any lane on, or one copy
  int64_t bytes = 0;    ///< that lanes ask for
  /// Global memory: sectors of 32 bytes touched, and how many the distinct
  /// bytes of each request would fill.
  int64_t sectors = 0, leastSectors = 0;
  /// Shared memory: passes over the banks, and passes without bank conflicts.
  int64_t wavefronts = 0, leastWavefronts = 0;
  int64_t remoteBytes = 0; ///< to other CTAs of the cluster

  AccessCounts &operator+=(const AccessCounts &other);
};

/// What one instruction of the program asks for.
struct InstructionReport {
  int64_t laneBytes; ///< that a lane accesses
  AccessCounts counts;
};

enum class MemorySpace { global, shared, cluster };

/// One operation of the tile program, as far as it accesses one space.
struct AccessReport {
  /// load, keep, store, stage, read, publish, collect, save or merge.
  std::string operation;
  std::string operand; ///< of the kernel; empty for an exchange
  std::string form;    ///< such as "pass 1" or "bulk"; may be empty
  /// Where the row program says it; line 0: unknown.
  std::string file;
  unsigned line = 0, column = 0;
  MemorySpace space = MemorySpace::global;
  bool isWrite = false;
  /// In the order in which the program has them; those that no warp of the
  /// launch executes are left out.
  std::vector<InstructionReport> instructions;

  /// Returns the sum of the instructions of `laneBytes`, or of all.
  AccessCounts sum(std::optional<int64_t> laneBytes = std::nullopt) const;
  /// Returns the bytes a lane that its instructions access, widest first.
  std::vector<int64_t> widths() const;
  /// Returns "load %x, pass 1".
  std::string name() const;
};

/// What the cost model thinks of the kernel's plan.
struct PredictedCost {
  int64_t registers;    ///< a thread
  int64_t ctasPerSM;    ///< resident
  double occupancy;     ///< resident threads, as a share of what an SM can hold
  double bytesInFlight; ///< an SM
  double bandwidth;     ///< bytes a microsecond, rows read and written once
  double roofline;      ///< bytes a microsecond that memory gives such a kernel
  double microseconds;
  std::string decisive; ///< the limit that decides
};

/// What a launch of one kernel asks for.
struct KernelReport {
  std::string name, target;
  int64_t columns = 0, rows = 0;
  int64_t threads = 0, cluster = 1, rowsPerTile = 1;
  int64_t split = 1;       ///< clusters that share a row
  int64_t tiles = 0;       ///< of rows; each is worked on by `split` clusters
  int64_t sharedBytes = 0; ///< a CTA
  int64_t workspaceBytes = 0;      ///< a row
  int64_t fixedWorkspaceBytes = 0; ///< of the launch, whatever its rows are
  int64_t partials = 0; ///< clusters that each have a partial sum over rows
  int64_t ctas =
      0; ///< of the launch, whatever its rows are; 0: as its tiles say
  /// None for a tile program without a row program, and for the later stages of
  /// a launch, which the first one's includes.
  std::optional<PredictedCost> cost;
  /// Why the launch cannot take this kernel; empty if it can. Then there are
  /// accesses.
  std::string guard;
  /// Whether the launch takes this kernel: of its variants it is the first that
  /// can, or a later stage of that.
  bool isTaken = false;
  std::vector<AccessReport> accesses;

  /// Returns the sum of the accesses to `space`.
  AccessCounts sum(MemorySpace space) const;
  void print(llvm::raw_ostream &os) const;
  llvm::json::Value toJSON() const;
};

/// Returns `global`, `shared` or `cluster`.
llvm::StringRef stringifySpace(MemorySpace space);

} // namespace quack

#endif // QUACK_REPORT_REPORT_H
