"""The C compiler and linker of the ziglang wheel, and the compiled runtime, made once per build of it."""

from __future__ import annotations

import atexit
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from counterpoint.execute.native.instrument import NotNative

_PARTS = (
    "contents", "corpus", "coverage", "external", "guess", "memory", "run", "search", "start", "states", "support",
    "trials", "values",
)  # fmt: skip
_FLAGS = (
    "-O2", "-std=gnu11", "-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-fno-pic",
    "-fno-asynchronous-unwind-tables", "-fno-strict-aliasing", "-march=x86-64-v2", "-Wall", "-Wextra",
)  # fmt: skip
_SECONDS = 60


def zig() -> Path:
    """The zig executable. Raises NotNative if the wheel is not installed."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise NotNative("the package ziglang is not installed")
    return Path(spec.origin).parent / "zig"


def check_host() -> None:
    """Raises NotNative unless executables for Linux on x86-64 run here."""
    machine = os.uname().machine if hasattr(os, "uname") else "another machine"
    if sys.platform != "linux" or machine != "x86_64":
        raise NotNative(f"native runs need Linux on x86-64, this is {sys.platform} on {machine}")


def call(arguments: list[str], directory: Path, what: str) -> None:
    """Runs zig with the arguments. Raises NotNative with the first line that it prints on failure."""
    try:
        done = subprocess.run(
            [str(zig()), *arguments],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotNative(f"{what} failed: {error}") from None
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise NotNative(f"{what} failed: {lines[0]}")


@cache
def runtime(pointer_bits: int) -> Path:
    """The object file of the runtime, from the user's cache directory where it can be kept.

    Raises NotNative if it cannot be compiled.
    """
    sources = Path(__file__).parent
    compiler = zig().stat()
    digest = hashlib.sha256(repr((_FLAGS, compiler.st_size, compiler.st_mtime_ns)).encode())
    for source in sorted(sources.glob("runtime*.[ch]")):
        digest.update(source.read_bytes())
    name = f"runtime-{pointer_bits}-{digest.hexdigest()[:20]}.o"
    for directory in _places():
        kept = directory / name
        if kept.is_file():
            return kept
        try:
            directory.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".making-", dir=directory) as making:
                made = _compile(sources, Path(making), pointer_bits)
                made.replace(kept)
        except OSError:
            continue
        return kept
    raise NotNative("there is no directory that the runtime can be compiled in")


def _places() -> Iterator[Path]:
    """Where the runtime may be kept: the user's cache directory, else one that goes with this process."""
    base = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):
        yield (Path(base) if base else Path.home() / ".cache") / "counterpoint"
    with suppress(OSError):
        temporary = Path(tempfile.mkdtemp(prefix="counterpoint-runtime-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        yield temporary


def _compile(sources: Path, directory: Path, pointer_bits: int) -> Path:
    files = [str(sources / f"runtime_{part}.c") for part in _PARTS]
    compiling = ["clang", f"--target={target(pointer_bits)}", *_FLAGS, "-c", *files]
    call(compiling, directory, "compiling the runtime")
    objects = [f"runtime_{part}.o" for part in _PARTS]
    linking = ["ld.lld", "-m", emulation(pointer_bits), "-r", "-o", "runtime.o", *objects]
    call(linking, directory, "linking the runtime")
    return directory / "runtime.o"


def emulation(pointer_bits: int) -> str:
    return "elf_i386" if pointer_bits == 32 else "elf_x86_64"


def target(pointer_bits: int) -> str:
    return "i386-linux-musl" if pointer_bits == 32 else "x86_64-linux-musl"
