"""Plain names, and that no two parts of a state have one name whatever the program's names are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.chains import KInductive
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.program.names import is_plain, original, plain
from counterpoint.program.types import IntType
from counterpoint.semantics.components import (
    Base,
    Cell,
    Component,
    Counter,
    Elements,
    Live,
    RegisterValue,
    ResultValue,
    Size,
    SummaryElements,
    SummaryLive,
    SummarySizes,
)  # fmt: skip
from counterpoint.semantics.cutpoint import components, cut_point
from counterpoint.semantics.facts import ghost, is_ghost
from counterpoint.static.points_to import points_to
from counterpoint.term import build
from counterpoint.term.sorts import BitVec

ANY_NAME = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.text("_cp#", max_size=9) | st.text("$0a2.5_#%@", max_size=8)
I32 = IntType(32)


@given(ANY_NAME)
def test_plain_names_are_plain(name: str) -> None:
    assert is_plain(plain(name))


@given(ANY_NAME, ANY_NAME)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert (plain(one) == plain(other)) == (one == other)


@given(ANY_NAME)
def test_people_read_the_original(name: str) -> None:
    if name.isprintable():
        assert original(plain(name)) == name


def test_odd_names_are_none_of_the_checkers() -> None:
    assert plain("__cp_main.x#2") == "$5f$_cp_main.x$23$2"
    assert original(plain("__cp_main.x#2")) == "__cp_main.x#2"


@pytest.mark.parametrize("name", ["main", "_x", ".str.1", "f.x", "llvm.memcpy.p0.p0.i64", "__VERIFIER_nondet_int"])
def test_ordinary_names_stay(name: str) -> None:
    assert plain(name) == name


@pytest.mark.parametrize(
    ("name", "shown"), [("a\nb", r"a\x0ab"), ("\x01f", r"\x01f"), ("\udcff", r"\xff"), ("", ""), ("5", "5")]
)
def test_what_cannot_be_printed_is_shown_by_its_code(name: str, shown: str) -> None:
    assert original(plain(name)) == shown


def parts(function: str, label: str, number: int) -> list[Component]:
    """One of each kind."""
    register = m.Register(number, I32)
    return [
        RegisterValue(function, register), ResultValue(function, number, I32), Base(number, label),
        Live(number, label), Size(number, label), Cell(number, label, number, 4), Elements(number, label, number),
        SummaryElements(number, 8), SummaryLive(number), SummarySizes(number), Counter(),
    ]  # fmt: skip


NAMES = st.from_regex(r"[A-Za-z_.$][A-Za-z0-9_.$]*\Z") | st.sampled_from(
    ["memory5", "live5", "size5", "counter", "live", "f.result0", "forall.0", "cut.counter", "external"]
)
LABELS = NAMES | st.builds(lambda f, x, n: f"{f}.{plain(x)}#{n}", NAMES, ANY_NAME, st.integers(0, 9))


@given(NAMES, LABELS, st.integers(0, 9), NAMES, LABELS, st.integers(0, 9))
def test_components_have_names_of_their_own(
    f: str, x: str, one: int, g: str, y: str, other: int
) -> None:
    for k, here in enumerate(parts(f, x, one)):
        for n, there in enumerate(parts(g, y, other)):
            if here.name == there.name:
                assert k == n
                assert here.name == parts(f, x, one)[n].name
                if isinstance(here, RegisterValue | ResultValue):
                    assert (f, one) == (g, other)


def test_only_ghosts_are_ghosts() -> None:
    assert is_ghost(ghost(0, 32)) and is_ghost(ghost(17, 32))
    for name in ("forall.x", "forall.0[0:4]", "forall.0%3", "forall."):
        assert not is_ghost(build.variable(name, BitVec(32)))


TAKEN = """
int g asm("{name}");
int main(void) {{
    int x, y, i;
    int *p = any() ? &x : &y, *q = any() ? &g : &y;
    g = any();
    for (i = any(); i < 10; i++) {{ *p = *p; *q = *q; }}
    check(x == g);
    return 0;
}}
"""


@pytest.mark.parametrize("name", ["__cp_main.x#2", "main.x#2", "x#2", "main.x#2[0:4]", "external", "a\\\\b|c", "\\t"])
def test_a_symbol_is_no_local(name: str) -> None:
    """A global and a local of one name would share their unknowns in the loop's arbitrary state: x == g would be proved
    from nothing."""
    made = program(TAKEN.format(name=name))
    points = points_to(made)
    numbers = range(len(points.objects))
    for head in loop_heads(made.main):
        cut = cut_point(points, made.entry, head)
        assert len({cut.label(number) for number in numbers}) == len(numbers)
        assert len({part.name for part in components(cut)}) == len(components(cut))
    for certificate in (InductiveInvariants("flat", ()), KInductive("flat", 1, ())):
        with pytest.raises(EvidenceRejected):
            check_proof(made, certificate, Budget(60))
