"""The project's own files: contracts name every engine, sources are small, examples answer as the demo says."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

import counterpoint
from counterpoint import engines

ROOT = Path(__file__).parent.parent


def test_no_engine_is_missing_from_the_contract() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    named = contracts["importlinter:contract:engines"]["modules"].split()
    assert sorted(named) == [f"counterpoint.engines.{name}" for name in engines.names()]


def test_every_package_has_a_layer() -> None:
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    listed = set(contracts["importlinter:contract:layers"]["layers"].replace(":", " ").split())
    packages = {path.parent.name for path in (ROOT / "src" / "counterpoint").glob("*/__init__.py")}
    assert packages <= {name.strip("()") for name in listed}


@pytest.mark.parametrize(("name", "verdict"), [("ring_buffer", "TRUE"), ("median", "FALSE(unreach-call)"), ("fill", "TRUE")])
def test_examples(name: str, verdict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = counterpoint.check(ROOT / "examples" / f"{name}.c", timeout=60.0)
    assert result.verdict == verdict, result.detail
