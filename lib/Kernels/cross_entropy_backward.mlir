// The gradient of cross_entropy, and the loss in the same pass if wanted; dx may lie where
// x does. The row's normaliser is computed again, as the read of x that it needs is needed
// anyway: an lse in f32 does not hold log N beside a large common offset.
//
//     dx = dloss * ((1 - s) * w[t] * (p - onehot(t)) + s / N * (sum(w) * p - w)
//                   + 2 * z * lse * p) * (1 - tanh(x / cap)^2)
//
// with p = softmax(v); 0 in rows whose target is ignored. Of the mean of the losses, which
// cross_entropy calls total, each row's dloss is total's, divided by divisor.
quack.kernel @cross_entropy_backward(%x: memref<?x?xf32> in row, %target: memref<?xi64> in scalar,
                                     %weight: memref<?xf32> in columns optional 1.0,
                                     %dloss: memref<?xf32> in scalar optional 1.0,
                                     %dx: memref<?x?xf32> out row,
                                     %loss: memref<?xf32> out scalar optional,
                                     %lse: memref<?xf32> out scalar optional,
                                     %divisor: memref<f32> in single optional 1.0,
                                     %total: memref<f32> out single optional,
                                     %ignore_index: i64 optional -100,
                                     %smoothing: f32 optional 0.0,
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

  %g_given = quack.load %dloss : memref<?xf32> -> f32
  %g = arith.divf %g_given, %parts : f32
  %sum_row = quack.broadcast %sum : f32 -> tensor<?xf32>
  %p = arith.divf %e, %sum_row : tensor<?xf32>

  // How much of p there is in dx: of the target's term, of all terms, of the z-loss.
  %w_kept = arith.mulf %keep, %w_target : f32
  %w_own = arith.select %is_smooth, %w_kept, %w_target : f32
  %w_sum = quack.reduce addf %w : tensor<?xf32> -> f32
  %w_shared = arith.mulf %share, %w_sum : f32
  %w_both = arith.addf %w_own, %w_shared : f32
  %w_all = arith.select %is_smooth, %w_both, %w_own : f32
  %two_z = arith.addf %z_loss, %z_loss : f32
  %of_z = arith.mulf %two_z, %l : f32
  %w_with_z = arith.addf %w_all, %of_z : f32
  %w_p = arith.select %is_z, %w_with_z, %w_all : f32

  %w_p_row = quack.broadcast %w_p : f32 -> tensor<?xf32>
  %of_p = arith.mulf %p, %w_p_row : tensor<?xf32>
  %t_low = arith.trunci %t : i64 to i32
  %t_row = quack.broadcast %t_low : i32 -> tensor<?xi32>
  %column = quack.index : tensor<?xi32>
  %is_target = arith.cmpi eq, %column, %t_row : tensor<?xi32>
  %w_own_row = quack.broadcast %w_own : f32 -> tensor<?xf32>
  %less_own = arith.subf %of_p, %w_own_row : tensor<?xf32>
  %d_own = arith.select %is_target, %less_own, %of_p : tensor<?xi1>, tensor<?xf32>
  %share_row = quack.broadcast %share : f32 -> tensor<?xf32>
  %w_share = arith.mulf %w, %share_row : tensor<?xf32>
  %d_less = arith.subf %d_own, %w_share : tensor<?xf32>
  %d_smooth = arith.select %is_smooth, %d_less, %d_own : tensor<?xf32>

  // Through the soft cap: 1 - tanh^2 = (1 - tanh) * (1 + tanh).
  %one_row = quack.broadcast %one : f32 -> tensor<?xf32>
  %below = arith.subf %one_row, %tanh : tensor<?xf32>
  %above = arith.addf %one_row, %tanh : tensor<?xf32>
  %slope = arith.mulf %below, %above : tensor<?xf32>
  %d_squeezed = arith.mulf %d_smooth, %slope : tensor<?xf32>
  %d = arith.select %is_capped, %d_squeezed, %d_smooth : tensor<?xf32>

  %g_row = quack.broadcast %g : f32 -> tensor<?xf32>
  %d_given = arith.mulf %d, %g_row : tensor<?xf32>
  %zero_row = quack.broadcast %zero : f32 -> tensor<?xf32>
  %gradient = arith.select %is_ignored, %zero_row, %d_given : tensor<?xf32>
  quack.store %gradient, %dx : tensor<?xf32>, memref<?x?xf32>
}
