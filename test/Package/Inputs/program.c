/*===- test/Package/Inputs/program.c - a user's program ----------*- C -*-===//
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *   program FILE COLUMNS    compiles the kernels of a file, and prints their PTX
 *
 *===----------------------------------------------------------------------===*/

#include <quack-c/Compiler.h>

#include <stdio.h>

int main(int argc, char **argv) {
  static char text[1 << 16];
  QuackDiagnostics *said = NULL;
  QuackProgram *program;
  QuackCompiled *compiled;
  QuackOption columns = {"columns", NULL};
  FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
  size_t length;
  if (!file)
    return 2;
  length = fread(text, 1, sizeof(text), file);
  fclose(file);
  columns.value = argv[2];
  program = quackParse(text, length, argv[1], NULL);
  compiled = quackCompile(program, &columns, 1, &said);
  if (quackDiagnosticsCount(said))
    printf("%s\n", quackDiagnosticsGet(said, 0)->message);
  quackDiagnosticsDestroy(said);
  if (!compiled)
    return 1;
  fputs(quackCompiledPTX(compiled), stdout);
  quackCompiledDestroy(compiled);
  quackProgramDestroy(program);
  return 0;
}
