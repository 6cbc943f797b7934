// The sum of w[t] over targets t that are not ignored: torch's divisor of the mean of
// cross_entropy's losses where classes have weights. The weights are a row of which all
// rows have the same, with a row stride of 0; of it, w[t] alone is read. A target that is
// no class, and is not ignored, gives NaN.
quack.kernel @target_weights(%target: memref<?xi64> in scalar, %weight: memref<?x?xf32> in row,
                             %divisor: memref<f32> out single,
                             %ignore_index: i64 optional -100) {
  %t = quack.load %target : memref<?xi64> -> i64
  %nan = arith.constant 0x7FC00000 : f32
  %zero = arith.constant 0.0 : f32
  %w = quack.load %weight : memref<?x?xf32> -> tensor<?xf32>
  %of_target = quack.extract %w[%t : i64] else %nan : tensor<?xf32>
  %is_ignored = arith.cmpi eq, %t, %ignore_index : i64
  %counted = arith.select %is_ignored, %zero, %of_target : f32
  quack.accumulate %counted, %divisor : f32, memref<f32>
}
