/* test/Bundle/Inputs/driverless.c - a launch without a driver
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 */

#include "softmax.h"

#include <stdio.h>

int main(void) {
  int status = softmax_prepare();
  printf("%d: %s\n", status, softmax_last_error());
  return 0;
}
