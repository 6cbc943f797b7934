//===- lib/Bundle/LaunchText.cpp - generated C: launches --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a bundle's C file launches the stages of a kernel.
//
//===----------------------------------------------------------------------===//

#include "Texts.h"

const llvm::StringLiteral quack::bundle::launchText = R"c(
/* ---- Launches ------------------------------------------------------------------------ */

/* Counts the CTAs of a launch; -1 after an error. */
static int64_t count_ctas(const struct source *source, const struct kernel *kernel,
                          int64_t rows) {
  int64_t tiles = rows / kernel->rows_per_tile + (rows % kernel->rows_per_tile != 0);
  if (kernel->ctas > 0)
    return kernel->ctas;
  if (tiles <= INT32_MAX / kernel->ctas_per_tile)
    return tiles * kernel->ctas_per_tile;
  return fail(source, -1, "%" PRId64 " rows need more than the %" PRId32 " CTAs of a grid",
              rows, INT32_MAX);
}

static int launch_kernel(const struct source *source, const struct kernel *kernel,
                         void *function, void *stream, int64_t ctas, void **parameters) {
  struct launch_attribute cluster = {launch_cluster_dimension, {0}, {{0}}};
  struct launch_config config = {{(unsigned)ctas, 1, 1}, {kernel->threads, 1, 1},
                                 kernel->shared_bytes,   stream,
                                 &cluster,               kernel->cluster > 1};
  char details[512];
  int error;
  cluster.value.cluster[0] = kernel->cluster;
  cluster.value.cluster[1] = cluster.value.cluster[2] = 1;
  error = cuda.cuLaunchKernelEx(&config, function, parameters, NULL);
  if (error == 0)
    return 0;
  snprintf(details, sizeof details,
           "kernel '%.256s', grid (%" PRId64 ", 1, 1), block (%u, 1, 1), cluster %u, "
           "%u bytes of dynamic shared memory",
           kernel->name, ctas, kernel->threads, kernel->cluster, kernel->shared_bytes);
  return fail_call(source, "cuLaunchKernelEx", error, details);
}

/* Launches the kernel that fits, and those after it. */
@if workspace
static int launch(const struct source *source, void *stream, int64_t rows, void **parameters,
                  const void *workspace, size_t workspace_bytes) {
@else
static int launch(const struct source *source, void *stream, int64_t rows,
                  void **parameters) {
@end
  const struct kernel *kernel, *stage;
  const struct loaded *loaded;
  int status;
  if (rows < 0)
    return fail(source, QUACK_BUNDLE_INVALID_ARGUMENT,
                "rows must not be negative, got %" PRId64, rows);
  if (rows == 0 && source->kernel->ctas == 0)
    return 0;
  status = check_operands(source, rows, parameters);
  if (status)
    return status;
  kernel = choose(source, rows, parameters);
  if (!kernel)
    return QUACK_BUNDLE_INVALID_ARGUMENT;
@if workspace
  status = check_workspace(source, kernel, rows, workspace, workspace_bytes);
  if (status)
    return status;
@end
  for (stage = kernel; stage; stage = stage->next)
    if (count_ctas(source, stage, rows) < 0)
      return QUACK_BUNDLE_INVALID_ARGUMENT;
  status = get_loaded(source, &stream, &loaded);
  for (stage = kernel; stage && status == 0; stage = stage->next)
    status = launch_kernel(source, stage, loaded->functions[stage - kernels], stream,
                           count_ctas(source, stage, rows), parameters);
  return status;
}
)c";
