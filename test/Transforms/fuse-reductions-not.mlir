// RUN: quack-opt %s --quack-tv-fuse-reductions | FileCheck %s --implicit-check-not=combine

// What must not be fused. One warp a row; the sums keep their own step.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#thread = #quack_tv.layout<lane = [32:1]>
#row = #quack_tv.layout<lane = [32:0]>

// The maximum is of another operand.
// CHECK-LABEL: quack_tv.kernel @maximum_of_another_row
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @maximum_of_another_row(%x: memref<?x128xf32> in row, %z: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %w = quack_tv.load %z : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %w : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// The maximum is of -v, not of v.
// CHECK-LABEL: quack_tv.kernel @maximum_of_a_function
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @maximum_of_a_function(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %w = arith.negf %v : tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %w : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// A product does not rescale like a sum.
// CHECK-LABEL: quack_tv.kernel @product_of_exponentials
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce mulf %{{.*}} :
quack_tv.kernel @product_of_exponentials(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce mulf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce mulf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// Nor does a maximum of exponentials.
// CHECK-LABEL: quack_tv.kernel @maximum_of_exponentials
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce minimumf %{{.*}} :
quack_tv.kernel @maximum_of_exponentials(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce minimumf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce minimumf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// exp(v - min v) grows without bound.
// CHECK-LABEL: quack_tv.kernel @minimum
// CHECK: quack_tv.warp_reduce minimumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @minimum(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce minimumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce minimumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// Somebody else uses the thread's maximum.
// CHECK-LABEL: quack_tv.kernel @partial_with_another_user
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @partial_with_another_user(%x: memref<?x128xf32> inout row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  %u = quack_tv.broadcast %m0 : tensor<1x32xf32, #thread> -> tensor<1x128xf32, #tile>
  %t = arith.addf %u, %v : tensor<1x128xf32, #tile>
  %r0 = quack_tv.thread_reduce mulf %t : tensor<1x128xf32, #tile>
  %r1 = quack_tv.broadcast %r0 : tensor<1x32xf32, #thread> -> tensor<1x128xf32, #tile>
  quack_tv.store %r1, %x : tensor<1x128xf32, #tile>, memref<?x128xf32>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// Somebody else uses the thread's sum.
// CHECK-LABEL: quack_tv.kernel @sum_partial_with_another_user
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @sum_partial_with_another_user(%x: memref<?x128xf32> inout row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  %u = quack_tv.broadcast %s0 : tensor<1x32xf32, #thread> -> tensor<1x128xf32, #tile>
  quack_tv.store %u, %x : tensor<1x128xf32, #tile>, memref<?x128xf32>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// The terms are v - max v themselves.
// CHECK-LABEL: quack_tv.kernel @term_is_not_an_exponential
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @term_is_not_an_exponential(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %d : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// The terms are v * exp(v - max v).
// CHECK-LABEL: quack_tv.kernel @weighted_exponential
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @weighted_exponential(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %t = arith.mulf %v, %e : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %t : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// What is subtracted is neither the maximum nor 0.
// CHECK-LABEL: quack_tv.kernel @another_function_of_the_maximum
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @another_function_of_the_maximum(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %half = arith.constant dense<0.5> : tensor<1x1xf32, #row>
  %h = arith.mulf %m1, %half : tensor<1x1xf32, #row>
  %b = quack_tv.broadcast %h : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// An infinite maximum is replaced by 1, not by 0.
// CHECK-LABEL: quack_tv.kernel @replaced_by_another_constant
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @replaced_by_another_constant(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %one = arith.constant dense<1.0> : tensor<1x1xf32, #row>
  %is = arith.cmpf ogt, %m1, %one : tensor<1x1xf32, #row>
  %h = arith.select %is, %one, %m1 : tensor<1x1xi1, #row>, tensor<1x1xf32, #row>
  %b = quack_tv.broadcast %h : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// exp(v + max v).
// CHECK-LABEL: quack_tv.kernel @sum_instead_of_difference
// CHECK: quack_tv.warp_reduce maximumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @sum_instead_of_difference(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maximumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maximumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.addf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// maxnumf skips NaN; a partial without elements would spoil the sum.
// CHECK-LABEL: quack_tv.kernel @maxnumf
// CHECK: quack_tv.warp_reduce maxnumf %{{.*}} :
// CHECK: quack_tv.warp_reduce addf %{{.*}} :
quack_tv.kernel @maxnumf(%x: memref<?x128xf32> in row, %s: memref<?xf32> out scalar) plan #plan {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %m0 = quack_tv.thread_reduce maxnumf %v : tensor<1x128xf32, #tile>
  %m1 = quack_tv.warp_reduce maxnumf %m0 : tensor<1x32xf32, #thread>
  %b = quack_tv.broadcast %m1 : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %b : tensor<1x128xf32, #tile>
  %e = math.exp %d : tensor<1x128xf32, #tile>
  %s0 = quack_tv.thread_reduce addf %e : tensor<1x128xf32, #tile>
  %s1 = quack_tv.warp_reduce addf %s0 : tensor<1x32xf32, #thread>
  quack_tv.store %s1, %s : tensor<1x1xf32, #row>, memref<?xf32>
}
