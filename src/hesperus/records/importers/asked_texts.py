"""What was asked, as far as logs hold it: how a log carries the texts of its items to the items table of the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson
import polars as pl

from hesperus.records.importers.import_settings import Log

ASKED = "asked:"
"""How columns of a log's rows begin that hold the texts of its items, field by field."""

OPTION_FIELDS = ("options", "choices", "endings")
"""Fields that hold the texts of the options, in their order: a list, as JSON."""

_LONGEST = 20_000
"""Characters of a text that are kept."""

_KEY = ("task", "item", "language")


def texts_of_item(fields: Mapping[str, Any], options: Sequence[str] | None = None) -> dict[str, str]:
    """The texts of an item, by field.

    Args:
        fields: Its fields; those that are no texts are left out.
        options: The texts of its options, in their order.
    """
    kept = {str(name): value for name, value in fields.items() if isinstance(value, str) and value.strip()}
    if options and all(isinstance(option, str) for option in options):
        kept[OPTION_FIELDS[0]] = orjson.dumps(options).decode()
    return kept


def with_texts(rows: pl.DataFrame, texts: Sequence[Mapping[str, str]]) -> pl.DataFrame:
    """Rows of a log with what texts_of_item gives for each of them."""
    names = dict.fromkeys(name for one in texts for name in one)
    return rows.with_columns(
        pl.Series(ASKED + name, [one.get(name) for one in texts], dtype=pl.String) for name in names
    )


def without_known(logs: Iterable[Log], known: dict[tuple[str, str], frozenset[str]]) -> Iterable[Log]:
    """The logs without texts that another log of the same task and language has told: many models are asked the same.

    Args:
        logs: Logs as they are read.
        known: Task and language to the items of the first log with texts; it grows.
    """
    for log in logs:
        if not log.language or not _columns(log):
            yield log
            continue
        items = frozenset(log.rows["item"].drop_nulls())
        first = known.setdefault((log.task, log.language), items)
        yield log if first is items or not items <= first else _bare(log)


def items_of(logs: Sequence[Log]) -> tuple[pl.DataFrame | None, list[Log]]:
    """The items table of logs that fit together, and the logs without the texts.

    Returns:
        ``task``, ``item``, ``language``, ``gold``, ``options`` (list of text) and ``field:NAME`` for every field, one row per
        task, item and language that a log has texts of: those of the first. None if no log has any.
    """
    frames = [
        log.rows.select(
            pl.lit(log.task).alias("task"),
            "item",
            pl.lit(log.language).alias("language"),
            "gold",
            *_columns(log),
        )
        for log in logs
        if _columns(log)
    ]
    bare = [_bare(log) for log in logs]
    if not frames:
        return None, bare
    found = pl.concat(frames, how="diagonal")
    texts = [name for name in found.columns if name.startswith(ASKED)]
    found = found.filter(pl.col("item").is_not_null() & pl.any_horizontal(pl.col(texts).is_not_null()))
    found = found.unique(_KEY, keep="first").with_columns(pl.col(texts).str.slice(0, _LONGEST))
    options = next((name for name in texts if name.removeprefix(ASKED).lower() in OPTION_FIELDS), None)
    lists = [None] * len(found) if options is None else [_list(value) for value in found[options]]
    fields = [name for name in texts if name != options]
    table = found.select(
        *_KEY,
        "gold",
        pl.Series("options", lists, dtype=pl.List(pl.String)),
        *(pl.col(name).alias(f"field:{name.removeprefix(ASKED)}") for name in fields),
    )
    return table.sort(_KEY), bare


def _columns(log: Log) -> list[str]:
    return [name for name in log.rows.columns if name.startswith(ASKED)]


def _bare(log: Log) -> Log:
    return replace(log, rows=log.rows.drop(_columns(log)))


def _list(value: str | None) -> list[str] | None:
    """The texts of a JSON list; None if it is another value, or holds anything else."""
    try:
        held = orjson.loads(value or "null")
    except orjson.JSONDecodeError:
        return None
    return held if isinstance(held, list) and held and all(isinstance(one, str) for one in held) else None
