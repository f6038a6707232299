"""Checks whole public CMake projects, with no flag but -p: `python benchmarks/check_projects.py --out DIR [NAME...]`.

They are Debian source packages, as fetch_libraries.py gets them, libraries with their tests; CMake writes the database.
Each is checked twice, and then once more after a function of one file was touched. For each run a line: programs by
verdict, seconds, and what is wrong: a program that the database has and the table has not, or a traceback. Status 1 if
anything is. `DIR/NAME.sarif` and `.xml` are reports of the first run, `.json` is that of the last.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from fetch_libraries import downloaded, unpack


@dataclass(frozen=True, slots=True)
class Project:
    """A source package, what CMake is told of it, and a file of it that some programs depend on."""

    package: str
    options: tuple[str, ...]
    touched: str


PROJECTS = (
    Project("jansson", ("-DJANSSON_BUILD_DOCS=OFF",), "src/version.c"),
    Project("cjson", ("-DENABLE_CJSON_UTILS=ON", "-DENABLE_CJSON_TEST=ON"), "cJSON_Utils.c"),
)
_MAIN = re.compile(r"^(?:CJSON_CDECL )?(?:int|void)\s+(?:CJSON_CDECL\s+)?main\s*\(", re.MULTILINE)


def build(project: Project, out: Path) -> Path:
    """Fetches the project and has CMake write its database; its folder. Raises UnusableInput."""
    folder = out / project.package
    shutil.rmtree(folder, ignore_errors=True)
    unpack(downloaded(project.package, out), folder)
    command = ["cmake", "-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *project.options]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise UnusableInput(f"{project.package}: cmake: {done.stderr.strip()[-200:]}")
    return folder


def programs(folder: Path) -> set[str]:
    """The database's files with a main, by their text."""
    entries = json.loads((folder / "build" / "compile_commands.json").read_text())
    files = {Path(entry["file"]).resolve() for entry in entries}
    return {str(file.relative_to(folder)) for file in files if _MAIN.search(file.read_text(errors="replace"))}


def run(folder: Path, what: str, words: list[str]) -> list[str]:
    """One check; prints its line. What is wrong."""
    report = folder.parent / f"{folder.name}.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "counterpoint", "check", "-p", "build", *words, "--json", str(report)]
    began = time.monotonic()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    seconds = time.monotonic() - began
    rows = json.loads(report.read_text())["programs"] if report.is_file() else []
    missing = programs(folder) - {row["name"] for row in rows}
    wrong = [f"no row for {name}" for name in sorted(missing)]
    wrong += ["a traceback"] * ("Traceback" in done.stdout + done.stderr)
    wrong += [f"status {done.returncode}: {done.stderr.strip()[-200:]}"] * (done.returncode not in (0, 1, 3))
    counts = Counter(row["verdict"].partition("(")[0] for row in rows)
    listed = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
    again = [line for line in done.stdout.splitlines() if line.startswith("RE-USED")]
    said = f"{folder.name:8} {what:8} {len(rows)} programs: {listed}; {seconds:.1f} s"
    print(said, *again, *wrong, sep="; ", flush=True)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=" or ".join(one.package for one in PROJECTS))
    parser.add_argument("--out", type=Path, required=True, help="The folder for all of it.")
    parser.add_argument("--options", default="", help="Of check, in one word: '--timeout 20 --jobs 2'.")
    given = parser.parse_args()
    out = given.out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    usual = [*shlex.split(given.options), f"--cache={out / 'results'}"]
    wrong: list[str] = []
    try:
        for project in PROJECTS:
            if given.names and project.package not in given.names:
                continue
            folder = build(project, out)
            reports = {"--sarif": f"{project.package}.sarif", "--junit": f"{project.package}.xml"}
            first = [word for option, name in reports.items() for word in (option, str(out / name))]
            wrong += run(folder, "first", [*usual, *first])
            wrong += run(folder, "second", usual)
            touched = folder / project.touched
            touched.write_text(touched.read_text(errors="replace") + "\nint touched(void) { return 1; }\n")
            wrong += run(folder, "touched", usual)
    except (UnusableInput, FileNotFoundError) as error:
        print(f"check_projects: {error}", file=sys.stderr)
        return 2
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
