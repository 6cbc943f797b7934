// RUN: quack-opt %s --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --implicit-check-not=__nv_ --implicit-check-not="call "

// Any mix of elementwise operations and reductions goes the whole way.

// CHECK-LABEL: .visible .entry floats(
// CHECK: ret;
quack.kernel @floats(%x: memref<?x1024xf32> in row, %w: memref<1024xbf16> in columns,
                     %t: memref<?xf32> in scalar, %y: memref<?x1024xf32> out row, %eps: f32) {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  %g = quack.load %w : memref<1024xbf16> -> tensor<1024xf32>
  %s = quack.load %t : memref<?xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<1024xf32>
  %0 = arith.addf %v, %g : tensor<1024xf32>
  %1 = arith.subf %0, %b : tensor<1024xf32>
  %2 = arith.mulf %1, %g : tensor<1024xf32>
  %3 = arith.divf %2, %v : tensor<1024xf32>
  %4 = arith.maximumf %3, %g : tensor<1024xf32>
  %5 = arith.minimumf %4, %b : tensor<1024xf32>
  %6 = arith.maxnumf %5, %g : tensor<1024xf32>
  %7 = arith.minnumf %6, %b : tensor<1024xf32>
  %8 = arith.negf %7 : tensor<1024xf32>
  %9 = math.absf %8 : tensor<1024xf32>
  %10 = math.fma %9, %g, %v : tensor<1024xf32>
  %11 = math.exp %10 : tensor<1024xf32>
  %12 = math.exp2 %11 : tensor<1024xf32>
  %13 = math.log %12 : tensor<1024xf32>
  %14 = math.log2 %13 : tensor<1024xf32>
  %15 = math.sqrt %14 : tensor<1024xf32>
  %16 = math.rsqrt %15 : tensor<1024xf32>
  %17 = math.tanh %16 : tensor<1024xf32>
  %18 = math.erf %17 : tensor<1024xf32>
  %19 = math.sin %18 : tensor<1024xf32>
  %20 = math.cos %19 : tensor<1024xf32>
  %21 = arith.cmpf olt, %20, %v : tensor<1024xf32>
  %22 = arith.select %21, %20, %g : tensor<1024xi1>, tensor<1024xf32>
  %23 = math.copysign %22, %v : tensor<1024xf32>
  %24 = math.floor %23 : tensor<1024xf32>
  %25 = math.log1p %24 : tensor<1024xf32>
  %26 = math.expm1 %25 : tensor<1024xf32>
  quack.store %26, %y : tensor<1024xf32>, memref<?x1024xf32>
}

// CHECK-LABEL: .visible .entry integers(
// CHECK: ret;
quack.kernel @integers(%x: memref<?x1000xi32> in row, %i: memref<?x1000xi8> in row,
                       %k: memref<?xi64> in scalar, %y: memref<?x1000xi32> out row,
                       %c: memref<?xi8> out scalar, %n: i32, %m: i64) {
  %v = quack.load %x : memref<?x1000xi32> -> tensor<1000xi32>
  %b = quack.load %i : memref<?x1000xi8> -> tensor<1000xi32>
  %t = quack.load %k : memref<?xi64> -> i64
  %0 = arith.addi %v, %b : tensor<1000xi32>
  %1 = arith.subi %0, %v : tensor<1000xi32>
  %2 = arith.muli %1, %b : tensor<1000xi32>
  %3 = arith.maxsi %2, %v : tensor<1000xi32>
  %4 = arith.minui %3, %v : tensor<1000xi32>
  %5 = arith.andi %4, %v : tensor<1000xi32>
  %6 = arith.ori %5, %b : tensor<1000xi32>
  %7 = arith.xori %6, %v : tensor<1000xi32>
  %8 = arith.shli %7, %b : tensor<1000xi32>
  %9 = arith.cmpi slt, %8, %v : tensor<1000xi32>
  %10 = arith.select %9, %8, %v : tensor<1000xi1>, tensor<1000xi32>
  %11 = math.absi %10 : tensor<1000xi32>
  %12 = math.ctpop %11 : tensor<1000xi32>
  %sum = quack.reduce addi %12 init %n : tensor<1000xi32> -> i32
  %s64 = arith.extsi %sum : i32 to i64
  %u = arith.addi %s64, %t : i64
  %w = arith.addi %u, %m : i64
  quack.store %12, %y : tensor<1000xi32>, memref<?x1000xi32>
  quack.store %w, %c : i64, memref<?xi8>
}

// CHECK-LABEL: .visible .entry conversions(
// CHECK: ret;
quack.kernel @conversions(%x: memref<?x1000xf16> in row, %i: memref<?x1000xi32> in row, %y: memref<?x1000xbf16> out row, %z: memref<?x1000xi64> out row) {
  %v = quack.load %x : memref<?x1000xf16> -> tensor<1000xf16>
  %k = quack.load %i : memref<?x1000xi32> -> tensor<1000xi32>
  %0 = arith.extf %v : tensor<1000xf16> to tensor<1000xf32>
  %1 = arith.fptosi %0 : tensor<1000xf32> to tensor<1000xi32>
  %2 = arith.sitofp %1 : tensor<1000xi32> to tensor<1000xf32>
  %3 = arith.uitofp %k : tensor<1000xi32> to tensor<1000xf32>
  %4 = arith.addf %2, %3 : tensor<1000xf32>
  %5 = arith.truncf %4 : tensor<1000xf32> to tensor<1000xbf16>
  %6 = arith.mulf %5, %5 : tensor<1000xbf16>
  %7 = arith.bitcast %0 : tensor<1000xf32> to tensor<1000xi32>
  %8 = arith.extui %7 : tensor<1000xi32> to tensor<1000xi64>
  quack.store %6, %y : tensor<1000xbf16>, memref<?x1000xbf16>
  quack.store %8, %z : tensor<1000xi64>, memref<?x1000xi64>
}

// Five values through one exchange; a second stage of reductions.
// CHECK-LABEL: .visible .entry many_reductions(
// CHECK: ret;
quack.kernel @many_reductions(%x: memref<?x8192xf32> in row, %y: memref<?x8192xf32> out row, %s: memref<?xf32> out scalar) {
  %v = quack.load %x : memref<?x8192xf32> -> tensor<8192xf32>
  %a = quack.reduce addf %v : tensor<8192xf32> -> f32
  %b = quack.reduce maximumf %v : tensor<8192xf32> -> f32
  %c = quack.reduce minimumf %v : tensor<8192xf32> -> f32
  %q = arith.mulf %v, %v : tensor<8192xf32>
  %d = quack.reduce addf %q : tensor<8192xf32> -> f32
  %e = quack.reduce mulf %v : tensor<8192xf32> -> f32
  %0 = arith.addf %a, %b : f32
  %1 = arith.addf %c, %d : f32
  %2 = arith.addf %0, %1 : f32
  %3 = arith.addf %2, %e : f32
  %row = quack.broadcast %3 : f32 -> tensor<8192xf32>
  %4 = arith.subf %v, %row : tensor<8192xf32>
  %f = quack.reduce maxnumf %4 init %a : tensor<8192xf32> -> f32
  quack.store %f, %s : f32, memref<?xf32>
  quack.store %4, %y : tensor<8192xf32>, memref<?x8192xf32>
}
