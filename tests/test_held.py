"""Heap blocks that a static object holds for ever, and what looks like them."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.execute.subject import FLAT, MODULAR, UNPREPARED
from counterpoint.portfolio.answers import held_anyway
from counterpoint.program.focus import asked, lost_among
from counterpoint.program.held import may_lose, may_lose_without_end

HELD = {
    "one block": "g = malloc(4); *g = 1;",
    "of any size": "unsigned long n = any(); check(n < 100); g = malloc(n);",
    "on one way": "if (any()) g = malloc(4);",
    "freed, or not": "g = malloc(4); if (any()) free(g);",
    "two": "g = malloc(4); h = malloc(8); if (any()) { *g = 1; }",
    "used by a function": "g = malloc(4); *g = 1; for (int i = 0; i < *g; i++) use(g);",
    "none": "int x = any(); use(&x);",
}

NOT_HELD = {
    "written twice": "g = malloc(4); if (any()) g = 0;",
    "written by a function": "g = malloc(4); forget();",
    "in a loop": "while (any()) g = malloc(4);",
    "by a pointer": "int **p = any() ? &g : &h; g = malloc(4); h = malloc(4); *p = 0;",
    "bytes of it": "g = malloc(4); ((char *)&g)[any() & 7] = 0;",
    "a part of it": "g = malloc(4); *(char *)&g = 0;",
    "its address in a table": "g = malloc(4); *table[any() & 1] = 0;",
    "made by a function": "g = malloc(4); make();",
    "held by a local": "int *p = malloc(4); *p = 1; use(p);",
    "not by its start": "g = (int *)malloc(8) + 1;",
    "its address as an argument": "g = malloc(4); clear(&g);",
    "by a narrow object": "*(int **)&narrow = malloc(4);",
}

TEXT = """static int *g, *h; static int *other; static int **table[2] = {&g, &other}; static int narrow;
void use(int *p) { *p = *p + any(); }
void forget(void) { if (any()) h = 0; else g = 0; }
void make(void) { h = malloc(4); if (any()) h = 0; }
void clear(int **p) { if (any()) *p = 0; }
"""


def text(name: str, body: str) -> str:
    used = TEXT if name == "its address in a table" else TEXT.replace("= {&g, &other}", "")
    return f"{used} int main(void) {{ {body} return 0; }}"


@pytest.mark.parametrize("preparation", [MODULAR, FLAT])
@pytest.mark.parametrize("name", HELD)
def test_what_is_held_is_not_asked_for(name: str, preparation: str) -> None:
    made = subject(text(name, HELD[name]), "memory-safety")
    program, lost = made.program(preparation), lost_among(made.defined.checks)
    assert lost
    if preparation == MODULAR:  # the other may keep the pointer in a register
        assert not may_lose(program) and not may_lose_without_end(program)
        assert lost <= held_anyway(program)
    assert lost & asked(made.program(UNPREPARED)) or name == "none"


@pytest.mark.parametrize("preparation", [MODULAR, FLAT])
@pytest.mark.parametrize("name", NOT_HELD)
def test_what_may_be_lost_is_asked_for(name: str, preparation: str) -> None:
    made = subject(text(name, NOT_HELD[name]), "memory-safety")
    program = made.program(preparation)
    assert may_lose(program)
    assert lost_among(made.defined.checks) & asked(program)
