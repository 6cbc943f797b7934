//===- QuackInterfaces.td - what other dialects can say ----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How operations of dialects that this one does not know take part in row programs.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_INTERFACES_TD
#define QUACK_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Quack_RowMeaningOpInterface : OpInterface<"RowMeaningOpInterface"> {
  let cppNamespace = "::quack";
  let description = [{
    An elementwise operation of another dialect that may stand in a `quack.kernel`, and in
    a linalg body that `quack-raise-linalg` makes a kernel of. It has upstream's trait
    `Elementwise` (ODS: `ElementwiseMappable`), no regions and no side effects, works on
    types that kernels have, and says by this interface what it means. Its own dialect
    declares it (`DeclareOpInterfaceMethods<Quack_RowMeaningOpInterface>`), or somebody
    else attaches it as an external model:

    ```c++
    struct SwishMeaning : quack::RowMeaningOpInterface::ExternalModel<SwishMeaning, SwishOp> {
      FailureOr<SmallVector<Value>> expandRow(Operation *op, OpBuilder &b, Location loc,
                                              ValueRange operands) const;
    };
    registry.addExtension(+[](MLIRContext *context, MyDialect *) {
      SwishOp::attachInterface<SwishMeaning>(*context);
    });
    ```

    `quack-expand-elementwise` puts the meaning in the operation's place, first of all
    passes: the planner, the evaluator and every lowering see operations that they know.
  }];
  let methods = [
    InterfaceMethod<[{
      Expresses the operation by operations of `arith` and `math` that kernels know, and
      `quack.broadcast`, built by `builder` at `loc`. Returns a value for each result, of
      its type.

      `operands` have the types of the operation's own, and stand for them. They are
      scalars, or rows `tensor<NxT>` where N may be `?`: numbers are made for either by
      `quack::createNumber`. The operation itself stays as it is.

      Where this fails, it says why by an error at the operation.
    }],
    "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "expandRow",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$operands)>
  ];
}

#endif // QUACK_INTERFACES_TD
