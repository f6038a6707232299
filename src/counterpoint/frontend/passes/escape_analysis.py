"""Locals that turn out not to be outlasted by their addresses become allocas again.

After LLVM promoted and inlined what it can, the flow of an address is explicit: an object of `__cp_local` is
contained if its address is only accessed, compared, and handed to functions that do not keep it, and no register
that was computed from it is still of use where a life ends or another one starts. For such an object it makes no
difference that all lives share one place: no pointer to an earlier one is left. Lifetime markers say when
it lives, and LLVM may promote it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence, Set
from dataclasses import field
from typing import TypeAlias

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import Site
from counterpoint.frontend.definition.body import label_of
from counterpoint.frontend.definition.scopes import blocks_of
from counterpoint.frontend.irtext import FunctionText, ModuleText, parse, parse_call
from counterpoint.frontend.lower.irtypes import NotModelled, TypeTable

_MADE = regex(r"^  (%[-\w.$]+) = call ptr @__cp_local\((i\d+) (\d+), i\d+ (\d+), i32 (\d+)\)")
_END = regex(r"^  call void @__cp_local_end\(ptr ([^)]+)\)")
_REGISTER = regex(r"%[-\w.$]+")
_CALLED = regex(r"call [^@%]*@([-\w.$]+)\(")
_INCOMING = regex(r"\[ ([^\[\]]+), %([-\w.$]+|\"[^\"]*\") \]")
_HARMLESS = frozenset({
    "__cp_check_access", "__cp_check_free", "__cp_havoc", "__cp_object_size", "__cp_free", "__cp_keep",
    "__cp_local_end", "__cp_constant", "__cp_initialise",
})  # fmt: skip
_READING = _HARMLESS - {"__cp_havoc", "__cp_free"}
_INITIALISE = regex(r"call void @__cp_initialise\(ptr (.+?), ptr (.+?), (i\d+) ([^)]+)\)")
_SEGMENT = regex(r"@llvm\.mem(?:cpy|move)[\w.]*\(ptr (?:align \d+ )?([^,]+),")
_SEGMENTS = ("llvm.memcpy", "llvm.memmove", "llvm.memset")

Point: TypeAlias = tuple[str, int]
"""Block and line."""
Argument: TypeAlias = tuple[str, int]
"""A function, and which of its arguments."""


def with_contained(text: str, sites: Sequence[Site], round_: int) -> str | None:
    """The module with contained objects as allocas; None if there are none. `round_` keeps names apart."""
    if "= call ptr @__cp_local(" not in text:
        return None
    module = parse(text)
    types = TypeTable(module.datalayout, module.triple, module.types)
    keeping = _Keeping(module)
    changed = False
    for function in module.functions.values():
        if any("@__cp_local(" in line for line in function.lines):
            changed |= _Function(function, keeping).rewrite(types, sites, round_)
    if changed:
        _declare_markers(module)
    return module.text() if changed else None


def _declare_markers(module: ModuleText) -> None:
    for name in ("start", "end"):
        full = f"llvm.lifetime.{name}.p0"
        module.declared.setdefault(full, f"declare void @{full}(ptr)")
    for word in ("i32", "i64"):
        full = f"llvm.memcpy.p0.p0.{word}"
        module.declared.setdefault(full, f"declare void @{full}(ptr, ptr, {word}, i1)")


@dataclass(slots=True)
class _Flow:
    """Where a function computes registers from an address and where it uses them.

    `definitions` and `uses` by register; a phi uses a register at the end of the block it comes from. `leaks`: the
    address goes somewhere else.
    """

    definitions: dict[str, Point] = field(default_factory=dict)
    uses: dict[str, list[Point]] = field(default_factory=dict)
    leaks: bool = False


class _Body:
    """A function's lines by block, and in which of them each register is mentioned."""

    def __init__(self, function: FunctionText) -> None:
        unnamed = sum(1 for _, name in function.parameters if name[1:].isdigit())
        first = function.lines[0]
        self.entry = label_of(first) if first[0] != " " else str(unnamed)
        self.blocks = blocks_of(function.lines, self.entry)
        self.before: dict[str, list[str]] = {label: [] for label in self.blocks}
        for label, block in self.blocks.items():
            for target in block.targets:
                self.before[target].append(label)
        self.mentions: dict[str, list[Point]] = {}
        for label, block in self.blocks.items():
            for index, line in enumerate(block.lines):
                if "#dbg_" not in line:
                    for name in dict.fromkeys(_REGISTER.findall(line)):
                        self.mentions.setdefault(name, []).append((label, index))

        self._behind: dict[str, set[str]] = {}

    def behind(self, label: str) -> Set[str]:
        """The blocks that a run may get to from the end of a block."""
        if label not in self._behind:
            found = self._behind[label] = set()
            waiting = list(self.blocks[label].targets)
            while waiting:
                if (one := waiting.pop()) not in found:
                    found.add(one)
                    waiting += self.blocks[one].targets
        return self._behind[label]

    def line(self, point: Point) -> str:
        return self.blocks[point[0]].lines[point[1]]


class _Keeping:
    """Which parameters of the module's functions may be kept beyond the call."""

    def __init__(self, module: ModuleText) -> None:
        self._functions = module.functions
        self._known: dict[tuple[str, int], bool] = {}
        self._bodies: dict[str, _Body] = {}

    def body(self, function: FunctionText) -> _Body:
        known = self._bodies.get(function.name)
        if known is None:
            known = self._bodies[function.name] = _Body(function)
        return known

    def kept(self, name: str, position: int) -> bool:
        """Whether the function may keep that argument; one that calls itself is taken to.

        Call chains may be longer than Python's stack: what an answer rests on is answered first.
        """
        waiting = [(name, position)]
        asked: set[Argument] = set()
        while waiting:
            here = waiting[-1]
            function = self._functions.get(here[0])
            if here in self._known:
                waiting.pop()
            elif function is None or here[1] >= len(function.parameters):
                self._known[here] = True
            else:
                asked.add(here)
                missing: list[Argument] = []

                def known(callee: str, index: int, missing: list[Argument] = missing) -> bool:
                    if (callee, index) not in self._known and (callee, index) not in asked:
                        missing.append((callee, index))
                        return False
                    return self._known.get((callee, index), True)

                flow = flow_of(self.body(function), function.parameters[here[1]][1], known)
                if flow.leaks or not missing:
                    self._known[here] = flow.leaks
                waiting += missing
        return self._known[name, position]


def flow_of(body: _Body, register: str, kept: Callable[[str, int], bool]) -> _Flow:
    """The flow of the address in `register`; `kept` tells which arguments functions may keep."""
    flow = _Flow()
    waiting = [register]
    while waiting and not flow.leaks:
        name = waiting.pop()
        if name in flow.uses:
            continue
        uses = flow.uses[name] = []
        for point in body.mentions.get(name, ()):
            line = body.line(point)
            result = line[2 : line.index(" = ")] if " = " in line else ""
            if result == name:
                flow.definitions[name] = point
                continue
            if " = phi ptr " in line:
                uses += [(label, len(body.blocks[label].lines)) for label in _sources(line, name)]
                waiting.append(result)
            elif " = getelementptr " in line or " = select " in line or " = freeze " in line or "@__cp_whole(" in line:
                uses.append(point)
                waiting.append(result)
            elif _is_direct(line, name, kept):
                uses.append(point)
            else:
                flow.leaks = True
    return flow


def _sources(phi: str, name: str) -> Iterator[str]:
    return (label for value, label in _INCOMING.findall(phi) if value == name)


def _is_direct(line: str, name: str, kept: Callable[[str, int], bool]) -> bool:
    """Whether the line accesses or compares what `name` points to and keeps no copy of it."""
    if " = load " in line or " = icmp " in line:
        return True
    if line.startswith("  store "):
        return not line.startswith(f"  store ptr {name},")
    called = _CALLED.search(line)
    if called is None:
        return False
    callee = called[1]
    if callee in _HARMLESS or callee.startswith(_SEGMENTS):
        return True
    call = parse_call(line)
    if call is None or callee.startswith("__cp_"):
        return False
    positions = [index for index, text in enumerate(call.arguments) if name in _REGISTER.findall(text)]
    return bool(positions) and not any(kept(callee, index) for index in positions)


# ------------------------------------------------------------------ one function


class _Function:
    """One function while its contained objects become allocas."""

    def __init__(self, function: FunctionText, keeping: _Keeping) -> None:
        self.function = function
        self.keeping = keeping
        self.body = keeping.body(function)

    def rewrite(self, types: TypeTable, sites: Sequence[Site], round_: int) -> bool:
        """Whether anything became an alloca."""
        allocas: list[str] = []
        names: dict[str, str] = {}
        initial: set[str] = set()
        for block in self.body.blocks.values():
            for line in block.lines:
                made = _MADE.match(line) if "@__cp_local(" in line else None
                flow = self._contained(made[1]) if made is not None else None
                if made is not None and flow is not None:
                    initial |= flow.uses.keys()
                    name = names[made[1]] = f"%cp.contained{round_}.{len(names)}"
                    type_ = _type(types, sites[int(made[5])].type, int(made[3]))
                    allocas.append(f"  {name} = alloca {type_}, align {made[4]}")
        if not names:
            return False
        lines = [new for line in self.function.lines if (new := _as_marker(line, names, initial))]
        position = 0 if lines[0][0] == " " else 1
        self.function.lines = [*lines[:position], *allocas, *lines[position:]]
        return True

    def _contained(self, name: str) -> _Flow | None:
        """The flow of the object's address if the object is contained, else None."""
        flow = flow_of(self.body, name, self.keeping.kept)
        if flow.leaks or name not in flow.definitions or not self._outlasts(name, flow):
            return None
        return flow if self._is_only_initialised(flow) else None

    def _is_only_initialised(self, flow: _Flow) -> bool:
        """Whether no line but an initialiser writes the object, if it has constant parts."""
        lines = [(name, self.body.line(p)) for name, uses in flow.uses.items() for p in uses if self._is_line(p)]
        return all(_reads(name, line) for name, line in lines) or not any("@__cp_constant(" in one for _, one in lines)

    def _is_line(self, point: Point) -> bool:
        return point[1] < len(self.body.blocks[point[0]].lines)

    def _outlasts(self, name: str, flow: _Flow) -> bool:
        """Whether the object lives as long as what was computed from its address is of use."""
        ends: list[Point] = []
        for register, uses in flow.uses.items():
            for point in uses:
                block, index = point
                if index < len(self.body.blocks[block].lines) and _END.match(self.body.line(point)) is not None:
                    if register != name:
                        return False
                    ends.append(point)
        at_ends = set(ends)
        start = flow.definitions[name]
        for register, uses in flow.uses.items():
            real = [point for point in uses if point not in at_ends]
            for end in (*ends, start):
                if register == name and end == start:
                    continue
                if self._live_after(flow.definitions[register], real, end):
                    return False
        return True

    def _live_after(self, definition: Point, uses: Sequence[Point], point: Point) -> bool:
        """Whether some use comes after `point` on a way that does not pass the definition."""
        block, index = point
        here, at = definition
        later = at if here == block and at > index else len(self.body.blocks[block].lines) + 1
        if any(label == block and index < use < later for label, use in uses):
            return True
        if here == block and at > index:
            return False
        behind = self.body.behind(block)
        uses = [use for use in uses if use[0] in behind]
        if not uses:
            return False
        by_block: dict[str, list[int]] = {}
        for label, use in uses:
            by_block.setdefault(label, []).append(use)
        seen: set[str] = set()
        waiting = list(self.body.blocks[block].targets)
        while waiting:
            label = waiting.pop()
            if label in seen:
                continue
            seen.add(label)
            limit = at if label == here else len(self.body.blocks[label].lines) + 1
            if any(use < limit for use in by_block.get(label, ())):
                return True
            if label != here:
                waiting += self.body.blocks[label].targets
        return False


def _type(types: TypeTable, text: str, size: int) -> str:
    """The type of the alloca: that of the local, if the module still knows it."""
    try:
        if types.size(types.parse(text)) == size:
            return text
    except (NotModelled, ValueError, KeyError, IndexError):
        pass
    return f"[{size} x i8]"


def _reads(name: str, line: str) -> bool:
    """Whether a use of the address writes nothing, but as an initialiser."""
    if line.startswith("  store "):
        return False
    called = _CALLED.search(line)
    if called is None or called[1] in _READING:
        return True
    target = _SEGMENT.search(line)
    return target is not None and target[1] != name


def _as_marker(line: str, names: Mapping[str, str], initial: Container[str]) -> str:
    """The line where the objects in `names` are allocas; "" for one that goes. `initial`: addresses into these."""
    if "@__cp_constant(" in line and not names.keys().isdisjoint(_REGISTER.findall(line)):
        return ""
    if "@__cp_initialise(" in line and (copied := _INITIALISE.search(line)) is not None and copied[1] in initial:
        arguments = f"ptr {copied[1]}, ptr {copied[2]}, {copied[3]} {copied[4]}, i1 false"
        line = f"  call void @llvm.memcpy.p0.p0.{copied[3]}({arguments}){_debug(line)}"
    if "@__cp_local" in line:
        made, end = _MADE.match(line), _END.match(line)
        if made is not None and made[1] in names:
            return f"  call void @llvm.lifetime.start.p0(ptr {names[made[1]]}){_debug(line)}"
        if end is not None and end[1] in names:
            return f"  call void @llvm.lifetime.end.p0(ptr {names[end[1]]}){_debug(line)}"
    return _REGISTER.sub(lambda match: names.get(match[0], match[0]), line) if "%" in line else line


def _debug(line: str) -> str:
    position = line.find(", !dbg ")
    return line[position:] if position >= 0 else ""
