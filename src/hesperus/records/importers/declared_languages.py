"""Where the texts of a log are in another language than it is said to be in; nothing is changed, it is said once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from unicodedata import east_asian_width

import polars as pl

from hesperus.records.importers.asked_texts import ASKED, OPTION_FIELDS
from hesperus.records.importers.import_settings import Log
from hesperus.wording import counted, language_name

_LONG = 80
"""Characters from which on the language of a text is reliably told (see hesperus.languages.identification)."""

_WIDE = 3
"""Letters that a Chinese, Japanese or Korean character counts as: a sentence has that many fewer."""

_LOOKED_AT = 12
"""Items of a log whose texts are looked at: what is declared is declared of all of them."""

_FEWEST = 3

_MOSTLY = 0.5

_PLAINLY = 0.8
"""Share of a text's letters that are in another language; a question below an instruction in English has fewer."""

_SCRIPT = 4
"""Letters of the code of a script in a tag: `ace-Arab`."""

_BY = {
    "given": "as the import was told",
    "log": "by the log itself",
    "benchmark": "by the name of its benchmark",
}


@dataclass(frozen=True, slots=True)
class _Heard:
    """In which other language the texts of a log are: how many of how many."""

    log: Log
    tag: str
    many: int
    looked_at: int

    def __str__(self) -> str:
        declared, by = language_name(self.log.language), _BY.get(str(self.log.basis), self.log.evidence)
        return f"{self.log.place} is {declared} {by}, and {self.many} of {self.looked_at} look {language_name(self.tag)}"


def contradictions(logs: Sequence[Log]) -> list[str]:
    """A sentence on the logs whose questions are mostly in another language than is declared, and one on replies.

    Args:
        logs: Logs with their languages. Texts of fewer than 80 characters, and languages that are not told apart or not
            known to the identifier, raise nothing; replies count where a log has no questions so long.
    """
    found: dict[str, list[_Heard]] = {"questions": [], "replies": []}
    for log in logs:
        questions = list(islice(_long_questions(log), _LOOKED_AT))
        if len(questions) >= _FEWEST:
            found["questions"] += _contradicted(log, log.language, questions)
        else:
            replies = [[text] for text in islice(_long(log, "reply"), _LOOKED_AT)]
            found["replies"] += _contradicted(log, log.instruction or log.language, replies)
    hints = {
        "questions": "is the declared language right? Nothing was changed; --language NAME=TAG or --language-from declares another",
        "replies": "is the declared language right, or did the model answer in another? Nothing was changed",
    }
    return [
        f"{len(heard):,} of {counted(len(logs), 'log')} with {what} in another language than declared, first: {heard[0]}; {hints[what]}"
        for what, heard in found.items()
        if heard
    ]


def _contradicted(log: Log, declared: str, items: Sequence[Sequence[str]]) -> Iterator[_Heard]:
    """What another language most items are in, none of whose texts is in the declared one."""
    from hesperus.languages.identification import text_language

    if len(items) < _FEWEST or not _is_in_its_own_script(declared):
        return
    others: Counter[str] = Counter()
    for texts in items:
        told = [text_language(text, declared) for text in texts]
        if all(
            one.language is not None and one.other >= _PLAINLY * (one.own + one.other) > 0 for one in told
        ):
            others[str(told[0].language)] += 1
    if others and others.total() > _MOSTLY * len(items) and others.total() >= _FEWEST:
        tag, many = others.most_common(1)[0]
        yield _Heard(log, tag, many, len(items))


def _long_questions(log: Log) -> Iterator[list[str]]:
    """The long texts of each item; of documents with several languages next to each other there are several."""
    names = [
        name
        for name in log.rows.columns
        if name.startswith(ASKED) and name.removeprefix(ASKED).lower() not in OPTION_FIELDS
    ]
    if not names:
        return
    # A few are wanted, of a million maybe: no row is looked at before it is asked for. No letter counts for more than its bytes.
    may_be = pl.any_horizontal(pl.col(names).str.len_bytes() >= _LONG)
    known = set[tuple[str | None, ...]]()
    for row in log.rows.lazy().select(names).filter(may_be).collect().iter_rows():
        texts = [text for text in row if text is not None and _is_long(text)]
        if texts and row not in known:
            known.add(row)
            yield texts


def _long(log: Log, name: str) -> Iterator[str]:
    if name in log.rows.columns:
        known = set[str]()
        for text in log.rows[name].filter(log.rows[name].str.len_bytes() >= _LONG):
            if text not in known and _is_long(text):
                known.add(text)
                yield text


def _is_long(text: str) -> bool:
    told = text.strip()
    return len(told) >= _LONG or sum(_WIDE if east_asian_width(one) == "W" else 1 for one in told) >= _LONG


def _is_in_its_own_script(tag: str) -> bool:
    """Whether a tag names no script: the identifier knows languages as they are mostly written."""
    return not any(len(part) == _SCRIPT for part in tag.split("-")[1:])
