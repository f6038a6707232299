"""From a seed to a program: shapes joined in random surroundings, the fault planted in one of them or in none."""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass

from fuzz_corners.kit import INT, MEMORY, OVERFLOW, UNREACH, Draw, Model, Part, Shape, numbered, shapes

PROPERTIES = (UNREACH, MEMORY, OVERFLOW)

PRELUDE = """\
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
#define A(c) do { if (!(c)) reach_error(); } while (0)
"""

NO_ASAN = """\
#ifndef __has_feature
#define __has_feature(x) 1
#endif
#if !__has_feature(address_sanitizer)
"""
UNTESTED = f"""\
{NO_ASAN}#pragma clang attribute push(__attribute__((no_sanitize("undefined", "shift", "vla-bound"))), apply_to = function)
#endif"""
TESTED = f"{NO_ASAN}#pragma clang attribute pop\n#endif"
"""Around a program: what must change no answer, and is not there where sanitizers tell it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A program with its answer. `violates` is the check that fails, "" if none does.

    `guilty` is the shape that would have the fault. `inputs` lead to the fault. `seen`, `compilers` and `clean` as of kit.Shape, of the part with the fault or of all.
    """

    seed: int
    text: str
    property: str
    model: str
    violates: str
    inputs: tuple[int, ...]
    seen: str
    compilers: tuple[str, ...]
    clean: bool
    names: tuple[str, ...]
    guilty: str

    @property
    def expected(self) -> str:
        """The right verdict."""
        if self.violates == "UNDEFINED":
            return "UNKNOWN"
        return f"FALSE({self.violates})" if self.violates else "TRUE"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a seed means before any text: the shapes, and which of them would have the fault."""

    property: str
    model: Model
    shapes: tuple[Shape, ...]
    guilty: int
    fault: bool


def planned(seed: int, only: Collection[str] = (), model: str = "") -> Plan:
    """The plan of a seed; `only` shapes (or files of shapes) with these names if any are given.

    A `model` overrules the seed's own, unless no shape is for it.
    """
    choose = random.Random(f"plan {seed}")
    known = [s for s in shapes().values() if not only or s.name in only or s.name.partition(".")[0] in only]
    properties = [p for p in PROPERTIES if any(s.property == p for s in known)]
    weights = {UNREACH: 4, MEMORY: 4, OVERFLOW: 2}
    property = choose.choices(properties, [weights[p] for p in properties])[0]
    own = choose.choice(("ILP32", "LP64"))
    in_model = [s for s in known if s.property == property and (model or own) in s.models]
    usable = in_model or [s for s in known if s.property == property]
    drawn = Model(model or own if in_model else usable[0].models[0])
    first = choose.choices(usable, [s.weight for s in usable])[0]
    joined = [first]
    if not first.alone and not only:
        others = [s for s in usable if not s.alone]
        joined += choose.choices(others, [s.weight for s in others], k=choose.choice((0, 0, 0, 1, 1, 2)))
        choose.shuffle(joined)
    return Plan(property, drawn, tuple(joined), choose.randrange(len(joined)), choose.random() < 0.5)


def generate(
    seed: int, fault: bool | None = None, keep: Collection[int] | None = None, only: Collection[str] = (), model: str = ""
) -> Case:
    """The program of a seed. `fault` and `model` overrule the seed's own choice; `keep` names the parts that stay."""
    plan = planned(seed, only, model)
    faulty = plan.fault if fault is None else fault
    kept = [n for n in range(len(plan.shapes)) if keep is None or n in keep]
    inputs: list[int] = []
    parts: list[tuple[int, Part, str]] = []
    unsure = False
    for number in kept:
        draw = Draw(random.Random(f"part {seed} {number}"), faulty and number == plan.guilty, plan.model, inputs)
        way = "" if plan.shapes[number].alone else _way(draw, number)
        parts.append((number, numbered(plan.shapes[number].make(draw), number), way))
        unsure |= draw.unsure
    guilty = plan.shapes[plan.guilty]
    present = [plan.shapes[n] for n in kept]
    violated = faulty and plan.guilty in kept
    return Case(
        seed, _text(parts, seed % 4 == 0), plan.property, plan.model.name, guilty.violates if violated else "",
        tuple(inputs), f"{guilty.seen}{'|' * unsure}" if violated else "", tuple(c for c in ("gcc", "clang") if all(c in s.compilers for s in present)),
        all(s.clean for s in present), tuple(s.name for s in present), guilty.name,
    )  # fmt: skip


def _way(draw: Draw, number: int) -> str:
    """How main gets to the part: statements with `@` for its call. Drawn first: its inputs come first."""
    match draw.below(12):
        case 0:
            low = draw.between(-5, 40)
            value = low + draw.below(3)
            return f"{{ int k{number} = {draw.asked(INT, value)}; if (k{number} >= {low} && k{number} <= {low + 2}) @(); }}"
        case 1:
            return f"for (int i{number} = 0; i{number} < 3; i{number}++) if (i{number} == {draw.below(3)}) @();"
        case 2:
            return f"{{ void (*f{number})(void) = @; f{number}(); }}"
        case 3:
            return f"switch ({draw.below(3)}) {{ case 0: case 1: case 2: @(); break; default: ; }}"
        case 4:
            return f"{{ int again{number} = 1; again: if (again{number}--) {{ @(); goto again; }} }}".replace("again:", f"l{number}:").replace("goto again", f"goto l{number}")
        case 5:
            return f"{{ int v{number}[{draw.between(1, 3)} + (int)sizeof(char)]; v{number}[0] = 0; @(); (void)v{number}; }}"
        case 6:
            return f"{{ static int once{number}; while (!once{number}) {{ once{number} = 1; @(); }} }}"
    return "@();"


def _text(parts: list[tuple[int, Part, str]], untested: bool) -> str:
    headers = sorted({header for _, part, _ in parts for header in part.headers})
    lines = [*(f"#include <{header}>" for header in headers), PRELUDE.rstrip(), *([UNTESTED] if untested else [])]
    for number, part, _ in parts:
        if part.outside:
            lines.append(part.outside)
        if part.main:
            lines.append(part.main)
        else:
            body = "\n".join(f"  {line}" for line in part.body.splitlines())
            lines.append(f"static void part{number}(void) {{\n{body}\n}}")
    if not any(part.main for _, part, _ in parts):
        calls = "\n".join(f"  {way.replace('@', f'part{number}')}" for number, _, way in parts)
        lines.append(f"int main(void) {{\n{calls}\n  return 0;\n}}")
    return "\n".join([*lines, *([TESTED] if untested else [])]) + "\n"


