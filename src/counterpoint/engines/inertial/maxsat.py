"""Weighted MaxSAT over formulas, by z3: which soft formulas have to be given up at the least cost."""

from __future__ import annotations

from collections.abc import Sequence

from counterpoint.term import build
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import V


def given_up(hard: Sequence[V], soft: Sequence[tuple[V, int]], seconds: float) -> list[int] | None:
    """The positions of soft formulas (with their weights, at least 1) that are false where all hard ones hold and the
    weight of the false ones is least; None if the hard ones contradict each other, or z3 does not know in that time.

    No variable of the formulas may be called `soft.N`.
    """
    import z3

    names = [build.variable(f"soft.{number}", BOOL) for number in range(len(soft))]
    chosen = [build.implies(name, formula) for name, (formula, _) in zip(names, soft, strict=True)]
    asked = [f"(assert-soft soft.{number} :weight {weight})" for number, (_, weight) in enumerate(soft)]
    script = to_smtlib([*hard, *chosen]).replace("(check-sat)", "\n".join(asked))
    optimize = z3.Optimize()
    optimize.set("timeout", max(1, round(seconds * 1000)))
    try:
        optimize.from_string(script)
        if optimize.check() != z3.sat:
            return None
    except z3.Z3Exception:
        return None
    model = optimize.model()
    held = {declared.name() for declared in model.decls() if z3.is_true(model[declared])}
    return [number for number in range(len(soft)) if f"soft.{number}" not in held]
