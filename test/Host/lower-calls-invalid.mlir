// RUN: quack-opt %s --split-input-file --verify-diagnostics --quack-to-tv='pin="cluster = 16"' --quack-lower-calls=to=gpu
// RUN: not quack-opt %s --split-input-file --quack-lower-calls=to=here 2>&1 | FileCheck %s --check-prefix=HERE
// HERE: error: unknown launcher 'here', expected gpu or runtime
// RUN: not quack-opt %s --split-input-file --quack-lower-calls 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: 'quack.call' op must call a tile program whose barriers are placed, but @sum is none: run quack-to-tv first

quack.kernel @sum(%x: memref<?x65536xf32> in row, %y: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
  %s = quack.reduce addf %v : tensor<65536xf32> -> f32
  quack.store %s, %y : f32, memref<?xf32>
}
func.func @large_clusters(%x: memref<8x65536xf32>, %y: memref<8xf32>) {
  // expected-error @below {{launches clusters of 16 CTAs, but upstream's runtime takes at most 8; plan with max-cluster=8, or lower to=runtime}}
  quack.call @sum(%x : memref<8x65536xf32>) outs(%y : memref<8xf32>)
  return
}

// -----

quack.kernel @sum(%x: memref<?x65536xf32> in row, %y: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
  %s = quack.reduce addf %v : tensor<65536xf32> -> f32
  quack.store %s, %y : f32, memref<?xf32>
}
func.func @tensors(%x: tensor<8x65536xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{must be on memrefs: run one-shot-bufferize first}}
  %z = quack.call @sum(%x : tensor<8x65536xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

quack.kernel @sum(%x: memref<?x65536xf32> in row, %y: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
  %s = quack.reduce addf %v : tensor<65536xf32> -> f32
  quack.store %s, %y : f32, memref<?xf32>
}
// expected-error @below {{'quack_kernels' is the name of the module of kernels: rename it, or lower all calls at once}}
func.func private @quack_kernels()
