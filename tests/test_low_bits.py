"""What proofs by invariants may not take from where they place objects: their order, and multiples of 16."""

from __future__ import annotations

import pytest

from c_programs import program
from counterpoint.core.budget import Budget
from counterpoint.core.errors import EvidenceRejected
from counterpoint.evidence.induction import InductiveInvariants
from counterpoint.evidence.proof import check_proof
from counterpoint.static.low_bits import looks
from counterpoint.static.points_to import points_to

HEAD = "typedef unsigned long N; char one, two; long w; int main(void) { char *p = &one, *q = &two; N n = (N)p; while (any()) "


def needed(expression: str) -> list[int]:
    text = f"{HEAD}n += 2; check({expression}); return 0; }}"
    return sorted(looks(points_to(program(text, preparation="none"))).low.values())


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
        ("(n | 1) != n", [2]),
        ("(n ^ 6) < 9", [8]),
        ("n << 60 != 1", [16]),
        ("(unsigned char)n != 1", [16, 16]),
        ("(n & (N)any()) != 1", [16]),
        ("__builtin_ctzll(n) < 4", []),
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
    assert not proved("(N)p <= (N)q", made)
    assert not proved("(long)p <= (long)q", made)
    assert not proved("((long)p <= (long)q) == ((N)p <= (N)q)", made)
    for number in ("(unsigned)(N)", "(unsigned char)(N)", "(unsigned __int128)(N)"):
        assert not proved(f"{number}p <= {number}q", made)
        assert not proved(f"({number}p <= {number}q) + ({number}q <= {number}p) == 1", made)
    assert proved("(N)p <= (N)(p + 1)")


def test_distances_of_objects_are_no_proof() -> None:
    made = "q = malloc(1);"
    assert not proved("((p - q) & 15) == 0", made)
    assert not proved("(long)((N)q - (N)p) > 0", made)
    either = "p = any() ? &one : &two; q = any() ? &one : &two;"
    assert not proved("((p - q) & 15) == 0", either)
    assert not proved("(((N)p - (N)q) & 15) == 0", either)
    assert proved("p != q || p - q == 0", either)
    assert proved("(p - q) + (q - p) == 0", made)
    assert proved("(p + 3) - p == 3 && (q + 1) - q == 1", made)


def test_calls_hand_numbers_on() -> None:
    head = "typedef unsigned long N; char one; static int odd(N n, int k) { return k > 0 ? odd(n, k - 1) : n & 1; }"
    there = "static N made(int k, char *p) { return k > 0 ? made(k - 1, p) : (N)p; } int main(void) { "
    for text in ("return odd((N)&one, any()); }", "return made(any(), &one) & 1; }"):
        assert list(looks(points_to(program(head + there + text, preparation="modular"))).low.values()) == [2]


def test_alignment_of_objects_is_no_proof() -> None:
    assert not proved("((N)p & 15) == 0")
    assert not proved("((N)p & 1) == 0")
    assert proved("((N)&w & 7) == 0")
    assert proved("((N)q & 7) == 0", "q = malloc(1);")


def test_what_hangs_on_the_place_is_no_proof() -> None:
    assert not proved("(N)p << 60 == 0")
    assert not proved("(N)p * (1ul << 61) == 0")
    assert not proved("(unsigned char)(N)p != 1")
    assert not proved("(char *)(((N)p | 1) - 1) == p")
    assert not proved("__builtin_ctzll((N)p) >= 4")
    assert not proved("__builtin_bswap64((N)p) >> 56 != 1")
    assert not proved("(((N)p ^ (N)q) & 8) == 0")
    assert not proved("((N)p ^ (N)q) >= 16")
    assert not proved("((N)p >> 4) % 8 == ((N)q >> 4) % 8")
    assert not proved("((N)p >> 4) % 8 != ((N)q >> 4) % 8")
    assert not proved("(N)p != 0x100001")
    assert not proved("(N)p != 0x100000")
    assert not proved("(N)p != 2 * (N)any() + 1")
    assert proved("(N)p != 0 && (N)p != 5 && (N)p != -1ul && (N)p != (N)q")
    assert proved("((N)p >> 4) % 8 < 8 && (N)p >> 4 == (N)p >> 4")
    assert proved("(char *)(((N)q | 1) - 1) == q && ((N)q | 1) != (N)q", "q = malloc(1);")


@pytest.mark.parametrize("way", ["u.n", "kept[1]", "kept[any() & 1]", "copied", "*(unsigned char *)&stored"])
def test_numbers_are_followed_through_memory(way: str) -> None:
    there = "union { char *p; N n; } u; N kept[2], copied; char *stored; "
    text = HEAD.replace("int main", there + "int main") + "n += 2; u.p = stored = p; kept[1] = n; while (any()) ; "
    text += f"__builtin_memcpy(&copied, &stored, 8); while (any()) ; check(({way} & 1) == 0); return 0; }}"
    assert 2 in looks(points_to(program(text, preparation="none"))).low.values()


def test_numbers_beside_pointers_are_none() -> None:
    text = "struct { char *p; unsigned long flags; } s; char one; int main(void) { s.p = &one; s.flags = any(); "
    text += "while (any()) s.flags++; check((s.flags & 1) == 0); return *s.p; }"
    assert not looks(points_to(program(text, preparation="none"))).low
