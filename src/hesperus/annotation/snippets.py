"""Snippets of 1 to 4 sentences next to their translation, cut from texts that were translated sentence by sentence.

Raters judge short snippets more reliably than whole answers ("Found in Translation", appendix E.3).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from hesperus.errors import DataError, refuse_unknown
from hesperus.fingerprint import fingerprint

MOST_SENTENCES = 4

_NUMBER = "sentence"
_TEXT_KEYS = ("item", "model", "task", "instruction", "input", "repeat", "side_by_side", "language")
"""What tells one translated text from another in a table of sentences."""

NOTHING = "—"
"""Stands where a side of a snippet has no text."""


def snippets_frame(
    frame: pl.DataFrame, *, unit: str, source: str = "source", text: str = "text", seed: int = 42
) -> pl.DataFrame:
    """Cut every row into snippets of 1 to 4 consecutive sentences; lengths are drawn with the seed.

    Args:
        frame: Rows with source and text as lists of sentences, the n-th of one being the n-th of the other. In CSV a
            list is JSON.
        unit: Column of the id.
        source: Column of the source sentences.
        text: Column of the translated sentences.
        seed: Another seed cuts elsewhere.

    Returns:
        A row for each snippet: all columns, ``source`` and ``text`` as plain text, ``unit`` as ``ID#1``, ``ID#2``, …,
        and ``sentences``, their number. Pairs of two empty sentences are left out; a side without any text is ``—``.

    Raises:
        UnknownNameError: A column does not exist.
        DataError: A cell is no list, or the two lists differ in length; names the row.
    """
    refuse_unknown("column", (unit, source, text), frame.columns)
    rows = []
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        sides = [_sentences(row[name], number, name) for name in (source, text)]
        if len(sides[0]) != len(sides[1]):
            raise DataError(
                f"{len(sides[0])} sentences in {source!r}, {len(sides[1])} in {text!r}; they must belong together one "
                "by one",
                line=number,
                item=str(row[unit]),
            )
        rng = random.Random(fingerprint([seed, str(row[unit])]))
        rows += _cut(row, list(zip(*sides, strict=True)), (unit, source, text), rng)
    return pl.DataFrame(rows, infer_schema_length=None)


def gathered(frame: pl.DataFrame, *, source: str = "source", text: str = "translation") -> pl.DataFrame:
    """The sentences of each text as lists, from a table with a row for each sentence, as an evaluation leaves it.

    A row for each text: ``unit`` (what tells texts apart, with ``|`` between), ``source`` and ``text`` as lists, and
    the columns that tell texts apart; ``language`` becomes ``source.language``.
    """
    refuse_unknown("column of the sentences", ("item", _NUMBER, source, text), frame.columns)
    keys = [name for name in _TEXT_KEYS if name in frame.columns]
    twice = frame.filter(pl.struct(*keys, _NUMBER).is_duplicated())
    if twice.height:
        row = twice.row(0, named=True)
        raise DataError(f"sentence {row[_NUMBER]} occurs twice", item=str(row["item"]))
    telling = [name for name in keys if name == "item" or frame[name].n_unique() > 1]
    lists = (
        frame.sort(_NUMBER, maintain_order=True)
        .group_by(keys, maintain_order=True)
        .agg(pl.col(source).fill_null("").alias("source"), pl.col(text).fill_null("").alias("text"))
    )
    unit = pl.concat_str([pl.col(name).cast(pl.String).fill_null("") for name in telling], separator="|")
    found = lists.with_columns(unit.alias("unit"))
    return found.rename({"language": "source.language"}) if "language" in keys else found


def _cut(
    row: Mapping[str, Any],
    pairs: Sequence[tuple[str, str]],
    names: tuple[str, str, str],
    rng: random.Random,
) -> list[dict[str, Any]]:
    unit, source, text = names
    # A sentence that got no translation stays: that it was lost is what raters must be able to see.
    kept = [pair for pair in pairs if pair[0].strip() or pair[1].strip()]
    rest = {name: value for name, value in row.items() if name not in names}
    snippets: list[dict[str, Any]] = []
    at = 0
    while at < len(kept):
        part = kept[at : at + rng.randint(1, MOST_SENTENCES)]
        at += len(part)
        snippets.append(
            {
                "unit": f"{row[unit]}#{len(snippets) + 1}",
                "source": _joined(pair[0] for pair in part),
                "text": _joined(pair[1] for pair in part),
                "sentences": len(part),
                **rest,
            }
        )
    return snippets


def _joined(sentences: Iterable[str]) -> str:
    return " ".join(stripped for sentence in sentences if (stripped := sentence.strip())) or NOTHING


def _sentences(value: Any, number: int, name: str) -> list[str]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            raise DataError("no JSON list of sentences", line=number, field=name) from None
    if not isinstance(value, list) or not all(isinstance(part, str) for part in value):
        raise DataError("expected a list of sentences", line=number, field=name)
    return value
