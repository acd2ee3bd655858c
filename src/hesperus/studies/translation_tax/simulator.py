"""Translated benchmarks with a planted tax: what the estimators must find, and what must lead them astray.

Every number that an estimator is after is known beforehand. An item is either full of the source's cues or free of them
(its *residue*, 1 or 0); what each condition does to the chance of a right answer is planted by group of models:

    original      en              p = accuracy + model + item
    translated    zh              p
    back          en_from_zh      p − tax · residue
    natural       zh~natural      p + gain · residue
    native        other items     p − inflation

Answers of one model to one item are alike in all conditions: each repeats a common draw with the chance `stability`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import UsageError
from hesperus.fingerprint import plain
from hesperus.measures import Mask, TaxPairs
from hesperus.records import Run, write_run
from hesperus.records.files import write_content
from hesperus.records.writing import write_parquet
from hesperus.version import __version__

CONDITIONS = ("original", "translated", "back", "natural")
OPTIONS = 4

Floats = npt.NDArray[np.float64]


def _two_groups() -> dict[str, int]:
    return {"english": 3, "chinese": 3}


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong in the making of a benchmark or of its audit; nothing by default.

    Attributes:
        noisy: Share of items that lost the question in back-translation: answers to it are chance, and its BLEU is low.
        misaligned: Share of items with another question as translation: its answers are chance against the source's
            gold, and three in four of these golds differ between the sides.
        doubled_labels: Loss of accuracy on rewritten items with their letter twice in the options; 0 writes them well.
        validity: MODEL=SHARE: share of its replies to back-translations and rewritten items that can be read; wrong
            answers are lost first.
    """

    noisy: float = 0.0
    misaligned: float = 0.0
    doubled_labels: float = 0.0
    validity: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planted:
    """A benchmark with a known tax.

    Attributes:
        items: Items of the translated benchmark.
        native: Items of the native benchmark.
        groups: Group to its number of models; the first is the source-centric one. Models are called `GROUP/1`, ….
        tax: GROUP=LOSS: what the way back costs on an item full of cues.
        gain: GROUP=GAIN: what a natural rewriting wins on an item full of cues.
        inflation: GROUP=GAP: what the translated benchmark scores above the native one.
        residue: Share of items full of cues.
        accuracy: Mean chance of a right answer to an original.
        stability: Chance that an answer repeats the draw that all conditions share.
        faults: What goes wrong.
        seed: Seed of the generator.
    """

    items: int = 200
    native: int = 150
    groups: Mapping[str, int] = field(default_factory=_two_groups)
    tax: Mapping[str, float] = field(default_factory=dict)
    gain: Mapping[str, float] = field(default_factory=dict)
    inflation: Mapping[str, float] = field(default_factory=dict)
    residue: float = 0.4
    accuracy: float = 0.7
    stability: float = 0.7
    faults: Faults = Faults()
    seed: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, by group."""
        return tuple(f"{group}/{k + 1}" for group, count in self.groups.items() for k in range(count))

    @property
    def group_of(self) -> tuple[str, ...]:
        """The group of each model."""
        return tuple(group for group, count in self.groups.items() for _ in range(count))

    def mean(self, planted: Mapping[str, float], group: str | None = None) -> float:
        """Mean of a planted effect over the models of a group, or over all."""
        picked = [planted.get(name, 0.0) for name in self.group_of if group in (None, name)]
        return sum(picked) / len(picked)


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Benchmarks drawn from what was planted, all at once.

    Attributes:
        planted: What was planted.
        residue: Items full of cues, [simulations, items].
        right: Condition to right answers, [simulations, models, items].
        valid: Condition to valid answers, likewise.
        native: Right answers to the native items, [simulations, models, native items].
        lost: Items that lost the question in back-translation, [simulations, items].
        misaligned: Items with a translation that is another question, [simulations, items].
        moved: Those of them with other gold on one side, [simulations, items].
    """

    planted: Planted
    residue: Mask
    right: Mapping[str, Mask]
    valid: Mapping[str, Mask]
    native: Mask
    lost: Mask
    misaligned: Mask
    moved: Mask

    def pairs(self, simulation: int, first: str, second: str) -> TaxPairs:
        """Two conditions of one simulation, as estimators take them; every pair counts as asked."""
        right, valid = self.right, self.valid
        return TaxPairs(
            right[first][simulation] & valid[first][simulation],
            right[second][simulation] & valid[second][simulation],
            valid[first][simulation],
            valid[second][simulation],
            np.ones_like(right[first][simulation]),
        )


def simulate(planted: Planted, simulations: int = 1) -> Simulated:
    """Draw benchmarks.

    Args:
        planted: What is true of them.
        simulations: How many, drawn together.

    Raises:
        UsageError: A chance or a share would leave [0, 1], a group or model does not exist, or nothing is to be drawn.
    """
    _check(planted, simulations)
    rng = np.random.default_rng(planted.seed)
    faults, models = planted.faults, len(planted.models)
    shape = (simulations, models, planted.items)
    residue = rng.random((simulations, planted.items)) < planted.residue
    base = (
        planted.accuracy + _ability(models)[:, None] + rng.uniform(-0.1, 0.1, (simulations, 1, planted.items))
    )
    lost = rng.random((simulations, planted.items)) < faults.noisy
    misaligned = rng.random((simulations, planted.items)) < faults.misaligned
    moved = misaligned & (rng.random((simulations, planted.items)) < (OPTIONS - 1) / OPTIONS)
    chances = _chances(planted, base, residue)
    astray = np.where(misaligned[:, None], 1 / OPTIONS, 1.0)
    common = rng.random(shape)
    right: dict[str, Mask] = {}
    valid: dict[str, Mask] = {}
    for condition, chance in chances.items():
        if condition == "back":
            chance = np.where(lost[:, None], 1 / OPTIONS, chance)
        if condition != "original":
            chance = np.minimum(chance, astray)
        draw = np.where(rng.random(shape) < planted.stability, common, rng.random(shape))
        right[condition] = draw < chance
        valid[condition] = np.ones(shape, dtype=np.bool_)
    for name, share in faults.validity.items():
        row = planted.models.index(name)
        for condition in ("back", "natural"):
            valid[condition][:, row] = _readable(right[condition][:, row], share, rng)
    native_chance = planted.accuracy + _ability(models)[:, None] - _by_model(planted, planted.inflation)
    native = rng.random((simulations, models, planted.native)) < native_chance
    return Simulated(planted, residue, right, valid, native, lost, misaligned, moved)


def _chances(planted: Planted, base: Floats, residue: Mask) -> dict[str, Floats]:
    full = residue[:, None].astype(np.float64)
    return {
        "original": base,
        "translated": base,
        "back": base - _by_model(planted, planted.tax) * full,
        "natural": base + _by_model(planted, planted.gain) * full - planted.faults.doubled_labels,
    }


def _readable(right: Mask, share: float, rng: np.random.Generator) -> Mask:
    """As many readable replies as the share says, those that are lost being wrong ones first."""
    order = np.argsort(np.where(right, 1.0, 0.0) + rng.random(right.shape) * 0.5, axis=-1)
    place = np.argsort(order, axis=-1)
    return np.asarray(place >= round((1 - share) * right.shape[-1]))


def _ability(models: int) -> Floats:
    return np.linspace(-0.05, 0.05, models) if models > 1 else np.zeros(1)


def _by_model(planted: Planted, effect: Mapping[str, float]) -> Floats:
    return np.array([effect.get(group, 0.0) for group in planted.group_of])[:, None]


def _check(planted: Planted, simulations: int) -> None:
    if simulations < 1 or planted.items < 1 or planted.native < 1 or not planted.models:
        raise UsageError("a simulation needs at least one draw, one item on either side and one model")
    faults = planted.faults
    shares = {"residue": planted.residue, "accuracy": planted.accuracy, "stability": planted.stability}
    shares |= {
        "noisy": faults.noisy,
        "misaligned": faults.misaligned,
        "doubled labels": faults.doubled_labels,
    }
    if planted.seed < 0:
        raise UsageError(f"seed: {planted.seed} is below 0")
    for name, share in shares.items():
        if not 0 <= share <= 1:
            raise UsageError(f"{name}: {share} is no share; it lies between 0 and 1")
    effects = (("tax", planted.tax), ("gain", planted.gain), ("inflation", planted.inflation))
    for name, effect in effects:
        for group, value in effect.items():
            if group not in planted.groups:
                raise UsageError(f"{name}: no group {group!r}; there are {', '.join(planted.groups)}")
            up = value if name == "gain" else -value
            low, high = planted.accuracy - 0.15 + min(up, 0.0), planted.accuracy + 0.15 + max(up, 0.0)
            if not (low >= 0 and high <= 1):
                raise UsageError(
                    f"{name} of {group}: {value} takes some chance of a right answer to {low:.2f} or {high:.2f}, outside "
                    f"[0, 1]; items and models differ by 0.15 around the accuracy {planted.accuracy}"
                )
    for model, share in faults.validity.items():
        if model not in planted.models or not 0 <= share <= 1:
            raise UsageError(
                f"validity of {model!r}: {share}; models are {', '.join(planted.models)}, shares in [0, 1]"
            )


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
        """Write a run folder with scores.parquet and ratings.csv besides the records, and another, `native`, within it."""
        for place, task in ((folder, TASK), (folder / "native", NATIVE)):
            signed = {"hesperus": __version__, "planted": plain(self.planted), "task": task}
            write_run(Run(self.records.filter(pl.col("task") == task), None, {}, signed), place)
        write_parquet(self.scores, folder / "scores.parquet")
        write_content(folder / "ratings.csv", self.ratings.write_csv())


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
