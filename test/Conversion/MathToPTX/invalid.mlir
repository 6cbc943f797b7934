// RUN: quack-opt %s --quack-lower-math --split-input-file --verify-diagnostics

func.func @no_formula(%x: f32) -> f32 {
  // expected-error @below {{'math.atan' op is not supported by quack-lower-math on 'f32'}}
  %0 = math.atan %x : f32
  return %0 : f32
}

// -----

func.func @no_formula_in_f64(%x: f64) -> f64 {
  // expected-error @below {{'math.exp' op is not supported by quack-lower-math on 'f64'}}
  %0 = math.exp %x : f64
  return %0 : f64
}

// -----

func.func @rank_2(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  // expected-error @below {{'math.sin' op is not supported by quack-lower-math on 'vector<2x4xf32>'}}
  %0 = math.sin %x : vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

// -----

func.func @tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'math.absf' op is not supported by quack-lower-math on 'tensor<4xf32>'}}
  %0 = math.absf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @remainder(%x: f32) -> f32 {
  // expected-error @below {{'arith.remf' op is not supported: PTX has no floating-point remainder}}
  %0 = arith.remf %x, %x : f32
  return %0 : f32
}
