"""Which tasks each method is needed for: those whose answer rests on it are asked again with it left out.

    counterpoint bench SET --json BASE.json [OPTIONS]
    python benchmarks/methods.py BASE.json SET --out DIR [--timeout 20] [--methods affine,ice] [--least 1]

A method is an engine, where it had the answer, and a source of candidates, where a fact that it was the first to say is
in houdini's proof. It is left out by `--engine auto,-ENGINE` or `-O houdini.without=SOURCE`, all else being equal. What
was asked before and is in DIR is not asked again. The table: in how many answers a method had a part, how many of these
tasks are undecided without it, which, and how many times as long the others take (median).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

NO_METHODS = frozenset({"other_engines", "others"})
PREFIX = "facts_of_"

Row = dict[str, Any]


def main() -> int:
    """0; what `counterpoint bench` said of a wrong answer or an error is passed on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("set", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--timeout", default="20")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--methods", default="", help="only these, with commas between")
    parser.add_argument("--least", type=int, default=1, help="tasks that a method must have a part in")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    base = {row["task"]: row for row in json.loads(given.base.read_text())["rows"]}
    places = {_task(line): line for line in given.set.read_text().split() if not line.startswith("#")}
    wanted = frozenset(filter(None, given.methods.split(",")))
    status = 0
    print("| method | answers with a part of it | undecided without | which | time of the others |")
    print("|---|---|---|---|---|", flush=True)
    for (kind, name), tasks in sorted(_parts(base).items()):
        asked = [task for task in tasks if task in places]
        if len(asked) < given.least or (wanted and name not in wanted):
            continue
        without = ["--engine", f"auto,-{name}"] if kind == "engine" else ["-O", f"houdini.without={name}"]
        paths = [str((given.set.parent / places[task]).resolve()) for task in asked]
        out = given.out / f"{kind}-{name}.json"
        more = ["--timeout", given.timeout, "--jobs", given.jobs, "--check-jobs", "1", "--json", str(out), "--resume"]
        command = [sys.executable, "-m", "counterpoint", "bench", *paths, "--property", "unreach-call", *without, *more]
        status = max(status, subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode)
        rows = {row["task"]: row for row in json.loads(out.read_text())["rows"]}
        print(_line(name if kind == "source" else f"`{name}` (engine)", asked, base, rows), flush=True)
    return status


def _task(path: str) -> str:
    """FAMILY/NAME, as rows have it."""
    place = Path(path)
    return f"{place.parent.name}/{place.stem}"


def _parts(base: dict[str, Row]) -> dict[tuple[str, str], list[str]]:
    """By method, which is an engine or a source: the tasks that it had a part in."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for task, row in base.items():
        if row["kind"] != "correct":
            continue
        engine = row["engine"]
        found["engine", engine].append(task)
        for counter in row["statistics"].get(engine, {}):
            name = counter.removeprefix(PREFIX)
            if name != counter and name not in NO_METHODS:
                found["source", name].append(task)
    return found


def _line(name: str, asked: list[str], base: dict[str, Row], rows: dict[str, Row]) -> str:
    """The method's line of the table."""
    lost = [task for task in asked if task in rows and rows[task]["kind"] != "correct"]
    ratios = [rows[task]["seconds"] / base[task]["seconds"] for task in asked if task in rows and task not in lost]
    ratio = f"{statistics.median(ratios):.2f}" if ratios else ""
    return f"| {name} | {len(asked)} | {len(lost)} | {', '.join(task.split('/')[1] for task in lost)} | {ratio} |"


if __name__ == "__main__":
    sys.exit(main())
