"""Property consistency of pairs of texts: the profile of each by itself, then compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hesperus.errors import UsageError
from hesperus.evaluators.information.silence import NO_ANSWER, no_answer
from hesperus.evaluators.properties.profiles import Levels, Profiles, PropertyEvaluator
from hesperus.fingerprint import JSON
from hesperus.measures import UNCLASSIFIED, Bootstrap, profile_statistics
from hesperus.measures.statistic import estimates
from hesperus.types import Estimate

Key = tuple[str, ...]

RULE = f"a missing answer is read as {NO_ANSWER!r} and classified like any text"
"""How pairs with a silent side are scored; `answered_only` leaves them out instead."""


class PropertyPair(NamedTuple):
    """Two answers to one prompt, in one language.

    Attributes:
        key: Whose they are, such as (model, language, item); each pair has its own.
        reference: The answer that the other is held against; None where it was refused, blocked or never came.
        candidate: The other answer; None likewise.
        context: What both answer, in the evaluator's language; needed where the evaluator reads it.
    """

    key: Key
    reference: str | None
    candidate: str | None
    context: str | None = None


@dataclass(frozen=True, slots=True)
class PropertyConsistency:
    """Profiles of pairs of texts.

    Attributes:
        keys: Whose pairs they are.
        reference: Levels of the references, [pairs, properties].
        candidate: Levels of the candidates.
        silent: Whether reference and candidate gave no answer, for each pair.
        reasons: Why reference and candidate have no profile, for each pair; empty where they have.
        properties: Names of the columns.
        levels: What the levels of each property mean.
        signature: Of the evaluator, with the rule for missing answers and what was cut short.
    """

    keys: tuple[Key, ...]
    reference: Levels
    candidate: Levels
    silent: tuple[tuple[bool, bool], ...]
    reasons: tuple[tuple[str, str], ...]
    properties: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]
    signature: Mapping[str, JSON]

    def select(self, wanted: Callable[[Key], bool]) -> PropertyConsistency:
        """The pairs whose keys are wanted, such as those of one model and language."""
        places = [place for place, key in enumerate(self.keys) if wanted(key)]
        return replace(
            self,
            keys=tuple(self.keys[place] for place in places),
            reference=self.reference[places],
            candidate=self.candidate[places],
            silent=tuple(self.silent[place] for place in places),
            reasons=tuple(self.reasons[place] for place in places),
        )

    def estimates(
        self,
        bootstrap: Bootstrap | None = None,
        *,
        answered_only: bool = False,
        items: Sequence[str] | None = None,
    ) -> dict[str, Estimate]:
        """Agreement of the profiles (see measures.profile_statistics for the names and what each means).

        Args:
            bootstrap: How to resample; None leaves intervals out.
            answered_only: Leave out pairs with a silent side, instead of RULE.
            items: The prompt of each pair, so that pairs of one prompt are resampled together.

        Raises:
            ValueError: There are not as many items as pairs.
        """
        if items is not None and len(items) != len(self.keys):
            raise ValueError(f"{len(self.keys)} pairs need as many items, not {len(items)}")
        kept: npt.NDArray[np.bool_] = np.array(
            [not (answered_only and any(silent)) for silent in self.silent], dtype=np.bool_
        )
        places: dict[str, int] = {}
        own = [places.setdefault(item, len(places)) for item in items or map(str, range(len(self.keys)))]
        dropped = int((~kept).sum())
        statistics = profile_statistics(
            self.reference[kept],
            self.candidate[kept],
            properties=self.properties,
            items=np.array(own, dtype=np.int64)[kept],
            excluded=dropped,
            reason=f"{dropped} with a missing answer",
        )
        return dict(zip(statistics, estimates(statistics.values(), bootstrap), strict=True))

    def counts(self) -> dict[str, int]:
        """How many pairs there are, and in how many a side was silent or could not be classified."""
        return {
            "pairs": len(self.keys),
            "silent_reference": sum(silent for silent, _ in self.silent),
            "silent_candidate": sum(silent for _, silent in self.silent),
            "unclassified_reference": sum(bool(reason) for reason, _ in self.reasons),
            "unclassified_candidate": sum(bool(reason) for _, reason in self.reasons),
        }

    def rows(self, names: Sequence[str]) -> list[dict[str, JSON]]:
        """A row for each pair: its key under the given names, both profiles in words, and why one lacks."""
        found: list[dict[str, JSON]] = []
        for place, key in enumerate(self.keys):
            row: dict[str, JSON] = dict(zip(names, key, strict=True))
            for column, name in enumerate(self.properties):
                row[f"reference.{name}"] = self._word(name, int(self.reference[place, column]))
                row[f"candidate.{name}"] = self._word(name, int(self.candidate[place, column]))
            row["silent_reference"], row["silent_candidate"] = self.silent[place]
            row["reason_reference"], row["reason_candidate"] = self.reasons[place]
            found.append(row)
        return found

    def _word(self, name: str, level: int) -> str | None:
        return None if level == UNCLASSIFIED else self.levels[name][level]


def property_consistency(pairs: Sequence[PropertyPair], evaluator: PropertyEvaluator) -> PropertyConsistency:
    """Find the profiles of both texts of each pair. Hand in all pairs at once: equal texts are classified once.

    Args:
        pairs: Texts in the evaluator's language, mostly English and translated into it.
        evaluator: Finds the properties.

    Raises:
        ValueError: Two pairs have the same key.
        UsageError: The evaluator reads contexts, and a pair has none.

    Reference: Gupta, Mehta, Xu and Srikumar, Found in Translation, section 3.2.
    """
    given = [PropertyPair(*pair) for pair in pairs]
    keys = tuple(pair.key for pair in given)
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"two pairs have the key {twice}")
    bare = [pair.key for pair in given if evaluator.needs_context and pair.context is None]
    if bare:
        raise UsageError(
            f"{evaluator.name} reads each text beside what it answers; {len(bare)} of {len(given)} pairs have no prompt, "
            f"such as {'/'.join(bare[0])}"
        )
    silent = tuple((no_answer(pair.reference), no_answer(pair.candidate)) for pair in given)
    tasks = [
        tuple(
            (NO_ANSWER if still or text is None else text, pair.context if evaluator.needs_context else None)
            for text, still in zip((pair.reference, pair.candidate), stillness, strict=True)
        )
        for pair, stillness in zip(given, silent, strict=True)
    ]
    place = {task: index for index, task in enumerate(dict.fromkeys(task for both in tasks for task in both))}
    profiles = _classified(list(place), evaluator)
    sides = [np.array([place[both[side]] for both in tasks], dtype=np.int64) for side in (0, 1)]
    reasons = tuple((profiles.reasons[place[a]], profiles.reasons[place[b]]) for a, b in tasks)
    signature: dict[str, JSON] = {
        **evaluator.signature(),
        "missing": RULE,
        "distinct_texts": len(place),
        "truncated_texts": profiles.truncated,
    }
    values = profiles.values
    return PropertyConsistency(
        keys, values[sides[0]], values[sides[1]], silent, reasons, evaluator.properties, evaluator.levels, signature
    )  # fmt: skip


def _classified(tasks: Sequence[tuple[str, str | None]], evaluator: PropertyEvaluator) -> Profiles:
    contexts = [context or "" for _, context in tasks] if evaluator.needs_context else None
    found = evaluator.profiles([text for text, _ in tasks], contexts)
    if found.values.shape != (len(tasks), len(evaluator.properties)):
        raise ValueError(f"{evaluator.name} gave profiles {found.values.shape} of {len(tasks)} texts")
    return found
