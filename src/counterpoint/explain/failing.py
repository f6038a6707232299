"""What fails at the end of a run, in a sentence, and where the objects that it is about are from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import SourceLocation
from counterpoint.explain.checked import ACCESS, ARITHMETIC, Access, Arithmetic, Checked
from counterpoint.explain.expressions import Expressions
from counterpoint.explain.naming import Naming, View
from counterpoint.explain.objects import RunObject
from counterpoint.explain.telling import Telling
from counterpoint.explain.values import string_text
from counterpoint.program import model as p
from counterpoint.program.source_types import ArrayOf, EnumType, NumberType

LARGEST_LITERAL: Final = 1 << 16
"""Bytes of an object without a name that is looked at as a string."""

LOWEST: Final = 4096
"""Addresses below belong to no object: what a null pointer and a member's offset give."""

_INDEX: Final = regex(r"\[([^\[\]]*)\]")
_NAME: Final = regex(r"(?<![\w.>])[^\W\d]\w*(?!\w|\()")

_INTEGERS: Final = {8: "signed char", 16: "short", 32: "int", 128: "__int128"}
"""Types of which there is one of a width; of 64 bits there may be two."""


@dataclass(frozen=True, slots=True)
class Failure:
    """`message` says what is wrong, `cause` is the sub-kind, `explanation` has further sentences; `steps` are those
    that these are about."""

    message: str
    cause: str = ""
    explanation: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()


def here(at: SourceLocation) -> str:
    """`list.c:31`."""
    return f"{Path(at.file).name}:{at.line}"


def called(stack: Sequence[SourceLocation]) -> str:
    """`called at main.c:12, list.c:7`; "" for no calls."""
    shown = ", ".join(map(here, stack[:5])) + (", ..." if len(stack) > 5 else "")
    return f"called at {shown}" if stack else ""


def origin(item: RunObject) -> str:
    """Where an object is from: `allocated at list.c:31 (in list_new, called at main.c:12)`."""
    if item.kind == "heap":
        inside = [f"in {item.function}"] if item.function else []
        inside += [said] if (said := called(item.stack)) else []
        return f"allocated at {here(item.at)}" + (f" ({', '.join(inside)})" if inside else "")
    return f"declared at {here(item.at)}" if item.at.line else ""


def bytes_text(number: int) -> str:
    return f"{number} byte{'s' * (number != 1)}"


@dataclass(slots=True)
class Failing:
    """The check that a told run failed."""

    telling: Telling
    checked: Checked
    naming: Naming

    def failure(self) -> Failure | None:
        """None: nothing more is known than what the check says itself."""
        function = self.telling.watched.program.functions.get(self.telling.frames[-1].function)
        for place, block, _, i in self.checked.sites():
            if function is None or place.name != function.name:
                continue
            known = Expressions(self.naming.names, place)
            access = self.checked.access(known, i)
            if access is not None and ACCESS in self.telling.operands:
                return self._access(known, access)
            said = self.checked.arithmetic(known, place, block, i)
            if said is not None and ARITHMETIC in self.telling.operands:
                return self._arithmetic(known, said[1])
        return None

    def values(self, variables: Iterable[str]) -> str:
        """`i = 3, n = 4`: those of them that are numbers."""
        said = {}
        for name in dict.fromkeys(variables):
            found = self.naming.lookup(name)
            if found is not None and isinstance(self.naming.names.type(found[0].type), NumberType | EnumType):
                said[name] = self.naming.value(found[0])
        return ", ".join(f"{name} = {value}" for name, value in said.items() if value)

    # ---------------------------------------------------------------- arithmetic

    def _arithmetic(self, known: Expressions, said: Arithmetic) -> Failure:
        one, other = self.telling.operands[ARITHMETIC]
        left, right = one, other
        if said.signed:
            left, right = _signed(one, said.left.type.bits), _signed(other, said.right.type.bits)
        type_ = known.type_of(said.left) or known.type_of(said.right)
        name = _INTEGERS.get(said.bits, f"{said.bits} bits")
        if type_ is not None and type_.size * 8 == said.bits:
            name = type_.name
        shown = f"({right})" if right < 0 else str(right)
        if said.sign in "/%" and right == 0:
            message = f"{left} {said.sign} 0 divides by zero"
        elif said.sign == "<<" and not 0 <= right < said.bits:
            message = f"{left} is shifted by {right}, but {name} has {said.bits} bits"
        elif said.sign == "<<" and left < 0:
            message = f"the negative number {left} is shifted left by {right}"
        elif said.sign == "-" and left == 0 and isinstance(said.left, p.Constant):
            message = f"-{shown} overflows {name}"
        else:
            message = f"{left} {said.sign} {shown} overflows {name}"
        text = known.binary(said.sign, said.left, said.right)
        if text is None or all(isinstance(side, p.Constant) for side in (said.left, said.right)):
            return Failure(message)
        return Failure(f"{message} (`{text}`)")

    # ---------------------------------------------------------------- accesses

    def _access(self, known: Expressions, access: Access) -> Failure | None:
        pointer, start, size = self.telling.operands[ACCESS]
        bits = self.naming.memory.pointer_bits
        owner, address = pointer >> bits, pointer & ((1 << bits) - 1)
        base = start & ((1 << bits) - 1)
        item = self._item(owner, start >> bits, base, address)
        about = _About(self, known, access, address, size, base, item)
        if access.write is None:
            found: Failure | None = about.freeing()
        else:
            found = about.null() if base < LOWEST else about.accessing()
        return replace(found, steps=item.steps) if found is not None and item is not None else found

    def _item(self, owner: int, owner_of_start: int, base: int, address: int) -> RunObject | None:
        """The object that the pointer belongs to."""
        objects = self.naming.objects
        for base_of in (owner, owner_of_start):
            if base_of in objects.by_base:
                return objects.by_base[base_of]
        for at in (base, address):
            item = objects.owner(at)
            if item is not None and at <= item.base + item.size:
                return item
        return None


@dataclass(slots=True)
class _About:
    """An access that is not valid, and the object that it should be inside of."""

    failing: Failing
    known: Expressions
    access: Access
    address: int
    size: int
    base: int
    item: RunObject | None

    @property
    def _model(self) -> str:
        """The library model that does it, as a subject; "" if the program itself does."""
        telling = self.failing.telling
        call = telling.model() if telling.frames[-1].library else None
        function = self.failing.naming.names.functions.get(call.callee) if call is not None else None
        return function.name if function is not None else ""

    def _subject(self, verb: str) -> str:
        return f"{self._model} {verb}" if self._model else verb

    def _text(self) -> str:
        """The expression that is accessed, with the values of its indices; "" in a library model."""
        if self._model:
            return ""
        view = self._view()
        if view is None:
            return ""
        values = self.failing.values(index for part in _INDEX.findall(view.whole) for index in _NAME.findall(part))
        return f"`{view.whole}`" + (f" with {values}" if values else "")

    def null(self) -> Failure:
        verb = self._subject("writes" if self.access.write else "reads")
        if self._model:
            return Failure(f"{verb} through a null pointer", "null")
        pointer, text = self.known.text(self.access.start), self._text()
        if pointer is None:
            return Failure(f"{verb} {text or bytes_text(self.size)} through a null pointer", "null")
        inside = f": {text}" if text and text != f"`*{pointer}`" and text != f"`{pointer}[0]`" else ""
        return Failure(f"{verb} through the null pointer `{pointer}`{inside}", "null")

    def freeing(self) -> Failure:
        verb, item = self._subject("releases") if self._model not in ("", "free") else "frees", self.item
        if item is None:
            return Failure(f"{verb} an address at which no block was allocated")
        where = (f"The block was {origin(item)}.",) if item.kind == "heap" else ()
        if item.kind == "heap" and item.ended is not None:
            ended = f"it was freed at {here(item.ended)}" + (f" ({called(item.end_stack)})" if item.end_stack else "")
            return Failure(f"{verb} a block for the second time: {ended}", "freed", where)
        if item.kind == "heap":
            away = self.address - item.base
            return Failure(f"{verb} an address {bytes_text(away)} behind the start of a block", "bounds", where)
        name = f"`{item.name}`" if item.name else "an object"
        return Failure(f"{verb} {name}, which was not allocated by malloc", "", (f"{name} is {origin(item)}.",))

    def accessing(self) -> Failure | None:
        item = self.item
        verb = self._subject("writes" if self.access.write else "reads")
        if item is None:
            text = self._text() or bytes_text(self.size)
            pointer = None if self._model else self.known.text(self.access.start)
            through = f"`{pointer}`, which points" if pointer is not None else "a pointer"
            return Failure(f"{verb} {text} through {through} to no object", "")
        if item.ended is not None and not self._lives(item):
            return self._dead(item, verb)
        if self.access.write and item.base <= self.address and self.address + self.size <= item.base + item.size:
            what = f"`{item.name}`, which is constant" if item.name else "a string literal, which is constant"
            return Failure(f"{verb} to {what}", "", self._from(item))
        if item.kind == "code":
            return Failure(f"{verb} the code of `{item.name}`", "bounds")
        return self._string(item) or self._bounds(item, verb)

    def _lives(self, item: RunObject) -> bool:
        block = self.failing.naming.memory.block_at(item.base)
        return block is not None and block.live

    def _from(self, item: RunObject) -> tuple[str, ...]:
        said = origin(item)
        if not said or not (item.name or item.kind == "heap"):
            return ()
        return (f"`{item.name}` is {said}." if item.name else f"The block was {said}.",)

    def _dead(self, item: RunObject, verb: str) -> Failure:
        assert item.ended is not None
        text = self._text() or (bytes_text(self.size) if self.size else "memory")
        if item.kind == "heap":
            again = f" ({called(item.end_stack)})" if item.end_stack else ""
            ended = f"a block that was freed at {here(item.ended)}{again}"
            return Failure(f"{verb} {text} in {ended}", "freed", self._from(item))
        name = f"local `{item.name}`" if item.name else "a local"
        of = f" of `{item.function}`" if item.function else ""
        after = f"after its block ended ({here(item.ended)})"
        if item.returned:
            after = f"after `{item.function}` has returned"
        return Failure(f"{verb} {name}{of} {after}", "scope", self._from(item))

    def _string(self, item: RunObject) -> Failure | None:
        """A model of a string function that runs off the end of what is no string."""
        model, naming = self._model, self.failing.naming
        if not model or self.access.write or model.startswith("mem") or self.address < item.base + item.size:
            return None
        contents = naming.memory.read(item.base, item.size) if item.size else b""
        begins = max(0, min(self.base - item.base, item.size))
        if contents is None or 0 in contents[begins:]:
            return None
        name = f"`{item.name}`" if item.name else f"the block {origin(item)}"
        within = bytes_text(item.size - begins)
        at = self.failing.telling.user_place(self.failing.telling.place)
        message = f"string {name} has no terminating null within its {within} ({model} called at {here(at)})"
        return Failure(message, "string", self._from(item))

    def _bounds(self, item: RunObject, verb: str) -> Failure:
        away = self.address - item.base
        offset = f"at offset {away}" if away >= 0 else f"{bytes_text(-away)} before the start"
        if item.kind == "heap":
            text = f"{said}: " if (said := self._text()) else ""
            amount = bytes_text(self.size) if self.size else "memory"
            block = f"a block of {bytes_text(item.size)} {origin(item)}"
            return Failure(f"{text}{verb} {amount} {offset} of {block}", "bounds")
        whose = self._label(item)
        has = f"{whose} has {bytes_text(item.size)}"
        where = f" ({here(item.at)})" if item.at.line else ""
        element = self._element(item)
        if element:
            text = self._text()
            shown = f" ({text})" if text and text != f"`{element}`" else ""
            return Failure(f"{verb} {element}{shown}, but {has}{where}", "bounds")
        text = "" if self._model else self._text()
        amount = bytes_text(self.size)
        if self._model:
            preposition = "into" if self.access.write else "from"
            start = self.base - item.base
            room = bytes_text(item.size - start) if 0 <= start <= item.size else bytes_text(item.size)
            if away == start and self.size > 1:
                behind = whose if start == 0 else f"{whose} at offset {start}"
                message = f"{verb} {amount} {preposition} {behind}, which has {room}{where}"
                return Failure(message, "bounds")
        behind = f"{offset} of {whose}"
        return Failure(f"{verb} {text or amount} {behind}, but {has}{where}", "bounds")

    def _label(self, item: RunObject) -> str:
        """`buf`, or a string literal as it is written."""
        if item.name:
            return f"`{item.name}`"
        contents = self.failing.naming.memory.read(item.base, item.size) if 0 < item.size <= LARGEST_LITERAL else None
        return f"the string {string_text(contents, ended=True)}" if contents and item.kind == "static" else "an object"

    def _view(self) -> View | None:
        return self.known.place(self.access.address, self.size)

    def _element(self, item: RunObject) -> str:
        """`decoding[80]` for an element of an array behind its end; "" for what is none."""
        names = self.failing.naming.names
        if item.variable is None or not item.name:
            return ""
        match names.type(item.variable.type):
            case ArrayOf(element) if (step := names.size(element)) and (self.address - item.base) % step == 0:
                if self.size <= step:
                    return f"{item.name}[{(self.address - item.base) // step}]"
        return ""


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value
