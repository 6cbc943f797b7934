//===- Passes.td - the compiler's own passes ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry a pass; their order is in lib/Pipelines/Pipelines.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_PASSES_TD
#define QUACK_PASSES_TD

include "mlir/Pass/PassBase.td"

def QuackRaiseLinalg : Pass<"quack-raise-linalg", "::mlir::ModuleOp"> {
  let summary = "Finds row reductions in linalg, and makes kernels of them";
  let description = [{
    In each function, a reduction over the last dimensions of a tensor is the seed of a
    group: what else works on the same rows, elementwise or by another reduction, joins
    it, so far as data leads there. The group becomes a `quack.kernel`, called by a
    `quack.call` in its place. Nothing but its inputs and what others use of its results
    lies in memory then; the leading dimensions of both are collapsed to M.

    Indexing maps alone decide what belongs to a row: a tensor's dimension runs over rows,
    over columns, or over nothing (extent 1). Where two uses disagree, the user stays out
    of the group. So does what reads or writes memory in a form that no operand of a kernel
    has, such as a transposed row, and what kernels cannot compute as exactly as
    the program says: sums that are rounded to bf16 at each step, floats of 64 bits. What
    stays out is left as it is.

    A sum over the first dimensions, that is over all rows, becomes a
    `quack.accumulate`, in the group of these rows or by itself. So does a sum of
    everything beside reductions of rows. What needs such a sum waits for the whole kernel.

    A group is divided where the planner's cost model says so: a row that is held beside
    many others may cost more than to read it again. Its last operations and further
    reductions are left out, one or all of them, if kernels apart are predicted to take 0.9
    of the time or less.

    Before:
    ```mlir
    func.func @row_max(%x: tensor<8x64xf32>) -> tensor<8xf32> {
      %least = arith.constant 0xFF800000 : f32
      %empty = tensor.empty() : tensor<8xf32>
      %init = linalg.fill ins(%least : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
      %m = linalg.reduce { arith.maximumf } ins(%x : tensor<8x64xf32>)
          outs(%init : tensor<8xf32>) dimensions = [1]
      return %m : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    quack.kernel @row_max_0(%in0: memref<?x64xf32> in row, %out0: memref<?xf32> out scalar) {
      %v = quack.load %in0 : memref<?x64xf32> -> tensor<64xf32>
      %max = quack.reduce maximumf %v : tensor<64xf32> -> f32
      quack.store %max, %out0 : f32, memref<?xf32>
    }
    func.func @row_max(%x: tensor<8x64xf32>) -> tensor<8xf32> {
      %empty = tensor.empty() : tensor<8xf32>
      %m = quack.call @row_max_0(%x : tensor<8x64xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
      return %m : tensor<8xf32>
    }
    ```

    An operation of a group may pin fields of the kernel's plan: the attribute
    `quack.pin = "cluster = 8"`, as in the `pin` of `quack-plan`. Pins that cannot be kept
    are an error.

    A group that no plan of `target` holds is left alone. Remarks of category
    `quack-raise-linalg` say what was raised, what stayed out, and why.

    Assumes: functions that are called are inlined, where their operations are to join a
    group. Guarantees: values are unchanged but for the order of reductions, and for
    divisions by a row's scalar (see `quack`); each input of a group is read once.
  }];
  let options = [
    Option<"dynamicColumns", "dynamic-columns", "bool", /*default=*/"false",
           "Raise reductions over ? columns, too: to generic kernels, which something "
           "must specialise for each N">,
    Option<"target", "target", "std::string", /*default=*/"\"h200\"",
           "The GPU that plans are made for (h100, h200)">,
    Option<"rows", "rows", "int64_t", /*default=*/"0",
           "Rows that a group's time is predicted for; 0: M, or where that is ?, as many as "
           "the planner takes">];
  let dependentDialects = ["::quack::QuackDialect", "::quack::tv::QuackTVDialect",
                           "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"raised", "raised", "groups that became kernels">,
    Statistic<"absorbed", "absorbed", "operations that they had">];
}

def QuackExpandElementwise : Pass<"quack-expand-elementwise", "::mlir::ModuleOp"> {
  let summary = "Puts elementwise operations of other dialects in terms of arith and math";
  let description = [{
    An operation in a kernel that implements `RowMeaningOpInterface` is replaced by what
    it says that it means. The meaning must consist of operations that kernels know and
    have the operation's types; if not, that is an error at the operation.

    Before, where a dialect `example` has a `gelu`:
    ```
    %r = example.gelu %v : tensor<?xf32>
    ```
    After:
    ```
    %half = arith.constant 5.000000e-01 : f32
    %halves = quack.broadcast %half : f32 -> tensor<?xf32>
    ...
    %r = arith.mulf %h, %w : tensor<?xf32>
    ```

    Assumes: nothing. Guarantees: kernels hold operations of `quack`, `arith` and `math`
    only.
  }];
  let dependentDialects = ["::quack::QuackDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [Statistic<"expanded", "expanded", "operations that were replaced">];
}

def QuackSpecialize : Pass<"quack-specialize", "::mlir::ModuleOp"> {
  let summary = "Fixes N and the storage types of generic kernels";
  let description = [{
    Gives each `quack.kernel` whose N is `?` the number of columns of `columns`,
    and each operand named by `storage` that element type in memory. Optional operands
    that `storage` does not name are taken out. What is stored in floats of 8 bits may
    be stored as `i8` instead: the nearest integer, half to even, from -127 to 127. `picks` gives the
    columns of operands with role picks. `groups` gives the groups of columns of
    generic kernels another size.

    Before, with `columns=64 storage=bf16`:
    ```mlir
    quack.kernel @copy(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {
      %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
      quack.store %v, %y : tensor<?xf32>, memref<?x?xf32>
    }
    ```
    After:
    ```mlir
    quack.kernel @copy(%x: memref<?x64xbf16> in row, %y: memref<?x64xbf16> out row) {
      %v = quack.load %x : memref<?x64xbf16> -> tensor<64xf32>
      quack.store %v, %y : tensor<64xf32>, memref<?x64xbf16>
    }
    ```

    Assumes: nothing. Guarantees: each kernel's N is static where `columns` is
    given; compute types are untouched.
  }];
  let options = [
    Option<"columns", "columns", "int64_t", /*default=*/"0",
           "N, the columns of a row (0: leave generic kernels generic)">,
    Option<"storage", "storage", "std::string", /*default=*/"\"\"",
           "Storage types: one type (f32, bf16, f16) for all float row and "
           "columns operands but those of 8 bits, or name:type pairs joined by "
           "commas; both may be mixed, the pairs win. Optional operands are there if a "
           "pair names them">,
    Option<"groups", "groups", "int64_t", /*default=*/"0",
           "Columns of a group, in generic kernels that have groups (0: as the kernel "
           "says)">,
    Option<"picks", "picks", "int64_t", /*default=*/"0",
           "Columns of picks operands, where these are ? (0: as the kernel says)">];
  let dependentDialects = ["::quack::QuackDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def QuackHoistFactors : Pass<"quack-hoist-factors", "::mlir::ModuleOp"> {
  let summary = "Takes a row's factor out of an extreme, which then waits for nothing";
  let description = [{
    The largest |u s|, where s is one number that a reduction of the row gives, makes the
    row's threads meet a second time. It is the largest |u| times |s|, to the bit, since
    rounding keeps order; that of a quotient u / s likewise, within the rounding that a
    row's quotients may have. Only where |s| is infinite (of a quotient: 0) it is more, NaN
    if some u is 0: so the smallest |u| is looked at, too. All of them meet together with what s needs.

    Before:
    ```mlir
    quack.kernel @before(%x: memref<?x1000xf32> in row, %s: memref<?xf32> out scalar) {
      %u = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %sum = quack.reduce addf %u : tensor<1000xf32> -> f32
      %spread = quack.broadcast %sum : f32 -> tensor<1000xf32>
      %v = arith.mulf %u, %spread : tensor<1000xf32>
      %magnitude = math.absf %v : tensor<1000xf32>
      %most = quack.reduce maximumf %magnitude : tensor<1000xf32> -> f32
      quack.store %most, %s : f32, memref<?xf32>
    }
    ```
    After:
    ```mlir
    quack.kernel @after(%x: memref<?x1000xf32> in row, %s: memref<?xf32> out scalar) {
      %u = quack.load %x : memref<?x1000xf32> -> tensor<1000xf32>
      %sum = quack.reduce addf %u : tensor<1000xf32> -> f32
      %magnitude = math.absf %u : tensor<1000xf32>
      %largest = quack.reduce maximumf %magnitude : tensor<1000xf32> -> f32
      %smallest = quack.reduce minimumf %magnitude : tensor<1000xf32> -> f32
      %factor = math.absf %sum : f32
      %product = arith.mulf %largest, %factor : f32
      %inf = arith.constant 0x7F800000 : f32
      %isInf = arith.cmpf oeq, %factor, %inf : f32
      %zero = arith.constant 0.0 : f32
      %hasZero = arith.cmpf oeq, %smallest, %zero : f32
      %hasNaN = arith.andi %isInf, %hasZero : i1
      %nan = arith.constant 0x7FC00000 : f32
      %most = arith.select %hasNaN, %nan, %product : f32
      quack.store %most, %s : f32, memref<?xf32>
    }
    ```

    Assumes: nothing. Guarantees: the values of all kernels are unchanged, but for the
    rounding of quotients and the payloads of NaN.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
  let statistics = [Statistic<"hoisted", "hoisted", "extremes that wait no longer">];
}

def QuackPlan : Pass<"quack-plan", "::mlir::ModuleOp"> {
  let summary = "Chooses how each kernel's rows are spread over threads, and says why";
  let description = [{
    Completes the `plan` of each `quack.kernel`. Fields that are there already,
    and those of `pin`, are kept; a pin that is illegal is an error that names
    the rule. The cost model counts bytes in flight, registers, shared memory,
    occupancy and exchanges on the target, and the choice is explained in a
    remark (category `quack-plan`).

    A part of `pin` may be for one kernel, `@name: fields`; parts are divided by `;`. Its
    fields win over those for all kernels, and both over the kernel's own. A name that no
    kernel has is an error.

    Where the plan's accesses take several elements and no `alignment` is pinned,
    a second kernel is added for rows that start at any element, with a plan of
    the same tree (each row gets the same bits), and the first names it as
    `otherwise`. Holds in shared memory are then pins of the first one only.

    A row is split over several clusters only where the plan allows another tree, by
    `rows = M` or `reproducible = false`. With the latter alone, launches of few rows
    get kernels of their own, if they are faster; without either, the remark says what
    keeping one tree costs.

    Before:
    ```mlir
    quack.kernel @copy(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row)
        plan #quack_tv.plan<threads = 256> {
      %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
      quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
    }
    ```
    After, the plan has all its fields, and there is a kernel `@copy_anywhere`.

    Assumes: N is static. Guarantees: each kernel has a complete, legal plan.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"h200\"",
           "The GPU whose numbers the cost model uses (h100, h200)">,
    Option<"pin", "pin", "std::string", /*default=*/"\"\"",
           "Fields to pin, as in #quack_tv.plan: 'threads = 256, cluster = 4'; those of "
           "one kernel behind its name: '@a: cluster = 8; @b: threads = 64'">,
    Option<"maxCluster", "max-cluster", "int64_t", /*default=*/"16",
           "The most CTAs of a cluster (launchers that set no attribute take 8)">];
  let dependentDialects = ["::quack::QuackDialect", "::quack::tv::QuackTVDialect"];
}

def ConvertQuackToQuackTV : Pass<"convert-quack-to-quack-tv", "::mlir::ModuleOp"> {
  let summary = "Turns row programs into tile programs, by their plans";
  let description = [{
    Each `quack.kernel` becomes a `quack_tv.kernel`: rows become tiles in the
    plan's layout, row scalars become tiles of one column, loads are held as
    the plan says, padding columns are masked with the identity of the
    reduction that consumes them. Where an operand is not held in registers,
    each pass (the stretch between two dependent reductions) computes again
    what it needs from the operand.

    Assumes: complete plans. Guarantees: no `quack` operation is left.
  }];
  let dependentDialects = ["::quack::tv::QuackTVDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def QuackTVLowerReductions : Pass<"quack-tv-lower-reductions", "::mlir::ModuleOp"> {
  let summary = "Splits each reduction into one step for each level it crosses";
  let description = [{
    `quack_tv.reduce` becomes `thread_reduce`, then `warp_reduce` where lanes
    share a row, then `block_reduce` where warps do, or `cluster_reduce` where
    CTAs do, then `grid_reduce` where clusters do. With the plan's `exchange = ctas`, a cluster's warps meet in a
    `block_reduce` first.

    Assumes: `quack_tv.reduce` on tiles with layouts. Guarantees: none is left.
  }];
  let dependentDialects = ["::quack::tv::QuackTVDialect"];
}

def QuackTVFuseReductions : Pass<"quack-tv-fuse-reductions", "::mlir::ModuleOp"> {
  let summary = "Merges dependent (max, sum of exp) pairs and independent reductions";
  let description = [{
    A sum of exp(v - max v) needs the row's maximum before it can begin. Here
    each thread sums exp(v - its own maximum), and the pair (max, sum) travels
    together through one exchange, rescaled where two partials meet. The result
    is that of the unfused program, also for rows of -inf, +inf and NaN.

    Reductions that do not depend on each other share each step's exchange.

    Assumes: reductions are lowered to steps. Guarantees: values are unchanged
    but for rounding within the bound of the reduction's depth.
  }];
  let dependentDialects = ["::quack::tv::QuackTVDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
  let statistics = [
    Statistic<"onlinePairs", "online-pairs", "(max, sum of exp) pairs merged">,
    Statistic<"sharedExchanges", "shared-exchanges", "reductions that joined another's exchange">];
}

def QuackTVSplitStages : Pass<"quack-tv-split-stages", "::mlir::ModuleOp"> {
  let summary = "Ends a kernel where the slices of a row must meet, and goes on in another";
  let description = [{
    A launch is the only barrier that spans a grid. A kernel whose slices meet in R
    rounds of dependent `grid_reduce`s becomes R + 1 kernels, its stages, each the
    `next` of the one before: stage k computes and saves the partials of round k,
    after it has merged those of the rounds before. What a stage needs of its row it
    computes again from the operands. The stores are the last stage's, so that no
    operand is written while another stage, or another slice, still reads it. If
    that stage works on row scalars alone, it gets a plan of its own: a warp a row.
    A `topk` becomes a `save_topk` of each slice, where its row is there, and in one more
    stage, after all others, a `topk` of what is saved, by one CTA a row.

    Before:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
    #tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
    #lanes = #quack_tv.layout<slice = [2:32], lane = [32:1]>
    #slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
    #row = #quack_tv.layout<slice = [2:0], lane = [32:0]>
    quack_tv.kernel @row_sum(%x: memref<?x256xf32> in row, %y: memref<?xf32> out scalar) plan #plan {
      %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
      %t = quack_tv.thread_reduce addf %v : tensor<1x256xf32, #tile>
      %w = quack_tv.warp_reduce addf %t : tensor<1x64xf32, #lanes>
      %s = quack_tv.grid_reduce addf %w : tensor<1x2xf32, #slices>
      quack_tv.store %s, %y : tensor<1x1xf32, #row>, memref<?xf32>
    }
    ```
    After: see `quack_tv.save`.

    Assumes: fused steps. Guarantees: no `grid_reduce` is left.
  }];
  let dependentDialects = ["::quack::tv::QuackTVDialect"];
  let statistics = [
    Statistic<"numStages", "stages", "kernels that kernels were split into">];
}

def QuackTVPlacePartials : Pass<"quack-tv-place-partials", "::mlir::ModuleOp"> {
  let summary = "Gives sums over rows their workspace, and a kernel that adds up the partials";
  let description = [{
    Clusters do not meet within a launch of one kernel. Each leaves a partial sum in the
    workspace, and another kernel, the `next` of the one that accumulates, adds them up,
    rounds and stores. It has a warp for every 8 partials, at most 32, whatever M is.

    Before:
    ```mlir
    #plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, partials = 2>
    #tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
    quack_tv.kernel @column_sums(%x: memref<?x128xf32> in row, %s: memref<128xf32> out columns) plan #plan {
      %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
      quack_tv.accumulate %v, %s : tensor<1x128xf32, #tile>, memref<128xf32>
    }
    ```
    After: see `quack_tv.fold`; `each_tile` comes with the barriers.

    Assumes: stages are split. Guarantees: each `accumulate` has an `offset`.
  }];
  let dependentDialects = ["::quack::tv::QuackTVDialect"];
  let statistics = [
    Statistic<"numFolds", "folds", "kernels that add up partials">];
}

def QuackTVPlaceBarriers : Pass<"quack-tv-place-barriers", "::mlir::ModuleOp"> {
  let summary = "Gives exchanges and stages their memory and barriers";
  let description = [{
    `block_reduce` becomes publish, barrier, collect; `cluster_reduce` becomes
    publish to all CTAs, wait for all bytes, collect. Each exchange has a buffer
    of its own, so none is overwritten while it is read. mbarriers are
    initialised first; the cluster's arrive follows at once and its wait stands
    just before the first store to a peer. Stages get their memory, and an
    await just before their first read.

    A CTA leaves only after all bytes for it have arrived, so no store to it is
    in flight then.

    Where a cluster works on many tiles, the buffers serve each of them. So its CTAs
    arrive at the cluster's barrier when they have read what they were sent, and wait
    at the tile's end; the warps of a single CTA meet before they publish, unless
    another exchange lies between. Where tiles overlap, a `tile_before` follows the
    publish, which the wait comes before; all has been awaited by then. Weights that are
    held are loaded before the first tile.

    Assumes: fused steps. Guarantees: no `block_reduce` or `cluster_reduce` is
    left; `shared_bytes` is set.
  }];
  let dependentDialects = ["::quack::tv::QuackTVDialect"];
}

def QuackLowerCalls : Pass<"quack-lower-calls", "::mlir::ModuleOp"> {
  let summary = "Makes the host launch kernels";
  let description = [{
    Each `quack.call` on memrefs becomes what its kernel's metadata asks a launcher for.

    With `to=gpu`: a `gpu.launch_func` for each stage, with cluster size, grid, shared
    memory and workspace, under a test of the guards where the kernel has variants. All
    stages of a call are one chain of async tokens, which the host waits for. Upstream's
    `gpu-module-to-binary` and `gpu-to-llvm` finish both sides. Upstream's runtime launches
    clusters of 8 CTAs at most: `quack-plan` must be told so by `max-cluster`.

    With `to=runtime`: a call of `launcher`, with the kernels' PTX and metadata, which
    `quack-serialize-kernels` puts into the host program, a name, M and the arguments:
    `include/quack-c/Launch.h` has the ABI. A status other than 0 ends the program, by
    `cf.assert`. A function's argument that has the attribute `quack.stream` is
    the stream to launch on, an `!llvm.ptr`; without one it is the null stream.

    Memrefs of a call are in memory that the device can access.

    Before:
    ```mlir
    quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
      %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
      quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
    }
    func.func @main(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
      quack.call @copy(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
      return
    }
    ```
    After, with `to=gpu`, there is a `gpu.module @quack_kernels` that
    `convert-quack-tv-to-gpu` fills, and `gpu.launch_func @quack_kernels::@copy`.

    Assumes: calls on memrefs of tile programs whose barriers are placed. Guarantees: no
    `quack.call` is left; the module has a `gpu.module` with a target if it has kernels.
  }];
  let options = [
    Option<"to", "to", "std::string", /*default=*/"\"gpu\"",
           "What launches: gpu (gpu.launch_func) or runtime (a call of the launcher)">,
    Option<"launcher", "launcher", "std::string", /*default=*/"\"quackLaunch\"",
           "The symbol that launches, with to=runtime">,
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90\"",
           "The chip that kernels are compiled for (sm_90, sm_90a)">,
    Option<"ptxVersion", "ptx-version", "int64_t", "0",
           "The PTX ISA version times ten (0: 83, but 86 where tiles overlap)">];
  let dependentDialects = ["::quack::tv::QuackTVDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::func::FuncDialect",
                           "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"launches", "launches", "launches that calls became">];
}

def QuackSerializeKernels : Pass<"quack-serialize-kernels", "::mlir::ModuleOp"> {
  let summary = "Puts the PTX of kernels into the host program";
  let description = [{
    The `gpu.module` that `quack-lower-calls` began, by now in the LLVM and NVVM dialects,
    is compiled to PTX as its target says, and becomes the text that calls of the launcher
    pass: the global `quack_kernels_ptx`.

    Assumes: a `gpu.module` with a `#quack_tv.target`, and that global. Guarantees:
    the module is gone.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertQuackTVToGPU : Pass<"convert-quack-tv-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Turns tile programs into thread programs";
  let description = [{
    Each `quack_tv.kernel` becomes an `llvm.func` in a `gpu.module`, with the
    launch ABI of `quack.kernel`: in the one that `quack-lower-calls` began, or its own. Elementwise work is done run by run, just
    before a store or a reduction needs it, so that few values are live.

    Assumes: placed barriers. Guarantees: no `quack_tv` operation is left, and
    no math operation other than those of `quack-lower-math`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [Option<"ptxVersion", "ptx-version", "int64_t", "0",
                        "The PTX ISA version, times ten, that inline PTX keeps to (0: 8.3, "
                        "but 8.6 where tiles overlap)">];
}

def QuackLowerMath : Pass<"quack-lower-math"> {
  let summary = "Lowers math operations to PTX instructions and polynomials";
  let description = [{
    No libdevice: exp is ex2 of a product, the others are built from the
    hardware's approximations or polynomials in fma, with the error bounds that
    lib/Conversion/MathToPTX/README.md lists. f16 and bf16 go through f32.

    Assumes: math operations on scalars or vectors. Guarantees: none is left.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::vector::VectorDialect"];
}

def QuackKernelsToLLVM : Pass<"quack-kernels-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Leads thread programs to the LLVM and NVVM dialects";
  let description = [{
    Upstream's conversions of scf, vector, arith and cf, on the `gpu.module` of kernels
    alone: what else the module has, on the host or for the GPU, is somebody else's.

    Assumes: lowered math. Guarantees: kernels are in the LLVM and NVVM dialects.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // QUACK_PASSES_TD
