//===- headers.cpp - bundles in C++ -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quantize_fp8_groups_512_4_f32_f8E4M3FN.h"
#include "rms_norm_backward_256_bf16_f32.h"
#include "softmax_512_bf16.h"
#include "softmax_8_bf16.h"
#include "topk_128_4_f32_i32.h"

#include <cstdio>

// None of these needs a driver.
int main() {
  int first = softmax_512_bf16_launch(nullptr, 0, nullptr, 512, nullptr, 512);
  int second = softmax_8_bf16_launch(nullptr, -1, nullptr, 8, nullptr, 8);
  std::printf("softmax_512_bf16_launch: %d, softmax_8_bf16_launch: %d\n%s\n%s",
              first, second, softmax_8_bf16_last_error(),
              softmax_512_bf16_last_error());
  return rms_norm_backward_256_bf16_f32_workspace_bytes(0) == 0;
}
