"""The language of imported replies, told as it is told of asked ones: measures and notes count those in another one."""

from __future__ import annotations

import polars as pl

COLUMN = "reply_language"

_KEY = ("reply", "instruction")


def with_reply_languages(records: pl.DataFrame) -> pl.DataFrame:
    """Add the column `reply_language`; each text is looked at once, and none if no log kept its replies.

    Args:
        records: Imported records, with `reply` and `instruction`. A column of that name stays as it is.
    """
    if COLUMN in records.columns or records["reply"].null_count() == records.height:
        return records
    # The identifier loads a model, which an import without replies does not need.
    from hesperus.languages import language_asked, reply_language

    texts = records.select(_KEY).drop_nulls().unique(maintain_order=True)
    asked = {str(code): language_asked(str(code)) for code in texts["instruction"].unique()}
    told = [reply_language(reply, asked[instruction]) for reply, instruction in texts.iter_rows()]
    found = texts.with_columns(pl.Series(COLUMN, told, dtype=pl.String()))
    return records.join(found, on=_KEY, how="left", maintain_order="left")
