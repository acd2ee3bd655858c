"""Text in CSV that a spreadsheet would run: `=HYPERLINK(…)`, `+cmd`, `-2+3`, `@SUM(…)`.

Replies and items are untrusted, and CSV has no mark for text. So a cell that would be a formula is written with an
apostrophe in front, which every spreadsheet takes for text, and the apostrophe is taken off where hesperus reads the file
again. Numbers are left as they are.
"""

from __future__ import annotations

import re

import polars as pl

_FORMULA = r"^'*[\t\r ]*[=+\-@]|^'*[\t\r]"
_NUMBER = r"^[-+]?(?:\d[\d.,\u00a0 ]*|[.,]\d+)(?:[eE][-+]?\d+)?\s?%?$"
_GUARDED = r"^'('*[\t\r ]*[=+\-@]|'*[\t\r])"

_formula, _number, _guarded = re.compile(_FORMULA), re.compile(_NUMBER), re.compile(_GUARDED)


def guarded(text: str) -> str:
    """A cell of CSV that no spreadsheet runs."""
    return f"'{text}" if _formula.search(text) and not _number.search(text) else text


def unguarded(text: str) -> str:
    """The text of a cell that `guarded` wrote."""
    return text[1:] if _guarded.search(text) else text


def guarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A table of texts and headings that no spreadsheet runs."""
    texts = {name: pl.col(name) for name, kind in frame.schema.items() if kind == pl.String()}
    safe = frame.with_columns(
        pl.when(text.str.contains(_FORMULA) & ~text.str.contains(_NUMBER))
        .then(pl.lit("'") + text)
        .otherwise(text)
        .alias(name)
        for name, text in texts.items()
    )
    return safe.rename({name: guarded(name) for name in frame.columns})


def unguarded_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A table that `guarded_frame` made, as it was before."""
    texts = [pl.col(name) for name, kind in frame.schema.items() if kind == pl.String()]
    plain = frame.with_columns(text.str.replace(_GUARDED, "$1") for text in texts)
    named = [unguarded(name) for name in frame.columns]
    if len(set(named)) == len(named):
        plain.columns = named
    return plain
