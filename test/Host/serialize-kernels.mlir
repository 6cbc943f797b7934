// RUN: quack-opt %s --quack-to-host=to=runtime --verify-each | FileCheck %s
// RUN: quack-opt %s --quack-to-host='to=runtime ptx-version=86 launcher=myLaunch' | FileCheck %s --check-prefix=OPTIONS
// RUN: not quack-opt %s --quack-to-host=to=gpu --quack-serialize-kernels 2>&1 | FileCheck %s --check-prefix=WRONG

// CHECK:     llvm.mlir.global internal constant @quack_kernels_ptx("{{.*}}.version 8.3{{.*}}.target sm_90{{.*}}.entry copy({{.*}}.entry copy_anywhere({{.*}}\00")
// CHECK-NOT: gpu.module

// OPTIONS: @quack_kernels_ptx("{{.*}}.version 8.6
// OPTIONS: call @myLaunch(

// WRONG: error: must have a #quack_tv.target and a global 'quack_kernels_ptx': run quack-lower-calls{to=runtime} first
quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
func.func @main(%x: memref<9x64xf32>, %y: memref<9x64xf32>) {
  quack.call @copy(%x : memref<9x64xf32>) outs(%y : memref<9x64xf32>)
  return
}
