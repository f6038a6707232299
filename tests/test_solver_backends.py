"""One set of questions for every backend: models that evaluate, cores, scopes, limits, signals."""

from __future__ import annotations

import gc
import os
import random
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from counterpoint.core.errors import UnusableInput
from counterpoint.solver.answers import Answer, Sat, SolverUnknown, Unsat
from counterpoint.solver.backends import backend, backend_names
from counterpoint.solver.protocol import Settings, Solver, SolverError
from counterpoint.term import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    ArraySort,
    BitVec,
    Float,
    RoundingMode,
    evaluate,
    floating,
)
from counterpoint.term import build as b
from counterpoint.term.term import Term, V

X, Y = b.variable("x", BitVec(32)), b.variable("y", BitVec(32))
P = b.variable("p", BOOL)
MEMORY = b.variable("memory", ArraySort(32, 8))


@pytest.fixture(params=backend_names())
def solver(request: pytest.FixtureRequest) -> Iterator[Solver]:
    made = backend(request.param).connect(Settings())
    yield made
    made.close()


def hard() -> list[V]:
    """Nothing that can be decided within seconds."""
    p, q = b.variable("hard-p", BitVec(64)), b.variable("hard-q", BitVec(64))
    value: V = p
    for _ in range(4):
        value = b.udiv(b.mul(value, q, 64), b.add(p, q, 64), 64)
    product = b.mul(p, q, 64)
    return [b.eq(value, 12345, 64), b.ult(3, p, 64), b.ult(3, q, 64), b.eq(product, 0xDEADBEEFDEADBEE1, 64)]


def sat(answer: Answer) -> Sat:
    assert isinstance(answer, Sat), answer
    return answer


def test_every_backend_is_found() -> None:
    assert backend_names() == ["bitwuzla", "z3"]
    assert [backend(name).name for name in backend_names()] == backend_names()
    with pytest.raises(UnusableInput, match="there are bitwuzla, z3"):
        backend("minisat")


def test_a_model_is_complete_and_evaluates(solver: Solver) -> None:
    formula = b.and_(b.eq(b.mul(X, 3, 32), 21, 32), b.implies(P, b.ult(X, 5, 32)))
    solver.add(formula)
    model = sat(solver.check()).model
    assert model.value(X) == 7
    assert model.value(P) == 0
    assert model.value(formula) == 1
    assert model.value(b.add(X, b.variable("never seen", BitVec(32)), 32)) == 7
    assert model.value(5) == 5


def test_constants(solver: Solver) -> None:
    assert isinstance(solver.check([1]), Sat)
    assert solver.check([P, 0]) == Unsat((0,))
    with solver.scope():
        solver.add(0)
        assert solver.check() == Unsat(())
    solver.add(1)
    sat(solver.check())


def test_the_core_suffices(solver: Solver) -> None:
    assumptions = [b.ult(X, 5, 32), P, b.eq(X, Y, 32), b.ult(9, Y, 32)]
    answer = solver.check(assumptions)
    assert isinstance(answer, Unsat)
    assert P not in answer.core
    assert isinstance(solver.check(answer.core), Unsat)
    sat(solver.check(assumptions[:3]))


def test_scopes_are_restored_also_after_exceptions(solver: Solver) -> None:
    solver.add(b.ult(X, 10, 32))
    with pytest.raises(ZeroDivisionError), solver.scope():
        solver.add(b.ult(20, X, 32))
        assert isinstance(solver.check(), Unsat)
        raise ZeroDivisionError
    sat(solver.check())


def test_a_model_outlives_the_solvers_state(solver: Solver) -> None:
    with solver.scope():
        solver.add(b.eq(b.select(MEMORY, X), 77, 8))
        solver.add(b.eq(X, 1000, 32))
        model = sat(solver.check()).model
    solver.add(b.eq(X, 5, 32))
    later = sat(solver.check()).model
    assert model.value(X) == 1000
    assert model.value(b.select(MEMORY, 1000)) == 77
    assert later.value(X) == 5
    solver.check([b.ne(X, 5, 32)])
    assert later.value(X) == 5


def test_arrays(solver: Solver) -> None:
    written = b.store(b.store(MEMORY, X, 1), Y, 2)
    solver.add(b.eq(b.select(written, X), 2, 8))
    model = sat(solver.check()).model
    assert model.value(X) == model.value(Y)
    third = b.variable("third", BitVec(32))
    solver.add(b.eq(b.select(b.store(b.constant_array(MEMORY.sort, 9), X, 1), third), 9, 8))  # type: ignore[arg-type]
    model = sat(solver.check()).model
    assert model.value(third) != model.value(X)


def test_addresses_have_the_meaning_they_are_given(solver: Solver) -> None:
    base = b.address(4, 32)
    solver.add(b.eq(b.add(base, X, 32), 100, 32))
    model = sat(solver.check()).model
    assert (model.value(base) + model.value(X)) % 2**32 == 100
    given = backend(solver.name).connect(Settings(addresses={4: 64, 5: b.add(Y, 4, 32)}))
    given.add(b.eq(b.add(base, X, 32), 100, 32))
    given.add(b.eq(b.address(5, 32), 8, 32))
    model = sat(given.check()).model
    assert (model.value(X), model.value(base), model.value(Y), model.value(b.address(5, 32))) == (
        36,
        64,
        4,
        8,
    )
    with given.scope():
        pass
    assert model.value(b.address(5, 32)) == 8


def test_the_bits_of_nan_are_free(solver: Solver) -> None:
    value = b.variable("value", FLOAT64)
    bits = b.bits_from_fp(b.fp_neg(value, FLOAT64), FLOAT64)
    with solver.scope():
        solver.add(b.fp_is_nan(value, FLOAT64))
        for sign in (0, 1):
            with solver.scope():
                formula = b.slt(bits, 0, 64) if sign else b.sle(0, bits, 64)
                solver.add(formula)
                model = sat(solver.check()).model
                assert model.value(formula) == 1
    solver.add(b.eq(bits, 0x3FF0000000000000, 64))
    model = sat(solver.check()).model
    assert model.value(value) == 0xBFF0000000000000


def test_time_limit_holds(solver: Solver) -> None:
    for formula in hard():
        solver.add(formula)
    for seconds in (0.5, 0.0, 1.0):
        started = time.monotonic()
        assert solver.check(seconds=seconds) == SolverUnknown("timeout")
        assert time.monotonic() - started < seconds + 1.5
    with solver.scope():
        solver.add(b.eq(X, 3, 32))
        assert isinstance(solver.check([b.eq(X, 4, 32)], seconds=5), (Unsat, SolverUnknown))


def test_interrupt_from_another_thread(solver: Solver) -> None:
    for formula in hard():
        solver.add(formula)
    threading.Timer(0.5, solver.interrupt).start()
    started = time.monotonic()
    assert isinstance(solver.check(seconds=20), SolverUnknown)
    assert time.monotonic() - started < 5


def test_ctrl_c_ends_a_check(solver: Solver) -> None:
    for formula in hard():
        solver.add(formula)
    started = time.monotonic()
    child = os.fork()
    if child == 0:
        time.sleep(0.5)
        os.kill(os.getppid(), signal.SIGINT)
        os._exit(0)
    with pytest.raises(KeyboardInterrupt):
        solver.check(seconds=20)
        time.sleep(2)
    os.waitpid(child, 0)
    assert time.monotonic() - started < 4
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_deep_terms_are_translated(solver: Solver) -> None:
    chain: V = X
    for i in range(3000):
        chain = b.bvxor(b.add(chain, Y, 32), b.variable(f"v{i % 7}", BitVec(32)), 32)
    solver.add(b.eq(chain, 5, 32))
    assert isinstance(solver.check(seconds=0.2), (Sat, SolverUnknown))


@pytest.mark.parametrize("name", backend_names())
def test_a_large_solver_is_freed_at_once(name: str) -> None:
    made = backend(name).connect(Settings())
    chain: V = X
    for i in range(20_000):
        chain = b.bvxor(b.add(chain, Y, 32), b.variable(f"v{i % 7}", BitVec(32)), 32)
    made.add(b.eq(chain, 5, 32))
    started = time.process_time()
    made.close()
    del made
    gc.collect()
    assert time.process_time() - started < 2


def test_models_outlive_a_closed_solver(solver: Solver) -> None:
    solver.add(b.eq(X, 9, 32))
    model = sat(solver.check()).model
    solver.close()
    assert model.value(b.add(X, Y, 32)) == (9 + model.value(Y)) % 2**32


def test_formulas_of_the_wrong_sort_are_refused(solver: Solver) -> None:
    with pytest.raises(SolverError, match=f"{solver.name}: "):
        solver.add(b.eq(b.ult(X, Y, 32), 1, 32))
        solver.check()


def vectors(rng: random.Random, width: int) -> list[tuple[V, V]]:
    """Pairs (term over variables, the same operation's folded value must equal it)."""
    x, y = b.variable(f"u{width}", BitVec(width)), b.variable(f"w{width}", BitVec(width))
    operations = [
        b.add,
        b.sub,
        b.mul,
        b.udiv,
        b.urem,
        b.sdiv,
        b.srem,
        b.bvand,
        b.bvor,
        b.bvxor,
        b.shl,
        b.lshr,
        b.ashr,
    ]
    p = rng.choice([0, 1, 2**width - 1, 2 ** (width - 1), rng.randrange(2**width)])
    q = rng.choice([0, 1, 2**width - 1, 2 ** (width - 1), rng.randrange(2**width)])
    equations = [b.eq(op(x, y, width), op(p, q, width), width) for op in operations]
    relations = [b.eq, b.ult, b.ule, b.slt, b.sle]
    equations += [b.iff(relation(x, y, width), relation(p, q, width)) for relation in relations]
    equations.append(b.eq(b.concat(x, width, y, width), p << width | q, 2 * width))
    equations.append(b.eq(b.sext(x, width, width + 3), b.sext(p, width, width + 3), width + 3))
    equations.append(b.eq(b.zext(x, width, width + 3), p, width + 3))
    return [(b.and_(b.eq(x, p, width), b.eq(y, q, width)), b.conjunction(equations))]


def test_operators_mean_the_same_to_the_solver(solver: Solver) -> None:
    """What the constructors fold is what the backend computes: bit-vectors."""
    rng = random.Random(3)
    for width in (1, 3, 8, 16, 64):
        for _ in range(1 if width == 64 else 4):
            for given, claim in vectors(rng, width):
                with solver.scope():
                    solver.add(given)
                    solver.add(b.not_(claim))
                    assert isinstance(solver.check(), Unsat), (given, claim)


def float_claims(sort: Float, p: int, q: int, r: int) -> Iterator[tuple[str, V]]:
    x, y, z = (b.variable(f"{name}{sort.width}", sort) for name in "fgh")
    same = [
        ("add", b.fp_add(x, y, sort), floating.add(p, q, sort)),
        ("sub", b.fp_sub(x, y, sort), floating.sub(p, q, sort)),
        ("mul", b.fp_mul(x, y, sort), floating.mul(p, q, sort)),
        ("div", b.fp_div(x, y, sort), floating.div(p, q, sort)),
        ("fma", b.fp_fma(x, y, z, sort), floating.fma(p, q, r, sort)),
        ("sqrt", b.fp_sqrt(x, sort), floating.sqrt(p, sort)),
        ("neg", b.fp_neg(x, sort), floating.neg(p, sort)),
        ("abs", b.fp_abs(x, sort), floating.absolute(p, sort)),
        ("min", b.fp_min(x, y, sort), b.fp_min(p, q, sort)),
    ]
    for mode in RoundingMode:
        rounded = floating.round_to_integral(p, mode, sort)
        same.append((f"round {mode.name}", b.fp_round_to_integral(x, mode, sort), rounded))
    for name, term, value in same:
        assert isinstance(value, int)
        if floating.is_nan(value, sort):
            yield name, b.fp_is_nan(term, sort)
        else:
            yield name, b.eq(b.bits_from_fp(term, sort), value, sort.width)
    for test in (b.fp_eq, b.fp_lt, b.fp_le):
        yield test.__name__, b.iff(test(x, y, sort), test(p, q, sort))
    for kind in (b.fp_is_nan, b.fp_is_inf, b.fp_is_zero, b.fp_is_negative, b.fp_is_normal, b.fp_is_subnormal):
        yield kind.__name__, b.iff(kind(x, sort), kind(p, sort))
    other = FLOAT32 if sort is not FLOAT32 else FLOAT16
    converted = floating.convert(p, sort, other)
    if not floating.is_nan(converted, other):
        yield "convert", b.eq(b.bits_from_fp(b.fp_to_fp(x, sort, other), other), converted, other.width)
    number = floating.truncated(p, sort)
    if number is not None and -(2**15) <= number < 2**15:
        yield "to signed", b.eq(b.fp_to_signed(x, sort, 16), number & 0xFFFF, 16)
    if number is not None and 0 <= number < 2**16:
        yield "to unsigned", b.eq(b.fp_to_unsigned(x, sort, 16), number, 16)
    word = b.variable("word", BitVec(16))
    value = q & 0xFFFF
    for name, convert in (("from signed", b.fp_from_signed), ("from unsigned", b.fp_from_unsigned)):
        bits = b.bits_from_fp(convert(word, 16, sort), sort)
        expected = convert(value, 16, sort)
        yield name, b.implies(b.eq(word, value, 16), b.eq(bits, expected, sort.width))


@pytest.mark.parametrize("sort", [FLOAT16, FLOAT64], ids=str)
def test_float_operators_mean_the_same_to_the_solver(solver: Solver, sort: Float) -> None:
    rng = random.Random(8)
    edges = [0, 1, sort.infinity, sort.nan, sort.sign_bit, sort.bias << sort.fraction_bits, sort.infinity - 1]
    names = [b.variable(f"{name}{sort.width}", sort) for name in "fgh"]
    for _ in range(1 if sort is FLOAT64 else 8):
        values = [
            rng.choice(edges) | rng.choice([0, sort.sign_bit]) if rng.random() < 0.3 else
            rng.randrange(sort.bias - 6, sort.bias + 9) << sort.fraction_bits
            | rng.getrandbits(sort.fraction_bits)
            for _ in names
        ]  # fmt: skip
        values = [floating.canonical(value, sort) for value in values]
        with solver.scope():
            for name, value in zip(names, values, strict=True):
                bits = b.variable(f"bits {name.payload}", BitVec(sort.width))
                solver.add(b.eq(bits, value, sort.width))
                claim = b.fp_is_nan(name, sort) if floating.is_nan(value, sort) else b.eq(
                    b.bits_from_fp(name, sort), bits, sort.width
                )  # fmt: skip
                solver.add(claim)
            for what, claim in float_claims(sort, *values):
                answer = solver.check([b.not_(claim)], seconds=20)
                assert isinstance(answer, Unsat), (what, [hex(value) for value in values], answer)


def test_random_formulas_agree_with_enumeration(solver: Solver) -> None:
    """Over two 3-bit variables: sat exactly if one of the 64 assignments satisfies."""
    rng = random.Random(11)
    x, y = b.variable("x3", BitVec(3)), b.variable("y3", BitVec(3))
    for _ in range(120):
        pool: list[V] = [x, y, rng.randrange(8)]
        for _ in range(5):
            operation = rng.choice([b.add, b.sub, b.mul, b.udiv, b.srem, b.bvand, b.bvxor, b.shl, b.ashr])
            pool.append(operation(rng.choice(pool), rng.choice(pool), 3))
        tests = [rng.choice([b.eq, b.ult, b.slt, b.ne])(rng.choice(pool), rng.choice(pool[3:]), 3) for _ in range(4)]
        formula = b.conjunction(b.or_(rng.choice(tests), b.not_(rng.choice(tests))) for _ in range(6))
        expected = any(evaluate(formula, {"x3": i, "y3": j}) for i in range(8) for j in range(8))
        answer = solver.check([formula])
        assert isinstance(answer, Sat) == expected
        if isinstance(answer, Sat) and isinstance(formula, Term):
            assert answer.model.value(formula) == 1
