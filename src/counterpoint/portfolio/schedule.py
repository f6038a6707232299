"""Which engines run when: lanes side by side, slices one after the other. Data only; `scheduler` walks through it.

After SRTool's combination of strategies [srtool, section IX.4], which runs all of them side by side. Deviations:
as many lanes as there are jobs; what the program is like decides who comes first; a prover that does not come to
an end is paused, gives the others their turn and then goes on with twice the time and all facts told meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from counterpoint import engines
from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass

if TYPE_CHECKING:
    from counterpoint.portfolio.features import Features


@dataclass(frozen=True, slots=True)
class Slice:
    """An engine and its seconds, its share of what is left (the smaller if both); neither: all that is left.

    `options` are handed to the engine, as (name, value) pairs. At the end of its time it is paused, where others
    share the lane and `pause` allows it; else it is stopped. `apart`: it is another engine than without the options.
    `whole`: of memory safety it is first asked for a proof of all that is open, lost memory too, not of the rest first.
    """

    engine: str
    seconds: float | None = None
    share: float | None = None
    options: tuple[tuple[str, str], ...] = ()
    pause: bool = True
    apart: bool = False
    whole: bool = False

    @property
    def key(self) -> tuple[str, ...]:
        """Whose turns are counted together: the engine's, or those with these options, where they are `apart`."""
        return (self.engine, *(f"{name}={value}" for name, value in self.options)) if self.apart else (self.engine,)


@dataclass(frozen=True, slots=True)
class Lane:
    """One process at work at a time: the slices of `once`, then those of `again` in turn, each time twice as long.

    `after` seconds nothing starts here.
    """

    once: tuple[Slice, ...] = ()
    again: tuple[Slice, ...] = ()
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """The lanes. `shared`: a lane with nothing left to do takes what other lanes would repeat, then `idle`."""

    lanes: tuple[Lane, ...]
    shared: bool = False
    idle: Slice | None = None


# ---------------------------------------------------------------- the parts of `auto`

A_SECOND_OF_TESTS = Slice(
    "random", share=0.45, options=(("random.seconds", "1"), ("random.dull", "300000")), pause=False
)
"""Of searching, or less where 300,000 runs (0.2 s of a small program) covered nothing new: building a large program
natively takes a few seconds more, and so does running what was found behind long loops, which the check of the evidence
does once more."""

SOME_TESTS = Slice(
    "random", share=0.45, options=(("random.seconds", "0.3"), ("random.dull", "100000")), pause=False
)
MORE_TESTS = Slice(
    "random", share=0.45, options=(("random.seconds", "0.7"), ("random.dull", "300000")), pause=False
)
"""For one job, that second in two parts: a third of the violations that tests find they find in the first one."""

EARLY = Slice(
    "random", share=0.45, options=(("random.seconds", "1"), ("random.early", "true")), pause=False, apart=True
)
"""Of a large program, while it is looked at (portfolio/early.py)."""

AT_ONCE = Slice("bmc", seconds=0.5, share=0.3)
SHALLOW = Slice("bmc", seconds=1.5, share=0.3)
"""For one job, in two turns: most of what bmc can decide it decides at once."""

FIRST_PROVER = 3.5
"""Seconds that the first prover may have of its turn in between, for one job: most that it proves takes no longer."""

CASES = Slice("bmc", seconds=6.0, options=(("bmc.cases", "true"),), apart=True)
"""Where the text says that an input has few values and decides much: lengths, sizes, counts."""

BY_CONTRACT = Slice("houdini", seconds=4.0, options=(("prepare", "modular"),), apart=True)
"""Where comments say what functions need and leave behind: what they say is of the program with its functions."""

TESTS_BEHIND = 2.0
"""Seconds after which loop-free programs are tested as well: those that bmc decides at once need one process."""

PARSER_LOOPS = 4
"""Loops over arrays, one inside another, from which a program rather reads a format than fills its arrays."""

CONTROL = 60
"""Instructions of loops about scalars that are rather control flow than arithmetic: schedulers, protocols, drivers."""

Row: TypeAlias = "tuple[str, Callable[[Features], bool], tuple[Slice, ...]]"
"""What such programs are called, whether a program is one, and its provers."""

PROVERS: tuple[Row, ...] = (
    (
        "recursive",
        lambda f: f.recursive,
        (
            Slice("spacer", 1.5), Slice("houdini", 6.0), Slice("dash", 1.5), Slice("kinduction", 0.8),
            Slice("predicates", 0.8),
        ),
    ),
    (
        "lists",
        lambda f: f.heap and f.pointers,
        (
            Slice("houdini", 10.0, whole=True), Slice("kinduction", 1.0), Slice("dash", 0.8), Slice("spacer", 0.5),
            Slice("predicates", 0.5),
        ),
    ),
    (
        "arrays",
        lambda f: f.arrays or f.heap,
        (
            Slice("houdini", 13.5), Slice("kinduction", 1.0), Slice("dash", 1.0), Slice("spacer", 0.8),
            Slice("predicates", 0.8), Slice("ice", 2.0),
        ),
    ),
    (
        "nonlinear",
        lambda f: f.nonlinear,
        (
            Slice("houdini", 9.0), Slice("kinduction", 1.0), Slice("dash", 1.0), Slice("spacer", 0.8),
            Slice("predicates", 0.8), Slice("ice", 2.0),
        ),
    ),
    (
        "floats",
        lambda f: f.floats,
        (
            Slice("houdini", 1.5), Slice("dash", 1.0), Slice("kinduction", 1.0), Slice("predicates", 0.8),
            Slice("spacer", 0.5),
        ),
    ),
    (
        "control",
        lambda f: f.instructions >= CONTROL,
        (
            Slice("houdini", 1.5), Slice("ice", 11.0), Slice("predicates", 4.0), Slice("dash", 3.0),
            Slice("spacer", 0.8), Slice("kinduction", 0.8),
        ),
    ),
    (
        "other loops",
        lambda f: True,
        (
            Slice("houdini", 5.0), Slice("dash", 2.0), Slice("predicates", 2.0), Slice("spacer", 0.8),
            Slice("kinduction", 0.8), Slice("ice", 2.0),
        ),
    ),
)
"""Who proves, in which order and with how many seconds at first: the first row that fits the program. Behind it come
the engines that are not named here, each with the TURN that it declares. Of 18 labelled programs with products none was
decided by another prover once houdini had had 4.5 s, and one more by houdini in 9 s."""

SEARCHERS = frozenset({"bmc", "random", "dse"})
"""Engines that go through runs from their beginning to their end: what they prove is about lost memory as well."""

PLACED = frozenset(SEARCHERS | {part.engine for _, _, row in PROVERS for part in row})
"""Engines that are named here, or run by name only (dse)."""


def provers(features: Features, rows: tuple[Row, ...] = PROVERS) -> tuple[Slice, ...]:
    """The slices of the row that fits, as far as there are such engines, and of those that declare a turn."""
    known = engines.names()
    row = next(slices for _, fits, slices in rows if fits(features))
    more = [(name, engines.turn(name)) for name in known if name not in PLACED]
    return (
        *((BY_CONTRACT,) if features.annotated and BY_CONTRACT.engine in known else ()),
        *(part for part in row if part.engine in known),
        *(Slice(name, seconds) for name, seconds in more if seconds is not None),
    )


def automatic(jobs: int, features: Features | None, rows: tuple[Row, ...] = PROVERS) -> Schedule:
    """The schedule of `auto`, with other rows than PROVERS for trials; without features that for loops."""
    from counterpoint.portfolio.features import LOOPS

    features = features or LOOPS
    idle = Slice("random", pause=False)
    if features.loop_free:
        behind = (Lane((idle,), after=TESTS_BEHIND),) if jobs > 1 else ()
        return Schedule((Lane((Slice("bmc", share=0.65 if jobs == 1 else None),)), *behind), True, idle)
    proving = provers(features, rows)
    if jobs == 1:
        first, proving = _begun(features, proving)
        again = (*_in_cases(features), *proving, Slice("bmc", 4.0), Slice("random", 2.0, pause=False))
        return Schedule((Lane(first, again),), True, idle)
    deep = _falsifiers(features)
    if features.bounded or not proving:
        return Schedule((Lane(again=deep), *_side_by_side((A_SECOND_OF_TESTS,), proving, jobs - 1)), True, idle)
    return Schedule((Lane((A_SECOND_OF_TESTS,), deep), *_side_by_side((), proving, jobs - 1)), True, idle)


def _begun(features: Features, proving: tuple[Slice, ...]) -> tuple[tuple[Slice, ...], tuple[Slice, ...]]:
    """What one process begins with, and what is left for the provers then: the first one goes on where its turn is
    longer, else it comes back behind the others."""
    if features.bounded or not proving:
        return (replace(SHALLOW, seconds=2.0), A_SECOND_OF_TESTS), proving
    first, rest = proving[0], proving[1:]
    seconds = min(first.seconds or FIRST_PROVER, FIRST_PROVER)
    left = (first.seconds or seconds) - seconds
    begun = (SOME_TESTS, AT_ONCE, replace(first, seconds=seconds), MORE_TESTS, SHALLOW)
    return begun, (replace(first, seconds=left), *rest) if left else (*rest, first)


def _falsifiers(features: Features) -> tuple[Slice, ...]:
    """bmc and random in turn; programs with arrays, whose formulas are large, are tested for longer, but for parsers
    and codecs, which have few inputs and many loops."""
    cases = _in_cases(features)
    if "random" not in engines.names():
        return (*cases, Slice("bmc"))
    parser = features.arrays and features.nested and features.loops >= PARSER_LOOPS
    bmc, random = (6.0, 5.0) if parser else (4.0, 8.0) if features.arrays else (5.0, 5.0)
    return (Slice("bmc", bmc), *cases, Slice("random", random))


def _in_cases(features: Features) -> tuple[Slice, ...]:
    return (CASES,) if features.cases else ()


def _side_by_side(first: tuple[Slice, ...], slices: tuple[Slice, ...], lanes: int) -> tuple[Lane, ...]:
    """The slices dealt out to at most so many lanes; the first lane begins with `first`."""
    used = min(lanes, max(1, len(slices)))
    dealt = tuple(Lane((), slices[number::used]) for number in range(used))
    more = (Lane(),) if lanes > used else ()
    return (Lane(first, dealt[0].again), *dealt[1:], *more)


# ---------------------------------------------------------------- the whole


def schedule_for(names: tuple[str, ...], jobs: int, features: Features | None = None) -> Schedule:
    """The schedule of `--engine` and `--jobs`. Raises UnusableInput for an unknown engine.

    Named engines get a lane each while there are jobs; beyond that they share lanes, an equal part of the
    time each being left to the engine's own budget. Behind `auto`, `-NAME` leaves the turns of an engine out.
    """
    if is_automatic(names):
        return _without(automatic(jobs, features), frozenset(name[1:] for name in names[1:]))
    names = tuple(dict.fromkeys(names))
    lanes = min(jobs, len(names))
    return Schedule(tuple(Lane(tuple(Slice(name) for name in names[first::lanes])) for first in range(lanes)))


def _without(schedule: Schedule, names: frozenset[str]) -> Schedule:
    """The schedule without the turns of these engines; others have their time."""
    if not names:
        return schedule

    def kept(slices: tuple[Slice, ...]) -> tuple[Slice, ...]:
        return tuple(part for part in slices if part.engine not in names)

    lanes = tuple(replace(lane, once=kept(lane.once), again=kept(lane.again)) for lane in schedule.lanes)
    idle = schedule.idle if schedule.idle is not None and schedule.idle.engine not in names else None
    return replace(schedule, lanes=lanes, idle=idle)


def is_automatic(names: tuple[str, ...]) -> bool:
    """Whether this is `auto`, all of it or without the engines `-NAME`. Raises UnusableInput for a name that is neither
    that nor an engine's."""
    automatic = names[:1] == ("auto",)
    for name in names[1:] if automatic else names:
        engine = name.removeprefix("-") if automatic else name
        if automatic and engine == name:
            raise UnusableInput(f"`{name}` behind `auto`: it stands alone, or with engines that are left out, as -ice")
        if engine not in engines.names():
            raise UnusableInput(f"unknown engine `{name}`: choose auto or of {', '.join(engines.names())}")
    return automatic
