//===- Lanes.h - one instruction on many operands ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs an instruction in the simulator, a lane for each tuple of operands, and
// makes operands at which something changes.
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_UNIT_SIMULATOR_LANES_H
#define QUACK_TEST_UNIT_SIMULATOR_LANES_H

#include "SimulatorTest.h"

#include "llvm/ADT/APFloat.h"

#include <array>

namespace quack::sim {

using Operands = std::array<uint64_t, 3>;

/// Runs `instruction` on each of `inputs`. It finds them in %rd2 to %rd4, their
/// lower halves in %r2 to %r4 and lower quarters in %rs2 to %rs4, and writes
/// the register that `result` stands for: %rd5 (d), %r5 (r), %rs5 (h) or %p5.
inline std::vector<uint64_t> runLanes(const std::string &instruction,
                                      char result,
                                      const std::vector<Operands> &inputs) {
  size_t padded = (inputs.size() + 31) / 32 * 32;
  std::vector<uint32_t> buffer(padded * 8);
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(&buffer[8 * i], inputs[i].data(), 24);
  std::string take;
  for (const char *k : {"2", "3", "4"})
    take += std::string("cvt.u32.u64 %r") + k + ", %rd" + k +
            ";\ncvt.u16.u64 %rs" + k + ", %rd" + k + ";\n";
  std::string give = result == 'd'   ? ""
                     : result == 'r' ? "cvt.u64.u32 %rd5, %r5;\n"
                     : result == 'h' ? "cvt.u64.u16 %rd5, %rs5;\n"
                                     : "selp.b64 %rd5, 1, 0, %p5;\n";
  Options options;
  options.checks = 0;
  Report report = runBody(
      "mov.u32 %r6, %ctaid.x; shl.b32 %r6, %r6, 5; add.s32 %r6, %r6, %r0;\n"
      "mul.wide.u32 %rd1, %r6, 32; add.s64 %rd1, %rd1, %rd0;\n"
      "ld.global.v2.b64 {%rd2, %rd3}, [%rd1]; ld.global.b64 %rd4, "
      "[%rd1+16];\n" +
          take + instruction + "\n" + give + "st.global.b64 [%rd1+24], %rd5;",
      buffer, {32, 1, uint32_t(padded / 32)}, options);
  EXPECT_EQ(describe(report), "");
  std::vector<uint64_t> results(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(&results[i], &buffer[8 * i + 6], 8);
  return results;
}

/// Numbers without a pattern, the same in each run.
class Noise {
public:
  uint64_t next() {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
  }

private:
  uint64_t state = 1;
};

/// A format of floating-point numbers and its names.
struct Format {
  const llvm::fltSemantics &semantics;
  unsigned bits, mantissa;
  char reg;         ///< as runLanes says
  const char *name; ///< in PTX

  std::string source(unsigned k) const {
    return std::string(reg == 'd'   ? "%rd"
                       : reg == 'r' ? "%r"
                                    : "%rs") +
           std::to_string(k);
  }
  llvm::APFloat number(uint64_t pattern) const {
    return llvm::APFloat(semantics, llvm::APInt(64, pattern).trunc(bits));
  }
  uint64_t pattern(const llvm::APFloat &number) const {
    return number.bitcastToAPInt().getZExtValue();
  }
};

inline const Format half{llvm::APFloat::IEEEhalf(), 16, 10, 'h', "f16"};
inline const Format bfloat{llvm::APFloat::BFloat(), 16, 7, 'h', "bf16"};
inline const Format single{llvm::APFloat::IEEEsingle(), 32, 23, 'r', "f32"};
inline const Format wide{llvm::APFloat::IEEEdouble(), 64, 52, 'd', "f64"};

/// Patterns at which something changes: exponents at the ends, at 1 and where
/// integers end; mantissas at the ends, at the middle and around it. Both
/// signs.
inline std::vector<uint64_t> edges(const Format &format) {
  unsigned exponentBits = format.bits - 1 - format.mantissa;
  uint64_t top = (1ull << exponentBits) - 1, bias = top >> 1;
  uint64_t last = (1ull << format.mantissa) - 1, middle = (last + 1) / 2;
  std::vector<uint64_t> list;
  for (uint64_t exponent :
       {uint64_t(0), uint64_t(1), uint64_t(2), bias - 1, bias, bias + 1,
        bias + format.mantissa, bias + format.mantissa + 1, top - 1, top})
    for (uint64_t mantissa :
         {uint64_t(0), uint64_t(1), middle - 1, middle, middle + 1, last})
      for (uint64_t sign : {0, 1})
        list.push_back(sign << (format.bits - 1) |
                       std::min(exponent, top) << format.mantissa | mantissa);
  return list;
}

/// PTX's rounding modifiers as APFloat's.
inline constexpr std::pair<const char *, llvm::APFloat::roundingMode>
    roundings[] = {{"rn", llvm::APFloat::rmNearestTiesToEven},
                   {"rz", llvm::APFloat::rmTowardZero},
                   {"rm", llvm::APFloat::rmTowardNegative},
                   {"rp", llvm::APFloat::rmTowardPositive}};

} // namespace quack::sim

#endif // QUACK_TEST_UNIT_SIMULATOR_LANES_H
