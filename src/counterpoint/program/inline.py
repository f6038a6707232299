"""Inlining, from Program to Program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from counterpoint.core.records import dataclass
from counterpoint.core.source import NOWHERE, SourceLocation
from counterpoint.program.graph import (
    call_components,
    callees,
    dominates,
    loops,
    postorder,
    reachable_functions,
    recursive_functions,
)
from counterpoint.program.model import (
    ALWAYS,
    Allocate,
    Block,
    Branch,
    Call,
    Edge,
    EndLife,
    Function,
    Instruction,
    Program,
    Register,
    Return,
    Stop,
    Terminator,
    Value,
)
from counterpoint.program.rebuild import renamed, renamed_terminator, substituted

DEEPEST = 200
"""Bodies inside bodies: below that, calls are kept."""

ENTERED_DEPTH = 2
ENTERED_LIMIT = 200_000
"""Of the entry function: bodies inside bodies, and instructions with them. The one that the user names is called from
where runs start, and what it calls is what a harness is about."""

LOOPING_SIZE = 250
LOOPING_LIMIT = 2_000
"""Instructions of a function with loops that is put in its places there, with what it calls; of all together."""

Choice = Callable[[Function], bool]
"""Which functions to inline, asked with each function as it is in the program given."""


def everything(_: Function) -> bool:
    """Inlines all that can be."""
    return True


def smaller_than(instructions: int) -> Choice:
    """Inlines functions with fewer instructions than that."""
    return lambda function: size(function) < instructions


def size(function: Function) -> int:
    """Instructions and terminators."""
    return sum(len(block.instructions) + 1 for block in function.blocks)


def inline(program: Program, chosen: Choice = everything, limit: int = 200_000) -> Program:
    """Replaces calls of `chosen` functions by their bodies, then drops functions that nothing calls.

    Recursive functions are kept, and so are calls that would make a function larger than `limit`
    instructions or nest more than DEEPEST bodies. The locals of an inlined body die where it returned and
    are fresh at each entry; a function with locals for which this cannot be written down (variable-length
    arrays in a loop) is kept.
    """
    recursive = recursive_functions(program)
    bodies = {
        name: _with_ends(function)
        for name, function in program.functions.items()
        if name not in recursive and chosen(function) and _ends_known(function)
    }
    done: dict[str, Function] = {}
    waiting = [program.entry]
    while waiting:
        name = waiting.pop()
        if name not in done:
            done[name] = _Inlining(program.functions[name], bodies, limit).result()
            waiting.extend(callees(done[name]))
    return replace(program, functions={name: done[name] for name in program.functions if name in done})


def entered(program: Program) -> Program:
    """Replaces the calls that stand in the entry function, and in what it calls, by bodies, of recursive functions too;
    of deeper calls those of small functions with loops, which would go by contract. Then drops functions that nothing
    calls. Locals as in `inline`."""
    main = program.main
    called = [program.functions[name] for name in callees(main)]
    below = [program.functions[name] for function in called for name in callees(function)]
    bodies = {one.name: _with_ends(one) for one in (*called, *below) if _ends_known(one)}
    done = _Inlining(main, bodies, ENTERED_LIMIT, deepest=ENTERED_DEPTH).result()
    done = _Inlining(done, _looping(program), size(done) + LOOPING_LIMIT).result()
    changed = replace(program, functions={**program.functions, main.name: done})
    reachable = reachable_functions(changed)
    kept = {name: function for name, function in changed.functions.items() if name in reachable}
    return replace(changed, functions=kept)


def _looping(program: Program) -> dict[str, Function]:
    """The bodies of small functions with loops, in themselves or below."""
    recursive, looping, below = recursive_functions(program), set[str](), dict[str, int]()
    for component in call_components(program):
        for name in component:
            called = callees(program.functions[name])
            below[name] = size(program.functions[name]) + sum(below.get(one, LOOPING_SIZE) for one in called)
            if loops(program.functions[name]) or looping & set(called):
                looping.add(name)
    small = (program.functions[name] for name in sorted(looping - recursive) if below[name] < LOOPING_SIZE)
    return {one.name: _with_ends(one) for one in small if _ends_known(one)}


# ---------------------------------------------------------------- locals


def _ends_known(function: Function) -> bool:
    """Whether each of its locals is allocated exactly once before each return."""
    looping = {block for loop in loops(function) for block in loop.blocks}
    returns = [block.index for block in function.blocks if isinstance(block.terminator, Return)]
    return all(
        block.index not in looping and all(dominates(function, block.index, end) for end in returns)
        for block in function.blocks
        for instruction in block.instructions
        if isinstance(instruction, Allocate) and not instruction.heap
    )


def _with_ends(function: Function) -> Function:
    """The function with the life of its locals ended before each return."""
    locals_ = [
        instruction.result
        for block in function.blocks
        for instruction in block.instructions
        if isinstance(instruction, Allocate) and not instruction.heap
    ]
    if not locals_:
        return function
    blocks = [
        replace(
            block,
            instructions=(*block.instructions, *[EndLife(local, block.terminator.at) for local in locals_]),
        )
        if isinstance(block.terminator, Return)
        else block
        for block in function.blocks
    ]
    return replace(function, blocks=tuple(blocks))


# ---------------------------------------------------------------- one function


@dataclass(slots=True)
class _Piece:
    """A block in the making."""

    name: str
    parameters: tuple[Register, ...]
    instructions: list[Instruction]
    end: Terminator | None = None


def _copied(block: Block, base: int) -> _Piece:
    """An empty piece with the block's parameters, numbered from `base`."""
    parameters = [Register(base + old.index, old.type, old.name) for old in block.parameters]
    return _Piece(block.name, tuple(parameters), [])


class _Inlining:
    """One function into which bodies are inlined.

    Registers of the copies get numbers beyond the function's own; a copy's parameters and the results of
    a call that returns at one place are replaced by values. At the end everything is renumbered, and
    blocks that nothing reaches any more (after a call that never returns) are dropped.
    """

    def __init__(self, function: Function, bodies: dict[str, Function], limit: int, deepest: int = DEEPEST) -> None:
        self._function = function
        self._bodies = bodies
        self._room = limit - size(function)
        self._depth, self._deepest = 0, deepest
        self._registers = function.registers
        self._replaced: dict[int, Value] = {}
        self._pieces = [_Piece(block.name, block.parameters, []) for block in function.blocks]
        # By identity: all places belong to the program, and long chains are slow to compare.
        self._places: dict[tuple[int, int], SourceLocation] = {}

    def result(self) -> Function:
        """The function after inlining."""
        function = self._function
        if not any(name in self._bodies for name in callees(function)):
            return function
        self._expand(function, list(self._pieces), 0, 0, None)
        return substituted(self._assembled(), self._replaced)[0]

    def _expand(
        self, body: Function, pieces: list[_Piece], first: int, base: int, call: SourceLocation | None
    ) -> list[tuple[_Piece, tuple[Value, ...]]]:
        """Fills `pieces`, one for each block of the body, with what the call at `call` executes (None: the
        function itself); gives those where it returns, with the values.

        Block k of the body, except its entry, is the piece `first + k`; registers are numbered from `base`.
        The recursion is as deep as calls nest.
        """

        def register(old: Register) -> Register:
            return Register(base + old.index, old.type, old.name)

        def value(old: Value) -> Value:
            return register(old) if type(old) is Register else old

        returns: list[tuple[_Piece, tuple[Value, ...]]] = []
        for block, start in zip(body.blocks, pieces, strict=True):
            piece: _Piece | None = start
            for instruction in block.instructions:
                if call is not None:
                    instruction = renamed(instruction, value, register, self._place(instruction.at, call))
                piece = self._instruction(piece, instruction) if piece else None
                if piece is None:
                    break  # a call that never returns
            if piece is None:
                continue
            if call is None:
                piece.end = block.terminator
                continue
            end = renamed_terminator(block.terminator, value, lambda target: first + target)
            piece.end = replace(end, at=self._place(end.at, call))
            if isinstance(end, Return):
                returns.append((piece, end.values))
        return returns

    def _instruction(self, piece: _Piece, instruction: Instruction) -> _Piece | None:
        """Appends one instruction; gives the piece where the next one belongs, None if there is none."""
        body = self._bodies.get(instruction.callee) if isinstance(instruction, Call) else None
        full = body is None or self._room < size(body) or self._depth == self._deepest
        if not isinstance(instruction, Call) or body is None or full:
            piece.instructions.append(instruction)
            return piece
        self._room -= size(body)
        base = self._registers
        self._registers += body.registers
        for parameter, argument in zip(body.parameters, instruction.arguments, strict=True):
            self._replaced[base + parameter.index] = argument
        first = len(self._pieces) - 1
        copies = [_copied(block, base) for block in body.blocks[1:]]
        self._pieces.extend(copies)
        self._depth += 1
        returns = self._expand(body, [piece, *copies], first, base, instruction.at)
        self._depth -= 1
        return self._joined(instruction, returns)

    def _joined(self, call: Call, returns: list[tuple[_Piece, tuple[Value, ...]]]) -> _Piece | None:
        """Where the caller goes on: in the only piece that returns, or in a new one after all of them."""
        if not returns:
            return None
        if len(returns) == 1:
            piece, values = returns[0]
            piece.end = None
            for result, returned in zip(call.results, values, strict=True):
                self._replaced[result.index] = returned
            return piece
        target = len(self._pieces)
        following = _Piece(f"{call.callee}.return", call.results, [])
        self._pieces.append(following)
        for piece, values in returns:
            assert piece.end is not None  # the return that this replaces
            piece.end = Branch((Edge(ALWAYS, target, values),), piece.end.at)
        return following

    def _place(self, at: SourceLocation, call: SourceLocation) -> SourceLocation:
        """`at` with the call as the outermost place of its chain."""
        if call is NOWHERE:
            return at
        key = (id(at), id(call))
        known = self._places.get(key)
        if known is None:
            outer = call if at.inlined_at is None else self._place(at.inlined_at, call)
            known = self._places[key] = call if at is NOWHERE else replace(at, inlined_at=outer)
        return known

    def _assembled(self) -> Function:
        """The pieces that the entry reaches as blocks, in reverse postorder."""
        ends = [piece.end or Stop() for piece in self._pieces]
        graph = [[edge.target for edge in end.edges] if isinstance(end, Branch) else [] for end in ends]
        order = list(reversed(postorder(graph, 0)))
        number = {old: new for new, old in enumerate(order)}
        blocks = [
            Block(
                new,
                self._pieces[old].name,
                self._pieces[old].parameters,
                tuple(self._pieces[old].instructions),
                renamed_terminator(ends[old], lambda value: value, number.__getitem__),
            )
            for new, old in enumerate(order)
        ]
        return replace(self._function, blocks=tuple(blocks), registers=self._registers)
