"""What a run finds in variables that were never written, by the names that the source has for their parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from counterpoint.explain.expressions import Expressions
from counterpoint.program import model as p
from counterpoint.program.inputs import Input, ScalarInput
from counterpoint.program.types import size_in_bytes

MOST_NAMES: Final = 5


def undetermined(program: p.Program, inputs: Iterable[Input]) -> tuple[str, ...]:
    """`r.len`: parts of variables that were not 0 when their lives began, though nothing was written to them."""
    wanted = {
        item.site
        for item in inputs
        if isinstance(item, ScalarInput)
        and item.value
        and 0 <= item.site < len(program.sites)
        and program.sites[item.site].kind == "uninitialised"
    }
    names = {name: None for site, name in _cells(program, wanted).items()} if wanted else {}
    return tuple(names)[:MOST_NAMES]


def _cells(program: p.Program, sites: set[int]) -> Mapping[int, str]:
    found: dict[int, str] = {}
    for function in program.functions.values():
        known = Expressions(program.names, function)
        for i in (i for block in function.blocks for i in block.instructions if isinstance(i, p.Store)):
            made = known.made(i.value)
            if not isinstance(made, p.Nondet) or made.site not in sites:
                continue
            view = known.place(i.address, size_in_bytes(i.value.type))
            if view is not None:
                found[made.site] = view.whole
    return dict(sorted(found.items()))
