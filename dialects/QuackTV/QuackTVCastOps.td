//===- QuackTVCastOps.td - between storage and f32 ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Widening and narrowing where arith's casts are not what is meant. Part of
// QuackTVOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_CAST_OPS_TD
#define QUACK_TV_CAST_OPS_TD

include "QuackTV/QuackTVTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def QuackTV_WidenOp : QuackTV_Op<"widen", [Pure]> {
  let summary = "Widens a packed tile of 8- or 16-bit floats to f32, once a pass";
  let description = [{
    The same value as `arith.extf`, but made so that neither LLVM nor ptxas can
    merge the widenings of two passes: merged, all f32 elements of the row stay
    live in registers and the packed form buys nothing.

    Example:
    ```mlir
    #tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
    func.func @twice(%p: tensor<1x256xbf16, #tile>)
        -> (tensor<1x256xf32, #tile>, tensor<1x256xf32, #tile>) {
      %a = quack_tv.widen %p pass 0 : tensor<1x256xbf16, #tile>
      %b = quack_tv.widen %p pass 1 : tensor<1x256xbf16, #tile>
      return %a, %b : tensor<1x256xf32, #tile>, tensor<1x256xf32, #tile>
    }
    ```

    Constraints:
    - (C1) the element type is bf16, f16, f8E4M3FN or f8E5M2.
    - (C2) the result is the source's tile in f32.
  }];
  let arguments = (ins QuackTV_Tile:$source, QuackTV_Pass:$pass);
  let results = (outs QuackTV_Tile:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$source, "int64_t":$pass)>];
  let hasVerifier = 1;
}

def QuackTV_NarrowOp : QuackTV_Op<"narrow", [Pure]> {
  let summary = "Rounds f32 to floats of 8 bits, saturating";
  let description = [{
    To nearest even. What is out of range, infinities too, becomes the greatest
    finite number of its sign; NaN stays NaN (PTX ISA, cvt, `.satfinite`).
    `arith.truncf` would make other things of them.

    Example:
    ```mlir
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    func.func @quantize(%v: tensor<1x128xf32, #tile>) -> tensor<1x128xf8E4M3FN, #tile> {
      %q = quack_tv.narrow %v : tensor<1x128xf32, #tile> -> tensor<1x128xf8E4M3FN, #tile>
      return %q : tensor<1x128xf8E4M3FN, #tile>
    }
    ```

    Constraints:
    - (C1) the source's element type is f32, the result's f8E4M3FN or f8E5M2.
    - (C2) both have one shape and layout.
  }];
  let arguments = (ins QuackTV_Tile:$source);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif // QUACK_TV_CAST_OPS_TD
