"""What can be set for DASH."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Option
from counterpoint.execute.subject import CALLED, FLAT, INLINED, MODULAR, UNPREPARED
from counterpoint.regions.locations import BASIC, LARGE, Granularity

OPTIONS = (
    Option("dash.block", LARGE, "where regions are: at every basic block (basic), or at loop heads only (large)"),
    Option("dash.calls", FLAT, "calls are inlined unless they are recursive (flat), or functions are kept (modular)"),
    Option("dash.refine", "wp", "what splits a region: weakest preconditions (wp), or interpolants (interpolant)"),
    Option("dash.targets", "true", "remove edges that no state of a region can take, whatever its past (section 3.4)"),
    Option("dash.paths", "single", "states of tests are those of one path (single) or of all up to a place (merged)"),
    Option("dash.facts", "true", "assume cheap invariants at loop heads when refinement takes long (large only)"),
    Option("dash.depth", "100", "places after which a test is stopped, from the frontier that it extends"),
    Option("dash.solver", "bitwuzla", "the backend of its queries"),
    Option("dash.workers", "1", "processes that answer queries at the same time, the probable next ones as well"),
    Option("dash.cluster", "", "run them with Ray, on the cluster at this address, or `local`"),
)

Refine: TypeAlias = Literal["wp", "interpolant"]


@dataclass(frozen=True, slots=True)
class Options:
    """See OPTIONS."""

    block: Granularity = LARGE
    refine: Refine = "wp"
    targets: bool = True
    facts: bool = True
    depth: int = 100
    solver: str = "bitwuzla"
    single: bool = True
    workers: int = 1
    cluster: str = ""

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """Raises UnusableInput for what is not one of the values."""
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        block, refine = chosen["dash.block"], chosen["dash.refine"]
        for name, allowed in (
            ("dash.block", get_args(Granularity)),
            ("dash.calls", (FLAT, MODULAR)),
            ("dash.refine", get_args(Refine)),
            ("dash.targets", ("true", "false")),
            ("dash.paths", ("single", "merged")),
            ("dash.facts", ("true", "false")),
        ):
            if chosen[name] not in allowed:
                raise UnusableInput(f"option {name}: `{chosen[name]}` is not one of {', '.join(allowed)}")
        for name in ("dash.depth", "dash.workers"):
            if not chosen[name].isdecimal() or int(chosen[name]) < 1:
                raise UnusableInput(f"option {name}: `{chosen[name]}` is not a number from 1 up")
        return cls(
            BASIC if block == BASIC else LARGE,
            "interpolant" if refine == "interpolant" else "wp",
            chosen["dash.targets"] == "true",
            chosen["dash.facts"] == "true",
            int(chosen["dash.depth"]),
            chosen["dash.solver"],
            chosen["dash.paths"] == "single",
            int(chosen["dash.workers"]),
            chosen["dash.cluster"],
        )


def preparation(options: Mapping[str, str]) -> str:
    """What DASH works on: unprepared programs with their calls inlined, as the thesis does."""
    if options.get("prepare") == UNPREPARED:
        return INLINED
    if options.get("prepare") == MODULAR:
        return MODULAR
    return CALLED if options.get("dash.calls") == MODULAR else FLAT
