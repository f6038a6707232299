"""Where programs look at addresses: the places that are named."""

from __future__ import annotations

import pytest

from c_programs import PRELUDE, program
from counterpoint.static.placement import looked_at

START = "#include <string.h>\nint x, y; struct s { int n; int *p; } s; int main(void) { int *p = &x, *q = &y;\n"
FIRST = (PRELUDE + START).count("\n") + 1
"""The line behind START."""


def line(text: str) -> int | None:
    """The line of the place that is named."""
    place = looked_at(program(text, preparation="none"))
    return None if place is None else int(place.split(".c:")[1].split(":")[0])


@pytest.mark.parametrize(
    "body",
    [
        "memcpy(&p, &q, 2);",
        "memcpy((char *)&p + 2, (char *)&q + 2, sizeof p - 2);",
        "memset(&p, 0, 2);",
        "*(char *)&p = 4;",
        "*(short *)&p = *(short *)&q;",
        "int *t[2] = {p, q}; p = *(int **)((char *)t + 2);",
        "int *t[2] = {p, q}; *(int **)((char *)t + 2) = p; p = t[0];",
        "memcpy(&p, &q, any() & 3);",
    ],
)
def test_parts_of_pointers(body: str) -> None:
    assert line(f"{START}{body}\n*p = 1; return *q; }}") == FIRST


@pytest.mark.parametrize(
    "body",
    [
        "p = q; s.p = p; q = s.p;",
        "int *t[2] = {p, q}, *u[2]; memcpy(u, t, sizeof t); memset(t, 0, sizeof t); p = u[1];",
        "char c[8] = {1, 2}, d[8]; memcpy(d, c, 3); x = d[1] + *(short *)c;",
    ],
)
def test_whole_pointers(body: str) -> None:
    assert line(f"{START}{body}\n*p = 1; return *q; }}") is None


def test_the_range_that_ends_within_a_pointer_comes_first() -> None:
    text = f"{START}s.p = p; s.n = 3; x = s.n;\nmemcpy(&s.p, &q, 3);\n*s.p = 1; return 0; }}"
    assert line(text) == FIRST + 1


def test_a_model_of_the_library_looks_at_bytes_where_it_is_called() -> None:
    text = f"{START}x = 2;\nif (memcmp(&p, &q, sizeof p) < 0) x = 3;\nreturn 0; }}"
    assert line(text) == FIRST + 1


@pytest.mark.parametrize(
    "body",
    [
        "while (any()) p++;",
        "while (any()) p--;",
        "p += any();",
    ],
)
def test_pointers_that_may_leave_their_objects_are_compared(body: str) -> None:
    assert line(f"{START}{body}\nif (p == q) return *p;\nreturn 0; }}") == FIRST + 1


@pytest.mark.parametrize("body", ["p = q;", "p = &s.n;", "q = (int *)&s.p;"])
def test_pointers_that_stay_are_compared(body: str) -> None:
    assert line(f"{START}{body}\nif (p == q) return *p;\nreturn 0; }}") is None
