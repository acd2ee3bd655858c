"""Is a model closer to itself in other languages than to other models in one language? Tests of differences of designs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from hesperus.analysis.similarity.measured import (
    BETWEEN,
    BETWEEN_OF,
    PARTNER,
    PIVOT,
    WITHIN,
    Floats,
    Group,
    Measured,
    sense_of,
    takes_probabilities,
)
from hesperus.analysis.similarity.similarity_settings import SimilaritySettings
from hesperus.analysis.table import ESTIMATE_COLUMNS, NewRow, estimate_cells
from hesperus.measures import (
    Relation,
    benjamini_hochberg,
    enough_permutations,
    evened,
    hard_pairs,
    holm,
    intervals,
    mann_whitney,
    mantel_tests,
    rank_pairs,
    resampled_detectable,
    resampled_p,
    soft_pairs,
)
from hesperus.records import Cell
from hesperus.types import Estimate

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
    chosen = [(a, b) for a, b in wanted if None not in (found.designs.group(*a), found.designs.group(*b))]
    rows = [_row(found, task, settings, left, right) for left, right in chosen]
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


def _row(
    found: Measured, task: str, settings: SimilaritySettings, left: tuple[str, str], right: tuple[str, str]
) -> NewRow:
    a, b = _groups(found, left, right)
    spread = found.spread
    places = [found.designs.group(*side) for side in (left, right)]
    first, second = (int(place) for place in places if place is not None)
    difference = float(spread.means[first] - spread.means[second])
    resampled = evened(
        spread.spread[first] - spread.spread[second], settings.bootstrap, len(found.runs.items)
    )
    known = np.isfinite(difference)
    u = mann_whitney(spread.value[a.pairs], spread.value[b.pairs])
    return {
        **dict.fromkeys(TEST_COLUMNS),
        "task": task,
        "model": left[1],
        "comparison": f"{left[0]} − {right[0]}",
        "statistic": found.statistic,
        **estimate_cells(_difference(difference, resampled, found, settings)),
        "detectable": resampled_detectable(resampled) if known else None,
        "p_items": resampled_p(resampled) if known else None,
        "u": u.statistic,
        "p_mann_whitney": u.p if settings.bootstrap.resamples else None,
    }


def _groups(found: Measured, *sides: tuple[str, str]) -> list[Group]:
    places = (found.designs.group(*side) for side in sides)
    return [found.designs.groups[place] for place in places if place is not None]


def _difference(value: float, resampled: Floats, found: Measured, settings: SimilaritySettings) -> Estimate:
    items, lost = len(found.runs.items), found.runs.differing
    if np.isnan(value):
        return Estimate(None, n=items, excluded=lost, reason="one of the designs has no pair with a value")
    ends_of = intervals(resampled[None, :], np.array([value]), settings.bootstrap)
    low, high = (float(end[0]) for end in ends_of)
    ends = (None, None) if np.isnan(low) else (low, high)
    return Estimate(value, ends[0], ends[1], items, lost)


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
        tests = mantel_tests(
            (_kinds(found, sides)[np.ix_(places, places)] for sides in part),
            value,
            permutations=permutations,
            seed=settings.bootstrap.seed,
            ceiling=enough_permutations(permutations, size),
        )
        yield from ((test.p, _said(test, [found.runs.cells[place] for place in places])) for test in tests)


def _kinds(found: Measured, sides: tuple[tuple[str, str], tuple[str, str]]) -> Floats:
    a, b = _groups(found, *sides)
    runs = len(found.runs.cells)
    kind = np.full((runs, runs), np.nan)
    for group, code in ((b, 0.0), (a, 1.0)):
        i, j = found.designs.pairs[group.pairs].T
        kind[i, j] = kind[j, i] = code
    return kind


def _said(test: Relation, cells: Sequence[Cell]) -> str:
    said = [test.reason] if test.reason else []
    if test.dropped:
        named = ", ".join(f"{cells[run].model} in {sense_of(cells[run])}" for run in test.dropped)
        said.append(f"without {named}, so that every pair of runs has a value")
    return f"p_mantel: {'; '.join(said)}" if said else ""
