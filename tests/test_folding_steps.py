"""Deep answers of constructors are confirmed by steps, with older equations given."""

from __future__ import annotations

from typing import Any

import pytest

from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.solver import folding
from counterpoint.solver.folding import Confirmation, Unconfirmed, confirm
from counterpoint.solver.processes import Solvers
from counterpoint.solver.race import RACERS
from counterpoint.term import bits, build
from counterpoint.term.folds import Folds, recording
from counterpoint.term.general import general
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Op, Term, V, intern
from counterpoint.term.walk import reachable

WORD = 32


def _rotated(x: V, amount: int) -> V:
    return build.bvor(build.shl(x, amount, WORD), build.lshr(x, WORD - amount, WORD), WORD)


def _schedule(words: int) -> list[V]:
    """That of SHA-1: each word is four earlier ones, rotated by one bit."""
    made: list[V] = [build.variable(f"w{n}", BitVec(WORD)) for n in range(16)]
    for n in range(16, words):
        joined = made[n - 3]
        for back in (8, 14, 16):
            joined = build.bvxor(joined, made[n - back], WORD)
        made.append(_rotated(joined, 1))
    return made


def test_what_is_rotated_again_and_again_is_confirmed_near_the_top() -> None:
    """In full, equations of the last words have thousands of terms."""
    with recording() as made:
        _schedule(80)
    rounds: list[tuple[int, int]] = []

    class Seen(Confirmation):
        def _round(self, solvers: Any, groups: Any, confirmed: Any) -> Any:
            rounds.append((groups.depth, len(groups.by_formula())))
            return super()._round(solvers, groups, confirmed)

    with Solvers() as solvers:
        _, in_full = Seen(made, RACERS[:1], Budget(60)).settled(solvers)
    assert not in_full
    assert max(depth for depth, asked in rounds if asked) <= 8
    assert sum(asked for _, asked in rounds) < 500


def test_answers_are_what_they_are_without_recording() -> None:
    plain = _schedule(30)
    with recording():
        again = _schedule(30)
    assert all(one is other for one, other in zip(plain, again, strict=True))
    assert not bits._listening


def test_parts_are_older_than_what_they_are_given_for() -> None:
    """So all equations hold by induction on their numbers."""
    with recording() as made:
        _schedule(40)
    equations = made.equations()
    assert [number for *_, number in equations] == list(range(len(equations)))
    assert made.parts
    for answer, parts in made.parts.items():
        for number, applied in parts:
            assert equations[number][:2] == (applied, answer)
    for applied, answer, sort, number in equations:
        own = [n for _, given in general(applied, answer, sort, 5, False, made.parts, number).given
               for n, other in made.parts[_] if other is given]  # fmt: skip
        assert all(n < number for n in own)


def test_given_equations_do_not_prove_themselves() -> None:
    """One that is wrong is given for those that are newer only, and refused itself."""
    x, y = (build.variable(n, BitVec(8)) for n in "xy")
    wrong = intern(Op.BVXOR, (build.extract(6, 0, x, 8), build.extract(6, 0, y, 8)), None, BitVec(7))
    both = intern(Op.BVOR, (x, y), None, BitVec(8))
    made = Folds()
    made.note(6, 0, both, 8, 6, wrong)
    assert made.parts[wrong]
    with pytest.raises((EvidenceRejected, Unconfirmed)):
        confirm(made, RACERS[:1], Budget(20))


@pytest.mark.parametrize("operator", ["bvxor", "bvand", "bvor"])
def test_a_wrong_push_is_refused_however_deep_it_is(operator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a schedule of 40 words one extract is of other bits, whenever it is asked for."""
    pushed, known = bits._extract_bitwise, set[tuple[Term, int, int, int, int]]()
    wrong: list[tuple[Term, int, int, int, int]] = []

    def once(a: Term, high: int, low: int, size: int, fuel: int) -> V | None:
        answer, asked = pushed(a, high, low, size, fuel), (a, high, low, size, fuel)
        if answer is not None and asked not in known:
            known.add(asked)
            wrong.extend([asked] if len(known) == 60 else [])
        return bits.bvnot(answer, size) if answer is not None and asked in wrong else answer

    monkeypatch.setattr(bits, "_extract_bitwise", once)
    with recording() as made:
        words: list[V] = [build.variable(f"{operator}{n}", BitVec(WORD)) for n in range(16)]
        for n in range(16, 40):
            joined = getattr(build, operator)(words[n - 3], words[n - 16], WORD)
            words.append(_rotated(build.bvxor(joined, words[n - 8], WORD), 1))
    assert wrong
    with pytest.raises((EvidenceRejected, Unconfirmed)):
        confirm(made, RACERS[:1], Budget(60))


def test_terms_with_given_equations_stay_closed() -> None:
    with recording() as made:
        _schedule(60)
    applied, answer, sort, number = made.equations()[-1]
    found = general(applied, answer, sort, folding.STEPS, False, made.parts, number)
    assert found.given
    assert len(reachable([found.formula()])) < 80
    assert len(reachable([found.formula()])) < len(reachable([t for t in (applied, answer) if isinstance(t, Term)])) / 4
