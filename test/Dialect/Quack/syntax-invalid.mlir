// RUN: quack-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a direction (in, out or inout), got 'row'}}
quack.kernel @kernel_direction_missing(%x: memref<?x64xf32> row) {}

// -----

// expected-error @below {{expected a role (row, columns, scalar, single, groups or picks), got 'matrix'}}
quack.kernel @kernel_role_unknown(%x: memref<?x64xf32> in matrix) {}

// -----

// expected-error @below {{expected a role (row, columns, scalar, single, groups or picks)}}
quack.kernel @kernel_role_missing(%x: memref<?x64xf32> in) {}

// -----

func.func @reduce_kind_unknown(%v: tensor<64xf32>) {
  // expected-error @below {{expected a reduction kind (addf, mulf, maximumf, minimumf, maxnumf, minnumf, addi, muli, maxsi, minsi, maxui, minui, andi, ori or xori), got 'sum'}}
  %s = quack.reduce sum %v : tensor<64xf32> -> f32
}

// -----

// expected-error @below {{expected a direction after a memref of known rank only, got 'in' after 'tensor<?x64xf32>'}}
quack.kernel @direction_of_a_tensor(%x: tensor<?x64xf32> in row) {}
