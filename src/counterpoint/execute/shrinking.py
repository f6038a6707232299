"""Shrinks the inputs of a failing run: fewer, smaller and rounder ones, whose run is shorter and fails the same check.

Delta debugging (Zeller and Hildebrandt 2002) over the sequence of inputs, and over each of them, until no try is any
better. Runs read their inputs by site, and zeros where there are no more, so every sequence is one of some run.
What is better is lexicographic: fewer values that C leaves undetermined; fewer steps, in classes a quarter apart; fewer
inputs; fewer that are not of the simplest; less to read in these (simpler.py); these earlier; fewer steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, TypeAlias

from counterpoint.core.records import dataclass
from counterpoint.core.source import Site
from counterpoint.execute.native.trials import Edits
from counterpoint.execute.simpler import (
    is_number,
    is_undetermined,
    magnitude,
    rounder,
    simpler,
    simplest,
    towards_zero,
    weight,
)
from counterpoint.program.inputs import Input, MemoryInput, ScalarInput

_LEAST_BATCH, _BATCH = 16, 128
"""Tries that are handed over together, at first and at most."""

_WAYS = 8
"""Parts that an interval is cut into where the least size is looked for."""

_PAIR = 3
"""How far apart, among the inputs that are not the simplest, two are that may have to differ by a constant."""


@dataclass(frozen=True, slots=True)
class Failing:
    """A run that fails the check: the inputs that it consumed, its steps."""

    inputs: tuple[Input, ...]
    steps: int


class Tries(Protocol):
    """Runs of a program with edited inputs."""

    def first(
        self, base: tuple[Input, ...], candidates: Sequence[Edits], steps: int
    ) -> tuple[int, Failing] | None:
        """Which of the candidates, each an edited `base`, is the first that fails the check within so many steps, and
        its run."""


@dataclass(slots=True)
class Allowance:
    """What shrinking may cost: tries, and steps of them with the inputs that are handed over; `until` on the clock of
    time.monotonic(). The first two make it end at the same inputs whenever it is repeated."""

    tries: int
    work: int
    until: float

    def spent(self) -> bool:
        return self.tries <= 0 or self.work <= 0 or time.monotonic() >= self.until

    def spend(self, tries: int, work: int) -> None:
        self.tries -= tries
        self.work -= work


_Key: TypeAlias = tuple[int, int, int, int, int, int, int]


def shrink(
    tries: Tries, inputs: tuple[Input, ...], sites: tuple[Site, ...], allowance: Allowance, steps: int
) -> tuple[Input, ...] | None:
    """The best inputs that were found; None if nothing is better, or the run is longer than `steps`."""
    original = tries.first(inputs, ((),), steps)
    if original is None:
        return None
    shrinking = _Shrinking(tries, sites, allowance, original[1])
    before = shrinking.key
    shrinking.work()
    return shrinking.best.inputs if shrinking.key < before else None


def _class_of(steps: int) -> tuple[int, int]:
    """The class of a number of steps: its least and its greatest member."""
    shift = max(0, steps.bit_length() - 3)
    least = steps >> shift << shift
    return least, least + (1 << shift) - 1


class _Shrinking:
    def __init__(self, tries: Tries, sites: tuple[Site, ...], allowance: Allowance, first: Failing) -> None:
        self.tries = tries
        self.sites = sites
        self.allowance = allowance
        self.best = first
        self.key = self._key(first)

    def _key(self, run: Failing) -> _Key:
        weights = [weight(given, self.sites) for given in run.inputs]
        some = [at for at, heavy in enumerate(weights) if heavy]
        undetermined = sum(is_undetermined(run.inputs[at], self.sites) for at in some)
        least = _class_of(run.steps)[0]
        return undetermined, least, len(run.inputs), len(some), sum(weights), sum(some), run.steps

    def work(self) -> None:
        passes: tuple[Callable[[], None], ...] = (
            self._determine, self._end_sooner, self._drop, self._simplify_many, self._shorten,
            self._simplify_each, self._simplify_equal, self._simplify_pairs,
        )  # fmt: skip
        before: _Key | None = None
        while before != self.key and not self.allowance.spent():
            before = self.key
            for improve in passes:
                improve()

    # ------------------------------------------------------------ tries

    def _first(self, candidates: Iterable[Edits]) -> int | None:
        """Which of the candidates is the first that is better than the best; it is the best now."""
        left, size, done = iter(candidates), _LEAST_BATCH, 0
        while batch := list(islice(left, size)):
            while batch and (found := self._failing(batch)) is not None:
                index, run = found
                done += index + 1
                if (key := self._key(run)) < self.key:
                    self.best, self.key = run, key
                    return done - 1
                batch = batch[index + 1 :]
            done += len(batch)
            size = min(2 * size, _BATCH)
        return None

    def _failing(self, batch: list[Edits]) -> tuple[int, Failing] | None:
        """The first of the batch that fails, better or not."""
        if self.allowance.spent():
            return None
        found = self.tries.first(self.best.inputs, batch, _class_of(self.best.steps)[1])
        made = len(batch) if found is None else found[0] + 1
        self.allowance.spend(made, made * (self.best.steps + 20 * len(self.best.inputs) + 100))
        return found

    def _one(self, at: int, given: Input) -> Edits:
        return ((at, at + 1, (given,)),)

    def _heavy(self) -> list[int]:
        """Positions of inputs that are not the simplest."""
        return [at for at, given in enumerate(self.best.inputs) if weight(given, self.sites)]

    # ------------------------------------------------------------ many inputs at once

    def _determine(self) -> None:
        """The simplest for all that C leaves undetermined."""
        edits = [
            (at, at + 1, (simplest(given, self.sites),))
            for at, given in enumerate(self.best.inputs)
            if is_undetermined(given, self.sites) and weight(given, self.sites)
        ]
        if edits:
            self._first([tuple(edits)])

    def _end_sooner(self) -> None:
        """Nothing from some position on; the shortest first."""
        count = len(self.best.inputs)
        lengths = dict.fromkeys(count * part // 16 for part in range(16))
        self._first(((length, count, ()),) for length in lengths)

    def _drop(self) -> None:
        """Without pieces of the sequence: values of the same site move up."""
        self._sweep(lambda start, stop: ((start, stop, ()),))

    def _simplify_many(self) -> None:
        """The simplest ones in pieces of the sequence, where they are."""

        def made(start: int, stop: int) -> Edits:
            piece = self.best.inputs[start:stop]
            if not any(weight(given, self.sites) for given in piece):
                return ()
            return ((start, stop, tuple(simplest(given, self.sites) for given in piece)),)

        self._sweep(made)

    def _sweep(self, made: Callable[[int, int], Edits]) -> None:
        """Pieces of falling sizes, from the end to the start."""
        size = len(self.best.inputs)
        while size and not self.allowance.spent():
            stop = len(self.best.inputs)
            while stop > 0:
                stops = [end for end in range(stop, 0, -size) if made(max(0, end - size), end)]
                taken = self._first(made(max(0, end - size), end) for end in stops)
                stop = 0 if taken is None else min(stops[taken] - size, len(self.best.inputs))
            size //= 2

    def _shorten(self) -> None:
        """A length and the elements that it counts: both less by as many, or by as many pairs."""
        at = 0
        while at < len(self.best.inputs) and not self.allowance.spent():
            self._shorten_at(at)
            at += 1

    def _shorten_at(self, at: int) -> None:
        given = self.best.inputs[at]
        if not isinstance(given, ScalarInput) or not is_number(given, self.sites):
            return
        less = given.value // 2 if given.value < len(self.best.inputs) else 0
        while less:
            taken = self._first(self._shorter(at, less))
            now = self.best.inputs[at] if at < len(self.best.inputs) else None
            if taken is None or not isinstance(now, ScalarInput) or now.site != given.site:
                less //= 2
            else:
                less = min(less, now.value // 2)

    def _shorter(self, at: int, less: int) -> Iterator[Edits]:
        given, count = self.best.inputs[at], len(self.best.inputs)
        assert isinstance(given, ScalarInput)
        length = (at, at + 1, (ScalarInput(given.site, given.value - less, given.bits),))
        for size in (less, 2 * less):
            for start in range(count - size, at, -less):
                yield (length, (start, start + size, ()))

    # ------------------------------------------------------------ one input

    def _simplify_each(self) -> None:
        for at in self._heavy():
            if at >= len(self.best.inputs) or self.allowance.spent():
                return
            match self.best.inputs[at]:
                case ScalarInput() as given:
                    self._simplify(at, given)
                case MemoryInput() as block:
                    self._simplify_contents(at, block)

    def _simplify(self, at: int, given: ScalarInput) -> None:
        self._first(self._one(at, value) for value in simpler(given, self.sites))
        now = self.best.inputs[at] if at < len(self.best.inputs) else None
        if not isinstance(now, ScalarInput) or now.site != given.site or not is_number(now, self.sites):
            return
        if (most := magnitude(now, self.sites)) <= 10:
            return
        size = self._least(most, lambda size: self._one(at, towards_zero(now, size, self.sites)))
        least = towards_zero(now, size, self.sites)
        self._first(self._one(at, value) for value in (*rounder(least, self.sites), least))

    def _least(self, size: int, made: Callable[[int], Edits]) -> int:
        """A size that fails while the one below does not; the given one fails, 0 is believed not to."""
        below = 0
        while size - below > 1 and not self.allowance.spent():
            between = sorted({below + (size - below) * part // _WAYS for part in range(1, _WAYS)} - {below})
            found = self._failing([made(middle) for middle in between])
            at = len(between) if found is None else found[0]
            below, size = ([below, *between][at], [*between, size][at])
        return size

    def _simplify_contents(self, at: int, block: MemoryInput) -> None:
        """Fewer bytes that are not zero, then smaller ones."""
        size = len(block.contents)
        while size and not self.allowance.spent():
            stop = len(block.contents)
            while stop > 0:
                stops = range(stop, 0, -size)
                pieces = [block.contents[: max(0, end - size)] + block.contents[end:] for end in stops]
                taken = self._first(self._one(at, MemoryInput(block.site, block.size, piece)) for piece in pieces)
                now = self._block(at, block)
                if now is None:
                    return
                block, stop = now, 0 if taken is None else min(stops[taken] - size, len(now.contents))
            size //= 2
        for index, (offset, byte) in enumerate(block.contents):
            smaller = simpler(ScalarInput(block.site, byte, 8), ())
            changed = (
                (*block.contents[:index], (offset, value.value), *block.contents[index + 1 :])
                for value in smaller
                if value.value
            )
            self._first(self._one(at, MemoryInput(block.site, block.size, contents)) for contents in changed)
            now = self._block(at, block)
            if now is None or len(now.contents) != len(block.contents):
                return
            block = now

    def _block(self, at: int, block: MemoryInput) -> MemoryInput | None:
        now = self.best.inputs[at] if at < len(self.best.inputs) else None
        return now if isinstance(now, MemoryInput) and now.site == block.site else None

    # ------------------------------------------------------------ inputs that hang together

    def _simplify_equal(self) -> None:
        """Values that several inputs have, in all of them."""
        groups: dict[tuple[int, int], list[int]] = {}
        for at in self._heavy():
            given = self.best.inputs[at]
            if isinstance(given, ScalarInput) and is_number(given, self.sites):
                groups.setdefault((given.value, given.bits), []).append(at)
        count = len(self.best.inputs)
        for places in [places for places in groups.values() if len(places) > 1]:
            if len(self.best.inputs) != count:
                return
            given = self.best.inputs[places[0]]
            if isinstance(given, ScalarInput):
                values = simpler(given, self.sites)
                self._first(tuple((at, at + 1, (self._with(at, value.value),)) for at in places) for value in values)

    def _with(self, at: int, value: int) -> ScalarInput:
        given = self.best.inputs[at]
        assert isinstance(given, ScalarInput)
        return ScalarInput(given.site, value & ((1 << given.bits) - 1), given.bits)

    def _simplify_pairs(self) -> None:
        """Two numbers less by the same: they may have to differ by a constant. Or their sum in one of them."""
        heavy = [at for at in self._heavy() if is_number(self.best.inputs[at], self.sites)]
        count = len(self.best.inputs)
        for index, first in enumerate(heavy):
            for second in heavy[index + 1 : index + 1 + _PAIR]:
                if len(self.best.inputs) == count and not self.allowance.spent():
                    self._lower_both(first, second)

    def _lower_both(self, first: int, second: int) -> None:
        one, other = self.best.inputs[first], self.best.inputs[second]
        if not isinstance(one, ScalarInput) or not isinstance(other, ScalarInput) or one.bits != other.bits:
            return
        if one.value >> (one.bits - 1) or other.value >> (other.bits - 1) or min(one.value, other.value) == 0:
            return
        most = min(one.value, other.value)

        def made(left: int) -> Edits:
            less = most - left
            return (
                (first, first + 1, (self._with(first, one.value - less),)),
                (second, second + 1, (self._with(second, other.value - less),)),
            )

        nothing, total = self._with(first, 0), self._with(second, one.value + other.value)
        if self._first([((first, first + 1, (nothing,)), (second, second + 1, (total,)))]) is None:
            left = self._least(most, made)
            self._first(made(value) for value in dict.fromkeys((0, 1, left)))
