"""The views of a driver that show an element of an array, at an arbitrary index: what holds of it holds of all.

Beside the element, old and new, stand the arguments, the results, what else the call changed, and elements at the same
index of arrays of the same length, and of the array itself counted from its end, as they were.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from counterpoint.contracts.views import ELEMENT, PREFIX, Seen, View
from counterpoint.core.records import dataclass

MOST_OTHERS: Final = 14
"""Values that are shown beside an element."""

Shown: TypeAlias = tuple[str, str, Seen]
"""A value's type, its code in the driver, and what it is in contracts."""


@dataclass(slots=True)
class Elements:
    """An array that is shown at one index."""

    code: str
    text: str
    length: str
    length_text: str
    type: str
    signed: bool | None
    changes: bool
    needs: tuple[str, ...] = ()


@dataclass(slots=True)
class ElementViews:
    """Those of some arrays; `index`: what the index is called in contracts; `file_lines` get its declarations."""

    arrays: Sequence[Elements]
    index: str
    file_lines: list[str]

    def before(self) -> Iterator[str]:
        """Chooses an index for all arrays of one length, and notes the elements there."""
        chosen: dict[str, str] = {}
        for number, array in enumerate(self.arrays):
            index, here = f"{PREFIX}k{number}", f"{PREFIX}in{number}"
            self.file_lines.append(f"extern __SIZE_TYPE__ {PREFIX}index{number}(void);")
            yield f"__SIZE_TYPE__ {index} = {chosen.setdefault(array.length, f'{PREFIX}index{number}()')};"
            chosen[array.length] = index
            null = f"{array.code} && " if array.needs else ""
            yield f"int {here} = {null}{index} < {array.length};"
            yield f"{array.type} {PREFIX}was{number} = 0;"
            yield f"if ({here}) {PREFIX}was{number} = ({array.code})[{index}];"
            if array.changes:
                yield f"{array.type} {PREFIX}end{number} = 0;"
                yield f"if ({here}) {PREFIX}end{number} = ({array.code})[{array.length} - 1 - {index}];"

    def views(self, shown: Sequence[Shown]) -> Iterator[tuple[View, str, str]]:
        """For each array the view, the line that calls it, and its declaration; `shown`: all other values."""
        for number, array in enumerate(self.arrays):
            name = f"{ELEMENT}{number}"
            values = list(self.values(number, array, shown))
            view = View(name, tuple(seen for _, _, seen in values), array.text, array.length_text, self.index)
            line = f"if ({PREFIX}in{number}) {name}({', '.join(code for _, code, _ in values)});"
            yield view, line, empty(name, [kind for kind, _, _ in values])

    def values(self, number: int, array: Elements, shown: Sequence[Shown]) -> Iterator[Shown]:
        at, index, type_ = f"{array.text}[{self.index}]", f"{PREFIX}k{number}", array.type
        yield "__SIZE_TYPE__", index, Seen(self.index, False, argument=True, small=True, type="__SIZE_TYPE__")
        yield type_, f"{PREFIX}was{number}", Seen(at, array.signed, old=True, needs=array.needs, type=type_)
        yield type_, f"({array.code})[{index}]", Seen(at, array.signed, needs=array.needs, type=type_)
        yield from (one for one in shown if one[2].argument or one[2].result)
        others = [one for one in shown if not (one[2].argument or one[2].result or one[2].pointer or one[2].needs)]
        yield from others[:MOST_OTHERS]
        if array.changes:
            mirrored = f"{array.text}[{array.length_text} - 1 - {self.index}]"
            yield type_, f"{PREFIX}end{number}", Seen(mirrored, array.signed, old=True, needs=array.needs, type=type_)
        for n, other in enumerate(self.arrays):
            if n != number and other.length == array.length and not other.needs:
                seen = Seen(f"{other.text}[{self.index}]", other.signed, old=True, type=other.type)
                yield other.type, f"{PREFIX}was{n}", seen


def empty(name: str, kinds: Sequence[str]) -> str:
    """A function that is handed values and does nothing."""
    parameters = ", ".join(f"__typeof__({kind}) {PREFIX}v{n}" for n, kind in enumerate(kinds)) or "void"
    return f"static __attribute__((noinline)) void {name}({parameters}) {{}}"
