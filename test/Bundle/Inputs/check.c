/* test/Bundle/Inputs/check.c - bundles, on a GPU or in the simulator, against doubles
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Launches three bundles as a stranger's program would, and checks every element. On a machine
 * with a GPU, in a folder with this file:
 *
 *   quack-opt softmax.mlir --columns=4096 --storage=bf16 --name=softmax --emit=bundle -o .
 *   quack-opt softmax.mlir --columns=262144 --storage=bf16 --name=softmax_wide --emit=bundle -o .
 *   quack-opt rms_norm_backward.mlir --columns=4096 --storage=bf16,w:bf16,dw:f32 \
 *     --name=rms_norm_backward --emit=bundle -o .
 *   cc -std=c99 -O2 -DN=4096 -DWIDE=262144 *.c -o check -lm -pthread -ldl
 *   ./check softmax wide backward errors graph && ./check capture && ./check threads
 *
 * Each argument is a case; it prints a line for each, and returns 1 at the first that fails.
 */

#define _POSIX_C_SOURCE 200809L

#include "rms_norm_backward.h"
#include "softmax.h"
#include "softmax_wide.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ROWS
#define ROWS 37
#endif
#ifndef WIDE_ROWS
#define WIDE_ROWS 3
#endif

/* ---- The driver ---------------------------------------------------------------------- */

static struct {
  int (*cuInit)(unsigned);
  int (*cuDevicePrimaryCtxRetain)(void **, int);
  int (*cuCtxSetCurrent)(void *);
  int (*cuMemAlloc_v2)(uint64_t *, size_t);
  int (*cuMemFree_v2)(uint64_t);
  int (*cuMemcpyHtoD_v2)(uint64_t, const void *, size_t);
  int (*cuMemcpyDtoH_v2)(void *, uint64_t, size_t);
  int (*cuMemsetD8_v2)(uint64_t, unsigned char, size_t);
  int (*cuStreamCreate)(void **, unsigned);
  int (*cuStreamSynchronize)(void *);
  int (*cuStreamBeginCapture_v2)(void *, int);
  int (*cuStreamEndCapture)(void *, void **);
  int (*cuGraphInstantiateWithFlags)(void **, void *, unsigned long long);
  int (*cuGraphLaunch)(void *, void *);
} cuda;

static void *context, *stream;

/* Ends the program unless `holds`. */
static void require(int holds, const char *what, const char *details) {
  if (holds)
    return;
  printf("FAILED: %s%s%s\n", what, details[0] ? ": " : "", details);
  exit(1);
}

#define CALL(call) require(cuda.call == 0, #call, "")
#define FIND(name) find(#name, &cuda.name)

static void find(const char *name, void *place) {
  static void *library;
  void *symbol;
  if (!library)
    library = dlopen("libcuda.so.1", RTLD_NOW);
  require(library != NULL, "dlopen(libcuda.so.1)", "");
  symbol = dlsym(library, name);
  require(symbol != NULL, "dlsym", name);
  memcpy(place, &symbol, sizeof symbol);
}

static void open_driver(void) {
  FIND(cuInit);
  FIND(cuDevicePrimaryCtxRetain);
  FIND(cuCtxSetCurrent);
  FIND(cuMemAlloc_v2);
  FIND(cuMemFree_v2);
  FIND(cuMemcpyHtoD_v2);
  FIND(cuMemcpyDtoH_v2);
  FIND(cuMemsetD8_v2);
  FIND(cuStreamCreate);
  FIND(cuStreamSynchronize);
  FIND(cuStreamBeginCapture_v2);
  FIND(cuStreamEndCapture);
  FIND(cuGraphInstantiateWithFlags);
  FIND(cuGraphLaunch);
  CALL(cuInit(0));
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuCtxSetCurrent(context));
  CALL(cuStreamCreate(&stream, 1));
}

/* ---- Numbers ------------------------------------------------------------------------- */

static double from_bf16(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

/* The upper half of a float is a bf16 near it. */
static uint16_t to_bf16(double number) {
  float value = (float)number;
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)(word >> 16);
}

/* A number from -2 to 2. */
static double random_number(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (double)(state >> 8) / (1 << 22) - 2;
}

/* ---- Arrays -------------------------------------------------------------------------- */

/* Rows of bf16 or float on the host and the GPU; what lies between them must stay as it was. */
struct array {
  int64_t rows, columns, stride, offset; /* offset: elements after an aligned address */
  size_t element_bytes, bytes;
  char *host;
  uint64_t base;
};

static void *address_of(const struct array *array) {
  return (void *)(uintptr_t)(array->base + (size_t)array->offset * array->element_bytes);
}

static char *place_of(const struct array *array, int64_t row, int64_t column) {
  int64_t element = array->offset + row * array->stride + column;
  return array->host + (size_t)element * array->element_bytes;
}

static double get(const struct array *array, int64_t row, int64_t column) {
  const char *place = place_of(array, row, column);
  uint16_t half;
  float single;
  if (array->element_bytes == 2) {
    memcpy(&half, place, sizeof half);
    return from_bf16(half);
  }
  memcpy(&single, place, sizeof single);
  return single;
}

/* Makes an array, of random numbers if it `is_input`; else of bytes 0xa5. */
static struct array make_array(size_t element_bytes, int64_t rows, int64_t columns,
                               int64_t stride, int64_t offset, int is_input) {
  struct array array = {rows, columns, stride, offset, element_bytes, 0, NULL, 0};
  int64_t row, column;
  array.bytes = (size_t)(offset + rows * stride + 64) * element_bytes;
  array.host = malloc(array.bytes);
  require(array.host != NULL, "malloc", "");
  memset(array.host, 0xa5, array.bytes);
  for (row = 0; row < rows && is_input; ++row)
    for (column = 0; column < columns; ++column) {
      float single = (float)random_number();
      uint16_t half = to_bf16(single);
      memcpy(place_of(&array, row, column),
             element_bytes == 2 ? (const void *)&half : (const void *)&single, element_bytes);
    }
  CALL(cuMemAlloc_v2(&array.base, array.bytes));
  CALL(cuMemcpyHtoD_v2(array.base, array.host, array.bytes));
  return array;
}

static void free_array(struct array *array) {
  CALL(cuMemFree_v2(array->base));
  free(array->host);
}

/* Copies an array back, and checks that nothing but its rows was written. */
static void read_back(struct array *array) {
  char *before = array->host, *at;
  int64_t row;
  CALL(cuStreamSynchronize(stream));
  array->host = malloc(array->bytes);
  require(array->host != NULL, "malloc", "");
  CALL(cuMemcpyDtoH_v2(array->host, array->base, array->bytes));
  for (row = 0; row < array->rows; ++row) {
    at = place_of(array, row, 0);
    memcpy(before + (at - array->host), at, (size_t)array->columns * array->element_bytes);
  }
  require(memcmp(before, array->host, array->bytes) == 0, "memory beside the rows", "written");
  free(before);
}

/* Checks a result against what it is and how far it may be from that. */
static void check_close(double got, double expected, double bound, int64_t row,
                        int64_t column) {
  char text[128];
  snprintf(text, sizeof text, "row %d, column %d: got %.9g, expected %.9g within %.3g", (int)row,
           (int)column, got, expected, bound);
  require(fabs(got - expected) <= bound, "result", text); /* not for NaN */
}

/* ---- softmax ------------------------------------------------------------------------- */

typedef int softmax_function(void *stream, int64_t rows, const void *x, int64_t x_row_stride,
                             void *y, int64_t y_row_stride);

static void check_softmax_rows(const struct array *x, const struct array *y) {
  int64_t row, column;
  for (row = 0; row < x->rows; ++row) {
    double max = -INFINITY, sum = 0;
    for (column = 0; column < x->columns; ++column)
      max = fmax(max, get(x, row, column));
    for (column = 0; column < x->columns; ++column)
      sum += exp(get(x, row, column) - max);
    for (column = 0; column < x->columns; ++column) {
      double expected = exp(get(x, row, column) - max) / sum;
      check_close(get(y, row, column), expected, expected / 256, row, column);
    }
  }
}

/* Rows `gap` elements longer than their columns, `offset` elements after an aligned address. */
static void check_softmax(softmax_function *launch, const char *(*last_error)(void),
                          int64_t rows, int64_t columns, int64_t gap, int64_t offset) {
  struct array x = make_array(2, rows, columns, columns + gap, offset, 1);
  struct array y = make_array(2, rows, columns, columns + gap, offset, 0);
  int status = launch(stream, rows, address_of(&x), x.stride, address_of(&y), y.stride);
  require(status == 0, "launch", last_error());
  read_back(&y);
  check_softmax_rows(&x, &y);
  free_array(&x);
  free_array(&y);
}

static void check_softmax_in_place(void) {
  struct array x = make_array(2, ROWS, N, N, 0, 1), y = x;
  int status = softmax_launch(stream, ROWS, address_of(&x), N, address_of(&x), N);
  require(status == 0, "launch", softmax_last_error());
  y.host = malloc(y.bytes);
  memcpy(y.host, x.host, y.bytes);
  read_back(&y);
  check_softmax_rows(&x, &y);
  free(y.host);
  free_array(&x);
}

static void case_softmax(void) {
  check_softmax(softmax_launch, softmax_last_error, ROWS, N, 0, 0);
  check_softmax(softmax_launch, softmax_last_error, ROWS, N, 0, 1);
  check_softmax(softmax_launch, softmax_last_error, ROWS, N, 3, 0);
  check_softmax(softmax_launch, softmax_last_error, 1, N, 8, 8);
  check_softmax_in_place();
  require(softmax_launch(stream, 0, NULL, N, NULL, N) == 0, "no rows", softmax_last_error());
}

#ifdef WIDE_WORKSPACE
static int launch_wide(void *on, int64_t rows, const void *x, int64_t x_row_stride, void *y,
                       int64_t y_row_stride) {
  size_t bytes = softmax_wide_workspace_bytes(rows);
  uint64_t workspace;
  CALL(cuMemAlloc_v2(&workspace, bytes)); /* the process's end frees it */
  return softmax_wide_launch(on, rows, x, x_row_stride, y, y_row_stride,
                             (void *)(uintptr_t)workspace, bytes);
}
#else
#define launch_wide softmax_wide_launch
#endif

static void case_wide(void) {
  check_softmax(launch_wide, softmax_wide_last_error, WIDE_ROWS, WIDE, 0, 0);
}

/* ---- rms_norm_backward --------------------------------------------------------------- */

/* The operands of a launch, and its workspace. */
struct backward {
  struct array x, w, dy, rstd, dx, dw;
  size_t workspace_bytes;
  uint64_t workspace;
};

static struct backward make_backward(int64_t rows) {
  struct backward all;
  all.x = make_array(2, rows, N, N, 0, 1);
  all.w = make_array(2, 1, N, N, 0, 1);
  all.dy = make_array(2, rows, N, N, 0, 1);
  all.rstd = make_array(4, rows, 1, 1, 0, 1);
  all.dx = make_array(2, rows, N, N, 0, 0);
  all.dw = make_array(4, 1, N, N, 0, 0);
  all.workspace_bytes = rms_norm_backward_workspace_bytes(rows);
  CALL(cuMemAlloc_v2(&all.workspace, all.workspace_bytes));
  CALL(cuMemsetD8_v2(all.workspace, 0xff, all.workspace_bytes));
  return all;
}

static void free_backward(struct backward *all) {
  free_array(&all->x);
  free_array(&all->w);
  free_array(&all->dy);
  free_array(&all->rstd);
  free_array(&all->dx);
  free_array(&all->dw);
  CALL(cuMemFree_v2(all->workspace));
}

static int launch_backward(const struct backward *all) {
  return rms_norm_backward_launch(
      stream, all->x.rows, address_of(&all->x), N, address_of(&all->w), address_of(&all->dy), N,
      address_of(&all->rstd), 1, address_of(&all->dx), N, address_of(&all->dw),
      (void *)(uintptr_t)all->workspace, all->workspace_bytes);
}

static void check_dx(const struct backward *all) {
  int64_t row, column;
  for (row = 0; row < all->x.rows; ++row) {
    double rstd = get(&all->rstd, row, 0), mean = 0;
    for (column = 0; column < N; ++column)
      mean += get(&all->dy, row, column) * get(&all->w, 0, column) * get(&all->x, row, column) *
              rstd / N;
    for (column = 0; column < N; ++column) {
      double g = get(&all->dy, row, column) * get(&all->w, 0, column);
      double expected = rstd * (g - get(&all->x, row, column) * rstd * mean);
      check_close(get(&all->dx, row, column), expected, fabs(expected) / 256 + 1e-5, row, column);
    }
  }
}

static void check_dw(const struct backward *all) {
  int64_t row, column;
  for (column = 0; column < N; ++column) {
    double expected = 0;
    for (row = 0; row < all->x.rows; ++row)
      expected +=
          get(&all->dy, row, column) * get(&all->x, row, column) * get(&all->rstd, row, 0);
    check_close(get(&all->dw, 0, column), expected, 1e-5 * (double)(1 + all->x.rows), 0, column);
  }
}

static void check_backward(int64_t rows) {
  struct backward all = make_backward(rows);
  require(launch_backward(&all) == 0, "launch", rms_norm_backward_last_error());
  read_back(&all.dx);
  read_back(&all.dw);
  check_dx(&all);
  check_dw(&all);
  free_backward(&all);
}

static void case_backward(void) {
  check_backward(ROWS);
  check_backward(0);
}

/* ---- Errors -------------------------------------------------------------------------- */

static void expect(int status, int expected, const char *text) {
  const char *got = softmax_last_error();
  if (status == expected && strstr(got, text))
    return;
  printf("FAILED: expected %d with '%s', got %d with '%s'\n", expected, text, status, got);
  exit(1);
}

static void expect_backward(int status, const char *text) {
  const char *got = rms_norm_backward_last_error();
  if (status == QUACK_BUNDLE_INVALID_ARGUMENT && strstr(got, text))
    return;
  printf("FAILED: expected '%s', got %d with '%s'\n", text, status, got);
  exit(1);
}

/* Each is refused before anything is launched: the arrays stay as they were. */
static void case_errors(void) {
  enum { bad = QUACK_BUNDLE_INVALID_ARGUMENT };
  struct array y = make_array(2, 2, N, N, 0, 0);
  struct backward all = make_backward(2), changed;
  char *p = address_of(&y);
  int status;
  expect(softmax_launch(stream, -1, p, N, p, N), bad, "softmax: rows must not be negative, got -1");
  expect(softmax_launch(stream, 2, NULL, N, p, N), bad, "operand 'x' is NULL");
  expect(softmax_launch(stream, 2, p + 1, N, p, N), bad,
         "the address of operand 'x' must be a multiple of 2 bytes, got 0x");
  expect(softmax_launch(stream, 2, p, N, p, N - 1), bad,
         "rows of operand 'y', which is written, overlap");
  expect(softmax_launch(stream, INT64_MAX, p, 0, p, N), bad,
         "9223372036854775807 rows need more than the 2147483647 CTAs of a grid");
  changed = all;
  changed.workspace_bytes /= 8;
  expect_backward(launch_backward(&changed), "the workspace must have at least ");
  changed = all;
  changed.workspace += 8;
  expect_backward(launch_backward(&changed), "the workspace's address must be a multiple of 16");
  changed = all;
  changed.workspace = 0;
  expect_backward(launch_backward(&changed), "the workspace is NULL");
  changed = all;
  changed.rstd.base += 2;
  expect_backward(launch_backward(&changed),
                  "the address of operand 'rstd' must be a multiple of 4 bytes");
  CALL(cuCtxSetCurrent(NULL));
  status = softmax_launch(stream, 2, p, N, p, N);
  expect(status, status > 0 ? status : 201, "; no CUDA context is current in this thread");
  CALL(cuCtxSetCurrent(context));
  all.dw.rows = 0; /* canaries all of it */
  read_back(&all.dw);
  y.rows = 0;
  read_back(&y);
  free_array(&y);
  free_backward(&all);
}

/* ---- Graphs -------------------------------------------------------------------------- */

static void check_graph(void) {
  struct array x = make_array(2, 2, N, N, 0, 1), y = make_array(2, 2, N, N, 0, 0), unwritten;
  void *graph = NULL, *executable = NULL;
  int status;
  CALL(cuStreamBeginCapture_v2(stream, 0));
  status = softmax_launch(stream, 2, address_of(&x), N, address_of(&y), N);
  require(status == 0, "launch in a capture", softmax_last_error());
  CALL(cuStreamEndCapture(stream, &graph));
  CALL(cuGraphInstantiateWithFlags(&executable, graph, 0));
  unwritten = y;
  unwritten.rows = 0;
  read_back(&unwritten);
  y.host = unwritten.host;
  CALL(cuGraphLaunch(executable, stream));
  CALL(cuGraphLaunch(executable, stream));
  read_back(&y);
  check_softmax_rows(&x, &y);
  free_array(&x);
  free_array(&y);
}

static void case_graph(void) {
  require(softmax_prepare() == 0, "prepare", softmax_last_error());
  check_graph();
}

/* The first launch of the process is in a capture. */
static void case_capture(void) { check_graph(); }

/* So it is, and the driver is too old for that; the stream and the capture are as before. */
static void case_old_capture(void) {
  struct array x = make_array(2, 1, N, N, 0, 1);
  void *p = address_of(&x), *graph = NULL;
  CALL(cuStreamBeginCapture_v2(stream, 0));
  expect(softmax_launch(stream, 1, p, N, p, N), QUACK_BUNDLE_NOT_PREPARED,
         "call softmax_prepare() before the capture");
  CALL(cuStreamEndCapture(stream, &graph));
  free_array(&x);
  case_graph();
}

/* ---- Threads ------------------------------------------------------------------------- */

static void *run_thread(void *barrier) {
  struct array x, y;
  int status;
  CALL(cuCtxSetCurrent(context));
  x = make_array(2, 2, N, N, 0, 1);
  y = make_array(2, 2, N, N, 0, 0);
  pthread_barrier_wait(barrier);
  status = softmax_launch(stream, 2, address_of(&x), N, address_of(&y), N);
  require(status == 0, "launch", softmax_last_error());
  read_back(&y);
  check_softmax_rows(&x, &y);
  free_array(&x);
  free_array(&y);
  return NULL;
}

static void case_threads(void) {
  enum { count = 2 };
  pthread_barrier_t barrier;
  pthread_t threads[count];
  int i;
  pthread_barrier_init(&barrier, NULL, count);
  for (i = 0; i < count; ++i)
    require(pthread_create(&threads[i], NULL, run_thread, &barrier) == 0, "pthread_create", "");
  for (i = 0; i < count; ++i)
    pthread_join(threads[i], NULL);
  pthread_barrier_destroy(&barrier);
}

/* ---- More of the simulator's cases ----------------------------------------------------- */

/* Two GPUs: the code is loaded once in each. */
static void case_devices(void) {
  void *first = context, *other_context, *other_stream, *first_stream = stream;
  int i;
  CALL(cuDevicePrimaryCtxRetain(&other_context, 1));
  CALL(cuCtxSetCurrent(other_context));
  CALL(cuStreamCreate(&other_stream, 1));
  for (i = 0; i < 4; ++i) {
    context = i % 2 ? other_context : first;
    stream = i % 2 ? other_stream : first_stream;
    CALL(cuCtxSetCurrent(context));
    check_softmax(softmax_launch, softmax_last_error, 2, N, 0, 0);
  }
}

/* Prints what launches that fail say. */
static void case_failing(void) {
  struct array x = make_array(2, 3, N, N, 0, 1);
  void *p = address_of(&x);
  int status = softmax_launch(stream, 3, p, N, p, N);
  printf("status %d: %s\n", status, softmax_last_error());
  free_array(&x);
}

/* Of one row and of three: aligned, at another address, with another stride. */
static void case_failing_wide(void) {
  struct array x = make_array(2, 3, WIDE, WIDE + 1, 0, 0);
  char *p = address_of(&x);
  int rows, how;
  for (rows = 1; rows <= 3; rows += 2)
    for (how = 0; how < 3; ++how) {
      char *at = how == 1 ? p + 2 : p;
      int64_t stride = how == 2 ? WIDE + 1 : WIDE;
      int status = launch_wide(stream, rows, at, stride, at, stride);
      printf("rows %d, %d: status %d: %s\n", rows, how, status, softmax_wide_last_error());
    }
  free_array(&x);
}

int main(int count, char **arguments) {
  static const struct {
    const char *name;
    void (*run)(void);
  } cases[] = {
      {"softmax", case_softmax}, {"wide", case_wide},
      {"backward", case_backward}, {"errors", case_errors},
      {"graph", case_graph}, {"capture", case_capture},
      {"old-capture", case_old_capture}, {"threads", case_threads},
      {"devices", case_devices}, {"failing", case_failing},
      {"failing-wide", case_failing_wide},
  };
  int i;
  size_t c;
  open_driver();
  for (i = 1; i < count; ++i) {
    for (c = 0; c < sizeof cases / sizeof cases[0]; ++c)
      if (strcmp(arguments[i], cases[c].name) == 0)
        break;
    require(c < sizeof cases / sizeof cases[0], "unknown case", arguments[i]);
    cases[c].run();
    printf("%s: ok\n", arguments[i]);
  }
  return 0;
}
