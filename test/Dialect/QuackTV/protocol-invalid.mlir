// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// The cluster's barrier
//===----------------------------------------------------------------------===//

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
// expected-error @below {{'quack_tv.kernel' op each cluster_arrive must be followed by a cluster_wait, got one more arrive}}
quack_tv.kernel @kernel_c4_arrive_at_the_end(%x: memref<?x64xf32> in row) plan #pair {
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  quack_tv.cluster_arrive
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c4_two_arrives(%x: memref<?x64xf32> in row) plan #pair {
  quack_tv.cluster_arrive
  // expected-error @below {{'quack_tv.cluster_arrive' op must not follow a cluster_arrive without a cluster_wait between}}
  quack_tv.cluster_arrive
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c4_wait_first(%x: memref<?x64xf32> in row) plan #pair {
  // expected-error @below {{'quack_tv.cluster_wait' op must follow a cluster_arrive}}
  quack_tv.cluster_wait
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c4_second_wait(%x: memref<?x64xf32> in row) plan #pair {
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  // expected-error @below {{'quack_tv.cluster_wait' op must follow a cluster_arrive}}
  quack_tv.cluster_wait
}

// -----

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#ctas = #quack_tv.layout<cta = [2:1], lane = [32:0]>
quack_tv.kernel @kernel_c5_peers_not_ready(%x: memref<?x2xf32> in row) plan #pair {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #ctas>
  quack_tv.cluster_init barriers [8] expect [8]
  quack_tv.cluster_arrive
  %b = quack_tv.alloc_exchange at 0 bytes 8 barrier 8
  // expected-error @below {{'quack_tv.publish' op to peers must come after a cluster_wait: their mbarriers may not be initialised yet}}
  quack_tv.publish %v to %b : tensor<1x2xf32, #ctas>
  quack_tv.cluster_wait
}

// -----

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4>
#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c5_buffer_used_twice(%x: memref<?x2xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #warps>
  %b = quack_tv.alloc_exchange at 0 bytes 8
  quack_tv.publish %v to %b : tensor<1x2xf32, #warps>
  quack_tv.barrier
  %s = quack_tv.collect addf %b, %v : tensor<1x2xf32, #warps> -> tensor<1x1xf32, #row>
  // expected-error @below {{'quack_tv.publish' op must be the only one to its buffer, which may still be read: allocate another}}
  quack_tv.publish %v to %b : tensor<1x2xf32, #warps>
}

// -----

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 4>
#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c5_no_barrier(%x: memref<?x2xf32> in row) plan #plan {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #warps>
  %b = quack_tv.alloc_exchange at 0 bytes 8
  quack_tv.barrier
  quack_tv.publish %v to %b : tensor<1x2xf32, #warps>
  // expected-error @below {{'quack_tv.collect' op must come after the barrier that follows the publish to its buffer}}
  %s = quack_tv.collect addf %b, %v : tensor<1x2xf32, #warps> -> tensor<1x1xf32, #row>
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#ctas = #quack_tv.layout<cta = [2:1], lane = [32:0]>
#row = #quack_tv.layout<cta = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c5_barrier_does_not_wait_for_peers(%x: memref<?x2xf32> in row) plan #pair {
  %v = quack_tv.load %x : memref<?x2xf32> -> tensor<1x2xf32, #ctas>
  quack_tv.cluster_init barriers [8] expect [8]
  quack_tv.cluster_arrive
  %b = quack_tv.alloc_exchange at 0 bytes 8 barrier 8
  quack_tv.cluster_wait
  quack_tv.publish %v to %b : tensor<1x2xf32, #ctas>
  quack_tv.barrier
  // expected-error @below {{'quack_tv.collect' op must come after the exchange_wait that follows the publish to its buffer}}
  %s = quack_tv.collect addf %b, %v : tensor<1x2xf32, #ctas> -> tensor<1x1xf32, #row>
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c5_wait_without_publish(%x: memref<?x2xf32> in row) plan #pair {
  quack_tv.cluster_init barriers [8] expect [8]
  %b = quack_tv.alloc_exchange at 0 bytes 8 barrier 8
  // expected-error @below {{'quack_tv.exchange_wait' op must follow the publish to its buffer}}
  quack_tv.exchange_wait %b
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack_tv.kernel @exchange_wait_c1_no_mbarrier(%x: memref<?x2xf32> in row) plan #plan {
  %b = quack_tv.alloc_exchange at 0 bytes 8
  // expected-error @below {{'quack_tv.exchange_wait' op buffer must have an mbarrier: use quack_tv.barrier for a buffer of one CTA}}
  quack_tv.exchange_wait %b
}

// -----

func.func @publish_c1_no_value(%b: !quack_tv.exchange) {
  // expected-error @below {{'quack_tv.publish' op must publish at least one value}}
  "quack_tv.publish"(%b) : (!quack_tv.exchange) -> ()
  return
}

// -----

func.func @publish_c1_no_layout(%b: !quack_tv.exchange, %v: tensor<1x2xf32>) {
  // expected-error @below {{'quack_tv.publish' op 'values' must be a tile with a quack_tv.layout, got 'tensor<1x2xf32>'}}
  quack_tv.publish %v to %b : tensor<1x2xf32>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
func.func @publish_c1_two_layouts(%b: !quack_tv.exchange, %v: tensor<1x2xf32, #warps>, %r: tensor<1x1xf32, #row>) {
  // expected-error @below {{'quack_tv.publish' op values must share one shape and layout, got 'tensor<1x2xf32, #quack_tv.layout<warp = [2:1], lane = [32:0]>>' and 'tensor<1x1xf32, #quack_tv.layout<warp = [2:0], lane = [32:0]>>'}}
  quack_tv.publish %v, %r to %b : tensor<1x2xf32, #warps>, tensor<1x1xf32, #row>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
func.func @publish_c1_element(%b: !quack_tv.exchange, %v: tensor<1x2xi64, #warps>) {
  // expected-error @below {{'quack_tv.publish' op values must have element type f32 or i32, got 'i64'}}
  quack_tv.publish %v to %b : tensor<1x2xi64, #warps>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
func.func @publish_c2_not_an_alloc(%b: !quack_tv.exchange, %v: tensor<1x2xf32, #warps>) {
  // expected-error @below {{'quack_tv.publish' op 'buffer' must be the result of a quack_tv.alloc_exchange}}
  quack_tv.publish %v to %b : tensor<1x2xf32, #warps>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
func.func @collect_c4_not_an_alloc(%b: !quack_tv.exchange, %v: tensor<1x2xf32, #warps>) {
  // expected-error @below {{'quack_tv.collect' op 'buffer' must be the result of a quack_tv.alloc_exchange}}
  %s = quack_tv.collect addf %b, %v : tensor<1x2xf32, #warps> -> tensor<1x1xf32, #row>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
func.func @collect_c1_kinds(%v: tensor<1x2xf32, #warps>) {
  %b = quack_tv.alloc_exchange at 0 bytes 8
  // expected-error @below {{'quack_tv.collect' op must have one kind for each of its 1 values, or a combiner and no kind; got 2 kinds}}
  %s = quack_tv.collect addf, addf %b, %v : tensor<1x2xf32, #warps> -> tensor<1x2xf32, #warps>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
func.func @collect_c8_result(%v: tensor<1x2xf32, #warps>) {
  %b = quack_tv.alloc_exchange at 0 bytes 8
  // expected-error @below {{'quack_tv.collect' op result must be 'tensor<1x1xf32, #quack_tv.layout<warp = [2:0], lane = [32:0]>>', got 'tensor<1x2xf32, #quack_tv.layout<warp = [2:1], lane = [32:0]>>'}}
  %s = quack_tv.collect addf %b, %v : tensor<1x2xf32, #warps> -> tensor<1x2xf32, #warps>
  return
}

// -----

#all = #quack_tv.layout<cta = [2:2], warp = [2:1], lane = [32:0]>
#row = #quack_tv.layout<cta = [2:1], warp = [2:0], lane = [32:0]>
func.func @collect_c8_result_over_ctas(%v: tensor<1x4xf32, #all>) {
  %b = quack_tv.alloc_exchange at 0 bytes 16 barrier 16
  // expected-error @below {{'quack_tv.collect' op result must be 'tensor<1x1xf32, #quack_tv.layout<cta = [2:0], warp = [2:0], lane = [32:0]>>', got 'tensor<1x2xf32, #quack_tv.layout<cta = [2:1], warp = [2:0], lane = [32:0]>>'}}
  %s = quack_tv.collect addf %b, %v : tensor<1x4xf32, #all> -> tensor<1x2xf32, #row>
  return
}

// -----

#warps = #quack_tv.layout<warp = [2:1], lane = [32:0]>
func.func @collect_c8_no_result(%v: tensor<1x2xf32, #warps>) {
  %b = quack_tv.alloc_exchange at 0 bytes 8
  // expected-error @below {{'quack_tv.collect' op must have one result for each of its 1 values, got 0}}
  "quack_tv.collect"(%b, %v) <{kinds = [#quack.kind<addf>], identities = []}> ({}) : (!quack_tv.exchange, tensor<1x2xf32, #warps>) -> ()
  return
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c10_no_mbarrier(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.alloc_exchange' op must come after the cluster_init of its mbarrier}}
  %a = quack_tv.alloc_exchange at 0 bytes 16 barrier 16
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c10_other_bytes(%x: memref<?x128xf32> in row) plan #plan {
  quack_tv.cluster_init barriers [16] expect [8]
  // expected-error @below {{'quack_tv.alloc_exchange' op must have the bytes that its mbarrier expects, 8, got 16}}
  %a = quack_tv.alloc_exchange at 0 bytes 16 barrier 16
}

// -----

#one = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#row = #quack_tv.layout<lane = [32:0]>
quack_tv.kernel @kernel_c18_no_barrier(%x: memref<?x4xf32> in row, %s: memref<?xf32> inout scalar) plan #one shared 0 {
  quack_tv.barrier
  %v = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #row>
  // expected-error @below {{'quack_tv.store' op of a scalar must come after the barrier that follows its load, which all threads of a row do}}
  quack_tv.store %v, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#row = #quack_tv.layout<cta = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c18_barrier_of_a_cta(%x: memref<?x4xf32> in row, %s: memref<?xf32> inout scalar) plan #pair shared 0 {
  %v = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #row>
  quack_tv.barrier
  // expected-error @below {{'quack_tv.store' op of a scalar must come after the cluster_arrive release and its cluster_wait that follows its load, which all threads of a row do}}
  quack_tv.store %v, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#row = #quack_tv.layout<cta = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c18_arrive_releases_nothing(%x: memref<?x4xf32> in row, %s: memref<?xf32> inout scalar) plan #pair shared 0 {
  %v = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #row>
  quack_tv.cluster_arrive
  quack_tv.cluster_wait
  // expected-error @below {{'quack_tv.store' op of a scalar must come after the cluster_arrive release}}
  quack_tv.store %v, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#row = #quack_tv.layout<cta = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c18_loaded_after_the_arrive(%x: memref<?x4xf32> in row, %s: memref<?xf32> inout scalar) plan #pair shared 0 {
  quack_tv.cluster_arrive release
  %v = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #row>
  quack_tv.cluster_wait
  // expected-error @below {{'quack_tv.store' op of a scalar must come after the cluster_arrive release}}
  quack_tv.store %v, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// -----

// No barrier spans the clusters that share a row.
#split = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, split = 2, vector = 4>
#row = #quack_tv.layout<slice = [2:0], cta = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c18_row_is_split(%x: memref<?x4xf32> in row, %s: memref<?xf32> inout scalar) plan #split shared 0 {
  %v = quack_tv.load %s : memref<?xf32> -> tensor<1x1xf32, #row>
  quack_tv.cluster_arrive release
  quack_tv.cluster_wait
  // expected-error @below {{'quack_tv.store' op of a scalar must come after the cluster_arrive release}}
  quack_tv.store %v, %s : tensor<1x1xf32, #row>, memref<?xf32>
}

// -----

#plan = #quack_tv.plan<threads = 64, threads_per_row = 64, rows_per_thread = 1, cluster = 1, vector = 2>
#tile = #quack_tv.layout<warp = [2:64], lane = [32:2], value = [2:1]>
#row = #quack_tv.layout<warp = [2:0], lane = [32:0]>
quack_tv.kernel @kernel_c19_gathered_row_is_stored(%x: memref<?x128xf32> in row, %t: memref<?xi32> in scalar,
                                                   %y: memref<?x128xf32> out row) plan #plan shared 0 {
  %c = quack_tv.load %t : memref<?xi32> -> tensor<1x1xi32, #row>
  %v = quack_tv.load %x : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  %e = quack_tv.gather %x[%c] : memref<?x128xf32>, tensor<1x1xi32, #row> -> tensor<1x1xf32, #row>
  %r = quack_tv.broadcast %e : tensor<1x1xf32, #row> -> tensor<1x128xf32, #tile>
  %d = arith.subf %v, %r : tensor<1x128xf32, #tile>
  quack_tv.barrier
  // expected-error @below {{'quack_tv.store' op of a row must come after all threads of the row have combined what a gather reads, which may lie there}}
  quack_tv.store %d, %y : tensor<1x128xf32, #tile>, memref<?x128xf32>
}
