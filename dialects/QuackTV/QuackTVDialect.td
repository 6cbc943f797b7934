//===- QuackTVDialect.td - the tile-program dialect --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who holds which element, how partial results travel, what is staged where.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_DIALECT_TD
#define QUACK_TV_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

def QuackTV_Dialect : Dialect {
  let name = "quack_tv";
  let cppNamespace = "::quack::tv";
  let summary = "Tile programs: who holds which element, and how partials meet";
  let description = [{
    A tile is `tensor<RxCxT, #quack_tv.layout<...>>`: R rows that one cluster
    (or CTA) works on, C columns padded to what the layout covers. A row scalar
    is `tensor<Rx1xT, ...>`. `arith` and `math` work on both unchanged.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<warp = [4:128], lane = [32:4], value = [4:1, 2:512]>
    #row = #quack_tv.layout<warp = [4:0], lane = [32:0]>
    quack_tv.kernel @row_sum(%x: memref<?x1024xf32> in row, %s: memref<?xf32> out scalar)
        plan #plan {
      %v = quack_tv.load %x : memref<?x1024xf32> -> tensor<1x1024xf32, #tile>
      %sum = quack_tv.reduce addf %v : tensor<1x1024xf32, #tile>
      quack_tv.store %sum, %s : tensor<1x1xf32, #row>, memref<?xf32>
    }
    ```
  }];
  let dependentDialects = ["::quack::QuackDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class QuackTV_Attr<string cppName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<QuackTV_Dialect, cppName, traits> {
  let mnemonic = attrMnemonic;
}

class QuackTV_Type<string cppName, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<QuackTV_Dialect, cppName, traits> {
  let mnemonic = typeMnemonic;
}

class QuackTV_Op<string opMnemonic, list<Trait> traits = []>
    : Op<QuackTV_Dialect, opMnemonic, traits>;

#endif // QUACK_TV_DIALECT_TD
