"""Objects that lie where dead ones did: C lets them, and a program that looks at addresses can see it.

Here no address is used twice. Where that may matter it is listed as an assumption, or, with `--addresses reused`,
given up: how a pointer compares to another one, and how far apart they are, is arbitrary unless the objects of both
live. While they do they are apart wherever they lie. Addresses made into numbers, which may be compared whenever
the program likes, are UNSUPPORTED then, and so is an exchange that compares pointers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from counterpoint.core.patterns import regex
from counterpoint.frontend.definition.assembly import APPROXIMATED
from counterpoint.frontend.definition.body import Body
from counterpoint.frontend.irtext import FunctionText, debug_of
from counterpoint.frontend.lower.text import NAME, split_commas

ASSUMED = "no object lies where one that is dead lay, which comparisons and casts of pointers could show"
NOT_BY_BYTES = "what is read from the bytes of a stored pointer does not show that an object lies where a dead one lay"
"""What remains assumed where addresses may be used again."""

_ENDS = ("@__cp_free(", "@__cp_local_end(")
_COMPARED = regex(r"^  %[^ ]+ = icmp \w+ ptr (?!null,)[^,]+, (?!null\b)")
_COMPARISON = regex(r"^  (%[^ ]+) = icmp (?:samesign )?\w+ ptr ")
_NUMBER = regex(rf"^  (%{NAME}) = ptrto(?:int|addr) ptr (.+) to (i\d+)(?:, !|$)")
_DISTANCE = regex(rf"^  (%{NAME}) = sub (i\d+) ")
_EXCHANGE = regex(r"^  %[^ ]+ = cmpxchg (?:weak )?(?:volatile )?ptr [^,]+, ptr ")
_STATIC = "ptrtoint (ptr "
_REGISTER = regex(rf"%{NAME}")


def matters(functions: Iterable[FunctionText], own: Iterable[FunctionText]) -> bool:
    """Whether an object may die, a block or a local whose address outlasts it, and one of the program's `own`
    functions compares two pointers or makes a number of one."""
    looks = any(
        " = ptrtoint ptr " in line or (" = icmp " in line and _COMPARED.match(line))
        for function in own
        for line in function.lines
    )
    return looks and may_die(functions)


def may_die(functions: Iterable[FunctionText]) -> bool:
    """Whether a block or a local whose address outlasts it may die."""
    return any(end in line for function in functions for line in function.lines for end in _ENDS)


class Looks:
    """Where a function looks at addresses. `distances`: the pointers whose casts are subtracted, by the line of the
    subtraction; `casts`: casts that are used for nothing else."""

    def __init__(self, lines: Sequence[str]) -> None:
        numbers = {found[1]: found for line in lines if (found := _NUMBER.match(line)) is not None}
        self.distances: dict[str, tuple[str, ...]] = {}
        used = Counter(name for line in lines for name in _REGISTER.findall(line) if name in numbers)
        for line in lines:
            if numbers and (found := _DISTANCE.match(line)) is not None:
                sides = split_commas(line[found.end() :])[:2]
                if all(self._address(side, found[2], numbers) for side in sides):
                    self.distances[line] = tuple(numbers[side][2] for side in sides if side in numbers)
                    used.subtract(side for side in sides if side in numbers)
        self.casts = {name for name in numbers if used[name] == 1}

    @staticmethod
    def _address(side: str, type_: str, numbers: dict[str, re.Match[str]]) -> bool:
        return side.startswith(_STATIC) or (side in numbers and numbers[side][3] == type_)

    def rewrite(self, body: Body, line: str) -> bool:
        """The line where addresses may be used again; False if it does not look at any."""
        debug = debug_of(line)
        if (found := _COMPARISON.match(line)) is not None:
            sides = split_commas(line[found.end() :])[:2]
            return "null" not in sides and _unless_dead(body, line, found[1], "i1", sides, debug)
        if line in self.distances:
            found = _DISTANCE.match(line)
            assert found is not None
            return _unless_dead(body, line, found[1], found[2], self.distances[line], debug)
        if (found := _NUMBER.match(line)) is not None and found[1] not in self.casts:
            body.unsupported("an address made into a number, where addresses may be used again,", debug)
        elif _EXCHANGE.match(line) is not None:
            body.unsupported("an exchange that compares pointers, where addresses may be used again,", debug)
        return False


def _unless_dead(body: Body, line: str, result: str, type_: str, sides: Sequence[str], debug: str) -> bool:
    """What the line computes while the objects of all sides live, else anything."""
    dead = [_dead(body, side, debug) for side in dict.fromkeys(sides) if side.startswith("%")]
    if not dead:
        return False
    name = body.fresh()
    body.out.append(line.replace(f"  {result} = ", f"  {name} = ", 1))
    any_dead = dead[0]
    for one in dead[1:]:
        any_dead = body.compute(f"or i1 {any_dead}, {one}", debug)
    open_, told, after = (body.fresh_label(what) for what in ("open", "told", "after"))
    body.emit(f"br i1 {any_dead}, label %{open_}, label %{told}", debug)
    body.split(open_)  # a run whose pointers are all alive makes no choice, so none that it could hang on
    anything = body.nondet(type_, APPROXIMATED, "the address of an object that is dead", debug)
    body.emit(f"br label %{after}", debug)
    body.split(told)
    body.emit(f"br label %{after}", debug)
    body.split(after)
    body.compute(f"phi {type_} [ {anything}, %{open_} ], [ {name}, %{told} ]", debug, result)
    return True


def _dead(body: Body, pointer: str, debug: str) -> str:
    """Whether the pointer, which is not null, is neither inside a living object nor one past it."""
    word = body.shared.word
    before = body.compute(f"getelementptr i8, ptr {pointer}, {word} -1", debug)
    sizes = [body.kernel("__cp_object_size", f"ptr {place}", debug) for place in (pointer, before)]
    room = body.compute(f"or {word} {sizes[0]}, {sizes[1]}", debug)
    gone = body.compute(f"icmp eq {word} {room}, 0", debug)
    given = body.compute(f"icmp ne ptr {pointer}, null", debug)
    return body.compute(f"and i1 {gone}, {given}", debug)
