# lib/Bindings/Python/quack_mlir/_programs.py - the library's programs, and linalg
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row programs by name, text or path, and those that are made of linalg."""

import difflib
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

from . import _library
from ._kernel import Kernel
from ._library import Diagnostic


def library() -> List[str]:
    """Returns the names of the library's kernels."""
    return [
        _library.library_name(index).decode() for index in range(_library.library_count())
    ]


def text_of(name: str) -> str:
    """Returns the text of one of them."""
    text = _library.library_text(name.encode())
    if text is not None:
        return text.decode()
    near = difflib.get_close_matches(name, library(), 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(
        f"the library has no kernel {name!r}{hint} (a path ends with .mlir; "
        "quack_mlir.library() lists the names)"
    )


def _read(program: Any) -> Tuple[str, str]:
    """Returns a program's text, and what it is called in diagnostics."""
    if isinstance(program, Path):
        return program.read_text(), program.name
    if not isinstance(program, str):
        raise TypeError(
            f"a program must be a text, a path or a name, got {type(program).__name__}"
        )
    if "\n" not in program and program.endswith(".mlir"):
        return Path(program).read_text(), Path(program).name
    return program, "program"


def compile(
    program: Union[str, Path],
    kernel: Optional[str] = None,
    *,
    pin: Optional[str] = None,
    target: Optional[str] = None,
    chip: Optional[str] = None,
    ptx_version: Optional[int] = None,
    max_cluster: Optional[int] = None,
) -> Kernel:
    """Returns a callable of a row program.

    `program` is the program's text, a path to it, or the name of a kernel of the library
    (`quack_mlir.library()` lists them). `kernel` says which, of several in a text. The others
    are options of the compiler: a plan that is pinned ("cluster = 4"), the GPU that plans are
    for ("h200"), the chip ("sm_90"), the PTX version (83), the most CTAs of a cluster.
    Raises CompileError for a program that does not parse; plans and types are judged at the
    first call.
    """
    text, name = _read(program)
    if text is program and "\n" not in text and "quack.kernel" not in text:
        text, name = text_of(program), f"{program}.mlir"
    return Kernel(
        text,
        kernel,
        name,
        pin=pin,
        target=target,
        chip=chip,
        ptx_version=ptx_version,
        max_cluster=max_cluster,
    )


class Raised:
    """The kernels that were made of a linalg program.

    `kernels` has them by name; `text` is the whole program, whose functions call them;
    `remarks` say what was raised, and what was not and why.
    """

    def __init__(self, text: str, kernels: Dict[str, Kernel], remarks: List[Diagnostic]):
        self.text = text
        self.kernels = kernels
        self.remarks = remarks

    def __getitem__(self, name: str) -> Kernel:
        return self.kernels[name]


def compile_linalg(
    program: Union[str, Path],
    *,
    dynamic_columns: bool = False,
    rows: Optional[int] = None,
    target: Optional[str] = None,
    pin: Optional[str] = None,
) -> Raised:
    """Makes kernels of the row reductions of a linalg program: its text, or a path to it.

    With `dynamic_columns` a kernel takes any number of columns. `rows` and `target` are what
    the decision to divide a group of operations is taken for. Raises CompileError if the
    program does not parse.
    """
    source, name = _read(program)
    data = source.encode()
    listener = _library.Listener()
    handle = _library.parse(data, len(data), name.encode(), listener.address)
    if not handle:
        raise listener.compile_error()
    try:
        listener.take()
        options, count = _library.make_options(
            {
                "dynamic_columns": "true" if dynamic_columns else None,
                "rows": rows,
                "target": target,
            }
        )
        if _library.raise_linalg(handle, options, count, listener.address):
            raise listener.compile_error()
        remarks = listener.take()
        text = _library.program_text(handle).decode()
        names = [
            _library.program_kernel(handle, index).contents.name.decode()
            for index in range(_library.program_count(handle))
        ]
    finally:
        _library.program_destroy(handle)
    kernels = {kernel: Kernel(text, kernel, name, target=target, pin=pin) for kernel in names}
    return Raised(text, kernels, remarks)
