"""--asm and --volatile: kept in the result, so that what is checked again is the same program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterpoint.cli.command import run_command

FAILS = """extern void reach_error(void);
int main(void) { volatile int v = 1; asm("frob %0" : "=r"(v)); if (v == 7) reach_error(); return 0; }
"""
HOLDS = FAILS.replace("v == 7", "v - v > 0 && sizeof v == 3")


def run(*arguments: str) -> int:
    return run_command(list(arguments))


@pytest.mark.parametrize(("text", "again", "status"), [(FAILS, "replay", 1), (HOLDS, "certify", 0)])
def test_results_keep_the_options(
    text: str, again: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(text)
    chosen = ("--asm", "outputs-only", "--volatile", "arbitrary")
    assert run("check", "p.c", "--jobs", "1", "--json", "r.json", *chosen) == status
    result = json.loads(Path("r.json").read_text())
    assert (result["compilation"]["asm"], result["compilation"]["volatile"]) == ("outputs-only", "arbitrary")
    listed = " ".join(result["assumptions"])
    assert "inline assembly at p.c:2" in listed and "every read of volatile memory" in listed
    assert run(again, "p.c", "r.json") == status
    result["compilation"].pop("asm")
    Path("r.json").write_text(json.dumps(result))
    assert run(again, "p.c", "r.json") == 3  # another program: the assembly has no meaning there
