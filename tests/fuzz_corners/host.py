"""What gcc and clang make of a program under their sanitizers."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fuzz_corners.kit import MEMORY, OVERFLOW
from fuzz_corners.programs import Case

COMPILERS = {"gcc": ("gcc",), "clang": ("clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14")}
LEVELS = ("-O0", "-O2")
BUILDS = tuple((compiler, level) for compiler in COMPILERS for level in LEVELS)
SECONDS = 20

_COMMON = (
    "-std=gnu11", "-w", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks", "-ffp-contract=off", "-g1",
    "-fno-sanitize-recover=all", "-fno-omit-frame-pointer",
)  # fmt: skip
_UNDEFINED = "shift-exponent,integer-divide-by-zero,float-cast-overflow,vla-bound,return,unreachable"
_SANITIZERS = {OVERFLOW: f"{_UNDEFINED},shift,signed-integer-overflow", MEMORY: f"{_UNDEFINED},pointer-overflow"}
_ASAN = "detect_stack_use_after_return=1:allocator_may_return_null=1:max_allocation_size_mb=64:handle_abort=0:detect_leaks={leaks}"


@dataclass(frozen=True, slots=True)
class Run:
    """How a run ended: "clean", "error", "assumption", "address", "leak", "undefined", "endless", or what else is odd."""

    build: str
    end: str
    detail: str = ""


@cache
def path_of(compiler: str) -> str | None:
    """The compiler's program, if it is here."""
    return next((found for name in COMPILERS[compiler] if (found := shutil.which(name))), None)


@cache
def _driver(compiler: str, machine: str) -> Path | None:
    """The compiled driver; None where the compiler or its 32-bit libraries are missing."""
    program = path_of(compiler)
    if program is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="fuzz-corners-host-"))
    made = folder / "host.o"
    source = str(Path(__file__).with_name("host.c"))
    commands = (
        [program, machine, "-O1", "-w", "-c", source, "-o", str(made)],
        [program, machine, "-fsanitize=address,undefined", "-x", "c", "-", "-o", str(folder / "trial")],
    )
    for command in commands:
        done = subprocess.run(command, input="int main(void){return 0;}", capture_output=True, text=True, check=False)
        if done.returncode:
            return None
    return made


def available(case: Case) -> list[tuple[str, str]]:
    """The builds that this machine can make of the program."""
    return [(c, level) for c, level in BUILDS if c in case.compilers and _driver(c, _machine(case)) is not None]


def _machine(case: Case) -> str:
    return "-m64" if case.model == "LP64" else "-m32"


def runs(case: Case, build: tuple[str, str], vectors: list[tuple[int, ...]]) -> list[Run]:
    """Compiles the program and runs it with each vector of inputs."""
    compiler, level = build
    name = f"{compiler} {level}"
    driver, program = _driver(compiler, _machine(case)), path_of(compiler)
    assert driver is not None
    assert program is not None
    with tempfile.TemporaryDirectory(prefix="fuzz-corners-") as folder:
        source, made = Path(folder) / "program.c", Path(folder) / "program"
        source.write_text(case.text)
        flags = [*_COMMON, f"-fsanitize=address,{_SANITIZERS.get(case.property, _UNDEFINED)}", _machine(case), level]
        if case.property != OVERFLOW:
            flags.append("-fwrapv")
        if case.model != "LP64":
            flags += ["-msse2", "-mfpmath=sse"]
        command = [program, *flags, str(source), str(driver), "-lm", "-o", str(made)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            return [Run(name, "does not compile", done.stderr[:600])]
        return [_run(name, made, folder, given, case) for given in vectors]


def _run(name: str, made: Path, folder: str, given: tuple[int, ...], case: Case) -> Run:
    leaks = int(case.property == MEMORY and (case.seen == "leak" or not case.violates) and case.clean)
    environment = {
        **os.environ, "CORNER_INPUTS": ",".join(map(str, given)), "ASAN_OPTIONS": _ASAN.format(leaks=leaks),
        "UBSAN_OPTIONS": "print_stacktrace=0:halt_on_error=1",
    }  # fmt: skip
    try:
        done = subprocess.run(
            [str(made)], env=environment, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        return Run(name, "endless")
    told = done.stderr.decode(errors="replace")
    detail = next((line for line in told.splitlines() if "ERROR:" in line or "runtime error" in line), told[:200])
    if done.returncode == 77:
        return Run(name, "error")
    if done.returncode == 78:
        return Run(name, "assumption")
    if "runtime error" in told:
        return Run(name, "undefined", detail)
    if "LeakSanitizer" in told:
        return Run(name, "leak", detail)
    if "AddressSanitizer" in told or done.returncode in (-11, -7):
        return Run(name, "address", detail)
    if done.returncode < 0:
        return Run(name, f"signal {-done.returncode}", detail)
    return Run(name, "clean")


def complaints(case: Case, builds: list[tuple[str, str]]) -> list[str]:
    """Where runs under sanitizers say otherwise than the program's maker."""
    found = []
    if case.violates:
        vectors = [case.inputs] if case.seen else []
    else:
        vectors = [case.inputs, (), *_others(case)]
    for build in builds if vectors else ():
        for given, done in zip(vectors, runs(case, build, vectors), strict=False):
            if not _agrees(case, build, done):
                found.append(f"{done.build}: {done.end} {done.detail} with inputs {list(given)}, expected {case.seen or 'clean'}")
    return found


def _agrees(case: Case, build: tuple[str, str], done: Run) -> bool:
    """Optimisers may remove an access or an operation whose result is not used, before the sanitizer looks."""
    if not case.violates:
        return done.end in ("clean", "assumption", "endless") or (not case.clean and done.end != "error")
    seen = case.seen.split("|")
    silent = "" in seen or ("error" not in seen and build[1] != "-O0")
    return done.end in seen or (silent and done.end == "clean")


def _others(case: Case) -> list[tuple[int, ...]]:
    """More inputs for a safe program: near those that it asks about, and any."""
    if not case.inputs:
        return []
    choose = random.Random(case.seed)
    near = tuple((given + choose.choice((-1, 0, 0, 1))) % (1 << 64) for given in case.inputs)
    anything = tuple(choose.choice((0, 1, choose.getrandbits(64), choose.getrandbits(5))) for _ in case.inputs)
    return [near, anything]
