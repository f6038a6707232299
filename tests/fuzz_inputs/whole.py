"""The command itself on odd input, in a folder that shows whatever it does there.

A run is right if it ends in time with 0, 1, 2 or 3; with 1 only if its verdict could be read and is FALSE; with 2 with one line on
stderr (none where stderr cannot be written); and if no file is new but those asked for, and no compiler was started but ours.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from fuzz_inputs.doors import OPTIONS, PRP, VALUES, YML, YML_PIECES
from fuzz_inputs.odd import TEXTS, mutated

BUG = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void *malloc(__SIZE_TYPE__);
int main(void) {
    int n = __VERIFIER_nondet_int();
    unsigned char *p = malloc(2);
    if (n == 7 && p[0] == 3) reach_error();
    return 0;
}
"""
LOOP = """extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) { unsigned i = 0, n = __VERIFIER_nondet_int(); while (i < n) { if (i > n) reach_error(); i++; } return 0; }
"""
LABELS = ('a b', '@f', '"', '\\\\', '\\n', '%n', '\\x1b[31m', '\\xe2\\x80\\xae', '', 'main', '__cp_main', '\\1x', 'llvm.memcpy', '\\xff', '$', '-', 'a\\0b')
CALLS = ("__cp_assume(1)", "__cp_nondet_i32(0)", "__cp_free(0)", "__cp_check(0, 1)", "__cp_rt_block(3)", "__cp_local(3)", "__cp_main()", "__cp_", "__cp_stop(1)")
FILES = ("/etc/shadow", "/proc/self/environ", "pipe", "<libc>/string.c", "<generated>", "\\x1b]0;x\\7", "\\xff", "", "..", "p.c", "\\\\", "\u202e.c")

COMMAND = (sys.executable, "-m", "counterpoint")


class Sandbox:
    """A folder with programs, results of them, and a compiler that leaves a mark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "bug.c").write_text(BUG)
        (folder / "loop.c").write_text(LOOP)
        (folder / "p.prp").write_text(PRP)
        mark = folder / "mark.sh"
        mark.write_text(f"#!/bin/sh\ntouch {folder}/STARTED\nexit 1\n")
        mark.chmod(0o755)
        self.run(["check", "bug.c", "--engine", "random,bmc", "--json", "bug.json"], folder)
        self.run(["check", "loop.c", "--engine", "houdini", "--json", "loop.json"], folder)

    def run(self, arguments: list[str], folder: Path, **streams: object) -> subprocess.CompletedProcess[bytes]:
        environment = {**os.environ, "TMPDIR": str(folder), "COLUMNS": "80"}
        given = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.run([*COMMAND, *arguments], cwd=folder, env=environment, timeout=120, check=False, **given)  # type: ignore[call-overload, no-any-return]

    def attempt(self, choose: random.Random, folder: Path) -> str:
        """One run in a fresh copy; "" or what is wrong with it."""
        shutil.copytree(self.folder, folder)
        arguments, allowed = choose.choice(KINDS)(choose, folder)
        before = _listing(folder)
        streams, readable = _streams(choose)
        done = self.run([*arguments, *LIMITS], folder, **streams)
        made = _listing(folder) - before - {"STARTED"}
        problems = [f"made {sorted(made - allowed)}"] if made - allowed else []
        if (self.folder / "STARTED").exists():
            (self.folder / "STARTED").unlink()
            problems.append("started the compiler that the input named")
        said = (done.stdout or b"") + (done.stderr or b"")
        problems += ["traceback"] if b"Traceback" in said else []
        problems += ["a control character"] if _odd(said) else []
        problems += _judged(done, readable)
        return f"{arguments!r} {streams!r}: {'; '.join(problems)}: {said[-500:]!r}" if problems else ""


LIMITS = ("--timeout", "20")


def _judged(done: subprocess.CompletedProcess[bytes], readable: bool) -> list[str]:
    found = []
    if done.returncode not in (0, 1, 2, 3):
        found.append(f"exit status {done.returncode}")
    if done.returncode == 1 and (not readable or b"VERDICT: FALSE" not in (done.stdout or b"")):
        found.append("status 1 without a verdict")
    if done.returncode == 2 and done.stderr is not None and len(done.stderr.splitlines()) != 1:
        found.append(f"{len(done.stderr.splitlines())} lines on stderr")
    return found


def _odd(said: bytes) -> bool:
    text = said.decode("utf-8", "replace")
    return any(not (c.isprintable() or c == "\n") for c in text)


def _listing(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def _streams(choose: random.Random) -> tuple[dict[str, object], bool]:
    """How the command is started, and whether its stdout can be read."""
    match choose.randrange(8):
        case 0:
            return {"stdout": Path("/dev/full").open("w")}, False
        case 1:
            return {"stdout": None, "preexec_fn": lambda: os.close(1)}, False
        case 2:
            return {"stderr": None, "preexec_fn": lambda: os.close(2)}, True
        case 3:
            return {"stdin": None, "preexec_fn": lambda: os.close(0)}, True
    return {}, True


# ---------------------------------------------------------------- kinds of run: arguments, and files that may be new

Kind = Callable[[random.Random, Path], tuple[list[str], set[str]]]


def _again(choose: random.Random, folder: Path) -> tuple[list[str], set[str]]:
    import json

    name = choose.choice(("bug", "loop"))
    document = json.loads((folder / f"{name}.json").read_text())
    if choose.random() < 0.4:
        compilation = {"cc": str(folder / "mark.sh"), "include": ["@x"], "defines": ["X -o out"], "std": "gnu11 -o out", "target": "x86_64-linux-musl"}
        key = choose.choice(list(compilation))
        document["compilation"][key] = compilation[key]
    else:
        evidence = "counterexample" if document["counterexample"] else "proof"
        document[evidence] = mutated(document[evidence], choose)
    (folder / "r.json").write_text(json.dumps(document))
    more = ["--harness", "h.c"] if (harness := name == "bug" and choose.random() < 0.3) else []
    return [choose.choice(("certify", "replay")) if not harness else "replay", f"{name}.c", "r.json", *more], {"h.c"}


def _text(choose: random.Random, folder: Path) -> tuple[list[str], set[str]]:
    """Odd labels, calls and `#line` in a program; odd names of the file."""
    text = BUG
    match choose.randrange(4):
        case 0:
            text = text.replace("extern void reach", f'int g asm("{choose.choice(LABELS)}") = 3;\nextern void reach').replace("n == 7", "n == g")
        case 1:
            text = text.replace("if (n", f"{choose.choice(CALLS)}; if (n")
        case 2:
            os.mkfifo(folder / "pipe")
            text = text.replace("    int n", f'#line {choose.choice((0, 1, 3, 2**31 - 1, 2**32))} "{choose.choice(FILES)}"\n    int n')
        case 3:
            message = choose.choice((r"\x1b[31m", r"a\nb", "é" * 3000))
            text = text.replace("reach_error();\n", f'_Static_assert(0, "{message}");\n')
    name = choose.choice(("p.c", "@p.c", "-p.c", "ü ö.c", "a\nb.c", "\x1b[1m.c", "\u202ec.c", "q\\.c", os.fsdecode(b"\xff.c")))
    (folder / name).write_text(text)
    (folder / "p.c.rsp").write_text("-o out")
    made = {"o.json", "o.html", "o.sarif"}
    return ["check", "--engine", "random", "--json", "o.json", "--html", "o.html", "--sarif", "o.sarif", "--", name], made


def _task(choose: random.Random, folder: Path) -> tuple[list[str], set[str]]:
    text = YML.replace("'p.c'", choose.choice(("'bug.c'", "['@bug.c']", "bug.c\0", "/dev/zero", "pipe", *YML_PIECES)))
    os.mkfifo(folder / "pipe")
    (folder / "@bug.c").write_text(BUG)
    (folder / "t.yml").write_text(text)
    return ["check", "t.yml", "--engine", "random"], set()


def _options(choose: random.Random, folder: Path) -> tuple[list[str], set[str]]:
    option, value = choose.choice(OPTIONS[:24]), choose.choice((*VALUES, *TEXTS)).replace("\0", "")[:5000]
    value = value.encode("utf-8", "surrogateescape" if value == "\udcff" else "replace").decode("utf-8", "surrogateescape")
    return ["check", "bug.c", "--engine", "random", option, value], set()


KINDS: tuple[Kind, ...] = (_again, _again, _text, _text, _task, _options)
