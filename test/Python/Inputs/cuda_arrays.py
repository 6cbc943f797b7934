# test/Python/Inputs/cuda_arrays.py
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays on a GPU by the driver alone, with what other libraries show of theirs."""

import ctypes

import numpy as np

_driver = None


def call(name, *arguments):
    """Calls the driver, which the first call loads; device 0's primary context is current."""
    global _driver
    if _driver is None:
        _driver = ctypes.CDLL("libcuda.so.1")
        context = ctypes.c_void_p()
        call("cuInit", 0)
        call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        call("cuCtxSetCurrent", context)
    status = getattr(_driver, name)(*arguments)
    assert status == 0, f"{name}: {status}"


def make_stream():
    stream = ctypes.c_void_p()
    call("cuStreamCreate", ctypes.byref(stream), 1)
    return stream.value


class Memory:
    """A copy of a numpy array on the GPU, contiguous, with nothing to show."""

    def __init__(self, array):
        array = np.ascontiguousarray(array)
        self.shape, self.dtype, self.nbytes = array.shape, array.dtype, array.nbytes
        self.device_strides = None
        pointer = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(array.nbytes, 1)))
        call("cuMemcpyHtoD_v2", pointer, ctypes.c_void_p(array.ctypes.data),
             ctypes.c_size_t(array.nbytes))
        self.address = pointer.value

    def numpy(self):
        call("cuCtxSynchronize")
        array = np.empty(self.shape, self.dtype)
        call("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data),
             ctypes.c_uint64(self.address), ctypes.c_size_t(self.nbytes))
        return array


class CudaArray(Memory):
    """Shows itself by version 3 of the CUDA Array Interface."""

    def __init__(self, array, stream=None, device=None, read_only=False):
        super().__init__(array)
        self.stream, self.read_only = stream, read_only
        if device is not None:
            self.device = device

    @property
    def __cuda_array_interface__(self):
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str,
                "data": (self.address, self.read_only), "strides": self.device_strides,
                "stream": self.stream}


class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):  # DLManagedTensor
    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor)]


_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


class DlpackArray:
    """Shows memory by DLPack, of version 1 where that is asked for and it is not `old`.
    `deleted` counts what consumers have given back."""

    def __init__(self, address, shape, code, bits, device, old=False, flags=0, lanes=1):
        self.address, self.shape, self.type = address, shape, (code, bits, lanes)
        self.device, self.old, self.flags = device, old, flags
        self.streams, self.deleted = [], 0
        self._kept = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **options):
        if self.old and options:
            raise TypeError("unexpected keyword argument")
        self.streams.append(stream)
        is_new = not self.old and options.get("max_version", (0, 0)) >= (1, 0)
        extents = (ctypes.c_int64 * len(self.shape))(*self.shape)
        tensor = _Tensor(self.address - 8, (ctypes.c_int32 * 2)(*self.device),
                         len(self.shape), *self.type, extents, None, 8)
        managed = _Versioned((ctypes.c_uint32 * 2)(1, 0), None, None, self.flags, tensor) \
            if is_new else _Managed(tensor, None, None)
        self._kept.append((extents, managed))
        name = b"dltensor_versioned" if is_new else b"dltensor"
        return _new_capsule(ctypes.addressof(managed), name, None)
