"""A library's own words in a message of ours."""

from __future__ import annotations

import re

_LONGEST = 300
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
_KEYS = re.compile(r"(?i)\bbearer\s+\S+|\bhf_(?!hub_|home)\w{6,}")
"""The hub's keys; its variables, such as HF_HUB_OFFLINE, begin like them and belong into messages."""


def said(error: BaseException) -> str:
    """What an error says, in one printable line of 300 characters at most, keys of the hub cut out."""
    line = " ".join(_CONTROLS.sub(" ", _KEYS.sub("[key]", str(error))).split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
