// RUN: quack-opt %s --quack-to-tv='pin="threads=128"' --quack-lower-calls=to=gpu --canonicalize --verify-each \
// RUN:   | FileCheck %s
// RUN: quack-opt %s --quack-to-tv='pin="threads=128"' --quack-lower-calls=to=runtime --canonicalize --verify-each \
// RUN:   | FileCheck %s --check-prefix=SYMBOL

// The module that kernels will be functions of names what launches name.
// CHECK: module attributes {gpu.container_module}

// SYMBOL-DAG: llvm.mlir.global internal constant @quack_kernels_metadata("{\22chip\22:\22sm_90\22
// SYMBOL-DAG: llvm.mlir.global external constant @quack_kernels_ptx() {{.*}}: !llvm.array<0 x i8>
// SYMBOL-DAG: llvm.mlir.global internal @quack_kernels_state() {{.*}}: !llvm.ptr
// SYMBOL-DAG: llvm.mlir.global internal constant @quack_name_copy("copy\00")
// SYMBOL-DAG: func.func private @quackLaunch(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i64, !llvm.ptr, i64, !llvm.ptr) -> i32

quack.kernel @copy(%x: memref<?x64xf32> in row, %s: f32, %y: memref<?x64xf32> out row) {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
  %r = quack.broadcast %s : f32 -> tensor<64xf32>
  %w = arith.mulf %v, %r : tensor<64xf32>
  quack.store %w, %y : tensor<64xf32>, memref<?x64xf32>
}

// Guards first: low bits of both addresses and strides.
// CHECK-LABEL: func.func @fixed(
// CHECK-SAME:    %[[X:.*]]: memref<9x64xf32>, %[[S:.*]]: f32, %[[Y:.*]]: memref<9x64xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant 64 : i64
// CHECK-DAG:     %[[ROWS:.*]] = arith.constant 9 : i64
// CHECK-DAG:     %[[LOW:.*]] = arith.constant 15 : i64
// CHECK-DAG:     %[[ONE:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[THREADS:.*]] = arith.constant 128 : index
// CHECK:         %[[PX:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:         %[[AX:.*]] = arith.index_cast %[[PX]] : index to i64
// CHECK:         %[[PY:.*]] = memref.extract_aligned_pointer_as_index %[[Y]]
// CHECK:         %[[AY:.*]] = arith.index_cast %[[PY]] : index to i64
// CHECK:         %[[BITS:.*]] = arith.ori %[[AX]], %{{.*}} : i64
// CHECK:         arith.andi %[[BITS]], %[[LOW]] : i64
// CHECK-NOT:     cf.assert
// CHECK:         scf.if
// CHECK:           %[[BEGIN:.*]] = gpu.wait async
// CHECK:           %[[QX:.*]] = llvm.inttoptr %[[AX]] : i64 to !llvm.ptr<1>
// CHECK:           %[[QY:.*]] = llvm.inttoptr %[[AY]] : i64 to !llvm.ptr<1>
// CHECK:           %[[END:.*]] = gpu.launch_func async [%[[BEGIN]]] @quack_kernels::@copy
// CHECK-SAME:        blocks in (%[[TWO]], %[[ONE]], %[[ONE]]) threads in (%[[THREADS]], %[[ONE]], %[[ONE]])
// CHECK-SAME:        args(%[[QX]] : !llvm.ptr<1>, %[[COLUMNS]] : i64, %[[QY]] : !llvm.ptr<1>, %[[COLUMNS]] : i64, %[[ROWS]] : i64, %[[S]] : f32)
// CHECK:           gpu.wait [%[[END]]]
// CHECK:         } else {
// CHECK:           gpu.launch_func async {{.*}} @quack_kernels::@copy_anywhere

// Words and strides side by side; a scalar's bits.
// SYMBOL-LABEL: func.func @fixed(
// SYMBOL-SAME:    %[[X:.*]]: memref<9x64xf32>, %[[S:.*]]: f32, %[[Y:.*]]: memref<9x64xf32>
// SYMBOL:         %[[ARGS:.*]] = llvm.alloca
// SYMBOL:         %[[BITS:.*]] = arith.bitcast %[[S]] : f32 to i32
// SYMBOL:         %[[WORD:.*]] = arith.extui %[[BITS]] : i32 to i64
// SYMBOL:         %[[AT:.*]] = llvm.getelementptr %[[ARGS]][2]
// SYMBOL:         llvm.store %[[WORD]], %[[AT]]
// SYMBOL:         %[[STATUS:.*]] = call @quackLaunch({{.*}}, %[[ARGS]], %{{.*}}, %{{.*}})
// SYMBOL:         %[[GOOD:.*]] = arith.cmpi eq, %[[STATUS]]
// SYMBOL:         cf.assert %[[GOOD]], "quack.call of @copy failed"
func.func @fixed(%x: memref<9x64xf32>, %s: f32, %y: memref<9x64xf32>) {
  quack.call @copy(%x, %s : memref<9x64xf32>, f32) outs(%y : memref<9x64xf32>)
  return
}

// What types leave open is looked at when the program runs. M is the static one.
// CHECK-LABEL: func.func @open(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK:         memref.extract_strided_metadata %[[X]]
// CHECK:         cf.assert %{{.*}}, "quack.call of @copy: 'x' must have as many rows as the other operands"
// CHECK:         cf.assert %{{.*}}, "quack.call of @copy: 'x' must have 64 columns"
// CHECK:         cf.assert %{{.*}}, "quack.call of @copy: the columns of 'x' must lie side by side"
// CHECK-NOT:     cf.assert
// CHECK:         scf.if
// CHECK-NEXT:      gpu.wait
func.func @open(%x: memref<?x?xf32, strided<[?, ?], offset: ?>>, %s: f32, %y: memref<9x64xf32>) {
  quack.call @copy(%x, %s : memref<?x?xf32, strided<[?, ?], offset: ?>>, f32) outs(%y : memref<9x64xf32>)
  return
}

// Nothing is launched for no rows, nor more than a grid takes.
// CHECK-LABEL: func.func @any(
// CHECK:         %[[M:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:         scf.if
// CHECK:           %[[SOME:.*]] = arith.cmpi sgt, %[[M]],
// CHECK:           scf.if %[[SOME]] {
// CHECK:             cf.assert %{{.*}}, "quack.call of @copy: more rows than a grid can have"
// CHECK:             gpu.launch_func
func.func @any(%x: memref<?x64xf32>, %s: f32, %y: memref<?x64xf32>) {
  quack.call @copy(%x, %s : memref<?x64xf32>, f32) outs(%y : memref<?x64xf32>)
  return
}

// Launched on the stream that the function is given. Arguments lie in its first block.
// SYMBOL-LABEL: func.func @stream(
// SYMBOL-SAME:    %[[STREAM:[a-z0-9]*]]: !llvm.ptr {quack.stream}
// SYMBOL:         llvm.alloca
// SYMBOL:         scf.for
// SYMBOL-NOT:       llvm.alloca
// SYMBOL:           call @quackLaunch({{.*}}, %[[STREAM]])
func.func @stream(%stream: !llvm.ptr {quack.stream}, %x: memref<9x64xf32>, %s: f32, %y: memref<9x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    quack.call @copy(%x, %s : memref<9x64xf32>, f32) outs(%y : memref<9x64xf32>)
  }
  return
}

// Iterations that run at once have arguments of their own.
// SYMBOL-LABEL: func.func @parallel(
// SYMBOL-NOT:     llvm.alloca
// SYMBOL:         scf.parallel
// SYMBOL:           llvm.alloca
// SYMBOL:           scf.for
// SYMBOL-NOT:         llvm.alloca
// SYMBOL:             call @quackLaunch(
func.func @parallel(%x: memref<9x64xf32>, %s: f32, %y: memref<9x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      quack.call @copy(%x, %s : memref<9x64xf32>, f32) outs(%y : memref<9x64xf32>)
    }
  }
  return
}

// CHECK: gpu.module @quack_kernels [#quack_tv.target<chip = "sm_90", ptx = 83>]
// CHECK: llvm.func @copy(!llvm.ptr<1>, i64, !llvm.ptr<1>, i64, i64, f32) attributes {gpu.kernel}
// CHECK: llvm.func @copy_anywhere(
