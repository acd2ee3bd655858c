"""Rows of paired differences: cells, pooled over models and tasks, without one model, by group, with their tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from hesperus.analysis.p_corrections import (
    CLUSTERED,
    EXACT_MCNEMAR,
    MCNEMAR,
    tested,
)
from hesperus.analysis.table import ANSWER_COLUMNS, ANSWERED, NewRow, estimate_cells
from hesperus.analysis.tax.paired_records import PairedAnswers
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.fingerprint import JSON
from hesperus.measures import (
    Bootstrap,
    Mask,
    Statistic,
    TaxPairs,
    difference,
    discordant,
    enough_permutations,
    estimate,
    permutation_test,
    side_statistics,
    sign_test,
    tax_bounds,
    tax_statistic,
    unmatched_difference,
    unmatched_p,
)
from hesperus.types import Estimate

TESTED = ("positive", "negative", "p", "p_holm", "could_change")
"""Discordant pairs of either kind, the test of the difference and its correction over the rows of the analysis, and if
there is no such pair the share of items that could change."""

COLUMNS = ("analysis", "task", "group", "model", "statistic", *ANSWER_COLUMNS, *TESTED)
UNTESTED: Mapping[str, None] = MappingProxyType(dict.fromkeys(TESTED))
NO_CHANGE = "where no answer changed, could_change is the exact one-sided bound on the share of items that could still change"
EMPTY = "empty: no item that was asked is in it"
EVERY = ""
"""What is in a column over whose values a row was pooled."""


def head(analysis: str, *, task: str = EVERY, group: str = EVERY, model: str = EVERY) -> NewRow:
    """What a row is about."""
    return {"analysis": analysis, "task": task, "group": group, "model": model}


class Shown(NamedTuple):
    """What rows of a difference say. Without names of `sides` the two accuracies are left out."""

    name: str = "tax"
    sides: tuple[str, ...] = ()


TAX, EFFECT = Shown("tax"), Shown("effect")


def difference_rows(
    given: PairedAnswers,
    rows: Sequence[int],
    items: Mask,
    analysis: str,
    *,
    settings: TaxSettings,
    shown: Shown = TAX,
    **place: str,
) -> Iterator[NewRow]:
    """The difference of some models over some items with its test, and where wanted the accuracies.

    `rows` are models, `items` those that count, [items]; the analysis and its place are those of `head`.
    """
    bootstrap = settings.bootstrap
    pairs = narrowed(given, rows, items)
    about = head(analysis, **place) | {ANSWERED: given.answered(rows, items)}
    left, reason = left_out_items(given, rows, items)
    for side, statistic in zip(shown.sides, side_statistics(pairs), strict=False):
        found = noted(estimate(statistic, bootstrap), left, reason)
        yield {**about, "statistic": side, **estimate_cells(found), **UNTESTED}
    more, fewer = discordant(pairs)
    found = noted(estimate(tax_statistic(pairs), bootstrap), left, reason)
    if not items.any():
        found = replace(found, reason=f"it is {EMPTY}")
    is_tested = found.value is not None and bootstrap.resamples
    p = _exchanged(pairs, settings, most_tests(given, settings)) if is_tested else None
    could = could_change(found, more + fewer, bootstrap.level)
    tests = {"positive": more, "negative": fewer, "p": p, "p_holm": None, "could_change": could}
    yield {**about, "statistic": shown.name, **estimate_cells(found), **tests}


_STRATA = 3
"""Kinds of items that a rewriting is compared for."""


def most_tests(given: PairedAnswers, settings: TaxSettings) -> int:
    """At least as many tests as an analysis draws for: each model, benchmark, or stratum and group, in each group of items."""
    of_strata = _STRATA * (1 + len(settings.named_groups(given.models)))
    return given.parts * max(len(given.models), len(given.tasks), of_strata)


def _exchanged(pairs: TaxPairs, settings: TaxSettings, tests: int) -> float | None:
    """P of no difference: of one model the sign test; of several, both sides of an item are exchanged with all its models."""
    if len(pairs.strict) == 1:
        return sign_test(*discordant(pairs), exact=settings.exact).value
    return exchanged_p(tax_statistic(pairs), settings=settings, tests=tests)


def exchanged_p(*parts: Statistic, settings: TaxSettings, tests: int) -> float | None:
    """P of no difference, or of the first difference being a second one: both sides of whole items are exchanged.

    Args:
        parts: Statistics as tax_statistic gives them, over the same items.
        settings: How many exchanges are drawn, and how ties count.
        tests: How many tests are corrected together, of which a clear effect must survive the correction.
    """
    shares = [(one.columns[0] - one.columns[1]) / one.columns[2].sum() for one in parts]
    apart = shares[0] - sum(shares[1:], np.zeros_like(shares[0]))
    drawn = settings.bootstrap
    ceiling = enough_permutations(drawn.resamples, tests)
    return permutation_test(
        apart, resamples=drawn.resamples, seed=drawn.seed, ceiling=ceiling, mid=not settings.exact
    ).value


def of_two_sets(
    first: TaxPairs, second: TaxPairs, *, settings: TaxSettings, tests: int
) -> tuple[Estimate, float | None]:
    """The difference over one set of items less that over another set, and its p.

    Each set is resampled by itself; for p, items change sets at random. `tests` is as in exchanged_p.
    """
    sides, drawn = (tax_statistic(first), tax_statistic(second)), settings.bootstrap
    found = unmatched_difference(*sides, drawn)
    if found.value is None or not drawn.resamples:
        return found, None
    taxes = [(side.columns[0] - side.columns[1], side.columns[2]) for side in sides]
    ceiling = enough_permutations(drawn.resamples, tests)
    return found, unmatched_p(*taxes, resamples=drawn.resamples, seed=drawn.seed, ceiling=ceiling)


def could_change(found: Estimate, changed: int, level: float) -> float | None:
    """The largest share of items that could change where none of those seen did: exact, one-sided.

    Args:
        found: A difference over `n` items.
        changed: Pairs that differ.
        level: Confidence, in (0, 1).

    Returns:
        The share p at which n unchanged items in a row have the probability 1 − level: 1 − (1 − level)^(1/n), in (0, 1];
        None where a pair differs, and of no item.

    Reference: Clopper and Pearson 1934, at no event; 3/n is its well-known approximation at 95 %.
    """
    still = found.value is not None and found.n and not changed
    return 1.0 - (1.0 - level) ** (1.0 / found.n) if still else None


def _pairs_lost(given: PairedAnswers, rows: Sequence[int], items: Mask) -> Iterator[str]:
    """Of items that count, the pairs of single models that do not: an item stays in while one model has a pair of it."""
    if lost := given.pairs_left_out(rows, items):
        kept = int((items & given.pairs.strict[list(rows)].any(axis=0)).sum())
        causes = ", ".join(f"{count} {cause}" for cause, count in lost.items())
        yield f"of the items compared, {sum(lost.values())} of {kept * len(rows)} pairs excluded: {causes}"


def corrected(rows: Sequence[NewRow], settings: TaxSettings) -> dict[str, JSON]:
    """Correct the tests of each analysis over its rows, in place, and say so.

    Returns:
        What the signature says of the tests.
    """
    apart = [row for row in rows if row["statistic"] in ("tax", "effect")]
    test, of = f"{EXACT_MCNEMAR if settings.exact else MCNEMAR}; {CLUSTERED}", "the rows of an analysis"
    return tested(apart, test, settings.bootstrap, of=of, family=itemgetter("analysis"))


def notes_of(rows: Iterable[Mapping[str, object]]) -> list[str]:
    """What to know of these rows: what could still change where nothing did."""
    return [NO_CHANGE] if any(row["could_change"] is not None for row in rows) else []


def narrowed(given: PairedAnswers, rows: Sequence[int], items: Mask) -> TaxPairs:
    """The pairs of some models over the items of which one of them has a strict pair: what is resampled."""
    pairs = given.pairs.of_models(rows).of_items(items)
    return pairs.only(np.asarray(pairs.strict.any(axis=0)))


def sensitivity_rows(
    given: PairedAnswers, parts: Mapping[str, Mask], *, settings: TaxSettings, shown: Shown = TAX
) -> Iterator[NewRow]:
    """The difference without each model, then without those that are often without a valid answer: whether it rests on them.

    Args:
        given: Two conditions.
        parts: Name of a part of the items, EVERY among them, to its items, [items]; the latter rows are of each part.
        settings: How intervals and tests are made, and when a model is parser-sensitive.
        shown: Name of the statistic.
    """
    every, made = range(len(given.models)), partial(difference_rows, given, settings=settings, shown=shown)
    for left, model in enumerate(given.models) if len(every) > 1 else ():
        yield from made([row for row in every if row != left], parts[EVERY], "without model", model=model)
    sensitive = sensitive_models(given, settings)
    robust = [row for row, model in enumerate(given.models) if model not in sensitive]
    for name, items in parts.items() if sensitive and robust else ():
        without, models = "without parser-sensitive models", ", ".join(sensitive)
        yield from made(robust, items, without, task=name, model=models)


def group_difference_rows(
    given: PairedAnswers,
    groups: Mapping[str, Sequence[int]],
    items: Mask,
    *,
    settings: TaxSettings,
    name: str = "tax",
) -> Iterator[NewRow]:
    """The first group's difference minus that of each other, over the same items: difference in differences."""
    names = list(groups)
    for other in names[1:]:
        first, second = groups[names[0]], groups[other]
        rows = [*first, *second]
        pairs = narrowed(given, rows, items)
        parts = [
            tax_statistic(pairs.of_models(part)) for part in (range(len(first)), range(len(first), len(rows)))
        ]
        found = estimate(difference(*parts), settings.bootstrap)
        is_tested = found.value is not None and settings.bootstrap.resamples
        p = exchanged_p(*parts, settings=settings, tests=most_tests(given, settings)) if is_tested else None
        could = could_change(found, sum(discordant(pairs)), settings.bootstrap.level)
        about = head("groups", group=f"{names[0]} − {other}") | {ANSWERED: given.answered(rows, items)}
        yield {**about, "statistic": name, **estimate_cells(found), **UNTESTED, "p": p, "could_change": could}


def left_out_items(given: PairedAnswers, rows: Sequence[int], items: Mask) -> tuple[dict[str, int], str]:
    """Items of those asked that do not count, by cause; the causes in words, with those of single pairs."""
    left = given.left_out(rows, items)
    told = [*(f"{count} {cause}" for cause, count in left.items()), *_pairs_lost(given, rows, items)]
    return left, "; ".join(told)


def bound_row(
    given: PairedAnswers, rows: Sequence[int], items: Mask, about: NewRow, *, bootstrap: Bootstrap
) -> NewRow:
    """How low and how high the difference could be whatever invalid answers meant.

    Returns:
        The strict value with the lower end of the lowest bound's interval and the upper end of the highest's; why
        it is absent if nothing was paired.
    """
    picked = given.pairs.of_models(rows).of_items(items)
    pairs = picked.only(np.asarray(picked.asked.any(axis=0)))
    low, high = (estimate(bound, bootstrap) for bound in tax_bounds(pairs))
    strict = estimate(tax_statistic(pairs))
    ends = (low.low if low.low is not None else low.value, high.high if high.high is not None else high.value)
    return {
        **about, "statistic": "tax", "value": strict.value, "lowest": low.value, "highest": high.value, "low": ends[0],
        "high": ends[1], "n": low.n, ANSWERED: given.answered(rows, items),
        "reason": "" if strict.value is not None else noted(strict, *left_out_items(given, rows, items)).reason,
    }  # fmt: skip


def sensitive_models(given: PairedAnswers, settings: TaxSettings) -> dict[str, float]:
    """Models with too few valid answers in a condition, to the lower of their two rates, of what was asked."""
    found = {}
    for row, model in enumerate(given.models):
        asked = given.pairs.asked[row]
        sides = (given.pairs.first_valid[row], given.pairs.second_valid[row])
        if asked.any():
            rate = min(float(side[asked].mean()) for side in sides)
            if rate < settings.min_valid:
                found[model] = rate
    return found


def everywhere(given: PairedAnswers) -> Mask:
    """All items."""
    return np.ones(len(given.items), dtype=np.bool_)


def noted(found: Estimate, left: Mapping[str, int], reason: str) -> Estimate:
    """An estimate with what was excluded and why, behind why it is undefined if it is."""
    text = reason if found.value is not None else "; ".join(filter(None, (found.reason, reason)))
    return Estimate(found.value, found.low, found.high, found.n, sum(left.values()), text)
