"""Any table as records: CSV, TSV, JSON, JSON lines or Parquet, long or wide, with its columns mapped to those of the records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import PurePosixPath

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records.conform import conform
from hesperus.records.importers.asked_texts import ASKED, OPTION_FIELDS
from hesperus.records.importers.import_settings import (
    LOG_COLUMNS,
    ROW_KEY,
    ImportSettings,
    LeftOut,
    Log,
    Source,
)
from hesperus.records.importers.log_names import About, found_in, slots, tag_or_none
from hesperus.records.importers.sampled import Kept
from hesperus.records.importers.settling import samples
from hesperus.records.importers.table_advice import (
    advice,
    first_of,
    item_columns,
    language_column,
    named_in,
    second_answer,
)
from hesperus.records.importers.table_frames import (
    GOLD_NAMES,
    TEXT_NAMES,
    read_frame,
)
from hesperus.records.importers.table_wide import lengthened, unknown_languages, wide_columns
from hesperus.records.importers.texts import text_of
from hesperus.records.importers.tool_answers import Kind, gold_labels, read_labels
from hesperus.records.labels import VERDICTS
from hesperus.records.schema import KEY, SCHEMA
from hesperus.tables import row_line

_LANGUAGE = "language"
_MAPPED = (*SCHEMA, _LANGUAGE)
_UNSETTLED = "und"
"""Stands for the language until the names of the other files or the texts tell it."""

_ENDING = re.compile(r"\.(?:jsonl?|csv|tsv|parquet)")


def read_table(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read a table: a row per answer, or a column per language, per model, or per both.

    ``settings.columns`` maps columns of the records (or ``language``, which represents both senses) to columns of the
    table; a column of the same name needs no mapping, and nested fields have dotted names. ``settings.key`` makes the id of
    several columns; without it an id that is named as usual and unique counts. ``model``, ``task`` and the language may
    be in the name of the file or be given once. If there are replies and no answers, a reply that is a letter or a
    number and nothing else is the answer, as gold is; where gold is text and there are no options, the reply is the
    answer. Such logs say that their answers are from replies, so that a parser can read them.

    Raises:
        UnknownNameError: A column is mapped that does not exist, on either side.
        DataError: A needed column is missing, or a value breaks the contract; the message lists the columns with
            examples, and a command that would work.
    """
    whole = read_frame(source)
    texts = first_of(whole.columns, TEXT_NAMES)
    mapping = _mapping(whole, settings, source)
    _refuse_two_answers(whole, mapping, settings, source)
    frame, left = _long(whole, mapping, settings, source)
    if frame.is_empty():
        return [], left
    frame = _with_language(_with_model(frame, whole, settings, source), whole, settings, source, left)
    if frame.is_empty():
        return [], left
    frame = _with_item(frame, mapping, whole, settings, source)
    only_replies = "reply" in frame.columns and "answer" not in frame.columns
    if only_replies:
        frame, kinds = _unread(frame)
    elif "answer" not in frame.columns:
        raise _absent("no column 'answer': give --map answer=COLUMN", whole, settings, source)
    groups = [name for name in settings.groups if name in frame.columns and name not in _MAPPED]
    if settings.texts and len(frame) == len(
        whole
    ):  # of a wide table nobody knows whose language a question is in
        frame = frame.with_columns(_asked(frame))
    frame = frame.select(
        *(name for name in frame.columns if name in SCHEMA or name.startswith(ASKED)),
        *(pl.col(name).cast(pl.String) for name in groups),
    )
    frame = _without_doubles(frame, source, left)
    if frame.is_empty():
        return [], left
    conformed = conform(frame, file=source.place, header=row_line(0, source.path) - 1)
    if only_replies:
        conformed = pl.concat(
            _with_answers(part, kinds[str(task)])
            for (task,), part in conformed.partition_by("task", as_dict=True, maintain_order=True).items()
        )
    shown = samples(whole.select(texts).head(24).to_dicts()) if texts is not None else ()
    return _logs(conformed, settings, source, shown, from_replies=only_replies), left


def _asked(frame: pl.DataFrame) -> list[pl.Series]:
    """The texts of the items: columns with usual names that are not what the records are made of."""
    names = (*TEXT_NAMES, *OPTION_FIELDS)
    found = [name for name in frame.columns if name.lower() in names and name not in SCHEMA]
    return [
        pl.Series(ASKED + name, [text_of(value) for value in frame[name].to_list()], dtype=pl.String)
        for name in found
    ]


def _logs(
    frame: pl.DataFrame,
    settings: ImportSettings,
    source: Source,
    texts: tuple[str, ...],
    *,
    from_replies: bool,
) -> list[Log]:
    logs = []
    stem = _name(source)
    for part in frame.partition_by("model", "task", "instruction", "input", maintain_order=True):
        first = part.row(0, named=True)
        rows = part.select(*LOG_COLUMNS, *(name for name in part.columns if name not in SCHEMA))
        language = first["input"] if first["input"] != _UNSETTLED else ""
        about = About(
            first["task"],
            language,
            benchmark=None,
            instruction=first["instruction"] if first["instruction"] != first["input"] else None,
            own_task=first["task"],
            name=_without_model(stem)[0],
            basis=None if not language else "log" if settings.language_from is None else "given",
            evidence=settings.language_from or "a column of the table, or its name",
        )
        by_row = settings.key == (ROW_KEY,)
        kept = Kept(source, first["model"], about, by_row=by_row, texts=texts, from_replies=from_replies)
        logs.append(kept.log(rows, language, settings))
    return logs


def _mapping(frame: pl.DataFrame, settings: ImportSettings, source: Source) -> dict[str, str]:
    for ours, theirs in settings.columns.items():
        if ours not in _MAPPED:
            raise UnknownNameError("column of the records", ours, _MAPPED)
        if theirs not in frame.columns:
            hint = advice(frame, settings, source)
            raise UnknownNameError(f"column of {source.place}", theirs, frame.columns, hint)
    absent = [name for name in settings.key if name != ROW_KEY and name not in frame.columns]
    if absent:
        raise _absent(f"no column {absent[0]!r} for the id", frame, settings, source)
    same = {name: name for name in _MAPPED if name in frame.columns and name not in settings.columns.values()}
    return same | dict(settings.columns)


def _refuse_two_answers(
    frame: pl.DataFrame, mapping: Mapping[str, str], settings: ImportSettings, source: Source
) -> None:
    """Next to predictions and without gold, `answer` is mostly the right one: taken for the model's it would be no result."""
    if "answer" not in mapping or {"answer", "reply"} & settings.columns.keys() or settings.wide is not None:
        return
    if {"gold", "reply", "input"} & mapping.keys() or first_of(frame.columns, GOLD_NAMES) is not None:
        return
    other = second_answer(frame.columns)
    if other is not None:
        message = f"'answer' next to {other!r} is mostly the right answer; if it is what the model said, give --map answer=answer"
        raise _absent(message, frame, settings, source)


def _long(
    frame: pl.DataFrame, mapping: Mapping[str, str], settings: ImportSettings, source: Source
) -> tuple[pl.DataFrame, list[LeftOut]]:
    """A row per answer, with the columns of the records under their own names next to the table's."""
    asked = settings.wide is not None or settings.wide_columns is not None
    answered = "answer" in settings.columns or "reply" in mapping or "answer" in mapping
    found = (
        wide_columns(frame.columns, settings, source)
        if asked or not answered or "language" not in mapping
        else []
    )
    if (
        not asked
        and answered
        and ("answer" in settings.columns or "reply" in settings.columns or "input" in mapping)
    ):
        found = []
    if not found and asked:
        raise _absent("no column is named by a language", frame, settings, source)
    named = {ours: theirs for ours, theirs in mapping.items() if theirs not in {one.column for one in found}}
    left: list[LeftOut] = []
    if found:
        value = settings.wide or _content(frame, [one.column for one in found], settings, source)
        # What is called an answer beside columns of answers is the right one.
        if named.get("answer") == "answer" and "answer" not in settings.columns and "gold" not in named:
            named["gold"] = named.pop("answer")
        frame, left = lengthened(
            frame.rename({"answer": "(answer)"} if "answer" in frame.columns else {}), found, value, source
        )
        named = {ours: "(answer)" if theirs == "answer" else theirs for ours, theirs in named.items()}
        left += unknown_languages(frame.columns, found, source)
        named[value] = value
        named |= {
            name: name
            for name in ("language", "model")
            if name in frame.columns and any(getattr(one, name) for one in found)
        }
    frame = frame.with_columns(pl.col(theirs).alias(f"(ours){ours}") for ours, theirs in named.items())
    frame = frame.drop(name for name in (*_MAPPED, "correct") if name in frame.columns)
    frame = frame.rename({f"(ours){ours}": ours for ours in named})
    return _verdicts(frame) if "correct" in frame.columns and found and value == "correct" else frame, left


def _content(frame: pl.DataFrame, columns: list[str], settings: ImportSettings, source: Source) -> str:
    """What the columns of a wide table hold: labels, verdicts, or what the model wrote."""
    values = pl.concat(
        [frame[name].cast(pl.String).drop_nulls().unique().rename("v") for name in columns]
    ).unique()
    if set(values.str.to_lowercase()) <= {"0", "1", "true", "false", "0.0", "1.0"}:
        message = "the columns hold 0 and 1 only: give --wide correct where 1 means right, or --wide answer where they are labels"
        raise _absent(message, frame, replace(settings, wide="correct"), source)
    return "reply"


def _verdicts(frame: pl.DataFrame) -> pl.DataFrame:
    """Right and wrong as labels, where nothing else is known of the answers."""
    text = pl.col("correct").cast(pl.String).str.to_lowercase()
    answer = (
        pl.when(text.is_in(["1", "1.0", "true"]))
        .then(pl.lit(VERDICTS[0]))
        .when(text.is_in(["0", "0.0", "false"]))
        .then(pl.lit(VERDICTS[1]))
    )
    return frame.with_columns(
        answer=answer, gold=pl.lit(VERDICTS[0]), options=pl.lit(list(VERDICTS), dtype=pl.List(pl.String))
    ).drop("correct")


def _name(source: Source) -> str:
    """The file's place without its endings: language and model may be in a folder's name."""
    place = PurePosixPath(source.place)
    return str(place.with_name(_ENDING.split(place.name)[0]))


def _without_model(name: str) -> tuple[str, str | None]:
    """A name without the model that it says, and the model: the file's name first, then its folders'."""
    pieces = name.split("/")
    for place in range(len(pieces) - 1, -1, -1):
        model = named_in(pieces[place])[0]
        if model is None:
            continue
        rest = pieces[place].replace(model, "", 1).strip("_-. ")
        # A language alone would be the name of the task.
        rest = f"answers_{rest}" if rest and tag_or_none(rest) is not None else rest
        return "/".join(one for one in (*pieces[:place], rest, *pieces[place + 1 :]) if one), model
    return name, None


def _with_model(
    frame: pl.DataFrame, whole: pl.DataFrame, settings: ImportSettings, source: Source
) -> pl.DataFrame:
    rest, model = _without_model(_name(source))
    if settings.model_from is not None:
        kind, _, pattern = settings.model_from.partition(":")
        if kind not in ("name", "path") or not pattern:
            raise UsageError(f"--model-from {settings.model_from!r}: write 'name:REGEX' or 'path:REGEX'")
        model = found_in(settings.model_from, source.path.name, source.place, "--model-from")
    if settings.model is not None or "model" not in frame.columns:
        model = settings.model or model
        if model is None:
            raise _absent(
                "no column 'model': give --model NAME or --map model=COLUMN", whole, settings, source
            )
        frame = frame.with_columns(model=pl.lit(model))
    if settings.task is not None or "task" not in frame.columns:
        # Where a column says the language, a name that is also one of a language is a name.
        said = {_LANGUAGE, "input"} & set(frame.columns) and settings.language_from is None
        named = PurePosixPath(rest).name if said else ""
        task = settings.task or named or _task(rest, source)
        frame = frame.with_columns(task=pl.lit(task))
    return frame


def _task(name: str, source: Source) -> str:
    """The task by the file's name without its model, or by the nearest folder; a language alone names no task."""
    folders = (folder.name for folder in source.path.resolve().parents)
    named = (piece for piece in (*reversed(name.split("/")), *folders) if piece)
    return next((piece for piece in named if tag_or_none(piece) is None), "table")


def _with_item(
    frame: pl.DataFrame,
    mapping: Mapping[str, str],
    whole: pl.DataFrame,
    settings: ImportSettings,
    source: Source,
) -> pl.DataFrame:
    if settings.key == (ROW_KEY,):
        counts = pl.int_range(pl.len()).over("model", "task", "instruction", "input")
        return frame.with_columns(item=counts.cast(pl.String))
    if settings.key:
        return frame.with_columns(
            item=pl.concat_str([pl.col(name).cast(pl.String) for name in settings.key], separator="/")
        )
    if "item" in mapping:
        return frame
    found = item_columns(frame, ["model", "task", "instruction", "input"])
    if not found:
        raise _absent(
            "no column 'item': give --map item=COLUMN, or --key COLUMN for each of several",
            whole,
            settings,
            source,
        )
    return frame.with_columns(
        item=pl.concat_str([pl.col(name).cast(pl.String) for name in found], separator="/")
    )


def _absent(message: str, frame: pl.DataFrame, settings: ImportSettings, source: Source) -> DataError:
    """The error that something is not there, with what is, and the command that would work."""
    return DataError(f"{message}. {advice(frame, settings, source)}", file=source.place)


def _unread(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Kind]]:
    """Rows with replies and no answers, their gold as labels; with what the labels of each task are."""
    parts, kinds = [], {}
    height = len(frame)
    told = frame["outcome"] if "outcome" in frame.columns else pl.Series([None]).new_from_index(0, height)
    # What the table says of a reply that is none holds; whether one has an answer is not known yet.
    kept = told.cast(pl.String).is_in(["error", "empty", "truncated", "refused", "blocked", "wrong_language"])
    blank = frame["reply"].cast(pl.String).str.strip_chars().fill_null("") == ""
    outcome = pl.when(kept.fill_null(False)).then(told.cast(pl.String)).when(blank).then(pl.lit("empty"))
    frame = frame.with_columns(
        outcome=outcome.otherwise(pl.lit("invalid")), answer=pl.lit(None, dtype=pl.String)
    )
    for (task,), part in frame.partition_by("task", as_dict=True, maintain_order=True).items():
        golds = part["gold"] if "gold" in part.columns else part["answer"]
        kinds[str(task)], gold = gold_labels(golds.cast(pl.String))
        parts.append(part.with_columns(gold=gold))
    return pl.concat(parts), kinds


def _with_answers(frame: pl.DataFrame, kind: Kind) -> pl.DataFrame:
    """Answers of the replies of one task that are a label and nothing else; of what else they say, see `from_replies`."""
    options = frame["options"]
    if options.drop_nulls().len() and options.explode().drop_nulls().str.contains("^[A-Z]$").all():
        kind = "letter"
    answers, _ = read_labels(frame["reply"], kind)
    offered = pl.col("options").is_null() | pl.col("options").list.contains(pl.col("read"))
    is_read = (pl.col("outcome") == "invalid") & pl.col("read").is_not_null() & offered
    return (
        frame.with_columns(answers.alias("read"))
        .with_columns(
            answer=pl.when(is_read).then(pl.col("read")),
            outcome=pl.when(is_read).then(pl.lit("answered")).otherwise(pl.col("outcome")),
        )
        .drop("read")
    )


def _with_language(
    frame: pl.DataFrame, whole: pl.DataFrame, settings: ImportSettings, source: Source, left: list[LeftOut]
) -> pl.DataFrame:
    """Columns instruction and input: by the user's rule, from the column language, or as they are."""
    if settings.language_from is not None:
        frame = frame.with_columns(_ruled(settings.language_from, frame, settings, source).alias(_LANGUAGE))
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
            left.append(
                LeftOut(
                    "language not known", lost, source.place, f"{shown}; --language FOUND=TAG says what it is"
                )
            )
            frame = frame.filter(pl.col(_LANGUAGE).is_not_null())
        frame = frame.with_columns(
            pl.col(_LANGUAGE).alias(name) for name in ("instruction", "input") if name not in frame.columns
        ).drop(_LANGUAGE)
    for name, other in (("instruction", "input"), ("input", "instruction")):
        if name not in frame.columns and other in frame.columns:
            frame = frame.with_columns(pl.col(other).alias(name))
    if "input" not in frame.columns:
        named = slots(_without_model(_name(source))[0])
        if language_column(whole) is not None or not (named or first_of(whole.columns, TEXT_NAMES)):
            raise _absent(
                "no language: give --map language=COLUMN or --language-from '=TAG'", whole, settings, source
            )
        frame = frame.with_columns(instruction=pl.lit(_UNSETTLED), input=pl.lit(_UNSETTLED))
    return frame


def _ruled(spec: str, frame: pl.DataFrame, settings: ImportSettings, source: Source) -> pl.Expr:
    kind, _, rest = spec.partition(":")
    if spec.startswith("="):
        return pl.lit(spec[1:])
    if kind in ("name", "path") and rest:
        where = source.path.name if kind == "name" else source.place
        text = found_in(spec, source.path.name, source.place, "--language-from")
        if text is None or tag_or_none(text, settings) is None:
            found = f"finds {text!r}, which is none," if text else "finds nothing"
            raise DataError(f"no language: --language-from {spec!r} {found} in {where!r}", file=source.place)
        return pl.lit(text)
    if kind == "field" and rest in frame.columns:
        return pl.col(rest)
    raise UsageError(
        f"--language-from {spec!r} of a table is '=TAG', 'name:REGEX', 'path:REGEX' or 'field:COLUMN'; a column is mapped "
        "with --map language=COLUMN"
    )


def _without_doubles(frame: pl.DataFrame, source: Source, left: list[LeftOut]) -> pl.DataFrame:
    """Rows that are twice count once; of rows that share their key and differ, neither is known to be right."""
    distinct = frame.unique(maintain_order=True)
    if len(distinct) < len(frame):
        detail = "equal in every column; counted once"
        left.append(LeftOut("row occurs twice", len(frame) - len(distinct), source.place, detail))
    doubled = distinct.select(name for name in KEY if name in distinct.columns).is_duplicated()
    if doubled.any():
        item = distinct.filter(doubled)["item"][0]
        detail = (
            f"first {item!r}: rows share it and differ; is a column for the repeat or the model not mapped?"
        )
        left.append(LeftOut("id occurs twice", int(doubled.sum()), source.place, detail))
    return distinct.filter(~doubled)
