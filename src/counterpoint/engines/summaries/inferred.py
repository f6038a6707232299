"""daikon(f, testdb): likely postconditions of a function, from rows of samples (counterpoint.inference)."""

from __future__ import annotations

from counterpoint.core.budget import Budget
from counterpoint.engines.summaries.rows import Rows, State, equal, width
from counterpoint.engines.summaries.summary import holds
from counterpoint.inference import Options
from counterpoint.semantics.components import Old
from counterpoint.term import build
from counterpoint.term.evaluate import Value
from counterpoint.term.sorts import BOOL
from counterpoint.term.term import Op, Term, V
from counterpoint.term.walk import conjuncts

SECONDS = 0.7
"""Of one inference."""

MOST_POSTS = 60

TEMPLATES = frozenset(
    (
        "bits", "change", "constant", "equality", "interval", "linear", "linear of three", "modulus", "non-zero",
        "one of", "one of inputs", "order", "sign",
    )
)  # fmt: skip
"""Of counterpoint.inference, those that posts are made of."""

DEAR = frozenset(("linear of three", "modulus", "bits"))
FEW_COLUMNS = 8
"""Columns up to which the dear ones are tried."""

MOST_AWAY = 16
"""How far an output may be from an input that explains it."""

MOST_ROWS = 600
"""Rows that posts are inferred from; all decide which are tried."""


def likely(rows: Rows, pre: V, budget: Budget) -> list[V]:
    """What held on all rows where `pre` did, the strongest first; impossible (0) where no row is left though the
    function was called there, for it did not return."""
    from counterpoint.inference import learner
    from counterpoint.inference.vectors import true_rows

    table = rows.table()
    inside = true_rows(pre, table).nonzero()[0]
    if not len(inside):
        return [0] if any(holds(pre, given) for given in rows.silent) else []
    limit = Budget(min(SECONDS, budget.remaining()))
    templates = TEMPLATES if len(table.columns) <= FEW_COLUMNS else TEMPLATES - DEAR
    options = Options(numbers=frozenset(rows.pool), conditions=False, templates=templates, most=MOST_POSTS)
    found = learner.infer(table.take(inside[:MOST_ROWS]), options, limit)
    return list(dict.fromkeys(one for likely_ in found for one in conjuncts(likely_.formula)))


def determines(post: V, output: Term) -> bool:
    """It says what the output is: a constant, or a function of the rest."""
    literal = output.sort is BOOL and post in (output, build.not_(output))
    return literal or (isinstance(post, Term) and post.op is Op.EQ and any(side is output for side in post.args))


def explanations(rows: Rows, output: Term, state: State) -> tuple[list[V], list[V]]:
    """What the output's value may be here: simply (what it was, a constant, one of few inputs), or else."""
    value, bits = state.get(output), width(output)
    if not isinstance(value, int):
        return [], []
    component = rows.faced.outputs[output]
    same = [v for v in rows.inputs if v.sort is output.sort and isinstance(state.get(v), int)]
    before = [v for v in same if rows.faced.inputs[v] == Old(component)]  # type: ignore[arg-type]
    alike = [v for v in same if state[v] == value]
    unchanged = [equal(output, v) for v in before if v in alike]
    inputs = [equal(output, v) for v in alike if v not in before]
    more = [away for v in same if bits > 1 and (away := _away(output, value, v, state[v], bits)) is not None]
    simple = [*unchanged, equal(output, value)]
    return ([*simple, *inputs], more) if len(rows.inputs) <= FEW_COLUMNS else (simple, [*inputs, *more])


def _away(output: Term, value: int, variable: Term, given: Value, bits: int) -> V | None:
    """The output is so much more than the input, if that is little."""
    assert isinstance(given, int)
    away = (value - given) & ((1 << bits) - 1)
    if not 0 < min(away, (1 << bits) - away) <= MOST_AWAY:
        return None
    return build.eq(output, build.add(variable, away, bits), bits)
