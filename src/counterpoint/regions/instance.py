"""Instances of a region's or step's formulas, one for each time that a run is there; and the way back.

A formula without a time is over the symbols of one place: the components there, and unknowns of the region or step that
begins there. An instance says what these are at one time: at a depth of a chain, in front of an edge of a trace, in an
activation, at the end of a way, in the region's own terms. It is what `at_time` and `untime` of pono's Unroller do, or
CPAchecker's SSA maps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Final

from counterpoint.core.records import dataclass
from counterpoint.semantics.components import Component, variable_of
from counterpoint.semantics.facts import is_ghost
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, reachable_outside, substitute, substitute_all, variables

STATIC: Final = "static|"
"""How symbols begin that are shared by all instances: addresses of functions, and of globals that are no component."""

_SYMBOLS: Final = (Op.VARIABLE, Op.ADDRESS)


def is_static(symbol: Term) -> bool:
    """See STATIC."""
    return str(symbol.payload).startswith(STATIC)


def tagged(symbol: Term, tag: str) -> Term:
    """The copy with this tag of a variable, an address, or an element of an array (a SELECT at a constant index)."""
    match symbol.op, symbol.args:
        case Op.SELECT, (Term(payload=array), int(index)):
            name = f"{array}[{index}]"
        case Op.ADDRESS, _:
            name = f"&{symbol.payload}"
        case _:
            name = str(symbol.payload)
    return build.variable(f"{name}{tag}", symbol.sort)


@dataclass(slots=True, eq=False)
class Instance:
    """`values` are the components at this time. With a `tag` each unknown has a copy of its own, but those that are
    `shared` by all instances; without one (the region's own terms) unknowns stay as they are. Ghosts always do."""

    values: Mapping[Term, V]
    tag: str | None = None
    shared: Callable[[Term], bool] = is_static
    _copies: dict[Term, V] = field(default_factory=dict)
    _symbols: dict[Term, V] | None = None

    # ------------------------------------------------------------ into the instance

    def meaning(self, symbol: Term) -> V:
        """What a component, or an unknown, is at this time."""
        found = self.values.get(symbol)
        if found is None and self.tag is not None:
            found = self._copies.get(symbol)
            if found is None:
                stays = is_ghost(symbol) or self.shared(symbol)
                found = self._copies[symbol] = symbol if stays else tagged(symbol, self.tag)
        return symbol if found is None else found

    def define(self, unknown: Term, value: V) -> None:
        """The unknown is this from now on, rather than a copy with the tag."""
        self._copies[unknown] = value

    def of(self, formula: V) -> V:
        """A formula (or other term) without a time, at this time."""
        return self.of_all((formula,))[0]

    def of_all(self, formulas: Iterable[V]) -> list[V]:
        """`of` for several."""
        if self.tag is None:
            return substitute_all(formulas, self.values)
        formulas, values = list(formulas), self.values
        symbols = [term for term in reachable(formulas) if term.op in _SYMBOLS or term in values]
        return substitute_all(formulas, {symbol: self.meaning(symbol) for symbol in symbols})

    def covers(self, formula: V) -> bool:
        """All its variables but ghosts are components with a value here."""
        return all(variable in self.values or is_ghost(variable) for variable in variables(formula))

    # ------------------------------------------------------------ and back

    def back(self, formula: V) -> V | None:
        """What the formula says, over the components and ghosts, without a time; None if it speaks of anything else."""
        return self.back_all((formula,))[0]

    def back_all(self, formulas: Iterable[V]) -> list[V | None]:
        """`back` for several."""
        return [new if self._is_over_components(new) else None for new in substitute_all(formulas, self._inverse())]

    def back_with(self, formulas: Iterable[V], name: Callable[[Term], V]) -> list[V]:
        """`back` for several formulas, with names for what no component stands for."""
        formulas, known = list(formulas), self._inverse()
        others = [t for t in reachable_outside(formulas, known) if t.op in _SYMBOLS and t not in self.values]
        return substitute_all(formulas, {**known, **{other: name(other) for other in others}})

    def strangers(self, formula: V) -> list[Term]:
        """The variables that keep `back` from answering."""
        known = self._inverse()
        return [variable for variable in variables(formula) if variable not in known]

    def _is_over_components(self, formula: V) -> bool:
        for term in reachable_outside((formula,), self.values):
            if term.op is Op.ADDRESS or (term.op is Op.VARIABLE and not is_ghost(term)):
                return False
        return True

    def _inverse(self) -> dict[Term, V]:
        if self._symbols is None:
            self._symbols = inverse(self.values)
        return self._symbols


def inverse(values: Mapping[Term, V]) -> dict[Term, V]:
    """What stands for the terms that are components' whole values; the first component wins.

    Registers whose low bits are known to be 0 have a value that is a variable shifted up: it inverts, too. An
    object's address is its Base rather than a register that holds it.
    """
    found: dict[Term, V] = {}
    for variable, value in values.items():
        if not isinstance(value, Term):
            continue
        if value.op is Op.VARIABLE:
            found.setdefault(value, variable)
        elif value.op is Op.ADDRESS:
            if value not in found or str(variable.payload).startswith("&"):
                found[value] = variable
        elif value.op is Op.CONCAT and value.args[1] == 0:
            high, low, sort = value.args[0], value.payload, value.sort
            if isinstance(high, Term) and high.op is Op.VARIABLE and isinstance(low, int) and isinstance(sort, BitVec):
                found.setdefault(value, variable)
                found.setdefault(high, build.extract(sort.width - 1, low, variable, sort.width))
    return found


def by_component(values: Mapping[Component, V], pointer_bits: int) -> dict[Term, V]:
    """The values of components by their variables; see cutpoint.value_of for where they come from."""
    return {variable_of(component, pointer_bits): value for component, value in values.items()}


def placed(formula: V, value: Callable[[Term], V | None]) -> V:
    """A formula over components where these have such values; what has none is arbitrary."""
    return substitute(formula, {v: _known(v, value(v)) for v in variables(formula)})


def _known(variable: Term, value: V | None) -> V:
    return build.variable(f"any.{variable.payload}", variable.sort) if value is None else value
