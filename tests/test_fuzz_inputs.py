"""A few seconds of `make fuzz-inputs`."""

from __future__ import annotations

from pathlib import Path

import pytest

from fuzz_inputs.__main__ import in_process, whole
from fuzz_inputs.doors import DOORS


def test_every_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    counted, found = in_process(0, 400, tmp_path / "doors")
    assert found == []
    assert {key.split()[0] for key in counted} == set(DOORS)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert whole(1, 3, tmp_path) == []
