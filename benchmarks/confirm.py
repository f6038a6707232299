"""Whether native runs agree with what programs say: `python benchmarks/confirm.py [--runs N] FILE|DIR...`.

Each program whose first line says `// TRUE` or `// FALSE(property)` is built by the host's compiler with the address
and undefined-behaviour sanitizers and run N times on random inputs, many of them small so that loops end. A safe one
must never fail; for an unsafe one it is told how many runs failed (none is no error: some inputs are not guessed).
Runs that a loop keeps going are ended after 0.03 s. Status 1 if a safe program failed.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from tasks import files_in, questions

HARNESS = Path(__file__).parent / "confirm_harness.c"
FLAGS = ("-g", "-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-sanitize=leak")
_REPORT = re.compile(r"failed (\d+) ended (\d+) stopped (\d+)")


@dataclass(frozen=True, slots=True)
class Runs:
    """How many runs failed, came to their end, and were stopped by the limit; `message` of the first failure."""

    failed: int
    ended: int
    stopped: int
    message: str = ""


def run(file: Path, data_model: str, runs: int, compiler: str = "cc") -> Runs:
    """Builds and runs the program. Raises UnusableInput if it does not compile."""
    own = re.search(r"void reach_error\(void\)\s*\{", file.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="confirm-") as folder:
        built = Path(folder) / "program"
        options = [*(["-m32"] if data_model == "ILP32" else []), *(["-DHAS_REACH_ERROR"] if own else [])]
        command = [compiler, *options, *FLAGS, f'-DPROGRAM="{file.resolve()}"', str(HARNESS), "-o", str(built)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise UnusableInput(f"{file}: not compiled: {done.stderr.strip()[-300:]}")
        done = subprocess.run(
            [built, str(runs)], capture_output=True, text=True, errors="replace",
            env=os.environ | {"ASAN_OPTIONS": "symbolize=0"}, preexec_fn=partial(_deep_recursion, data_model),
        )  # fmt: skip
    match = _REPORT.search(done.stdout)
    if match is None:
        raise UnusableInput(f"{file}: its runs said nothing: {done.stderr.strip()[-300:]}")
    found = re.search(r"runtime error: .*|ERROR: AddressSanitizer: .*|Assertion .*|reached", done.stderr)
    return Runs(int(match[1]), int(match[2]), int(match[3]), found[0][:100] if found else "")


def _deep_recursion(data_model: str) -> None:
    """The stack is large enough for what recursion takes until a run is stopped."""
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = 256 << 20 if data_model == "ILP32" else 4 << 30
    resource.setrlimit(resource.RLIMIT_STACK, (wanted if most == resource.RLIM_INFINITY else most, most))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|DIR")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--cc", default="cc")
    given = parser.parse_args()
    wrong = 0
    try:
        for file in files_in(given.paths):
            for one in questions(file):
                seen = run(file, one.data_model, given.runs, given.cc)
                wrong += bool(one.verdict and seen.failed)
                word = "WRONG" if one.verdict and seen.failed else "ok"
                counts = f"{seen.failed} failed, {seen.ended} ended, {seen.stopped} stopped"
                print(f"{word:5s} {one.verdict!s:5s} {one.definition:45s} {counts}  {seen.message}", flush=True)
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
