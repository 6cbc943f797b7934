//===- QuackTVSums.td - sums over rows ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over tiles, the partial sums that clusters keep in it, and what adds these
// up. Part of QuackTVOps.td, whose classes it uses.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_SUMS_TD
#define QUACK_TV_SUMS_TD

def QuackTV_EachTileOp : QuackTV_Op<"each_tile", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "What follows is done for each tile of this cluster";
  let description = [{
    Stands in kernels whose plan has `partials`. What comes before it is done once.
    With a `tile_before` tiles overlap.

    Example: see `quack_tv.fold`.
  }];
  let assemblyFormat = "attr-dict";
}

def QuackTV_TileBeforeOp : QuackTV_Op<"tile_before", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "What follows is done for the tile before, when this one is published";
  let description = [{
    Stands in kernels whose plan has `overlap`, between the one publish and the wait
    for its bytes. Of the tiles 0, 1, 2, ... of a cluster, what stands before it is
    done for tile 0; then, for i = 0, 1, ..., what stands before it for tile i + 1,
    and what follows it for tile i. So nobody waits for the partials of a tile as long
    as they travel. The `cluster_arrive` that follows it says that the buffer of tile i
    may be written again, which the `cluster_wait` before a publish to it waits for:
    exchanges have several buffers, which take turns, and stages have three.

    What follows computes again what it needs of the tile's staged rows and of weights;
    row scalars that are loaded are kept.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4, hold = {x = async}, partials = 2, overlap = true>
    #tile = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
    #tile1 = #quack_tv.layout<cta = [2:32], lane = [32:1]>
    #tile2 = #quack_tv.layout<cta = [2:1], lane = [32:0]>
    #tile3 = #quack_tv.layout<cta = [2:0], lane = [32:0]>
    quack_tv.kernel @overlap(%x: memref<?x256xf32> in row, %w: memref<256xf32> in columns, %y: memref<?x256xf32> out row,
        %s: memref<256xf32> out columns) plan #plan shared 1672 workspace 1024 {
      quack_tv.cluster_init barriers [1600, 1608, 1616, 1624, 1632, 1640, 1648, 1656, 1664]
          expect [8, 8, 8, 8, 8, 8, 8, 8, 0]
      quack_tv.cluster_arrive
      quack_tv.cluster_wait
      %0 = quack_tv.load %w : memref<256xf32> -> tensor<1x256xf32, #tile>
      quack_tv.each_tile
      %1 = quack_tv.stage %x by async at 0 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #tile>>
      quack_tv.await %1 : !quack_tv.staged<tensor<1x256xf32, #tile>>
      %2 = quack_tv.read %1 pass 0 : !quack_tv.staged<tensor<1x256xf32, #tile>>
      quack_tv.accumulate %2, %s at 0 : tensor<1x256xf32, #tile>, memref<256xf32>
      %3 = arith.mulf %2, %0 : tensor<1x256xf32, #tile>
      %4 = quack_tv.thread_reduce addf %3 : tensor<1x256xf32, #tile>
      %5 = quack_tv.warp_reduce addf %4 : tensor<1x64xf32, #tile1>
      %6 = quack_tv.alloc_exchange at 1536 bytes 8 barrier 1600
      quack_tv.cluster_wait
      quack_tv.publish %5 to %6 : tensor<1x2xf32, #tile2>
      quack_tv.tile_before
      quack_tv.exchange_wait %6
      %7 = quack_tv.collect addf %6, %5 : tensor<1x2xf32, #tile2> -> tensor<1x1xf32, #tile3>
      quack_tv.cluster_arrive release
      %8 = quack_tv.broadcast %7 : tensor<1x1xf32, #tile3> -> tensor<1x256xf32, #tile>
      %9 = quack_tv.read %1 pass 1 : !quack_tv.staged<tensor<1x256xf32, #tile>>
      %10 = arith.subf %9, %8 : tensor<1x256xf32, #tile>
      quack_tv.store %10, %y : tensor<1x256xf32, #tile>, memref<?x256xf32>
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def QuackTV_AccumulateOp : QuackTV_Op<"accumulate"> {
  let summary = "Adds the tile's rows to this cluster's partial sum";
  let description = [{
    A thread adds what it holds of the rows that exist to sums of its own. After the
    last tile the threads of a CTA that hold the same columns of different rows meet,
    at byte `gather_at` of shared memory, in the order of these rows; and the
    cluster's sum goes to its part of the workspace, from byte `offset` on, a word a
    column. Of a row scalar the first copy counts.

    Until `quack-tv-place-partials` has set `offset`, there is one sum for all
    clusters, and it is the result.

    Example: see `quack_tv.fold`.

    Constraints:
    - (C1) `target` is an `out` operand of the kernel, `columns` or `single`.
    - (C2) `value` is a tile with the kernel's rows (one column for a `single`
      operand), a layout, and element type f32.
    - (C3) a thread's rows are as far apart as the CTA has threads with rows of their
      own.
  }];
  let arguments = (ins
    QuackTV_Tile:$value,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target,
    OptionalAttr<I64Attr>:$offset,
    OptionalAttr<I64Attr>:$gather_at);
  let assemblyFormat = [{
    $value `,` $target (`at` $offset^)? (`gather` $gather_at^)? attr-dict `:`
    type($value) `,` type($target)
  }];
  let extraClassDeclaration = [{
    /// Returns how many rows one CTA has threads of their own for.
    int64_t getGroups();
    /// Returns the columns that one CTA has, padding among them.
    int64_t getCtaColumns();
    /// Returns the bytes of a partial sum.
    int64_t getPartialBytes();
    /// Returns the bytes of shared memory in which the groups meet.
    int64_t getGatherBytes();
  }];
  let hasVerifier = 1;
}

def QuackTV_FoldOp : QuackTV_Op<"fold"> {
  let summary = "Adds up the partial sums that an earlier stage's clusters have left";
  let description = [{
    The grid of a kernel that folds has a CTA for each 32 columns of each `fold`. A lane
    has a column, and each warp every so many'th partial; the warps meet through
    shared memory, in order. So the order depends on `partials` alone. The sum is
    rounded to the storage type and stored.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    quack_tv.kernel @column_sums(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns)
        plan #plan workspace 512 next @column_sums_fold {
      quack_tv.each_tile
      %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
      quack_tv.accumulate %v, %s at 0 : tensor<1x128xf32, #tile>, memref<128xf32>
    }
    quack_tv.kernel @column_sums_fold(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns)
        plan #plan workspace 512 {
      quack_tv.fold %s of 2 at 0 : memref<128xf32>
    }
    ```

    Constraints:
    - (C1) `target` is an `out` operand of the kernel, `columns` or `single`.
    - (C2) `partials` is the plan's.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target,
    ConfinedAttr<I64Attr, [IntPositive]>:$partials,
    I64Attr:$offset);
  let assemblyFormat = "$target `of` $partials `at` $offset attr-dict `:` type($target)";
  let extraClassDeclaration = [{
    /// Returns how many numbers are stored.
    int64_t getColumns();
  }];
  let hasVerifier = 1;
}

#endif // QUACK_TV_SUMS_TD
