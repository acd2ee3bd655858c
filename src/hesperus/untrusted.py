"""Text that a model or a stranger's file wrote, made safe to show.

Control characters could rewrite a terminal, bidirectional overrides could reorder a line, and invisible tag
characters could hide text. All are shown as what they are.
"""

from __future__ import annotations

import re
import unicodedata

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"

UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufdd0-\ufdef\ufffe\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)
"""Control, override, invisible and unpaired characters; tabs and line breaks are not among them."""
_BREAKS = re.compile(r"[ \t]*[\r\n][ \t\r\n]*")
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})


def visible(text: str) -> str:
    """Keep lines and tabs; write every other control, override or invisible character as ``⟨U+202E⟩``."""
    return UNSAFE.sub(
        lambda found: f"⟨U+{ord(found[0]):04X}⟩", text.replace("\r\n", "\n").replace("\r", "\n")
    )


def one_line(text: str) -> str:
    """The same on one line: breaks become ``⏎``, tabs blanks."""
    return visible(_BREAKS.sub(" ⏎ ", text).replace("\t", " ")).strip()


def shortened(text: str, length: int) -> str:
    """At most ``length`` characters; what is left out is counted."""
    return text if len(text) <= length else f"{text[:length].rstrip()} … (+{len(text) - length} characters)"


def has_right_to_left(text: str) -> bool:
    """True where a letter of the text runs from right to left."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in _RIGHT_TO_LEFT for c in text)


def isolated(text: str) -> str:
    """Keep right-to-left text from reordering its neighbours on a line of a terminal."""
    return f"{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}" if has_right_to_left(text) else text
