//===- QuackOps.td - operations of row programs ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel and the operations that arith and math lack.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_OPS_TD
#define QUACK_OPS_TD

include "Quack/QuackAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Quack_Row : 1DTensorOf<[AnyFloat, AnySignlessInteger]>;
def Quack_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger], "row scalar">;

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

def Quack_KernelOp : Quack_Op<"kernel", [
    IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "What is computed for one row";
  let description = [{
    Runs its body once for each of M rows, in any order; rows are independent. It is a symbol
    table, of no symbols, so that bufferization of the functions around it leaves its rows
    what they are: they are no tensors in memory.
    M is a launch argument, N is the extent that all `row` and `columns`
    operands share: `?` in a generic kernel, a number once
    `quack-specialize` has fixed it.

    Launch ABI, made by `convert-quack-tv-to-gpu`: for each memref operand a
    pointer and an i64 row stride in elements (0 for `columns` and `single`, the
    distance of two rows' scalars for `scalar`), then i64 M, then the `value` operands.
    The columns of a `groups` operand are as many as a row of N columns has groups;
    those of `picks` operands are as many as the kernel says.

    `plan`, if present, is a `#quack_tv.plan` whose fields pin what
    `quack-plan` would otherwise choose. `otherwise` names the kernel to launch
    where a pointer or a row stride has not the alignment that this one's plan
    wants; it gives each row the same bits.

    Example:
    ```mlir
    quack.kernel @row_max(%x: memref<?x4096xf32> in row,
                          %m: memref<?xf32> out scalar) {
      %v = quack.load %x : memref<?x4096xf32> -> tensor<4096xf32>
      %max = quack.reduce maximumf %v : tensor<4096xf32> -> f32
      quack.store %max, %m : f32, memref<?xf32>
    }
    ```

    Constraints:
    - (C1) each operand's type is the one that its role demands.
    - (C2) all `row` and `columns` operands agree on N.
    - (C3) N, where static, is 1 to 2^30.
    - (C4) operand names are unique.
    - (C5) a `value` operand is `in`; a `columns` or `single` one is not `inout`, nor is a
      `groups` one.
    - (C6) the body holds only `quack` operations, constants, and elementwise operations
      without regions or side effects, of `arith` and `math` or of dialects that say by
      `RowMeaningOpInterface` what they mean, whose operands and results are rows of N
      columns, rows with an element for each group of them (of the dialect's operations
      only `load`, `store`, `broadcast` and those of groups take these), or scalars of f32, bf16, f16, f64, i1, i8, i16, i32 or i64.
    - (C7) each `out` and `inout` operand is stored exactly once, or accumulated
      exactly once where it is `columns` or `single`; an `inout` operand is loaded,
      an `out` one never.
    - (C8) an element type of a memref is f32, bf16, f16, f8E4M3FN, f8E5M2, i8, i32 or i64.
    - (C9) there is at least one `row` operand.
    - (C10) there is one operand entry for each operand, the body's arguments
      have the operands' types, and there are no results.
    - (C11) an operand's name is one that `%name` prints unchanged.
    - (C12) the kernel's name is an identifier of PTX.
    - (C13) `otherwise` names another quack.kernel with the same operands, and no
      chain of them leads back.
    - (C14) the body holds at most 4096 operations.
    - (C15) an optional `in` operand has a number of its kind (float or integer) that
      stands for its elements, an optional `out` operand none; an `inout` operand is
      never optional, and only an `out` one absent.
    - (C16) a `groups` operand is loaded or stored, always in groups of one size.
    - (C17) all `picks` operands have one number of columns, 1 to 256 and at most N; they
      are in or out, and not optional.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    TypedArrayAttrBase<Quack_OperandAttr, "one entry an operand">:$operand_specs,
    OptionalAttr<AnyAttr>:$plan,
    OptionalAttr<FlatSymbolRefAttr>:$otherwise);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns N, or ShapedType::kDynamic while the kernel is generic.
    int64_t getColumns();
    /// Returns what the kernel says of operand `index`.
    OperandAttr getOperandAttr(unsigned index);
    /// Returns the block argument that is called `name`, or null.
    ::mlir::BlockArgument lookupOperand(::llvm::StringRef name);
  }];
}

//===----------------------------------------------------------------------===//
// load, store
//===----------------------------------------------------------------------===//

def Quack_LoadOp : Quack_Op<"load", [Pure]> {
  let summary = "Reads an operand of the current row, widening its storage type";
  let description = [{
    A `row` or `columns` operand gives `tensor<NxT>`, a `scalar` or `single` operand
    gives `T`, a `groups` operand `tensor<KxT, #quack.groups<G>>`. Where the result's element type is another float (integer) type than
    the memref's, each element is converted: widened exactly, or rounded to
    nearest even. Memory is read once, however often the value is used. It is
    read before the row's stores, so `out` may be the same memory as `in`. Floats
    of 8 bits exist in memory only: nothing is computed in them.

    Example:
    ```mlir
    quack.kernel @copy(%x: memref<?x64xbf16> in row, %y: memref<?x64xf32> out row) {
      %v = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
      quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
    }
    ```

    Constraints:
    - (C1) `source` is a memref operand of the kernel.
    - (C2) the result is what the operand's role gives: a row of N columns, one
      with an element a group, or a scalar.
    - (C3) storage and result types are both floats or both integers, and
      integers are not narrowed.
  }];
  let arguments = (ins Arg<AnyMemRef, "a kernel operand">:$source);
  let results = (outs AnyTypeOf<[Quack_Row, Quack_Scalar]>:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Quack_StoreOp : Quack_Op<"store"> {
  let summary = "Writes an operand of the current row, rounding to its storage type";
  let description = [{
    The one place where a result is rounded: to nearest even from the value's
    float type to the memref's. Integers keep their type or are truncated.

    A store to f8E4M3FN or f8E5M2 saturates: what is out of range, infinities
    too, becomes the greatest finite number of its sign, 448 or 57344; NaN stays
    NaN (PTX ISA, cvt, `.satfinite`). A cast of torch does not saturate: it gives
    NaN or an infinity.

    Example:
    ```mlir
    quack.kernel @round(%x: memref<?x64xf32> in row, %y: memref<?x64xbf16> out row) {
      %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
      quack.store %v, %y : tensor<64xf32>, memref<?x64xbf16>
    }
    ```

    Constraints:
    - (C1) `target` is a `row`, `scalar` or `groups` operand of the kernel with direction `out`
      or `inout`.
    - (C2) `value` is what the operand's role takes: a row of N columns, one with
      an element a group, or a scalar.
    - (C3) value and storage types are both floats or both integers, and integers
      are not widened.
    - (C4) a float of 8 bits is stored from f32, bf16 or f16, which are rounded
      once.
  }];
  let arguments = (ins
    AnyTypeOf<[Quack_Row, Quack_Scalar]>:$value,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target);
  let assemblyFormat = "$value `,` $target attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

def Quack_AccumulateOp : Quack_Op<"accumulate"> {
  let summary = "Adds the current row's value to a sum over all rows of the launch";
  let description = [{
    A row goes to a `columns` operand, column by column (a weight's gradient); a
    scalar to a `single` one (a total loss). Sums are kept in f32 and rounded once,
    to the memref's type. With no rows the sum is 0.

    The order of the rows is not stated here; it follows from M and the plan alone,
    so launches of the same rows give the same bits. The sum is there when the whole
    launch is over: no row sees it.

    Example:
    ```mlir
    quack.kernel @column_sums(%x: memref<?x64xbf16> in row, %s: memref<64xf32> out columns) {
      %v = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
      quack.accumulate %v, %s : tensor<64xf32>, memref<64xf32>
    }
    ```

    Constraints:
    - (C1) `target` is a `columns` or `single` operand of the kernel with direction
      `out`.
    - (C2) `value` is what the operand's role takes: a row of N columns or a scalar.
    - (C3) the value is f32, and the storage type a float.
  }];
  let arguments = (ins
    AnyTypeOf<[Quack_Row, Quack_Scalar]>:$value,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target);
  let assemblyFormat = "$value `,` $target attr-dict `:` type($value) `,` type($target)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// columns, index
//===----------------------------------------------------------------------===//

def Quack_ColumnsOp : Quack_Op<"columns", [Pure]> {
  let summary = "N, the number of columns of a row";
  let description = [{
    A constant once the kernel is specialised; what a mean divides by.

    Example:
    ```mlir
    quack.kernel @mean(%x: memref<?x1000xf32> in row, %m: memref<?xf32> out scalar) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %sum = quack.reduce addf %v : tensor<1000xf32> -> f32
      %n = quack.columns : i32
      %count = arith.sitofp %n : i32 to f32
      %mean = arith.divf %sum, %count : f32
      quack.store %mean, %m : f32, memref<?xf32>
    }
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Quack_IndexOp : Quack_Op<"index", [Pure]> {
  let summary = "The column numbers of the row: 0 to N - 1";
  let description = [{
    For masks, and for what depends on a column's place.

    Example: the first elements of each row, as many as `%n` says.
    ```mlir
    quack.kernel @keep(%x: memref<?x1000xf32> in row, %n: memref<?xi32> in scalar,
                       %y: memref<?x1000xf32> out row) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %count = quack.load %n : memref<?xi32> -> i32
      %bound = quack.broadcast %count : i32 -> tensor<1000xi32>
      %column = quack.index : tensor<1000xi32>
      %isKept = arith.cmpi slt, %column, %bound : tensor<1000xi32>
      %zero = arith.constant dense<0.0> : tensor<1000xf32>
      %kept = arith.select %isKept, %v, %zero : tensor<1000xi1>, tensor<1000xf32>
      quack.store %kept, %y : tensor<1000xf32>, memref<?x1000xf32>
    }
    ```
  }];
  let results = (outs 1DTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// max_finite
//===----------------------------------------------------------------------===//

def Quack_MaxFiniteOp : Quack_Op<"max_finite", [Pure]> {
  let summary = "The greatest finite number of an operand's storage type";
  let description = [{
    A constant once the kernel is specialised; what a quantised row is scaled to:
    448 for f8E4M3FN, 57344 for f8E5M2, 127 for i8. The operand's elements are
    neither read nor written.

    Example:
    ```mlir
    quack.kernel @scale(%amax: memref<?xf32> in scalar, %x: memref<?x64xf32> in row,
                        %y: memref<?x64xf8E4M3FN> out row) {
      %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
      %a = quack.load %amax : memref<?xf32> -> f32
      %most = quack.max_finite %y : memref<?x64xf8E4M3FN> -> f32
      %factor = arith.divf %most, %a : f32
      %factor_row = quack.broadcast %factor : f32 -> tensor<64xf32>
      %q = arith.mulf %v, %factor_row : tensor<64xf32>
      quack.store %q, %y : tensor<64xf32>, memref<?x64xf8E4M3FN>
    }
    ```

    Constraints:
    - (C1) `operand` is a memref operand of the kernel.
    - (C2) its element type is a float or i8, so that f32 has the number.
  }];
  let arguments = (ins AnyMemRef:$operand);
  let results = (outs F32:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let extraClassDeclaration = [{
    /// Returns the number.
    double getNumber();
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// broadcast, reduce
//===----------------------------------------------------------------------===//

def Quack_BroadcastOp : Quack_Op<"broadcast", [Pure]> {
  let summary = "Gives each element of the row the row's scalar";
  let description = [{
    Example:
    ```mlir
    quack.kernel @fill(%s: memref<?xf32> in scalar, %y: memref<?x64xf32> out row) {
      %v = quack.load %s : memref<?xf32> -> f32
      %row = quack.broadcast %v : f32 -> tensor<64xf32>
      quack.store %row, %y : tensor<64xf32>, memref<?x64xf32>
    }
    ```

    Constraints:
    - (C1) the result's element type is the source's type.

    A row with an element a group may be the result, too.
  }];
  let arguments = (ins Quack_Scalar:$source);
  let results = (outs Quack_Row:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Quack_ReduceOp : Quack_Op<"reduce", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments]> {
  let summary = "Combines all elements of the row";
  let description = [{
    Combines the N elements of a row with `kind`, or those of several rows, column
    by column, with a combiner. The order of combination is not stated here; it is
    fixed by N, the types and the target (the plan's tree signature), so the same
    row gives the same bits in every launch.

    A combiner takes one element of each source, then another one of each, and
    yields their combination. It must be associative and commutative, but for
    rounding, and `identity` must leave any element unchanged: this is not checked.

    `init`, if given, is combined with the result exactly once. It need not be
    the identity.

    Floats are reduced in f32: widen narrower rows first.

    Example:
    ```mlir
    quack.kernel @sum_from(%x: memref<?x1000xf32> in row, %start: f32,
                           %s: memref<?xf32> out scalar) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %sum = quack.reduce addf %v init %start : tensor<1000xf32> -> f32
      quack.store %sum, %s : f32, memref<?xf32>
    }
    ```
    The product of complex numbers:
    ```mlir
    quack.kernel @product(%re: memref<?x1000xf32> in row, %im: memref<?x1000xf32> in row,
                          %r: memref<?xf32> out scalar, %i: memref<?xf32> out scalar) {
      %a = quack.load %re : memref<?x1000xf32> -> tensor<1000xf32>
      %b = quack.load %im : memref<?x1000xf32> -> tensor<1000xf32>
      %p:2 = quack.reduce combine %a, %b identity [1.0 : f32, 0.0 : f32]
          : tensor<1000xf32>, tensor<1000xf32> -> f32, f32 {
      ^bb0(%r0: f32, %i0: f32, %r1: f32, %i1: f32):
        %rr = arith.mulf %r0, %r1 : f32
        %ii = arith.mulf %i0, %i1 : f32
        %real = arith.subf %rr, %ii : f32
        %ri = arith.mulf %r0, %i1 : f32
        %ir = arith.mulf %i0, %r1 : f32
        %imaginary = arith.addf %ri, %ir : f32
        quack.yield %real, %imaginary : f32, f32
      }
      quack.store %p#0, %r : f32, memref<?xf32>
      quack.store %p#1, %i : f32, memref<?xf32>
    }
    ```

    Constraints:
    - (C1) `kind` fits the element type: the `f` kinds take floats, the others
      integers.
    - (C2) element types are f32 or i32.
    - (C3) there is one result for each source, and one `init` or none; each has
      its source's element type.
    - (C4) there is a kind and one source, or a combiner and at most 8 sources, all
      of one length.
    - (C5) a combiner takes two scalars a source (all of the first element, then all
      of the second) and yields one a source; there is one identity a source.
    - (C6) a combiner ends with `quack.yield` and holds only elementwise (see
      `quack.kernel`) or constant operations on scalars without side effects.
  }];
  let arguments = (ins
    OptionalAttr<Quack_ReduceKindAttr>:$kind,
    DefaultValuedAttr<ArrayAttr, "{}">:$identities,
    Variadic<Quack_Row>:$sources,
    Variadic<Quack_Scalar>:$inits);
  let results = (outs Variadic<Quack_Scalar>:$results);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Quack_YieldOp : Quack_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"ReduceOp">]> {
  let summary = "Ends a combiner with the combination";
  let description = "Example: see `quack.reduce`.";
  let arguments = (ins Variadic<Quack_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

class Quack_ArgOp<string opMnemonic, string what> : Quack_Op<opMnemonic, [Pure]> {
  let summary = "Finds the " # what # " element of the row and its column";
  let arguments = (ins 1DTensorOf<[F32]>:$source);
  let results = (outs F32:$value, I32:$column);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def Quack_ArgMaxOp : Quack_ArgOp<"argmax", "greatest"> {
  let description = [{
    As torch: the first of equal elements (+0 equals -0), and a NaN is greater than
    all numbers, so that the first one is found. `value` is the element itself, but
    for the sign of a zero, and the NaN for its bits.

    Example:
    ```mlir
    quack.kernel @argmax(%x: memref<?x1000xf32> in row, %c: memref<?xi32> out scalar) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %max, %column = quack.argmax %v : tensor<1000xf32>
      quack.store %column, %c : i32, memref<?xi32>
    }
    ```
  }];
}

def Quack_ArgMinOp : Quack_ArgOp<"argmin", "least"> {
  let description = [{
    As torch: the first of equal elements (+0 equals -0), and a NaN is less than all
    numbers, so that the first one is found. `value` is as in `quack.argmax`.

    Example: see `quack.argmax`.
  }];
}

def Quack_MomentsOp : Quack_Op<"moments", [Pure]> {
  let summary = "Computes the row's mean and its sum of squared deviations";
  let description = [{
    The mean of the N elements, and the sum of (element - mean)^2, in f32, in one
    meeting of the threads: each thread deviates from its own mean, and
    partials (mean, sum of squares, count) merge as in Chan, Golub and LeVeque,
    "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances"
    (1979), all of differences from one of the elements. So nothing cancels, however
    large the mean is, as it does in E[x^2] - E[x]^2. `low` is what the rounding of
    `mean` has left: deviations are (element - mean) - low where the mean is large.

    Example:
    ```mlir
    quack.kernel @var(%x: memref<?x1000xf32> in row, %y: memref<?xf32> out scalar) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %mean, %low, %squares = quack.moments %v : tensor<1000xf32>
      %n = quack.columns : i32
      %count = arith.sitofp %n : i32 to f32
      %var = arith.divf %squares, %count : f32
      quack.store %var, %y : f32, memref<?xf32>
    }
    ```
  }];
  let arguments = (ins 1DTensorOf<[F32]>:$source);
  let results = (outs F32:$mean, F32:$low, F32:$squares);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

//===----------------------------------------------------------------------===//
// extract
//===----------------------------------------------------------------------===//

def Quack_ExtractOp : Quack_Op<"extract", [
    Pure, TypesMatchWith<"otherwise has the element type of source", "source",
                         "otherwise", "::mlir::getElementTypeOrSelf($_self)">,
    TypesMatchWith<"result has the element type of source", "source", "result",
                   "::mlir::getElementTypeOrSelf($_self)">]> {
  let summary = "Takes one element of the row, by its column";
  let description = [{
    The element at `column`, or `otherwise` where there is no such column: below 0,
    or N and more. What the row is computed from is computed for this element alone:
    a logit of a target costs one access to memory, and no pass over the row.

    Example:
    ```mlir
    quack.kernel @pick(%x: memref<?x1000xf32> in row, %t: memref<?xi64> in scalar,
                       %y: memref<?xf32> out scalar) {
      %v = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %column = quack.load %t : memref<?xi64> -> i64
      %nan = arith.constant 0x7FC00000 : f32
      %e = quack.extract %v[%column : i64] else %nan : tensor<1000xf32>
      quack.store %e, %y : f32, memref<?xf32>
    }
    ```
  }];
  let arguments = (ins Quack_Row:$source, AnyTypeOf<[I32, I64]>:$column,
                       Quack_Scalar:$otherwise);
  let results = (outs Quack_Scalar:$result);
  let assemblyFormat = [{
    $source `[` $column `:` type($column) `]` `else` $otherwise attr-dict `:` type($source)
  }];
}

include "Quack/QuackCallOp.td"
include "Quack/QuackGroupOps.td"
include "Quack/QuackPickOps.td"

#endif // QUACK_OPS_TD
