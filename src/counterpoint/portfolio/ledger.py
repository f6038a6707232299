"""What is known of each check of one task while engines work: which are proved, refuted, claimed to be proved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from counterpoint.core.records import dataclass
from counterpoint.evidence.certificate import Certificate
from counterpoint.portfolio.result import Counterexample, Proof


@dataclass(frozen=True, slots=True)
class Claim:
    """An engine's proof of some of the checks that nobody has checked yet."""

    engine: str
    checks: frozenset[int]
    certificate: Certificate


@dataclass(frozen=True, slots=True)
class Part:
    """An accepted proof of the program focused on `checks`."""

    engine: str
    checks: frozenset[int]
    certificate: Certificate
    proof: Proof
    assumptions: tuple[str, ...] = ()


@dataclass(slots=True)
class Ledger:
    """Checks by their indices in Program.checks. `all`: those of the task, `lost`: those for lost memory among them,
    `held`: those that no run of the prepared program can get to, for which alone nobody is set to work.

    `findings` are the confirmed violations, the first found first. `apart`: memory may be lost in runs without an end
    (program/held.may_lose_without_end): proofs by invariants show at each place that none is, once all else is proved.
    """

    all: frozenset[int]
    lost: frozenset[int] = frozenset()
    apart: bool = False
    held: frozenset[int] = frozenset()
    findings: list[Counterexample] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    @property
    def refuted(self) -> frozenset[int]:
        found = frozenset(finding.check for finding in self.findings)
        return found | self.lost if found & self.lost else found

    @property
    def proved(self) -> frozenset[int]:
        return _union(part.checks for part in self.parts)

    @property
    def open(self) -> frozenset[int]:
        """Neither proved nor refuted."""
        return self.all - self.proved - self.refuted

    @property
    def unclaimed(self) -> frozenset[int]:
        """Open, and nobody claims to have a proof."""
        return self.open - _union(claim.checks for claim in self.claims)

    def for_provers(self) -> frozenset[int]:
        """What a proof by invariants is wanted of next."""
        others = self.unclaimed - self.lost
        return others if self.apart and others else self.unclaimed

    def worth(self, checks: frozenset[int]) -> bool:
        """Whether to set somebody to work on these open checks: on all, else where not all of them hold anyway."""
        return checks == self.all or bool(checks - self.held)

    @property
    def done(self) -> bool:
        """All checks are proved, in parts."""
        return not self.refuted and bool(self.parts) and self.proved == self.all

    def news(self) -> tuple[Claim, ...]:
        """Claims about checks that are open, those about most first."""
        telling = [claim for claim in self.claims if claim.checks & self.open]
        return tuple(sorted(telling, key=lambda claim: -len(claim.checks & self.open)))


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset().union(*sets)
