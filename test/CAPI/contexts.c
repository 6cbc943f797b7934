//===- test/CAPI/contexts.c - the caller's contexts and streams ---*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   capi-contexts capture SOFTMAX MODE   the first launch is inside a capture (MODE: 0
//                                        global, 1 thread_local, 2 relaxed)
//   capi-contexts prepare SOFTMAX        loads while a stream is being captured
//   capi-contexts others SOFTMAX         the first launch while another thread captures
//   capi-contexts devices SOFTMAX        two GPUs, the current one and the other
//   capi-contexts streams SOFTMAX        streams, default streams, another context's
//   capi-contexts fork SOFTMAX           children of a process that did not use CUDA
//   capi-contexts late-fork SOFTMAX      a child of one that did
//   capi-contexts threads SOFTMAX        eight threads are the first at once
//
// Each verb is a process of its own: what is the first of its kind matters.
//
//===----------------------------------------------------------------------===//

#define _POSIX_C_SOURCE 200809L
#include "Driver.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rowCount = 3, columnCount = 100 };

/* y = softmax(x) with memory of one GPU. */
typedef struct Job {
  const QuackExecutable *executable;
  float *numbers;
  Rows x, y;
} Job;

static QuackExecutable *loadFile(const char *path) {
  QuackOption options[1] = {{"columns", "100"}};
  QuackProgram *program = parseFile(path);
  QuackCompiled *compiled = quackCompile(program, options, 1, NULL);
  QuackExecutable *executable = quackLoad(compiled, NULL);
  CHECK(executable);
  quackProgramDestroy(program);
  quackCompiledDestroy(compiled);
  return executable;
}

/* Allocates in the current context. */
static Job makeJob(const Driver *driver, const QuackExecutable *executable, unsigned seed) {
  Job job;
  job.executable = executable;
  job.numbers = makeNumbers(rowCount * columnCount, seed);
  job.x = makeRows(driver, rowCount, columnCount, 0, 4, job.numbers);
  job.y = makeRows(driver, rowCount, columnCount, 0, 4, NULL);
  return job;
}

/* Launches, and prints what is wrong. */
static int launch(const Job *job, void *stream, int device) {
  QuackLaunchOptions options = {sizeof(options), stream, NULL, 0, device};
  QuackArgument arguments[2];
  QuackDiagnostics *diagnostics = NULL;
  int failed;
  arguments[0] = argumentOf(&job->x);
  arguments[1] = argumentOf(&job->y);
  failed = quackKernelLaunch(quackExecutableKernel(job->executable, NULL), rowCount,
                             arguments, 2, &options, &diagnostics);
  CHECK(printDiagnostics(diagnostics) == failed);
  return failed;
}

/* Looks at the result from a context of its GPU, and makes it none again. */
static void check(const Driver *driver, const Job *job) {
  float *result = readRows(driver, &job->y);
  checkSoftmax(job->numbers, result, rowCount, columnCount);
  writeRows(driver, &job->y, NULL);
  free(result);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

/* Launches the graph of a capture, three times on new numbers. */
static void replay(const Driver *driver, Job *job, void *stream, void *graph) {
  void *executable;
  unsigned seed;
  CHECK(driver->graphInstantiate(&executable, graph, 0) == 0);
  CHECK(isUntouched(driver, &job->y));
  for (seed = 10; seed < 13; ++seed) {
    free(job->numbers);
    job->numbers = makeNumbers(rowCount * columnCount, seed);
    writeRows(driver, &job->x, job->numbers);
    CHECK(driver->graphLaunch(executable, stream) == 0);
    CHECK(driver->ctxSynchronize() == 0);
    check(driver, job);
  }
}

static void capture(const QuackExecutable *executable, int mode) {
  Driver driver = startDriver();
  Job job = makeJob(&driver, executable, 1);
  void *stream, *graph = NULL;
  int status = 0;
  CHECK(driver.streamCreate(&stream, 1) == 0);
  CHECK(driver.streamBeginCapture(stream, mode) == 0);
  if (launch(&job, stream, -1)) {
    /* The capture goes on; without it the kernel can be loaded. */
    CHECK(driver.streamIsCapturing(stream, &status) == 0 && status == 1);
    CHECK(driver.streamEndCapture(stream, &graph) == 0);
    CHECK(launch(&job, stream, -1) == 0);
    check(&driver, &job);
    CHECK(driver.streamBeginCapture(stream, mode) == 0);
    CHECK(launch(&job, stream, -1) == 0);
  }
  CHECK(driver.streamEndCapture(stream, &graph) == 0);
  replay(&driver, &job, stream, graph);
}

static void prepare(const QuackExecutable *executable) {
  Driver driver = startDriver();
  Job job = makeJob(&driver, executable, 1);
  QuackDiagnostics *diagnostics = NULL;
  void *stream, *graph;
  int status = 0, failed;
  /* The default stream waits for this one. */
  CHECK(driver.streamCreate(&stream, 0) == 0);
  CHECK(driver.streamBeginCapture(stream, /*relaxed=*/2) == 0);
  failed = quackExecutablePrepare(executable, -1, &diagnostics);
  CHECK(printDiagnostics(diagnostics) == failed);
  CHECK(driver.streamIsCapturing(stream, &status) == 0 && status == 1);
  if (failed) {
    CHECK(driver.streamEndCapture(stream, &graph) == 0);
    CHECK(quackExecutablePrepare(executable, -1, NULL) == 0);
    CHECK(driver.streamBeginCapture(stream, /*relaxed=*/2) == 0);
  }
  CHECK(launch(&job, stream, -1) == 0);
  CHECK(driver.streamEndCapture(stream, &graph) == 0);
  replay(&driver, &job, stream, graph);
}

typedef struct Other {
  const Job *job;
  void *context;
  const Driver *driver;
} Other;

static void *launchInOther(void *data) {
  Other *other = data;
  CHECK(other->driver->ctxSetCurrent(other->context) == 0);
  CHECK(launch(other->job, NULL, -1) == 0);
  return NULL;
}

static void others(const QuackExecutable *executable) {
  Driver driver = startDriver();
  Job job = makeJob(&driver, executable, 1);
  Other other = {&job, NULL, &driver};
  void *stream, *graph;
  pthread_t thread;
  CHECK(driver.ctxGetCurrent(&other.context) == 0);
  CHECK(driver.streamCreate(&stream, 1) == 0);
  CHECK(driver.streamBeginCapture(stream, /*global=*/0) == 0);
  CHECK(pthread_create(&thread, NULL, launchInOther, &other) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(launch(&job, stream, -1) == 0);
  CHECK(driver.streamEndCapture(stream, &graph) == 0);
  CHECK(driver.ctxSynchronize() == 0);
  check(&driver, &job);
  replay(&driver, &job, stream, graph);
}

//===----------------------------------------------------------------------===//
// Devices and streams
//===----------------------------------------------------------------------===//

/* Whether `expected` is current, and there is nothing else on the stack. */
static int isCurrent(const Driver *driver, void *expected) {
  void *context;
  CHECK(driver->ctxGetCurrent(&context) == 0);
  return context == expected;
}

static void *launchWithoutContext(void *data) {
  Other *other = data;
  CHECK(isCurrent(other->driver, NULL));
  CHECK(launch(other->job, NULL, -1));
  CHECK(launch(other->job, NULL, 1) == 0);
  CHECK(isCurrent(other->driver, NULL));
  return NULL;
}

static void devices(const QuackExecutable *executable) {
  Driver driver = startDriver();
  void *first, *second, *stream, *popped;
  Job here = makeJob(&driver, executable, 1), there;
  Other other = {&there, NULL, &driver};
  pthread_t thread;
  CHECK(driver.ctxGetCurrent(&first) == 0);
  CHECK(driver.primaryCtxRetain(&second, 1) == 0);
  CHECK(driver.ctxSetCurrent(second) == 0);
  there = makeJob(&driver, executable, 2);
  CHECK(driver.streamCreate(&stream, 1) == 0);
  CHECK(driver.ctxSetCurrent(first) == 0);
  /* The other GPU, on its default stream and another; the current one. */
  CHECK(launch(&there, NULL, 1) == 0);
  CHECK(isCurrent(&driver, first));
  CHECK(launch(&there, stream, 1) == 0);
  CHECK(launch(&here, NULL, -1) == 0);
  CHECK(launch(&here, NULL, 0) == 0);
  CHECK(isCurrent(&driver, first));
  /* Errors leave the context, too. */
  CHECK(launch(&there, NULL, 7));
  CHECK(launch(&here, stream, -1));
  CHECK(launch(&here, stream, 0));
  CHECK(quackExecutablePrepare(executable, 7, NULL));
  CHECK(quackExecutablePrepare(executable, 1, NULL) == 0);
  CHECK(isCurrent(&driver, first));
  check(&driver, &here);
  CHECK(pthread_create(&thread, NULL, launchWithoutContext, &other) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  /* No context is left behind. */
  CHECK(driver.ctxPopCurrent(&popped) == 0 && popped == first);
  CHECK(isCurrent(&driver, NULL));
  CHECK(driver.ctxSetCurrent(second) == 0);
  check(&driver, &there);
}

static void streams(const QuackExecutable *executable) {
  Driver driver = startDriver();
  Job job = makeJob(&driver, executable, 1);
  void *stream;
  uintptr_t handle;
  CHECK(driver.streamCreate(&stream, 0) == 0);
  /* NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD. */
  for (handle = 0; handle < 3; ++handle) {
    CHECK(launch(&job, (void *)handle, -1) == 0);
    CHECK(driver.ctxSynchronize() == 0);
    check(&driver, &job);
  }
  CHECK(launch(&job, stream, -1) == 0);
  CHECK(driver.ctxSynchronize() == 0);
  check(&driver, &job);
}

//===----------------------------------------------------------------------===//
// Processes and threads
//===----------------------------------------------------------------------===//

/* Returns the exit status of a child that launches. */
static int launchInChild(const QuackExecutable *executable) {
  int status;
  pid_t child;
  fflush(stdout);
  child = fork();
  if (child == 0) {
    Driver driver = startDriver();
    Job job = makeJob(&driver, executable, 1);
    CHECK(launch(&job, NULL, -1) == 0);
    CHECK(driver.ctxSynchronize() == 0);
    check(&driver, &job);
    exit(0);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
  return WEXITSTATUS(status);
}

static void forkFirst(const QuackExecutable *executable) {
  CHECK(launchInChild(executable) == 0);
  CHECK(launchInChild(executable) == 0);
}

static void forkLate(const QuackExecutable *executable) {
  Driver driver = startDriver();
  Job job = makeJob(&driver, executable, 1);
  int status;
  pid_t child;
  CHECK(launch(&job, NULL, -1) == 0);
  fflush(stdout);
  child = fork();
  if (child == 0) {
    int failed = launch(&job, NULL, -1) && launch(&job, NULL, 0);
    exit(failed ? 0 : 1);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(driver.ctxSynchronize() == 0);
  check(&driver, &job);
}

enum { threadCount = 8 };
static pthread_barrier_t together;

static void *launchAtOnce(void *data) {
  Other *other = data;
  CHECK(other->driver->ctxSetCurrent(other->context) == 0);
  pthread_barrier_wait(&together);
  CHECK(launch(other->job, NULL, -1) == 0);
  CHECK(other->driver->ctxSynchronize() == 0);
  return NULL;
}

static void threads(const QuackExecutable *executable) {
  Driver driver = startDriver();
  Job jobs[threadCount];
  Other others[threadCount];
  pthread_t ids[threadCount];
  void *context;
  int i;
  CHECK(driver.ctxGetCurrent(&context) == 0);
  CHECK(pthread_barrier_init(&together, NULL, threadCount) == 0);
  for (i = 0; i < threadCount; ++i) {
    jobs[i] = makeJob(&driver, executable, (unsigned)i);
    others[i].job = &jobs[i];
    others[i].context = context;
    others[i].driver = &driver;
    CHECK(pthread_create(&ids[i], NULL, launchAtOnce, &others[i]) == 0);
  }
  for (i = 0; i < threadCount; ++i) {
    CHECK(pthread_join(ids[i], NULL) == 0);
    check(&driver, &jobs[i]);
  }
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(const QuackExecutable *executable);
  } verbs[] = {{"prepare", prepare}, {"others", others},       {"devices", devices},
               {"streams", streams}, {"fork", forkFirst},      {"late-fork", forkLate},
               {"threads", threads}};
  QuackExecutable *executable;
  size_t i;
  if (argc < 3)
    return 2;
  executable = loadFile(argv[2]);
  if (argc == 4 && strcmp(argv[1], "capture") == 0) {
    capture(executable, atoi(argv[3]));
    printf("PASS\n");
    return 0;
  }
  for (i = 0; i < sizeof(verbs) / sizeof(*verbs); ++i)
    if (argc == 3 && strcmp(argv[1], verbs[i].name) == 0) {
      verbs[i].run(executable);
      printf("PASS\n");
      return 0;
    }
  return 2;
}
