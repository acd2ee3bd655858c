"""What a similarity report says in words: what was compared, what came out, what was excluded and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hesperus.analysis.interval_text import brackets_text
from hesperus.analysis.similarity.measured import BETWEEN, WITHIN
from hesperus.analysis.similarity.similarity_findings import SimilarityFindings
from hesperus.analysis.table import Row
from hesperus.reports.columns import statistic_name
from hesperus.reports.tabulated import estimate_text
from hesperus.rounding import cell
from hesperus.wording import counted, few_or_counted, joined, language_or_code


def title(parts: Sequence[SimilarityFindings]) -> str:
    """The question that the report answers."""
    models = sorted({model for found in parts for model in found.models})
    languages = {language for found in parts for language in found.languages}
    one = len(models) == 1
    whom = few_or_counted(models, "model")
    where = f"{len(languages)} languages" if len(languages) > 1 else language_or_code(next(iter(languages)))
    return f"How alike {'does' if one else 'do'} {whom} answer in {where}?"


def compared(parts: Sequence[SimilarityFindings]) -> list[str]:
    """What was compared, in plain words, a sentence a task."""
    return [_compared(found) for found in parts]


def _compared(found: SimilarityFindings) -> str:
    models, languages = len(found.models), len(found.languages)
    within = sum(row["model_a"] == row["model_b"] for row in found.tables["similarity"].rows)
    between = len(found.tables["similarity"].rows) - within
    kinds = [f"{within:,} of one model in two languages"] if within else []
    kinds += [f"{between:,} of two models in one language"] if between else []
    answers = (
        "the probabilities of the options" if found.statistic.endswith("_soft") else
        "the ranks of the options" if found.statistic == "rank_consistency" else "the answers given"
    )  # fmt: skip
    return (
        f"{found.task}: {counted(models, 'model')} in {counted(languages, 'language')}, {counted(found.items, 'question')}"
        f"{', not all of them in each' if _never_asked(found) else ' the same in each'}. Compared are {answers}, in pairs of runs: {joined(kinds)}."
    )


def _never_asked(found: SimilarityFindings) -> int:
    return sum(found.items - run.asked - run.failed for run in found.first)


def headlines(found: SimilarityFindings, *, several: bool = False) -> list[str]:
    """What came out: within models, between models, and the difference."""
    on = f"On {found.task}: " if several else ""
    told = [
        *_design(found, WITHIN, f"{_one(found.models, 'One model')} in two languages", by="model"),
        *_design(found, BETWEEN, f"Two models in {_one(found.languages, 'one language')}", by="language"),
    ]
    overall = next((row for row in found.tables["contrasts"].rows if row["model"] is None), None)
    if overall is not None and overall["value"] is not None:
        told.append(_difference(overall))
    if not told:
        told.append("No pair of runs has a value: see below why.")
    return [f"{on}{sentence}" for sentence in told]


def _design(found: SimilarityFindings, design: str, whom: str, *, by: str) -> list[str]:
    row = found.mean(design, "all")
    if row is None:
        return []
    name = statistic_name(found.statistic)
    if row["value"] is None:
        return [f"{whom}: {name} is undefined ({row['reason']})."]
    pairs = int(row["pairs"])
    text = f"{whom}: {name} {estimate_text(row)}" + (f", the mean of {pairs:,} pairs" if pairs > 1 else "")
    text += f" ({row['reason']})" if row["reason"] else ""
    groups = [
        other for other in found.means(design) if other["group"] != "all" and other["value"] is not None
    ]
    if len(groups) > 1:
        ordered = sorted(groups, key=lambda other: (float(other["value"]), str(other["group"])))
        ends = [cell(float(end["value"])) for end in (ordered[0], ordered[-1])]
        names = [
            str(end["group"]) if by == "model" else language_or_code(str(end["group"]))
            for end in (ordered[0], ordered[-1])
        ]
        apart = f"from {ends[0]} ({names[0]}) to {ends[1]} ({names[1]})"
        text += f"; by {by}, {apart if ends[0] != ends[1] else f'{ends[0]} each'}"
    return [f"{text}."]


def _one(names: Sequence[str], several: str) -> str:
    """The only name, or what several are called one of."""
    if len(names) > 1:
        return several
    return names[0] if several == "One model" else language_or_code(names[0])


def _difference(row: Row) -> str:
    value = float(row["value"])
    ends = (row["low"], row["high"])
    apart = None not in ends and (float(ends[0]) > 0 or float(ends[1]) < 0)
    p = row["p_mantel"]
    runs = "" if p is None else f"; permuting runs, p = {cell(float(p))}"
    if apart and p is not None and float(p) > _ERROR:
        runs += ", so that runs whose names mean nothing would often differ as much"
    if not apart:
        found = row["detectable"]
        could = "no difference" if found is None else f"a difference of {cell(float(found))}"
        return (
            f"Whether the language or the model weighs more cannot be told: the difference is {estimate_text(row)} over items{runs}; "
            f"so many items would show {could}."
        )
    if value > 0:
        what = "A model is more alike to itself in another language than to another model in the same"
        return f"{what}: the difference is {estimate_text(row)} over items{runs}."
    # The difference is of the first less the second; the sentence turns it round, so that more alike is more.
    turned = {
        "value": -value,
        "low": None if ends[1] is None else -ends[1],
        "high": None if ends[0] is None else -ends[0],
    }
    what = "Two models in one language are more alike than one model in two languages"
    return f"{what}: the difference is {estimate_text(turned)} over items{runs}."


_ERROR = 0.05
NEEDS_GOLD = ("kappa_p", "error_consistency")
"""Statistics, by how their names begin, that are of right answers."""


def asides(parts: Sequence[SimilarityFindings], study: Mapping[str, Any]) -> list[str]:
    """What was excluded and why, and how invalid answers count."""
    told = []
    for found in parts:
        on = f"{found.task}: " if len(parts) > 1 else ""
        told += [f"{on}{sentence}" for sentence in _left_out(found)]
    told += _left_at_import(study)
    settings = parts[0].settings
    if settings.bootstrap.resamples:
        told.append(brackets_text(settings.bootstrap.level, "question"))
    return told


def _left_out(found: SimilarityFindings) -> Iterable[str]:
    if found.excluded:
        yield f"{counted(found.excluded, 'question')} excluded by the study's list."
    if found.differing:
        yield f"{counted(found.differing, 'question')} excluded, since their right answer is not the same in all runs."
    if found.without_gold and found.statistic.startswith(NEEDS_GOLD):
        yield (
            f"{counted(found.without_gold, 'question')} without a right answer "
            f"{'does' if found.without_gold == 1 else 'do'} not count: agreement beyond chance needs to know it."
        )
    asked = sum(run.asked for run in found.first)
    unread = sum(run.unread for run in found.first)
    failed = sum(run.failed for run in found.first)
    missing = _never_asked(found)
    if failed:
        yield f"{counted(failed, 'question')} of {asked + failed:,} got no reply (error): missing data, in no number."
    if missing:
        yield f"{counted(missing, 'answer')} of {len(found.first) * found.items:,} were never asked for; a pair takes the questions that both runs have."
    if not unread:
        yield f"All {asked:,} replies carry an answer."
    else:
        rule = {
            "disagree": "they agree with nothing and count as wrong",
            "agree": "they count as one more, wrong answer",
            "drop": "they are excluded pair by pair",
        }[found.settings.invalid]
        yield f"{unread:,} of {asked:,} replies ({cell(unread / asked, 'share')}) carry no answer: {rule}."
    again = len(found.runs) - len(found.first)
    if again:
        yield f"{counted(again, 'run')} asked again (repeats) are not compared here; `hesperus measure consistency` does."


def _left_at_import(study: Mapping[str, Any]) -> Iterable[str]:
    """What an import could not take, as it is written in its study file."""
    held = study.get("left_out")
    if not isinstance(held, list):
        return
    reasons: Counter[str] = Counter()
    for one in held:
        if isinstance(one, Mapping):
            count = one.get("count")
            reasons[str(one.get("reason"))] += count if isinstance(count, int) and count else 1
    for reason, count in list(reasons.items())[:8]:
        yield f"Excluded at the import: {count:,} × {reason}."


def caveats(parts: Sequence[SimilarityFindings]) -> list[str]:
    """What to hold these numbers against."""
    most = max(max(len(found.languages), len(found.models)) for found in parts)
    told = [
        f"Pairs share runs: {most} runs make {counted(most * (most - 1) // 2, 'pair')}. The p value of Mann and Whitney takes every pair "
        "for an observation of its own, as the literature does, which is no valid test; the permutation of runs is one.",
        "Intervals resample questions and keep models and languages as they are: they say what other questions of this "
        "kind would give, not what other models or languages would.",
        "An error of translation in the benchmark looks like a model that changes its mind: `hesperus audit` finds the "
        "plain ones.",
    ]
    if any(found.statistic.startswith("kappa_p") for found in parts):
        told.append(
            "κp is 0 where two runs agree as often as their accuracies alone make two independent runs agree, 1 where they "
            "always do, and below 0 where they differ more than by chance. It is undefined where chance alone makes them "
            "agree always (two runs that are always right)."
        )
    if any("scoring" in found.tables for found in parts):
        told.append(
            "κp of probabilities is as a rule lower than κp of labels, since a model that is unsure agrees less even with "
            "itself: the two are not to be compared with each other."
        )
    few = [found for found in parts if 1 < len(found.models) < 6]
    if few:
        told.append("A correlation over so few models is an example, whatever its p value.")
    return told
