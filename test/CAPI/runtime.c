//===- test/CAPI/runtime.c - compiled kernels, launched from C ----*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   capi-runtime values SOFTMAX        results, canaries, the variant for any alignment
//   capi-runtime workspace BACKWARD    rms_norm_backward in a workspace of the caller's
//   capi-runtime misuse SOFTMAX        what must be an error without the driver
//   capi-runtime refused SOFTMAX       what the driver refuses, and what works next
//   capi-runtime edited SOFTMAX        metadata that asks for more than there is
//   capi-runtime lazy SOFTMAX          compiles and loads without the driver
//   capi-runtime missing SOFTMAX       launches where there is no driver
//   capi-runtime names SOFTMAX         two executables whose kernels have one name
//   capi-runtime occupancy SOFTMAX     what the driver says, with clusters and without
//   capi-runtime cluster SOFTMAX       a cluster of 16
//   capi-runtime program BACKWARD      quackLaunch, from threads at once
//   capi-runtime host LIBRARY          a host program whose softmax calls it
//
// Each verb is a process of its own: what is the first of its kind matters.
//
//===----------------------------------------------------------------------===//

#define _POSIX_C_SOURCE 200809L
#include "Driver.h"

#include <pthread.h>

enum { rowCount = 5, columnCount = 100 };

static QuackCompiled *compileFile(const char *path, const char *columns, const char *pin) {
  QuackOption options[2];
  QuackDiagnostics *diagnostics = NULL;
  QuackProgram *program = parseFile(path);
  QuackCompiled *compiled;
  options[0].name = "columns";
  options[0].value = columns;
  options[1].name = "pin";
  options[1].value = pin;
  compiled = quackCompile(program, options, pin ? 2 : 1, &diagnostics);
  printDiagnostics(diagnostics);
  CHECK(compiled);
  quackProgramDestroy(program);
  return compiled;
}

static QuackExecutable *loadFile(const char *path, const char *columns, const char *pin) {
  QuackCompiled *compiled = compileFile(path, columns, pin);
  QuackExecutable *executable = quackLoad(compiled, NULL);
  quackCompiledDestroy(compiled);
  CHECK(executable);
  return executable;
}

/* Launches y = softmax(x) on the default stream. Prints what is wrong. */
static int launchSoftmax(const QuackExecutable *executable, const Rows *x, const Rows *y) {
  QuackDiagnostics *diagnostics = NULL;
  QuackArgument arguments[2];
  int failed;
  arguments[0] = argumentOf(x);
  arguments[1] = argumentOf(y);
  failed = quackKernelLaunch(quackExecutableKernel(executable, NULL), x->rows, arguments, 2,
                             NULL, &diagnostics);
  CHECK(printDiagnostics(diagnostics) == failed);
  return failed;
}

/* Makes rows, launches, compares. */
static void runSoftmax(const Driver *driver, const QuackExecutable *executable, long rows,
                       long columns, long gap, long margin) {
  float *numbers = makeNumbers(rows * columns, (unsigned)columns);
  Rows x = makeRows(driver, rows, columns, gap, margin, numbers);
  Rows y = makeRows(driver, rows, columns, gap, margin, NULL);
  float *result;
  CHECK(launchSoftmax(executable, &x, &y) == 0);
  CHECK(driver->ctxSynchronize() == 0);
  result = readRows(driver, &y);
  checkSoftmax(numbers, result, rows, columns);
  free(result);
  free(numbers);
  CHECK(driver->memFree(x.base) == 0 && driver->memFree(y.base) == 0);
}

static void values(const char *path) {
  Driver driver = startDriver();
  QuackExecutable *executable = loadFile(path, "100", NULL);
  runSoftmax(&driver, executable, rowCount, columnCount, 28, 4);
  runSoftmax(&driver, executable, 1, columnCount, 0, 4);
  /* An address, then a row stride, of one element. */
  runSoftmax(&driver, executable, rowCount, columnCount, 28, 5);
  runSoftmax(&driver, executable, rowCount, columnCount, 1, 4);
  /* Nothing is launched for no rows. */
  runSoftmax(&driver, executable, 0, columnCount, 0, 4);
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/* The gradients of y = x * rstd * w, for the rows of x. */
static void checkBackward(const float *x, const float *dy, const float *rstd,
                          const float *dx, const float *dw) {
  double sums[columnCount] = {0};
  long row, i;
  for (row = 0; row < rowCount; ++row) {
    const float *xs = x + row * columnCount, *dys = dy + row * columnCount;
    double mean = 0, r = rstd[row];
    for (i = 0; i < columnCount; ++i)
      mean += dys[i] * (xs[i] * r) / columnCount;
    for (i = 0; i < columnCount; ++i) {
      sums[i] += dys[i] * (xs[i] * r);
      CHECK(fabs(dx[row * columnCount + i] - r * (dys[i] - xs[i] * r * mean)) < 1e-4);
    }
  }
  for (i = 0; i < columnCount; ++i)
    CHECK(fabs(dw[i] - sums[i]) < 1e-4);
}

/* What rms_norm_backward without a weight reads and writes. */
typedef struct Backward {
  float *x, *dy, *rstd;
  Rows rows[5]; /* x, dy, rstd, dx, dw */
  QuackArgument arguments[5];
} Backward;

static Backward makeBackward(const Driver *driver) {
  Backward all;
  long i;
  all.x = makeNumbers(rowCount * columnCount, 1);
  all.dy = makeNumbers(rowCount * columnCount, 2);
  all.rstd = makeNumbers(rowCount, 3);
  all.rows[0] = makeRows(driver, rowCount, columnCount, 0, 4, all.x);
  all.rows[1] = makeRows(driver, rowCount, columnCount, 4, 4, all.dy);
  all.rows[2] = makeRows(driver, rowCount, 1, 0, 4, all.rstd);
  all.rows[3] = makeRows(driver, rowCount, columnCount, 4, 4, NULL);
  all.rows[4] = makeRows(driver, 1, columnCount, 0, 4, NULL);
  for (i = 0; i < 5; ++i)
    all.arguments[i] = argumentOf(&all.rows[i]);
  return all;
}

static void checkAndFree(const Driver *driver, Backward *all) {
  float *dx, *dw;
  long i;
  CHECK(driver->ctxSynchronize() == 0);
  dx = readRows(driver, &all->rows[3]);
  dw = readRows(driver, &all->rows[4]);
  checkBackward(all->x, all->dy, all->rstd, dx, dw);
  for (i = 0; i < 5; ++i)
    CHECK(driver->memFree(all->rows[i].base) == 0);
  free(dx), free(dw), free(all->x), free(all->dy), free(all->rstd);
}

static QuackCompiled *compileBackward(const char *path) {
  QuackOption options[2] = {{"columns", "100"}, {"storage", "dw:f32"}};
  QuackProgram *program = parseFile(path);
  QuackCompiled *compiled = quackCompile(program, options, 2, NULL);
  CHECK(compiled);
  quackProgramDestroy(program);
  return compiled;
}

static void workspace(const char *path) {
  QuackCompiled *compiled = compileBackward(path);
  QuackExecutable *executable = quackLoad(compiled, NULL);
  const QuackKernel *kernel = quackExecutableKernel(executable, "rms_norm_backward");
  QuackDiagnostics *diagnostics = NULL;
  Driver driver = startDriver();
  Backward all = makeBackward(&driver);
  QuackLaunchOptions options = {sizeof(options), NULL, NULL, 0, -1};
  int64_t bytes = 0;
  Rows memory;
  quackCompiledDestroy(compiled);
  CHECK(quackKernelWorkspaceBytes(kernel, rowCount, all.arguments, 5, &bytes, NULL) == 0);
  CHECK(bytes > 0 && bytes % 4 == 0);
  memory = makeRows(&driver, 1, (long)bytes / 4, 0, 4, NULL);
  /* None; too small; not aligned. */
  CHECK(quackKernelLaunch(kernel, rowCount, all.arguments, 5, NULL, &diagnostics));
  printDiagnostics(diagnostics);
  options.workspace = (void *)(uintptr_t)addressOf(&memory);
  options.workspaceBytes = bytes - 1;
  CHECK(quackKernelLaunch(kernel, rowCount, all.arguments, 5, &options, &diagnostics));
  printDiagnostics(diagnostics);
  options.workspace = (char *)options.workspace + 4;
  options.workspaceBytes = bytes;
  CHECK(quackKernelLaunch(kernel, rowCount, all.arguments, 5, &options, &diagnostics));
  printDiagnostics(diagnostics);
  CHECK(isUntouched(&driver, &all.rows[3]) && isUntouched(&driver, &all.rows[4]));
  options.workspace = (char *)options.workspace - 4;
  CHECK(quackKernelLaunch(kernel, rowCount, all.arguments, 5, &options, &diagnostics) == 0);
  free(readRows(&driver, &memory)); /* its canaries */
  checkAndFree(&driver, &all);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static void misuse(const char *path) {
  QuackCompiled *compiled = compileFile(path, "100", NULL);
  QuackExecutable *executable = quackLoad(compiled, NULL);
  const QuackKernel *kernel = quackExecutableKernel(executable, "softmax");
  QuackDiagnostics *diagnostics = NULL;
  QuackArgument arguments[3] = {{4096, 100}, {8192, 100}, {0, 0}};
  QuackOccupancy occupancy;
  int64_t bytes;
  quackExecutableDestroy(NULL);
  CHECK(quackExecutableKernel(NULL, NULL) == NULL);
  CHECK(quackExecutableKernel(executable, "other") == NULL);
  CHECK(quackExecutableKernel(executable, NULL) == kernel);
#define FAILS(call)                                                                      \
  CHECK(call);                                                                           \
  CHECK(printDiagnostics(diagnostics))
  FAILS(quackLoad(NULL, &diagnostics) == NULL);
  FAILS(quackLoadTexts(NULL, "{}", &diagnostics) == NULL);
  FAILS(quackLoadTexts("", NULL, &diagnostics) == NULL);
  FAILS(quackLoadTexts("", "{", &diagnostics) == NULL);
  FAILS(quackLoadTexts("", "{\"kernels\": 3}", &diagnostics) == NULL);
  FAILS(quackKernelLaunch(NULL, 1, arguments, 2, NULL, &diagnostics));
  FAILS(quackKernelLaunch(kernel, 1, arguments, 1, NULL, &diagnostics));
  FAILS(quackKernelLaunch(kernel, 1, arguments, 3, NULL, &diagnostics));
  FAILS(quackKernelLaunch(kernel, 1, NULL, 0, NULL, &diagnostics));
  FAILS(quackKernelLaunch(kernel, -1, arguments, 2, NULL, &diagnostics));
  arguments[1].word += 2;
  FAILS(quackKernelLaunch(kernel, 1, arguments, 2, NULL, &diagnostics));
  FAILS(quackKernelWorkspaceBytes(kernel, 1, arguments, 2, NULL, &diagnostics));
  FAILS(quackKernelWorkspaceBytes(NULL, 1, arguments, 2, &bytes, &diagnostics));
  FAILS(quackExecutablePrepare(NULL, -1, &diagnostics));
  FAILS(quackExecutableOccupancy(executable, NULL, -1, &occupancy, &diagnostics));
#undef FAILS
  /* Nobody wants to hear it. */
  CHECK(quackKernelLaunch(kernel, 1, arguments, 2, NULL, NULL));
  CHECK(quackExecutablePrepare(NULL, -1, NULL));
  quackExecutableDestroy(executable);
  quackCompiledDestroy(compiled);
}

static void refused(const char *path) {
  QuackExecutable *executable = loadFile(path, "100", NULL);
  Driver driver = startDriver();
  float *numbers = makeNumbers(rowCount * columnCount, 1);
  Rows x = makeRows(&driver, rowCount, columnCount, 0, 4, numbers);
  Rows y = makeRows(&driver, rowCount, columnCount, 0, 4, NULL);
  CHECK(launchSoftmax(executable, &x, &y));
  CHECK(isUntouched(&driver, &y));
  runSoftmax(&driver, executable, rowCount, columnCount, 0, 4);
  /* More rows than a grid has CTAs for. */
  x.rows = INT64_MAX;
  CHECK(launchSoftmax(executable, &x, &y));
  free(numbers);
}

/* Returns a copy of a JSON text, each number of `member` replaced. */
static char *replace(const char *text, const char *member, const char *number) {
  char *result = calloc(2, strlen(text) + 1), *end = result, pattern[64];
  const char *found;
  snprintf(pattern, sizeof(pattern), "\"%s\": ", member);
  CHECK(strstr(text, pattern));
  while ((found = strstr(text, pattern)) != NULL) {
    found += strlen(pattern);
    end += sprintf(end, "%.*s%s", (int)(found - text), text, number);
    text = found + strspn(found, "0123456789");
  }
  strcpy(end, text);
  return result;
}

static void edited(const char *path) {
  static const char *const edits[][2] = {{"threads", "2048"},
                                         {"shared_bytes", "300000"},
                                         {"cluster", "32"},
                                         {"rows_per_tile", "0"}};
  QuackCompiled *compiled = compileFile(path, "100", NULL);
  QuackExecutable *intact = quackLoad(compiled, NULL);
  QuackDiagnostics *diagnostics = NULL;
  Driver driver = startDriver();
  float *numbers = makeNumbers(rowCount * columnCount, 1);
  Rows x = makeRows(&driver, rowCount, columnCount, 0, 4, numbers);
  Rows y = makeRows(&driver, rowCount, columnCount, 0, 4, NULL);
  size_t i;
  for (i = 0; i < sizeof(edits) / sizeof(*edits); ++i) {
    char *json = replace(quackCompiledMetadata(compiled), edits[i][0], edits[i][1]);
    QuackExecutable *executable =
        quackLoadTexts(quackCompiledPTX(compiled), json, &diagnostics);
    printf("%s = %s\n", edits[i][0], edits[i][1]);
    CHECK(printDiagnostics(diagnostics) == !executable);
    CHECK(!executable || launchSoftmax(executable, &x, &y));
    CHECK(isUntouched(&driver, &y));
    runSoftmax(&driver, intact, rowCount, columnCount, 0, 4);
    free(json);
  }
  quackCompiledDestroy(compiled);
  free(numbers);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static void lazy(const char *path) {
  QuackExecutable *executable = loadFile(path, "100", NULL);
  size_t length;
  char line[512];
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps);
  for (length = 0; fgets(line, sizeof(line), maps); ++length)
    CHECK(!strstr(line, "libcuda"));
  CHECK(length > 0);
  fclose(maps);
  quackExecutableDestroy(executable);
}

static void missing(const char *path) {
  QuackExecutable *executable = loadFile(path, "100", NULL);
  QuackDiagnostics *diagnostics = NULL;
  QuackArgument arguments[2] = {{4096, 100}, {8192, 100}};
  int i;
  for (i = 0; i < 2; ++i) {
    CHECK(quackKernelLaunch(quackExecutableKernel(executable, NULL), 1, arguments, 2, NULL,
                            &diagnostics));
    CHECK(printDiagnostics(diagnostics));
  }
}

static void names(const char *path) {
  static const char *const texts[] = {"64", "160", "64"};
  QuackExecutable *executables[3];
  Driver driver = startDriver();
  int i, j;
  for (i = 0; i < 3; ++i)
    executables[i] = loadFile(path, texts[i], NULL);
  for (j = 0; j < 2; ++j)
    for (i = 0; i < 3; ++i)
      runSoftmax(&driver, executables[i], rowCount, atol(texts[i]), 0, 4);
}

static void occupancy(const char *path) {
  QuackExecutable *alone = loadFile(path, "100", "threads = 64");
  QuackExecutable *clusters = loadFile(path, "4096", "cluster = 2, threads = 256");
  QuackDiagnostics *diagnostics = NULL;
  QuackOccupancy found = {0, 0, 0, 0};
  startDriver();
  CHECK(quackExecutableOccupancy(alone, "softmax", -1, &found, NULL) == 0);
  printf("alone: %d CTAs, %d clusters, %d registers\n", found.ctasPerMultiprocessor,
         found.clusters, found.registers);
  CHECK(quackExecutableOccupancy(clusters, "softmax_anywhere", 0, &found, NULL) == 0);
  printf("clusters: %d CTAs, %d clusters, %d registers\n", found.ctasPerMultiprocessor,
         found.clusters, found.registers);
  CHECK(quackExecutableOccupancy(alone, "max", -1, &found, &diagnostics));
  CHECK(printDiagnostics(diagnostics));
}

static void cluster(const char *path) {
  QuackExecutable *executable = loadFile(path, "4096", "cluster = 16");
  Driver driver = startDriver();
  float *numbers = makeNumbers(2 * 4096, 1);
  Rows x = makeRows(&driver, 2, 4096, 0, 4, numbers);
  Rows y = makeRows(&driver, 2, 4096, 0, 4, NULL);
  if (launchSoftmax(executable, &x, &y))
    CHECK(isUntouched(&driver, &y));
  else
    runSoftmax(&driver, executable, 2, 4096, 0, 4);
  free(numbers);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/* A program's texts and its place, which all its calls share. */
typedef struct Program {
  const QuackCompiled *compiled;
  void *state, *context;
  const Driver *driver;
} Program;

enum { threadCount = 4 };
static pthread_barrier_t together;

static void *callProgram(void *data) {
  Program *program = data;
  Backward all;
  CHECK(program->driver->ctxSetCurrent(program->context) == 0);
  all = makeBackward(program->driver);
  if (!program->state)
    pthread_barrier_wait(&together);
  CHECK(quackLaunch(&program->state, quackCompiledPTX(program->compiled),
                    quackCompiledMetadata(program->compiled), "rms_norm_backward", rowCount,
                    all.arguments, 5, NULL) == 0);
  checkAndFree(program->driver, &all);
  return NULL;
}

static void program(const char *path) {
  Driver driver = startDriver();
  Program own = {compileBackward(path), NULL, NULL, &driver};
  const char *ptx = quackCompiledPTX(own.compiled);
  pthread_t threads[threadCount];
  void *state;
  int i;
  CHECK(pthread_barrier_init(&together, NULL, threadCount) == 0);
  CHECK(driver.ctxGetCurrent(&own.context) == 0);
  for (i = 0; i < threadCount; ++i)
    CHECK(pthread_create(&threads[i], NULL, callProgram, &own) == 0);
  for (i = 0; i < threadCount; ++i)
    CHECK(pthread_join(threads[i], NULL) == 0);
  state = own.state;
  callProgram(&own);
  CHECK(state && own.state == state);
  CHECK(quackLaunch(&own.state, ptx, "", "max", rowCount, NULL, 0, NULL));
  own.state = NULL;
  CHECK(quackLaunch(&own.state, ptx, "no JSON", "max", rowCount, NULL, 0, NULL));
  CHECK(own.state == NULL);
}

/* What MLIR passes by a pointer of memref<?x?xf32> (its documentation, "Target LLVM IR",
 * ranked memrefs). */
typedef struct Memref {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Memref;

static void host(const char *path) {
  enum { rows = 4, columns = 160 };
  void (*softmax)(Memref * y, const Memref *x);
  void *library = dlopen(path, RTLD_NOW);
  float *numbers = makeNumbers(rows * columns, 1);
  Memref x = {numbers, numbers, 0, {rows, columns}, {columns, 1}}, y;
  int i;
  startDriver();
  CHECK(library);
  *(void **)&softmax = dlsym(library, "_mlir_ciface_main");
  CHECK(softmax);
  for (i = 0; i < 2; ++i) {
    memset(&y, 0, sizeof(y));
    softmax(&y, &x);
    CHECK(y.sizes[0] == rows && y.sizes[1] == columns && y.strides[0] == columns);
    checkSoftmax(numbers, y.aligned + y.offset, rows, columns);
    free(y.allocated);
  }
  free(numbers);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(const char *path);
  } verbs[] = {
      {"values", values},   {"workspace", workspace}, {"misuse", misuse},
      {"refused", refused}, {"edited", edited},       {"lazy", lazy},
      {"missing", missing}, {"names", names},         {"occupancy", occupancy},
      {"cluster", cluster}, {"program", program},     {"host", host},
  };
  size_t i;
  for (i = 0; i < sizeof(verbs) / sizeof(*verbs); ++i)
    if (argc == 3 && strcmp(argv[1], verbs[i].name) == 0) {
      verbs[i].run(argv[2]);
      printf("PASS\n");
      return 0;
    }
  return 2;
}
