// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// await, read
//===----------------------------------------------------------------------===//

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @await_c1_not_a_stage(%s: !quack_tv.staged<tensor<1x128xf32, #tile>>) {
  // expected-error @below {{'quack_tv.await' op 'staged' must be the result of a quack_tv.stage}}
  quack_tv.await %s : !quack_tv.staged<tensor<1x128xf32, #tile>>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @read_c1_not_a_stage(%s: !quack_tv.staged<tensor<1x128xf32, #tile>>) {
  // expected-error @below {{'quack_tv.read' op 'staged' must be the result of a quack_tv.stage}}
  %0 = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x128xf32, #tile>>
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @read_c2_other_tile(%x: memref<?x128xf32> in row) plan #plan {
  %s = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
  // expected-error @below {{'quack_tv.read' op result must be the staged tile 'tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>', got 'tensor<1x128xi32, #quack_tv.layout<lane = [32:4], value = [4:1]>>'}}
  %0 = "quack_tv.read"(%s) <{pass = 0 : i64}> : (!quack_tv.staged<tensor<1x128xf32, #tile>>) -> tensor<1x128xi32, #tile>
}

// -----

//===----------------------------------------------------------------------===//
// widen, mask, broadcast
//===----------------------------------------------------------------------===//

func.func @widen_no_layout(%v: tensor<1x128xbf16>) {
  // expected-error @below {{'quack_tv.widen' op 'source' must be a tile with a quack_tv.layout, got 'tensor<1x128xbf16>'}}
  %0 = "quack_tv.widen"(%v) <{pass = 0 : i64}> : (tensor<1x128xbf16>) -> tensor<1x128xf32>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @widen_c1_f32(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.widen' op source must have element type bf16, f16, f8E4M3FN or f8E5M2, got 'f32'}}
  %0 = quack_tv.widen %v pass 0 : tensor<1x128xf32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @widen_c2_result(%v: tensor<1x128xf16, #tile>) {
  // expected-error @below {{'quack_tv.widen' op result must be 'tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>', got 'tensor<1x128xf64, #quack_tv.layout<lane = [32:4], value = [4:1]>>'}}
  %0 = "quack_tv.widen"(%v) <{pass = 0 : i64}> : (tensor<1x128xf16, #tile>) -> tensor<1x128xf64, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @narrow_c1_source(%v: tensor<1x128xf16, #tile>) {
  // expected-error @below {{'quack_tv.narrow' op must narrow f32 to f8E4M3FN or f8E5M2, got 'f16' and 'f8E5M2'}}
  %0 = quack_tv.narrow %v : tensor<1x128xf16, #tile> -> tensor<1x128xf8E5M2, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @narrow_c1_result(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.narrow' op must narrow f32 to f8E4M3FN or f8E5M2, got 'f32' and 'bf16'}}
  %0 = quack_tv.narrow %v : tensor<1x128xf32, #tile> -> tensor<1x128xbf16, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#other = #quack_tv.layout<lane = [32:1], value = [4:32]>
func.func @narrow_c2_layout(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.narrow' op result must be 'tensor<1x128xf8E4M3FN, #quack_tv.layout<lane = [32:4], value = [4:1]>>', got 'tensor<1x128xf8E4M3FN, #quack_tv.layout<lane = [32:1], value = [4:32]>>'}}
  %0 = quack_tv.narrow %v : tensor<1x128xf32, #tile> -> tensor<1x128xf8E4M3FN, #other>
  return
}

// -----

func.func @mask_no_layout(%v: tensor<?x128xf32>) {
  // expected-error @below {{'quack_tv.mask' op 'source' must be a tile with a quack_tv.layout, got 'tensor<?x128xf32>'}}
  %0 = quack_tv.mask %v from 8 identity 0.0 : f32 : tensor<?x128xf32>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @mask_c1_identity(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.mask' op 'identity' must be 'f32', got 'i32'}}
  %0 = quack_tv.mask %v from 8 identity 0 : i32 : tensor<1x128xf32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @mask_c2_no_column(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.mask' op 'columns' must be 1 to the tile's 128, got 0}}
  %0 = quack_tv.mask %v from 0 identity 0.0 : f32 : tensor<1x128xf32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @mask_c2_too_many_columns(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.mask' op 'columns' must be 1 to the tile's 128, got 129}}
  %0 = quack_tv.mask %v from 129 identity 0.0 : f32 : tensor<1x128xf32, #tile>
  return
}

// -----

func.func @broadcast_no_layout(%s: f32) {
  // expected-error @below {{'quack_tv.broadcast' op 'result' must be a tile with a quack_tv.layout, got 'tensor<1x128xf32>'}}
  %0 = quack_tv.broadcast %s : f32 -> tensor<1x128xf32>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @broadcast_c1_element(%s: f32) {
  // expected-error @below {{'quack_tv.broadcast' op result must have element type 'f32', got 'i32'}}
  %0 = quack_tv.broadcast %s : f32 -> tensor<1x128xi32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#other = #quack_tv.layout<warp = [2:0], lane = [32:0]>
func.func @broadcast_c2_other_threads(%s: tensor<1x1xf32, #other>) {
  // expected-error @below {{'quack_tv.broadcast' op source must be a reduction of 'tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>' along its columns, got 'tensor<1x1xf32, #quack_tv.layout<warp = [2:0], lane = [32:0]>>'}}
  %0 = quack_tv.broadcast %s : tensor<1x1xf32, #other> -> tensor<1x128xf32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @broadcast_c2_no_layout(%s: tensor<1x1xf32>) {
  // expected-error @below {{'quack_tv.broadcast' op source must be a reduction of 'tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>' along its columns, got 'tensor<1x1xf32>'}}
  %0 = quack_tv.broadcast %s : tensor<1x1xf32> -> tensor<1x128xf32, #tile>
  return
}

// -----

//===----------------------------------------------------------------------===//
// reduce, thread_reduce
//===----------------------------------------------------------------------===//

func.func @reduce_no_layout(%v: tensor<1x128xf32>) {
  // expected-error @below {{must be tiles with a quack_tv.layout, got 'tensor<1x128xf32>'}}
  %0 = quack_tv.reduce addf %v : tensor<1x128xf32>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#row = #quack_tv.layout<lane = [32:0]>
func.func @reduce_c1_kind(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.reduce' op kind addi must not be used on 'f32': kinds that end in f take floats, the others integers}}
  %0 = quack_tv.reduce addi %v : tensor<1x128xf32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
#thread = #quack_tv.layout<lane = [32:1]>
func.func @reduce_c2_result(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.reduce' op result must be 'tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>', got 'tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>'}}
  %0 = "quack_tv.reduce"(%v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (tensor<1x128xf32, #tile>) -> tensor<1x32xf32, #thread>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @index_c1_element() {
  // expected-error @below {{'quack_tv.index' op result must have element type i32, got 'f32'}}
  %0 = quack_tv.index : tensor<1x128xf32, #tile>
  return
}

// -----

func.func @thread_reduce_no_layout(%v: tensor<1x128xf32>) {
  // expected-error @below {{'quack_tv.thread_reduce' op 'sources' must be a tile with a quack_tv.layout, got 'tensor<1x128xf32>'}}
  %0 = "quack_tv.thread_reduce"(%v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (tensor<1x128xf32>) -> tensor<1x32xf32>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @thread_reduce_c1_kind(%v: tensor<1x128xi32, #tile>) {
  // expected-error @below {{'quack_tv.thread_reduce' op kind addf must not be used on 'i32': kinds that end in f take floats, the others integers}}
  %0 = quack_tv.thread_reduce addf %v : tensor<1x128xi32, #tile>
  return
}

// -----

#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
func.func @thread_reduce_c2_result(%v: tensor<1x128xf32, #tile>) {
  // expected-error @below {{'quack_tv.thread_reduce' op result must be 'tensor<1x32xf32, #quack_tv.layout<lane = [32:1]>>', got 'tensor<1x128xf32, #quack_tv.layout<lane = [32:4], value = [4:1]>>'}}
  %0 = "quack_tv.thread_reduce"(%v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (tensor<1x128xf32, #tile>) -> tensor<1x128xf32, #tile>
  return
}
