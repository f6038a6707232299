"""A certificate's facts for people: C expressions over source names, by loop and function."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import assert_never

from counterpoint.core.source import SourceLocation
from counterpoint.evidence.verdict import (
    Certificate,
    CompleteUnrolling,
    FunctionSummaries,
    InductiveInvariants,
    KInductive,
    RegionGraph,
)
from counterpoint.portfolio.result import Invariant
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, is_ghost
from counterpoint.term import build
from counterpoint.term.infix import infix
from counterpoint.term.term import Term, V
from counterpoint.term.walk import conjuncts, variables

_GHOSTS = "klmnopqr"
_ELEMENTS = re.compile(r"\[\*(?::\d+)?\]\Z")
_WHOLE = re.compile(r"\[0:(\d+)\]\Z")
_LOCAL = re.compile(r"\A(?:.*\.)?([^.#]+)#\d+")


def facts_of(program: m.Program, certificate: Certificate) -> Sequence[Fact]:
    """What the certificate says of places. A graph of regions: at each loop, and around the calls of a function, that
    the run is in one of the regions there; nothing where that is no news."""
    match certificate:
        case CompleteUnrolling():
            return ()
        case InductiveInvariants(_, facts) | FunctionSummaries(_, facts) | KInductive(_, _, facts):
            return facts
        case RegionGraph(_, regions):
            return _covering(program, regions)
        case other:
            assert_never(other)


def _covering(program: m.Program, regions: Iterable[Fact]) -> list[Fact]:
    by_place: dict[tuple[str, int], list[V]] = {}
    for region in regions:
        by_place.setdefault(region.place, []).append(region.formula)
    found = [Fact(*place, build.disjunction(formulas)) for place, formulas in by_place.items()]
    return [fact for fact in found if fact.formula != 1 and _is_boundary(program, fact)]


def _is_boundary(program: m.Program, fact: Fact) -> bool:
    called = fact.function != program.entry and fact.block in (0, EXIT)
    return called or fact.block in loop_heads(program.functions[fact.function])


def invariants_of(program: m.Program, facts: Iterable[Fact]) -> tuple[Invariant, ...]:
    """One for each place that the facts are about, in the order of functions and blocks."""
    found: list[Invariant] = []
    by_place: dict[tuple[str, int], list[V]] = {}
    for fact in facts:
        by_place.setdefault(fact.place, []).extend(conjuncts(fact.formula) or [1])
    for (name, block), formulas in sorted(by_place.items(), key=lambda item: (item[0][0], item[0][1] == EXIT, item[0])):
        function = program.functions[name]
        names = _Names(function, formulas)
        if block == EXIT:
            where = f"at the end of {name}"
        else:
            where = f"calls of {name}" if block == 0 and name != program.entry else "loop"
        at = _location(function, max(block, 0))
        found.append(Invariant(where, at, tuple(names.text(formula) for formula in formulas)))
    return tuple(found)


def _location(function: m.Function, block: int) -> SourceLocation:
    body = function.blocks[block]
    return body.instructions[0].at if body.instructions else body.terminator.at


class _Names:
    """Source names of the components in some formulas about one place; full ones where short ones are ambiguous."""

    def __init__(self, function: m.Function, formulas: Sequence[V]) -> None:
        registers = {f"{function.name}%{register.index}": register.name for register in _registers(function)}
        full = {v: _full_name(str(v.payload), registers, function) for v in variables(*formulas)}
        short = {v: name.split(".")[0] or name for v, name in full.items()}
        taken = list(short.values())
        self.names = {v: short[v] if taken.count(short[v]) == 1 else name for v, name in full.items()}

    def text(self, formula: V) -> str:
        ghosts = [self._of(v) for v in variables(formula) if is_ghost(v)]
        said = infix(formula, self._of)
        return f"for all {', '.join(ghosts)}: {said}" if ghosts else said

    def _of(self, variable: Term) -> str:
        return self.names[variable]


def _full_name(component: str, registers: dict[str, str], function: m.Function) -> str:
    """Components are named in semantics/components.py."""
    if component in registers:
        return registers[component] or f"%{component.rpartition('%')[2]}"
    if component.startswith("forall."):
        number = component.removeprefix("forall.")
        return _GHOSTS[int(number)] if number.isdigit() and int(number) < len(_GHOSTS) else f"k{number}"
    if component.startswith(f"{function.name}.result"):
        return "\\result"
    kept = _WHOLE.sub("", _ELEMENTS.sub("", component))
    for prefix in ("&", "live ", "size "):
        if kept.startswith(prefix):
            inner = _LOCAL.sub(r"\1", kept.removeprefix(prefix))
            return f"&{inner}" if prefix == "&" else f"{prefix.strip()}({inner})"
    return _LOCAL.sub(r"\1", kept)


def _registers(function: m.Function) -> Iterable[m.Register]:
    yield from function.parameters
    for block in function.blocks:
        yield from block.parameters
        for instruction in block.instructions:
            if isinstance(instruction, m.Call):
                yield from instruction.results
            elif isinstance(result := getattr(instruction, "result", None), m.Register):
                yield result
