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
from counterpoint.portfolio.result import CheckResult

_LENGTH = struct.Struct(">Q")


@dataclass
class _Server:
    requests: BinaryIO
    answers: BinaryIO


_servers: list[_Server] = []


def start() -> None:
    """Forks the process that checks are made from; it ends with this one."""
    request_reader, request_writer = os.pipe()
    answer_reader, answer_writer = os.pipe()
    if os.fork():
        os.close(request_reader)
        os.close(answer_writer)
        _servers.append(_Server(os.fdopen(request_writer, "wb"), os.fdopen(answer_reader, "rb")))
        return
    try:
        os.close(request_writer)
        os.close(answer_reader)
        with Path(os.devnull).open("r+b") as nothing:
            for stream in range(3):
                os.dup2(nothing.fileno(), stream)
        _serve(os.fdopen(request_reader, "rb"), os.fdopen(answer_writer, "wb"))
    finally:
        os._exit(0)


def check(*files: object, **options: object) -> CheckResult:
    """`counterpoint.check` in the working directory and the environment of this process, from a small one."""
    if not _servers:  # no test session started one
        return counterpoint.check(*files, **options)  # type: ignore[arg-type]
    (server,) = _servers
    _send(server.requests, (Path.cwd(), dict(os.environ), files, options))
    answer = _receive(server.answers)
    if isinstance(answer, BaseException):
        raise answer
    assert isinstance(answer, CheckResult), "the process that checks are made from has ended"
    return answer


def _serve(requests: BinaryIO, answers: BinaryIO) -> None:
    imported = False
    while (request := _receive(requests)) is not None:
        if not imported:
            _import_all()
            imported = True
        folder, environment, files, options = request  # type: ignore[misc]
        try:
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)
            answer: object = counterpoint.check(*files, **options)
        except BaseException as error:
            answer = error
        _send(answers, answer)


def _import_all() -> None:
    """All modules, so that no process of a check reads them anew."""
    for module in pkgutil.walk_packages(counterpoint.__path__, "counterpoint."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for library in ("bitwuzla", "z3"):
        importlib.import_module(library)
    gc.collect()
    gc.freeze()


def _send(stream: BinaryIO, message: object) -> None:
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _receive(stream: BinaryIO) -> object:
    """None where there is no more."""
    head = stream.read(_LENGTH.size)
    return pickle.loads(stream.read(*_LENGTH.unpack(head))) if len(head) == _LENGTH.size else None
