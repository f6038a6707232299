"""What proofs by invariants may not take from where they place objects: their order, and multiples of 16."""

from __future__ import annotations

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.static.low_bits import low_bits
from counterpoint.static.points_to import points_to

HEAD = "typedef unsigned long N; char one, two; long w; int main(void) { char *p = &one, *q = &two; N n = (N)p; while (any()) "


def needed(expression: str) -> list[int]:
    text = f"{HEAD}n += 2; check({expression}); return 0; }}"
    return sorted(low_bits(points_to(program(text, preparation="none"))).values())


@pytest.mark.parametrize(
    ("expression", "alignments"),
    [
        ("(n & 3) != 1", [4]),
        ("(n & 7) != 1", [8]),
        ("n % 8 != 1", [8]),
        ("n % 7 != 1", [16]),
        ("(n & ~(N)15) == n", [16]),
        ("(n & ~(N)3) == n", [4]),
        ("n >> 3 != 5", [16]),
        ("n >> 12 != 5", []),
        ("((n ^ 5) & 1) == 0", [2]),
        ("(((unsigned)n * 3) & 7) == 0", [8]),
        ("((n - (N)q) & 1) == 0", []),
        ("n != 5 && n < (N)q", []),
    ],
)
def test_what_a_place_tells_of_alignment(expression: str, alignments: list[int]) -> None:
    assert needed(expression) == alignments


def proved(check: str, between: str = "") -> bool:
    """By no facts at all."""
    text = f"{HEAD.replace('N n = (N)p; ', '')} {{ }} {between} check({check}); return 0; }}"
    try:
        check_proof(program(text), InductiveInvariants("flat", (), ()), Budget(20))
    except EvidenceRejected:
        return False
    return True


def test_the_order_of_objects_is_no_proof() -> None:
    made = "q = malloc(1);"
    assert not proved("p <= q", made)
    assert not proved("q <= p", made)
    assert not proved("q <= p")
    assert proved("(p < q) + (q < p) == 1", made)
    assert proved("p <= p + 1 && !(p + 1 < p)")


def test_alignment_of_objects_is_no_proof() -> None:
    assert not proved("((N)p & 15) == 0")
    assert not proved("((N)p & 1) == 0")
    assert proved("((N)&w & 7) == 0")
    assert proved("((N)q & 7) == 0", "q = malloc(1);")
