"""Answers that are known from earlier checks: which scripts are unsatisfiable.

Kept under the digest of the whole script with canonical names (solver/canonical.py), so that what changes only names
and numbers finds its answer, and what changes anything else does not. Only `unsat` is kept: nothing else is evidence.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from counterpoint.core.entries import Entries
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
    _digests: dict[str, str] = field(default_factory=dict)

    def refutes(self, script: str) -> bool:
        """The script is known to be unsatisfiable, by a solver of the version that is installed."""
        key = self._digest(script)
        held = self.entries.get(key) if key else None
        return held is not None and _current(held)

    def answers(self, script: str) -> bool:
        """The same, counted."""
        known = self.refutes(script)
        self.found, self.asked = self.found + known, self.asked + (not known)
        return known

    def learn(self, script: str, backend: str) -> None:
        """`backend` has just refuted the script."""
        if (key := self._digest(script)) and backend in _PACKAGES:
            self.entries.put(key, json.dumps({"answer": "unsat", "by": backend, "of": _versions(backend)}).encode())

    def _digest(self, script: str) -> str:
        """Empty for a script that is not understood."""
        if len(script) > MOST_SCRIPT:
            return ""
        if script not in self._digests:
            self._digests.clear()  # a script that was not known is learned next, if at all
            try:
                self._digests[script] = digest(script)
            except NotUnderstood:
                self._digests[script] = ""
        return self._digests[script]


def _current(held: bytes) -> bool:
    try:
        said = json.loads(held)
        return bool(said["answer"] == "unsat" and said["of"] == _versions(said["by"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


@cache
def _versions(backend: str) -> list[str]:
    """Of the packages whose word the backend's answer is."""
    found = []
    for package in _PACKAGES[backend]:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(package)
    return found
