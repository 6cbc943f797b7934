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
    - (C2) the rows are tiles of f32 with the kernel's rows and columns.
    - (C3) the plan gives each thread elements of one row, and each row the lanes of one
      warp or all threads of one CTA.
  }];
  let arguments = (ins
    QuackTV_Tile:$row, QuackTV_Tile:$again, QuackTV_Tile:$retry,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$values,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$columns,
    UnitAttr:$softmax,
    OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = [{
    $row `,` $again `,` $retry `to` $values `,` $columns (`softmax` $softmax^)?
    (`at` $offset^)? attr-dict `:` type($row) `,` type($values) `,` type($columns)
  }];
  let extraClassDeclaration = [{
    /// Returns K.
    int64_t getCount();
    /// Returns the bytes of shared memory that a CTA's rows take.
    int64_t getSharedBytes();
  }];
  let hasVerifier = 1;
}

def QuackTV_ScatterOp : QuackTV_Op<"scatter"> {
  let summary = "Stores K elements of each row, which has been stored, over what is there";
  let description = [{
    As `quack.scatter`, of a row that this kernel has filled with 0. The threads of the
    row meet first; its columns wait in shared memory, from byte `offset` on.

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
    - (C2) the plan gives each thread elements of one row, and each row the lanes of one
      warp or all threads of one CTA.
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
