"""Results that were changed by hand, through the commands: what they say of options, and inputs that no run has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterpoint.cli.command import run_command
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result_file import _OPTIONS

Document = dict[str, Any]

HEAD = "extern int *get(void); extern void reach_error(void); extern _Bool __VERIFIER_nondet_bool(void);\n"
POINTERS = HEAD + """extern int *__VERIFIER_nondet_pointer(void); int g = 3;
int main(void) {
    int x = 4, *p = get(), *q = __VERIFIER_nondet_pointer();
    _Bool b = __VERIFIER_nondet_bool();
    unsigned s = 0;
    for (unsigned i = 0; i < N; i++) s += i ^ (s >> 3);
    if ((long)p & 3 || (long)q & 0xffff) reach_error();
    if (p == &g || q == &x || (p && p == q)) reach_error();
    if (b != 0 && b != 1) reach_error();
    return s == 1;
}
"""
SAFE = "int main(int argc, char **argv) { unsigned char c = argc; return c > 255 || argv[argc]; }\n"


@pytest.fixture
def proved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Document:
    """The result for SAFE, in the working directory."""
    monkeypatch.chdir(tmp_path)
    return checked(SAFE, capfd)


def checked(text: str, capfd: pytest.CaptureFixture[str], *options: str) -> Document:
    Path("p.c").write_text(text)
    assert run_command(["check", "p.c", "--engine", "bmc", "--no-proof-runs", "--json", "r.json", *options]) == 0
    capfd.readouterr()
    document: Document = json.loads(Path("r.json").read_text())
    return document


def certified(document: object, capfd: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    Path("r.json").write_text(json.dumps(document))
    status = run_command(["certify", "p.c", "r.json", *options])
    said = capfd.readouterr()
    return status, said.out, said.err


# ---------------------------------------------------------------- what was asked


def test_all_options_of_the_compilation_are_compared() -> None:
    assert _OPTIONS.keys() == Request(()).compilation().keys()


OTHER: dict[str, tuple[Callable[[Document], object], tuple[str, ...], str]] = {
    "callbacks": (lambda r: r["compilation"].update(callbacks="before-return"), (), "give --callbacks before-return"),
    "assembly": (lambda r: r["compilation"].update(asm="outputs-only"), (), "made with --asm outputs-only, not with --asm unsupported"),
    "assembly now": (lambda r: None, ("--asm", "outputs-only"), "made with --asm unsupported, not with --asm outputs-only"),
    "addresses": (lambda r: r["compilation"].update(addresses="reused"), (), "give --addresses reused"),
    "volatile": (lambda r: r["compilation"].update(volatile="arbitrary"), (), "give --volatile arbitrary"),
    "addresses of before": (
        lambda r: r["compilation"].pop("addresses"), ("--addresses", "reused"), "not with --addresses reused",
    ),
    "volatile now": (lambda r: None, ("--volatile", "arbitrary"), "give --volatile ordinary"),
    "a limit": (lambda r: r["compilation"].update(malloc_limit=True), (), "made with --malloc-limit"),
    "a limit now": (lambda r: None, ("--malloc-limit",), "leave --malloc-limit out"),
    "failing now": (lambda r: None, ("--malloc-may-fail",), "made without --malloc-may-fail"),
    "defines now": (lambda r: None, ("-D", "char=int"), "made without -D, not with -D char=int: leave -D out"),
    "another target": (lambda r: None, ("--target", "i386-pc-linux-gnu"), "made without --target"),
    "data model now": (lambda r: None, ("--data-model", "ILP32"), "made with --data-model LP64, not with --data-model ILP32"),
    "property now": (lambda r: None, ("--property", "no-overflow"), "made with --property unreach-call"),
    "an option of another day": (lambda r: r["compilation"].update(colour="red"), (), "compilation has `colour`, an option that"),
    "an option that a terminal obeys": (lambda r: r["compilation"].update({"\x1b[2J": 1}), (), r"has `\x1b[2J`"),
    "no dialect": (lambda r: r["compilation"].pop("std"), (), "made without --std, not with --std gnu11"),
    "no choice": (lambda r: r["compilation"].pop("volatile"), (), "made without --volatile"),
    "not a truth": (lambda r: r["compilation"].update(malloc_limit="yes"), (), "malloc_limit is"),
    "not a list": (lambda r: r["compilation"].update(defines="A"), (), "expected a list"),
    "a part of the digest": (lambda r: r.update(digests=[r["digests"][0][:-1]]), (), "p.c has other contents"),
    "no digest": (lambda r: r.update(digests=[]), (), "expected one for each of `files`"),
    "no file": (lambda r: r.update(digests=[], files=[]), (), "is about 0 files"),
    "twice": (lambda r: r.update(digests=2 * r["digests"], files=2 * r["files"]), (), "is about 2 files"),
    "another schema": (lambda r: r.update(schema_version=2), (), "has schema version 2"),
    "no evidence": (lambda r: r.update(proof=None), (), "there is no counterexample"),
    "no proof to export": (lambda r: r.update(proof=None), ("--strict",), "holds no proof"),
    "another kind": (lambda r: r["proof"].update(kind="k-induction"), (), "has no `k`"),
    "steps without end": (lambda r: r["proof"].update(kind="k-induction", content={"preparation": "flat", "k": 1 << 40}), (), "k is"),
    "a preparation": (lambda r: r["proof"]["content"].update(preparation="default"), (), "preparation is `default`"),
    "numbers as names": (lambda r: r["proof"]["content"].update(cuts=[1]), (), "cuts[0] is 1: expected a text"),
}  # fmt: skip


def test_what_was_made_for_something_else_is_refused(proved: Document, capfd: pytest.CaptureFixture[str]) -> None:
    before = sorted(Path.cwd().iterdir())
    for name, (change, options, said) in OTHER.items():
        document = json.loads(json.dumps(proved))
        change(document)
        status, out, err = certified(document, capfd, *options)
        assert (status, out) == (2, "") and said in err and len(err.splitlines()) == 1, (name, err)
    assert sorted(Path.cwd().iterdir()) == before


def test_the_proof_of_one_program_for_another(proved: Document, capfd: pytest.CaptureFixture[str]) -> None:
    Path("p.c").write_text(HEAD + "int main(void) { if (__VERIFIER_nondet_bool()) reach_error(); return 0; }\n")
    assert run_command(["check", "p.c", "--engine", "bmc", "--json", "other.json"]) == 1
    capfd.readouterr()
    other = json.loads(Path("other.json").read_text())
    for given in (proved | {"digests": other["digests"]}, other | {"proof": proved["proof"]}):
        status, out, _ = certified(given, capfd)
        assert status == 3 and out.endswith("VERDICT: UNKNOWN(EVIDENCE_REJECTED)\n")


# ---------------------------------------------------------------- inputs that no run has


def scalars(value: int, bits: int = 64) -> list[Document]:
    return [{"site": site, "value": value, "bits": bits} for site in range(4)]


INPUTS = {
    "beside an external object": scalars(0x7000_0200_0001),
    "inside one": scalars(0x7000_0200_8000),
    "an object of the program": scalars(0x10000),
    "a wide truth value": scalars(2),
    "all bits": scalars((1 << 64) - 1),
    "bytes": [{"site": site, "size": 64, "contents": [[at, 7] for at in range(64)]} for site in range(-2, 4)],
}


@pytest.mark.parametrize("count", [3, 60_000_000], ids=["interpreted", "native alone"])
def test_inputs_that_no_run_has(
    count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    document = checked(POINTERS.replace("N", "3"), capfd)
    Path("p.c").write_text(POINTERS.replace("N", str(count)))
    document["digests"] = [digest("p.c")]
    for name, inputs in INPUTS.items() if count == 3 else list(INPUTS.items())[:1]:
        forged = document | {"verdict": "FALSE(unreach-call)", "proof": None}
        forged["counterexample"] = {"check": 0, "inputs": inputs, "preparation": "none"}
        status, out, err = certified(forged, capfd)
        assert status == 3 and "VERDICT: UNKNOWN(" in out and not err, (name, out, err)


def digest(name: str) -> str:
    from hashlib import sha256

    return sha256(Path(name).read_bytes()).hexdigest()
