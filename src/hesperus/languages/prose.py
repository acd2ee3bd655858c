"""The prose of a text, sentence by sentence: what can say in which language it is.

Code, addresses, formulas and short quotations are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from hesperus.languages.letters import weight_of

LONGEST_SENTENCE = 300
"""Characters; a longer sentence is cut."""
_ENOUGH = 60
"""Letters that a sentence has by itself; a shorter one goes together with those after it."""
_MOST_SENTENCES = 60

_THINGS = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]+`"  # code
    r"|\$\$.+?\$\$|\\\[.+?\\\]|\\\(.+?\\\)|\\(?:begin|end|boxed|frac|text|sqrt)\b\S*"  # formulas
    r"|\$(?=\S)[^$\n]{1,80}(?<=\S)\$(?!\d)"
    r"|(?:https?|ftp)://\S+|\bwww\.\S+|\b[\w.+-]+@[\w-]+\.\w+|\]\([^)\s]*\)|</?[A-Za-z][^<>\n]{0,200}>"  # addresses, tags
    r"|\b\w+(?:_\w+)+\b|\b[\w.]+\(\)|\b[a-z]+[A-Z]\w*",  # names of things in programs
    re.DOTALL,
)
_QUOTED = re.compile(
    "|".join(
        rf"{opens}[^{opens}{closes}\n]{{1,{longest}}}[{closes}]"
        for opens, closes, longest in (
            ("“", "”", 120), ("„", "“”", 120), ("«", "»", 120), ("»", "«", 120), ('"', '"', 120), ("「", "」", 120),
            ("『", "』", 120), ("《", "》", 120), (r"\(", r"\)", 60), ("（", "）", 60),
        )
    )
)  # fmt: skip
# Searches for one character, by which nearly every text is let through without the long patterns.
_PROGRAM_SIGNS = re.compile(r"[`$\\@<_]|~~~|://|[a-z][A-Z]")
_OPENING = re.compile(r"[“„«»\"「『《(（]")
_CODE_MARKS = re.compile(r"[:{};=()\[\]]")
_MARK = re.compile(r"^[ \t]*(?:[-*•+–—>#]+|\d{1,3}[.)]|[A-Za-z][.)])[ \t]+")
_SENTENCE = re.compile(r"(?<=[.!?…؟।॥።])[\"'»”)\]]*\s+|(?<=[。！？])")
_CODE_SIGNS = re.compile(r"[{}\[\]();=<>|\\/+*#$%^&@~_]")
_CODE_LINE = re.compile(
    r"\s*(?:(?:def|class|for|while|if|elif|else|try|except|with|function|func|fn|switch|case)\b(?:.*\(.*[:{]|.*[:{]\s*(?:$|#|//))"
    r"|(?:return|import|from|print|const|let|var|public|private|static|SELECT|INSERT|UPDATE)\b.*[;=(){}]"
    r"|[\w.\[\]\"']+\s*(?:[-+*/]?=)\s*\S|.*(?:[{}]|[)\]];)\s*$)"
)


def prose_lines(text: str) -> Iterator[str]:
    """The lines of a text without what is no prose."""
    text = text.encode("utf-8", "ignore").decode()
    if _PROGRAM_SIGNS.search(text) or any(sign in text for sign in ("www.", "](", "()")):
        text = _THINGS.sub(" ", text)
    for raw in text.splitlines():
        line = _MARK.sub("", raw).strip()
        if _is_code(line):
            continue
        rest = _QUOTED.sub(" ", line) if _OPENING.search(line) else line
        # A line that is quoted as a whole, as models like to quote their answer, is what they say.
        if rest != line and sum(map(str.isalpha, rest)) * 2 >= sum(map(str.isalpha, line)):
            line = rest
        if line and any(map(str.isalpha, line)):
            yield line


def prose_sentences(lines: list[str]) -> Iterator[str]:
    """The sentences of each line, short ones together with those after them."""
    count = 0
    for line in lines:
        held = ""
        sentences = _SENTENCE.split(line)
        if len(sentences) == 1 and len(line) <= LONGEST_SENTENCE:
            held, sentences = line, []
        for sentence in sentences:
            held = f"{held} {sentence}" if held else sentence
            if weight_of(held) < _ENOUGH and len(held) < LONGEST_SENTENCE:
                continue
            for part in _parts(held):
                yield part
                count += 1
                if count >= _MOST_SENTENCES:  # a sentence may be of ten million characters
                    return
            held = ""
        if held.strip():
            yield held
            count += 1
        if count >= _MOST_SENTENCES:
            return


def _parts(text: str) -> Iterator[str]:
    """A text in parts of at most LONGEST_SENTENCE characters, cut at blanks if any."""
    start = 0
    while len(text) - start > LONGEST_SENTENCE:
        cut = text.rfind(" ", start + LONGEST_SENTENCE // 2, start + LONGEST_SENTENCE)
        cut = cut if cut > 0 else start + LONGEST_SENTENCE
        yield text[start:cut]
        start = cut
    yield text[start:]


def _is_code(line: str) -> bool:
    """Whether a line is one of a program or a formula: many signs, or its beginning and its end."""
    signs = len(_CODE_SIGNS.findall(line))
    if signs * 8 >= len(line):
        return True
    return _CODE_MARKS.search(line) is not None and _CODE_LINE.match(line) is not None
