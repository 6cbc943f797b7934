// RUN: quack-opt %s --split-input-file --verify-diagnostics

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @load_policy_unknown(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{expected cached, no_allocate, evict_first or evict_last, got 'streaming'}}
  %0 = quack_tv.load %x policy streaming : memref<?x128xf32> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @store_policy_unknown(%x: memref<?x128xf32> inout row) plan #plan {
  %0 = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{expected write_back, streaming or skip_l1, got 'cached'}}
  quack_tv.store %0, %x policy cached : tensor<1x128xf32, #tile>, memref<?x128xf32>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @stage_form_unknown(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{expected async or bulk, got 'tma'}}
  %0 = quack_tv.stage %x by tma : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

func.func @read_of_a_tile(%v: tensor<1x128xf32>) {
  // expected-error @below {{must be a quack_tv.staged, got 'tensor<1x128xf32>'}}
  %0 = quack_tv.read %v pass 0 : tensor<1x128xf32>
}

// -----

func.func @widen_no_layout(%v: tensor<1x128xbf16>) {
  // expected-error @below {{must be a tile with a quack_tv.layout, got 'tensor<1x128xbf16>'}}
  %0 = quack_tv.widen %v pass 0 : tensor<1x128xbf16>
}

// -----

func.func @thread_reduce_scalar(%v: f32) {
  // expected-error @below {{must be tiles with a quack_tv.layout, got 'f32'}}
  %0 = quack_tv.thread_reduce addf %v : f32
}

// -----

func.func @warp_reduce_no_layout(%v: tensor<1x32xf32>) {
  // expected-error @below {{must be tiles with a quack_tv.layout, got 'tensor<1x32xf32>'}}
  %0 = quack_tv.warp_reduce addf %v : tensor<1x32xf32>
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_kind_unknown(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{expected a reduction kind (addf, mulf, maximumf, minimumf, maxnumf, minnumf, addi, muli, maxsi, minsi, maxui, minui, andi, ori or xori), got 'sum'}}
  %0 = quack_tv.warp_reduce sum %v : tensor<1x32xf32, #thread>
}

// -----

#thread = #quack_tv.layout<lane = [32:1]>
func.func @warp_reduce_one_type_for_two(%v: tensor<1x32xf32, #thread>) {
  // expected-error @below {{number of operands and types do not match: got 2 operands and 1 types}}
  %0:2 = quack_tv.warp_reduce addf, addf %v, %v : tensor<1x32xf32, #thread>
}
