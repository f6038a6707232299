"""Every door by itself, in this process: odd input goes in, and comes out as a value or as one line.

A door is a function of a random generator and an empty folder. It may return, or raise CounterpointError; anything else
is a finding, and so is an error of more than one line once it is shown.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterpoint.benchmarking.side_by_side import read_runs, side_by_side_lines
from counterpoint.benchmarking.tasks import collect
from counterpoint.core.errors import UnusableInput
from counterpoint.core.printable import shown
from counterpoint.core.source import SourceLocation
from counterpoint.frontend.c import clang
from counterpoint.frontend.task import SourceTask
from counterpoint.portfolio.compilation_database import compilation_database
from counterpoint.portfolio.request import Request, source_task
from counterpoint.portfolio.result import (
    Change,
    CheckResult,
    Counterexample,
    ExecutedLine,
    InputValue,
    Invariant,
    Outcome,
    Proof,
)
from counterpoint.portfolio.result_file import (
    read_result,
    refuse_differences,
    stored_evidence,
    stored_proof,
    stored_violation,
)
from counterpoint.portfolio.task_definition import property_named
from counterpoint.program.source_lines import SourceLines
from counterpoint.report.html import as_html
from counterpoint.report.json import as_json
from counterpoint.report.lines import clean
from counterpoint.report.sarif import as_sarif
from counterpoint.report.terminal import lines_of
from fuzz_inputs.odd import TEXTS, TOKENS, as_bytes, mutated, odd, spliced, with_bytes
from fuzz_inputs.programs import block_graph, simple_c

Door = Callable[[random.Random, Path], object]

PROGRAM = "int main(void) { return 0; }\n"


# ---------------------------------------------------------------- results


def _fact(function: str = "main", block: int = 1) -> dict[str, object]:
    text = "(declare-const |main:%x| (_ BitVec 32))\n(assert (bvult |main:%x| (_ bv5 32)))\n"
    return {"function": function, "block": block, "formula": text}


BASE = CheckResult(
    Outcome.UNKNOWN, "unreach-call", ("p.c",), "LP64", "main", compilation=Request((Path("p.c"),)).compilation(), digests=("ab" * 32,)
)
_AT = SourceLocation("p.c", 1, 2, "main")
_FALSE = replace(
    BASE,
    outcome=Outcome.FALSE,
    violated="unreach-call",
    counterexample=Counterexample(
        check=0, kind="unreach-call", message="reach_error() is called", at=_AT, preparation="flat",
        inputs=(
            InputValue(0, "call", "__VERIFIER_nondet_int", "int", _AT, bits=32, value=7, text="7"),
            InputValue(1, "heap", "malloc", "", _AT, size=8, contents=((3, 7), (5, 255))),
        ),
        steps=(ExecutedLine(_AT, "int n = 7;", (Change("n", "7", "0x7"),)),),
        confirmed=("the interpreter",),
    ),
)  # fmt: skip
_FACTS = {"preparation": "flat", "facts": [_fact()], "granules": [["main:x", 4]]}
_INDUCTIVE = {**_FACTS, "hints": [["0a", "0b", "0c"], []]}
_PROOFS: dict[str, dict[str, object]] = {
    "complete-unrolling": {"preparation": "flat", "cuts": ["a", "b"]},
    "inductive-invariants": _INDUCTIVE,
    "function-summaries": _FACTS,
    "k-induction": {**_FACTS, "k": 2, "simple_path": False},
    "region-graph": {"preparation": "modular", "regions": [_fact(), _fact()], "edges": [[-1, 0], [0, 1]], "granules": []},
}
RESULTS: list[dict[str, Any]] = [
    json.loads(as_json(result))
    for result in (_FALSE, *(replace(BASE, outcome=Outcome.TRUE, proof=Proof(kind, "", what)) for kind, what in _PROOFS.items()))
]


def result(choose: random.Random, folder: Path) -> object:
    path = folder / "r.json"
    path.write_bytes(as_bytes(mutated(choose.choice(RESULTS), choose), choose))
    document = read_result(path)
    refuse_differences(document, BASE)
    return choose.choice((stored_evidence, stored_proof, stored_violation))(document)


OWN_SCRIPTS = 2
"""Elements of a page: its data, and the player."""


def report(choose: random.Random, folder: Path) -> None:
    """Odd names, places and messages in everything that is told of a result."""

    def text() -> str:
        return str(odd(choose)) if choose.random() < 0.2 else choose.choice(TEXTS)

    at = SourceLocation(text(), choose.choice((0, 1, 9)), 1, text(), SourceLocation(text(), 3))
    found = replace(
        _FALSE.counterexample, message=text(), at=at, notes=(text(),), confirmed=(text(),),  # type: ignore[type-var]
        inputs=(InputValue(0, text(), text(), text(), at, bits=8, value=3, text=text()),),
        steps=(ExecutedLine(at, text(), (Change(text(), text(), text()),), 1),),
    )  # fmt: skip
    proof = Proof("k", text(), {}, (Invariant(text(), at, (text(), text())),))
    said = {"files": (text(), text()), "detail": text(), "advice": (text(),), "assumptions": (text(),), "crash_reports": (text(),)}
    for result in (
        replace(_FALSE, counterexample=found, **said),
        replace(BASE, outcome=Outcome.TRUE, proof=proof, **said),
        replace(BASE, reason="OUT_OF_TIME", **said),
    ):
        lines = ["".join(piece for piece, _ in clean(line)) for line in lines_of(result, verbose=True)]
        assert all(line == shown(line) and len(line) < 1100 for line in lines)
        page, log, document = as_html(result), as_sarif(result), as_json(result)
        assert all(line == shown(line) for part in (page, log, document) for line in part.split("\n"))
        assert page.count("<script") == OWN_SCRIPTS and json.loads(log) and json.loads(document)
        for artifact in json.loads(log)["runs"][0]["artifacts"]:
            assert artifact["location"]["uri"].isascii() and " " not in artifact["location"]["uri"]


def line_of_source(choose: random.Random, folder: Path) -> None:
    """A place that only a `#line` names."""
    assert SourceLines({"p.c": "0" * 32}).line(SourceLocation(choose.choice((*TEXTS, "/dev/stdin", "/etc/shadow", "p.c")), 1)) == ""


# ---------------------------------------------------------------- tasks

YML = """format_version: '2.0'
input_files: 'p.c'
properties:
  - property_file: p.prp
    expected_verdict: false
    subproperty: valid-free
options:
  language: C
  data_model: LP64
"""
YML_PIECES = (
    "!!int zz", "!!python/object/apply:os.system [touch ran]", "&a [*a]", "*nowhere", "\0", "[" * 300, "{" * 300, "- " * 400, "!!binary x", "? [a]\n: b",
    "<<: *x", "%YAML 9.9\n---", "2001-99-99", "1:2:3:4", ".nan", "0x", "\t", "--- a\n--- b", "!!timestamp q", "'p.c'", "[p.c, p.c]", "[]", "~", "\x85", "\u2028",
    "&a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e]",
)  # fmt: skip
PRP = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"


def _write(path: Path, text: str, choose: random.Random) -> None:
    path.write_bytes(with_bytes(text.encode("utf-8", "surrogatepass"), choose))


def _program(folder: Path) -> None:
    (folder / "p.c").write_text(PROGRAM)
    (folder / "p.prp").write_text(PRP)


def definition(choose: random.Random, folder: Path) -> object:
    _program(folder)
    lines = YML.splitlines()
    for _ in range(choose.randrange(1, 3)):
        index = choose.randrange(len(lines))
        name, sign, _ = lines[index].partition(":")
        piece = choose.choice((*YML_PIECES, *YML_PIECES, *TEXTS))
        lines[index] = f"{name}{sign} {piece}" if choose.random() < 0.8 else spliced(lines[index], choose, (piece,))
    _write(folder / "p.yml", "\n".join(lines), choose)
    if choose.random() < 0.3:
        return collect([folder / "p.yml"])
    return source_task(Request((folder / "p.yml",), property=choose.choice((None, "no-overflow"))))


def property_file(choose: random.Random, folder: Path) -> object:
    pieces = (*TEXTS, *TOKENS, "CHECK", "COVER(", "LTL(", "(" * 500, ")" * 500, "valid-free", "# ", "//", "\x85")
    said = ("call(reach_error())", "call(__VERIFIER_error())", "overflow", "undefined-shift", "valid-free", "valid-deref", "valid-memtrack", "end")
    lines = [f"CHECK( init(main()), LTL(G {choose.choice(('', '! '))}{choose.choice(said)}) )\n" for _ in range(choose.randrange(1, 4))]
    text = choose.choice((PRP, "".join(lines), "\n".join(lines)))
    for _ in range(choose.choice((0, 1, 2))):
        text = spliced(text, choose, pieces)
    _write(folder / "p.prp", text, choose)
    return property_named(str(folder / "p.prp"))


def task_set(choose: random.Random, folder: Path) -> object:
    _program(folder)
    (folder / "p.yml").write_text(YML)
    pieces = (*TEXTS, "*.yml", "[", "[a", "../p.yml", "p.*", "?", "#", "p.c", "**", "**/*", "a**b", "/", "/*.nothing", "//", ".", "..", "[!]", "[]-a]*")
    pieces = ("p.yml", "*.yml", "# p", "") if choose.random() < 0.3 else pieces
    _write(folder / "s.set", "\n".join(choose.choice(pieces) for _ in range(choose.randrange(1, 4))), choose)
    return collect([folder / "s.set"])


def database(choose: random.Random, folder: Path) -> object:
    _program(folder)
    words = ["cc", "-I", "inc", "-DX=1", "-std=c99", "-include", "h.h", "-isystem", "@x", "-D", "Y=2", "-o", "p.o", "p.c"]
    entry: dict[str, Any] = {"directory": str(folder), "file": "p.c"}
    entry |= {"command": " ".join(words)} if choose.random() < 0.5 else {"arguments": words}
    (folder / "compile_commands.json").write_bytes(as_bytes(mutated([entry, dict(entry)], choose), choose))
    files = (folder / "p.c",)
    told = compilation_database(folder)
    told.machine(files)
    flags = clang.flags(SourceTask(files, own=told.own(files)).alone(files[0]))
    assert all(not flag.startswith("@") and flag not in ("-I", "-D", "-U", "-include") and "\0" not in flag for flag in flags)
    return flags


ROW = {
    "tool": "counterpoint", "task": "a/b", "family": "a", "property": "unreach-call", "expected": True, "subproperty": "", "verdict": "TRUE",
    "kind": "correct", "seconds": 1.5, "status": 0, "engine": "bmc", "detail": "", "memory": 100, "stderr": "", "statistics": {"bmc": {"bound": 3}},
    "engines": [{"engine": "bmc", "seconds": 1.0}], "features": {},
}  # fmt: skip


def bench_run(choose: random.Random, folder: Path) -> object:
    run = {"format": 1, "version": "0.1.0", "settings": {"engine": "auto"}, "rows": [ROW, {**ROW, "task": "a/c", "tool": "z3"}]}
    for name in ("one.json", "two.json"):
        (folder / name).write_bytes(as_bytes(mutated(run, choose), choose))
    return [clean(line) for line in side_by_side_lines(read_runs([folder / "one.json", folder / "two.json"]))]


# ---------------------------------------------------------------- names and options


def file_name(choose: random.Random, folder: Path) -> object:
    """A source file of any name, or something else of that name."""
    name = "".join(choose.choice(("@", "-", "a", ".c", " ", "\n", "\x1b[1m", "ü", "\u202e", "\udcff", '"', "\\", "'", "#", "$", "%", "<libc>")) for _ in range(choose.randrange(1, 6)))
    path = folder / (name if name not in (".", "..") else "p.c")
    match choose.randrange(6):
        case 0:
            os.mkfifo(path)
        case 1:
            path.mkdir()
        case 2:
            path.symlink_to(choose.choice(("/dev/zero", "/dev/full", "/proc/self/mem", "/dev/tty", name, "/dev/stdin", "/proc/self/pagemap")))
        case _:
            path.write_bytes(choose.choice((PROGRAM.encode(), b"", b"\0", b"\xff\xfe")))
    assert not clang.operand_of(Path(path.name), str(folder)).startswith("-")
    return source_task(Request((path,)))


OPTIONS = (
    "--property", "--data-model", "--target", "--entry", "--callbacks", "--asm", "--volatile", "--malloc-may-fail", "--malloc-limit", "--engine", "--bound",
    "--sound", "--no-generate", "--jobs", "-O", "--option", "--timeout", "--memory", "--seed", "--prepare", "-I", "-D", "-std", "--std", "-p", "--cc",
    "--json", "--sarif", "--html", "--witness", "-v", "-q", "--bmc-bound", "--strategy", "--harness", "--out", "--", "--nonsense", "-h", "--version",
)  # fmt: skip
VALUES = (
    *TEXTS, "bmc", "auto", "auto,bmc", ",", "bmc.bound=3", "bmc.bound=x", "=", "bmc.=", "1", "-1", "1e3", "60", "4G", "999999999999999T", "٣", "9" * 400,
    "LP64", "no-overflow", "p.prp", "p.c", ".", "/dev/full", "/nowhere/x", "c11", "arm-linux-musleabi", "flat", "default", "1" * 400 + "s", "nan", "inf",
)  # fmt: skip


def options(choose: random.Random, folder: Path) -> object:
    """The command line, up to where work would begin."""
    from counterpoint.cli import command as cli

    _program(folder)
    arguments = [choose.choice(("check", "check", "check", "replay", "certify", "tests", "engines", "bench", "dump", "\x1b", ""))]
    arguments += [choose.choice(("p.c", "p.c", "p.yml", "nowhere.c", *TEXTS)) for _ in range(choose.randrange(3))]
    for _ in range(choose.randrange(4)):
        arguments.append(choose.choice(OPTIONS))
        if choose.random() < 0.7:
            arguments.append(choose.choice(VALUES).replace("\0", ""))
    status = cli.run_command([word.replace("\0", "").encode("utf-8", "replace").decode() for word in arguments])
    if status not in (0, 2):
        raise AssertionError(f"exit status {status}: {arguments!r}")
    return status


def refuse_to_work(request: Request, *_: object) -> CheckResult:
    """Stands for the check itself: reads all that the request names, and no more."""
    task = source_task(request)
    clang.flags(task)
    raise UnusableInput("enough")


DOORS: dict[str, tuple[Door, int]] = {
    "result": (result, 30), "report": (report, 4), "line": (line_of_source, 2), "definition": (definition, 15), "property": (property_file, 8),
    "set": (task_set, 5), "database": (database, 15), "bench": (bench_run, 8), "name": (file_name, 6), "options": (options, 7),
    "simple-c": (simple_c, 5), "graph": (block_graph, 5),
}  # fmt: skip
"""With how often each is tried."""
