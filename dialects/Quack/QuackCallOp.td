//===- QuackCallOp.td - launching a kernel -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where whole tensors meet row programs. Part of QuackOps.td, which includes it.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_CALL_OP_TD
#define QUACK_CALL_OP_TD

include "Quack/QuackDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Quack_CallOp : Quack_Op<"call", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel on all rows of tensors, or of memrefs";
  let description = [{
    The one operation of this dialect that stands outside kernels. `inputs` are what the
    kernel's `in` operands hold, in the kernel's order, `inits` where its `out` and `inout`
    operands go. M is the number of rows that these have.

    On tensors there is a result for each of `inits`, and no side effect: what `inits` held
    is lost, but for an `inout` operand. On memrefs there is no result.

    Example:
    ```mlir
    quack.kernel @row_max(%x: memref<?x64xf32> in row, %m: memref<?xf32> out scalar) {
      %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
      %max = quack.reduce maximumf %v : tensor<64xf32> -> f32
      quack.store %max, %m : f32, memref<?xf32>
    }
    func.func @largest(%x: tensor<8x64xf32>) -> tensor<8xf32> {
      %init = tensor.empty() : tensor<8xf32>
      %m = quack.call @row_max(%x : tensor<8x64xf32>) outs(%init : tensor<8xf32>) -> tensor<8xf32>
      return %m : tensor<8xf32>
    }
    ```

    Constraints:
    - (C1) `kernel` names a kernel.
    - (C2) none of the kernel's operands is optional or absent.
    - (C3) there is one of `inputs` for each `in` operand of the kernel, and one of `inits`
      for each other.
    - (C4) each has the element type of its kernel operand and the shape that the role
      demands: MxN for `row`, MxK for `groups` and `picks`, M for `scalar`, N for
      `columns`, none for `single`. A `value` is a scalar.
    - (C5) all of them agree on M, where it is static.
    - (C6) they are tensors, or memrefs whose columns lie side by side.
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef, AnyFloat,
                        AnySignlessInteger]>>:$inputs,
    Variadic<AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef]>>:$inits);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `(` ($inputs^ `:` type($inputs))? `)` `outs` `(` ($inits^ `:` type($inits))? `)`
    attr-dict (`->` type($results)^)?
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

#endif // QUACK_CALL_OP_TD
