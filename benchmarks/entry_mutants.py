"""How many seeded faults `check --entry-each` finds: `python benchmarks/entry_mutants.py --out DIR [--count 20]`.

A fault of one of five kinds is written into one function of cJSON (fetch_libraries.py fetches it), in an order that is
the same for a seed, one of each kind after the other. It is real where the recorded test (seeded/cjson.c) fails with it
under gcc's AddressSanitizer, and passes without. Then `counterpoint check --entry-each` is asked about the function and
one that calls it, with the fault and without; what it says only with the fault counts: by its best grade for a finding,
`latent` for a precondition. `DIR/mutants.json` has a row for each. Findings are replayed by the command itself.
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
from fetch_libraries import LIBRARIES, fetch

TEST = Path(__file__).parent / "seeded" / "cjson.c"
SANITIZED = ("gcc", "-w", "-g", "-O0", "-fsanitize=address")
TEST_SECONDS = 20
GRADES = ("run", "caller", "manifest", "latent", "")

KINDS: dict[str, tuple[tuple[str, str], ...]] = {
    "off by one": (
        (r" < (?=[\w(])", " <= "), (r" > (?=[\w(])", " >= "), (r" <= ", " < "), (r" >= ", " > "),
        (r' \+ sizeof\(""\)', ""),
    ),
    "lost null test": ((r"\((\w[\w.>-]*) == NULL\)", "(0)"), (r"\b(\w[\w.>-]*) != NULL", "1")),
    "double free": ((r"([\w.>-]*deallocate|cJSON_Delete)\(([^();]+)\);", r"\1(\2); \1(\2);"),),
    "wrong free": ((r"([\w.>-]*deallocate)\(([^();]+)\);", r"\1((char *)(\2) + 1);"),),
    "wrong sign": ((r" \+ (?=[\w(])", " - "), (r" - (?=[\w(])", " + "), (r"\+\+", "--"), (r" \+= ", " -= ")),
}  # fmt: skip
"""What becomes what, as regular expressions over one line."""

_HEAD = re.compile(r"(?m)^(?!typedef|#)[\w* ()]+?\b(\w+)\([^;{}]*\)\n\{\n")
_REPORT = re.compile(r"ERROR: (?:Address|Leak)Sanitizer: ([\w -]+)")


@dataclass(frozen=True, slots=True)
class Mutant:
    """`was` becomes `now` in that line, where `kind` says what is wrong with it."""

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


def bodies(text: str) -> dict[str, tuple[int, int]]:
    """Where each function's body begins and ends."""
    return {head[1]: (head.end(), text.index("\n}\n", head.end() - 1)) for head in _HEAD.finditer(text)}


def mutants(text: str, seed: int) -> Iterator[Mutant]:
    """All, one of each kind after the other."""
    choose = random.Random(seed)
    queues = []
    for kind, changes in KINDS.items():
        found = []
        for function, (begin, end) in bodies(text).items():
            for pattern, new in changes:
                for match in re.compile(pattern).finditer(text, begin, end):
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(Mutant(kind, function, line, match[0], match.expand(new), match.start(), match.end()))
        choose.shuffle(found)
        queues.append(found)
    for turn in zip_longest(*queues):
        yield from (one for one in turn if one is not None)


def shown(source: Path) -> str | None:
    """What AddressSanitizer says of the recorded test; "" if it passes, None where it does not compile or ends
    otherwise."""
    program = source.with_suffix(".test")
    built = [*SANITIZED, f'-DSOURCE="{source}"', str(TEST), "-o", str(program), "-lm"]
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


def asked(text: str, function: str) -> str:
    """The function and the first other one that calls it."""
    calls = re.compile(rf"\b{function}\(")
    others = (name for name, (a, b) in bodies(text).items() if name != function and calls.search(text, a, b))
    return ",".join([function, *list(others)[:1]])


def told(source: Path, pattern: str, seconds: int) -> tuple[dict[str, str], float]:
    """What the checker says of the functions, without lines, with its grade."""
    report = source.with_suffix(".json")
    command = [sys.executable, "-m", "counterpoint", "check", str(source), f"--entry-each={pattern}"]
    subprocess.run([*command, "--timeout", str(seconds), "--json", str(report)], capture_output=True)
    said: dict[str, str] = {}
    try:
        found = json.loads(report.read_text("utf-8"))
    except (OSError, ValueError):
        return {}, 0.0
    for entry in found["functions"]:
        for one in entry["requires"]:
            said[f"{entry['function']} requires {one['text']} for {one['kind']}"] = "latent"
        for one in entry["findings"]:
            said[f"{one['kind']} in {one['function']}: {one['message']}"] = one["grade"]
    return said, float(found["seconds"])


def best(grades: list[str]) -> str:
    return min(grades, key=GRADES.index, default="")


def rows(source: Path, out: Path, seed: int, count: int, seconds: int) -> Iterator[Row]:
    text = source.read_text("utf-8")

    @cache
    def before(pattern: str) -> frozenset[str]:
        return frozenset(told(source, pattern, seconds)[0])

    number = 0
    for mutant in mutants(text, seed):
        if number == count:
            return
        folder = out / f"{number:02}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cJSON.h").write_bytes(source.with_suffix(".h").read_bytes())
        changed = folder / source.name
        changed.write_text(mutant.of(text), "utf-8")
        if not (fault := shown(changed)):
            continue
        number += 1
        pattern = asked(text, mutant.function)
        said, took = told(changed, pattern, seconds)
        new = {what: grade for what, grade in said.items() if what not in before(pattern)}
        yield Row(mutant, fault, best(list(new.values())), tuple(new), took)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--source", type=Path, metavar="FILE", help="cJSON.c, instead of fetching it")
    parser.add_argument("--count", type=int, default=20, help="faults that are real (default: 20)")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for each (default: 60)")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    out = given.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    try:
        if given.source is None:
            fetch(next(one for one in LIBRARIES if one.package == "cjson"), out)
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    source = (given.source or out / "cjson" / "cJSON.c").resolve()
    if shown(source) != "":
        print(f"{source}: the recorded test does not pass without a fault (gcc with AddressSanitizer)", file=sys.stderr)
        return 2
    found = []
    for row in rows(source, out, given.seed, given.count, given.timeout):
        found.append(row)
        one = row.mutant
        print(f"{one.kind:14} {one.function}:{one.line} `{one.was.strip()}` -> `{one.now.strip()}`", end="  ")
        print(f"{row.shown}: {row.grade or 'not found'}", flush=True)
    (out / "mutants.json").write_text(json.dumps([asdict(row) for row in found], indent=1) + "\n", "utf-8")
    counted = Counter(row.grade or "not found" for row in found)
    print(f"{len(found)} faults: {', '.join(f'{n} {grade}' for grade, n in counted.most_common())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
