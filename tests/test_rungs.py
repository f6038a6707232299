"""What costs little first (entries/rungs.py): proofs where calls go by contract, of what no run of a region violates."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from c_programs import program, subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.entries.rungs import LARGE, Rungs, by_contract, climbed, extend, is_recursive, with_callers
from counterpoint.evidence.conditions import Conditions, Goal, Question
from counterpoint.evidence.proof import USUAL, _answer_all, _Asking
from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import run
from counterpoint.execute.outcome import Violated
from counterpoint.execute.snapshots import record
from counterpoint.execute.subject import ENTERED, MODULAR
from counterpoint.invariants.houdini import Houdini
from counterpoint.invariants.plainly import possible
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import Answer, CheckResult, Outcome
from counterpoint.portfolio.run import unanswered
from counterpoint.program.graph import callees
from counterpoint.program.inline import size
from counterpoint.program.inputs import ScalarInput
from counterpoint.program.validate import validate
from counterpoint.regions.cut_graph import cut_graph
from counterpoint.regions.summary import Block, Failure
from counterpoint.semantics.facts import Fact
from counterpoint.solver.needing import needing
from counterpoint.solver.processes import Solvers
from counterpoint.term import build
from counterpoint.term.sorts import BitVec
from counterpoint.term.term import V
from counterpoint.term.walk import size as term_size

FOUND = """int seen;
void look(int *p, int n) { for (int i = 0; i < n; i++) seen += p[i]; }
int f(int n, unsigned m) {
    int a[4] = {1, 2, 3, 4};
    look(a, n);
    a[m & 3] = 1;
    return a[m % MOST];
}
int main(void) { return f(any(), any()); }
"""

TREE = """struct tree { struct tree *left; int key; };
int sum(struct tree *t, int n) { return n <= 0 ? t->key : sum(t, n - 1) + t->key; }
int main(void) { struct tree t = {0, 3}; return sum(&t, any()); }
"""


def checks_of(text: str, functions: str) -> tuple[Rungs, frozenset[int]]:
    made = subject(text, "valid-deref")
    own = frozenset(site.index for site in made.defined.checks if site.at.function == functions)
    return Rungs(made.focused(own), Budget(60.0), 0), own


def test_what_no_call_can_change_is_proved_without_facts() -> None:
    rungs, own = checks_of(FOUND.replace("MOST", "4"), "f")
    (claim,) = rungs.without_facts(rungs.subject.outermost())
    assert claim.checks == own and not claim.certificate.said()
    rungs.judge(claim)
    assert rungs.proved == own and not rungs.open and not rungs.left


def test_what_is_known_is_sent_as_it_becomes_more() -> None:
    rungs, own = checks_of(FOUND.replace("MOST", "4"), "f")
    sent: list[CheckResult] = []
    climbed(rungs.subject, unanswered(Request(files=()), "", ""), Budget(60.0), 0, send=sent.append)
    assert sent and all(one.outcome is Outcome.UNKNOWN and not one.reason for one in sent)
    assert own <= {one.check for one in sent[-1].checks if one.answer is Answer.PROVED}


def test_what_fails_is_left_and_the_rest_is_proved() -> None:
    rungs, own = checks_of(FOUND.replace("MOST", "5"), "f")
    rungs.climb()
    line = {check: rungs.subject.defined.checks[check].at.line for check in own}
    left = own - rungs.proved
    assert rungs.proved and rungs.open == left
    assert {line[check] for check in left} == {max(line.values())}


def test_functions_that_are_large_with_what_is_below_them_go_by_contract() -> None:
    many = " ".join(f"if (x > {k}) seen += x;" for k in range(LARGE // 3))
    text = f"int seen; void big(int x) {{ {many} }} void small(int x) {{ seen = x; }}\n"
    text += "void both(int x) { big(x); small(x); }\n"
    text += "int main(void) { for (int i = any(); i > 0; i--) { both(i); both(i + 1); big(i); small(i); } return 0; }"
    made = program(text, "valid-deref", ENTERED)
    assert by_contract(made) == ("big",)


def test_a_call_of_itself_is_a_call_as_any_other() -> None:
    text = TREE.replace("t->key :", "t->key / 7 :").replace("sum(t, n - 1)", "sum(t->left, n - 1)")
    rungs, own = checks_of(text, "sum")
    rungs.climb()
    assert rungs.proved == own and is_recursive(rungs.subject, "sum") and not is_recursive(rungs.subject, "main")
    ends = [run(program(text, "valid-deref"), RandomInputs(seed)).outcome for seed in range(40)]
    assert any(isinstance(end, Violated) for end in ends)  # in an inner activation: of that nothing was said


def test_of_a_body_that_cannot_be_put_into_the_entry_nothing_is_said() -> None:
    """A local that is made in a loop: all checks in the function are assumed then, and none is open or proved."""
    text = "int f(int n) { int s = 0; for (int i = 1; i < n; i++) { int a[i]; a[0] = i; s += a[i]; } return s; }\n"
    rungs, own = checks_of(text + "int main(void) { return f(any()); }\n", "f")
    rungs.climb()
    assert own and not rungs.proved and rungs.left == own
    made = climbed(rungs.subject, unanswered(Request(files=()), "", ""), Budget(20.0), 0)
    said = [one.answer for one in made.checks if one.at.function == "f"]
    assert made.outcome is Outcome.UNKNOWN and Answer.PROVED not in said


def test_the_outermost_activation_counts_with_all_its_checks() -> None:
    for wrong in (TREE.replace("&t, any()", "0, any()"), TREE.replace("? t->key", "? t[1].key")):
        rungs, own = checks_of(wrong, "sum")
        rungs.climb()
        assert own - rungs.proved


WALK = """#include <stdlib.h>
int f(char *s) { int n = 0; while (*s) { s++; n ^= 1; } return n; }
int main(void) {
    unsigned long n = any(); __VERIFIER_assume(n > 0 && n < 100);
    char *s = malloc(n); s[n - 1] = 0;
    return f(s);
}
"""


def test_pointers_that_stay_in_their_blocks_are_proved_of_the_same_regions() -> None:
    rungs, own = checks_of(WALK, "f")
    claims = list(rungs.without_facts(rungs.subject.outermost()))
    assert claims[-1].checks == own and claims[-1].certificate.said()
    rungs.judge(claims[-1])
    assert rungs.proved == own


BESIDE = WALK.replace("int f(", "static int sum(int n) { return n ? n + sum(n - 1) : 0; }\nint f(").replace(
    "return n; }", "return sum(n); }"
)


def test_facts_about_pointers_are_about_functions_where_something_may_fail_and_their_callers() -> None:
    rungs, _ = checks_of(BESIDE, "f")
    graph = cut_graph(rungs.subject.program(MODULAR), Budget(60.0))
    everywhere = {one.cut.function.name for one in graph.regions}
    houdini = Houdini(graph, Budget(60.0))
    try:
        assert with_callers(graph, houdini) == everywhere - {"sum"} and "sum" in everywhere
    finally:
        houdini.close()


RARE = """int f(int n) { int s = 0; if ((n ^ 0x55aa55) == 0x1234567) while (s < 3) s++; return s; }
int main(void) { return f(any()); }
"""


class _Asked:
    """Keeps facts where so many are asked about at once, at most."""

    def __init__(self, most: int) -> None:
        self.most, self.groups, self.budget = most, list[list[Fact]](), Budget(10)

    def extend(self, facts: list[Fact], seconds: float) -> list[Fact]:
        self.groups.append(facts)
        return facts if len(facts) <= self.most else []


@pytest.mark.parametrize("most", [1, 3])
def test_facts_that_come_to_nothing_together_are_proved_one_by_one_the_short_ones_first(most: int) -> None:
    x = build.variable("x", BitVec(8))
    formulas = [build.ult(x, build.add(x, 3, 8), 8), build.not_(build.eq(build.mul(x, x, 8), 5, 8)), build.eq(x, 1, 8)]
    facts = [Fact("f", 1, formula) for formula in formulas]
    asked = _Asked(most)
    extend(cast(Houdini, asked), facts, 5.0)
    assert asked.groups[0] == facts
    assert [one.formula for (one,) in asked.groups[1:]] == (sorted(formulas, key=term_size) if most == 1 else [])


def test_runs_that_are_known_are_among_those_that_facts_come_from() -> None:
    graph = cut_graph(program(RARE, "valid-deref", MODULAR), Budget(60.0))
    (site,) = (one.site for one in run(graph.program, RandomInputs(1)).inputs)
    known = ReplayInputs((ScalarInput(site, 0x55AA55 ^ 0x1234567, 32),))
    without = record(graph.program, graph.cuts, graph.granules)
    found = record(graph.program, graph.cuts, graph.granules, also=lambda number: known)
    loops = [place for place in graph.cuts if place[1] > 0]
    assert loops and not any(without.at[place] for place in loops) and all(found.at[place] for place in loops)


# ---------------------------------------------------------------- large library models

PRINTED = """#include <stdio.h>
int f(int n) {
    char text[40]; int used = 0;
    for (int i = 0; i < 3; i++) used += sprintf(text + used, "%d", n & 7);
    return text[n & 7];
}
int main(void) { return f(any()); }
"""


def test_large_library_models_stay_functions_where_calls_go_by_contract() -> None:
    rungs, _ = checks_of(PRINTED, "f")
    made = rungs.subject.program(ENTERED)
    assert {"sprintf", made.entry} <= set(made.functions) and size(made.main) < 200
    assert "sprintf" in rungs.contracts and rungs.open
    assert "sprintf" not in rungs.subject.program(MODULAR).functions
    assert set(subject(WALK, "valid-deref").program(ENTERED).functions) == {made.entry}


# ---------------------------------------------------------------- what large regions do not need

X, *OTHERS = (build.variable(f"x{k}", BitVec(32)) for k in range(40))
MEMORY = tuple(build.ne(build.variable(f"m{k}", BitVec(32)), k, 32) for k in range(200))


def less(a: V, b: V) -> V:
    return build.ult(a, b, 32)


CONTRADICTIONS = [build.and_(less(X, other), less(other, X)) for other in OTHERS]


def test_the_checker_asks_with_all_that_holds_only_what_needs_it() -> None:
    goals = [Goal(f"{number}", formula) for number, formula in enumerate(CONTRADICTIONS)]
    last = Goal("needing", less(3, X))
    question = Question("here", (less(X, 3), *MEMORY), (*goals, last), exact=True)
    with Solvers() as solvers:
        asking = _Asking(solvers, USUAL, Budget(60.0))
        assert left_of(question, asking) == [last]
        small = replace(question, hypotheses=question.hypotheses[:1], goals=(goals[0], last))
        assert left_of(small, asking) == list(small.goals)
        _answer_all(Conditions((question, small), 0, 0), asking, asking.budget)
        wrong = replace(question, hypotheses=MEMORY)
        with pytest.raises(EvidenceRejected, match="needing can be violated"):
            _answer_all(Conditions((wrong,), 0, 0), asking, asking.budget)


def left_of(question: Question, asking: _Asking) -> list[Goal]:
    return needing(question.formulas, question.goals, asking.refutes, 60.0)


def test_what_is_impossible_by_its_own_formula_is_not_left_to_the_regions_solver() -> None:
    (region, *_) = cut_graph(program(FOUND.replace("MOST", "4"), "valid-deref", MODULAR), Budget(60.0)).regions
    formulas = [formula if number % 10 else less(X, number + 1) for number, formula in enumerate(CONTRADICTIONS)]
    failures = tuple(Failure(formula, number) for number, formula in enumerate(formulas))
    wide = replace(region, failures=failures, blocks=(Block(CONTRADICTIONS[0], "none"),), assumed=(*MEMORY, *MEMORY))
    left = possible(wide, 20.0)
    assert [one.check for one in left.failures] == [0, 10, 20, 30] and not left.blocks
    assert left.ways == wide.ways and left.assumed == wide.assumed
    assert possible(replace(wide, assumed=()), 20.0).failures == failures
    assert possible(wide, 0.0).failures == failures


# ---------------------------------------------------------------- the preparation


def test_the_entry_has_the_body_of_what_it_calls_also_where_that_is_recursive() -> None:
    made = program(TREE, "valid-deref", ENTERED)
    validate(made)
    assert callees(made.main) == ("sum",) and callees(made.functions["sum"]) == ("sum",)
    assert set(made.functions) == {made.entry, "sum"}


@pytest.mark.parametrize("text", [FOUND.replace("MOST", "5"), pytest.param(TREE, marks=pytest.mark.long), TREE.replace("= {0, 3}", "; int k")])
def test_it_does_what_the_program_does(text: str) -> None:
    made = subject(text, "valid-deref")
    for seed in range(20):
        ends = [run(made.program(form), RandomInputs(seed)) for form in (ENTERED, MODULAR)]
        assert ends[0].outcome == ends[1].outcome and ends[0].inputs == ends[1].inputs


# ---------------------------------------------------------------- pointers outside of the program

OUTSIDE = """char *get(void);
char *kept; char array[100];
int main(void) {
    char *p = any() ? get() : array;
    while (*p != 0) { p += STEP; kept = p; }
    return 0;
}
"""


def strays(step: str) -> bool:
    """A pointer may stray in some region, where nothing is known of its start."""
    graph = cut_graph(program(OUTSIDE.replace("STEP", step), "valid-deref", MODULAR), Budget(60.0))
    houdini = Houdini(graph, Budget(60.0))
    try:
        failing = [region for region in graph.regions if region.failing != 0]
        return any(houdini.solver(region).unmet([], 20.0)[0] for region in failing)
    finally:
        houdini.close()


def test_a_pointer_that_leaves_external_memory_by_little_is_in_no_object() -> None:
    """The access comes after it was moved: only where that is checked does it not stray by one step."""
    assert not strays("1")
    assert strays("any()")


def test_a_stray_out_of_external_memory_is_no_proof() -> None:
    text = OUTSIDE.replace("STEP", "any()").replace("char array[100]", "char array[1 << 20]")
    rungs, own = checks_of(text, "main")
    rungs.climb()
    assert not rungs.proved and own
    assert any(isinstance(run(program(text, "valid-deref"), RandomInputs(seed)).outcome, Violated) for seed in range(40))
