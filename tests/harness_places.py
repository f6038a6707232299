"""Whether harnesses fail where the findings are: `python harness_places.py [--cc CC] 'ARGUMENTS' ['ARGUMENTS' ...]`.

Each word list is what `counterpoint check` takes (files, --property, ...). The finding's harness is compiled as its first
lines say, with CC for cc, and run; the place in the report of the sanitizer, or of the harness itself, is compared with
ours. One line for each: `same`, `other`, `leak` (a sanitizer tells where the block is from, we where it is lost),
`silent` with what the harness says about that, or `none` where there is no FALSE.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_FRAME = re.compile(r"^\s+#\d+ 0x[0-9a-f]+ in \S+ (\S+?):(\d+)")
_RUNTIME_ERROR = re.compile(r"^(\S+?):(\d+):\d+: runtime error: ", re.MULTILINE)
_ASSERTION = re.compile(r"^(\S+?):(\d+): .*violation reached: ", re.MULTILINE)
_CALL = re.compile(r"^the call is at: addr2line -fpe \./failing (0x[0-9a-f]+)$", re.MULTILINE)
_FOREIGN = ("libsanitizer", "compiler-rt", "harness.c", "csu/", "sysdeps/")


@dataclass(frozen=True)
class Comparison:
    """`answer` as in the module's docstring; places as `file:line`."""

    answer: str
    ours: str = ""
    theirs: str = ""
    said: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", default="cc")
    parser.add_argument("tasks", nargs="+", metavar="ARGUMENTS")
    given = parser.parse_args()
    answers: Counter[str] = Counter()
    for task in given.tasks:
        with tempfile.TemporaryDirectory() as folder:
            found = compare(shlex.split(task), Path(folder), given.cc)
        answers[found.answer] += 1
        print(f"{found.answer:6s} {found.ours:40s} {found.theirs:40s} {found.said}  [{task}]", flush=True)
    print(", ".join(f"{count} {answer}" for answer, count in sorted(answers.items())))
    return int(answers["other"] > 0)


def compare(arguments: list[str], folder: Path, compiler: str = "cc") -> Comparison:
    """Checks the program, writes the harness of what is found into the folder, builds and runs it."""
    result, source = folder / "result.json", folder / "harness.c"
    ours = [sys.executable, "-m", "counterpoint"]
    checked = subprocess.run([*ours, "check", "--no-cache", *arguments, "--json", result, "--quiet"], capture_output=True, text=True)
    if checked.returncode != 1:
        return Comparison("none", said=(checked.stdout + checked.stderr).strip()[-150:])
    repeated = _for_replay(arguments)
    again = subprocess.run([*ours, "replay", *repeated, result, "--harness", source], capture_output=True, text=True)
    if not source.exists():
        return Comparison("none", said=(again.stdout + again.stderr).strip()[-150:])
    violation = json.loads(result.read_text())["counterexample"]
    place = f"{Path(violation['at']['file']).name}:{violation['at']['line']}"
    head = source.read_text().partition("*/")[0]
    said = " ".join(line.strip(" */") for line in head.splitlines()[3:])
    report = build_and_run(source, folder, compiler)
    return judged(place, violation["kind"], report, said)


def judged(place: str, kind: str, report: str, said: str) -> Comparison:
    """What the report of the build says about the violation of that kind at `place`."""
    theirs = place_in(report)
    if theirs is None:
        return Comparison("silent", place, said=said or report[-200:])
    if kind in ("valid-memtrack", "valid-memcleanup"):
        return Comparison("leak" if "LeakSanitizer" in report else "other", place, theirs)
    return Comparison("same" if theirs == place else "other", place, theirs, said)


def place_in(report: str) -> str | None:
    """The first place in the user's files that the report names."""
    for expression in (_RUNTIME_ERROR, _ASSERTION):
        if found := expression.search(report):
            return f"{Path(found[1]).name}:{found[2]}"
    for line in report.splitlines():
        frame = _FRAME.match(line)
        if frame and not any(part in frame[1] for part in _FOREIGN):
            return f"{Path(frame[1]).name}:{frame[2]}"
    return None


def build_and_run(source: Path, folder: Path, compiler: str = "cc") -> str:
    """What the build prints that the harness's first lines ask for; user's files are found from the current directory."""
    command = next(line for line in source.read_text().splitlines() if " cc " in line).strip(" *")
    words = shlex.split(command.partition(" && ")[0])
    words = [compiler, *(str(source) if word == "harness.c" else word for word in words[1:])]
    words[words.index("-o") + 1] = str(folder / "failing")
    built = subprocess.run(words, capture_output=True, text=True)
    if built.returncode != 0:
        return f"not compiled: {built.stderr[-300:]}"
    try:
        done = subprocess.run(
            [folder / "failing"], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=60
        )
    except subprocess.TimeoutExpired:
        return "the build does not end"
    report = done.stdout + done.stderr
    if call := _CALL.search(report):
        where = subprocess.run(["addr2line", "-e", folder / "failing", call[1]], capture_output=True, text=True)
        report = f"{where.stdout.split(' ')[0].strip()}: violation reached: \n{report}"
    return report


def _for_replay(arguments: list[str]) -> list[str]:
    """Without the options that `replay` does not take, which stand as `--name value` here."""
    only_check = ("--engine", "--jobs", "--seed")
    kept: list[str] = []
    for word in arguments:
        if kept and kept[-1] in only_check:
            kept.pop()
        else:
            kept.append(word)
    return [word for word in kept if word not in ("--no-shrink", "--verbose")]


if __name__ == "__main__":
    sys.exit(main())
