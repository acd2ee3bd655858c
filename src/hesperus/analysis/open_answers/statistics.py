"""From pairs to numbers: every statistic of some pairs, its ceiling, and the one over the other, paired by item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.analysis.answered import coverage_of_pairs
from hesperus.analysis.table import ANSWERED, estimate_cells
from hesperus.errors import DataError
from hesperus.fingerprint import plain
from hesperus.measures import (
    Bootstrap,
    Statistic,
    estimates,
    information_statistics,
    profile_statistics,
)
from hesperus.measures.statistic import beside, divide, ratio, share_corners
from hesperus.rounding import cell
from hesperus.types import Estimate

BESIDE = ("ceiling", "ceiling_low", "ceiling_high", "relative", "relative_low", "relative_high")
"""Columns next to an estimate: the control's score, and the score over the control's."""

WHERE_ANSWERED = "_answered"
"""Ending of a statistic that leaves out pairs with a side that gives no answer."""

RIGHT_LANGUAGE = "_right_language"
"""Ending of a statistic that leaves out pairs with a reply in another language than the one asked for."""

ENDINGS = (WHERE_ANSWERED, RIGHT_LANGUAGE)

LOW_CEILING = 0.8
"""Below it, the instrument loses so much of the same text that it cannot measure what the answers lose."""

UNSEEN_WORDS: Mapping[str, str] = {
    "absent": "not asked in both languages",
    "failed": "without a reply (error)",
    "untranslated": "without a translation",
    "unreadable": "not readable by the evaluator",
    "no_answer": "without an answer on a side",
}
"""States of pairs that have no score, in words."""

UNSEEN = tuple(UNSEEN_WORDS)
"""States of pairs that have no score; they are counted as excluded."""

NO_SHARE = ("kappa.", "change.")
"""Statistics that may be 0 or less, of which a share of the ceiling says nothing."""

SILENT = ("reference_silent", "candidate_silent", "both_silent")
"""States of pairs with a side that gives no answer."""

_SILENT_OUTCOMES = ("empty", "refused", "blocked", "error")

MUTE = "of which one side answers none"
"""Said of pairs that would be scored, where a side gives no answer at all: nothing is measured then."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One number with its ceiling.

    Attributes:
        estimate: The number.
        ceiling: The same of the control; None if absent.
        relative: Number over ceiling, over the pairs that have both; None likewise.
        answered: Share of the replies behind the pairs that are answers; None if the table does not say.
    """

    estimate: Estimate
    ceiling: Estimate | None
    relative: Estimate | None
    answered: float | None

    def cells(self) -> dict[str, object]:
        """The cells of a row."""
        beside: dict[str, object] = {}
        for name, found in (("ceiling", self.ceiling), ("relative", self.relative)):
            beside |= {
                name: found.value if found else None,
                f"{name}_low": found.low if found else None,
                f"{name}_high": found.high if found else None,
            }
        return {**estimate_cells(self.estimate), ANSWERED: self.answered, **beside}


def scored(pairs: pl.DataFrame, bootstrap: Bootstrap | None) -> dict[str, Scored]:
    """Every statistic of these pairs, by the rule, and again with each of the ENDINGS.

    Where the ceiling is below LOW_CEILING the share of it is withheld, and the reason says so.

    Pairs of one item (several languages or repeats) are resampled together. By the rule a pair with one silent side scores
    0, with two 1. Without a bootstrap there are no intervals.

    Raises:
        DataError: The table has the values of no evaluator.
    """
    found: dict[str, Scored] = {}
    share = coverage_of_pairs(pairs).share
    excluded, reasons = _excluded(pairs)
    seen = pairs.filter(~pl.col("state").is_in(UNSEEN))
    if mute(seen):
        excluded, reasons = excluded + seen.height, [*reasons, f"{seen.height} {MUTE}"]
        seen = seen.clear()
    answered, right = seen.filter(pl.col("state") == "compared"), seen.filter(~in_wrong_language(seen))
    silent = sum(state in SILENT for state in seen["state"])
    parts = [
        ("", seen, 0, ""),
        (WHERE_ANSWERED, answered, silent, "without an answer on both sides"),
        (RIGHT_LANGUAGE, right, seen.height - right.height, "with a reply in another language"),
    ]
    for ending, rows, lost, why in parts:
        if ending == RIGHT_LANGUAGE and not lost:  # the same pairs, so the same numbers
            found |= {f"{name}{ending}": one for name, one in found.items() if not name.endswith(ENDINGS)}
            continue
        said = "; ".join([*reasons, *([f"{lost} {why}"] if lost else [])])
        own = {
            name: replace(statistic, excluded=excluded + lost, reason=said)
            for name, statistic in statistics_of(rows, "").items()
        }
        both = rows.filter(has_ceiling(rows, answered=ending == WHERE_ANSWERED))
        ceilings = statistics_of(both, "ceiling_") if both.height else {}
        compared = statistics_of(both, "") if both.height else {}
        values = dict(zip(own, estimates(own.values(), bootstrap), strict=True))
        above = dict(zip(ceilings, estimates(ceilings.values(), bootstrap), strict=True)) if ceilings else {}
        over = {
            name: replace(over_ceiling(compared[name], ceilings[name]), excluded=pairs.height - both.height)
            for name in ceilings
            if not name.startswith(NO_SHARE)
        }
        shares = dict(zip(over, estimates(over.values(), bootstrap), strict=True)) if over else {}
        for name, estimate in values.items():
            found[f"{name}{ending}"] = _judged(Scored(estimate, above.get(name), shares.get(name), share))
    return found


def in_wrong_language(pairs: pl.DataFrame) -> pl.Expr:
    """Which pairs have a reply in another language than the one asked for; absent if the table does not say."""
    sides = [name for name in ("outcome", "reference_outcome") if name in pairs.columns]
    return pl.any_horizontal(
        pl.lit(False), *((pl.col(name) == "wrong_language").fill_null(False) for name in sides)
    )


def is_low(ceiling: object) -> bool:
    """Whether a ceiling is so low that the instrument cannot measure what is below it."""
    return isinstance(ceiling, float) and ceiling < LOW_CEILING


def _judged(one: Scored) -> Scored:
    """The share of a low ceiling is withheld, and the reason says why."""
    ceiling = None if one.ceiling is None else one.ceiling.value
    if one.relative is None or ceiling is None or not is_low(ceiling):
        return one
    low = (
        f"the instrument cannot measure this: of the same text, sent there and back, it finds {cell(ceiling, 'short')}, less "
        f"than {LOW_CEILING}"
    )
    told = replace(one.estimate, reason="; ".join(filter(None, (low, one.estimate.reason))))
    return Scored(told, one.ceiling, None, one.answered)


def signature_cells(signature: Mapping[str, object], bootstrap: Bootstrap | None) -> dict[str, object]:
    """The signature of a table: that of the evaluation, and how items were resampled."""
    return {**signature, "bootstrap": plain(bootstrap)}


def _excluded(pairs: pl.DataFrame) -> tuple[int, list[str]]:
    counts = Counter(pairs["state"])
    found = {state: counts[state] for state in UNSEEN if counts[state]}
    return sum(found.values()), [f"{count} {UNSEEN_WORDS[state]}" for state, count in found.items()]


def mute(rows: pl.DataFrame) -> bool:
    """Whether there are pairs to score, and a side gives no answer in any of them."""
    if rows.is_empty():
        return False
    for side, other in (("outcome", "reference_silent"), ("reference_outcome", "candidate_silent")):
        if side not in rows.columns:
            return False
        speaks = ~pl.col(side).is_in(_SILENT_OUTCOMES).fill_null(False)
        # An answer that makes no claim is an answer all the same; a truncated reply without a word is none. What was
        # compared was said, also by a refusal where refusing is what is measured.
        answered = speaks & ((pl.col("state") == other) | (pl.col(side) == "answered"))
        heard = (pl.col("state") == "compared") | answered
        if not rows.select(heard.any()).item():
            return True
    return False


def has_ceiling(rows: pl.DataFrame, *, answered: bool) -> pl.Expr:
    """Which pairs have a ceiling, by the rule or with answers on all sides."""
    if "ceiling_state" not in rows.columns:
        return pl.lit(False)
    states = ("compared",) if answered else ("compared", *SILENT)
    return pl.col("ceiling_state").is_in(states).fill_null(False)


def statistics_of(rows: pl.DataFrame, prefix: str) -> dict[str, Statistic]:
    """The statistics of the values that are in the columns of a prefix, one unit per item."""
    units = _units(rows)
    if f"{prefix}precision" in rows.columns:
        shares = [rows[f"{prefix}{name}"].cast(pl.Float64).to_numpy() for name in ("precision", "recall")]
        return dict(information_statistics(*shares, items=units))
    if f"{prefix}agreement" not in rows.columns:
        raise DataError(
            f"a table of pairs has precision and recall, or agreement; this one has {', '.join(rows.columns)}"
        )
    begins = f"{prefix}reference."
    properties = tuple(name.removeprefix(begins) for name in rows.columns if name.startswith(begins))
    if properties:
        return _profiles(rows, prefix, properties, units)
    values = rows[f"{prefix}agreement"].cast(pl.Float64).to_numpy()
    return {"agreement": _mean(values, units, rows.height)}


def _profiles(
    rows: pl.DataFrame, prefix: str, properties: tuple[str, ...], units: npt.NDArray[np.int64]
) -> dict[str, Statistic]:
    """Agreement of the whole profiles, then agreement, κ and change of each property."""
    sides = [
        rows.select(pl.col(f"{prefix}{side}.{name}").cast(pl.Int32) for name in properties).to_numpy()
        for side in ("reference", "candidate")
    ]
    found = dict(profile_statistics(*sides, properties=properties, items=units))
    return {"agreement": found.pop("exact"), **found}


def _mean(values: npt.NDArray[np.float64], units: npt.NDArray[np.int64], n: int) -> Statistic:
    sums: npt.NDArray[np.float64] = np.zeros(int(units.max(initial=-1)) + 1)
    counts = np.zeros_like(sums)
    np.add.at(sums, units, values)
    np.add.at(counts, units, 1.0)
    undefined = "no pair of texts to score"
    return Statistic((sums, counts), ratio, share_corners(counts), n, undefined=undefined, limits=(0.0, 1.0))


def _units(rows: pl.DataFrame) -> npt.NDArray[np.int64]:
    """The item of each row, as a number from 0."""
    places: dict[str, int] = {}
    return np.array([places.setdefault(item, len(places)) for item in rows["item"]], dtype=np.int64)


def over_ceiling(score: Statistic, ceiling: Statistic) -> Statistic:
    """The score over its ceiling; both are of the same pairs, so that resamples are shared."""
    cut = len(score.columns)
    return Statistic(
        (*score.columns, *ceiling.columns),
        lambda sums: divide(score.reduce(sums[..., :cut]), ceiling.reduce(sums[..., cut:])),
        beside(score, ceiling),
        score.n,
        undefined="the ceiling is 0",
    )


def need(pairs: pl.DataFrame, columns: Sequence[str]) -> None:
    """Refuse a table that is no table of pairs.

    Raises:
        DataError: It lacks a column.
    """
    absent = [name for name in columns if name not in pairs.columns]
    if absent:
        raise DataError(f"this is no table of pairs: it lacks {', '.join(absent)}")
