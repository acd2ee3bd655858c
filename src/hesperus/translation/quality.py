"""How good are the senses that were made by translating? Scores of items, for correlations, and of corpora.

Corpus BLEU over all fields, one corpus of items times fields; the item's score is the mean over its fields of the BLEU of
that one text, with exponential smoothing. By default the order of n-grams is that which the text has (effective order),
since a perfect translation of three words would score 0 otherwise; the preset ``ohmer2023`` keeps order 4, as the paper
does (section 3.3).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import DataError
from hesperus.languages import language
from hesperus.translation.ngrams import Bleu, Chrf, Corners, tokenizer_for
from hesperus.types import Sense

Floats = npt.NDArray[np.float64]

ItemBleu = Literal["effective_order", "ohmer2023"]
"""How BLEU of one text treats texts of fewer than four tokens."""

Reduce = Callable[[Floats], Floats]
"""Sums of columns, [..., k], to scores, [...]; NaN where one is undefined."""

Interval = Callable[[Floats, Reduce, Corners], tuple[float | None, float | None]]
"""Per-item columns [items, k], how their sums become a score, and columns of pseudo-items to the ends of an interval."""

Comet = Callable[[Sequence[str], Sequence[str], Sequence[str]], Sequence[float | None]]
"""Sources, translations and references to a score each (see hesperus.translation.CometScorer)."""

PAIR_COLUMNS = ("model", "task", "item", "sense", "field", "hypothesis", "reference")
"""Columns of the table of pairs, one row a text; ``source`` is wanted as well where COMET scores."""

CORPUS_COLUMNS = (
    "model", "task", "sense", "statistic", "value", "low", "high", "n", "excluded", "reason",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class QualitySettings:
    """What is computed.

    Attributes:
        tokenizers: Language tag to BLEU tokenizer, where another than tokenizer_for's is wanted.
        item_bleu: How an item is scored: ``effective_order``, or ``ohmer2023`` for the paper's rule.
        chrf_word_order: 0 for chrF, 2 for chrF++.
        rouge: "off"; "unicode" for words (or characters) of every script; "ascii" for the package's own tokenizer.
    """

    tokenizers: Mapping[str, str] = field(default_factory=dict)
    item_bleu: ItemBleu = "effective_order"
    chrf_word_order: int = 0
    rouge: Literal["off", "unicode", "ascii"] = "off"


@dataclass(frozen=True, slots=True)
class SenseScores:
    """Scores of senses.

    Attributes:
        items: One row a model, task, item and sense: ``bleu`` and ``chrf`` from 0 to 100, ``rouge1``, ``rouge2``,
            ``rougeL`` from 0 to 1, ``comet``, each the mean over the fields, and ``bleu:FIELD`` for each field. Null
            where the sense has no text.
        rows: One mapping a model, task, sense and score, with the keys CORPUS_COLUMNS.
    """

    items: pl.DataFrame
    rows: tuple[dict[str, object], ...]


@dataclass(frozen=True, slots=True)
class _Scored:
    """One score of all segments of a sense: statistics that add up, and how a sum becomes a score.

    `segment` is how those of one text become its score, where that is another way.
    """

    name: str
    statistics: Floats
    reduce: Reduce
    corners: Callable[[Floats], Corners]
    """Sums of a pseudo-item in each corner, from the mean sums of the items."""
    segment: Reduce | None = None


def score_senses(
    pairs: pl.DataFrame,
    settings: QualitySettings | None = None,
    *,
    interval: Interval | None = None,
    comet: Comet | None = None,
) -> SenseScores:
    """Score made senses against the benchmark's own wording.

    Args:
        pairs: One row a text with PAIR_COLUMNS; the sense is a code such as ``de_from_en``; its language decides
            the tokenizer. A null hypothesis is a translation that is missing: its item has no score and is counted as
            excluded.
        settings: What is computed.
        interval: Makes the intervals by resampling items; all fields of an item travel together. None gives none.
        comet: Scores segments; needs the column ``source``.

    Raises:
        DataError: Columns are missing, a text is twice, an item lacks a field, a reference is null, or a sense is
            no sense code.
        UnknownNameError: A language or tokenizer that does not exist.
        MissingExtraError: ROUGE or a tokenizer that is not installed.
    """
    settings = settings or QualitySettings()
    _check(pairs, comet is not None)
    ordered = _with_comet(pairs.sort("model", "task", "sense", "item", "field"), comet)
    items: list[pl.DataFrame] = []
    rows: list[dict[str, object]] = []
    for (model, task, sense), group in ordered.group_by(["model", "task", "sense"], maintain_order=True):
        keys = {"model": model, "task": task, "sense": sense}
        part, found = _score_one(group, str(sense), settings, interval=interval)
        named = part.with_columns(pl.lit(value).alias(name) for name, value in keys.items())
        items.append(
            named.select("model", "task", "item", "sense", pl.exclude("model", "task", "item", "sense"))
        )
        rows += [{**keys, **row} for row in found]
    if not items:
        return SenseScores(pairs.select("model", "task", "item", "sense"), ())
    return SenseScores(pl.concat(items, how="diagonal"), tuple(rows))


def _check(pairs: pl.DataFrame, needs_source: bool) -> None:
    wanted = [*PAIR_COLUMNS, *(["source"] if needs_source else [])]
    absent = [name for name in wanted if name not in pairs.columns]
    if absent:
        raise DataError(f"the table of translations lacks columns: {', '.join(absent)}")
    key = ["model", "task", "sense", "item", "field"]
    doubled = pairs.filter(pl.struct(key).is_duplicated())
    if doubled.height:
        row = doubled.row(0, named=True)
        raise DataError(
            f"two translations of one text in sense {row['sense']!r}", field=row["field"], item=row["item"]
        )
    bare = pairs.filter(pl.col("reference").is_null())
    if bare.height:
        row = bare.row(0, named=True)
        raise DataError(f"no reference for sense {row['sense']!r}", field=row["field"], item=row["item"])
    for sense in pairs["sense"].unique().to_list():
        try:
            Sense.parse(sense)
        except ValueError as error:
            raise DataError(str(error), field="sense") from error
    counts = pairs.group_by("model", "task", "sense", "item").len()
    uneven = counts.filter(pl.col("len") != pl.col("len").max().over("model", "task", "sense"))
    if uneven.height:
        row = uneven.sort("item").row(0, named=True)
        raise DataError(f"sense {row['sense']!r} lacks a field that other items have", item=row["item"])


def _score_one(
    group: pl.DataFrame,
    sense: str,
    settings: QualitySettings,
    *,
    interval: Interval | None,
) -> tuple[pl.DataFrame, list[dict[str, object]]]:
    """Scores of one sense; the group is sorted by item and field."""
    ids = group["item"].unique(maintain_order=True)
    missing = group.filter(pl.col("hypothesis").is_null())["item"].unique()
    kept = group.filter(~pl.col("item").is_in(missing.implode()))
    fields = kept["field"].unique(maintain_order=True).to_list()
    n = kept.height // len(fields) if fields else 0
    columns: dict[str, object] = {"item": kept["item"].unique(maintain_order=True)}
    rows: list[dict[str, object]] = []
    excluded = len(ids) - n
    reason = f"{excluded} of {len(ids)} items have no translation" if excluded else ""
    for scored in _all_scores(kept, sense, settings):
        width = scored.statistics.shape[1]
        by_item = scored.statistics.reshape(n, len(fields), width)
        score = scored.segment or scored.reduce
        each = [list(map(_known, item)) for item in score(by_item).tolist()]
        if scored.name == "bleu":
            columns |= {f"bleu:{name}": [item[at] for item in each] for at, name in enumerate(fields)}
        columns[scored.name] = [_mean(item) for item in each]
        low, high = _ends(scored, by_item.sum(axis=1), interval)
        value = _known(float(scored.reduce(scored.statistics.sum(axis=0)))) if n else None
        rows.append(
            {"statistic": scored.name, "value": value, "low": low, "high": high, "n": n,
             "excluded": excluded, "reason": reason}
        )  # fmt: skip
    part = ids.to_frame().join(pl.DataFrame(columns), on="item", how="left", maintain_order="left")
    return part, rows


def _with_comet(pairs: pl.DataFrame, comet: Comet | None) -> pl.DataFrame:
    """The pairs with COMET's scores: all that have a translation in one call, as every call loads the checkpoint."""
    if comet is None:
        return pairs
    there = pairs["hypothesis"].is_not_null()
    given = pairs.filter(there)
    scores = list(comet(*(given[name].to_list() for name in ("source", "hypothesis", "reference"))))
    values = pl.Series(_COMET, [None] * pairs.height, dtype=pl.Float64)
    return pairs.with_columns(values.scatter(there.arg_true(), scores))


_COMET = "__comet"
"""Column of the pairs that holds COMET's score of each segment."""


def _all_scores(kept: pl.DataFrame, sense: str, settings: QualitySettings) -> list[_Scored]:
    hypotheses, references = kept["hypothesis"].to_list(), kept["reference"].to_list()
    tag = Sense.parse(sense).language
    bleu = Bleu(tokenizer=settings.tokenizers.get(tag) or tokenizer_for(tag))
    chrf = Chrf(word_order=settings.chrf_word_order)
    found = [
        _Scored(
            "bleu",
            bleu.statistics(hypotheses, references),
            bleu.score,
            bleu.corners,
            replace(bleu, effective_order=settings.item_bleu == "effective_order").score,
        ),
        _Scored("chrf", chrf.statistics(hypotheses, references), chrf.score, chrf.corners),
    ]
    if settings.rouge != "off":
        # Imported here: an extra, and nltk behind it takes a second
        from hesperus.translation.rouge import ROUGE, rouge_scores

        words: Literal["words", "characters"] = "words" if language(tag).writes_spaces else "characters"
        scores = rouge_scores(hypotheses, references, words="ascii" if settings.rouge == "ascii" else words)
        found += [_averaged(name, [score[at] for score in scores]) for at, name in enumerate(ROUGE)]
    if _COMET in kept.columns:
        found.append(_averaged("comet", kept[_COMET].to_list()))
    return found


def _averaged(name: str, scores: Sequence[float | None]) -> _Scored:
    """A score with a corpus value that is the mean of the segments' that have one."""
    statistics = [(0.0, 0.0) if score is None else (score, 1.0) for score in scores]
    return _Scored(name, np.asarray(statistics, np.float64).reshape(len(scores), 2), _quotient, _unit_ends)


def _unit_ends(mean: Floats) -> Corners:
    """A score of 1 and one of 0, of as many texts as an item has on average."""
    texts = float(mean[1])
    return (texts, texts), (0.0, texts)


def _quotient(totals: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(totals[..., 0] / totals[..., 1])


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _ends(scored: _Scored, by_item: Floats, interval: Interval | None) -> tuple[float | None, float | None]:
    """Ends of the interval of the corpus score."""
    if interval is None or not by_item.size:
        return None, None
    return interval(by_item, scored.reduce, scored.corners(by_item.mean(axis=0)))
