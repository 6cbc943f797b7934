// RUN: quack-opt %s --split-input-file --verify-diagnostics

func.func @warp_reduce_c1_no_value() {
  // expected-error @below {{'quack_tv.warp_reduce' op must combine at least one value}}
  "quack_tv.warp_reduce"() <{kinds = [], identities = []}> ({}) : () -> ()
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c1_no_kind(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op must have one kind for each of its 1 values, or a combiner and no kind; got 0 kinds}}
  %0 = quack_tv.warp_reduce combine %v : tensor<1x32xf32, #thread>
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c1_too_many_kinds(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op must have one kind for each of its 1 values, or a combiner and no kind; got 2 kinds}}
  %0 = quack_tv.warp_reduce addf, mulf %v : tensor<1x32xf32, #thread>
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c1_kind_and_combiner(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op must have one kind for each of its 1 values, or a combiner and no kind; got 1 kinds and a combiner}}
  %0 = quack_tv.warp_reduce addf %v : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
    quack_tv.yield %l : f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c2_kind(%v: tensor<1x32xi32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op kind addf must not be used on 'i32': kinds that end in f take floats, the others integers}}
  %0 = quack_tv.warp_reduce addf %v : tensor<1x32xi32, #thread>
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
#row = #quack_tv.layout<lane = [32:0]>
func.func @warp_reduce_c3_two_layouts(%v: tensor<1x32xf32, #thread>, %r: tensor<1x1xf32, #row>) {
  // expected-error @below {{'quack_tv.warp_reduce' op sources must share one shape and layout, got 'tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>' and 'tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>'}}
  %0:2 = quack_tv.warp_reduce addf, addf %v, %r : tensor<1x32xf32, #thread>, tensor<1x1xf32, #row>
  return
}

// -----

func.func @warp_reduce_c3_no_layout(%v: tensor<1x32xf32>) {
  // expected-error @below {{'quack_tv.warp_reduce' op 'sources' must be a tile with a quack_tv.layout, got 'tensor<1x32xf32>'}}
  %0 = "quack_tv.warp_reduce"(%v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (tensor<1x32xf32>) -> tensor<1x1xf32>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @warp_reduce_c4_values_left(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.warp_reduce' op sources must be reduced over the value level first, got layout lane = [32:4], value = [4:1]}}
  %0 = quack_tv.warp_reduce addf %v : tensor<1x128xf32, #tile>
  return
}

// -----

#thread = #quack_tv.layout<warp = [2:32], lane = [32:1]>
func.func @block_reduce_c4_lanes_left(%v: tensor<1x64xf32, #thread>) {
  // expected-error @below {{'quack_tv.block_reduce' op sources must be reduced over the lane level first, got layout warp = [2:32], lane = [32:1]}}
  %0 = quack_tv.block_reduce addf %v : tensor<1x64xf32, #thread>
  return
}

// -----

#thread = #quack_tv.layout<cta = [2:32], lane = [32:1]>
func.func @cluster_reduce_c4_lanes_left(%v: tensor<1x64xf32, #thread>) {
  // expected-error @below {{'quack_tv.cluster_reduce' op sources must be reduced over the lane level first, got layout cta = [2:32], lane = [32:1]}}
  %0 = quack_tv.cluster_reduce addf %v : tensor<1x64xf32, #thread>
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c5_arguments(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op combiner must take 'f32', 'f32', got 'f32'}}
  %0 = quack_tv.warp_reduce combine %v identity [0.0 : f32] : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32):
    quack_tv.yield %l : f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c5_yield(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op combiner must yield 'f32', got 'f32', 'f32'}}
  %0 = quack_tv.warp_reduce combine %v identity [0.0 : f32] : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
    quack_tv.yield %l, %r : f32, f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c5_no_identity(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op must have one identity for each of 'f32', got []}}
  %0 = quack_tv.warp_reduce combine %v : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
    quack_tv.yield %l : f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c5_identity_of_other_type(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op must have one identity for each of 'f32', got [0 : i32]}}
  %0 = quack_tv.warp_reduce combine %v identity [0 : i32] : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
    quack_tv.yield %l : f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c6_no_yield(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op combiner must end with quack_tv.yield}}
  %0 = quack_tv.warp_reduce combine %v identity [0.0 : f32] : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c6_side_effect(%v: tensor<1x32xf32, #thread>) {
  %0 = quack_tv.warp_reduce combine %v identity [0.0 : f32] : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
    // expected-error @below {{'quack_tv.barrier' op must not stand in a combiner: expected an elementwise or constant operation on scalars without side effects or regions}}
    quack_tv.barrier
    quack_tv.yield %l : f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c6_value_from_outside(%v: tensor<1x32xf32, #thread>, %s: f32) {
  %0 = quack_tv.warp_reduce combine %v identity [0.0 : f32] : tensor<1x32xf32, #thread> {
  ^bb0(%l: f32, %r: f32):
    // expected-error @below {{'quack_tv.yield' op must not use a value from outside its combiner}}
    quack_tv.yield %s : f32
  }
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c7_element(%v: tensor<1x32xf16, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op sources must have element type f32 or i32, got 'f16'}}
  %0 = quack_tv.warp_reduce addf %v : tensor<1x32xf16, #thread>
  return
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_c8_no_result(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{'quack_tv.warp_reduce' op must have one result for each of its 1 values, got 0}}
  "quack_tv.warp_reduce"(%v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (tensor<1x32xf32, #thread>) -> ()
  return
}

// -----

#warp = #quack_tv.layout<warp = [2:1], lane = [32:0]>
func.func @block_reduce_c8_result(%v: tensor<1x2xf32, #warp>) {
  // expected-error @below {{'quack_tv.block_reduce' op result must be 'tensor<1x1xf32, #quack_tv.layout<warp = [2:0], lane = [32:0]>>', got 'tensor<1x2xf32, #quack_tv.layout<warp = [2:1], lane = [32:0]>>'}}
  %0 = "quack_tv.block_reduce"(%v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (tensor<1x2xf32, #warp>) -> tensor<1x2xf32, #warp>
  return
}

// -----

func.func @yield_outside_a_combiner(%s: f32) {
  // expected-error @below {{'quack_tv.yield' op expects parent op to be one of 'quack_tv.reduce, quack_tv.thread_reduce, quack_tv.warp_reduce, quack_tv.block_reduce, quack_tv.cluster_reduce, quack_tv.grid_reduce, quack_tv.collect, quack_tv.merge'}}
  quack_tv.yield %s : f32
}
