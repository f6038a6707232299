"""Limits and interrupts: every check ends in time and leaves no process and no file behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from counterpoint.portfolio import run as run_module
from counterpoint.portfolio.processes import Child, Crashed, Send, descendants, spawn
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.run import run

MARK = "COUNTERPOINT_TEST_MARK"


def marked(mark: str) -> list[int]:
    """Processes with this mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={mark}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def gone(mark: str, seconds: float = 2.0) -> bool:
    """Whether no marked process but this one is left, within `seconds`."""
    deadline = time.monotonic() + seconds
    while [pid for pid in marked(mark) if pid != os.getpid()]:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Request:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.c").write_text("int main(void) { return 0; }\n")
    return Request((tmp_path / "p.c",), timeout=1.0)


def _stubborn(*_: object) -> object:
    """Ignores what can be ignored and has children that do so, too, one of them in its own session."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    subprocess.Popen([sys.executable, "-c", code])
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    spawn(lambda send: time.sleep(60))
    time.sleep(60)
    raise AssertionError


def test_timeout_kills_everything(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARK, "timeout")
    started = time.monotonic()
    result = run(request_, decide=_stubborn)  # type: ignore[arg-type]
    assert result.verdict == "UNKNOWN(OUT_OF_TIME)"
    assert time.monotonic() - started < request_.timeout + 2
    assert not descendants(os.getpid())[1:]
    # The test's own children carry the mark only from their start: an environment is read as it was then.
    assert gone("timeout")


def test_time_counts_from_the_beginning_of_the_command(request_: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "_portfolio", _stubborn)
    begun = time.monotonic()
    result = run(replace(request_, timeout=30.0, begun=begun - 29.0))
    assert result.reason == "OUT_OF_TIME"
    assert time.monotonic() - begun < 15
    assert result.seconds >= 30


def test_memory_limit(request_: Request) -> None:
    def greedy(*_: object) -> object:
        kept = []
        while True:
            kept.append(bytearray(os.urandom(1 << 20)) * 16)
            time.sleep(0.005)

    small = Request(request_.files, timeout=30.0, memory=300 << 20)
    result = run(small, decide=greedy)  # type: ignore[arg-type]
    assert result.verdict == "UNKNOWN(OUT_OF_MEMORY)"
    assert "300" in result.detail or "MiB" in result.detail


def test_internal_error_is_reported(request_: Request, tmp_path: Path) -> None:
    def broken(*_: object) -> object:
        os.write(1, b"words of a library")
        raise ValueError("seven is not prime")

    result = run(request_, decide=broken)  # type: ignore[arg-type]
    assert result.verdict == "UNKNOWN(INTERNAL_ERROR)"
    assert "seven is not prime" in result.detail
    (report,) = result.crash_reports
    text = Path(report).read_text()
    assert Path(report).parent == tmp_path
    assert "ValueError: seven is not prime" in text and "words of a library" in text and "python" in text


@pytest.mark.parametrize("die", [lambda: os._exit(3), lambda: os.kill(os.getpid(), signal.SIGKILL)])
def test_a_worker_that_just_dies(request_: Request, die: Callable[[], None]) -> None:
    result = run(request_, decide=lambda *_: die())  # type: ignore[arg-type, func-returns-value, return-value]
    assert result.verdict == "UNKNOWN(INTERNAL_ERROR)"


def test_an_interrupt_passes_through_and_cleans_up(
    request_: Request, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(progress: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(request_, interrupt, _stubborn)  # type: ignore[arg-type]
    assert not descendants(os.getpid())[1:]


def test_temporary_files_are_removed(
    request_: Request, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import tempfile

    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))

    def untidy(*_: object) -> object:
        Path(tempfile.mkdtemp(), "left.txt").write_text("x")
        return _stubborn()

    assert run(request_, decide=untidy).reason == "OUT_OF_TIME"  # type: ignore[arg-type]
    assert not list(scratch.iterdir())


# ---------------------------------------------------------------- the command itself

ENDLESS = """extern void reach_error(void);
int main(void) {
    unsigned long long x = 88172645463325252;
    for (;;) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        if (x == 1)
            reach_error();
    }
}
"""


def start(folder: Path, mark: str, *options: str) -> subprocess.Popen[str]:
    """`counterpoint check` on a program that takes forever, with its work under way."""
    (folder / "endless.c").write_text(ENDLESS)
    command = [sys.executable, "-m", "counterpoint", "check", "endless.c", "--quiet", *options]
    environment = {**os.environ, MARK: mark, "TMPDIR": str(folder / "tmp")}
    (folder / "tmp").mkdir()
    process = subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 15
    while len(descendants(process.pid)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    return process


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGKILL, -9)],
)
def test_signals(number: signal.Signals, status: int, tmp_path: Path) -> None:
    process = start(tmp_path, number.name)
    try:
        started = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=5)
    finally:
        process.kill()
    assert time.monotonic() - started < 2
    assert process.returncode == status
    assert err == ""
    assert out == ("" if number is signal.SIGKILL else "VERDICT: UNKNOWN(INTERRUPTED)\n")
    assert gone(number.name)
    assert not list((tmp_path / "tmp").iterdir())


def test_timeout_of_the_command(tmp_path: Path) -> None:
    started = time.monotonic()
    process = start(tmp_path, "limit", "--timeout", "2")
    out, err = process.communicate(timeout=10)
    assert (process.returncode, err) == (3, "")
    assert out == "VERDICT: UNKNOWN(OUT_OF_TIME)\n"
    assert time.monotonic() - started < 2 + 2 + 1.5  # the interpreter starts on a busy machine
    assert gone("limit")
    assert not list((tmp_path / "tmp").iterdir())


# ---------------------------------------------------------------- child processes


def finished(child: Child) -> list[object]:
    messages: list[object] = []
    deadline = time.monotonic() + 10
    while not child.ended and time.monotonic() < deadline:
        messages += child.receive()
        time.sleep(0.01)
    return messages


def test_messages_arrive_whole_and_in_order() -> None:
    large = "x" * 3_000_000
    def work(send: Send) -> None:
        for message in (1, large, {"k": (2, 3)}):
            send(message)

    child = spawn(work)
    assert finished(child) == [1, large, {"k": (2, 3)}]
    assert child.wait() == 0
    child.kill()
    child.kill()


def test_exceptions_and_memory_errors_become_messages() -> None:
    def fail(send: object) -> None:
        raise LookupError("gone")

    def swell(send: object) -> None:
        bytearray(1 << 40)

    (message,) = finished(spawn(fail))
    assert isinstance(message, Crashed) and "LookupError: gone" in message.traceback
    (message,) = finished(spawn(swell, address_space=8 << 30))
    assert isinstance(message, MemoryError)


def test_a_library_for_which_there_is_no_room_is_the_memory_limit() -> None:
    def work(send: Send) -> None:
        raise ImportError("solver.so: failed to map segment from shared object")

    (message,) = finished(spawn(work))
    assert isinstance(message, MemoryError)


def test_grace_is_within_the_promise() -> None:
    assert run_module.GRACE < 1.5
