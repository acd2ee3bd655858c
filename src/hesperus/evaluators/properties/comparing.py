"""Property consistency of pairs of texts: the profile of each by itself, then compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hesperus.errors import UsageError
from hesperus.evaluators.compared_texts import Compared, Evaluator, Key, Texts, refuse_repeated
from hesperus.evaluators.information.judges import no_answer
from hesperus.evaluators.properties.profiles import Profiles, PropertyEvaluator
from hesperus.fingerprint import JSON
from hesperus.measures import UNCLASSIFIED


def missing_rule(evaluator: PropertyEvaluator) -> str:
    """How an evaluator treats replies without an answer, as one line for people."""
    counted = [
        f"{outcome} counts as {', '.join(dict.fromkeys(evaluator.levels[name][level] for name in evaluator.properties))}"
        for outcome, level in evaluator.missing.items()
    ]
    return "; ".join(
        [*counted, f"{'other ' if counted else ''}replies without an answer are left out and counted"]
    )


def profile_evaluator(classifier: PropertyEvaluator, what: str) -> Evaluator:
    """Whether two texts have the same property, or the same profile of several."""
    return Evaluator(
        what,
        ("agreement",),
        lambda pairs, names: property_consistency(pairs, classifier, names),
        classifier.needs_context,
    )


def property_consistency(
    pairs: Sequence[Texts], evaluator: PropertyEvaluator, names: Sequence[str]
) -> Compared:
    """Find the profiles of both texts of each pair. Hand in all pairs at once: equal texts are classified once.

    A side that gives no answer has the level that the evaluator declares for its outcome, or none.

    Args:
        pairs: Texts in the evaluator's language, mostly English and translated into it.
        evaluator: Finds the properties.
        names: Names of the parts of a key.

    Returns:
        `agreement` of each pair, 1 where both profiles are equal, with the levels of both sides, UNCLASSIFIED where one has
        none; and a row for each with the levels in words.

    Raises:
        ValueError: Two pairs have the same key, or a key has another number of parts.
        UsageError: The evaluator reads contexts, and a pair has no prompt.

    Reference: Gupta, Mehta, Xu and Srikumar, Found in Translation, section 3.2.
    """
    refuse_repeated(pairs)
    bare = [pair.key for pair in pairs if evaluator.needs_context and pair.prompt is None]
    if bare:
        raise UsageError(
            f"{evaluator.name} reads each text beside what it answers; {len(bare)} of {len(pairs)} pairs have no prompt, "
            f"such as {'/'.join(bare[0])}"
        )
    tasks = [
        [_task(text, pair, evaluator) for pair, text in zip(pairs, side, strict=True)]
        for side in ([pair.reference for pair in pairs], [pair.candidate for pair in pairs])
    ]
    distinct = list(dict.fromkeys(task for side in tasks for task in side if task is not None))
    profiles = _classified(distinct, evaluator)
    place = {task: index for index, task in enumerate(distinct)}

    def profile(task: _Task | None, outcome: str) -> _Profile:
        if task is not None:
            return profiles.values[place[task]].tolist(), profiles.reasons[place[task]]
        level = evaluator.missing.get(outcome, UNCLASSIFIED)
        return [level] * len(evaluator.properties), "" if outcome in evaluator.missing else _no_answer(
            outcome
        )

    scores: dict[Key, Mapping[str, JSON]] = {}
    details = []
    for pair, *both in zip(pairs, *tasks, strict=True):
        reference, candidate = map(profile, both, pair.outcomes)
        levels = {
            f"{side}.{name}": level
            for side, (found, _) in zip(_SIDES, (reference, candidate), strict=True)
            for name, level in zip(evaluator.properties, found, strict=True)
        }
        scores[pair.key] = {**_agreement(pair, reference, candidate), **levels}
        details.append(
            {
                **dict(zip(names, pair.key, strict=True)),
                **{
                    f"{side}.{name}": _in_words(evaluator.levels[name], levels[f"{side}.{name}"])
                    for name in evaluator.properties
                    for side in _SIDES
                },
                "silent_reference": both[0] is None,
                "silent_candidate": both[1] is None,
                "reason_reference": reference[1],
                "reason_candidate": candidate[1],
            }
        )
    signature: dict[str, JSON] = {
        **evaluator.signature(),
        "missing": missing_rule(evaluator),
        "distinct_texts": len(distinct),
        "truncated_texts": profiles.truncated,
    }
    return Compared(scores, details, signature)


_Task = tuple[str, str | None]
"""A text, and what it answers."""

_Profile = tuple[list[int], str]
"""Level of each property, and why there is none."""

_SIDES = ("reference", "candidate")


def _task(text: str | None, pair: Texts, evaluator: PropertyEvaluator) -> _Task | None:
    """What is classified; None if the text gives no answer."""
    if text is None or no_answer(text):
        return None
    return text, pair.prompt if evaluator.needs_context else None


def _agreement(pair: Texts, reference: _Profile, candidate: _Profile) -> Mapping[str, JSON]:
    """State of a pair, and whether both profiles are equal."""
    unread = UNCLASSIFIED in (*reference[0], *candidate[0])
    # A silent side that has a level by the evaluator's rule is compared like any other.
    left = "no_answer" if pair.silence else "unreadable"
    return {
        "state": left if unread else "compared",
        "agreement": None if unread else float(reference[0] == candidate[0]),
        "reason": "; ".join(dict.fromkeys(reason for _, reason in (reference, candidate) if reason)),
    }


def _in_words(names: Sequence[str], level: int) -> str | None:
    return None if level == UNCLASSIFIED else names[level]


def _no_answer(outcome: str) -> str:
    """Why a side without an answer has no profile."""
    return f"no answer ({outcome})" if outcome not in ("", "answered") else "no answer"


def _classified(tasks: Sequence[_Task], evaluator: PropertyEvaluator) -> Profiles:
    contexts = [context or "" for _, context in tasks] if evaluator.needs_context else None
    found = evaluator.profiles([text for text, _ in tasks], contexts)
    if found.values.shape != (len(tasks), len(evaluator.properties)):
        raise ValueError(f"{evaluator.name} gave profiles {found.values.shape} of {len(tasks)} texts")
    return found
