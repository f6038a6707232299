"""What constructors fold is confirmed: simplifications that are wrong make no proof, strictly checked or not."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.proof import STRICT, USUAL, check_proof
from counterpoint.evidence.unrolling import CompleteUnrolling
from counterpoint.portfolio.claims import scripts
from counterpoint.solver.folding import Confirmation, confirm
from counterpoint.solver.processes import Solvers
from counterpoint.solver.race import CVC5, RACERS, Satisfiable, Unsatisfiable, check_in_processes
from counterpoint.solver.valid import not_valid
from counterpoint.term import boolean, build, comparison, folds
from counterpoint.term.alone import alone
from counterpoint.term.folds import recording
from counterpoint.term.general import falsified, general
from counterpoint.term.smtlib import to_smtlib
from counterpoint.term.sorts import BOOL, FLOAT32, FLOAT64, ArraySort, BitVec
from counterpoint.term.term import Op, RoundingMode, Term, V, intern
from counterpoint.term.walk import reachable, reachable_outside
from loop_proofs import PROVED, certificate, facts_of

SAFE = """
int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = x + 4;
    if (y - x != 4) reach_error();
    if ((x & 3) > 3) reach_error();
    return 0;
}
"""


def test_every_constructor_is_recorded_or_folds_nothing() -> None:
    assert set(build.__all__) == {*folds._MEANING, *folds._TOGETHER, *folds.UNCHANGED}


def test_recording_ends_with_its_block_and_leaves_the_answers_as_they_are() -> None:
    x = build.variable("x", BitVec(8))
    plain, before = build.sub(x, x, 8), build.sub
    with recording() as made:
        assert build.sub(x, x, 8) == plain == 0
        assert build.conjunction([1, build.eq(x, x, 8), 1]) == 1
        build.add(x, build.variable("y", BitVec(8)), 8)
    assert build.sub is before
    assert [name for name, _ in made.made] == ["sub", "eq", "and_"]


# ---------------------------------------------------------------- all constructors against the solvers


def _values(chosen: random.Random) -> Iterator[None]:
    """Random expressions of all sorts, constants in many places."""
    bits: dict[int, list[V]] = {w: [build.variable(f"{n}{w}", BitVec(w)) for n in "xy"] for w in (1, 8, 16, 32)}
    bools: list[V] = [build.variable(n, BOOL) for n in "pq"]
    floats: list[V] = [build.variable("f", FLOAT32), 0x3F800000, 0x7F800000, 0x80000000, 0x7FC00000]
    arrays: list[Any] = [build.variable("a", ArraySort(8, 8)), build.constant_array(ArraySort(8, 8), 0)]
    two = ("add", "sub", "mul", "udiv", "urem", "sdiv", "srem", "bvand", "bvor", "bvxor", "shl", "lshr", "ashr")

    def some(width: int) -> V:
        if chosen.random() < 0.3:
            return chosen.choice([0, 1, (1 << width) - 1, 1 << (width - 1), chosen.randrange(1 << width)])
        return chosen.choice(bits[width][-12:])

    def truth() -> V:
        return chosen.choice([0, 1, *bools[-12:]])

    while True:
        width = chosen.choice([1, 8, 8, 16, 32])
        w = chosen.choice([8, 16])
        f, g = chosen.choice(floats[-8:]), chosen.choice(floats[-8:])
        match chosen.randrange(16):
            case 0 | 1 | 2 | 3:
                bits[width].append(getattr(build, chosen.choice(two))(some(width), some(width), width))
            case 4:
                bits[width].append(getattr(build, chosen.choice(["neg", "bvnot"]))(some(width), width))
            case 5 | 6:
                name = chosen.choice(["eq", "ne", "ult", "slt", "ule", "sle"])
                bools.append(getattr(build, name)(some(width), some(width), width))
            case 7 | 8:
                bools.append(getattr(build, chosen.choice(["and_", "or_", "xor_", "iff", "implies"]))(truth(), truth()))
            case 9:
                bits[width].append(build.ite(truth(), some(width), some(width), width))
                bools.append(build.ite(truth(), truth(), truth(), BOOL))
            case 10:
                bits[16].append(build.concat(some(8), 8, some(8), 8))
                low = chosen.randrange(16)
                high = chosen.choice([n for n in (low, low + 7, low + 15) if n < 32])
                if high - low + 1 in bits:
                    bits[high - low + 1].append(build.extract(high, low, some(32), 32))
            case 11:
                bits[32].append(getattr(build, chosen.choice(["zext", "sext"]))(some(w), w, 32))
                bits[8].append(build.bool_to_bits(truth(), 8))
            case 12:
                arrays.append(build.store(chosen.choice(arrays[-4:]), some(8), some(8)))
                bits[8].append(build.select(chosen.choice(arrays[-4:]), some(8)))
            case 13:
                floats.append(getattr(build, chosen.choice(["fp_neg", "fp_abs"]))(f, FLOAT32))
                floats.append(build.fp_from_bits(some(32), FLOAT32))
                bits[32].append(build.bits_from_fp(f, FLOAT32))
            case 14:
                tests = ("fp_is_nan", "fp_is_inf", "fp_is_zero", "fp_is_negative", "fp_is_normal", "fp_is_subnormal")
                bools.append(getattr(build, chosen.choice(tests))(f, FLOAT32))
                bools.append(getattr(build, chosen.choice(["fp_eq", "fp_lt", "fp_le"]))(f, g, FLOAT32))
                floats.append(getattr(build, chosen.choice(["fp_min", "fp_max"]))(f, g, FLOAT32))
            case 15:
                floats.append(build.ite(truth(), f, g, FLOAT32))
                build.fp_round_to_integral(f, chosen.choice(list(RoundingMode)), FLOAT32)
        yield


@pytest.mark.parametrize("seed", range(4))
def test_solvers_confirm_what_constructors_fold(seed: int) -> None:
    with recording() as made:
        for _, _ in zip(range(400), _values(random.Random(seed)), strict=False):
            pass
    assert confirm(made, RACERS[:1] if seed else RACERS, Budget(60)) > 150


# ---------------------------------------------------------------- wrong constructors


def _wrong_ule(a: V, b: V, width: int) -> V:
    return 1 if isinstance(b, int) else comparison.ule(a, b, width)


def _wrong_and(a: V, b: V, fuel: int = 8) -> V:
    return 0 if not isinstance(a, int) and not isinstance(b, int) else boolean.and_(a, b, fuel)


@pytest.mark.parametrize(("name", "wrong"), [("ule", _wrong_ule), ("and_", _wrong_and), ("or_", lambda a, b: 1)])
@pytest.mark.parametrize("standard", [USUAL, STRICT])
def test_a_constructor_that_folds_wrongly_makes_no_proof(
    name: str, wrong: Any, standard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = SAFE.replace("y - x != 4", "(x | 8u) <= 2000u && x >= 1000u")
    monkeypatch.setattr(build, name, wrong)
    with pytest.raises(EvidenceRejected):
        check_proof(program(text), CompleteUnrolling("flat", ()), Budget(60), standard)


def test_what_is_wrong_is_named() -> None:
    x = build.variable("x", BitVec(8))
    made = folds.Folds({("add", (x, 1, 8)): x})
    with pytest.raises(EvidenceRejected, match=r"not equal: \(?x \+ 1\)? = x"):
        confirm(made, RACERS, Budget(20))


# ---------------------------------------------------------------- general equations


def test_equations_that_differ_below_what_matters_are_one() -> None:
    x, y = (build.variable(n, BitVec(8)) for n in "xy")
    equations = {
        general(build.and_(build.eq(v, n, 8), build.ult(v, 9, 8)), 0, BOOL, 1).formula() for v in (x, y) for n in range(3)
    }
    assert len(equations) == 1


def test_bits_of_floats_of_two_widths_are_two_unknowns() -> None:
    equations = []
    for sort in (FLOAT32, FLOAT64):
        bits = build.bits_from_fp(build.variable(f"x{sort.width}", sort), sort)
        equations.append(general(build.ult(bits, 9, sort.width), 0, BOOL, 3).formula())
    assert to_smtlib(equations).count(" bits of ") >= 4


def test_what_is_too_general_is_asked_again() -> None:
    """A read through ten stores is about the deepest of them."""
    array: Any = build.variable("a", ArraySort(8, 8))
    for n in range(10):
        array = build.store(array, n, build.variable(f"v{n}", BitVec(8)))
    with recording() as made:
        assert build.select(array, 0) is build.variable("v0", BitVec(8))
        assert confirm(made, RACERS, Budget(20)) == 1


def test_equations_above_a_deep_term_are_small() -> None:
    """Each is about a longer product, and none is longer for that."""
    product: V = build.variable("v", BitVec(32))
    with recording() as made:
        for n in range(300):
            product = build.mul(product, build.variable(f"v{n}", BitVec(32)), 32)
            build.sub(product, product, 32)
    with Solvers() as solvers:
        confirmed, in_full = Confirmation(made, RACERS[:1], Budget(20)).settled(solvers)
    assert len(made.made) >= 300
    assert len(confirmed) < 9 and not in_full


def test_what_shares_nothing_stays_closed() -> None:
    """`p && (p || deep)` is `p`, whatever is deep below; where a part of that is met elsewhere, too, it is looked at."""
    p, q = (build.variable(n, BOOL) for n in "pq")

    def deep(bottom: V) -> Term:
        term = bottom
        for n in range(6):
            term = build.xor_(build.and_(term, build.variable(f"d{n}", BOOL)), build.variable(f"e{n}", BOOL))
        assert isinstance(term, Term)
        return term

    def looked_at(bottom: V, whole: bool) -> int:
        weaker = intern(Op.NOT, (intern(Op.AND, (intern(Op.NOT, (p,), None, BOOL), deep(bottom)), None, BOOL),), None, BOOL)
        return len(general(intern(Op.AND, (p, weaker), None, BOOL), p, BOOL, 20, whole).terms)

    assert looked_at(q, whole=False) == 6 < looked_at(q, whole=True)
    assert looked_at(p, whole=False) > 12


def test_what_is_alone() -> None:
    """Of random graphs, against the definition: nothing that a term is built of can be met without passing it."""
    chance = random.Random(7)
    for _ in range(60):
        terms: list[Term] = [build.variable(f"alone{n}", BOOL) for n in range(3)]
        while len(terms) < 14:
            terms.append(intern(Op.AND, tuple(chance.sample(terms, 2)), None, BOOL))
        tops = [terms[-1], chance.choice(terms)]
        seen = reachable(tops)
        found = alone(seen, tops, lambda t: [a for a in t.args if isinstance(a, Term)], lambda t: not t.args)
        for term in seen:
            around = reachable_outside([top for top in tops if top is not term], {term})
            below = [part for part in reachable([term]) if part is not term]
            assert (term in found) == (bool(below) and not set(below) & set(around)), (term, tops)


def test_formulas_are_asked_by_themselves() -> None:
    p, q = (build.variable(n, BOOL) for n in "pq")
    formulas = [build.or_(p, q), build.variable("p", BOOL), falsified([build.and_(p, q), build.not_(p)])]
    for backend in RACERS:
        with Solvers() as solvers:
            assert not_valid(solvers, formulas, 10, backend) == [0, 1]  # type: ignore[arg-type]


# ---------------------------------------------------------------- constants

CONSTANTS = """
int main(void) {
    unsigned h = 1;
    double d = 1;
    for (int i = 0; i < 60; i++) { h = h * 31u + (unsigned)i; h ^= h >> 7; d = d * 1.5 - 0.25; }
    check(h != 7 && d > 0);
}"""


def test_strict_checks_confirm_what_constants_give() -> None:
    made = program(CONSTANTS)
    usual, strict = (check_proof(made, CompleteUnrolling("flat", ()), Budget(60), how) for how in (USUAL, STRICT))
    assert strict.folded > usual.folded + 200


@pytest.mark.parametrize("operation", ["mul", "fp_mul", "lshr"])
def test_a_constructor_that_is_wrong_about_constants_makes_no_strict_proof(
    operation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = getattr(build, operation)
    monkeypatch.setattr(build, operation, lambda a, b, form: right(a, b, form) ^ (1 if a == b * 0 + a and b != 0 else 0))
    with pytest.raises(EvidenceRejected, match="not equal"):
        check_proof(program(CONSTANTS), CompleteUnrolling("flat", ()), Budget(60), STRICT)


def test_one_wrong_equation_among_many_constants_is_named() -> None:
    made = folds.Folds({("add", (n, 1, 16)): n + 1 + (n == 777) for n in range(1000)})
    with pytest.raises(EvidenceRejected, match=r"not equal: \(?777 \+ 1\)? = 779"):
        confirm(made, RACERS, Budget(20))


# ---------------------------------------------------------------- who is listened to


def test_listeners_do_not_nest_and_end_with_errors() -> None:
    before = build.add
    with pytest.raises(RuntimeError, match="already"), recording(), recording():
        pass
    assert build.add is before
    with recording() as made:
        build.sub(5, 5, 8)
    assert len(made.made) == 1


def test_nobody_has_constructors_by_names_of_their_own() -> None:
    """What is trusted reaches them through `build` each time it calls them, so that every call can be recorded."""
    families = {"arithmetic", "array", "bits", "boolean", "build", "choice", "comparison", "division", "floats", "owned"}
    folder = Path(build.__file__).parents[1]
    for pattern in ("evidence/*.py", "program/*.py", "semantics/**/*.py", "solver/*.py"):
        for file in folder.glob(pattern):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("counterpoint.term."):
                    module = str(node.module).rpartition(".")[2]
                    named = {alias.name for alias in node.names} & set(build.__all__)
                    assert module not in families or not named, f"{file}: {named}"
            for node in outside_of_functions(tree):
                kept = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "build"
                assert not kept, f"{file}:{node.lineno}: a constructor is kept"  # type: ignore[attr-defined]


def outside_of_functions(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        for below in ast.iter_child_nodes(node):
            yield from outside_of_functions(below)


# ---------------------------------------------------------------- strict checks and exported claims


def test_two_solvers_have_to_agree() -> None:
    x = build.variable("x", BitVec(8))
    text = to_smtlib([build.ult(build.mul(x, x, 8), 0, 8) or falsified([build.eq(x, 0, 8)])])  # type: ignore[list-item]
    assert isinstance(check_in_processes(text, 10, RACERS, agreeing=2), Satisfiable)
    none = "(set-logic QF_BV)(declare-const p Bool)(assert p)(assert (not p))(check-sat)"
    match check_in_processes(none, 10, RACERS, agreeing=2):
        case Unsatisfiable(by):
            assert set(by.split(" and ")) == set(RACERS)
        case other:
            pytest.fail(str(other))
    assert not isinstance(check_in_processes(none, 10, ("z3", "nobody"), agreeing=2), Unsatisfiable)


@pytest.mark.parametrize("name", ["counting", "fill", "mutual"])
def test_strict_checks_confirm_proofs(name: str) -> None:
    made, facts, graph = facts_of(PROVED[name])
    checked = check_proof(made, certificate(PROVED[name], facts, graph), Budget(90), STRICT)
    assert checked.folded > 0


@pytest.mark.parametrize("name", ["counting", "fill"])
def test_strict_checks_refuse_what_is_no_proof(name: str) -> None:
    proof = PROVED[name]
    broken, facts, graph = facts_of(proof, proof.text.replace(*proof.broken[0]))
    with pytest.raises(EvidenceRejected):
        check_proof(broken, certificate(proof, facts, graph), Budget(90), STRICT)


def test_exported_claims_are_refuted_by_any_solver() -> None:
    made, facts, graph = facts_of(PROVED["fill"])
    found = list(scripts(made, certificate(PROVED["fill"], facts, graph), Budget(60)))
    assert len(found) >= 5
    for script in found:
        assert script.text.startswith(f"; {script.claim}\n; expected: unsat\n(set-logic ")
        assert isinstance(check_in_processes(script.text, 20, RACERS, agreeing=2), Unsatisfiable)


def test_claims_of_an_unrolling_are_exported_by_what_they_are() -> None:
    text = SAFE.replace("y - x != 4", "(x | 8u) <= 2000u && x >= 3000u")
    found = [script.claim for script in scripts(program(text), CompleteUnrolling("flat", ()), Budget(60))]
    assert any("program.c:" in claim and "the check" in claim for claim in found)


def test_exported_claims_of_what_is_no_proof_are_satisfiable() -> None:
    proof = PROVED["counting"]
    broken, facts, graph = facts_of(proof, proof.text.replace(*proof.broken[0]))
    texts = [script.text for script in scripts(broken, certificate(proof, facts, graph), Budget(60))]
    assert any(isinstance(check_in_processes(text, 20), Satisfiable) for text in texts)


def test_exported_equations_of_a_wrong_constructor_are_satisfiable(monkeypatch: pytest.MonkeyPatch) -> None:
    text = SAFE.replace("y - x != 4", "(x | 8u) <= 2000u && x >= 1000u")
    monkeypatch.setattr(build, "ule", _wrong_ule)
    found = list(scripts(program(text), CompleteUnrolling("flat", ()), Budget(60)))
    assert any(isinstance(check_in_processes(one.text, 20), Satisfiable) for one in found if "equations" in one.claim)


def test_cvc5_reads_exported_claims() -> None:
    pytest.importorskip("cvc5")
    made, facts, graph = facts_of(PROVED["fill"])
    for script in scripts(made, certificate(PROVED["fill"], facts, graph), Budget(60)):
        assert check_in_processes(script.text, 20, [CVC5]) == Unsatisfiable(CVC5)


def test_falsified_is_not_simplified() -> None:
    p = build.variable("p", BOOL)
    assert falsified([p, build.not_(p)]).op is Op.NOT  # type: ignore[list-item]


def test_sums_are_confirmed_that_a_solver_with_levels_does_not_normalise() -> None:
    """Else one of these keeps the solver that is used for all of them busy for minutes."""
    word = BitVec(64)
    x, y, z = (build.variable(name, word) for name in "xyz")

    def plus(a: V, b: V) -> Term:
        return intern(Op.ADD, (a, b), None, word)

    asked = [
        intern(Op.EQ, (plus(plus(plus(x, y), k), plus(plus(y, z), 1)), plus(plus(plus(x, y), plus(y, z)), k + 1)), 64, BOOL)
        for k in range(11, 20)
    ]
    with Solvers() as solvers:
        assert not_valid(solvers, asked, 20.0, "bitwuzla") == []
