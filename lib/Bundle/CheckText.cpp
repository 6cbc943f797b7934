//===- lib/Bundle/CheckText.cpp - generated C: arguments --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What describes kernels in a bundle's C file, and what it checks of a launch's
// arguments: the rules of quack/Runtime/LaunchRules.h, and more.
//
//===----------------------------------------------------------------------===//

#include "Texts.h"

const llvm::StringLiteral quack::bundle::declarationText = R"c(
/* ---- What describes a kernel --------------------------------------------------------- */

/* What an address, and a row stride in bytes, must be multiples of. */
struct guard {
  unsigned address, row_stride;
};

/* A kernel of the module. */
struct kernel {
  const char *name;
  /* A launch for M rows has ceil(M / rows_per_tile) * ctas_per_tile CTAs, or, where that is
   * not 0, `ctas` whatever M is, for no rows, too. */
  int64_t rows_per_tile, ctas_per_tile, ctas;
  unsigned threads, cluster, shared_bytes;
@if workspace
  int64_t workspace_bytes, workspace_bytes_per_row;
@end
  int64_t least_rows;              /* fewer take `otherwise` */
  const struct guard *guards;      /* of each operand; who breaks them takes `otherwise` */
  const struct kernel *otherwise;  /* takes the same arguments; NULL if there is none */
  const struct kernel *next;       /* is launched after this one, with the same arguments */
};

/* An operand in memory. */
struct operand {
  const char *name;
  int64_t columns; /* the elements of a row */
  unsigned element_bytes;
  bool is_shared; /* all rows have the one: there is no row stride */
  bool is_written;
};

/* What the header offers to launch. */
struct source {
  const char *name;
  const struct operand *operands;
  int operand_count;
  const struct kernel *kernel; /* the first that is tried */
};
)c";

const llvm::StringLiteral quack::bundle::checkText = R"c(
/* ---- Checks of arguments ------------------------------------------------------------- */

/* Parameters are those of the kernels: of each operand its address and its row stride in
 * elements, then the number of rows, and what else there is. */
static uint64_t address_of(void **parameters, int operand) {
  uintptr_t address;
  memcpy(&address, parameters[2 * operand], sizeof address);
  return address;
}

static int64_t row_stride_of(void **parameters, int operand) {
  int64_t row_stride;
  memcpy(&row_stride, parameters[2 * operand + 1], sizeof row_stride);
  return row_stride;
}

/* Checks what every kernel takes for granted. */
static int check_operands(const struct source *source, int64_t rows, void **parameters) {
  int i;
  for (i = 0; i < source->operand_count; ++i) {
    const struct operand *operand = &source->operands[i];
    int64_t row_stride = row_stride_of(parameters, i);
    if (rows == 0 && !operand->is_shared)
      continue; /* nobody looks at it */
    if (address_of(parameters, i) == 0)
      return fail(source, QUACK_BUNDLE_INVALID_ARGUMENT, "operand '%s' is NULL",
                  operand->name);
    if (rows > 1 && operand->is_written && !operand->is_shared &&
        row_stride < operand->columns && row_stride > -operand->columns)
      return fail(source, QUACK_BUNDLE_INVALID_ARGUMENT,
                  "rows of operand '%s', which is written, overlap: the row stride must be at "
                  "least %" PRId64 " elements, got %" PRId64,
                  operand->name, operand->columns, row_stride);
  }
  return 0;
}

/* ---- Which kernel -------------------------------------------------------------------- */

/* The demand of a kernel that a launch does not fulfil. */
struct misfit {
  const struct operand *operand; /* NULL: there are too few rows */
  bool is_row_stride;
  uint64_t got; /* the address, or the row stride in bytes */
  unsigned multiple_of;
};

static bool fits(const struct source *source, const struct kernel *kernel, int64_t rows,
                 void **parameters, struct misfit *misfit) {
  int i;
  misfit->operand = NULL;
  if (rows > 0 && rows < kernel->least_rows)
    return false;
  for (i = 0; i < source->operand_count; ++i) {
    const struct operand *operand = &source->operands[i];
    const struct guard *guard = &kernel->guards[i];
    if (rows == 0 && !operand->is_shared)
      continue;
    misfit->operand = operand;
    misfit->is_row_stride = false;
    misfit->got = address_of(parameters, i);
    misfit->multiple_of = guard->address;
    if (misfit->got % guard->address != 0)
      return false;
    misfit->is_row_stride = true;
    misfit->got = (uint64_t)row_stride_of(parameters, i) * operand->element_bytes;
    misfit->multiple_of = guard->row_stride;
    if (misfit->got % guard->row_stride != 0)
      return false;
  }
  return true;
}

/* Returns the first kernel that takes the launch; NULL after an error. */
static const struct kernel *choose(const struct source *source, int64_t rows,
                                   void **parameters) {
  const struct kernel *kernel = source->kernel;
  struct misfit misfit;
  while (!fits(source, kernel, rows, parameters, &misfit)) {
    if (kernel->otherwise) {
      kernel = kernel->otherwise;
      continue;
    }
    if (!misfit.operand)
      fail(source, 0, "rows must be at least %" PRId64 ", got %" PRId64, kernel->least_rows,
           rows);
    else if (misfit.is_row_stride)
      fail(source, 0,
           "the row stride of operand '%s' must be a multiple of %u bytes, got %" PRId64
           " bytes",
           misfit.operand->name, misfit.multiple_of, (int64_t)misfit.got);
    else
      fail(source, 0,
           "the address of operand '%s' must be a multiple of %u bytes, got 0x%" PRIx64,
           misfit.operand->name, misfit.multiple_of, misfit.got);
    return NULL;
  }
  return kernel;
}
@if workspace

/* ---- Workspaces ---------------------------------------------------------------------- */

enum { workspace_alignment = 16 };

/* Returns the bytes that a launch of `kernel` needs; INT64_MAX if no memory has as many. */
static int64_t workspace_of(const struct kernel *kernel, int64_t rows) {
  int64_t most = INT64_MAX - kernel->workspace_bytes;
  if (kernel->workspace_bytes_per_row && rows > most / kernel->workspace_bytes_per_row)
    return INT64_MAX;
  return kernel->workspace_bytes + rows * kernel->workspace_bytes_per_row;
}

/* Returns what is enough for each kernel that a launch for `rows` rows may take. */
static size_t largest_workspace(const struct source *source, int64_t rows) {
  const struct kernel *kernel;
  int64_t most = 0;
  for (kernel = source->kernel; kernel; kernel = kernel->otherwise) {
    bool is_launched = rows > 0 ? rows >= kernel->least_rows : rows == 0 && kernel->ctas > 0;
    int64_t bytes = is_launched ? workspace_of(kernel, rows) : 0;
    most = bytes > most ? bytes : most;
  }
  return (size_t)most;
}

static int check_workspace(const struct source *source, const struct kernel *kernel,
                           int64_t rows, const void *workspace, size_t bytes) {
  int64_t needed = workspace_of(kernel, rows);
  if (needed == 0)
    return 0;
  if ((uint64_t)bytes < (uint64_t)needed)
    return fail(source, QUACK_BUNDLE_INVALID_ARGUMENT,
                "the workspace must have at least %" PRId64 " bytes for %" PRId64
                " rows, got %zu",
                needed, rows, bytes);
  if (!workspace)
    return fail(source, QUACK_BUNDLE_INVALID_ARGUMENT, "the workspace is NULL");
  if ((uintptr_t)workspace % workspace_alignment != 0)
    return fail(source, QUACK_BUNDLE_INVALID_ARGUMENT,
                "the workspace's address must be a multiple of %d, got 0x%" PRIxPTR,
                workspace_alignment, (uintptr_t)workspace);
  return 0;
}
@end
)c";
