// logsumexp(x) = max x + log sum exp(x - max x), f32 out. An infinite maximum is
// replaced by 0 in the exponent, as in torch: a row of -inf gives -inf, a row with
// +inf gives +inf, a row with NaN gives NaN.
quack.kernel @logsumexp(%x: memref<?x?xf32> in row, %mask: memref<?x?xf32> in row optional -0.0,
                        %lse: memref<?xf32> out scalar, %scale: f32 optional 1.0) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %scale_row = quack.broadcast %scale : f32 -> tensor<?xf32>
  %scaled = arith.mulf %given, %scale_row : tensor<?xf32>
  %m = quack.load %mask : memref<?x?xf32> -> tensor<?xf32>
  %v = arith.addf %scaled, %m : tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %magnitude = math.absf %max : f32
  %inf = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0.0 : f32
  %is_inf = arith.cmpf oeq, %magnitude, %inf : f32
  %shift = arith.select %is_inf, %zero, %max : f32
  %shift_row = quack.broadcast %shift : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %shift_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %log = math.log %sum : f32
  %result = arith.addf %shift, %log : f32
  quack.store %result, %lse : f32, memref<?xf32>
}
