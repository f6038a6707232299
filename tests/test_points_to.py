"""Points-to sets against what small programs do."""

from __future__ import annotations

import pytest

from c_programs import program
from counterpoint.program import model as m
from counterpoint.program.graph import loop_heads
from counterpoint.static.mod_ref import mod_ref
from counterpoint.static.points_to import EXTERNAL, PointsTo, members, points_to


def names(points: PointsTo, bits: int) -> set[str]:
    return {points.objects[number].name for number in members(bits)}


def stored_through(points: PointsTo) -> list[set[str]]:
    """The targets of each store, in the order of the text."""
    return [
        names(points, points.targets(function.name, i.address))
        for function in points.program.functions.values()
        for block in function.blocks
        for i in block.instructions
        if isinstance(i, m.Store)
    ]


def of(text: str, preparation: str = "none") -> PointsTo:
    return points_to(program(text, preparation=preparation))


def test_branches_and_globals() -> None:
    points = of("int g, h, k; int main(void) { int *p = any() ? &g : &h; *p = 1; k = g; return 0; }")
    assert {"g", "h"} in stored_through(points)
    assert {"k"} in stored_through(points)
    joined = [group for group in points.classes if len(group) > 1]
    assert [{points.objects[n].name for n in group} for group in joined] == [{"g", "h"}]


def test_pointers_through_memory_and_integers() -> None:
    points = of(
        "int g; int *cell; unsigned long number;"
        "int main(void) { cell = &g; *cell = 1; number = (unsigned long)cell ^ 5; *(int *)(number ^ 5) = 2; return 0; }"
    )
    through = [targets for targets in stored_through(points) if "g" in targets]
    assert len(through) == 2
    assert points.escapes >> points.globals["g"] & 1
    assert not points.escapes >> points.globals["cell"] & 1


def test_casts_that_llvm_drops_have_exposed_objects() -> None:
    points = of(
        "int g, h, k; int main(void) { int x; long unused = (long)&h, here = (long)&x;"
        " int *p = (int *)((long)&g + any()); *p = 1; return k; }",
        "flat",
    )
    assert names(points, points.exposed) >= {"g", "h"}
    assert "x" in names(points, points.exposed)
    assert stored_through(points)[-1] >= {"g", "h", "x"}
    assert "k" not in names(points, points.exposed)


NUMBERS = {
    "in a union": "u.l = (long)&g + any(); long there = (long)&h; *u.p = 1; return there == 3;",
    "changed in a union": "u.p = &g; u.l += any(); long there = (long)&h; *u.p = 1; return there == 3;",
    "in a pointer": "int *p; *(long *)&p = (long)&g + any(); q = p; *q = 1; return (long)&h == 3;",
    "copied": "s.l = (long)&g + any(); __builtin_memcpy(&q, &s.l, sizeof q); *q = 1; return (long)&h == 3;",
    "in parts": "s.l = (long)&g; u.p = &k; u.i[0] = s.l + any(); *u.p = 1; return (long)&h == 3;",
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_in_memory_are_read_as_pointers_to_what_is_exposed(name: str) -> None:
    points = of(
        "int g, h, k, *q; union { long l; int i[2]; int *p; } u; struct { long l; int d; } s;"
        f"int main(void) {{ {NUMBERS[name]} }}"
    )
    assert any(targets >= {"g", "h"} for targets in stored_through(points))


def test_distances_of_pointers_in_memory_are_no_pointers() -> None:
    points = of(
        "int g, h, k, *q; struct { int *p; long d; } s;"
        "int main(void) { q = &h; s.p = &g; s.d = q - &h; *s.p = 1; return (long)&k == 1; }"
    )
    assert "k" in names(points, points.exposed)
    assert not any("k" in targets for targets in stored_through(points))


def test_bytes_of_a_pointer_are_followed() -> None:
    points = of(
        "int g; char bytes[8]; int main(void) { int *p = &g, *q; for (int i = 0; i < 8; i++) bytes[i] = ((char *)&p)[i];"
        " for (int i = 0; i < 8; i++) ((char *)&q)[i] = bytes[i]; *q = 1; return 0; }"
    )
    assert any("g" in targets for targets in stored_through(points)[-1:])


def test_calls_pass_targets_both_ways() -> None:
    points = of(
        "int g, h; __attribute__((noinline)) int *pick(int *a, int *b) { for (;;) { if (any()) return a; if (any()) return b; } }"
        "int main(void) { *pick(&g, &h) = 1; return 0; }",
        "modular",
    )
    assert {"g", "h"} in stored_through(points)


def test_unknown_pointers_are_external_and_stay_outside() -> None:
    points = of("int g; extern int *unknown(void); int main(void) { *unknown() = 1; g = 2; return 0; }")
    assert stored_through(points) == [{"external memory"}, {"g"}]
    assert points.written == 1 << EXTERNAL | 1 << points.globals["g"]


def test_singletons() -> None:
    points = of(
        "struct n { struct n *next; }; struct n *volatile head; int main(void) { char *once = malloc(10); once[any() & 7] = 1;"
        " while (any()) { struct n *x = malloc(sizeof *x); x->next = head; head = x; } return once[3]; }",
        "flat",
    )
    single = [o for o in points.objects if o.allocation is not None and points.singleton >> o.number & 1]
    assert [isinstance(o.allocation.size, m.Constant) and o.allocation.size.bits for o in single if o.allocation and o.heap] == [10]
    assert any(o.heap and not points.singleton >> o.number & 1 for o in points.objects)


def test_effects_of_loops() -> None:
    points = of("int g, h, k; int main(void) { k = 3; while (any()) { g = h + 1; } return g; }")
    effects = mod_ref(points)
    (head,) = loop_heads(points.program.functions["main"])
    loop = effects.loops["main", head]
    assert names(points, loop.modified) == {"g"}
    assert names(points, loop.read) == {"h"}
    assert names(points, effects.functions["main"].modified) == {"g", "k"}
