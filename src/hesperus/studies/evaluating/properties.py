"""Property evaluators of the evaluators' room, as a study sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hesperus import plugins
from hesperus.errors import UsageError
from hesperus.evaluators import PropertyEvaluator, PropertyPair, property_consistency, property_evaluator
from hesperus.fingerprint import JSON
from hesperus.studies.evaluating.evaluators import Compared, Key, Texts, silence

EMPATHY = "empathy"
"""The property whose classifier a user trains: there is none to ship."""

UNCLASSIFIED = -1


@dataclass(frozen=True, slots=True)
class ProfileEvaluator:
    """Whether two texts have the same property, or the same profile of several."""

    classifier: PropertyEvaluator
    what: str
    parts: tuple[str, ...] = ("agreement",)

    @property
    def needs_prompts(self) -> bool:
        """Whether the classifier reads what was asked."""
        return self.classifier.needs_context

    def compare(self, pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        """See Evaluator."""
        found = property_consistency(
            [PropertyPair(*pair) for pair in pairs],
            self.classifier,
        )
        scores: dict[Key, dict[str, JSON]] = {}
        for place, (pair, why) in enumerate(zip(pairs, found.reasons, strict=True)):
            ours, theirs = (
                [int(level) for level in side[place]] for side in (found.candidate, found.reference)
            )
            unread = UNCLASSIFIED in (*ours, *theirs)
            # A silent side that has a level by the evaluator's rule is compared like any other.
            left = "no_answer" if silence(pair.reference, pair.candidate) else "unreadable"
            scores[pair.key] = {
                "state": left if unread else "compared",
                "agreement": None if unread else float(ours == theirs),
                "reason": "; ".join(dict.fromkeys(text for text in why if text)),
                **{f"reference.{name}": level for name, level in zip(found.properties, theirs, strict=True)},
                **{f"candidate.{name}": level for name, level in zip(found.properties, ours, strict=True)},
            }
        return Compared(scores, found.rows(names), signature=found.signature)


def property_named(what: str, classifier: str | None) -> ProfileEvaluator:
    """The evaluator of a property.

    Args:
        what: Name of the property, or of its classifier.
        classifier: Name or folder of the classifier, where it is not `what`.

    Raises:
        UsageError: There is no such classifier, or `empathy` without one.
        DataError: The folder holds no classifier.
        MissingExtraError: It needs a package that is not installed.
    """
    if classifier is None and what == EMPATHY:
        raise UsageError(
            "empathy is told by a classifier that you train (`hesperus train empathy --data …`); give its folder with "
            "--classifier (in a study: `classifiers: {empathy: FOLDER}`)"
        )
    offered = plugins.maker("hesperus.evaluators", classifier or what, {})
    return ProfileEvaluator(property_evaluator(classifier or what) if offered is None else offered(), what)
