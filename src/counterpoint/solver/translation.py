"""Terms into a backend's own: each shared node once per solver, without recursion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, Protocol, TypeVar

from counterpoint.term.division_laws import MEANT, DivisionLaws
from counterpoint.term.sorts import BOOL, Sort
from counterpoint.term.term import Op, Term, V, argument_sorts
from counterpoint.term.term import variable as make_variable
from counterpoint.term.walk import reachable_outside

N = TypeVar("N")


class Target(Protocol[N]):
    """What a backend supplies to be translated to."""

    def constant(self, value: int, sort: Sort) -> N:
        """The constant `value` (bits, for floats)."""
        ...

    def unknown(self, name: str, sort: Sort) -> N:
        """A new uninterpreted constant."""
        ...

    def apply(self, term: Term, args: list[N]) -> N:
        """The operator of `term`, none of VARIABLE, ADDRESS, BITS_FROM_FP, on translated arguments."""
        ...

    def has_bits(self, bits: N, value: N, term: Term) -> N:
        """The formula that the float `value` (whose sort is that of term's argument) has these bits."""
        ...


class Translation(Generic[N]):
    """A term -> native map that grows. `definitions` are formulas that must hold with what it holds, and laws of what
    is divided there."""

    def __init__(self, target: Target[N], addresses: Mapping[int, V]) -> None:
        self._target = target
        self._addresses = addresses
        self._constants: dict[tuple[int, Sort], N] = {}
        self.native: dict[Term, N] = {}
        self.leaves: dict[Term, N] = {}
        """VARIABLE, free ADDRESS and BITS_FROM_FP terms, whose values a model can be asked for."""
        self.definitions: list[N] = []
        self._laws = DivisionLaws()

    def of(self, formula: V) -> N:
        """The translation of a Bool."""
        if isinstance(formula, int):
            return self.constant(formula, BOOL)
        found = self.native.get(formula)
        if found is None:
            self._extend(formula)
            found = self.native[formula]
        return found

    def constant(self, value: int, sort: Sort) -> N:
        """A constant, made once."""
        key = (value, sort)
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._target.constant(value, sort)
        return found

    def _extend(self, root: Term) -> None:
        native = self.native
        apply = self._target.apply
        divided: list[Term] = []
        for term in reachable_outside((root,), native):
            op = term.op
            if op is Op.VARIABLE:
                native[term] = self.leaves[term] = self._target.unknown(str(term.payload), term.sort)
            elif op is Op.ADDRESS:
                native[term] = self._address(term)
            elif op is Op.OWNED:
                native[term] = self._arguments(term)[0]
            elif op is Op.BITS_FROM_FP:
                native[term] = self._bits(term)
            else:
                args = term.args
                for arg in args:
                    if type(arg) is int:
                        native[term] = apply(term, self._arguments(term))
                        break
                else:
                    native[term] = apply(term, [native[arg] for arg in args])  # type: ignore[index]
                if op in MEANT:
                    divided.append(term)
        for law in self._laws.of(divided):
            self.definitions.append(self.of(law))

    def _arguments(self, term: Term) -> list[N]:
        return [
            self.constant(arg, sort) if isinstance(arg, int) else self.native[arg]
            for arg, sort in zip(term.args, argument_sorts(term), strict=True)
        ]

    def _address(self, term: Term) -> N:
        assert isinstance(term.payload, int)
        known = self._addresses.get(term.payload)
        if known is None:
            unknown = make_variable(f"addr!{term.payload}", term.sort)
            found = self.of(unknown)
            self.leaves[term] = found
            return found
        return self.constant(known, term.sort) if isinstance(known, int) else self.of(known)

    def _bits(self, term: Term) -> N:
        """Bits of the NaN are the solver's free choice: a fresh unknown whose float is the given one."""
        bits = self._target.unknown(f"bits!{len(self.leaves)}", term.sort)
        (value,) = self._arguments(term)
        self.leaves[term] = bits
        self.definitions.append(self._target.has_bits(bits, value, term))
        return bits
