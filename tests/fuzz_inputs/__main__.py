"""python -m fuzz_inputs --inputs 100000: so many odd inputs by their seeds; prints what went wrong, with the seed."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from counterpoint.core.errors import CounterpointError
from counterpoint.core.printable import shown
from counterpoint.portfolio import recheck as again_module
from counterpoint.portfolio import run as run_module
from counterpoint.portfolio import suite_run
from fuzz_inputs.doors import DOORS, refuse_to_work
from fuzz_inputs.whole import Sandbox

SLOW = 20.0  # seconds, on a busy machine
CHUNK = 1000


@contextlib.contextmanager
def no_work():  # type: ignore[no-untyped-def]
    """Checks end where work would begin."""
    names = [(run_module, "run"), (again_module, "run"), (suite_run, "make_suite")]
    kept = [(module, name, getattr(module, name)) for module, name in names]
    for module, name, _ in kept:
        setattr(module, name, refuse_to_work)
    try:
        yield
    finally:
        for module, name, function in kept:
            setattr(module, name, function)


def attempt(seed: int, folder: Path) -> tuple[str, str, str]:
    """One input: the door, how it ended, and what is wrong ("" if nothing)."""
    choose = random.Random(seed)
    names = list(DOORS)
    (name,) = choose.choices(names, [DOORS[name][1] for name in names])
    said = io.StringIO()
    started = time.monotonic()
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            DOORS[name][0](choose, folder)
        ended = "taken"
    except CounterpointError as error:
        ended, message = "refused", shown(str(error))
        if not message.strip() or "\n" in message or error.__class__.__name__ == "InternalError":
            return name, ended, f"says {error!r}"
    except BaseException:
        return name, "raised", traceback.format_exc()
    spent = time.monotonic() - started
    wrong = f"took {spent:.1f} s" if spent > SLOW else "a traceback on stderr" if "Traceback" in said.getvalue() else ""
    return name, ended, wrong


def in_process(first: int, count: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """Inputs `first`, `first + 1`, ...: how they ended, and what went wrong."""
    counted: Counter[str] = Counter()
    found: list[str] = []
    here = Path.cwd()
    with no_work():
        for seed in range(first, first + count):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            os.chdir(folder)
            name, ended, wrong = attempt(seed, folder)
            counted[f"{name} {ended}"] += 1
            crashes = list(folder.glob("counterpoint-crash-*"))
            ran = (folder / "ran").exists()
            if wrong or crashes or ran:
                text = crashes[0].read_text() if crashes else "a command of the input ran" if ran else ""
                found.append(f"seed {seed}, {name}: {wrong} {text}")
    os.chdir(here)
    return counted, found


def whole(first: int, count: int, folder: Path) -> list[str]:
    """As many runs of the command itself; what went wrong."""
    sandbox = Sandbox(folder / "box")
    found = []
    for seed in range(first, first + count):
        copy = folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        wrong = sandbox.attempt(random.Random(seed), copy)
        found += [f"whole, seed {seed}: {wrong}"] if wrong else []
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--whole", type=int, help="runs of the command itself; default: one for 200 inputs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzz-inputs-") as name:
        started = time.monotonic()
        counted: Counter[str] = Counter()
        found: list[str] = []
        for first in range(arguments.first, arguments.first + arguments.inputs, CHUNK):
            count = min(CHUNK, arguments.first + arguments.inputs - first)
            more_counted, more_found = in_process(first, count, Path(name, "doors"))
            counted.update(more_counted)
            found += more_found
            print(*more_found, f"up to seed {first + count}: {len(found)} wrong", sep="\n", flush=True)
        print(*(f"{key} {value}" for key, value in sorted(counted.items())), sep="\n")
        runs = arguments.whole if arguments.whole is not None else arguments.inputs // 200
        more = whole(arguments.first, runs, Path(name))
        for line in more:
            print(line, flush=True)
        print(f"{arguments.inputs} inputs, {runs} runs, {len(found) + len(more)} wrong, {time.monotonic() - started:.0f} s")
    return 1 if found or more else 0


if __name__ == "__main__":
    sys.exit(main())
