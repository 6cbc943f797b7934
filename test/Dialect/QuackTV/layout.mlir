// RUN: quack-opt %s --verify-roundtrip | FileCheck %s
// RUN: quack-opt %s --mlir-print-op-generic | quack-opt | FileCheck %s

// Legal layouts, each met by a tile.

// CHECK-DAG: #[[$ALL:.*]] = #quack_tv.layout<cta = [4:32768], warp = [8:128], lane = [32:4], value = [4:1, 32:1024]>
// CHECK-DAG: #[[$SPLIT:.*]] = #quack_tv.layout<lane = [8:4, 4:32], value = [4:1, 2:128, 2:256]>
// CHECK-DAG: #[[$COPIES:.*]] = #quack_tv.layout<cta = [2:0], lane = [32:8], value = [8:1]>
// CHECK-DAG: #[[$SCALAR:.*]] = #quack_tv.layout<lane = [32:0]>
// CHECK-DAG: #[[$ROWS:.*]] = #quack_tv.layout<warp = [2:1024], lane = [8:8, 4:256], value = [8:1, 4:64]>
// CHECK-DAG: #[[$ONES:.*]] = #quack_tv.layout<cta = [1:0], warp = [1:7], lane = [32:1], value = [1:1]>

// CHECK-LABEL: func.func private @levels(
// CHECK-SAME: tensor<1x131072xf32, #[[$ALL]]>
func.func private @levels(tensor<1x131072xf32, #quack_tv.layout<cta = [4:32768], warp = [8:128], lane = [32:4], value = [4:1, 32:1024]>>)

// Lanes in two modes; values in two rows.
// CHECK-LABEL: func.func private @several_modes(
// CHECK-SAME: tensor<2x256xbf16, #[[$SPLIT]]>
func.func private @several_modes(tensor<2x256xbf16, #quack_tv.layout<lane = [8:4, 4:32], value = [4:1, 2:128, 2:256]>>)

// The order of the levels in the text does not matter.
// CHECK-LABEL: func.func private @copies(
// CHECK-SAME: tensor<1x256xi8, #[[$COPIES]]>
func.func private @copies(tensor<1x256xi8, #quack_tv.layout<value = [8:1], lane = [32:8], cta = [2:0]>>)

// CHECK-LABEL: func.func private @row_scalar(
// CHECK-SAME: tensor<1x1xf32, #[[$SCALAR]]>
func.func private @row_scalar(tensor<1x1xf32, #quack_tv.layout<lane = [32:0]>>)

// Several rows a warp: 8 lanes share a row.
// CHECK-LABEL: func.func private @rows_of_a_warp(
// CHECK-SAME: tensor<8x256xf16, #[[$ROWS]]>
func.func private @rows_of_a_warp(tensor<8x256xf16, #quack_tv.layout<warp = [2:1024], lane = [8:8, 4:256], value = [8:1, 4:64]>>)

// Modes of size 1 are kept as written; empty levels are left out.
// CHECK-LABEL: func.func private @size_one(
// CHECK-SAME: tensor<1x32xf32, #[[$ONES]]>
func.func private @size_one(tensor<1x32xf32, #quack_tv.layout<cta = [1:0], warp = [1:7], lane = [32:1], value = [1:1]>>)
