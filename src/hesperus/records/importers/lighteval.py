"""Logs of lighteval: details as Parquet, in the layouts before and after release 0.11."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from hesperus.errors import DataError, first_line
from hesperus.records.importers.asked_texts import texts_of_item
from hesperus.records.importers.import_settings import (
    ROW_KEY,
    VERDICT_METRICS,
    ImportSettings,
    LeftOut,
    Log,
    Source,
)
from hesperus.records.importers.log_names import Evidence, about
from hesperus.records.importers.sampled import Kept, Row, item_id, logs_of, own_language
from hesperus.records.importers.settling import samples
from hesperus.records.importers.texts import texts_in
from hesperus.tables import DAMAGED

_NAME = re.compile(
    r"details_(?P<task>.+?)(?:_(?P<date>\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?))?\.parquet"
)
_FORM = re.compile(r"(.+?)_(mcf|cf|hybrid)((?::.*)?)")
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE)

_ROWS_AT_ONCE = 4096

_NOT_AS_WRITTEN = (AttributeError, KeyError, IndexError, OverflowError, TypeError, ValueError)
"""What a column of another kind comes to: Parquet has the columns that whoever wrote it gave it."""

_SHOWN = 300


def read_lighteval(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one log. Its rows have no id of their own: they are joined by row unless a key is given.

    Raises:
        DataError: It is no log of lighteval, or its language cannot be told.
    """
    match = _NAME.fullmatch(source.path.name)
    task, date = (match["task"], match["date"] or "") if match else (source.path.stem, "")
    frame = _frame(source)
    parts = [part for part in task.split("|") if not part.isdecimal()]
    name, form = parts[-1], ""
    if formed := _FORM.fullmatch(name):
        name, form = formed[1] + formed[3], f"-{formed[2]}"
    name = name.replace(":", "_")
    read = _new if {"doc", "model_response"} <= set(frame.columns) else _old
    first = next(iter(frame.head(1).iter_rows(named=True)), None)
    if first is None:
        return [], [LeftOut("no rows", 0, source.place, "the file is empty")]
    what = about(Evidence(name, source.place, {}, texts_in(_specific(first))), settings)
    kept = Kept(
        source,
        settings.model or _model(source),
        replace(what, task=what.task + form, own_task=what.own_task + form),
        by_row=settings.key in ((), (ROW_KEY,)),
        date=date,
        texts=() if what.language else samples(_asked(frame)),
    )
    odd: list[LeftOut] = []

    def rows() -> Iterator[Row]:
        for number, row in enumerate(frame.iter_rows(named=True, buffer_size=_ROWS_AT_ONCE)):
            try:
                yield _row(read(row, number), row, settings, source)
            except _NOT_AS_WRITTEN as error:
                detail = f"row {number} is not as lighteval writes it ({type(error).__name__}: {error})"
                odd.append(LeftOut("row cannot be read", 1, source.place, detail[:_SHOWN], failed=True))

    logs, left = logs_of(rows(), kept, settings)
    return logs, odd + left


def _frame(source: Source) -> pl.DataFrame:
    """Only the columns that are needed: prompts and tokens stay on disk."""
    wanted = (
        "choices",
        "gold_index",
        "gold",
        "predictions",
        "specifics",
        "doc",
        "model_response",
        "example",
        "metric",
        "metrics",
    )
    try:
        scan = pl.scan_parquet(source.path)
        there = scan.collect_schema().names()
        frame = scan.select(name for name in wanted if name in there).collect()
    except DAMAGED as error:
        raise DataError(f"cannot be read as Parquet: {first_line(error)}", file=source.place) from error
    for name in ("doc", "model_response"):
        if name in there and not isinstance(frame.schema[name], pl.Struct):
            raise DataError(f"{name} is {frame.schema[name]}, not as lighteval writes it", file=source.place)
    return frame


def _asked(frame: pl.DataFrame) -> list[dict[str, str]]:
    """The questions of the first rows."""
    return [{"query": _query(row)} for row in frame.head(24).iter_rows(named=True)]


def _query(row: Mapping[str, Any]) -> str:
    document = row.get("doc") or {}
    return str(document.get("query") or row.get("example") or "")


def _texts(row: Mapping[str, Any]) -> dict[str, str]:
    choices = (row.get("doc") or {}).get("choices") or row.get("choices")
    return texts_of_item({"query": _query(row)}, choices if isinstance(choices, list) else None)


def _model(source: Source) -> str:
    """``details/ORG/NAME/DATE/details_….parquet``."""
    parts = source.path.parts
    if "details" in parts:
        after = parts[parts.index("details") + 1 : -1]
        return "hf/" + "/".join(part for part in after if not re.match(r"\d{4}-\d\d-\d\dT", part))
    return ""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row of either layout.

    Attributes:
        identity: Its own name, where no key was given.
        options: How many options it has.
        places: Places of the right ones.
        golds: Right texts.
        scores: Log-likelihoods; of options where there are as many.
        texts: What the model wrote.
    """

    identity: str
    options: int
    places: Sequence[Any]
    golds: Sequence[str]
    scores: Sequence[Any]
    texts: Sequence[str]


def _old(row: Mapping[str, Any], number: int) -> _Entry:
    choices, scores = row.get("choices"), _numbers(row.get("predictions"))
    places = _numbers(row.get("gold_index"))
    options = len(choices) if isinstance(choices, list) else len(scores)
    golds, texts = _list(row.get("gold")), _list(row.get("predictions"))
    return _Entry(str(number), options, places, golds, scores if places else [], texts)


def _new(row: Mapping[str, Any], number: int) -> _Entry:
    document, response = row["doc"] or {}, row["model_response"] or {}
    choices, places = document.get("choices") or [], document.get("gold_index")
    places = [place for place in (places if isinstance(places, list) else [places]) if place is not None]
    scores = response.get("logprobs") or []
    is_scored = 1 < len(choices) <= len(scores)
    golds = [] if is_scored else [choices[int(place)] for place in places if int(place) < len(choices)]
    texts = response.get("text_post_processed") or response.get("text") or []
    if scores and not texts and not is_scored and len(choices) > 1:
        raise ValueError(f"{len(scores)} scores for {len(choices)} options")
    return _Entry(str(document.get("id") or number), len(choices), places, golds, scores, texts)


def _row(entry: _Entry, row: Mapping[str, Any], settings: ImportSettings, source: Source) -> Row:
    """Options with scores, of which the first right one is the label; or a text that the model wrote."""
    specific = _specific(row)
    own = Row(
        item=item_id(specific, entry.identity, settings, source),
        gold=None,
        language=own_language(specific, settings),
        verdict=_verdict(row),
        asked=_texts(row),
    )
    if entry.options > 1 and len(entry.scores) >= entry.options:
        right = [chr(ord("A") + int(place)) for place in entry.places]
        scores = tuple(float(score) for score in entry.scores[: entry.options])
        return replace(own, **_right(right), options=entry.options, scores=scores)
    reply = entry.texts[0] if entry.texts else None
    right = [gold.strip() if not place else gold for place, gold in enumerate(entry.golds)]
    return replace(own, **_right(right), answer=reply, reply=reply, failed=None if reply else "empty")


def _right(answers: Sequence[str]) -> dict[str, Any]:
    """The right answers, of which the first is the label."""
    return {"gold": answers[0] if answers else None, "also_right": tuple(answers[1:])}


def _verdict(row: Mapping[str, Any]) -> bool | None:
    """Whether lighteval counted the row as right."""
    values = row.get("metric") or row.get("metrics")
    if not isinstance(values, dict):
        return None
    for name in VERDICT_METRICS:
        if values.get(name) in (0, 1):
            return bool(values[name])
    return None


def _specific(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the row has of its data set's own fields; Parquet has all of them in every row, most of them null."""
    value = row.get("specifics") or (row.get("doc") or {}).get("specific")
    return {name: one for name, one in value.items() if one is not None} if isinstance(value, dict) else {}


def _numbers(value: object) -> list[float]:
    """Numbers of a list, nested (score, is greedy) or not, or of a list that was written as text."""
    if value is None:
        return []
    if isinstance(value, int | float) and not isinstance(value, bool):
        return [float(value)]
    if isinstance(value, str):
        return [float(number) for number in _NUMBER.findall(value)]
    if isinstance(value, list):
        firsts = [part[0] if isinstance(part, list) and part else part for part in value]
        return [number for part in firsts for number in _numbers(part)[:1]]
    return []


def _list(value: object) -> list[str]:
    if isinstance(value, list):
        flat = [part[0] if isinstance(part, list) and part else part for part in value]
        return [str(part) for part in flat if part is not None]
    return [value] if isinstance(value, str) else []
