"""Holds a table to the contract: missing optional columns are filled in, wrong ones are refused, naming the row."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import orjson
import polars as pl

from hesperus.errors import DataError, HesperusWarning
from hesperus.frames import frame_of
from hesperus.records.labels import Respelt, TaskLabels, settled
from hesperus.records.schema import KEY, LAST_REPEAT, REQUIRED, SCHEMA
from hesperus.types import OUTCOMES, Record
from hesperus.wording import first_named

_TEXT = tuple(name for name, kind in SCHEMA.items() if kind == pl.String())

_SPELLINGS = 3
"""Labels in another spelling that a warning shows."""

_SLACK = 0.01
"""How far probabilities may be from a sum of 1: files are written with few decimals."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a table came from, for messages: the file, and how many lines are before its first row."""

    file: object
    header: int

    def fault(self, message: str, *, row: int, field: str, item: object = None) -> DataError:
        """The error of a row (0-based)."""
        return DataError(
            message,
            file=self.file,
            line=row + 1 + self.header,
            field=field,
            item=None if item is None else str(item),
        )


def records_frame(records: Iterable[Record]) -> pl.DataFrame:
    """The records table of Record values.

    Raises:
        DataError: Two records share their key, or one breaks the contract.
    """
    every = list(records)
    return conform(frame_of({name: [getattr(record, name) for record in every] for name in SCHEMA}, SCHEMA))


def conform(
    frame: pl.DataFrame, *, file: object = None, header: int = 0, labels: TaskLabels | None = None
) -> pl.DataFrame:
    """Check a table against the contract and put it into its types.

    Args:
        frame: Any table with the required columns. Whole numbers become text where the contract says text; `repeat`
            defaults to 1; `outcome` is derived where it is absent or null (a label: answered; none: invalid next to a reply, else empty); an empty
            label counts as missing. Labels become options of their item where cleaning makes them one (`a`, `(B)`, `C.`), and
            one spelling of a label represents all within a task where items list no options (see records.labels).
        file: Named in messages.
        header: Lines of the file before its first row.
        labels: What the whole table says of its labels, where this is a part of one; None: this is all of it.

    Returns:
        The columns of the contract in order, then the others as they were.

    Raises:
        DataError: A required column is missing, a value has the wrong type or breaks a rule, a label is not one of its
            item's options, or two rows share their key; the message names the file, the row and the column.
    """
    place = _Place(file, header)
    absent = [name for name in REQUIRED if name not in frame.columns]
    if absent:
        raise DataError(
            f"no column {' and no column '.join(map(repr, absent))}; "
            f"a records table needs {', '.join(REQUIRED)}, this one has {', '.join(frame.columns) or 'none'}",
            file=file,
        )
    casts = [_cast(frame, name, place) for name in SCHEMA if name in frame.columns]
    filled = frame.with_columns(casts).with_columns(
        pl.lit(None, dtype=kind).alias(name) for name, kind in SCHEMA.items() if name not in frame.columns
    )
    if "repeat" not in frame.columns:
        filled = filled.with_columns(pl.lit(1, dtype=SCHEMA["repeat"]).alias("repeat"))
    filled = filled.with_columns(pl.col(name).replace("", None) for name in ("answer", "gold"))
    silent = pl.col("reply").fill_null("").str.strip_chars() == ""
    without = pl.when(silent).then(pl.lit("empty")).otherwise(pl.lit("invalid"))
    derived = pl.when(pl.col("answer").is_null()).then(without).otherwise(pl.lit("answered"))
    filled = filled.with_columns(pl.col("outcome").fill_null(derived))
    _check_key(filled, place)
    _check_outcomes(filled, place)
    _check_options(filled, place)
    labels = labels or TaskLabels.of(filled.lazy())
    if file is not None:
        _warn_of_spellings(labels.spellings, file)
    filled = _settle_labels(filled, labels, place)
    others = [name for name in frame.columns if name not in SCHEMA]
    return filled.select(*SCHEMA, *others)


def check_unique(frame: pl.DataFrame, *, file: object = None, header: int = 0) -> None:
    """Refuse a table in which two rows share their key.

    Raises:
        DataError: Naming the first row that repeats an earlier one.
    """
    # As many hashes as rows: no two are alike. Else it may be chance, and all keys are compared.
    if frame.select(pl.struct(KEY).hash().n_unique()).item() == frame.height:
        return
    doubled = frame.select(pl.struct(KEY).is_duplicated()).to_series()
    if not doubled.any():
        return
    rows = frame.with_row_index("row").filter(doubled)
    again = rows.filter(~pl.struct(KEY).is_first_distinct()).row(0, named=True)
    first = rows.filter(*(pl.col(name).eq(again[name]) for name in KEY)).row(0, named=True)
    key = ", ".join(f"{name}={again[name]}" for name in KEY if name != "item")
    message = (
        f"the same key ({key}) as line {first['row'] + 1 + header}; a new ask of the same is a new repeat"
    )
    raise _Place(file, header).fault(message, row=again["row"], field="item", item=again["item"])


def _cast(frame: pl.DataFrame, name: str, place: _Place) -> pl.Series:
    column, kind = frame[name], SCHEMA[name]
    if column.dtype in (kind, pl.Null):
        return column.cast(kind)
    if name in _TEXT:
        return _as_text(column, place)
    if name == "repeat":
        return _as_repeat(column, place)
    return _from_json(column, kind, place) if column.dtype == pl.String else _as_list(column, place)


def _as_list(column: pl.Series, place: _Place) -> pl.Series:
    kind = SCHEMA[column.name]
    text = kind == SCHEMA["options"]
    if isinstance(column.dtype, pl.List | pl.Array):
        inner = pl.Series([], dtype=column.dtype.inner).dtype
        named = inner == pl.String or inner.is_integer() or isinstance(inner, pl.Categorical | pl.Enum)
        if inner == pl.Null or (named if text else inner.is_numeric()):
            return column.cast(kind)
    raise _wrong_kind(column, f"a list of {'text' if text else 'numbers'}", place)


def _as_text(column: pl.Series, place: _Place) -> pl.Series:
    kind = column.dtype
    if kind.is_integer() or kind == pl.Boolean or isinstance(kind, pl.Categorical | pl.Enum):
        return column.cast(pl.String)
    whole = kind.is_float() and bool((column.drop_nulls() == column.drop_nulls().round(0)).all())
    if (whole and column.name == "item") or (kind.is_float() and column.name in ("answer", "gold")):
        # A column of whole numbers with gaps comes as floats from many tools.
        return column.cast(pl.String).str.replace(r"\.0$", "").alias(column.name)
    raise _wrong_kind(column, "text", place)


def _as_repeat(column: pl.Series, place: _Place) -> pl.Series:
    kind = column.dtype
    if not (kind.is_numeric() or kind == pl.String):
        raise _wrong_kind(column, "a whole number", place)
    whole = column.cast(pl.Float64, strict=False)
    wrong = (whole != whole.round(0)) | whole.is_null() | (whole < 1) | (whole > LAST_REPEAT)
    if wrong.any():
        row = int(wrong.arg_true()[0])
        message = f"expected a whole number of 1 or more, found {column[row]!r}"
        raise place.fault(message, row=row, field=column.name)
    return whole.cast(SCHEMA["repeat"])


def _from_json(column: pl.Series, kind: pl.DataType, place: _Place) -> pl.Series:
    """Lists in CSV are written as JSON: ["A", "B"]; of texts also A|B. Few differ, so each is read once."""
    is_text = kind == SCHEMA["options"]
    lists: dict[str | None, list[str] | list[float] | None] = {"": None, None: None}
    for row, text in enumerate(column):
        if text in lists:
            continue
        lists[text] = found = _json_list(text, is_text=is_text)
        if found is None:
            wanted = '["A", "B"], or A|B' if is_text else "[0.7, 0.3]"
            message = f"expected a JSON list such as {wanted}; found {text!r:.200}"
            raise place.fault(message, row=row, field=column.name)
    return pl.Series(column.name, [lists[text] for text in column], dtype=kind)


def _json_list(text: str, *, is_text: bool) -> list[str] | list[float] | None:
    """The texts or numbers of a JSON list, or texts between bars; None if it is neither."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        parts = [part.strip() for part in text.split("|")]
        return parts if is_text and len(parts) > 1 and all(parts) else None
    kinds = str | int if is_text else int | float
    if not isinstance(value, list) or not all(
        isinstance(part, kinds) and not isinstance(part, bool) for part in value
    ):
        return None
    return list(map(str, value)) if is_text else list(map(float, value))


def _wrong_kind(column: pl.Series, wanted: str, place: _Place) -> DataError:
    """The error of a column that holds something else, by its first value."""
    row = int(column.is_not_null().arg_max() or 0)
    first = column[row] if len(column) else None
    message = f"expected {wanted}, found {column.dtype}: {_shown(first)}"
    return place.fault(message, row=row, field=column.name)


def _shown(value: object) -> str:
    return repr(value.to_list() if isinstance(value, pl.Series) else value)


def _refuse(frame: pl.DataFrame, broken: pl.Expr, *, message: str, field: str, place: _Place) -> None:
    """Raise for the first row where `broken` holds; {} in the message is the cell."""
    rows = frame.select(broken.fill_null(False).alias("broken"))["broken"]
    if rows.any():
        row = int(rows.arg_max() or 0)
        shown = message.format(_shown(frame[field][row]))
        raise place.fault(shown, row=row, field=field, item=frame["item"][row])


def _check_key(frame: pl.DataFrame, place: _Place) -> None:
    for name in KEY:
        absent = pl.col(name).is_null() | (pl.col(name).cast(pl.String) == "")
        _refuse(frame, absent, message="is empty; every row needs it", field=name, place=place)
    check_unique(frame, file=place.file, header=place.header)


def _check_outcomes(frame: pl.DataFrame, place: _Place) -> None:
    known = ", ".join(OUTCOMES)
    answered, null = pl.col("outcome") == "answered", pl.col("answer").is_null()
    rules: Sequence[tuple[pl.Expr, str, str]] = (
        (~pl.col("outcome").is_in(OUTCOMES), "outcome", "unknown outcome {}; known: " + known),
        (answered & null, "answer", "is null where the outcome is 'answered'"),
        (~answered & ~null, "answer", "is {}, but only an answered row has an answer; set it to null"),
    )
    for broken, field, message in rules:
        _refuse(frame, broken, message=message, field=field, place=place)


def _settle_labels(frame: pl.DataFrame, labels: TaskLabels, place: _Place) -> pl.DataFrame:
    """Labels as options of their items; other labels are refused, unless the reply itself is the answer."""
    frame, strangers = settled(frame, labels)
    open_answer = pl.col("task").is_in(labels.open_tasks)
    for name, outside in strangers.items():
        rows = frame.with_row_index("row").filter(outside & frame.select(~open_answer).to_series())
        if rows.is_empty():
            continue
        counts = rows[name].value_counts(sort=True).head(5).iter_rows()
        shown = ", ".join(f"{label!r} ({many:,})" for label, many in counts)
        more = rows[name].n_unique() - 5
        first = rows.row(0, named=True)
        raise place.fault(
            f"{rows.height:,} rows hold labels that are none of the item's options: {shown}"
            f"{f' and {more:,} others' if more > 0 else ''}; the options here are {', '.join(map(repr, first['options']))}. "
            "Write labels as the options are written; a row without a valid answer has the outcome 'invalid' and no "
            "answer",
            row=first["row"],
            field=name,
            item=first["item"],
        )
    return frame


def _warn_of_spellings(respelt: Sequence[Respelt], file: object) -> None:
    """Say which labels count as others of the same letters: `us` and `US` may be one label, or two."""
    in_case = [one for one in respelt if one.label.casefold() == one.spelling.casefold()]
    for task in dict.fromkeys(one.task for one in in_case):
        found = sorted((one for one in in_case if one.task == task), key=lambda one: (-one.many, one.label))
        shown = first_named(
            [f"{one.label!r} ({one.many:,}) as {one.spelling!r}" for one in found], _SPELLINGS
        )
        said = (
            f"{file}, {task}: labels that differ only in case count as one: {shown}; a column options with the labels of each item "
            "keeps them apart"
        )
        warnings.warn(said, HesperusWarning, stacklevel=2)


def _check_options(frame: pl.DataFrame, place: _Place) -> None:
    nameless = pl.col("options").list.eval(pl.element().is_null()).list.any()
    _refuse(frame, nameless, message="{} hold a null; every option has a text", field="options", place=place)
    if frame["probs"].null_count() == frame.height:
        return
    probs, options = pl.col("probs"), pl.col("options")
    lengths = probs.list.len() != options.list.len()
    out = probs.list.eval(~pl.element().is_between(0.0, 1.0) | pl.element().is_nan()).list.any()
    null = probs.list.eval(pl.element().is_null()).list.any()
    rules: Sequence[tuple[pl.Expr, str]] = (
        (probs.is_not_null() & options.is_null(), "stand over options, and this row has none"),
        (lengths, "{} are not one per option"),
        (null, "{} hold a null; a row without probabilities has null instead of the list"),
        (out, "{} do not all lie in [0, 1]"),
        ((probs.list.sum() - 1).abs() > _SLACK, "{} do not sum to 1"),
    )
    for broken, message in rules:
        _refuse(frame, broken, message=message, field="probs", place=place)
