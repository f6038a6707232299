"""Claims that are asked as checks, because no fact says them: some element, elements beside each other, where a string
ends. For each a piece of C that calls the function and reaches an error where the claim is false.

What the claim speaks of is chosen before the call where that is enough: a value that no element has, an index. So what
loops keep is about all elements and one fixed number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from counterpoint.contracts.element_views import Elements
from counterpoint.contracts.views import PREFIX, Question
from counterpoint.core.records import dataclass

ERROR: Final = f"{PREFIX}error"
DECLARED: Final = f"extern void {ERROR}(void) __asm__(\"reach_error\");"
"""Declares the error of these programs."""

INDEX: Final = f"{PREFIX}i"
SIZE: Final = "__SIZE_TYPE__"
STRING: Final = "strlen("

Asked = tuple[Question, list[str]]
"""A question without its program, and the code that stands behind the making of arguments."""


@dataclass(frozen=True, slots=True)
class Output:
    """A number behind the call: its type, its code in the driver, its name in contracts."""

    type: str
    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Questions:
    """Those about the arrays. `result`: where it is an integer; `any`: a call that gives any value of a type; `call`:
    of the function; `k`: an index in contracts."""

    arrays: Sequence[Elements]
    outputs: Sequence[Output]
    result: Output | None
    any: Callable[[str], str]
    call: str
    k: str

    def asked(self) -> Iterator[Asked]:
        for array in self.arrays:
            if array.needs:
                continue
            if array.length_text.startswith(STRING):
                yield from self.string(array)
                continue
            yield from (self.member(array, one) for one in self.outputs if one.type == array.type)
            yield from self.sorted(array)

    def question(self, array: Elements, said: Callable[[str, str], str], value: str = "") -> Question:
        """`said`: the claim, of how an element is called and how one in front of it."""
        element, before = f"{array.text}[{self.k}]", f"{array.text}[{self.k} - 1]"
        changed = said(f"\\old({element})", f"\\old({before})")
        return Question("", said(element, before), changed, array.text, array.length_text, value)

    def member(self, array: Elements, output: Output) -> Asked:
        """The output is what some element was."""
        k, absent = self.k, f"{PREFIX}absent"

        def said(element: str, _: str) -> str:
            some = f"\\exists integer {k}; 0 <= {k} < {array.length_text} && {element} == {output.text}"
            return some if array.length_text.isdecimal() else f"{array.length_text} > 0 ==> ({some})"

        return self.question(array, said, output.text), [
            f"if (!{array.length}) return;",
            f"{array.type} {absent} = {self.any(array.type)};",
            f"for ({SIZE} {INDEX} = 0; {INDEX} < {array.length}; {INDEX}++)",
            f"    if (({array.code})[{INDEX}] == {absent}) return;",
            self.call,
            f"if (({output.code}) == {absent}) {ERROR}();",
        ]

    def sorted(self, array: Elements) -> Iterator[Asked]:
        """Elements are in order behind the call; those that it leaves alone: if the result says so, and only then."""
        for sign, wrong in (("<=", ">"), (">=", "<")):
            if array.changes:
                yield self.in_order(array, sign, wrong, "")
            elif self.result is not None:
                yield self.in_order(array, sign, wrong, self.result.code)
                yield self.told(array, self.result, sign, wrong)

    def in_order(self, array: Elements, sign: str, wrong: str, condition: str) -> Asked:
        k, index = self.k, f"{PREFIX}at"
        ordered = f"{array.text}[{k} - 1] {sign} {array.text}[{k}]"
        every = f"\\forall integer {k}; 1 <= {k} < {array.length_text} ==> {ordered}"
        said = f"\\result != 0 ==> ({every})" if condition else every
        failing = f"({array.code})[{index} - 1] {wrong} ({array.code})[{index}]"
        return self.question(array, lambda *_: said), [
            f"{SIZE} {index} = {self.any(SIZE)};",
            f"int {PREFIX}inside = 0 < {index} && {index} < {array.length};",
            self.call,
            f"if ({PREFIX}inside{f' && ({condition})' if condition else ''} && {failing}) {ERROR}();",
        ]

    def told(self, array: Elements, result: Output, sign: str, wrong: str) -> Asked:
        k = self.k

        def said(element: str, before: str) -> str:
            every = f"\\forall integer {k}; 1 <= {k} < {array.length_text} ==> {before} {sign} {element}"
            return f"({every}) ==> {result.text} != 0"

        return self.question(array, said), [
            f"for ({SIZE} {INDEX} = 1; {INDEX} < {array.length}; {INDEX}++)",
            f"    if (({array.code})[{INDEX} - 1] {wrong} ({array.code})[{INDEX}]) return;",
            self.call,
            f"if (!({result.code})) {ERROR}();",
        ]

    def string(self, array: Elements) -> Iterator[Asked]:
        """The result is an index of a terminator, and none is in front of it. The string is not written."""
        if self.result is None:
            return
        k, code, index = self.k, self.result.code, f"{PREFIX}at"
        inside = f"if (({code}) < 0 || ({SIZE})({code}) >= {array.length}) {ERROR}();"
        ends = self.question(array, lambda *_: f"{array.text}[\\result] == 0")
        yield ends, [self.call, inside, f"else if (({array.code})[{code}] != 0) {ERROR}();"]
        every = f"\\forall integer {k}; 0 <= {k} < \\result ==> {array.text}[{k}] != 0"
        yield self.question(array, lambda *_: every), [
            f"{SIZE} {index} = {self.any(SIZE)};",
            self.call,
            inside,
            f"else if ({index} < ({SIZE})({code}) && ({array.code})[{index}] == 0) {ERROR}();",
        ]
