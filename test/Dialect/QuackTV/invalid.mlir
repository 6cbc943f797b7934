// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// kernel
//===----------------------------------------------------------------------===//

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op operand 'x' has role row and must be memref<?xNxT>, got 'memref<?xf32>'}}
quack_tv.kernel @kernel_c1_operand(%x: memref<?xf32> in row) plan #plan {}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op must have static columns, got ?: run quack-specialize}}
quack_tv.kernel @kernel_c1_generic(%x: memref<?x?xf32> in row) plan #plan {}

// -----

// expected-error @below {{'quack_tv.kernel' op body must take the kernel's operand types 'memref<?x64xf32>', got 'memref<?x32xf32>'}}
"quack_tv.kernel"() <{sym_name = "kernel_c1_body_of_other_types",
    function_type = (memref<?x64xf32>) -> (),
    operand_specs = [#quack.operand<"x", in row>],
    plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>}> ({
^bb0(%x: memref<?x32xf32>):
}) : () -> ()

// -----

// expected-error @below {{'quack_tv.kernel' op plan must be complete, field 'threads' is missing}}
quack_tv.kernel @kernel_c2_threads(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4> {}

// -----

// expected-error @below {{'quack_tv.kernel' op plan must be complete, field 'threads_per_row' is missing}}
quack_tv.kernel @kernel_c2_threads_per_row(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 32, rows_per_thread = 1, cluster = 1, vector = 4> {}

// -----

// expected-error @below {{'quack_tv.kernel' op plan must be complete, field 'rows_per_thread' is missing}}
quack_tv.kernel @kernel_c2_rows_per_thread(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, cluster = 1, vector = 4> {}

// -----

// expected-error @below {{'quack_tv.kernel' op plan must be complete, field 'cluster' is missing}}
quack_tv.kernel @kernel_c2_cluster(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, vector = 4> {}

// -----

// expected-error @below {{'quack_tv.kernel' op plan must be complete, field 'vector' is missing}}
quack_tv.kernel @kernel_c2_vector(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1> {}

// -----

// expected-error @below {{'quack_tv.kernel' op plan must give a row at least a whole warp of each CTA in a cluster, got threads_per_row = 16 with cluster = 2}}
quack_tv.kernel @kernel_c3_part_of_a_warp_in_a_cluster(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 2, vector = 4> {}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack_tv.kernel @kernel_c7_side_effect(%x: memref<?x64xf32> in row) plan #plan {
  // expected-error @below {{'memref.dealloc' op must not stand in a quack_tv.kernel: expected a quack_tv, constant or elementwise operation without side effects}}
  memref.dealloc %x : memref<?x64xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c24_computes_in_bytes(%x: memref<?x128xf8E4M3FN> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf8E4M3FN> -> tensor<1x128xf8E4M3FN, #tile>
  // expected-error @below {{'arith.negf' op must not work on floats of 8 bits: widen them with arith.extf, and store what quack_tv.narrow gives}}
  %n = arith.negf %v : tensor<1x128xf8E4M3FN, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c24_overflows(%x: memref<?x128xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'arith.truncf' op must not work on floats of 8 bits: widen them with arith.extf, and store what quack_tv.narrow gives}}
  %n = arith.truncf %v : tensor<1x128xf32, #tile> to tensor<1x128xf8E5M2, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c16_mask_of_another_row(%x: memref<?x100xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x100xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.mask' op must begin where the kernel's rows end, at column 100, got 101}}
  %m = quack_tv.mask %v from 101 identity 0.0 : f32 : tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c17_padding_counts(%x: memref<?x100xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x100xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.reduce' op must take a quack_tv.mask with identity 0.000000e+00 : f32, since its tile has more columns than the row, got no mask}}
  %s = quack_tv.reduce addf %v : tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c17_identity_of_another_kind(%x: memref<?x100xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x100xf32> -> tensor<1x128xf32, #tile>
  %m = quack_tv.mask %v from 100 identity 0.0 : f32 : tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.thread_reduce' op must take a quack_tv.mask with identity 0xFF800000 : f32, since its tile has more columns than the row, got 0.000000e+00 : f32}}
  %s = quack_tv.thread_reduce maximumf %m : tensor<1x128xf32, #tile>
}

// -----

//===----------------------------------------------------------------------===//
// load, store, stage
//===----------------------------------------------------------------------===//

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @load_c1_outside_a_kernel(%x: memref<?x128xf32>) {
  // expected-error @below {{'quack_tv.load' op 'source' must be an operand of the kernel around it}}
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack.kernel @load_c1_in_a_row_program(%x: memref<?x128xf32> in row) {
  // expected-error @below {{'quack_tv.load' op 'source' must be an operand of the kernel around it}}
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @gather_c1_of_a_scalar(%x: memref<?x128xf32> in row, %s: memref<?xf32> in scalar,
                                       %t: memref<?xi32> in scalar) plan #plan {
  %c = quack_tv.load %t : memref<?xi32> -> tensor<1x1xi32, #row>
  // expected-error @below {{'quack_tv.gather' op 'source' must be a row or columns operand, got 's' with role scalar}}
  %e = quack_tv.gather %s[%c] : memref<?xf32>, tensor<1x1xi32, #row> -> tensor<1x1xf32, #row>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @gather_c2_by_a_float(%x: memref<?x128xf32> in row, %t: memref<?xf32> in scalar) plan #plan {
  %c = quack_tv.load %t : memref<?xf32> -> tensor<1x1xf32, #row>
  // expected-error @below {{'quack_tv.gather' op 'column' must be a row scalar of i32 or i64 with 1 rows, got 'tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>'}}
  %e = quack_tv.gather %x[%c] : memref<?x128xf32>, tensor<1x1xf32, #row> -> tensor<1x1xf32, #row>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @gather_c3_other_element(%x: memref<?x128xf32> in row, %t: memref<?xi64> in scalar) plan #plan {
  %c = quack_tv.load %t : memref<?xi64> -> tensor<1x1xi64, #row>
  // expected-error @below {{'quack_tv.gather' op result must be 'tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>', got 'tensor<1x1xbf16, #quack_tv.layout<lane = [32:0]>>'}}
  %e = quack_tv.gather %x[%c] : memref<?x128xf32>, tensor<1x1xi64, #row> -> tensor<1x1xbf16, #row>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack_tv.kernel @load_c2_no_layout(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op 'result' must be a tile with a quack_tv.layout, got 'tensor<1x128xf32>'}}
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
quack_tv.kernel @load_c2_rows(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op 'result' must have the kernel's 1 rows, got 2}}
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<2x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @load_c2_columns(%x: memref<?x256xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op 'result' must have at least the kernel's 256 columns, got 128}}
  %0 = quack_tv.load %x : memref<?x256xf32> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @load_c2_columns_of_a_scalar(%x: memref<?x128xf32> in row, %s: memref<?xf32> in scalar) plan #plan {
  // expected-error @below {{'quack_tv.load' op 'result' must have 1 column for a scalar operand, got 128}}
  %0 = quack_tv.load %s : memref<?xf32> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @load_c2_storage(%x: memref<?x128xbf16> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op 'result' must have the storage type 'bf16', got 'f32'}}
  %0 = quack_tv.load %x : memref<?x128xbf16> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @load_pass(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op attribute 'pass' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %0 = quack_tv.load %x pass -1 : memref<?x128xf32> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
quack_tv.kernel @load_c3_cut_run(%x: memref<?x256xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op kept must be a positive multiple of the plan's vector, 4, and at most the 8 elements of a thread, with at_use, got 6}}
  %0 = quack_tv.load %x at_use kept 6 : memref<?x256xf32> -> tensor<1x256xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
quack_tv.kernel @load_c3_too_many(%x: memref<?x256xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op kept must be a positive multiple of the plan's vector, 4, and at most the 8 elements of a thread, with at_use, got 12}}
  %0 = quack_tv.load %x at_use kept 12 : memref<?x256xf32> -> tensor<1x256xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
quack_tv.kernel @load_c3_early(%x: memref<?x256xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.load' op kept must be a positive multiple of the plan's vector, 4, and at most the 8 elements of a thread, with at_use, got 4 without at_use}}
  %0 = quack_tv.load %x kept 4 : memref<?x256xf32> -> tensor<1x256xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1, 2:128]>
quack_tv.kernel @load_c4_nobody_kept(%x: memref<?x256xf32> in row) plan #plan {
  %0 = quack_tv.load %x pass 0 at_use : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.load' op keeps 4 elements, but the first load of the operand 0}}
  %1 = quack_tv.load %x pass 1 at_use kept 4 : memref<?x256xf32> -> tensor<1x256xf32, #tile>
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @store_c1_outside_a_kernel(%v: tensor<1x128xf32, #tile>, %x: memref<?x128xf32>) {
  // expected-error @below {{'quack_tv.store' op 'target' must be an operand of the kernel around it}}
  quack_tv.store %v, %x : tensor<1x128xf32, #tile>, memref<?x128xf32>
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @store_c1_to_in(%x: memref<?x128xf32> in row) plan #plan {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.store' op 'target' must be an out or inout operand, got 'x', which is in}}
  quack_tv.store %0, %x : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @store_c2_storage(%x: memref<?x128xf32> in row, %y: memref<?x128xbf16> out row) plan #plan {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.store' op 'value' must have the storage type 'bf16', got 'f32'}}
  quack_tv.store %0, %y : tensor<1x128xf32, #tile>, memref<?x128xbf16>
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @stage_c1_outside_a_kernel(%x: memref<?x128xf32>) {
  // expected-error @below {{'quack_tv.stage' op 'source' must be an operand of the kernel around it}}
  %0 = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @stage_c1_role(%x: memref<?x128xf32> in row, %w: memref<128xf32> in columns) plan #plan {
  // expected-error @below {{'quack_tv.stage' op 'source' must be a row operand, got 'w' with role columns}}
  %0 = quack_tv.stage %w by async : memref<128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @stage_c2_storage(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.stage' op 'staged' must have the storage type 'f32', got 'i32'}}
  %0 = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xi32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack_tv.kernel @stage_c2_no_layout(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.stage' op 'staged' must be a tile with a quack_tv.layout, got 'tensor<128xf32>'}}
  %0 = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<128xf32>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @stage_c3_form(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.stage' op 'form' must be async or bulk, got packed}}
  %0 = quack_tv.stage %x by packed : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 2>
#tile = #quack_tv.layout<lane = [32:2], value = [2:1]>
quack_tv.kernel @stage_c4_run(%x: memref<?x64xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.stage' op a thread's run must be a multiple of 16 bytes, got 8}}
  %0 = quack_tv.stage %x by async : memref<?x64xf32> -> !quack_tv.staged<tensor<1x64xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, alignment = element>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @stage_c5_alignment(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.stage' op needs rows that are aligned to 16 bytes, got a plan with alignment = element}}
  %0 = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op otherwise must name another quack_tv.kernel, got @row}}
quack_tv.kernel @kernel_c11_of_another_level(%x: memref<?x128xf32> in row) plan #plan otherwise @row {}
quack.kernel @row(%x: memref<?x128xf32> in row) {}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op otherwise must name a kernel with the same operands, but those of @other differ}}
quack_tv.kernel @kernel_c11_other_operands(%x: memref<?x128xf32> in row) plan #plan otherwise @other {}
quack_tv.kernel @other(%x: memref<?x128xf32> inout row) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>
  quack_tv.store %v, %x : tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>, memref<?x128xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op otherwise must lead to a kernel that has none, but @second leads back to this one}}
quack_tv.kernel @kernel_c11_circle(%x: memref<?x128xf32> in row) plan #plan otherwise @second {}
quack_tv.kernel @second(%x: memref<?x128xf32> in row) plan #plan otherwise @kernel_c11_circle {}
