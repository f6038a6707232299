"""One LLVM function to one Function."""

from __future__ import annotations

from counterpoint.core.patterns import regex
from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.frontend.lower import arithmetic, calls, memory
from counterpoint.frontend.lower.arrays import with_array_ends
from counterpoint.frontend.lower.body import Body
from counterpoint.frontend.lower.context import Context, Signature
from counterpoint.frontend.lower.control import Exit, Phi, read_phi, terminate
from counterpoint.frontend.lower.irtypes import NotModelled
from counterpoint.frontend.lower.text import NAME
from counterpoint.program.model import (
    Allocate,
    Block,
    Branch,
    Constant,
    Copy,
    Edge,
    Function,
    Instruction,
    Register,
    Stop,
    Terminator,
    Unsupported,
    Value,
)
from counterpoint.program.rebuild import renumbered

_LABEL = regex(rf"^({NAME}):")
_ATTACHMENTS = regex(r"(?:, !\w[\w.]* !(?:\d+|\{\}))*$")
_RESULT = regex(rf"(%{NAME}) = ")
_HANDLERS = arithmetic.HANDLERS | memory.HANDLERS | calls.HANDLERS
_TERMINATORS = frozenset(
    [
        "br",
        "switch",
        "ret",
        "unreachable",
        "indirectbr",
        "invoke",
        "callbr",
        "resume",
        "catchswitch",
        "catchret",
        "cleanupret",
    ]
)
_CALL_PREFIXES = frozenset({"tail", "musttail", "notail"})


@dataclass(frozen=True, slots=True)
class Line:
    """An instruction: name of its result ("" if none), opcode, the rest, its `!dbg` reference."""

    result: str
    opcode: str
    text: str
    location: str


@dataclass(frozen=True, slots=True)
class RawBlock:
    """A block's phis and its other instructions."""

    label: str
    phis: list[Line]
    lines: list[str]


def lower_function(context: Context, signature: Signature) -> Function:
    """Lowers the function that the signature belongs to. Blocks that nothing reaches are left out."""
    source = context.module.functions[signature.name]
    body = Body(context, signature, context.locations.variables(source.body))
    parameters, prologue = _parameters(body)
    raw = _blocks(source.body, _entry_label(signature))
    made = _Blocks(body, raw)
    body.entry = next(iter(raw))
    made.lower_from(body.entry, prologue)
    blocks = made.finished()
    results = tuple(leaf for _, leaf in context.types.leaves(signature.result))
    function = Function(signature.name, parameters, results, blocks, body.registers, signature.at)
    if body.restores and body.dynamic:
        function = with_array_ends(function, body, made.order())
    return renumbered(function) if made.gave_up else function


def _parameters(body: Body) -> tuple[tuple[Register, ...], list[Instruction]]:
    """The parameters, and the instructions that copy byval objects into objects of this function."""
    registers: list[Register] = []
    copies: list[Instruction] = []
    types = body.types
    for parameter in body.signature.parameters:
        own = tuple([body.register(leaf, parameter.name) for _, leaf in types.leaves(parameter.type)])
        registers.extend(own)
        if parameter.copied is None:
            body.define(parameter.name, *own)
            continue
        size = Constant(types.size(parameter.copied), types.word)
        name = body.name(parameter.name)
        at = body.signature.at
        site = body.context.new_site("uninitialised", name, "byval", at)
        body.declare(parameter.name, site)
        local = body.register(types.pointer, parameter.name)
        copies.append(Allocate(local, size, parameter.alignment, False, False, site, name, at))
        copies.append(Copy(local, own[0], size, at))
        body.define(parameter.name, local)
    return tuple(registers), copies


def _entry_label(signature: Signature) -> str:
    """The label of an entry block that has none in the text: the next free number."""
    return f"%{sum(parameter.name[1:].isdigit() for parameter in signature.parameters)}"


def _blocks(text: str, entry: str) -> dict[str, RawBlock]:
    """The blocks by label, entry first. Instructions that LLVM prints on several lines are joined."""
    blocks: dict[str, RawBlock] = {}
    label, phis, lines = entry, list[Line](), list[str]()
    for line in text.split("\n"):
        if line.startswith("  "):
            stripped = line.strip()
            if stripped.startswith("#"):
                continue
            if line[2] == " " or stripped == "]" or stripped.startswith("], !"):
                lines[-1] += " " + stripped
            elif " = phi " in stripped:
                phis.append(_line(stripped))
            else:
                lines.append(stripped)
            continue
        found = _LABEL.match(line)
        if found is not None:
            if lines:
                blocks[label] = RawBlock(label, phis, lines)
            label, phis, lines = "%" + found.group(1), [], []
    blocks[label] = RawBlock(label, phis, lines)
    return blocks


def _line(text: str) -> Line:
    result = location = ""
    if text[0] == "%":
        if text[1] == '"':
            found = _RESULT.match(text)
            assert found is not None  # LLVM prints nothing else there
            result, text = found.group(1), text[found.end() :]
        else:
            result, _, text = text.partition(" = ")
    cut = text.find(", !")
    if cut >= 0:
        if '"' in text:
            attached = _ATTACHMENTS.search(text)
            cut = attached.start() if attached is not None else len(text)
        where = text.find("!dbg ", cut)
        if where >= 0:
            end = text.find(",", where)
            location = text[where + 5 : end if end >= 0 else len(text)]
        text = text[:cut]
    opcode, _, rest = text.partition(" ")
    if opcode in _CALL_PREFIXES:
        opcode, _, rest = rest.partition(" ")
    return Line(result, opcode, rest, location)


class _Blocks:
    """The blocks of one function, lowered as they are reached.

    A block is lowered after one path to it is, hence after its dominators: all its operands are known.
    """

    def __init__(self, body: Body, raw: dict[str, RawBlock]) -> None:
        self._body = body
        self._raw = raw
        self._phis: dict[str, list[Phi]] = {}
        self.gave_up = False  # somewhere: then registers may have been made that nothing defines
        self._done: dict[str, tuple[tuple[Register, ...], list[Instruction], Terminator | list[_Target]]] = {}

    def lower_from(self, entry: str, prologue: list[Instruction]) -> None:
        waiting = [entry]
        while waiting:
            label = waiting.pop()
            if label in self._done:
                continue
            targets = self._lower(self._raw[label], prologue if label == entry else [])
            waiting.extend(reversed(targets))

    def _lower(self, raw: RawBlock, prologue: list[Instruction]) -> list[str]:
        body = self._body
        body.instructions = list(prologue)
        body.terminator, body.block, body.at = None, raw.label, NOWHERE
        parameters: tuple[Register, ...] = ()
        targets: list[_Target] = []
        try:
            parameters = self._enter(raw)
            targets = self._straight(raw)
        except NotModelled as reason:
            self._unsupported(str(reason))
        except (ValueError, IndexError, KeyError) as reason:
            self._unsupported(f"an instruction of an unknown form ({reason})")
        self._done[raw.label] = (parameters, body.instructions, body.terminator or targets)
        return [target.exit.label for target in targets]

    def _enter(self, raw: RawBlock) -> tuple[Register, ...]:
        parameters: list[Register] = []
        for phi in self._phis_of(raw.label):
            own = [self._body.register(leaf, phi.name) for _, leaf in self._body.types.leaves(phi.type)]
            parameters.extend(own)
            self._body.define(phi.name, *own)
        return tuple(parameters)

    def _phis_of(self, label: str) -> list[Phi]:
        known = self._phis.get(label)
        if known is None:
            lines = self._raw[label].phis
            known = self._phis[label] = [read_phi(self._body, line.result, line.text) for line in lines]
        return known

    def _straight(self, raw: RawBlock) -> list[_Target]:
        """All instructions; gives the edges of a branch, or sets the body's terminator."""
        body = self._body
        handlers, location = _HANDLERS, body.context.locations.location
        for text in raw.lines:
            line = _line(text)
            if line.location:
                body.at = body.last_at = location(line.location)
            else:
                body.at = NOWHERE
            handler = handlers.get(line.opcode)
            if handler is None:
                return [self._target(raw.label, exit_) for exit_ in terminate(body, line.opcode, line.text)]
            handler(body, line.result, line.text)
            if body.terminator is not None:
                return []
        raise NotModelled("a block without an end")

    def _unsupported(self, what: str) -> None:
        body, self.gave_up = self._body, True
        site = body.context.new_site("unsupported", what, "", body.location())
        body.emit(Unsupported(site, body.location()))
        body.terminator = Stop(body.at)

    def _target(self, source: str, exit_: Exit) -> _Target:
        arguments: list[Value] = []
        for phi in self._phis_of(exit_.label):
            arguments.extend(self._body.operands(phi.type, phi.incoming[source]))
        return _Target(exit_, tuple(arguments), self._body.at)

    def order(self) -> dict[str, int]:
        """Index of each lowered block, in the order of the text."""
        return {label: index for index, label in enumerate(label for label in self._raw if label in self._done)}

    def finished(self) -> tuple[Block, ...]:
        order = self.order()
        return tuple(self._block(label, index, order) for label, index in order.items())

    def _block(self, label: str, index: int, order: dict[str, int]) -> Block:
        parameters, instructions, end = self._done[label]
        if isinstance(end, list):
            edges = tuple([Edge(target.exit.guard, order[target.exit.label], target.arguments) for target in end])
            end = Branch(edges, end[0].at)
        return Block(index, label[1:], parameters, tuple(instructions), end)


@dataclass(frozen=True, slots=True)
class _Target:
    exit: Exit
    arguments: tuple[Value, ...]
    at: SourceLocation
