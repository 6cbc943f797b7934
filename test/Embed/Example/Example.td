//===- test/Embed/Example/Example.td - somebody's dialect --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise operations that quack does not know: three that take part in row programs,
// and what goes wrong if one does not do its part.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_EMBED_EXAMPLE_TD
#define QUACK_TEST_EMBED_EXAMPLE_TD

include "Quack/QuackInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Example_Dialect : Dialect {
  let name = "example";
  let cppNamespace = "::example";
}

def Example_Number : AnyTypeOf<[AnyFloat, VectorOfAnyRankOf<[AnyFloat]>, TensorOf<[AnyFloat]>]>;

class Example_Op<string mnemonic, list<Trait> traits = []>
    : Op<Example_Dialect, mnemonic, traits # ElementwiseMappable.traits> {
  let arguments = (ins Example_Number:$x);
  let results = (outs Example_Number:$y);
}

defvar meaning = DeclareOpInterfaceMethods<Quack_RowMeaningOpInterface>;

//===----------------------------------------------------------------------===//
// As they should be
//===----------------------------------------------------------------------===//

def Example_GeluOp : Example_Op<"gelu", [Pure, SameOperandsAndResultType, meaning]> {
  let summary = "x / 2 (1 + erf(x / sqrt 2))";
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Example_ClampOp : Example_Op<"clamp", [Pure, SameOperandsAndResultType]> {
  let summary = "x, but at least lo and at most hi; what it means is attached to it";
  let arguments = (ins Example_Number:$x, F64Attr:$lo, F64Attr:$hi);
  let assemblyFormat = "$x `from` $lo `to` $hi attr-dict `:` type($x)";
}

def Example_PartsOp : Example_Op<"parts", [Pure, meaning]> {
  let summary = "The integer below x, and how far that is";
  let results = (outs Example_Number:$below, Example_Number:$rest);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($below) `,` type($rest)";
}

//===----------------------------------------------------------------------===//
// As they should not be
//===----------------------------------------------------------------------===//

def Example_MuteOp : Example_Op<"mute", [Pure]> {
  let summary = "Says nothing of what it means";
}

def Example_NestedOp : Example_Op<"nested", [Pure, meaning]> {
  let summary = "Has a region";
  let regions = (region AnyRegion:$body);
}

def Example_EffectOp : Example_Op<"effect", [meaning]> {
  let summary = "May have side effects";
}

def Example_BrokenOp : Example_Op<"broken", [Pure, meaning]> {
  let summary = "Says something wrong of what it means";
  let arguments = (ins Example_Number:$x, StrAttr:$how);
  let assemblyFormat = "$how $x attr-dict `:` type($x) `->` type($y)";
}

#endif // QUACK_TEST_EMBED_EXAMPLE_TD
