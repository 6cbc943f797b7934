//===- QuackAttrs.td - attributes of row programs ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kinds of reduction, and what a kernel says of each of its operands.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_ATTRS_TD
#define QUACK_ATTRS_TD

include "Quack/QuackDialect.td"

//===----------------------------------------------------------------------===//
// Reduction kinds
//===----------------------------------------------------------------------===//

class Quack_KindCase<string name, int value> : I32EnumAttrCase<name, value>;

def Quack_ReduceKind : I32EnumAttr<"ReduceKind",
    "A named associative combination with its identity", [
      Quack_KindCase<"addf", 0>, Quack_KindCase<"mulf", 1>,
      Quack_KindCase<"maximumf", 2>, Quack_KindCase<"minimumf", 3>,
      Quack_KindCase<"maxnumf", 4>, Quack_KindCase<"minnumf", 5>,
      Quack_KindCase<"addi", 6>, Quack_KindCase<"muli", 7>,
      Quack_KindCase<"maxsi", 8>, Quack_KindCase<"minsi", 9>,
      Quack_KindCase<"maxui", 10>, Quack_KindCase<"minui", 11>,
      Quack_KindCase<"andi", 12>, Quack_KindCase<"ori", 13>,
      Quack_KindCase<"xori", 14>]> {
  let cppNamespace = "::quack";
  let genSpecializedAttr = 0;
}

def Quack_ReduceKindAttr : EnumAttr<Quack_Dialect, Quack_ReduceKind, "kind"> {
  let summary = "How a reduction combines two elements";
  let description = [{
    Named after the `arith` operation that combines two elements. The identity
    fills the lanes that hold no element: 0 for `addf`, `addi`, `ori`, `xori`
    and `maxui`; 1 for `mulf`, `muli`; -inf for `maximumf`; +inf for `minimumf`;
    NaN for `maxnumf` and `minnumf`; the type's least (greatest) value for the other
    maxima (minima); all ones for `andi`. `maximumf` and `minimumf` propagate
    NaN; `maxnumf` and `minnumf` return the other operand.
  }];
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// Kernel operands
//===----------------------------------------------------------------------===//

def Quack_Direction : I32EnumAttr<"Direction", "Which way an operand's data goes", [
    I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>,
    I32EnumAttrCase<"inout", 2>]> {
  let cppNamespace = "::quack";
  let genSpecializedAttr = 0;
}

def Quack_Role : I32EnumAttr<"Role", "What an operand holds", [
    I32EnumAttrCase<"row", 0>, I32EnumAttrCase<"columns", 1>,
    I32EnumAttrCase<"scalar", 2>, I32EnumAttrCase<"value", 3>,
    I32EnumAttrCase<"single", 4>, I32EnumAttrCase<"groups", 5>,
    I32EnumAttrCase<"picks", 6>]> {
  let cppNamespace = "::quack";
  let genSpecializedAttr = 0;
}

def Quack_Presence : I32EnumAttr<"Presence", "Whether an operand is there", [
    I32EnumAttrCase<"required", 0>, I32EnumAttrCase<"optional", 1>,
    I32EnumAttrCase<"absent", 2>]> {
  let cppNamespace = "::quack";
  let genSpecializedAttr = 0;
}

def Quack_OperandAttr : Quack_Attr<"Operand", "operand"> {
  let summary = "Name, direction and role of one kernel operand";
  let description = [{
    The name is the one that launch metadata, `--storage=name:type` and
    `quack-run --in name=file.npy` use.

    | role | type | holds |
    |---|---|---|
    | `row` | `memref<?xNxT>` | one row of a matrix for each row; any row stride, unit stride along the row |
    | `columns` | `memref<NxT>` | one vector shared by all rows (a weight) |
    | `scalar` | `memref<?xT>` | one scalar for each row (a target, an lse) |
    | `groups` | `memref<?xKxT>` | K scalars for each row, one a group of columns (scales); any row stride |
    | `picks` | `memref<?xKxT>` | K scalars for each row, K the same for all such operands (what `topk` picks); any row stride |
    | `single` | `memref<T>` | one number for the whole launch, in memory (a total loss, a divisor) |
    | `value` | `T` | one scalar for the whole launch, an argument of it (an eps) |

    An operand may be `optional`: it is there if the `storage` of `quack-specialize`
    names it, `storage=w:f32`, and taken out otherwise. An `in` operand says the number that stands for all of its
    elements then, `optional 1.0`. An `out` one that is not wanted is `absent`, until
    the plan is made: it is planned for, so that the others have the same bits with
    and without it, but not passed and not stored.

    Example:
    ```mlir
    quack.kernel @scale(%x: memref<?x64xf32> in row, %w: memref<64xf32> in columns optional 1.0,
                        %y: memref<?x64xf32> out row) {
      %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
      %g = quack.load %w : memref<64xf32> -> tensor<64xf32>
      %p = arith.mulf %v, %g : tensor<64xf32>
      quack.store %p, %y : tensor<64xf32>, memref<?x64xf32>
    }
    ```
  }];
  let parameters = (ins
    "::mlir::StringAttr":$name,
    EnumParameter<Quack_Direction>:$direction,
    EnumParameter<Quack_Role>:$role,
    EnumParameter<Quack_Presence>:$presence,
    OptionalParameter<"::mlir::Attribute", "an f64 or i64 number">:$substitute);
  let builders = [AttrBuilder<(ins "::mlir::StringAttr":$name, "Direction":$direction,
                                   "Role":$role), [{
    return $_get($_ctxt, name, direction, role, Presence::required, ::mlir::Attribute());
  }]>];
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Groups of columns
//===----------------------------------------------------------------------===//

def Quack_GroupsAttr : Quack_Attr<"Groups", "groups"> {
  let summary = "The encoding of a row that has one element for each group of columns";
  let description = [{
    `tensor<?xf32, #quack.groups<128>>` has ceil(N / 128) elements: one for each 128
    consecutive columns, the last one for those that are left. `arith` and `math` work
    on such rows unchanged; MLIR itself refuses a mixture with other rows.

    Example: see `quack.group_reduce`.

    Constraints:
    - (G1) `size` is a power of two from 16 to 1024.
  }];
  let parameters = (ins "int64_t":$size);
  let assemblyFormat = "`<` $size `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the elements of a row of `columns` columns, which may be kDynamic.
    int64_t getCount(int64_t columns) const;
  }];
}

#endif // QUACK_ATTRS_TD
