//===- QuackGroupOps.td - groups of columns ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From rows to rows with an element for each group of columns, and back. Part of
// QuackOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_GROUP_OPS_TD
#define QUACK_GROUP_OPS_TD

include "Quack/QuackAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Quack_GroupReduceOp : Quack_Op<"group_reduce", [Pure]> {
  let summary = "Combines the columns of each group";
  let description = [{
    As `quack.reduce`, for each G consecutive columns alone. The last group may have
    fewer. The columns of a group never leave a warp, so this costs no exchange.

    Example: a scale for each 128 columns.
    ```mlir
    quack.kernel @quantize(%x: memref<?x1000xf32> in row,
                           %y: memref<?x1000xf8E4M3FN> out row,
                           %s: memref<?x8xf32> out groups) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %size = math.absf %v : tensor<1000xf32>
      %amax = quack.group_reduce maximumf %size : tensor<1000xf32> -> tensor<8xf32, #quack.groups<128>>
      %amax_row = quack.group_broadcast %amax : tensor<8xf32, #quack.groups<128>> -> tensor<1000xf32>
      %q = arith.divf %v, %amax_row : tensor<1000xf32>
      quack.store %q, %y : tensor<1000xf32>, memref<?x1000xf8E4M3FN>
      quack.store %amax, %s : tensor<8xf32, #quack.groups<128>>, memref<?x8xf32>
    }
    ```

    Constraints:
    - (C1) `kind` fits the element type: the `f` kinds take floats, the others
      integers.
    - (C2) the element type is f32 or i32.
    - (C3) `source` is a row of all columns, the result one with an element a group and
      the same element type.
  }];
  let arguments = (ins Quack_ReduceKindAttr:$kind, Quack_Row:$source);
  let results = (outs Quack_Row:$result);
  let assemblyFormat = [{
    custom<ReduceKind>($kind) $source attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Quack_GroupBroadcastOp : Quack_Op<"group_broadcast", [Pure]> {
  let summary = "Gives each column the element of its group";
  let description = [{
    Example: see `quack.group_reduce`.

    Constraints:
    - (C1) `source` has an element a group, the result is a row of all columns with
      the same element type.
  }];
  let arguments = (ins Quack_Row:$source);
  let results = (outs Quack_Row:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // QUACK_GROUP_OPS_TD
