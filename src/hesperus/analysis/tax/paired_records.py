"""Records as two conditions of the same items, with an account of every item that cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
import polars as pl

from hesperus.analysis.table import NewRow
from hesperus.analysis.tax.item_groups import Group, group_of_items, groups_in_order
from hesperus.analysis.tax.tax_settings import QualityThreshold
from hesperus.errors import DataError, UnknownNameError
from hesperus.measures import FAILED, MISSING, Codes, Mask, TaxPairs, replied
from hesperus.records import AnswerArrays, Cell, answer_arrays


@dataclass(frozen=True, slots=True)
class Side:
    """One condition: the sense of the input, and which repeat."""

    input: str
    repeat: int = 1

    def check(self, records: pl.DataFrame) -> None:
        """Refuse a sense that no record has.

        Raises:
            UnknownNameError: The message lists those that there are.
        """
        known = records["input"].unique().sort().to_list()
        if self.input not in known:
            raise UnknownNameError("sense of the records", self.input, known)


@dataclass(frozen=True, slots=True, eq=False)
class PairedAnswers:
    """Two conditions under several models, over the items of one or more tasks.

    Attributes:
        models: Rows, sorted.
        items: Columns: (task, item).
        pairs: What is compared; where a pair does not count, `causes` says why.
        causes: Why a pair does not count, to the pairs of which it is the first reason, [models, items].
        answers: Class codes in both conditions, each [models, items].
        sides: The two conditions.
        quality: Which scores of the second condition's texts were good enough; None if no text was scored, or all are.
        one_sided: Models asked in one condition only, which are left out.
        groups: The group of each item, by the columns `by`, [items]; empty without columns.
        by: Columns that items are grouped by.
        parts: Groups of which this is one: tests are corrected over all of them.
    """

    models: tuple[str, ...]
    items: tuple[tuple[str, str], ...]
    pairs: TaxPairs
    causes: Mapping[str, Mask]
    answers: tuple[Codes, Codes]
    sides: tuple[Side, Side]
    quality: QualityThreshold | None = None
    one_sided: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    by: tuple[str, ...] = ()
    parts: int = 1

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in order."""
        return tuple(dict.fromkeys(task for task, _ in self.items))

    def of_task(self, task: str) -> Mask:
        """Where the items of a task are, [items]."""
        return np.array([own == task for own, _ in self.items], dtype=np.bool_)

    def of_items(self, items: Mask) -> PairedAnswers:
        """The same over some items alone, [items]."""
        own, groups = tuple(compress(self.items, items)), tuple(compress(self.groups, items))
        return self.mapped(lambda held, _: held[:, items], items=own, groups=groups)

    def mapped(self, change: Callable[[np.ndarray, int | bool], np.ndarray], **more: Any) -> PairedAnswers:
        """The same with other attributes, and every array changed; `change` also gets what stands for no pair."""
        return replace(
            self,
            pairs=TaxPairs(*(change(mask, False) for mask in self.pairs.masks)),
            causes={cause: change(mask, False) for cause, mask in self.causes.items()},
            answers=(change(self.answers[0], MISSING), change(self.answers[1], MISSING)),
            **more,
        )

    def by_group(self) -> Iterator[tuple[NewRow, PairedAnswers]]:
        """Each group of items, with the values of its columns; without columns all items."""
        if not self.by:
            yield {}, self
            return
        groups = groups_in_order(self.groups)
        for group in groups:
            yield dict(zip(self.by, group, strict=True)), replace(self.of_group(group), parts=len(groups))

    def of_group(self, group: Group) -> PairedAnswers:
        """The items of one group; none if it has none."""
        return self.of_items(np.array([own == group for own in self.groups], dtype=np.bool_))

    def answered(self, rows: Sequence[int], items: Mask) -> float | None:
        """Share of the questions of some models on both sides that were answered, in [0, 1]; None if none was asked.

        `rows` are models; `items` [items] may hold some that do not count in the number.
        """
        return answered_share(*(codes[list(rows)][:, items] for codes in self.answers))

    def left_out(self, rows: Sequence[int], items: Mask) -> dict[str, int]:
        """Cause to the asked items that no model of `rows` has a pair of; each item under the cause of its first model."""
        picked = list(rows)
        gone = items & ~self.pairs.strict[picked].any(axis=0)
        found: dict[str, int] = {}
        for cause, mask in self.causes.items():
            here = gone & mask[picked].any(axis=0)
            found[cause] = int(here.sum())
            gone = gone & ~here
        return _told(found)

    def pairs_left_out(self, rows: Sequence[int], items: Mask) -> dict[str, int]:
        """Cause to the pairs that are missing from items that another model of `rows` has a pair of."""
        picked = list(rows)
        strict = self.pairs.strict[picked]
        gone = items & strict.any(axis=0) & ~strict
        return _told({cause: int((mask[picked] & gone).sum()) for cause, mask in self.causes.items()})


_NOT_ASKED = "not asked at all"


def _told(counts: Mapping[str, int]) -> dict[str, int]:
    """What is said to be left out: nothing that was never asked."""
    return {cause: count for cause, count in counts.items() if count and cause != _NOT_ASKED}


def answered_share(*sides: Codes) -> float | None:
    """Answered over asked questions; a question without a reply (error) was asked. None if none was."""
    asked = sum(int((codes != MISSING).sum()) for codes in sides)
    return sum(int((codes >= 0).sum()) for codes in sides) / asked if asked else None


def compared(
    records: pl.DataFrame,
    first: Side,
    second: Side,
    *,
    scores: pl.DataFrame | None = None,
    quality: QualityThreshold | None = None,
    by: Sequence[str] = (),
) -> PairedAnswers:
    """Lay two conditions side by side, task by task.

    Args:
        records: The records table, of any number of tasks.
        first: The condition from which is subtracted.
        second: The other.
        scores: Item scores of the second condition's texts (see quality_scores); None if no text was scored.
        quality: Which scores are good enough; None lets all through.
        by: Columns of the records to group the items by.

    Raises:
        UnknownNameError: No record has the sense; the message lists those that there are. Or no record has a column.
        DataError: No model was asked in both conditions, or a model was asked one of them under several instructions, or an
            item is in several groups.
    """
    for side in (first, second):
        side.check(records)
    quality = quality if scores is not None else None
    parts = []
    one_sided: dict[str, None] = {}
    wanted = records.filter(pl.col("input").is_in([first.input, second.input]))
    for (task,), frame in wanted.group_by(["task"], maintain_order=True):
        part, alone = _one_task(str(task), frame, first, second, scores=scores, quality=quality)
        one_sided.update(dict.fromkeys(alone))
        if part is not None:
            parts.append(part)
    if not parts:
        raise DataError(
            f"no model has answers to both {first.input!r} (repeat {first.repeat}) and {second.input!r} (repeat "
            f"{second.repeat}) of one task"
        )
    parts.sort(key=lambda part: part.tasks)
    models = tuple(sorted({model for part in parts for model in part.models}))
    found = _joined(parts, models, tuple(name for name in one_sided if name not in models))
    group_of = group_of_items(wanted, by)
    return replace(found, groups=tuple(group_of[item] for item in found.items) if by else (), by=tuple(by))


def _one_task(
    task: str,
    frame: pl.DataFrame,
    first: Side,
    second: Side,
    *,
    scores: pl.DataFrame | None,
    quality: QualityThreshold | None,
) -> tuple[PairedAnswers | None, list[str]]:
    arrays = answer_arrays(frame)
    cells = [_cells(arrays, side) for side in (first, second)]
    models = tuple(sorted(cells[0].keys() & cells[1].keys()))
    alone = sorted(cells[0].keys() ^ cells[1].keys())
    if not models:
        return None, alone
    rows = [[arrays.row(side[model]) for model in models] for side in cells]
    (one, two), (gold, other) = (
        [table[picked] for picked in rows] for table in (arrays.answers, arrays.gold)
    )
    causes = _causes(one, two, gold, other)
    if quality is not None and scores is not None:
        causes |= _below_threshold(task, models, arrays.items, second.input, scores=scores, quality=quality)
    causes |= {f"invalid in {side.input}": answers < 0 for side, answers in ((first, one), (second, two))}
    open_to = np.ones(one.shape, dtype=np.bool_)
    own: dict[str, Mask] = {}
    asked = open_to
    for cause, mask in causes.items():
        own[cause] = mask & open_to
        open_to = open_to & ~mask
        if not cause.startswith("invalid"):
            asked = open_to
    pairs = TaxPairs((one == gold) & (one >= 0), (two == other) & (two >= 0), one >= 0, two >= 0, asked)
    items = tuple((task, item) for item in arrays.items)
    return PairedAnswers(models, items, pairs, own, (one, two), (first, second), quality), alone


def _cells(arrays: AnswerArrays, side: Side) -> dict[str, Cell]:
    """The cell of each model; of several instructions the one in the language of the input."""
    found: dict[str, list[Cell]] = {}
    for cell in arrays.cells:
        if (cell.input, cell.repeat) == (side.input, side.repeat):
            found.setdefault(cell.model, []).append(cell)
    language = side.input.partition("_")[0].partition("~")[0]
    chosen = {}
    for model, cells in found.items():
        fitting = [c for c in cells if c.instruction in (language, side.input)] if len(cells) > 1 else cells
        if len(fitting) != 1:
            named = ", ".join(cell.instruction for cell in cells)
            raise DataError(
                f"{model} was asked {side.input!r} under the instructions {named}; keep the records of one of them"
            )
        chosen[model] = fitting[0]
    return chosen


def _causes(one: Codes, two: Codes, gold: Codes, other: Codes) -> dict[str, Mask]:
    """What keeps a pair from being compared whatever its answers are, the first reason first."""
    asked = replied(one) & replied(two)
    known = (gold >= 0) & (other >= 0)
    return {
        _NOT_ASKED: (one == MISSING) & (two == MISSING),
        "without a reply (error)": (one == FAILED) | (two == FAILED),
        "asked on one side only": (one == MISSING) ^ (two == MISSING),
        "without gold": asked & ~known,
        "gold differs between the sides": asked & known & (gold != other),
    }


def _below_threshold(
    task: str,
    models: Sequence[str],
    items: Sequence[str],
    sense: str,
    *,
    scores: pl.DataFrame,
    quality: QualityThreshold,
) -> dict[str, Mask]:
    below = f"below {quality.metric} {quality.threshold:g}"
    shape = (len(models), len(items))
    mine = scores.filter((pl.col("sense") == sense) & (pl.col("task") == task))
    value = np.full(shape, np.nan)
    place = {item: column for column, item in enumerate(items)}
    row_of = {model: row for row, model in enumerate(models)}
    for model, item, score in mine.select("model", "item", quality.metric).iter_rows():
        if item in place and score is not None and (model is None or model in row_of):
            value[slice(None) if model is None else row_of[model], place[item]] = score
    return {"without a score": np.isnan(value), below: value < quality.threshold}


def _joined(
    parts: Sequence[PairedAnswers], models: tuple[str, ...], one_sided: tuple[str, ...]
) -> PairedAnswers:
    """Tasks side by side; a model that a task lacks has no pair there."""

    def laid(held: Sequence[np.ndarray], fill: int | bool) -> np.ndarray:
        blocks = []
        for part, own in zip(parts, held, strict=True):
            blocks.append(np.full((len(models), len(part.items)), fill, dtype=own.dtype))
            blocks[-1][[models.index(model) for model in part.models]] = own
        return np.concatenate(blocks, axis=1)

    def caused(cause: str) -> Mask:
        none = (np.zeros_like(part.pairs.asked) for part in parts)
        return laid(
            [part.causes.get(cause, no) for part, no in zip(parts, none, strict=True)], cause == _NOT_ASKED
        )

    return PairedAnswers(
        models,
        tuple(item for part in parts for item in part.items),
        TaxPairs(*(laid(masks, False) for masks in zip(*(part.pairs.masks for part in parts), strict=True))),
        {cause: caused(cause) for cause in dict.fromkeys(cause for part in parts for cause in part.causes)},
        (
            laid([part.answers[0] for part in parts], MISSING),
            laid([part.answers[1] for part in parts], MISSING),
        ),
        parts[0].sides,
        parts[0].quality,
        one_sided,
    )


def quality_scores(
    frame: pl.DataFrame, sense: str, tasks: Sequence[str], *, metric: str, file: object = None
) -> pl.DataFrame:
    """Item scores as the quality threshold takes them: `task`, `model` (null: for every model), `item`, `sense` and the score.

    Args:
        frame: As `hesperus score` writes it, or any table with `item` and the score; a column that it lacks holds for all.
        sense: Sense of the scored texts, where the table does not say.
        tasks: The tasks of the records.
        metric: Column of the score.
        file: Named in error messages.

    Raises:
        DataError: A column is missing or is no number, an item has two scores, or several tasks and none named.
    """
    for name in ("item", metric):
        if name not in frame.columns:
            raise DataError(f"no column {name!r}; there are {', '.join(frame.columns)}", file=file)
    if "task" not in frame.columns and len(tasks) > 1:
        raise DataError(f"no column 'task', and the records have {len(tasks)} tasks", file=file)
    filled = {
        "task": pl.lit(tasks[0] if tasks else ""),
        "model": pl.lit(None, pl.String),
        "sense": pl.lit(sense),
    }
    frame = frame.with_columns(
        value.alias(name) for name, value in filled.items() if name not in frame.columns
    )
    try:
        frame = frame.select(
            pl.col("task", "model", "item", "sense").cast(pl.String),
            pl.col(metric).cast(pl.Float64, strict=True),
        )
    except pl.exceptions.InvalidOperationError:
        raise DataError("holds what is no number", file=file, field=metric) from None
    twice = frame.filter(pl.struct("task", "model", "item", "sense").is_duplicated())
    if twice.height:
        raise DataError(f"has two scores for {sense}", file=file, field=metric, item=str(twice["item"][0]))
    return frame
