//===- lib/Bundle/LoadText.cpp - generated C: loading -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a bundle's C file loads its kernels, once in each context.
//
//===----------------------------------------------------------------------===//

#include "Texts.h"

const llvm::StringLiteral quack::bundle::loadText = R"c(
/* ---- Loading, once in each context --------------------------------------------------- */

/* The kernels in a context. It is never freed: a graph may replay launches as long as the
 * context lives, and a context's id is not used again after it. */
struct loaded {
  unsigned long long context;
  void *functions[kernel_count];
  struct loaded *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool has_driver;           /* under the lock */
static struct loaded *all_loaded; /* under the lock */

/* What this thread used last: it finds that again without the lock. */
static __thread const struct loaded *recent;

/* Returns the PTX as one text, which the caller frees; NULL without memory. */
static char *join_ptx(void) {
  size_t bytes = 1, i;
  char *text, *end;
  for (i = 0; i < ptx_line_count; ++i)
    bytes += strlen(ptx_lines[i]);
  text = end = malloc(bytes);
  if (!text)
    return NULL;
  for (i = 0; i < ptx_line_count; ++i) {
    size_t length = strlen(ptx_lines[i]);
    memcpy(end, ptx_lines[i], length);
    end += length;
  }
  *end = '\0';
  return text;
}

/* Loads the module into the current context. */
static int load_module(const struct source *source, void **module) {
  char log[2048] = "";
  int options[] = {jit_error_log_buffer, jit_error_log_bytes};
  void *values[] = {log, (void *)sizeof log};
  char *ptx;
  int error;
@if cubin
  /* The cubin needs no compiler in the driver, but a GPU of the same major version. */
  if (cuda.cuModuleLoadDataEx(module, cubin, 0, NULL, NULL) == 0)
    return 0;
@end
  ptx = join_ptx();
  if (!ptx)
    return fail(source, QUACK_BUNDLE_OUT_OF_MEMORY, "no memory for the PTX");
  error = cuda.cuModuleLoadDataEx(module, ptx, 2, options, values);
  free(ptx);
  return error ? fail_call(source, "cuModuleLoadDataEx", error, log) : 0;
}

/* Gets a kernel of the module ready to launch. */
static int load_kernel(const struct source *source, void *module, const struct kernel *kernel,
                       void **function) {
  enum { default_shared_bytes = 48 * 1024, portable_cluster = 8 };
  char details[512];
  int error, registers;
  snprintf(details, sizeof details,
           "kernel '%.256s', block (%u, 1, 1), cluster %u, %u bytes of dynamic shared memory",
           kernel->name, kernel->threads, kernel->cluster, kernel->shared_bytes);
  error = cuda.cuModuleGetFunction(function, module, kernel->name);
  if (error)
    return fail_call(source, "cuModuleGetFunction", error, details);
  /* The question brings the code to the GPU, which a driver may otherwise put off until the
   * first launch. */
  error = cuda.cuFuncGetAttribute(&registers, function_registers, *function);
  if (error)
    return fail_call(source, "cuFuncGetAttribute", error, details);
  if (kernel->shared_bytes > default_shared_bytes) {
    error = cuda.cuFuncSetAttribute(*function, function_dynamic_shared_bytes,
                                    (int)kernel->shared_bytes);
    if (error)
      return fail_call(source, "cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES)", error,
                       details);
  }
  if (kernel->cluster > portable_cluster) {
    error = cuda.cuFuncSetAttribute(*function, function_non_portable_cluster, 1);
    if (error)
      return fail_call(source, "cuFuncSetAttribute(NON_PORTABLE_CLUSTER_SIZE_ALLOWED)", error,
                       details);
  }
  return 0;
}

/* Loads all kernels into the current context and adds them to `all_loaded`. */
static int load(const struct source *source, unsigned long long context,
                const struct loaded **result) {
  void *module = NULL;
  struct loaded *made = malloc(sizeof *made);
  int status, i;
  if (!made)
    return fail(source, QUACK_BUNDLE_OUT_OF_MEMORY, "no memory for the kernels' handles");
  status = load_module(source, &module);
  for (i = 0; i < kernel_count && status == 0; ++i)
    status = load_kernel(source, module, &kernels[i], &made->functions[i]);
  if (status != 0) {
    if (module)
      cuda.cuModuleUnload(module);
    free(made);
    return status;
  }
  made->context = context;
  made->next = all_loaded;
  *result = all_loaded = made;
  return 0;
}

/* Drivers before CUDA 12.3 load nothing while a stream is captured: the attempt would end the
 * capture. */
static int check_capture(const struct source *source, void *stream) {
  int version = 0, is_capturing = 0, error;
  cuda.cuDriverGetVersion(&version);
  if (version >= 12030)
    return 0;
  error = cuda.cuStreamIsCapturing(stream, &is_capturing);
  if (error)
    return fail_call(source, "cuStreamIsCapturing", error, "");
  if (is_capturing)
    return fail(source, QUACK_BUNDLE_NOT_PREPARED,
                "the stream is captured, and this driver (CUDA %d.%d) loads no kernels then, "
                "which drivers do from 12.3 on: call %s_prepare() before the capture",
                version / 1000, version % 1000 / 10, source->name);
  return 0;
}

/* Finds the context's kernels, or loads them. `stream` points to the stream that they will be
 * launched on, if that is known. */
static int find_or_load(const struct source *source, void *const *stream,
                        const struct loaded **result) {
  unsigned long long context = 0;
  int mode = capture_mode_relaxed, status;
  const struct loaded *each;
  if (!has_driver) {
    status = find_driver(source);
    if (status)
      return status;
    has_driver = true;
  }
  status = cuda.cuCtxGetId(NULL, &context);
  if (status)
    return fail_call(source, "cuCtxGetId", status,
                     "no CUDA context is current in this thread: cudaSetDevice or "
                     "cuCtxSetCurrent makes one");
  for (each = all_loaded; each; each = each->next)
    if (each->context == context) {
      *result = each;
      return 0;
    }
  status = stream ? check_capture(source, *stream) : 0;
  if (status)
    return status;
  /* So that loading disturbs no capture, of this thread or of others. */
  cuda.cuThreadExchangeStreamCaptureMode(&mode);
  status = load(source, context, result);
  cuda.cuThreadExchangeStreamCaptureMode(&mode);
  return status;
}

/* Gets the kernels of the thread's current context. */
static int get_loaded(const struct source *source, void *const *stream,
                      const struct loaded **result) {
  unsigned long long context;
  int status;
  if (recent && cuda.cuCtxGetId(NULL, &context) == 0 && recent->context == context) {
    *result = recent;
    return 0;
  }
  pthread_mutex_lock(&lock);
  status = find_or_load(source, stream, result);
  pthread_mutex_unlock(&lock);
  if (status == 0)
    recent = *result;
  return status;
}
)c";
