//===- test/CAPI/compile.c - the C API, from C99 ------------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   capi-compile raise FILE [OPTION=VALUE ...]   raises, compiles, lists
//   capi-compile ptx FILE [OPTION=VALUE ...]     PTX of a file's kernels
//   capi-compile launch FILE PTX IN OUT M        raises, writes PTX, prints how quack-sim
//                                                launches the first kernel for M rows
//   capi-compile misuse                          what must not end a process
//   capi-compile threads FILE                    two programs at once
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <pthread.h>

static void printOperands(const QuackKernelInfo *kernel) {
  size_t i;
  for (i = 0; i < kernel->operandCount; ++i) {
    const QuackOperandInfo *operand = quackKernelOperand(kernel, i);
    printf("  %s %s %s %s, aligned to %ld\n", operand->name, operand->direction,
           operand->role, operand->type, (long)operand->alignmentBytes);
  }
}

static void printKernel(const QuackKernelInfo *kernel) {
  printf("compiled %s: N = %ld, threads %ld, cluster %ld, rows %ld, split %ld, "
         "shared %ld, workspace %ld + %ld, otherwise '%s', next '%s'\n",
         kernel->name, (long)kernel->columns, (long)kernel->threads,
         (long)kernel->cluster, (long)kernel->rowsPerTile, (long)kernel->split,
         (long)kernel->sharedBytes, (long)kernel->workspaceBytes,
         (long)kernel->fixedWorkspaceBytes, kernel->otherwise, kernel->next);
  printOperands(kernel);
}

/* Splits NAME=VALUE in place. */
static size_t readOptions(char **texts, int count, QuackOption *options) {
  int i;
  for (i = 0; i < count; ++i) {
    char *equals = strchr(texts[i], '=');
    *equals = '\0';
    options[i].name = texts[i];
    options[i].value = equals + 1;
  }
  return (size_t)count;
}

static int compileProgram(QuackProgram *program, const QuackOption *options, size_t count,
                          int onlyPTX) {
  QuackDiagnostics *diagnostics = NULL;
  QuackCompiled *compiled = quackCompile(program, options, count, &diagnostics);
  size_t i;
  printDiagnostics(diagnostics);
  if (!compiled)
    return 1;
  if (onlyPTX) {
    fputs(quackCompiledPTX(compiled), stdout);
  } else {
    for (i = 0; i < quackCompiledCountKernels(compiled); ++i)
      printKernel(quackCompiledKernel(compiled, i));
    if (quackCompiledKernel(compiled, i))
      return 1;
    printf("metadata: %.13s\n", quackCompiledMetadata(compiled));
    printf("ptx: %d\n", strstr(quackCompiledPTX(compiled), ".entry") != NULL);
  }
  quackCompiledDestroy(compiled);
  return 0;
}

static int raise(char *path, const QuackOption *options, size_t count) {
  QuackDiagnostics *diagnostics = NULL;
  QuackProgram *program = parseFile(path);
  size_t i;
  int failed;
  if (!program)
    return 1;
  printf("kernels: %lu\n", (unsigned long)quackProgramCountKernels(program));
  failed = quackRaise(program, NULL, 0, &diagnostics);
  printDiagnostics(diagnostics);
  for (i = 0; i < quackProgramCountKernels(program); ++i) {
    const QuackKernelInfo *kernel = quackProgramKernel(program, i);
    printf("kernel %s, N = %ld, threads %ld\n", kernel->name, (long)kernel->columns,
           (long)kernel->threads);
    printOperands(kernel);
  }
  failed = failed || compileProgram(program, options, count, 0);
  /* Compiling leaves the program what it was. */
  printf("calls: %d\n", strstr(quackProgramText(program), "quack.call @main_0") != NULL);
  quackProgramDestroy(program);
  return failed;
}

static int ptx(char *path, const QuackOption *options, size_t count) {
  QuackProgram *program = parseFile(path);
  int failed = !program || compileProgram(program, options, count, 1);
  quackProgramDestroy(program);
  return failed;
}

/* As the header says of the grid and the parameters. */
static int launch(char **args) {
  QuackProgram *program = parseFile(args[0]);
  QuackCompiled *compiled = NULL;
  const QuackKernelInfo *kernel;
  FILE *file = fopen(args[1], "wb");
  long rows = strtol(args[4], NULL, 10);
  size_t i;
  if (program && quackRaise(program, NULL, 0, NULL) == 0)
    compiled = quackCompile(program, NULL, 0, NULL);
  quackProgramDestroy(program);
  kernel = quackCompiledKernel(compiled, 0);
  if (!kernel || !file)
    return 1;
  fputs(quackCompiledPTX(compiled), file);
  fclose(file);
  printf("--kernel=%s --block=%ld --cluster=%ld --shared=%ld --grid=%ld", kernel->name,
         (long)kernel->threads, (long)kernel->cluster, (long)kernel->sharedBytes,
         (rows + (long)kernel->rowsPerTile - 1) / (long)kernel->rowsPerTile *
             (long)(kernel->split * kernel->cluster));
  for (i = 0; i < kernel->operandCount; ++i) {
    const QuackOperandInfo *operand = quackKernelOperand(kernel, i);
    if (strcmp(operand->direction, "in") == 0)
      printf(" --arg=%s", args[2]);
    else
      printf(" --arg=out:%s:%s:%ldx%ld", args[3], operand->type, rows,
             (long)kernel->columns);
    printf(" --arg=i64:%ld", (long)kernel->columns);
  }
  printf(" --arg=i64:%ld\n", rows);
  quackCompiledDestroy(compiled);
  return 0;
}

/* All functions take it, and none has anything then. */
static int useNull(void) {
  QuackDiagnostics *diagnostics = NULL;
  quackDiagnosticsDestroy(NULL);
  quackProgramDestroy(NULL);
  quackCompiledDestroy(NULL);
  if (quackDiagnosticsCount(NULL) || quackDiagnosticsGet(NULL, 0) ||
      quackProgramCountKernels(NULL) || quackProgramKernel(NULL, 0) ||
      quackProgramText(NULL) || quackKernelOperand(NULL, 0) || quackCompiledPTX(NULL) ||
      quackCompiledMetadata(NULL) || quackCompiledCountKernels(NULL) ||
      quackCompiledKernel(NULL, 0))
    return 1;
  if (quackCompile(NULL, NULL, 0, NULL) || !quackRaise(NULL, NULL, 0, &diagnostics))
    return 1;
  printDiagnostics(diagnostics);
  return 0;
}

/* Each of these must be an error that says what is wrong, and no more. */
static int misuse(void) {
  static const char *generic =
      "quack.kernel @copy(%x: memref<?x?xf32> in row, %y: memref<?x?xf32> out row) {\n"
      "  %v = quack.load %x : memref<?x?xf32> -> tensor<?xf32>\n"
      "  quack.store %v, %y : tensor<?xf32>, memref<?x?xf32>\n"
      "}\n";
  QuackOption options[1];
  QuackDiagnostics *diagnostics = NULL;
  QuackProgram *program;
  char *deep = malloc(100000);
  memset(deep, '(', 100000);
  if (useNull())
    return 1;
  if (quackParse(deep, 100000, "deep.mlir", &diagnostics))
    return 1;
  printDiagnostics(diagnostics);
  free(deep);
  if (quackParse("ML\xefRrest", 8, "bytes.mlirbc", &diagnostics))
    return 1;
  printDiagnostics(diagnostics);
  if (quackParse("func.func @f(", 13, NULL, &diagnostics))
    return 1;
  printDiagnostics(diagnostics);
  /* Nobody wants to hear it. */
  if (quackParse("x", 1, "x.mlir", NULL))
    return 1;
  program = quackParse(generic, strlen(generic), "generic.mlir", &diagnostics);
  if (!program || diagnostics)
    return 1;
  printf("N = %ld\n", (long)quackProgramKernel(program, 0)->columns);
  if (quackProgramKernel(program, 1) ||
      quackKernelOperand(quackProgramKernel(program, 0), 2))
    return 1;
  compileProgram(program, NULL, 0, 0);
  options[0].name = "colums";
  options[0].value = "64";
  compileProgram(program, options, 1, 0);
  options[0].name = "columns";
  options[0].value = "many";
  compileProgram(program, options, 1, 0);
  options[0].value = "6\"4";
  compileProgram(program, options, 1, 0);
  options[0].name = NULL;
  compileProgram(program, options, 1, 0);
  options[0].name = "target";
  options[0].value = "b200";
  quackRaise(program, options, 1, &diagnostics);
  printDiagnostics(diagnostics);
  /* A program is none the worse for what failed. */
  options[0].name = "columns";
  options[0].value = "0";
  compileProgram(program, options, 1, 0);
  options[0].value = "64";
  if (compileProgram(program, options, 1, 0))
    return 1;
  quackProgramDestroy(program);
  return 0;
}

typedef struct Job {
  const char *text, *columns;
  QuackCompiled *compiled;
} Job;

static void *runJob(void *data) {
  Job *job = data;
  QuackOption options[1];
  QuackProgram *program = quackParse(job->text, strlen(job->text), "job.mlir", NULL);
  options[0].name = "columns";
  options[0].value = job->columns;
  job->compiled = quackCompile(program, options, 1, NULL);
  quackProgramDestroy(program);
  return NULL;
}

/* Two at once give what each gives alone. */
static int threads(char *path) {
  size_t length, i;
  char *text = readFile(path, &length);
  Job jobs[4];
  pthread_t ids[4];
  for (i = 0; i < 4; ++i) {
    jobs[i].text = text;
    jobs[i].columns = i % 2 ? "65536" : "1000";
  }
  for (i = 0; i < 2; ++i)
    runJob(&jobs[i]);
  for (i = 2; i < 4; ++i)
    pthread_create(&ids[i], NULL, runJob, &jobs[i]);
  for (i = 2; i < 4; ++i)
    pthread_join(ids[i], NULL);
  for (i = 0; i < 2; ++i)
    printf("same: %d\n", strcmp(quackCompiledPTX(jobs[i].compiled),
                                quackCompiledPTX(jobs[i + 2].compiled)) == 0);
  for (i = 0; i < 4; ++i)
    quackCompiledDestroy(jobs[i].compiled);
  free(text);
  return 0;
}

int main(int argc, char **argv) {
  QuackOption options[16];
  int hasOptions = argc > 3 && argc < 20 && strcmp(argv[1], "launch") != 0;
  size_t count = hasOptions ? readOptions(argv + 3, argc - 3, options) : 0;
  if (argc > 2 && strcmp(argv[1], "raise") == 0)
    return raise(argv[2], options, count);
  if (argc > 2 && strcmp(argv[1], "ptx") == 0)
    return ptx(argv[2], options, count);
  if (argc == 7 && strcmp(argv[1], "launch") == 0)
    return launch(argv + 2);
  if (argc > 2 && strcmp(argv[1], "threads") == 0)
    return threads(argv[2]);
  if (argc > 1 && strcmp(argv[1], "misuse") == 0)
    return misuse();
  return 2;
}
