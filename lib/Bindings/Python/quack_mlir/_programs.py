# lib/Bindings/Python/quack_mlir/_programs.py - the library's programs, and linalg
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Row programs by name, and those that are made of linalg."""

import difflib
from pathlib import Path
from typing import Dict, List, Optional, Union

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
    if isinstance(program, Path):
        program, name = program.read_text(), program.name
    else:
        name = "program"
    data = program.encode()
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
