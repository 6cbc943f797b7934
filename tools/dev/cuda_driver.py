# tools/dev/cuda_driver.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches PTX on a GPU through the driver, with nothing but Python."""

import ctypes
import struct
import sys
from ctypes import byref, c_char, c_int, c_size_t, c_uint, c_uint64, c_void_p

CLUSTER_DIMENSION = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
NON_PORTABLE_CLUSTER = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6


class Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", c_int), ("pad", c_char * 4), ("value", c_uint * 16)]


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3),
                ("shared", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(Attribute)), ("count", c_uint)]


class Gpu:
    def __init__(self):
        self.driver = ctypes.CDLL("libcuda.so.1")
        device, context = c_int(), c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.driver.cuGetErrorName(status, byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def load(self, ptx):
        """Compiles PTX text; returns a module."""
        module, log = c_void_p(), ctypes.create_string_buffer(8192)
        options = (c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.addressof(log), len(log))
        try:
            self.call("cuModuleLoadDataEx", byref(module),
                      ctypes.c_char_p(ptx.encode() + b"\0"), 2, options, values)
        except RuntimeError:
            print(log.value.decode(), file=sys.stderr)
            raise
        return module

    def upload(self, data):
        pointer = c_uint64()
        self.call("cuMemAlloc_v2", byref(pointer), c_size_t(max(len(data), 16)))
        self.call("cuMemcpyHtoD_v2", pointer, data, c_size_t(len(data)))
        return pointer

    def download(self, pointer, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, pointer, c_size_t(size))
        return data.raw

    def free(self, pointer):
        self.call("cuMemFree_v2", pointer)

    def launch(self, module, kernel, grid, block, cluster, shared, arguments):
        """Runs a kernel to its end; `arguments` are the bytes of each."""
        function = c_void_p()
        self.call("cuModuleGetFunction", byref(function), module,
                  kernel.encode())
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED,
                      c_int(shared))
        if cluster > 8:
            self.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTER, 1)
        attribute = Attribute(id=CLUSTER_DIMENSION)
        attribute.value[0:3] = [cluster, 1, 1]
        config = Config(grid=(c_uint * 3)(*grid), block=(c_uint * 3)(*block),
                        shared=shared, attributes=ctypes.pointer(attribute),
                        count=int(cluster > 1))
        buffers = [ctypes.create_string_buffer(a, len(a)) for a in arguments]
        pointers = (c_void_p * len(buffers))(
            *[ctypes.addressof(b) for b in buffers])
        self.call("cuLaunchKernelEx", byref(config), function, pointers, None)
        self.call("cuCtxSynchronize")


def scalar(text):
    """The bytes of a number: i32:7, f32:0.5, hex:00ff."""
    kind, value = text.split(":")
    if kind == "hex":
        return bytes.fromhex(value)
    if kind == "f32":
        return struct.pack("<f", float(value))
    return struct.pack({"i8": "<b", "i32": "<i", "i64": "<q"}[kind], int(value))
