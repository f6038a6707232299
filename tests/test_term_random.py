"""Random terms over small widths mean the same as the operations that they were built from, at every step."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from counterpoint.term import BOOL, ArraySort, BitVec, evaluate
from counterpoint.term import build as b
from counterpoint.term.evaluate import Evaluation
from counterpoint.term.term import Term, V

SAMPLES = 12
Entry = tuple[V, tuple[int, ...]]
"""A value and what it is under each of the sample assignments."""


def _signed(x: int, w: int) -> int:
    return x - (1 << w) if x >> (w - 1) else x


def _toward_zero(s: int, t: int) -> int:
    return -(-s // t) if (s < 0) != (t < 0) else s // t


def _sdiv(x: int, y: int, w: int) -> int:
    s, t = _signed(x, w), _signed(y, w)
    return (1 if s < 0 else -1) if t == 0 else _toward_zero(s, t)


def _srem(x: int, y: int, w: int) -> int:
    s, t = _signed(x, w), _signed(y, w)
    return s if t == 0 else s - t * _toward_zero(s, t)


BINARY: dict[str, tuple[Callable[[V, V, int], V], Callable[[int, int, int], int]]] = {
    "add": (b.add, lambda x, y, w: x + y),
    "sub": (b.sub, lambda x, y, w: x - y),
    "mul": (b.mul, lambda x, y, w: x * y),
    "udiv": (b.udiv, lambda x, y, w: x // y if y else -1),
    "urem": (b.urem, lambda x, y, w: x % y if y else x),
    "sdiv": (b.sdiv, _sdiv),
    "srem": (b.srem, _srem),
    "and": (b.bvand, lambda x, y, w: x & y),
    "or": (b.bvor, lambda x, y, w: x | y),
    "xor": (b.bvxor, lambda x, y, w: x ^ y),
    "shl": (b.shl, lambda x, y, w: x << y if y < w else 0),
    "lshr": (b.lshr, lambda x, y, w: x >> y),
    "ashr": (b.ashr, lambda x, y, w: _signed(x, w) >> y),
}
COMPARE: dict[str, tuple[Callable[[V, V, int], V], Callable[[int, int, int], bool]]] = {
    "eq": (b.eq, lambda x, y, w: x == y),
    "ne": (b.ne, lambda x, y, w: x != y),
    "ult": (b.ult, lambda x, y, w: x < y),
    "ule": (b.ule, lambda x, y, w: x <= y),
    "slt": (b.slt, lambda x, y, w: _signed(x, w) < _signed(y, w)),
    "sle": (b.sle, lambda x, y, w: _signed(x, w) <= _signed(y, w)),
}
LOGIC: dict[str, tuple[Callable[[V, V], V], Callable[[int, int], int]]] = {
    "and": (b.and_, lambda x, y: x & y),
    "or": (b.or_, lambda x, y: x | y),
    "xor": (b.xor_, lambda x, y: x ^ y),
    "implies": (b.implies, lambda x, y: (1 - x) | y),
    "iff": (b.iff, lambda x, y: 1 - (x ^ y)),
}


class Pool:
    """Grows random terms next to their meaning; recent ones are preferred as arguments: terms get deep."""

    def __init__(self, seed: int, widths: tuple[int, ...]) -> None:
        self.random = random.Random(seed)
        self.widths = widths
        self.made: dict[int, list[Entry]] = {w: [] for w in widths}
        self.bools: list[Entry] = []
        self.used: list[Entry] = []
        self.assignments: list[dict[str, int]] = [{} for _ in range(SAMPLES)]
        for width in widths:
            for name in "xyz":
                self.made[width].append(self._variable(f"{name}{width}", width))
        for name in "pqr":
            entry = self._variable(name, 0)
            self.bools.append(entry)
        self.evaluations = [Evaluation(self._leaf(a)) for a in self.assignments]

    @staticmethod
    def _leaf(assignment: dict[str, int]) -> Callable[[Term], int]:
        return lambda term: assignment[str(term.payload)]

    def _variable(self, name: str, width: int) -> Entry:
        values = tuple(self.random.randrange(1 << (width or 1)) for _ in range(SAMPLES))
        for assignment, value in zip(self.assignments, values, strict=True):
            assignment[name] = value
        return b.variable(name, BitVec(width) if width else BOOL), values

    def pick(self, pool: list[Entry]) -> Entry:
        """Often what was an operand just before: most identities need a common part."""
        chance = self.random.random()
        again = [entry for entry in self.used[-8:] if any(entry is other for other in pool)] if chance < 0.45 else []
        entry = self.random.choice(again or (pool[-6:] if chance < 0.75 else pool))
        self.used.append(entry)
        return entry

    def operand(self, width: int) -> Entry:
        if self.random.random() < 0.3:
            edge = [0, 1, (1 << width) - 1, 1 << (width - 1), self.random.randrange(1 << width)]
            value = self.random.choice(edge) & ((1 << width) - 1)
            return value, (value,) * SAMPLES
        return self.pick(self.made[width])

    def check(self, what: str, value: V, expected: tuple[int, ...], arguments: list[V]) -> None:
        for evaluation, assignment, want in zip(self.evaluations, self.assignments, expected, strict=True):
            (got,) = evaluation.of((value,))
            assert got == want, f"{what} of {arguments} is {value}: {got}, not {want}, where {assignment}"

    def vector(self, width: int) -> None:
        choice = self.random.randrange(10)
        mask = (1 << width) - 1
        if choice < 5:
            name = self.random.choice([*BINARY, "add", "add", "sub"])
            make, meaning = BINARY[name]
            (p, ps), (q, qs) = self.operand(width), self.operand(width)
            value, args = make(p, q, width), [p, q]
            expected = tuple(meaning(x, y, width) & mask for x, y in zip(ps, qs, strict=True))
        elif choice == 5:
            (p, ps) = self.operand(width)
            name, args = self.random.choice(["neg", "not"]), [p]
            value = b.neg(p, width) if name == "neg" else b.bvnot(p, width)
            expected = tuple((-x if name == "neg" else ~x) & mask for x in ps)
        elif choice < 8:
            (c, cs), (p, ps), (q, qs) = self.pick(self.bools), self.operand(width), self.operand(width)
            name, args = "ite", [c, p, q]
            value = b.ite(c, p, q, width)
            expected = tuple(x if k else y for k, x, y in zip(cs, ps, qs, strict=True))
        else:
            name, value, expected, args = self.resized(width)
        self.check(f"{name}/{width}", value, expected, args)
        self.made[width].append((value, expected))

    def resized(self, width: int) -> tuple[str, V, tuple[int, ...], list[V]]:
        other = self.random.choice(self.widths)
        p, ps = self.operand(other)
        if other < width:
            choice = self.random.randrange(3)
            if choice == 0:
                return "zext", b.zext(p, other, width), ps, [p]
            if choice == 1:
                wide = tuple(_signed(x, other) & ((1 << width) - 1) for x in ps)
                return "sext", b.sext(p, other, width), wide, [p]
            rest = width - other
            q, qs = self.operand(rest) if rest in self.made else (0, (0,) * SAMPLES)
            joined = tuple(x << rest | y for x, y in zip(ps, qs, strict=True))
            return "concat", b.concat(p, other, q, rest), joined, [p, q]
        low = self.random.randrange(other - width + 1)
        cut = tuple(x >> low & ((1 << width) - 1) for x in ps)
        return f"extract from {low}", b.extract(low + width - 1, low, p, other), cut, [p]

    def boolean(self) -> None:
        choice = self.random.randrange(10)
        args: list[V]
        if choice < 4:
            width = self.random.choice(self.widths)
            name = self.random.choice(list(COMPARE))
            make, meaning = COMPARE[name]
            (p, ps), (q, qs) = self.operand(width), self.operand(width)
            value, args = make(p, q, width), [p, q]
            expected = tuple(int(meaning(x, y, width)) for x, y in zip(ps, qs, strict=True))
        elif choice < 8:
            name = self.random.choice(list(LOGIC))
            join, logic = LOGIC[name]
            (p, ps), (q, qs) = self.pick(self.bools), self.pick(self.bools)
            value, args = join(p, q), [p, q]
            expected = tuple(logic(x, y) for x, y in zip(ps, qs, strict=True))
        elif choice == 8:
            (p, ps) = self.pick(self.bools)
            name, value, args, expected = "not", b.not_(p), [p], tuple(1 - x for x in ps)
        else:
            (c, cs), (p, ps), (q, qs) = (self.pick(self.bools) for _ in range(3))
            name, value, args = "ite", b.ite(c, p, q, BOOL), [c, p, q]
            expected = tuple(x if k else y for k, x, y in zip(cs, ps, qs, strict=True))
        self.check(name, value, expected, args)
        if not isinstance(value, int) or len(self.bools) < 6:
            self.bools.append((value, expected))


def grow(seed: int, widths: tuple[int, ...], steps: int) -> Pool:
    pool = Pool(seed, widths)
    for _ in range(steps):
        if pool.random.random() < 0.45:
            pool.boolean()
        else:
            pool.vector(pool.random.choice(widths))
    return pool


@pytest.mark.parametrize("widths", [(1, 2, 3), (1, 2, 4, 8), (1, 3, 4, 5), (8, 16, 32, 64), (1, 2, 6, 7)])
def test_constructors_keep_the_meaning(widths: tuple[int, ...]) -> None:
    for seed in range(30):
        grow(seed, widths, 150)


def test_boolean_only() -> None:
    """Guards: many shared conditions, so that every two-level rule fires."""
    for seed in range(60):
        pool = Pool(seed, (1,))
        for _ in range(120):
            pool.boolean()


def test_state_machines() -> None:
    """Trees of ITEs with constant leaves under comparisons and arithmetic."""
    for seed in range(40):
        pool = Pool(seed, (3, 5))
        rng = pool.random
        states: list[Entry] = [(rng.randrange(32), ()) for _ in range(4)]
        states = [(value, (value,) * SAMPLES) for value, _ in states if isinstance(value, int)]
        for _ in range(60):
            (c, cs), (p, ps), (q, qs) = pool.pick(pool.bools), rng.choice(states[-5:]), rng.choice(states)
            chosen = b.ite(c, p, q, 5)
            values = tuple(x if k else y for k, x, y in zip(cs, ps, qs, strict=True))
            pool.check("ite", chosen, values, [c, p, q])
            states.append((chosen, values))
            k = rng.randrange(32)
            make, meaning = COMPARE[rng.choice(list(COMPARE))]
            tests = tuple(int(meaning(x, k, 5)) for x in values)
            test = make(chosen, k, 5)
            pool.check("compare", test, tests, [chosen, k])
            flipped = make(k, chosen, 5)
            pool.check("compare", flipped, tuple(int(meaning(k, x, 5)) for x in values), [k, chosen])
            if isinstance(test, Term):
                pool.bools.append((test, tests))
            arithmetic, number = BINARY[rng.choice(list(BINARY))]
            moved = arithmetic(chosen, k, 5)
            numbers = tuple(number(x, k, 5) & 31 for x in values)
            pool.check("arithmetic", moved, numbers, [chosen, k])


def test_arrays() -> None:
    """Reads through stores, with constant, shifted and unrelated indices."""
    for seed in range(60):
        pool = Pool(seed, (4,))
        rng = pool.random
        sort = ArraySort(4, 4)
        contents = [{i: rng.randrange(16) for i in range(16)} for _ in range(SAMPLES)]
        arrays = [
            (b.variable("A", sort), contents),
            (b.constant_array(sort, 3), [dict.fromkeys(range(16), 3)] * SAMPLES),
        ]
        for step in range(40):
            pool.vector(4)
            (array, maps), (i, is_), (v, vs) = rng.choice(arrays[-3:]), pool.operand(4), pool.operand(4)
            if rng.random() < 0.3:
                offset = rng.randrange(16)
                i, is_ = b.add(i, offset, 4), tuple(x + offset & 15 for x in is_)
            if rng.random() < 0.2 and len(arrays) > 2:
                (c, cs), (other, others) = pool.pick(pool.bools), rng.choice(arrays)
                merged = b.ite(c, array, other, sort)
                assert isinstance(merged, Term)
                arrays.append((merged, [m if k else o for k, m, o in zip(cs, maps, others, strict=True)]))
            elif step % 2:
                arrays.append(
                    (b.store(array, i, v), [{**m, x: y} for m, x, y in zip(maps, is_, vs, strict=True)])
                )
            read, at = b.select(array, i), [m[x] for m, x in zip(maps, is_, strict=True)]
            for k, assignment in enumerate(pool.assignments):
                assert evaluate(read, {**assignment, "A": contents[k]}) == at[k]
