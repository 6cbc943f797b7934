//===- test/CAPI/Testing.h - what the programs share --------------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUACK_TEST_CAPI_TESTING_H
#define QUACK_TEST_CAPI_TESTING_H

#include "quack-c/Compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program, at the line where something is not as it must be. */
#define CHECK(condition)                                                                 \
  do {                                                                                   \
    if (!(condition)) {                                                                  \
      fflush(stdout);                                                                    \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);            \
      exit(1);                                                                           \
    }                                                                                    \
  } while (0)

/* Prints and frees what was said. Returns whether anything was. */
static inline int printDiagnostics(QuackDiagnostics *diagnostics) {
  static const char *const severities[] = {"note", "warning", "error", "remark"};
  size_t i, count = quackDiagnosticsCount(diagnostics);
  for (i = 0; i < count; ++i) {
    const QuackDiagnostic *entry = quackDiagnosticsGet(diagnostics, i);
    printf("%s:%u:%u: %s: %s\n", entry->file, (unsigned)entry->line,
           (unsigned)entry->column, severities[entry->severity], entry->message);
  }
  quackDiagnosticsDestroy(diagnostics);
  return count != 0;
}

/* Returns a file with a 0 behind it; the caller frees it. */
static inline char *readFile(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  char *text;
  if (!file) {
    fprintf(stderr, "cannot read %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  text = malloc(*length + 1);
  if (!text || fread(text, 1, *length, file) != *length)
    exit(2);
  text[*length] = '\0';
  fclose(file);
  return text;
}

/* Returns a program; the end of the path is its name in diagnostics. */
static inline QuackProgram *parseFile(const char *path) {
  size_t length;
  char *text = readFile(path, &length);
  QuackDiagnostics *diagnostics = NULL;
  const char *slash = strrchr(path, '/');
  QuackProgram *program =
      quackParse(text, length, slash ? slash + 1 : path, &diagnostics);
  printDiagnostics(diagnostics);
  free(text);
  return program;
}

#endif /* QUACK_TEST_CAPI_TESTING_H */
