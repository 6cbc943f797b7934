// RUN: quack-opt %s --quack-lower-math \
// RUN:   | mlir-opt --convert-scf-to-cf --convert-vector-to-llvm --convert-arith-to-llvm \
// RUN:       --convert-cf-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90 -mattr=+ptx83 -O3 \
// RUN:   | FileCheck %s --implicit-check-not=__nv_ --implicit-check-not=call \
// RUN:       --implicit-check-not=add.f32 --implicit-check-not=sub.f32 \
// RUN:       --implicit-check-not=mul.f32 --implicit-check-not=div.

// Every operation has instructions, each of which names its rounding.

// CHECK-LABEL: .visible .func exponentials
// CHECK-DAG: mul.rn.f32
// CHECK-DAG: ex2.approx.ftz.f32
// CHECK: ret;
llvm.func @exponentials(%p: !llvm.ptr<1>) {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
  %0 = math.exp %x : vector<4xf32>
  %1 = math.exp2 %0 : vector<4xf32>
  %2 = math.expm1 %1 : vector<4xf32>
  llvm.store %2, %p : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .visible .func logarithms
// CHECK: lg2.approx.f32
// CHECK: ret;
llvm.func @logarithms(%p: !llvm.ptr<1>) {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
  %0 = math.log %x : vector<4xf32>
  %1 = math.log2 %0 : vector<4xf32>
  %2 = math.log10 %1 : vector<4xf32>
  %3 = math.log1p %2 : vector<4xf32>
  llvm.store %3, %p : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .visible .func roots
// CHECK-DAG: sqrt.rn.f32
// CHECK-DAG: rsqrt.approx.f32
// CHECK: ret;
llvm.func @roots(%p: !llvm.ptr<1>) {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
  %0 = math.sqrt %x : vector<4xf32>
  %1 = math.rsqrt %0 : vector<4xf32>
  llvm.store %1, %p : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .visible .func saturating
// CHECK-DAG: rcp.approx.ftz.f32
// CHECK-DAG: min.NaN.f32
// CHECK: ret;
llvm.func @saturating(%p: !llvm.ptr<1>) {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
  %0 = math.tanh %x : vector<4xf32>
  %1 = math.erf %0 : vector<4xf32>
  llvm.store %1, %p : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .visible .func turns
// CHECK: cvt.rn.f64.s64
// CHECK: ret;
llvm.func @turns(%p: !llvm.ptr<1>) {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<4xf32>
  %0 = math.sin %x : vector<4xf32>
  %1 = math.cos %0 : vector<4xf32>
  llvm.store %1, %p : vector<4xf32>, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .visible .func roundings
// CHECK-DAG: cvt.rmi.f32.f32
// CHECK-DAG: cvt.rni.f32.f32
// CHECK-DAG: cvt.rpi.f32.f32
// CHECK-DAG: cvt.rzi.f32.f32
// CHECK: ret;
llvm.func @roundings(%p: !llvm.ptr<1>, %x: f32, %y: f32) {
  %0 = math.floor %x : f32
  %1 = math.ceil %x : f32
  %2 = math.trunc %x : f32
  %3 = math.round %x : f32
  %4 = math.roundeven %x : f32
  llvm.store volatile %0, %p : f32, !llvm.ptr<1>
  llvm.store volatile %1, %p : f32, !llvm.ptr<1>
  llvm.store volatile %2, %p : f32, !llvm.ptr<1>
  llvm.store volatile %3, %p : f32, !llvm.ptr<1>
  llvm.store volatile %4, %p : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: .visible .func narrow
// CHECK-DAG: fma.rn.bf16x2
// CHECK-DAG: cvt.rn.bf16x2.f32
// CHECK: ret;
llvm.func @narrow(%p: !llvm.ptr<1>) {
  %x = llvm.load %p : !llvm.ptr<1> -> vector<8xbf16>
  %0 = math.exp %x : vector<8xbf16>
  %1 = math.fma %0, %x, %x : vector<8xbf16>
  llvm.store %1, %p : vector<8xbf16>, !llvm.ptr<1>
  llvm.return
}
