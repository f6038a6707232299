"""Sequentialised SystemC models in the style of the Kratos benchmarks, for any number of stations.

`token_ring(n)` and `transmitter(n)` give the programs of that name as CIL prints them (token for token; blank lines
differ): a master and n stations, each started by the one before it, under a scheduler of update, evaluation and
notification phases.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

_HEAD = """extern void abort(void);
void reach_error(void) {}
"""
_NONDET = "extern int __VERIFIER_nondet_int(void);"
_ERROR = """void error(void)
{
  {
  ERROR: {reach_error();abort();} ;
  goto ERROR;
  return;
}
}
"""
RETURN = "return_label: /* CIL Label */"


@dataclass(slots=True)
class Labels:
    """Numbers the loops of a program in the order of their text."""

    used: int = 0

    def loop(self, body: Sequence[str]) -> list[str]:
        """A loop for ever, which `BREAK` leaves."""
        number, self.used = self.used, self.used + 1
        lines = [line.replace("BREAK", f"while_{number}_break") for line in body]
        head = ["{", "while (1) {", f"while_{number}_continue: /* CIL Label */ ;"]
        return [*head, *lines, "}", f"while_{number}_break: /* CIL Label */ ;", "}"]


@dataclass(frozen=True, slots=True)
class Model:
    """`first` is the event that wakes the master, `events` all, in the scheduler's order."""

    stations: int
    first: str
    events: tuple[str, ...]
    labels: Labels = field(default_factory=Labels)

    @property
    def threads(self) -> list[str]:
        """The prefixes of the threads' variables."""
        return ["m", *(f"t{i}" for i in range(1, self.stations + 1))]

    @property
    def names(self) -> list[str]:
        return ["master", *(f"transmit{i}" for i in range(1, self.stations + 1))]


def token_ring(stations: int, checked: bool = True) -> str:
    """A token that every station makes larger by one comes back to the master, which checks it. Safe.

    `checked` False: the master checks nothing.
    """
    events = ["M_E", *_numbered("T{}_E", stations), "E_M", *_numbered("E_{}", stations)]
    model = Model(stations, "E_M", tuple(events))
    state = ["int token  ;", "int __VERIFIER_nondet_int()  ;", "int local  ;"]
    check = choice(f"token != local + {stations}", ["{", "error();", "}"]) if checked else []
    turn = [
        "{", "token = __VERIFIER_nondet_int();", "local = token;", *_notify("E_1"), "m_pc = 1;", "m_st = 2;", "}",
        "goto return_label;", "M_WAIT: ;", *check,
    ]  # fmt: skip
    master = _function("void master(void)", [*_entry("m", "M"), *model.labels.loop(turn), RETURN, "return;"])
    bodies = [["token += 1;", *_notify(f"E_{i + 1}" if i < stations else "E_M")] for i in range(1, stations + 1)]
    return _program(model, "", state, [master, *_stations(model, bodies)])


def transmitter(stations: int) -> str:
    """The master starts the first station, that the next, and the last one reports an error. Unsafe."""
    events = ["M_E", *_numbered("T{}_E", stations), *_numbered("E_{}", stations)]
    model = Model(stations, "M_E", tuple(events), Labels(2))
    wait = Labels(1).loop(["m_pc = 1;", "m_st = 2;", "goto return_label;", "M_WAIT: ;"])
    body = [*_entry("m", "M"), *Labels(0).loop(["{", *_notify("E_1"), "}", *wait]), RETURN, "return;"]
    bodies = [_notify(f"E_{i + 1}") if i < stations else ["error();"] for i in range(1, stations + 1)]
    return _program(model, _NONDET, [], [_function("void master(void)", body), *_stations(model, bodies)])


def choice(condition: str, then: Sequence[str], otherwise: Sequence[str] = ()) -> list[str]:
    """An `if` as CIL prints it: always with both branches."""
    return [f"if ({condition}) {{", *then, "} else {", *otherwise, "}"]


def numbered_temporary(number: int) -> str:
    """CIL's name of a function's temporary, counted from 0."""
    return "tmp" if number == 0 else f"tmp___{number - 1}"


def _numbered(pattern: str, stations: int) -> list[str]:
    return [pattern.format(i) for i in range(1, stations + 1)]


def _notify(event: str) -> list[str]:
    return [f"{event} = 1;", "immediate_notify();", f"{event} = 2;"]


def _entry(thread: str, label: str) -> list[str]:
    waits = choice(f"{thread}_pc == 1", [f"goto {label}_WAIT;"])
    return [*choice(f"{thread}_pc == 0", [f"goto {label}_ENTRY;"], waits), f"{label}_ENTRY: ;"]


def _function(head: str, body: Iterable[str], locals_: Sequence[str] = ()) -> str:
    """Text with two spaces for each open brace."""
    lines, depth = [head, "{ " + " ".join(locals_), "  {"], 1
    for line in [*body, "}"]:
        depth -= line.startswith("}")
        lines.append("  " * depth + line)
        depth += line.endswith("{")
    return "\n".join([*lines, "}"]) + "\n"


def _stations(model: Model, bodies: Sequence[Sequence[str]]) -> list[str]:
    made = []
    for i, body in enumerate(bodies, 1):
        thread = f"t{i}"
        turn = [f"{thread}_pc = 1;", f"{thread}_st = 2;", "goto return_label;", f"T{i}_WAIT: ", "{", *body, "}"]
        lines = [*_entry(thread, f"T{i}"), *model.labels.loop(turn), RETURN, "return;"]
        made.append(_function(f"void transmit{i}(void)", lines))
    return made


def _result(nested: Sequence[str]) -> list[str]:
    return [*nested, "__retres1 = 0;", RETURN, "return (__retres1);"]


def _one() -> list[str]:
    return ["__retres1 = 1;", "goto return_label;"]


def _program(model: Model, declared: str, state: Sequence[str], processes: Sequence[str]) -> str:
    threads = model.threads
    data = [
        *(f"int {t}_pc  =    0;" for t in threads), *(f"int {t}_st  ;" for t in threads),
        *(f"int {t}_i  ;" for t in threads), *(f"int {event}  =    2;" for event in model.events),
        *(f"int is_{name}_triggered(void) ;" for name in model.names), "void immediate_notify(void) ;", *state,
    ]  # fmt: skip
    events = [model.first, *_numbered("E_{}", model.stations)]
    triggered = [
        _function(
            f"int is_{name}_triggered(void)",
            _result(choice(f"{t}_pc == 1", choice(f"{event} == 1", _one()))),
            ["int __retres1 ;"],
        )
        for name, t, event in zip(model.names, threads, events, strict=True)
    ]
    parts = [_HEAD + (declared + "\n" if declared else "") + _ERROR + "\n".join(data) + "\n"]
    return "".join([*parts, *processes, *triggered, *_scheduler(model)])


def _scheduler(model: Model) -> list[str]:
    threads = model.threads
    starts = [line for t in threads for line in choice(f"{t}_i == 1", [f"{t}_st = 0;"], [f"{t}_st = 2;"])]
    runnable: list[str] = []
    for t in reversed(threads):
        runnable = choice(f"{t}_st == 0", _one(), runnable)
    wakes = []
    for number, (name, t) in enumerate(zip(model.names, threads, strict=True)):
        tmp = numbered_temporary(number)
        wakes += ["{", f"{tmp} = is_{name}_triggered();", "}", *choice(tmp, [f"{t}_st = 0;"])]
    temporaries = [f"int {numbered_temporary(i)} ;" for i in range(len(threads))]
    moved = {
        old: [line for event in model.events for line in choice(f"{event} == {old}", [f"{event} = {old + 1};"])]
        for old in (0, 1)
    }
    return [
        _function("void update_channels(void)", ["return;"]),
        _function("void init_threads(void)", [*starts, "return;"]),
        _function("int exists_runnable_thread(void)", _result(runnable), ["int __retres1 ;"]),
        _eval(model),
        _function("void fire_delta_events(void)", [*moved[0], "return;"]),
        _function("void reset_delta_events(void)", [*moved[1], "return;"]),
        _function("void activate_threads(void)", [*wakes, "return;"], temporaries),
        _function("void immediate_notify(void)", ["{", "activate_threads();", "}", "return;"]),
        _function("void fire_time_events(void)", ["M_E = 1;", "return;"]),
        _function("void reset_time_events(void)", [*moved[1], "return;"]),
        _function("void init_model(void)", [*(f"{t}_i = 1;" for t in threads), "return;"]),
        *_simulation(model),
    ]


def _eval(model: Model) -> str:
    body = ["{", "tmp = exists_runnable_thread();", "}", *choice("tmp", [], ["goto BREAK;"])]
    for number, (name, t) in enumerate(zip(model.names, model.threads, strict=True), 1):
        chosen = f"tmp_ndt_{number}"
        runs = choice(chosen, ["{", f"{t}_st = 1;", f"{name}();", "}"])
        body += choice(f"{t}_st == 0", [f"int {chosen};", f"{chosen} = __VERIFIER_nondet_int();", *runs])
    return _function("void eval(void)", [*model.labels.loop(body), "return;"], ["int tmp ;"])


def _simulation(model: Model) -> list[str]:
    stops = [
        "{", "tmp = exists_runnable_thread();", "}", *choice("tmp", ["__retres2 = 0;", "goto return_label;"]),
        "__retres2 = 1;", RETURN, "return (__retres2);",
    ]  # fmt: skip
    delta = ["fire_delta_events();", "activate_threads();", "reset_delta_events();"]
    timed = ["{", "kernel_st = 4;", "fire_time_events();", "activate_threads();", "reset_time_events();", "}"]
    round_ = [
        "{", "kernel_st = 1;", "eval();", "}", "{", "kernel_st = 2;", "update_channels();", "}",
        "{", "kernel_st = 3;", *delta, "}", "{", "tmp = exists_runnable_thread();", "}", *choice("tmp == 0", timed),
        "{", "tmp___0 = stop_simulation();", "}", *choice("tmp___0", ["goto BREAK;"]),
    ]  # fmt: skip
    start = ["{", "kernel_st = 0;", "update_channels();", "init_threads();", *delta, "}"]
    main = ["{", "init_model();", "start_simulation();", "}", "__retres1 = 0;", "return (__retres1);"]
    return [
        _function("int stop_simulation(void)", stops, ["int tmp ;", "int __retres2 ;"]),
        _function(
            "void start_simulation(void)",
            [*start, *model.labels.loop(round_), "return;"],
            ["int kernel_st ;", "int tmp ;", "int tmp___0 ;"],
        ),
        _function("int main(void)", main, ["int __retres1 ;"]),
    ]
