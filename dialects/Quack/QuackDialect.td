//===- QuackDialect.td - the row-program dialect -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one row computes: no thread, warp, barrier or layout appears here.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_DIALECT_TD
#define QUACK_DIALECT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/AttrTypeBase.td"

def Quack_Dialect : Dialect {
  let name = "quack";
  let cppNamespace = "::quack";
  let summary = "Row programs: what one row of a matrix computes";
  let description = [{
    A `quack.kernel` states what is computed for one row; it runs for each of M
    rows, and rows are independent. Inside, a row is `tensor<NxT>` and a row's
    scalar is a plain scalar. `arith` and `math` do the arithmetic; this dialect
    adds what they lack: loads and stores with a storage type apart from the
    compute type, reductions along the row, and the broadcast back.

    Example:
    ```mlir
    quack.kernel @center(%x: memref<?x1024xbf16> in row,
                         %y: memref<?x1024xbf16> out row) {
      %v = quack.load %x : memref<?x1024xbf16> -> tensor<1024xf32>
      %sum = quack.reduce addf %v : tensor<1024xf32> -> f32
      %n = arith.constant 1024.0 : f32
      %mean = arith.divf %sum, %n : f32
      %mean_row = quack.broadcast %mean : f32 -> tensor<1024xf32>
      %centered = arith.subf %v, %mean_row : tensor<1024xf32>
      quack.store %centered, %y : tensor<1024xf32>, memref<?x1024xbf16>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let useDefaultAttributePrinterParser = 1;
}

class Quack_Attr<string cppName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Quack_Dialect, cppName, traits> {
  let mnemonic = attrMnemonic;
}

class Quack_Op<string opMnemonic, list<Trait> traits = []>
    : Op<Quack_Dialect, opMnemonic, traits>;

#endif // QUACK_DIALECT_TD
