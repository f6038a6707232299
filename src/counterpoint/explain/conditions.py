"""Combinations of predicates in words: C expressions, one for each thing that holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from counterpoint.explain.clauses import Clause, readable
from counterpoint.explain.names import Names
from counterpoint.logic.state_sets import States
from counterpoint.semantics.facts import is_ghost
from counterpoint.term import build
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts, variables

FEW: Final = 2
"""Constants that one term is compared with up to which each comparison stands for itself."""

MORE: Final = ".."
"""Says that something was left out."""


def said(names: Names, formula: V, states: States | None = None) -> list[str]:
    """What the formula says, each text true by itself: literals first, then clauses, or one text with all cases.

    C, but for `x is one of 1, 2, 3`, `x is none of 1, 2, 3` and a last `..` where there is more to say. `states` as in
    `readable`.
    """
    found = readable(formula, states)
    if found is None:
        return [names.text(part) for part in conjuncts(formula)]
    facts = [fact for fact in found.facts if not all(_internal(variable) for variable in variables(fact))]
    alone = not (facts or found.clauses or found.cases)
    texts = _joined(names, found.facts if alone else facts, equal=False)
    texts += sorted((_clause(names, clause) for clause in found.clauses), key=lambda text: (text.count("||"), text))
    if found.cases:
        texts.append(_cases(names, found.cases))
    return texts if found.whole else [*texts, MORE]


def _clause(names: Names, clause: Clause) -> str:
    if _quantified(clause):
        return names.text(build.disjunction(clause))
    return " || ".join(_joined(names, clause, equal=True))


def _cases(names: Names, cases: Iterable[Clause]) -> str:
    if any(map(_quantified, cases)):
        return names.text(build.disjunction(map(build.conjunction, cases)))
    texts = sorted(" && ".join(_joined(names, case, equal=False)) for case in cases)
    return " || ".join(f"({text})" if " && " in text else text for text in texts)


def _internal(variable: Term) -> bool:
    """The counter of allocations has no name in the source; facts about it alone tell the user nothing."""
    return variable.payload == "counter"


def _quantified(literals: Iterable[V]) -> bool:
    return any(is_ghost(variable) for variable in variables(*literals))


def _joined(names: Names, literals: Sequence[V], *, equal: bool) -> list[str]:
    """The literals' texts; more than FEW that compare one term with constants, in the same way, are one text.
    `equal`: in a disjunction, where `==` are joined and come last; else `!=` are, and `==` come first."""
    families: dict[Term, list[V]] = {}
    for literal in literals:
        term = _compared(literal, equal)
        if term is not None:
            families.setdefault(term, []).append(literal)
    many = {term: family for term, family in families.items() if len(family) > FEW}
    joined = {literal for family in many.values() for literal in family}
    alone = [literal for literal in literals if literal not in joined]
    told = sorted(((_compared(literal, True) is None) != equal, names.text(literal)) for literal in alone)
    texts = [text for _, text in told]
    for family in many.values():
        whole = [names.text(literal) for literal in sorted(family, key=_constant)]
        constants = ", ".join(text.rpartition(" ")[2] for text in whole)
        texts.append(f"{whole[0].rpartition(' ')[0].rpartition(' ')[0]} is {'one' if equal else 'none'} of {constants}")
    return texts


def _compared(literal: V, equal: bool) -> Term | None:
    """The term of `term == constant`, or of `term != constant`."""
    atom = literal if equal else _denied(literal)
    if isinstance(atom, Term) and atom.op is Op.EQ:
        terms = [arg for arg in atom.args if isinstance(arg, Term)]
        return terms[0] if len(terms) == 1 else None
    return None


def _denied(literal: V) -> V:
    return build.not_(literal) if isinstance(literal, Term) and literal.op is Op.NOT else 1


def _constant(literal: V) -> int:
    """What the term is compared with, as a signed number."""
    atom = literal if isinstance(literal, Term) and literal.op is Op.EQ else build.not_(literal)
    assert isinstance(atom, Term) and isinstance(atom.payload, int)
    (value,) = (arg for arg in atom.args if isinstance(arg, int))
    return value - (1 << atom.payload) if value >> (atom.payload - 1) else value
