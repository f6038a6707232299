"""What a program is like, as far as it tells which engines to try first. Read off the text in a few milliseconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from counterpoint.core.records import dataclass
from counterpoint.execute.cases import cases_of
from counterpoint.program.annotations import Says
from counterpoint.program.graph import Loop, loops, predecessors, reachable_functions, recursive_functions
from counterpoint.program.model import (
    Allocate,
    Compute,
    Constant,
    Copy,
    Edge,
    Fill,
    Free,
    Function,
    Instruction,
    Load,
    Offset,
    Program,
    Register,
    Store,
    Value,
)
from counterpoint.program.types import FloatType, PointerType

FEW = 200
"""Iterations up to which a loop counts as bounded: unrolling it is no trouble."""

_COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "slt", "sle"})
_PRODUCTS = frozenset({"mul", "udiv", "sdiv", "urem", "srem", "smul_overflows", "umul_overflows"})


@dataclass(frozen=True, slots=True)
class Features:
    """Of all functions that the entry reaches.

    `loops` are counted per function; `nested`: one inside another; `bounded`: there are loops, no recursion, and
    each loop seems to count from a constant to a constant in at most FEW steps (a guess: nothing may rest on
    it).
    `arrays`: accesses at computed offsets; `pointers`: pointers stored in memory; `heap`: malloc or free;
    `nonlinear`: products or quotients of two values that are not constants. `cases`: values of an input that decides
    how large or long something is, if it has few (execute/cases.py). `annotated`: comments state contracts of
    functions.
    """

    instructions: int = 0
    functions: int = 0
    loops: int = 0
    nested: bool = False
    bounded: bool = False
    recursive: bool = False
    arrays: bool = False
    floats: bool = False
    pointers: bool = False
    heap: bool = False
    nonlinear: bool = False
    cases: int = 0
    annotated: bool = False

    @property
    def loop_free(self) -> bool:
        """Every run passes each instruction of a function's activation at most once, and there is no recursion."""
        return self.loops == 0 and not self.recursive

    @property
    def words(self) -> tuple[str, ...]:
        """For people: "3 loops", "nested", "arrays" ..."""
        count = "no loops" if self.loops == 0 else f"{self.loops} loop{'s' if self.loops > 1 else ''}"
        flags = ("nested", "bounded", "recursive", "arrays", "floats", "pointers", "heap", "nonlinear", "annotated")
        cases = (f"{self.cases} cases",) if self.cases else ()
        return (count, *(flag for flag in flags if getattr(self, flag)), *cases, f"{self.instructions:,} instructions")


LOOPS = Features(loops=1)
"""What is assumed of a program that could not be looked at."""


def features_of(program: Program) -> Features:
    """The features of a program; linear in its size."""
    reached = reachable_functions(program)
    functions = [function for name, function in program.functions.items() if name in reached]
    found: set[str] = set()
    for function in functions:
        found.update(kind for instruction in _instructions(function) for kind in _kinds(instruction))
    all_loops = [(function, loop) for function in functions for loop in loops(function)]
    recursive = bool(recursive_functions(program) & reached)
    cases = cases_of(program) if all_loops else None
    return Features(
        instructions=sum(len(block.instructions) for function in functions for block in function.blocks),
        functions=len(functions),
        loops=len(all_loops),
        nested=any(loop.outer >= 0 for _, loop in all_loops),
        bounded=bool(all_loops) and not recursive and all(_counts_few(*one) for one in all_loops),
        recursive=recursive,
        arrays="arrays" in found,
        floats="floats" in found,
        pointers="pointers" in found,
        heap="heap" in found,
        nonlinear="nonlinear" in found,
        cases=0 if cases is None else len(cases.values),
        annotated=any(said.says is not Says.INVARIANT for said in program.annotations.said),
    )


def _instructions(function: Function) -> Iterator[Instruction]:
    for block in function.blocks:
        yield from block.instructions


def _kinds(instruction: Instruction) -> Iterator[str]:
    match instruction:
        case Compute(result, operation, operands):
            if isinstance(result.type, FloatType):
                yield "floats"
            if operation in _PRODUCTS and not any(isinstance(value, Constant) for value in operands):
                yield "nonlinear"
        case Offset(offset=offset) if not isinstance(offset, Constant):
            yield "arrays"
        case Load(result=Register(type=type_)) | Store(value=Register(type=type_) | Constant(type=type_)):
            if isinstance(type_, PointerType):
                yield "pointers"
            elif isinstance(type_, FloatType):
                yield "floats"
        case Allocate(heap=True) | Free():
            yield "heap"
        case Copy() | Fill():
            yield "arrays"


# ---------------------------------------------------------------- counting loops

_Shift = tuple[int, int]
"""A value as a parameter of the loop's head (by position) plus a constant."""


def _counts_few(function: Function, loop: Loop) -> bool:
    """Some exit compares a value, that grows by a constant from a constant, with a constant near by."""
    blocks = [function.blocks[index] for index in loop.blocks]
    inside = frozenset(loop.blocks)
    made = {i.result.index: i for block in blocks for i in block.instructions if isinstance(i, Compute)}
    parameters = {parameter.index: place for place, parameter in enumerate(function.blocks[loop.head].parameters)}
    entering, back = _edges_to_head(function, loop)
    for block in blocks:
        for edge in block.edges:
            test = made.get(edge.guard.value.index) if isinstance(edge.guard.value, Register) else None
            if edge.target in inside or test is None or test.operation not in _COMPARISONS:
                continue
            for value, limit in (test.operands, test.operands[::-1]):
                counter = _shifted(value, made, parameters)
                if counter is None or not isinstance(limit, Constant):
                    continue
                place, shift = counter
                starts = [_number(edge.arguments[place]) for edge in entering]
                steps = {_step(edge.arguments[place], place, made, parameters) for edge in back}
                if _few(starts, steps, _signed(limit) - shift):
                    return True
    return False


def _few(starts: list[int | None], steps: set[int | None], limit: int) -> bool:
    step = steps.pop() if len(steps) == 1 else None
    if not step:
        return False
    return all(start is not None and 0 < (limit - start) * step <= FEW * step * step for start in starts)


def _edges_to_head(function: Function, loop: Loop) -> tuple[list[Edge], list[Edge]]:
    """The edges to the head from outside, and those from inside."""
    entering: list[Edge] = []
    back: list[Edge] = []
    for source in predecessors(function)[loop.head]:
        kind = back if source in loop.blocks else entering
        kind.extend(edge for edge in function.blocks[source].edges if edge.target == loop.head)
    return entering, back


def _shifted(value: Value, made: Mapping[int, Compute], parameters: Mapping[int, int]) -> _Shift | None:
    shift = 0
    while isinstance(value, Register):
        if value.index in parameters:
            return parameters[value.index], shift
        match made.get(value.index):
            case Compute(operation="add", operands=(other, Constant() as amount)):
                value, shift = other, shift + _signed(amount)
            case Compute(operation="add", operands=(Constant() as amount, other)):
                value, shift = other, shift + _signed(amount)
            case Compute(operation="sub", operands=(other, Constant() as amount)):
                value, shift = other, shift - _signed(amount)
            case Compute(operation="sext" | "zext" | "trunc", operands=(other,)):
                value = other
            case _:
                return None
    return None


def _step(value: Value, place: int, made: Mapping[int, Compute], parameters: Mapping[int, int]) -> int | None:
    shifted = _shifted(value, made, parameters)
    return shifted[1] if shifted is not None and shifted[0] == place else None


def _number(value: Value) -> int | None:
    return _signed(value) if isinstance(value, Constant) else None


def _signed(value: Constant) -> int:
    bits = value.type.bits
    return value.bits - (1 << bits) if value.bits >> (bits - 1) else value.bits
