//===- QuackTVGroupOps.td - groups of columns --------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of consecutive columns that stay within a warp, and the way back.
// Part of QuackTVOps.td, which includes it among the reductions.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_GROUP_OPS_TD
#define QUACK_TV_GROUP_OPS_TD

include "QuackTV/QuackTVTypes.td"
include "Quack/QuackAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def QuackTV_GroupReduceOp : QuackTV_Op<"group_reduce", [Pure]> {
  let summary = "Combines the columns of each group within a warp";
  let description = [{
    A group is as many columns as the source has for each of the result. A thread
    combines its columns position by position, then the positions by halves; then
    lanes meet by butterfly shuffles, the greatest distance first. A thread does so for
    a group when that is needed, so that few groups are live.

    Example: lanes 0 to 15 have the first group.
    ```mlir
    #tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
    #groups = #quack_tv.layout<lane = [16:0, 2:1]>
    func.func @amax(%v: tensor<1x256xf32, #tile>) -> tensor<1x256xf32, #tile> {
      %a = quack_tv.group_reduce maximumf %v : tensor<1x256xf32, #tile> -> tensor<1x2xf32, #groups>
      %r = quack_tv.group_broadcast %a : tensor<1x2xf32, #groups> -> tensor<1x256xf32, #tile>
      return %r : tensor<1x256xf32, #tile>
    }
    ```

    Constraints:
    - (C1) `kind` fits the element type, which is f32 or i32.
    - (C2) the result is the source's tile with a column for each group; none has
      columns in several warps.
  }];
  let arguments = (ins Quack_ReduceKindAttr:$kind, QuackTV_Tile:$source);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = [{
    custom<ReduceKind>($kind) $source attr-dict `:` type($source) `->` type($result)
  }];
  let hasVerifier = 1;
}

def QuackTV_GroupBroadcastOp : QuackTV_Op<"group_broadcast", [Pure]> {
  let summary = "Gives each column the element of its group, which its thread holds";
  let description = [{
    No data moves between threads. Example: see `quack_tv.group_reduce`.

    Constraints:
    - (C1) the source is the result's tile with a column for each group.
  }];
  let arguments = (ins QuackTV_Tile:$source);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // QUACK_TV_GROUP_OPS_TD
