# lib/Bindings/Python/quack_mlir/_arrays.py - arrays of other libraries
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What arrays are: their memory, types and shapes, as the C library takes them.

numpy arrays are in the host's memory; torch tensors, objects with
`__cuda_array_interface__` and those of DLPack where they say. Nothing is copied.
"""

import ctypes
import sys
from typing import Any, Optional, Sequence, Tuple

from ._library import QuackError, Tensor

CPU, CUDA, CUDA_MANAGED = 1, 2, 13
_LEGACY = 1  # the default stream, by DLPack and the CUDA Array Interface, which take no 0

# Names of element types, as programs have them, with DLPack's codes.
TYPES = {
    "f32": (2, 32),
    "f16": (2, 16),
    "bf16": (4, 16),
    "f8E4M3FN": (10, 8),
    "f8E5M2": (12, 8),
    "i8": (0, 8),
    "i32": (0, 32),
    "i64": (0, 64),
}
_NAMES = {code: name for name, code in TYPES.items()}

# numpy's names of them (ml_dtypes' among them), and torch's.
_LONG_NAMES = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2",
    "int8": "i8",
    "int32": "i32",
    "int64": "i64",
    "uint16": "bf16",  # the upper halves of f32 patterns
}


class Array(Tensor):
    """A Tensor with what it points into; `owner` is the object that it is of."""

    owner: Any
    keep: Any
    name: str  # of the element type
    is_read_only: bool

    @property
    def on_gpu(self) -> bool:
        return self.device_type != CPU


def _make(
    owner: Any,
    address: int,
    name: str,
    shape: Sequence[int],
    strides: Optional[Sequence[int]],
    device: Tuple[int, int],
    is_read_only: bool = False,
) -> Array:
    count = len(shape)
    extents = (ctypes.c_int64 * max(count, 1))(*shape)
    steps = None if strides is None else (ctypes.c_int64 * max(count, 1))(*strides)
    code, bits = TYPES[name]
    array = Array(address, device[0], device[1], count, code, bits, 1)
    array.shape = extents
    if steps is not None:
        array.strides = steps
    array.owner, array.keep, array.name = owner, (extents, steps), name
    array.is_read_only = is_read_only
    return array


def _type_name(dtype: Any, what: str) -> str:
    # numpy's types may be named by their classes.
    long_name = getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
    name = _LONG_NAMES.get(long_name)
    if name is None:
        raise TypeError(
            f"{what} must be of float32, bfloat16, float16, float8_e4m3fn, float8_e5m2, "
            f"int8, int32 or int64, got {long_name}"
        )
    return name


def type_name(name: Any, what: str) -> str:
    """Returns a program's name of a type that is named so, or by numpy, torch or ml_dtypes."""
    return name if name in TYPES else _type_name(name, what)


def is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def is_array(value: Any) -> bool:
    return hasattr(value, "__dlpack__") or any(
        hasattr(value, name) for name in ("__array_interface__", "__cuda_array_interface__")
    )


def _from_torch(tensor: Any, what: str) -> Array:
    if tensor.device.type not in ("cuda", "cpu"):
        raise ValueError(f"{what} must be on a GPU, got a tensor on {tensor.device}")
    if tensor.layout is not sys.modules["torch"].strided:
        raise ValueError(f"{what} must be strided, got layout {tensor.layout}")
    device = (CUDA, tensor.device.index) if tensor.is_cuda else (CPU, 0)
    name = _type_name(tensor.dtype, what)
    return _make(tensor, tensor.data_ptr(), name, tensor.shape, tensor.stride(), device)


def _from_interface(owner: Any, interface: dict, device: Tuple[int, int], what: str) -> Array:
    import numpy

    if interface.get("mask") is not None or numpy.ma.isMaskedArray(owner):
        raise TypeError(f"{what} must have no mask: pass its data, or what fills it")
    # The interface has no letters for the types of ml_dtypes.
    is_numpy = isinstance(owner, (numpy.ndarray, numpy.generic))
    dtype = owner.dtype if is_numpy else numpy.dtype(interface["typestr"])
    if getattr(dtype, "byteorder", "=") == ">":
        raise TypeError(f"{what} must be in this machine's byte order, got {dtype}")
    name = _type_name(dtype, what)
    size = TYPES[name][1] // 8
    strides = interface.get("strides")
    if strides is not None:
        if any(step % size for step in strides):
            raise ValueError(f"{what}: its strides must be whole elements, got {strides}")
        strides = [step // size for step in strides]
    address, is_read_only = interface["data"]
    return _make(
        owner, address or 0, name, interface["shape"], strides, device, is_read_only
    )


_DEVICE_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL


def _device_of_pointer(owner: Any, address: int) -> int:
    """Returns the GPU of an object, which its CUDA Array Interface does not say."""
    if hasattr(owner, "__dlpack_device__"):
        return owner.__dlpack_device__()[1]
    device = getattr(owner, "device", None)
    device = getattr(device, "id", device)
    if isinstance(device, int):
        return device
    found = ctypes.c_int()
    ask = ctypes.CDLL("libcuda.so.1").cuPointerGetAttribute
    is_unknown = ask(ctypes.byref(found), _DEVICE_ORDINAL, ctypes.c_uint64(address))
    return 0 if is_unknown else found.value


class _Versioned(ctypes.Structure):
    """The start of DLPack's DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


_READ_ONLY = 1  # DLPACK_FLAG_BITMASK_READ_ONLY


def _from_dlpack(owner: Any, stream: Optional[int], what: str) -> Array:
    device = owner.__dlpack_device__()
    wanted = {"stream": stream or _LEGACY} if device[0] != CPU and stream is not None else {}
    try:
        capsule = owner.__dlpack__(max_version=(1, 0), **wanted)
    except TypeError:  # a producer before DLPack 1.0
        capsule = owner.__dlpack__(**wanted)
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    flags = 0
    if "dltensor_versioned" in repr(capsule):
        managed = _Versioned.from_address(get(capsule, b"dltensor_versioned"))
        tensor, flags = managed.tensor, managed.flags
    else:
        tensor = Tensor.from_address(get(capsule, b"dltensor"))
    name = _NAMES.get((tensor.code, tensor.bits))
    if name is None or tensor.lanes != 1:
        raise TypeError(
            f"{what} has an element type that no kernel takes: DLPack's code "
            f"{tensor.code} of {tensor.bits} bits, {tensor.lanes} lanes"
        )
    count = tensor.dimensions
    strides = tensor.strides[:count] if tensor.strides else None
    address = (tensor.data or 0) + tensor.byte_offset
    shape, is_read_only = tensor.shape[:count], bool(flags & _READ_ONLY)
    array = _make(owner, address, name, shape, strides, tuple(device), is_read_only)
    array.keep += (capsule,)
    return array


def describe(value: Any, what: str, stream: Optional[int] = None) -> Array:
    """Returns what an array is; `what` names it in errors."""
    if is_torch(value):
        return _from_torch(value, what)
    if hasattr(value, "__array_interface__"):
        return _from_interface(value, value.__array_interface__, (CPU, 0), what)
    if hasattr(value, "__cuda_array_interface__"):
        interface = value.__cuda_array_interface__
        device = (CUDA, _device_of_pointer(value, interface["data"][0] or 0))
        array = _from_interface(value, interface, device, what)
        own = interface.get("stream")
        is_here = own is None or stream is None or own == (stream or _LEGACY)
        if not is_here:
            raise QuackError(
                f"{what} is ready on stream {own}, and the call is on stream {stream}: "
                "synchronise them, or pass stream="
            )
        return array
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, stream, what)
    raise TypeError(
        f"{what} must be an array (torch, numpy, DLPack or __cuda_array_interface__), got "
        f"{type(value).__name__}"
    )


def can_make(model: Array) -> bool:
    """Returns whether its library can be asked for others like it."""
    return is_torch(model.owner) or any(
        hasattr(model.owner, name) for name in ("__array_interface__", "__array_namespace__")
    )


def empty_like(model: Array, shape: Sequence[int], name: str, what: str) -> Any:
    """Returns an array of the same library and device, with any contents."""
    owner = model.owner
    long_name = next(key for key, value in _LONG_NAMES.items() if value == name)
    if is_torch(owner):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, long_name), device=owner.device)
    if hasattr(owner, "__array_interface__"):
        return _empty_numpy(owner, shape, long_name, what)
    if not can_make(model):
        raise TypeError(
            f"{what} must be given (out=): arrays of type {type(owner).__name__} cannot be "
            "made here"
        )
    space = owner.__array_namespace__()
    return space.empty(shape, dtype=getattr(space, long_name), device=owner.device)


def _empty_numpy(owner: Any, shape: Sequence[int], long_name: str, what: str) -> Any:
    import numpy

    if hasattr(numpy, long_name):
        return numpy.empty(shape, dtype=long_name)
    if long_name == "bfloat16" and owner.dtype == numpy.uint16:
        return numpy.empty(shape, dtype=numpy.uint16)
    try:
        import ml_dtypes
    except ImportError:
        raise TypeError(
            f"{what} is of {long_name}, which numpy has not: install ml_dtypes, or, for "
            "bfloat16, pass arrays of uint16"
        ) from None
    return numpy.empty(shape, dtype=getattr(ml_dtypes, long_name))
