// RUN: quack-opt %s --quack-tv-fuse-reductions | FileCheck %s


#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4>
#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#tile = #quack_tv.layout<warp = [2:128], lane = [32:4], value = [4:1]>
#thread = #quack_tv.layout<warp = [2:32], lane = [32:1]>
#warp = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
#ctile = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
#crow = #quack_tv.layout<cta = [2:0], lane = [32:0]>

//===----------------------------------------------------------------------===//
// (max, sum of exp)
//===----------------------------------------------------------------------===//

// The thread sums exp(v - c(m)) for its own m; the pair goes up together; the
// row's sum is S * exp(c(M) - M).
// CHECK-LABEL: quack_tv.kernel @softmax
quack_tv.kernel @softmax(%x: memref<?x256xf32> in row, %m: memref<?xf32> out scalar, %s: memref<?xf32> out scalar) plan #plan {
  // CHECK-NEXT: %[[V:.*]] = quack_tv.load %x
  // CHECK-NEXT: %[[M:.*]] = quack_tv.thread_reduce maximumf %[[V]]
  // CHECK-NEXT: %[[ABS:.*]] = math.absf %[[M]]
  // CHECK-NEXT: %[[INF:.*]] = arith.constant dense<0x7F800000>
  // CHECK-NEXT: %[[IS:.*]] = arith.cmpf oeq, %[[ABS]], %[[INF]]
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
  // CHECK-NEXT: %[[C:.*]] = arith.select %[[IS]], %[[ZERO]], %[[M]]
  // CHECK-NEXT: %[[SPREAD:.*]] = quack_tv.broadcast %[[C]]
  // CHECK-NEXT: %[[D:.*]] = arith.subf %[[V]], %[[SPREAD]]
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[D]]
  // CHECK-NEXT: %[[S:.*]] = quack_tv.thread_reduce addf %[[E]]
  // CHECK-NEXT: %[[W:.*]]:2 = quack_tv.warp_reduce combine %[[M]], %[[S]] identity [0xFF800000 : f32, 0.000000e+00 : f32]
  // CHECK-NEXT: ^bb0(%[[M0:.*]]: f32, %[[S0:.*]]: f32, %[[M1:.*]]: f32, %[[S1:.*]]: f32):
  // CHECK-NEXT: %[[MAX:.*]] = arith.maximumf %[[M0]], %[[M1]]
  // CHECK: %[[CM:.*]] = arith.select %{{.*}}, %{{.*}}, %[[MAX]]
  // CHECK-NEXT: %[[D0:.*]] = arith.subf %[[M0]], %[[CM]]
  // CHECK-NEXT: %[[E0:.*]] = math.exp %[[D0]]
  // CHECK-NEXT: %[[P0:.*]] = arith.mulf %[[S0]], %[[E0]]
  // CHECK-NEXT: %[[D1:.*]] = arith.subf %[[M1]], %[[CM]]
  // CHECK-NEXT: %[[E1:.*]] = math.exp %[[D1]]
  // CHECK-NEXT: %[[P1:.*]] = arith.mulf %[[S1]], %[[E1]]
  // CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[P0]], %[[P1]]
  // CHECK-NEXT: quack_tv.yield %[[MAX]], %[[SUM]]
  // CHECK: %[[B:.*]]:2 = quack_tv.block_reduce combine %[[W]]#0, %[[W]]#1
  // CHECK: %[[CB:.*]] = arith.select %{{.*}}, %{{.*}}, %[[B]]#0
  // CHECK-NEXT: %[[R:.*]] = arith.subf %[[CB]], %[[B]]#0
  // CHECK-NEXT: %[[F:.*]] = math.exp %[[R]]
  // CHECK-NEXT: %[[FIXED:.*]] = arith.mulf %[[B]]#1, %[[F]]
  // CHECK-NEXT: quack_tv.store %[[B]]#0, %m
  // CHECK-NEXT: quack_tv.store %[[FIXED]], %s
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x256xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x64xf32, #thread>
  %m2 = quack_tv.block_reduce maximumf %m1 : tensor<1x2xf32, #warp>
  %b = quack_tv.broadcast %m2 : tensor<1x1xf32, #row> -> tensor<1x256xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x256xf32, #tile>
  %e = math.exp %d : tensor<1x256xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x256xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x64xf32, #thread>
  %s2 = quack_tv.block_reduce addf %s1 : tensor<1x2xf32, #warp>
  quack_tv.store %m2, %m : tensor<1x1xf32, #row>, memref<?xf32>
  quack_tv.store %s2, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// The same with exp2, whose form stays.
// CHECK-LABEL: quack_tv.kernel @exp2
// CHECK: math.exp2
// CHECK: quack_tv.warp_reduce combine
// CHECK: arith.maximumf
// CHECK-COUNT-2: math.exp2
// CHECK: quack_tv.block_reduce combine
// CHECK-NOT: math.exp %
quack_tv.kernel @exp2(%x: memref<?x256xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x256xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x64xf32, #thread>
  %m2 = quack_tv.block_reduce maximumf %m1 : tensor<1x2xf32, #warp>
  %b = quack_tv.broadcast %m2 : tensor<1x1xf32, #row> -> tensor<1x256xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x256xf32, #tile>
  %e = math.exp2 %d : tensor<1x256xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x256xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x64xf32, #thread>
  %s2 = quack_tv.block_reduce addf %s1 : tensor<1x2xf32, #warp>
  quack_tv.store %s2, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// What is subtracted may be the maximum, or 0 for an infinite one.
// CHECK-LABEL: quack_tv.kernel @logsumexp
// CHECK: %[[W:.*]]:2 = quack_tv.warp_reduce combine
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %{{.*}}, %[[W]]#0
// CHECK: %[[P:.*]] = arith.select %{{.*}}, %{{.*}}, %[[W]]#0
// CHECK: arith.subf %[[C]], %[[P]]
quack_tv.kernel @logsumexp(%x: memref<?x256xf32> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<threads = 64, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4> {
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<2x256xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<2x256xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<2x32xf32, #thread>
  %abs = math.absf %m1 : tensor<2x1xf32, #warp>
  %inf = arith.constant dense<0x7F800000> : tensor<2x1xf32, #warp>
  %zero = arith.constant dense<0.0> : tensor<2x1xf32, #warp>
  %is = arith.cmpf oeq, %abs, %inf : tensor<2x1xf32, #warp>
  %p = arith.select %is, %zero, %m1 : tensor<2x1xi1, #warp>, tensor<2x1xf32, #warp>
  %b = quack_tv.broadcast %p : tensor<2x1xf32, #warp> -> tensor<2x256xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>
  %d = arith.subf %v, %b : tensor<2x256xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>
  %e = math.exp %d : tensor<2x256xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>
  %s0 = quack_tv.thread_reduce addf %e : tensor<2x256xf32, #quack_tv.layout<warp = [2:256], lane = [32:8], value = [8:1]>>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<2x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<2x1xf32, #warp>, memref<?xf32>
}

// Each pass reads the operand again; padding adds nothing.
// CHECK-LABEL: quack_tv.kernel @masked_and_read_again
// CHECK: %[[V0:.*]] = quack_tv.load %x pass 0
// CHECK: %[[MASKED:.*]] = quack_tv.mask %[[V0]] from 250 identity 0xFF800000
// CHECK: quack_tv.thread_reduce maximumf %[[MASKED]]
// CHECK: %[[V1:.*]] = quack_tv.load %x pass 1
// CHECK: %[[D:.*]] = arith.subf %[[V1]]
// CHECK: %[[E:.*]] = math.exp %[[D]]
// CHECK: %[[TERM:.*]] = quack_tv.mask %[[E]] from 250 identity 0.000000e+00
// CHECK: quack_tv.thread_reduce addf %[[TERM]]
// CHECK: quack_tv.cluster_reduce combine
quack_tv.kernel @masked_and_read_again(%x: memref<?x250xf32> in row, %s: memref<?xf32> out scalar) plan #pair {
  %v = quack_tv.load %x pass 0 at_use : memref<?x250xf32> -> tensor<1x256xf32, #ctile>
  %p = quack_tv.mask %v from 250 identity 0xFF800000 : f32 : tensor<1x256xf32, #ctile>
  %m0 = quack_tv.thread_reduce maximumf %p : tensor<1x256xf32, #ctile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x64xf32, #quack_tv.layout<cta = [2:32], lane = [32:1]>>
  %m2 = quack_tv.cluster_reduce maximumf %m1 : tensor<1x2xf32, #quack_tv.layout<cta = [2:1], lane = [32:0]>>
  %b = quack_tv.broadcast %m2 : tensor<1x1xf32, #crow> -> tensor<1x256xf32, #ctile>
  %w = quack_tv.load %x pass 1 at_use : memref<?x250xf32> -> tensor<1x256xf32, #ctile>
  %d = arith.subf %w, %b : tensor<1x256xf32, #ctile>
  %e = math.exp %d : tensor<1x256xf32, #ctile>
  %q = quack_tv.mask %e from 250 identity 0.0 : f32 : tensor<1x256xf32, #ctile>
  %s0 = quack_tv.thread_reduce addf %q : tensor<1x256xf32, #ctile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x64xf32, #quack_tv.layout<cta = [2:32], lane = [32:1]>>
  %s2 = quack_tv.cluster_reduce addf %s1 : tensor<1x2xf32, #quack_tv.layout<cta = [2:1], lane = [32:0]>>
  quack_tv.store %s2, %s : tensor<1x1xf32, #crow>, memref<?xf32>
}

//===----------------------------------------------------------------------===//
// Reductions that share an exchange
//===----------------------------------------------------------------------===//

// CHECK-LABEL: quack_tv.kernel @independent
// CHECK: %[[A:.*]] = quack_tv.thread_reduce addf
// CHECK: %[[B:.*]] = quack_tv.thread_reduce maximumf
// CHECK: %[[C:.*]] = quack_tv.thread_reduce minimumf
// CHECK: %[[W:.*]]:3 = quack_tv.warp_reduce addf, maximumf, minimumf %[[A]], %[[B]], %[[C]]
// CHECK-NOT: quack_tv.warp_reduce
// CHECK: quack_tv.block_reduce addf %[[W]]#0
// CHECK-NOT: quack_tv.block_reduce
// CHECK: quack_tv.store %{{.*}}, %s
quack_tv.kernel @independent(%x: memref<?x256xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x256xf32> -> tensor<1x256xf32, #tile>
  %a = quack_tv.thread_reduce addf %v : tensor<1x256xf32, #tile>
  %wa = quack_tv.warp_reduce addf %a : tensor<1x64xf32, #thread>
  %sa = quack_tv.block_reduce addf %wa : tensor<1x2xf32, #warp>
  %b = quack_tv.thread_reduce maximumf %v : tensor<1x256xf32, #tile>
  %wb = quack_tv.warp_reduce maximumf %b : tensor<1x64xf32, #thread>
  %c = quack_tv.thread_reduce minimumf %v : tensor<1x256xf32, #tile>
  %wc = quack_tv.warp_reduce minimumf %c : tensor<1x64xf32, #thread>
  %r = arith.addf %wb, %wc : tensor<1x2xf32, #warp>
  %p = quack_tv.broadcast %r : tensor<1x2xf32, #warp> -> tensor<1x256xf32, #tile>
  %t = quack_tv.thread_reduce mulf %p : tensor<1x256xf32, #tile>
  quack_tv.store %sa, %s : tensor<1x1xf32, #row>, memref<?xf32>
}
