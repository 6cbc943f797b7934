// RUN: quack-opt %s --split-input-file --convert-quack-tv-to-gpu --verify-diagnostics

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
// expected-error @below {{'quack_tv.kernel' op must have its barriers placed: run quack-tv-place-barriers first}}
quack_tv.kernel @no_barriers(%x: memref<?x128xf32> in row) plan #plan {}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @whole_reduction(%x: memref<?x128xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.reduce' op must be lowered first: run quack-tv-lower-reductions, quack-tv-fuse-reductions, quack-tv-split-stages and quack-tv-place-barriers}}
  %s = quack_tv.reduce addf %0 : tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4>
#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
quack_tv.kernel @block_step(%x: memref<?x2xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #warps>
  // expected-error @below {{'quack_tv.block_reduce' op must be lowered first: run quack-tv-lower-reductions, quack-tv-fuse-reductions, quack-tv-split-stages and quack-tv-place-barriers}}
  %s = quack_tv.block_reduce addf %0 : tensor<1x2xf32, #warps>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#ctas = #quack_tv.layout<cta = [2:1], lane = [32:0]>
quack_tv.kernel @cluster_step(%x: memref<?x2xf32> in row) plan #plan shared 0 {
  %0 = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #ctas>
  // expected-error @below {{'quack_tv.cluster_reduce' op must be lowered first: run quack-tv-lower-reductions, quack-tv-fuse-reductions, quack-tv-split-stages and quack-tv-place-barriers}}
  %s = quack_tv.cluster_reduce addf %0 : tensor<1x2xf32, #ctas>
}
