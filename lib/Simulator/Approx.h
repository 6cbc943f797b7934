//===- Approx.h - approximate functions -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .approx functions of PTX, from f32 pattern to f32 pattern. They are far
// more exact in f64 than PTX documents, use +, -, *, / and sqrt only, and so
// give the same bits on every host.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_LIB_SIMULATOR_APPROX_H
#define QUACK_LIB_SIMULATOR_APPROX_H

#include <cstdint>

namespace quack::sim {

uint32_t approxEx2(uint32_t bits);
uint32_t approxLg2(uint32_t bits);
uint32_t approxSin(uint32_t bits);
uint32_t approxCos(uint32_t bits);
uint32_t approxTanh(uint32_t bits);
uint32_t approxRsqrt(uint32_t bits);

} // namespace quack::sim

#endif // QUACK_LIB_SIMULATOR_APPROX_H
