"""Labels from the text that a tool extracted from a reply: letters, numbers, or the text itself."""

from __future__ import annotations

from typing import Literal

import polars as pl

from hesperus.records.labels import MOSTLY, SHORT

Kind = Literal["letter", "number", "text"]
"""What the gold labels of a log are."""

_LETTER = r"^\(?([A-Z])\)?[.):]?$"
_NUMBER = r"^[-+]?[$€£]?\d[\d,]*(?:\.\d+)?\.?$"

UNREAD = ("[invalid]", "[no match]")
"""What tools write where they could extract nothing."""


def gold_labels(golds: pl.Series) -> tuple[Kind, pl.Series]:
    """Kind and labels of gold values: letters, numbers, or the texts as they are.

    A gold text differs between languages; `joining` gives it one label. Where most texts are sentences, nobody would give
    one in the same words, and the rows have no gold.
    """
    texts = golds.cast(pl.String).str.strip_chars()
    patterns: dict[Kind, str] = {"letter": _LETTER, "number": _NUMBER}
    for kind, pattern in patterns.items():
        fits = texts.drop_nulls().str.contains(pattern)
        if len(fits) and fits.all():
            return kind, _labelled(texts, kind)
    lengths = texts.drop_nulls().str.len_chars()
    if not len(lengths) or (lengths <= SHORT).mean() < MOSTLY:  # type: ignore[operator]  # a mean of true and false
        return "text", pl.Series("gold", [None], dtype=pl.String).new_from_index(0, len(golds))
    return "text", texts.alias("gold")


def is_text(golds: pl.Series) -> bool:
    """Whether gold labels are texts."""
    return golds.null_count() < len(golds) and gold_labels(golds)[0] == "text"


def read_labels(texts: pl.Series, kind: Kind) -> tuple[pl.Series, pl.Series]:
    """Answers and outcomes of extracted texts.

    Returns:
        The labels (null if absent), and ``answered``, ``empty`` or ``invalid``.
    """
    plain = texts.str.strip_chars()
    unread = plain.is_in(list(UNREAD)).fill_null(False)
    empty = plain.fill_null("") == ""
    frame = pl.DataFrame({"text": _labelled(plain, kind), "unread": unread, "empty": empty})
    read = frame.select(
        answer=pl.when(~pl.col("unread") & ~pl.col("empty")).then(pl.col("text")),
    )["answer"]
    outcome = pl.DataFrame({"read": read, "empty": empty}).select(
        outcome=pl.when(pl.col("empty"))
        .then(pl.lit("empty"))
        .when(pl.col("read").is_null())
        .then(pl.lit("invalid"))
        .otherwise(pl.lit("answered"))
    )["outcome"]
    return read, outcome


def _labelled(texts: pl.Series, kind: Kind) -> pl.Series:
    if kind == "letter":
        return texts.str.extract(_LETTER)
    if kind == "number":
        plain = pl.when(texts.str.contains(_NUMBER)).then(texts.str.replace_all(r"[$€£,+]|\.$", ""))
        # 18.0 and 18 are one number.
        return pl.select(plain.str.replace(r"\.0+$", "").str.replace(r"^(-?)0+(\d)", "${1}${2}")).to_series()
    return texts
