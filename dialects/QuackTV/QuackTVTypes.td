//===- QuackTVTypes.td - shared-memory handles -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types for what waits in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_TYPES_TD
#define QUACK_TV_TYPES_TD

include "QuackTV/QuackTVAttrs.td"

def QuackTV_StagedType : QuackTV_Type<"Staged", "staged"> {
  let summary = "A tile whose elements wait in, or are on their way to, shared memory";
  let description = [{
    Each CTA holds its own columns, row after row, in the storage type. Made by
    `quack_tv.stage`, read by `quack_tv.read` after `quack_tv.await`.

    ```mlir
    #tile = #quack_tv.layout<warp = [4:256], lane = [32:8], value = [8:1]>
    func.func private @takes(!quack_tv.staged<tensor<1x1024xbf16, #tile>>)
    ```
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let assemblyFormat = "`<` $tile `>`";
}

def QuackTV_ExchangeType : QuackTV_Type<"ExchangeBuffer", "exchange"> {
  let summary = "A shared-memory buffer through which partial results meet";
  let description = [{
    Made by `quack_tv.alloc_exchange`; written by `publish`, read by `collect`.

    ```mlir
    func.func private @takes(!quack_tv.exchange)
    ```
  }];
}

#endif // QUACK_TV_TYPES_TD
