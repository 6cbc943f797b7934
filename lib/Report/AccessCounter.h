//===- AccessCounter.h - the requests of one kernel's launch ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the warps of each class of tiles and asks the layout where their lanes
// access memory. Knows what the conversion to thread programs makes of each
// operation (lib/Conversion/QuackTVToGPU), but of that only the cut into
// pieces is shared code: the predicates and addresses that the conversion
// computes at run time are stated here once more, as numbers.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_REPORT_ACCESSCOUNTER_H
#define QUACK_LIB_REPORT_ACCESSCOUNTER_H

#include "Tally.h"

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Report/Accesses.h"

namespace quack {

/// Where a memref operand of a launch lies, in bytes after a multiple of 128.
struct Placement {
  int64_t start;    ///< of its first element
  int64_t rowBytes; ///< from row to row; 0: one row for all
};

/// The most words of 4 bytes that one access of an exchange has.
inline constexpr int64_t accessWords = tv::maxAccessBytes / 4;

/// Returns whether `index` of a level is the first of its copies.
bool isFirstCopy(const Modes &modes, int64_t index);

/// A warp of a tile: where each lane's first element is.
struct WarpOfTile {
  TileClass tile;
  int64_t slice, cta, warp;
  std::array<Coord, warpSize> first;

  /// Returns whether row `row` of the tile exists.
  bool exists(int64_t row) const { return row < tile.rows; }
};

class AccessCounter {
public:
  AccessCounter(tv::KernelOp kernel, llvm::ArrayRef<LaunchArgument> arguments,
                int64_t rows)
      : kernel(kernel), arguments(arguments), rows(rows),
        columns(kernel.getColumns()), tileColumns(getTileColumns(kernel)) {}

  /// Returns nothing, with a diagnostic, if an operation is not known.
  mlir::FailureOr<std::vector<AccessReport>> run();

private:
  //===--- In which order, and how often (Accesses.cpp) ------------------===//
  llvm::LogicalResult visit(mlir::Operation &op);
  void visitConsumers(mlir::Operation &first);
  /// Counts the loads and reads that `tile` is made of and that nothing before
  /// has asked for.
  void ask(mlir::Value tile);
  /// Adds a report of what was counted since the last one, if it was anything.
  void report(mlir::Operation *op, llvm::StringRef operation,
              mlir::Value operand, llvm::StringRef form, MemorySpace space,
              bool isWrite);
  Fragment fragmentOf(mlir::Type tile) const {
    bool isNarrow = tv::getTileShape(tile).columns < tileColumns;
    return Fragment(tile, isNarrow ? 1 : tv::getLongestRun(kernel));
  }
  /// Returns where a memref operand lies.
  Placement placeOperand(mlir::Value operand);
  /// Calls `visit` for each warp of each class of tiles of an operand whose
  /// rows are `rowBytes` apart.
  void forEachWarp(const Fragment &fragment, int64_t rowBytes,
                   llvm::function_ref<void(const WarpOfTile &)> visit);

  //===--- Aligned accesses (GlobalMemory.cpp) ---------------------------===//
  void addLoad(tv::LoadOp load);
  /// Which element is read is not known: counts those of column 0.
  void addGather(tv::GatherOp gather);
  void addStore(tv::StoreOp store);
  /// How many bytes of each lane's piece `index` exist.
  std::array<int64_t, warpSize> existingBytes(const Fragment &fragment,
                                              const WarpOfTile &warp,
                                              int64_t index) const;
  /// Where each lane's piece `index` lies.
  LaneAddresses pieceAddresses(const Fragment &fragment, Placement place,
                               const WarpOfTile &warp, int64_t index) const;
  /// Pieces from `from` on.
  void addPieces(const Fragment &fragment, Placement place, bool isStore,
                 int64_t from = 0);
  /// The first bytes of the 16 from byte `at` of a piece that the row's end
  /// cuts.
  void addTail(Tally::Key key, int64_t runBytes, int64_t at,
               const LaneAddresses &pieces,
               const std::array<int64_t, warpSize> &existing,
               const Fragment &fragment);

  //===--- Rows that start anywhere (Windows.cpp) ------------------------===//
  /// A window of each lane: `begin` columns after its first element.
  struct Window {
    Tally::Key key;
    int64_t row;   ///< after the lane's first
    int64_t begin; ///< after the lane's first column, less the skew
    /// Which lanes want it: all, or the first of those that hold neighbouring
    /// runs.
    bool onlyFirstLane = false;
    /// Whether lane 0's window is accessed by all lanes, an element each.
    bool isEdge = false;
  };
  /// Calls `range` for each lane's window; it returns which elements are meant.
  void addWindow(const Fragment &fragment, Placement place,
                 const WarpOfTile &warp, const Window &window,
                 llvm::function_ref<std::pair<int64_t, int64_t>(int64_t lane,
                                                                int64_t skew)>
                     range);
  /// Adds the windows of the pieces from `from` on. A lane's window leaves out
  /// what lies before its run where `isCutBefore(lane, column, window)`; the
  /// one after a chain has its first `beyondEnd(skew)` elements. With `areOwn`
  /// chains leave others' elements alone.
  void addWindows(
      const Fragment &fragment, Placement place, int64_t from, bool areOwn,
      llvm::function_ref<bool(int64_t, int64_t, const Window &)> isCutBefore,
      llvm::function_ref<int64_t(int64_t)> beyondEnd);
  void addLoadedWindows(const Fragment &fragment, Placement place,
                        int64_t from);
  void addOwnWindows(const Fragment &fragment, Placement place, int64_t from);

  //===--- Shared memory (SharedMemory.cpp) ------------------------------===//
  void addStage(tv::StageOp stage);
  void addAsyncCopies(const Fragment &fragment, Placement place);
  void addBulkCopies(const Fragment &fragment, Placement place);
  void addRead(tv::ReadOp read);
  /// The pieces before `to` of a row that is read again wait here.
  void addKept(tv::LoadOp load, const Fragment &fragment, int64_t to);
  void addPublish(tv::PublishOp publish);
  void addCollect(tv::CollectOp collect);

  //===--- The stages' workspace (Workspace.cpp) -------------------------===//
  /// Of the workspace, which lies at a multiple of 128 bytes.
  Placement placeWorkspace();
  void addSave(tv::SaveOp save);
  void addMerge(tv::MergeOp merge);
  void addRecall(tv::RecallOp recall);

  //===--- Sums over rows (Partials.cpp) ---------------------------------===//
  /// Calls `visit` for each kind of partial with its first byte in the
  /// workspace.
  void forEachPartial(int64_t offset, llvm::function_ref<void(int64_t)> visit);
  void addAccumulate(tv::AccumulateOp sum);
  void addGather(tv::AccumulateOp sum);
  void addFold(tv::FoldOp fold);

  tv::KernelOp kernel;
  llvm::ArrayRef<LaunchArgument> arguments;
  int64_t rows, columns, tileColumns;
  /// Whether each cluster makes an access once, not for each of its tiles.
  bool onceACluster = false;
  Tally tally;
  std::vector<AccessReport> reports;
  llvm::SmallPtrSet<mlir::Operation *, 16> asked, done;
};

} // namespace quack

#endif // QUACK_LIB_REPORT_ACCESSCOUNTER_H
