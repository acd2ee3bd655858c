"""The translations with the lowest scores, with their texts and what they were compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from hesperus.analysis.item_texts import Text, row_in, texts_of
from hesperus.errors import UnknownNameError
from hesperus.wording import parsed

_PLACE = ("model", "task", "item", "sense")


_Texts = tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class ScoredTranslation:
    """A translation of an item.

    Attributes:
        model: The model that made the translation; empty if all share it.
        task: Task; empty if the scores name none.
        item: Item.
        sense: Code of the sense that was translated.
        score: In the unit of the metric, the higher the better.
        texts: Its texts, by name.
        other: Code of the sense that is shown next to it: an original in the same language, or else what it was made from.
        other_texts: The same texts in that sense.
    """

    model: str
    task: str
    item: str
    sense: str
    score: float
    texts: _Texts
    other: str
    other_texts: _Texts


def score_names(scores: pl.DataFrame) -> tuple[str, ...]:
    """Names of the metrics of a table of scores; of the whole item before those of its parts."""
    names = [name for name, kind in scores.schema.items() if kind.is_numeric()]
    return tuple(sorted(names, key=lambda name: (":" in name, name)))


def worst_translations(
    scores: pl.DataFrame, items: pl.DataFrame | None, metric: str = "", *, start: int = 0, most: int = 10
) -> tuple[ScoredTranslation, ...]:
    """Translations by score, the lowest first; those without a score are left out.

    Without a metric the first is taken (see score_names); `start` are passed over.

    Raises:
        UnknownNameError: No such metric.
    """
    names = score_names(scores)
    if metric and metric not in names:
        raise UnknownNameError("score", metric, names)
    column = metric or names[0]
    place = [name for name in _PLACE if name in scores.columns]
    found = scores.filter(pl.col(column).is_not_null()).sort(column, *place).slice(start, most)
    held = None if items is None else items.filter(pl.col("item").is_in(found["item"].implode()))
    return tuple(_translation(row, held, float(row[column])) for row in found.iter_rows(named=True))


def _translation(row: Mapping[str, object], items: pl.DataFrame | None, score: float) -> ScoredTranslation:
    model, code, item = str(row.get("model") or ""), str(row["sense"]), str(row["item"])
    sense = parsed(code)
    other = ""
    own: _Texts = ()
    compared: _Texts = ()
    if sense is not None and items is not None:
        texts = {one: _texts(items, item, one, model) for one in (code, sense.language, sense.origin)}
        own = texts[code]
        other = next((one for one in (sense.language, sense.origin) if one != code and texts[one]), "")
        compared = texts[other] if other else ()
    return ScoredTranslation(model, str(row.get("task") or ""), item, code, score, own, other, compared)


def _texts(items: pl.DataFrame, item: str, code: str, model: str) -> _Texts:
    held, sense = row_in(items, item, code, model), parsed(code)
    if held is None:
        return ()
    fields, options = texts_of(held, sense.language if sense else "und")
    return (*fields, *((f"option {chr(ord('A') + at)}", text) for at, text in enumerate(options[:26])))
