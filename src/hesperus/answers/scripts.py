"""Where a word ends, script by script.

A Latin letter beside a Chinese character stands alone (`选择B选项`), and Chinese, Japanese, Thai, Khmer, Lao and
Burmese set no blanks between words.
"""

from __future__ import annotations

from hesperus.languages.letters import RANGES, UNSPACED, script_of

POLITE = "(?:입니다|이에요|예요|이다|이요|요|でございます|です|である|だ|ครับ|ค่ะ|คะ)?"
"""Polite endings of Korean, Japanese and Thai, which belong to the word before them."""


def is_unspaced(word: str) -> bool:
    """True where the word's last letter belongs to a script without blanks between words."""
    return bool(word) and script_of(word[-1]) in UNSPACED


def bounded(pattern: str, word: str) -> str:
    """Put the word boundaries of the word's script around a pattern that matches the word.

    An apostrophe with an `s` joins (`A's`), and so does a letter before an apostrophe (`d'A`). In scripts without
    blanks there are no boundaries; a polite ending (`입니다`, `です`) belongs to the word.
    """
    first, last = script_of(word[0]), script_of(word[-1])
    left = right = ""
    if first is None:
        left = r"(?<![0-9])" if word[0].isdigit() else ""
    elif first not in UNSPACED:
        left = f"(?<![{RANGES[first]}0-9_])(?<![{RANGES[first]}]')"
    if last is None:
        right = r"(?![0-9])" if word[-1].isdigit() else ""
    elif last not in UNSPACED:
        right = f"(?={POLITE}(?![{RANGES[last]}0-9_]))(?!'s(?![A-Za-z]))"
    return f"{left}{pattern}{right}"
