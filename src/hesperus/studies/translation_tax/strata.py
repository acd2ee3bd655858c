"""Which items are rewritten: strata fixed from answers that are there already, and written down before any rewriting.

The file carries a fingerprint of all that is in it; whoever reads it refuses strata that were changed afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError, refuse_unknown
from hesperus.fingerprint import JSON, fingerprint, plain
from hesperus.measures import Codes, residue_strata
from hesperus.records import FAILED, Cell, answer_arrays
from hesperus.records.files import write_content
from hesperus.text_files import read_json

STRATA = ("high", "disagreement", "low")
"""In the order in which they take their items."""

SCHEMA = 1

Anchor = Literal["translated", "original"]


@dataclass(frozen=True, slots=True)
class StrataRule:
    """How items are picked.

    Attributes:
        original: Sense of the source language's items.
        translated: Sense of the translated items.
        back: Sense of the back-translations.
        anchor: Where the source-centric models must all be right: on the ``translated`` items, as in the paper, or on
            the ``original``. With the former the picked replies must not be compared again: ask the items once more.
        repeat: Which repeat of the translated items is looked at.
        sizes: Stratum to the most items that it gets; one that is left out gets all there are.
        per_subject: Most items of one subject, over all strata; None sets no cap.
        subject: Column of the records that holds it.
        seed: Seed of the draw.
    """

    original: str = "en"
    translated: str = "zh"
    back: str = "en_from_zh"
    anchor: Anchor = "translated"
    repeat: int = 1
    sizes: Mapping[str, int] = field(default_factory=dict)
    per_subject: int | None = 4
    subject: str = "subject"
    seed: int = 42

    def __post_init__(self) -> None:
        for name, size in self.sizes.items():
            if name not in STRATA:
                raise UnknownNameError("stratum", name, STRATA)
            if size < 0:
                raise UsageError(f"a stratum of {size} items")
        if self.seed < 0:
            raise UsageError(f"seed: {self.seed} is below 0")
        if self.per_subject is not None and self.per_subject < 1:
            raise UsageError(f"at most {self.per_subject} items a subject leaves none")


@dataclass(frozen=True, slots=True)
class Strata:
    """The picked items.

    Attributes:
        task: Task of the items.
        rule: How they were picked.
        centric: The source-centric models that decided.
        others: The models that they disagree with.
        items: Stratum to ids, in the order in which they were drawn.
        eligible: Stratum to the items that it could have had.
        unusable: Why items could be in no stratum, to their number.
    """

    task: str
    rule: StrataRule
    centric: tuple[str, ...]
    others: tuple[str, ...]
    items: Mapping[str, tuple[str, ...]]
    eligible: Mapping[str, int]
    unusable: Mapping[str, int]

    def document(self) -> dict[str, JSON]:
        """All of it, with its fingerprint."""
        body = plain(self)
        assert isinstance(body, dict)
        body |= {"schema": SCHEMA}
        return {**body, "fingerprint": fingerprint(body)}


def strata_of(
    records: pl.DataFrame,
    rule: StrataRule,
    *,
    centric: Sequence[str],
    others: Sequence[str] = (),
    leave_out: Collection[str] = (),
) -> Strata:
    """Pick the items.

    `others` is another group, for the disagreement stratum; `leave_out` has items with a back-translation that is not
    good enough, or that are misaligned.
    """
    frame = _wanted(records, rule, [*centric, *others])
    arrays = answer_arrays(frame)

    def cells(input_: str, models: Sequence[str], repeat: int = 1) -> tuple[Codes, Codes]:
        rows = [_row(arrays.cells, model, input_, repeat) for model in models]
        return arrays.answers[rows], arrays.gold[rows]

    anchor = rule.translated if rule.anchor == "translated" else rule.original
    repeat = rule.repeat if rule.anchor == "translated" else 1
    before, gold = cells(anchor, centric, repeat)
    back, back_gold = cells(rule.back, centric)
    theirs = cells(anchor, others, repeat)[0] if others else np.empty((0, before.shape[1]), dtype=np.int32)
    failed = ((before == FAILED) | (back == FAILED)).any(axis=0)
    moved = ((gold != back_gold).any(axis=0) | (gold < 0).any(axis=0)) & ~failed
    unread = ((before < 0) | (back < 0)).any(axis=0) & ~moved & ~failed
    barred = np.array([item in leave_out for item in arrays.items]) & ~moved & ~unread & ~failed
    usable = ~(failed | moved | unread | barred)
    high, low, apart = residue_strata(before == gold, back == back_gold, usable, labels=before, others=theirs)
    eligible = {"high": high, "disagreement": apart & usable, "low": low}
    ids = {
        name: [item for item, held in zip(arrays.items, mask, strict=True) if held]
        for name, mask in eligible.items()
    }
    drawn = _drawn(ids, rule, _subjects(frame, rule))
    if not any(drawn.values()):
        raise DataError(
            "no item is in any stratum: no item was read on both sides by all the source-centric models"
        )
    why = {
        "no reply (error)": failed,
        "gold missing or moved": moved,
        "invalid": unread,
        "left out": barred,
    }
    return Strata(
        str(frame["task"][0]), rule, tuple(centric), tuple(others), drawn,
        {name: len(found) for name, found in ids.items()},
        {name: int(mask.sum()) for name, mask in why.items() if mask.any()},
    )  # fmt: skip


def write_strata(strata: Strata, path: Path | str) -> None:
    """Write the file; refuses to put other strata if there are some."""
    path = Path(path)
    document = strata.document()
    if path.exists() and read_strata(path).document() != document:
        raise UsageError(
            f"{path}: holds other strata; rewriting may have begun with them, so give a new file"
        )
    write_content(path, json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def read_strata(path: Path | str) -> Strata:
    """Read the file."""
    path = Path(path)
    document = read_json(path, "strata")
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        raise DataError(f"no file of strata of version {SCHEMA}; `hesperus tax strata` writes one", file=path)
    body = {key: value for key, value in document.items() if key != "fingerprint"}
    if fingerprint(body) != document.get("fingerprint"):
        raise DataError(
            "was changed after it was written: its fingerprint does not fit. Strata are fixed before any rewriting; "
            "draw them again into a new file",
            file=path,
        )
    return Strata(
        body["task"], StrataRule(**body["rule"]), tuple(body["centric"]), tuple(body["others"]),
        {name: tuple(ids) for name, ids in body["items"].items()}, body["eligible"], body["unusable"],
    )  # fmt: skip


def _wanted(records: pl.DataFrame, rule: StrataRule, models: Sequence[str]) -> pl.DataFrame:
    tasks = records["task"].unique().to_list()
    if len(tasks) > 1:
        raise DataError(
            f"strata are of one task, and the records have {len(tasks)}: {', '.join(sorted(tasks)[:6])}"
        )
    if not models:
        raise UsageError("strata need the source-centric models: name their group")
    known = set(records["model"].unique())
    refuse_unknown("model of the records", models, known)
    senses = {rule.original, rule.translated, rule.back}
    return records.filter(pl.col("input").is_in(sorted(senses)) & pl.col("model").is_in(list(models)))


def _row(cells: Sequence[Cell], model: str, input_: str, repeat: int) -> int:
    found = [
        k for k, cell in enumerate(cells) if (cell.model, cell.input, cell.repeat) == (model, input_, repeat)
    ]
    if len(found) != 1:
        raise DataError(
            f"{model} has {len(found) or 'no'} sets of answers to {input_!r}, repeat {repeat}; strata need exactly one"
        )
    return found[0]


def _subjects(frame: pl.DataFrame, rule: StrataRule) -> dict[str, str]:
    if rule.per_subject is None:
        return {}
    if rule.subject not in frame.columns:
        raise UnknownNameError("column of subjects", rule.subject, frame.columns, "or set no cap per subject")
    return {
        item: str(subject) for item, subject in frame.select("item", rule.subject).unique("item").iter_rows()
    }


def _drawn(
    ids: Mapping[str, Sequence[str]], rule: StrataRule, subjects: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Round by round an item for each stratum, so that the cap on a subject does not starve the last of them."""
    rng = np.random.default_rng(rule.seed)
    queues = {name: [ids[name][place] for place in rng.permutation(len(ids[name]))] for name in STRATA}
    drawn: dict[str, list[str]] = {name: [] for name in STRATA}
    taken: dict[str, int] = {}
    while any(queues.values()):
        for name, queue in queues.items():
            if len(drawn[name]) >= rule.sizes.get(name, len(ids[name])):
                queue.clear()
            while queue:
                item = queue.pop(0)
                subject = subjects.get(item, "")
                if rule.per_subject is None or taken.get(subject, 0) < rule.per_subject:
                    taken[subject] = taken.get(subject, 0) + 1
                    drawn[name].append(item)
                    break
    return {name: tuple(picked) for name, picked in drawn.items()}
