// RUN: not quack-opt %s --quack-plan="pin='@third: threads = 64'" 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: echo 'func.func @f() { return }' | not quack-opt --quack-plan="pin='@first: threads = 64'" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not quack-opt %s --quack-plan="pin='@first: threads = 64; @first: cluster = 2'" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not quack-opt %s --quack-plan="pin='threads = 64; cluster = 2'" 2>&1 | FileCheck %s --check-prefix=ALL
// RUN: not quack-opt %s --quack-plan="pin='@first threads = 64'" 2>&1 | FileCheck %s --check-prefix=COLON
// RUN: not quack-opt %s --quack-plan="pin='@: threads = 64'" 2>&1 | FileCheck %s --check-prefix=NAMELESS
// RUN: not quack-opt %s --quack-plan="pin='first: threads = 64'" 2>&1 | FileCheck %s --check-prefix=AT
// RUN: not quack-opt %s --quack-plan="pin='@first:'" 2>&1 | FileCheck %s --check-prefix=FIELDS
// RUN: not quack-opt %s --quack-plan="pin='threads = 64;'" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not quack-opt %s --quack-plan="pin='@second: threads = 63'" 2>&1 | FileCheck %s --check-prefix=RULE
// RUN: not quack-opt %s --quack-plan="pin='@second: hold = {z = packed}'" 2>&1 | FileCheck %s --check-prefix=OPERAND
// RUN: not quack-opt %s --quack-plan="pin='threads = 64; @second: threads_per_row = 96'" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not quack-opt %s --emit=plan --pin='@third: threads = 64' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not quack-run --device=sim %s --kernel=first --rows=1 --pin='@third: threads = 64' 2>&1 | FileCheck %s --check-prefix=LINE

// NAME: error: pin '@third: threads = 64': no kernel is called @third; the kernels are @first, @second
// NONE: error: pin '@first: threads = 64': no kernel is called @first; there is none
// TWICE: error: pin '@first: cluster = 2': @first is pinned already; join all of its fields by commas in one part
// ALL: error: pin 'cluster = 2': all kernels have the pin 'threads = 64' already; name a kernel, '@kernel: cluster = 2', or join both by a comma
// COLON: error: pin '@first threads = 64': expected ':' between a kernel's name and its fields; write for example '@main_0: threads = 256, cluster = 4'
// NAMELESS: error: pin '@: threads = 64': expected a kernel's name behind '@'; write for example '@main_0: threads = 256, cluster = 4'
// AT: error: pin 'first: threads = 64': expected '@' before the name 'first'; write for example '@main_0: threads = 256, cluster = 4'
// FIELDS: error: pin '@first:': expected plan fields behind '@first:'; write for example '@main_0: threads = 256, cluster = 4'
// EMPTY: error: pin 'threads = 64;': expected '@kernel: fields' before and behind each ';'
// RULE: error: pin 'threads = 63': plan field 'threads' must be a multiple of 32 from 32 to 1024, got 63; nearest legal: 32, 64
// OPERAND: error: 'quack.kernel' op plan field 'hold' must not name 'z', which is no memref operand of the kernel; it may name x
// BOTH: error: 'quack.kernel' op and the pins given contradict each other: plan field 'threads_per_row' must divide 'threads' (64), got 96
// LINE: error: pin '@third: threads = 64': no kernel is called @third; the kernels are @first

quack.kernel @first(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row) {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
}

quack.kernel @second(%x: memref<?x1024xf32> in row, %y: memref<?x1024xf32> out row) {
  %v = quack.load %x : memref<?x1024xf32> -> tensor<1024xf32>
  quack.store %v, %y : tensor<1024xf32>, memref<?x1024xf32>
}
