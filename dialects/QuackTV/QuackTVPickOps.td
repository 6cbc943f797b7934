//===- QuackTVPickOps.td - the greatest columns of a row ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row's K greatest elements, and the way back. Part of QuackTVOps.td, which
// includes it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_PICK_OPS_TD
#define QUACK_TV_PICK_OPS_TD

include "QuackTV/QuackTVTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def QuackTV_TopKOp : QuackTV_Op<"topk", [AllTypesMatch<["row", "again", "retry"]>]> {
  let summary = "Stores the K greatest elements of each row, sorted, and their columns";
  let description = [{
    As `quack.topk`. The row is given once for each pass: for the greatest of a thread's
    groups of elements, which bound the Kth of the row from below; for the candidates
    that are not below this bound, which wait in shared memory, from byte `offset` on;
    and for the passes by which the bound is raised where these are too many for it.
    The candidates are ranked by counting. All threads of the row meet within the
    operation: see dialects/QuackTV/README.md.

    An element's column is its place in the tile, or what `named` holds there: ties go to
    the first place. Where a row is split, `quack-tv-split-stages` makes a `save_topk` of
    it, and a `topk` of what the slices have saved.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    quack_tv.kernel @topk(%x: memref<?x128xf32> in row, %v: memref<?x4xf32> out picks,
                          %c: memref<?x4xi32> out picks) plan #plan {
      %t = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
      quack_tv.topk %t, %t, %t to %v, %c : tensor<1x128xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
    }
    ```

    Constraints:
    - (C1) `values` and `columns` are `out` operands of the kernel with role `picks`.
    - (C2) the rows are tiles of f32 with the kernel's rows and, unless they are `named`,
      its columns.
    - (C3) the plan gives each thread elements of one row, and each row, or slice, the
      lanes of one warp or all threads of one CTA; with an `offset`, rows are not split.
    - (C4) `named` is the second result of a `recall`, with the layout of the rows.
  }];
  let arguments = (ins
    QuackTV_Tile:$row, QuackTV_Tile:$again, QuackTV_Tile:$retry,
    Optional<QuackTV_Tile>:$named,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$values,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$columns,
    UnitAttr:$softmax,
    OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $row `,` $again `,` $retry (`named` $named^ `:` type($named))? `to` $values `,` $columns
    (`softmax` $softmax^)? (`at` $offset^)? attr-dict `:` type($row) `,` type($values) `,`
    type($columns)
  }];
  let extraClassDeclaration = [{
    /// Returns K.
    int64_t getCount();
    /// Returns the bytes of shared memory that a CTA's rows take.
    int64_t getSharedBytes();
  }];
  let hasVerifier = 1;
}

def QuackTV_SaveTopKOp : QuackTV_Op<"save_topk", [
    MemoryEffects<[MemWrite]>, AllTypesMatch<["row", "again", "retry"]>]> {
  let summary = "Writes the K greatest elements of each slice into the workspace, sorted";
  let description = [{
    As `quack_tv.topk`, of each slice for itself. In a row's part of the workspace lie, from
    byte `place` on, `count` elements (f32) for each slice, slice after slice, and, at the
    next multiple of 16 bytes, their columns in the row (i32). Of a slice with fewer
    elements than `count` the columns from N on are saved too, as -inf: they come after
    all columns that exist.

    Example: the second stage picks from what the first has saved.
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
    #last = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
    #saved = #quack_tv.layout<lane = [32:4], value = [4:1]>
    quack_tv.kernel @topk(%x: memref<?x256xf32> in row, %v: memref<?x4xf32> out picks,
                          %c: memref<?x4xi32> out picks) plan #plan workspace 64 next @topk_stage2 {
      %t = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
      quack_tv.save_topk %t, %t, %t count 4 into 0 : tensor<1x256xf32, #tile>
    }
    quack_tv.kernel @topk_stage2(%x: memref<?x256xf32> in row, %v: memref<?x4xf32> out picks,
                                 %c: memref<?x4xi32> out picks) plan #last workspace 64 {
      %t, %n = quack_tv.recall 4 of 2 from 0 : tensor<1x128xf32, #saved>, tensor<1x128xi32, #saved>
      quack_tv.topk %t, %t, %t named %n : tensor<1x128xi32, #saved> to %v, %c
          : tensor<1x128xf32, #saved>, memref<?x4xf32>, memref<?x4xi32>
    }
    ```

    Constraints:
    - (C1) the rows are tiles of f32 with the kernel's rows and columns.
    - (C2) the plan gives each thread elements of one row, and each slice the lanes of one
      warp or all threads of one CTA.
    - (C3) a slice has at least `count` columns, those from N on included.
  }];
  let arguments = (ins
    QuackTV_Tile:$row, QuackTV_Tile:$again, QuackTV_Tile:$retry,
    ConfinedAttr<I64Attr, [IntPositive]>:$count,
    I64Attr:$place,
    OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $row `,` $again `,` $retry `count` $count `into` $place (`at` $offset^)? attr-dict `:`
    type($row)
  }];
  let extraClassDeclaration = [{
    /// Returns the bytes of shared memory that a CTA's rows take.
    int64_t getSharedBytes();
  }];
  let hasVerifier = 1;
}

def QuackTV_RecallOp : QuackTV_Op<"recall", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads the elements that the slices of a row have saved, and their columns";
  let description = [{
    `count` elements of each of `slices` slices, from byte `place` of the row's part of the
    workspace on, in the order of the slices; their columns are read by `topk`, where it
    names what it has picked. Elements of the tile beyond these hold -inf, and the
    column -1. Accesses are made just before the value is needed; `pass` keeps those of
    different passes apart.

    Example: see `quack_tv.save_topk`.

    Constraints:
    - (C1) the results are tiles of f32 and i32 of one layout, with the kernel's rows and at
      least `slices` * `count` columns.
    - (C2) a thread's run divides `slices` * `count`.
    - (C3) it stands in a quack_tv.kernel.
  }];
  let arguments = (ins
    ConfinedAttr<I64Attr, [IntPositive]>:$count,
    ConfinedAttr<I64Attr, [IntPositive]>:$slices,
    I64Attr:$place,
    OptionalAttr<QuackTV_Pass>:$pass);
  let results = (outs QuackTV_Tile:$values, QuackTV_Tile:$columns);
  let assemblyFormat = [{
    $count `of` $slices `from` $place (`pass` $pass^)? attr-dict `:` type($values) `,`
    type($columns)
  }];
  let extraClassDeclaration = [{
    /// Returns how many elements of a row have been saved.
    int64_t getTotal() { return getCount() * getSlices(); }
  }];
  let hasVerifier = 1;
}

def QuackTV_ScatterOp : QuackTV_Op<"scatter"> {
  let summary = "Stores K elements of each row, which has been stored, over what is there";
  let description = [{
    As `quack.scatter`, of a row that this kernel has filled with 0. The threads of the
    row, or slice, meet first; its columns wait in shared memory, from byte `offset` on.
    The clusters that share a row store what falls into their slices.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    quack_tv.kernel @scatter(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                             %y: memref<?x128xf32> out row) plan #plan {
      %zero = arith.constant dense<0.0> : tensor<1x128xf32, #tile>
      quack_tv.store %zero, %y : tensor<1x128xf32, #tile>, memref<?x128xf32>
      quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x128xf32>
    }
    ```

    Constraints:
    - (C1) `values` and `columns` are `in` operands of the kernel with role `picks`,
      `target` is an `out` one with role `row`, which is stored before.
    - (C2) the plan gives each thread elements of one row, and each row, or slice, the
      lanes of one warp or all threads of one CTA.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "a kernel operand", [MemRead]>:$values,
    Arg<AnyMemRef, "a kernel operand", [MemRead]>:$columns,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target,
    OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $values `,` $columns `to` $target (`at` $offset^)? attr-dict `:` type($values) `,`
    type($columns) `,` type($target)
  }];
  let extraClassDeclaration = [{
    /// Returns K.
    int64_t getCount();
    /// Returns the bytes of shared memory that a CTA's rows take.
    int64_t getSharedBytes();
  }];
  let hasVerifier = 1;
}

#endif // QUACK_TV_PICK_OPS_TD
