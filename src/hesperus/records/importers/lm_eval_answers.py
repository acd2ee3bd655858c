"""From the rows of lm-evaluation-harness to items, answers and gold labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from string import ascii_uppercase

import numpy as np
import polars as pl

from hesperus.errors import DataError
from hesperus.records.importers.asked_texts import ASKED
from hesperus.records.importers.benchmark_table import Benchmark
from hesperus.records.importers.import_settings import LOG_COLUMNS, ROW_KEY, VERDICT, LeftOut, Source
from hesperus.records.importers.option_scores import BROKEN, FLAT, Scored, softmax
from hesperus.records.importers.tool_answers import gold_labels, read_labels

_CONTRADICTED = 0.02
"""Share of rows in which the harness's own accuracy may contradict a gold label before the label is not believed."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How the rows of one log are read.

    Attributes:
        key: Fields that make the id; empty where `candidates` are tried.
        candidates: Keys to try: the first that is there and unique in every row.
        groups: Field to column.
        gold_field: Field with the gold value, or None for the target.
        benchmark: What is known of it.
        choice: Options were scored.
        constants: Texts of the options where they are always the same.
        halved: The second half of the scores is not of the question.
        filter: The filter that the user wants.
        texts: The texts of the options are read.
        prefix: Put before every id.
        subject: Part of the benchmark, where no field of the items says it.
        verdict: Metric of the harness that says right or wrong.
        asked: Fields with the texts of an item.
    """

    key: tuple[str, ...]
    candidates: tuple[tuple[str, ...], ...]
    groups: Mapping[str, str]
    gold_field: str | None
    benchmark: Benchmark | None
    choice: bool
    constants: tuple[str, ...]
    halved: bool
    filter: str | None
    texts: bool
    prefix: str = ""
    subject: str | None = None
    verdict: str = "acc"
    asked: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """All fields of the document that are needed."""
        keys = [name for key in (self.key, *self.candidates) for name in key if name != ROW_KEY]
        gold = [self.gold_field] if self.gold_field is not None else []
        return tuple(dict.fromkeys([*keys, *self.groups, *gold, *self.asked]))


def chosen(raw: pl.DataFrame, reading: Reading, source: Source) -> tuple[pl.DataFrame, list[LeftOut]]:
    """Rows of scored options."""
    left: list[LeftOut] = []
    scores = raw["scores"]
    if reading.halved:
        scores = raw.select(pl.col("scores").list.head(pl.col("scores").list.len() // 2))["scores"]
    scored = softmax(scores)
    counts = scores.list.len().fill_null(0).to_numpy()
    fixed = reading.benchmark.positions if reading.benchmark is not None else ()
    if fixed and (counts == len(fixed)).all():
        labels, gold, faults = _worded(raw, reading, scored, fixed)
    else:
        labels, gold, faults = _lettered(raw, reading, scored, counts)
    left += [LeftOut("gold not known", count, source.place, why) for why, count in faults.items()]
    for rows, reason in ((scored.broken, BROKEN), (scored.flat, FLAT)):
        if rows.any():
            first = _ids(raw, reading, source)[int(rows.argmax())]
            detail = f"first at item {first!r}; kept as rows without an answer"
            left.append(LeftOut(reason, int(rows.sum()), source.place, detail))
    best = pl.Series(scored.best)
    frame = pl.DataFrame({"options": labels, "best": best}).with_columns(
        answer=pl.when(pl.col("best") >= 0).then(
            pl.col("options").list.get(pl.col("best").clip(lower_bound=0), null_on_oob=True)
        )
    )
    kinds = pl.Series(["answered", "error", "invalid"])
    parts = {
        "outcome": kinds.gather(np.where(scored.best >= 0, 0, np.where(scored.broken, 1, 2))),
        "answer": frame["answer"],
        "gold": gold,
        "options": labels,
        "probs": scored.probs,
        "reply": pl.Series([None], dtype=pl.String).new_from_index(0, len(raw)),
    }
    return _laid(raw, reading, source, parts), left


def written(raw: pl.DataFrame, reading: Reading, source: Source) -> tuple[pl.DataFrame, list[LeftOut]]:
    """Rows of generated text: what the harness's filter extracted, compared with the kind of the gold labels."""
    golds = raw["field:" + reading.gold_field] if reading.gold_field is not None else raw["target"]
    kind, gold = gold_labels(golds)
    answers, outcomes = read_labels(raw["filtered"], kind)
    parts = {
        "outcome": outcomes,
        "answer": answers,
        "gold": gold,
        "options": pl.Series([None], dtype=LOG_COLUMNS["options"]).new_from_index(0, len(raw)),
        "probs": pl.Series([None], dtype=LOG_COLUMNS["probs"]).new_from_index(0, len(raw)),
        "reply": raw["reply"],
    }
    return _laid(raw, reading, source, parts), []


def _laid(
    raw: pl.DataFrame, reading: Reading, source: Source, parts: Mapping[str, pl.Series]
) -> pl.DataFrame:
    groups = {column: raw["field:" + name] for name, column in reading.groups.items()}
    if reading.subject is not None:
        groups["subject"] = pl.Series([reading.subject], dtype=pl.String).new_from_index(0, len(raw))
    ids = _ids(raw, reading, source)
    first = {
        "item": reading.prefix + ids if reading.prefix else ids,
        "repeat": pl.Series([1], dtype=pl.Int32).new_from_index(0, len(raw)),
    }
    told = raw["acc"]
    if told.null_count() < len(told):
        groups[VERDICT] = pl.select(pl.when(told.is_in([0.0, 1.0])).then(told == 1.0)).to_series()
    groups |= {ASKED + name: raw[f"field:{name}"] for name in reading.asked}
    return pl.DataFrame({**first, **parts}).select(
        *(pl.col(name).cast(kind) for name, kind in LOG_COLUMNS.items()),
        *(values.alias(name) for name, values in groups.items()),
    )


def _ids(raw: pl.DataFrame, reading: Reading, source: Source) -> pl.Series:
    """The ids: key fields joined by ``/``, or the number of the row."""
    if reading.key == (ROW_KEY,):
        return raw["doc_id"].cast(pl.String)
    if reading.key:
        return _joined(raw, reading.key, reading)
    for key in reading.candidates:
        ids = _joined(raw, key, reading)
        if not ids.null_count() and ids.n_unique() == len(ids):
            return ids
    tried = ", ".join(name for key in reading.candidates for name in key)
    raise DataError(
        f"no id in every row once: tried {tried}; give --key FIELD (repeatable) or --key row",
        file=source.place,
    )


def _joined(raw: pl.DataFrame, key: tuple[str, ...], reading: Reading) -> pl.Series:
    normalised = reading.benchmark.normalised if reading.benchmark is not None else ()
    parts = []
    for name in key:
        part = pl.col("field:" + name).str.strip_chars()
        if name in normalised:
            part = part.str.to_lowercase().str.replace_all(r"[\s_-]+", "_")
        parts.append(part)
    return raw.select(item=pl.concat_str(parts, separator="/"))["item"]


def _lettered(
    raw: pl.DataFrame,
    reading: Reading,
    scored: Scored,
    counts: np.ndarray[tuple[int], np.dtype[np.unsignedinteger]],
) -> tuple[pl.Series, pl.Series, dict[str, int]]:
    """Labels A, B, … by place, and the gold place from the target: a number, a letter or the text of an option."""
    if counts.max(initial=0) > len(ascii_uppercase):
        raise DataError(f"{counts.max()} options in a row; there are letters for {len(ascii_uppercase)}")
    letters = pl.Series(list(ascii_uppercase))
    alphabets = [list(ascii_uppercase[:size]) for size in range(len(letters) + 1)]
    labels = pl.Series(alphabets, dtype=pl.List(pl.String)).gather(counts)
    place = _gold_place(raw, reading)
    gold = letters.gather(pl.select(pl.when(place < pl.Series(counts)).then(place)).to_series())
    agrees = (place == pl.Series(scored.best)).fill_null(False)
    wrong = _contradictions(raw, scored, agrees)
    if _is_contradicted(wrong, raw):
        detail = f"the harness's accuracy contradicts the target in {wrong:,} rows; kept without gold"
        return labels, gold.clear(len(gold)), {detail: len(gold)}
    absent = gold.null_count()
    return labels, gold, {"the target is none of the options; kept without gold": absent} if absent else {}


def _gold_place(raw: pl.DataFrame, reading: Reading) -> pl.Series:
    """The place of the right option; null where the target says none."""
    target = pl.col("target").str.strip_chars()
    number = pl.when(target.str.contains(r"^\d+$")).then(target.cast(pl.Int64, strict=False))
    named = {text: place for place, text in reversed([*enumerate(reading.constants)])}
    letters = {letter: place for place, letter in enumerate(ascii_uppercase)}
    ways = [
        target.replace_strict(named, default=None, return_dtype=pl.Int64),
        number,
        target.replace_strict(letters, default=None, return_dtype=pl.Int64),
    ]
    # Targets are few and rows are many: each value is read once.
    values = raw.select(pl.col("target").unique()).with_columns(place=pl.coalesce(ways))
    place = raw["target"].replace_strict(values["target"], values["place"], return_dtype=pl.Int64)
    if not reading.texts:
        return place
    by_text = [
        texts.index(wanted) if wanted in texts else None
        for wanted, texts in zip(raw["target"].str.strip_chars(), raw["texts"].to_list(), strict=True)
    ]
    return pl.select(pl.coalesce(pl.Series(by_text, dtype=pl.Int64), place)).to_series()


def _worded(
    raw: pl.DataFrame, reading: Reading, scored: Scored, fixed: tuple[str, ...]
) -> tuple[pl.Series, pl.Series, dict[str, int]]:
    """Fixed words in place of letters; their order is the one that the harness's accuracy does not contradict."""
    assert reading.benchmark is not None
    column = "field:" + reading.gold_field if reading.gold_field is not None else "target"
    gold = raw[column].replace_strict(dict(reading.benchmark.labels), default=None, return_dtype=pl.String)
    found: list[tuple[int, tuple[str, ...]]] = []
    for order in permutations(fixed):
        names = pl.Series(order)
        answers = pl.Series(scored.best).replace_strict(
            dict(enumerate(order)), default=None, return_dtype=names.dtype
        )
        found.append((_contradictions(raw, scored, (answers == gold).fill_null(False)), order))
        if not found[0][0]:
            break
    wrong, order = min(found, key=lambda pair: pair[0])
    labels = pl.Series("labels", [list(order)], dtype=pl.List(pl.String)).new_from_index(0, len(raw))
    if _is_contradicted(wrong, raw):
        detail = f"the harness's accuracy fits no order of the labels, the best not in {wrong:,} rows; kept without gold"
        return labels, gold.clear(len(gold)), {detail: len(gold)}
    absent = gold.null_count()
    return labels, gold, {"the gold value is none that is known; kept without gold": absent} if absent else {}


def _is_contradicted(wrong: int, raw: pl.DataFrame) -> bool:
    """Whether gold is not to be believed; one row alone says nothing of the others."""
    return wrong > max(1, _CONTRADICTED * raw["acc"].count())


def _contradictions(raw: pl.DataFrame, scored: Scored, right: pl.Series) -> int:
    """Rows in which `acc` says the other of right or wrong."""
    told = raw["acc"].is_in([0.0, 1.0]).fill_null(False).to_numpy() & (scored.best >= 0)
    said = (raw["acc"] == 1.0).fill_null(False).to_numpy()
    return int((told & (said != right.to_numpy())).sum())
