"""gcc's torture tests as questions with a known answer: `make torture`.

    python tests/torture.py [--folder DIR] [--sample N] [--mutate] [--only NAME,...] [--json FILE] [--jobs 2]

gcc.c-torture/execute holds some 1,600 programs that abort if they are compiled wrongly. One counts if the tool's clang
compiles it and what that clang makes of it runs well on this machine; then abort cannot be reached, unless the program
hangs on what C leaves open. It is checked with `abort` as the error. TRUE is right, FALSE is to be looked at, UNKNOWN
is ranked by its reason; programs with `long double` are counted apart.

With --mutate one integer constant of each program is changed such that gcc's and clang's runs abort: TRUE is wrong.

FILE holds a line of JSON for each program, and lines that it has are not made again. Debian has the programs in its package
gcc-12-source; anything that holds a folder gcc.c-torture/execute, or is one, can be given.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path

import counterpoint
from counterpoint.core.errors import CounterpointError
from counterpoint.frontend.c.clang import flags, zig
from counterpoint.frontend.task import SourceTask

DEBIAN = Path("/usr/src/gcc-12")
INSIDE = "gcc.c-torture/execute"
HOW = "apt-get install gcc-12-source, or name the folder of another copy with --folder"
ERROR = ("abort=reach_error", "__builtin_abort=reach_error")
"""Macros that make the end of a failed test the error of the property."""

NATIVE = ("-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-delete-null-pointer-checks")
HOST = "x86_64-linux-gnu"
NATIVE_LISTS = "-U__builtin_va_arg"
"""The tool's macro for `va_arg` means nothing to a linker."""

ABORTED = -6
SECONDS = 5
"""For a native run."""

MUTATIONS = 12
"""Constants tried in one program."""


@dataclass(frozen=True, slots=True)
class Row:
    """What came of one program. `skipped` says why it is no question, else there is a `verdict` with its `detail`."""

    name: str
    skipped: str = ""
    verdict: str = ""
    detail: str = ""
    seconds: float = 0.0
    long_double: bool = False
    change: str = ""
    """A mutant's line, old and new constant."""


# ---------------------------------------------------------------- the programs


def torture_folder(given: Path | None, scratch: Path) -> Path:
    """The folder of the programs; Debian's archive is unpacked into `scratch`. Raises SystemExit if there is none."""
    if given is not None:
        for folder in (given, *sorted(given.glob(f"**/{INSIDE}"))):
            if any(folder.glob("*.c")):
                return folder
        raise SystemExit(f"{given}: has no {INSIDE}: {HOW}")
    unpacked = sorted(scratch.glob(f"**/{INSIDE}"))
    if unpacked:
        return unpacked[0]
    archives = sorted(DEBIAN.glob("gcc-*.tar.*"))
    if not archives:
        raise SystemExit(f"{DEBIAN}: no source of gcc: {HOW}")
    print(f"unpacking {archives[0]}", file=sys.stderr)
    with tarfile.open(archives[0]) as archive:
        members = [member for member in archive if f"/{INSIDE}" in member.name]
        archive.extractall(scratch, members, filter="data")
    return torture_folder(scratch, scratch)


def standard(text: str) -> str:
    """The language of a program: gcc's tests state it in a comment where it is not the newest."""
    if "-fgnu89-inline" in text or "-std=gnu89" in text or "-std=c89" in text:
        return "gnu89"
    return "gnu11"


# ---------------------------------------------------------------- native runs


def run(command: list[str], seconds: float, folder: Path) -> tuple[int | None, str]:
    """Exit status (negative: the signal) and what it said; None for what did not end in time."""
    try:
        done = subprocess.run(
            command, cwd=folder, timeout=seconds, capture_output=True, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired:
        return None, ""
    return done.returncode, (done.stderr + done.stdout[:1000]).decode("utf-8", "replace")


def ir_of(file: Path, std: str, folder: Path) -> str | None:
    """What the tool's clang makes of the program, under the tool's own options; None if it refuses it."""
    task = SourceTask((file,), defines=ERROR, std=std)
    status, _ = run([zig(), "cc", *flags(task), NATIVE_LISTS, "-S", "-emit-llvm", str(file), "-o", "out.ll"], 60, folder)
    return (folder / "out.ll").read_text("utf-8", "replace") if status == 0 else None


def native_status(compiler: str, file: Path, std: str, folder: Path) -> int | str:
    """Exit status of the program as that compiler makes it, clang with the tool's options, or why there is none."""
    command = ["gcc", f"-std={std}", "-O0", *NATIVE]
    if compiler == "clang":
        command = [zig(), "cc", *flags(SourceTask((file,), target=HOST, std=std)), NATIVE_LISTS, "-fno-sanitize=all"]
    status, said = run([*command, "-c", str(file), "-o", "out.o"], 60, folder)
    if status != 0:
        return f"{compiler} refuses it: {first_error(said)}"
    status, _ = run(["gcc", "-no-pie", "-w", "out.o", "-o", "a.out", "-lm"], 60, folder)
    if status != 0:
        return f"{compiler}'s does not link"
    status, _ = run(["./a.out"], SECONDS, folder)
    return status if status is not None else f"{compiler}'s does not end"


def first_error(said: str) -> str:
    found = re.search(r"error: (.*)", said)
    return found[1][:80] if found else "?"


def question(file: Path, folder: Path) -> Row:
    """The program as a row that is `skipped` or still has no verdict."""
    text = file.read_text("utf-8", "replace")
    std = standard(text)
    ir = ir_of(file, std, folder)
    if ir is None:
        return Row(file.name, skipped="clang refuses it")
    status = native_status("clang", file, std, folder)
    if status != 0:
        return Row(file.name, skipped=status if isinstance(status, str) else f"clang's ends with {status}")
    return Row(file.name, long_double="x86_fp80" in ir)


# ---------------------------------------------------------------- mutants

_TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*|[A-Za-z_]\w*"""
    r"""|(?:\d+\.\d*|\.\d+|\d+[eE])[\w.+-]*)|(?P<number>0[xX][0-9a-fA-F]+|\d+)(?P<suffix>[uUlL]*)(?![\w.])""",
    re.DOTALL | re.MULTILINE,
)


def mutants(text: str, seed: str) -> Iterator[tuple[str, str]]:
    """The text with one integer constant changed, and what was changed, in an order given by the seed."""
    places = [found for found in _TOKEN.finditer(text) if found["number"]]
    choose = random.Random(seed)
    choose.shuffle(places)
    for found in places[:MUTATIONS]:
        old = found["number"]
        value = int(old, 8) if re.fullmatch("0[0-7]+", old) else int(old, 0) if old.strip("0") else 0
        new = str(value + choose.choice((1, 1, 2, 7)) if value == 0 else choose.choice((value - 1, value + 1, value ^ 4)))
        line = text.count("\n", 0, found.start()) + 1
        yield text[: found.start("number")] + new + text[found.end("number") :], f"line {line}: {old} -> {new}"


def mutant_of(row: Row, file: Path, folder: Path) -> tuple[Row, Path | None]:
    """A mutant whose runs by gcc and clang abort, if one is found."""
    text = file.read_text("utf-8", "replace")
    std = standard(text)
    target = folder / file.name
    for changed, what in mutants(text, file.name):
        target.write_text(changed, "utf-8")
        if all(native_status(compiler, target, std, folder) == ABORTED for compiler in ("gcc", "clang")):
            return Row(row.name, long_double=row.long_double, change=what), target
    return Row(row.name, skipped="no mutant found"), None


# ---------------------------------------------------------------- the tool's answers


def warm() -> None:
    """Imports what a check imports."""
    for module in ("portfolio.run", "portfolio.worker", "execute.subject", "evidence.unrolling", "engines.bmc", "engines.random"):
        importlib.import_module(f"counterpoint.{module}")


def answered(row: Row, file: Path, seconds: float, prepare: str) -> Row:
    """The row with the tool's answer to the question; an internal error is the verdict ERROR."""
    std = standard(file.read_text("utf-8", "replace"))
    began = time.monotonic()
    try:
        result = counterpoint.check(file, timeout=seconds, jobs=1, defines=ERROR, std=std, prepare=prepare)
    except CounterpointError as error:
        verdict, detail = "REFUSED", str(error)
    except Exception as error:
        verdict, detail = "ERROR(traceback)", repr(error)
    else:
        detail = result.detail
        if result.counterexample is not None:
            detail = "; ".join(result.counterexample.notes)
        verdict = "ERROR(crash report)" if result.crash_reports else result.verdict
    detail = detail.replace(f"{file.parent}/", "")
    return replace(row, verdict=verdict, detail=detail, seconds=round(time.monotonic() - began, 1))


def examine(file: Path, mutate: bool, seconds: float, prepare: str, until: float) -> Row | None:
    """The row of a program; None when the time is over."""
    if time.time() > until:
        return None
    here = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="torture-") as name:
        folder = Path(name)
        os.chdir(folder)  # crash reports go there
        try:
            row = question(file, folder)
            if mutate and not row.skipped:
                row, target = mutant_of(row, file, folder)
                file = target or file
            return row if row.skipped else answered(row, file, seconds, prepare)
        finally:
            os.chdir(here)


# ---------------------------------------------------------------- tables


def reason_of(row: Row) -> str:
    """The class of an answer: the verdict, with the construct if there is one, without places and numbers."""
    if row.verdict == "TRUE":
        return row.verdict
    detail = re.sub(r"\S+\.[ch]:\d+(:\d+)?:? ?", "", row.detail)
    detail = re.sub(r"\d+(\.\d+)?", "N", detail)
    return f"{row.verdict} {detail[:100]}".strip()


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Counts by verdict and reason, the most frequent first, with some names."""
    rows = list(rows)
    asked = [row for row in rows if not row.skipped]
    yield f"{len(rows)} programs, {len(asked)} are questions"
    for title, group in (
        ("without long double", [row for row in asked if not row.long_double]),
        ("with long double", [row for row in asked if row.long_double]),
    ):
        if not group:
            continue
        counts = collections.Counter(row.verdict for row in group)
        yield f"\n{title}: {len(group)}"
        for verdict, count in counts.most_common():
            yield f"  {count:5}  {100 * count / len(group):5.1f}%  {verdict}"
        yield from _named((reason_of(row), row.name) for row in group if row.verdict != "TRUE")
    yield "\nno questions:"
    yield from _named((row.skipped, row.name) for row in rows if row.skipped)


def _named(pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    names: dict[str, list[str]] = {}
    for reason, name in pairs:
        names.setdefault(reason, []).append(name.removesuffix(".c"))
    for reason, found in sorted(names.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        more = " ..." if len(found) > 8 else ""
        yield f"  {len(found):5}  {reason}\n         {' '.join(sorted(found)[:8])}{more}"


# ---------------------------------------------------------------- the command


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--sample", type=int, help="that many programs, the same each time")
    parser.add_argument("--only", help="names, joined by commas")
    parser.add_argument("--mutate", action="store_true")
    parser.add_argument("--json", type=Path, help="rows, kept while running and gone on from")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=10.0)
    parser.add_argument("--prepare", choices=["default", "none"], default="default")
    parser.add_argument("--minutes", type=float, default=1e6, help="after which nothing new is begun")
    options = parser.parse_args()
    os.nice(10)
    folder = torture_folder(options.folder, Path(tempfile.gettempdir()) / "counterpoint-torture")
    files = sorted(folder.glob("*.c"))
    random.Random(1).shuffle(files)
    if options.only:
        wanted = set(options.only.split(","))
        files = [file for file in files if file.stem in wanted]
    files = files[: options.sample]
    rows: dict[str, Row] = {}
    if options.json is not None and options.json.is_file():
        rows = {row["name"]: Row(**row) for row in map(json.loads, options.json.read_text().splitlines())}
    left = [file for file in files if file.name not in rows]
    work = partial(
        examine, mutate=options.mutate, seconds=options.timeout, prepare=options.prepare,
        until=time.time() + 60 * options.minutes,
    )  # fmt: skip
    # The tool forks; what it imports is imported once, before.
    with ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork"), warm) as pool:
        for row in pool.map(work, left):
            if row is None:
                continue
            rows[row.name] = row
            if not row.skipped:
                print(f"{row.seconds:6.1f} s  {row.name:24} {reason_of(row)}  {row.change}", flush=True)
            if options.json is not None:
                with options.json.open("a") as log:
                    log.write(json.dumps(asdict(row)) + "\n")
    shown = [rows[file.name] for file in files if file.name in rows]
    print("\n".join(table(shown)))
    wrong = "TRUE" if options.mutate else "FALSE"
    return int(any(row.verdict.startswith((wrong, "ERROR")) for row in shown))


if __name__ == "__main__":
    sys.exit(main())
