"""How many seeded faults `check --entry-each` finds: `python benchmarks/entry_mutants.py --out DIR [--count 50]`.

A fault of one of five kinds is written into one function of a C library (fetch_libraries.py fetches them), in an order
that is the same for a seed: one of each kind after the other, and one library after the other. It is real where the
library's recorded test (in seeded/) fails with it under gcc's AddressSanitizer, and passes without. Then `counterpoint
check --entry-each` is asked about the function and two that call it or its callers, with the fault and, where something
is told then, without; what it says only with the fault counts: by its best grade for a finding, `latent` for a
precondition. `DIR/mutants.json` has a row for each. Findings are replayed by the command itself.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

from counterpoint.core.errors import UnusableInput
from fetch_libraries import Library, fetch

TESTS = Path(__file__).parent / "seeded"
SANITIZED = ("gcc", "-w", "-g", "-O0", "-fsanitize=address")
TEST_SECONDS = 20
GRADES = ("run", "caller", "manifest", "latent", "")

CALLERS = 2
"""Functions that call the one with the fault, and are asked about, too; where fewer do, others that call these."""

LIBRARIES = {
    "cjson": Library("cjson", ("cJSON.c",), patched=True),
    "giflib": Library(
        "giflib", ("gifalloc.c", "gif_hash.c", "dgif_lib.c", "egif_lib.c", "gif_err.c", "openbsd-reallocarray.c")
    ),
    "sds": Library("hiredis", ("sds.c", "alloc.c")),
    "libyaml": Library(
        "libyaml", ("src/*.c",), ("include", "src"),
        tuple(f"YAML_VERSION_{name}" for name in ("MAJOR=0", "MINOR=2", "PATCH=5", 'STRING="0.2.5"')),
    ),
}  # fmt: skip
"""By the name of the recorded test."""

_FREE = r"(?:[\w.>-]*(?:free|deallocate)|(?!DGif|EGif)\w+(?:Delete|Free\w+|_delete))"
_ARGUMENT = r"(?:[^();]|\([^();]*\))+"

KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "off by one": (
        (r" < (?=[\w(])", " <= "), (r" > (?=[\w(])", " >= "), (r" <= ", " < "), (r" >= ", " > "),
        (r' \+ sizeof\(""\)', ""),
    ),
    "lost null test": (
        (r"\((\w[\w.>-]*) == NULL\)", "(0)"), (r"\b(\w[\w.>-]*) != NULL", "1"), (r"if \(!([\w.>-]+)\)", "if (0)"),
    ),
    "double free": ((rf"\b({_FREE})\(({_ARGUMENT})\);", r"\1(\2); \1(\2);"),),
    "wrong free": ((rf"\b({_FREE})\(({_ARGUMENT})\);", r"\1((void *)((char *)(\2) + 1));"),),
    "wrong sign": ((r" \+ (?=[\w(])", " - "), (r" - (?=[\w(])", " + "), (r"\+\+", "--"), (r" \+= ", " -= ")),
}  # fmt: skip
"""What becomes what, as regular expressions over one line."""

_HEAD = re.compile(r"(?m)^(?=\w)(?!typedef|YAML_DECLARE|else)[\w* ()]*?\b(?!CJSON_PUBLIC)(\w+)\([^;{}]*\)\s*\{\n")
_REPORT = re.compile(r"ERROR: (?:Address|Leak)Sanitizer: ([\w -]+)")


@dataclass(frozen=True, slots=True)
class Unit:
    """A fetched library: `options` compile its `files`."""

    name: str
    files: tuple[Path, ...]
    options: tuple[str, ...]

    @property
    def test(self) -> Path:
        return TESTS / f"{self.name}.c"

    def others(self, file: Path) -> list[Path]:
        return [one for one in self.files if one.name != file.name]


@dataclass(frozen=True, slots=True)
class Mutant:
    """`was` becomes `now` in that line, where `kind` says what is wrong with it."""

    library: str
    file: str
    kind: str
    function: str
    line: int
    was: str
    now: str
    start: int
    end: int

    def of(self, text: str) -> str:
        return text[: self.start] + self.now + text[self.end :]


@dataclass(frozen=True, slots=True)
class Row:
    """`shown`: what AddressSanitizer says of it; `grade`: how the checker told it, "" if it did not."""

    mutant: Mutant
    shown: str
    grade: str
    said: tuple[str, ...]
    seconds: float


def fetched(name: str, out: Path) -> Unit:
    """Raises UnusableInput."""
    said = fetch(LIBRARIES[name], out)
    files, includes, defines = (tuple(map(str, _list(said[key]))) for key in ("files", "includes", "defines"))
    options = (*(f"-I{out / one}" for one in includes), *(f"-D{one}" for one in defines))
    return Unit(name, tuple(out / one for one in files), options)


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def bodies(text: str) -> dict[str, tuple[int, int]]:
    """Where each function's body begins and ends."""
    return {head[1]: (head.end(), text.index("\n}", head.end() - 1)) for head in _HEAD.finditer(text)}


def read(file: Path) -> str:
    return file.read_text("utf-8", "replace")


def mutants(unit: Unit, seed: int) -> Iterator[Mutant]:
    """All, one of each kind after the other."""
    choose = random.Random(seed)
    queues = []
    for kind, changes in KINDS.items():
        found = [one for file in unit.files for one in _changed(unit, file, kind, changes)]
        choose.shuffle(found)
        queues.append(found)
    for turn in zip_longest(*queues):
        yield from (one for one in turn if one is not None)


def _changed(unit: Unit, file: Path, kind: str, changes: tuple[tuple[str, str], ...]) -> Iterator[Mutant]:
    text = read(file)
    for function, (begin, end) in bodies(text).items():
        for pattern, new in changes:
            for match in re.compile(pattern).finditer(text, begin, end):
                line = text.count("\n", 0, match.start()) + 1
                now = match.expand(new)
                yield Mutant(unit.name, file.name, kind, function, line, match[0], now, match.start(), match.end())


@cache
def compiled(unit: Unit) -> dict[str, Path]:
    """The library's object files by the names of its files."""
    objects = {file.name: file.with_suffix(".o") for file in unit.files}
    for file in unit.files:
        subprocess.run([*SANITIZED, *unit.options, "-c", file, "-o", objects[file.name]], capture_output=True)
    return objects


def shown(unit: Unit, source: Path) -> str | None:
    """What AddressSanitizer says of the recorded test, with `source` for the file of its name; "" if it passes, None
    where it does not compile or ends otherwise."""
    program = source.with_suffix(".test")
    others = [compiled(unit)[file.name] for file in unit.others(source)]
    built = [*SANITIZED, *unit.options, f'-DSOURCE="{source}"', unit.test, *others, "-o", program, "-lm"]
    if subprocess.run(built, capture_output=True).returncode != 0:
        return None
    try:
        done = subprocess.run([program], capture_output=True, text=True, errors="replace", timeout=TEST_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        program.unlink(missing_ok=True)
    report = _REPORT.search(done.stderr)
    return report[1].partition(" on ")[0].strip() if report else ("" if done.returncode == 0 else None)


@cache
def defined(unit: Unit) -> frozenset[str]:
    """Functions that are compiled."""
    listed = subprocess.run(["nm", *compiled(unit).values()], capture_output=True, text=True).stdout
    return frozenset(re.findall(r" [tT] (\w+)", listed))


def asked(unit: Unit, function: str) -> str:
    """The function and the first others that call it, or call these."""
    texts = [read(file) for file in unit.files]
    found = [function]
    for callee in found:
        calls = re.compile(rf"\b{callee}\(")
        others = [name for text in texts for name, (a, b) in bodies(text).items() if calls.search(text, a, b)]
        found += [name for name in dict.fromkeys(others) if name in defined(unit) and name not in found]
        if len(found) > CALLERS:
            break
    return ",".join(found[: CALLERS + 1])


def told(unit: Unit, source: Path, pattern: str, seconds: int) -> tuple[dict[str, str], float]:
    """What the checker says of the functions, without lines, with its grade."""
    report = source.with_suffix(".json")
    files = [source, *unit.others(source)]
    command = [sys.executable, "-m", "counterpoint", "check", *files, *unit.options, f"--entry-each={pattern}"]
    subprocess.run([*command, "--timeout", str(seconds), "--json", report], capture_output=True)
    said: dict[str, str] = {}
    try:
        found = json.loads(report.read_text("utf-8"))
    except (OSError, ValueError):
        return {}, 0.0
    for entry in found["functions"]:
        for one in entry["requires"]:
            said[f"{entry['function']} requires {one['text']} for {one['kind']}"] = "latent"
        for one in entry["findings"]:
            message = re.sub(r"\d+", "N", one["message"])
            callers = "".join(f" called from {call['function']}" for call in one.get("called_from", ()))
            said[f"{one['kind']} in {one['function']}{callers}: {message}"] = one["grade"]
    return said, float(found["seconds"])


def best(grades: list[str]) -> str:
    return min(grades, key=GRADES.index, default="")


def rows(unit: Unit, out: Path, seed: int, count: int, seconds: int) -> Iterator[Row]:
    """What is said of that many faults of the library."""

    @cache
    def before(file: Path, pattern: str) -> frozenset[str]:
        return frozenset(told(unit, file, pattern, seconds)[0])

    number = 0
    for mutant in mutants(unit, seed):
        if number == count:
            return
        original = next(file for file in unit.files if file.name == mutant.file)
        changed = out / f"{unit.name}-{number:02}" / mutant.file
        changed.parent.mkdir(parents=True, exist_ok=True)
        for header in original.parent.glob("*.h"):
            (changed.parent / header.name).write_bytes(header.read_bytes())
        changed.write_text(mutant.of(read(original)), "utf-8")
        if not (fault := shown(unit, changed)):
            continue
        number += 1
        pattern = asked(unit, mutant.function)
        said, took = told(unit, changed, pattern, seconds)
        if said:
            said = {what: grade for what, grade in said.items() if what not in before(original, pattern)}
        yield Row(mutant, fault, best(list(said.values())), tuple(said), took)


def turns(units: list[Unit], out: Path, given: argparse.Namespace) -> Iterator[Row]:
    """One row of each library after the other."""
    shares = [given.count // len(units) + (number < given.count % len(units)) for number in range(len(units))]
    queues = [rows(unit, out, given.seed, n, given.timeout) for unit, n in zip(units, shares, strict=True)]
    for turn in zip_longest(*queues):
        yield from (one for one in turn if one is not None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(LIBRARIES)}; default: all")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--count", type=int, default=50, help="faults that are real (default: 50)")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for each (default: 60)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if unknown := set(given.names) - set(LIBRARIES):
        print(f"{', '.join(sorted(unknown))}: expected some of {', '.join(LIBRARIES)}", file=sys.stderr)
        return 2
    try:
        units = [fetched(name, out) for name in given.names or LIBRARIES]
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    for file in (file for unit in units for file in unit.files if shown(unit, file) != ""):
        print(f"{file}: the recorded test does not pass without a fault (gcc with AddressSanitizer)", file=sys.stderr)
        return 2
    found = []
    for row in turns(units, out, given):
        found.append(row)
        one = row.mutant
        place = f"{one.file}:{one.line} ({one.function})"
        print(f"{one.kind:14} {place} `{one.was.strip()}` -> `{one.now.strip()}`", end="  ")
        print(f"{row.shown}: {row.grade or 'not found'}", flush=True)
        (out / "mutants.json").write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n", "utf-8")
    counted = Counter(row.grade or "not found" for row in found)
    print(f"{len(found)} faults: {', '.join(f'{n} {grade}' for grade, n in counted.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
