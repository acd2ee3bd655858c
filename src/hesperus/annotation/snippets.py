"""Snippets of 1 to 4 sentences beside their translation, cut from texts that were translated sentence by sentence.

Raters judge short snippets more reliably than whole answers ("Found in Translation", appendix E.3).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from hesperus.errors import DataError, UnknownNameError
from hesperus.fingerprint import fingerprint

MOST_SENTENCES = 4

NOTHING = "—"
"""Stands where a side of a snippet has no text."""


def snippets_frame(
    frame: pl.DataFrame, *, unit: str, source: str = "source", text: str = "text", seed: int = 42
) -> pl.DataFrame:
    """Cut every row into snippets of 1 to 4 consecutive sentences; lengths are drawn with the seed.

    Args:
        frame: Rows whose source and text are lists of sentences, the n-th of one being the n-th of the other. In CSV a
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
    for name in (unit, source, text):
        if name not in frame.columns:
            raise UnknownNameError("column", name, frame.columns)
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
