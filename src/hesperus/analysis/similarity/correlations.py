"""What goes with similarity: size and accuracy of models, accuracy and resources of languages; labels against probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from hesperus.analysis.similarity.measured import BETWEEN, PIVOT, WITHIN, Floats, Measured, log_size, sense_of
from hesperus.analysis.similarity.run_arrays import LaidRuns
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.analysis.single import cell_columns
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, estimate_cells
from hesperus.analysis.views import estimated
from hesperus.measures import (
    FAILED,
    INVALID,
    MISSING,
    Codes,
    Statistic,
    account,
    accuracy_statistic,
    consistency_statistic,
    correlations,
    difference,
    holm,
    intervals,
    pearson_test,
    replied,
)
from hesperus.types import Estimate

RELATION_COLUMNS = (
    "task", "design", "with", "points", "statistic", *ESTIMATE_COLUMNS, "p", "p_holm", "source", "date",
)  # fmt: skip


def relation_rows(found: Measured, task: str, settings: SimilaritySettings) -> list[NewRow]:
    """Pearson's correlation of the means of a design with what else is known of its models or languages.

    The interval is of resampled items (with the same models and languages); `p` is of the t distribution, and takes
    models and languages for a sample. `n` counts the points, `excluded` those without a number.
    """
    rows: list[NewRow] = []
    for design in (WITHIN, PIVOT):
        names = _names(found, design)
        sizes = {name: settings.sizes.get(name) for name in names}
        logs = {name: log_size(name, settings) for name in names}
        rows += [
            _row(found, task, settings, design, ("size", sizes, None)),
            _row(found, task, settings, design, ("log size", logs, None)),
            _row(found, task, settings, design, ("accuracy", *_accuracy(found, "model"))),
        ]
    # Numbers of a language are those of the questions, whatever the language of the instruction around them.
    asked_in = {sense_of(cell): cell.input for cell in found.runs.cells}
    languages = _names(found, BETWEEN)
    rows.append(_row(found, task, settings, BETWEEN, ("accuracy", *_accuracy(found, "language"))))
    for name, covariate in settings.covariates.items():
        values = {language: covariate.of(asked_in[language]) for language in languages}
        shown = f"log {name}" if covariate.logarithm else name
        row = _row(found, task, settings, BETWEEN, (shown, values, None))
        rows.append({**row, "source": covariate.source, "date": covariate.date})
    # A number that nobody gave is no relation that failed.
    rows = [row for row in rows if row["n"] or row["with"] == "accuracy" or row["source"]]
    for row, value in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_holm"] = value
    return rows


def _row(
    found: Measured,
    task: str,
    settings: SimilaritySettings,
    design: str,
    beside: tuple[str, Mapping[str, float | None], Mapping[str, Floats] | None],
) -> NewRow:
    label, values, resampled = beside
    groups = [
        (i, g.name) for i, g in enumerate(found.designs.groups) if g.design == design and g.name != "all"
    ]
    kept = [
        (i, name) for i, name in groups if values.get(name) is not None and np.isfinite(found.spread.means[i])
    ]
    x = np.array([values[name] for _, name in kept], dtype=np.float64)
    places = [i for i, _ in kept]
    test = pearson_test(x, found.spread.means[places])
    lost = len(groups) - len(kept)
    number = Estimate(None, n=len(kept), excluded=lost, reason=test.reason)
    if test.statistic is not None:
        spread = found.spread.spread[places].T
        across = (
            np.broadcast_to(x, spread.shape)
            if resampled is None
            else np.stack([resampled[n] for _, n in kept]).T
        )
        resampled_r = correlations(across, spread)[None, :]
        low, high = (
            float(e[0]) for e in intervals(resampled_r, np.array([test.statistic]), settings.bootstrap)
        )
        ends = (None, None) if np.isnan(low) or test.p is None else (low, high)
        reason = "; ".join(filter(None, [f"{lost} without a number" if lost else "", test.reason]))
        number = Estimate(test.statistic, ends[0], ends[1], len(kept), lost, reason)
    of = "language" if design == BETWEEN else "model"
    return {
        "task": task, "design": design, "with": label, "points": of, "statistic": "pearson", **estimate_cells(number),
        "p": test.p, "p_holm": None, "source": None, "date": None,
    }  # fmt: skip


def _names(found: Measured, design: str) -> list[str]:
    return [group.name for group in found.designs.groups if group.design == design and group.name != "all"]


def _accuracy(found: Measured, of: str) -> tuple[dict[str, float | None], dict[str, Floats]]:
    """Mean accuracy of the runs of each model or language, and in every resample."""
    members: dict[str, list[int]] = {}
    for index, cell in enumerate(found.runs.cells):
        if cell.repeat == 1 and np.isfinite(found.accuracy[index]):
            members.setdefault(cell.model if of == "model" else sense_of(cell), []).append(index)
    values: dict[str, float | None] = {
        name: float(found.accuracy[rows].mean()) for name, rows in members.items()
    }
    return values, {name: found.accuracies[rows].mean(axis=0) for name, rows in members.items()}


SCORING_COLUMNS = ("model", "task", "instruction", "input", "repeat", "statistic", *ESTIMATE_COLUMNS)


def scoring_rows(runs: LaidRuns, task: str, settings: SimilaritySettings) -> list[NewRow]:
    """Labels against the most probable option, of every run.

    ``disagreement``: share of items in which they differ (an invalid label differs from every option, unless the
    rule drops it); ``accuracy_label``, ``accuracy_probs`` and the first less the second, ``accuracy_difference``, over
    the items that have both. Where labels were read off the probabilities, nothing differs.
    """
    probs = runs.probs
    assert probs is not None

    def found() -> Iterator[tuple[NewRow, Statistic]]:
        for index, cell in enumerate(runs.cells):
            scored = np.isfinite(probs[index]).all(axis=1)
            if not scored.any():
                continue
            best, codes = probs[index].argmax(axis=1), runs.codes[index]
            most = np.where(scored, runs.options[np.arange(len(best)), best], MISSING).astype(np.int32)
            label = np.where(scored, codes, MISSING).astype(np.int32)
            lost = {
                "without a reply (error)": int(((codes == FAILED) & ~scored).sum()),
                "without probabilities of the options": int((replied(codes) & ~scored).sum()),
            }
            for name, one in _compared(label, most, runs.key.gold, settings):
                reason = "; ".join(filter(None, (one.reason, account(lost))))
                kept = replace(one, excluded=one.excluded + sum(lost.values()), reason=reason)
                yield {"model": cell.model, **cell_columns(cell), "statistic": name}, kept

    return estimated({"task": task}, found(), settings.bootstrap)


def _compared(
    label: Codes, most: Codes, gold: Codes, settings: SimilaritySettings
) -> Iterator[tuple[str, Statistic]]:
    same = consistency_statistic(label, most, invalid=settings.invalid)
    agree, counted = (column > 0 for column in same.columns)
    yield "disagreement", replace(same, columns=(counted & ~agree, counted))
    known = np.where(counted, gold, INVALID).astype(np.int32)
    first, second = accuracy_statistic(label, known), accuracy_statistic(most, known)
    yield "accuracy_label", first
    yield "accuracy_probs", second
    yield "accuracy_difference", difference(first, second)
