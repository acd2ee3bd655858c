"""The item matrix: a row for each model and item, a cell for each sense, so that a number leads to its questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from hesperus.analysis.cell_marks import counted, counts, is_open, marked
from hesperus.analysis.sense_references import SenseCell, sense_references
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import SCHEMA, Run, Selection
from hesperus.records.packed import LONG_TEXTS, whole_records
from hesperus.wording import parsed

ROW = ("run", "model", "task", "item")
"""What a row of the matrix represents."""

_TEXT_SENSE = ("instruction", "input")
_SENSE = (*_TEXT_SENSE, "repeat")
_OPTIONAL: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "options": pl.List(pl.String),
    "probs": pl.List(pl.Float64),
    "reply": pl.String,
    "rule": pl.String,
    "reply_language": pl.String,
    "reply_translation": pl.String,
    "score": pl.Float64,
    "ceiling": pl.Float64,
}
_CARRIED = ("outcome", "answer", "gold", *_OPTIONAL)
_DETAILS = ("options", "probs", "reply", "rule", "reply_language", "reply_translation", "score", "ceiling")
"""What is only read, never counted: of a packed run cells have it where they are shown (see ItemMatrix.with_texts)."""
_NO_GROUP = frozenset({*SCHEMA, *_CARRIED, *LONG_TEXTS, "run"})


@dataclass(frozen=True, slots=True)
class MatrixColumn:
    """A sense of the matrix.

    Attributes:
        number: Its place, from 0.
        instruction: Sense code of the instruction.
        input: Sense code of the input.
        repeat: 1, 2, ….
        reference: Number of the column that its cells are compared with; None for a reference itself.
    """

    number: int
    instruction: str
    input: str
    repeat: int
    reference: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether instruction and input are in one sense, asked for the first time."""
        return self.instruction == self.input and self.repeat == 1

    @property
    def key(self) -> str:
        """How a user names it: ``sw``, ``instruction=sw_from_en,input=en``."""
        return sense_key(self.instruction, self.input, self.repeat)


@dataclass(frozen=True)
class ItemMatrix:
    """Rows, columns and cells, sorted by row and column; see hesperus.analysis.cell_marks for what the marks mean.

    Attributes:
        columns: The senses, references first.
        rows: ``row`` (number), ROW, the groups, then COUNTS and ``confidence``: the highest probability that the model gave
            to an answer that is wrong (of items without gold: that changed); null if absent. ``loss``: ceilings less scores of
            the cells that are lost, 0 if there are no scores.
        cells: ``row``, ``column``, ``mark``, ``changed`` and ``lost`` (null where that cannot be told), ``confidence``
            (probability of the most probable option, in [0, 1]) and what the records hold.
        groups: Names of the columns that are the same for all records of an item, such as ``subject``.
        items: Texts of the items by run, where a run has them.
        asked: Numbers of the columns by run and task.
        packed: Runs by name of which the cells lack what is only read: it is on disk.
    """

    columns: tuple[MatrixColumn, ...]
    rows: pl.DataFrame
    cells: pl.DataFrame
    groups: tuple[str, ...]
    items: Mapping[str, pl.DataFrame]
    asked: Mapping[tuple[str, str], frozenset[int]] = field(default_factory=dict)
    packed: Mapping[str, Run] = field(default_factory=dict)

    @cached_property
    def whole(self) -> ItemMatrix:
        """The matrix of the languages: instruction and input alike, first ask, and inputs that have one instruction only.

        All of it if there is no such cell.
        """
        first = [column for column in self.columns if column.repeat == 1]
        inputs = Counter(column.input for column in first)
        kept = [column.number for column in first if column.is_whole or inputs[column.input] == 1]
        if not kept or len(kept) == len(self.columns):
            return self
        cells = self.cells.filter(pl.col("column").is_in(kept))
        rows = counted(self.rows.select("row", *ROW, *self.groups), counts(cells))
        return replace(self, columns=tuple(self.columns[number] for number in kept), rows=rows, cells=cells)

    def with_texts(self, rows: pl.DataFrame) -> ItemMatrix:
        """The cells of the items of some rows, of all models, with all that the records hold."""
        place = ["run", "task", "item"]
        near = self.rows.join(rows.select(place).unique(), on=place, how="semi")
        cells = self.cells.filter(pl.col("row").is_in(near["row"].implode())).sort("row", "column")
        if self.packed:
            runs = {
                name: replace(run, records=whole_records(run, near["item"].unique()))
                for name, run in self.packed.items()
            }
            held = _placed(_together(runs), self.rows, self.columns)
            wanted = ["row", "column", *_DETAILS]
            cells = cells.drop(_DETAILS, strict=False).join(
                held.select(wanted).collect(), on=wanted[:2], how="left", maintain_order="left"
            )
        return replace(self, cells=cells)

    @cached_property
    def telling(self) -> frozenset[str]:
        """Those of run, task and model that differ between rows, and of lost and changed that some row has."""
        several = [name for name in ("run", "task", "model") if self.rows[name].n_unique() > 1]
        return frozenset([*several, *(name for name in ("lost", "changed") if self.rows[name].max())])

    @property
    def is_scored(self) -> bool:
        """Whether some cell has a score."""
        return "score" in self.cells.columns and bool(self.cells["score"].is_not_null().any())

    def columns_of(self, rows: pl.DataFrame) -> tuple[MatrixColumn, ...]:
        """Columns that were asked of some item of the runs and tasks of rows."""
        places = set(rows.select("run", "task").unique().rows())
        asked = set().union(*(self.asked[place] for place in places))
        return tuple(column for column in self.columns if column.number in asked)

    def column(self, name: str) -> MatrixColumn:
        """The column of a key, of ``instruction=…,input=…[,repeat=…]``, or of a language that only one sense is in.

        Raises:
            UnknownNameError: No such sense, or several senses are in this language.
        """
        by_key = {column.key: column for column in self.columns}
        if name in by_key:
            return by_key[name]
        try:
            chosen = Selection.parse(name)
            key = sense_key(chosen.instruction, chosen.input, chosen.repeat or 1)
        except UsageError:
            key = name
        if key in by_key:
            return by_key[key]
        spoken = [
            column
            for column in self.columns
            if column.is_whole and (sense := parsed(column.input)) and sense.language == name
        ]
        if len(spoken) == 1:
            return spoken[0]
        raise UnknownNameError("sense", name, by_key)

    def name_of(self, column: MatrixColumn) -> str:
        """Name of a sense in the wide table: its key, unless another column is called so."""
        taken = column.key in {"row", "gold", *ROW, *self.groups}
        return f"sense={column.key}" if taken else column.key

    def frame(self, rows: pl.DataFrame | None = None) -> pl.DataFrame:
        """The matrix as one wide table.

        Rows are in the order given; None takes all.

        Returns:
            ROW, the groups, then for each sense, under its key, a struct of ``answer``, ``outcome``, ``mark``, ``changed``,
            ``confidence``, ``probs``, ``reply_language`` and ``reply``; null where it was not asked.
        """
        wanted = (self.rows if rows is None else rows).select("row", *ROW, *self.groups)
        cells = self.cells.filter(pl.col("row").is_in(wanted["row"].implode()))
        parts = [
            "answer",
            "gold",
            "outcome",
            "mark",
            "changed",
            "confidence",
            "probs",
            "reply_language",
            "reply",
        ]
        for column in self.columns:
            of_column = cells.filter(pl.col("column") == column.number)
            wanted = wanted.join(
                of_column.select("row", pl.struct(parts).alias(self.name_of(column))),
                on="row",
                how="left",
                maintain_order="left",
            )
        return wanted.drop("row")


def item_matrix(runs: Mapping[str, Run], *, reference: str | None = None) -> ItemMatrix:
    """Lay the records of runs out as an item matrix.

    Args:
        runs: Name to run, in the order in which they are shown.
        reference: Sense that every cell is compared with; None: what the sense was made from, or else the study's
            reference, ``en``, or the first sense.

    Raises:
        UnknownNameError: The reference is no sense of these runs.
        DataError: There is no record.
    """
    records = _together(runs)
    columns = _columns(records, runs, reference)
    packed = {name: run for name, run in runs.items() if run.scan is not None}
    # A cell is compared within its model, and a row has one: of a large run a model is laid out at a time.
    models = records["model"].unique().sort() if packed else ()
    by_model = [pl.col("model") == model for model in models] or [pl.lit(True)]
    groups, rows = _rows(records, by_model)
    carried = [name for name in _CARRIED if not packed or name not in _DETAILS]
    read = pl.col("probs").list.max().alias("confidence"), is_open(records).alias("open")

    def cells_of(part: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        placed = _placed(part.with_columns(read), rows, columns)
        cells = placed.select("row", "column", "reference", *carried, "confidence", "open")
        found = marked(cells.collect().sort("row", "column"))
        return found, counts(found)

    parts = [cells_of(records.filter(of_model)) for of_model in by_model]
    cells, numbers = (pl.concat(one, rechunk=False) for one in zip(*parts, strict=True))
    items = {
        name: run.items for name, run in runs.items() if run.items is not None and not run.items.is_empty()
    }
    return ItemMatrix(columns, counted(rows, numbers), cells, groups, items, _asked(records, columns), packed)


def _placed(records: pl.DataFrame, rows: pl.DataFrame, columns: Sequence[MatrixColumn]) -> pl.LazyFrame:
    """Records with the numbers of their row and column, and of the column that theirs is compared with."""
    senses = pl.LazyFrame(
        [(c.number, c.instruction, c.input, c.repeat, c.reference) for c in columns],
        schema={"column": pl.UInt32, **{name: SCHEMA[name] for name in _SENSE}, "reference": pl.UInt32},
        orient="row",
    )
    # Joined by codes of the texts, which is quicker than by the texts.
    return (
        records.lazy()
        .with_columns(_coded(*ROW, *_TEXT_SENSE))
        .join(rows.lazy().select("row", _coded(*ROW)), on=ROW, how="left")
        .join(senses.with_columns(_coded(*_TEXT_SENSE)), on=_SENSE, how="left")
    )


def _asked(
    records: pl.DataFrame, columns: Sequence[MatrixColumn]
) -> Mapping[tuple[str, str], frozenset[int]]:
    numbers = {(column.instruction, column.input, column.repeat): column.number for column in columns}
    found: dict[tuple[str, str], set[int]] = {}
    asked = records.lazy().select("run", "task", *_SENSE).unique().collect(engine="streaming")
    for run, task, *sense in asked.iter_rows():
        found.setdefault((run, task), set()).add(numbers[tuple(sense)])
    return {place: frozenset(columns_of) for place, columns_of in found.items()}


def sense_key(instruction: str, given: str, repeat: int = 1) -> str:
    """How a user names a sense: ``sw``, ``instruction=sw_from_en,input=en``."""
    if instruction == given and repeat == 1:
        return given
    return f"instruction={instruction},input={given}" + (f",repeat={repeat}" if repeat > 1 else "")


def _together(runs: Mapping[str, Run]) -> pl.DataFrame:
    parts = [
        run.records.with_columns(run=pl.lit(name)) for name, run in runs.items() if not run.records.is_empty()
    ]
    if not parts:
        raise DataError("there is no record to show: the runs are empty")
    records = pl.concat(parts, how="diagonal_relaxed") if len(parts) > 1 else parts[0]
    absent = [name for name in _OPTIONAL if name not in records.columns]
    return records.with_columns(pl.lit(None, _OPTIONAL[name]).alias(name) for name in absent)


def _coded(*names: str) -> pl.Expr:
    return pl.col(names).cast(pl.Categorical)


def _rows(records: pl.DataFrame, by_model: Sequence[pl.Expr]) -> tuple[tuple[str, ...], pl.DataFrame]:
    """Names of the groups, and the numbered rows with their groups; records of some models at a time.

    A group is a text column beyond the contract that has one value for all records of an item, and not the same for all items.
    """
    texts = (pl.String, pl.Categorical)
    names = [name for name, kind in records.schema.items() if kind in texts and name not in _NO_GROUP]
    found = pl.concat(
        records.lazy()
        .filter(of_model)
        .select(_coded(*ROW, *names))
        .group_by(ROW)
        .agg(
            *(pl.col(name).first() for name in names),
            *(_is_one(pl.col(name).to_physical()).alias(f"{name} is one") for name in names),
        )
        .collect(engine="streaming")
        .with_columns(pl.col(*ROW, *names).cast(pl.String))
        for of_model in by_model
    )
    same = found.group_by("run", "task", "item").agg(
        (pl.col(name).n_unique() == 1) & pl.col(f"{name} is one").all() for name in names
    )
    groups = tuple(name for name in names if same[name].all() and found[name].n_unique() > 1)
    rows = found.sort("run", "task", "item", "model").with_row_index("row").select("row", *ROW, *groups)
    return groups, rows


def _is_one(values: pl.Expr) -> pl.Expr:
    """Whether all values are the same, or all are null."""
    known = values.is_not_null()
    return (values.min() == values.max()).fill_null(True) & (known.all() | ~known.any())


def _columns(
    records: pl.DataFrame, runs: Mapping[str, Run], reference: str | None
) -> tuple[MatrixColumn, ...]:
    senses: list[SenseCell] = records.select(_SENSE).unique().rows()
    found = sense_references(senses, [run.study for run in runs.values()])
    ordered = list(found)
    if reference is not None:
        plain = tuple(MatrixColumn(number, *sense) for number, sense in enumerate(ordered))
        empty = pl.DataFrame()
        chosen = ordered[ItemMatrix(plain, empty, empty, (), {}).column(reference).number]
        found = dict.fromkeys(ordered, chosen)
    return tuple(
        MatrixColumn(number, *sense, None if found[sense] == sense else ordered.index(found[sense]))
        for number, sense in enumerate(ordered)
    )
