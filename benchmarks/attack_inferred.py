"""Whether what infer calls proved holds in native calls: `python benchmarks/attack_inferred.py FILE.c...`.

For each file contracts for every caller are inferred; each clause that is `proved` is compared in native calls with
random arguments within `requires`, as attack_contracts.py does. Lines are its lines; `EXCUSED` instead of `VIOLATED`
where the contract says that it assumes what was not proved of all calls (that accesses are valid, blocks not freed,
variables as at the start): to be looked at, as the call may have done that. Status 1 if a clause is violated without
excuse.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from acsl_to_c import clause
from attack_contracts import attack, told
from contract_text import Contract
from counterpoint.contracts.assigning import FREES_NOTHING, INITIALISED, INVALID
from counterpoint.contracts.contract import GIVEN_TO_IT, OUTSIDE
from counterpoint.core.errors import UnusableInput
from counterpoint.entries.findings import AT_START

EXCUSES = (INVALID, INITIALISED, FREES_NOTHING, "it does not get to", AT_START)


def inferred(file: Path, timeout: float, options: Sequence[str]) -> list[dict[str, Any]]:
    """The functions of infer's JSON. Raises UnusableInput where it gives none."""
    command = [sys.executable, "-m", "counterpoint", "infer", str(file), "--any-caller", "--as", "json"]
    done = subprocess.run([*command, "--timeout", str(timeout), *options], capture_output=True, text=True)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["functions"]
    except (ValueError, KeyError):
        raise UnusableInput(f"{file}: infer: {done.stderr.strip()[-300:]}") from None
    return found


def claims(file: Path, given: dict[str, Any]) -> tuple[Contract, list[str]]:
    """The proved part of a contract, and the clauses that have no words here. Raises UnusableInput for `requires`
    that have none: without them calls would say nothing."""
    requires = [clause(one["text"]) for one in given["requires"]]
    ensures, without = [], []
    for one in given["ensures"]:
        if one["status"] != "proved":
            continue
        try:
            ensures.append(clause(one["text"]))
        except UnusableInput as why:
            without.append(str(why))
    places = given["assigns"] if given["assigns_status"] == "proved" and OUTSIDE not in given["assigns"] else None
    named = (one for one in places or () if one != GIVEN_TO_IT and not one.startswith("static "))
    assigns = None if places is None else tuple(named)
    return Contract(file, given["name"], tuple(requires), tuple(ensures), assigns), without


def attacked(file: Path, options: argparse.Namespace, rest: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """A line and a row for each function."""
    for given in inferred(file, options.timeout, rest):
        row: dict[str, Any] = {"file": str(file), "function": given["name"], "missing": given["missing"]}
        proved = [one["text"] for one in given["ensures"] if one["status"] == "proved"]
        row |= {"ensures": proved, "assigns": given["assigns"], "seconds": given["seconds"]}
        try:
            contract, without = claims(file, given)
            row["without"] = without
            found = attack(contract, options.calls, options.seconds)
            row |= {"violated": found.violated, "calls": found.calls, "tried": found.tried}
            row["excused"] = [one for one in given["assumed"] if any(words in one for words in EXCUSES)]
            line = told(contract, found)
            line = line.replace("VIOLATED", "EXCUSED ", 1) if found.violated and row["excused"] else line
            yield line + "".join(f"\n    no words: {one}" for one in without), row
        except UnusableInput as error:
            row["unusable"] = str(error)
            yield f"unusable {file.name}: {given['name']}: {error}", row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.c")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all calls of one function")
    parser.add_argument("--timeout", type=float, default=20.0, help="for infer, for each file")
    parser.add_argument("--json", type=Path, help="the result of each function")
    options, rest = parser.parse_known_args()
    rows: list[dict[str, Any]] = []
    for file in options.files:
        try:
            for line, row in attacked(file, options, rest):
                print(line, flush=True)
                rows.append(row)
        except UnusableInput as error:
            print(f"unusable {error}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    violated = [row for row in rows if row.get("violated")]
    wrong = [row for row in violated if not row["excused"]]
    count = Counter("clause" if row["ensures"] else "nothing" for row in rows)
    print(
        f"{len(rows)} functions, {count['clause']} with a proved ensures, {sum(len(row['ensures']) for row in rows)}"
        f" clauses; violated {len(wrong)}, with an excuse {len(violated) - len(wrong)}"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
