//===- QuackTVAttrs.td - layouts, plans, policies ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread-value layout of a tile and the plan of a kernel.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TV_ATTRS_TD
#define QUACK_TV_ATTRS_TD

include "QuackTV/QuackTVDialect.td"
include "QuackTV/QuackTVEnums.td"

//===----------------------------------------------------------------------===//
// layout
//===----------------------------------------------------------------------===//

def QuackTV_LayoutAttr : QuackTV_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which thread of a cluster holds which element of a tile";
  let description = [{
    Levels of `size:stride` modes, fastest first: CTAs of a cluster, warps
    of a CTA, lanes of a warp, values of a thread; and, where several clusters
    share a row, the slices that they have of it. An index of a level is taken
    apart over its modes; the element's row-major index in the tile is the sum
    of digit times stride over all levels. A level without modes is left out.
    This is CuTe's TV layout with the thread mode split by the hardware level
    at which partial results can meet. The algebra is `quack/Layout/TVLayout.h`.

    ```mlir
    // 4 CTAs, 8 warps each; a thread holds 32 runs of 4 columns of a row of 131072.
    #tile = #quack_tv.layout<cta = [4:32768], warp = [8:128], lane = [32:4], value = [4:1, 32:1024]>
    func.func private @takes(tensor<1x131072xf32, #tile>)
    ```

    Constraints, checked where the layout meets a tile:
    - (L1) sizes are positive, strides are not negative.
    - (L2) each mode steps along one axis only.
    - (L3) lane sizes are powers of two with product 32.
    - (L4) without copies (stride 0), the map is one-to-one onto the tile.
    - (L5) no value mode is a copy.
    - (L6) the tile is a tensor of two dimensions, both static.
    - (L7) along the columns, slice modes step farther than all others.
  }];
  let parameters = (ins AttrParameter<"::quack::TVLayout", "the modes of each level",
                                     "const ::quack::TVLayout &">:$value);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Plan fields
//===----------------------------------------------------------------------===//

def QuackTV_LoadPolicyAttr : EnumAttr<QuackTV_Dialect, QuackTV_LoadPolicy, "load_policy"> {
  let assemblyFormat = "`<` $value `>`";
}
def QuackTV_StorePolicyAttr : EnumAttr<QuackTV_Dialect, QuackTV_StorePolicy, "store_policy"> {
  let assemblyFormat = "`<` $value `>`";
}
def QuackTV_HoldAttr : EnumAttr<QuackTV_Dialect, QuackTV_Hold, "hold"> {
  let assemblyFormat = "`<` $value `>`";
}

//===----------------------------------------------------------------------===//
// plan
//===----------------------------------------------------------------------===//

def QuackTV_PlanAttr : QuackTV_Attr<"Plan", "plan"> {
  let summary = "How a kernel's rows are spread over threads, and held";
  let description = [{
    Every field may be left out: on a `quack.kernel` a field that is present is
    a pin that `quack-plan` keeps, and one that is absent is chosen by the cost
    model. On a `quack_tv.kernel` the plan is complete.

    | field | meaning | values |
    |---|---|---|
    | `threads` | threads of a CTA | 32 … 1024, multiple of 32 |
    | `threads_per_row` | threads of one CTA that share a row | 1, 2, 4, 8, 16 or a multiple of 32; divides `threads` |
    | `rows_per_thread` | rows that one thread works on at once | 1, 2, 4, 8 |
    | `cluster` | CTAs that share a row | 1, 2, 4, 8, 16 |
    | `split` | clusters that share a row, each with a slice of it; left out: 1 | 1 … 1024 |
    | `vector` | consecutive columns of one access | 1, 2, 4, 8, 16 |
    | `alignment` | pointers and row strides are multiples of an access (at most 16 bytes), or of an element only | `vector`, `element` |
    | `ctas_per_sm` | resident CTAs that the registers must allow (0: any) | 0 … 32 |
    | `exchange` | in a cluster: each warp's partial travels, or each CTA's | `warps`, `ctas` |
    | `hold` | for each operand, where its row waits between passes | `registers`, `packed`, `async`, `bulk`, `reload` |
    | `kept` | of rows held by `reload`, the elements of a thread, from the first, that wait in shared memory and are not read again | 0 … what a thread holds, multiple of `vector` |
    | `load` | for each operand, cache policy of loads | `cached`, `no_allocate`, `evict_first`, `evict_last` |
    | `store` | for each operand, cache policy of stores | `write_back`, `streaming`, `skip_l1` |
    | `rows` | M that launches usually have, for the cost model; launches may have any other | 1 … |
    | `least_rows` | launches of fewer rows take the kernel's `otherwise` | 1 … |
    | `partials` | where clusters stay: how many a launch has, each of which takes every so many'th tile and, if the kernel accumulates, adds up a partial sum | 1 … 16384 |
    | `overlap` | of a kernel whose clusters stay: the next tile is read, reduced and published while partials of this one travel; left out: `false` | `true`, `false` |
    | `reproducible` | a row's bits must not depend on `rows`: no split | `true`, `false` |

    `registers` keeps what a pass computes for the next one. With the others a
    pass computes again from the operand: `packed` keeps the words as loaded
    and widens them in each pass, `async` and `bulk` keep them in shared memory
    (by cp.async or by a bulk copy), `reload` reads global memory again, except
    for the elements that are `kept`: their thread puts them into shared memory, in
    a place of its own.

    Where `alignment` is not pinned, `quack-plan` makes a kernel for each of both.
    With `element` a row may start anywhere: its accesses are still
    aligned, and what a thread needs is shifted out of them. Such rows cannot be
    copied into shared memory.

    A row that is split needs one kernel more for each round of reductions: see
    `quack-tv-split-stages`. The cost model considers it where `rows` is given or
    `reproducible = false`, which both allow that the order in which a row's
    elements meet depends on more than N, the types and the target. With
    `reproducible = false` alone, `quack-plan` makes a kernel for launches of few
    rows beside that for all others, where it is faster.

    ```mlir
    #pinned = #quack_tv.plan<threads = 256, cluster = 4, hold = {x = packed}>
    func.func private @planned() attributes {plan = #pinned}
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$threads,
    DefaultValuedParameter<"int64_t", "0">:$threadsPerRow,
    DefaultValuedParameter<"int64_t", "0">:$rowsPerThread,
    DefaultValuedParameter<"int64_t", "0">:$cluster,
    DefaultValuedParameter<"int64_t", "0">:$vectorSize,
    OptionalParameter<"std::optional<::quack::tv::Alignment>">:$alignment,
    DefaultValuedParameter<"int64_t", "-1">:$ctasPerSM,
    OptionalParameter<"std::optional<::quack::tv::Exchange>">:$exchange,
    OptionalParameter<"::mlir::DictionaryAttr", "operand name to #quack_tv.hold">:$hold,
    DefaultValuedParameter<"int64_t", "-1">:$kept,
    OptionalParameter<"::mlir::DictionaryAttr", "operand name to #quack_tv.load_policy">:$load,
    OptionalParameter<"::mlir::DictionaryAttr", "operand name to #quack_tv.store_policy">:$store,
    DefaultValuedParameter<"int64_t", "0">:$split,
    DefaultValuedParameter<"int64_t", "0">:$rowsHint,
    OptionalParameter<"std::optional<bool>">:$reproducible,
    DefaultValuedParameter<"int64_t", "0">:$leastRows,
    DefaultValuedParameter<"int64_t", "0">:$partials,
    OptionalParameter<"std::optional<bool>">:$overlap);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns how the operand called `name` is held, or nothing if not pinned.
    std::optional<Hold> holdOf(::llvm::StringRef name) const;
    std::optional<LoadPolicy> loadPolicyOf(::llvm::StringRef name) const;
    std::optional<StorePolicy> storePolicyOf(::llvm::StringRef name) const;
    /// Returns whether all fields but those for each operand are there.
    bool isComplete() const {
      return getThreads() && getThreadsPerRow() && getRowsPerThread() &&
             getCluster() && getVectorSize();
    }
    /// Returns whether rows may start at any element.
    bool startsAnywhere() const {
      return getAlignment() == std::optional(Alignment::element);
    }
    /// Returns the clusters that share a row.
    int64_t getSlices() const { return getSplit() ? getSplit() : 1; }
    /// Returns the CTAs that share a row, of all clusters.
    int64_t getCtasPerRow() const { return getSlices() * getCluster(); }
    /// Returns the plan with other hints.
    PlanAttr withHints(int64_t rows, std::optional<bool> reproducible) const;
    /// Returns the plan for launches of at least so many rows.
    PlanAttr withLeastRows(int64_t rows) const;
    /// Returns the plan for launches of so many clusters, each with a partial sum.
    PlanAttr withPartials(int64_t count) const;
    /// Returns whether a tile is published before the one before it is collected.
    bool overlapsTiles() const { return getOverlap().value_or(false); }
    /// Returns whether a row's tree may depend on `rows`.
    bool mayChangeTree() const {
      return getReproducible() ? !*getReproducible() : getRowsHint() > 0;
    }
    /// Rows of one tile: those that one cluster works on at once.
    int64_t getRows() const {
      return getThreads() / getThreadsPerRow() * getRowsPerThread();
    }
    /// Returns C, `columns` rounded up to what the plan's layout covers.
    int64_t getPaddedColumns(int64_t columns) const;
    /// Returns the elements that one thread holds, padding among them, of all rows
    /// that it works on.
    int64_t getElementsPerThread(int64_t columns) const;
    /// Returns the layout that a complete plan gives a row of `columns`.
    ::quack::TVLayout getLayout(int64_t columns) const;
  }];
}

//===----------------------------------------------------------------------===//
// target
//===----------------------------------------------------------------------===//

def QuackTV_TargetAttr : QuackTV_Attr<"Target", "target"> {
  let summary = "What the kernels of a gpu.module are compiled for, and by whom";
  let description = [{
    A target of a `gpu.module` that upstream's `gpu-module-to-binary` finishes: this
    project's backend makes the PTX, since upstream's way from `#nvvm.target` lets passes
    duplicate inline PTX that synchronises. The object is one of `#nvvm.target`, for
    upstream's lowering of the host.

    Example:
    ```mlir
    gpu.module @quack_kernels [#quack_tv.target<chip = "sm_90", ptx = 83>] {
    }
    ```

    Constraints:
    - (C1) `chip` is sm_90 or sm_90a.
    - (C2) `ptx`, the PTX ISA version times ten, is one that has what kernels use.
  }];
  let parameters = (ins StringRefParameter<"e.g. sm_90">:$chip,
                    "int64_t":$ptx);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // QUACK_TV_ATTRS_TD
