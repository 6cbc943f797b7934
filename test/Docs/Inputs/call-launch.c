//===- test/Docs/Inputs/call-launch.c - calls the page's launch.c -*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPI/Driver.h"

int softmaxRows(void *stream, int64_t rows, uint64_t x, uint64_t y);

int main(void) {
  enum { rows = 3, columns = 1000 };
  static uint16_t numbers[rows * columns], result[rows * columns];
  Driver driver = startDriver();
  DevicePointer x, y;
  void *stream;
  int i, time;
  CHECK(driver.streamCreate(&stream, 1) == 0);
  CHECK(driver.memAlloc(&x, sizeof(numbers)) == 0);
  CHECK(driver.memAlloc(&y, sizeof(result)) == 0);
  CHECK(driver.memcpyHtoD(x, numbers, sizeof(numbers)) == 0);
  for (time = 0; time < 2; ++time)
    CHECK(softmaxRows(stream, rows, x, y) == 0);
  CHECK(driver.ctxSynchronize() == 0);
  CHECK(driver.memcpyDtoH(result, y, sizeof(result)) == 0);
  for (i = 0; i < rows * columns; ++i)
    CHECK(result[i] == 0x3a83); /* 0.001 */
  CHECK(softmaxRows(stream, rows, x + 1, y) != 0);
  return 0;
}
