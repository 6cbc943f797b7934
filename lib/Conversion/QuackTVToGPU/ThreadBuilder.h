//===- ThreadBuilder.h - one tile program to one thread program -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's share of a tile is a list of *pieces*: runs of consecutive columns,
// one vector each (a scalar for a run of one). Tile operations are not converted
// one by one: a piece is computed when a store or a reduction asks for it, and
// the askers of one pass go through the pieces together. So few values are live
// at a time, in whatever order the tile program was written; pieces that are
// asked for again are kept.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_CONVERSION_QUACKTVTOGPU_THREADBUILDER_H
#define QUACK_LIB_CONVERSION_QUACKTVTOGPU_THREADBUILDER_H

#include "quack/Conversion/QuackTVToGPU.h"
#include "quack/Dialect/QuackTV/PlanNumbers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <functional>

namespace quack {

/// Returns `[$operand+offset]`: an address of inline PTX.
std::string addressText(int64_t operand, int64_t offset);

/// The state space, with cache operators, of accesses with a policy.
llvm::StringRef loadSpace(tv::LoadPolicy policy);
llvm::StringRef storeSpace(tv::StorePolicy policy);

/// A predicate for some accesses; null where they always happen.
using Predicate = mlir::Value;

/// Builds the body of one kernel's `llvm.func`.
class ThreadBuilder {
public:
  /// `func` has an empty entry block with the launch ABI's arguments.
  /// Inline PTX keeps to `ptxVersion` (times ten), or to what it needs if 0.
  ThreadBuilder(tv::KernelOp kernel, mlir::LLVM::LLVMFuncOp func,
                mlir::LLVM::GlobalOp shared, int64_t ptxVersion);

  llvm::LogicalResult build();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  /// A tile of a cluster that works on one after the other; null values: a cluster
  /// that has one.
  struct Turn {
    mlir::Value tile;   ///< its number (i64)
    mlir::Value buffer; ///< which of each stage's buffers it has (i32)
    mlir::Value slot;   ///< which of each exchange's it has (i32); null: the only one
    mlir::Value parity; ///< that of the phase of its exchanges' mbarriers (i32)
    Predicate exists;   ///< null: it does
  };
  /// How partials combine: by kinds or by a combiner region.
  struct Combiner {
    mlir::ArrayAttr kinds, identities;
    mlir::Region *region;
  };

  //===--- Values and pieces (ThreadBuilder.cpp) ---------------------------===//
  llvm::LogicalResult visit(mlir::Operation &op);
  /// Converts the stores and thread reductions that follow `first` in its pass,
  /// piece by piece. Returns the operations done in `done`.
  void visitConsumers(mlir::Operation &first);
  /// Returns piece `index` of `tile`, computing it where it is not yet.
  mlir::Value piece(mlir::Value tile, int64_t index);
  /// Returns the elements of a piece.
  Values elementsOf(mlir::Value piece);
  mlir::Value createPiece(mlir::Value tile, int64_t index);
  mlir::Value createElementwise(mlir::Operation *op, mlir::OpResult result,
                                int64_t index);
  mlir::Value createBroadcast(tv::BroadcastOp broadcast, int64_t index);
  mlir::Value createIndex(tv::IndexOp op, int64_t index);
  mlir::Value createWiden(tv::WidenOp widen, int64_t index);
  // Floats of 8 bits (Bytes.cpp).
  mlir::Value createNarrow(tv::NarrowOp narrow, int64_t index);
  /// Returns a piece of floats of 8 bits as one of `element`.
  mlir::Value widenBytes(mlir::Value piece, const Fragment &from,
                         mlir::Type element, mlir::Location loc);
  /// Returns a zero that no compiler can know, another value for each pass.
  mlir::Value opaqueZero(int64_t pass);

  //===--- Groups of columns (Groups.cpp)
  //-----------------------------------===//
  mlir::Value createGroupReduce(tv::GroupReduceOp reduce, int64_t index);
  mlir::Value createGroupBroadcast(tv::GroupBroadcastOp broadcast,
                                   int64_t index);
  /// Returns how many columns of a tile exist: N, or as many as there are
  /// groups.
  int64_t columnsOf(const Fragment &fragment);

  //===--- Rows read in chunks (Online.cpp) ---------------------------------===//
  Values reduceChunk(OnlineGroup &group, llvm::ArrayRef<int64_t> chunk, int64_t row);
  /// Converts `first` and the reductions that need its partials chunk by chunk, if
  /// there are some and their row is held nowhere; returns whether.
  bool visitOnline(tv::ThreadReduceOp first);

  //===--- Elements that are picked (Picks.cpp, Scatter.cpp)
  //-----------------===//
  class Picker;
  friend class Picker;
  void visitTopK(tv::TopKOp topk);
  void visitSaveTopK(tv::SaveTopKOp save);
  mlir::Value recallPiece(tv::RecallOp recall, int64_t index);
  void visitScatter(tv::ScatterOp scatter);
  /// Waits for the threads of each row, which have it to themselves.
  void syncRow();
  /// Returns the address of element `column` (i32) of the thread's row of an
  /// operand.
  mlir::Value pickAddress(mlir::Value operand, const Fragment &fragment,
                          mlir::Value column);
  /// Has `body` create operations in a region whose values nobody else sees.
  void withOwnPieces(llvm::function_ref<void()> body);

  //===--- Padding (Padding.cpp)
  //--------------------------------------------===//
  /// Returns what a load or read leaves in a word that does not exist.
  uint32_t fillOf(mlir::Value load);
  /// Returns whether the load behind `mask` leaves its identity.
  bool isFilledWith(tv::MaskOp mask);
  mlir::Value createMask(tv::MaskOp mask, int64_t index);
  /// Returns `value` in columns of a run that exist, from `column` on after the
  /// thread's first, and else `otherwise`.
  mlir::Value selectExisting(const Fragment &fragment, int64_t column,
                             mlir::Value value, mlir::Value otherwise);
  /// Combines piece `index` of the reduction's sources into `sums`, which is empty
  /// before the first.
  void accumulate(tv::ThreadReduceOp reduce, Values &sums, int64_t index);
  llvm::DenseMap<mlir::Value, uint32_t> fills;

  //===--- Coordinates (Coordinates.cpp) -----------------------------------===//
  /// Returns row and column of this thread's first element (i32 each).
  std::pair<mlir::Value, mlir::Value> threadCoord(const Fragment &fragment);
  /// Adds the coordinates that digits of `index` over `modes` contribute.
  void addDigits(const Modes &modes, TVLayout const &layout, TileShape shape,
                 mlir::Value index, mlir::Value &row, mlir::Value &column);
  /// Returns whether this thread is the first of its copies at `levels`; null:
  /// always.
  Predicate isCanonicalCopy(const Fragment &fragment,
                            llvm::ArrayRef<Level> levels = {
                                Level::Lane, Level::Warp, Level::Cta,
                                Level::Slice});
  /// Returns whether row (all columns) of a piece exists; null: always.
  Predicate rowExists(const Fragment &fragment, int64_t rowOffset);
  Predicate columnsExist(const Fragment &fragment, int64_t columnOffset);
  /// Returns whether only the first `tailColumns` columns of a piece exist; null:
  /// never.
  Predicate isTail(const Fragment &fragment, int64_t columnOffset);
  /// Returns the greatest column of any thread's first element.
  static int64_t greatestThreadColumn(const Fragment &fragment);
  /// Returns whether `column` is some thread's first.
  static bool isThreadColumn(const Fragment &fragment, int64_t column);
  /// Returns how many columns of the run exist that the row's end cuts; 0: none
  /// is cut.
  int64_t tailColumns(const Fragment &fragment);
  Predicate both(Predicate lhs, Predicate rhs);
  /// Returns the global row (i64) of a piece `rowOffset` below the thread's.
  mlir::Value globalRow(const Fragment &fragment, int64_t rowOffset);
  mlir::Value lane();
  mlir::Value warp();
  mlir::Value ctaRank();
  mlir::Value threadId();
  mlir::Value clusterIndex();
  /// Returns which slice of its rows this cluster has (i32), and which tile
  /// (i64).
  mlir::Value sliceIndex();
  mlir::Value tileIndex();
  /// Returns the column of this thread's first element within the slice (i32).
  mlir::Value sliceLocalColumn(const Fragment &fragment);
  Predicate isFirstThread();

  //===--- Memory (Access.cpp, Memory.cpp, Staging.cpp) ---------------------===//
  /// A run of bytes in memory: base address in a register and a constant offset.
  struct Address {
    mlir::Value base;
    int64_t offset;
  };
  /// When an access happens: all of it where `whole` (null: always), and where
  /// `tail`, which excludes `whole`, its first `tailBytes` bytes. What a load does
  /// not load it fills.
  struct Part {
    Predicate whole, tail;
    int64_t tailBytes = 0;
    uint32_t fill = 0; ///< each word
  };
  /// Returns when the bytes from `at` to `at + bytes` of an access happen.
  Part slice(const Part &part, int64_t at, int64_t bytes);
  /// Returns when piece `index` exists.
  Part partOf(const Fragment &fragment, int64_t index);
  llvm::SmallVector<mlir::Value> loadWords(Address address, int64_t bytes,
                                           llvm::StringRef space, const Part &part,
                                           mlir::Value policy);
  void loadVector(Address address, int64_t bytes, llvm::StringRef space,
                  const Part &part, mlir::Value policy,
                  llvm::SmallVectorImpl<mlir::Value> &words);
  void storeWords(Address address, llvm::ArrayRef<mlir::Value> words,
                  int64_t bytes, llvm::StringRef space, const Part &part);
  void storeVector(Address address, llvm::ArrayRef<mlir::Value> words,
                   int64_t bytes, llvm::StringRef space, const Part &part);
  mlir::Value fromWords(llvm::ArrayRef<mlir::Value> words, const Fragment &to);
  llvm::SmallVector<mlir::Value> toWords(mlir::Value piece, const Fragment &from);
  /// Returns where the operand's row `rowOffset` below the thread's starts.
  mlir::Value rowAddress(mlir::Value operand, const Fragment &fragment,
                         int64_t rowOffset);
  Address globalAddress(mlir::Value operand, const Fragment &fragment,
                        int64_t index);
  mlir::Value loadPiece(tv::LoadOp load, int64_t index);
  void issueLoad(tv::LoadOp load, int64_t index);
  void issueLoads(tv::LoadOp load, llvm::ArrayRef<int64_t> indices);
  mlir::Value loadAtUse(tv::LoadOp load, int64_t index);
  mlir::Value gatherPiece(tv::GatherOp gather, int64_t index);
  /// Whether lanes have read what other threads of the row may store.
  bool hasGathered = false;
  /// Returns the piece that was loaded as `words`.
  mlir::Value fromLoaded(llvm::ArrayRef<mlir::Value> words, const Fragment &to);
  void storePiece(tv::StoreOp store, int64_t index);
  void visitLoad(tv::LoadOp load);
  void visitStage(tv::StageOp stage);
  void stageAsync(tv::StageOp stage);
  void stageBulk(tv::StageOp stage);
  void visitAwait(tv::AwaitOp await);
  Address stagedAddress(tv::StageOp stage, int64_t index);
  mlir::Value readPiece(tv::ReadOp read, int64_t index);
  void addTail(tv::StageOp stage, int64_t index, int64_t at, const Part &part,
               llvm::SmallVectorImpl<mlir::Value> &words);
  mlir::Value evictionPolicy(tv::LoadPolicy policy);
  mlir::Value sharedPointer(int64_t offset);
  /// Returns a shared-memory address as i32, for inline PTX.
  mlir::Value sharedAddress(int64_t offset);

  //===--- What is kept of rows that are read again (Kept.cpp) --------------===//
  Address keptAddress(tv::LoadOp load, const Fragment &fragment, int64_t index);
  /// Puts a piece that has been loaded where it waits for later loads, if it does.
  void keepPiece(tv::LoadOp load, int64_t index, mlir::Value piece);
  mlir::Value keptPiece(tv::LoadOp load, int64_t index);

  //===--- Rows that start anywhere (Skew.cpp, Unaligned.cpp, Edges.cpp) ----===//
  /// How far a row starts after a multiple of a window (the bytes of an aligned
  /// access): the same for all threads of the row.
  struct Skew {
    mlir::Value base;                     ///< the thread's address, less that
    mlir::Value bytes, elements, isSome;  ///< i32, i32, i1
    llvm::SmallVector<mlir::Value> words; ///< 1, 2, ... words of it (i1)
    mlir::Value bits; ///< what is left below a word (i32); null: nothing

    /// Returns how many words of the neighbouring window a shift may look at, if
    /// `known` is the number of whole words, or -1.
    int64_t wordsBeyond(int64_t known) const {
      int64_t whole = known >= 0 ? known : (int64_t(1) << words.size()) - 1;
      return whole + (bits ? 1 : 0);
    }
  };
  /// Which elements of a window are meant: those from `from` to `to` (null: no
  /// bound), if it `exists` (null: always).
  struct Span {
    mlir::Value from, to;
    Predicate exists;
  };
  bool isUnaligned(const Fragment &fragment) {
    return isAccessedByWindows(kernel, fragment);
  }
  Skew skewOf(mlir::Value operand, const Fragment &fragment, int64_t index);
  Values shiftDown(Values words, const Skew &skew, int64_t known, int64_t count);
  Values shiftUp(Values words, const Skew &skew, int64_t known, int64_t count);
  Values perSkew(const Skew &skew, const Fragment &fragment, int64_t count,
                 llvm::function_ref<Values(int64_t)> make);
  Values fromNeighbour(Values words, const Fragment &fragment, int64_t distance);
  Predicate isAtEdge(const Fragment &fragment, bool first);
  Values selectAtEdge(const Fragment &fragment, bool first,
                      llvm::ArrayRef<mlir::Value> atEdge,
                      llvm::ArrayRef<mlir::Value> elsewhere);
  /// Clamps an i32.
  mlir::Value clampTo(mlir::Value value, int64_t least, int64_t most);
  bool mayContainEnd(const Fragment &fragment, int64_t begin, int64_t count);
  Span spanOf(const Skew &skew, const Fragment &fragment, int64_t begin);
  std::pair<Predicate, Predicate> splitSpan(Span &span, const Fragment &fragment,
                                            Predicate wanted);
  void keepToChain(Span &span, const Skew &skew, const Fragment &fragment, bool beyond);
  Values loadElements(Address address, const Fragment &fragment,
                      llvm::StringRef space, mlir::Value policy, const Span &span,
                      uint32_t fill);
  Values joinElements(llvm::ArrayRef<mlir::Value> elements, int64_t bytes);
  /// A window at an end of a warp's stretch, `begin` columns after lane 0's first:
  /// what the warp accesses of it, elements `from` to `to` (null: all).
  struct Edge {
    int64_t row, begin;
    mlir::Value from, to;
  };
  /// The first window of piece `index`, and the one after its last run.
  Edge firstEdge(const Skew &skew, const Fragment &fragment, int64_t index);
  Edge edgeBeyond(const Skew &skew, const Fragment &fragment, int64_t index);
  Address edgeAddress(const Skew &skew, const Fragment &fragment, int64_t begin);
  Predicate edgeExists(const Skew &skew, const Fragment &fragment, const Edge &edge);
  Predicate isNotFirstLane(const Fragment &fragment);
  /// Returns this lane's element, as loaded.
  Values loadEdge(tv::LoadOp load, const Skew &skew, const Fragment &fragment,
                  const Edge &edge);
  /// Returns the window's words, the same in all lanes.
  Values joinEdge(const Fragment &fragment, Values element);
  /// Stores what lane 0 has of the window's words.
  void storeEdge(tv::StoreOp store, const Skew &skew, const Fragment &fragment,
                 const Edge &edge, llvm::ArrayRef<mlir::Value> words);
  void storeElements(Address address, const Fragment &fragment,
                     llvm::StringRef space, llvm::ArrayRef<mlir::Value> words,
                     const Span &span);
  Values loadWindow(tv::LoadOp load, const Skew &skew, const Fragment &fragment,
                    int64_t begin, Span span, Predicate wanted);
  /// What has been loaded of a piece's windows, or of the window beyond it: words,
  /// and of a window at an end of the warp's stretch this lane's element.
  struct Windows {
    Values words, edge;
  };
  Windows &issueWindows(tv::LoadOp load, int64_t index, bool beyond = false);
  llvm::ArrayRef<mlir::Value> windowsOf(tv::LoadOp load, int64_t index,
                                        bool beyond = false);
  void issueUnaligned(tv::LoadOp load, int64_t index);
  Values loadUnaligned(tv::LoadOp load, int64_t index);
  void storeWindow(tv::StoreOp store, Address address, const Fragment &fragment,
                   llvm::ArrayRef<mlir::Value> words, Predicate wanted, Span span);
  void storeWindows(tv::StoreOp store, int64_t index,
                    llvm::ArrayRef<mlir::Value> words);
  void storeChainEnd(tv::StoreOp store, int64_t index,
                     llvm::ArrayRef<mlir::Value> words);
  void flushStore(tv::StoreOp store, int64_t last);
  void storeUnaligned(tv::StoreOp store, int64_t index, Values words);
  /// By load and piece; of the window beyond it by -1 - index.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Windows> windows;
  /// Words of a piece, shifted out of its windows.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, Values> shifted;
  /// Pieces of a store that wait, and the piece of the chain before them.
  struct PendingStore {
    llvm::SmallVector<Values> pieces;
    Values before;
  };
  llvm::DenseMap<mlir::Operation *, PendingStore> pendingStores;

  //===--- Reductions and exchange (Exchange.cpp) --------------------------===//
  Values combine(const Combiner &combiner, mlir::ValueRange lhs,
                 mlir::ValueRange rhs, mlir::Location loc);
  mlir::TypedAttr identity(const Combiner &combiner, unsigned index,
                           mlir::Type type);
  /// Folds the columns of pieces by halves.
  Values foldPieces(const Combiner &combiner, Values pieces, mlir::Location loc);
  /// Makes the partials of the thread's row `row` out of `sums`.
  void finish(tv::ThreadReduceOp reduce, const Values &sums, int64_t row);
  static Combiner combinerOf(tv::ThreadReduceOp reduce) {
    return {reduce.getKinds(), reduce.getIdentities(), &reduce.getCombiner()};
  }
  Values butterfly(const Combiner &combiner, Values values,
                   llvm::ArrayRef<int64_t> distances, mlir::Location loc);
  void visitWarpReduce(tv::WarpReduceOp reduce);
  void visitPublish(tv::PublishOp publish);
  llvm::SmallVector<Values> partialWords(mlir::ValueRange partials,
                                         const Fragment &fragment,
                                         int64_t slotWords);
  void publishLocal(tv::PublishOp publish, const Fragment &fragment);
  void publishRemote(tv::PublishOp publish, const Fragment &fragment);
  void visitCollect(tv::CollectOp collect);
  /// Loads a slot from shared or global memory: the partial of each of `types`,
  /// the identity where not `valid`.
  Values loadPartials(mlir::TypeRange types, const Combiner &combiner,
                      mlir::Value address, Predicate valid);
  /// Stores `words` to a slot.
  void storePartials(llvm::ArrayRef<mlir::Value> words, mlir::Value address);
  /// Reads the partial of each value at `slot`, the identity where not `valid`.
  Values readPartials(tv::CollectOp collect, const Combiner &combiner,
                      mlir::Value slot, Predicate valid);
  void visitClusterInit(tv::ClusterInitOp init);
  /// Returns how many arrivals end a phase of an mbarrier.
  int64_t countArrivals(int64_t barrierOffset);
  /// Returns where the turn's buffer of an exchange lies, and its mbarrier.
  mlir::Value exchangePointer(tv::AllocExchangeOp alloc);
  mlir::Value barrierPointer(tv::AllocExchangeOp alloc);
  /// Returns `first` or, `bytes` after it, that of the other turns.
  mlir::Value ofTurn(mlir::Value first, int64_t bytes);
  /// Arrives on the mbarrier and has it expect `bytes` (i32) more.
  void expectBytes(mlir::Value barrier, mlir::Value bytes);
  /// A relaxed wait hands on what has been released to a fence that follows.
  void waitMBarrier(mlir::Value barrier, bool cluster, mlir::Location loc,
                    bool isRelaxed = false);
  //===--- The workspace (Workspace.cpp) -----------------------------------===//
  void visitSave(tv::SaveOp save);
  void visitMerge(tv::MergeOp merge);
  /// Returns where slot `slot` (i32) is of those at `offset` of the row `row`
  /// (i64).
  mlir::Value slotAddress(mlir::Value row, int64_t offset, mlir::Value slot,
                          int64_t slotWords);

  /// Returns the slot (partial index in the buffer, i32) of row `rowOffset`.
  mlir::Value partialSlot(const Fragment &fragment, int64_t rowOffset);

  Fragment fragmentOf(mlir::Type tile) {
    bool isNarrow = tv::getTileShape(tile).columns < tileColumns;
    return Fragment(tile, isNarrow ? 1 : tv::getLongestRun(kernel));
  }

  //===--- Sums over rows (Tiles.cpp, Fold.cpp)
  //-----------------------------===//
  void beginTiles();
  void endTiles();
  void setSums(mlir::ValueRange values);
  Values listSums();
  mlir::Value countTiles();
  void closeLoop(mlir::ValueRange carried);
  /// Has `once` begin anew, here.
  void restartPrologue();
  /// Starts copying what the tile of `other` needs of `stage`.
  void stageTile(tv::StageOp stage, const Turn &other);
  void accumulateRows(tv::AccumulateOp op, int64_t index);
  mlir::Value partialAddress(int64_t offset);
  void storeSums(tv::AccumulateOp sum, mlir::Value address, llvm::StringRef space,
                 const Part &part);
  void savePartial(tv::AccumulateOp sum);
  void gatherPartial(tv::AccumulateOp sum);
  mlir::Value addPartials(tv::FoldOp fold, mlir::Value base);
  mlir::Value addWarps(mlir::Value total);
  void visitFold(tv::FoldOp fold);
  /// What is worked on, and what is staged meanwhile.
  Turn turn, ahead;

  //===--- Tiles that overlap (Overlap.cpp) ---------------------------------===//
  void beginOverlap(mlir::Value first, mlir::Value tiles);
  void takeTileBefore();
  void endOverlap();
  /// Says to a cluster's CTAs that this warp has read what it collects.
  void arriveInTurn();
  /// Waits until all warps have arrived at the meeting before `meeting` (i32).
  void waitForMeeting(mlir::Value meeting);
  mlir::Value meetsInTurn();
  /// Returns the last meeting (i32) of so many turns (i32).
  mlir::Value meetingOf(mlir::Value turns);
  int64_t meetingOffset();
  /// Whether fences may be restricted to shared memory (PTX ISA 8.6).
  bool hasRestrictedFences() const {
    return ptxVersion == 0 || ptxVersion >= tv::versionOfRestrictedFences;
  }
  void beginBranch(Predicate exists, mlir::TypeRange results);
  mlir::ValueRange endBranch(mlir::ValueRange made, mlir::ValueRange otherwise,
                             mlir::Operation *first, mlir::Operation *last);
  /// What was loaded for all tiles.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> standing;
  /// The tile before, until it is worked on; then the one that was published.
  Turn behind;
  /// Numbers that were loaded for the tile before: each load's pieces. Those of the
  /// tile that was published, in the same order.
  llvm::SmallVector<std::pair<tv::LoadOp, Values>> numbersBehind;
  Values numbersAhead;
  Values sumsBefore;       ///< the branch of the tile before
  mlir::Value turnsBefore; ///< of the loop (i32)
  /// By accumulate: this thread's sums so far, column by column.
  llvm::MapVector<mlir::Operation *, Values> sums;

  //===--- Small helpers
  //----------------------------------------------------===//
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value constant(mlir::TypedAttr value, mlir::Type pieceType);
  mlir::Value inlinePTX(llvm::StringRef text, llvm::StringRef constraints,
                        mlir::Type result, mlir::ValueRange operands);
  void ifThen(Predicate predicate, std::function<void()> body);
  /// Returns `value`, computed once at the kernel's start.
  mlir::Value once(llvm::StringRef key, std::function<mlir::Value()> make);

  tv::KernelOp kernel;
  mlir::LLVM::LLVMFuncOp func;
  mlir::LLVM::GlobalOp shared;
  mlir::OpBuilder b;
  mlir::Location loc;
  /// Where values that `once` makes are put: before everything else.
  mlir::Operation *prologueEnd = nullptr;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> pieces;
  /// Pieces whose loads have been issued, but that nobody has asked for yet.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> loaded;
  llvm::StringMap<mlir::Value> singles;
  llvm::SmallPtrSet<mlir::Operation *, 8> done;
  /// Kernel operand number to its first launch argument.
  llvm::SmallVector<unsigned> launchArgument;
  unsigned rowsArgument = 0;
  int64_t ptxVersion = 0;
  int64_t tileColumns = 1;   ///< of a tile of whole rows
  int64_t operandsAtUse = 0; ///< that are loaded where they are used
  /// That of the workspace, where there is one.
  unsigned workspaceArgument = 0;
};

} // namespace quack

#endif // QUACK_LIB_CONVERSION_QUACKTVTOGPU_THREADBUILDER_H
