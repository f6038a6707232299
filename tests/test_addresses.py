"""What may and may not be concluded about addresses."""

from __future__ import annotations

import pytest

from c_programs import subject
from counterpoint.core.budget import Budget
from counterpoint.engines.bmc import ENGINE
from counterpoint.engines.protocol import Task, Tools
from counterpoint.evidence.verdict import Safe, Unsafe
from counterpoint.program.model import Program
from counterpoint.program.types import Layout
from counterpoint.semantics.addresses import MAX_PLACED, address_axioms
from counterpoint.semantics.objects import MemoryObject, World
from counterpoint.solver.answers import Sat
from counterpoint.solver.layers import standard_solver
from counterpoint.term import build
from counterpoint.term.sorts import BitVec

pytestmark = pytest.mark.fills_memory

HOLDS = {
    "objects are apart": "int a[4], b[4]; int main() { check(a + any() % 4 != b + 1 || 1); check(&a[0] != &b[0]); return 0; }",
    "alignment": "int a; int main() { check(((unsigned long)&a & 3) == 0); return 0; }",
    "not null": "int main() { int x; int *p = any() ? &x : (int *)0; if (p) *p = 1; check(!p || *p == 1); return 0; }",
    "an order exists": "int a[4], b[4]; int main() { check(a < b || b < a); check(!(a < b && b < a)); return 0; }",
    "two past is not the other": "int a[4], b[4]; int main() { check(a + 5 != b || a + 4 != b); return 0; }",
    "through an integer": "int main() { int x = 5; unsigned long n = (unsigned long)&x; *(int *)n = 6; check(x == 6); return 0; }",
    "through bits": "int main() { int x = 5; unsigned long n = (unsigned long)&x ^ 15; *(int *)(n ^ 15) = 6; check(x == 6); return 0; }",
}

FAILS_SOMEWHERE = {
    "order of globals": "int a[4], b[4]; int main() { check((char *)a < (char *)b); return 0; }",
    "order the other way": "int a[4], b[4]; int main() { check((char *)b < (char *)a); return 0; }",
    "one past is the other": "int a[4], b[4]; int main() { check(a + 4 != b); return 0; }",
    "a given place": "int a; int main() { check((unsigned long)&a != 0x601040); return 0; }",
}


def verdict_of(text: str) -> object:
    return ENGINE.verify(Task(subject(text)), Tools(Budget(90)))


@pytest.mark.parametrize("name", HOLDS)
def test_what_holds_for_every_layout(name: str) -> None:
    assert isinstance(verdict_of(HOLDS[name]), Safe)


@pytest.mark.parametrize("name", FAILS_SOMEWHERE)
def test_nothing_that_depends_on_the_layout_is_proved(name: str) -> None:
    assert isinstance(verdict_of(FAILS_SOMEWHERE[name]), Unsafe)


@pytest.mark.parametrize("bits", [32, 64])
def test_the_axioms_can_always_be_satisfied(bits: int) -> None:
    """However many and however large the objects: else everything would be proved."""
    world = World(Program({}, {}, Layout(bits), "main"))
    sizes = [1, 1 << 20, (1 << bits) - 1, 1 << (bits - 1), *([1 << (bits - 10)] * (2 * MAX_PLACED))]
    for size in sizes:
        world.add_object(lambda index, size=size: MemoryObject(index, "x", size, 16))  # type: ignore[misc]
    unknown = build.variable("n", BitVec(bits))

    world.add_object(lambda index: MemoryObject(index, "n", unknown, 16))
    solver = standard_solver()
    for axiom in address_axioms(world, range(len(world.objects))):
        solver.add(axiom)
    assert isinstance(solver.check(seconds=60), Sat)


def test_more_alignment_than_the_type_has_is_not_assumed() -> None:
    """A proof must cover the slow path of code that looks at the alignment of its buffer."""
    text = "char buffer[8]; int main() { check(((unsigned long)buffer & 7) == 0); return 0; }"
    assert isinstance(verdict_of(text), Unsafe)
    masked = """char b[15]; int main() { unsigned long p = ((unsigned long)b + 7) & ~7ul; *(char *)p = 1;
      check(b[0] == 1); return 0; }"""
    assert isinstance(verdict_of(masked), Unsafe)
