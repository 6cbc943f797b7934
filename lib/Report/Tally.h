//===- Tally.h - adds up the requests of one operation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tiles of a launch cost the same, and the sum of what warps ask for.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REPORT_TALLY_H
#define QUACK_LIB_REPORT_TALLY_H

#include "quack/Layout/MemoryAccess.h"
#include "quack/Report/Report.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <map>

namespace quack {

/// By lane: the address that it accesses, or `inactiveLane`.
using LaneAddresses = std::array<int64_t, warpSize>;

/// Tiles that cost the same: their rows start at the same place in a sector.
struct TileClass {
  int64_t firstRow; ///< of one of them
  int64_t rows;     ///< that exist
  int64_t count;    ///< tiles of the class
};

/// Returns the classes of the tiles of a launch, for an operand whose rows are
/// `rowBytes` bytes apart. Rows that move against the sectors make one class
/// for each place where a tile may start, at most 32; a last tile that is not
/// full is one of its own.
llvm::SmallVector<TileClass> classifyTiles(int64_t rows, int64_t rowsPerTile,
                                           int64_t rowBytes);

/// The requests of one operation, by instruction.
class Tally {
public:
  /// Which instruction of an operation: that of a piece, at a byte of it, and 0
  /// for the access itself or else one more than a byte within that.
  using Key = std::array<int64_t, 3>;

  /// How often what is counted next happens.
  void setTimes(int64_t count) { times = count; }

  /// A warp's access to global memory.
  void addGlobal(Key key, int64_t laneBytes, const LaneAddresses &addresses);
  /// One lane's copy of a run of bytes; nothing for 0 bytes. `laneBytes` is
  /// what the instruction copies at most.
  void addRun(Key key, int64_t laneBytes, int64_t address, int64_t bytes);
  /// A warp's access to shared memory.
  void addShared(Key key, int64_t laneBytes, const LaneAddresses &addresses,
                 bool isLoad);
  /// A warp's stores to peers of `lanes` lanes, of which `remote` are to other
  /// CTAs.
  void addRemote(Key key, int64_t laneBytes, int64_t lanes, int64_t remote);

  /// Returns the instructions in the order of their keys.
  std::vector<InstructionReport> take();

private:
  void add(Key key, int64_t laneBytes, const AccessCounts &counts);

  int64_t times = 1;
  std::map<Key, InstructionReport> instructions;
};

} // namespace quack

#endif // QUACK_LIB_REPORT_TALLY_H
