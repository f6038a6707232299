"""Whether memory that holds floats may be accessed as anything else: a whole program's memory, in few classes.

Values are put into classes by unification: what is copied, computed from one another or handed over is one class, and
everything that a class's values may point at is one memory. A memory into which a float is stored is looked into if
anything in the program accesses it at another type, steps through it in units of another type, or copies or fills a
number of bytes that is not known to be whole floats. Accesses of floats are taken to be aligned.

Source: [steensgaard1996points]. Deviation: values of all types flow, but those of floats and comparisons.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import field

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.frontend.definition.va_arg import TAKE
from counterpoint.frontend.irtext import Call, FunctionText, ModuleText, argument, leading_type, parse_call
from counterpoint.frontend.lower.text import NAME

_LEAF = regex(r"(?<![%@\w.$\"])(?:i\d+|half|bfloat|float|double|x86_fp80|fp128|ptr)\b")
_NAMED = regex(r'%(?:"[^"]*"|[-\w.$]+)')
_VALUE = regex(rf"[%@]{NAME}")
_LOAD = regex(rf"^  (%{NAME}) = load (?:atomic )?(?:volatile )?(.*)$")
_STORE = regex(r"^  store (?:atomic )?(?:volatile )?(.*)$")
_ATOMIC = regex(
    rf"^  (?:(%{NAME}) = )?(?:atomicrmw (?:volatile )?\w+|cmpxchg (?:weak )?(?:volatile )?) ?ptr (.*)$"
)
_STEP = regex(rf"^  (%{NAME}) = getelementptr (?:inbounds |nusw |nuw |inrange\([^)]*\) )*(.*)$")
_OTHER = regex(rf"^  (%{NAME}) = (\w+) (.*)$")
_ALLOCA = regex(rf"^  (%{NAME}) = alloca ")
_RETURN = regex(r"^  ret (?!void)(.*)$")
_LABEL = regex(rf", %{NAME} \]")
_GLOBAL = regex(rf"^@({NAME}) = (.*)$")
_BLOCK = regex(r"^@(?:llvm\.)?(?:memcpy|memmove|memset)\b")
_MAKERS = frozenset({"malloc", "calloc", "aligned_alloc", "memalign", "valloc", "alloca"})
"""Each call of one of these, in the library, gives memory of its own, to nothing that the function keeps."""
_FLOATS = frozenset({"half", "bfloat", "float", "double", "x86_fp80", "fp128"})
_BYTES = {"float": 4, "double": 8}
_NO_POINTERS = frozenset({"fcmp", "icmp", "fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "fpext", "fptrunc"})
_OUTSIDE = ("", "outside")
_VARIABLE = ("", "variable arguments")

Name = tuple[str, str]
"""(function, register); ("", ...) for what the whole program shares."""


@dataclass(slots=True)
class _Classes:
    """Union-find over values; `memory` is by the representative of the pointers' class."""

    numbers: dict[Name, int] = field(default_factory=dict)
    parent: list[int] = field(default_factory=list)
    memory: dict[int, int] = field(default_factory=dict)
    objects: set[int] = field(default_factory=set)
    stored: list[tuple[int, str]] = field(default_factory=list)
    touched: list[tuple[int, str]] = field(default_factory=list)
    blocks: list[tuple[int, int]] = field(default_factory=list)

    def new(self) -> int:
        self.parent.append(len(self.parent))
        return len(self.parent) - 1

    def of(self, name: Name) -> int:
        if name not in self.numbers:
            self.numbers[name] = self.new()
        return self.find(self.numbers[name])

    def find(self, number: int) -> int:
        while self.parent[number] != number:
            self.parent[number] = self.parent[self.parent[number]]
            number = self.parent[number]
        return number

    def at(self, pointer: int) -> int:
        """The memory that the values of a class point at; what it holds is the class of the same number."""
        pointer = self.find(pointer)
        if pointer not in self.memory:
            self.memory[pointer] = self.new()
        return self.find(self.memory[pointer])

    def join(self, one: int, other: int) -> None:
        waiting = [(one, other)]
        while waiting:
            one, other = map(self.find, waiting.pop())
            if one == other:
                continue
            self.parent[other] = one
            below = self.memory.pop(other, None)
            if below is not None and one in self.memory:
                waiting.append((self.memory[one], below))
            elif below is not None:
                self.memory[one] = below


def looked_into(module: ModuleText, entry: str, callbacks: bool, own: Container[str]) -> bool:
    """Whether bytes of a float that the program stores may be seen; `callbacks`: undefined functions may call others;
    `own`: functions that the program itself defines, whatever the library has of the name.

    Linear in the text, but for the inverse of Ackermann's function.
    """
    if not any(_stores_floats(function.lines) for function in module.functions.values()):
        return False
    reading = _Reading(module, callbacks, own)
    reading.globals()
    for function in module.functions.values():
        reading.function(function, function.name == entry)
    return reading.found()


def _stores_floats(lines: Iterable[str]) -> bool:
    """Whether some line stores a float, or hands one over as a variable argument."""
    storing = (line for line in lines if "store " in line or "atomicrmw f" in line or ", ..." in line)
    return any(_FLOATING.search(line) is not None for line in storing)


_FLOATING = regex(r"\b(?:half|bfloat|float|double|x86_fp80|fp128)\b|store %")


class _Reading:
    """Constraints from a module's lines."""

    def __init__(self, module: ModuleText, callbacks: bool, own: Container[str]) -> None:
        self.module = module
        self.own = own
        self.callbacks = callbacks
        self.classes = _Classes()
        self.leaves: dict[str, frozenset[str]] = {}
        self.name = ""
        outside = self.classes.of(_OUTSIDE)
        self.classes.memory[outside] = outside
        self.classes.objects.add(self.classes.at(self.classes.of(_VARIABLE)))

    # ------------------------------------------------------------ values

    def value(self, text: str) -> int:
        """The class of an operand; all names in a constant expression are one."""
        found = [self.named(name) for name in _VALUE.findall(text)]
        if not found:
            return self.classes.of(_OUTSIDE)
        for other in found[1:]:
            self.classes.join(found[0], other)
        return found[0]

    def named(self, name: str) -> int:
        if name[0] == "%":
            return self.classes.of((self.name, name))
        plain = name[1:].strip('"')
        if plain in self.module.functions or plain in self.module.declared:
            self.handed_on(plain)
        return self.classes.of(("", f"@{plain}"))

    def handed_on(self, name: str) -> None:
        """The function's address is a value: an indirect call may reach it."""
        function = self.module.functions.get(name)
        if function is not None:
            for position, (_, parameter) in enumerate(function.parameters):
                self.classes.join(self.classes.of(("", f"#{position}")), self.classes.of((name, parameter)))
            self.classes.join(self.classes.of(("", "#result")), self.classes.of((name, "#result")))

    def types(self, text: str) -> frozenset[str]:
        """The scalar types in a type."""
        found = self.leaves.get(text)
        if found is None:
            self.leaves[text] = frozenset()
            below = [self.types(self.module.types.get(name, "")) for name in _NAMED.findall(text)]
            found = self.leaves[text] = frozenset(_LEAF.findall(text)).union(*below)
        return found

    def touch(self, memory: int, type_: str, store: bool = False) -> bool:
        """Notes an access; whether what it moves may be, or hold, a pointer."""
        leaves = self.types(type_)
        self.classes.touched += [(memory, leaf) for leaf in leaves]
        if store:
            self.classes.stored += [(memory, leaf) for leaf in leaves if leaf in _FLOATS]
        return not leaves <= _FLOATS

    # ------------------------------------------------------------ the module

    def globals(self) -> None:
        for name, line in self.module.globals.items():
            self.classes.objects.add(self.classes.at(self.classes.of(("", f"@{name}"))))
            match = _GLOBAL.match(line)
            for used in _VALUE.findall(match[2] if match else ""):
                if used[0] == "@":
                    self.classes.join(self.classes.at(self.classes.of(("", f"@{name}"))), self.named(used))
        for name, line in self.module.aliases.items():
            for used in _VALUE.findall(line.partition(" = ")[2]):
                if used[0] == "@":
                    self.classes.join(self.classes.of(("", f"@{name}")), self.named(used))

    def function(self, function: FunctionText, entry: bool) -> None:
        self.name = function.name
        for _, parameter in function.parameters if entry else ():
            self.classes.join(self.classes.of((self.name, parameter)), self.classes.of(_OUTSIDE))
        for line in function.lines:
            if "#dbg" not in line and "@llvm.lifetime" not in line:
                self.line(line.partition(", !")[0])

    def line(self, line: str) -> None:
        if _ALLOCA.match(line) is not None:
            self.classes.objects.add(self.classes.at(self.value(line.partition(" = ")[0])))
        elif (match := _LOAD.match(line)) is not None:
            self.load(match[1], match[2])
        elif (match := _STORE.match(line)) is not None:
            self.store(match[1])
        elif (match := _STEP.match(line)) is not None:
            self.step(match[1], match[2])
        elif (match := _ATOMIC.match(line)) is not None:
            self.atomic(match[1], match[2])
        elif "call " in line and (call := parse_call(line)) is not None:
            self.call(call)
        elif (match := _RETURN.match(line)) is not None:
            if not self.types(leading_type(match[1])) <= _FLOATS:
                self.flow(self.classes.of((self.name, "#result")), match[1])
        elif (match := _OTHER.match(line)) is not None and match[2] not in _NO_POINTERS:
            self.flow(self.value(match[1]), _LABEL.sub(" ]", match[3]))

    def flow(self, target: int, text: str) -> None:
        for name in _VALUE.findall(text):
            if name not in self.module.types:
                self.classes.join(target, self.named(name))

    def load(self, result: str, rest: str) -> None:
        type_ = leading_type(rest)
        memory = self.classes.at(self.value(_operand(rest[len(type_) + 2 :])))
        if self.touch(memory, type_):
            self.classes.join(memory, self.value(result))

    def store(self, rest: str) -> None:
        value, pointer = _split(rest)
        type_ = leading_type(value)
        memory = self.classes.at(self.value(_operand(pointer)))
        if self.touch(memory, type_, store=True):
            self.flow(memory, value[len(type_) :])

    def atomic(self, result: str | None, rest: str) -> None:
        pointer, value = _split(rest)
        memory = self.classes.at(self.value(pointer))
        if self.touch(memory, leading_type(value), store=True):
            self.flow(memory, f"{result or ''} {value}")

    def step(self, result: str, rest: str) -> None:
        type_ = leading_type(rest)
        base = self.value(_operand(rest[len(type_) + 2 :]))
        self.classes.join(base, self.value(result))
        if _LEAF.fullmatch(type_) is not None:
            self.touch(self.classes.at(base), type_)

    # ------------------------------------------------------------ calls

    def call(self, call: Call) -> None:
        arguments = [argument(text) for text in call.arguments]
        name = call.callee[1:].strip('"') if call.callee[0] == "@" else ""
        if _BLOCK.match(call.callee) is not None and len(arguments) > 2:
            self.block(call, arguments)
        elif name.startswith("llvm."):
            self.intrinsic(call, name, arguments)
        elif name in _MAKERS and name not in self.own:
            if call.result:
                self.classes.objects.add(self.classes.at(self.value(call.result)))
        elif name == "realloc" and name not in self.own:
            if call.result and arguments:
                self.classes.join(self.value(call.result), self.value(arguments[0][1]))
                self.classes.objects.add(self.classes.at(self.value(call.result)))
        elif name == TAKE:
            self.classes.join(self.value(call.result), self.classes.at(self.value(arguments[0][1])))
        elif name in self.module.functions:
            self.known(call, self.module.functions[name], arguments)
        elif name:
            self.unknown(call, arguments)
        else:
            for position, (_, value) in enumerate(arguments):
                self.flow(self.classes.of(("", f"#{position}")), value)
            self.flow(self.classes.of(("", "#result")), call.result)

    def block(self, call: Call, arguments: list[tuple[str, str]]) -> None:
        """memcpy, memmove, memset, as intrinsics or functions."""
        target = self.value(arguments[0][1])
        if "set" not in call.callee:
            self.classes.join(target, self.value(arguments[1][1]))
        if call.result:
            self.classes.join(target, self.value(call.result))
        length = arguments[2][1]
        self.classes.blocks.append((self.classes.at(target), int(length) if length.isdigit() else 1))

    def intrinsic(self, call: Call, name: str, arguments: list[tuple[str, str]]) -> None:
        if name.startswith("llvm.va_start"):
            self.classes.join(self.classes.at(self.value(arguments[0][1])), self.classes.of(_VARIABLE))
        elif name.startswith("llvm.va_copy"):
            one, other = (self.classes.at(self.value(value)) for _, value in arguments[:2])
            self.classes.join(one, other)
        elif call.result and not self.types(call.type) <= _FLOATS:
            self.flow(self.value(call.result), " ".join(call.arguments))

    def known(self, call: Call, function: FunctionText, arguments: list[tuple[str, str]]) -> None:
        fixed = len(function.parameters)
        for (_, value), (_, parameter) in zip(arguments, function.parameters, strict=False):
            self.flow(self.classes.of((function.name, parameter)), value)
        for type_, value in arguments[fixed:]:
            memory = self.classes.at(self.classes.of(_VARIABLE))
            if self.touch(memory, type_, store=True):
                self.flow(memory, value)
        if call.result and not self.types(call.type) <= _FLOATS:
            self.classes.join(self.classes.of((function.name, "#result")), self.value(call.result))

    def unknown(self, call: Call, arguments: list[tuple[str, str]]) -> None:
        """A function without a definition: what it gives lies outside, and it keeps nothing."""
        if call.result and "ptr" in self.types(call.type):
            self.classes.join(self.value(call.result), self.classes.of(_OUTSIDE))
        if self.callbacks:
            for position in range(16):
                given = self.classes.of(("", f"#{position}"))
                for _, value in arguments:
                    self.flow(given, value)

    # ------------------------------------------------------------ the answer

    def found(self) -> bool:
        """Whether some memory with floats in it is accessed as anything else."""
        classes = self.classes
        objects = {classes.find(memory) for memory in classes.objects}
        outside = classes.of(_OUTSIDE)

        def place(memory: int) -> int:
            memory = classes.find(memory)
            return memory if memory in objects else outside

        floats: dict[int, set[str]] = {}
        for memory, type_ in classes.stored:
            floats.setdefault(place(memory), set()).add(type_)
        if any(len(types) > 1 for types in floats.values()):
            return True
        if any(type_ not in floats.get(place(memory), {type_}) for memory, type_ in classes.touched):
            return True
        return any(
            length % _BYTES.get(type_, 1 << 62)
            for memory, length in classes.blocks
            for type_ in floats.get(place(memory), ())
        )


def _operand(text: str) -> str:
    """The operand of `ptr OPERAND, align ...` or `ptr OPERAND, i64 %1`."""
    return _split(text)[0].removeprefix("ptr ")


def _split(text: str) -> tuple[str, str]:
    """A list of operands cut at its first comma outside of brackets."""
    depth = 0
    for position, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
        elif character == "," and depth == 0:
            return text[:position], text[position + 2 :]
    return text, ""
