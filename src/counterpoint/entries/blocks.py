"""Blocks of memory that an arbitrary caller makes: of any length, of as many elements as an argument says, by what a
function of the file makes."""

from __future__ import annotations

from dataclasses import field, replace

from counterpoint.contracts.declarations import Parameter
from counterpoint.contracts.driver import LARGEST, Maker
from counterpoint.contracts.shapes import Number, Other, Shape, spelled
from counterpoint.contracts.views import PREFIX
from counterpoint.core.records import dataclass
from counterpoint.entries.given import ASSUME, AT_MOST, FEW, LONGEST, MORE, Given, What, present
from counterpoint.entries.makers import Made


@dataclass(slots=True)
class Blocks(Maker):
    """Writes what makes them. `heap`: code that works with them may free them; `number`: see environment(); `data`: the
    contents of some are no text."""

    given: list[Given] = field(default_factory=list)
    number: int = 0
    heap: bool = False
    data: bool = False

    def shape(self, type_: str) -> Shape:
        return self.declared.types.exact(type_)

    def name(self, what: str) -> str:
        self.made += 1
        return f"{PREFIX}{what}{self.made}_{self.label}"

    @property
    def label(self) -> str:
        return f"{self.number}_{self.function.name}" if self.number else self.function.name

    def choice(self, what: What, text: str, code: str, type_: str, needs: tuple[str, ...]) -> str:
        """A call that gives any value of the type, for the place `text`."""
        call = self.any(type_)
        shape = self.shape(type_)
        signed = shape.signed if isinstance(shape, Number) else None
        if signed is None and isinstance(shape, Number):
            signed = shape.spelled == "char"
        self.given.append(Given(what, text, code, call.removesuffix("()"), signed, needs))
        return call

    def confine(self, least: str, most: str) -> None:
        """The last choice lies between these calls, or a number."""
        bound = int(most) if most.isdigit() else most.removesuffix("()")
        self.given[-1] = replace(self.given[-1], least=least.removesuffix("()"), most=bound if most else "")

    def note_contents(self, target: str) -> None:
        """Some block is filled with such elements."""
        shape = self.shape(target)
        self.data |= not (self.is_nothing(target) or (isinstance(shape, Number) and shape.character))

    def require(self, text: str, needs: tuple[str, ...]) -> None:
        guard = " && ".join(map(present, needs))
        said = f"({text})" if guard and "==" in text else text
        self.requires.append(f"{guard} ==> {said}" if guard else text)

    def is_plain(self, type_: str) -> bool:
        inner = self.declared.types.union(type_)
        return Maker.is_plain(self, type_) if inner is None else all(self.is_plain(one.type) for one in inner.fields)

    def is_union(self, type_: str) -> bool:
        """A complete one."""
        inner = self.declared.types.union(type_)
        return inner is not None and bool(inner.fields)

    def is_nothing(self, target: str) -> bool:
        return self.shape(target) == Other("nothing")

    def several(
        self, code: str, text: str, target: str, parameter: Parameter, needs: tuple[str, ...], depth: int
    ) -> None:
        """A few elements with pointers in them; as many as an argument says, if one does, and no more."""
        own, kind = self.name("block"), spelled(self.declared.types, target)
        length = self.length_of(parameter)
        count = f"{PREFIX}arg_{length.name}" if length is not None else str(FEW)
        self.file_lines.append(f"static __typeof__({kind}) *{own};")
        if length is not None:
            self.before.append(f"{ASSUME}(0 <= {count} && {count} <= {FEW});")
            self.require(f"0 <= {length.name} <= {FEW}", needs)
        self.before.append(f"{own} = {PREFIX}malloc({count} * sizeof *{own}); {code} = {own};")
        for index in range(FEW):
            here = len(self.before)
            there = (*needs, f"{length.name}{MORE}{index}") if length is not None else needs
            self.fill(f"{own}[{index}]", f"{text}[{index}]", target, there, depth, own)
            if length is not None:
                self.before[here:] = [f"if ({count} > {index}) {{", *self.before[here:], "}"]
        self.require(f"\\valid({text} + (0 .. {f'{length.name} - 1' if length is not None else FEW - 1}))", needs)

    def bytes(self, code: str, text: str, target: str, needs: tuple[str, ...], terminated: bool) -> None:
        """A block of any number of elements, at least one; with a last one that is zero, if `terminated`."""
        own, kind = self.name("block"), spelled(self.declared.types, target)
        self.note_contents(target)
        size = self.choice(What.LENGTH, text, f"{own}_length", "unsigned long", needs)
        self.file_lines += [f"static __typeof__({kind}) *{own};", f"static __SIZE_TYPE__ {own}_length;"]
        self.before += [
            f"{own}_length = {size};",
            f"{ASSUME}({own}_length > 0 && {own}_length <= {LONGEST} / sizeof({kind}));",
            f"{own} = {PREFIX}malloc({own}_length * sizeof({kind})); {code} = {own};",
        ]
        self.assumed.append(AT_MOST)
        if terminated:
            self.before.append(f"{own}[{own}_length - 1] = 0;")
        said = f"\\valid({text} + (0 .. strlen({text})))" if terminated else f"\\valid({text} + (0 .. its length - 1))"
        self.require(said, needs)

    def made_so(self, code: str, text: str, made: Made, needs: tuple[str, ...]) -> None:
        """Null, or what a function of the file makes of a block of any number of bytes: more lies in front of it."""
        own, self.heap = self.name("block"), True
        chosen = self.choice(What.POINTER, text, code, "int", needs)
        size = self.choice(What.LENGTH, text, f"{own}_length", "unsigned long", (*needs, text))
        self.file_lines.append(f"static char *{own}; static void *{own}_kept; static __SIZE_TYPE__ {own}_length;")
        limit = f"{ASSUME}({own}_length > 0 && {own}_length <= {LONGEST});"
        block = f"{own} = {PREFIX}malloc({own}_length);"
        makes = f"{own}_kept = {code} = {made.of(own, f'{own}_length - 1')}; {ASSUME}({code} != 0);"
        self.before += [f"{code} = 0;", f"if ({chosen}) {{", f"{own}_length = {size};", limit, block, makes, "}"]
        self.assumed += [f"{text} is null or what {made.maker} makes", AT_MOST]

    def counted(self, code: str, text: str, target: str, length: Parameter, needs: tuple[str, ...]) -> None:
        """A block of as many elements as an argument says."""
        own, count = self.name("block"), f"{PREFIX}arg_{length.name}"
        self.note_contents(target)
        kind = "char" if self.is_nothing(target) else spelled(self.declared.types, target)
        self.file_lines.append(f"static __typeof__({kind}) *{own};")
        shape = self.shape(length.type)
        if not isinstance(shape, Number) or shape.signed is not False:
            self.before.append(f"{ASSUME}({count} >= 0);")
            self.require(f"{length.name} >= 0", needs)
        self.before += [
            f"{ASSUME}((__SIZE_TYPE__){count} <= {LARGEST} / sizeof({kind}));",
            f"{own} = {PREFIX}malloc((__SIZE_TYPE__){count} * sizeof({kind})); {code} = {own};",
        ]
        self.require(f"\\valid({text} + (0 .. {length.name} - 1))", needs)
