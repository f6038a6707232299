"""The proof checker on loops and recursion: true proofs pass, and certificates that prove nothing do not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from random import Random

import pytest

from attack_proofs import checker_says, is_proof, mutants
from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.documents import Given
from counterpoint.core.errors import EvidenceRejected, UnusableInput
from counterpoint.evidence import chains
from counterpoint.evidence.carried import comparable
from counterpoint.evidence.chains import KInductive
from counterpoint.evidence.induction import InductiveInvariants, Setting
from counterpoint.evidence.places import START, Place
from counterpoint.evidence.proof import check_proof
from counterpoint.evidence.regions import Region
from counterpoint.evidence.verdict import Safe
from counterpoint.portfolio.readable_proof import invariants_of
from counterpoint.portfolio.result import CheckResult, Outcome
from counterpoint.portfolio.result_file import stored_proof
from counterpoint.portfolio.validation import Accepted, Unchecked, answered, judge
from counterpoint.report.json import as_json
from counterpoint.report.terminal import lines_of
from counterpoint.semantics.components import RegisterValue
from counterpoint.semantics.cutpoint import EXIT
from counterpoint.semantics.facts import Fact, ghost
from counterpoint.term import build as b
from counterpoint.term.infix import infix
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import Term, V
from loop_proofs import PROVED, At, certificate, facts_of, graph_of
from schema import ROOT, violations
from test_cutpoint import BUGS

QUICK = ("counting", "floats", "pointer", "element", "identity", "inside")
"""tests/attack_proofs.py has them all."""


@pytest.mark.parametrize("name", QUICK)
def test_true_proofs_pass_and_broken_programs_do_not(name: str) -> None:
    proof = PROVED[name]
    made, facts, graph = facts_of(proof)
    check_proof(made, certificate(proof, facts, graph), Budget(90))
    old, new = proof.broken[0]
    try:
        broken, facts, graph = facts_of(proof, proof.text.replace(old, new))
    except KeyError:
        return
    with pytest.raises(EvidenceRejected):
        check_proof(broken, certificate(proof, facts, graph), Budget(90))


def test_quantified_facts_are_used() -> None:
    made, facts, graph = facts_of(PROVED["fill"])
    check_proof(made, certificate(PROVED["fill"], facts, graph), Budget(90))
    with pytest.raises(EvidenceRejected):
        check_proof(made, certificate(PROVED["fill"], facts[1:], graph), Budget(90))


def test_mutants_that_prove_nothing_are_refused() -> None:
    for mutant in islice(mutants(3), 6):
        assert is_proof(mutant) is not False or checker_says(mutant) != "accepted", mutant


def rejected(text: str, facts: tuple[Fact, ...], k: int = 0, *, simple: bool = False) -> str:
    """Why the certificate is refused; empty if it is accepted."""
    made = program(text)
    found = KInductive("flat", k, facts, simple_path=simple) if k else InductiveInvariants("flat", facts)
    try:
        check_proof(made, found, Budget(10))
    except EvidenceRejected as error:
        return str(error)
    return ""


# ---------------------------------------------------------------- contracts excuse nothing that comes before

ENDLESS = "void g(int n) { g(n); }"


def test_a_call_that_never_returns_does_not_excuse_the_call_before_it() -> None:
    """g's `false` is a true postcondition; f's precondition is broken before g is called."""
    text = (
        f"{ENDLESS} void f(int x) {{ check(x == 0); if (any()) f(x); }} int main(void) {{ f(5); g(1); return 0; }}"
    )
    at = At(graph_of(text, "unreach-call", "flat"), ("f", 0))
    facts = (Fact("f", 0, b.eq(at.x, 0, 32)), Fact("g", EXIT, 0))
    assert rejected(text, facts)
    assert rejected(text, facts[1:])
    assert not rejected(text.replace("f(5)", "f(0)"), facts)


def test_a_postcondition_does_not_excuse_the_same_calls_precondition() -> None:
    """`x == 0` holds at f's exit because it holds at its entry; a call with 5 fulfils neither."""
    text = "void f(int x) { check(x == 0); if (any()) f(x); } int main(void) { f(5); return 0; }"
    at = At(graph_of(text, "unreach-call", "flat"), ("f", 0))
    fact = b.eq(at.x, 0, 32)
    facts = (Fact("f", 0, fact), Fact("f", EXIT, fact))
    assert rejected(text, facts)
    assert rejected(text, facts, k=2)
    assert not rejected(text.replace("f(5)", "f(0)"), facts)


def test_what_comes_behind_a_call_that_never_returns_is_safe() -> None:
    text = f"{ENDLESS} int main(void) {{ g(any()); check(0); return 0; }}"
    assert not rejected(text, (Fact("g", EXIT, 0),))
    assert rejected(text, ())
    assert rejected(text.replace("g(n);", "if (n) g(n);"), (Fact("g", EXIT, 0),))


# ---------------------------------------------------------------- facts without a meaning

LOOP = "int main(void) { unsigned i = 0; while (any()) i++; check(i != 9); return 0; }"


def where() -> tuple[str, int]:
    (place,) = graph_of(LOOP, "unreach-call", "flat").cuts
    return place


@pytest.mark.parametrize("k", [0, 1, 4])
def test_false_at_any_place_is_refused(k: int) -> None:
    entry, head = where()
    for place in [(entry, head), (entry, 0), (entry, EXIT), (entry, 99), ("", 0), ("nobody", 0)]:
        if place != (entry, head) or k == 0:
            assert rejected(LOOP, (Fact(*place, 0),), k), place
    assert rejected(LOOP, (Fact(entry, head, 0),), k)


@pytest.mark.parametrize(
    "formula",
    [
        b.eq(b.variable("nonsense", BitVec(32)), 0, 32),
        b.eq(b.variable("cut.%0", BitVec(32)), 9, 32),
        b.eq(b.variable("forall.0", BitVec(8)), 9, 8),
        b.eq(b.variable("forall.x", BitVec(64)), 9, 64),
        b.eq(b.variable("forall.0~>99", BitVec(64)), 9, 64),
        b.eq(b.address(7, 64), 0, 64),
        b.variable("counter", BitVec(64)),
        2,
    ],
    ids=str,
)
def test_formulas_about_anything_but_components_are_refused(formula: V) -> None:
    assert "a fact at" in rejected(LOOP, (Fact(*where(), formula),))


def test_a_ghost_is_universal() -> None:
    """`forall k: k == 3` is false, not a name for 3."""
    assert rejected(LOOP, (Fact(*where(), b.eq(ghost(0, 64), 3, 64)),))


@pytest.mark.parametrize("size", [-1, 0, 3, 32, 1 << 70])
def test_impossible_elements_are_refused(size: int) -> None:
    with pytest.raises(EvidenceRejected, match="array elements"):
        check_proof(program(LOOP), InductiveInvariants("flat", (), (("a", size),)), Budget(5))


# ---------------------------------------------------------------- k-induction

SHIFT = (
    "int main(void) { int n = any(), a = n + 1, c = a, d = a, e = a; while (any()) { check(e != n); e = d; d = c; c = a; a = any();"
    " if (a == n) a = a + 1; } return 0; }"
)


@pytest.mark.parametrize(("k", "proves"), [(-1, False), (1, False), (2, False), (3, False), (4, True), (5, True)])
def test_k_induction_needs_enough_steps(k: int, proves: bool) -> None:
    assert (rejected(SHIFT, (), k) == "") is proves
    assert rejected(SHIFT.replace("if (a == n)", "if (a == n + 1)"), (), k)


@pytest.mark.parametrize("name", ["through a pointer", "walk", "external"])
def test_no_chain_of_regions_loses_a_bug(name: str) -> None:
    assert rejected(BUGS[name][0], (), BUGS[name][1])


def test_facts_help_k_induction_only_if_they_are_inductive() -> None:
    text = "int main(void) { int i = 0, n = any(); while (any()) { if (i < 9 || i > 10) i++; check(i != 14); } return 0; }"
    place, *_ = graph_of(text, "unreach-call", "flat").cuts
    at = At(graph_of(text, "unreach-call", "flat"), place)
    assert not rejected(text, (Fact(*place, b.sle(at.i, 9, 32)),), 1)
    assert rejected(text, (Fact(*place, b.sle(at.i, 8, 32)),), 1)
    assert rejected(text, (), 1)


def test_each_activation_is_a_chain_of_its_own() -> None:
    text = "void f(int n) { check(n != 3); if (n > 0) f(n - 1); } int main(void) { f(5); return 0; }"
    for k in (1, 2, 9):
        assert rejected(text, (), k)


# ---------------------------------------------------------------- simple paths


@dataclass(frozen=True)
class Machine:
    """A random machine of eight states. Its C program reads them modulo 8: so each is there twice, and those from 8
    on can only be the first of a path."""

    first: int
    bad: int
    moves: tuple[int, ...]

    @classmethod
    def of(cls, chosen: Random) -> Machine:
        moves = tuple(sum(1 << chosen.randrange(8) for _ in range(chosen.choice([1, 1, 2]))) & 255 for _ in range(8))
        return cls(1 << chosen.randrange(8), 1 << chosen.randrange(8), moves)

    @property
    def text(self) -> str:
        table = sum(after << 8 * state for state, after in enumerate(self.moves))
        return (
            f"int main(void) {{ unsigned s = any() & 7; __VERIFIER_assume({self.first}u >> s & 1); while (any()) {{ s &= 7;"
            f" check(!({self.bad}u >> s & 1)); unsigned t = any() & 7; __VERIFIER_assume({table}ull >> (8 * s + t) & 1);"
            " s = t; } return 0; }"
        )

    def after(self, state: int) -> list[int]:
        return [t for t in range(8) if self.moves[state % 8] >> t & 1]

    def violated(self, moves: int) -> bool:
        """A bad state is reached after at most so many moves."""
        states = {state for state in range(8) if self.first >> state & 1}
        for _ in range(moves):
            states |= {t for state in states if not self.bad >> state % 8 & 1 for t in self.after(state)}
        return any(self.bad >> state % 8 & 1 for state in states)

    def steps(self, k: int, path: tuple[int, ...], simple: bool) -> bool:
        """A path that continues this one meets a bad state after k moves, and none before."""
        if len(path) == k + 1:
            return bool(self.bad >> path[-1] % 8 & 1)
        if self.bad >> path[-1] % 8 & 1:
            return False
        following = [t for t in self.after(path[-1]) if not (simple and t in path)]
        return any(self.steps(k, (*path, t), simple) for t in following)

    def late(self, k: int) -> bool:
        """It goes wrong, but not in the first k + 1 regions."""
        return self.violated(8) and not self.violated(k - 1)

    def proved(self, k: int, simple: bool) -> bool:
        return not self.violated(k - 1) and not any(self.steps(k, (first,), simple) for first in range(16))


def test_k_induction_proves_what_the_graph_of_states_says() -> None:
    """By brute force. Half of the machines are proved on simple paths only, half fail behind the base case."""
    chosen, wanted = Random(5), [True, False] * 3
    while wanted:
        machine, k = Machine.of(chosen), chosen.choice([1, 2, 3, 4])
        if wanted[0] if machine.proved(k, True) and not machine.proved(k, False) else not wanted[0] and machine.late(k):
            wanted.pop(0)
            for simple in (False, True):
                answer = rejected(machine.text, (), k, simple=simple)
                assert (not answer) is machine.proved(k, simple), (machine, k, simple, answer)


LATE = {
    "cell": "int g; int main(void) { while (any()) { int *p = &g; if (any()) *p = (*p + 1) & 3; check(g != 3); } return 0; }",
    "places": """
        int main(void) { unsigned s = any() & 1, t = 0; while (any()) { while (any()) { if (any()) t ^= 1; } s = (s + t) & 3;
          check(s != 3); } return 0; }""",
    "outside": """
        extern int *unknown(void); int main(void) { int *p = unknown(); int s = 0; while (any()) {
          if (p && *p == 7) s = 1; check(s != 1 || !p || *p != 7); } return 0; }""",
    "in recursion": """
        void f(int n) { unsigned s = n & 1; while (any()) { check(s != 3); if (any()) s = (s + 1) & 3; } if (n > 0) f(n - 1); }
        int main(void) { f(any()); return 0; }""",
}
"""What a state must not leave out, or must not be thought to determine."""


@pytest.mark.parametrize("name", LATE)
def test_no_simple_path_loses_a_bug(name: str) -> None:
    for k in (1, 2, 3, 6):
        assert "the proof does not hold" in rejected(LATE[name], (), k, simple=True), k


@pytest.mark.parametrize("left_out", [("s",), ("t",), ("s", "t")])
def test_whatever_is_carried_a_bug_is_not_lost(left_out: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """Soundness does not hang on which components a state has, as long as the base case knows no more."""

    def fewer(setting: Setting, regions: Mapping[Place, Region]) -> dict[Place, Region]:
        found = comparable(setting, regions)
        for place, r in found.items():
            known = {} if place == START else setting.places.known(place, {})
            out = [v for v, component in known.items() if isinstance(component, RegisterValue) and component.register.name[:1] in left_out]
            found[place] = replace(r, begin={v: value for v, value in r.begin.items() if v not in out})
        return found

    monkeypatch.setattr(chains, "comparable", fewer)
    for k in (1, 2, 3, 6):
        assert "the proof does not hold" in rejected(LATE["places"], (), k, simple=True), k


def test_what_no_claim_depends_on_is_not_compared() -> None:
    text = """int main(void) { unsigned n = 0, s = any(); __VERIFIER_assume(!(s & 8)); while (any()) { n++; check(s != 26);
      if (s == 24) s = 25; else if (s == 25) s = any() ? 24 : 26; } return n; }"""
    assert not rejected(text, (), 3, simple=True)
    assert rejected(text.replace("return n", "check(n < 1000); return n"), (), 3, simple=True)


@pytest.mark.parametrize("name", sorted(BUGS))
def test_no_simple_path_loses_a_bug_in_memory(name: str) -> None:
    assert rejected(BUGS[name][0], (), 1, simple=True)
    assert rejected(BUGS[name][0], (), BUGS[name][1], simple=True)


def test_arrays_are_not_compared_where_a_claim_depends_on_them() -> None:
    text = "int main(void) { int a[64]; unsigned s = 1; a[any() & 63] = 1; while (any()) { a[any() & 63] = 1; s = 3 - s; check(%s); } return 0; }"
    assert not rejected(text % "s < 3 || s > 99 || any()", (), 1, simple=True)
    assert "compares numbers" in rejected(text % "a[any() & 63] != 2 || any()", (), 1, simple=True)


# ---------------------------------------------------------------- in results


def test_where_a_proof_with_few_facts_is_not_confirmed_the_one_with_more_is_tried() -> None:
    proof = PROVED["fill"]
    _, facts, graph = facts_of(proof)
    whole = certificate(proof, facts, graph)
    half = replace(whole.facts[0], formula=b.implies(b.ult(ghost(0, 64), 50, 64), whole.facts[0].formula))
    few = replace(whole, facts=(half, *whole.facts[2:]))
    assert isinstance(judge(Safe(few), subject(proof.text), Budget(90), seed=None), Unchecked)
    judged = judge(Safe(few, whole), subject(proof.text), Budget(90), seed=None)
    assert isinstance(judged, Accepted)


def test_certificates_survive_the_result_file() -> None:
    """Every kind, through JSON and back, is judged as before; its text follows the schema."""
    for name, k in (("two loops", 0), ("identity", 0), ("fill", 0), ("two loops", 2), ("two loops", 3)):
        proof = PROVED[name]
        _, facts, graph = facts_of(proof)
        plain = certificate(proof, facts, graph)
        stored_as = KInductive("flat", k, facts, plain.granules, k == 3) if k else plain
        judged = judge(Safe(stored_as), subject(proof.text), Budget(90))
        assert isinstance(judged, Accepted)
        result = CheckResult(Outcome.TRUE, "unreach-call", ("a.c",), "LP64", "main")
        document = json.loads(as_json(answered(result, judged)))
        assert violations(document, ROOT) == []
        assert stored_proof(Given(document, "r.json:")).certificate == stored_as
        if not k:
            document["proof"]["kind"] = "function-summaries"  # what results of earlier versions say
            assert stored_proof(Given(document, "r.json:")).certificate == stored_as
        lines = ["".join(text for text, _ in line) for line in lines_of(answered(result, judged))]
        assert any(line.startswith(("  loop at program.c:", "  calls of f at")) for line in lines), lines


@pytest.mark.parametrize(
    "change",
    [
        {"facts": [{"function": "main", "block": 1, "formula": "(assert (and"}]},
        {"facts": [{"function": "main", "block": 1, "formula": "(assert (= x y))"}]},
        {"facts": [{"function": "main", "block": 1, "formula": ""}]},
        {"facts": [{"function": "main", "formula": "(assert true)"}]},
        {"facts": 7},
        {"granules": [["a"]]},
        {"granules": [["a", "b"]]},
        {"k": "many"},
        {"simple_path": "false"},
        {"preparation": "flattest"},
    ],
    ids=str,
)
def test_broken_text_is_refused_in_one_line(change: dict[str, object]) -> None:
    content = {"preparation": "flat", "facts": [], "granules": [], "k": 1, **change}
    with pytest.raises(UnusableInput, match=r"r\.json: proof\.content") as error:
        stored_proof(Given({"verdict": "TRUE", "proof": {"kind": "k-induction", "content": content}}, "r.json:"))
    assert len(str(error.value).splitlines()) == 1


def words(formula: str) -> list[str]:
    """The same whichever side of an equation stands first."""
    return sorted(formula.replace("(", "").replace(")", "").split())


def test_invariants_read_as_c() -> None:
    made, facts, _ = facts_of(PROVED["pointer"])
    (found,) = invariants_of(made, facts)
    expected = (
        "p == (p == &g ? &g : &h)",
        "p != &g || i == g",
        "(unsigned)i <= (unsigned)n",
        "(p == &g) == (unsigned)n > 5u",
    )
    assert found.where == "loop" and [words(said) for said in found.formulas] == [words(said) for said in expected]
    made, facts, _ = facts_of(PROVED["fill"])
    assert invariants_of(made, facts)[1].formulas == ("for all k: a[k] == 0 || (unsigned long)k >= 100u",)


def test_where_the_next_object_will_lie_is_not_said() -> None:
    made, facts, _ = facts_of(PROVED["pointer"])
    below = b.ult(b.variable("counter", BitVec(64)), 1 << 40, 64)
    more = [*facts, Fact("main", facts[0].block, below)]
    assert invariants_of(made, more) == invariants_of(made, facts)
    assert not invariants_of(made, more[-1:])


def test_deep_formulas_are_shortened() -> None:
    x = b.variable("x", BitVec(32))
    deep: V = x
    for number in range(300):
        deep = b.bvxor(b.mul(deep, 2 * number + 3, 32), number, 32)
    assert ".." in infix(b.eq(deep, 1, 32), str)
    assert infix(b.sle(b.add(x, 0xFFFFFFFF, 32), 7, 32), lambda v: str(v.payload)) == "x - 1 <= 7"


def test_equations_are_written_alike_whichever_side_was_made_first() -> None:
    for first, second in ("ab", "ba"):
        one, other = (b.variable(f"{first}'", BitVec(32)), b.variable(f"{second}'", BitVec(32)))
        small, large = sorted((one, other), key=str)
        assert infix(b.eq(one, other, 32), str_of) == "a' == b'"
        assert infix(b.eq(small, b.sub(large, 1, 32), 32), str_of) == "b' == a' + 1"
        assert infix(b.eq(b.add(large, 3, 32), small, 32), str_of) == "a' == b' + 3"


def str_of(variable: Term) -> str:
    return str(variable.payload)
