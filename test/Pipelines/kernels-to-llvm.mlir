// RUN: quack-opt %s --quack-to-llvm --verify-each | FileCheck %s

// Only the module of kernels is led to the LLVM dialect; the host and other people's kernels
// keep their operations.
quack.kernel @scale(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %e = math.exp %v : tensor<64xf32>
  quack.store %e, %y : tensor<64xf32>, memref<?x64xf32>
}

// CHECK-LABEL: func.func @host(
// CHECK:         cf.cond_br
// CHECK:         math.exp %{{.*}} : f32
// CHECK:         math.sqrt %{{.*}} : f64
func.func @host(%c: i1, %a: f32, %b: f64) -> (f32, f64) {
  cf.cond_br %c, ^then, ^else
^then:
  return %a, %b : f32, f64
^else:
  %e = math.exp %a : f32
  %s = math.sqrt %b : f64
  return %e, %s : f32, f64
}

// CHECK-LABEL: gpu.module @mine
// CHECK:         arith.remui
// CHECK:         math.exp
// CHECK:         scf.if
// CHECK-NOT:     unrealized_conversion_cast
gpu.module @mine {
  gpu.func @k(%m: memref<8x64xf32>, %c: i1) kernel {
    %i = gpu.thread_id x
    %c2 = arith.constant 2 : index
    %j = arith.remui %i, %c2 : index
    %v = memref.load %m[%j, %i] : memref<8x64xf32>
    %e = math.exp %v : f32
    scf.if %c {
      memref.store %e, %m[%j, %i] : memref<8x64xf32>
    }
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @quack_kernels
// CHECK:         llvm.func @scale(
// CHECK:         ex2.approx
// CHECK-NOT:     arith.
