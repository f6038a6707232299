"""The command `counterpoint`. Exit status: 0 TRUE, 1 FALSE, 3 UNKNOWN, 2 unusable input, 4 internal error,
130 and 143 when interrupted or terminated.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import time


def main() -> None:
    """Runs the command and exits; never ends in a traceback."""
    begun = time.monotonic()
    gc.set_threshold(50_000, 20, 100)  # what modules make stays: looking for garbage there is a tenth of the start
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # quietly, until a subcommand sets its own handler
    from counterpoint.cli.streams import finish, secure

    secure()
    from counterpoint.cli.command import run_command

    _leave(finish(run_command(sys.argv[1:], begun)))


def _leave(status: int) -> None:
    """As `sys.exit`, but nothing is taken apart that goes with the process: that is a twelfth of a short check."""
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        sys.exit(status)
    atexit._run_exitfuncs()
    os._exit(status)
