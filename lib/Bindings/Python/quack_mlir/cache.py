# lib/Bindings/Python/quack_mlir/cache.py - compiled kernels on disk
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile cache: `QUACK_CACHE_DIR` says where it is, or `off`."""

from typing import NamedTuple

from . import _library


class Counters(NamedTuple):
    """How often kernels came from where, in this process."""

    memory_hits: int
    disk_hits: int
    compiled: int
    rejected: int  #: files on disk that were damaged, or another version's


def counters() -> Counters:
    """Returns how often kernels came from where so far."""
    result = _library.CacheCounters()
    _library.cache_counters(result)
    return Counters(
        result.memory_hits, result.disk_hits, result.compiled, result.rejected
    )


def directory() -> str:
    """Returns where the cache is; empty if it is off."""
    return _library.cache_directory().decode()


def clear() -> int:
    """Removes all entries from the disk. Returns how many there were."""
    return _library.cache_clear()
