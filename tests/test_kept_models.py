"""Compiled library models in the cache: what is not as it was written is made anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterpoint.frontend.c.library import Library, Part, _kept, _store

MADE = Library((Part(frozenset(("f",)), frozenset(), frozenset(("g",)), b"one\ntwo"), Part(frozenset(), frozenset(), frozenset(), b"x")))


def _written(folder: Path) -> tuple[Path, bytes]:
    path = folder / "models"
    _store(path, MADE)
    return path, path.read_bytes()


def test_what_was_kept_is_found(tmp_path: Path) -> None:
    path, _ = _written(tmp_path)
    assert _kept(path) == MADE


@pytest.mark.parametrize("size", [0, 1, 64, 65, 80, -1])
def test_a_file_that_was_cut_off_is_none(tmp_path: Path, size: int) -> None:
    path, content = _written(tmp_path)
    path.write_bytes(content[:size])
    assert _kept(path) is None


def test_a_file_with_another_byte_is_none(tmp_path: Path) -> None:
    path, content = _written(tmp_path)
    for place in (0, 70, len(content) - 1):
        path.write_bytes(content[:place] + bytes((content[place] ^ 1,)) + content[place + 1 :])
        assert _kept(path) is None


def test_a_file_of_an_earlier_version_is_none(tmp_path: Path) -> None:
    path, content = _written(tmp_path)
    path.write_bytes(content.partition(b"\n")[2])
    assert _kept(path) is None
