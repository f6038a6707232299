"""Undefined behaviour that is no check of the property: a run that gets there makes the answer UNKNOWN, never TRUE."""

from __future__ import annotations

from fuzz_corners.kit import UNREACH, Draw, Part, shape

OPEN = "UNDEFINED"


@shape(UNREACH, "", OPEN, weight=2, clean=False)
def unreachable_is_reached(d: Draw) -> Part:
    k = d.between(-9, 9)
    given = d.asked(d.model.integers[6], k)
    guard = "" if d.fault else f"if (x == {k}) return;"
    return d.part(f"int x = {given};", guard, f"if (x == {k}) __builtin_unreachable();", f"A(x != {k});")


@shape(UNREACH, "", OPEN, weight=2, clean=False)
def switch_that_promises_too_much(d: Draw) -> Part:
    given = d.asked(d.model.integers[6], 2)
    guard = "" if d.fault else "if (x < 0 || x > 1) return;"
    return d.part(f"int x = {given};", guard, "int r = f$(x);", "A(r == 1 || r == 2);", outside=(
        "static int f$(int x) { switch (x) { case 0: return 1; case 1: return 2; default: __builtin_unreachable(); } }",))


@shape(UNREACH, "", OPEN, weight=2, clean=False)
def function_that_must_not_return(d: Draw) -> Part:
    given = d.asked(d.model.integers[6], 0)
    end = "if (x) abort();" if d.fault else "abort();"
    call = "f$(x);" if d.fault else "if (x == 5) f$(x);"  # what comes behind it is to be reached
    return d.part(f"int x = {given};", call, "A(1);", outside=(f"__attribute__((noreturn)) static void f$(int x) {{ (void)x; {end} }}",), headers=("stdlib.h",))


@shape(UNREACH, "error|undefined", weight=2, clean=False)
def branch_on_what_has_no_value(d: Draw) -> Part:
    """A run goes on behind a constant without a value, whichever way."""
    constant = d.choose(("(unsigned)-1.0f", "(int)1e30", "(unsigned char)-2.0", "(short)1e9f")) + d.choose(("", " * 0", " + 1"))
    way = d.choose(("if ({}) n++;", "while ({}) if (n++) break;", "n = ({}) && n ? 2 : 1;", "switch ({}) {{ case 1: n = 2; }}"))
    given = d.asked(d.model.integers[6], 5)
    d.unsure = True  # what a compiler makes of it
    return d.part(f"int x = {given}, n = 0;", way.format(constant), f"A(x != 5 || {int(not d.fault)} || n > 9);")


@shape(UNREACH, "", weight=2, clean=False)
def lane_that_nothing_sets(d: Draw) -> Part:
    """A lane of a shuffle that is left open may have any value; the others have theirs."""
    at, k = d.below(4), d.between(-9, 9)
    lanes = ["-1" if lane == at else str(lane) for lane in range(4)]
    seen = at if d.fault else (at + 1) % 4
    check = f"s[{seen}] != {k}" if d.fault else f"s[{seen}] == x + {seen}"
    given = d.asked(d.model.integers[6], 5)
    return d.part(f"int x = {given};", "if (x != 5) return;", "v$ p = { x, x + 1, x + 2, x + 3 };", f"v$ s = __builtin_shufflevector(p, p, {', '.join(lanes)});",
                  f"A({check});", outside=("typedef int v$ __attribute__((vector_size(16)));",))
