"""Property consistency of pairs of texts: the profile of each by itself, then compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hesperus.errors import UsageError
from hesperus.evaluators.information.judges import no_answer
from hesperus.evaluators.properties.profiles import Levels, Profiles, PropertyEvaluator
from hesperus.fingerprint import JSON
from hesperus.measures import UNCLASSIFIED, Bootstrap, profile_statistics
from hesperus.measures.statistic import estimates
from hesperus.types import Estimate

Key = tuple[str, ...]


def missing_rule(evaluator: PropertyEvaluator) -> str:
    """How an evaluator treats replies without an answer, as one line for people."""
    counted = [
        f"{outcome} counts as {', '.join(dict.fromkeys(evaluator.levels[name][level] for name in evaluator.properties))}"
        for outcome, level in evaluator.missing.items()
    ]
    return "; ".join(
        [*counted, f"{'other ' if counted else ''}replies without an answer are left out and counted"]
    )


class PropertyPair(NamedTuple):
    """Two answers to one prompt, in one language.

    Attributes:
        key: Owner, such as (model, language, item); each pair has its own.
        reference: The answer that the other is compared with; None if it was refused, blocked or never came.
        candidate: The other answer; None likewise.
        context: What both answer, in the evaluator's language; needed where the evaluator reads it.
        outcomes: Outcomes of both replies, such as ``refused``, where they are known; what decides about a side that
            gives no answer.
    """

    key: Key
    reference: str | None
    candidate: str | None
    context: str | None = None
    outcomes: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class PropertyConsistency:
    """Profiles of pairs of texts.

    Attributes:
        keys: Owners of the pairs.
        reference: Levels of the references, [pairs, properties].
        candidate: Levels of the candidates.
        silent: Whether reference and candidate gave no answer, for each pair. Such a side has the level that the evaluator
            declares for its outcome, or none.
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
        """The pairs of certain keys, such as those of one model and language."""
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
            answered_only: Leave out every pair with a silent side, also where the evaluator declares a level for it.
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
    around = [pair.context if evaluator.needs_context else None for pair in given]
    texts = [
        [
            None if still else (str(text), context)
            for text, still, context in zip(side, stillness, around, strict=True)
        ]
        for side, stillness in zip(
            ([pair.reference for pair in given], [pair.candidate for pair in given]),
            ([first for first, _ in silent], [second for _, second in silent]),
            strict=True,
        )
    ]
    distinct = list(dict.fromkeys(task for side in texts for task in side if task is not None))
    profiles = _classified(distinct, evaluator)
    place = {task: index for index, task in enumerate(distinct)}
    levels, reasons = [], []
    for side, tasks in enumerate(texts):
        values = np.full((len(given), len(evaluator.properties)), UNCLASSIFIED, dtype=np.int32)
        whys = []
        for row, (task, pair) in enumerate(zip(tasks, given, strict=True)):
            if task is None:
                outcome = pair.outcomes[side]
                values[row] = evaluator.missing.get(outcome, UNCLASSIFIED)
                whys.append("" if outcome in evaluator.missing else _no_answer(outcome))
            else:
                values[row] = profiles.values[place[task]]
                whys.append(profiles.reasons[place[task]])
        levels.append(values)
        reasons.append(whys)
    signature: dict[str, JSON] = {
        **evaluator.signature(),
        "missing": missing_rule(evaluator),
        "distinct_texts": len(distinct),
        "truncated_texts": profiles.truncated,
    }
    return PropertyConsistency(
        keys, levels[0], levels[1], silent, tuple(zip(*reasons, strict=True)), evaluator.properties, evaluator.levels, signature
    )  # fmt: skip


def _no_answer(outcome: str) -> str:
    """Why a side without an answer has no profile."""
    return f"no answer ({outcome})" if outcome not in ("", "answered") else "no answer"


def _classified(tasks: Sequence[tuple[str, str | None]], evaluator: PropertyEvaluator) -> Profiles:
    contexts = [context or "" for _, context in tasks] if evaluator.needs_context else None
    found = evaluator.profiles([text for text, _ in tasks], contexts)
    if found.values.shape != (len(tasks), len(evaluator.properties)):
        raise ValueError(f"{evaluator.name} gave profiles {found.values.shape} of {len(tasks)} texts")
    return found
