// RUN: quack-opt %s --verify-roundtrip | FileCheck %s
// RUN: quack-opt %s --mlir-print-op-generic | quack-opt | FileCheck %s

// CHECK-DAG: #[[$EVERY:.*]] = #quack_tv.plan<threads = 1024, threads_per_row = 128, rows_per_thread = 8, cluster = 16, split = 24, vector = 16, ctas_per_sm = 0, exchange = ctas, hold = {a = registers, b = packed, c = async, d = bulk, e = reload}, load = {a = cached, b = no_allocate, c = evict_first, d = evict_last}, store = {"not a keyword" = streaming, x = write_back, y = skip_l1}, rows = 4, least_rows = 2, reproducible = false>
// CHECK-DAG: #[[$ONE:.*]] = #quack_tv.plan<exchange = warps>
// CHECK-DAG: #[[$NONE:.*]] = #quack_tv.plan<>
// CHECK-DAG: #[[$MOST:.*]] = #quack_tv.plan<ctas_per_sm = 32>

// The first operand of each dictionary is the least by name.
#every = #quack_tv.plan<reproducible = false, least_rows = 2, rows = 4, store = {y = skip_l1, x = write_back, "not a keyword" = streaming},
                        load = {d = evict_last, c = evict_first, b = no_allocate, a = cached},
                        hold = {a = registers, b = packed, c = async, d = bulk, e = reload},
                        exchange = ctas, ctas_per_sm = 0, vector = 16, split = 24, cluster = 16,
                        rows_per_thread = 8, threads_per_row = 128, threads = 1024>

// CHECK: func.func private @every_field() attributes {plan = #[[$EVERY]]}
func.func private @every_field() attributes {plan = #every}
// CHECK: func.func private @fields() attributes {plan = #[[$ONE]]}
func.func private @fields() attributes {plan = #quack_tv.plan<exchange = warps>}
// CHECK: func.func private @no_field() attributes {plan = #[[$NONE]]}
func.func private @no_field() attributes {plan = #quack_tv.plan<>}
// CHECK: func.func private @most() attributes {plan = #[[$MOST]]}
func.func private @most() attributes {plan = #quack_tv.plan<ctas_per_sm = 32>}

// Lanes of a warp, whole warps, and odd numbers of warps.
// CHECK-COUNT-4: func.func private @threads_per_row_
func.func private @threads_per_row_1() attributes {plan = #quack_tv.plan<threads = 32, threads_per_row = 1>}
func.func private @threads_per_row_16() attributes {plan = #quack_tv.plan<threads = 32, threads_per_row = 16>}
func.func private @threads_per_row_32() attributes {plan = #quack_tv.plan<threads = 32, threads_per_row = 32>}
func.func private @threads_per_row_96() attributes {plan = #quack_tv.plan<threads = 96, threads_per_row = 96>}

// The fields' attributes on their own.
// CHECK: func.func private @enums() attributes {hold = #quack_tv.hold<bulk>, load = #quack_tv.load_policy<evict_last>, store = #quack_tv.store_policy<streaming>}
func.func private @enums() attributes {hold = #quack_tv.hold<bulk>,
    load = #quack_tv.load_policy<evict_last>, store = #quack_tv.store_policy<streaming>}
