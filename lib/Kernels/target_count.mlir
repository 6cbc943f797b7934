// How many targets are not ignored: torch's divisor of the mean of cross_entropy's losses
// where classes have no weights. The targets may lie in rows of any N; rows of one column
// serve any number of them. Exact up to 2^24 targets.
quack.kernel @target_count(%target: memref<?x?xi64> in row, %divisor: memref<f32> out single,
                           %ignore_index: i64 optional -100) {
  %t = quack.load %target : memref<?x?xi64> -> tensor<?xi64>
  %ignored = quack.broadcast %ignore_index : i64 -> tensor<?xi64>
  %counts = arith.cmpi ne, %t, %ignored : tensor<?xi64>
  %ones = arith.uitofp %counts : tensor<?xi1> to tensor<?xf32>
  %count = quack.reduce addf %ones : tensor<?xf32> -> f32
  quack.accumulate %count, %divisor : f32, memref<f32>
}
