"""How wide the terminal is in which a person reads what a command writes."""

from __future__ import annotations

import os
import stat
import sys
from typing import TextIO


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal that shows a stream; None without one, as for a file.

    Output that goes through a pipe, as into ``head`` or ``less``, is read in the terminal that standard error has. The
    environment variable COLUMNS counts before a terminal's own width.

    Args:
        stream: Standard output or standard error.
    """
    try:
        number = stream.fileno()
        if not os.isatty(number):
            if not stat.S_ISFIFO(os.fstat(number).st_mode) or not sys.stderr.isatty():
                return None
            number = sys.stderr.fileno()
        given = os.environ.get("COLUMNS", "")
        return (
            int(given) if given.isdecimal() and int(given) else os.get_terminal_size(number).columns or None
        )
    except (OSError, ValueError):  # a stream without a file, or a closed one
        return None
