//===- QuackTVWorkspace.td - how stages meet ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the slices of a row leave in the workspace, and what reads it. Part of
// QuackTVOps.td, whose classes it uses.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_WORKSPACE_TD
#define QUACK_TV_WORKSPACE_TD

def QuackTV_SaveOp : QuackTV_Op<"save", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes this slice's partials into the workspace";
  let description = [{
    Of each row that exists, one copy writes: the thread of the cluster whose copy
    digits are all 0. A row has one slot for each slice, from `offset` bytes on
    in the row's part of the workspace.

    Example: the second stage merges what the first has saved.
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
    #last = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
    #lanes = #quack_tv.layout<slice = [2:32], lane = [32:1]>
    #slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
    #row = #quack_tv.layout<lane = [32:0]>
    quack_tv.kernel @row_sum(%x: memref<?x256xf32> in row, %y: memref<?xf32> out scalar)
        plan #plan workspace 16 next @row_sum_stage2 {
      %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
      %t = quack_tv.thread_reduce addf %v : tensor<1x256xf32, #tile>
      %w = quack_tv.warp_reduce addf %t : tensor<1x64xf32, #lanes>
      quack_tv.save %w at 0 : tensor<1x2xf32, #slices>
    }
    quack_tv.kernel @row_sum_stage2(%x: memref<?x256xf32> in row, %y: memref<?xf32> out scalar)
        plan #last workspace 16 {
      %s = quack_tv.merge addf of 2 at 0 : tensor<1x1xf32, #row>
      quack_tv.store %s, %y : tensor<1x1xf32, #row>, memref<?xf32>
    }
    ```

    Constraints:
    - (C1) there is at least one value; all have one shape and layout, and
      element types f32 or i32.
    - (C2) what is left of each row is one partial a slice.
    - (C3) it stands in a quack_tv.kernel.
  }];
  let arguments = (ins Variadic<QuackTV_Tile>:$values, I64Attr:$offset);
  let assemblyFormat = "$values `at` $offset attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def QuackTV_MergeOp : QuackTV_Op<"merge", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads what the slices of a row have saved and combines it";
  let description = [{
    The lanes of each warp share the reads, lane i those of the slices i, i + 32,
    ..., and meet by butterfly shuffles; each thread ends with the result. So the
    order depends on nothing but `slices`, whichever stage merges.

    Example: see `quack_tv.save`.

    Constraints: those of `quack_tv.warp_reduce`, (C1) to (C3) and (C5) to (C7), on
    the results; and
    - (C4) results are row scalars of whole warps.
    - (C8) it stands in a quack_tv.kernel.
  }];
  let arguments = (ins
    TypedArrayAttrBase<Quack_ReduceKindAttr, "one kind a value, or none">:$kinds,
    ArrayAttr:$identities,
    ConfinedAttr<I64Attr, [IntPositive]>:$slices,
    I64Attr:$offset);
  let results = (outs Variadic<QuackTV_Tile>:$results);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // QUACK_TV_WORKSPACE_TD
