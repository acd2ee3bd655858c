"""What goes with similarity, and whether designs differ: correlations with what else is known, and tests of a model with itself against others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hesperus import (
    measures,  # its tests by their full names: they load scipy, a fifth of a second, when they are first used
)
from hesperus.analysis.p_corrections import correct
from hesperus.analysis.similarity.measured import (
    BETWEEN,
    BETWEEN_OF,
    PARTNER,
    PIVOT,
    WITHIN,
    Floats,
    Measured,
    estimate_of,
    log_size,
    sense_of,
    takes_probabilities,
    with_interval,
)
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
    benjamini_hochberg,
    consistency_statistic,
    difference,
    enough_permutations,
    evened,
    hard_pairs,
    holm,
    rank_pairs,
    replied,
    soft_pairs,
)
from hesperus.records import Cell
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
    correct(rows)
    return rows


def _row(
    found: Measured,
    task: str,
    settings: SimilaritySettings,
    design: str,
    beside: tuple[str, Mapping[str, float | None], Mapping[str, Floats] | None],
) -> NewRow:
    label, values, resampled = beside
    names, place_of = _names(found, design), found.designs.places
    means = {name: found.spread.means[place_of[design, name]] for name in names}
    kept = [name for name in names if values.get(name) is not None and np.isfinite(means[name])]
    x = np.array([values[name] for name in kept], dtype=np.float64)
    places = [place_of[design, name] for name in kept]
    test = measures.pearson_test(x, found.spread.means[places])
    lost = len(names) - len(kept)
    number = Estimate(None, n=len(kept), excluded=lost, reason=test.reason)
    if test.statistic is not None:
        spread = found.spread.spread[places].T
        across = (
            np.broadcast_to(x, spread.shape)
            if resampled is None
            else np.stack([resampled[name] for name in kept]).T
        )
        reason = "; ".join(filter(None, [f"{lost} without a number" if lost else "", test.reason]))
        ends = with_interval(test.statistic, measures.correlations(across, spread), settings.bootstrap)
        number = estimate_of(*ends, n=len(kept), excluded=lost, reason=reason)
        number = number if test.p is not None else replace(number, low=None, high=None)
    of = "language" if design == BETWEEN else "model"
    return {
        "task": task, "design": design, "with": label, "points": of, "statistic": "pearson", **estimate_cells(number),
        "p": test.p, "p_holm": None, "source": None, "date": None,
    }  # fmt: skip


def _names(found: Measured, design: str) -> list[str]:
    return [name for of, name in found.designs.places if of == design and name != "all"]


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


TEST_COLUMNS = (
    "task", "model", "comparison", "statistic", *ESTIMATE_COLUMNS, "detectable", "p_items", "p_items_holm",
    "p_items_bh", "p_mantel", "p_mantel_holm", "u", "p_mann_whitney", "p_mann_whitney_holm",
)  # fmt: skip

_COMPARED = ((WITHIN, BETWEEN_OF), (PIVOT, BETWEEN_OF), (WITHIN, PARTNER), (PIVOT, PARTNER))


def test_rows(found: Measured, task: str, settings: SimilaritySettings) -> list[NewRow]:
    """One row a model and comparison, and one over all models.

    `value` is the difference of mean similarity; its interval and `p_items` are of the same resampled items, and say
    what other items would show. `p_mantel` permutes runs, with all pairs of a run: it says what runs would show if their
    names mean nothing. `p_mann_whitney` takes pairs for independent, as the literature does, each pair once. Adjusted p
    values are over all rows of single models. `detectable` is the smallest difference that so many items would show
    (power 0.8).
    """
    models = dict.fromkeys(cell.model for cell in found.runs.cells)
    wanted = [((left, model), (right, model)) for left, right in _COMPARED for model in models]
    wanted.append(((WITHIN, "all"), (BETWEEN, "all")))
    chosen = [sides for sides in wanted if found.designs.places.keys() >= set(sides)]
    rows = [_contrast(found, task, settings, left, right) for left, right in chosen]
    family = [row for row in rows if row["model"] != "all"]
    for row, (p, said) in zip(rows, _mantel(found, chosen, settings, len(family)), strict=True):
        row["p_mantel"] = p
        row["reason"] = "; ".join(text for text in (str(row["reason"] or ""), said) if text)
    for name in ("p_items", "p_mantel", "p_mann_whitney"):
        adjusted = holm([row[name] for row in family])
        for row, value in zip(family, adjusted, strict=True):
            row[f"{name}_holm"] = value
    for row, value in zip(family, benjamini_hochberg([row["p_items"] for row in family]), strict=True):
        row["p_items_bh"] = value
    return [{**row, "model": None} if row["model"] == "all" else row for row in rows]


def _contrast(
    found: Measured, task: str, settings: SimilaritySettings, left: tuple[str, str], right: tuple[str, str]
) -> NewRow:
    first, second = (found.designs.places[side] for side in (left, right))
    a, b = (found.designs.groups[place] for place in (first, second))
    spread = found.spread
    difference = float(spread.means[first] - spread.means[second])
    resampled = evened(
        spread.spread[first] - spread.spread[second], settings.bootstrap, len(found.runs.items)
    )
    known = np.isfinite(difference)
    u = measures.mann_whitney(spread.value[a.pairs], spread.value[b.pairs])
    return {
        **dict.fromkeys(TEST_COLUMNS),
        "task": task,
        "model": left[1],
        "comparison": f"{left[0]} − {right[0]}",
        "statistic": found.statistic,
        **estimate_cells(_difference(difference, resampled, found, settings)),
        "detectable": measures.resampled_detectable(resampled) if known else None,
        "p_items": measures.resampled_p(resampled) if known else None,
        "u": u.statistic,
        "p_mann_whitney": u.p if settings.bootstrap.resamples else None,
    }


def _difference(value: float, resampled: Floats, found: Measured, settings: SimilaritySettings) -> Estimate:
    items, lost = len(found.runs.items), found.runs.differing
    undefined = "one of the designs has no pair with a value"
    return estimate_of(
        *with_interval(value, resampled, settings.bootstrap), n=items, excluded=lost, undefined=undefined
    )


def _all_pairs(found: Measured, settings: SimilaritySettings) -> tuple[npt.NDArray[np.intp], Floats]:
    """Index of each run of a first repeat, and the measure of all their pairs, [runs, runs], NaN where undefined.

    Those included that no design compares: what a permutation of runs needs. The diagonal is not looked at.
    """
    runs, name = found.runs, settings.statistic
    places = np.array([index for index, cell in enumerate(runs.cells) if cell.repeat == 1], dtype=np.intp)
    if not takes_probabilities(runs, settings):
        hard = hard_pairs(runs.codes[places], key=runs.key, invalid=settings.invalid)
        return places, getattr(hard, name)
    assert runs.probs is not None
    probs = runs.probs[places]
    if name == "rank_consistency":
        return places, rank_pairs(probs, key=runs.soft_key)[1]
    return places, getattr(soft_pairs(probs, key=runs.soft_key), name)


def _mantel(
    found: Measured,
    chosen: Sequence[tuple[tuple[str, str], tuple[str, str]]],
    settings: SimilaritySettings,
    family: int,
) -> Iterator[tuple[float | None, str]]:
    """Permutes runs: pairs of the first design are 1, of the second 0; all others do not count but move along.

    Args:
        found: The runs.
        chosen: The designs of each test.
        settings: What is compared.
        family: How many of the tests, from the first on, are corrected together, for which more permutations may be drawn;
            the others are of most of all pairs, and a permutation of them costs as much as all of the family.
    """
    if not chosen:
        return
    places, value = _all_pairs(found, settings)
    permutations = settings.permutations if settings.bootstrap.resamples else 0
    for part, size in ((chosen[:family], family), (chosen[family:], 0)):
        tests = measures.mantel_tests(
            (_kinds(found, sides)[np.ix_(places, places)] for sides in part),
            value,
            permutations=permutations,
            seed=settings.bootstrap.seed,
            ceiling=enough_permutations(permutations, size),
        )
        yield from ((test.p, _said(test, [found.runs.cells[place] for place in places])) for test in tests)


def _kinds(found: Measured, sides: tuple[tuple[str, str], tuple[str, str]]) -> Floats:
    runs = len(found.runs.cells)
    kind = np.full((runs, runs), np.nan)
    for side, code in zip(reversed(sides), (0.0, 1.0), strict=True):
        i, j = found.designs.pairs[found.designs.groups[found.designs.places[side]].pairs].T
        kind[i, j] = kind[j, i] = code
    return kind


def _said(test: measures.Relation, cells: Sequence[Cell]) -> str:
    said = [test.reason] if test.reason else []
    if test.dropped:
        named = ", ".join(f"{cells[run].model} in {sense_of(cells[run])}" for run in test.dropped)
        said.append(f"without {named}, so that every pair of runs has a value")
    return f"p_mantel: {'; '.join(said)}" if said else ""
