// RUN: quack-opt %s --split-input-file --verify-diagnostics

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c6_read_before_await(%x: memref<?x128xf32> in row) plan #plan shared 512 {
  %s = quack_tv.stage %x by async at 0 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
  // expected-error @below {{'quack_tv.read' op must come after the await of its stage}}
  %0 = quack_tv.read %s pass 0 : !quack_tv.staged<tensor<1x128xf32, #tile>>
  quack_tv.await %s : !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
quack_tv.kernel @kernel_c8_buffers_overlap(%x: memref<?x128xf32> in row) plan #plan {
  %a = quack_tv.alloc_exchange at 0 bytes 16
  // expected-error @below {{'quack_tv.alloc_exchange' op must have shared memory of its own, got byte 12, which another operation has up to byte 16}}
  %b = quack_tv.alloc_exchange at 12 bytes 16
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @kernel_c8_mbarrier_in_a_buffer(%x: memref<?x128xf32> in row) plan #plan {
  quack_tv.cluster_init barriers [8] expect [16]
  // expected-error @below {{'quack_tv.alloc_exchange' op must have shared memory of its own, got byte 8, which another operation has up to byte 16}}
  %a = quack_tv.alloc_exchange at 0 bytes 16 barrier 8
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c8_stage_and_buffer_overlap(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.alloc_exchange' op must have shared memory of its own, got byte 508, which another operation has up to byte 512}}
  %a = quack_tv.alloc_exchange at 508 bytes 16
  %s = quack_tv.stage %x by async at 0 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c8_beyond_shared_bytes(%x: memref<?x128xf32> in row) plan #plan shared 511 {
  // expected-error @below {{'quack_tv.stage' op must lie in the kernel's 511 bytes of shared memory, got an end of 512}}
  %s = quack_tv.stage %x by async at 0 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#pair = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
#half = #quack_tv.layout<cta = [2:128], lane = [32:4], value = [4:1]>
// Each CTA stages its own half: 512 bytes, and the buffer follows.
quack_tv.kernel @kernel_c8_half_a_row(%x: memref<?x256xf32> in row) plan #pair {
  %s = quack_tv.stage %x by bulk at 0 barrier 512 : memref<?x256xf32> -> !quack_tv.staged<tensor<1x256xf32, #half>>
  // expected-error @below {{'quack_tv.alloc_exchange' op must have shared memory of its own, got byte 519, which another operation has up to byte 520}}
  %a = quack_tv.alloc_exchange at 519 bytes 16
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @cluster_init_c1_counts(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.cluster_init' op must have as many expected byte counts as barriers, got 1 and 2}}
  quack_tv.cluster_init barriers [0, 8] expect [64]
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @cluster_init_c2_bytes(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.cluster_init' op expected bytes must be less than 2^20 (the range of an mbarrier's tx-count), got 1048576}}
  quack_tv.cluster_init barriers [0] expect [1048576]
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 2, vector = 4>
quack_tv.kernel @cluster_init_c2_negative(%x: memref<?x128xf32> in row) plan #plan {
  // expected-error @below {{'quack_tv.cluster_init' op expected bytes must be less than 2^20 (the range of an mbarrier's tx-count), got -1}}
  quack_tv.cluster_init barriers [0] expect [-1]
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c9_no_offset(%x: memref<?x128xf32> in row) plan #plan shared 512 {
  // expected-error @below {{'quack_tv.stage' op must have an offset, as the kernel's shared memory is laid out}}
  %s = quack_tv.stage %x by async : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c9_no_mbarrier(%x: memref<?x128xf32> in row) plan #plan shared 512 {
  // expected-error @below {{'quack_tv.stage' op must have an mbarrier, as it is a bulk copy}}
  %s = quack_tv.stage %x by bulk at 0 : memref<?x128xf32> -> !quack_tv.staged<tensor<1x128xf32, #tile>>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c9_kept_nowhere(%x: memref<?x128xf32> in row) plan #plan shared 512 {
  // expected-error @below {{'quack_tv.load' op must say where its elements are kept, as the kernel's shared memory is laid out, and all loads of an operand the same}}
  %v = quack_tv.load %x at_use kept 4 : memref<?x128xf32> -> tensor<1x128xf32, #tile>
}

// -----

#plan = #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4>
#tile = #quack_tv.layout<lane = [32:4], value = [4:1]>
quack_tv.kernel @kernel_c8_kept_elements(%x: memref<?x128xf32> in row, %w: memref<?x128xf32> in row) plan #plan shared 1024 {
  %v = quack_tv.load %x at_use kept 4 at 0 : memref<?x128xf32> -> tensor<1x128xf32, #tile>
  // expected-error @below {{'quack_tv.load' op must have shared memory of its own, got byte 496, which another operation has up to byte 512}}
  %u = quack_tv.load %w at_use kept 4 at 496 : memref<?x128xf32> -> tensor<1x128xf32, #tile>
}
