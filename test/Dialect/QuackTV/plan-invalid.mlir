// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// expected-error @below {{unknown plan field 'warps', expected threads, threads_per_row, rows_per_thread, cluster, split, vector, alignment, ctas_per_sm, exchange, hold, kept, load, store, rows, least_rows, partials, overlap or reproducible}}
#plan = #quack_tv.plan<warps = 4>

// -----

// expected-error @below {{expected '<'}}
module attributes {quack_tv.pinned = #quack_tv.plan} {}

// -----

// expected-error @below {{expected vector or element, got 'row'}}
#plan = #quack_tv.plan<alignment = row>

// -----

// expected-error @below {{plan field 'threads' is given twice}}
#plan = #quack_tv.plan<threads = 32, threads = 64>

// -----

// expected-error @below {{expected warps or ctas, got 'lanes'}}
#plan = #quack_tv.plan<exchange = lanes>

// -----

// expected-error @below {{expected registers, packed, async, bulk or reload, got 'shared'}}
#plan = #quack_tv.plan<hold = {x = shared}>

// -----

// expected-error @below {{expected cached, no_allocate, evict_first or evict_last, got 'streaming'}}
#plan = #quack_tv.plan<load = {x = streaming}>

// -----

// expected-error @below {{expected write_back, streaming or skip_l1, got 'cached'}}
#plan = #quack_tv.plan<store = {y = cached}>

// -----

// expected-error @below {{operand 'x' is given twice}}
#plan = #quack_tv.plan<hold = {x = packed, x = bulk}>

// -----

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

// expected-error @below {{plan field 'threads' must be a multiple of 32 from 32 to 1024, got 48; nearest legal: 32, 64}}
#plan = #quack_tv.plan<threads = 48>

// -----

// expected-error @below {{plan field 'threads' must be a multiple of 32 from 32 to 1024, got 1056; nearest legal: 1024}}
#plan = #quack_tv.plan<threads = 1056>

// -----

// expected-error @below {{plan field 'threads' must be a multiple of 32 from 32 to 1024, got -32}}
#plan = #quack_tv.plan<threads = -32>

// -----

// expected-error @below {{plan field 'threads_per_row' must be 1, 2, 4, 8, 16 or a multiple of 32 up to 1024, got 3}}
#plan = #quack_tv.plan<threads_per_row = 3>

// -----

// expected-error @below {{plan field 'threads_per_row' must be 1, 2, 4, 8, 16 or a multiple of 32 up to 1024, got 2048; nearest legal: 1024}}
#plan = #quack_tv.plan<threads_per_row = 2048>

// -----

// expected-error @below {{plan field 'threads_per_row' must be 1, 2, 4, 8, 16 or a multiple of 32 up to 1024, got -1}}
#plan = #quack_tv.plan<threads_per_row = -1>

// -----

// expected-error @below {{plan field 'threads_per_row' must divide 'threads' (128), got 96; nearest legal: 64, 128}}
#plan = #quack_tv.plan<threads = 128, threads_per_row = 96>

// -----

// expected-error @below {{plan field 'ctas_per_sm' must be 0 to 32, got 33}}
#plan = #quack_tv.plan<ctas_per_sm = 33>

// -----

// expected-error @below {{plan field 'rows_per_thread' must be a power of two from 1 to 8, got 16}}
#plan = #quack_tv.plan<rows_per_thread = 16>

// -----

// expected-error @below {{plan field 'cluster' must be a power of two from 1 to 16, got 3; nearest legal: 2, 4}}
#plan = #quack_tv.plan<cluster = 3>

// -----

// expected-error @below {{plan field 'vector' must be a power of two from 1 to 16, got -4}}
#plan = #quack_tv.plan<vector = -4>

// -----

// expected-error @below {{plan field 'kept' must not be negative, got -8}}
#plan = #quack_tv.plan<kept = -8>

// -----

// What is left out is chosen; 0 is no way to say so.
// expected-error @below {{plan field 'threads' must be a multiple of 32 from 32 to 1024, got 0; nearest legal: 32}}
#plan = #quack_tv.plan<threads = 0>

// -----

// expected-error @below {{plan field 'ctas_per_sm' must be 0 to 32, got -1; nearest legal: 0}}
#plan = #quack_tv.plan<ctas_per_sm = -1>

// -----

// expected-error @below {{plan field 'kept' must not be negative, got -1}}
#plan = #quack_tv.plan<kept = -1>

// -----

// expected-error @below {{expected an operand's name and registers, packed, async, bulk or reload, got {}}}
#plan = #quack_tv.plan<hold = {}>

// -----

// expected-error @below {{plan field 'split' must be 1 to 1024, got 1025; nearest legal: 1024}}
#plan = #quack_tv.plan<split = 1025>

// -----

// expected-error @below {{plan field 'rows' must be positive, got -1}}
#plan = #quack_tv.plan<rows = -1>

// -----

// expected-error @below {{plan field 'least_rows' must be positive, got -1}}
#plan = #quack_tv.plan<least_rows = -1>

// -----

// expected-error @below {{expected true or false, got 'maybe'}}
#plan = #quack_tv.plan<reproducible = maybe>

// -----

// expected-error @below {{plan field 'split' must be 1 where 'reproducible' is true, since it changes the order in which a row's elements meet, got 4}}
#plan = #quack_tv.plan<split = 4, reproducible = true>
