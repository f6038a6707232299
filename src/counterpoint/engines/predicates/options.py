"""What can be set for predicate abstraction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from counterpoint.core.errors import UnusableInput
from counterpoint.core.records import dataclass
from counterpoint.engines.predicates.refinement.explanations import Split
from counterpoint.engines.protocol import Option
from counterpoint.execute.subject import CALLED, FLAT, INLINED, MODULAR, STATEMENTS, UNPREPARED
from counterpoint.regions.locations import BASIC, LARGE, Granularity

SINGLE: Final = "single"

OPTIONS = (
    Option("predicates.strategy", "abstraction", "abstract posts over predicates, or interpolants as labels (impact)"),
    Option("predicates.block", "large", "abstraction at loop heads (large), every block (basic) or statement (single)"),
    Option("predicates.calls", FLAT, "all calls inlined but recursive ones (flat), or functions kept (modular)"),
    Option("predicates.abstraction", "boolean", "combinations of predicates are kept (boolean), or not (cartesian)"),
    Option("predicates.split", "atoms", "predicates are the interpolants' atoms, or their conjuncts"),
    Option("predicates.traces", "path", "interpolated is one path of an error trace (path), or all together (merged)"),
    Option("predicates.trials", "true", "the program is run now and then, for what long loops hide"),
    Option("predicates.facts", "true", "assume cheap invariants at loop heads when it takes long (large only)"),
    Option("predicates.boolean_program", "false", "SLAM: check a Boolean program of the predicates anew each time"),
    Option("predicates.scope", "function", "SLAM: track predicates in the whole function, or where found (place)"),
    Option("predicates.solver", "bitwuzla", "the backend of the abstraction's queries"),
)

_ALLOWED: Final = {
    "predicates.strategy": ("abstraction", "impact"),
    "predicates.block": (SINGLE, BASIC, LARGE),
    "predicates.calls": (FLAT, MODULAR),
    "predicates.abstraction": ("boolean", "cartesian"),
    "predicates.split": ("atoms", "conjuncts"),
    "predicates.traces": ("path", "merged"),
    "predicates.trials": ("true", "false"),
    "predicates.facts": ("true", "false"),
    "predicates.boolean_program": ("true", "false"),
    "predicates.scope": ("place", "function"),
}


@dataclass(frozen=True, slots=True)
class Options:
    """See OPTIONS."""

    block: Granularity = LARGE
    boolean: bool = True
    split: Split = "atoms"
    single: bool = True
    solver: str = "bitwuzla"
    preparation: str = FLAT
    impact: bool = False
    trials: bool = True
    facts: bool = True
    slam: bool = False
    functions: bool = True

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """Raises UnusableInput for what is not one of the values."""
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        for name, allowed in _ALLOWED.items():
            if chosen[name] not in allowed:
                raise UnusableInput(f"option {name}: `{chosen[name]}` is not one of {', '.join(allowed)}")
        block = chosen["predicates.block"]
        if chosen["predicates.boolean_program"] == "true" and chosen["predicates.strategy"] != "abstraction":
            raise UnusableInput("option predicates.boolean_program: it is a strategy of its own, give no other one")
        return cls(
            LARGE if block == LARGE else BASIC,
            chosen["predicates.abstraction"] == "boolean",
            "atoms" if chosen["predicates.split"] == "atoms" else "conjuncts",
            chosen["predicates.traces"] == "path",
            chosen["predicates.solver"],
            preparation(options),
            chosen["predicates.strategy"] == "impact",
            chosen["predicates.trials"] == "true",
            chosen["predicates.facts"] == "true" and block == LARGE,
            slam=chosen["predicates.boolean_program"] == "true",
            functions=chosen["predicates.scope"] == "function",
        )


def preparation(options: Mapping[str, str]) -> str:
    """What predicate abstraction works on. Statements stay what they are only where nothing is prepared."""
    if options.get("predicates.block") == SINGLE:
        return STATEMENTS
    if options.get("prepare") == UNPREPARED:
        return INLINED
    if options.get("prepare") == MODULAR:
        return MODULAR
    return FLAT if options.get("predicates.calls", FLAT) == FLAT else CALLED
