"""A simulated benchmark as the files that an audit reads: records, item scores, ratings, verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from hesperus.fingerprint import plain
from hesperus.measures import Mask
from hesperus.records import Run, write_run
from hesperus.records.files import write_whole
from hesperus.records.writing import write_parquet
from hesperus.studies.translation_tax.simulator import OPTIONS, Planted, Simulated, simulate
from hesperus.version import __version__

SENSES: Mapping[str, str] = {
    "original": "en",
    "translated": "zh",
    "back": "en_from_zh",
    "natural": "zh~natural",
}
"""Condition to the sense code of its input."""

TASK, NATIVE = "simulated", "simulated-native"
_LETTERS = ("A", "B", "C", "D")
_SUBJECTS = 10
_SCHEMA: Mapping[str, pl.DataType] = {"options": pl.List(pl.String), "repeat": pl.Int32()}


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedBenchmark:
    """What an audit would have on disk.

    Attributes:
        records: Answers of every model in every condition, as the records table, with the column ``subject``.
        scores: BLEU of each back-translation: ``task``, ``item``, ``sense``, ``bleu``.
        ratings: Two raters' cue scores from 1 to 5: ``unit``, ``rater``, ``question``, ``rating``.
        groups: Model to its group.
        planted: What is true of it.
    """

    records: pl.DataFrame
    scores: pl.DataFrame
    ratings: pl.DataFrame
    groups: Mapping[str, str]
    planted: Planted

    def write(self, folder: Path) -> None:
        """Write a run folder with scores.parquet and ratings.csv besides the records, and another, `native`, within it.

        Raises:
            UsageError: The folder's name is taken by a file.
        """
        for place, task in ((folder, TASK), (folder / "native", NATIVE)):
            signed = {"hesperus": __version__, "planted": plain(self.planted), "task": task}
            write_run(Run(self.records.filter(pl.col("task") == task), None, {}, signed), place)
        write_whole(folder / "scores.parquet", lambda partial: write_parquet(self.scores, partial, {}))
        write_whole(folder / "ratings.csv", lambda partial: self.ratings.write_csv(partial))


def simulated_benchmark(planted: Planted) -> SimulatedBenchmark:
    """Draw one benchmark and lay it out.

    Args:
        planted: What is true of it.

    Raises:
        UsageError: As in simulate.

    Example:
        >>> made = simulated_benchmark(Planted(items=20, native=10))
        >>> made.records.height == 6 * (4 * 20 + 10)
        True
    """
    made = simulate(planted)
    rng = np.random.default_rng([planted.seed, 1])
    gold = rng.integers(0, OPTIONS, planted.items)
    other = np.where(made.moved[0], (gold + rng.integers(1, OPTIONS, planted.items)) % OPTIONS, gold)
    frames = []
    for condition, sense in SENSES.items():
        side = gold if condition == "original" else other
        drawn = _Drawn(side, made.right[condition][0], made.valid[condition][0])
        frames.append(_answers(planted, rng, task=TASK, sense=sense, drawn=drawn))
    native = rng.integers(0, OPTIONS, planted.native)
    whole = np.ones_like(made.native[0])
    drawn = _Drawn(native, made.native[0], whole)
    frames.append(_answers(planted, rng, task=NATIVE, sense="zh", drawn=drawn))
    return SimulatedBenchmark(
        pl.concat(frames),
        _scores(made, rng),
        _ratings(made, rng),
        dict(zip(planted.models, planted.group_of, strict=True)),
        planted,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """What the simulator drew for one condition: [items] the right option, [models, items] who found it, who is read."""

    gold: np.ndarray
    right: Mask
    valid: Mask


def _answers(
    planted: Planted, rng: np.random.Generator, *, task: str, sense: str, drawn: _Drawn
) -> pl.DataFrame:
    """Records of one condition. A right answer is the gold of its own side; a wrong one any other option."""
    gold, right = drawn.gold, drawn.right
    models, items = right.shape
    wrong = (gold + rng.integers(1, OPTIONS, right.shape)) % OPTIONS
    letters = np.array(_LETTERS, dtype=object)
    given = letters[np.where(right, gold, wrong)]
    readable = drawn.valid.ravel()
    answers = given.ravel()
    answers[~readable] = None
    language = sense.partition("_")[0].partition("~")[0]
    ids = _ids(task, items)
    return pl.DataFrame(
        {
            "model": np.repeat(np.array(planted.models, dtype=object), items).tolist(),
            "task": [task] * (models * items),
            "item": ids * models,
            "instruction": [language] * (models * items),
            "input": [sense] * (models * items),
            "repeat": [1] * (models * items),
            "outcome": np.where(readable, "answered", "invalid").tolist(),
            "answer": answers.tolist(),
            "gold": letters[np.tile(gold, models)].tolist(),
            "options": [list(_LETTERS)] * (models * items),
            "reply": np.where(readable, answers, "?").tolist(),
            "subject": [f"subject {k % _SUBJECTS}" for k in range(items)] * models,
        },
        schema_overrides=_SCHEMA,
    )


def _scores(made: Simulated, rng: np.random.Generator) -> pl.DataFrame:
    items = made.planted.items
    good, bad = rng.uniform(35, 80, items), rng.uniform(0, 15, items)
    bleu = np.where(made.lost[0] | made.misaligned[0], bad, good)
    return pl.DataFrame({"task": TASK, "item": _ids(TASK, items), "sense": SENSES["back"], "bleu": bleu})


def _ratings(made: Simulated, rng: np.random.Generator) -> pl.DataFrame:
    items = made.planted.items
    shared = 2.0 + 1.5 * made.residue[0] + rng.normal(0.0, 0.5, items)
    raters = [np.clip(np.rint(shared + rng.normal(0.0, 0.5, items)), 1, 5).astype(int) for _ in range(2)]
    return pl.DataFrame(
        {
            "unit": _ids(TASK, items) * 2,
            "rater": ["r1"] * items + ["r2"] * items,
            "question": "cue",
            "rating": np.concatenate(raters),
        }
    )


def _ids(task: str, items: int) -> list[str]:
    return [f"{'n' if task == NATIVE else 't'}{k:05d}" for k in range(items)]
