"""The columns of figure 3 of "Modular Bug Detection with Inertial Refinement" for public code.

    python benchmarks/figure3.py --sources DIR fetch          # Debian's source packages, by name (deb-src is needed)
    python benchmarks/figure3.py --sources DIR run [--seconds 30] [--rows cjson,md4c] [--strategies ir,dcr+]
    python benchmarks/figure3.py --tasks BENCH/a.yml ... run  # tasks instead

A row is a program and a checker: D (invalid accesses), O (overflow), or R (calls of reach_error) for tasks. Each run is
a process of its own with so many seconds of computing; columns are lines of code, error conditions at the program's
entry, and for each strategy regions entered, seconds (TO: the time was not enough), conditions excluded and checks that
are violated. All conditions are looked at, but for those of checks that were found violated.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget
from counterpoint.engines import task
from counterpoint.engines.inertial import search_of
from counterpoint.engines.inertial.strategies import NAMES
from counterpoint.engines.protocol import Tools
from counterpoint.execute.subject import Subject, compile_subject
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.task_definition import read_task_definition

CHECKERS = {
    "D": ("memory-safety", "valid-deref"),
    "O": ("no-overflow", "overflow"),
    "R": ("unreach-call", "unreach-call"),
}

_BYTES = """extern char __VERIFIER_nondet_char(void);
static void fill(char *p, int n) { for (int i = 0; i < n; i++) p[i] = __VERIFIER_nondet_char(); }
"""

CJSON = """#include "cJSON.h"
int main(void) {
    char t[8];
    fill(t, 7);
    t[7] = 0;
    cJSON_Delete(cJSON_Parse(t));
    return 0;
}
"""

MD4C = """#include "md4c.h"
static int block(MD_BLOCKTYPE t, void *d, void *u) { return 0; }
static int span(MD_SPANTYPE t, void *d, void *u) { return 0; }
static int text(MD_TEXTTYPE t, const MD_CHAR *c, MD_SIZE n, void *u) { return 0; }
int main(void) {
    char t[8];
    fill(t, 8);
    MD_PARSER p = { 0, 0, block, block, span, span, text, 0, 0 };
    return md_parse(t, 8, &p, 0);
}
"""

LIBYAML = """#include "yaml.h"
int main(void) {
    char t[6];
    fill(t, 6);
    yaml_parser_t p;
    yaml_event_t e;
    if (!yaml_parser_initialize(&p)) return 1;
    yaml_parser_set_input_string(&p, (unsigned char *)t, 6);
    if (yaml_parser_parse(&p, &e)) yaml_event_delete(&e);
    yaml_parser_delete(&p);
    return 0;
}
"""

BZIP2 = """#include "bzlib.h"
void bz_internal_error(int e) {}
int main(void) {
    char t[32], o[64];
    unsigned n = 64;
    fill(t, 32);
    return BZ2_bzBuffToBuffDecompress(o, &n, t, 32, 0, 0);
}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """Files of a package's folder, or of a task; `harness` is a main for code that has none."""

    name: str
    package: str
    files: tuple[str, ...]
    includes: tuple[str, ...] = (".",)
    defines: tuple[str, ...] = ()
    harness: str = ""
    checkers: str = "DO"
    data_model: str = "LP64"


_YAML = ('YAML_VERSION_STRING="0"', "YAML_VERSION_MAJOR=0", "YAML_VERSION_MINOR=2", "YAML_VERSION_PATCH=5")
_BZIP2 = ("bzlib", "blocksort", "huffman", "crctable", "randtable", "compress", "decompress")
_ED = ("buffer", "carg_parser", "global", "io", "main", "main_loop", "regex", "signal")
_JHEAD = ("jhead", "exif", "gpsinfo", "iptc", "jpgfile", "jpgqguess", "makernote", "paths")

ROWS = (
    Row("cjson", "cjson", ("cJSON.c",), harness=CJSON),
    Row("md4c", "md4c", ("src/md4c.c",), ("src",), harness=MD4C),
    Row("libyaml", "libyaml", tuple(f"src/{n}.c" for n in ("api", "reader", "scanner", "parser")), ("include", "src"),
        _YAML, LIBYAML),
    Row("bzip2", "bzip2", tuple(f"{name}.c" for name in _BZIP2), defines=("BZ_NO_STDIO",), harness=BZIP2),
    Row("ed", "ed", tuple(f"{name}.c" for name in _ED), defines=('PROGVERSION="1"',)),
    Row("jhead", "jhead", tuple(f"{name}.c" for name in _JHEAD)),
)  # fmt: skip


# ---------------------------------------------------------------- sources


def fetch(sources: Path) -> None:
    """The packages' original archives, unpacked into folders of their names."""
    sources.mkdir(parents=True, exist_ok=True)
    for package in dict.fromkeys(row.package for row in ROWS):
        if (sources / package).is_dir():
            continue
        command = ["apt-get", "source", "--download-only", "-qq", package]
        done = subprocess.run(command, cwd=sources, capture_output=True, text=True, check=False)
        archives = [a for a in sorted(sources.glob(f"{package}_*.orig.tar.*")) if a.suffix != ".asc"]
        if done.returncode and not archives:
            print(f"{package}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            continue
        with tarfile.open(archives[0]) as archive:
            archive.extractall(sources / package, filter="data")


def _compiled(row: Row, checker: str, sources: Path) -> Subject:
    """The row's program; only the checker's checks count. Raises CounterpointError."""
    property_, kind = CHECKERS[checker]
    files = tuple(Path(name) for name in row.files)
    includes: tuple[str, ...] = ()
    if row.package:
        folder = next(path for path in sorted((sources / row.package).iterdir()) if path.is_dir())
        files = tuple(folder / name for name in row.files)
        includes = tuple(str(folder / name) for name in row.includes)
        if row.harness:
            main = sources / f"{row.name}_main.c"
            main.write_text(_BYTES + row.harness, encoding="utf-8")
            files = (main, *files)
    source = SourceTask(files, row.data_model, include=includes, defines=row.defines, property=property_)
    subject = compile_subject(source)
    return subject.focused(frozenset(site.index for site in subject.defined.checks if site.kind == kind))


def lines_of(files: tuple[Path, ...]) -> int:
    """Lines that are not blank."""
    return sum(bool(line.strip()) for file in files for line in file.read_text(errors="replace").splitlines())


# ---------------------------------------------------------------- runs


def measure(row: Row, checker: str, strategy: str, sources: Path, seconds: float) -> dict[str, object]:
    """One run: all conditions, however many checks are violated on the way."""
    subject = _compiled(row, checker, sources)
    lines = lines_of(subject.task.files)
    started, numbers, ended = time.process_time(), dict[str, int | float](), True
    asked = task("inertial", subject, {"inertial.strategy": strategy})
    search = search_of(asked, Tools(Budget.of_computing(seconds)), numbers)
    search.every = True
    try:
        search.search()
    except OutOfBudget:
        ended = False
    spent = round(time.process_time() - started, 1)
    return {"lines": lines, "violated": len(search.found), "ended": ended, "seconds": spent, **numbers}


def table(rows: list[tuple[Row, str]], strategies: list[str], sources: Path, seconds: float) -> None:
    """Prints the table row by row, as it is measured."""
    names = " | ".join(f"{name} #R | T | excluded | violated" for name in strategies)
    print(f"| program | LOC | #EC | {names} |\n|---{'|---' * (2 + 4 * len(strategies))}|", flush=True)
    for row, checker in rows:
        found = [_run_apart(row, checker, strategy, sources, seconds) for strategy in strategies]
        cells = [_cell(one) for one in found]
        conditions = max((int(str(one.get("error_conditions", 0))) for one in found), default=0)
        lines = next((one["lines"] for one in found if "lines" in one), "?")
        print(f"| {row.name}-{checker} | {lines} | {conditions} | {' | '.join(cells)} |", flush=True)


def _cell(one: dict[str, object]) -> str:
    if "error" in one:
        return f"{one['error']} | | |"
    excluded = sum(int(str(one.get(name, 0))) for name in ("conditions_excluded", "conditions_excluded_below"))
    time_ = f"{one['seconds']}" if one["ended"] else "TO"
    return f"{int(str(one.get('regions_expanded', 0)))} | {time_} | {excluded} | {one['violated']}"


def _run_apart(row: Row, checker: str, strategy: str, sources: Path, seconds: float) -> dict[str, object]:
    given = json.dumps([row.name, row.package, row.files, row.data_model, checker, strategy, str(sources), seconds])
    command = [sys.executable, __file__, "one", "--given", given]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20 * seconds + 300, check=False)
    except subprocess.TimeoutExpired:
        return {"error": "no end"}
    if done.returncode:
        return {"error": "failed: " + (done.stderr.strip().splitlines() or ["?"])[-1][:60]}
    result: dict[str, object] = json.loads(done.stdout)
    return result


def _one(given: str) -> None:
    name, package, files, data_model, checker, strategy, sources, seconds = json.loads(given)
    row = next((row for row in ROWS if row.name == name and package), Row(name, "", tuple(files)))
    print(json.dumps(measure(replace(row, data_model=data_model), checker, strategy, Path(sources), seconds)))


def _of_task(path: Path) -> Row:
    read = read_task_definition(path)
    return Row(path.stem, "", tuple(str(file) for file in read.files), checkers="R", data_model=read.data_model)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fetch", "run", "one"])
    parser.add_argument("--sources", type=Path, default=Path("figure3-sources"))
    parser.add_argument("--tasks", type=Path, nargs="*", default=[])
    parser.add_argument("--rows", default="")
    parser.add_argument("--strategies", default=",".join(NAMES))
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--given", default="")
    options = parser.parse_args()
    match options.what:
        case "fetch":
            fetch(options.sources)
        case "one":
            _one(options.given)
        case _:
            rows = [_of_task(path) for path in options.tasks] or list(ROWS)
            chosen = [row for row in rows if not options.rows or row.name in options.rows.split(",")]
            pairs = [(row, checker) for row in chosen for checker in row.checkers]
            table(pairs, options.strategies.split(","), options.sources, options.seconds)


if __name__ == "__main__":
    main()
