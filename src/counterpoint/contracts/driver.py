"""A C program that calls one function in all ways that its `requires` allow, and shows what there is to see of it.

    make arbitrary globals, arguments and, for pointers, objects that they point to, each apart from the others
    note what all of them hold; call; hand the old and new values to an empty function, `SEEN`

What holds whenever SEEN is called is what the contract may say; each of its parameters is called by a C expression.
Elements of arrays are shown at one arbitrary index by a function of their own, so that what holds there holds for all.
The driver stands behind the file's own text in one translation unit: it reaches static functions and variables.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import field, replace
from typing import Any, Final

from counterpoint.contracts.declarations import Declarations, Function, Parameter, Variable
from counterpoint.contracts.element_views import Elements, ElementViews, Shown, empty
from counterpoint.contracts.lengths import length_of
from counterpoint.contracts.needs import Need
from counterpoint.contracts.questions import DECLARED, Output, Questions
from counterpoint.contracts.shapes import (
    CODE,
    UNION,
    Array,
    Number,
    Other,
    Pointer,
    Real,
    Record,
    Shape,
    spelled,
    target_text,
)
from counterpoint.contracts.values import Value, kept, member, moved
from counterpoint.contracts.views import DRIVER, PREFIX, SEEN, Driver, Location, NoDriver, Seen, View
from counterpoint.core.records import dataclass

DEEPEST: Final = 2
"""Pointers that are followed from an argument or a global before they are null."""

MOST_SEEN: Final = 40
"""Values that are shown of one call."""

LARGEST: Final = "(sizeof(void *) == 8 ? (__SIZE_TYPE__)-1 >> 18 : (__SIZE_TYPE__)-1 >> 4)"
"""Bytes of a block: all that a process of 64 bits has room for, and 256 MB of one of 32."""

@dataclass(slots=True)
class Maker:
    """Writes one driver."""

    declared: Declarations
    function: Function
    file_lines: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    assumed: list[str] = field(default_factory=list)
    blocks: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    arrays: list[Elements] = field(default_factory=list)
    locations: list[Location] = field(default_factory=list)
    objects_made: list[str] = field(default_factory=list)
    cleared: list[str] = field(default_factory=list)
    sizes: list[str] = field(default_factory=list)
    elsewhere: frozenset[str] = frozenset()
    spoken: frozenset[str] = frozenset()
    made: int = 0

    # ------------------------------------------------------------ arbitrary values

    def name(self, what: str) -> str:
        self.made += 1
        return f"{PREFIX}{what}{self.made}"

    def any(self, type_: str) -> str:
        """A call that gives any value of the type."""
        name = self.name("any")
        self.file_lines.append(f"extern __typeof__({spelled(self.declared.types, type_)}) {name}(void);")
        return f"{name}()"

    def shape(self, type_: str) -> Shape:
        types = self.declared.types
        return types.shape(type_) if type_ in types.unions else types.inside.get(type_) or types.shape(type_)

    def fill(self, code: str, text: str, type_: str, needs: tuple[str, ...], depth: int, held: str) -> None:
        """Makes the lvalue arbitrary and shows it; `held`: the driver's object that it lies in, "" for a global."""
        if len(self.values) > MOST_SEEN:
            return
        match self.shape(type_):
            case Number(_, signed):
                self.before.append(f"{code} = {self.any(type_)};")
                self.values.append(Value(code, text, spelled(self.declared.types, type_), signed, needs))
                self.locations.append(Location(text, held, text, needs))
            case Real():
                self.before.append(f"{code} = {self.any(type_)};")
                self.locations.append(Location(text, held, "", needs))
            case Record(fields):
                for one in fields:
                    self.fill(*member(code, text, one.name), one.type, needs, depth, held)
            case Array(element, count):
                self.fixed_array(code, text, element, count, needs, held)
            case Pointer(target, constant):
                self.pointer(code, text, target, constant, needs, depth, held)
            case Other(why):
                self.unknown(code, text, type_, why)
                self.locations.append(Location(text, held, "", needs))

    def unknown(self, code: str, text: str, type_: str, why: str) -> None:
        """Makes a lvalue arbitrary of which no more is known than its size: pointers in it lead outside."""
        if why == CODE and "*const" not in type_:
            self.before.append(self.outside(code, text, type_))
            return
        self.assumed.append(f"{text} ({why}) holds no pointer to an object that is spoken of here")
        self.before.append(f"__VERIFIER_nondet_memory(&{code}, sizeof {code});")

    def outside(self, code: str, text: str, type_: str) -> str:
        """The code that makes a pointer arbitrary to what no object is made of."""
        self.assumed.append(f"{text} is null or leads outside of the program")
        return f"{code} = {self.any(type_)};"

    def fixed_array(self, code: str, text: str, element: str, count: int, needs: tuple[str, ...], held: str) -> None:
        if not self.is_plain(element):
            if not held:
                raise NoDriver(f"{text} is an array with pointers in it")
            self.assumed.append(f"{text} holds no pointer to an object that is spoken of here")
        self.before.append(f"__VERIFIER_nondet_memory(&{code}, sizeof {code});")
        match self.shape(element):
            case Number(_, signed) if count > 0:
                length = f"(__SIZE_TYPE__){count}"
                kind = spelled(self.declared.types, element)
                self.arrays.append(Elements(code, text, length, str(count), kind, signed, True, needs))
                self.locations.append(Location(f"{text}[0..{count - 1}]", held, text, needs, elements=True))
            case _:
                self.locations.append(Location(f"{text}[0..{count - 1}]", held, "", needs))

    def is_plain(self, type_: str) -> bool:
        """There is no pointer in it."""
        match self.shape(type_):
            case Number() | Real():
                return True
            case Array(element):
                return self.is_plain(element)
            case Record(fields):
                return all(self.is_plain(one.type) for one in fields)
        return False

    # ------------------------------------------------------------ pointers

    @staticmethod
    def is_opaque(shape: Shape) -> bool:
        """No object is made of it."""
        return isinstance(shape, Other) and shape.why != UNION

    def pointer(
        self, code: str, text: str, target: str, constant: bool, needs: tuple[str, ...], depth: int, held: str
    ) -> None:
        """A pointer in memory: it may be null, or points to an object of its own; any one where no code names it."""
        shape = self.shape(target)
        self.locations.append(Location(text, held, text, needs))
        self.values.append(Value(code, text, f"{target} *", None, needs, pointer=True))
        last = text.rpartition(".")[2].rpartition(">")[2]
        if last != text and last not in self.spoken and not text.startswith("*"):
            self.before.append(f"{code} = {self.any('void *')};")
            return
        if self.is_opaque(shape):
            self.before.append(self.outside(code, text, "void *"))
            return
        if depth >= DEEPEST:
            (self.cleared if held else self.before).append(f"{code} = 0;")
            self.require(f"{text} == \\null", needs)
            return
        (self.cleared if held else self.before).append(f"{code} = 0;")
        here = len(self.before)
        self.require(f"{text} == \\null || \\valid({text})", needs)
        self.object(code, text, target, constant, (*needs, text), depth + 1)
        self.before[here:] = [f"if ({self.any('int')}) {{", *moved(self.before[here:]), "}"]

    def object(self, code: str, text: str, target: str, constant: bool, needs: tuple[str, ...], depth: int) -> str:
        """Lets the pointer point to an arbitrary object of its own."""
        own = self.name("object")
        self.file_lines.append(f"typedef __typeof__({spelled(self.declared.types, target)}) {own}_type;")
        self.objects_made.append(own)
        self.before.append(f"{code} = &{own};")
        self.blocks.append((text, needs))
        match self.shape(target):
            case Record(fields):
                for one in fields:
                    inner = (own, text) if not one.name else (f"{own}.{one.name}", f"{text}->{one.name}")
                    self.fill(*inner, one.type, needs, depth, own)
            case _:
                self.fill(own, target_text(text, self.shape(target)), target, needs, depth, own)
        return own

    def require(self, text: str, needs: tuple[str, ...]) -> None:
        guard = " && ".join(f"{one} != \\null" for one in needs)
        if guard and "==" not in text:
            self.requires.append(f"{guard} ==> {text}")
            return
        self.requires.append(f"{guard} ==> ({text})" if guard else text)

    # ------------------------------------------------------------ arguments

    def argument(self, parameter: Parameter, name: str) -> None:
        """Declares and fills the variable for one argument, but for arrays of another argument's length."""
        match self.shape(parameter.type):
            case Number(_, signed):
                self.before.append(f"{name} = {self.any(parameter.type)};")
                kind = spelled(self.declared.types, parameter.type)
                self.values.append(Value(name, parameter.name, kind, signed, (), changes=False))
            case Real():
                self.before.append(f"{name} = {self.any(parameter.type)};")
            case Record(fields):
                start = len(self.values)
                for one in fields:
                    self.fill(*member(name, parameter.name, one.name), one.type, (), 0, name)
                made = self.values[start:]
                self.values[start:] = [v if "->" in v.text or "*" in v.text else kept(v) for v in made]
                self.locations = [location for location in self.locations if location.object != name]
                self.arrays = [array for array in self.arrays if not array.code.startswith(f"{name}.")]
            case Pointer(target, constant):
                self.pointer_argument(parameter, name, target, constant)
            case Other(why) if why in (CODE, UNION):
                self.unknown(name, parameter.name, parameter.type, why)
            case Other(why):
                raise NoDriver(f"its parameter {parameter.name} is {why}")
            case Array():
                raise NoDriver(f"its parameter {parameter.name} is an array")

    def pointer_argument(self, parameter: Parameter, name: str, target: str, constant: bool) -> None:
        """A pointer to an array of another argument's length, to a string, or to one object of its own."""
        text = parameter.name
        kind = f"{target} *"
        shape = self.shape(target)
        self.values.append(Value(name, text, kind, None, (), pointer=True, changes=False))
        if self.is_opaque(shape):
            self.before.append(self.outside(name, text, "void *"))
            return
        needs = (text,) if parameter.tested else ()
        here = len(self.before)
        length = self.length_of(parameter) if parameter.indexed and self.is_plain(target) else None
        if length is not None:
            self.array_argument(name, text, target, constant, length, needs)
        elif parameter.indexed and isinstance(shape, Number) and shape.character:
            self.string_argument(name, text, target, constant, needs)
        else:
            self.requires.append(f"{text} == \\null || \\valid({text})" if needs else f"\\valid({text})")
            self.object(name, text, target, constant, needs, 1)
        if needs:
            self.before[here:] = [f"{name} = 0;", f"if ({self.any('int')}) {{", *moved(self.before[here:]), "}"]

    def length_of(self, parameter: Parameter) -> Parameter | None:
        """The integer parameter that tells how many elements there are, by its name and place."""
        return length_of(parameter, self.function.parameters, self.shape)

    def array_argument(
        self, name: str, text: str, target: str, constant: bool, length: Parameter, needs: tuple[str, ...]
    ) -> None:
        """A block of as many elements as the other argument says; none for a negative number."""
        count = f"{PREFIX}arg_{length.name}"
        kind = spelled(self.declared.types, target)
        shape, signed = self.shape(length.type), None
        assert isinstance(shape, Number)
        if shape.signed is not False:
            self.before.append(f"if ({count} < 0) return;")
            condition = f"{length.name} >= 0"
            if condition not in self.requires:
                self.requires.append(condition)
        self.before.append(f"if ((__SIZE_TYPE__){count} > {LARGEST} / sizeof({kind})) return;")
        self.before.append(f"{name} = {PREFIX}malloc((__SIZE_TYPE__){count} * sizeof({kind}));")
        self.block(text, f"{length.name} - 1", needs)
        element = self.shape(target)
        if isinstance(element, Number):
            signed = element.signed
            self.arrays.append(
                Elements(name, text, f"(__SIZE_TYPE__){count}", length.name, kind, signed, not constant, needs)
            )
        value = text if isinstance(element, Number) else ""
        self.locations.append(Location(f"{text}[0..{length.name} - 1]", f"={name}", value, needs, elements=True))

    def block(self, text: str, last: str, needs: tuple[str, ...]) -> None:
        guard = f"{text} == \\null || " if needs else ""
        self.requires.append(f"{guard}\\valid({text} + (0 .. {last}))")
        self.blocks.append((text, needs))

    def string_argument(
        self, name: str, text: str, target: str, constant: bool, needs: tuple[str, ...]
    ) -> None:
        """A block of any size whose last byte is zero."""
        size, kind = self.name("size"), spelled(self.declared.types, target)
        self.file_lines.append(f"extern __SIZE_TYPE__ {size}(void);")
        self.sizes.append(f"__SIZE_TYPE__ {size}_bytes = 0;")
        self.before.append(f"{size}_bytes = {size}();")
        self.before.append(f"if (!{size}_bytes || {size}_bytes > {LARGEST}) return;")
        self.before.append(f"{{ {kind} *{PREFIX}block = {PREFIX}malloc({size}_bytes);")
        self.before.append(f"{PREFIX}block[{size}_bytes - 1] = 0; {name} = {PREFIX}block; }}")
        self.block(text, f"strlen({text})", needs)
        if constant:
            length = f"{size}_bytes"
            signed = False if "unsigned" in kind else None
            self.arrays.append(Elements(name, text, length, f"strlen({text}) + 1", kind, signed, False, needs))
        self.locations.append(Location(f"{text}[0..strlen({text})]", f"={name}", "", needs, elements=True))

    # ------------------------------------------------------------ globals

    def globals(self) -> None:
        """Makes the variables arbitrary that the function and those below it speak of."""
        used = self.used()
        for name in sorted(used & self.declared.variables.keys()):
            variable = self.declared.variables[name]
            if variable.system or self.declared.types.is_constant(variable.type):
                continue
            self.variable(variable)

    def used(self) -> Set[str]:
        """Names of the variables that are made arbitrary, among others."""
        return {name for function in self.declared.below(self.function.name) for name in function.uses}

    def variable(self, variable: Variable) -> None:
        """Makes a global arbitrary and shows it, unless a parameter hides its name."""
        if any(p.name == variable.name for p in self.function.parameters):
            self.locations.append(Location(f"static {variable.name}", ""))
            if self.is_plain(variable.type):
                name = self.name("hidden")
                forgets = f"__VERIFIER_nondet_memory(&{variable.name}, sizeof {variable.name});"
                self.file_lines.append(f"static void {name}(void) {{ {forgets} }}")
                self.before.append(f"{name}();")
            else:
                self.assumed.append(f"the global {variable.name} is as at the start of the program")
            return
        parts: tuple[list[Any], ...] = (
            self.before, self.values, self.arrays, self.locations, self.requires, self.blocks, self.objects_made,
            self.cleared,
        )  # fmt: skip
        lengths = [len(part) for part in parts]
        try:
            self.fill(variable.name, variable.name, variable.type, (), 1, "")
        except NoDriver:
            for part, length in zip(parts, lengths, strict=True):
                del part[length:]
            self.assumed.append(f"{variable.name} is as at the start of the program")
            self.locations.append(Location(variable.name, ""))

    # ------------------------------------------------------------ all of it

    def driver(self, source: str, needs: Sequence[Need]) -> Driver:
        function, names = self.function, []
        if function.variadic:
            raise NoDriver("it takes a variable number of arguments")
        declared = []
        named = [p if p.name else replace(p, name=f"arg{n}") for n, p in enumerate(function.parameters, 1)]
        self.function = function = replace(function, parameters=tuple(named))
        here = (name for one in self.declared.below(function.name) for name in one.fields)
        self.spoken = self.elsewhere.union(here)
        for parameter in function.parameters:
            name = f"{PREFIX}arg_{parameter.name}"
            names.append(name)
            declared.append(f"__typeof__({spelled(self.declared.types, parameter.type)}) {name};")
        self.globals()
        ordered = sorted(
            zip(function.parameters, names, strict=True),
            key=lambda pair: isinstance(self.shape(pair[0].type), Pointer),
        )
        for parameter, name in ordered:
            self.argument(parameter, name)
        self.separation()
        if self.blocks and any(one.looks_at_addresses for one in self.declared.below(function.name)):
            self.assumed.append(
                "each pointer leads to the start of an object, at a multiple of 16; those of later arguments lie higher"
            )
        objects = [f"{own}_type {own};" for own in self.objects_made]
        lines = self.call(function, names)
        needed = (f"if (!{need.code}) return;" for need in needs)
        made = [*declared, *objects, *self.cleared, *self.sizes, *self.before, *needed]
        asked = list(self.questions(function, names).asked())
        questions = [replace(one, text=self.text(source, (DECLARED,), (*made, *code))) for one, code in asked]
        return Driver(
            function.name, self.text(source, lines[1], (*made, *lines[0])), tuple(self.requires),
            tuple(dict.fromkeys(self.assumed)), tuple(lines[2]), tuple(self.locations), tuple(questions),
        )  # fmt: skip

    def text(self, source: str, declared: Sequence[str], body: Sequence[str]) -> str:
        """A program: the file, what has to be declared, the driver."""
        lines = [
            f'#include "{source}"',
            "extern void __VERIFIER_nondet_memory(void *, __SIZE_TYPE__);",
            f"extern void *{PREFIX}malloc(__SIZE_TYPE__) __asm__(\"malloc\");",
            *self.file_lines,
            *declared,
            f"void {DRIVER}(void) {{",
            *(f"    {line}" for line in body),
            "}",
        ]
        return "\n".join([*lines, ""])

    def questions(self, function: Function, names: Sequence[str]) -> Questions:
        """What is asked of arrays by programs of their own."""
        shown: list[Shown] = []
        self.show_result(f"{PREFIX}result", "\\result", function.returns, shown)
        outputs = [Output(kind, code, seen.text) for kind, code, seen in shown if not seen.pointer]
        result = next((one for one in outputs if one.text == "\\result"), None)
        outputs += [Output(v.type, v.code, v.text) for v in self.values if v.changes and not (v.needs or v.pointer)]
        return Questions(self.arrays, outputs, result, self.any, self.called(function, names), self.index())

    def called(self, function: Function, names: Sequence[str]) -> str:
        """The call, which keeps the result where it is shown."""
        call, result = f"{function.name}({', '.join(names)});", function.returns
        if result and isinstance(self.shape(result), Number | Real | Pointer | Record):
            return f"__typeof__({spelled(self.declared.types, result)}) {PREFIX}result = {call}"
        return call

    def separation(self) -> None:
        """Every block is apart from every earlier one and from the globals that are shown."""
        held = [lo for lo in self.locations if not lo.object and not lo.text.startswith("static ")]
        globals_ = dict.fromkeys((f"&{lo.root}", ()) for lo in held)
        known: list[tuple[str, tuple[str, ...]]] = [*globals_]
        for text, needs in self.blocks:
            together = [other for other, its in known if set(its) <= set(needs)]
            if together:
                self.require(f"\\separated({', '.join((text, *together))})", needs)
            for other, its in known:
                if other not in together:
                    self.require(f"\\separated({text}, {other})", tuple(dict.fromkeys((*needs, *its))))
            known.append((text, needs))

    def call(self, function: Function, names: list[str]) -> tuple[list[str], list[str], list[View]]:
        """(the lines around the call; what has to be declared; the views)."""
        values = self.values[:MOST_SEEN]
        lines: list[str] = []
        shown: list[Shown] = []
        for number, value in enumerate(values):
            seen = Seen(
                value.text, value.signed, old=value.changes, argument=not value.changes, pointer=value.pointer,
                needs=value.needs, type=value.type,
            )  # fmt: skip
            lines.append(f"__typeof__({value.type}) {PREFIX}old{number} = {value.code};")
            shown.append((value.type, f"{PREFIX}old{number}", seen))
        elements = ElementViews(self.arrays, self.index(), self.file_lines)
        lines += elements.before()
        lines.append(self.called(function, names))
        results: list[Shown] = []
        self.show_result(f"{PREFIX}result", "\\result", function.returns, results)
        for value in values:
            if value.changes:
                seen = Seen(value.text, value.signed, pointer=value.pointer, needs=value.needs, type=value.type)
                shown.append((value.type, value.code, seen))
        shown += results
        views = [View(SEEN, tuple(seen for _, _, seen in shown))]
        declared = [empty(SEEN, [kind for kind, _, _ in shown])]
        lines.append(f"{SEEN}({', '.join(code for _, code, _ in shown)});")
        for view, line, declaration in elements.views(shown):
            views.append(view)
            lines.append(line)
            declared.append(declaration)
        return lines, declared, views

    def index(self) -> str:
        """A name for indices that means nothing else in the contract."""
        known = {p.name for p in self.function.parameters} | self.declared.variables.keys()
        return next(name for name in ("k", "j", "i", *(f"k{n}" for n in range(len(known)))) if name not in known)

    def show_result(self, code: str, text: str, type_: str, results: list[Shown]) -> None:
        match self.shape(type_) if type_ else Other(""):
            case Number(_, signed):
                kind = spelled(self.declared.types, type_)
                results.append((kind, code, Seen(text, signed, result=True, type=kind)))
            case Pointer():
                kind = spelled(self.declared.types, type_)
                results.append((kind, code, Seen(text, None, result=True, pointer=True, type=kind)))
            case Record(fields):
                for one in fields:
                    if one.name and isinstance(self.shape(one.type), Number | Record):
                        self.show_result(f"{code}.{one.name}", f"{text}.{one.name}", one.type, results)


def driver_of(
    declared: Declarations, function: Function, source: str, needs: Sequence[Need] = (),
    elsewhere: Set[str] = frozenset(),
) -> Driver:
    """The driver of a function that the file `source` defines, which keeps to `needs`; `elsewhere`: members that code
    of other files names which it may call. Raises NoDriver."""
    return Maker(declared, function, elsewhere=frozenset(elsewhere)).driver(source, needs)
