// RUN: quack-opt %s --split-input-file --quack-plan --verify-diagnostics
// RUN: not quack-opt %s --quack-plan="target=v100" 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not quack-opt %s --quack-plan="pin='thread = 64'" 2>&1 | FileCheck %s --check-prefix=PIN
// RUN: not quack-opt %s --quack-plan="pin='threads = 63'" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not quack-opt %s --quack-plan="pin=','" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not quack-opt %s --quack-plan="pin='threads = 0'" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not quack-opt %s --quack-plan="pin='threads = 64> //'" 2>&1 | FileCheck %s --check-prefix=COMMENT
// RUN: not quack-opt %s --quack-plan="pin='}'" 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: not quack-opt %s --quack-plan="pin='hold = {x = packed'" 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not quack-opt %s --quack-plan="pin='alignment = 16'" 2>&1 | FileCheck %s --check-prefix=KEYWORD
// RUN: echo 'quack.kernel @both(%%x: memref<?x64xf32> in row) plan #quack_tv.plan<threads = 128> {}' | not quack-opt --quack-plan="pin='threads_per_row = 96'" 2>&1 | FileCheck %s --check-prefix=BOTH

// TARGET: error: unknown target 'v100', expected one of: h100, h200
// PIN: error: pin 'thread = 64': unknown plan field 'thread', expected threads, threads_per_row, rows_per_thread, cluster, split, vector, alignment, ctas_per_sm, exchange, hold, kept, load, store, rows, least_rows, partials, overlap or reproducible
// RULE: error: pin 'threads = 63': plan field 'threads' must be a multiple of 32 from 32 to 1024, got 63; nearest legal: 32, 64
// EMPTY: error: pin ',': expected valid keyword; write for example 'threads = 256, cluster = 4'
// ZERO: error: pin 'threads = 0': plan field 'threads' must be a multiple of 32 from 32 to 1024, got 0; nearest legal: 32
// COMMENT: error: pin 'threads = 64> //': unexpected '>'; write for example 'threads = 256, cluster = 4'
// CLOSED: error: pin '}': unexpected '}'; write for example 'threads = 256, cluster = 4'
// OPEN: error: pin 'hold = {x = packed': expected '}' at the end; write for example 'threads = 256, cluster = 4'
// KEYWORD: error: pin 'alignment = 16': expected vector or element; write for example 'threads = 256, cluster = 4'
// BOTH: error: 'quack.kernel' op and the pins given contradict each other: plan field 'threads_per_row' must divide 'threads' (128), got 96; nearest legal: 64, 128

// expected-error @below {{'quack.kernel' op must have static columns, got ?: give --columns=N, or run quack-specialize with columns=N first}}
quack.kernel @generic(%x: memref<?x?xf32> in row) {}

// -----

// expected-error @below {{'quack.kernel' op plan must be a #quack_tv.plan, got 1 : i64}}
quack.kernel @plan_of_another_kind(%x: memref<?x64xf32> in row) plan 1 : i64 {}

// -----

// expected-error @below {{'quack.kernel' op plan field 'hold' must not name 'z', which is no memref operand of the kernel; it may name x}}
quack.kernel @hold_of_nobody(%x: memref<?x64xf32> in row) plan #quack_tv.plan<hold = {z = packed}> {}

// -----

// expected-error @below {{'quack.kernel' op plan field 'load' must not name 'eps', which is no memref operand of the kernel; it may name x}}
quack.kernel @load_of_a_value(%x: memref<?x64xf32> in row, %eps: f32) plan #quack_tv.plan<load = {eps = cached}> {}

// -----

// expected-error @below {{'quack.kernel' op has no legal plan for N = 1024 with threads_per_row = 16, cluster = 2: in a cluster a row needs whole warps: threads_per_row must be at least 32, got 16; nearest legal: threads_per_row = 32, or cluster = 1}}
quack.kernel @part_of_a_warp_in_a_cluster(%x: memref<?x1024xf32> in row)
    plan #quack_tv.plan<threads = 64, threads_per_row = 16, cluster = 2> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
}

// -----

// expected-error @below {{'quack.kernel' op has no legal plan for N = 65536 with threads_per_row = 32, cluster = 1: a thread must hold at most 128 elements (its code is unrolled), got 2048: use more threads or a larger cluster; nearest legal: cluster = 16}}
quack.kernel @too_few_threads(%x: memref<?x65536xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, cluster = 1> {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
}

// -----

// expected-error @below {{only row operands go through shared memory}}
quack.kernel @columns_in_shared_memory(%x: memref<?x1024xf32> in row, %w: memref<1024xf32> in columns)
    plan #quack_tv.plan<hold = {w = async}> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  %g = quack.load %w : memref<1024xf32> -> tensor<1024xf32>
}

// -----

// expected-error @below {{vector * element bytes must be a multiple of 16, got 8}}
quack.kernel @short_accesses_in_shared_memory(%x: memref<?x1024xf32> in row)
    plan #quack_tv.plan<vector = 2, hold = {x = async}> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
}

// -----

// expected-error @below {{shared memory of a CTA must be at most 232448 bytes, got}}
quack.kernel @too_much_shared_memory(%x: memref<?x65536xf32> in row)
    plan #quack_tv.plan<threads = 1024, threads_per_row = 1024, cluster = 1, hold = {x = bulk}> {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
  %s = quack.reduce addf %v : tensor<65536xf32> -> f32
}

// -----

// expected-error-re @below {{a thread's registers must be at most 64, got an estimated {{[0-9]+}}: use more threads, a larger cluster, or hold rows packed or in shared memory}}
quack.kernel @too_many_registers(%x: memref<?x65536xf32> in row, %y: memref<?x65536xf32> out row)
    plan #quack_tv.plan<threads = 1024, threads_per_row = 1024, cluster = 1, hold = {x = registers}> {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
  %s = quack.reduce addf %v : tensor<65536xf32> -> f32
  %b = quack.broadcast %s : f32 -> tensor<65536xf32>
  %d = arith.subf %v, %b : tensor<65536xf32>
  quack.store %d, %y : tensor<65536xf32>, memref<?x65536xf32>
}

// -----

// expected-error @below {{operand 's' cannot be held reload: a row's scalar waits in registers}}
quack.kernel @scalar_read_again(%x: memref<?x1024xf32> in row, %s: memref<?xf32> in scalar)
    plan #quack_tv.plan<hold = {s = reload}> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  %before = quack.load %s : memref<?xf32> -> f32
}

// -----

// expected-error @below {{operand 'x' cannot be held bulk: its load policy must be cached then, since copies into shared memory take none}}
quack.kernel @policy_of_a_bulk_copy(%x: memref<?x1024xf32> in row)
    plan #quack_tv.plan<hold = {x = bulk}, load = {x = evict_first}> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
}

// -----

// expected-error @below {{operand 'x' cannot be held bulk: one thread issues a copy for each of at most 16 rows, got a tile of 32}}
quack.kernel @bulk_copies_of_many_rows(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<threads = 128, threads_per_row = 4, rows_per_thread = 1, cluster = 1, hold = {x = bulk}> {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op plan field 'hold' must not name 'y', which is out; it may name s}}
quack.kernel @hold_of_an_output(%y: memref<?x64xf32> out row, %s: memref<?xf32> in scalar)
    plan #quack_tv.plan<hold = {y = packed}> {
  %v = quack.load %s : memref<?xf32> -> f32
  %row = quack.broadcast %v : f32 -> tensor<64xf32>
  quack.store %row, %y : tensor<64xf32>, memref<?x64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op plan field 'store' must not name 'x', which is in}}
quack.kernel @store_of_an_input(%x: memref<?x64xf32> in row) plan #quack_tv.plan<store = {x = streaming}> {}

// -----

// expected-error @below {{'quack.kernel' op has no legal plan for N = 64 with alignment = element, hold of x = async: operand 'x' cannot be held async: only rows that are aligned to 16 bytes go through shared memory, not with alignment = element; nearest legal: alignment = vector, or hold of x = registers, packed, reload}}
quack.kernel @staged_anywhere(%x: memref<?x64xf32> in row) plan #quack_tv.plan<alignment = element, hold = {x = async}> {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
}

// -----

// expected-error @below {{'quack.kernel' op has no legal plan for N = 64 with vector = 2, alignment = element: with alignment = element an access takes at least 4 bytes of each operand, got 2 of 'x'; nearest legal: vector = 1, 4, or alignment = vector}}
quack.kernel @narrow_anywhere(%x: memref<?x64xi8> in row) plan #quack_tv.plan<alignment = element, vector = 2> {
  %v = quack.load %x : memref<?x64xi8> -> tensor<64xi32>
}

// -----

// expected-error @below {{only of rows that are held by reload some elements are kept, got kept = 8}}
quack.kernel @kept_of_registers(%x: memref<?x64xf32> in row)
    plan #quack_tv.plan<hold = {x = registers}, kept = 8> {
  %v = quack.load %x : memref<?x64xf32> -> tensor<64xf32>
}

// -----

// expected-error @below {{kept must be a multiple of vector = 4 and at most the 8 elements that a thread holds, got 12}}
quack.kernel @kept_of_others(%x: memref<?x256xf32> in row)
    plan #quack_tv.plan<threads = 32, threads_per_row = 32, rows_per_thread = 1, cluster = 1, vector = 4, hold = {x = reload}, kept = 12> {
  %v = quack.load %x : memref<?x256xf32> -> tensor<256xf32>
}

// -----

// expected-error @below {{with cluster = 1, ctas_per_sm = 4: a thread's registers must be at most 16, got an estimated 44: use more threads, a larger cluster, or hold rows packed or in shared memory; nearest legal: ctas_per_sm = 2}}
quack.kernel @kept_by_too_many_ctas(%x: memref<?x65536xf32> in row)
    plan #quack_tv.plan<threads = 512, threads_per_row = 512, rows_per_thread = 1, cluster = 1, vector = 4,
                        ctas_per_sm = 4, hold = {x = reload}, kept = 32> {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
}

// -----

// Only multiples of 96 threads share a row among 96.
// expected-error @below {{has no legal plan for N = 65536 with threads_per_row = 96, cluster = 1: a thread must hold at most 128 elements (its code is unrolled), got}}
quack.kernel @odd_threads_of_a_row(%x: memref<?x65536xf32> in row) plan #quack_tv.plan<threads_per_row = 96, cluster = 1> {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
}

// -----

// expected-error @below {{'quack.kernel' op has no legal plan for N = 1024 with threads_per_row = 16, split = 2: where split > 1 a slice of a row needs whole warps: threads_per_row must be at least 32, got 16; nearest legal: threads_per_row = 32, or split = 1}}
quack.kernel @slice_of_part_of_a_warp(%x: memref<?x1024xf32> in row)
    plan #quack_tv.plan<threads = 64, threads_per_row = 16, split = 2> {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
}

// -----

// No change of one pin is enough.
// expected-error @below {{'quack.kernel' op has no legal plan for N = 65536 with threads_per_row = 2: a thread must hold at most 128 elements (its code is unrolled), got 32768: use more threads or a larger cluster; nearest legal, while the other pins break further rules: threads_per_row = }}
quack.kernel @two_rules(%x: memref<?x65536xf32> in row, %s: memref<?xf32> out scalar)
    plan #quack_tv.plan<threads_per_row = 2, hold = {x = packed}, kept = 32> {
  %v = quack.load %x : memref<?x65536xf32> -> tensor<65536xf32>
  %sum = quack.reduce addf %v : tensor<65536xf32> -> f32
  quack.store %sum, %s : f32, memref<?xf32>
}
