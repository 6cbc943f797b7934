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
  // expected-error @below {{'quack_tv.topk' op plan must give a thread elements of one row, and a row the 32 lanes of a warp or all threads of one CTA, got threads_per_row = 16 of 32, rows_per_thread = 1, cluster = 1, split = 0}}
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
  // expected-error @below {{'quack_tv.scatter' op plan must give a thread elements of one row, and a row the 32 lanes of a warp or all threads of one CTA, got threads_per_row = 64 of 64, rows_per_thread = 1, cluster = 2, split = 0}}
  quack_tv.scatter %v, %c to %y : memref<?x4xf32>, memref<?x4xi32>, memref<?x512xf32>
}
