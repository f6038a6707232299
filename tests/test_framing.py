"""Loops that an encoding walks past: what stays known behind them, and what must not."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import EvidenceUnchecked, check_proof
from counterpoint.execute.subject import FLAT
from counterpoint.invariants.houdini import Houdini
from counterpoint.program.model import Program
from counterpoint.regions.cut_graph import cut_graph

TEXT = """
static int g, h; static int *p, *q; static int a[4], b[4]; struct n { struct n *next; int d; }; static struct n one, two;
int any_at(int *x) { return *x + any(); }
void set(int *x) { *x = any(); }
int deep(int n) { g = any(); return n <= 0 ? 0 : deep(n - 1); }
int in(void *x, int *block) { return (unsigned long)x - (unsigned long)block < 13; }
"""

KEPT = {
    "a register": "int x = any(), y = x; while (any()) y++; check(x == x); int z = x; while (any()) ; check(z == x);",
    "a global": "g = 1; for (int i = 0; i < any(); i++) h = i; check(g == 1);",
    "a pointer": "p = &g; g = 7; int i = 0; while (any()) i++; check(*p == 7 && p == &g);",
    "a block": "int *x = malloc(4); *x = 3; while (any()) h = any(); check(*x == 3); free(x);",
    "in the body": "g = 5; while (any()) { check(g == 5); h++; }",
    "through two loops": "g = 5; while (any()) h++; while (any()) a[1] = h; check(g == 5);",
    "through a loop inside": "g = 5; while (any()) { h = 1; while (any()) b[0]++; check(g == 5 && h == 1); }",
    "one of two blocks": "int *x = any() ? &g : &h; *x = 9; while (any()) a[0]++; check(*x == 9);",
    "a condition": "int x = any(); if (x > 3) { while (any()) g++; check(x > 3); }",
    "what is set behind it": "while (any()) g = any(); g = 2; while (any()) h++; check(g == 2);",
    "what a loop reads": "a[2] = 6; int s = 0; for (int i = 0; i < 4; i++) s += a[i]; check(a[2] == 6);",
    "a live block": "int *x = malloc(4); int *y = malloc(4); while (any()) *y = 1; *x = 1; free(x); free(y);",
}

CHANGED = {
    "a register": "int x = 1; while (any()) x = any(); check(x == 1);",
    "a register, late": "int x = 1, y = 1; while (any()) { x = y; y = any(); } check(x == 1);",
    "a global": "g = 1; while (any()) g = any(); check(g == 1);",
    "by a pointer": "g = 1; p = &g; while (any()) *p = any(); check(g == 1);",
    "by one of two pointers": "g = 1; p = any() ? &g : &h; while (any()) *p = 2; check(g == 1);",
    "by a function": "g = 1; while (any()) set(&g); check(g == 1);",
    "by a recursion": "g = 1; while (any()) deep(3); check(g == 1);",
    "in the second iteration": "int i = 0; while (any()) { check(i == 0); i = 1; }",
    "in the second iteration, by memory": "g = 0; while (any()) { check(g == 0); g = 1; }",
    "in the loop inside": "g = 1; while (any()) { while (any()) g = 2; } check(g == 1);",
    "behind the loop inside": "g = 1; while (any()) { while (any()) h++; check(g == 1); g = 2; }",
    "in front of the loop inside": "g = 1; while (any()) { check(g == 1); while (any()) h++; g = any(); }",
    "in the loop around": "int x = 1; while (any()) { int y = x; while (any()) h++; check(y == 1); x = any(); }",
    "in an array": "a[1] = 1; for (int i = 0; i < 4; i++) a[i] = 2; check(a[1] == 1);",
    "bytes of it": "g = 1; char *c = (char *)&g; while (any()) c[any() & 3] = 2; check(g == 1);",
    "in a block": "int *x = malloc(4); *x = 1; while (any()) *x = any(); check(*x == 1); free(x);",
    "by a list": """one.next = &two; two.next = &one; one.d = two.d = 0; struct n *l = &one;
        while (any()) { l->d = 1; l = l->next; } check(two.d == 0);""",
    "where a pointer leads": "p = &g; g = 1; h = 2; while (any()) p = any() ? &h : p; check(*p == 1);",
    "the way in": "int x = any(); while (any()) { if (x) g = 1; x = 1; } check(g == 0);",
    "two ways in": "int x = 0; if (any()) goto in; while (any()) { x = 1; in: h++; } check(x == 0);",
    "where it begins": "g = any(); int first = 1; while (any()) { check(first || g == 0); first = 0; g = any(); }",
}

UNSAFE = {
    "freed": "int *x = malloc(4); while (any()) free(x);",
    "used when freed": "int *x = malloc(4); *x = 1; while (any()) { *x = 2; free(x); }",
    "freed on one way": "int *x = malloc(4); while (any()) if (any()) free(x); *x = 1;",
    "beyond it": "int *x = malloc(16); int *y = x; while (any()) *y++ = 1; free(x);",
    "beyond it, behind": "int *x = malloc(16); int *y = x; while (any()) y++; *y = 1;",
    "a local of the body": "int *x = &g; while (any()) { int l = 1; *x = 2; x = &l; }",
    "the next one": "one.next = 0; struct n *l = &one; while (any()) l = l->next; l->d = 1;",
    "an index": "int i = 0; while (any()) i++; a[i] = 1;",
    "a kept pointer, another index": "int *x = malloc(16), i = 0; while (any()) { x[i] = 1; i += 2; } free(x);",
    "another block": "int *x = malloc(4); while (any()) { free(x); x = malloc(4); } *x = 1; free(x); *x = 1;",
}


SAME_BLOCK = {
    "one of two": "int *x = any() ? a : b, *y = x; while (any()) y++; if (y >= x && y < x + 4) *y = 1;",
    "looked at only": "int *x = any() ? a : b, *y = x; for (; any(); y++) h = y == x; *x = 1;",
    "by several offsets": """int *x = any() ? a : b, *y = x; while (any()) y += any() ? 1 : any() & 3;
        if (y >= x && y < x + 4) *y = 1;""",
    "in two loops": """int *x = any() ? a : b, *y = x; while (any()) { int *z = y; while (any()) z++; y = z + 1; }
        if (y >= x && y < x + 4) *y = 1;""",
    "of bytes": "char *x = any() ? (char *)a : (char *)b, *y = x; while (any()) y++; if (y >= x && y < x + 16) *y = 1;",
    "begun again": """int *x = any() ? a : b, *y = x; while (any()) y = any() ? x : y + 1;
        if (y >= x && y < x + 4) *y = 1;""",
}
"""A pointer that goes on from another one belongs to the same block."""

ELSEWHERE = {
    "out of it": "int *x = any() ? a : b, *y = x; while (any()) y++; *y = 1;",
    "out of the only one": "int *y = a; while (any()) y++; if (in(y, b)) *y = 1;",
    "in the other block": """int *x = any() ? a : b, *y = x; while (any()) y++;
        if (x == a && in(y, b)) *y = 1;""",
    "in the other block, of bytes": """char *x = any() ? (char *)a : (char *)b, *y = x; while (any()) y++;
        if (x == (char *)a && in(y, b)) *y = 1;""",
    "from the loop inside": """int *x = any() ? a : b, *y = x; while (any()) { int *z = y; while (any()) z++; y = z; }
        if (x == a && in(y, b)) *y = 1;""",
    "in turns": """int *x = a, *y = b; while (any()) { int *z = x; x = y + 1; y = z + 1; }
        if (in(x, b)) *x = 1;""",
    "begun again": """int *x = a, *y = b; while (any()) x = any() ? y : x + 1;
        if (in(x, b)) *x = 1;""",
    "begun again elsewhere": "int *x = a, *y = &g; while (any()) x = any() ? y : x; x[1] = 1;",
    "out of memory": "q = &g; int *x = a; while (any()) x = q; x[1] = 1;",
    "out of memory, late": "q = &g; int *x = a, *y = a; while (any()) { x = any() ? y : x + 1; y = q; } x[1] = 1;",
    "of nothing": "int *x = 0; while (any()) x++; if (in(x, a)) *x = 1;",
    "of nothing, later": "int *x = a; while (any()) x = any() ? x + 1 : 0; if (in(x, a)) *x = 1;",
    "of a number": """int *x = a; while (any()) x = (int *)((unsigned long)x + 4);
        if (in(x, b)) *x = 1;""",
}
"""What it belongs to says nothing of where it is, nor does where it is say what it belongs to."""


def accepted(program: Program, certificate: InductiveInvariants) -> bool:
    try:
        check_proof(program, certificate, Budget(30))
    except (EvidenceRejected, EvidenceUnchecked):
        return False
    return True


def made(body: str, property_: str) -> Program:
    return subject(TEXT + "int main(void) { " + body + " return 0; }", property_).program(FLAT)


def says_safe(program: Program) -> bool:
    """Whether the graph of cut points says that no check fails, without any fact."""
    houdini = Houdini(cut_graph(program, Budget(30), frames=True), Budget(30))
    try:
        return not houdini.open_regions(20)
    finally:
        houdini.close()


@pytest.mark.parametrize("name", KEPT)
def test_what_a_loop_does_not_change_is_known_behind_it(name: str) -> None:
    program = made(KEPT[name], "unreach-call")
    assert says_safe(program)
    assert accepted(program, InductiveInvariants(FLAT, (), frames=True))


@pytest.mark.parametrize("name", CHANGED)
def test_what_a_loop_changes_is_not(name: str) -> None:
    program = made(CHANGED[name], "unreach-call")
    assert not accepted(program, InductiveInvariants(FLAT, (), frames=True))
    assert not says_safe(program)


@pytest.mark.parametrize("name", UNSAFE)
def test_what_a_loop_does_to_blocks_is_not_known(name: str) -> None:
    program = made(UNSAFE[name], "valid-deref" if name != "freed" else "valid-free")
    assert not accepted(program, InductiveInvariants(FLAT, (), frames=True))
    assert not says_safe(program)


@pytest.mark.parametrize("name", SAME_BLOCK)
def test_a_pointer_stays_in_its_block(name: str) -> None:
    program = made(SAME_BLOCK[name], "valid-deref")
    assert says_safe(program)
    assert accepted(program, InductiveInvariants(FLAT, (), frames=True))


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_pointer_gets_to_no_other_block(name: str) -> None:
    program = made(ELSEWHERE[name], "valid-deref")
    assert not accepted(program, InductiveInvariants(FLAT, (), frames=True))
    assert not says_safe(program)
