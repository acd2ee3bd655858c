"""The table of the language of replies: how many are in the one asked for, line by line and word by word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.measure import measure
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, Row, Table, table
from hesperus.analysis.views import estimated, parts
from hesperus.frames import distinct_rows
from hesperus.languages import (
    TextLanguage,
    are_alike,
    compared_reply,
    is_identified,
    language_asked,
    reply_language,
)
from hesperus.measures import Statistic, share_statistic
from hesperus.wording import language_name

CELL = ("instruction", "input", "repeat")
COLUMNS = ("asked", "reply_language", "statistic", *ESTIMATE_COLUMNS)

_NONE_TOLD = "no reply that is long enough to tell its language"
_NO_WORDS = "in Latin script, words of other languages cannot be told by their letters"
_UNTOLD = "too short to tell"
_LOOKED_AT = 1000
"""Replies whose language a note may identify: a third of a second."""

Mask = npt.NDArray[np.bool_]


@measure(
    "language",
    help="How many replies are in the language of their instruction.",
    columns=("reply",),
    main=None,
    of_replies=True,
)
def language_table(records: pl.DataFrame, settings: MeasureSettings) -> Table:
    """How many replies of each cell are in the language of their instruction.

    Statistics, each a share of the replies that are long enough to tell:

    - ``right_language``: less than a third of the reply is in another language;
    - ``line_pass_rate``: no line or sentence of it is in another language;
    - ``word_pass_rate``: of those, the replies without a word of four and more small Latin letters; undefined where the
      language is written in Latin script;
    - ``share``: replies that count as in each language that occurs (column `reply_language`); all of them together are 1.

    The rates are those of Marchisio et al. 2024 (Understanding and Mitigating Language Confusion in LLMs,
    arXiv:2406.20052), with sentences of 20 letters in place of lines of five words, and without a dictionary.
    """
    if "reply" not in records.columns:
        records = records.with_columns(pl.lit(None, pl.String()).alias("reply"))
    rows: list[Row] = []
    for head, part in parts(records, ("model", "task"), by=settings.by, then=CELL):
        asked = language_asked(str(head["instruction"]))
        rows += estimated({**head, "asked": asked}, _statistics(part, asked), settings.bootstrap)
    columns = ("model", "task", *settings.by, *CELL, *COLUMNS)
    return table("language", columns, rows=rows, signature=settings.signed())


def language_notes(records: pl.DataFrame) -> list[str]:
    """How many replies of each model are in another language than the one asked for, a line each; none if none is.

    A reply counts as it does in ``right_language``. What was too short for that, and yet has the outcome
    `wrong_language`, is among the questions without an answer.

    Without the column `reply_language` the replies are looked at: of more than _LOOKED_AT, as many drawn at random, and the
    notes say so.
    """
    kinds, looked_at, whole = _languages(records)
    asked: dict[str, str | None] = {}
    replies: Counter[str] = Counter()
    untold: Counter[str] = Counter()
    others: dict[str, Counter[str]] = {}
    for model, instruction, tag, count in kinds:
        replies[model] += count
        if instruction not in asked:
            asked[instruction] = language_asked(instruction)
        wanted = asked[instruction]
        if tag is None or wanted is None:
            untold[model] += count
        elif not are_alike(tag, wanted):
            others.setdefault(model, Counter())[tag] += count
    return [
        f"{model}: {found.total():,} of {replies[model] - untold[model]:,} replies count as in another language than the one asked "
        f"for, which at least a third of each is ({', '.join(f'{language_name(tag)} {count:,}' for tag, count in found.most_common(5))})"
        + (f"; of {untold[model]:,} more it cannot be told" if untold[model] else "")
        + (f"; of {whole:,} replies of the table {looked_at:,} were looked at" if looked_at < whole else "")
        + "; `hesperus measure language` has the rates of what can"
        for model, found in others.items()
    ]


def _languages(records: pl.DataFrame) -> tuple[list[tuple[str, str, str | None, int]], int, int]:
    """Model, instruction, language and number of replies; how many replies were looked at, and how many there are."""
    # Counted first: of a million rows a few hundred differ in these columns.
    kind = ["model", "instruction", "reply_language"]
    if "reply_language" in records.columns:
        counts = distinct_rows(records, [*kind, "outcome"]).filter(pl.col("outcome") != "error")
        looked_at = whole = int(counts["len"].sum())
    elif "reply" in records.columns:
        replies = records.select("model", "instruction", "outcome", "reply").filter(
            pl.col("outcome") != "error", pl.col("reply").is_not_null()
        )
        some = _identified(replies)
        looked_at, whole = some.height, replies.height
        counts = distinct_rows(some, kind)
    else:
        return [], 0, 0
    return counts.select(*kind, "len").rows(), looked_at, whole


def _identified(replies: pl.DataFrame) -> pl.DataFrame:
    """At most _LOOKED_AT of some replies, with the column `reply_language`."""
    # Not at equal distances: languages alternate in a table that is sorted by item.
    some = replies.sample(_LOOKED_AT, seed=0) if replies.height > _LOOKED_AT else replies
    told = [
        reply_language(reply, language_asked(instruction))
        for reply, instruction in some.select("reply", "instruction").iter_rows()
    ]
    return some.with_columns(pl.Series("reply_language", told, pl.String()))


def _statistics(held: pl.DataFrame, asked: str | None) -> Iterator[tuple[Row, Statistic]]:
    found = [
        None if text is None or asked is None else compared_reply(text, asked)
        for text in held["reply"].to_list()
    ]
    lost = [f"{held['reply'].null_count()} without a reply"] if held["reply"].null_count() else []
    told = np.array([one is not None and one.is_told for one in found])
    if asked is None:
        lost.append("the instruction names no language")
    elif not is_identified(asked):
        lost.append(f"{asked} cannot be identified: only another script is seen")
    if short := sum(one is not None and not one.is_told for one in found):
        lost.append(f"{short} {_UNTOLD}")
    right = _mask(found, lambda one: not one.is_other)
    lines = _mask(found, lambda one: one.other_sentences == 0)
    words = _mask(found, lambda one: one.strange_words == 0)
    latin = bool(told.any()) and all(
        one.strange_words is None for one in found if one is not None and one.is_told
    )
    yield _row("right_language"), _told(right, told, len(found), lost)
    yield _row("line_pass_rate"), _told(lines, told, len(found), lost)
    wordly = np.zeros_like(told) if latin else told & lines
    yield _row("word_pass_rate"), _told(words, wordly, len(found), lost, _NO_WORDS if latin else _NONE_TOLD)
    names = [one.language if one is not None and one.is_told else None for one in found]
    for tag in sorted({name for name in names if name is not None}):
        same = np.array([name == tag for name in names])
        yield _row("share", tag), _told(same, told, len(found), lost)


def _row(statistic: str, tag: str | None = None) -> Row:
    return {"reply_language": tag, "statistic": statistic}


def _mask(found: Sequence[TextLanguage | None], holds: Callable[[TextLanguage], bool]) -> Mask:
    return np.array([one is not None and one.is_told and holds(one) for one in found], dtype=bool)


def _told(
    part: Mask, whole: Mask, height: int, lost: Sequence[str], undefined: str = _NONE_TOLD
) -> Statistic:
    return replace(
        share_statistic(part, whole),
        excluded=height - int(whole.sum()),
        reason="; ".join(lost),
        undefined=undefined,
    )
