// RUN: quack-opt %s --split-input-file --verify-diagnostics

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

// expected-error @below {{expected '<'}}
module attributes {quack_tv.layout = #quack_tv.layout} {}

// -----

// expected-error @below {{expected a level (slice, cta, warp, lane or value), got 'thread'}}
#layout = #quack_tv.layout<thread = [32:1]>

// -----

// expected-error @below {{level 'lane' is given twice}}
#layout = #quack_tv.layout<lane = [32:1], lane = [32:0]>

// -----

// expected-error @below {{expected ':'}}
#layout = #quack_tv.layout<lane = [32]>

// -----

//===----------------------------------------------------------------------===//
// Rules, where a layout meets a tile
//===----------------------------------------------------------------------===//

// expected-error @below {{layout rule L1: sizes must be at least 1, got value mode 0:1}}
func.func private @layout_l1_size(tensor<1x32xf32, #quack_tv.layout<lane = [32:1], value = [0:1]>>)

// -----

// expected-error @below {{layout rule L1: strides must be at least 0, got value mode 2:-32}}
func.func private @layout_l1_stride(tensor<1x64xf32, #quack_tv.layout<lane = [32:1], value = [2:-32]>>)

// -----

// expected-error @below {{layout rule L2: each mode must step along one axis (size * stride at most 48, or stride a multiple of 48), got lane mode 32:2 with 32 * 2 = 64}}
func.func private @layout_l2_two_axes(tensor<2x48xf32, #quack_tv.layout<lane = [32:2], value = [3:1]>>)

// -----

// expected-error @below {{layout rule L3: lane sizes must be powers of two with product 32, got 16}}
func.func private @layout_l3_half_a_warp(tensor<1x16xf32, #quack_tv.layout<lane = [16:1]>>)

// -----

// expected-error @below {{layout rule L3: lane sizes must be powers of two with product 32, got 3 * 8 = 24}}
func.func private @layout_l3_three_lanes(tensor<1x24xf32, #quack_tv.layout<lane = [3:8, 8:1]>>)

// -----

// expected-error @below {{layout rule L3: lane sizes must be powers of two with product 32, got 1}}
func.func private @layout_l3_no_lanes(tensor<1x4xf32, #quack_tv.layout<value = [4:1]>>)

// -----

// expected-error @below {{layout rule L4: without copies the map must be one-to-one onto the 1x64 tile, got two owners of element (0, 1)}}
func.func private @layout_l4_two_owners(tensor<1x64xf32, #quack_tv.layout<lane = [32:1], value = [2:1]>>)

// -----

// A second CTA that holds the first one's columns would count them twice.
// expected-error @below {{layout rule L4: without copies the map must be one-to-one onto the 1x256 tile, got two owners of element (0, 128)}}
func.func private @layout_l4_cluster_wider_than_the_row(tensor<1x256xf32, #quack_tv.layout<cta = [2:128], lane = [32:8], value = [8:1]>>)

// -----

// expected-error @below {{layout rule L4: without copies the map must be one-to-one onto the 1x128 tile, got no owner of element (0, 64)}}
func.func private @layout_l4_no_owner(tensor<1x128xf32, #quack_tv.layout<lane = [32:1], value = [2:32]>>)

// -----

// expected-error @below {{layout rule L4: row modes must stay below row 2, got value mode 4:32 reaching row 3}}
func.func private @layout_l4_too_many_rows(tensor<2x32xf32, #quack_tv.layout<lane = [32:1], value = [4:32]>>)

// -----

// expected-error @below {{layout rule L4: a tile must have at least 1 row, 1 column and less than 2^63 elements, got 0x32}}
func.func private @layout_l4_no_rows(tensor<0x32xf32, #quack_tv.layout<lane = [32:1]>>)

// -----

// expected-error @below {{layout rule L5: value modes must not be copies, got value mode 2:0}}
func.func private @layout_l5_value_copies(tensor<1x32xf32, #quack_tv.layout<lane = [32:1], value = [2:0]>>)

// -----

// expected-error @below {{a quack_tv.layout must encode a tensor of two static dimensions, got 1 dimensions}}
func.func private @layout_l6_rank_1(tensor<32xf32, #quack_tv.layout<lane = [32:1]>>)

// -----

// expected-error @below {{a quack_tv.layout must encode a tensor of two static dimensions, got 2 dimensions, some dynamic}}
func.func private @layout_l6_dynamic(tensor<?x32xf32, #quack_tv.layout<lane = [32:1]>>)

// -----

// A slice is a stretch of the row, not every other column of it.
// expected-error @below {{layout rule L7: slice modes must step farther along the columns than all others, got slice mode 2:1 and lane mode 32:2}}
func.func private @layout_l7_slices_within_lanes(tensor<1x64xf32, #quack_tv.layout<slice = [2:1], lane = [32:2]>>)
