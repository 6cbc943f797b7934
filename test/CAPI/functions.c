//===- test/CAPI/functions.c - functions on tensors, from C -------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   capi-functions count RMS_NORM    one specialisation for any rows, addresses, numbers
//   capi-functions optional          every combination of optional operands
//   capi-functions shapes            tensors that do not fit, each by an error
//   capi-functions misuse            what is no function, and no argument
//   capi-functions in-place SOFTMAX  an output that is the input
//   capi-functions threads SOFTMAX   threads that call one function at once
//   capi-functions gpu BACKWARD      rms_norm_backward on a GPU, in a workspace
//
// Tensors are in the host's memory, so that kernels run in the simulator, but for the last.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"

#include <pthread.h>

/* y = (x + shift) * weight, s = the row's sum of it; all but x and y may be left out. */
static const char scale[] =
    "quack.kernel @scale(%x: memref<?x?xf32> in row,\n"
    "                    %shift: memref<?x?xf32> in row optional -0.0,\n"
    "                    %weight: memref<?xf32> in columns optional 1.0,\n"
    "                    %y: memref<?x?xf32> out row, %s: memref<?xf32> out scalar optional,\n"
    "                    %factor: f32 optional 1.0) {\n"
    "  %a = quack.load %x : memref<?x?xf32> -> tensor<?xf32>\n"
    "  %b = quack.load %shift : memref<?x?xf32> -> tensor<?xf32>\n"
    "  %w = quack.load %weight : memref<?xf32> -> tensor<?xf32>\n"
    "  %f = quack.broadcast %factor : f32 -> tensor<?xf32>\n"
    "  %h = arith.addf %a, %b : tensor<?xf32>\n"
    "  %p = arith.mulf %h, %w : tensor<?xf32>\n"
    "  %q = arith.mulf %p, %f : tensor<?xf32>\n"
    "  quack.store %q, %y : tensor<?xf32>, memref<?x?xf32>\n"
    "  %sum = quack.reduce addf %q : tensor<?xf32> -> f32\n"
    "  quack.store %sum, %s : f32, memref<?xf32>\n"
    "}\n";
enum { X, SHIFT, WEIGHT, Y, SUM, FACTOR, operandCount };

static QuackFunction *makeFunction(const char *text, size_t length) {
  QuackDiagnostics *diagnostics = NULL;
  QuackFunction *function =
      quackFunctionCreate(text, length, "f.mlir", NULL, NULL, 0, &diagnostics);
  CHECK(!printDiagnostics(diagnostics) && function);
  return function;
}

static QuackFunction *readFunction(const char *path) {
  size_t length;
  char *text = readFile(path, &length);
  QuackFunction *function = makeFunction(text, length);
  free(text);
  return function;
}

/* A tensor of f32, contiguous unless it has strides. */
typedef struct Array {
  QuackTensor tensor; /* points into what follows once it is given */
  int64_t shape[3], strides[3];
  int hasStrides;
} Array;

/* A contiguous array of the host's; 0 for `rows`: one dimension. */
static Array makeArray(float *data, int64_t rows, int64_t columns) {
  Array array;
  memset(&array, 0, sizeof(array));
  array.tensor.data = data;
  array.tensor.device.type = QUACK_DEVICE_CPU;
  array.tensor.type.code = QUACK_TYPE_FLOAT;
  array.tensor.type.bits = 32;
  array.tensor.type.lanes = 1;
  array.tensor.dimensions = rows ? 2 : 1;
  array.shape[0] = rows ? rows : columns;
  array.shape[1] = columns;
  return array;
}

static QuackCallArgument give(Array *array) {
  QuackCallArgument argument = {&array->tensor, 0, 0, 1};
  array->tensor.shape = array->shape;
  array->tensor.strides = array->hasStrides ? array->strides : NULL;
  return argument;
}

static QuackCallArgument number(double value) {
  QuackCallArgument argument = {NULL, value, 0, 1};
  return argument;
}

/* Calls, and prints what is wrong. */
static int call(const QuackFunction *function, const QuackCallArgument *arguments,
                size_t count) {
  QuackDiagnostics *diagnostics = NULL;
  int failed = quackFunctionCall(function, arguments, count, NULL, &diagnostics);
  CHECK(printDiagnostics(diagnostics) == failed);
  return failed;
}

//===----------------------------------------------------------------------===//
// Specialisations
//===----------------------------------------------------------------------===//

static void count(const char *path) {
  enum { most = 200, columns = 32 };
  QuackFunction *function = readFunction(path);
  const QuackKernelInfo *info = quackFunctionInfo(function);
  float *x = makeNumbers(most * columns, 1), *y = malloc(sizeof(float) * most * columns);
  QuackCallArgument arguments[9];
  int64_t rows;
  size_t i;
  CHECK(info->operandCount == 9 && info->columns == -1);
  CHECK(quackFunctionSpecializations(function) == 0);
  for (i = 0; i < 9; ++i) {
    const QuackOperandInfo *operand = quackKernelOperand(info, i);
    printf("%s %s %s %s%s\n", operand->name, operand->direction, operand->role,
           operand->type, operand->isOptional ? " optional" : "");
  }
  memset(arguments, 0, sizeof(arguments));
  for (rows = 1; rows <= most; ++rows) {
    double eps = (double)(rows % 5 + 1) / 1e6, squares = 0;
    Array from = makeArray(x, rows, columns), to = makeArray(y, rows, columns);
    float *last = x + (rows - 1) * columns;
    arguments[0] = give(&from);
    arguments[4] = give(&to);
    arguments[7] = number(eps);
    y[(rows - 1) * columns] = NAN;
    CHECK(call(function, arguments, 9) == 0);
    for (i = 0; i < columns; ++i)
      squares += (double)last[i] * last[i] / columns;
    CHECK(fabs(y[(rows - 1) * columns] / (last[0] / sqrt(squares + eps)) - 1) < 1e-5);
  }
  printf("specialisations: %ld\n", (long)quackFunctionSpecializations(function));
  quackFunctionDestroy(function);
  free(x), free(y);
}

static void optional(const char *path) {
  enum { rows = 3, columns = 40 };
  QuackFunction *function = makeFunction(scale, strlen(scale));
  float *x = makeNumbers(rows * columns, 1), *shift = makeNumbers(rows * columns, 2);
  float *weight = makeNumbers(columns, 3), y[rows * columns], sum[rows];
  Array arrays[5];
  unsigned set;
  int i;
  (void)path;
  arrays[X] = makeArray(x, rows, columns), arrays[SHIFT] = makeArray(shift, rows, columns);
  arrays[WEIGHT] = makeArray(weight, 0, columns);
  arrays[Y] = makeArray(y, rows, columns), arrays[SUM] = makeArray(sum, 0, rows);
  for (set = 0; set < 1 << operandCount; ++set) {
    QuackCallArgument arguments[operandCount];
    memset(arguments, 0, sizeof(arguments));
    for (i = 0; i < operandCount; ++i)
      if (set >> i & 1)
        arguments[i] = i == FACTOR ? number(0.5) : give(&arrays[i]);
    for (i = 0; i < rows * columns; ++i)
      y[i] = sum[i % rows] = NAN;
    if (!(set >> X & set >> Y & 1)) {
      CHECK(quackFunctionCall(function, arguments, operandCount, NULL, NULL));
      continue;
    }
    CHECK(call(function, arguments, operandCount) == 0);
    for (i = 0; i < rows * columns; ++i) {
      double h = x[i] + (set >> SHIFT & 1 ? (double)shift[i] : 0);
      h *= set >> WEIGHT & 1 ? weight[i % columns] : 1;
      CHECK(fabs(y[i] - h * (set >> FACTOR & 1 ? 0.5 : 1)) < 1e-5);
    }
    for (i = 0; i < rows; ++i) {
      double total = 0;
      int j;
      for (j = 0; j < columns; ++j)
        total += y[i * columns + j];
      CHECK(set >> SUM & 1 ? fabs(sum[i] - total) < 1e-4 : isnan(sum[i]));
    }
  }
  printf("specialisations: %ld\n", (long)quackFunctionSpecializations(function));
  free(x), free(shift), free(weight);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static QuackFunction *scaleFunction;
static QuackCallArgument scaleArguments[operandCount];

/* Calls with another tensor in place of an operand: an error. */
static void refuse(int operand, Array array) {
  QuackCallArgument before = scaleArguments[operand];
  scaleArguments[operand] = give(&array);
  CHECK(call(scaleFunction, scaleArguments, operandCount));
  scaleArguments[operand] = before;
}

static Array strided(Array array, int64_t first, int64_t second) {
  array.strides[0] = first;
  array.strides[1] = second;
  array.hasStrides = 1;
  return array;
}

static Array typed(Array array, int code, int bits, int lanes) {
  array.tensor.type.code = (uint8_t)code;
  array.tensor.type.bits = (uint8_t)bits;
  array.tensor.type.lanes = (uint16_t)lanes;
  return array;
}

static Array placed(Array array, int type, int id) {
  array.tensor.device.type = type;
  array.tensor.device.id = id;
  return array;
}

static Array ranked(Array array, int dimensions, int64_t first, int64_t last) {
  array.tensor.dimensions = dimensions;
  array.shape[0] = first;
  array.shape[1] = 2;
  array.shape[dimensions - (dimensions > 0)] = last;
  return array;
}

static void shapes(const char *path) {
  float data[256] = {0}, out[256] = {0};
  Array x = makeArray(data, 3, 40), y = makeArray(out, 3, 40), array;
  (void)path;
  scaleFunction = makeFunction(scale, strlen(scale));
  scaleArguments[X] = give(&x);
  scaleArguments[Y] = give(&y);
  refuse(SHIFT, makeArray(data, 4, 40));
  refuse(SHIFT, makeArray(data, 3, 39));
  refuse(WEIGHT, makeArray(data, 0, 41));
  refuse(WEIGHT, makeArray(data, 2, 40));
  refuse(SUM, makeArray(data, 0, 2));
  refuse(X, ranked(x, 0, 1, 1));
  refuse(X, ranked(x, 2, 3, 0));
  refuse(X, strided(x, 80, 2));
  refuse(WEIGHT, strided(makeArray(data, 0, 40), 2, 0));
  array = strided(ranked(x, 3, 3, 40), 40, 41);
  array.strides[2] = 1;
  refuse(X, array);
  refuse(Y, strided(y, 0, 1));
  refuse(Y, strided(y, 39, 1));
  refuse(SUM, strided(makeArray(out, 0, 3), 0, 0));
  refuse(X, typed(x, QUACK_TYPE_FLOAT, 64, 1));
  refuse(X, typed(x, QUACK_TYPE_INT, 32, 1));
  refuse(X, typed(x, QUACK_TYPE_FLOAT, 32, 2));
  refuse(WEIGHT, placed(makeArray(data, 0, 40), QUACK_DEVICE_CUDA, 1));
  refuse(X, placed(x, 4, 0));
  refuse(X, makeArray(NULL, 3, 40));
  scaleArguments[SHIFT] = number(1);
  CHECK(call(scaleFunction, scaleArguments, operandCount));
  memset(&scaleArguments[SHIFT], 0, sizeof(*scaleArguments));
  scaleArguments[FACTOR] = give(&x);
  CHECK(call(scaleFunction, scaleArguments, operandCount));
  scaleArguments[FACTOR] = number(2);
  CHECK(call(scaleFunction, scaleArguments, 2));
  /* What is right is none the worse, nor is a row for all, nor are no rows. */
  data[0] = 3;
  CHECK(call(scaleFunction, scaleArguments, operandCount) == 0 && out[0] == 6);
  array = strided(x, 0, 1);
  scaleArguments[X] = give(&array);
  CHECK(call(scaleFunction, scaleArguments, operandCount) == 0 && out[80] == 6);
  x = makeArray(NULL, 1, 40);
  x.shape[0] = 0;
  y = x;
  scaleArguments[X] = give(&x);
  scaleArguments[Y] = give(&y);
  CHECK(call(scaleFunction, scaleArguments, operandCount) == 0);
}

static void misuse(const char *path) {
  static const char *const texts[] = {"", "func.func @f() { return }", "quack.kernel @"};
  QuackOption option = {"pin", "cluster = 3"};
  QuackDiagnostics *diagnostics = NULL;
  QuackFunction *function = makeFunction(scale, strlen(scale));
  float data[40], out[40];
  Array x = makeArray(data, 1, 40), y = makeArray(out, 1, 40);
  QuackCallArgument arguments[operandCount];
  int64_t bytes;
  size_t i;
  (void)path;
  memset(arguments, 0, sizeof(arguments));
  arguments[X] = give(&x);
  arguments[Y] = give(&y);
#define FAILS(condition)                                                                 \
  CHECK(condition);                                                                      \
  CHECK(printDiagnostics(diagnostics))
  for (i = 0; i < 3; ++i) {
    FAILS(!quackFunctionCreate(texts[i], strlen(texts[i]), "f.mlir", NULL, NULL, 0,
                               &diagnostics));
  }
  FAILS(!quackFunctionCreate(NULL, 0, NULL, NULL, NULL, 0, &diagnostics));
  FAILS(!quackFunctionCreate(scale, strlen(scale), "f.mlir", "max", NULL, 0, &diagnostics));
  FAILS(quackFunctionCall(NULL, arguments, operandCount, NULL, &diagnostics));
  FAILS(quackFunctionCall(function, NULL, 0, NULL, &diagnostics));
  FAILS(quackFunctionWorkspaceBytes(NULL, arguments, operandCount, &bytes, &diagnostics));
  FAILS(quackFunctionWorkspaceBytes(function, arguments, operandCount, NULL, &diagnostics));
  quackFunctionDestroy(function);
  quackFunctionDestroy(NULL);
  CHECK(quackFunctionInfo(NULL) == NULL && quackFunctionSpecializations(NULL) == 0);
  /* A plan is judged when it is made; its error comes again with each call. */
  function = quackFunctionCreate(scale, strlen(scale), "f.mlir", NULL, &option, 1, NULL);
  FAILS(quackFunctionCall(function, arguments, operandCount, NULL, &diagnostics));
  FAILS(quackFunctionCall(function, arguments, operandCount, NULL, &diagnostics));
#undef FAILS
  quackFunctionDestroy(function);
}

//===----------------------------------------------------------------------===//
// Arrays that overlap, threads, GPUs
//===----------------------------------------------------------------------===//

static void inPlace(const char *path) {
  static const long sizes[] = {128, 8192};
  QuackFunction *function = readFunction(path);
  size_t i;
  for (i = 0; i < 2; ++i) {
    float *numbers = makeNumbers(2 * sizes[i], 1), *copy = makeNumbers(2 * sizes[i], 1);
    Array array = makeArray(numbers, 2, sizes[i]);
    QuackCallArgument arguments[4];
    memset(arguments, 0, sizeof(arguments));
    arguments[0] = arguments[2] = give(&array);
    CHECK(call(function, arguments, 4) == 0);
    checkSoftmax(copy, numbers, 2, sizes[i]);
    free(numbers), free(copy);
  }
  quackFunctionDestroy(function);
}

static void *callOften(void *data) {
  enum { rows = 2, columns = 64 };
  const QuackFunction *function = data;
  int i;
  for (i = 0; i < 8; ++i) {
    long width = columns << i % 2;
    float *x = makeNumbers(rows * width, (unsigned)i), y[rows * columns * 2];
    Array from = makeArray(x, rows, width), to = makeArray(y, rows, width);
    QuackCallArgument arguments[4];
    memset(arguments, 0, sizeof(arguments));
    arguments[0] = give(&from);
    arguments[2] = give(&to);
    CHECK(quackFunctionCall(function, arguments, 4, NULL, NULL) == 0);
    checkSoftmax(x, y, rows, width);
    free(x);
  }
  return NULL;
}

static void threads(const char *path) {
  QuackFunction *function = readFunction(path);
  pthread_t ids[6];
  int i;
  for (i = 0; i < 6; ++i)
    CHECK(pthread_create(&ids[i], NULL, callOften, function) == 0);
  for (i = 0; i < 6; ++i)
    CHECK(pthread_join(ids[i], NULL) == 0);
  printf("specialisations: %ld\n", (long)quackFunctionSpecializations(function));
  quackFunctionDestroy(function);
}

static void gpu(const char *path) {
  enum { rows = 2, columns = 64, dw = 7 };
  static const int given[] = {0, 2, 4, 5, dw}; /* x, dy, rstd, dx, dw */
  QuackFunction *function = readFunction(path);
  Driver driver = startDriver();
  float *numbers = makeNumbers(rows * columns, 1), *result;
  QuackLaunchOptions options = {sizeof(options), NULL, NULL, 0, -1};
  QuackDiagnostics *diagnostics = NULL;
  QuackCallArgument arguments[10];
  Array arrays[5];
  Rows memory[5];
  int64_t bytes = 0;
  DevicePointer workspace;
  int i;
  memset(arguments, 0, sizeof(arguments));
  for (i = 0; i < 5; ++i) {
    int64_t height = given[i] == dw ? 1 : rows, width = given[i] == 4 ? 1 : columns;
    memory[i] = makeRows(&driver, height, width, 0, 4, i < 3 ? numbers : NULL);
    arrays[i] = placed(makeArray((void *)(uintptr_t)addressOf(&memory[i]), height, width),
                       QUACK_DEVICE_CUDA, 0);
    if (given[i] == dw || given[i] == 4) {
      arrays[i].tensor.dimensions = 1;
      arrays[i].shape[0] = height * width;
    }
    arguments[given[i]] = give(&arrays[i]);
  }
  /* One that the stream has; none that is too small; the caller's. */
  CHECK(quackFunctionCall(function, arguments, 10, &options, NULL) == 0);
  CHECK(driver.ctxSynchronize() == 0);
  free(readRows(&driver, &memory[4]));
  writeRows(&driver, &memory[4], NULL);
  CHECK(quackFunctionWorkspaceBytes(function, arguments, 10, &bytes, NULL) == 0);
  CHECK(driver.memAlloc(&workspace, (size_t)bytes) == 0);
  options.workspace = (void *)(uintptr_t)workspace;
  options.workspaceBytes = bytes - 1;
  CHECK(quackFunctionCall(function, arguments, 10, &options, &diagnostics));
  printDiagnostics(diagnostics);
  CHECK(isUntouched(&driver, &memory[4]));
  options.workspaceBytes = bytes;
  CHECK(quackFunctionCall(function, arguments, 10, &options, NULL) == 0);
  CHECK(driver.ctxSynchronize() == 0);
  result = readRows(&driver, &memory[4]);
  for (i = 0; i < columns; ++i) {
    const float *second = numbers + columns;
    double sum = (double)numbers[i] * numbers[i] * numbers[0];
    sum += (double)second[i] * second[i] * numbers[1];
    CHECK(fabs(result[i] - sum) < 1e-4);
  }
  free(readRows(&driver, &memory[3]));
  free(result), free(numbers);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(const char *path);
  } verbs[] = {{"count", count},       {"optional", optional}, {"shapes", shapes},
               {"misuse", misuse},     {"in-place", inPlace},  {"threads", threads},
               {"gpu", gpu}};
  size_t i;
  for (i = 0; i < sizeof(verbs) / sizeof(*verbs); ++i)
    if (argc > 1 && strcmp(argv[1], verbs[i].name) == 0) {
      verbs[i].run(argv[2]);
      printf("PASS\n");
      return 0;
    }
  return 2;
}
