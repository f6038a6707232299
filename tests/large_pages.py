"""Memory in pages of two megabytes: a process is forked by copying its page tables, and most tests fork.

With small pages that costs a process that ran thousands of tests a tenth of a second each time, with large ones a tenth
of it. Linux since 6.1 makes large pages of small ones; elsewhere nothing happens.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator
from pathlib import Path

_SIZE = 2 << 20
_COLLAPSE = 25
"""What madvise calls it; Python has no name for it."""


def use_large_pages() -> None:
    """Makes large pages of what this process has allocated so far."""
    madvise = getattr(ctypes.CDLL(None), "madvise", None) if sys.platform == "linux" else None
    if madvise is None or mmap.PAGESIZE != 4096:
        return
    madvise.argtypes = (ctypes.c_size_t, ctypes.c_size_t, ctypes.c_int)
    for first, end in _allocated():
        for start in range(first, end, _SIZE):
            madvise(start, _SIZE, _COLLAPSE)  # where it fails, the pages are as small as they were


def _allocated() -> Iterator[tuple[int, int]]:
    """The heap and what is mapped without a name, in whole large pages."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        bounds, access, _, _, _, *name = line.split()
        if access == "rw-p" and name in ([], ["[heap]"]):
            start, end = (int(part, 16) for part in bounds.split("-"))
            yield (start + _SIZE - 1) // _SIZE * _SIZE, end // _SIZE * _SIZE
