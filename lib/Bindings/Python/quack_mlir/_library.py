# lib/Bindings/Python/quack_mlir/_library.py - the C library, by ctypes
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds libquack_c, declares what is used of it, and makes exceptions of its errors.

Loading it makes no CUDA context and calls no driver.
"""

import ctypes
import os
from pathlib import Path
from typing import List, NamedTuple, Optional

_SEVERITIES = ("note", "warning", "error", "remark")


class QuackError(RuntimeError):
    """A call that failed: a launch, a driver, arguments that do not fit a kernel."""


class CompileError(QuackError):
    """A program that does not compile. `diagnostics` are what the compiler said."""

    def __init__(self, message: str, diagnostics: "List[Diagnostic]"):
        super().__init__(message)
        self.diagnostics = diagnostics


class Diagnostic(NamedTuple):
    """Something that the compiler said. `line` and `column` are 0 if it has no place."""

    severity: str
    message: str
    file: str
    line: int
    column: int

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        return f"{place}{self.severity}: {self.message}"


# Structures of include/quack-c.


class _Diagnostic(ctypes.Structure):
    _fields_ = [
        ("severity", ctypes.c_int),
        ("message", ctypes.c_char_p),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
    ]


class Tensor(ctypes.Structure):
    """QuackTensor, which is DLPack's DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class CallArgument(ctypes.Structure):
    _fields_ = [
        ("tensor", ctypes.POINTER(Tensor)),
        ("number", ctypes.c_double),
        ("integer", ctypes.c_int64),
        ("is_given", ctypes.c_int32),
    ]


class LaunchOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("stream", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_int64),
        ("device", ctypes.c_int32),
    ]


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class OperandInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("direction", ctypes.c_char_p),
        ("role", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("alignment_bytes", ctypes.c_int64),
        ("columns", ctypes.c_int64),
        ("is_optional", ctypes.c_int32),
    ]


_COUNTS = (
    "columns threads cluster rows_per_tile split ctas shared_bytes workspace_bytes "
    "fixed_workspace_bytes least_rows"
).split()


class KernelInfo(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        *((count, ctypes.c_int64) for count in _COUNTS),
        ("otherwise", ctypes.c_char_p),
        ("next", ctypes.c_char_p),
        ("plan", ctypes.c_char_p),
        ("operand_count", ctypes.c_size_t),
    ]


class CacheCounters(ctypes.Structure):
    _fields_ = [
        ("memory_hits", ctypes.c_uint64),
        ("disk_hits", ctypes.c_uint64),
        ("compiled", ctypes.c_uint64),
        ("rejected", ctypes.c_uint64),
    ]


class TensorType(ctypes.Structure):
    """QuackTensorType of lib/CAPI/PythonCall.h."""

    _fields_ = [("type", ctypes.c_void_p), ("exchange_api", ctypes.c_void_p)]


def _candidates() -> List[Path]:
    here = Path(__file__).resolve().parent
    name = "libquack_c.so"
    return [
        here / name,  # a wheel
        here.parent.parent / "lib" / name,  # the package: python/quack_mlir, lib
        here.parents[3] / "build" / "lib" / name,  # a source tree
    ]


def _find() -> str:
    named = os.environ.get("QUACK_LIBRARY")
    if named:
        return named
    for path in _candidates():
        if path.exists():
            return str(path)
    places = "".join(f"\n  {path}" for path in _candidates())
    raise ImportError(
        "quack_mlir needs libquack_c.so, which is in none of the places below; the "
        f"environment variable QUACK_LIBRARY can say where it is:{places}"
    )


library_path = _find()
# Calls that may take long let other threads run; those of `held` do not.
library = ctypes.CDLL(library_path)
held = ctypes.PyDLL(library_path)

_pointer, _size, _text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
_diagnostics = ctypes.POINTER(ctypes.c_void_p)


def _declare(name: str, result, *arguments, where=library):
    function = getattr(where, name)
    function.restype = result
    function.argtypes = arguments
    return function


version = _declare("quackVersion", _text)
_count = _declare("quackDiagnosticsCount", _size, _pointer)
_get = _declare("quackDiagnosticsGet", ctypes.POINTER(_Diagnostic), _pointer, _size)
_destroy = _declare("quackDiagnosticsDestroy", None, _pointer)

_options = ctypes.POINTER(Option)
_arguments = ctypes.POINTER(CallArgument)
parse = _declare("quackParse", _pointer, _text, _size, _text, _diagnostics)
raise_linalg = _declare("quackRaise", ctypes.c_int, _pointer, _options, _size, _diagnostics)
program_count = _declare("quackProgramCountKernels", _size, _pointer)
program_kernel = _declare(
    "quackProgramKernel", ctypes.POINTER(KernelInfo), _pointer, _size
)
program_text = _declare("quackProgramText", _text, _pointer)
program_destroy = _declare("quackProgramDestroy", None, _pointer)
kernel_operand = _declare(
    "quackKernelOperand",
    ctypes.POINTER(OperandInfo),
    ctypes.POINTER(KernelInfo),
    _size,
)
library_count = _declare("quackLibraryCount", _size)
library_name = _declare("quackLibraryName", _text, _size)
library_text = _declare("quackLibraryText", _text, _text)
cache_count = _declare(
    "quackCacheCount", ctypes.c_int, ctypes.POINTER(CacheCounters), _diagnostics
)
cache_directory = _declare("quackCacheDirectory", _pointer, _diagnostics)
cache_clear = _declare("quackCacheClear", ctypes.c_int64, _diagnostics)
function_create = _declare(
    "quackFunctionCreate",
    _pointer,
    _text,
    _size,
    _text,
    _text,
    _options,
    _size,
    _diagnostics,
)
function_destroy = _declare("quackFunctionDestroy", None, _pointer)
function_info = _declare("quackFunctionInfo", ctypes.POINTER(KernelInfo), _pointer)
function_specializations = _declare("quackFunctionSpecializations", _size, _pointer)
function_workspace = _declare(
    "quackFunctionWorkspaceBytes",
    ctypes.c_int,
    _pointer,
    _arguments,
    _size,
    ctypes.POINTER(ctypes.c_int64),
    _diagnostics,
)
function_call = _declare(
    "quackFunctionCall",
    ctypes.c_int,
    _pointer,
    _arguments,
    _size,
    ctypes.POINTER(LaunchOptions),
    _diagnostics,
)
python_can_call = _declare(
    "quackPythonCanCall", ctypes.c_int, ctypes.POINTER(TensorType), where=held
)
python_call = _declare(
    "quackPythonCall", ctypes.c_int, _pointer, _pointer, ctypes.py_object, where=held
)


class Listener:
    """Where a call leaves its diagnostics: pass `.address`, then ask for them."""

    def __init__(self) -> None:
        self._list = ctypes.c_void_p()
        self.address = ctypes.byref(self._list)

    def take(self) -> List[Diagnostic]:
        found = []
        for index in range(_count(self._list)):
            entry = _get(self._list, index).contents
            found.append(
                Diagnostic(
                    _SEVERITIES[entry.severity],
                    entry.message.decode(),
                    entry.file.decode(),
                    entry.line,
                    entry.column,
                )
            )
        _destroy(self._list)
        self._list = ctypes.c_void_p()
        self.address = ctypes.byref(self._list)
        return found

    def compile_error(self) -> CompileError:
        said = self.take()
        return CompileError("\n".join(map(str, said)) or "no reason was given", said)

    def call_error(self) -> str:
        return "\n".join(diagnostic.message for diagnostic in self.take())


def make_options(options: "dict[str, Optional[object]]"):
    """Returns an array of options and its length, without those that are None."""
    named = [(name, value) for name, value in options.items() if value is not None]
    array = (Option * max(len(named), 1))()
    for entry, (name, value) in zip(array, named):
        entry.name = name.replace("_", "-").encode()
        entry.value = str(value).encode()
    return array, len(named)
