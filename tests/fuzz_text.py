"""Programs whose names and strings are pieces of LLVM's, SMT-LIB's and our own notations: `make fuzz-text N=30000`.

    python tests/fuzz_text.py [--programs N] [--first SEED] [--checked N] [--jobs 2] [--log FILE] [--only SEED]

The same program with harmless names and strings is the truth: what the front end makes of both must be the same but for
names, and strings must have the bytes that C gives them. Some are checked as well; what must be answered is known by
construction. Prints one line for each that went wrong, and a summary; exit status 1 if there was one. Program SEED is
the same on every machine: its structure is that of SEED modulo STRUCTURES, in files of TOGETHER programs each.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import multiprocessing
import random
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import fresh
from counterpoint.core.errors import CounterpointError, UnusableInput
from counterpoint.core.source import CheckSite, Site, SourceLocation
from counterpoint.execute.native.instrument import instrument
from counterpoint.frontend.c import clang
from counterpoint.frontend.lower import lower
from counterpoint.frontend.prepare import define_task
from counterpoint.frontend.task import SourceTask
from counterpoint.program.model import Constant, Global, Program, Register
from counterpoint.program.types import BYTE
from counterpoint.program.validate import validate

TOGETHER = 10
"""Programs in one file: each is an entry of its own, so that one run of clang is enough for all."""

STRUCTURES = 40 * TOGETHER

PIECES = (
    "@f", "@main", "@entry0", "@\"x\"", "%1", "%struct.s", "%\"a b\"", "$comdat", "!0", "!dbg !5", "#90000", "#0", "!{!1}",
    " alias i8, ptr @f", " alias i32 (), ptr @main\n", "blockaddress(@main, %7)", " nsw ", " nuw", "inbounds", " noundef",
    " externally_initialized global ", " = internal constant [4 x i8] c\"x\"", "undef", "poison", " undef,", "[ poison ]",
    "define internal void @main() #90000 {", "}", "\n}\n", "\ndefine ", "declare i32 @x()", "unreachable", " = phi i32 ",
    "call void @__cp_check(i1 false, i32 0)", " asm ", "asm sideeffect \"\", \"\"()", "; No predecessors!", "; comment",
    "\ntarget triple = \"x\"", "target datalayout = \"e-p:16:16\"", "c\"", "\"", "\\", "\\5C", "\\00", "\\\"", "attributes #0 = { }",
    "section \"x\"", ", align 4", "getelementptr (i8, ptr @f, i32 1)", " volatile ", "byval(i8)", "sret(i8)", " thread_local ",
    "line: 3", "name: \"x\"", "file: !1", "scope: !2", "DISubprogram(", "!DILocation(line: 1, scope: !1)", "#dbg_declare(ptr %1",
    "@llvm.lifetime.start.p0(ptr %1)", "llvm.global_ctors", "@llvm.va_start", "zeroinitializer", " = type { i8 }", "x86_fp80 ",
    " external global i8", "extern_weak ", " constant ", " global ", "private", "comdat($x)", "label %1", "indirectbr ptr %1, [",
    "~>1.2", "#2", "__cp_main.x#2", "[0:4]", "[*:8]", "forall.0", "cut.counter", "|", "&x", "live x", "addr!1", "v!1", "bits!0",
    "memory0", ".external", "counter", "step|at 1", "static|", ".result0", "%0", "@1", "cp.1", "cp.user.", "; ()", "(assert false)",
    "%s %d", "inttoptr (i64 5 to ptr)", "ERROR", "<libc>", "__clang_trap_msg$", "undefined", "null", "true", "0x1p3",
    "\t", "\r", "\x7f", "\x1b[0m", "ä", "ß$", "数", "\u202e", "\U0001f600", "{", "(", "[", "<", ")", "]", ">", ",", "'", "`", "?",
    "$24$", "$$", "$", "-", "_", ".", "0", "5", "007", ":", "::", "=", "*", "/", "//", "/*", "*/", "<!--", "</script>", "&amp;",
)  # fmt: skip
LETTERS = ("x", "y", "größe", "$", "a$24$b", "数", "обход", "É", "_", "undef", "poison", "nsw", "define", "global", "cp", "ptr",
           "alias", "external", "memory0", "counter", "live", "null", "forall", "zeroinitializer", "asm_", "ERROR_")  # fmt: skip


# ---------------------------------------------------------------- names and strings


@dataclass(slots=True)
class Words:
    """Gives each slot of a structure its text. `hostile` is None for the harmless ones."""

    hostile: random.Random | None
    made: int = 0
    strings: list[bytes] = field(default_factory=list)

    def odd(self, most: int = 4) -> str:
        assert self.hostile is not None
        return "".join(self.hostile.choice(PIECES) for _ in range(self.hostile.randint(1, most)))

    def identifier(self) -> str:
        """A C identifier that no other slot has."""
        self.made += 1
        if self.hostile is None:
            return f"n{self.made}"
        first, last = self.hostile.choice(LETTERS), self.hostile.choice(LETTERS)
        return f"{first}{last if self.hostile.random() < 0.5 else ''}{self.made}{'$' if self.hostile.random() < 0.2 else ''}"

    def label(self) -> str:
        """An assembler label for a symbol, as C text; empty for none."""
        self.made += 1
        if self.hostile is None or self.hostile.random() < 0.15:
            return ""
        name = self.odd()
        name = f"{name}{self.made}" if self.hostile.random() < 0.5 else f"{self.made}{name}"
        return "" if name.startswith("llvm.") else f" asm({unevaluated(name)})"

    def string(self, length: int) -> str:
        """A string of so many bytes, unlike all others."""
        self.made += 1
        text = f"{self.made:04}"
        if self.hostile is not None:
            text += self.odd(6) if self.hostile.random() < 0.9 else "\udcff\udc80\udcc3"
        data = text.encode("utf-8", "surrogateescape").ljust(length, b"z")[:length]
        self.strings.append(data)
        return literal(data.decode("utf-8", "surrogateescape"))

    def section(self) -> str:
        if self.hostile is None or self.hostile.random() < 0.5:
            return ""
        return f"__attribute__((section({unevaluated(self.odd(2))}))) "

    def assembly(self) -> str:
        text = "nop" if self.hostile is None else f"nop{self.odd()}".replace("%", "%%")
        return f"asm volatile({unevaluated(text)} ::: \"memory\");"

    def line(self) -> str:
        if self.hostile is None:
            return '\n#line 7 "harmless.c"\n'
        name = self.odd(2).removeprefix("<libc>")  # which functions are models, and are inlined as such, goes by that
        return f"\n#line {self.hostile.randint(1, 9999)} {unevaluated(name)}\n"


def literal(text: str) -> str:
    """A C string literal: octal escapes for all that needs them, but line ends of both kinds of spelling."""
    shown = []
    for byte in text.encode("utf-8", "surrogateescape"):
        character = chr(byte)
        plainly = 32 <= byte < 127 and character not in '"\\?'
        shown.append(character if plainly else f"\\{byte:03o}")
    return '"' + "".join(shown) + '"'


def unevaluated(text: str) -> str:
    """A string literal where C knows the simple escapes alone: assembler labels, names of files and sections."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(escapes.get(character, character) for character in text) + '"'


# ---------------------------------------------------------------- programs


@dataclass(frozen=True, slots=True)
class Made:
    """A program of a file: its text, the function where it starts, and whether its error can be reached."""

    text: str
    entry: str
    unsafe: bool
    strings: tuple[bytes, ...]


PRELUDE = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
"""


def program(structure: random.Random, words: Words, entry: str) -> Made:
    """Statements about objects and functions whose names and strings are up to `words`. The checks hold by
    construction; the last one, which may be left out, does not."""
    first = len(words.strings)
    before: list[str] = []
    inside: list[str] = []
    reader = words.identifier()
    before.append(f"static int {reader}(const char *at, int k){words.label()};")
    before.append(f"static int {reader}(const char *at, int k) {{{words.line()} return at[k]; }}")
    k, error = words.identifier(), words.identifier()
    inside.append(f"int {k} = __VERIFIER_nondet_int();")
    inside.append(f"int {error} = 0;")
    for _ in range(structure.randint(2, 5)):
        kind = structure.choice((_numbers, _text, _table, _loop, _aliases, _structure, _goto, _assembly, _undefined))
        kind(structure, words, before, inside, (reader, k, error))
    inside.append(f"{words.line()}if ({error}) reach_error();")
    unsafe = structure.random() < 0.5
    if unsafe:
        inside.append(f"{words.line()}if ({k} == {structure.randint(0, 3)}) reach_error();")
    body = "\n".join(f"    {statement}" for statement in inside)
    text = "\n".join([*before, f"int {entry}(void) {{", body, "    return 0;", "}", ""])
    return Made(text, entry, unsafe, tuple(words.strings[first:]))


Lines = list[str]
Known = tuple[str, str, str]


def _numbers(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """Globals, written and read."""
    names = [words.identifier() for _ in range(structure.randint(2, 3))]
    for number, name in enumerate(names):
        static = "static " if structure.random() < 0.5 else ""
        before.append(f"{words.section()}{static}int {name}{words.label()} = {number + 1};")
    for number, name in enumerate(names):
        inside.append(f"{name} += {10 * number};")
    for number, name in enumerate(names):
        inside.append(f"{known[2]} |= {name} != {11 * number + 1};")


def _text(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """A string that is read where a run chooses; each character is what it is in the source."""
    length = structure.randint(12, 40)
    place = structure.randrange(length)
    name, reader, k = words.identifier(), *known[:2]
    kind = structure.choice(("char {}[] = {};", "const char *{} = {};", "static char {}[] = {};"))
    shown = words.string(length)
    before.append(kind.format(f"{name}", shown))
    byte = words.strings[-1][place]
    signed = byte - 256 if byte > 127 else byte
    inside.append(f"{known[2]} |= {reader}({name}, {k} == {place} ? {k} : {place}) != BYTE({signed});")


def _table(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """Functions that are called through a table."""
    functions = [words.identifier() for _ in range(2)]
    table = words.identifier()
    for number, name in enumerate(functions):
        parameter = words.identifier()
        before.append(f"static int {name}(int {parameter}){words.label()};")
        before.append(f"static int {name}(int {parameter}) {{{words.line()} return {parameter} + {number}; }}")
    before.append(f"{words.section()}static int (*{table}[2])(int){words.label()} = {{{functions[0]}, {functions[1]}}};")
    inside.append(f"{known[2]} |= {table}[{known[1]} & 1](5) != 5 + ({known[1]} & 1);")


def _loop(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """A short loop over locals in memory."""
    array, i, sum_ = (words.identifier() for _ in range(3))
    most = structure.randint(2, 4)
    inside.append(f"int {array}[{most}], {i}, {sum_} = 0;")
    inside.append(f"for ({i} = 0; {i} < {most}; {i}++) {array}[{i}] = {i};")
    inside.append(f"for ({i} = 0; {i} < {most}; {i}++) {sum_} += {array}[{i}];")
    inside.append(f"{known[2]} |= {sum_} != {most * (most - 1) // 2};")


def _aliases(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """Another name of a function. An alias names the symbol, not the identifier."""
    function, other, parameter = (words.identifier() for _ in range(3))
    label = words.label()
    symbol = label.removeprefix(" asm(").removesuffix(")") if label else unevaluated(function)
    before.append(f"int {function}(int {parameter}){label};")
    before.append(f"int {function}(int {parameter}) {{ return {parameter} * 2; }}")
    before.append(f"extern int {other}(int){words.label()} __attribute__((alias({symbol})));")
    inside.append(f"{known[2]} |= {other}({known[1]} & 7) != {function}({known[1]} & 7);")


def _structure(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """A structure, passed by value."""
    tag, one, two, function, given, local = (words.identifier() for _ in range(6))
    before.append(f"struct {tag} {{ int {one}; long long {two}[3]; }};")
    before.append(f"static int {function}(struct {tag} {given}){words.label()};")
    before.append(f"static int {function}(struct {tag} {given}) {{ return {given}.{one} + (int){given}.{two}[2]; }}")
    inside.append(f"struct {tag} {local} = {{3, {{1, 2, {known[1]} & 15}}}};")
    inside.append(f"{known[2]} |= {function}({local}) != 3 + ({known[1]} & 15);")


def _goto(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """A jump to the address of a label."""
    one, two, place, seen = (words.identifier() for _ in range(4))
    inside.append(f"int {seen} = 0; void *{place} = {known[1]} & 1 ? &&{one} : &&{two}; goto *{place};")
    inside.append(f"{one}: {seen} += 1; {two}: {seen} += 2;")
    inside.append(f"{known[2]} |= {seen} != 2 + ({known[1]} & 1);")


def _assembly(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """Assembly that no run gets to."""
    inside.append(f"if (({known[1]} & 7) > 9) {{ {words.assembly()} }}")


def _undefined(structure: random.Random, words: Words, before: Lines, inside: Lines, known: Known) -> None:
    """A function and an object without a definition, called as odd things are."""
    function, thing = words.identifier(), words.identifier()
    before.append(f"extern int {function}(int){words.label()}; extern int {thing}{words.label()};")
    inside.append(f"{known[2]} |= ({function}(1) & 3) + ({thing} & 3) > 6;")


def file_of(structure: int, hostile: int | None, *, bytes_told: bool) -> tuple[str, list[Made]]:
    """The text of the programs with these structures and these words. Without `bytes_told`, the characters that checks
    expect are 0: then they are the same for all words."""
    words = Words(None if hostile is None else random.Random(hostile))
    shapes = [random.Random(structure * TOGETHER + number) for number in range(TOGETHER)]
    made = [program(shape, words, f"entry{number}") for number, shape in enumerate(shapes)]
    macro = f"#define BYTE(n) {'(n)' if bytes_told else '0'}\n"
    return macro + PRELUDE + "\n".join(one.text for one in made), made


# ---------------------------------------------------------------- the same program


def canonical(made: Program) -> tuple[object, dict[int, bytes]]:
    """The program without names, places and the contents of strings; and these, by the number that they begin with."""
    numbers = {name: number for number, name in enumerate((*made.functions, *made.globals))}
    strings: dict[int, bytes] = {}

    def shape(part: object) -> object:
        match part:
            case SourceLocation():
                return None
            case Register(index, type_):
                return index, str(type_)
            case Site(_, kind, _, type_, _):
                return kind, type_ if type_[:1] not in ("%", "[", "{", "<") else ""
            case CheckSite(_, kind, _, _):
                return kind
            case Global(name, size, alignment, pieces, constant=constant, code=code):
                data = _bytes(part)
                if data[:4].isdigit():
                    strings[int(data[:4])] = data
                    pieces = ()
                return numbers[name], size, alignment, shape(pieces), constant, code
            case tuple() | list():
                return tuple(map(shape, part))
            case dict():
                return tuple(map(shape, part.values()))
            case str():
                return numbers.get(part, "")
            case _ if dataclasses.is_dataclass(part):
                values = (getattr(part, one.name) for one in dataclasses.fields(part))
                return type(part).__name__, *map(shape, values)
        return part

    sizes = made.layout.pointer_bits, len(made.assumptions)
    return (shape(made.functions), shape(made.globals), shape(made.sites), shape(made.checks), sizes), strings


def _bytes(item: Global) -> bytes:
    """The bytes of an object that holds nothing but bytes; empty for others."""
    data = bytearray(item.size)
    for offset, value in item.pieces:
        if not isinstance(value, Constant) or value.type != BYTE:
            return b""
        data[offset] = value.bits
    return bytes(data)


def task_of(file: Path, structure: int) -> SourceTask:
    model = ("ILP32", "LP64")[structure % 2]
    property_ = ("unreach-call", "valid-memsafety", "no-overflow")[structure // 2 % 3]
    return SourceTask((file,), data_model=model, property=property_)


def programs_of(text: str, structure: int) -> Iterator[tuple[int, str, Program]]:
    """(number, preparation, program) of all programs in a file's text. Raises what the front end raises."""
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text, encoding="utf-8")
        task = task_of(file, structure)
        compiled = clang.compile_all(task)
        for number in range(TOGETHER):
            defined = define_task(dataclasses.replace(task, entry=f"entry{number}"), compiled)
            preparation = ("flat", "none", "modular")[(structure + number) % 3]
            prepared = defined.prepared(preparation)
            made = lower(prepared)
            validate(made)
            instrument(prepared.text, prepared.checks)
            yield number, preparation, made


@lru_cache(maxsize=STRUCTURES)
def truth(structure: int) -> list[object]:
    """The programs of a file with harmless words, by number."""
    text, _ = file_of(structure, None, bytes_told=False)
    return [canonical(made)[0] for _, _, made in programs_of(text, structure)]


def compared(seed: int) -> tuple[collections.Counter[str], list[str]]:
    """What came of the file of a seed, and the complaints."""
    counts: collections.Counter[str] = collections.Counter()
    structure = seed % (STRUCTURES // TOGETHER)
    text, expected = file_of(structure, seed, bytes_told=False)
    told: list[str] = []
    number = 0
    try:
        truth(structure)  # first, as LLVM numbers the names of types through all modules of a process
        for number, preparation, made in programs_of(text, structure):
            what, strings = canonical(made)
            good = what == truth(structure)[number]
            for data in expected[number].strings:
                here = strings.get(int(data[:4]))
                good = good and (here is None or here[:-1] == data) and (here is not None or preparation == "flat")
            counts["the same" if good else "another program"] += 1
            if not good:
                told.append(f"{seed}: {preparation} of entry{number} is another program or has other strings")
    except (UnusableInput, CounterpointError) as error:
        counts[f"refused: {type(error).__name__}"] += TOGETHER
        if not isinstance(error, UnusableInput):
            told.append(f"{seed}: entry{number}: {error}")
        else:
            counts[f"  {str(error)[-60:]}"] += 1
    except Exception:
        counts["traceback"] += 1
        told.append(f"{seed}: entry{number}: {traceback.format_exc()}")
    return counts, told


# ---------------------------------------------------------------- the right answer


def checked(seed: int) -> tuple[collections.Counter[str], list[str]]:
    """The answer to one program of the file of a seed, against what is known of it."""
    counts: collections.Counter[str] = collections.Counter()
    structure, number = seed % (STRUCTURES // TOGETHER), seed // 7 % TOGETHER
    text, made = file_of(structure, seed, bytes_told=True)
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        file = Path(folder) / "program.c"
        file.write_text(text, encoding="utf-8")
        options = {"data_model": ("ILP32", "LP64")[seed % 2], "prepare": ("default", "none")[seed // 2 % 2]}
        try:
            result = fresh.check(file, entry=f"entry{number}", timeout=60.0, jobs=1, **options)
        except UnusableInput as error:
            counts[f"refused: {str(error)[-60:]}"] += 1
            return counts, []
        except Exception:
            counts["traceback"] += 1
            return counts, [f"{seed}: entry{number}, {options}: {traceback.format_exc()}"]
    right = "FALSE(unreach-call)" if made[number].unsafe else "TRUE"
    counts[result.verdict] += 1
    if result.verdict == right or (result.outcome.value == "UNKNOWN" and not result.crash_reports):
        return counts, []
    counts["wrong"] += 1
    return counts, [f"{seed}: entry{number}, {options}: {result.verdict}, but {right} is right"]


# ---------------------------------------------------------------- many


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--checked", type=int, default=-1, help="so many answers; a thirtieth of the programs")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--only", type=int, help="the file of one seed, printed and compared")
    chosen = parser.parse_args(arguments)
    if chosen.only is not None:
        print(file_of(chosen.only % (STRUCTURES // TOGETHER), chosen.only, bytes_told=True)[0])
        print(compared(chosen.only))
        return 0
    files = -(-chosen.programs // TOGETHER)
    answers = files * TOGETHER // 30 if chosen.checked < 0 else chosen.checked
    with multiprocessing.Pool(chosen.jobs, maxtasksperchild=200) as pool:
        bad = _summary("front end", pool.imap_unordered(compared, range(chosen.first, chosen.first + files)), chosen.log)
    for_answers = range(chosen.first, chosen.first + answers)
    bad += _summary("answers", map(checked, for_answers), chosen.log)
    return int(bad > 0)


def _summary(
    what: str, found: Iterator[tuple[collections.Counter[str], list[str]]], log: Path | None
) -> int:
    started = time.monotonic()
    counts: collections.Counter[str] = collections.Counter()
    complaints = 0
    for number, (more, told) in enumerate(found):
        counts.update(more)
        complaints += len(told)
        for complaint in told:
            print(complaint, flush=True)
        if log is not None and number % 20 == 0:
            log.write_text(f"{what}: {number + 1} in {time.monotonic() - started:.0f} s: {dict(counts)}\n")
    print(f"{what}: {dict(counts)}, {complaints} complaints, {time.monotonic() - started:.0f} s", flush=True)
    return complaints


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
