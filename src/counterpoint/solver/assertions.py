"""What backends share: scopes, definitions that outlive them, models that outlive the solver's state."""

from __future__ import annotations

import signal
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Generic, TypeVar

from counterpoint.solver.answers import Answer, Model, Sat, SolverUnknown, Unsat
from counterpoint.solver.protocol import Settings, SolverError
from counterpoint.solver.translation import Target, Translation
from counterpoint.term.evaluate import Evaluation, Given
from counterpoint.term.term import Op, Term, V

N = TypeVar("N")


class AssertionStack(ABC, Generic[N]):
    """A Solver over the few primitives that a backend implements (`_assert_native` to `_native_value`)."""

    name = ""
    failure: type[Exception] = SolverError
    """What the backend raises; it is turned into SolverError."""

    def __init__(self, target: Target[N], settings: Settings) -> None:
        self._settings = settings
        self._translation: Translation[N] = Translation(target, settings.addresses)
        self._depth = 0
        self._asserted: list[int] = []  # depth at which definition i is asserted
        self._live: weakref.ref[Model] | None = None

    def add(self, formula: V) -> None:
        self._detach_model()
        try:
            self._assert_native(self._translation.of(formula))
        except self.failure as error:
            raise SolverError(f"{self.name}: {error}") from error

    def check(self, assumptions: Sequence[V] = (), seconds: float | None = None) -> Answer:
        self._detach_model()
        if any(isinstance(assumption, int) and not assumption for assumption in assumptions):
            return Unsat((0,))
        terms = [assumption for assumption in assumptions if isinstance(assumption, Term)]
        try:
            natives = [self._translation.of(term) for term in terms]
            self._assert_definitions()
            if seconds is not None and seconds <= 0:
                return SolverUnknown("timeout")
            answer = self._check_native(natives, seconds)
        except self.failure as error:
            raise SolverError(f"{self.name}: {error}") from error
        if answer is None:
            return self._sat()
        if isinstance(answer, SolverUnknown):
            return answer
        return Unsat(tuple(term for term, used in zip(terms, answer, strict=True) if used))

    @contextmanager
    def scope(self) -> Iterator[None]:
        self._detach_model()
        self._push_native()
        self._depth += 1
        try:
            yield
        finally:
            self._detach_model()
            self._pop_native()
            self._depth -= 1
            while self._asserted and self._asserted[-1] > self._depth:
                self._asserted.pop()

    @abstractmethod
    def interrupt(self) -> None: ...

    def close(self) -> None:
        self._detach_model()

    def _assert_definitions(self) -> None:
        """Definitions come in the order of translation, so what a pop took back is always a suffix."""
        definitions = self._translation.definitions
        for definition in definitions[len(self._asserted) :]:
            self._assert_native(definition)
            self._asserted.append(self._depth)

    def _sat(self) -> Sat:
        model = Model(_Attached(self))
        self._live = weakref.ref(model)
        return Sat(model)

    def _detach_model(self) -> None:
        """The backend forgets its model when it goes on: copy it out if somebody still holds ours."""
        if self._live is not None:
            model = self._live()
            self._live = None
            if model is not None:
                leaves = self._translation.leaves
                values = {leaf: self._native_value(leaf, native) for leaf, native in leaves.items()}
                model.source = _Detached(values, self._settings)

    @abstractmethod
    def _assert_native(self, formula: N) -> None: ...

    @abstractmethod
    def _check_native(self, assumptions: list[N], seconds: float | None) -> list[bool] | SolverUnknown | None:
        """None: sat. A list: unsat, which assumptions are in the core."""

    @abstractmethod
    def _push_native(self) -> None: ...

    @abstractmethod
    def _pop_native(self) -> None: ...

    @abstractmethod
    def _native_value(self, leaf: Term, native: N) -> Given:
        """After sat: the value of a leaf."""


class _Attached(Generic[N]):
    """Asks the solver that has just said sat."""

    def __init__(self, stack: AssertionStack[N]) -> None:
        self._stack = stack

    def value(self, leaf: Term) -> Given | None:
        native = self._stack._translation.leaves.get(leaf)
        if native is not None:
            return self._stack._native_value(leaf, native)
        return _given_address(leaf, self, self._stack._settings)


class _Detached:
    """Values copied out of the solver."""

    def __init__(self, values: dict[Term, Given], settings: Settings) -> None:
        self._values = values
        self._settings = settings

    def value(self, leaf: Term) -> Given | None:
        found = self._values.get(leaf)
        return _given_address(leaf, self, self._settings) if found is None else found


def _given_address(leaf: Term, source: _Attached[N] | _Detached, settings: Settings) -> Given | None:
    """The value of an ADDRESS that the settings give a meaning."""
    if leaf.op is not Op.ADDRESS:
        return None
    assert isinstance(leaf.payload, int)
    known = settings.addresses.get(leaf.payload)
    if known is None or isinstance(known, int):
        return known
    (value,) = Evaluation(source.value).of((known,))
    return value


@contextmanager
def deferred_signals(stop: Callable[[], None]) -> Iterator[None]:
    """While native code runs that swallows exceptions: SIGINT and SIGTERM call `stop`, and their handlers
    (which may raise) run afterwards. Does nothing outside the main thread.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        stop()

    previous = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler):
            previous[number] = handler
            signal.signal(number, note)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
    for came_number in came:
        previous[signal.Signals(came_number)](came_number, None)
