"""Unsafe programs that wrong meanings may make safe: those of tests/regression, one for each row of the access rules that is
invalid, and one for each operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from counterpoint.benchmarking.tasks import collect
from counterpoint.semantics.access_rules import RULES
from test_access_rules import OWNERS, PLACES, TEXT
from test_regression import CASES

HEADER = """
extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);
extern double __VERIFIER_nondet_double(void); extern void reach_error(void);
"""

ON_INTEGERS = (
    ("a + b", 7, 5, 12), ("a - b", 7, 5, 2), ("a * b", 7, -5, -35), ("a / b", -7, 2, -3), ("a % b", -7, 2, -1), ("a & b", 12, 10, 8),
    ("a | b", 12, 10, 14), ("a ^ b", 12, 10, 6), ("(int)((unsigned)a << b)", 3, 4, 48), ("a >> b", -16, 2, -4), ("(int)((unsigned)a >> b)", -16, 28, 15),
    ("a < b", -1, 1, 1), ("a <= b", 1, 1, 1), ("(unsigned)a < (unsigned)b", -1, 1, 0), ("(unsigned)a <= (unsigned)b", 4, 4, 1), ("a == b", 3, 3, 1),
    ("a != b", 3, 4, 1), ("a < b ? a : b", -3, 4, -3), ("(int)((unsigned)a / (unsigned)b)", -2, 2, 0x7FFFFFFF),
    ("(int)((unsigned)a % (unsigned)b)", -1, 16, 15), ("__builtin_popcount(a) + b", 0x70F, 0, 7), ("__builtin_clz(a) + b", 0x70F, 0, 21),
    ("__builtin_ctz(a) + b", 0x700, 0, 8), ("(int)__builtin_bswap32(a) + b", 0x01020304, 0, 0x04030201),
    ("(int)__builtin_bitreverse32(a) + b", 2, 0, 0x40000000), ("(int)__builtin_rotateleft32(a, b)", -0x7FFFFFFF, 4, 0x18),
    ("(int)__builtin_rotateright32(a, b)", 0x18, 4, -0x7FFFFFFF), ("__builtin_elementwise_min(a, b)", -3, 4, -3), ("__builtin_elementwise_max(a, b)", -3, 4, 4),
    ("(int)__builtin_elementwise_min((unsigned)a, (unsigned)b)", -3, 4, 4), ("(int)__builtin_elementwise_max((unsigned)a, (unsigned)b)", -3, 4, -3),
    ("__builtin_elementwise_add_sat(a, b)", 0x7FFFFFFF, 9, 0x7FFFFFFF), ("__builtin_elementwise_sub_sat(a, b)", 9 - 2**31, 90, -(2**31)),
    ("(int)__builtin_elementwise_add_sat((unsigned)a, (unsigned)b)", -3, 9, -1), ("(int)__builtin_elementwise_sub_sat((unsigned)a, (unsigned)b)", 3, 9, 0),
    ("__builtin_elementwise_abs(a) + b", -8, 1, 9), ("({ int r; __builtin_add_overflow(a, b, &r); })", 0x7FFFFFFF, 1, 1),
    ("({ int r; __builtin_sub_overflow(a, b, &r); })", -5, 0x7FFFFFFF, 1), ("({ int r; __builtin_mul_overflow(a, b, &r); })", 65536, 65536, 1),
    ("({ unsigned r; __builtin_add_overflow((unsigned)a, (unsigned)b, &r); })", -1, 1, 1),
    ("({ unsigned r; __builtin_sub_overflow((unsigned)a, (unsigned)b, &r); })", 3, 4, 1),
    ("({ unsigned r; __builtin_mul_overflow((unsigned)a, (unsigned)b, &r); })", 65536, 65536, 1), ("(int)((long)a >> b)", -3, 1, -2),
    ("(signed char)(a + b)", 0x1F0, 0x10, 0), ("(unsigned char)a + b", -1, 1, 256), ("(int)(((long)a << 32) >> 40) + b", -256, 0, -1),
)  # fmt: skip
"""An expression of `int a, b`, values for these, and its value."""

ON_FLOATS = (
    ("x + y", 1.5, 2.25, 3.75), ("x - y", 1.5, 2.25, -0.75), ("x * y", 1.5, 2.0, 3.0), ("x / y", 1.5, 2.0, 0.75), ("x < y", 1.5, 2.0, 1), ("x <= y", 2.0, 2.0, 1),
    ("x == y", 2.0, 2.0, 1), ("-x + y", 2.0, 0.5, -1.5), ("__builtin_fabs(x) + y", -2.0, 0.5, 2.5), ("__builtin_sqrt(x) + y", 4.0, 1.0, 3.0),
    ("__builtin_floor(x) + y", -1.5, 0.0, -2.0), ("__builtin_ceil(x) + y", -1.5, 0.0, -1.0), ("__builtin_trunc(x) + y", -1.5, 0.0, -1.0),
    ("__builtin_round(x) + y", 2.5, 0.0, 3.0), ("__builtin_rint(x) + y", 2.5, 0.0, 2.0), ("__builtin_fmin(x, y)", 1.0, 2.0, 1.0), ("__builtin_fmax(x, y)", 1.0, 2.0, 2.0),
    ("__builtin_copysign(x, y)", 1.0, -2.0, -1.0), ("__builtin_fma(x, y, y)", 3.0, 2.0, 8.0), ("(int)x + y", 2.75, 0.0, 2.0),
    ("(unsigned)x + y", 2.75, 0.0, 2.0), ("(float)x + y", 0.1, 0.0, 0.10000000149011612), ("(double)(int)y * x", 2.0, 3.5, 6.0),
    ("__builtin_isunordered(x, y)", 1.0, 2.0, 0), ("__builtin_isnormal(x) + y", 1.0, 0.0, 1.0), ("(double)(unsigned)(int)y + x", 0.5, -1.0, 4294967295.5),
)  # fmt: skip


@dataclass(frozen=True)
class Unsafe:
    """A program of which FALSE is right."""

    name: str
    property: str
    model: str
    prepare: str
    text: str = ""
    path: Path | None = None
    options: tuple[tuple[str, str], ...] = ()


def _operations() -> Iterator[Unsafe]:
    """The operands are no constants for the preparation `none`."""
    for number, (expression, a, b, right) in enumerate(ON_INTEGERS):
        test = f"if (a == {a} && b == {b} && ({expression}) == {right}) reach_error();".replace("-2147483648", "(-2147483647 - 1)")
        body = f"int main(void) {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); {test} return 0; }}"
        yield Unsafe(f"integers {number}: {expression}", "unreach-call", "LP64", "none", HEADER + body)
    for number, (expression, x, y, value) in enumerate(ON_FLOATS):
        test = f"if (x == {x} && y == {y} && ({expression}) == {value!r}) reach_error();"
        body = f"int main(void) {{ double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double(); {test} return 0; }}"
        yield Unsafe(f"floats {number}: {expression}", "unreach-call", "LP64", "none", HEADER + body)


def _rows() -> Iterator[Unsafe]:
    for rule in RULES:
        setup, starts = OWNERS[rule.owner]
        for start in starts:
            for write in (False, True):
                if rule.write if write else rule.read:
                    continue
                access = "*(volatile short *)q = 1" if write else "(void)*(volatile short *)q"
                text = TEXT
                for name, part in {"SETUP": setup, "START": start, "PLACE": PLACES[rule.place], "ACCESS": access}.items():
                    text = text.replace(name, part)
                name = f"{rule.owner.name}, {rule.place.name}, {start}, {'write' if write else 'read'}"
                yield Unsafe(name, "valid-deref", "ILP32" if write else "LP64", "none", text)


def _regression() -> Iterator[Unsafe]:
    seen: set[tuple[Path, str]] = set()
    for case in CASES:
        options = dict(case.options)
        if len(case.verdicts) != 1 or not case.verdicts[0].startswith("FALSE") or (case.path, options.get("define", "")) in seen:
            continue
        seen.add((case.path, options.get("define", "")))
        model, prepare = options.pop("model", "LP64"), options.pop("prepare", "default")
        property_ = options.pop("property", "unreach-call")
        kept = tuple((name, value) for name, value in options.items() if name not in ("timeout", "engines"))
        yield Unsafe(f"{case} {options.get('define', '')}", property_, model, prepare, path=case.path, options=kept)


def tasks(paths: Iterable[Path], every: int = 1) -> list[Unsafe]:
    """Every n-th of the tasks (sets, folders, task definitions) that are to be FALSE."""
    false = [task for task in collect(paths) if task.expected is False]
    return [
        Unsafe(task.name, task.property, task.data_model, "default", path=task.definition)
        for task in false[::every]
    ]


def programs(every: int = 1) -> list[Unsafe]:
    """All of them, in a fixed order; of tests/regression every n-th."""
    return [*_operations(), *_rows(), *list(_regression())[::every]]
