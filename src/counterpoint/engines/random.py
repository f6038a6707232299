"""Random testing on native code, guided by coverage: finds shallow bugs, proves nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import field

from counterpoint.core.budget import Budget
from counterpoint.core.errors import OutOfBudget, Unsupported, UnusableInput
from counterpoint.core.events import Progress, TestsBegin, TestsRun
from counterpoint.core.records import dataclass
from counterpoint.engines.protocol import Option, Task, Tools, usual_preparation
from counterpoint.evidence.verdict import Reason, Unknown, Unsafe, Verdict, Violation
from counterpoint.execute.native.build import NO_LIMIT, NativeRun, NotNative, Outcome, SearchEnd, SearchState
from counterpoint.execute.subject import UNPREPARED
from counterpoint.invariants.deep_runs import confirmed_violation
from counterpoint.program.graph import loop_heads
from counterpoint.program.inputs import INVALID_READ
from counterpoint.regions.cut_graph import cut_graph

FIRST_SECONDS = 0.3
"""Of runs before anything else: of large programs, looking behind long loops takes longer than it may."""

DEEP_SECONDS = 0.5
DEEP_SHARE = 0.1
"""Limits of the search behind long loops: seconds of computing, and a part of the time. What it finds at all it finds
in less (0.3 s at most, of 150 unsafe programs), while schedulers would be followed for minutes."""

REPLAY_SHARE = 0.35
"""Of the time left, for running what it found: its evidence is run twice more, side by side. A search with a limit
of its own leaves all but that much."""

CLOCK = 0.01
"""Seconds by which the executable's clock may end a search early."""

MARGIN = 1.5
"""Seconds for all that is neither searching nor replaying, the replay's grace included."""

NEAR_SECONDS = 2.0
"""Time for making a violation fit the unprepared program."""

OPTIONS = (
    Option("random.runs", "0", "runs after which to end; 0: no limit"),
    Option("random.steps", "0", "block entries after which a run is cut off; 0: no limit"),
    Option("random.dull", "0", "runs in succession that cover nothing new, after which to end; 0: no limit"),
    Option("random.early", "false", "true: the program as it was compiled is tested, nothing is analysed"),
    Option("random.seconds", "0", "seconds of searching after which to end; 0: all that it is given"),
)


def preparation(options: Mapping[str, str]) -> str:
    """The usual one; of early tests none. Raises UnusableInput for a value that is neither true nor false."""
    return UNPREPARED if _is_early(options) else usual_preparation(options)


def _is_early(options: Mapping[str, str]) -> bool:
    early = options.get("random.early", "false")
    if early not in ("true", "false"):
        raise UnusableInput(f"option random.early: `{early}` is neither true nor false")
    return early == "true"


@dataclass(frozen=True, slots=True)
class RandomOptions:
    """`runs`, `steps` (block entries in one run) and `dull` (runs in succession without anything new) limit the search,
    `seconds` its time; 0: no limit. `early`: it is all that is done.

    The inputs tried depend on the seed alone, so a search limited by `runs` or `dull` is deterministic.
    """

    runs: int = 0
    steps: int = 0
    dull: int = 0
    seconds: float = 0.0
    early: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str]) -> RandomOptions:
        """From `random.runs` and so on. Raises UnusableInput for what is not a number from 0 up."""
        return cls(
            runs=int(_number(options, "random.runs")),
            steps=int(_number(options, "random.steps")),
            dull=int(_number(options, "random.dull")),
            seconds=_number(options, "random.seconds"),
            early=_is_early(options),
        )


def _number(options: Mapping[str, str], name: str) -> float:
    text = options.get(name, "0")
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < NO_LIMIT:
        raise UnusableInput(f"option {name}: `{text}` is not a number from 0 up")
    return value


@dataclass(slots=True)
class RandomTesting:
    """The engine."""

    name: str = "random"
    says: tuple[str, ...] = ("FALSE",)
    reference: str = "SRTool's random testing; AFL; Eclipser (ICSE 2019)"
    summary: str = "coverage-guided random testing on native code; finds shallow bugs fast, proves nothing"
    _last: Mapping[str, int] = field(default_factory=dict)

    def statistics(self) -> Mapping[str, int]:
        """Counts of the last search: runs, steps, edges, kept inputs."""
        return dict(self._last)

    def verify(self, task: Task, tools: Tools) -> Verdict:
        """Unsafe with the inputs, or Unknown; never Safe."""
        testing = Testing(task, tools, RandomOptions.of(task.options))
        try:
            return testing.verdict()
        except NotNative as error:
            return Unknown(Reason.UNSUPPORTED, str(error))
        finally:
            self._last = testing.counts


@dataclass(slots=True)
class Testing:
    """Runs the prepared program natively on generated inputs; `counts` are those of the search.

    Values are small, boundary, the program's own constants or uniform; inputs that covered a new edge, edge
    count or path between two inputs are kept and varied; traced runs with one input changed tell which value
    would decide a comparison. The way of guiding is AFL's and Eclipser's.
    """

    __test__ = False

    task: Task
    tools: Tools
    options: RandomOptions
    counts: Mapping[str, int] = field(default_factory=dict)
    _earlier: SearchState = field(default_factory=SearchState)

    def verdict(self) -> Verdict:
        """Searches for a moment, looks behind long loops, then goes on with another seed. A search that is limited by
        its runs is not divided. Raises NotNative."""
        options, seed = self.options, self.tools.seed
        if options.early:
            return self._answer(self._search(seed, options.seconds))
        loops = any(loop_heads(function) for function in self.task.program.functions.values())
        divided = loops and not options.runs and not 0 < options.seconds <= FIRST_SECONDS
        end = self._search(seed, FIRST_SECONDS if divided else options.seconds)
        if not loops or end.violation is not None or end.exhausted or self.tools.budget.cancelled:
            return self._answer(end)
        if (deep := self._deep()) is not None:
            return Unsafe(deep)
        if end.dull or not divided:
            return self._answer(end)
        self._earlier = end.state
        return self._answer(self._search(seed + 1, options.seconds - FIRST_SECONDS if options.seconds else 0.0))

    def _answer(self, end: SearchEnd) -> Verdict:
        return self._unknown(end) if end.violation is None else Unsafe(self._settled(end.violation))

    def _deep(self) -> Violation | None:
        """A violation behind long loops, found by extrapolation and confirmed by running it."""
        task, budget = self.task, self.tools.budget
        self.tools.observe(Progress("random", "looking behind long loops"))
        try:
            limit = Budget.of_computing(min(DEEP_SECONDS, DEEP_SHARE * budget.remaining()))
            graph = cut_graph(task.program, limit)
            found = confirmed_violation(
                task.subject, task.preparation, graph, limit, self.tools.seed, self._replay_seconds()
            )
        except (OutOfBudget, Unsupported):
            return None
        return None if found is None else Violation(found.check, found.inputs, task.preparation)

    def _replay_seconds(self) -> float:
        left, searching = self.tools.budget.remaining(), self.options.seconds
        return max(REPLAY_SHARE * left, left - searching - MARGIN if searching else 0.0)

    def _search(self, seed: int, seconds: float) -> SearchEnd:
        """A search of so many seconds; 0: of all that there are."""
        executable = self.task.subject.native(self.task.preparation)
        self.tools.observe(TestsBegin(self.tools.budget.elapsed()))
        left = self.tools.budget.remaining()
        search = executable.search(
            seed=seed,
            seconds=min(left, seconds or left),
            runs=self.options.runs or NO_LIMIT,
            steps=self.options.steps or NO_LIMIT,
            dull=self.options.dull or NO_LIMIT,
        )
        end = SearchEnd(SearchState())
        with closing(search):
            for told in search:
                state = told.state if isinstance(told, SearchEnd) else told
                self._tell(state)
                if isinstance(told, SearchEnd):
                    end = told
                elif self.tools.budget.cancelled:
                    return SearchEnd(state)
        return end

    def _settled(self, found: NativeRun) -> Violation:
        """The violation, on the unprepared program if invalid reads take part in it.

        A preparation may have merged two reads of one invalid address, which are two inputs of the
        unprepared program. Inputs near the ones found then take their place.
        """
        violation = Violation(found.detail, found.inputs, self.task.preparation)
        if all(given.site != INVALID_READ for given in found.inputs):
            return violation
        executable = self.task.subject.native(UNPREPARED)
        left = self.tools.budget.remaining()
        if executable.replay(found.inputs, seconds=left).outcome is Outcome.VIOLATED:
            return violation
        seconds = min(NEAR_SECONDS, self.tools.budget.remaining())
        with closing(executable.search(seed=self.tools.seed, seconds=seconds, start=found.inputs)) as search:
            for told in search:
                if isinstance(told, SearchEnd) and told.violation is not None:
                    return Violation(told.violation.detail, told.violation.inputs, UNPREPARED)
        return violation

    def _tell(self, state: SearchState) -> None:
        earlier = self._earlier
        runs, edges = earlier.runs + state.runs, max(earlier.edges, state.edges)
        self.counts = {
            "runs": runs, "steps": earlier.steps + state.steps, "edges": edges, "kept": max(earlier.kept, state.kept)
        }  # fmt: skip
        self.tools.observe(TestsRun(runs, edges))
        self.tools.observe(Progress("random", f"{runs:,} runs, {edges:,} edges"))

    def _unknown(self, end: SearchEnd) -> Unknown:
        made = f"{self.counts.get('runs', 0):,} runs found no violation"
        if end.unsupported_site is not None and len(end.outcomes) > 0:
            site = self.task.subject.module(self.task.preparation).sites[end.unsupported_site]
            count = end.outcomes[Outcome.UNSUPPORTED]
            made += f"; {count:,} met {site.name} ({site.at}), which is not supported"
        if end.exhausted:
            return Unknown(Reason.NO_PROGRESS, "the program's only run shows no violation")
        if self.tools.budget.remaining() <= CLOCK:
            return Unknown(Reason.OUT_OF_TIME, made)
        return Unknown(Reason.NO_PROGRESS, made)


ENGINE = RandomTesting()
