"""Any table as records: CSV, TSV, JSON, JSON lines or Parquet, long or wide, with its columns mapped to those of the records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
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
from hesperus.records.importers.table_answers import unread, with_answers, with_verdicts
from hesperus.records.importers.table_frames import GOLD_NAMES, TEXT_NAMES, read_frame
from hesperus.records.importers.table_wide import lengthened, unknown_languages, wide_columns
from hesperus.records.importers.texts import text_of
from hesperus.records.schema import KEY, SCHEMA
from hesperus.tables import row_line

_LANGUAGE = "language"
_MAPPED = (*SCHEMA, _LANGUAGE)
_CELL = ("model", "task", "instruction", "input")
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
    table = _Table(source, settings, read_frame(source))
    return table.logs(), table.left


@dataclass(slots=True)
class _Table:
    """A table that becomes logs.

    Attributes:
        source: The file.
        settings: How it is read.
        whole: All of it, as it is written.
        left: What was left out so far.
    """

    source: Source
    settings: ImportSettings
    whole: pl.DataFrame
    left: list[LeftOut] = field(default_factory=list)

    def logs(self) -> list[Log]:
        """The logs: one for each cell."""
        mapping = self._mapping()
        self._refuse_two_answers(mapping)
        frame = self._long(mapping)
        if frame.is_empty():
            return []
        frame = self._with_language(self._with_model(frame))
        if frame.is_empty():
            return []
        frame = self._with_item(frame, mapping)
        only_replies = "reply" in frame.columns and "answer" not in frame.columns
        if only_replies:
            frame, kinds = unread(frame)
        elif "answer" not in frame.columns:
            raise self._absent("no column 'answer': give --map answer=COLUMN")
        groups = [name for name in self.settings.groups if name in frame.columns and name not in _MAPPED]
        # Of a wide table nobody knows whose language a question is in.
        if self.settings.texts and len(frame) == len(self.whole):
            frame = frame.with_columns(_asked(frame))
        frame = frame.select(
            *(name for name in frame.columns if name in SCHEMA or name.startswith(ASKED)),
            *(pl.col(name).cast(pl.String) for name in groups),
        )
        frame = self._without_doubles(frame)
        if frame.is_empty():
            return []
        conformed = conform(frame, file=self.source.place, header=row_line(0, self.source.path) - 1)
        if only_replies:
            conformed = pl.concat(
                with_answers(part, kinds[str(task)])
                for (task,), part in conformed.partition_by("task", as_dict=True, maintain_order=True).items()
            )
        column = first_of(self.whole.columns, TEXT_NAMES)
        texts = samples(self.whole.select(column).head(24).to_dicts()) if column is not None else ()
        parts = conformed.partition_by(*_CELL, maintain_order=True)
        return [self._log(part, texts, from_replies=only_replies) for part in parts]

    def _absent(self, message: str, settings: ImportSettings | None = None) -> DataError:
        """The error that something is not there, with what is, and the command that would work."""
        told = advice(self.whole, settings or self.settings, self.source)
        return DataError(f"{message}. {told}", file=self.source.place)

    def _leave(self, reason: str, count: int, detail: str) -> None:
        self.left.append(LeftOut(reason, count, self.source.place, detail))

    def _log(self, part: pl.DataFrame, texts: tuple[str, ...], *, from_replies: bool) -> Log:
        first, settings = part.row(0, named=True), self.settings
        rows = part.select(*LOG_COLUMNS, *(name for name in part.columns if name not in SCHEMA))
        language = first["input"] if first["input"] != _UNSETTLED else ""
        about = About(
            first["task"],
            language,
            benchmark=None,
            instruction=first["instruction"] if first["instruction"] != first["input"] else None,
            own_task=first["task"],
            name=_without_model(_name(self.source))[0],
            basis=None if not language else "log" if settings.language_from is None else "given",
            evidence=settings.language_from or "a column of the table, or its name",
        )
        by_row = settings.key == (ROW_KEY,)
        kept = Kept(self.source, first["model"], about, by_row=by_row, texts=texts, from_replies=from_replies)
        return kept.log(rows, language, settings)

    def _mapping(self) -> dict[str, str]:
        there, settings = self.whole.columns, self.settings
        for ours, theirs in settings.columns.items():
            if ours not in _MAPPED:
                raise UnknownNameError("column of the records", ours, _MAPPED)
            if theirs not in there:
                hint = advice(self.whole, settings, self.source)
                raise UnknownNameError(f"column of {self.source.place}", theirs, there, hint)
        absent = [name for name in settings.key if name != ROW_KEY and name not in there]
        if absent:
            raise self._absent(f"no column {absent[0]!r} for the id")
        same = {name: name for name in _MAPPED if name in there and name not in settings.columns.values()}
        return same | dict(settings.columns)

    def _refuse_two_answers(self, mapping: Mapping[str, str]) -> None:
        """Next to predictions and without gold, `answer` is mostly the right one: taken for the model's it would be no result."""
        mapped = {"answer", "reply"} & self.settings.columns.keys()
        if "answer" not in mapping or mapped or self.settings.wide is not None:
            return
        there = self.whole.columns
        if {"gold", "reply", "input"} & mapping.keys() or first_of(there, GOLD_NAMES) is not None:
            return
        other = second_answer(there)
        if other is not None:
            raise self._absent(
                f"'answer' next to {other!r} is mostly the right answer; if it is what the model said, give --map answer=answer"
            )

    def _long(self, mapping: Mapping[str, str]) -> pl.DataFrame:
        """A row per answer, with the columns of the records under their own names next to the table's."""
        frame, settings = self.whole, self.settings
        asked = settings.wide is not None or settings.wide_columns is not None
        answered = "answer" in settings.columns or "reply" in mapping or "answer" in mapping
        told = {"answer", "reply"} & settings.columns.keys() or "input" in mapping
        may_be_wide = asked or not answered or ("language" not in mapping and not told)
        found = wide_columns(frame.columns, settings, self.source) if may_be_wide else []
        if not found and asked:
            raise self._absent("no column is named by a language")
        columns = [one.column for one in found]
        named = {ours: theirs for ours, theirs in mapping.items() if theirs not in columns}
        value = ""
        if found:
            value = settings.wide or self._content(columns)
            # What is called an answer beside columns of answers is the right one.
            if named.get("answer") == "answer" and "answer" not in settings.columns and "gold" not in named:
                named["gold"] = named.pop("answer")
            frame = frame.rename({"answer": "(answer)"} if "answer" in frame.columns else {})
            frame, left = lengthened(frame, found, value, self.source)
            self.left += left + unknown_languages(frame.columns, found, self.source)
            named = {ours: "(answer)" if theirs == "answer" else theirs for ours, theirs in named.items()}
            said = [name for name in ("language", "model") if any(getattr(one, name) for one in found)]
            named |= {name: name for name in (value, *said)}
        frame = frame.with_columns(pl.col(theirs).alias(f"(ours){ours}") for ours, theirs in named.items())
        frame = frame.drop(name for name in (*_MAPPED, "correct") if name in frame.columns)
        frame = frame.rename({f"(ours){ours}": ours for ours in named})
        return with_verdicts(frame) if value == "correct" else frame

    def _content(self, columns: list[str]) -> str:
        """What the columns of a wide table hold: labels, verdicts, or what the model wrote."""
        distinct = (self.whole[name].cast(pl.String).drop_nulls().unique().rename("v") for name in columns)
        values = pl.concat(list(distinct)).unique()
        if set(values.str.to_lowercase()) <= {"0", "1", "true", "false", "0.0", "1.0"}:
            message = "the columns hold 0 and 1 only: give --wide correct where 1 means right, or --wide answer where they are labels"
            raise self._absent(message, replace(self.settings, wide="correct"))
        return "reply"

    def _with_model(self, frame: pl.DataFrame) -> pl.DataFrame:
        settings, source = self.settings, self.source
        rest, model = _without_model(_name(source))
        if settings.model_from is not None:
            kind, _, pattern = settings.model_from.partition(":")
            if kind not in ("name", "path") or not pattern:
                raise UsageError(f"--model-from {settings.model_from!r}: write 'name:REGEX' or 'path:REGEX'")
            model = found_in(settings.model_from, source.path.name, source.place, "--model-from")
        if settings.model is not None or "model" not in frame.columns:
            model = settings.model or model
            if model is None:
                raise self._absent("no column 'model': give --model NAME or --map model=COLUMN")
            frame = frame.with_columns(model=pl.lit(model))
        if settings.task is not None or "task" not in frame.columns:
            # Where a column says the language, a name that is also one of a language is a name.
            said = {_LANGUAGE, "input"} & set(frame.columns) and settings.language_from is None
            named = PurePosixPath(rest).name if said else ""
            frame = frame.with_columns(task=pl.lit(settings.task or named or _task(rest, source)))
        return frame

    def _with_item(self, frame: pl.DataFrame, mapping: Mapping[str, str]) -> pl.DataFrame:
        key = self.settings.key
        if key == (ROW_KEY,):
            return frame.with_columns(item=pl.int_range(pl.len()).over(*_CELL).cast(pl.String))
        if not key and "item" in mapping:
            return frame
        found = key or item_columns(frame, _CELL)
        if not found:
            raise self._absent(
                "no column 'item': give --map item=COLUMN, or --key COLUMN for each of several"
            )
        return frame.with_columns(
            item=pl.concat_str([pl.col(name).cast(pl.String) for name in found], separator="/")
        )

    def _with_language(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Columns instruction and input: by the user's rule, from the column language, or as they are."""
        if self.settings.language_from is not None:
            frame = frame.with_columns(self._ruled(self.settings.language_from, frame).alias(_LANGUAGE))
        if _LANGUAGE in frame.columns:
            frame = self._by_language(frame)
        for name, other in (("instruction", "input"), ("input", "instruction")):
            if name not in frame.columns and other in frame.columns:
                frame = frame.with_columns(pl.col(other).alias(name))
        if "input" not in frame.columns:
            named = slots(_without_model(_name(self.source))[0])
            told = named or first_of(self.whole.columns, TEXT_NAMES)
            if language_column(self.whole) is not None or not told:
                raise self._absent("no language: give --map language=COLUMN or --language-from '=TAG'")
            frame = frame.with_columns(instruction=pl.lit(_UNSETTLED), input=pl.lit(_UNSETTLED))
        return frame

    def _by_language(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows whose column of languages holds one, which is that of the senses that no column names."""
        values = frame[_LANGUAGE].unique().drop_nulls().cast(pl.String)
        tags = {value: tag_or_none(value, self.settings) for value in values}
        frame = frame.with_columns(
            pl.col(_LANGUAGE).cast(pl.String).replace_strict(tags, default=None, return_dtype=pl.String)
        )
        lost = frame[_LANGUAGE].null_count()
        if lost:
            shown = ", ".join(sorted(repr(value) for value, tag in tags.items() if tag is None)) or "empty"
            self._leave("language not known", lost, f"{shown}; --language FOUND=TAG says what it is")
            frame = frame.filter(pl.col(_LANGUAGE).is_not_null())
        return frame.with_columns(
            pl.col(_LANGUAGE).alias(name) for name in ("instruction", "input") if name not in frame.columns
        ).drop(_LANGUAGE)

    def _ruled(self, spec: str, frame: pl.DataFrame) -> pl.Expr:
        source = self.source
        kind, _, rest = spec.partition(":")
        if spec.startswith("="):
            return pl.lit(spec[1:])
        if kind in ("name", "path") and rest:
            where = source.path.name if kind == "name" else source.place
            text = found_in(spec, source.path.name, source.place, "--language-from")
            if text is None or tag_or_none(text, self.settings) is None:
                found = f"finds {text!r}, which is none," if text else "finds nothing"
                said = f"no language: --language-from {spec!r} {found} in {where!r}"
                raise DataError(said, file=source.place)
            return pl.lit(text)
        if kind == "field" and rest in frame.columns:
            return pl.col(rest)
        raise UsageError(
            f"--language-from {spec!r} of a table is '=TAG', 'name:REGEX', 'path:REGEX' or 'field:COLUMN'; a column is mapped "
            "with --map language=COLUMN"
        )

    def _without_doubles(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Rows that are twice count once; of rows that share their key and differ, neither is known to be right."""
        distinct = frame.unique(maintain_order=True)
        if len(distinct) < len(frame):
            same = len(frame) - len(distinct)
            self._leave("row occurs twice", same, "equal in every column; counted once")
        doubled = distinct.select(name for name in KEY if name in distinct.columns).is_duplicated()
        if doubled.any():
            item = distinct.filter(doubled)["item"][0]
            detail = f"first {item!r}: rows share it and differ; is a column for the repeat or the model not mapped?"
            self._leave("id occurs twice", int(doubled.sum()), detail)
        return distinct.filter(~doubled)


def _asked(frame: pl.DataFrame) -> list[pl.Series]:
    """The texts of the items: columns with usual names that are not what the records are made of."""
    names = (*TEXT_NAMES, *OPTION_FIELDS)
    found = [name for name in frame.columns if name.lower() in names and name not in SCHEMA]
    return [
        pl.Series(ASKED + name, [text_of(value) for value in frame[name].to_list()], dtype=pl.String)
        for name in found
    ]


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


def _task(name: str, source: Source) -> str:
    """The task by the file's name without its model, or by the nearest folder; a language alone names no task."""
    folders = (folder.name for folder in source.path.resolve().parents)
    named = (piece for piece in (*reversed(name.split("/")), *folders) if piece)
    return next((piece for piece in named if tag_or_none(piece) is None), "table")
