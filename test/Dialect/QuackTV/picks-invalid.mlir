// RUN: quack-opt %s --split-input-file --verify-diagnostics

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @topk_c1_scalar(%x: memref<?x128xf32> in row, %v: memref<?xf32> out scalar,
                                %c: memref<?x4xi32> out picks) plan #plan {
  %t = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.topk' op 'values' must be out picks, got operand 'v', out scalar}}
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x128xf32, #tile>, memref<?xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @topk_c2_narrow(%x: memref<?x128xbf16> in row, %v: memref<?x4xf32> out picks,
                                %c: memref<?x4xi32> out picks) plan #plan {
  %t = quack_tv.load %x : memref<?x128xbf16> -> tensor<1x128xbf16, #tile>
  // expected-error @below {{'quack_tv.topk' op 'row' must be a tile of f32 with the kernel's 1 rows and at least its 128 columns, got}}
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x128xbf16, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 16, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [16:4, 2:64], value = [4:1]>
quack_tv.kernel @topk_c3_half_a_warp(%x: memref<?x64xf32> in row, %v: memref<?x4xf32> out picks,
                                     %c: memref<?x4xi32> out picks) plan #plan {
  %t = quack_tv.load %x : memref<?x64xf32> -> tensor<2x64xf32, #tile>
  // expected-error @below {{'quack_tv.topk' op plan must give a thread elements of one row, and a row, or slice, the 32 lanes of a warp or all threads of one CTA, got threads_per_row = 16 of 32, rows_per_thread = 1, cluster = 1, split = 0}}
  quack_tv.topk %t, %t, %t to %v, %c : tensor<2x64xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c17_topk_without_mask(%x: memref<?x100xf32> in row, %v: memref<?x4xf32> out picks,
                                              %c: memref<?x4xi32> out picks) plan #plan {
  %t = quack_tv.load %x : memref<?x100xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.topk' op must take a quack_tv.mask with identity 0xFF800000 : f32, since its tile has more columns than the row, got no mask}}
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x128xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c9_topk_without_place(%x: memref<?x128xf32> in row, %v: memref<?x4xf32> out picks,
                                              %c: memref<?x4xi32> out picks) plan #plan shared 1024 {
  %t = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.topk' op must have an offset, as the kernel's shared memory is laid out}}
  quack_tv.topk %t, %t, %t to %v, %c : tensor<1x128xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c8_topk_beyond(%x: memref<?x128xf32> in row, %v: memref<?x4xf32> out picks,
                                       %c: memref<?x4xi32> out picks) plan #plan shared 64 {
  %t = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.topk' op must lie in the kernel's 64 bytes of shared memory, got an end of 672}}
  quack_tv.topk %t, %t, %t to %v, %c at 0 : tensor<1x128xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack_tv.kernel @scatter_c1_not_stored(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                                       %y: memref<?x128xf32> out row) plan #plan {
  // expected-error @below {{'quack_tv.scatter' op 'target' must be stored before}}
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x128xf32>
}

// -----

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 2, vector = 4>
#tile = #quack_tv.layout<cta = [2:256], warp = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @scatter_c2_cluster(%v: memref<?x4xf32> in picks, %c: memref<?x4xi32> in picks,
                                    %y: memref<?x512xf32> out row) plan #plan {
  %zero = arith.constant dense<0.0> : tensor<1x512xf32, #tile>
  quack_tv.store %zero, %y : tensor<1x512xf32, #tile>, memref<?x512xf32>
  // expected-error @below {{'quack_tv.scatter' op plan must give a thread elements of one row, and a row, or slice, the 32 lanes of a warp or all threads of one CTA, got threads_per_row = 64 of 64, rows_per_thread = 1, cluster = 2, split = 0}}
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x512xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @topk_c3_split(%x: memref<?x256xf32> in row, %v: memref<?x4xf32> out picks,
                               %c: memref<?x4xi32> out picks) plan #plan shared 4096 {
  %t = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.topk' op must not stand in a kernel whose rows are split once shared memory is laid out, got split = 2: run quack-tv-split-stages first}}
  quack_tv.topk %t, %t, %t to %v, %c at 0 : tensor<1x256xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @topk_c4_other_columns(%x: memref<?x256xf32> in row, %v: memref<?x4xf32> out picks,
                                       %c: memref<?x4xi32> out picks) plan #plan workspace 64 {
  %t, %u = quack_tv.recall 4 of 2 from 0 : tensor<1x128xf32, #tile>, tensor<1x128xi32, #tile>
  %n = quack_tv.index : tensor<1x128xi32, #tile>
  // expected-error @below {{'quack_tv.topk' op 'named' must be the columns of a quack_tv.recall with the layout of 'row', 'tensor<1x128xf32,}}
  quack_tv.topk %t, %t, %t named %n : tensor<1x128xi32, #tile> to %v, %c : tensor<1x128xf32, #tile>, memref<?x4xf32>, memref<?x4xi32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @save_topk_c1_narrow(%x: memref<?x256xbf16> in row, %v: memref<?x4xf32> out picks,
                                     %c: memref<?x4xi32> out picks) plan #plan workspace 64 {
  %t = quack_tv.load %x : memref<?x256xbf16> -> tensor<1x256xbf16, #tile>
  // expected-error @below {{'quack_tv.save_topk' op 'row' must be a tile of f32 with the kernel's 1 rows and at least its 256 columns, got}}
  quack_tv.save_topk %t, %t, %t count 4 into 0 : tensor<1x256xbf16, #tile>
}

// -----

#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
func.func @save_topk_c1_function(%t: tensor<1x256xf32, #tile>) {
  // expected-error @below {{'quack_tv.save_topk' op must stand in a quack_tv.kernel}}
  quack_tv.save_topk %t, %t, %t count 4 into 0 : tensor<1x256xf32, #tile>
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:256], cta = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @save_topk_c2_cluster(%x: memref<?x512xf32> in row, %v: memref<?x4xf32> out picks,
                                      %c: memref<?x4xi32> out picks) plan #plan workspace 64 {
  %t = quack_tv.load %x : memref<?x512xf32> -> tensor<1x512xf32, #tile>
  // expected-error @below {{'quack_tv.save_topk' op plan must give a thread elements of one row, and a row, or slice, the 32 lanes of a warp or all threads of one CTA, got threads_per_row = 32 of 32, rows_per_thread = 1, cluster = 2, split = 2}}
  quack_tv.save_topk %t, %t, %t count 4 into 0 : tensor<1x512xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 4, vector = 1>
#tile = #quack_tv.layout<slice = [4:32], lane = [32:1]>
quack_tv.kernel @save_topk_c3_short_slices(%x: memref<?x128xf32> in row, %v: memref<?x33xf32> out picks,
                                           %c: memref<?x33xi32> out picks) plan #plan workspace 1056 {
  %t = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.save_topk' op must pick at most the 32 elements of a slice, got count = 33}}
  quack_tv.save_topk %t, %t, %t count 33 into 0 : tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @recall_c1_narrow(%x: memref<?x256xf32> in row) plan #plan workspace 2048 {
  // expected-error @below {{'quack_tv.recall' op 'row' must be a tile of f32 with the kernel's 1 rows and at least its 132 columns, got}}
  %t, %u = quack_tv.recall 4 of 33 from 0 : tensor<1x128xf32, #tile>, tensor<1x128xi32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @recall_c1_columns(%x: memref<?x256xf32> in row) plan #plan workspace 2048 {
  // expected-error @below {{'quack_tv.recall' op 'columns' must be 'tensor<1x128xi32,}}
  %t, %u = quack_tv.recall 4 of 2 from 0 : tensor<1x128xf32, #tile>, tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @recall_c2_run(%x: memref<?x256xf32> in row) plan #plan workspace 2048 {
  // expected-error @below {{'quack_tv.recall' op must have a run that divides the 6 elements that are saved, got 4}}
  %t, %u = quack_tv.recall 3 of 2 from 0 : tensor<1x128xf32, #tile>, tensor<1x128xi32, #tile>
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @recall_c3_function() {
  // expected-error @below {{'quack_tv.recall' op must stand in a quack_tv.kernel}}
  %t, %u = quack_tv.recall 4 of 2 from 0 : tensor<1x128xf32, #tile>, tensor<1x128xi32, #tile>
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c15_save_topk_beyond(%x: memref<?x256xf32> in row, %v: memref<?x4xf32> out picks,
                                             %c: memref<?x4xi32> out picks) plan #plan workspace 64 {
  %t = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.save_topk' op must lie in the workspace's 64 bytes a row, got bytes 16 to 80}}
  quack_tv.save_topk %t, %t, %t count 4 into 16 : tensor<1x256xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c15_recall_between(%x: memref<?x256xf32> in row) plan #plan workspace 2048 {
  // expected-error @below {{'quack_tv.recall' op must start at a multiple of 16 bytes in each row's part of the workspace, got byte 8 of 2048}}
  %t, %u = quack_tv.recall 4 of 2 from 8 : tensor<1x128xf32, #tile>, tensor<1x128xi32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c17_save_topk_without_mask(%x: memref<?x250xf32> in row) plan #plan workspace 64 {
  %t = quack_tv.load %x : memref<?x250xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.save_topk' op must take a quack_tv.mask with identity 0xFF800000 : f32, since its tile has more columns than the row, got no mask}}
  quack_tv.save_topk %t, %t, %t count 4 into 0 : tensor<1x256xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c9_save_topk_without_place(%x: memref<?x256xf32> in row) plan #plan shared 1024 workspace 64 {
  %t = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.save_topk' op must have an offset, as the kernel's shared memory is laid out}}
  quack_tv.save_topk %t, %t, %t count 4 into 0 : tensor<1x256xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, split = 2, vector = 4>
#tile = #quack_tv.layout<slice = [2:128], lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c8_save_topk_beyond(%x: memref<?x256xf32> in row) plan #plan shared 64 workspace 64 {
  %t = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  // expected-error @below {{'quack_tv.save_topk' op must lie in the kernel's 64 bytes of shared memory, got an end of 672}}
  quack_tv.save_topk %t, %t, %t count 4 into 0 at 0 : tensor<1x256xf32, #tile>
}
