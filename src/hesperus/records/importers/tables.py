"""Any long table as records: CSV, TSV, JSON lines or Parquet, with its columns mapped to those of the records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records.conform import conform
from hesperus.records.importers.lines import open_bytes
from hesperus.records.importers.naming import tag_or_none
from hesperus.records.importers.replies import gold_labels, read_labels
from hesperus.records.importers.settings import LOG_COLUMNS, ImportSettings, LeftOut, Log, Source
from hesperus.records.schema import KEY, SCHEMA

_LANGUAGE = "language"
_MAPPED = (*SCHEMA, _LANGUAGE)


def read_table(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read a table, one row per answer.

    With ``settings.wide`` a row holds the answers of all languages, in columns named by their tags. Where replies are
    mapped and no answers, a reply that is a letter or a number and nothing else is the answer, as gold is.

    ``settings.columns`` maps columns of the records (or ``language``, which stands for both senses) to columns of the
    table; a column of the same name needs no mapping. ``model``, ``task`` and the language (``=TAG``) may be given once
    for the whole table.

    Raises:
        UnknownNameError: A column is mapped that does not exist, on either side.
        DataError: A needed column is missing, or a value breaks the contract.
    """
    frame = _frame(source)
    if settings.wide is not None:
        frame = _lengthened(frame, settings, source)
    mapping = _mapping(frame.columns, settings, source)
    groups = [name for name in settings.groups if name in frame.columns]
    taken = frame.select(
        *(pl.col(theirs).alias(ours) for ours, theirs in mapping.items()),
        *(pl.col(name).cast(pl.String) for name in groups if name not in mapping),
    )
    taken, left = _with_language(_with_constants(taken, settings, source), settings, source)
    if taken.is_empty():
        return [], left
    taken = _without_doubles(taken, source, left)
    if taken.is_empty():
        return [], left
    whole = conform(taken, file=source.place, header=1 if _is_csv(source) else 0)
    logs = []
    for part in whole.partition_by("model", "task", "instruction", "input", maintain_order=True):
        first = part.row(0, named=True)
        rows = part.select(*LOG_COLUMNS, *(name for name in part.columns if name not in SCHEMA))
        if not settings.replies:
            rows = rows.with_columns(reply=pl.lit(None, dtype=pl.String))
        logs.append(
            Log(
                tool="table",
                place=source.place,
                model=first["model"],
                task=first["task"],
                language=first["input"],
                rows=rows,
                instruction=first["instruction"] if first["instruction"] != first["input"] else None,
            )
        )
    return logs, left


def _is_csv(source: Source) -> bool:
    return Path(source.path.name.removesuffix(".gz")).suffix.lower() in (".csv", ".tsv")


def _frame(source: Source) -> pl.DataFrame:
    path = source.path
    ending = Path(path.name.removesuffix(".gz")).suffix.lower()
    try:
        if ending in (".parquet", ".pq"):
            return pl.read_parquet(path)
        if ending in (".jsonl", ".ndjson"):
            with open_bytes(path) as file:
                return pl.read_ndjson(file.read(), infer_schema_length=None)
        if ending in (".csv", ".tsv"):
            return pl.read_csv(path, separator="\t" if ending == ".tsv" else ",", infer_schema=False)
    except (pl.exceptions.PolarsError, UnicodeDecodeError, EOFError) as error:
        raise DataError(f"cannot be read: {str(error).splitlines()[0]}", file=source.place) from error
    raise DataError("a table is CSV, TSV, JSON lines or Parquet", file=source.place)


def _mapping(columns: list[str], settings: ImportSettings, source: Source) -> dict[str, str]:
    for ours, theirs in settings.columns.items():
        if ours not in _MAPPED:
            raise UnknownNameError("column of the records", ours, _MAPPED)
        if theirs not in columns:
            raise UnknownNameError(f"column of {source.place}", theirs, columns)
    same = {name: name for name in _MAPPED if name in columns}
    return same | dict(settings.columns)


def _with_constants(frame: pl.DataFrame, settings: ImportSettings, source: Source) -> pl.DataFrame:
    given = {"model": settings.model, "task": settings.task or Path(source.path.name).name.split(".")[0]}
    for name, value in given.items():
        if value is not None and (name not in frame.columns or getattr(settings, name) is not None):
            frame = frame.with_columns(pl.lit(value).alias(name))
    if "reply" in frame.columns and "gold" in frame.columns and "answer" not in frame.columns:
        frame = _with_answers(frame, source)
    for name in ("model", "item", "answer"):
        if name not in frame.columns:
            flag = f"--{name} NAME or " if name == "model" else ""
            raise _absent(f"no column {name!r}: give {flag}--map {name}=COLUMN", source)
    return frame


def _absent(message: str, source: Source) -> DataError:
    """The error that something is not there, with what is."""
    columns = _frame(source).columns
    tags = _tags(columns)
    if len(tags) > 1:
        message = (
            f"{message}; or, since columns are named by languages ({', '.join(tags)}), --wide answer, or --wide reply "
            "where they hold what the model wrote"
        )
    return DataError(f"{message} (there is {', '.join(columns)})", file=source.place)


def _tags(columns: Iterable[str]) -> dict[str, str]:
    """Columns that are named by a language, with its tag."""
    found = {name: tag_or_none(name) for name in columns if name not in _MAPPED}
    return {name: tag for name, tag in found.items() if tag is not None}


def _lengthened(frame: pl.DataFrame, settings: ImportSettings, source: Source) -> pl.DataFrame:
    """A row per item and language, from a row per item."""
    value = settings.wide
    assert value is not None
    # A column that is named for something else is no language, though its name may be a tag, as "qid" is.
    named = {*settings.columns.values(), *settings.groups}
    tags = _tags(name for name in frame.columns if name not in named)
    if not tags:
        shown = ", ".join(frame.columns)
        raise DataError(f"no column is named by a language (there is {shown})", file=source.place)
    for name in (_LANGUAGE, value):
        if name in frame.columns:
            raise DataError(f"a column {name!r} stands beside columns named by a language", file=source.place)
    others = [name for name in frame.columns if name not in tags]
    return frame.with_columns(pl.col(name).cast(pl.String) for name in tags).unpivot(
        list(tags), index=others, variable_name=_LANGUAGE, value_name=value
    )


def _with_answers(frame: pl.DataFrame, source: Source) -> pl.DataFrame:
    """Answers from replies, task by task, since the labels of one may be letters and of another numbers."""
    parts = []
    for (task,), part in frame.partition_by("task", as_dict=True, maintain_order=True).items():
        kind, gold = gold_labels(part["gold"])
        if kind == "text":
            raise DataError(
                f"gold of {task!r} is neither letters nor numbers, so that answers cannot be read from replies; give "
                "--map answer=COLUMN",
                file=source.place,
            )
        answers, outcomes = read_labels(part["reply"].cast(pl.String), kind)
        parts.append(
            part.with_columns(answers.alias("answer"), outcomes.alias("outcome"), gold.alias("gold"))
        )
    return pl.concat(parts)


def _with_language(
    frame: pl.DataFrame, settings: ImportSettings, source: Source
) -> tuple[pl.DataFrame, list[LeftOut]]:
    """Columns instruction and input, from the column language, from the flag, or as they are."""
    spec = settings.language_from
    if spec is not None and spec.startswith("="):
        frame = frame.with_columns(pl.lit(spec[1:]).alias(_LANGUAGE))
    elif spec is not None:
        raise UsageError(
            "--language-from of a table is '=TAG'; a column is mapped with --map language=COLUMN"
        )
    left: list[LeftOut] = []
    if _LANGUAGE in frame.columns:
        known = {
            value: tag_or_none(value, settings)
            for value in frame[_LANGUAGE].unique().drop_nulls().cast(pl.String)
        }
        tags: Mapping[str, str | None] = known
        frame = frame.with_columns(
            pl.col(_LANGUAGE).cast(pl.String).replace_strict(tags, default=None, return_dtype=pl.String)
        )
        lost = frame[_LANGUAGE].null_count()
        if lost:
            shown = ", ".join(sorted(repr(value) for value, tag in known.items() if tag is None)) or "empty"
            left.append(LeftOut("language not known", lost, source.place, shown))
            frame = frame.filter(pl.col(_LANGUAGE).is_not_null())
        frame = frame.with_columns(
            pl.col(_LANGUAGE).alias(name) for name in ("instruction", "input") if name not in frame.columns
        ).drop(_LANGUAGE)
    for name, other in (("instruction", "input"), ("input", "instruction")):
        if name not in frame.columns and other in frame.columns:
            frame = frame.with_columns(pl.col(other).alias(name))
    if "input" not in frame.columns:
        raise _absent("no language: give --map language=COLUMN or --language-from '=TAG'", source)
    return frame, left


def _without_doubles(frame: pl.DataFrame, source: Source, left: list[LeftOut]) -> pl.DataFrame:
    """Rows that stand twice count once; of rows that share their key and differ, neither is known to be right."""
    distinct = frame.unique(maintain_order=True)
    if len(distinct) < len(frame):
        detail = "equal in every column; counted once"
        left.append(LeftOut("row stands twice", len(frame) - len(distinct), source.place, detail))
    doubled = distinct.select(name for name in KEY if name in distinct.columns).is_duplicated()
    if doubled.any():
        item = distinct.filter(doubled)["item"][0]
        detail = (
            f"first {item!r}: rows share it and differ; is a column for the repeat or the model not mapped?"
        )
        left.append(LeftOut("id stands twice", int(doubled.sum()), source.place, detail))
    return distinct.filter(~doubled)
