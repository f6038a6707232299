"""Runs clang: one source file in, LLVM bitcode out.

clang comes from the `ziglang` wheel, whose headers cover every target, or is named by the user.
It must not optimise (nothing is defined yet), but -O1 keeps the lifetime markers of locals.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import mmap
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import BinaryIO

from counterpoint import property as properties
from counterpoint.core.errors import CompilationFailed, InternalError, UnusableInput
from counterpoint.core.patterns import regex
from counterpoint.core.printable import shown
from counterpoint.core.records import dataclass
from counterpoint.frontend import languages
from counterpoint.frontend.c import compiler_warnings, typeof_unqual, untested
from counterpoint.frontend.c.compiler_run import run_compiler
from counterpoint.frontend.c.implicit_declarations import declarations
from counterpoint.frontend.c.silenced import NOTE_INCLUDES, silenced, without_includes
from counterpoint.frontend.c.unfinished_expressions import RETURNING
from counterpoint.frontend.definition import va_arg
from counterpoint.frontend.task import SourceTask, check_source

TRIPLES = {"ILP32": "x86-linux-musl", "LP64": "x86_64-linux-musl"}

HEADERS = Path(__file__).parent.parent / "headers"
"""What other C libraries' headers have and musl's have not; all other folders come first."""

_FLAGS = (
    "-Xclang",
    "-disable-llvm-passes",
    "-Xclang",
    "-fno-elide-constructors",  # a local is an object of its own, also where its function returns it
    "-fwrapv-pointer",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-fno-finite-loops",
    "-fno-builtin",
    "-ffp-contract=off",
    "-fno-sanitize=all",
    "-fsanitize=vla-bound",
    "-fsanitize-trap=vla-bound",
    "-fno-sanitize-merge=vla-bound",
    "-fsanitize=shift-exponent",  # amounts are tested as they are written (shifts.py)
    "-fsanitize-recover=shift-exponent",
    "-fno-stack-protector",
    "-fverify-intermediate-code",  # or LLVM ends this process where a symbol is called as one of its own
    "-fno-crash-diagnostics",
    "-UNDEBUG",  # zig defines it from -O1 on, and every assert would be gone
)

_LAST = (  # after the user's: lives of locals and const objects are told by what these make clang write
    "-gdwarf-5",  # with the MD5 of files (program/source_lines.py)
    "-gkey-instructions",
    "-O1",
)

WITH_UNUSED = ("-femit-all-decls",)
"""Static functions that nothing calls are compiled, too."""

_OLD_CODE = (
    "-Wno-everything",
    "-Wimplicit-function-declaration",  # read by implicit_declarations.py
    "-Wunsequenced",  # these are read by diagnostics.py
    "-Winteger-overflow",
    "-Wshift-overflow",
    "-Wshift-sign-overflow",
    "-Wshift-negative-value",
    "-Wshift-count-overflow",
    "-Wshift-count-negative",
    "-Wgnu-folding-constant",
    "-Wunknown-attributes",
    "-Wsystem-headers",  # a line marker makes any code one
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=int-conversion",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=return-type",
    "-Wno-error=return-mismatch",
)

# Older clangs lack these; what they forbid is stripped from the IR as well.
_NOT_EVERYWHERE = (
    "-fwrapv-pointer", "-fverify-intermediate-code", "-fno-finite-loops", "-fno-sanitize-merge=signed-integer-overflow",
    "-fno-sanitize-merge=vla-bound", "-gkey-instructions",
)  # fmt: skip
_UNKNOWN = regex(r"(?:unknown argument|unsupported option):? '([^']*)'")

_MACRO = regex(r"[^\W\d]\w*(?=[(=]|\Z)")
_DIAGNOSTIC = regex(r"^(?P<where>[^\n:]+(?::\d+)*): (?:fatal )?error: (?P<text>.*)$", re.MULTILINE)
_MISSING = "' file not found"
"""Ends what clang says of a header that it does not find."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """Bitcode of a file, what clang said of it, and what it says without pragmas that silence it (silenced.py).
    `whole`: the bitcode as clang made it, where something was taken out of `code` (slices.py)."""

    code: bytes
    said: str
    silenced: str = ""
    whole: bytes = b""


def compile_all(task: SourceTask) -> list[Compiled]:
    """Every file of the task, in order; files are compiled side by side.

    Raises UnusableInput for a file that is none, CompilationFailed with clang's first error.
    """
    if not task.files:
        raise UnusableInput("no source file was given: name at least one C file")
    for file in task.files:
        check_source(file)
    if len(task.files) == 1:
        return [compile_file(task, task.files[0])]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=max(2, os.cpu_count() or 2)) as workers:
        return list(workers.map(lambda file: compile_file(task, file), task.files))


def compile_file(task: SourceTask, file: Path, more: tuple[str, ...] = ()) -> Compiled:
    """One C file under the task's target, property and options, or a file in another language; `more`: options that
    come last."""
    compiler = [task.cc] if task.cc else [zig(), "cc"]
    options = [*flags(task.alone(file)), *more]

    def run(arguments: list[str], output: BinaryIO | None) -> tuple[int, str]:
        return run_compiler([*compiler, *arguments], environment(folder), output)

    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        output = Path(folder) / "out.bc"
        if task.is_translated:
            file = _translated(file, task.language, folder)
        operand = operand_of(file, folder)
        while True:
            command = [*compiler, *options, NOTE_INCLUDES, "-c", "-emit-llvm", operand, "-o", str(output)]
            status, said = _ran(command, folder)
            included, said = without_includes(said)
            if status == 0 and output.exists():
                more_said = silenced(run, options, operand, included, folder)
                code = _with_declarations(command, said + more_said, folder) or output.read_bytes()
                return Compiled(code, said + untested.own_macros((operand, *included)), more_said)
            unknown = _UNKNOWN.search(said)
            if unknown is None or unknown[1] not in _NOT_EVERYWHERE or unknown[1] not in options:
                raise _failure(file, said, task)
            options.remove(unknown[1])


def returning(task: SourceTask) -> SourceTask:
    """The task as if no function were declared noreturn."""
    return replace(task, extra=(*task.extra, *RETURNING))


def compile_returning(task: SourceTask) -> list[bytes]:
    """The files' bitcode as if no function were declared noreturn; nothing if one of them does not compile so."""
    try:
        return [file.code for file in compile_all(returning(task))]
    except CompilationFailed:
        return []


_CLAUSES = tuple(
    f"-D__CPROVER_{name}(...)=" for name in ("loop_invariant", "decreases", "assigns", "frees", "requires", "ensures")
)
"""CBMC's clauses stand between a loop's head, or a function's, and its body: for clang they are nothing. What they say
is read from the text (annotations/cprover.py)."""

_LARGE_TREE = 32 << 20
"""Bytes of a syntax tree from which on its text is taken without the blanks of deep levels, of which there may be ever
more."""


def syntax_tree(task: SourceTask, file: Path, function: str = "") -> bytes:
    """What `printed_tree` tells, in memory."""
    with printed_tree(task, file, function) as text:
        if len(text) <= _LARGE_TREE:
            return text[:]
        lines = iter(text.readline, b"") if isinstance(text, mmap.mmap) else ()
        return b"".join(line if len(bare := line.lstrip()) + 6 >= len(line) else b"      " + bare for line in lines)


@contextlib.contextmanager
def printed_tree(task: SourceTask, file: Path, function: str = "") -> Iterator[bytes | mmap.mmap]:
    """The syntax trees of the functions with this in their names, or of the whole file; in JSON, one after the other.
    They lie in a file, as they may be much larger than what is wanted of them: a table of a megabyte has one of a
    hundred. They may be cut off: clang, as zig calls it, ends with an error here in any case.
    """
    compiler = [task.cc] if task.cc else [zig(), "cc"]
    dump = ["-Xclang", "-ast-dump=json"]
    if function:
        dump += ["-Xclang", f"-ast-dump-filter={function}"]
    options = [option for option in flags(task.alone(file)) if not (task.cc and option in _NOT_EVERYWHERE)]
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        told = Path(folder) / "tree"
        operand = operand_of(file, folder)
        command = [*compiler, *options, *dump, "-c", "-emit-llvm", operand, "-o", str(Path(folder) / "out.bc")]
        with told.open("wb") as output:
            _ran(command, folder, output)
        if not told.stat().st_size:
            yield b""
            return
        with told.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as text:
            yield text


_NAME = rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*"
_DEFINED = regex(rb"^#define (" + _NAME + rb")", re.MULTILINE)
_STANDS_FOR = regex(rb"^#define (" + _NAME + rb")[ \t]+([^\n]*)", re.MULTILINE)


def macros(task: SourceTask, file: Path) -> frozenset[str]:
    """The names that are macros anywhere in the file and its headers, the compiler's own among them; {} of a file that
    cannot be preprocessed."""
    return frozenset(name.decode("utf-8", "replace") for name in _DEFINED.findall(_definitions(task, file)))


def constants(task: SourceTask, file: Path) -> dict[str, str]:
    """What those of them without parameters stand for, also above or below a place where they are none; nothing where
    that is not one text."""
    known: dict[str, str] = {}
    for found in _STANDS_FOR.findall(_definitions(task, file)):
        name, text = (part.decode("utf-8", "replace").strip() for part in found)
        known[name] = text if known.get(name, text) == text else ""
    return known


_LINE = regex(rb'^# (\d+) "((?:[^"\\\n]|\\.)*)"')


def compiled_lines(task: SourceTask, file: Path) -> frozenset[tuple[str, int]]:
    """Lines of files, as directives call them, with code or comments that no directive leaves out."""
    found, name, line = set[tuple[str, int]](), "", 0
    for text in _preprocessed(task, file, "-C").split(b"\n"):
        marker = _LINE.match(text)
        if marker is not None:
            line, name = int(marker[1]), os.fsdecode(marker[2].replace(b"\\\\", b"\\"))
            continue
        if text.strip():
            found.add((name, line))
        line += 1
    return frozenset(found)


def _definitions(task: SourceTask, file: Path) -> bytes:
    return _preprocessed(task, file, "-dD")


def _preprocessed(task: SourceTask, file: Path, option: str) -> bytes:
    """Nothing for a file that cannot be preprocessed."""
    with tempfile.TemporaryDirectory(prefix="counterpoint-") as folder:
        told = Path(folder) / "macros"
        command = invocation(task.alone(file), "-E", option, operand_of(file, folder))
        with told.open("wb") as output:
            _ran(command, folder, output)
        return told.read_bytes()


def _ran(command: list[str], folder: str, output: BinaryIO | None = None) -> tuple[int, str]:
    """As `run_compiler`. Raises UnusableInput where there is no such compiler."""
    try:
        return run_compiler(command, environment(folder), output)
    except OSError as error:
        raise UnusableInput(f"{command[0]}: cannot be run ({error.strerror}): check --cc") from None


def _with_declarations(command: list[str], said: str, folder: str) -> bytes | None:
    """The bitcode with library functions declared that were called undeclared; None if there are none.

    Also None where the declarations do not go with what the file says of these names elsewhere.
    """
    text = declarations(said)
    if not text:
        return None
    header, output = Path(folder) / "undeclared.h", Path(folder) / "declared.bc"
    header.write_text(text, "utf-8")
    again = [*command[:-1], str(output)]
    again[again.index("-c") : again.index("-c")] = ["-include", str(header)]
    status, _ = run_compiler(again, environment(folder))
    return output.read_bytes() if status == 0 and output.exists() else None


def _translated(file: Path, language: str, folder: str) -> Path:
    """The C form of a file in another language."""
    declared = languages.language(language)
    if declared is None:
        raise InternalError(f"`{language}` is no language that is translated to C")
    written = Path(folder) / "program.c"
    written.write_bytes(declared.translate(file).encode("utf-8", "surrogateescape"))
    return written


def flags(task: SourceTask) -> list[str]:
    """clang's arguments for the task, without input and output files, and without those of single files."""
    triple = task.target or TRIPLES.get(task.data_model)
    if triple is None:
        raise UnusableInput(f"unknown data model `{task.data_model}`: choose {' or '.join(TRIPLES)}")
    wanted = properties.named(task.property).compile_flags
    if task.is_translated:
        task = replace(task, include=(), defines=(), std="c11", extra=("-fbracket-depth=100000",))
    for option, words in (("-I", task.include), ("-D", task.defines), ("--std", (task.std,))):
        if not all(words):
            raise UnusableInput(f"{option} is empty: name a value, or leave it out")  # it would take the next word
    macros = (*task.defines, *(word[2:] for word in task.extra if word.startswith(("-D", "-U"))))
    for macro in macros:
        if _MACRO.match(macro) is None:  # `@file` would be read as a file of options
            raise UnusableInput(f"-D {macro}: is no macro: write NAME or NAME=VALUE")
    includes = [f"-I{folder}" for folder in task.include]
    defines = [f"-D{define}" for define in task.defines]
    taking = [f"-D{variable}"] if (variable := va_arg.macro(triple)) else []
    return [
        f"--target={triple}", "-x", "c", f"-std={task.std}", *_FLAGS, *taking, *wanted, *_OLD_CODE,
        *_CLAUSES, *compiler_warnings.FLAGS, *typeof_unqual.FLAGS, *untested.FLAGS, *includes, *defines,
        *task.extra, f"-idirafter{HEADERS}", *_LAST,
    ]  # fmt: skip


def fingerprint(task: SourceTask) -> str:
    """Identifies compiler and options, for caches of compiled models."""
    compiler = str(task.cc) if task.cc else zig()
    stamp = Path(compiler).stat().st_mtime_ns if Path(compiler).exists() else 0
    text = "\0".join([compiler, str(stamp), *flags(task), repr(task.own)])
    return hashlib.sha256(text.encode()).hexdigest()[:24]


@cache
def zig() -> str:
    """The zig executable of the ziglang wheel. Raises UnusableInput if the wheel is not installed."""
    found = importlib.util.find_spec("ziglang")
    if found is not None and found.origin is not None:
        for name in ("zig", "zig.exe"):
            if (path := Path(found.origin).parent / name).exists():
                return str(path)
    raise UnusableInput("clang is missing: `pip install ziglang`, or name a clang with --cc")


def invocation(task: SourceTask, *more: str) -> list[str]:
    """The compiler with its arguments for the task, as far as every clang knows them, and more."""
    options = [option for option in flags(task) if not (task.cc and option in _NOT_EVERYWHERE)]
    return [*([task.cc] if task.cc else [zig(), "cc"]), *options, *more]


def environment(folder: str) -> dict[str, str]:
    """zig keeps every output it ever made; here it keeps them in a folder that is removed."""
    caches = dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), f"{folder}/zig")
    return {**os.environ, **caches, "LC_ALL": "C"}


def operand_of(file: Path, folder: str) -> str:
    """A file as an argument: safe from being taken for an option, or for a file of options."""
    named = _named(file, folder)
    return f"./{named}" if str(named).startswith("-") else str(named)


def _named(file: Path, folder: str) -> Path:
    """A file that stands for one whose path, as zig may shorten it, begins with `@`: clang would read it as a file of
    options. It includes that one."""
    full = os.path.abspath(file)  # noqa: PTH100 (links stay)
    if not any(part.startswith("@") for part in Path(full).parts):
        return file
    if not shown(full) == full or any(character in full for character in '"\\'):
        raise UnusableInput(f"{file}: such a name cannot be compiled: rename it")
    written = Path(folder) / "named.c"
    written.write_text(f'#include "{full}"\n', "utf-8")
    return written


_NO_LIST = regex(r"fail\w+ (?:to parse|parsing) 'tmp/")
"""How zig says that it cannot read the list of what clang read: `:`, a backslash or a line's end in the names."""


_TARGETS = "info: available "
"""What zig says, and then lists, where it does not know a target's parts."""


def _failure(file: Path, diagnostics: str, task: SourceTask) -> CompilationFailed:
    if "error in backend: Broken module found" in diagnostics:
        said = diagnostics.strip().partition("\n")[0]
        return CompilationFailed(f"{file}: LLVM refuses the program: {said}", diagnostics)
    if _NO_LIST.search(diagnostics):
        return CompilationFailed(f"{file}: such a name cannot be compiled: rename it", diagnostics)
    first = _DIAGNOSTIC.search(diagnostics)
    if first is not None:
        where = str(file) if first["where"] in ("clang", "error", "zig") else first["where"]
        missing = ": give its folder by -I, or the project's by -p (docs/cmake.md)" * first["text"].endswith(_MISSING)
        return CompilationFailed(f"{where}: {first['text']}{missing}", diagnostics)
    lines = [line for line in diagnostics.splitlines() if line.strip()]
    if lines and lines[0].startswith(_TARGETS):
        return CompilationFailed(f"{file}: the target {task.target} is unknown: choose another --target", diagnostics)
    said = lines[0].removeprefix("error: ") if lines else "clang failed without a message"
    return CompilationFailed(f"{file}: {said}", diagnostics)
