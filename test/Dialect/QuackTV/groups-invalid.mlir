// RUN: quack-opt %s --split-input-file --verify-diagnostics

#tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
#groups = #quack_tv.layout<lane = [16:0, 2:1]>
func.func @group_reduce_c1_kind(%v: tensor<1x256xf32, #tile>) {
  // expected-error @below {{'quack_tv.group_reduce' op kind addi must not be used on 'f32': kinds that end in f take floats, the others integers}}
  %r = quack_tv.group_reduce addi %v : tensor<1x256xf32, #tile> -> tensor<1x2xf32, #groups>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
#groups = #quack_tv.layout<lane = [16:0, 2:1]>
func.func @group_reduce_c1_narrow(%v: tensor<1x256xf16, #tile>) {
  // expected-error @below {{'quack_tv.group_reduce' op source must have element type f32 or i32, got 'f16'}}
  %r = quack_tv.group_reduce addf %v : tensor<1x256xf16, #tile> -> tensor<1x2xf16, #groups>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
#groups = #quack_tv.layout<lane = [2:1, 16:0]>
func.func @group_reduce_c2_layout(%v: tensor<1x256xf32, #tile>) {
  // expected-error @below {{'quack_tv.group_reduce' op 'result' must be 'tensor<1x2xf32, #quack_tv.layout<lane = [16:0, 2:1]>>' to match 'tensor<1x256xf32, #quack_tv.layout<lane = [32:8], value = [8:1]>>', got 'tensor<1x2xf32, #quack_tv.layout<lane = [2:1, 16:0]>>'}}
  %r = quack_tv.group_reduce addf %v : tensor<1x256xf32, #tile> -> tensor<1x2xf32, #groups>
  return
}

// -----

#tile = #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
func.func @group_reduce_c2_several_warps(%v: tensor<1x512xf32, #tile>) {
  // expected-error @below {{'quack_tv.group_reduce' op 'result' must be a tile with a column for each of the groups of columns, none of which has columns in several warps, to match 'tensor<1x512xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>', got 'tensor<1x1xf32, #quack_tv.layout<warp = [2:0], lane = [32:0]>>'}}
  %r = quack_tv.group_reduce addf %v : tensor<1x512xf32, #tile> -> tensor<1x1xf32, #row>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
#groups = #quack_tv.layout<lane = [16:0, 2:1]>
func.func @group_broadcast_c1_type(%v: tensor<1x2xf32, #groups>) {
  // expected-error @below {{'quack_tv.group_broadcast' op 'source' must be 'tensor<1x2xf16, #quack_tv.layout<lane = [16:0, 2:1]>>' to match 'tensor<1x256xf16, #quack_tv.layout<lane = [32:8], value = [8:1]>>', got 'tensor<1x2xf32, #quack_tv.layout<lane = [16:0, 2:1]>>'}}
  %r = quack_tv.group_broadcast %v : tensor<1x2xf32, #groups> -> tensor<1x256xf16, #tile>
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8>
#tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
#groups = #quack_tv.layout<lane = [16:0, 2:1]>
quack_tv.kernel @kernel_c17_unmasked_group(%x: memref<?x200xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x200xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.group_reduce' op must take a quack_tv.mask with identity 0.000000e+00 : f32, since its tile has more columns than the row, got no mask}}
  %r = quack_tv.group_reduce addf %v : tensor<1x256xf32, #tile> -> tensor<1x2xf32, #groups>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8>
#tile = #quack_tv.layout<lane = [32:8], value = [8:1]>
#groups = #quack_tv.layout<lane = [16:0, 2:1]>
quack_tv.kernel @load_c2_groups(%x: memref<?x256xf32> in row, %s: memref<?x4xf32> in groups) plan #plan {
  // expected-error @below {{'quack_tv.load' op 'result' must have at least the operand's 4 columns, got 2}}
  %r = quack_tv.load %s : memref<?x4xf32> -> tensor<1x2xf32, #groups>
}
