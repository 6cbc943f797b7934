// RUN: quack-opt %s --convert-quack-tv-to-gpu | FileCheck %s

// Floats of 8 bits are vectors of i8. Two are converted at a time; the one with the
// higher address is the first operand.

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#single = #quack_tv.layout<lane = [32:1]>

// CHECK-LABEL: llvm.func @narrow(
// CHECK: %[[WIDE:.*]]:4 = vector.to_elements %{{.*}} : vector<4xf32>
// CHECK: %[[LOW:.*]] = llvm.inline_asm asm_dialect = att "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %[[WIDE]]#1, %[[WIDE]]#0 : (f32, f32) -> i16
// CHECK: %[[HIGH:.*]] = llvm.inline_asm asm_dialect = att "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %[[WIDE]]#3, %[[WIDE]]#2 : (f32, f32) -> i16
// CHECK: %[[PAIRS:.*]] = vector.from_elements %[[LOW]], %[[HIGH]] : vector<2xi16>
// CHECK: %[[BYTES:.*]] = llvm.bitcast %[[PAIRS]] : vector<2xi16> to vector<4xi8>
// CHECK: %[[WORD:.*]] = llvm.bitcast %[[BYTES]] : vector<4xi8> to i32
// CHECK: "st.global.b32 {{.*}} %[[WORD]]
quack_tv.kernel @narrow(%x: memref<?x128xf32> in row, %y: memref<?x128xf8E4M3FN> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %n = quack_tv.narrow %v : tensor<1x128xf32, #tile> -> tensor<1x128xf8E4M3FN, #tile>
  quack_tv.store %n, %y : tensor<1x128xf8E4M3FN, #tile>, memref<?x128xf8E4M3FN>
}

// CHECK-LABEL: llvm.func @widen(
// CHECK: %[[BYTES:.*]] = llvm.bitcast %{{.*}} : i32 to vector<4xi8>
// CHECK: %[[PAIRS:.*]] = llvm.bitcast %[[BYTES]] : vector<4xi8> to vector<2xi16>
// CHECK: %[[PAIR:.*]]:2 = vector.to_elements %[[PAIRS]]
// CHECK: llvm.inline_asm asm_dialect = att "cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h" %[[PAIR]]#0 : (i16) -> i32
// CHECK: llvm.inline_asm asm_dialect = att "cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h" %[[PAIR]]#1 : (i16) -> i32
// CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
quack_tv.kernel @widen(%x: memref<?x128xf8E5M2> in row, %y: memref<?x128xf32> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x128xf8E5M2> -> tensor<1x128xf8E5M2, #tile>
  %w = arith.extf %v : tensor<1x128xf8E5M2, #tile> to tensor<1x128xf32, #tile>
  quack_tv.store %w, %y : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// The passes of what is held packed are kept apart.
// CHECK-LABEL: llvm.func @packed(
// CHECK: %[[ZERO:.*]] = nvvm.read.ptx.sreg.ctaid.y : i32
// CHECK: arith.xori %{{.*}}, %[[ZERO]] : i32
// CHECK: cvt.rn.f16x2.e4m3x2
quack_tv.kernel @packed(%x: memref<?x128xf8E4M3FN> in row, %y: memref<?x128xf32> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x128xf8E4M3FN> -> tensor<1x128xf8E4M3FN, #tile>
  %w = quack_tv.widen %v pass 0 : tensor<1x128xf8E4M3FN, #tile>
  quack_tv.store %w, %y : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// CHECK-LABEL: llvm.func @single(
// CHECK: %[[LOADED:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.u8 {{.*}} -> i16
// CHECK: %[[BYTE:.*]] = arith.trunci %[[LOADED]] : i16 to i8
// CHECK: %[[PAIR:.*]] = arith.extui %[[BYTE]] : i8 to i16
// CHECK: cvt.rn.f16x2.e4m3x2 {{.*}} %[[PAIR]]
// CHECK: %[[BF16:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[WIDE:.*]] = arith.extf %[[BF16]] : bf16 to f32
// CHECK: cvt.rn.satfinite.e5m2x2.f32 {{.*}} %[[WIDE]], %[[WIDE]] : (f32, f32) -> i16
quack_tv.kernel @single(%x: memref<?x32xf8E4M3FN> in row, %y: memref<?x32xf8E5M2> out row) plan #plan shared 0 {
  %v = quack_tv.load %x : memref<?x32xf8E4M3FN> -> tensor<1x32xf8E4M3FN, #single>
  %h = arith.extf %v : tensor<1x32xf8E4M3FN, #single> to tensor<1x32xbf16, #single>
  %w = arith.extf %h : tensor<1x32xbf16, #single> to tensor<1x32xf32, #single>
  %n = quack_tv.narrow %w : tensor<1x32xf32, #single> -> tensor<1x32xf8E5M2, #single>
  quack_tv.store %n, %y : tensor<1x32xf8E5M2, #single>, memref<?x32xf8E5M2>
}
