// RUN: quack-opt %s --split-input-file --verify-diagnostics --quack-to-tv --quack-lower-calls=to=runtime

quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
// expected-error @below {{the argument with 'quack.stream' must be an '!llvm.ptr', got 'i64'}}
func.func @wrong_stream(%s: i64 {quack.stream}, %x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  quack.call @copy(%x : memref<8x64xf32>) outs(%y : memref<8x64xf32>)
  return
}

// -----

quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
// expected-error @below {{'quackLaunch' must be the launcher, a func.func of type}}
func.func private @quackLaunch(i64)

// -----

quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
// expected-error @below {{'quack_kernels_ptx' is the name of what calls of the launcher pass: rename it}}
func.func private @quack_kernels_ptx()

// -----

quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
memref.global @g : memref<8x64xf32> = uninitialized
%g = memref.get_global @g : memref<8x64xf32>
// expected-error @below {{must be in a function}}
quack.call @copy(%g : memref<8x64xf32>) outs(%g : memref<8x64xf32>)

// -----

quack.kernel @copy(%x: memref<?x64xf32> in row, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  quack.store %v, %y : tensor<64xf32>, memref<?x64xf32>
}
// expected-error @below {{'quack_name_copy' is the name of what calls of the launcher pass: rename it}}
func.func private @quack_name_copy()
func.func @main(%x: memref<8x64xf32>) {
  quack.call @copy(%x : memref<8x64xf32>) outs(%x : memref<8x64xf32>)
  return
}
