"""Agreement of two runs, raw and corrected for chance.

References:
    κ_p (CAPA): Goel et al. (2025), Great models think alike and this undermines AI oversight. With options that differ
        by item the second term of the expected agreement uses each item's number of options.
    Cohen's κ: Cohen (1960). Scott's π: Scott (1955). Error consistency: Geirhos, Meding and Wichmann (2020).
    RankC: Qi, Fernández and Bisazza (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from hesperus.measures.classes import (
    FAILED,
    INVALID,
    MISSING,
    NONE_ANSWERED,
    Codes,
    Comparison,
    InvalidRule,
    Mask,
    account,
    compare,
    unanswered,
)
from hesperus.measures.resample import Floats
from hesperus.measures.statistic import (
    SHARE,
    Column,
    Corners,
    Reduce,
    Statistic,
    divide,
    ratio,
)

_CERTAIN = 1e-12
"""Below this, 1 − (expected agreement) is rounding: agreement beyond chance has no room left."""

NO_ITEM, NEVER_TWICE = "no item that both runs answered counts", "no item was scored twice"
"""Said where no item of a pair counts."""

PairStatistic = Literal["raw", "kappa_p", "cohen_kappa", "scott_pi", "error_consistency", "rank_consistency"]
"""A measure of agreement of two runs."""

BY_CHANCE = (
    "independent runs with the same accuracies (of Cohen's κ: shares of labels) would agree on every item, so agreement "
    "beyond that is undefined"
)
"""Said where 1 − (expected agreement) is 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """What the items themselves say.

    Attributes:
        gold: Codes of the right options, [items]; negative if unknown.
        options: Number of options of each item, [items]; κ_p is undefined where it is not known (0) or is 1.
    """

    gold: Codes
    options: npt.NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.gold.shape != self.options.shape:
            raise ValueError(
                f"gold and options need the same items: {self.gold.shape} and {self.options.shape}"
            )
        if len(self.options) and int(self.options.min()) < 0:
            item = int(np.argmin(self.options))
            raise ValueError(f"item {item} has {self.options[item]} options")

    @property
    def others(self) -> Floats:
        """1 / (options − 1) of each item, [items]; NaN where the number of options is not known or is 1."""
        return np.where(self.options > 1, 1.0 / np.maximum(self.options - 1, 1), np.nan)

    def without_options(self, counted: Mask) -> str:
        """Why κ_p is undefined over some items: how many do not say two or more options; empty where all do."""
        return self.lacking_options(int((counted & (self.options < 2)).sum()), int(counted.sum()))

    @staticmethod
    def lacking_options(lacking: int, counted: int) -> str:
        """The same of so many items that lack options, of so many that count."""
        return f"{lacking} of {counted} items do not say two or more options" if lacking else ""


def pair_corners(statistic: PairStatistic, key: Key) -> Corners:
    """What one item can be at the extremes, for a measure of two runs.

    Args:
        statistic: Name of the measure.
        key: Number of options; a pseudo-item has as many others as the items on average.

    Returns:
        For each pseudo-item: counted, agreeing, right in the first run, right in the second, 1 / (options − 1). Of
        measures with a gold label: both right, only the first, only the second, both wrong and alike, both wrong and
        different (not where all items have two options, or where that is the same); of the others: alike, different.
    """
    if statistic not in ("kappa_p", "error_consistency"):
        return ((1.0, 1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0, 0.0))
    known = key.others[key.options > 1]
    others = float(known.mean()) if len(known) else 1.0
    found = (
        (1.0, 1.0, 1.0, 1.0, others),
        (1.0, 0.0, 1.0, 0.0, others),
        (1.0, 0.0, 0.0, 1.0, others),
        (1.0, 1.0, 0.0, 0.0, others),
    )
    different = statistic == "kappa_p" and bool((key.options > 2).any())
    return (*found, (1.0, 0.0, 0.0, 0.0, others)) if different else found


def class_count(key: Key, invalid: InvalidRule) -> int:
    """How many classes an answer can have; pseudo-items of κ and π have each label alike often in either run."""
    return int(key.options.max(initial=2)) + (invalid == "agree")


def agreement_statistics(
    a: Codes, b: Codes, *, key: Key, invalid: InvalidRule = "disagree"
) -> Mapping[str, Statistic]:
    """All measures of agreement of two runs with hard answers.

    Args:
        a: Class codes, [items].
        b: Class codes of the other run.
        key: Gold and number of options.
        invalid: ``disagree``: an invalid answer agrees with nothing, by chance neither; ``agree``: it is one more
            class; ``drop``: its item does not count.

    Returns:
        ``raw``, ``kappa_p``, ``cohen_kappa``, ``scott_pi`` and ``error_consistency``, before they are reduced. κ_p and
        error consistency rest on the items with a gold label.
    """
    both = compare(a, b, invalid=invalid)
    with_gold, graded = _graded(both, key, a, b)
    right_a, right_b = graded & (a == key.gold), graded & (b == key.gold)
    others = np.where(graded, key.others, 0.0)
    agree = both.agree & graded
    margins = _margins(a, b, both, invalid=invalid)
    labels = (1.0 / class_count(key, invalid),) * len(margins)
    labelled: Corners = ((1.0, 1.0, *labels), (1.0, 0.0, *labels))
    same = graded & (right_a == right_b)
    return {
        "raw": _statistic((both.agree, both.counted), ratio, SHARE, both),
        "kappa_p": _kappa_p((graded, agree, right_a, right_b, others), with_gold, key),
        "cohen_kappa": _statistic((both.counted, both.agree, *margins), cohen_of_sums, labelled, both),
        "scott_pi": _statistic((both.counted, both.agree, *margins), scott_of_sums, labelled, both),
        "error_consistency": _statistic(
            (graded, same, right_a, right_b),
            error_consistency_of_sums,
            tuple(corner[:4] for corner in pair_corners("error_consistency", key)),
            with_gold,
        ),
    }


def chance_statistic(a: Codes, b: Codes, *, invalid: InvalidRule = "disagree") -> Statistic:
    """Agreement that chance alone would give: of two runs with these shares of labels that answer independently.

    Args:
        a: Class codes, [items].
        b: Class codes of the other run.
        invalid: As for agreement_statistics: what cannot be read agrees with nothing, by chance neither.

    Returns:
        Σ_c p_c q_c, the expected agreement of Cohen's κ, in [0, 1], before it is reduced; 1 where both runs always give
        the same label.
    """
    both = compare(a, b, invalid=invalid)
    margins = _margins(a, b, both, invalid=invalid)
    # An item whose label may be any: of runs that always give one label, not even that is certain.
    corners: Corners = ((1.0, *(1.0 / max(len(margins) // 2, 2) for _ in margins)),)
    return _statistic((both.counted, *margins), _expected, corners, both)


def kappa_p_statistic(p: Floats, q: Floats, *, key: Key) -> Statistic:
    """κ_p of two runs of option probabilities (soft).

    Args:
        p: Probabilities, [items, options], 0 beyond an item's own options; NaN where the item was not scored.
        q: Those of the other run.
        key: Gold and number of options; items without gold do not count.

    Raises:
        ValueError: Shapes differ.

    Undefined when: no item counts, or the expected agreement is 1.
    """
    if p.shape != q.shape or p.ndim != 2 or p.shape[0] != len(key.gold):
        raise ValueError(f"two runs need the same items and options: {p.shape} and {q.shape}")
    with_gold, graded = _graded(_scored_twice(_scored(p), _scored(q)), key)
    first, second = np.where(graded[:, None], p, 0.0), np.where(graded[:, None], q, 0.0)
    rows, gold = np.arange(len(p)), np.maximum(key.gold, 0)
    columns: tuple[Column, ...] = (
        graded,
        np.einsum("ic,ic->i", first, second),
        first[rows, gold],
        second[rows, gold],
        np.where(graded, key.others, 0.0),
    )
    return _kappa_p(columns, with_gold, key)


def rank_consistency_statistic(p: Floats, q: Floats, *, key: Key) -> Statistic:
    """RankC: overlap of the top j options, weighted by e^(C−j), averaged over items; in [0, 1].

    Args:
        p: Probabilities or scores, [items, options]; NaN where the item was not scored.
        q: Those of the other run. Ties go to the first option.
        key: Number of options of each item; gold is not used.
    """
    both = _scored_twice(_scored(p), _scored(q))
    features = rank_features(np.stack([p, q]), key.options)
    scores = np.einsum("if,if->i", features[0], features[1])
    columns = (np.where(both.counted, scores, 0.0), both.counted)
    return Statistic(columns, ratio, SHARE, both.n, both.excluded, both.reason, NEVER_TWICE)


def _scored_twice(a: Mask, b: Mask) -> Comparison:
    counted, alone = a & b, int((a ^ b).sum())
    return Comparison(counted, counted, alone, f"{alone} scored on one side only" if alone else "")


def _scored(probs: Floats) -> Mask:
    return np.asarray(np.isfinite(probs).all(axis=1))


def rank_features(scores: Floats, options: npt.NDArray[np.int32]) -> Floats:
    """Features whose product over two runs is RankC of each item.

    RankC = Σ_j w_j |top_j(p) ∩ top_j(q)| / j with w_j = e^(C−j) / Σ_l e^(C−l), and the size of an intersection is the
    product of two indicators; hence a feature for each j and option, √(w_j / j) where the option is among the top j.

    Args:
        scores: [runs, items, options]; ties go to the first option.
        options: Number of options of each item.

    Returns:
        [runs, items, options²].
    """
    most = scores.shape[2]
    positions = np.arange(most)
    real = positions < options[:, None]
    order = np.argsort(np.where(real, -np.nan_to_num(scores), np.inf), axis=2, kind="stable")
    ranks = np.argsort(order, axis=2, kind="stable")
    weights: Floats = np.where(real, np.exp(-positions.astype(np.float64)), 0.0)
    shares = divide(weights, weights.sum(axis=1, keepdims=True))
    weights = np.where(real, np.sqrt(shares / (positions + 1)), 0.0)
    inside = (ranks[:, :, None, :] <= positions[:, None]) & real[:, None, :]
    features: Floats = (inside * weights[:, :, None]).reshape(*scores.shape[:2], most * most)
    return features


def _graded(both: Comparison, key: Key, *runs: Codes) -> tuple[Comparison, Mask]:
    """The comparison over the items that have a gold label, and those items; none if a run answers none of them."""
    graded = both.counted & (key.gold >= 0)
    lost = {"without a gold label": both.n - int(np.count_nonzero(graded))}
    if unanswered(graded, *runs):
        lost[NONE_ANSWERED] = int(np.count_nonzero(graded))
        graded = np.zeros_like(graded)
    reason = "; ".join(text for text in (both.reason, account(lost)) if text)
    return Comparison(graded, both.agree & graded, both.excluded + sum(lost.values()), reason), graded


def _statistic(columns: tuple[Column, ...], reduce: Reduce, corners: Corners, both: Comparison) -> Statistic:
    undefined = BY_CHANCE if both.n else NO_ITEM
    return Statistic(columns, reduce, corners, both.n, both.excluded, both.reason, undefined)


def _kappa_p(columns: tuple[Column, ...], both: Comparison, key: Key) -> Statistic:
    """κ_p, with its own reason where the number of options of an item that counts is not known."""
    statistic = _statistic(columns, kappa_p_of_sums, pair_corners("kappa_p", key), both)
    reason = key.without_options(both.counted)
    return replace(statistic, undefined=reason) if reason else statistic


def _margins(a: Codes, b: Codes, both: Comparison, *, invalid: InvalidRule) -> tuple[Column, ...]:
    """For each class that occurs: where a has it, then where b has it."""
    counts = np.bincount(np.concatenate([a[both.counted], b[both.counted]]) - FAILED)
    codes = np.flatnonzero(counts) + FAILED
    wanted = [code for code in codes if code > MISSING and (code != INVALID or invalid == "agree")]
    return tuple(both.counted & (run == code) for code in wanted for run in (a, b))


def beyond_chance(observed: Floats, expected: Floats) -> Floats:
    """(observed − expected) / (1 − expected), NaN where agreement by chance is certain."""
    room = 1.0 - expected
    return divide(observed - expected, np.where(room > _CERTAIN, room, 0.0))


def kappa_p_of_sums(sums: Floats) -> Floats:
    """κ_p from the sums of: counted, Σ_c p q, p on gold, q on gold, 1 / (options − 1)."""
    n, observed, p, q, others = (sums[..., k] for k in range(5))
    p, q = divide(p, n), divide(q, n)
    return beyond_chance(divide(observed, n), p * q + (1 - p) * (1 - q) * divide(others, n))


def cohen_of_sums(sums: Floats) -> Floats:
    """Cohen's κ from the sums of: counted, alike, and for each class where a has it, then where b has it."""
    n = sums[..., 0]
    expected = (sums[..., 2::2] * sums[..., 3::2]).sum(axis=-1)
    return beyond_chance(divide(sums[..., 1], n), divide(expected, n * n))


def _expected(sums: Floats) -> Floats:
    n = sums[..., 0]
    return divide((sums[..., 1::2] * sums[..., 2::2]).sum(axis=-1), n * n)


def scott_of_sums(sums: Floats) -> Floats:
    """Scott's π from the same sums."""
    n = sums[..., 0]
    expected = ((sums[..., 2::2] + sums[..., 3::2]) ** 2).sum(axis=-1)
    return beyond_chance(divide(sums[..., 1], n), divide(expected, 4 * n * n))


def error_consistency_of_sums(sums: Floats) -> Floats:
    """Error consistency from the sums of: counted, both right or both wrong, right in a, right in b."""
    n, same, p, q = (sums[..., k] for k in range(4))
    p, q = divide(p, n), divide(q, n)
    return beyond_chance(divide(same, n), p * q + (1 - p) * (1 - q))
