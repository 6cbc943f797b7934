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

    Example: see `quack_tv.fold`.
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
