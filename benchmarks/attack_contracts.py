"""Attacks contracts with native calls: `python benchmarks/attack_contracts.py [--calls N] FILE.c|CLAIMS.json...`.

Each contract (contract_text.py says how they are written) is compiled into a harness that calls the function N times
with random arguments, globals and pointees that meet `requires`: small numbers, ends of types, constants of the
program, pointers to the same object or to globals. One line for each: `ok`, `VIOLATED` with the clause and the
arguments, `EMPTY` if no call met `requires`, or `unusable` with why there is no harness. Status 1 if one was violated.

Arithmetic wraps around, in clauses and in the code. A call that does not come back (0.05 s, a crash, `abort`, a failed
assertion, a function that is nowhere) says nothing; it is counted. What static locals and blocks of the heap hold is
not compared. Behind `--` stand options for both compilers, as -IDIR, and other C files to link.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from acsl_to_c import MACROS as NUMBERS
from c_declarations import Declarations, Variable, declarations
from contract_text import Contract, Translation, contracts_of, place
from counterpoint.core.errors import UnusableInput

HEADER = Path(__file__).parent / "attack_harness.h"
FLAGS = ("-O1", "-w", "-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin")
LINKED = ("-lm", "-no-pie", "-Wl,--unresolved-symbols=ignore-all")
"""A call of a function that is nowhere does not come back."""

MOST_FILLED = 512
"""Bytes of a global variable up to which it is given random content; larger ones begin as the program starts."""

MACROS = """#define CT_COUNTED(p, n, ...) ct_valid((p), (size_t)(n), sizeof *(p))
#define valid(...) CT_COUNTED(__VA_ARGS__, 1, 0)
#define string(p) ct_string(p)
#define separate(p, q) (ct_object(p) != ct_object(q))
"""


@dataclass(frozen=True, slots=True)
class Attack:
    """`calls` came back and were compared, of `within` that met `requires`, of `tried`; `violated` is the first."""

    calls: int
    within: int
    tried: int
    violated: str = ""
    arguments: str = ""


@dataclass(slots=True)
class _Harness:
    """Lines of the harness. Rooms are handed out to the objects that parameters point to."""

    contract: Contract
    declared: Declarations
    rooms: int = 0
    made: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    def parameter(self, one: Variable) -> None:
        """Declares the parameter and gives it a value."""
        type_ = re.sub(r"\b(const|restrict|volatile) ?", "", one.type)
        self.made.append(f"__typeof__({type_}) {one.name};")
        if self.declared.plain(type_).endswith("*"):
            self.made += self._pointer(type_, one.name, 0)
            self.made.append(f"__typeof__({one.name}) ct_arg_{one.name} = {one.name};")
            return
        filled = self.declared.filled(type_, one.name)
        if filled is None:
            raise UnusableInput(f"no values are made for {one.name}, of type {one.type}")
        self.made.append(filled)
        self.shown.append(f'ct_show("{one.name}", &{one.name}, sizeof {one.name});')

    def _pointer(self, type_: str, target: str, depth: int) -> list[str]:
        """Makes an object of up to eight elements and lets `target` point to it, to none, or to another one's."""
        room, self.rooms = self.rooms, self.rooms + 1
        if room > 10:
            raise UnusableInput("too many pointers in what the parameters point to")
        pointee = self.declared.plain(type_)[:-1].strip()
        element = "unsigned char" if pointee == "void" else type_.rstrip()[:-1]
        name, count = f"ct_e{room}", f"ct_n{room}"
        inner = self._elements(pointee, element, name, count, depth)
        shared = f"if (ct_bits() % 8 == 0) {target} = ct_elsewhere({room + 1}, sizeof({element}));"
        self.shown.append(f'ct_show("*{name}", ct_entry[{room}], ct_sizes[{room}]);')
        return [
            f"{element} *{name} = ({element} *)ct_rooms[{room}];",
            f"size_t {count} = ct_bits() % 10 ? 1 + ct_bits() % 8 : 0;",
            f"if ({count} * sizeof({element}) > CT_ROOM) {count} = CT_ROOM / sizeof({element});",
            f"ct_sizes[{room}] = {count} * sizeof({element});",
            *inner,
            f"{target} = ({type_}){name};",
            shared if depth == 0 else "",
            f"if (ct_bits() % 16 == 0) {target} = 0;",
        ]

    def _elements(self, pointee: str, element: str, name: str, count: str, depth: int) -> list[str]:
        each = f"for (size_t ct_k = 0; ct_k < {count}; ct_k++)"
        here = f"{name}[ct_k]"
        if pointee == "char":
            some = "ct_bits() % 4 ? (char)(ct_bits() % 96 + 32) : ct_bits() % 2 ? 0 : (char)ct_bits()"
            return [f"{each} {here} = {some};", f"if ({count} && ct_bits() % 4) {name}[{count} - 1] = 0;"]
        if pointee.endswith("*"):
            return [f"{each} {here} = 0;", *(self._pointer(element, f"{name}[0]", depth + 1) if depth < 2 else [])]
        filled = self.declared.filled("unsigned char" if pointee == "void" else pointee, here, 1)
        if filled is None:
            raise UnusableInput(f"no values are made for objects of type {element.strip()}")
        lines = [f"{each} {{ {filled} }}"]
        for member in self.declared.members.get(pointee, ()):
            if self.declared.plain(member.type) == f"{pointee} *":
                next_ = f"ct_k + 1 < {count} && ct_bits() % 4 ? &{name}[ct_k + 1] : 0"
                lines.append(f"{each} {here}.{member.name} = {next_};")
        return lines


def harness(contract: Contract, declared: Declarations) -> str:
    """The C file. Raises UnusableInput for what no arguments are made for."""
    function = declared.functions.get(contract.function)
    if function is None:
        raise UnusableInput(f"there is no function {contract.function}")
    built = _Harness(contract, declared)
    parameters = [Variable(one.name or f"ct_p{i}", one.type) for i, one in enumerate(function.parameters)]
    for one in parameters:
        built.parameter(one)
    translation = Translation(entry=" ".join(_names_at_entry(parameters, declared)))
    requires = [translation.clause(one) for one in contract.requires]
    ensures = [translation.clause(one) for one in contract.ensures]
    call = f"{contract.function}({', '.join(one.name for one in parameters)});"
    places = [place(one) for one in contract.assigns or ()]
    rooms = max(built.rooms, 1)
    text = [
        *_front(contract), *_globals(declared),
        *_start(declared),
        *_random_globals(declared), *built.made,
        "ct_ticks = 0; ct_running = 1;",
        "if (sigsetjmp(ct_back, 0)) { ct_running = 0; "
        'if (ct_phase == 2) ct_violated = "a clause cannot be evaluated"; goto ct_end; }',
        *(f"if (!({one})) {{ ct_running = 0; continue; }}" for one in requires),
        "ct_within++; ct_phase = 1;",
        f"memcpy(ct_entry, ct_rooms, {rooms} * CT_ROOM);",
        *(f"memcpy(ct_g{i}, &{one.name}, sizeof {one.name});" for i, one in enumerate(declared.variables)),
        *translation.saved,
        *(f"const volatile void *ct_p{i} = 0; size_t ct_l{i} = 0;" for i, _ in enumerate(places)),
        *(f"CT_TRY(ct_p{i} = {at}; ct_l{i} = {length});" for i, (at, length) in enumerate(places)),
        call if function.result == "void" else f"__auto_type result = {call}",
        "ct_phase = 2;",
        *(f'if (!({one})) ct_violated = "ensures {number}";' for number, one in reversed([*enumerate(ensures, 1)])),
        *(_frame(built, places) if contract.assigns is not None else ()),
        "ct_running = 0; ct_calls++;",
        "ct_end:",
        f'if (ct_violated) {{ printf("arguments"); {" ".join(built.shown)} puts(""); }}',
        f"memset(ct_rooms, 0xA5, {rooms} * CT_ROOM);",
        "}",
        'printf("calls %lld within %lld tried %lld ", ct_calls, ct_within, ct_tried);',
        'puts(ct_violated ? ct_violated : ""); fflush(stdout); _exit(0); }',
    ]  # fmt: skip
    return "\n".join(text) + "\n"


def _names_at_entry(parameters: Sequence[Variable], declared: Declarations) -> Iterator[str]:
    """Declarations under which pointers and global variables mean what they meant at entry."""
    for one in parameters:
        if declared.plain(one.type).endswith("*"):
            yield f"__typeof__(ct_arg_{one.name}) {one.name} = (void *)ct_as_at_entry(ct_arg_{one.name});"
    for number, one in enumerate(declared.variables):
        if one.type.endswith("]"):
            yield f"__typeof__(&{one.name}[0]) {one.name} = (void *)ct_g{number};"
        else:
            yield f"__typeof__({one.name}) {one.name} = *(__typeof__({one.name}) *)ct_g{number};"


def _start(declared: Declarations) -> Iterator[str]:
    """The beginning of `main`, up to the loop over calls."""
    yield "int main(int ct_argc, char **ct_argv) {"
    yield "long long ct_wanted = atoll(ct_argv[1]), ct_calls = 0, ct_within = 0, ct_tried = 0;"
    yield "const char *ct_violated = 0; volatile int ct_phase = 0;"
    yield "memset(ct_rooms, 0xA5, sizeof ct_rooms); ct_begin();"
    for number, one in enumerate(declared.variables):
        yield f"memcpy(ct_s{number}, &{one.name}, sizeof {one.name});"
        yield f"ct_is_global(&{one.name}, sizeof {one.name}, ct_g{number});"
    yield "while (ct_calls < ct_wanted && ct_tried < ct_wanted * 100 && !ct_violated) {"
    yield "ct_tried++; ct_phase = 0;"


def _front(contract: Contract) -> Iterator[str]:
    text = contract.file.read_text(encoding="utf-8", errors="replace")
    numbers = {int(word, 0) for word in re.findall(r"\b(?:0[xX][0-9a-fA-F]{1,15}|[1-9]\d{0,17}|0)\b", text)}
    constants = sorted({0, 1, 2147483647, *list(numbers)[:200]})
    yield f"static const long long ct_constants[] = {{{', '.join(map(str, constants))}}};"
    yield f"enum {{ ct_constant_count = {len(constants)} }};"
    yield f'#include "{HEADER}"'
    yield "#define main ct_program_main"
    yield f'#include "{contract.file.resolve()}"'
    yield "#undef main"
    yield MACROS + NUMBERS


def _globals(declared: Declarations) -> Iterator[str]:
    """Room for each global variable as at entry (ct_g) and as at the start (ct_s)."""
    for number, one in enumerate(declared.variables):
        size = f"[sizeof {one.name}] __attribute__((aligned(16)))"
        yield f"static unsigned char ct_g{number}{size}, ct_s{number}{size};"


def _random_globals(declared: Declarations) -> Iterator[str]:
    for number, one in enumerate(declared.variables):
        yield f"memcpy(&{one.name}, ct_s{number}, sizeof {one.name});"
        filled = None if "*" in one.type else declared.filled(one.type, one.name)
        if filled:
            yield f"if (sizeof {one.name} <= {MOST_FILLED}) {{ {filled} }}"


def _frame(built: _Harness, places: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Compares everything but what may change with how it was at entry."""
    objects = [(f"ct_rooms[{i}]", f"ct_entry[{i}]", "CT_ROOM") for i in range(built.rooms)]
    for number, one in enumerate(built.declared.variables):
        objects.append((f"(unsigned char *)&{one.name}", f"ct_g{number}", f"sizeof {one.name}"))
    for now, before, size in objects:
        for number in range(len(places)):
            yield f"ct_may_change(ct_p{number}, ct_l{number}, {now}, {before}, {size});"
        yield f'if (memcmp({now}, {before}, {size}) && !ct_violated) ct_violated = "assigns";'


def attack(contract: Contract, calls: int, seconds: float, options: Sequence[str] = (), cc: str = "cc") -> Attack:
    """Builds the harness and lets it call the function. Among the options may be files to link.

    Raises UnusableInput if there is no harness.
    """
    text = harness(contract, declarations(contract.file, [one for one in options if not one.endswith(".c")]))
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        source, built = Path(folder) / "harness.c", Path(folder) / "harness"
        source.write_text(text, encoding="utf-8")
        command = [cc, *FLAGS, *options, f"-I{contract.file.resolve().parent}", str(source), "-o", str(built), *LINKED]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr[-200:]]
            raise UnusableInput(f"the harness does not compile: {errors[0][:200]}")
        try:
            run = [str(built), str(calls)]
            done = subprocess.run(run, capture_output=True, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            raise UnusableInput(f"{calls} calls take more than {seconds:g} s: ask for fewer") from None
    counted = re.search(r"^calls (\d+) within (\d+) tried (\d+) ?(.*)$", done.stdout, re.M)
    if counted is None:
        raise UnusableInput(f"the harness ended with status {done.returncode}: {(done.stdout + done.stderr)[-200:]!a}")
    shown = re.search(r"^arguments(.*)$", done.stdout, re.M)
    return Attack(int(counted[1]), int(counted[2]), int(counted[3]), counted[4].strip(), shown[1] if shown else "")


def told(contract: Contract, found: Attack) -> str:
    """One line about the attack."""
    counts = f"{found.calls} calls of {found.within} within requires, {found.tried} tried"
    name = f"{contract.file.name}: {contract.function}"
    if not found.violated:
        return f"{'ok' if found.calls else 'EMPTY':8s} {name}: {counts}"
    number = re.fullmatch(r"ensures (\d+)", found.violated)
    clause = f": {contract.ensures[int(number[1]) - 1]}" if number else ""
    return f"VIOLATED {name}: {found.violated}{clause}:{found.arguments} ({counts})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.c|CLAIMS.json")
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=120.0, help="for all calls of one function")
    parser.add_argument("--cc", default="cc")
    parser.add_argument("--json", type=Path, help="the result of each contract")
    words = sys.argv[1:]
    at = words.index("--") if "--" in words else len(words)
    given, options = parser.parse_args(words[:at]), words[at + 1 :]
    rows, violated = [], 0
    try:
        for contract in [one for file in given.files for one in contracts_of(file)]:
            row: dict[str, object] = {"file": str(contract.file), "function": contract.function}
            try:
                found = attack(contract, given.calls, given.seconds, options, given.cc)
                violated += bool(found.violated)
                print(told(contract, found), flush=True)
                row |= {"violated": found.violated, "calls": found.calls, "tried": found.tried}
            except UnusableInput as error:
                print(f"unusable {contract.file.name}: {contract.function}: {error}", flush=True)
                row["unusable"] = str(error)
            rows.append(row)
    except UnusableInput as error:
        print(error, file=sys.stderr)
        return 2
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return int(violated > 0)


if __name__ == "__main__":
    sys.exit(main())
