"""Models with plain values (engines/predicates/traces/plain_models.py)."""

from __future__ import annotations

from counterpoint.engines.predicates.traces.plain_models import plain_model
from counterpoint.semantics.layout import own_base
from counterpoint.solver.answers import Sat
from counterpoint.solver.backends import backend
from counterpoint.solver.protocol import Settings
from counterpoint.term import build as b
from counterpoint.term.sorts import BOOL, BitVec

X, Y, Z = (b.variable(name, BitVec(32)) for name in ("x", "y", "z"))
FREE = b.variable("free", BOOL)
PLACE = [b.variable(f"p{k}.external@3", BitVec(16)) for k in range(2)]


def test_what_is_not_forced_is_zero_and_objects_lie_at_the_beginning() -> None:
    parts = [
        b.ult(5, X, 32),
        b.and_(b.implies(FREE, b.eq(Y, 7, 32)), b.ule(Z, X, 32)),
        b.and_(b.ne(PLACE[0], PLACE[1], 16), b.ult(0xC200, PLACE[1], 16)),
    ]
    solver = backend("bitwuzla").connect(Settings())
    for part in (*parts, FREE, b.eq(Z, 6, 32), b.ult(0xE000, PLACE[0], 16)):
        solver.add(part)
    first = solver.check()
    assert isinstance(first, Sat)
    model = plain_model(parts, first.model, 32)
    assert all(model.value(part) for part in parts)
    assert [model.value(v) for v in (FREE, Y, Z)] == [0, 0, 0] and model.value(X) > 5
    assert [model.value(p) for p in PLACE] == [own_base(32) >> 16, (own_base(32) >> 16) + 1]
