//===- QuackTVOps.td - operations of tile programs ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel, data movement, reductions by level, and the exchange protocol.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_OPS_TD
#define QUACK_TV_OPS_TD

include "QuackTV/QuackTVTypes.td"
include "Quack/QuackAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def QuackTV_Tile : 2DTensorOf<[AnyFloat, AnySignlessInteger]>;
def QuackTV_Scalar : AnyTypeOf<[AnyFloat, AnySignlessInteger], "scalar">;
def QuackTV_Pass : ConfinedAttr<I64Attr, [IntNonNegative]>;

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

def QuackTV_KernelOp : QuackTV_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "What one cluster computes for the R rows of its tile";
  let description = [{
    The tile program of one cluster (one CTA where the plan's cluster is 1).
    The grid has ceil(M / R) clusters, times the plan's `split`: then each cluster
    works on a slice of its rows. Rows from M on take part in every
    barrier and shuffle; they are neither read nor written.

    Where the plan has `partials`, the grid has so many clusters whatever M is, and
    cluster i runs the body for the tiles i, i + `partials`, ..., once
    `quack-tv-place-barriers` has put `each_tile` where that begins. What it
    accumulates stays with its threads until the last tile is done.

    Operands, launch ABI and `otherwise` are those of `quack.kernel`. `shared_bytes` is the
    dynamic shared memory of a CTA, known after `quack-tv-place-barriers`.

    Where slices must meet, a launch has several stages: this kernel, then `next`,
    with the same arguments. `workspace` is the bytes a row of the global memory,
    passed as the last argument, through which their partials go; with `partials`,
    the bytes of each partial. Its first stage finds anything in it.

    Example: see the dialect.

    Constraints:
    - (C1) operands are as in `quack.kernel`, with N static.
    - (C2) the plan is complete.
    - (C3) the plan obeys the target's limits: threads a multiple of 32 up to
      1024, cluster 1, 2, 4, 8 or 16, and the field rules of `#quack_tv.plan`.
    - (C4) cluster arrives and waits alternate, beginning with an arrive and
      ending with a wait.
    - (C5) a `publish` to peers comes after the first `cluster_wait`; a
      `collect` comes after the `barrier` or `exchange_wait` that follows its
      `publish`.
      A buffer is published to once, for each tile; for the next tile after all its
      readers have met: at a `barrier`, in a cluster at a `cluster_arrive` that
      releases and its `cluster_wait`.
    - (C6) once `shared_bytes` is set, a `read` comes after the `await` of its
      stage.
    - (C7) the body holds only `quack_tv` operations, and elementwise or constant
      operations without side effects.
    - (C8) buffers, stages and mbarriers that have an offset do not overlap, and
      lie within `shared_bytes`.
    - (C9) once `shared_bytes` is set, each `stage`, `topk`, `save_topk` and `scatter` has an offset, and
      a `bulk` stage an mbarrier; loads with `kept` have a `kept_at`, the same for an operand.
    - (C10) an exchange's mbarrier expects as many bytes as its buffer holds.
    - (C11) `otherwise` names another quack_tv.kernel with the same operands, and no
      chain of them leads back.
    - (C12) the body holds at most 65536 operations.
    - (C13) the slice level of each tile has the plan's `split` clusters.
    - (C14) `next` names a later quack_tv.kernel with the same operands and
      workspace, which has no `otherwise`.
    - (C15) what `save`, `merge`, `save_topk` and `recall` access lies within `workspace`.
    - (C16) each `mask` begins at N.
    - (C17) a reduction, of groups too, a `topk` that is not `named` and a `save_topk`, of a tile with more than N columns takes a `mask` with the
      identity of its kind, so that columns which do not exist change nothing.
    - (C18) once `shared_bytes` is set, all threads of a row meet between the loads
      of a scalar and its store: at a `barrier`, in a cluster at a `cluster_arrive`
      that releases and its `cluster_wait`.
    - (C19) once `shared_bytes` is set, what a `gather` reads of a row that may be
      stored (an `inout` row, or one as wide as an `out` row) is part of what each
      thread has combined or collected before it stores that row.
    - (C20) a kernel with an `accumulate` or a `fold` has a plan with `partials`; where
      there are `partials`, rows are not split.
    - (C21) a kernel that folds does nothing else.
    - (C22) once `shared_bytes` is set, a kernel whose plan has `partials`, and that does
      not fold, has one `each_tile`, after which come all operations but those of its
      mbarriers and loads of `columns` operands; other kernels have none. It stages by
      async alone.
    - (C23) what `accumulate` and `fold` access lies within `workspace`.
    - (C24) of other dialects only `arith.extf` works on floats of 8 bits.
    - (C25) a plan with `overlap` has `partials` and a `cluster`. Once `shared_bytes` is
      set, a kernel of such a plan has one `tile_before`, and no other kernel has one. All
      but collects and stores, and what is computed of tiles, comes before it. What follows
      uses nothing that a thread keeps of the row from before: no reduction, and no rows
      that it has loaded into registers.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    TypedArrayAttrBase<Quack_OperandAttr, "one entry an operand">:$operand_specs,
    QuackTV_PlanAttr:$plan,
    OptionalAttr<I64Attr>:$shared_bytes,
    OptionalAttr<FlatSymbolRefAttr>:$otherwise,
    OptionalAttr<I64Attr>:$workspace,
    OptionalAttr<FlatSymbolRefAttr>:$next);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Returns N, the columns of a row.
    int64_t getColumns();
    /// Returns what the kernel says of operand `index`.
    ::quack::OperandAttr getOperandAttr(unsigned index);
    /// Returns whether it adds up the partials of the stage before.
    bool isFold();
  }];
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

def QuackTV_LoadOp : QuackTV_Op<"load", [Pure]> {
  let summary = "Reads the tile's elements of an operand from global memory";
  let description = [{
    A `row` operand gives rows of the tile, a `columns` operand the same
    columns for each row, a `scalar` operand a row scalar. Elements keep the
    storage type. Columns from N on and rows from M on are not read: they hold
    zero. Accesses are as wide as the layout's contiguous run allows, up to 16
    bytes.

    With `at_use` each access is made just before the value is needed and its
    registers are free afterwards; without, all accesses are issued where the
    operation stands. `pass` keeps the loads of different passes apart, so that
    no compiler merges them into one set of live registers. With `kept` the first
    load of the operand puts so many elements of each thread into shared memory, at
    byte `kept_at`, which `quack-tv-place-barriers` sets; later loads read these
    there. A thread's elements are its own, so nothing is synchronised.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    quack_tv.kernel @copy(%x: memref<?x128xf32> in row, %y: memref<?x128xf32> out row)
        plan #plan {
      %v = quack_tv.load %x policy no_allocate : memref<?x128xf32> -> tensor<1x128xf32, #tile>
      quack_tv.store %v, %y policy streaming : tensor<1x128xf32, #tile>, memref<?x128xf32>
    }
    ```

    Constraints:
    - (C1) `source` is a memref operand of the kernel.
    - (C2) the result is a tile with the kernel's rows (and one column for a
      `scalar` operand), a layout, and the memref's element type. A tile of fewer
      columns than rows have is for a `groups` operand, one column a group.
    - (C3) `kept` is a positive multiple of the plan's `vector`, at most a
      thread's elements, and `at_use` is given.
    - (C4) all loads of an operand with the same type have the same `kept`.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "a kernel operand">:$source,
    DefaultValuedAttr<QuackTV_LoadPolicyAttr, "LoadPolicy::cached">:$policy,
    OptionalAttr<QuackTV_Pass>:$pass,
    UnitAttr:$at_use,
    OptionalAttr<I64Attr>:$kept,
    OptionalAttr<I64Attr>:$kept_at);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = [{
    $source (`policy` custom<LoadPolicy>($policy)^)? (`pass` $pass^)?
    (`at_use` $at_use^)? (`kept` $kept^)? (`at` $kept_at^)? attr-dict `:` type($source) `->` type($result)
  }];
  let extraClassDeclaration = [{
    /// Returns the first load in the kernel that reads the same.
    LoadOp getFirstRead();
  }];
  let hasVerifier = 1;
}

def QuackTV_GatherOp : QuackTV_Op<"gather", [Pure]> {
  let summary = "Reads one element of each row from global memory, by its column";
  let description = [{
    Each thread of the row reads the element at `column` of the operand's current
    row (of a `columns` operand, of its one row), so that each holds it. It is 0
    where there is no such column, or no such row. Nothing orders it before stores of
    other threads: see (C19) of `quack_tv.kernel`.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
    #row = #quack_tv.layout<lane = [32:0]>
    quack_tv.kernel @pick(%x: memref<?x128xf32> in row, %t: memref<?xi32> in scalar,
                          %y: memref<?xf32> out scalar) plan #plan {
      %c = quack_tv.load %t : memref<?xi32> -> tensor<1x1xi32, #row>
      %e = quack_tv.gather %x[%c] : memref<?x128xf32>, tensor<1x1xi32, #row> -> tensor<1x1xf32, #row>
      quack_tv.store %e, %y : tensor<1x1xf32, #row>, memref<?xf32>
    }
    ```

    Constraints:
    - (C1) `source` is a `row` or `columns` operand of the kernel.
    - (C2) `column` is a row scalar of i32 or i64, with the kernel's rows.
    - (C3) the result is `column`'s type with the memref's element type.
  }];
  let arguments = (ins Arg<AnyMemRef, "a kernel operand">:$source,
                       QuackTV_Tile:$column);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = [{
    $source `[` $column `]` attr-dict `:` type($source) `,` type($column) `->` type($result)
  }];
  let hasVerifier = 1;
}

def QuackTV_StoreOp : QuackTV_Op<"store"> {
  let summary = "Writes the tile's elements to an operand in global memory";
  let description = [{
    Columns from N on and rows from M on are not written. A row scalar is
    written by one thread of the cluster, the first of its copies; so is an element
    of a `groups` operand.

    Example: see `quack_tv.load`.

    Constraints:
    - (C1) `target` is a memref operand of the kernel with direction `out` or
      `inout`.
    - (C2) `value` is a tile with the kernel's rows (and one column for a
      `scalar` operand, one a group for a `groups` operand), a layout, and the
      memref's element type.
  }];
  let arguments = (ins
    QuackTV_Tile:$value,
    Arg<AnyMemRef, "a kernel operand", [MemWrite]>:$target,
    DefaultValuedAttr<QuackTV_StorePolicyAttr, "StorePolicy::write_back">:$policy);
  let assemblyFormat = [{
    $value `,` $target (`policy` custom<StorePolicy>($policy)^)? attr-dict `:`
    type($value) `,` type($target)
  }];
  let hasVerifier = 1;
}

include "QuackTV/QuackTVSums.td"

//===----------------------------------------------------------------------===//
// Staging in shared memory
//===----------------------------------------------------------------------===//

def QuackTV_StageOp : QuackTV_Op<"stage"> {
  let summary = "Starts copying the tile's elements into shared memory";
  let description = [{
    `async` copies 16 bytes a thread with cp.async: each thread copies what it
    will read itself. `bulk` has one thread issue one bulk copy a row, which an
    mbarrier counts (PTX ISA, cp.async.bulk). `offset` is the byte offset in the
    CTA's shared memory, `barrier_offset` that of the mbarrier; both are set by
    `quack-tv-place-barriers`.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
    #tile = #quack_tv.layout<warp = [4:128], lane = [32:4], value = [4:1]>
    quack_tv.kernel @copy(%x: memref<?x512xf32> in row, %y: memref<?x512xf32> out row)
        plan #plan {
      %s = quack_tv.stage %x by async : memref<?x512xf32> -> !quack_tv.staged<tensor<1x512xf32, #tile>>
      quack_tv.await %s : !quack_tv.staged<tensor<1x512xf32, #tile>>
      %v = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x512xf32, #tile>>
      quack_tv.store %v, %y : tensor<1x512xf32, #tile>, memref<?x512xf32>
    }
    ```

    Constraints:
    - (C1) `source` is a `row` operand of the kernel.
    - (C2) the staged tile has the kernel's rows and the memref's element type.
    - (C3) `form` is `async` or `bulk`.
    - (C4) one thread's run, of at most the plan's `vector`, is a multiple of 16
      bytes.
    - (C5) the plan's `alignment` is `vector`.
  }];
  let arguments = (ins
    Arg<AnyMemRef, "a kernel operand", [MemRead]>:$source,
    QuackTV_HoldAttr:$form,
    OptionalAttr<I64Attr>:$offset,
    OptionalAttr<I64Attr>:$barrier_offset);
  let results = (outs QuackTV_StagedType:$staged);
  let assemblyFormat = [{
    $source `by` custom<Hold>($form) (`at` $offset^)?
    (`barrier` $barrier_offset^)? attr-dict `:` type($source) `->` qualified(type($staged))
  }];
  let hasVerifier = 1;
}

def QuackTV_AwaitOp : QuackTV_Op<"await"> {
  let summary = "Waits until a staged tile has arrived";
  let description = [{
    After it, each thread may read the elements that its layout gives it.
    Placed by `quack-tv-place-barriers`, as late as the first `read` allows.

    Example: see `quack_tv.stage`.

    Constraints:
    - (C1) `staged` is the result of a `quack_tv.stage`.
  }];
  let arguments = (ins Arg<QuackTV_StagedType, "", [MemRead, MemWrite]>:$staged);
  let assemblyFormat = "$staged attr-dict `:` qualified(type($staged))";
  let hasVerifier = 1;
}

def QuackTV_ReadOp : QuackTV_Op<"read", [Pure]> {
  let summary = "Reads a staged tile from shared memory";
  let description = [{
    Made anew in each pass: `pass` keeps the reads of different passes apart.
    Columns from N on and rows from M on hold zero. Accesses are made just
    before the value is needed.

    Example: see `quack_tv.stage`.

    Constraints:
    - (C1) `staged` is the result of a `quack_tv.stage`.
    - (C2) the result is the staged tile.
  }];
  let arguments = (ins QuackTV_StagedType:$staged, QuackTV_Pass:$pass);
  let results = (outs QuackTV_Tile:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$staged, "int64_t":$pass)>];
}

//===----------------------------------------------------------------------===//
// Elementwise helpers
//===----------------------------------------------------------------------===//

include "QuackTV/QuackTVCastOps.td"

def QuackTV_MaskOp : QuackTV_Op<"mask", [Pure, SameOperandsAndResultType]> {
  let summary = "Gives the columns from N on the identity of their consumer";
  let description = [{
    Elements at columns `columns` and beyond become `identity`; the others keep
    their value. A tile that needs no padding costs nothing.

    Example:
    ```mlir
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    func.func @pad(%v: tensor<1x128xf32, #tile>) -> tensor<1x128xf32, #tile> {
      %m = quack_tv.mask %v from 100 identity 0xFF800000 : f32 : tensor<1x128xf32, #tile>
      return %m : tensor<1x128xf32, #tile>
    }
    ```

    Constraints:
    - (C1) `identity` has the tile's element type.
    - (C2) `columns` is positive and at most the tile's columns.
  }];
  let arguments = (ins QuackTV_Tile:$source, I64Attr:$columns, TypedAttrInterface:$identity);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = "$source `from` $columns `identity` $identity attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def QuackTV_IndexOp : QuackTV_Op<"index", [Pure]> {
  let summary = "The column number of each element";
  let description = [{
    Columns from N on have numbers from N on.

    Example: `quack_tv.index : tensor<1x128xi32, #tile>`.

    Constraints:
    - (C1) the result is a tile of i32 with a layout.
  }];
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def QuackTV_BroadcastOp : QuackTV_Op<"broadcast", [Pure]> {
  let summary = "Gives each element the value that its thread holds for its row";
  let description = [{
    From a row scalar, from a thread's partial (the result of `thread_reduce`:
    each element gets its own thread's partial), or from a plain scalar. No
    data moves between threads.

    Example:
    ```mlir
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    #row = #quack_tv.layout<lane = [32:0]>
    func.func @spread(%s: tensor<1x1xf32, #row>) -> tensor<1x128xf32, #tile> {
      %v = quack_tv.broadcast %s : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
      return %v : tensor<1x128xf32, #tile>
    }
    ```

    Constraints:
    - (C1) the result's element type is the source's.
    - (C2) a tile source has the layout of the result after one or more of its
      levels, beginning with the values, were reduced along the columns.
  }];
  let arguments = (ins AnyTypeOf<[QuackTV_Tile, QuackTV_Scalar]>:$source);
  let results = (outs QuackTV_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// One or more values that are combined, each by its kind or all by a combiner.
class QuackTV_StepOp<string opMnemonic> : QuackTV_Op<opMnemonic, [Pure]> {
  let arguments = (ins
    TypedArrayAttrBase<Quack_ReduceKindAttr, "one kind a value, or none">:$kinds,
    ArrayAttr:$identities,
    Variadic<QuackTV_Tile>:$sources);
  let results = (outs Variadic<QuackTV_Tile>:$results);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::llvm::ArrayRef<::quack::ReduceKind>":$kinds, "::mlir::ValueRange":$sources)>,
    OpBuilder<(ins "::mlir::ArrayAttr":$kinds, "::mlir::ArrayAttr":$identities,
                   "::mlir::ValueRange":$sources)>];
}

class QuackTV_WholeOp<string opMnemonic> : QuackTV_StepOp<opMnemonic> {
  let extraClassDeclaration = [{
    /// Returns the kind where one value is combined by it; nothing otherwise.
    std::optional<::quack::ReduceKind> getKind() {
      if (getKinds().size() != 1)
        return std::nullopt;
      return ::llvm::cast<::quack::ReduceKindAttr>(getKinds()[0]).getValue();
    }
    ::mlir::Value getSource() { return getSources().front(); }
    ::mlir::OpResult getResult() { return getResults().front(); }
  }];
}

defvar stepConstraints = [{

    Constraints:
    - (C1) there is one kind for each source, or a combiner and no kind.
    - (C2) each kind fits its source's element type.
    - (C3) all sources have one shape and layout.
    - (C4) the levels below are already reduced.
    - (C5) a combiner takes two scalars a source (all of the first partial, then
      all of the second) and yields one a source; there is one identity a source.
    - (C6) a combiner ends with `quack_tv.yield`, has no side effects and uses no
      value from outside.
    - (C7) element types are f32 and i32.
    - (C8) there is one result for each source: its type after the level is
      reduced.
}];

def QuackTV_ReduceOp : QuackTV_WholeOp<"reduce"> {
  let summary = "Combines all columns of each row, over all levels";
  let description = [{
    Lowered by `quack-tv-lower-reductions` to steps that consume one level each, as far
    as the sources' layout has it. Example: see the dialect.

    Constraints:
    - (C1) kinds, combiner, identities and sources are as in `quack_tv.warp_reduce`.
    - (C2) there is one result for each source, the row scalar of its projected layout.
  }];
}

def QuackTV_ThreadReduceOp : QuackTV_WholeOp<"thread_reduce"> {
  let summary = "Combines the columns that one thread holds";
  let description = [{
    The value modes along the columns are consumed; value modes along the rows
    stay. Elements of a run are combined position by position over the thread's
    runs, in order, then the positions by halves: (p0+p4)+(p2+p6) and so on.

    Example:
    ```mlir
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
    func.func @partials(%v: tensor<1x256xf32, #tile>) {
      %p = quack_tv.thread_reduce addf %v : tensor<1x256xf32, #tile>
      return
    }
    ```

    Constraints:
    - (C1) kinds, combiner, identities and sources are as in `quack_tv.warp_reduce`.
    - (C2) there is one result for each source: its tile with its values reduced.
  }];
}

def QuackTV_WarpReduceOp : QuackTV_StepOp<"warp_reduce"> {
  let summary = "Combines the lanes of a warp that share a row, by butterfly shuffles";
  let description = !strconcat([{
    The lane modes along the columns become copies: each lane ends with the
    result. Distances go from the largest lane mode stride down, so that the
    tree is the same in each lane.

    Example: a pair (max, sum of exp(x - max)) that merges in one go.
    ```mlir
    #partial = #quack_tv.layout<lane = [32:1]>
    func.func @merge(%m: tensor<1x32xf32, #partial>, %s: tensor<1x32xf32, #partial>) {
      %r:2 = quack_tv.warp_reduce combine %m, %s identity [0xFF800000 : f32, 0.0 : f32]
          : tensor<1x32xf32, #partial>, tensor<1x32xf32, #partial> {
      ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
        %max = arith.maximumf %m0, %m1 : f32
        %sum = arith.addf %s0, %s1 : f32
        quack_tv.yield %max, %sum : f32, f32
      }
      return
    }
    ```
  }], stepConstraints);
}

def QuackTV_BlockReduceOp : QuackTV_StepOp<"block_reduce"> {
  let summary = "Combines the warps of a CTA that share a row, through shared memory";
  let description = !strconcat([{
    `quack-tv-place-barriers` turns it into `publish`, `barrier`, `collect`.

    Example:
    ```mlir
    #partial = #quack_tv.layout<warp = [4:1], lane = [32:0]>
    func.func @join(%s: tensor<1x4xf32, #partial>) {
      %r = quack_tv.block_reduce addf %s : tensor<1x4xf32, #partial>
      return
    }
    ```
  }], stepConstraints);
}

def QuackTV_ClusterReduceOp : QuackTV_StepOp<"cluster_reduce"> {
  let summary = "Combines the CTAs of a cluster, and their warps if those are left";
  let description = !strconcat([{
    Each partial goes to every CTA of the cluster by st.async, and an mbarrier
    counts the bytes. Where the warps of a CTA are not yet combined, each
    warp's partial travels and both levels are consumed in one exchange.

    Example:
    ```mlir
    #partial = #quack_tv.layout<cta = [2:4], warp = [4:1], lane = [32:0]>
    func.func @join(%s: tensor<1x8xf32, #partial>) {
      %r = quack_tv.cluster_reduce addf %s : tensor<1x8xf32, #partial>
      return
    }
    ```
  }], stepConstraints);
}

def QuackTV_GridReduceOp : QuackTV_StepOp<"grid_reduce"> {
  let summary = "Combines the slices of a row that several clusters share";
  let description = !strconcat([{
    No barrier spans a grid: `quack-tv-split-stages` ends the kernel here. It becomes
    a `save`, and a `merge` in the kernel that is launched next.

    Example:
    ```mlir
    #partial = #quack_tv.layout<slice = [8:1], lane = [32:0]>
    func.func @join(%s: tensor<1x8xf32, #partial>) {
      %r = quack_tv.grid_reduce addf %s : tensor<1x8xf32, #partial>
      return
    }
    ```
  }], stepConstraints);
}

def QuackTV_YieldOp : QuackTV_Op<"yield", [
    Pure, Terminator, ReturnLike,
    ParentOneOf<["ReduceOp", "ThreadReduceOp", "WarpReduceOp", "BlockReduceOp",
                 "ClusterReduceOp", "GridReduceOp", "CollectOp", "MergeOp"]>]> {
  let summary = "Ends a combiner with the merged partial";
  let description = "Example: see `quack_tv.warp_reduce`.";
  let arguments = (ins Variadic<QuackTV_Scalar>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

include "QuackTV/QuackTVWorkspace.td"

//===----------------------------------------------------------------------===//
// The exchange protocol, made by quack-tv-place-barriers
//===----------------------------------------------------------------------===//

def QuackTV_AllocExchangeOp : QuackTV_Op<"alloc_exchange", [Pure]> {
  let summary = "Names a shared-memory buffer for one exchange";
  let description = [{
    `offset` and `bytes` place it in the CTA's dynamic shared memory. With
    `barrier`, peers write it by st.async and the mbarrier at that offset
    expects `bytes`. Where tiles overlap, as many buffers lie there side by side as
    take turns, and an mbarrier for each and one more.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
    #partial = #quack_tv.layout<warp = [4:1], lane = [32:0]>
    #row = #quack_tv.layout<warp = [4:0], lane = [32:0]>
    quack_tv.kernel @row_sum(%x: memref<?x4xf32> in row, %y: memref<?xf32> out scalar)
        plan #plan {
      %v = quack_tv.load %x : memref<?x4xf32> -> tensor<1x4xf32, #partial>
      %b = quack_tv.alloc_exchange at 0 bytes 16
      quack_tv.publish %v to %b : tensor<1x4xf32, #partial>
      quack_tv.barrier
      %s = quack_tv.collect addf %b, %v : tensor<1x4xf32, #partial> -> tensor<1x1xf32, #row>
      quack_tv.store %s, %y : tensor<1x1xf32, #row>, memref<?xf32>
    }
    ```
  }];
  let arguments = (ins I64Attr:$offset, I64Attr:$bytes, OptionalAttr<I64Attr>:$barrier_offset);
  let results = (outs QuackTV_ExchangeType:$buffer);
  let assemblyFormat = "`at` $offset `bytes` $bytes (`barrier` $barrier_offset^)? attr-dict";
}

def QuackTV_PublishOp : QuackTV_Op<"publish"> {
  let summary = "Writes this warp's partials into the exchange buffer";
  let description = [{
    One copy writes: the lane whose copy digits are all 0. Without an mbarrier
    it writes its own CTA's buffer; with one, the buffer of every CTA of the
    cluster by st.async, each completing the bytes on the receiver's mbarrier.

    Example: see `quack_tv.alloc_exchange`.

    Constraints:
    - (C1) there is at least one value; all have one shape and layout, and
      element types f32 or i32.
    - (C2) `buffer` is the result of a `quack_tv.alloc_exchange`.
  }];
  let arguments = (ins Variadic<QuackTV_Tile>:$values,
    Arg<QuackTV_ExchangeType, "", [MemWrite]>:$buffer);
  let assemblyFormat = "$values `to` $buffer attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def QuackTV_BarrierOp : QuackTV_Op<"barrier", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "All threads of the CTA meet; earlier shared writes are visible";
  let description = "PTX ISA, bar.sync. Example: see `quack_tv.alloc_exchange`.";
  let assemblyFormat = "attr-dict";
}

def QuackTV_ExchangeWaitOp : QuackTV_Op<"exchange_wait"> {
  let summary = "Waits until all peers' partials have arrived in the buffer";
  let description = [{
    Every thread waits on the mbarrier's first phase (PTX ISA,
    mbarrier.try_wait, cluster scope), so no CTA leaves while a store into its
    shared memory is in flight.

    Constraints:
    - (C1) the buffer has an mbarrier.
  }];
  let arguments = (ins Arg<QuackTV_ExchangeType, "", [MemRead, MemWrite]>:$buffer);
  let assemblyFormat = "$buffer attr-dict";
  let hasVerifier = 1;
}

def QuackTV_CollectOp : QuackTV_Op<"collect", [
    MemoryEffects<[MemRead]>]> {
  let summary = "Reads all partials of a row from the exchange buffer and combines them";
  let description = [{
    The lanes of each warp share the reads and meet by butterfly shuffles; each
    thread ends with the result. `partials` gives shape and layout of what was
    published.

    Example: see `quack_tv.alloc_exchange`.

    Constraints: those of `quack_tv.warp_reduce`, (C1) to (C3) and (C5) to (C8),
    where a buffer with an mbarrier consumes warps and CTAs, one without the
    warps; and
    - (C4) `buffer` is the result of a `quack_tv.alloc_exchange`.
  }];
  let arguments = (ins
    TypedArrayAttrBase<Quack_ReduceKindAttr, "one kind a value, or none">:$kinds,
    ArrayAttr:$identities,
    QuackTV_ExchangeType:$buffer,
    Variadic<QuackTV_Tile>:$partials);
  let results = (outs Variadic<QuackTV_Tile>:$results);
  let regions = (region MaxSizedRegion<1>:$combiner);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def QuackTV_ClusterInitOp : QuackTV_Op<"cluster_init", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Initialises the kernel's mbarriers and makes them visible cluster-wide";
  let description = [{
    One thread initialises each mbarrier at `barrier_offsets` with one arrival (the last
    one of an exchange where tiles overlap: with one of each warp of the cluster),
    and fences (PTX ISA, fence.mbarrier_init.release.cluster). Peers may store
    once they have passed the `cluster_wait` that follows. `expected_bytes` says
    how many bytes peers send to each (0: none); thread 0
    arrives with that count where it publishes, after the `cluster_wait`, since
    bytes may complete before they are expected.

    Example:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
    quack_tv.kernel @none(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row)
        plan #plan {
      quack_tv.cluster_init barriers [16] expect [64]
      quack_tv.cluster_arrive
      quack_tv.cluster_wait
    }
    ```

    Constraints:
    - (C1) there are as many expected byte counts as barriers.
    - (C2) an expected byte count is less than 2^20 (PTX ISA, tx-count range).
  }];
  let arguments = (ins DenseI64ArrayAttr:$barrier_offsets, DenseI64ArrayAttr:$expected_bytes);
  let assemblyFormat = "`barriers` $barrier_offsets `expect` $expected_bytes attr-dict";
  let hasVerifier = 1;
}

def QuackTV_ClusterArriveOp : QuackTV_Op<"cluster_arrive", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Arrives at the cluster's barrier";
  let description = [{
    PTX ISA, barrier.cluster.arrive.relaxed: it orders nothing but the mbarriers'
    initialisation, which has a fence of its own. With `release`,
    barrier.cluster.arrive.release: accesses before it come before those after the
    peers' `cluster_wait`. After a `tile_before` it is an arrival at an mbarrier, once in
    some tiles, and orders accesses of shared memory alone.

    Example: see `quack_tv.cluster_init`.
  }];
  let arguments = (ins UnitAttr:$release);
  let assemblyFormat = "(`release` $release^)? attr-dict";
}

def QuackTV_ClusterWaitOp : QuackTV_Op<"cluster_wait", [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for all threads of the cluster to arrive";
  let description = "PTX ISA, barrier.cluster.wait.acquire. Example: see `quack_tv.cluster_init`.";
  let assemblyFormat = "attr-dict";
}

include "QuackTV/QuackTVGroupOps.td"
include "QuackTV/QuackTVPickOps.td"

#endif // QUACK_TV_OPS_TD
