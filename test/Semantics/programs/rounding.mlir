// Where the program rounds, every stage rounds: to bf16 before the weight, as a
// frontend's RMSNorm may; and rows of narrow type are stored as they are.
// RUN: quack-check %s --columns=24 --rows=1,70 --specials %pins_parts_of_warps | FileCheck %s --check-prefix=PARTS
// RUN: quack-check %s --columns=1000,1064 --rows=5 --specials --storage= --storage=bf16 --storage=f16,w:f32 %pins_whole_warps | FileCheck %s --check-prefix=WARPS
// RUN: quack-check %s --columns=2000 --rows=3 --storage=bf16 %pins_clusters | FileCheck %s --check-prefix=CLUSTERS
// RUN: quack-check %s --columns=1064 --rows=5 --storage=bf16 %pins_holds_of_x | FileCheck %s --check-prefix=HOLDS
// PARTS: all equal: 5 runs
// WARPS: all equal: 36 runs
// CLUSTERS: all equal: 7 runs
// HOLDS: all equal: 15 runs
quack.kernel @rounds_before_weight(%x: memref<?x?xf32> in row, %w: memref<?xf32> in columns,
                                   %y: memref<?x?xf32> out row, %eps: f32) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %square = arith.mulf %v, %v : tensor<?xf32>
  %squares = quack.reduce addf %square : tensor<?xf32> -> f32
  %shifted = arith.addf %squares, %eps : f32
  %size = math.absf %shifted : f32
  %scale = math.rsqrt %size : f32
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %unit = arith.mulf %v, %scale_row : tensor<?xf32>
  %narrow = arith.truncf %unit : tensor<?xf32> to tensor<?xbf16>
  %weight = quack.load %w : memref<?xf32> -> tensor<?xf32>
  %narrow_weight = arith.truncf %weight : tensor<?xf32> to tensor<?xbf16>
  %out = arith.mulf %narrow, %narrow_weight : tensor<?xbf16>
  %wide = arith.extf %out : tensor<?xbf16> to tensor<?xf32>
  quack.store %wide, %y : tensor<?xf32>, memref<?x?xf32>
}
