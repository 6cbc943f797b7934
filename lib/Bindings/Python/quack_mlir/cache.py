# lib/Bindings/Python/quack_mlir/cache.py - compiled kernels on disk
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile cache: `QUACK_CACHE_DIR` says where it is, or `off`."""

import ctypes
import os
from typing import NamedTuple

from . import _library

_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


class Counters(NamedTuple):
    """How often kernels came from where, in this process."""

    memory_hits: int
    disk_hits: int
    compiled: int
    rejected: int  #: files on disk that were damaged, or another version's


def counters() -> Counters:
    """Returns how often kernels came from where so far."""
    result, listener = _library.CacheCounters(), _library.Listener()
    if _library.cache_count(ctypes.byref(result), listener.address):
        raise _library.QuackError(listener.call_error())
    return Counters(
        result.memory_hits, result.disk_hits, result.compiled, result.rejected
    )


def directory() -> str:
    """Returns where the cache is; empty if it is off."""
    listener = _library.Listener()
    address = _library.cache_directory(listener.address)
    if not address:
        raise _library.QuackError(listener.call_error())
    try:
        return os.fsdecode(ctypes.string_at(address))
    finally:
        _free(address)


def clear() -> int:
    """Removes all entries from the disk. Returns how many there were."""
    listener = _library.Listener()
    removed = _library.cache_clear(listener.address)
    if removed < 0:
        raise _library.QuackError(listener.call_error())
    return removed
