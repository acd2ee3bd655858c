"""Training of a property evaluator: every point of a grid on train, the best on dev again on train and dev, then test.

The state is written after each point, so that a training that was stopped goes on where it was. What is best is decided
by macro F1: the F1 of the paper can only be that (see recipes/README.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
import numpy as np

from hesperus.errors import UsageError
from hesperus.evaluators.properties.folder import (
    REPORT,
    SEARCH,
    Kind,
    Manifest,
    read_json,
)
from hesperus.evaluators.properties.profiles import Levels
from hesperus.fingerprint import JSON, file_hash, fingerprint, plain, signature
from hesperus.measures import Bootstrap, classifier_statistics, estimate
from hesperus.measures.statistic import estimates
from hesperus.types import Estimate
from recipes.empathy.epitome import (
    Example,
    LabelledPairs,
    Side,
    Split,
    SplitSettings,
    split_by_post,
)
from recipes.empathy.writing import write_json, write_manifest

Point = Mapping[str, float | int]
"""Settings that are tried, such as a learning rate and epochs."""

ProgressCallback = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and of how much."""


class Trained(Protocol):
    """A classifier of one property, fitted."""

    def predict(self, examples: Sequence[Example]) -> Levels:
        """Levels of the property, [examples]."""
        ...

    def save(self, folder: Path, property: str) -> list[str]:
        """Write its weights whole; returns the names of the files."""
        ...

    def facts(self) -> Mapping[str, JSON]:
        """What a report says of it."""
        ...


class Trainer(Protocol):
    """Fits classifiers of one property."""

    @property
    def kind(self) -> Kind:
        """How what it fits is loaded again."""
        ...

    @property
    def grid(self) -> Sequence[Point]:
        """The points to try, the simplest first."""
        ...

    def signature(self) -> dict[str, JSON]:
        """Everything that decides what is fitted, but for the data."""
        ...

    def manifest_settings(self) -> dict[str, JSON]:
        """What loading needs to know besides the weights."""
        ...

    def fit(
        self, examples: Sequence[Example], point: Point, *, seed: int, watch: ProgressCallback | None = None
    ) -> Trained:
        """Fit to examples with the settings of a point."""
        ...

    def save_shared(self, folder: Path) -> list[str]:
        """Write what all properties share; returns the names of the files."""
        ...


@dataclass(frozen=True, slots=True)
class Training:
    """Result of a training.

    Attributes:
        chosen: The best point of each property.
        dev: Each point that was tried, with its scores on dev: rows of property, point, macro_f1, f1, accuracy.
        test: On test, by property and then by name (see measures.CLASSIFIER), with intervals over posts.
        facts: Of the final classifier of each property.
        signature: Data, split and trainer.
    """

    chosen: Mapping[str, Point]
    dev: tuple[Mapping[str, JSON], ...]
    test: Mapping[str, Mapping[str, Estimate]]
    facts: Mapping[str, Mapping[str, JSON]]
    signature: Mapping[str, JSON]


def train_evaluator(
    pairs: LabelledPairs,
    trainer: Trainer,
    out: Path,
    *,
    split: SplitSettings = SplitSettings(),  # noqa: B008
    bootstrap: Bootstrap = Bootstrap(),  # noqa: B008
    watch: ProgressCallback | None = None,
) -> Training:
    """Train a classifier of each property, and leave an evaluator in a folder that property_evaluator takes.

    Args:
        pairs: Labelled pairs.
        trainer: Fits a classifier.
        out: The folder. Where it holds the same training unfinished, that goes on.
        split: How the pairs are divided; its seed is the training's, too.
        bootstrap: How posts of the test are resampled for intervals.
        watch: Told of every step.

    Raises:
        UsageError: The folder holds another training or something else.
        DataError: A side of the split would lack a class; no point could be scored.
    """
    divided = split_by_post(pairs, split)
    made = {**trainer.signature(), "data": pairs.fingerprint(), **signature(split)}
    state = _State.open(out, fingerprint([made, plain(list(trainer.grid))]))
    seed = split.seed
    for name in pairs.properties:
        for number, point in enumerate(trainer.grid):
            if state.tried(name, point) is None:
                told = _progress(watch, f"{name} {number + 1}/{len(trainer.grid)} {_said(point)}")
                fitted = trainer.fit(divided.examples[name]["train"], point, seed=seed, watch=told)
                state.add_tried(name, point, fitted.predict(divided.examples[name]["dev"]))
        if name not in state.final:
            best = _best(name, divided, trainer.grid, state)
            told = _progress(watch, f"{name} final {_said(best)}")
            both = (*divided.examples[name]["train"], *divided.examples[name]["dev"])
            final = trainer.fit(both, best, seed=seed, watch=told)
            files = {file: file_hash(out / file) for file in final.save(out, name)}
            state.add_final(name, best, final.predict(divided.examples[name]["test"]), files, final.facts())
    training = _summed_up(pairs, divided, trainer, state, made, bootstrap)
    _finish(out, pairs, divided, trainer, state, training)
    return training


Level = Literal[0, 1]


class _Final(msgspec.Struct, frozen=True):
    """The final classifier of a property: its point, its levels on test, the hashes of its files, and what it says of itself."""

    point: dict[str, float | int]
    predicted: list[Level]
    files: dict[str, str]
    facts: dict[str, Any]


class _Search(msgspec.Struct, frozen=True):
    """The file of a state: a hash of what is searched, the levels on dev of each point, the final classifiers."""

    plan: str
    tried: dict[str, list[Level]]
    final: dict[str, _Final]


class _State:
    """What is done of a training, in a file that is written whole after each step."""

    def __init__(self, path: Path, plan: str) -> None:
        self._path, self._plan = path, plan
        self._tried: dict[str, list[Level]] = {}
        self.final: dict[str, _Final] = {}

    @classmethod
    def open(cls, out: Path, plan: str) -> _State:
        """Begin, or go on."""
        path = out / SEARCH
        state = cls(path, plan)
        if not path.is_file():
            if out.is_dir() and any(out.iterdir()):
                raise UsageError(f"{out} holds something else; name a new folder")
            out.mkdir(parents=True, exist_ok=True)
            state._write()
            return state
        held = read_json(path, _Search)
        if held.plan != plan:
            raise UsageError(
                f"{out} holds a training with other data, settings or encoder; name another folder, or repeat that one"
            )
        state._tried = held.tried
        # Weights that were lost since are made again.
        state.final = {
            name: final
            for name, final in held.final.items()
            if all(
                (out / file).is_file() and file_hash(out / file) == held for file, held in final.files.items()
            )
        }
        return state

    def tried(self, name: str, point: Point) -> list[Level] | None:
        """What a point predicted on dev, if it was tried."""
        return self._tried.get(_key(name, point))

    def add_tried(self, name: str, point: Point, predicted: Levels) -> None:
        self._tried[_key(name, point)] = predicted.tolist()
        self._write()

    def add_final(
        self,
        name: str,
        point: Point,
        predicted: Levels,
        files: Mapping[str, str],
        facts: Mapping[str, JSON],
    ) -> None:
        self.final[name] = _Final(dict(point), predicted.tolist(), dict(files), dict(facts))
        self._write()

    def _write(self) -> None:
        write_json(self._path, msgspec.to_builtins(_Search(self._plan, self._tried, self.final)))


def _best(name: str, split: Split, grid: Sequence[Point], state: _State) -> Point:
    """The point with the highest macro F1 on dev, the first of equal ones."""
    rows = _dev_rows(name, split, grid, state)
    scores = [score if isinstance(score := row["macro_f1"], float) else -1.0 for row in rows]
    return grid[int(np.argmax(scores))]


def _dev_rows(name: str, split: Split, grid: Sequence[Point], state: _State) -> list[dict[str, JSON]]:
    gold = _present(split, name, "dev")
    rows: list[dict[str, JSON]] = []
    for point in grid:
        statistics = classifier_statistics(gold, np.array(state.tried(name, point), dtype=np.int32))
        shown = {score: estimate(statistics[score]).value for score in ("macro_f1", "f1", "accuracy")}
        rows.append({"property": name, "point": dict(point), **shown})
    return rows


def _summed_up(
    pairs: LabelledPairs,
    split: Split,
    trainer: Trainer,
    state: _State,
    made: Mapping[str, JSON],
    bootstrap: Bootstrap,
) -> Training:
    chosen: dict[str, Point] = {}
    test, facts, dev = {}, {}, []
    for name in pairs.properties:
        final = state.final[name]
        chosen[name] = _best(name, split, trainer.grid, state)
        dev += _dev_rows(name, split, trainer.grid, state)
        predicted = np.array(final.predicted, dtype=np.int32)
        posts = [example.post for example in split.examples[name]["test"]]
        statistics = classifier_statistics(
            _present(split, name, "test"), predicted, items=np.unique(posts, return_inverse=True)[1]
        )
        test[name] = dict(zip(statistics, estimates(statistics.values(), bootstrap), strict=True))
        facts[name] = final.facts
    return Training(chosen, tuple(dev), test, facts, {**made, **signature(bootstrap)})


def _finish(
    out: Path, pairs: LabelledPairs, split: Split, trainer: Trainer, state: _State, training: Training
) -> None:
    """The report, then the manifest that makes the folder an evaluator."""
    report = {
        "split": [plain(balance) for balance in split.balances()],
        "posts": dict(split.posts),
        "left_out": excluded_rows(pairs),
        **{name: plain(getattr(training, name)) for name in ("chosen", "dev", "test", "facts", "signature")},
    }
    write_json(out / REPORT, {name: plain(value) for name, value in report.items()})
    files = {file: file_hash(out / file) for file in trainer.save_shared(out)}
    for name in pairs.properties:
        files |= state.final[name].files
    made = {**training.signature, "chosen": plain(training.chosen)}
    write_manifest(out, Manifest(trainer.kind, pairs.properties, trainer.manifest_settings(), files, made))


def excluded_rows(pairs: LabelledPairs) -> list[dict[str, Any]]:
    """Rows that were read and left out of each property, and why."""
    return [
        {
            "property": name,
            "rows": pairs.rows[name],
            "said_again": pairs.repeated[name],
            "conflicting_pairs": pairs.conflicting[name],
            "conflicting_rows": pairs.conflicting_rows[name],
            "examples": len(pairs.examples[name]),
        }
        for name in pairs.properties
    ]


def _present(split: Split, name: str, side: Side) -> Levels:
    return np.array([example.present for example in split.examples[name][side]], dtype=np.int32)


def _key(name: str, point: Point) -> str:
    return f"{name}: {_said(point)}"


def _said(point: Point) -> str:
    return ", ".join(f"{setting} {value:g}" for setting, value in point.items())


def _progress(watch: ProgressCallback | None, stage: str) -> ProgressCallback | None:
    if watch is None:
        return None
    return lambda what, done, total: watch(f"{stage}: {what}" if what else stage, done, total)
