"""A prepared program as a native executable that replays inputs or searches for a violation.

    with build(prepared) as executable:
        run = executable.replay(inputs)
        for told in executable.search(seed=0, seconds=1.0): ...

The executable has no libc; its driver (runtime*.c) reads standard input, writes standard output and makes no
other file. It dies with its parent, has CPU-time limits of its own, and is killed at the wall-clock limit.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self
from weakref import finalize

from counterpoint.core.source import CheckSite
from counterpoint.execute.inputs import raw_pointers, shared_pointers
from counterpoint.execute.native import toolchain
from counterpoint.execute.native.instrument import Instrumented, NotNative, instrument
from counterpoint.execute.native.process import NO_LIMIT, Process, ProcessLimits
from counterpoint.execute.native.protocol import (
    COUNTED,
    NativeRun,
    Outcome,
    SearchEnd,
    SearchState,
    decode,
    encode,
    in_one,
)
from counterpoint.execute.native.trials import Trials
from counterpoint.frontend.prepare import PreparedModule
from counterpoint.program.inputs import Input

__all__ = [
    "NO_LIMIT", "Executable", "NativeRun", "NotNative", "Outcome", "SearchEnd", "SearchState", "build", "build_text",
    "replay_together",
]  # fmt: skip

LONG_TEXT = 400_000  # characters of instrumented IR

HANDING_OVER = 3.0
"""Seconds more for a search that has found a violation: to shrink it, and to say its inputs, which may be many."""


def build(module: PreparedModule, lean: bool = False) -> Executable:
    """The executable of a prepared module; `lean`: for replays only, several times as fast. Raises NotNative."""
    pointers = dict.fromkeys(shared_pointers(module.sites), "shared")
    pointers |= dict.fromkeys(raw_pointers(module.sites, module.checks), "any")
    return build_text(module.text, module.checks, lean, pointers)


def build_text(
    text: str, checks: tuple[CheckSite, ...] = (), lean: bool = False, pointers: Mapping[int, str] | None = None
) -> Executable:
    """The executable of IR text with the kernel's calls (docs/kernel-calls.md); `pointers` as in `instrument`. Raises
    NotNative."""
    toolchain.check_host()
    instrumented = instrument(text, checks, lean, pointers)
    runtime = toolchain.runtime(instrumented.pointer_bits)
    try:
        with tempfile.TemporaryDirectory(prefix="counterpoint-") as name:
            directory = Path(name)
            compile_text(instrumented, directory)
            emulation = toolchain.emulation(instrumented.pointer_bits)
            arguments = ["ld.lld", "-m", emulation, "-static", "-o", "program", "program.o", str(runtime)]
            toolchain.call(arguments, directory, "linking the program")
            return Executable(os.open(directory / "program", os.O_RDONLY), instrumented.pointer_bits, lean)
    except OSError as error:
        raise NotNative(f"the executable cannot be written: {error}") from None


def compile_text(instrumented: Instrumented, directory: Path) -> None:
    """Code generation alone: no pass sees the program, so nothing is optimised on assumptions.

    In a process of its own, where an internal error of LLVM is only a failure. Register allocation is
    superlinear in a function's length, so long texts get the fast one.
    """
    (directory / "program.ll").write_text(instrumented.text, encoding="utf-8", errors="surrogateescape")
    level = "-O1" if len(instrumented.text) < LONG_TEXT else "-O0"
    flags = ["-march=x86-64-v2", "-fno-pic", "-Wno-everything", "-Xclang", "-disable-llvm-passes", "-x", "ir"]
    target = f"--target={toolchain.target(instrumented.pointer_bits)}"
    toolchain.call(["clang", target, level, *flags, "-c", "program.ll"], directory, "compiling the program")


class Executable:
    """A native build of one program: an open file without a name, so that nothing is left behind whatever
    happens to this process. `close()`, leaving a `with`, or collection frees it.

    A `lean` one counts no steps: its replays have no step limit, and it cannot search. A run that violates a check
    of `assumed` ends as an assumption that does not hold.
    """

    def __init__(
        self, file: int, pointer_bits: int, lean: bool = False, assumed: frozenset[int] = frozenset()
    ) -> None:
        self.file = file
        self.pointer_bits = pointer_bits
        self.lean = lean
        self.assumed = _digits(assumed)
        self._close = finalize(self, os.close, file)

    def assuming(self, checks: frozenset[int]) -> Executable:
        """The same program, of which only the other checks count."""
        return Executable(os.dup(self.file), self.pointer_bits, self.lean, checks)

    def close(self) -> None:
        self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def replay(self, inputs: tuple[Input, ...], *, steps: int = NO_LIMIT, seconds: float = 60.0) -> NativeRun:
        """One run with these inputs, read by site; sites that run out give zeros (`invented`).

        Ends as STEPS after `steps` block entries, as TIME after `seconds`, pauses left out. Raises NotNative if the
        process cannot be started or breaks.
        """
        assert steps == NO_LIMIT or not self.lean, "a lean build counts no steps"
        limits = ProcessLimits("replay", seconds=seconds, steps=steps, assumed=self.assumed)
        with Process(self.file, limits, encode(inputs)) as process:
            return self._ended(process)

    def _ended(self, process: Process) -> NativeRun:
        lines = list(process.lines())
        process.end()
        if process.late:
            return NativeRun(Outcome.TIME, 0, (), None)
        if not lines or lines[-1] != "end" or not lines[0].startswith("outcome "):
            raise NotNative(process.complaint(lines))
        _, name, detail, steps_taken, invented = lines[0].split(" ")
        taken = decode(lines[1:-1], self.pointer_bits)
        counted = None if self.lean else int(steps_taken)
        return NativeRun(Outcome(name), int(detail), taken, counted, int(invented))

    def trials(self, seconds: float) -> Trials:
        """Many replays in one process, as long as `seconds` at most. Raises NotNative."""
        assert not self.lean, "a lean build counts no steps"
        limits = ProcessLimits("trials", seconds=seconds, assumed=self.assumed)
        return Trials(Process(self.file, limits), self.pointer_bits)

    def search(
        self,
        *,
        seed: int = 0,
        seconds: float = 1.0,
        runs: int = NO_LIMIT,
        steps: int = NO_LIMIT,
        start: tuple[Input, ...] = (),
        told: int = 0,
        total: int = NO_LIMIT,
        dull: int = NO_LIMIT,
        onward: int = 0,
        also: Sequence[tuple[Input, ...]] = (),
    ) -> Generator[SearchState | SearchEnd, None, None]:
        """Runs with generated inputs until one is a violation or `seconds`, `runs` or `total` steps are used up, or
        `dull` runs in succession covered nothing new.

        Yields states now and then and one SearchEnd at last. The inputs tried depend on `seed` and `start`
        (inputs to begin with and to vary, as those of `also`) alone; time only ends the search. `steps` limits each
        run; `told` is how many of the inputs that it kept the end is to say. The first `onward` checks that runs
        violate are left out from then on, and the inputs of these runs are told before the others. Closing the
        generator kills the process. Raises NotNative.
        """
        assert not self.lean, "a lean build has no coverage to be guided by"
        limits = ProcessLimits("search", seed, seconds, runs, steps, told, total, dull, onward, self.assumed)
        last = SearchState()
        lines: list[str] = []
        with Process(self.file, limits, encode(in_one((start, *also)))) as process:
            for line in process.lines():
                word, _, rest = line.partition(" ")
                if word == "state":
                    last = _state(rest)
                    yield last
                    continue
                if word == "found":
                    process.put_off(HANDING_OVER)
                lines.append(line)
        if process.late:
            yield SearchEnd(last)
            return
        if not lines or lines[-1] != "end":
            raise NotNative(process.complaint(lines))
        yield self._end(lines)

    def _end(self, lines: list[str]) -> SearchEnd:
        word, _, rest = lines[0].partition(" ")
        state = _state(rest)
        if word == "found":
            _, check, steps = lines[1].split(" ")
            inputs = decode(lines[2:-1], self.pointer_bits)
            return SearchEnd(state, NativeRun(Outcome.VIOLATED, int(check), inputs, int(steps)))
        numbers = [int(number) for number in lines[1].split(" ")[1:]]
        counts = dict(zip(COUNTED, numbers, strict=False))
        site = numbers[len(COUNTED)] - 1 if numbers[len(COUNTED)] else None
        return SearchEnd(state, None, word == "alone", counts, site, tuple(self._kept(lines[2:-1])), word == "dull")

    def _kept(self, lines: list[str]) -> Iterator[tuple[Input, ...]]:
        starts = [number for number, line in enumerate(lines) if line == "kept"]
        for start, end in pairwise([*starts, len(lines)]):
            yield decode(lines[start + 1 : end], self.pointer_bits)


def replay_together(
    executables: Sequence[Executable], inputs: tuple[Input, ...], *, seconds: float
) -> tuple[NativeRun, ...]:
    """`replay` of the same inputs on several executables at the same time, in a process each."""
    given = encode(inputs)
    with ExitStack() as stack:
        processes: list[Process] = []
        for executable in executables:
            limits = ProcessLimits("replay", seconds=seconds, assumed=executable.assumed)
            processes.append(stack.enter_context(Process(executable.file, limits, given)))
        for process in processes:
            process.feed()
        return tuple(e._ended(process) for e, process in zip(executables, processes, strict=True))


def _digits(checks: frozenset[int]) -> str:
    """Bit i of hexadecimal digit d stands for check 4 * d + i."""
    digits = [0] * (max(checks, default=-1) // 4 + 1)
    for check in checks:
        digits[check // 4] |= 1 << check % 4
    return "".join(f"{digit:x}" for digit in digits)


def _state(numbers: str) -> SearchState:
    return SearchState(*(int(number) for number in numbers.split(" ")))
