//===- lib/Bundle/DriverText.cpp - generated C: the driver ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a bundle's C file finds the driver, and says what went wrong.
//
//===----------------------------------------------------------------------===//

#include "Texts.h"

const llvm::StringLiteral quack::bundle::driverText = R"c(
/* ---- The driver's declarations ------------------------------------------------------- */

/* CUlaunchAttribute and CUlaunchConfig. */
struct launch_attribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    unsigned cluster[3];
  } value;
};
struct launch_config {
  unsigned grid[3], block[3];
  unsigned shared_bytes;
  void *stream;
  struct launch_attribute *attributes;
  unsigned attribute_count;
};
typedef char launch_attribute_has_72_bytes[sizeof(struct launch_attribute) == 72 ? 1 : -1];
typedef char launch_config_has_56_bytes[sizeof(struct launch_config) == 56 ? 1 : -1];

enum {
  jit_error_log_buffer = 5,           /* CU_JIT_ERROR_LOG_BUFFER */
  jit_error_log_bytes = 6,            /* CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES */
  function_registers = 4,             /* CU_FUNC_ATTRIBUTE_NUM_REGS */
  function_dynamic_shared_bytes = 8,  /* CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
  function_non_portable_cluster = 14, /* CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED */
  launch_cluster_dimension = 4,       /* CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION */
  capture_mode_relaxed = 2            /* CU_STREAM_CAPTURE_MODE_RELAXED */
};

/* The calls that are used, in the ABI of CUDA 12.0; each returns 0 or a CUresult. */
static struct {
  int (*cuCtxGetId)(void *context, unsigned long long *id);
  int (*cuDriverGetVersion)(int *version);
  int (*cuFuncGetAttribute)(int *value, int attribute, void *function);
  int (*cuFuncSetAttribute)(void *function, int attribute, int value);
  int (*cuGetErrorName)(int error, const char **name);
  int (*cuLaunchKernelEx)(const struct launch_config *config, void *function,
                          void **parameters, void **extra);
  int (*cuModuleGetFunction)(void **function, void *module, const char *name);
  int (*cuModuleLoadDataEx)(void **module, const void *image, unsigned option_count,
                            int *options, void **values);
  int (*cuModuleUnload)(void *module);
  int (*cuStreamIsCapturing)(void *stream, int *status);
  int (*cuThreadExchangeStreamCaptureMode)(int *mode);
} cuda;

/* ---- Errors -------------------------------------------------------------------------- */

/* What the thread's last failure was. */
static __thread char error_text[4096];

__attribute__((format(printf, 3, 4)))
static int fail(const struct source *source, int status, const char *format, ...) {
  va_list arguments;
  size_t used;
  snprintf(error_text, sizeof error_text, "%.256s: ", source->name);
  used = strlen(error_text);
  va_start(arguments, format);
  vsnprintf(error_text + used, sizeof error_text - used, format, arguments);
  va_end(arguments);
  return status;
}

/* Says that a call of the driver failed, and what it was for. */
static int fail_call(const struct source *source, const char *call, int error,
                     const char *details) {
  const char *name = NULL;
  cuda.cuGetErrorName(error, &name);
  return fail(source, error, "%s: %s (%d)%s%s", call, name ? name : "an unknown error", error,
              details[0] ? "; " : "", details);
}

/* ---- Finding the driver -------------------------------------------------------------- */

static int find_driver(const struct source *source) {
  static const struct {
    const char *name;
    void *place;
  } calls[] = {
      {"cuCtxGetId", &cuda.cuCtxGetId},
      {"cuDriverGetVersion", &cuda.cuDriverGetVersion},
      {"cuFuncGetAttribute", &cuda.cuFuncGetAttribute},
      {"cuFuncSetAttribute", &cuda.cuFuncSetAttribute},
      {"cuGetErrorName", &cuda.cuGetErrorName},
      {"cuLaunchKernelEx", &cuda.cuLaunchKernelEx},
      {"cuModuleGetFunction", &cuda.cuModuleGetFunction},
      {"cuModuleLoadDataEx", &cuda.cuModuleLoadDataEx},
      {"cuModuleUnload", &cuda.cuModuleUnload},
      {"cuStreamIsCapturing", &cuda.cuStreamIsCapturing},
      {"cuThreadExchangeStreamCaptureMode", &cuda.cuThreadExchangeStreamCaptureMode},
  };
  enum { abi_version = 12000 };
  int (*get_call)(const char *name, void **call, int version, uint64_t flags, int *status);
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "cuGetProcAddress_v2") : NULL;
  size_t i;
  if (!library)
    return fail(source, QUACK_BUNDLE_NO_DRIVER,
                "libcuda.so.1 could not be loaded: is an NVIDIA driver installed? (%s)",
                dlerror());
  if (!symbol)
    return fail(source, QUACK_BUNDLE_NO_DRIVER,
                "the driver is older than CUDA 12.0: it has no cuGetProcAddress_v2");
  memcpy(&get_call, &symbol, sizeof symbol); /* ISO C has no cast to a function's address */
  for (i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    void *call = NULL;
    if (get_call(calls[i].name, &call, abi_version, 0, NULL) != 0 || !call)
      return fail(source, QUACK_BUNDLE_NO_DRIVER, "the driver has no %s", calls[i].name);
    memcpy(calls[i].place, &call, sizeof call);
  }
  return 0;
}
)c";
