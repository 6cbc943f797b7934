// RUN: quack-opt %s --convert-quack-to-quack-tv | FileCheck %s --implicit-check-not="quack.{{[a-z]}}"

// How an operand is held decides what each pass does. Pass 0 needs no reduction,
// pass 1 the sum.

#registers = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8, hold = {x = registers}, load = {x = no_allocate}, store = {y = streaming}>
#packed = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8, hold = {x = packed}>
#async = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8, hold = {x = async}>
#bulk = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8, hold = {x = bulk}>
#reload = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8, hold = {x = reload}, load = {x = evict_first}>
#kept = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8, hold = {x = reload}, kept = 8>
#none = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 8>

// CHECK-DAG: #[[$T:.*]] = #quack_tv.layout<lane = [32:8], value = [8:1]>
// CHECK-DAG: #[[$R:.*]] = #quack_tv.layout<lane = [32:0]>

// One load, one widening, whose value waits for pass 1. The policies of the plan
// stand at the accesses.
// CHECK-LABEL: quack_tv.kernel @registers(%x: memref<?x256xbf16> in row, %y: memref<?x256xbf16> out row)
// CHECK-NEXT: %[[P:.*]] = quack_tv.load %x policy no_allocate : memref<?x256xbf16> -> tensor<1x256xbf16, #[[$T]]>
// CHECK-NEXT: %[[V:.*]] = arith.extf %[[P]] : tensor<1x256xbf16, #[[$T]]> to tensor<1x256xf32, #[[$T]]>
// CHECK-NEXT: %[[S:.*]] = quack_tv.reduce addf %[[V]] : tensor<1x256xf32, #[[$T]]>
// CHECK-NEXT: %[[B:.*]] = quack_tv.broadcast %[[S]] : tensor<1x1xf32, #[[$R]]> -> tensor<1x256xf32, #[[$T]]>
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[V]], %[[B]] : tensor<1x256xf32, #[[$T]]>
// CHECK-NEXT: %[[N:.*]] = arith.truncf %[[D]] : tensor<1x256xf32, #[[$T]]> to tensor<1x256xbf16, #[[$T]]>
// CHECK-NEXT: quack_tv.store %[[N]], %y policy streaming
// CHECK-NEXT: }
quack.kernel @registers(%x: memref<?x256xbf16> in row, %y: memref<?x256xbf16> out row) plan #registers {
  %v = quack.load %x : memref<?x256xbf16> -> tensor<256xf32>
  %s = quack.reduce addf %v : tensor<256xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<256xf32>
  %d = arith.subf %v, %b : tensor<256xf32>
  quack.store %d, %y : tensor<256xf32>, memref<?x256xbf16>
}

// Not pinned: registers.
// CHECK-LABEL: quack_tv.kernel @not_pinned
// CHECK-NEXT: quack_tv.load %x :
// CHECK-NEXT: quack_tv.reduce
// CHECK-NEXT: quack_tv.store %{{.*}}, %y :
quack.kernel @not_pinned(%x: memref<?x256xf32> in row, %y: memref<?xf32> out scalar) plan #none {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  %s = quack.reduce addf %v : tensor<256xf32> -> f32
  quack.store %s, %y : f32, memref<?xf32>
}

// One load; each pass widens its words anew, and what depends on it is computed
// again.
// CHECK-LABEL: quack_tv.kernel @packed
// CHECK-NEXT: %[[P:.*]] = quack_tv.load %x : memref<?x256xf16>
// CHECK-NEXT: %[[V0:.*]] = quack_tv.widen %[[P]] pass 0
// CHECK-NEXT: %[[Q0:.*]] = arith.mulf %[[V0]], %[[V0]]
// CHECK-NEXT: %[[S:.*]] = quack_tv.reduce addf %[[Q0]]
// CHECK-NEXT: %[[V1:.*]] = quack_tv.widen %[[P]] pass 1
// CHECK-NEXT: %[[Q1:.*]] = arith.mulf %[[V1]], %[[V1]]
// CHECK-NEXT: %[[B:.*]] = quack_tv.broadcast %[[S]]
// CHECK-NEXT: arith.subf %[[Q1]], %[[B]]
quack.kernel @packed(%x: memref<?x256xf16> in row, %y: memref<?x256xf32> out row) plan #packed {
  %v = quack.load %x : memref<?x256xf16> -> tensor<256xf32>
  %q = arith.mulf %v, %v : tensor<256xf32>
  %s = quack.reduce addf %q : tensor<256xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<256xf32>
  %d = arith.subf %q, %b : tensor<256xf32>
  quack.store %d, %y : tensor<256xf32>, memref<?x256xf32>
}

// What is not 16 bits wide, or not widened, is no packed float.
// CHECK-LABEL: quack_tv.kernel @packed_f32
// CHECK-NOT: quack_tv.widen
// CHECK: quack_tv.store
quack.kernel @packed_f32(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #packed {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  quack.store %v, %y : tensor<256xf32>, memref<?x256xf32>
}
// CHECK-LABEL: quack_tv.kernel @packed_not_widened
// CHECK-NOT: quack_tv.widen
// CHECK: quack_tv.store
quack.kernel @packed_not_widened(%x: memref<?x256xf16> in row, %y: memref<?x256xf16> out row) plan #packed {
  %v = quack.load %x : memref<?x256xf16> -> tensor<256xf16>
  quack.store %v, %y : tensor<256xf16>, memref<?x256xf16>
}

// One copy to shared memory; each pass reads it. The same by bulk copy.
// CHECK-LABEL: quack_tv.kernel @async
// CHECK-NEXT: %[[S:.*]] = quack_tv.stage %x by async : memref<?x256xbf16> -> !quack_tv.staged<tensor<1x256xbf16, #[[$T]]>>
// CHECK-NEXT: %[[P0:.*]] = quack_tv.read %[[S]] pass 0
// CHECK-NEXT: %[[V0:.*]] = arith.extf %[[P0]]
// CHECK-NEXT: quack_tv.reduce addf %[[V0]]
// CHECK-NEXT: %[[P1:.*]] = quack_tv.read %[[S]] pass 1
// CHECK-NEXT: arith.extf %[[P1]]
quack.kernel @async(%x: memref<?x256xbf16> in row, %y: memref<?x256xbf16> out row) plan #async {
  %v = quack.load %x : memref<?x256xbf16> -> tensor<256xf32>
  %s = quack.reduce addf %v : tensor<256xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<256xf32>
  %d = arith.subf %v, %b : tensor<256xf32>
  quack.store %d, %y : tensor<256xf32>, memref<?x256xbf16>
}
// CHECK-LABEL: quack_tv.kernel @bulk
// CHECK-NEXT: %[[S:.*]] = quack_tv.stage %x by bulk
// CHECK-NEXT: quack_tv.read %[[S]] pass 0
// CHECK: quack_tv.reduce
quack.kernel @bulk(%x: memref<?x256xbf16> in row, %y: memref<?xf32> out scalar) plan #bulk {
  %v = quack.load %x : memref<?x256xbf16> -> tensor<256xf32>
  %s = quack.reduce addf %v : tensor<256xf32> -> f32
  quack.store %s, %y : f32, memref<?xf32>
}

// Global memory is read in each pass, at its use.
// CHECK-LABEL: quack_tv.kernel @reload
// CHECK-NEXT: %[[V0:.*]] = quack_tv.load %x policy evict_first pass 0 at_use
// CHECK-NEXT: quack_tv.reduce addf %[[V0]]
// CHECK-NEXT: %[[V1:.*]] = quack_tv.load %x policy evict_first pass 1 at_use
// CHECK-NEXT: %[[B:.*]] = quack_tv.broadcast
// CHECK-NEXT: arith.subf %[[V1]], %[[B]]
quack.kernel @reload(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #reload {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  %s = quack.reduce addf %v : tensor<256xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<256xf32>
  %d = arith.subf %v, %b : tensor<256xf32>
  quack.store %d, %y : tensor<256xf32>, memref<?x256xf32>
}

// The first pass puts what is kept into shared memory, the next reads it there.
// CHECK-LABEL: quack_tv.kernel @kept
// CHECK-NEXT: quack_tv.load %x pass 0 at_use kept 8 :
// CHECK: quack_tv.load %x pass 1 at_use kept 8 :
quack.kernel @kept(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #kept {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  %s = quack.reduce addf %v : tensor<256xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<256xf32>
  %d = arith.subf %v, %b : tensor<256xf32>
  quack.store %d, %y : tensor<256xf32>, memref<?x256xf32>
}

// An operand that is loaded twice is read once.
// CHECK-LABEL: quack_tv.kernel @loaded_twice
// CHECK: quack_tv.load %x
// CHECK-NOT: quack_tv.load
// CHECK: }
quack.kernel @loaded_twice(%x: memref<?x256xf32> in row, %y: memref<?x256xf32> out row) plan #registers {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  %w = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
  %d = arith.mulf %v, %w : tensor<256xf32>
  quack.store %d, %y : tensor<256xf32>, memref<?x256xf32>
}
