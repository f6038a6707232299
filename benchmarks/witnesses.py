"""Checks tasks of a set, writes a witness of each answer, and validates it by reading nothing but its file.

    python benchmarks/witnesses.py SET [--every 9] [--timeout 20] [--out DIR]

One line a task: verdict, what became of the witness, its invariants or waypoints. At the end how many were confirmed,
of violations, of proofs, and of proofs with facts about loops.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from counterpoint.core.errors import CounterpointError
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.portfolio.several import check
from counterpoint.witness.document import Correctness
from counterpoint.witness.making import witness_of
from counterpoint.witness.reading import read_witness
from counterpoint.witness.validation import Answer, validate
from counterpoint.witness.writing import written


def main() -> int:
    """0 if every witness of a violation was confirmed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--every", type=int, default=9)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    names = [line.strip() for line in given.set.read_text().splitlines() if line.strip() and not line.startswith("#")]
    out = given.out or Path(tempfile.mkdtemp(prefix="witnesses-"))
    out.mkdir(exist_ok=True)
    count: Counter[tuple[str, str]] = Counter()
    for name in names[given.first :: given.every]:
        task = (given.set.parent / name).resolve()
        began = time.monotonic()
        verdict, kind, answer, said = _one(task, given.timeout, out)
        count[kind, answer] += 1
        print(f"{name:60} {verdict:24} {kind:10} {answer:10} {time.monotonic() - began:5.1f} s  {said}", flush=True)
    for (kind, answer), number in sorted(count.items()):
        print(f"{kind:12} {answer:12} {number}")
    return int(any(kind == "violation" and answer != Answer.CONFIRMED for kind, answer in count))


def _one(task: Path, timeout: float, out: Path) -> tuple[str, str, str, str]:
    """The verdict, of which kind it is, what became of its witness, and a note."""
    request = Request((task,), timeout=timeout, findings="first")
    try:
        result = check(request)
        if result.outcome is Outcome.UNKNOWN:
            return result.verdict, "-", "-", ""
        witness = witness_of(result, request)
        path = out / f"{task.stem}.yml"
        path.write_text(written(witness, "2.1"))
        again = read_witness(path)
        size = len(again.invariants) + len(again.contracts) if isinstance(again, Correctness) else len(again.segments)
        judged = validate(path, request)
        return result.verdict, _kind(result), judged.answer, f"{size} statements; {judged.why[:100]}"
    except CounterpointError as error:
        return "", "error", "error", str(error)[:150]


def _kind(result: CheckResult) -> str:
    if result.outcome is Outcome.FALSE:
        return "violation"
    unrolled = result.proof is None or result.proof.kind == "complete-unrolling"
    return "unrolled" if unrolled else "loops"


if __name__ == "__main__":
    sys.exit(main())
