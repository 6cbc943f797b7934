// var(x) = sum (x - mean)^2 / max(0, N - correction), as torch.var: correction is 1 unless
// given. It is the variance of deviations, never a difference of squares. N = 1 gives NaN.
quack.kernel @var(%x: memref<?x?xf32> in row, %y: memref<?xf32> out scalar,
                  %mean: memref<?xf32> out scalar optional, %correction: f32 optional 1.0) {
  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %m, %low, %squares = quack.moments %v : tensor<?xf32>
  quack.store %m, %mean : f32, memref<?xf32>
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %rest = arith.subf %count, %correction : f32
  %zero = arith.constant 0.0 : f32
  %divisor = arith.maximumf %rest, %zero : f32
  %result = arith.divf %squares, %divisor : f32
  quack.store %result, %y : f32, memref<?xf32>
}
