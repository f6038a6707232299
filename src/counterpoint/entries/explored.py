"""What runs of a function told: which passed, which failed, what caused that, what excludes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Final, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite
from counterpoint.entries.apart import Calls, calls
from counterpoint.entries.environment import Environment
from counterpoint.entries.given import Given, What
from counterpoint.entries.learning import Passing
from counterpoint.entries.literals import Clause, Rank, State
from counterpoint.entries.table import Table
from counterpoint.execute.coverage import Direction
from counterpoint.program.inputs import Input, ScalarInput

OWN: Final = "own bounds"
"""The cause where an access leaves the bounds of a block that the program's own code has made."""

SHORT: Final = "short"
"""The same of a block of the caller's, of which nothing says how long it is."""

NULL: Final = "null"

OWN_NULL: Final = "own null"
"""The same in a run to which the caller gave no null pointer."""

Place: TypeAlias = tuple[str, str, int, Calls]
"""Kind, file and line of a check, and the calls that lead there (apart.py)."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: what its caller chose, the check that failed (None: it passed), the directions that it took in the
    function (numbers of `Explored.directions`), its inputs, and the directions that it took anywhere."""

    state: State
    failed: int | None
    reached: frozenset[int]
    inputs: tuple[Input, ...] = ()
    everywhere: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that runs violate, with a clause that excludes them, None where none was found."""

    site: CheckSite
    clause: Clause | None


@dataclass(slots=True)
class Explored:
    """What is known of a function from runs; `causes`: sub-kinds (property/) of failures, by kind, file and line, those
    of the simplest run, and `kinds` those of several. `passed_by`: there no run fails with pointers that are not null,
    though it goes the same way. `shown`: clauses without which calls fail that pass with them (needed.py).
    `sites`: where checks stand. `by_contents`: there runs fail for what memory holds, and no clause helps,
    `by_results`: for what functions outside of the program returned, whatever the caller's memory holds."""

    samples: list[Sample] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    directions: tuple[Direction, ...] = ()
    causes: dict[Place, str] = field(default_factory=dict)
    kinds: dict[Place, set[str]] = field(default_factory=dict)
    passed_by: set[Place] = field(default_factory=set)
    shown: set[Clause] = field(default_factory=set)
    sites: dict[int, Place] = field(default_factory=dict)
    by_contents: set[Place] = field(default_factory=set)
    by_results: set[Place] = field(default_factory=set)
    table: Table[Sample] = field(init=False)

    def __post_init__(self) -> None:
        self.table = Table(self.samples)

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """The precondition."""
        return tuple(dict.fromkeys(failure.clause for failure in self.failures if failure.clause is not None))

    def is_unexplained(self, failure: Failure) -> bool:
        """There is no clause, or one of a number that may fit by chance."""
        clause = failure.clause
        if clause is None:
            return True
        return clause not in self.shown and all(one.rank not in (Rank.NOT_NULL, Rank.NULL) for one in clause)

    def cause(self, site: CheckSite) -> str | None:
        return self.causes.get(place_of(site))

    def is_excusable(self, site: CheckSite) -> bool:
        """Longer blocks, or pointers that are not null, would help, as far as runs tell."""
        return SHORT in self.kinds.get(place_of(site), ()) or place_of(site) in self.passed_by

    def passing(self) -> Passing[Sample]:
        """Runs that passed."""
        return Passing(self.table, self.table.passed)

    def fails(self, site: CheckSite, required: Iterable[Clause]) -> bool:
        """Runs fail there whose callers keep what is required."""
        here = self.table.failing_in(self.checks_at(place_of(site)))
        return here & self.table.keeping_all(required) != 0

    def checks_at(self, place: Place) -> frozenset[int]:
        """The checks that stand there."""
        return frozenset(check for check, one in self.sites.items() if one == place)

    def allowed(self) -> list[Sample]:
        """Those whose callers fulfil the precondition."""
        return self.table.among(self.table.keeping_all(self.clauses))

    def allowed_that_pass(self) -> list[Sample]:
        return self.table.among(self.table.keeping_all(self.clauses) & self.table.passed)


def place_of(site: CheckSite) -> Place:
    """Checks of one kind at one line count as one, if the same calls lead there."""
    return (site.kind, site.at.file, site.at.line, calls(site))


def is_part(site: CheckSite, of: CheckSite) -> bool:
    """The check is at the place of the other, with the calls that this one has, or more."""
    (*spot, around), (*other, fewer) = place_of(site), place_of(of)
    return spot == other and around[: len(fewer)] == fewer


def state_of(environment: Environment, inputs: Sequence[Input], sites: dict[int, str]) -> dict[str, int]:
    """What a run's caller chose; `sites`: names of functions by site."""
    given = {one.source: one for one in environment.given}
    state: dict[str, int] = {}
    for item in inputs:
        if isinstance(item, ScalarInput) and (one := given.get(sites.get(item.site, ""))) is not None:
            state.setdefault(one.source, signed_value(one, item.value, item.bits))
    return state


def signed_value(one: Given, bits: int, width: int) -> int:
    """The number that these bits are there."""
    negative = one.what is What.NUMBER and bool(one.signed) and width > 0 and bits >> (width - 1)
    return bits - (1 << width) if negative else bits
