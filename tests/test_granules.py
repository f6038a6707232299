"""Element sizes of arrays: what is built again after a conflict, and when that ends."""

from __future__ import annotations

import pytest

from counterpoint.core.errors import Unsupported
from counterpoint.semantics.granules import GranuleConflict, each_with_granules, with_granules


def test_after_a_conflict_all_is_made_again_with_what_is_known_then() -> None:
    seen: list[dict[str, int]] = []

    def make(granules: dict[str, int]) -> int:
        seen.append(dict(granules))
        for origin in ("a", "b"):
            if granules.get(origin) != 1:
                granules[origin] = 1
                raise GranuleConflict(origin)
        return len(seen)

    assert with_granules(make) == 3
    assert seen == [{}, {"a": 1}, {"a": 1, "b": 1}]


def test_what_is_known_already_is_used_and_extended() -> None:
    known = {"a": 4}

    def make(granules: dict[str, int]) -> int:
        granules["b"] = 8
        return granules["a"]

    assert with_granules(make, known) == 4
    assert known == {"a": 4, "b": 8}


def test_a_conflict_that_changes_nothing_ends_it() -> None:
    def make(granules: dict[str, int]) -> int:
        granules["heap"] = 1
        raise GranuleConflict("heap")

    with pytest.raises(Unsupported, match="no array of bytes for heap"):
        with_granules(make)


@pytest.mark.parametrize(("agreed", "calls"), [(False, 1), (True, 2)])
def test_all_parts_are_made_with_the_same_sizes(agreed: bool, calls: int) -> None:
    """A part that was made before an array had a size is made again, where they have to agree."""
    made: list[int] = []

    def make(granules: dict[str, int]) -> int:
        made.append(granules.get("a", 16))
        granules.setdefault("a", 4)
        return made[-1]

    assert with_granules(make, agreed=agreed) == (4 if agreed else 16)
    assert len(made) == calls


def test_only_what_asked_for_a_changed_size_is_made_again() -> None:
    made: list[str] = []
    needs = {"first": ("a",), "second": ("b",), "third": ("a", "c")}

    def make(key: str, granules: dict[str, int]) -> tuple[int | None, ...]:
        made.append(key)
        if key == "third" and granules.get("a") != 1:
            granules["a"] = 1
            raise GranuleConflict("a")
        return tuple(granules.get(origin) for origin in needs[key])

    found, granules = each_with_granules(make, needs)
    assert found == {"first": (1,), "second": (None,), "third": (1, None)}
    assert list(found) == list(needs)
    assert granules == {"a": 1}
    assert made == ["first", "second", "third", "third", "first"]


def test_one_of_several_whose_conflict_changes_nothing_ends_it() -> None:
    def make(key: str, granules: dict[str, int]) -> int:
        granules["heap"] = 1
        raise GranuleConflict("heap")

    with pytest.raises(Unsupported, match="no array of bytes for heap"):
        each_with_granules(make, ["a", "b"])
