"""Rewrites prepared LLVM IR so that the native runtime sees what has to be seen.

- accesses go through the bounds table: a load reads from `__cp_rt_read(address)`, which is the address
  itself or, for an invalid access, memory that was just filled with an arbitrary value; stores likewise;
- locals whose address is used otherwise than for direct accesses within them live in the runtime's arena;
- blocks that control flow can reach in more than one way, or from a choice, count steps and coverage;
- comparisons tell their operands (used in few runs only);
- kernel calls get the forms that a C function can have.

Everything happens line by line on the printed text; no basic block is split.

A *lean* program does without what serves step limits, coverage and comparisons: it is for replaying long runs.
There checks and assumptions are branches to a call rather than calls, which splits blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from counterpoint.core.errors import CounterpointError
from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import CheckSite
from counterpoint.execute.native.declarations import RESERVED, RUNTIME_DECLARATIONS
from counterpoint.execute.native.flow import LABEL, Flow, flow_of
from counterpoint.execute.native.locals import ADDRESS_HEAD, RESULT, Locals, access
from counterpoint.execute.native.statics import Statics, lay_out, static_address
from counterpoint.frontend import irtext
from counterpoint.frontend.irtext import FunctionText, argument, parse_call
from counterpoint.frontend.lower.irtypes import TypeTable, constant_offset
from counterpoint.frontend.lower.text import matching, split_commas
from counterpoint.program.model import LOST
from counterpoint.program.types import FloatType, IntType, PointerType, size_in_bytes

_SAID_ONLY = ("__cp_hint", "__cp_keep", "__cp_exposed", "llvm.dbg", "llvm.assume", "llvm.donothing")


class NotNative(CounterpointError):
    """The program cannot be run natively here; the message says why. Other ways of running remain."""


_REPLACED = ("__cp_", "llvm.dbg", "llvm.lifetime", "llvm.mem", "llvm.stack", "llvm.assume")

_LEAK_KINDS = {"valid-memcleanup": 1, LOST: 2}


@dataclass(frozen=True, slots=True)
class Instrumented:
    """IR text that links with the runtime; `pointer_bits` is 32 or 64."""

    text: str
    triple: str
    pointer_bits: int


def instrument(
    text: str, checks: tuple[CheckSite, ...], lean: bool = False, pointers: Mapping[int, str] | None = None
) -> Instrumented:
    """The instrumented form of a prepared module. `pointers`: the sites whose pointers are "any" (inputs.raw_pointers)
    or "shared" (inputs.shared_pointers). Raises NotNative for targets other than x86."""
    module = irtext.parse(text)
    if not re.match(r"(i[3-6]86|x86|x86_64|amd64)-", module.triple):
        raise NotNative(f"programs for {module.triple or 'an unknown target'} are not run natively")
    types = TypeTable(module.datalayout, module.triple, module.types)
    kinds = [_LEAK_KINDS.get(check.kind, 0) for check in checks]
    statics = lay_out(module, types, kinds)
    lines = [f'target datalayout = "{module.datalayout}"', f'target triple = "{module.triple}"']
    lines += [f"{name} = type {body}" for name, body in module.types.items()]
    lines += statics.lines
    lines += module.aliases.values()
    numbers = _Numbers()
    copies = "@llvm.mem" in text
    for function in module.functions.values():
        lines += Rewriter(function, types, statics, numbers, lean, pointers or {}, copies).rewritten()
    lines += [re.sub(r" #\d+$", "", line) for name, line in module.declared.items() if not name.startswith(_REPLACED)]
    lines.append(RUNTIME_DECLARATIONS.replace("WORD", f"i{types.pointer.bits}"))
    result = _renamed("\n".join(lines) + "\n", module)
    return Instrumented(result, module.triple, types.pointer.bits)


def _renamed(text: str, module: irtext.ModuleText) -> str:
    taken = sorted(RESERVED & (module.functions.keys() | module.globals.keys()))
    if not taken:
        return text
    return re.sub(rf"@({'|'.join(taken)})(?![\w.$-])", r"@$user.\1", text)  # no plain name is like that


@dataclass(slots=True)
class _Numbers:
    """Numbers for blocks and truth values, spread over 16 bits: the same for the same module."""

    next: int = 0

    def block(self) -> int:
        self.next += 1
        return (self.next * 40503 + (self.next >> 8) * 9973) & 0xFFFF


_KERNEL = regex(r"call .*?@(__cp_\w+|llvm\.[\w.]+)\(")
_NONDET = regex(r"__cp_nondet_(i(\d+)|float|double|ptr)$")
_CONSTANT_ADDRESS = regex(r"getelementptr (?:(?:inbounds|nuw|nusw|inrange\([^)]*\)) )*\(")
APART = 64
"""Bytes between two objects in native runs (GAP)."""
GRANULE = 16
"""Bytes of an entry of the bounds table: at most one object reaches into it."""
_TINY = regex(r"-?\d|1[0-6]")
_INCOMING = regex(r', %("[^"]*"|[-\w.$]+) \]')
_ICMP = regex(r" = icmp (?:samesign )?\w+ i(8|16|32|64) (.+)$")


@dataclass(slots=True)
class Rewriter:
    """Rewrites one function."""

    function: FunctionText
    types: TypeTable
    statics: Statics
    numbers: _Numbers
    lean: bool = False
    pointers: Mapping[int, str] = field(default_factory=dict)
    copies: bool = False
    out: list[str] = field(default_factory=list)
    locals: Locals = field(init=False)
    flow: Flow = field(default_factory=lambda: flow_of([]))
    tails: dict[str, str] = field(default_factory=dict)
    block: str = ""
    marked: bool = False
    fresh: int = 0

    def __post_init__(self) -> None:
        self.locals = Locals(self.types, self.statics)

    def rewritten(self) -> Iterator[str]:
        lines = [_clean(line) for line in self.function.lines if not line.startswith("    #dbg")]
        self.locals.find(lines)
        self.flow = flow_of(lines)
        header = self.function.header
        opening = header.index("(", header.index("@" if '@"' not in header else '@"'))
        close = matching(header, opening)
        self.block = str(_unnamed(header[opening + 1 : close]))
        yield f"{header[: close + 1]} #0 {{"
        self._hook("depth" if self.lean else "enter")
        if any(not local.simple for local in self.locals.of.values()) or any("@__cp_local(" in line for line in lines):
            self.marked = True
            self.out.append("  %cp.mark = call i32 @__cp_rt_mark()")
        self._rewrite(lines)
        yield from map(self._from_tails, self.out)
        yield "}"

    def _rewrite(self, lines: list[str]) -> None:
        hook = ""
        first = 0
        label = LABEL.match(lines[0]) if lines else None
        if label is not None:
            entry = self.out.copy()
            self.out = [lines[0], *entry]
            first = 1
            self.block = label[1]
        for line in lines[first:]:
            if not line.startswith("  "):
                label = LABEL.match(line)
                if label is not None:
                    self.block = label[1]
                    hook = self._kind(label[1])
                self.out.append(line)
                continue
            result = RESULT.match(line)
            if hook and not (result is not None and result[2] == "phi"):
                self._hook(hook)
                hook = ""
            self._instruction(line, result)

    def _kind(self, block: str) -> str:
        """What is called at the block's beginning, if anything is."""
        if block in self.flow.endless:
            return "endless"
        if self.lean:
            return "onward" if block in self.flow.leaving else ""
        return "block" if block in self.flow.counted else ""

    def _hook(self, kind: str) -> None:
        number = "" if kind in ("depth", "onward") else f"i32 {self.numbers.block()}"
        self.out.append(f"  call void @__cp_rt_{kind}({number})")

    def _instruction(self, line: str, result: re.Match[str] | None) -> None:
        operation = result[2] if result is not None else line.split(None, 1)[0]
        if operation != "phi":
            for constant in _CONSTANT_ADDRESS.finditer(line):
                self._moved_constant(line[constant.start() : matching(line, constant.end() - 1) + 1], constant)
        match operation:
            case "load" if result is not None:
                self._load(result[1], line)
            case "store":
                self._store(line)
            case "getelementptr" if result is not None:
                self.out.append(line)
                self._moved(result[1], line)
            case "alloca" if result is not None and not self.locals.of[result[1]].simple:
                self._alloca(result[1], line)
            case "call" | "tail" | "notail" | "musttail":
                self._call(line)
            case "icmp" if result is not None and not self.lean:
                self._compare(line)
                self.out.append(line)
                if result[1] not in self.flow.decided:
                    self._tell(result[1])
            case "ret":
                if self.marked:
                    self.out.append("  call void @__cp_rt_leave(i32 %cp.mark)")
                self.out.append(line)
            case "unreachable":
                self.out += ["  call void @__cp_stop(i32 0)", line]
            case _:
                self.out.append(line)

    def name(self) -> str:
        self.fresh += 1
        return f"%cp.n{self.fresh}"

    # ------------------------------------------------------------ pointers and locals

    def _moved(self, name: str, line: str) -> None:
        """Tells the runtime of a pointer that may come to lie in another object: not of a constant offset inside a
        local or static object, nor of a small one (fields of structures) that only accesses use."""
        parts = split_commas(ADDRESS_HEAD.sub("", line))
        if not parts[1].startswith("ptr "):
            return  # vectors of pointers have no meaning (front end)
        base = parts[1].removeprefix("ptr ")
        offset = constant_offset(self.types, parts[0], parts[2:])
        if name in self.locals.addresses:
            local, start = self.locals.addresses[name]
            whole = self.locals.of[local].size
            if whole is not None and 0 <= start <= whole:
                return
        static = static_address(self.types, base) if offset is not None else None
        if static is not None and 0 <= static[1] + (offset or 0) <= self.statics.sizes.get(static[0], -1):
            return
        if offset is not None and 0 <= offset < APART and name not in self.locals.kept:
            return
        self._unless_near(base, name, self.locals.room(base))

    def _unless_near(self, base: str, name: str, room: int) -> None:
        """A call where the pointer is not at most `room` bytes behind its base; without room, in another granule."""
        word = f"i{self.types.pointer.bits}"
        first, second, distance, near = (self.name() for _ in range(4))
        self.out.append(f"  {first} = ptrtoint ptr {base} to {word}")
        self.out.append(f"  {second} = ptrtoint ptr {name} to {word}")
        operation = f"sub {word} {second}, {first}" if room else f"xor {word} {first}, {second}"
        self.out.append(f"  {distance} = {operation}")
        self.out.append(f"  {near} = icmp ule {word} {distance}, {room or GRANULE - 1}")
        far, tail = f"cp.f{self.fresh}", f"cp.t{self.fresh}"
        self.out += [f"  br i1 {near}, label %{tail}, label %{far}", f"{far}:"]
        self.out += [f"  call void @__cp_rt_moved(ptr {base}, ptr {name})", f"  br label %{tail}", f"{tail}:"]
        self.tails[self.block] = tail

    def _moved_constant(self, expression: str, match: re.Match[str]) -> None:
        """The same for an address that is a constant expression."""
        static = static_address(self.types, expression)
        if static is not None and 0 <= static[1] <= self.statics.sizes.get(static[0], -1):
            return
        inner = split_commas(expression[len(match[0]) : -1])
        if inner[1].startswith("ptr "):
            self.out.append(f"  call void @__cp_rt_moved({inner[1]}, ptr {expression})")

    def _alloca(self, name: str, line: str) -> None:
        parts = split_commas(line.partition(" = alloca ")[2])
        word, size = f"i{self.types.pointer.bits}", str(self.types.size(self.types.parse(parts[0])))
        alignment = re.search(r", align (\d+)", line)
        if len(parts) > 1 and not parts[1].startswith(("align", "addrspace")):
            count_type, _, count = parts[1].partition(" ")
            if count_type != word and not count.isdigit():
                wide = self.name()
                how = "zext" if int(count_type[1:]) < self.types.pointer.bits else "trunc"
                self.out.append(f"  {wide} = {how} {count_type} {count} to {word}")
                count = wide
            total = self.name()
            self.out.append(f"  {total} = mul {word} {count}, {size}")
            size = total
        align = alignment[1] if alignment else "16"
        self.out.append(f"  {name} = call ptr @__cp_rt_alloca({word} {size}, {word} {align})")

    # ------------------------------------------------------------ accesses

    def _bits(self, type_: str) -> tuple[int, int]:
        """Bits of a value in memory (whole bytes), and whether it is a pointer."""
        parsed = self.types.parse(type_)
        if isinstance(parsed, IntType | FloatType | PointerType):
            return 8 * size_in_bytes(parsed), int(isinstance(parsed, PointerType))
        return 8 * self.types.size(parsed), 0

    def _load(self, name: str, line: str) -> None:
        found = access(line)
        assert found is not None, line
        type_, pointer = found
        bits, is_pointer = self._bits(type_)
        # A copy may have brought a word of external memory here that is no pointer (runtime_external.c).
        brought = is_pointer and self.copies and pointer not in self.locals.addresses
        if brought or not self.locals.is_plain(pointer, type_):
            place = self.name()
            kind = f"i32 {bits}, i32 {is_pointer}"
            self.out.append(f"  {place} = call ptr @__cp_rt_read(ptr {pointer}, {kind})")
            pointer = place
        self.out.append(f"  {name} = load {type_}, ptr {pointer}, align 1")

    def _store(self, line: str) -> None:
        found = access(line)
        assert found is not None, line
        type_, pointer = found
        value = split_commas(line[8:].removeprefix("atomic ").removeprefix("volatile "))[0]
        if not self.locals.is_plain(pointer, type_, write=True):
            place = self.name()
            size = (self._bits(type_)[0] + 7) // 8
            self.out.append(f"  {place} = call ptr @__cp_rt_write(ptr {pointer}, i32 {size})")
            pointer = place
        self.out.append(f"  store {value}, ptr {pointer}, align 1")

    def _compare(self, line: str) -> None:
        match = _ICMP.search(line)
        if match is None:
            return
        width, (left, right, *_) = int(match[1]), split_commas(match[2])
        if _TINY.fullmatch(right) is not None:
            return
        if width < 32:
            wide_left, wide_right = self.name(), self.name()
            self.out.append(f"  {wide_left} = zext i{width} {left} to i32")
            self.out.append(f"  {wide_right} = zext i{width} {right} to i32")
            left, right = wide_left, wide_right
        word = max(32, width)
        self.out.append(f"  call void @__cp_rt_cmp{width}(i{word} {left}, i{word} {right})")

    def _tell(self, truth: str) -> None:
        """A truth value that no branch tests by itself counts as a branch."""
        wide = self.name()
        self.out.append(f"  {wide} = zext i1 {truth} to i32")
        self.out.append(f"  call void @__cp_rt_truth(i32 {wide}, i32 {self.numbers.block()})")

    # ------------------------------------------------------------ calls

    def _call(self, line: str) -> None:
        line = re.sub(r" #\d+$", "", line)
        kernel = _KERNEL.search(line)
        call = parse_call(line) if kernel is not None else None
        if kernel is None or call is None:
            self.out.append(line)
            return
        name = kernel[1]
        values = [argument(text) for text in call.arguments]
        if (nondet := _NONDET.match(name)) is not None:
            self._nondet(call.result, nondet, values[0][1])
        elif name in ("__cp_assume", "__cp_check"):
            rest = ", i32 " + values[1][1] if name == "__cp_check" else ""
            self._require(name[5:], values[0][1], rest)
        elif name.startswith(("llvm.memcpy", "llvm.memmove")):
            size = self._wide(*values[2])
            self.out.append(f"  call void @__cp_rt_copy(ptr {values[0][1]}, ptr {values[1][1]}, i64 {size})")
        elif name.startswith("llvm.memset"):
            size, byte = self._wide(*values[2]), self.name()
            self.out.append(f"  {byte} = zext i8 {values[1][1]} to i32")
            self.out.append(f"  call void @__cp_rt_fill(ptr {values[0][1]}, i32 {byte}, i64 {size})")
        elif name.startswith("llvm.lifetime."):
            local = self.locals.of.get(values[-1][1])
            if local is not None and not local.simple:
                live = int(name.startswith("llvm.lifetime.start"))
                self.out.append(f"  call void @__cp_rt_life(ptr {values[-1][1]}, i32 {live})")
        elif name == "__cp_local":
            size, alignment = (" ".join(value) for value in values[:2])
            self.out.append(f"  {call.result} = call ptr @__cp_rt_alloca({size}, {alignment})")
        elif name == "__cp_local_end":
            self.out.append(f"  call void @__cp_rt_end(ptr {values[0][1]}, i32 %cp.mark)")
        elif name.startswith("llvm.stacksave"):
            mark = self.name()
            self.out.append(f"  {mark} = call i32 @__cp_rt_mark()")
            self.out.append(f"  {call.result} = inttoptr i32 {mark} to ptr")
        elif name.startswith("llvm.stackrestore"):
            mark = self.name()
            self.out.append(f"  {mark} = ptrtoint ptr {values[0][1]} to i32")
            self.out.append(f"  call void @__cp_rt_leave(i32 {mark})")
        elif name == "__cp_pointer":
            self.out.append(f"  {call.result} = inttoptr {values[0][0]} {values[0][1]} to ptr")
        elif not name.startswith(_SAID_ONLY):
            self.out.append(line)

    def _require(self, kind: str, holds: str, rest: str) -> None:
        wide = self.name()
        if not self.lean:
            self.out.append(f"  {wide} = zext i1 {holds} to i32")
            self.out.append(f"  call void @__cp_rt_{kind}(i32 {wide}{rest})")
            return
        failing, tail = f"cp.f{self.fresh}", f"cp.t{self.fresh}"
        self.out += [f"  br i1 {holds}, label %{tail}, label %{failing}", f"{failing}:"]
        self.out += [f"  call void @__cp_rt_{kind}(i32 0{rest})", "  unreachable", f"{tail}:"]
        self.tails[self.block] = tail

    def _from_tails(self, line: str) -> str:
        """A block that was split comes before its successors with the label of its last part."""
        if not self.tails or " = phi " not in line:
            return line
        return _INCOMING.sub(lambda found: f", %{self.tails.get(found[1], found[1])} ]", line)

    def _wide(self, type_: str, value: str) -> str:
        if type_ == "i64" or value.isdigit():
            return value
        wide = self.name()
        self.out.append(f"  {wide} = zext {type_} {value} to i64")
        return wide

    def _nondet(self, result: str, nondet: re.Match[str], site: str) -> None:
        result = result or self.name()
        kind = nondet[1]
        if kind == "ptr":
            which = self.pointers.get(int(site), "nondet") if site.isdecimal() else "nondet"
            self.out.append(f"  {result} = call ptr @__cp_rt_{which}_ptr(i32 {site})")
            return
        bits = int(nondet[2]) if nondet[2] else 32 if kind == "float" else 64
        if bits > 64:
            self.out.append(f"  call void @__cp_rt_nondet_wide(i32 {site}, i32 {bits})")
            self.out.append(f"  {result} = load i{bits}, ptr @__cp_rt_wide, align 1")
            return
        source = "nondet" if nondet[2] else "nondet_float"
        wide = result if bits == 64 and nondet[2] else self.name()
        self.out.append(f"  {wide} = call i64 @__cp_rt_{source}(i32 {site}, i32 {bits})")
        if wide == result:
            return
        narrow = wide
        if bits < 64:
            narrow = result if nondet[2] else self.name()
            self.out.append(f"  {narrow} = trunc i64 {wide} to i{bits}")
        if not nondet[2]:
            self.out.append(f"  {result} = bitcast i{bits} {narrow} to {kind}")


def _unnamed(parameters: str) -> int:
    """How many there are: the number that an entry block without a label has."""
    return sum(re.search(r"%\d+$", parameter) is not None for parameter in split_commas(parameters))


def _clean(line: str) -> str:
    """The line without metadata and comments."""
    position = line.find(", !")
    if position >= 0:
        line = line[:position]
    if not line.startswith(" ") and (position := line.find(" ;")) >= 0:
        line = line[:position].rstrip()
    return line
