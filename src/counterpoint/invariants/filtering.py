"""Which guesses concrete runs refute: formulas become Python code that goes through a place's snapshots.

What a snapshot does not know (a component without a value, an array's index that was not noted) refutes
nothing. Ghosts stand for the noted indices of the formula's arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from counterpoint.core.records import dataclass
from counterpoint.execute.snapshots import Place, Snapshot, Snapshots
from counterpoint.semantics.facts import Fact, is_about_blocks, is_ghost
from counterpoint.term import meaning
from counterpoint.term.evaluate import ArrayValue, Value, evaluate
from counterpoint.term.sorts import ArraySort, BitVec
from counterpoint.term.term import Op, Term
from counterpoint.term.walk import reachable

CHUNK = 64
"""Formulas that are compiled together."""

LONGEST = 4_000
"""Characters of one formula's code; longer ones are evaluated as terms."""


def refuted(facts: Iterable[Fact], snapshots: Snapshots) -> set[Fact]:
    """The facts that are false in a snapshot of their place. About two microseconds per fact and snapshot."""
    by_place: dict[Place, list[Fact]] = {}
    for fact in facts:
        by_place.setdefault(fact.place, []).append(fact)
    found: set[Fact] = set()
    for place, some in by_place.items():
        visits = snapshots.at.get(place, ())
        if visits:
            found.update(_refuted_at(some, _Columns(visits)))
    return found


def surviving(facts: Iterable[Fact], snapshots: Snapshots) -> list[Fact]:
    """The others, in their order."""
    given = list(facts)
    out = refuted(given, snapshots)
    return [fact for fact in given if fact not in out]


def values_of(term: Term, visits: Sequence[Snapshot]) -> list[Any]:
    """What the term is at each visit; None where something that it needs is not known."""
    return column_of(term)(visits)


def column_of(term: Term) -> Callable[[Sequence[Snapshot]], list[Any]]:
    """`values_of` of this term, for those who ask for it again and again: its code is compiled once."""
    known, _ = _leaves(term)
    text = _text(term, {v: f"v{k}" for k, v in enumerate(known)})
    if text is None:
        return lambda visits: [None] * len(visits)
    names: dict[str, Any] = {"meaning": meaning}
    exec("\n".join(_value_function(known, text)), names)
    value: Callable[[Iterable[tuple[Any, ...]]], Iterable[Any]] = names["value"]

    def column(visits: Sequence[Snapshot]) -> list[Any]:
        columns = _Columns(visits)
        return list(value(zip(*(columns.of(v) for v in known), strict=True)))

    return column


# ---------------------------------------------------------------- values


@dataclass(slots=True)
class _Columns:
    """Values by variable; arrays as mappings that have just the noted indices."""

    visits: Sequence[Snapshot]
    _known: dict[Term, list[Any]] = field(default_factory=dict)

    def of(self, variable: Term) -> list[Any]:
        """None where a visit has no value."""
        if variable not in self._known:
            values = (visit.values.get(variable) for visit in self.visits)
            self._known[variable] = [_entries(variable, v) if isinstance(v, ArrayValue) else v for v in values]
        return self._known[variable]

    def rows(self, variables: Sequence[Term]) -> list[tuple[Any, ...]]:
        """The visits that have values for all; an array's indices last, if there are arrays."""
        rows: Iterable[tuple[Any, ...]] = zip(*(self.of(v) for v in variables), strict=True)
        return [row for row in rows if None not in row]


class _Live(dict[int, int]):
    """Liveness where all live blocks were noted (execute/component_values.py): what is not among them is dead."""

    def __missing__(self, index: int) -> int:
        return 0


def _entries(variable: Term, value: ArrayValue) -> Mapping[int, Value]:
    if str(variable.payload).startswith("live") and 0 in value.entries:
        return _Live(value.entries)
    return value.entries


def _refuted_at(facts: Sequence[Fact], columns: _Columns) -> Iterable[Fact]:
    written: list[tuple[Fact, tuple[Term, ...], list[str]]] = []
    for fact in facts:
        if isinstance(fact.formula, int):
            if not fact.formula:
                yield fact
            continue
        known, ghosts = _leaves(fact.formula)
        if not known:  # of ghosts alone: no state tells
            continue
        text = _text(fact.formula, {v: f"v{k}" for k, v in enumerate((*known, *ghosts))})
        if text is None:
            if not ghosts and _false_somewhere(fact.formula, known, columns):
                yield fact
        else:
            blocks = is_about_blocks(fact.formula)
            written.append((fact, known, _function(known, ghosts, text, len(written), blocks)))
    for start in range(0, len(written), CHUNK):
        names: dict[str, Any] = {"meaning": meaning}
        chunk = written[start : start + CHUNK]
        exec("\n".join(line for _, _, lines in chunk for line in lines), names)
        for number, (fact, known, _) in enumerate(chunk, start):
            test: Callable[[list[tuple[Any, ...]]], bool] = names[f"t{number}"]
            if test(columns.rows(known)):
                yield fact


def _false_somewhere(formula: Term, known: Sequence[Term], columns: _Columns) -> bool:
    if any(isinstance(v.sort, ArraySort) for v in known):
        return False
    names = [str(v.payload) for v in known]
    return any(not evaluate(formula, dict(zip(names, row, strict=True))) for row in columns.rows(known))


def _leaves(formula: Term) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """(variables, ghosts), in the order of their making."""
    leaves = [term for term in reachable([formula]) if term.op is Op.VARIABLE]
    return tuple(t for t in leaves if not is_ghost(t)), tuple(t for t in leaves if is_ghost(t))


# ---------------------------------------------------------------- code


def _function(
    known: Sequence[Term], ghosts: Sequence[Term], text: str, number: int, blocks: bool = False
) -> list[str]:
    """`def t<number>(rows)`: whether the formula is false in a row; `blocks`: ghosts are starts of live blocks."""
    arrays = [k for k, v in enumerate(known) if isinstance(v.sort, ArraySort)]
    asked = [k for k in arrays if not blocks or str(known[k].payload).startswith("live")]
    names = ", ".join(f"v{k}" for k in range(len(known)))
    lines = [f"def t{number}(rows):", f" for {names}{',' if len(known) == 1 else ''} in rows:"]
    indent = "  "
    if ghosts:
        lines.append(
            f"{indent}indices = sorted({{{', '.join(f'*v{k}' for k in asked)}}})" if arrays else "  indices = ()"
        )
        for k in range(len(known), len(known) + len(ghosts)):
            lines.append(f"{indent}for v{k} in indices:")
            indent += " "
    if arrays:
        lines += [f"{indent}try:", f"{indent} if not {text}: return True", f"{indent}except KeyError: pass"]
    else:
        lines.append(f"{indent}if not {text}: return True")
    return [*lines, " return False"]


def _value_function(known: Sequence[Term], text: str) -> list[str]:
    """`def value(rows)`: the term in each row, or None."""
    names = ", ".join(f"v{k}" for k in range(len(known)))
    lines = ["def value(rows):", f" for {names}{',' if len(known) == 1 else ''} in rows:", f"  if None in ({names},):"]
    return [*lines, "   yield None", "   continue", "  try:", f"   yield {text}", "  except KeyError:", "   yield None"]


def _text(formula: Term, names: Mapping[Term, str]) -> str | None:
    """The formula as a Python expression; None if an operator has no text, or if it gets too long."""
    texts: dict[Term, str] = {}
    for term in reachable([formula]):
        if term.op is Op.VARIABLE:
            texts[term] = names[term]
            continue
        template = _TEMPLATES.get(term.op)
        if template is None:
            return None
        arguments = [str(arg) if isinstance(arg, int) else texts[arg] for arg in term.args]
        texts[term] = text = f"({template(term, arguments)})"
        if len(text) > LONGEST:
            return None
    return texts[formula]


def _mask(term: Term) -> int:
    assert isinstance(term.sort, BitVec)
    return term.sort.mask


def _signed(text: str, width: object) -> str:
    assert isinstance(width, int)
    half = 1 << (width - 1)
    return str(int(text) ^ half) if text.isdecimal() else f"({text} ^ {half})"


def _sext(term: Term, a: Sequence[str]) -> str:
    assert isinstance(term.payload, int)
    half = 1 << (term.payload - 1)
    return f"({a[0]} ^ {half}) - {half} & {_mask(term)}"


def _call(name: str) -> Callable[[Term, Sequence[str]], str]:
    """A function of `meaning` that takes the width."""
    return lambda t, a: f"meaning.{name}({', '.join(a)}, {t.sort.width})"  # type: ignore[union-attr]


_TEMPLATES: Mapping[Op, Callable[[Term, Sequence[str]], str]] = {
    Op.NOT: lambda t, a: f"not {a[0]}",
    Op.AND: lambda t, a: f"{a[0]} and {a[1]}",
    Op.XOR: lambda t, a: f"bool({a[0]}) != bool({a[1]})",
    Op.ITE: lambda t, a: f"{a[1]} if {a[0]} else {a[2]}",
    Op.EQ: lambda t, a: f"{a[0]} == {a[1]}",
    Op.ULT: lambda t, a: f"{a[0]} < {a[1]}",
    Op.SLT: lambda t, a: f"{_signed(a[0], t.payload)} < {_signed(a[1], t.payload)}",
    Op.ADD: lambda t, a: f"{a[0]} + {a[1]} & {_mask(t)}",
    Op.SUB: lambda t, a: f"{a[0]} - {a[1]} & {_mask(t)}",
    Op.NEG: lambda t, a: f"-{a[0]} & {_mask(t)}",
    Op.MUL: lambda t, a: f"{a[0]} * {a[1]} & {_mask(t)}",
    Op.UDIV: _call("udiv"),
    Op.UREM: lambda t, a: f"meaning.urem({a[0]}, {a[1]})",
    Op.SDIV: _call("sdiv"),
    Op.SREM: _call("srem"),
    Op.BVAND: lambda t, a: f"{a[0]} & {a[1]}",
    Op.BVOR: lambda t, a: f"{a[0]} | {a[1]}",
    Op.BVXOR: lambda t, a: f"{a[0]} ^ {a[1]}",
    Op.BVNOT: lambda t, a: f"{a[0]} ^ {_mask(t)}",
    Op.SHL: _call("shl"),
    Op.LSHR: _call("lshr"),
    Op.ASHR: _call("ashr"),
    Op.CONCAT: lambda t, a: f"{a[0]} << {t.payload} | {a[1]}",
    Op.EXTRACT: lambda t, a: f"{a[0]} >> {t.payload} & {_mask(t)}",
    Op.ZEXT: lambda t, a: a[0],
    Op.SEXT: _sext,
    Op.SELECT: lambda t, a: f"{a[0]}[{a[1]}]",
}
