// RUN: quack-opt %s --split-input-file --verify-diagnostics

// Rows that several clusters share, and the workspace.

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
// expected-error @below {{'quack_tv.kernel' op plan must give a slice of a row at least a whole warp, got threads_per_row = 16 with split = 2}}
quack_tv.kernel @kernel_c3_slice_of_part_of_a_warp(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 1, split = 2, vector = 4> {}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c13_whole_row(%x: memref<?x128xf32> in row) plan #split {
  // expected-error @below {{'quack_tv.load' op must have the 2 slices of the kernel's plan, got 1}}
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c13_staged(%x: memref<?x128xf32> in row) plan #split {
  // expected-error @below {{'quack_tv.stage' op must have the 2 slices of the kernel's plan, got 1}}
  %v = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
// expected-error @below {{'quack_tv.kernel' op 'next' must name a later quack_tv.kernel, got @kernel_c14_itself}}
quack_tv.kernel @kernel_c14_itself(%x: memref<?x128xf32> in row) plan #plan next @kernel_c14_itself {}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @first(%x: memref<?x128xf32> in row) plan #plan {}
// expected-error @below {{'quack_tv.kernel' op 'next' must name a later quack_tv.kernel, got @first}}
quack_tv.kernel @kernel_c14_earlier(%x: memref<?x128xf32> in row) plan #plan next @first {}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
// expected-error @below {{'quack_tv.kernel' op 'next' must have the same operands and workspace, got @last}}
quack_tv.kernel @kernel_c14_operands(%x: memref<?x128xf32> in row) plan #plan next @last {}
quack_tv.kernel @last(%x: memref<?x128xbf16> in row) plan #plan {}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
// expected-error @below {{'quack_tv.kernel' op 'next' must have the same operands and workspace, got @last}}
quack_tv.kernel @kernel_c14_workspace(%x: memref<?x128xf32> in row) plan #plan workspace 16 next @last {}
quack_tv.kernel @last(%x: memref<?x128xf32> in row) plan #plan workspace 32 {}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op 'next' must be a kernel without otherwise, which a launch begins with, got @last}}
quack_tv.kernel @kernel_c14_variants(%x: memref<?x128xf32> in row) plan #plan next @last {}
quack_tv.kernel @last(%x: memref<?x128xf32> in row) plan #plan otherwise @other {}
quack_tv.kernel @other(%x: memref<?x128xf32> in row) plan #plan {}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c15_no_workspace(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.merge' op must lie in the workspace's 0 bytes a row, got bytes 0 to 8}}
  %s = quack_tv.merge addf of 2 at 0 : tensor<1x1xf32, #row>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c15_end(%x: memref<?x2xf32> in row) plan #split workspace 16 {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #slices>
  // expected-error @below {{'quack_tv.save' op must lie in the workspace's 16 bytes a row, got bytes 12 to 20}}
  quack_tv.save %v at 12 : tensor<1x2xf32, #slices>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c15_alignment(%x: memref<?x2xf32> in row) plan #split workspace 32 {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #slices>
  // expected-error @below {{'quack_tv.save' op must start at a multiple of 8 bytes in each row's part of the workspace, got byte 4 of 32}}
  quack_tv.save %v, %v at 4 : tensor<1x2xf32, #slices>, tensor<1x2xf32, #slices>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @save_c1_nothing(%x: memref<?x2xf32> in row) plan #split workspace 16 {
  // expected-error @below {{'quack_tv.save' op must save at least one value}}
  "quack_tv.save"() <{offset = 0 : i64}> : () -> ()
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @save_c1_element(%x: memref<?x2xbf16> in row) plan #split workspace 16 {
  %v = quack_tv.load %x : memref<?x2xbf16> -> tensor<1x2xbf16, #slices>
  // expected-error @below {{'quack_tv.save' op values must have element type f32 or i32, got 'bf16'}}
  quack_tv.save %v at 0 : tensor<1x2xbf16, #slices>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @save_c2_lanes(%x: memref<?x64xf32> in row) plan #split workspace 16 {
  %v = quack_tv.load %x : memref<?x64xf32> -> tensor<1x64xf32, #quack_tv.layout<slice = [2:32], lane = [32:1]>>
  // expected-error @below {{'quack_tv.save' op values must have one partial a slice, got 64 columns of 2 slices}}
  quack_tv.save %v at 0 : tensor<1x64xf32, #quack_tv.layout<slice = [2:32], lane = [32:1]>>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
func.func @save_c3_outside_a_kernel(%v: tensor<1x2xf32, #slices>) {
  // expected-error @below {{'quack_tv.save' op must stand in a quack_tv.kernel}}
  quack_tv.save %v at 0 : tensor<1x2xf32, #slices>
  return
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @merge_c4_row(%x: memref<?x32xf32> in row) plan #plan workspace 16 {
  // expected-error @below {{'quack_tv.merge' op results must be row scalars of whole warps, got 'tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>'}}
  %s = quack_tv.merge addf of 2 at 0 : tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @merge_c4_rows_of_a_warp(%x: memref<?x1xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 1, vector = 4> workspace 16 {
  // expected-error @below {{'quack_tv.merge' op results must be row scalars of whole warps, got 'tensor<2x1xf32, #quack_tv.layout<lane = [16:0, 2:1]>>'}}
  %s = quack_tv.merge addf of 2 at 0 : tensor<2x1xf32, #quack_tv.layout<lane = [16:0, 2:1]>>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
func.func @merge_c8_outside_a_kernel() {
  // expected-error @below {{'quack_tv.merge' op must stand in a quack_tv.kernel}}
  %s = quack_tv.merge addf of 2 at 0 : tensor<1x1xf32, #row>
  return
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @merge_kinds(%x: memref<?x32xf32> in row) plan #plan workspace 16 {
  // expected-error @below {{'quack_tv.merge' op kind maxsi must not be used on 'f32': kinds that end in f take floats, the others integers}}
  %s = quack_tv.merge maxsi of 2 at 0 : tensor<1x1xf32, #row>
}

// -----

#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#slices = #quack_tv.layout<slice = [2:1], lane = [32:0]>
#row = #quack_tv.layout<lane = [32:0]>
func.func @grid_reduce_c4_warps_left(%v: tensor<1x4xf32, #quack_tv.layout<slice = [2:2], warp = [2:1], lane = [32:0]>>) {
  // expected-error @below {{'quack_tv.grid_reduce' op sources must be reduced over the warp level first, got layout slice = [2:2], warp = [2:1], lane = [32:0]}}
  %s = quack_tv.grid_reduce addf %v : tensor<1x4xf32, #quack_tv.layout<slice = [2:2], warp = [2:1], lane = [32:0]>>
  return
}
