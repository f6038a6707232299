"""Memory of concrete runs: objects, bounds, lifetimes, invalid accesses, external objects, leaks."""

from __future__ import annotations

import gc
import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterpoint.execute.inputs import RandomInputs, ReplayInputs
from counterpoint.execute.interpreter import Run, run
from counterpoint.execute.memory import MOST_LARGE, fresh_bytes
from counterpoint.execute.outcome import Finished, Limits, UnsupportedAt, Violated
from counterpoint.program import model as p
from counterpoint.program.inputs import INVALID_READ, Input, MemoryInput, ScalarInput
from counterpoint.program.types import DOUBLE, TRUTH, IntType, PointerType
from counterpoint.semantics.layout import (
    EXTERNAL_CONTENTS,
    EXTERNAL_SIZE,
    NULL_PAGE,
    OBJECT_ALIGNMENT,
    external_base,
    gap,
    global_addresses,
    own_base,
    place,
)
from tiny_programs import I8, I16, I32, I64, FunctionBuilder, const, program

POINTER = PointerType(64)


def on(code: p.Program, *inputs: Input) -> Run:
    return run(code, ReplayInputs(inputs))


def main() -> FunctionBuilder:
    f = FunctionBuilder("main")
    f.block(0)
    return f


def finished(f: FunctionBuilder, *inputs: Input, big_endian: bool = False) -> Run:
    """Runs the function to its end; its checks say what must hold."""
    f.stop()
    found = on(program(f, big_endian=big_endian, kinds=("a", "b", "c")), *inputs)
    assert found.outcome == Finished()
    return found


@pytest.mark.parametrize("big_endian", [False, True])
def test_byte_order(big_endian: bool) -> None:
    f = main()
    cell = f.allocate(8)
    f.store(cell, const(0x11223344))
    f.check_equal(f.load(cell, I8), const(0x11 if big_endian else 0x44, I8))
    f.check_equal(f.load(f.offset(cell, 2), I16), const(0x3344 if big_endian else 0x1122, I16))
    f.store(f.offset(cell, 1), const(0xABCDEF, IntType(24)))
    f.check_equal(f.load(cell), const(0x11ABCDEF if big_endian else 0xABCDEF44))
    finished(f, big_endian=big_endian)


def test_odd_widths_are_padded_with_zeros() -> None:
    f = main()
    cell = f.allocate(8)
    f.store(cell, const(-1, I64))
    f.store(cell, const(0x55, IntType(7)))
    f.check_equal(f.load(cell, I8), const(0x55, I8))
    f.store(cell, const(0xFF, I8))
    f.check_equal(f.load(cell, IntType(7)), const(0x7F, IntType(7)))
    f.check_equal(f.load(f.offset(cell, 1), TRUTH), const(1, TRUTH))
    finished(f)


def test_a_nan_in_memory_keeps_its_bits() -> None:
    f = main()
    cell = f.allocate(8)
    f.store(cell, const(0xFFF8_0000_0000_0001, I64))
    f.store(cell, f.load(cell, DOUBLE))
    f.check_equal(f.load(cell, I64), const(0xFFF8_0000_0000_0001, I64))
    finished(f)


def test_globals_and_constants() -> None:
    table = p.Global("table", 16, 4, ((0, const(7)), (8, p.Address("other", 4, POINTER))), constant=True)
    other = p.Global("other", 8, 8, ((4, const(9)),))
    f = main()
    base = p.Address("table", 0, POINTER)
    f.check_equal(f.load(base), const(7))
    f.store(base, const(1))
    f.check_equal(f.load(base), const(7), 1)
    pointer = f.load(p.Address("table", 8, POINTER), POINTER)
    f.check_equal(f.load(pointer), const(9))
    f.store(pointer, const(10))
    f.check_equal(f.load(p.Address("other", 4, POINTER)), const(10))
    f.stop()
    code = program(f, objects=(table, other), kinds=("a", "b"))
    assert on(code).outcome == Finished()
    assert on(code).outcome == Finished(), "a second run starts with fresh globals"


def test_globals_are_apart() -> None:
    code = program(_empty(), objects=tuple(p.Global(f"g{size}", size, 1) for size in (0, 1, 100, 5000, 3)))
    addresses = list(global_addresses(code).items())
    assert addresses[0][1] >= NULL_PAGE
    for (name, base), (_, following) in itertools.pairwise(addresses):
        assert following >= base + int(name[1:]) + gap(64)
        assert base % OBJECT_ALIGNMENT == 0
    assert place(17, 64) == 64 and place(17, 1) == 32


def _empty() -> FunctionBuilder:
    f = main()
    f.stop()
    return f


# ---------------------------------------------------------------- invalid accesses


@pytest.mark.parametrize("away", [-1, 5, 8, 1 << 40])
def test_invalid_read_is_an_input_and_invalid_write_changes_nothing(away: int) -> None:
    f = main()
    cell, neighbour = f.allocate(8), f.allocate(8)
    outside = f.offset(cell, away)
    f.store(neighbour, const(0, I64))
    f.store(outside, const(99))
    f.check_equal(f.load(outside), const(77))
    f.check_equal(f.load(neighbour, I64), const(0, I64))
    found = finished(f, ScalarInput(INVALID_READ, 77, 32))
    assert found.inputs == (ScalarInput(INVALID_READ, 77, 32),)


def test_dead_objects() -> None:
    f = main()
    local, block = f.allocate(4), f.allocate(4, heap=True, zeroed=True)
    f.store(local, const(5))
    f.add(p.EndLife(local))
    f.check_equal(f.load(local), const(0))
    f.store(local, const(6))
    f.add(p.BeginLife(local))
    f.check_equal(f.load(local), const(5))
    f.add(p.Free(block))
    f.add(p.BeginLife(block))
    f.store(block, const(1))
    f.check_equal(f.load(block), const(0))
    found = finished(f)
    assert [item.site for item in found.inputs] == [INVALID_READ, INVALID_READ]


def test_locals_die_with_their_function() -> None:
    f = main()
    (escaped,) = f.call("escape", (), POINTER)
    f.check_equal(f.load(escaped), const(123))
    f.stop()
    g = FunctionBuilder("escape", (), (POINTER,))
    g.block(0)
    cell = g.allocate(4)
    g.store(cell, const(1))
    g.ret(cell)
    assert on(program(f, g), ScalarInput(INVALID_READ, 123, 32)).outcome == Finished()


def test_addresses_are_never_reused_and_memory_is_given_back() -> None:
    """20,000 calls with a large local: only the live one counts against the limit."""
    f = FunctionBuilder("main")
    f.block(0)
    f.goto(1, const(0), const(0, POINTER))
    i, before = f.register(I32), f.register(POINTER)
    f.block(1, i, before)
    (here,) = f.call("local", (), POINTER)
    f.check(f.compute("ult", TRUTH, before, here))
    j = f.compute("add", I32, i, const(1))
    f.branch(f.compute("ult", TRUTH, j, const(20_000)), 1, 2, (j, here))
    f.block(2)
    f.stop()
    g = FunctionBuilder("local", (), (POINTER,))
    g.block(0)
    g.ret(g.allocate(10_000))
    assert run(program(f, g), ReplayInputs(()), Limits(memory=100_000)).outcome == Finished()


@pytest.mark.parametrize("size", [1 << 31, (1 << 64) - 1])
def test_too_large_an_object_is_unsupported(size: int) -> None:
    f = main()
    f.allocate(size, heap=True)
    f.stop()
    outcome = on(program(f)).outcome
    assert isinstance(outcome, UnsupportedAt) and outcome.site == 1


# ---------------------------------------------------------------- ranges


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 20), st.integers(0, 20), st.integers(0, 20))
def test_copy_is_memmove(target: int, source: int, size: int) -> None:
    """Within one object of 16 bytes; nothing goes to an invalid range, arbitrary bytes (here 7) come from one."""
    contents = list(range(1, 17))
    if max(target, source) + size <= 16:
        contents[target : target + size] = contents[source : source + size]
    elif target + size <= 16:
        contents[target : target + size] = [7] * size
    f = main()
    block = f.allocate(16)
    for offset in range(16):
        f.store(f.offset(block, offset), const(offset + 1, I8))
    f.add(p.Copy(f.offset(block, target), f.offset(block, source), const(size, I64)))
    for offset, byte in enumerate(contents):
        f.check_equal(f.load(f.offset(block, offset), I8), const(byte, I8))
    finished(f, MemoryInput(INVALID_READ, size, tuple((at, 7) for at in range(size))))


def test_fill_and_havoc() -> None:
    f = main()
    block = f.allocate(8)
    f.add(p.Fill(block, const(0xAB, I8), const(8, I64)))
    f.check_equal(f.load(block), const(0xABABABAB))
    f.add(p.Fill(f.offset(block, 4), const(0, I8), const(5, I64)))
    f.check_equal(f.load(f.offset(block, 4)), const(0xABABABAB), 1)
    f.add(p.Havoc(f.offset(block, 4), const(4, I64), 2))
    f.check_equal(f.load(f.offset(block, 4)), const(0x00003400), 2)
    contents = MemoryInput(2, 4, ((1, 0x34),))
    assert finished(f, contents).inputs == (contents,)


def test_contents_of_heap_blocks_are_inputs_and_those_of_locals_are_not() -> None:
    f = main()
    f.allocate(8)
    block = f.allocate(8, heap=True)
    f.check_equal(f.load(block), const(0x0500))
    found = finished(f, MemoryInput(1, 8, ((1, 5), (9, 9))))
    assert found.inputs == (MemoryInput(1, 8, ((1, 5),)),)


def test_large_objects_of_runs_that_ended_are_given_back() -> None:
    """Though each run is a cycle, and terms make looking for these rare."""
    gc.disable()
    try:
        for _ in range(3 * MOST_LARGE // (1 << 26)):
            cycle: list[object] = [fresh_bytes(1 << 26)]
            cycle.append(cycle)
        mapped = sum(line.endswith("(deleted)") for line in Path("/proc/self/maps").read_text().splitlines())
    finally:
        gc.enable()
    assert mapped <= MOST_LARGE // (1 << 26) + 2


def test_untouched_pages_cost_nothing() -> None:
    f = main()
    block = f.allocate(1 << 29)
    far = f.offset(block, (1 << 29) - 4)
    f.store(far, const(3))
    f.check_equal(f.load(far), const(3))
    f.add(p.Copy(block, far, const(4, I64)))
    f.check_equal(f.load(block), const(3))
    finished(f)


# ---------------------------------------------------------------- pointers from outside


def test_nondeterministic_pointers_are_null_or_external() -> None:
    f = main()
    pointer = f.nondet(POINTER, 0)
    f.store(pointer, const(5))
    f.check_equal(f.load(pointer), const(5))
    f.check_equal(f.load(f.offset(pointer, 8)), const(0x0207))
    base = own_base(64)
    first = base - external_base(64)
    contents = MemoryInput(EXTERNAL_CONTENTS, first + 12, ((first + 8, 7), (first + 9, 2)))
    found = finished(f, ScalarInput(0, base, 64), contents)
    assert found.inputs == (ScalarInput(0, base, 64), contents)


def test_a_pointer_is_never_an_existing_object() -> None:
    f = main()
    block = f.allocate(8)
    f.store(block, const(1))
    f.store(f.nondet(POINTER, 0), const(9))
    f.check_equal(f.load(block), const(1))
    found = finished(f, ScalarInput(0, 0x1013_5792_4000, 64))
    assert found.inputs == (ScalarInput(0, own_base(64), 64),)


@pytest.mark.parametrize("seed", range(4))
def test_random_pointers_replay(seed: int) -> None:
    """Follows a chain of pointers through external memory."""
    f = main()
    first, second = f.nondet(POINTER, 0), f.nondet(POINTER, 2)
    f.store(second, const(5))
    link = f.load(f.offset(first, 16), POINTER)
    f.check(f.compute("ne", TRUTH, f.load(link), const(5)))
    f.stop()
    code = program(f)
    start = run(code, RandomInputs(seed))
    again = run(code, ReplayInputs(start.inputs, strict=True))
    assert (again.outcome, again.inputs) == (start.outcome, start.inputs)
    addresses = [item.value for item in start.inputs if isinstance(item, ScalarInput)]
    for address in addresses[:2]:
        assert address == 0 or (address - external_base(64)) % EXTERNAL_SIZE == 0


# ---------------------------------------------------------------- what memory safety asks


def truth(f: FunctionBuilder, make: type, *operands: p.Value) -> p.Register:
    result = f.register(TRUTH)
    f.add(make(result, *operands))
    return result


@pytest.mark.parametrize(
    ("away", "from_", "size", "valid"),
    [(0, 0, 8, 1), (4, 8, 4, 1), (5, 0, 4, 0), (-1, 0, 1, 0), (8, 0, 0, 1), (0, 9, 4, 1), (100, 0, 0, 1)],
)
def test_valid_access(away: int, from_: int, size: int, valid: int) -> None:
    f = main()
    block = f.allocate(8)
    address = f.offset(f.offset(block, from_), away - from_)
    f.check_equal(truth(f, p.ValidAccess, address, const(size, I64)), const(valid, TRUTH))
    finished(f)


def strayed(f: FunctionBuilder, one: p.Register, two: p.Register) -> p.Register:
    """`one` moved to where `two` points."""
    ints = [f.compute("int_from_pointer", I64, pointer) for pointer in (one, two)]
    return f.offset(one, f.compute("sub", I64, ints[1], ints[0]))


def test_valid_access_belongs_to_the_owner_not_to_the_address() -> None:
    f = main()
    one, two = f.allocate(8), f.allocate(8)
    there = strayed(f, one, two)
    f.check_equal(f.compute("eq", TRUTH, there, two), const(1, TRUTH))
    f.check_equal(truth(f, p.ValidAccess, there, const(1, I64)), const(0, TRUTH))
    back = f.offset(there, f.compute("sub", I64, *(f.compute("int_from_pointer", I64, x) for x in (one, two))))
    f.check_equal(truth(f, p.ValidAccess, back, const(8, I64)), const(1, TRUTH))
    whole = f.compute("pointer_from_int", POINTER, f.compute("int_from_pointer", I64, there))
    f.check_equal(truth(f, p.ValidAccess, whole, const(8, I64)), const(1, TRUTH))
    f.add(p.EndLife(two))
    f.check_equal(truth(f, p.ValidAccess, two, const(1, I64)), const(0, TRUTH))
    null = const(0, POINTER)
    f.check_equal(truth(f, p.ValidAccess, null, const(1, I64)), const(0, TRUTH))
    finished(f)


def test_valid_free() -> None:
    f = main()
    heap, local = f.allocate(8, heap=True, zeroed=True), f.allocate(8)
    expected = [(heap, 1), (f.offset(heap, 1), 0), (local, 0), (const(0, POINTER), 1)]
    for address, valid in expected:
        f.check_equal(truth(f, p.ValidFree, address), const(valid, TRUTH))
    f.add(p.Free(heap))
    f.add(p.Free(heap))
    f.check_equal(truth(f, p.ValidFree, heap), const(0, TRUTH))
    finished(f)


def test_object_size() -> None:
    f = main()
    block = f.allocate(8)
    for away, size in ((0, 8), (3, 5), (8, 0), (9, 0), (-1, 0)):
        result = f.register(I64)
        f.add(p.ObjectSize(result, f.offset(block, away)))
        f.check_equal(result, const(size, I64))
    finished(f)


def no_leak(f: FunctionBuilder, reachable_ok: bool) -> p.Register:
    result = f.register(TRUTH)
    f.add(p.NoLeak(result, reachable_ok))
    return result


def test_leaks() -> None:
    f = main()
    root = p.Address("root", 3, POINTER)
    f.check(no_leak(f, False))
    first = f.allocate(16, heap=True, zeroed=True)
    second = f.allocate(16, heap=True, zeroed=True)
    f.store(root, f.offset(first, 4))
    f.store(f.offset(first, 8), second)
    f.store(second, first)
    f.check_equal(no_leak(f, False), const(0, TRUTH))
    f.check(no_leak(f, True), 1)
    f.store(root, const(0, POINTER))
    f.check_equal(no_leak(f, True), const(0, TRUTH), 2)
    f.add(p.Free(first))
    f.add(p.Free(second))
    f.check(no_leak(f, False))
    f.stop()
    code = program(f, objects=(p.Global("root", 16, 8),), kinds=("a", "b", "c"))
    assert on(code).outcome == Finished()


def test_a_violation_names_its_check() -> None:
    f = main()
    block = f.allocate(4)
    f.check(truth(f, p.ValidAccess, f.offset(block, 1), const(4, I64)), 2)
    f.stop()
    assert on(program(f, kinds=("a", "b", "valid-deref"))).outcome == Violated(2)
