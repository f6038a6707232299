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
    assert run(again, "p.c", "r.json", *chosen) == status
    assert run(again, "p.c", "r.json", *chosen[2:]) == 2
    result["compilation"]["asm"] = "unsupported"
    Path("r.json").write_text(json.dumps(result))
    assert run(again, "p.c", "r.json", *chosen[2:]) == 3  # another program: the assembly has no meaning there


def test_claims_are_exported_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.c").write_text(HOLDS.replace('asm("frob %0" : "=r"(v));', ""))
    assert run("check", "p.c", "--engine", "bmc", "--json", "r.json") == 0
    assert run("certify", "p.c", "r.json", "--strict", "--export", "claims") == 0
    listed = json.loads(Path("claims/index.json").read_text())["claims"]
    assert sorted(p.name for p in Path("claims").iterdir()) == [*(c["file"] for c in listed), "index.json"]
    assert all(Path("claims", c["file"]).read_text().startswith(f"; {c['claim']}\n; expected: unsat") for c in listed)
    capfd.readouterr()
    for refused in ("claims", "p.c", "missing/claims"):
        assert run("certify", "p.c", "r.json", "--export", refused) == 2
        assert refused in capfd.readouterr().err
    result = json.loads(Path("r.json").read_text())
    result["proof"] |= {"kind": "inductive-invariants"}
    result["proof"]["content"] |= {"facts": [{"function": "nobody", "block": 3, "formula": "true"}], "granules": []}
    Path("r.json").write_text(json.dumps(result))
    assert run("certify", "p.c", "r.json", "--export", "others") == 2  # it has no claims
    assert not Path("others").exists() and sorted(p.name for p in tmp_path.iterdir()) == ["claims", "p.c", "r.json"]
