/*===- test/Package/Inputs/beside.c - other libraries beside it --*- C -*-===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   beside FILE COLUMNS LIBRARY ...    loads libraries in this order, with all of their
 *       symbols for everybody; then compiles the kernels of a file with the first
 *       libquack_c.so of them, and prints their PTX
 *
 *===----------------------------------------------------------------------===*/

#include <quack-c/Compiler.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static void *find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    fprintf(stderr, "%s\n", dlerror());
  return symbol;
}

int main(int argc, char **argv) {
  static char text[1 << 16];
  void *quack = NULL, *parse, *compile, *ptx;
  QuackProgram *(*parseFunction)(const char *, size_t, const char *, QuackDiagnostics **);
  QuackCompiled *(*compileFunction)(const QuackProgram *, const QuackOption *, size_t,
                                    QuackDiagnostics **);
  const char *(*ptxFunction)(const QuackCompiled *), *result;
  QuackOption columns = {"columns", NULL};
  FILE *file = argc > 3 ? fopen(argv[1], "rb") : NULL;
  size_t length;
  int i;
  if (!file)
    return 2;
  length = fread(text, 1, sizeof(text), file);
  fclose(file);
  for (i = 3; i < argc; ++i) {
    void *library = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 2;
    }
    if (!quack && strstr(argv[i], "libquack_c.so"))
      quack = library;
  }
  parse = find(quack, "quackParse");
  compile = find(quack, "quackCompile");
  ptx = find(quack, "quackCompiledPTX");
  if (!parse || !compile || !ptx)
    return 2;
  /* ISO C converts no pointer to an object to one to a function. */
  memcpy(&parseFunction, &parse, sizeof(parse));
  memcpy(&compileFunction, &compile, sizeof(compile));
  memcpy(&ptxFunction, &ptx, sizeof(ptx));
  columns.value = argv[2];
  result = ptxFunction(
      compileFunction(parseFunction(text, length, argv[1], NULL), &columns, 1, NULL));
  return !result || fputs(result, stdout) < 0;
}
