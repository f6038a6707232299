"""Processes that never outlive the command, whatever ends it.

The command forks a *keeper*, which forks the worker; engines are the worker's children. The keeper leads
a session of its own (Ctrl-C at the terminal reaches only the command), adopts orphans of its descendants
(PR_SET_CHILD_SUBREAPER), and waits on a pipe that only the command holds open: when the command closes it,
or dies by any signal, the keeper kills everything below it and ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import os
import pickle
import resource
import select
import shutil
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import field
from pathlib import Path
from typing import BinaryIO

from counterpoint.core import clock
from counterpoint.core.clock import Pauses
from counterpoint.core.records import dataclass

Send = Callable[[object], None]
Work = Callable[[Send], None]

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_LENGTH = struct.Struct(">Q")
_parent_only: set[int] = set()
"""Descriptors that children must close: an inherited pipe end would hide the other side's death."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The process's work raised an exception that it does not answer for."""

    traceback: str


@dataclass(slots=True)
class Child:
    """A forked process that sends pickled messages; `log` is what it printed on stdout and stderr.

    Who pauses it adds to `pauses` before it goes on.
    """

    pid: int
    reader: int
    log: BinaryIO
    pauses: Pauses = field(default_factory=Pauses)
    ended: bool = False
    status: int | None = None
    _buffer: bytearray = field(default_factory=bytearray)

    def receive(self) -> list[object]:
        """Messages that have arrived, without waiting; sets `ended` when there will be no more."""
        while not self.ended and select.select([self.reader], [], [], 0)[0]:
            part = os.read(self.reader, 1 << 20)
            self._buffer += part
            self.ended = not part
        return list(self._messages())

    def _messages(self) -> Iterator[object]:
        while len(self._buffer) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer)
            end = _LENGTH.size + length
            if len(self._buffer) < end:
                return
            message = pickle.loads(bytes(self._buffer[_LENGTH.size : end]))
            del self._buffer[:end]
            yield message

    def printed(self, limit: int = 4000) -> str:
        """The end of what the process printed."""
        with contextlib.suppress(OSError, ValueError):
            size = os.fstat(self.log.fileno()).st_size
            return os.pread(self.log.fileno(), limit, max(0, size - limit)).decode(errors="replace")
        return ""

    def kill(self) -> None:
        """Kills the process and its group at once, and reaps it. Harmless when repeated."""
        if self.status is None:
            _kill_group(self.pid)
            self.status = _reap(self.pid)
        self._close()

    def wait(self) -> int:
        """Reaps a process that has ended: its exit status, or minus the signal that ended it."""
        if self.status is None:
            self.status = _reap(self.pid)
        return self.status

    def resident(self) -> int:
        """Bytes of memory that it and all below it hold (shared pages counted once each)."""
        return sum(memory_of(pid) for pid in descendants(self.pid))

    def _close(self) -> None:
        if self.reader in _parent_only:
            _parent_only.discard(self.reader)
            os.close(self.reader)
            self.log.close()


def spawn(work: Work, address_space: int | None = None) -> Child:
    """Forks a child in a process group of its own that runs `work(send)` and exits.

    `address_space` limits it (bytes): beyond it allocations fail, which ends in MemoryError. Fork before any
    thread of a solver or of LLVM exists.
    """
    import tempfile

    log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the child)
    pauses = Pauses()
    reader, writer = os.pipe()
    _flush()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writer)
        _parent_only.add(reader)
        with contextlib.suppress(OSError):
            os.setpgid(pid, pid)
        return Child(pid, reader, log, pauses)
    with _child_process():
        clock.subtract(pauses)
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        os.close(reader)
        end_with_parent(parent)
        _redirect(log)
        if address_space is not None:
            _limit_address_space(address_space)
        _run(work, writer)
    raise AssertionError("unreachable: a child process exits")


def _run(work: Work, writer: int) -> None:
    def send(message: object) -> None:
        _write_all(writer, message)

    # Terms are never garbage while a process works: looking for it often costs a third of building them.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    try:
        work(send)
    except BaseException as error:
        if not _is_full(error):
            send(Crashed(traceback.format_exc()))
            return
        gc.collect()
        send(MemoryError("the memory limit was reached"))


def _is_full(error: BaseException) -> bool:
    """There was no memory, be it for a library that is loaded."""
    return isinstance(error, MemoryError) or (isinstance(error, ImportError) and "map segment" in str(error))


def _write_all(writer: int, message: object) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    view = memoryview(_LENGTH.pack(len(data)) + data)
    while view:
        view = view[os.write(writer, view) :]


# ---------------------------------------------------------------- the kept worker


@dataclass(slots=True)
class Kept:
    """The worker, seen from the command: its messages, and `close()`, which ends everything below."""

    child: Child
    lifeline: int

    def close(self) -> None:
        """Kills the worker and all its descendants; returns when they are gone (some milliseconds)."""
        if self.lifeline in _parent_only:
            _parent_only.discard(self.lifeline)
            os.close(self.lifeline)
            self.child.status = _reap(self.child.pid)
            self.child._close()


def keep(work: Work, scratch: str) -> Kept:
    """Starts `work` in a worker below a keeper, which removes the folder `scratch` at its end.

    Use `close()` in a `finally`.
    """
    import tempfile

    log = tempfile.TemporaryFile()  # noqa: SIM115 (lives as long as the worker)
    reader, writer = os.pipe()
    lifeline_reader, lifeline = os.pipe()
    _flush()
    parent = os.getpid()
    pid = os.fork()
    if pid:
        os.close(writer)
        os.close(lifeline_reader)
        _parent_only.update((reader, lifeline))
        return Kept(Child(pid, reader, log), lifeline)
    with _child_process():
        os.setsid()
        os.close(reader)
        os.close(lifeline)
        _prctl(_PR_SET_CHILD_SUBREAPER, 1)
        if os.getppid() != parent:
            os._exit(1)
        _guard(work, writer, lifeline_reader, log, scratch)
    raise AssertionError("unreachable: a child process exits")


def _guard(work: Work, writer: int, lifeline: int, log: BinaryIO, scratch: str) -> None:
    """The keeper: forks the worker, waits until the command lets go or the worker ends, kills the rest."""
    _redirect(log)
    keeper = os.getpid()
    ended_reader, ended_writer = os.pipe()
    worker = os.fork()
    if worker == 0:
        with _child_process():
            os.close(lifeline)
            os.close(ended_reader)
            _parent_only.update((writer, ended_writer))
            with contextlib.suppress(OSError):
                os.setpgid(0, 0)
            end_with_parent(keeper)
            _run(work, writer)
    with contextlib.suppress(OSError):
        os.setpgid(worker, worker)
    os.close(writer)
    os.close(ended_writer)
    select.select([lifeline, ended_reader], [], [])
    ready = select.select([ended_reader], [], [], 0)[0]
    status = _reap(worker) if ready else None
    _kill_group(worker)
    if status is None:
        status = _reap(worker)
    _kill_orphans()
    shutil.rmtree(scratch, ignore_errors=True)
    os._exit(status if status >= 0 else 128 - status)


def _kill_orphans() -> None:
    """Everything below dies: killing a process hands its children to the keeper, hence the loop."""
    me = os.getpid()
    for _ in range(1000):
        found = [pid for pid in descendants(me) if pid != me]
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG if not found else 0)[0]:
                pass
        if not found:
            return


# ---------------------------------------------------------------- looking at the process tree


LARGE_PROCESS = 200 << 20
"""Resident bytes from which on it matters which of them are shared."""


def descendants(root: int) -> list[int]:
    """`root` and all processes below it, as far as /proc tells (empty on systems without it)."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        found.append(pid)
        with contextlib.suppress(OSError):  # a process may end while its folder is listed
            for listing in Path(f"/proc/{pid}/task").glob("*/children"):
                with contextlib.suppress(OSError, ValueError):
                    waiting.extend(int(child) for child in listing.read_text().split())
    return found


def memory_of(pid: int) -> int:
    """Resident bytes of a process, 0 if it is gone. Of pages that forked processes still share each has its part; that
    is looked for (about 10 ms per GB) only where the process may be large."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path(f"/proc/{pid}/statm").read_text().split()
        at_most = (int(fields[1]) - int(fields[2])) * resource.getpagesize()
        return at_most if at_most < LARGE_PROCESS else min(at_most, _proportional(pid, at_most))
    return 0


def _proportional(pid: int, unless: int) -> int:
    """The proportional set size, as /proc says it in detail; `unless` it says nothing (an older Linux)."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return unless


# ---------------------------------------------------------------- after fork


@contextlib.contextmanager
def _child_process() -> Iterator[None]:
    """A forked child: none of the parent's handlers, descriptors or exit hooks; ends with the block."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        for descriptor in _parent_only:
            with contextlib.suppress(OSError):
                os.close(descriptor)
        _parent_only.clear()
        yield
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        _flush()
        os._exit(status)


def _redirect(log: BinaryIO) -> None:
    """Nothing that a library prints reaches the user's terminal."""
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()


def _limit_address_space(limit: int) -> None:
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))


def end_with_parent(parent: int) -> None:
    """This process is killed when the `parent` that it was started by ends, or has ended."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _kill_group(pid: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(pid, signal.SIGKILL)


def _reap(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return 0
