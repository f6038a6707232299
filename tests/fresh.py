"""Checks from a process that stays small: it is forked before there are tests, and has all of the product imported.

A check forks five times or so, which costs 0.1 ms per megabyte each time, and a process that ran thousands of tests has
a gigabyte of them. What such a check does is what it does in any process: it forks its own at once.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import pkgutil
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import counterpoint
from counterpoint.portfolio.request import Request
from counterpoint.portfolio.result import CheckResult
from counterpoint.portfolio.run import run as run_here
from large_pages import use_large_pages

_LENGTH = struct.Struct(">Q")


@dataclass
class _Server:
    requests: BinaryIO
    answers: BinaryIO


_servers: list[_Server] = []


def start() -> None:
    """Forks the process that checks are made from. It ends with this one, but is none of its descendants: tests look
    at these."""
    request_reader, request_writer = os.pipe()
    answer_reader, answer_writer = os.pipe()
    if child := os.fork():
        os.waitpid(child, 0)
        os.close(request_reader)
        os.close(answer_writer)
        _servers.append(_Server(os.fdopen(request_writer, "wb"), os.fdopen(answer_reader, "rb")))
        return
    try:
        if os.fork():
            return
        os.close(request_writer)
        os.close(answer_reader)
        with Path(os.devnull).open("r+b") as nothing:
            for stream in range(3):
                os.dup2(nothing.fileno(), stream)
        _serve(os.fdopen(request_reader, "rb"), os.fdopen(answer_writer, "wb"))
    finally:
        os._exit(0)


def check(*files: Path, **options: object) -> CheckResult:
    """`counterpoint.check` from a small process."""
    return run(Request(files=files, **options))  # type: ignore[arg-type]


def run(request: Request) -> CheckResult:
    """`portfolio.run` in the working directory and the environment of this process, from a small one.

    What a test changed in this process's modules does not hold there.
    """
    if not _servers:  # no test session started one
        return run_here(request)
    (server,) = _servers
    _send(server.requests, (Path.cwd(), dict(os.environ), request))
    answer = _receive(server.answers)
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, CheckResult), "the process that checks are made from has ended"
    return answer


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    imported = False
    while (asked := _receive(requests)) is not None:
        if not imported:
            import_everything()
            imported = True
        folder, environment, request = asked  # type: ignore[misc]
        try:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            answer: object = run_here(request)
        except BaseException as error:
            answer = error
        _send(answers, answer)


def import_everything() -> None:
    """Imports once what every check's forked processes would import each: half of a small check's time."""
    for module in pkgutil.walk_packages(counterpoint.__path__, "counterpoint."):
        if not module.name.endswith(("__main__", "benchexec_tool")):  # what benchexec loads needs benchexec
            importlib.import_module(module.name)
    for name in ("z3", "bitwuzla", "llvmlite.binding"):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    use_large_pages()


def _send(stream: BinaryIO, message: object) -> None:
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO) -> object:
    """None where there is no more."""
    head = stream.read(_LENGTH.size)
    return pickle.loads(stream.read(*_LENGTH.unpack(head))) if len(head) == _LENGTH.size else None
