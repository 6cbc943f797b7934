//===- QuackPickOps.td - the greatest columns of a row -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a row to K of its elements, sorted, and back. Part of QuackOps.td, which
// includes it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PICK_OPS_TD
#define QUACK_PICK_OPS_TD

include "Quack/QuackAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Quack_TopKOp : Quack_Op<"topk"> {
  let summary = "Stores the K greatest elements of a row, and their columns";
  let description = [{
    The greatest comes first. Of equal elements the one of the lowest column does; NaN
    is greater than all others, and +0 equals -0 (each keeps its sign). K is the number
    of columns of the operands.

    With `softmax` what is stored is exp(v - max) / sum over the K elements, in f32
    until it is rounded to the storage type.

    Example:
    ```mlir
    quack.kernel @topk(%x: memref<?x1000xbf16> in row, %values: memref<?x8xbf16> out picks,
                       %columns: memref<?x8xi32> out picks) {
      %v = quack.load %x : memref<?x1000xbf16> -> tensor<1000xf32>
      quack.topk %v to %values, %columns : tensor<1000xf32>, memref<?x8xbf16>, memref<?x8xi32>
    }
    ```

    Constraints:
    - (C1) `values` and `columns` are `picks` operands of the kernel with direction `out`.
    - (C2) the source is a row of all columns, of f32.
    - (C3) `values` has element type f32, bf16 or f16, `columns` i32 or i64.
  }];
  let arguments = (ins
    Quack_Row:$source,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$values,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$columns,
    UnitAttr:$softmax);
  let assemblyFormat = [{
    $source `to` $values `,` $columns (`softmax` $softmax^)? attr-dict `:` type($source) `,`
    type($values) `,` type($columns)
  }];
  let hasVerifier = 1;
}

def Quack_ScatterOp : Quack_Op<"scatter"> {
  let summary = "Stores a row that is 0 but in K columns";
  let description = [{
    The gradient of `quack.topk`: element i of `values` goes to the column that element
    i of `columns` names. Of several for one column the last one counts; a number that
    is no column is passed over.

    Example:
    ```mlir
    quack.kernel @topk_backward(%dvalues: memref<?x8xf32> in picks,
                                %columns: memref<?x8xi32> in picks,
                                %dx: memref<?x1000xf32> out row) {
      quack.scatter %dvalues, %columns to %dx : memref<?x8xf32>, memref<?x8xi32>, memref<?x1000xf32>
    }
    ```

    Constraints:
    - (C1) `values` and `columns` are `picks` operands of the kernel with direction `in`.
    - (C2) `target` is a `row` operand of the kernel with direction `out`.
    - (C3) `values` and `target` have element type f32, bf16 or f16, `columns` i32 or i64.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "a kernel operand", [MemRead]>:$values,
    Arg<AnyMemRef, "a kernel operand", [MemRead]>:$columns,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target);
  let assemblyFormat = [{
    $values `,` $columns `to` $target attr-dict `:` type($values) `,` type($columns) `,`
    type($target)
  }];
  let hasVerifier = 1;
}

#endif // QUACK_PICK_OPS_TD
