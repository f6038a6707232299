"""What was found out about a program, kept for the few that were asked about last."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from counterpoint.program.model import Program

P = ParamSpec("P")
T = TypeVar("T")


def remembered(most: int) -> Callable[[Callable[Concatenate[Program, P], T]], Callable[Concatenate[Program, P], T]]:
    """For functions of a program and more: the answers to the last `most` questions that differed are kept.

    Programs count by identity, for they are immutable and comparing large ones costs more than the answer. They are
    kept alive, so that no other one is taken for one that is gone.
    """

    def keeping(find: Callable[Concatenate[Program, P], T]) -> Callable[Concatenate[Program, P], T]:
        recent: list[tuple[Program, object, T]] = []

        @wraps(find)
        def found(program: Program, /, *rest: P.args, **named: P.kwargs) -> T:
            asked = (rest, named)
            for known, before, answer in recent:
                if known is program and before == asked:
                    return answer
            answer = find(program, *rest, **named)
            recent.insert(0, (program, asked, answer))
            del recent[most:]
            return answer

        return found

    return keeping
