"""What `infer` proves of libraries without a main: `python benchmarks/infer_libraries.py DIR [NAME...]`.

DIR is what fetch_libraries.py wrote. `counterpoint infer --any-caller` is run on all files of each library at once,
and a row says of how many functions something is proved that is not trivial: an `ensures`; or an `assigns` in which no
memory outside of the program is, as that may be anything. The contracts go to DIR/NAME.contracts.json, which
`--read` counts again without a run.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from counterpoint.contracts.contract import OUTSIDE
from counterpoint.contracts.declarations import declarations
from counterpoint.frontend.task import SourceTask


def run(entry: dict[str, Any], folder: Path, seconds: float, jobs: int, every: int) -> None:
    """Raises CalledProcessError."""
    chosen = [f"--function={name}" for name in names(entry, folder)[::every]] if every > 1 else []
    options = [f"-I{one}" for one in entry["includes"]] + [f"-D{one}" for one in entry["defines"]]
    command = [sys.executable, "-m", "counterpoint", "infer", *entry["files"], *options, *chosen]
    limits = ["--any-caller", "--as", "json", "--timeout", str(seconds), "--jobs", str(jobs)]
    done = subprocess.run([*command, *limits], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    (folder / f"{entry['name']}.contracts.json").write_text(done.stdout, encoding="utf-8")


def names(entry: dict[str, Any], folder: Path) -> list[str]:
    """The functions of its files, in the order of the text."""
    include = tuple(str(folder / one) for one in entry["includes"])
    files = tuple(folder / one for one in entry["files"])
    task = SourceTask(files=files, include=include, defines=tuple(entry["defines"]))
    declared = (declarations(task, file) for file in files)
    return [f.name for one in declared for f in one.functions.values() if f.file in ("", str(one.file))]


def row(name: str, found: dict[str, Any]) -> str:
    functions = found["functions"]
    ensured = [one for one in functions if any(clause["status"] == "proved" for clause in one["ensures"])]
    assigned = [one for one in functions if one["assigns"] is not None and one["assigns_status"] == "proved"]
    inside = [one for one in assigned if OUTSIDE not in one["assigns"]]
    telling = {(one["file"], one["name"]) for one in (*ensured, *inside)}
    clauses = sum(clause["status"] == "proved" for one in functions for clause in one["ensures"])
    return (
        f"{name}: {len(telling)} of {len(functions)} functions ({len(telling) / len(functions):.0%}); "
        f"ensures of {len(ensured)} ({clauses} clauses), assigns of {len(assigned)}, without memory outside of "
        f"{len(inside)}; {found['seconds']:.0f} s"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--timeout", type=float, default=600.0, metavar="SECONDS", help="of a library (%(default)s)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th function: a sample")
    parser.add_argument("--read", action="store_true", help="count what is there")
    given = parser.parse_args()
    for entry in json.loads((given.folder / "libraries.json").read_text(encoding="utf-8")):
        if given.names and entry["name"] not in given.names:
            continue
        if not given.read:
            run(entry, given.folder, given.timeout, given.jobs, given.every)
        file = given.folder / f"{entry['name']}.contracts.json"
        found = json.loads(file.read_text(encoding="utf-8"))
        print(row(entry["name"], found), flush=True)
        missing = Counter(one["missing"].partition(":")[0] for one in found["functions"] if one["missing"])
        print("".join(f"    {count} {why}\n" for why, count in missing.most_common(8)), end="", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
