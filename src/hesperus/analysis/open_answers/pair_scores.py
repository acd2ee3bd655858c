"""The score of each pair of open answers, and its ceiling: what an item matrix shows of a reply, and what ranks losses."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from hesperus.analysis.open_answers.evidence import DETAILS, PAIRS, SENTENCES, Evaluated, homes, read_frame
from hesperus.records import KEY, SCHEMA

_TRANSLATION = "candidate_text"


def scored_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compared pairs with ``score`` and ``ceiling`` in [0, 1]; the ceiling is null if there is no control.

    The score is F, the harmonic mean of precision and recall, or the agreement of a property.
    """
    compared = pairs.filter(pl.col("state") == "compared")
    has_claims = "precision" in pairs.columns

    def value(prefix: str) -> pl.Expr:
        if not has_claims:
            return pl.col(f"{prefix}agreement").cast(pl.Float64)
        p, r = pl.col(f"{prefix}precision"), pl.col(f"{prefix}recall")
        return pl.when(p + r > 0).then(2 * p * r / (p + r)).otherwise(p + r)

    control = f"ceiling_{'precision' if has_claims else 'agreement'}"
    above = value("ceiling_") if control in pairs.columns else pl.lit(None, pl.Float64)
    return compared.with_columns(score=value(""), ceiling=above)


def with_scores(records: pl.DataFrame, pairs: pl.DataFrame) -> pl.DataFrame:
    """Records with what an evaluation says of each reply: ``reply_translation``, ``score``, ``ceiling``.

    Args:
        records: The records table.
        pairs: Pairs of one evaluation; those that name no record leave the records as they are.
    """
    if not {*KEY} <= {*pairs.columns} & {*records.columns}:
        return records
    held = pairs.with_columns(pl.col("repeat").cast(SCHEMA["repeat"])).unique(
        KEY, keep="first", maintain_order=True
    )
    parts = [scored_pairs(held).select(*KEY, "score", "ceiling")] if "state" in held.columns else []
    if _TRANSLATION in held.columns and "reply_translation" not in records.columns:
        parts.append(held.select(*KEY, pl.col(_TRANSLATION).alias("reply_translation")))
    for part in parts:
        records = records.join(part, on=KEY, how="left", maintain_order="left")
    return records


def first_evaluation(folder: Path, study: Mapping[str, object]) -> Evaluated | None:
    """The first evaluation that a run folder holds, with what there is of its details; None if it holds none.

    Raises:
        DataError: A file of it is broken.
    """
    for what, home in homes(folder, study).items() if study.get("evaluate") else ():
        if (home / PAIRS).is_file():
            pairs, details, sentences = (_frame_if_there(home / name) for name in (PAIRS, DETAILS, SENTENCES))
            return Evaluated(what, pairs, details, sentences)
    return None


def _frame_if_there(file: Path) -> pl.DataFrame:
    return read_frame(file) if file.is_file() else pl.DataFrame()
