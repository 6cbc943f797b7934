//===- Cuda/switch.cu - an interpreter --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A machine that interprets bytes: a dense switch in a loop.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void interpret(const unsigned *programs, unsigned *out) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned a = index, b = 1;
  for (int step = 0; step < 16; ++step) {
    unsigned code = programs[index * 16 + step];
    switch (code % 11) {
    case 0:
      a += b;
      break;
    case 1:
      b = a ^ code;
      break;
    case 2:
      a = a << 3 | a >> 29;
      break;
    case 3:
      b *= 2654435761u;
      break;
    case 4:
      a = b / (code | 1);
      break;
    case 5:
      a ^= b >> 7; // falls through
    case 6:
      b += 0x1234567;
      break;
    case 7:
      a = __popc(b);
      break;
    case 8: {
      unsigned t = a;
      a = b;
      b = t;
      break;
    }
    case 9:
      step += code >> 31;
      break;
    default:
      b -= a;
      break;
    }
  }
  out[index] = a + 31 * b;
}
