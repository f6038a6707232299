"""The command `counterpoint`. Exit status: 0 TRUE, 1 FALSE, 3 UNKNOWN, 2 unusable input, 4 internal error,
130 and 143 when interrupted or terminated.
"""

from __future__ import annotations

import gc
import signal
import sys


def main() -> None:
    """Runs the command and exits; never ends in a traceback."""
    gc.set_threshold(50_000, 20, 100)  # what modules make stays: looking for garbage there is a tenth of the start
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # quietly, until a subcommand sets its own handler
    from counterpoint.cli.streams import finish, secure

    secure()
    from counterpoint.cli.command import run_command

    sys.exit(finish(run_command(sys.argv[1:])))
