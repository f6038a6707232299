"""Patterns that wait are patterns, and none in the package is one that `re` refuses."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import counterpoint
from counterpoint.core.patterns import regex

TEXTS = ("", "ab12", "no digit", "12 34")


@pytest.mark.parametrize(("pattern", "flags"), [(r"(?P<number>\d+)", 0), ("AB", re.IGNORECASE), (r"^(\w)(\w)?", 0)])
def test_a_waiting_pattern_does_what_a_compiled_one_does(pattern: str, flags: int) -> None:
    for text in TEXTS:
        waiting, compiled = regex(pattern, flags), re.compile(pattern, flags)
        for _ in range(2):
            assert waiting.findall(text) == compiled.findall(text)
            assert waiting.sub("-", text) == compiled.sub("-", text)
            assert [found.span() for found in waiting.finditer(text)] == [
                found.span() for found in compiled.finditer(text)
            ]
            assert (waiting.match(text) is None) == (compiled.match(text) is None)
        assert (waiting.pattern, waiting.flags, waiting.groups) == (pattern, compiled.flags, compiled.groups)


def test_what_re_refuses_is_refused_at_the_first_use() -> None:
    broken = regex("(")
    with pytest.raises(re.error):
        broken.match("")


def test_each_pattern_of_the_package_is_one() -> None:
    found = 0
    for module in pkgutil.walk_packages(counterpoint.__path__, "counterpoint."):
        if module.name.endswith("__main__"):
            continue
        for value in vars(importlib.import_module(module.name)).values():
            if type(value) is type(regex("")):
                assert re.compile(value.pattern).groups == value.groups
                found += 1
    assert found > 300
