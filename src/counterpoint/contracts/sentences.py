"""What holds when a function returns, as clauses: under which condition before the call what holds behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from counterpoint.contracts.names import width_of
from counterpoint.contracts.views import Seen, View
from counterpoint.contracts.wording import ACSL, CPROVER, Unsayable, Words, disjuncts
from counterpoint.core.records import dataclass
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import reachable, substitute, variables

_DIVISIONS: Final = frozenset({Op.UDIV, Op.UREM, Op.SDIV, Op.SREM})


@dataclass(frozen=True, slots=True)
class Sentence:
    """`assumes` as read before the call ("" for none), `ensures` as read behind it, with the condition inside `whole`;
    `cprover`: the whole for CBMC."""

    assumes: str
    ensures: str
    whole: str
    cprover: str


@dataclass(frozen=True, slots=True)
class Sayer:
    """Says formulas about one view of the function. `required`: what calls fulfil, as texts: where these say that a
    divisor is not 0, that is no condition of what is said with it."""

    view: View
    names: Mapping[Term, Seen]
    parameters: frozenset[str]
    long_bits: int
    required: frozenset[str] = frozenset()

    def words(self, language: str = ACSL, before: bool = False, given: frozenset[V] = frozenset()) -> Words:
        return Words(self.names, self.parameters, language, before, self.long_bits, given)

    def sentence(self, formula: V) -> Sentence | None:
        """None where the languages have no words for it."""
        try:
            return self._sentence(formula)
        except Unsayable:
            return None

    def _sentence(self, formula: V) -> Sentence:
        premises, conclusions = list[V](), list[V]()
        for part in disjuncts(formula):
            about = [self.names[v] for v in variables(part)]
            inputs = all(seen.old or seen.argument for seen in about)
            (premises if inputs else conclusions).append(part)
        if not conclusions:
            premises, conclusions = [], premises
        needs = dict.fromkeys(n for v in variables(formula) for n in self.names[v].needs)
        divides = [one for one in self._divisors(formula) if one not in map(build.not_, premises)]
        required = frozenset(one for one in divides if self.words(before=True).condition(one) in self.required)
        premises += [build.not_(one) for one in divides if one not in required]
        premise, conclusion = build.conjunction([build.not_(p) for p in premises]), build.disjunction(conclusions)
        acsl = self._guarded(premise, conclusion, list(needs), required, ACSL)
        try:
            other = self._guarded(premise, conclusion, list(needs), required, CPROVER)[2]
        except Unsayable:
            other = ""
        return Sentence(acsl[0], acsl[1], acsl[2], "" if "strlen" in other else other)

    def _divisors(self, formula: V) -> list[V]:
        """That what the call is given and divisions divide by is not 0."""
        divisions = (term for term in reachable([formula]) if term.op in _DIVISIONS)
        divisors = dict.fromkeys((term.args[1], width_of(term)) for term in divisions)
        return [
            build.ne(divisor, 0, width)
            for divisor, width in divisors
            if isinstance(divisor, Term)
            and all(v in self.names and (self.names[v].old or self.names[v].argument) for v in variables(divisor))
        ]

    def _guarded(
        self, premise: V, conclusion: V, needs: list[str], required: frozenset[V], language: str
    ) -> tuple[str, str, str]:
        parts = _conjuncts(premise) if premise != 1 else []
        given = required.union(parts)
        conclusion = substitute(conclusion, _decided(parts))
        after, before = self.words(language, given=given), self.words(language, before=True)
        null = "\\null" if language == ACSL else "(void *)0"
        own = [before.condition(part) for part in parts]
        if any(f"{need} == {null}" in own for need in needs):
            raise Unsayable  # it speaks of nothing
        guards = [f"{need} != {null}" for need in needs]
        assumes = " && ".join(dict.fromkeys((*guards, *(_bracketed(part) for part in own))))
        old = [f"{need if after.is_fixed(need) else after.old(need)} != {null}" for need in needs]
        said = [after.condition(part) for part in parts]
        inside = " && ".join(dict.fromkeys((*old, *(_bracketed(part) for part in said))))
        ensures = after.condition(conclusion)
        arrow = "==>"
        whole = f"{inside} {arrow} {_bracketed(ensures)}" if inside else ensures
        if self.view.array:
            k, length = self.view.index, self.view.length
            range_ = f"0 <= {k} < {length}" if language == ACSL else f"{k} < {length}"
            if language == ACSL:
                whole = f"\\forall integer {k}; {range_} ==> {_bracketed(whole, '==>')}"
            else:
                whole = f"__CPROVER_forall {{ unsigned long {k}; ({range_}) ==> ({whole}) }}"
            return "", whole, whole
        return assumes, ensures, whole


def _conjuncts(formula: V) -> list[V]:
    return [build.not_(part) for part in disjuncts(build.not_(formula))]


def _decided(parts: Iterable[V]) -> dict[Term, V]:
    """What is true where all of them hold."""
    found: dict[Term, V] = {}
    for part in parts:
        if isinstance(part, Term):
            inner = part.args[0] if part.op is Op.NOT else None
            found |= {inner: 0} if isinstance(inner, Term) else {part: 1}
    return found


def _bracketed(text: str, *signs: str) -> str:
    return f"({text})" if any(sign in text for sign in ("||", *signs)) and not _is_one_group(text) else text


def _is_one_group(text: str) -> bool:
    """The parenthesis that it begins with ends where it ends: not so in `(a && b) || c`."""
    depth = 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return letter == ")" and position == len(text) - 1
    return False
