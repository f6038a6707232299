"""Runs prepared LLVM IR with LLVM's JIT in a child process: an oracle for the front end's tests."""

from __future__ import annotations

import ctypes
import os
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import llvmlite.binding as llvm

from counterpoint.frontend.definition import indirect_calls
from counterpoint.frontend.prepare import PreparedModule, compile_task
from counterpoint.frontend.task import SourceTask

CHECK_FAILED, UNSUPPORTED, ASSUMED_AWAY, ABORTED = 200, 201, 202, 203

_RESULTS: dict[str, Any] = {
    "i1": ctypes.c_uint8,
    "i8": ctypes.c_uint8,
    "i16": ctypes.c_uint16,
    "i32": ctypes.c_uint32,
    "i64": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "ptr": ctypes.c_void_p,
}


def modules(
    folder: Path, source: str, property_: str = "unreach-call", entry: str = "main"
) -> dict[str, PreparedModule]:
    """A 64-bit program under all preparations."""
    file = folder / "program.c"
    file.write_text(source)
    with patch.object(indirect_calls, "EXTERNAL_BASE", {}):  # machine code lies anywhere here
        defined = compile_task(SourceTask((file,), data_model="LP64", property=property_, entry=entry))
    return {name: defined.prepared(name) for name in ("none", "modular", "flat")}


def outcomes(
    folder: Path, source: str, inputs: Sequence[int] = (), property_: str = "unreach-call"
) -> set[int]:
    """How the program ends, under each preparation: its exit code (below 128) or one of the codes above.

    `inputs` are what `__VERIFIER_nondet_*` returns in order; other arbitrary values are 1.
    """
    return {run(module, inputs) for module in modules(folder, source, property_).values()}


def run(module: PreparedModule, inputs: Sequence[int] = ()) -> int:
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            _run_here(module, iter(inputs))
        finally:
            os._exit(250)
    _, status = os.waitpid(child, 0)
    return os.WEXITSTATUS(status) if os.WIFEXITED(status) else -os.WTERMSIG(status)


def _run_here(module: PreparedModule, inputs: Iterator[int]) -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    # Names of libc would be bound to what the code generator expects of them.
    text = re.sub(r"@(?!__cp_|llvm\.)([\w.$]+)", r"@own_\1", module.text)
    text = text.replace("define internal void @__cp_main", "define void @__cp_main")
    builder = llvm.JITLibraryBuilder().add_ir(text).export_symbol("__cp_main")
    callbacks = dict(_kernel(module, inputs, re.findall(r"^declare .*?@(__cp_\w+)\(", text, re.MULTILINE)))
    for name, callback in callbacks.items():
        builder.import_symbol(name, ctypes.cast(callback, ctypes.c_void_p).value)
    builder.add_current_process()
    machine = llvm.Target.from_default_triple().create_target_machine()
    library = builder.link(llvm.create_lljit_compiler(machine), "program")
    ctypes.CFUNCTYPE(None)(library["__cp_main"])()


def _kernel(module: PreparedModule, inputs: Iterator[int], names: list[str]) -> Iterator[tuple[str, Any]]:
    kinds = [site.kind for site in module.sites]
    blocks: dict[int, int] = {}
    libc = ctypes.CDLL(None)
    libc.calloc.restype = libc.aligned_alloc.restype = ctypes.c_void_p
    word, pointer, index, truth = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint8

    def value(site: int) -> int:
        return next(inputs, 0) if kinds[site] == "call" else 1

    def havoc(start: int, size: int, site: int) -> None:
        ctypes.memset(start, 1, size)

    def allocate(size: int, site: int) -> int:
        start = int(libc.calloc(1, ctypes.c_size_t(size + 16)))
        blocks[start] = size
        return start

    def local(size: int, alignment: int, site: int) -> int:
        return int(libc.aligned_alloc(max(16, alignment), ctypes.c_size_t((size + 31) & -16)))

    def free(start: int | None) -> None:
        if start is not None:
            blocks.pop(start, None)

    def object_size(address: int) -> int:
        return next((start + size - address for start, size in blocks.items() if start <= address), 0)

    def unless(code: int) -> Callable[[int], None]:
        return lambda holds: None if holds & 1 else os._exit(code)

    def stop(code: int) -> None:
        os._exit(code if code < 128 else ABORTED)

    known: dict[str, Any] = {
        "havoc": ctypes.CFUNCTYPE(None, pointer, word, index)(havoc),
        "assume": ctypes.CFUNCTYPE(None, truth)(unless(ASSUMED_AWAY)),
        "check": ctypes.CFUNCTYPE(None, truth, index)(lambda holds, _: unless(CHECK_FAILED)(holds)),
        "stop": ctypes.CFUNCTYPE(None, index)(stop),
        "unsupported": ctypes.CFUNCTYPE(None, index)(lambda _: os._exit(UNSUPPORTED)),
        "allocate": ctypes.CFUNCTYPE(pointer, word, index)(allocate),
        "allocate_zeroed": ctypes.CFUNCTYPE(pointer, word, index)(allocate),
        "local": ctypes.CFUNCTYPE(pointer, word, word, index)(local),
        "local_end": ctypes.CFUNCTYPE(None, pointer)(lambda _: None),
        "free": ctypes.CFUNCTYPE(None, pointer)(free),
        "whole": ctypes.CFUNCTYPE(pointer, pointer, word)(lambda address, _: address),
        "object_size": ctypes.CFUNCTYPE(word, pointer)(object_size),
        "check_access": ctypes.CFUNCTYPE(None, pointer, pointer, word, index)(lambda *_: None),
        "check_write": ctypes.CFUNCTYPE(None, pointer, pointer, word, index)(lambda *_: None),
        "check_apart": ctypes.CFUNCTYPE(None, pointer, pointer, word, index)(lambda *_: None),
        "check_free": ctypes.CFUNCTYPE(None, pointer, index)(lambda *_: None),
        "check_leak": ctypes.CFUNCTYPE(None, index)(lambda *_: None),
        "exposed": ctypes.CFUNCTYPE(None, pointer)(lambda _: None),
    }
    for name in names:
        short = name.removeprefix("__cp_")
        if short.startswith("nondet_"):
            yield (
                name,
                ctypes.CFUNCTYPE(_RESULTS.get(short.removeprefix("nondet_"), ctypes.c_uint64), index)(value),
            )
        else:
            yield name, known[short]
