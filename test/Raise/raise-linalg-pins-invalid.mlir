// RUN: quack-opt %s --split-input-file --quack-raise-linalg --verify-diagnostics

// What a program pins and cannot have is an error, and no kernel without it.

func.func @fields(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{pin 'threads = 63': plan field 'threads' must be a multiple of 32 from 32 to 1024, got 63; nearest legal: 32, 64}}
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x64xf32>) outs(%init : tensor<8xf32>) dimensions = [1] {quack.pin = "threads = 63"}
  return %max : tensor<8xf32>
}

// -----

func.func @no_string(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{'linalg.reduce' op 'quack.pin' must be a string of plan fields, such as "cluster = 8", got 8 : i64}}
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x64xf32>) outs(%init : tensor<8xf32>) dimensions = [1] {quack.pin = 8}
  return %max : tensor<8xf32>
}

// -----

func.func @no_plan(%x: tensor<8x65536xf32>) -> tensor<8xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{'linalg.reduce' op pins a plan that cannot be: 'quack.kernel' op has no legal plan for N = 65536 with threads_per_row = 32, cluster = 1: a thread must hold at most 128 elements (its code is unrolled), got 2048}}
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x65536xf32>) outs(%init : tensor<8xf32>) dimensions = [1] {quack.pin = "threads_per_row = 32, cluster = 1"}
  return %max : tensor<8xf32>
}

// -----

func.func @conflict(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %least = arith.constant 0xFF800000 : f32
  %number = tensor.empty() : tensor<8xf32>
  %row = tensor.empty() : tensor<8x64xf32>
  %init = linalg.fill ins(%least : f32) outs(%number : tensor<8xf32>) -> tensor<8xf32>
  // expected-note @below {{pinned here}}
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<8x64xf32>) outs(%init : tensor<8xf32>) dimensions = [1] {quack.pin = "threads = 64, cluster = 1"}
  %spread = linalg.broadcast ins(%max : tensor<8xf32>) outs(%row : tensor<8x64xf32>) dimensions = [1]
  // expected-error @below {{'linalg.sub' op 'quack.pin' says threads = 128, but threads = 64 is pinned of the same kernel: both are raised to one; pin it once}}
  %d = linalg.sub {quack.pin = "threads = 128"} ins(%x, %spread : tensor<8x64xf32>, tensor<8x64xf32>) outs(%row : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}
