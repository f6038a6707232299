"""Builds the libc models as a native library and calls them side by side with the real libc.

Every model is compiled under the name `model_<name>`. Buffers end at an unreadable page, so an access
behind their last byte kills the (forked) test.
"""

from __future__ import annotations

import ctypes
import faulthandler
import mmap
import os
import re
import struct
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import counterpoint.frontend
from counterpoint.frontend.c.clang import zig

MODELS = Path(counterpoint.frontend.__path__[0]) / "libc"
STUBS = Path(__file__).parent / "libc" / "stubs.c"
FLAGS = ["-x", "c", "-std=gnu11", "-O1", "-fno-builtin", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]
TARGETS = ("i386-linux-musl", "x86_64-linux-musl", "arm-linux-musleabi")

_DEFINITION = re.compile(r"^define (?!internal)[^@\n]*@([\w.]+)\(", re.M)
_CALLED = re.compile(r"^declare [^@\n]*@([\w.]+)\(", re.M)


def clang(*arguments: str, folder: Path | None = None) -> None:
    """Runs the clang inside the ziglang wheel; raises AssertionError with its diagnostics."""
    run = subprocess.run(
        [zig(), "clang", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0 and not run.stderr, run.stderr


@cache
def model_files() -> tuple[Path, ...]:
    return tuple(sorted(MODELS.glob("*.c")))


@cache
def ir(target: str) -> dict[str, str]:
    """The IR text of each model file for a target, by the file's name."""
    with tempfile.TemporaryDirectory() as folder:
        files = [str(file) for file in model_files()]
        clang(f"--target={target}", *FLAGS, "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", *files,
              folder=Path(folder))  # fmt: skip
        return {file.name: (Path(folder) / f"{file.stem}.ll").read_text() for file in model_files()}


def defined(text: str) -> list[str]:
    return _DEFINITION.findall(text)


def called(text: str) -> list[str]:
    return _CALLED.findall(text)


@cache
def models() -> ctypes.CDLL:
    """The models as a shared library; built once per process."""
    names = [name for text in ir("x86_64-linux-musl").values() for name in defined(text)]
    with tempfile.TemporaryDirectory() as folder:
        renamed = [f"-D{name}=model_{name}" for name in names]
        native = ["--target=x86_64-linux-musl", *FLAGS, "-O0", "-fPIC", f"-I{MODELS}", "-c"]
        clang(*native, *renamed, *(str(file) for file in model_files()), folder=Path(folder))
        clang(*native, str(STUBS), folder=Path(folder))
        objects = [str(file) for file in Path(folder).glob("*.o")]
        library = Path(folder) / "models.so"
        subprocess.run([zig(), "ld.lld", "-shared", "-o", str(library), *objects], check=True)
        return ctypes.CDLL(str(library))


@cache
def real() -> tuple[ctypes.CDLL, ...]:
    """The host's own libc and libm (glibc's names; the tests need such a host)."""
    return ctypes.CDLL(None, use_errno=True), ctypes.CDLL("libm.so.6", use_errno=True)


def real_function(name: str) -> Any | None:
    for library in real():
        if hasattr(library, name):
            return library[name]  # a new object each time: its types are the caller's own
    return None


def model_errno() -> ctypes.c_int:
    location = models()["model___errno_location"]
    location.restype = ctypes.POINTER(ctypes.c_int)
    return location().contents  # type: ignore[no-any-return]


class Guarded:
    """Memory for buffers, each flush against a page that cannot be touched."""

    def __init__(self, slots: int = 4) -> None:
        page = mmap.PAGESIZE
        self._mapping = mmap.mmap(-1, 2 * slots * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._mapping))
        libc = ctypes.CDLL(None)
        self._ends = [start + (2 * slot + 1) * page for slot in range(slots)]
        for end in self._ends:
            assert libc.mprotect(ctypes.c_void_p(end), ctypes.c_size_t(page), 0) == 0

    def place(self, slot: int, contents: bytes) -> int:
        """The address of a buffer with these contents, no byte behind which exists."""
        address = self._ends[slot] - len(contents)
        ctypes.memmove(address, contents, len(contents))
        return address


def in_child(work: Callable[[], None]) -> None:
    """Runs `work` in a forked process: a crash or exit there is this test's failure, with the reason."""
    models(), real()  # once, not in every child
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        code = 1
        try:
            work()
            code = 0
        except BaseException as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:60000])
        finally:
            os._exit(code)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    assert status == 0, said or f"ended by signal {os.WTERMSIG(status)}: an access outside a buffer?"


def exit_code(work: Callable[[], None]) -> int:
    """The code with which `work` ends its (forked) process; 0 if it returns."""
    models()
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        work()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def queue(values: Sequence[int | float]) -> None:
    """The next arbitrary values that models get; floats are passed on as doubles."""
    library = models()
    library.stub_reset()
    for value in values:
        word = struct.unpack("<Q", struct.pack("<d", value))[0] if isinstance(value, float) else value
        library.stub_queue(ctypes.c_uint64(word & (1 << 64) - 1))


def approximations() -> int:
    return ctypes.c_int.in_dll(models(), "stub_approximated").value
