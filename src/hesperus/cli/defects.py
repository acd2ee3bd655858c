"""What is said of a defect of ours: enough to find it, and nothing that must not be passed on."""

from __future__ import annotations

import os
import platform
import re
import traceback
from pathlib import Path

from hesperus.version import __version__

EXIT_CODE = 70
"""EX_SOFTWARE of sysexits.h: neither a failed check nor bad use."""

_PACKAGE = Path(__file__).resolve().parent.parent
_DEEPEST = 8
_LONGEST = 300
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")
_HIDDEN = (
    (re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://\S+"), "[address]"),
    (re.compile(r"(?:[A-Za-z]:)?(?:[\\/][^\s\\/'\":;,()]+)+[\\/]?"), "[path]"),
    (re.compile(r"(?i)\b(?:bearer\s+\S+|(?:sk|gsk|pk|xai|hf|key)[-_][\w*.\-]{6,}|AIza[\w*\-]{6,})"), "[key]"),
)


def defect_report(error: BaseException) -> str:
    """A few lines on an exception that nothing foresaw: what, which version, where.

    Paths, addresses, keys and the values of variables that hold keys are cut out of its words.
    """
    calls = [_place(frame) for frame in traceback.extract_tb(error.__traceback__)]
    shown = [call for call in calls if call][-_DEEPEST:]
    said = _hidden(str(error))
    return "\n".join(
        (
            f"this is a defect of hesperus: {type(error).__name__}{f': {said}' if said else ''}",
            f"  hesperus {__version__}, Python {platform.python_version()}, {platform.system()}",
            *(f"  {call}" for call in shown),
            "What was answered so far is kept. Please report these lines; they hold no key and no path.",
        )
    )


def _place(frame: traceback.FrameSummary) -> str:
    """A call inside the package as ``room/file.py:line function``; of a library, its name; empty for the rest."""
    path = Path(frame.filename)
    if path.is_relative_to(_PACKAGE):
        return f"{path.relative_to(_PACKAGE).as_posix()}:{frame.lineno} {frame.name}"
    parts = path.parts
    if "site-packages" not in parts:
        return ""
    return f"in the library {parts[parts.index('site-packages') + 1].removesuffix('.py')}: {frame.name}"


def _hidden(text: str) -> str:
    for name, value in os.environ.items():
        if len(value) >= 6 and name.upper().endswith(_SECRET_NAMES):
            text = text.replace(value, "[key]")
    for pattern, word in _HIDDEN:
        text = pattern.sub(word, text)
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
