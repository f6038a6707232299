"""For each row of docs/soundness.md: one place whose change breaks it, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Break:
    """`row`: how the row begins. In `file` (below src/counterpoint) `old`, which stands there once, becomes `new`.

    `guards` are pytest's arguments: files, tests, `-k` with an expression.
    """

    row: str
    file: str
    old: str
    new: str
    guards: tuple[str, ...]


BREAKS = (
    Break(
        "Integers are two's complement",
        "property/no_overflow.py",
        '"-fsanitize=signed-integer-overflow",',
        '"-fwrapv",',
        ("tests/test_bmc.py", "-k", "overflow"),
    ),
    Break(
        "What C leaves undefined in an expression",
        "frontend/arithmetic.py",
        'bad = body.compute(f"icmp uge {type_} {right}, {bits}", debug)',
        'bad = body.compute(f"icmp ugt {type_} {right}, {bits}", debug)',
        ("tests/test_frontend_rewriting.py", "tests/test_frontend_meaning.py"),
    ),
    Break(
        "In Simple C every operation is defined",
        "frontend/requests.py",
        'body.compute(f"select i1 {negative}, i32 1, i32 -1", debug)',
        'body.compute(f"select i1 {negative}, i32 -1, i32 1", debug)',
        ("tests/test_simplec.py",),
    ),
)
