/* test/Bundle/Inputs/odd.c - odd.mlir's kernels, called from C
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For the simulator, whose kernels reach the host's memory.
 */

#include "int_1_f32.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Calls a function of the driver that takes a pointer or null, and a number. */
static int call(const char *name, void *pointer, int number) {
  void *library = dlopen("libcuda.so.1", RTLD_NOW), *symbol = library ? dlsym(library, name) : NULL;
  int (*function)(void *, int);
  if (!symbol)
    return -1;
  memcpy(&function, &symbol, sizeof symbol);
  return function(pointer, number);
}

/* y = x + (long + stream) * rows, with 2^40 in the long. */
static int check_values(void) {
  float x[3] = {1, 2, 3}, y[3] = {0, 0, 0};
  int status = int_1_f32_launch(NULL, 3, x, 1, y, 1, 0.5f, INT64_C(1) << 40, -(1 << 30));
  float expected = (1099511627776.0f - 1073741824.0f) * 0.5f;
  if (status)
    printf("%s\n", int_1_f32_last_error());
  return status == 0 && y[0] == x[0] + expected && y[1] == x[1] + expected &&
         y[2] == x[2] + expected;
}

/* Two rows of 96 f8E4M3FN, which are 1 and 2, times f8E5M2, which is 0.5; times 3. */
static int check_sums(void) {
  unsigned char x[2][96], w[96], workspace[1 << 16];
  float sums[2] = {0, 0}, total = 0, factor = 3;
  unsigned char *aligned = workspace + (16 - (uintptr_t)workspace % 16) % 16;
  size_t bytes = x__96_f8E4M3FN_f8E5M2_f32_workspace_bytes(2);
  int status;
  memset(x[0], 0x38, sizeof x[0]);
  memset(x[1], 0x40, sizeof x[1]);
  memset(w, 0x38, sizeof w);
  if (bytes > sizeof workspace - 16)
    return 0;
  status = x__96_f8E4M3FN_f8E5M2_f32_launch(NULL, 2, x, 96, w, sums, 1, &total, &factor, aligned,
                                            bytes);
  if (status)
    printf("%s\n", x__96_f8E4M3FN_f8E5M2_f32_last_error());
  return status == 0 && sums[0] == 144 && sums[1] == 288 && total == 432;
}

/* Columns that are copied, at an odd address, with a gap. */
static int check_bytes(void) {
  unsigned char x[200], y[200];
  int i, status;
  for (i = 0; i < 200; ++i)
    x[i] = (unsigned char)i;
  memset(y, 0, sizeof y);
  status = x_x_96_i8_launch(NULL, 2, x + 1, 99, y + 1, 99);
  if (status)
    printf("%s\n", x_x_96_i8_last_error());
  return status == 0 && y[0] == 0 && memcmp(x + 1, y + 1, 96) == 0 && y[97] == 0 &&
         memcmp(x + 100, y + 100, 96) == 0;
}

int main(void) {
  void *context = NULL;
  if (call("cuInit", NULL, 0) || call("cuDevicePrimaryCtxRetain", &context, 0) ||
      call("cuCtxSetCurrent", context, 0))
    return 2;
  printf("values: %s\n", check_values() ? "ok" : "wrong");
  printf("sums: %s\n", check_sums() ? "ok" : "wrong");
  printf("bytes: %s\n", check_bytes() ? "ok" : "wrong");
  return 0;
}
