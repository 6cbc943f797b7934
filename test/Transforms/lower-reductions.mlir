// RUN: quack-opt %s --quack-tv-lower-reductions | FileCheck %s --implicit-check-not=quack_tv.reduce

#one = #quack_tv.plan<threads = 128, threads_per_row = 1, rows_per_thread = 1, cluster = 1, vector = 4>
#block = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 1, vector = 4>
#warps = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 2, vector = 4, exchange = warps>
#ctas = #quack_tv.plan<threads = 128, threads_per_row = 128, rows_per_thread = 1, cluster = 2, vector = 4, exchange = ctas>

#t_thread = #quack_tv.layout<warp = [4:256], lane = [32:8], value = [4:1, 2:4]>
#r_thread = #quack_tv.layout<warp = [4:32], lane = [32:1]>
#t_warp = #quack_tv.layout<lane = [32:4], value = [4:1]>
#r_warp = #quack_tv.layout<lane = [32:0]>
#t_part = #quack_tv.layout<lane = [8:4, 4:64], value = [4:1, 2:32, 2:256]>
#r_part = #quack_tv.layout<lane = [8:0, 4:1], value = [2:4]>
#t_block = #quack_tv.layout<warp = [4:128], lane = [32:4], value = [4:1]>
#r_block = #quack_tv.layout<warp = [4:0], lane = [32:0]>
#t_cluster = #quack_tv.layout<cta = [2:512], warp = [4:128], lane = [32:4], value = [4:1]>
#r_cluster = #quack_tv.layout<cta = [2:0], warp = [4:0], lane = [32:0]>
#t_cta = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
#r_cta = #quack_tv.layout<cta = [2:0], lane = [32:0]>

// One row a thread: nothing leaves the thread.
// CHECK-LABEL: func.func @thread
func.func @thread(%v: tensor<128x8xf32, #t_thread>) -> tensor<128x1xf32, #r_thread> {
  // CHECK-NEXT: %[[P:.*]] = quack_tv.thread_reduce addf
  // CHECK-NEXT: return %[[P]]
  %s = quack_tv.reduce addf %v : tensor<128x8xf32, #t_thread>
  return %s : tensor<128x1xf32, #r_thread>
}

// CHECK-LABEL: func.func @warp
func.func @warp(%v: tensor<1x128xi32, #t_warp>) -> tensor<1x1xi32, #r_warp> {
  // CHECK-NEXT: %[[P:.*]] = quack_tv.thread_reduce maxsi
  // CHECK-NEXT: %[[W:.*]] = quack_tv.warp_reduce maxsi %[[P]] : tensor<1x32xi32, #{{.*}}>
  // CHECK-NEXT: return %[[W]]
  %s = quack_tv.reduce maxsi %v : tensor<1x128xi32, #t_warp>
  return %s : tensor<1x1xi32, #r_warp>
}

// Four rows a warp, two rows a thread.
// CHECK-LABEL: func.func @part_of_a_warp
func.func @part_of_a_warp(%v: tensor<8x64xf32, #t_part>) -> tensor<8x1xf32, #r_part> {
  // CHECK-NEXT: %[[P:.*]] = quack_tv.thread_reduce mulf
  // CHECK-NEXT: %[[W:.*]] = quack_tv.warp_reduce mulf %[[P]] : tensor<8x8xf32, #{{.*}}>
  // CHECK-NEXT: return %[[W]]
  %s = quack_tv.reduce mulf %v : tensor<8x64xf32, #t_part>
  return %s : tensor<8x1xf32, #r_part>
}

// CHECK-LABEL: quack_tv.kernel @block
quack_tv.kernel @block(%x: memref<?x512xf32> in row, %y: memref<?xf32> out scalar) plan #block {
  %v = quack_tv.load %x : memref<?x512xf32> -> tensor<1x512xf32, #t_block>
  // CHECK: %[[P:.*]] = quack_tv.thread_reduce addf
  // CHECK-NEXT: %[[W:.*]] = quack_tv.warp_reduce addf %[[P]]
  // CHECK-NEXT: %[[B:.*]] = quack_tv.block_reduce addf %[[W]] : tensor<1x4xf32, #{{.*}}>
  // CHECK-NEXT: quack_tv.store %[[B]], %y
  %s = quack_tv.reduce addf %v : tensor<1x512xf32, #t_block>
  quack_tv.store %s, %y : tensor<1x1xf32, #r_block>, memref<?xf32>
}

// Each warp's partial travels: one exchange over warps and CTAs.
// CHECK-LABEL: quack_tv.kernel @exchange_of_warps
quack_tv.kernel @exchange_of_warps(%x: memref<?x1024xf32> in row, %y: memref<?xf32> out scalar) plan #warps {
  %v = quack_tv.load %x : memref<?x1024xf32> -> tensor<1x1024xf32, #t_cluster>
  // CHECK: %[[W:.*]] = quack_tv.warp_reduce addf
  // CHECK-NEXT: %[[C:.*]] = quack_tv.cluster_reduce addf %[[W]] : tensor<1x8xf32, #{{.*}}>
  // CHECK-NEXT: quack_tv.store %[[C]], %y
  %s = quack_tv.reduce addf %v : tensor<1x1024xf32, #t_cluster>
  quack_tv.store %s, %y : tensor<1x1xf32, #r_cluster>, memref<?xf32>
}

// Each CTA's partial travels: its warps meet first.
// CHECK-LABEL: quack_tv.kernel @exchange_of_ctas
quack_tv.kernel @exchange_of_ctas(%x: memref<?x1024xf32> in row, %y: memref<?xf32> out scalar) plan #ctas {
  %v = quack_tv.load %x : memref<?x1024xf32> -> tensor<1x1024xf32, #t_cluster>
  // CHECK: %[[W:.*]] = quack_tv.warp_reduce addf
  // CHECK-NEXT: %[[B:.*]] = quack_tv.block_reduce addf %[[W]] : tensor<1x8xf32, #{{.*}}>
  // CHECK-NEXT: %[[C:.*]] = quack_tv.cluster_reduce addf %[[B]] : tensor<1x2xf32, #{{.*}}>
  // CHECK-NEXT: quack_tv.store %[[C]], %y
  %s = quack_tv.reduce addf %v : tensor<1x1024xf32, #t_cluster>
  quack_tv.store %s, %y : tensor<1x1xf32, #r_cluster>, memref<?xf32>
}

// One warp a CTA: no block step even with exchange = ctas.
// CHECK-LABEL: func.func @cluster_of_single_warps
// CHECK-NOT: block_reduce
func.func @cluster_of_single_warps(%v: tensor<1x256xf32, #t_cta>) -> tensor<1x1xf32, #r_cta> {
  // CHECK: %[[C:.*]] = quack_tv.cluster_reduce addf
  // CHECK-NEXT: return %[[C]]
  %s = quack_tv.reduce addf %v : tensor<1x256xf32, #t_cta>
  return %s : tensor<1x1xf32, #r_cta>
}

// Nothing to do.
// CHECK-LABEL: func.func @steps_stay
func.func @steps_stay(%v: tensor<1x128xi32, #t_warp>) {
  // CHECK-NEXT: quack_tv.thread_reduce addi
  // CHECK-NEXT: return
  %0 = quack_tv.thread_reduce addi %v : tensor<1x128xi32, #t_warp>
  return
}
