//===- SimulatedCuda/Memory.cpp - device memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams have nothing left to do when a call returns, so an asynchronous copy
// is one that may be captured.
//
//===----------------------------------------------------------------------===//

#include "EntryPoints.h"
#include "State.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <sys/mman.h>

using namespace llvm;
using namespace quack;
using namespace quack::simcuda;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// What separates an allocation from the next one.
static constexpr size_t guardBytes = 1 << 16;

static Result allocate(Call &call, DevicePointer *address, size_t bytes) {
  Device &device = call.state.devices[call.context->device];
  call.text = formatv(" bytes={0}", bytes);
  if (bytes == 0)
    return invalidValue;
  if (bytes > call.state.settings.memoryBytes - device.usedBytes)
    return outOfMemory;
  Allocation made;
  made.device = call.context->device;
  made.bytes = bytes;
  made.reservedBytes = alignTo(bytes, 4096) + guardBytes;
  made.data.reset(static_cast<char *>(std::calloc(bytes, 1)));
  made.written.reset(static_cast<uint8_t *>(std::calloc(bytes, 1)));
  void *reserved = mmap(nullptr, made.reservedBytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED || !made.data || !made.written)
    return outOfMemory;
  device.usedBytes += bytes;
  *address = reinterpret_cast<DevicePointer>(reserved);
  call.state.memory.emplace(*address, std::move(made));
  return success;
}

static Result release(Call &call, DevicePointer address) {
  if (address == 0)
    return success;
  auto found = call.state.memory.find(address);
  if (found == call.state.memory.end())
    return invalidValue;
  munmap(reinterpret_cast<void *>(address), found->second.reservedBytes);
  call.state.devices[found->second.device].usedBytes -= found->second.bytes;
  call.state.memory.erase(found);
  return success;
}

Allocation *simcuda::findAllocation(State &state, DevicePointer address,
                                    DevicePointer *begin) {
  auto above = state.memory.upper_bound(address);
  if (above == state.memory.begin())
    return nullptr;
  auto &[at, allocation] = *std::prev(above);
  *begin = at;
  return address - at < allocation.bytes ? &allocation : nullptr;
}

int simcuda::cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  return call("cuMemAlloc", needsContext | isUnsafe,
              [&](Call &call) { return allocate(call, address, bytes); });
}

int simcuda::cuMemFree_v2(DevicePointer address) {
  return call("cuMemFree", needsContext | isUnsafe,
              [&](Call &call) { return release(call, address); });
}

int simcuda::cuMemAllocAsync(DevicePointer *address, size_t bytes,
                             void *stream) {
  return call("cuMemAllocAsync", needsContext, [&](Call &call) {
    return findStream(call, stream) ? allocate(call, address, bytes)
                                    : invalidHandle;
  });
}

int simcuda::cuMemFreeAsync(DevicePointer address, void *handle) {
  return call("cuMemFreeAsync", needsContext, [&](Call &call) {
    Stream *stream = findStream(call, handle);
    if (!stream)
      return Result(invalidHandle);
    // A graph that is captured keeps the memory that it was captured with.
    return stream->capture ? Result(success) : release(call, address);
  });
}

int simcuda::cuMemGetInfo_v2(size_t *free, size_t *total) {
  return call("cuMemGetInfo", needsContext, [&](Call &call) -> Result {
    *total = call.state.settings.memoryBytes;
    *free = *total - call.state.devices[call.context->device].usedBytes;
    return success;
  });
}

int simcuda::cuPointerGetAttribute(void *data, int attribute,
                                   DevicePointer address) {
  return call("cuPointerGetAttribute", needsInit, [&](Call &call) -> Result {
    DevicePointer begin = 0;
    Allocation *allocation = findAllocation(call.state, address, &begin);
    if (!allocation)
      return invalidValue; // memory that CUDA does not know
    switch (attribute) {
    case pointerContext:
      *static_cast<void **>(data) =
          call.state.devices[allocation->device].primary;
      return success;
    case pointerMemoryType:
      *static_cast<unsigned *>(data) = 2;
      return success;
    case pointerDevicePointer:
      *static_cast<DevicePointer *>(data) = address;
      return success;
    case pointerIsManaged:
      *static_cast<unsigned *>(data) = 0;
      return success;
    case pointerDeviceOrdinal:
      *static_cast<int *>(data) = allocation->device;
      return success;
    default:
      return notSupported;
    }
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// Bytes of a device, or of the host, whose addresses a device has, too.
struct Place {
  char *data = nullptr; ///< null where there is nothing, or too little
  uint8_t *written = nullptr;
};
} // namespace

static Place findPlace(State &state, DevicePointer address, size_t bytes) {
  DevicePointer begin = 0;
  Allocation *allocation = findAllocation(state, address, &begin);
  if (!allocation && address != 0)
    return {reinterpret_cast<char *>(address), nullptr};
  uint64_t offset = address - begin;
  if (!allocation || bytes > allocation->bytes - offset)
    return {};
  return {allocation->data.get() + offset, allocation->written.get() + offset};
}

static Result copy(State &state, DevicePointer to, DevicePointer from,
                   size_t bytes) {
  Place target = findPlace(state, to, bytes),
        source = findPlace(state, from, bytes);
  if (!target.data || !source.data)
    return invalidValue;
  std::memmove(target.data, source.data, bytes);
  if (target.written && source.written)
    std::memmove(target.written, source.written, bytes);
  else if (target.written)
    std::memset(target.written, 1, bytes);
  return success;
}

template <typename T>
static Result fill(State &state, DevicePointer to, T value, size_t count) {
  Place target = findPlace(state, to, count * sizeof(T));
  if (!target.data || to % sizeof(T) != 0)
    return invalidValue;
  for (size_t i = 0; i < count; ++i)
    std::memcpy(target.data + i * sizeof(T), &value, sizeof(T));
  if (target.written)
    std::memset(target.written, 1, count * sizeof(T));
  return success;
}

/// Makes a call of `work`, in a stream where there is one.
static Result transfer(const char *name, void **stream, size_t bytes,
                       std::function<Result(State &)> work) {
  return call(name, stream ? needsContext : needsContext | isUnsafe,
              [&](Call &call) -> Result {
                call.text = formatv(" bytes={0}", bytes);
                if (!stream)
                  return work(call.state);
                Stream *found = findStream(call, *stream);
                if (!found)
                  return invalidHandle;
                State *state = &call.state;
                return enqueue(call, *found, [=] { return work(*state); });
              });
}

static Result transferCopy(const char *name, void **stream, DevicePointer to,
                           DevicePointer from, size_t bytes) {
  return transfer(name, stream, bytes,
                  [=](State &state) { return copy(state, to, from, bytes); });
}

static DevicePointer addressOf(const void *pointer) {
  return reinterpret_cast<DevicePointer>(pointer);
}

int simcuda::cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  return transferCopy("cuMemcpyHtoD", nullptr, to, addressOf(from), bytes);
}
int simcuda::cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  return transferCopy("cuMemcpyDtoH", nullptr, addressOf(to), from, bytes);
}
int simcuda::cuMemcpyDtoD_v2(DevicePointer to, DevicePointer from,
                             size_t bytes) {
  return transferCopy("cuMemcpyDtoD", nullptr, to, from, bytes);
}
int simcuda::cuMemcpyHtoDAsync_v2(DevicePointer to, const void *from,
                                  size_t bytes, void *stream) {
  return transferCopy("cuMemcpyHtoDAsync", &stream, to, addressOf(from), bytes);
}
int simcuda::cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes,
                                  void *stream) {
  return transferCopy("cuMemcpyDtoHAsync", &stream, addressOf(to), from, bytes);
}
int simcuda::cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from,
                                  size_t bytes, void *stream) {
  return transferCopy("cuMemcpyDtoDAsync", &stream, to, from, bytes);
}

template <typename T>
static Result transferFill(const char *name, void **stream, DevicePointer to,
                           T value, size_t count) {
  return transfer(name, stream, count * sizeof(T),
                  [=](State &state) { return fill(state, to, value, count); });
}

int simcuda::cuMemsetD8_v2(DevicePointer to, unsigned char value,
                           size_t count) {
  return transferFill("cuMemsetD8", nullptr, to, value, count);
}
int simcuda::cuMemsetD8Async(DevicePointer to, unsigned char value,
                             size_t count, void *stream) {
  return transferFill("cuMemsetD8Async", &stream, to, value, count);
}
int simcuda::cuMemsetD32_v2(DevicePointer to, unsigned value, size_t count) {
  return transferFill("cuMemsetD32", nullptr, to, value, count);
}
int simcuda::cuMemsetD32Async(DevicePointer to, unsigned value, size_t count,
                              void *stream) {
  return transferFill("cuMemsetD32Async", &stream, to, value, count);
}
