//===- FakeCuda.cpp - a driver for tests -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda.so.1 without a GPU. Device memory is host memory; a kernel does
// what its name says, whatever its PTX:
//
//   copy_rows   copies f32 rows of 64 columns from the first operand to the
//               second; so does same_rows
//   skip_rows   writes nothing
//   wrong_rows  is off by one in the last element of the last row
//   late_rows   is wrong in the same way from the tenth launch on
//   past_rows   also writes the element after the last row's gap
//   gap_rows    also writes the element after each row
//   fault_rows  makes the next query fail with ILLEGAL_ADDRESS
//   hang_rows   makes no query succeed
//
// Others (the copies that a benchmark times) do nothing. What a call is given
// is checked where a real driver would fail.
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {
/// CUlaunchConfig, but for what the tests do not look at.
struct LaunchConfig {
  unsigned grid[3], block[3];
  unsigned sharedBytes;
  void *stream;
  void *attributes;
  unsigned numAttributes;
};

struct FakeEvent {
  double time;
};
} // namespace

enum : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notFound = 500,
  notSupported = 801,
  notReady = 600,
  illegalAddress = 700,
};

static int pendingError = 0;
static bool hangs = false;
static double now = 0;

/// What is captured, while something is; and a graph.
using Works = std::vector<std::function<void()>>;
static Works *captured = nullptr;

/// Does `work`, or notes it.
static int doOrRecord(std::function<void()> work) {
  if (captured)
    captured->push_back(std::move(work));
  else
    work();
  return success;
}

static int init(unsigned) {
  return std::getenv("FAKE_CUDA_NO_DEVICE") ? 100 : success;
}
static int getInt(int *value) {
  *value = 13000;
  return success;
}
static int getErrorName(int error, const char **name) {
  *name = error == illegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == outOfMemory  ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == 100          ? "CUDA_ERROR_NO_DEVICE"
                                  : "CUDA_ERROR_FAKE";
  return success;
}
static int getErrorString(int, const char **text) {
  *text = "from the fake driver";
  return success;
}
static int deviceGet(int *device, int) {
  *device = 0;
  return success;
}
static int deviceGetCount(int *count) {
  *count = 1;
  return success;
}
static int deviceGetName(char *name, int, int) {
  std::strcpy(name, "fake");
  return success;
}
static int deviceGetAttribute(int *value, int attribute, int) {
  *value = attribute == 97 ? 227 << 10 : 9;
  return success;
}
static int deviceBusId(char *id, int, int) {
  std::strcpy(id, "0000:01:00.0");
  return success;
}
static int deviceTotalMem(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return success;
}
static int makeHandle(void **handle, unsigned) {
  *handle = new int(0);
  return success;
}
static int freeHandle(void *handle) {
  delete static_cast<int *>(handle);
  return success;
}
static int retainContext(void **context, int) {
  *context = &now;
  return success;
}
static int releaseContext(int) { return success; }
static int setCurrent(void *context) {
  return context == &now ? success : invalidValue;
}

static int moduleLoad(void **module, const void *image, unsigned count,
                      int *options, void **values) {
  if (!std::strstr(static_cast<const char *>(image), ".version"))
    return invalidValue;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == 5) // the log of errors
      std::strcpy(static_cast<char *>(values[i]), "nothing to say\n");
  *module = new std::string(static_cast<const char *>(image));
  return success;
}
static int moduleUnload(void *module) {
  delete static_cast<std::string *>(module);
  return success;
}
static int moduleGetFunction(void **function, void *module, const char *name) {
  // Functions are names; they live to the end of the process.
  if (static_cast<std::string *>(module)->find(name) == std::string::npos)
    return notFound;
  *function = new std::string(name);
  return success;
}
static int funcGetAttribute(int *value, int attribute, void *) {
  *value = attribute == 4 ? 32 : 0;
  return success;
}
static int funcSetAttribute(void *, int, int) { return success; }

/// Does what the kernel's name says.
static void runKernel(const std::string &name, const int64_t (&words)[5]) {
  hangs |= name == "hang_rows";
  if (name == "fault_rows")
    pendingError = illegalAddress;
  auto *x = reinterpret_cast<float *>(words[0]);
  auto *y = reinterpret_cast<float *>(words[2]);
  int64_t xStride = words[1], yStride = words[3], rows = words[4], columns = 64;
  static int launches = 0;
  ++launches;
  if (name == "skip_rows")
    return;
  for (int64_t row = 0; row < rows; ++row) {
    std::memcpy(y + row * yStride, x + row * xStride, columns * sizeof(float));
    if (name == "gap_rows")
      y[row * yStride + columns] = 1;
  }
  if (name == "wrong_rows" || (name == "late_rows" && launches >= 10))
    y[(rows - 1) * yStride + columns - 1] += 1;
  if (name == "past_rows")
    y[rows * yStride] = 1;
}

static int launch(const LaunchConfig *config, void *function, void **parameters,
                  void **) {
  const std::string &name = *static_cast<std::string *>(function);
  if (config->grid[0] == 0 || config->block[0] == 0)
    return invalidValue;
  if (name.size() < 6 || name.substr(name.size() - 5) != "_rows")
    return doOrRecord([] { now += 10; });
  int64_t words[5];
  for (int i = 0; i < 5; ++i)
    words[i] = *static_cast<int64_t *>(parameters[i]);
  return doOrRecord([name, words] {
    now += 10;
    runKernel(name, words);
  });
}

static int occupancy(int *ctas, void *, int, size_t) {
  *ctas = 4;
  return success;
}
static int activeClusters(int *clusters, void *, const LaunchConfig *) {
  *clusters = 8;
  return success;
}

static int memAlloc(uint64_t *address, size_t bytes) {
  if (const char *limit = std::getenv("FAKE_CUDA_MEMORY"))
    if (bytes > std::strtoull(limit, nullptr, 10))
      return outOfMemory;
  *address =
      reinterpret_cast<uint64_t>(std::aligned_alloc(256, (bytes + 255) & ~255));
  return success;
}
static int memFree(uint64_t address) {
  std::free(reinterpret_cast<void *>(address));
  return success;
}
static int memGetInfo(size_t *free, size_t *total) {
  *free = *total = size_t(1) << 30;
  return success;
}
static int copyHtoD(uint64_t to, const void *from, size_t bytes) {
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}
static int copyDtoH(void *to, uint64_t from, size_t bytes) {
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return success;
}
static int copyDtoD(uint64_t to, uint64_t from, size_t bytes, void *) {
  return doOrRecord([=] {
    now += 20;
    copyHtoD(to, reinterpret_cast<void *>(from), bytes);
  });
}
static int memset8(uint64_t to, unsigned char value, size_t bytes, void *) {
  return doOrRecord([=] {
    now += 5;
    // The cache is emptied often, and there is none here.
    if (bytes < (size_t(64) << 20))
      std::memset(reinterpret_cast<void *>(to), value, bytes);
  });
}

static int beginCapture(void *, int) {
  captured = new Works();
  return success;
}
static int endCapture(void *, void **graph) {
  *graph = captured;
  captured = nullptr;
  return success;
}
static int instantiate(void **executable, void *graph, uint64_t) {
  *executable = new Works(*static_cast<Works *>(graph));
  return success;
}
static int graphLaunch(void *executable, void *) {
  for (const auto &work : *static_cast<Works *>(executable))
    work();
  return success;
}
static int graphDestroy(void *graph) {
  delete static_cast<Works *>(graph);
  return success;
}

static int streamQuery(void *) { return hangs ? notReady : pendingError; }
static int eventCreate(void **event, unsigned) {
  *event = new FakeEvent{0};
  return success;
}
static int eventDestroy(void *event) {
  delete static_cast<FakeEvent *>(event);
  return success;
}
static int eventRecord(void *event, void *) {
  static_cast<FakeEvent *>(event)->time = now;
  return success;
}
static int eventElapsed(float *milliseconds, void *begin, void *end) {
  double microseconds = static_cast<FakeEvent *>(end)->time -
                        static_cast<FakeEvent *>(begin)->time;
  *milliseconds = static_cast<float>(microseconds / 1e3);
  return success;
}

/// What launches in contexts of others take, and the tools do not.
static int unused() { return notSupported; }

extern "C" int cuGetProcAddress_v2(const char *name, void **entry, int version,
                                   uint64_t, void *) {
  struct Entry {
    const char *name;
    void *address;
  };
#define FAKE(name, function)                                                   \
  { name, reinterpret_cast<void *>(function) }
  static const Entry entries[] = {
      FAKE("cuInit", init),
      FAKE("cuDriverGetVersion", getInt),
      FAKE("cuGetErrorName", getErrorName),
      FAKE("cuGetErrorString", getErrorString),
      FAKE("cuDeviceGet", deviceGet),
      FAKE("cuDeviceGetCount", deviceGetCount),
      FAKE("cuDeviceGetName", deviceGetName),
      FAKE("cuDeviceGetAttribute", deviceGetAttribute),
      FAKE("cuDeviceTotalMem", deviceTotalMem),
      FAKE("cuDeviceGetPCIBusId", deviceBusId),
      FAKE("cuDevicePrimaryCtxRetain", retainContext),
      FAKE("cuDevicePrimaryCtxRelease", releaseContext),
      FAKE("cuCtxSetCurrent", setCurrent),
      FAKE("cuModuleLoadDataEx", moduleLoad),
      FAKE("cuModuleUnload", moduleUnload),
      FAKE("cuModuleGetFunction", moduleGetFunction),
      FAKE("cuFuncGetAttribute", funcGetAttribute),
      FAKE("cuFuncSetAttribute", funcSetAttribute),
      FAKE("cuLaunchKernelEx", launch),
      FAKE("cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy),
      FAKE("cuOccupancyMaxActiveClusters", activeClusters),
      FAKE("cuMemAlloc", memAlloc),
      FAKE("cuMemFree", memFree),
      FAKE("cuMemGetInfo", memGetInfo),
      FAKE("cuMemcpyHtoD", copyHtoD),
      FAKE("cuMemcpyDtoH", copyDtoH),
      FAKE("cuMemcpyDtoDAsync", copyDtoD),
      FAKE("cuMemsetD8Async", memset8),
      FAKE("cuStreamCreate", makeHandle),
      FAKE("cuStreamDestroy", freeHandle),
      FAKE("cuStreamQuery", streamQuery),
      FAKE("cuStreamBeginCapture", beginCapture),
      FAKE("cuStreamEndCapture", endCapture),
      FAKE("cuGraphInstantiateWithFlags", instantiate),
      FAKE("cuGraphLaunch", graphLaunch),
      FAKE("cuGraphExecDestroy", graphDestroy),
      FAKE("cuGraphDestroy", graphDestroy),
      FAKE("cuEventCreate", eventCreate),
      FAKE("cuEventDestroy", eventDestroy),
      FAKE("cuEventRecord", eventRecord),
      FAKE("cuEventElapsedTime", eventElapsed),
      FAKE("cuCtxGetCurrent", unused),
      FAKE("cuCtxGetDevice", unused),
      FAKE("cuCtxGetId", unused),
      FAKE("cuCtxPushCurrent", unused),
      FAKE("cuCtxPopCurrent", unused),
      FAKE("cuMemAllocAsync", unused),
      FAKE("cuMemFreeAsync", unused),
      FAKE("cuStreamIsCapturing", unused),
      FAKE("cuThreadExchangeStreamCaptureMode", unused),
  };
#undef FAKE
  for (const Entry &candidate : entries)
    if (version == 12000 && std::strcmp(candidate.name, name) == 0) {
      *entry = candidate.address;
      return success;
    }
  return notFound;
}
