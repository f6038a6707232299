"""One answer to one question, judged and scored as in SV-COMP."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any

from counterpoint.benchmarking.tasks import BenchTask
from counterpoint.core.records import dataclass


class Kind(StrEnum):
    """What an answer is worth.

    WRONG is worse than anything; ERROR a crash, a kill or no answer at all; REFUSED exit status 2;
    UNSCORED an answer to a question without a stated verdict.
    """

    CORRECT = "correct"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    ERROR = "error"
    REFUSED = "refused"
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a benchmark: who answered what in how many seconds.

    `statistics` are the counters of each engine (of its last start), `engines` all starts of engines.
    """

    tool: str
    task: str
    family: str
    property: str
    expected: bool | None
    subproperty: str
    verdict: str
    kind: Kind
    seconds: float
    status: int
    engine: str = ""
    detail: str = ""
    memory: int = 0
    stderr: str = ""
    statistics: Mapping[str, Any] = field(default_factory=dict)
    engines: Sequence[Mapping[str, Any]] = ()
    features: Mapping[str, Any] = field(default_factory=dict)

    @builtins.property
    def key(self) -> tuple[str, str, str]:
        return (self.tool, self.task, self.property)

    @builtins.property
    def claims_true(self) -> bool:
        return self.verdict == "TRUE"

    @builtins.property
    def score(self) -> int:
        """SV-COMP: +2 and +1 for right TRUE and FALSE, -32 and -16 for wrong ones, else 0."""
        if self.kind is Kind.CORRECT:
            return 2 if self.claims_true else 1
        if self.kind is Kind.WRONG:
            return -32 if self.claims_true else -16
        return 0


def kind_of(task: BenchTask, verdict: str) -> Kind:
    """Judges `TRUE`, `FALSE`, `FALSE(sub-property)`, `UNKNOWN...`, `ERROR...` or `REFUSED`.

    A FALSE must name the expected sub-property where the task states one and the answer names any.
    """
    if verdict.startswith("UNKNOWN"):
        return Kind.UNKNOWN
    if verdict == "REFUSED":
        return Kind.REFUSED
    if verdict != "TRUE" and not verdict.startswith("FALSE"):
        return Kind.ERROR
    if task.expected is None:
        return Kind.UNSCORED
    if (verdict == "TRUE") is not task.expected:
        return Kind.WRONG
    named = verdict[6:-1] if verdict.startswith("FALSE(") else ""
    mismatch = task.subproperty and named and named != task.subproperty
    return Kind.WRONG if mismatch else Kind.CORRECT
