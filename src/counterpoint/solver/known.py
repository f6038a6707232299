"""Answers that are known from earlier checks: which scripts are unsatisfiable.

Kept under the digest of the whole script with canonical names (solver/canonical.py), so that what changes only names
and numbers finds its answer, and what changes anything else does not. Only `unsat` is kept: nothing else is evidence.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from counterpoint.core.entries import Entries
from counterpoint.core.records import dataclass
from counterpoint.solver.canonical import NotUnderstood, digest

ANSWERS: Final = "answers"
"""The kind of such entries."""

MOST_SCRIPT: Final = 4 << 20
"""Characters of a script that takes a second to read here."""

_PACKAGES: Final = {
    "bitwuzla": ("bitwuzla",),
    "z3": ("z3-solver",),
    "cases": ("bitwuzla", "z3-solver", "counterpoint"),
    "polynomials": ("bitwuzla", "z3-solver", "counterpoint"),
}
"""Whose word an answer of each backend is."""


@dataclass(slots=True)
class KnownAnswers:
    """`found` questions were answered by what is kept, `asked` had to be asked of solvers."""

    entries: Entries
    found: int = 0
    asked: int = 0

    @staticmethod
    def key(script: str) -> str:
        """Under which the script's answer is kept; empty where none can be."""
        try:
            return digest(script) if len(script) <= MOST_SCRIPT else ""
        except NotUnderstood:
            return ""

    def refutes(self, key: str) -> bool:
        """The script of this key is known to be unsatisfiable, by a solver of the version that is installed."""
        held = self.entries.get(key) if key else None
        return held is not None and _current(held)

    def learn(self, key: str, backend: str) -> None:
        """`backend` has just refuted the script of this key."""
        if key and backend in _PACKAGES:
            said = {"answer": "unsat", "by": backend, "of": _versions(backend)}
            self.entries.put(key, json.dumps(said).encode())

    def depth(self, key: str) -> int:
        """How far an equation that is too general under this key was opened before; 0 if nothing is known of it. No
        answer: a hint on where there is one."""
        held = self.entries.get(f"depth {key}") if key else None
        return int(held) if held is not None and held.isdigit() and len(held) < 10 else 0

    def learn_depth(self, key: str, depth: int) -> None:
        """It took so much."""
        if key:
            self.entries.put(f"depth {key}", b"%d" % depth)


def _current(held: bytes) -> bool:
    try:
        said = json.loads(held)
        return bool(said["answer"] == "unsat" and said["of"] == _versions(said["by"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


@cache
def _versions(backend: str) -> list[str]:
    """Of the packages whose word the backend's answer is."""
    from importlib.metadata import PackageNotFoundError, version  # a tenth of what the worker of a short check does

    found = []
    for package in _PACKAGES[backend]:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(package)
    return found
