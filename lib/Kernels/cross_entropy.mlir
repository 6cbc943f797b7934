// loss = w[t] * (lse(v) - v[t]) for the row's target t; lse(v) = log sum exp(v), and 0 where
// t = ignore_index. As in torch: class weights w, label smoothing s, with which
// loss = (1 - s) * w[t] * (lse - v[t]) + s / N * sum w * (lse - v). z_loss adds z * lse^2, a
// soft cap makes v = cap * tanh(x / cap) of the logits. Differences are taken before the
// normaliser is added to a large maximum, so that a common offset of the row costs nothing.
//
// total is the sum of loss / divisor over the rows: torch's reduction sum, and mean where
// divisor is what target_count or target_weights finds; NaN where that is 0. weight_sum is
// that divisor, too, for the gradient: the sum of w[t] over rows that are not ignored.
quack.kernel @cross_entropy(%x: memref<?x?xf32> in row, %target: memref<?xi64> in scalar,
                            %weight: memref<?xf32> in columns optional 1.0,
                            %loss: memref<?xf32> out scalar,
                            %lse: memref<?xf32> out scalar optional,
                            %divisor: memref<f32> in single optional 1.0,
                            %total: memref<f32> out single optional,
                            %weight_sum: memref<f32> out single optional,
                            %ignore_index: i64 optional -100, %smoothing: f32 optional 0.0,
                            %z_loss: f32 optional 0.0, %cap: f32 optional 0.0) {
  %given = quack.load %x : memref<?x?xf32> -> tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %is_capped = arith.cmpf ogt, %cap, %zero : f32
  %cap_row = quack.broadcast %cap : f32 -> tensor<?xf32>
  %part = arith.divf %given, %cap_row : tensor<?xf32>
  %tanh = math.tanh %part : tensor<?xf32>
  %squeezed = arith.mulf %tanh, %cap_row : tensor<?xf32>
  %v = arith.select %is_capped, %squeezed, %given : tensor<?xf32>
  %max = quack.reduce maximumf %v : tensor<?xf32> -> f32
  %max_row = quack.broadcast %max : f32 -> tensor<?xf32>
  %shifted = arith.subf %v, %max_row : tensor<?xf32>
  %e = math.exp %shifted : tensor<?xf32>
  %sum = quack.reduce addf %e : tensor<?xf32> -> f32
  %log = math.log %sum : f32
  %l = arith.addf %max, %log : f32
  quack.store %l, %lse : f32, memref<?xf32>

  // The target's own term. A target that is no column, and is not ignored, gives NaN.
  %t = quack.load %target : memref<?xi64> -> i64
  %is_ignored = arith.cmpi eq, %t, %ignore_index : i64
  %w = quack.load %weight : memref<?xf32> -> tensor<?xf32>
  %w_target = quack.extract %w[%t : i64] else %nan : tensor<?xf32>
  %s_target = quack.extract %shifted[%t : i64] else %nan : tensor<?xf32>
  %nll = arith.subf %log, %s_target : f32
  %own = arith.mulf %w_target, %nll : f32

  // Label smoothing: all columns' terms, weighted, in equal shares.
  %is_smooth = arith.cmpf ogt, %smoothing, %zero : f32
  %n = quack.columns : i32
  %count = arith.sitofp %n : i32 to f32
  %share = arith.divf %smoothing, %count : f32
  %keep = arith.subf %one, %smoothing : f32
  %log_row = quack.broadcast %log : f32 -> tensor<?xf32>
  %nll_row = arith.subf %log_row, %shifted : tensor<?xf32>
  %weighted = arith.mulf %w, %nll_row : tensor<?xf32>
  %all = quack.reduce addf %weighted : tensor<?xf32> -> f32
  %others = arith.mulf %share, %all : f32
  %kept = arith.mulf %keep, %own : f32
  %smooth = arith.addf %kept, %others : f32
  %plain = arith.select %is_smooth, %smooth, %own : f32

  // z-loss keeps the normaliser near 1.
  %is_z = arith.cmpf ogt, %z_loss, %zero : f32
  %l_squared = arith.mulf %l, %l : f32
  %z = arith.mulf %z_loss, %l_squared : f32
  %with_z = arith.addf %plain, %z : f32
  %whole = arith.select %is_z, %with_z, %plain : f32
  %result = arith.select %is_ignored, %zero, %whole : f32
  quack.store %result, %loss : f32, memref<?xf32>
  %parts = quack.load %divisor : memref<f32> -> f32
  %part_of_total = arith.divf %result, %parts : f32
  quack.accumulate %part_of_total, %total : f32, memref<f32>
  %w_counted = arith.select %is_ignored, %zero, %w_target : f32
  quack.accumulate %w_counted, %weight_sum : f32, memref<f32>
}
