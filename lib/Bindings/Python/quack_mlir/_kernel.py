# lib/Bindings/Python/quack_mlir/_kernel.py - kernels to call
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compile` returns: kernels to call."""

import contextlib
import ctypes
import operator
import sys
import threading
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from . import _arrays, _library
from ._library import QuackError

_local = threading.local()
_TENSOR = ctypes.POINTER(_library.Tensor)


@contextlib.contextmanager
def simulate() -> Iterator[None]:
    """Within it, torch tensors on the CPU run in the simulator, in this thread.

    The simulator executes the PTX of a kernel, thousands of times slower than a GPU:
    it is for tests. Arrays of numpy always run there.
    """
    before = getattr(_local, "simulates", False)
    _local.simulates = True
    try:
        yield
    finally:
        _local.simulates = before


def simulates() -> bool:
    return getattr(_local, "simulates", False)


class Operand(NamedTuple):
    """An operand of a program.

    `direction` is in, out or inout. `role` says its shape: row [..., N], columns [N],
    scalar [...], single [], groups [..., N / columns of a group], picks [..., K]; value is a
    Python number. `type` is the element type, of which f32 stands for any float type of an
    array in memory. An optional one may be left out.
    """

    name: str
    direction: str
    role: str
    type: str
    columns: int
    optional: bool


def _read_operands(info: Any) -> Tuple[Operand, ...]:
    operands = []
    for index in range(info.contents.operand_count):
        entry = _library.kernel_operand(info, index).contents
        operands.append(
            Operand(
                entry.name.decode(),
                entry.direction.decode(),
                entry.role.decode(),
                entry.type.decode(),
                entry.columns,
                bool(entry.is_optional),
            )
        )
    return tuple(operands)


class _TorchCalls:
    """The way of torch tensors that does not go through Python objects of our own."""

    def __init__(self) -> None:
        torch = sys.modules["torch"]
        self.tensor = torch.Tensor
        self.is_grad_enabled = torch.is_grad_enabled
        self.address = 0
        capsule = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)
        if capsule is None:  # torch before 2.10
            return
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        api = get(capsule, b"dlpack_exchange_api")
        self._type = _library.TensorType(id(torch.Tensor), api)
        if _library.python_can_call(ctypes.byref(self._type)):
            self.address = ctypes.addressof(self._type)


_torch_calls: Optional[_TorchCalls] = None


def torch_calls() -> Optional[_TorchCalls]:
    """Returns what calls on torch tensors use; None as long as torch is not imported."""
    global _torch_calls
    if _torch_calls is None and "torch" in sys.modules:
        _torch_calls = _TorchCalls()
    return _torch_calls


def _make_kernel(text: str, kernel: Optional[str], file_name: str, options: dict) -> "Kernel":
    return Kernel(text, kernel, file_name, **options)


class Kernel:
    """A row program that is compiled for what it is called on.

    Types, columns and which optional operands are there make a specialisation, compiled at
    its first call and kept in memory and on disk; the number of rows makes none. Calls on
    GPU arrays launch on the caller's stream and wait for nothing. Threads may share it.
    """

    def __init__(
        self,
        text: str,
        kernel: Optional[str] = None,
        file_name: str = "program",
        **options: Optional[object],
    ) -> None:
        listener = _library.Listener()
        array, count = _library.make_options(options)
        data = text.encode()
        self._handle = _library.function_create(
            data,
            len(data),
            file_name.encode(),
            kernel.encode() if kernel else None,
            array,
            count,
            listener.address,
        )
        if not self._handle:
            raise listener.compile_error()
        self._source = (text, kernel, file_name, options)
        info = _library.function_info(self._handle)
        self.name: str = info.contents.name.decode()
        self.operands: Tuple[Operand, ...] = _read_operands(info)
        self._columns = max(info.contents.columns, 0)
        self._index = {operand.name: i for i, operand in enumerate(self.operands)}
        self._inputs = [o.name for o in self.operands if o.direction != "out" and o.role != "value"]
        self._outputs = [o for o in self.operands if o.direction == "out"]
        self._plans: Dict[tuple, Any] = {}
        self.__doc__ = self._describe()

    def __repr__(self) -> str:
        return f"<quack_mlir.Kernel {self.name}({', '.join(self._index)})>"

    # The handle is this process's.

    def __reduce__(self) -> tuple:
        return _make_kernel, self._source

    def __copy__(self) -> "Kernel":
        return self

    def __deepcopy__(self, memo: Any) -> "Kernel":
        return self

    def _describe(self) -> str:
        lines = [f"{self.name}:"]
        for operand in self.operands:
            option = ", optional" if operand.optional else ""
            lines.append(
                f"  {operand.name}: {operand.direction} {operand.role} {operand.type}{option}"
            )
        return "\n".join(lines)

    @property
    def specializations(self) -> int:
        """How many there are so far."""
        return _library.function_specializations(self._handle)

    # Calls

    def __call__(
        self,
        *inputs: Any,
        out: Any = None,
        returns: Optional[Sequence[str]] = None,
        dtypes: Optional[Dict[str, str]] = None,
        stream: Optional[int] = None,
        groups: Optional[int] = None,
        picks: Optional[int] = None,
        **named: Any,
    ) -> Any:
        """Computes.

        `inputs` are the arrays that are read, in the program's order; they may be named
        instead, as numbers must be. `out` is the output, or a dictionary of outputs by name;
        those that are not given are made. Optional outputs are made if `returns` names them.
        `dtypes` says the types of outputs that are made, by name ("bf16"); else rows have
        that of the first input row, and all others that of the program. `groups` is the
        columns of a group, `picks` the number of elements that are picked. `stream` is a
        CUDA stream's handle; without it torch's current stream, or the default stream.

        Returns the output, or a tuple of those that were made or given, in the program's
        order; those that `returns` names, in its order.
        """
        if out is not None and returns is None and stream is None:
            plan = self._plans.get((len(inputs), *named))
            if plan is not None and self._call_torch(plan, out, inputs, named):
                return out
        given = self._bind(inputs, named)
        return self._call(given, out, returns, dtypes or {}, stream, groups, picks)

    def _call_torch(self, plan: Any, out: Any, inputs: tuple, named: dict) -> bool:
        """Returns whether the call could be made the short way."""
        calls = torch_calls()
        if calls is None or not calls.address:
            return False
        values = plan((None, out, *inputs, *named.values()))
        if calls.is_grad_enabled() and any(getattr(v, "requires_grad", False) for v in values):
            return False
        return not _library.python_call(self._handle, calls.address, values)

    def call_torch(self, values: tuple) -> None:
        """Computes on torch tensors, numbers and None, one for each operand."""
        calls = torch_calls()
        if calls is not None and calls.address and not _library.python_call(self._handle, calls.address, values):
            return
        given = {
            operand.name: value
            for operand, value in zip(self.operands, values)
            if value is not None
        }
        self._launch(given, None)

    def _bind(self, inputs: tuple, named: dict) -> Dict[str, Any]:
        if len(inputs) > len(self._inputs):
            raise TypeError(
                f"{self.name} takes {len(self._inputs)} arrays "
                f"({', '.join(self._inputs)}), got {len(inputs)}"
            )
        given = dict(zip(self._inputs, inputs))
        for name, value in named.items():
            operand = self._operand(name)
            if name in given:
                raise TypeError(f"{self.name} got operand '{name}' twice")
            if operand.direction == "out":
                raise TypeError(
                    f"'{name}' is an output of {self.name}: pass out={{'{name}': ...}}"
                )
            given[name] = value
        self._plan(len(inputs), named)
        return {name: value for name, value in given.items() if value is not None}

    def _operand(self, name: str) -> Operand:
        if name not in self._index:
            raise TypeError(
                f"{self.name} has no operand '{name}', only {', '.join(self._index)}"
            )
        return self.operands[self._index[name]]

    def _plan(self, count: int, named: dict) -> None:
        """Remembers which part of (None, out, *inputs, *named) each operand is."""
        outputs = [o.name for o in self._outputs if not o.optional]
        if len(outputs) != 1 or len(self.operands) < 2:
            return
        places = {outputs[0]: 1}
        for place, name in enumerate(self._inputs[:count] + list(named), start=2):
            places[name] = place
        order = [places.get(operand.name, 0) for operand in self.operands]
        self._plans[(count, *named)] = operator.itemgetter(*order)

    def _call(self, given, out, returns, dtypes, stream, groups, picks) -> Any:
        wanted = self._wanted(out, returns, dtypes)
        if isinstance(out, dict):
            given.update(out)
        elif out is not None:
            given[wanted[0].name] = out
        if any(operand.name not in given for operand in wanted):
            self._make_outputs(given, wanted, dtypes, groups, picks)
        self._launch(given, stream)
        names = returns if returns is not None else [operand.name for operand in wanted]
        results = tuple(given[name] for name in names)
        return results[0] if len(results) == 1 else results

    def _wanted(
        self, out: Any, returns: Optional[Sequence[str]], dtypes: Dict[str, Any]
    ) -> List[Operand]:
        if isinstance(returns, str):
            raise TypeError(f"{self.name}: returns must be a list of names, got {returns!r}")
        named = set(returns or ()) | set(out if isinstance(out, dict) else ())
        for name in (*named, *dtypes):
            if self._operand(name).direction == "in":
                raise TypeError(f"'{name}' is no output of {self.name}")
        wanted = [o for o in self._outputs if not o.optional or o.name in named]
        if out is not None and not isinstance(out, dict) and len(wanted) != 1:
            names = ", ".join(operand.name for operand in wanted)
            raise TypeError(
                f"{self.name} has several outputs: pass out= as a dictionary of {names}"
            )
        return wanted

    # Outputs

    def _make_outputs(self, given, wanted, dtypes, groups, picks) -> None:
        model, leading, columns = self._read_shapes(given)
        for operand in wanted:
            if operand.name in given:
                continue
            what = f"{self.name}: operand '{operand.name}'"
            shape = self._shape_of(operand, leading, columns, groups, picks, what)
            default = model.name if operand.role == "row" and operand.type == "f32" else operand.type
            name = _arrays.type_name(dtypes.get(operand.name, default), what)
            given[operand.name] = _arrays.empty_like(model, shape, name, what)

    def _read_shapes(self, given: Dict[str, Any]) -> Tuple[_arrays.Array, tuple, int]:
        """Returns the array that outputs are like, the leading dimensions, and N."""
        model, leading, columns = None, (), self._columns
        for operand in reversed(self.operands):
            if operand.name not in given or operand.role not in ("row", "scalar", "picks"):
                continue
            array = _arrays.describe(
                given[operand.name], f"{self.name}: operand '{operand.name}'"
            )
            shape = tuple(array.shape[: array.dimensions])
            if operand.role == "row" and shape:
                model, leading, columns = array, shape[:-1], shape[-1]
            elif model is None or model.name not in ("f32", "f16", "bf16"):
                model = array
                leading = shape if operand.role == "scalar" else shape[:-1]
        if model is None:
            raise TypeError(f"{self.name}: no input says how many rows there are")
        return model, leading, columns

    def _shape_of(self, operand, leading, columns, groups, picks, what) -> tuple:
        if operand.role == "row":
            return (*leading, columns)
        if operand.role == "scalar":
            return leading
        if operand.role == "columns":
            return (columns,)
        if operand.role == "single":
            return ()
        if operand.columns:
            return (*leading, operand.columns)
        if operand.role == "picks":
            return (*leading, _count(picks, f"{what}: picks=, the elements of a row"))
        width = _count(groups, f"{what}: groups=, the columns of a group")
        return (*leading, -(-columns // width))

    # Launches

    def _launch(self, given: Dict[str, Any], stream: Optional[int]) -> None:
        arguments = (_library.CallArgument * len(self.operands))()
        arrays: List[_arrays.Array] = []
        if stream is None:
            stream = _current_stream(given.values())
        elif not isinstance(stream, int):
            raise TypeError(
                f"{self.name}: stream= must be a stream's handle, an int, got "
                f"{type(stream).__name__}"
            )
        for argument, operand in zip(arguments, self.operands):
            if operand.name not in given:
                continue
            what = f"{self.name}: operand '{operand.name}'"
            argument.is_given = 1
            value = given[operand.name]
            if operand.role == "value":
                _set_number(argument, operand, value, what)
                continue
            array = _arrays.describe(value, what, stream)
            if array.is_read_only and operand.direction != "in":
                raise ValueError(f"{what} is written, and must not be read-only")
            _check_torch(value, operand, what)
            arrays.append(array)
            argument.tensor = ctypes.cast(ctypes.pointer(array), _TENSOR)
        options = _library.LaunchOptions(ctypes.sizeof(_library.LaunchOptions))
        options.stream, options.device = stream, -1
        listener = _library.Listener()
        workspace = None
        # Else the C library allocates one, in the order of the stream.
        if arrays and arrays[0].on_gpu and _arrays.can_make(arrays[0]):
            workspace = self._make_workspace(arguments, arrays[0], options, listener)
        failed = _library.function_call(
            self._handle, arguments, len(arguments), ctypes.byref(options), listener.address
        )
        del workspace  # free again in the order of the stream
        if failed:
            raise QuackError(f"{self.name}: {listener.call_error()}")

    def _make_workspace(self, arguments, model, options, listener) -> Any:
        needed = ctypes.c_int64()
        if _library.function_workspace(
            self._handle, arguments, len(arguments), ctypes.byref(needed), listener.address
        ):
            raise QuackError(f"{self.name}: {listener.call_error()}")
        if needed.value == 0:
            return None
        what = f"{self.name}: the workspace"
        workspace = _arrays.empty_like(model, (needed.value,), "i8", what)
        options.workspace = _arrays.describe(workspace, what).data
        options.workspace_bytes = needed.value
        return workspace


def _count(value: Any, what: str) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}, must be an integer, got {type(value).__name__}") from None
    if count < 1:
        raise ValueError(f"{what}, must be at least 1, got {count}")
    return count


def _set_number(argument: Any, operand: Operand, value: Any, what: str) -> None:
    try:
        if not operand.type.startswith("i"):
            argument.number = float(value)
            return
        number = operator.index(value)
    except (TypeError, ValueError):
        kind = "an integer" if operand.type.startswith("i") else "a number"
        raise TypeError(f"{what} must be {kind}, got {type(value).__name__}") from None
    bits = int(operand.type[1:])
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ValueError(f"{what} must be an integer of {bits} bits, got {number}")
    argument.integer = number


def _check_torch(value: Any, operand: Operand, what: str) -> None:
    if not _arrays.is_torch(value):
        return
    if not value.is_cuda and not simulates():
        raise ValueError(
            f"{what} is on the CPU, and must be on a GPU (within quack_mlir.simulate(), "
            "tensors on the CPU run in the simulator)"
        )
    if value.requires_grad and sys.modules["torch"].is_grad_enabled():
        raise ValueError(
            f"{what} requires a gradient, which a compiled kernel has not: use the functions "
            "of quack_mlir that have one, or torch.no_grad()"
        )


def _current_stream(values: Any) -> Optional[int]:
    for value in values:
        if _arrays.is_torch(value) and value.is_cuda:
            torch = sys.modules["torch"]
            return torch.cuda.current_stream(value.device).cuda_stream
    for value in values:
        interface = getattr(value, "__cuda_array_interface__", None)
        if interface and interface.get("stream") is not None:
            return interface["stream"]
    return None
