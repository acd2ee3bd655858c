"""What compares the two texts of a pair, as a study sees it: pairs in, a score or a state for each out.

Every evaluator gives one value or two for a pair (`parts`), in [0, 1]; a pair that it could not judge has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hesperus import plugins
from hesperus.errors import UnknownNameError, UsageError
from hesperus.evaluators import (
    Asker,
    EmbeddedGrader,
    EmbeddedJudge,
    Grader,
    Judge,
    ModelGrader,
    ModelJudge,
    Pair,
    PropertyEvaluator,
    PropertyPair,
    ShortPair,
    answer_equivalence,
    information_consistency,
    no_answer,
    property_consistency,
    property_evaluator,
)
from hesperus.evaluators.properties.folder import RECIPE
from hesperus.fingerprint import JSON
from hesperus.models import Model
from hesperus.senses import trim_quotes
from hesperus.translation import Decoding, Translator, TranslatorOptions
from hesperus.translation.translator_registry import translator, translators
from hesperus.translation.translators.asked import AskedTranslator
from hesperus.types import Estimate, Failure, Prompt, Reply, Request, Settings

Key = tuple[str, ...]

INFORMATION, EQUIVALENCE = "information", "equivalence"


class Texts(NamedTuple):
    """Two answers to one prompt in one language; None if there is no answer.

    Attributes:
        key: Owner of the texts.
        reference: The answer that the other is compared with.
        candidate: The other.
        prompt: What was asked, in the same language, where it is known.
        outcomes: Outcomes of the replies of both.
    """

    key: Key
    reference: str | None
    candidate: str | None
    prompt: str | None = None
    outcomes: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Compared:
    """What an evaluator found.

    Attributes:
        scores: A row for each pair: `state`, the evaluator's parts, `reason`, and what else it knows of the pair.
        details: Rows to read: a claim each, or a pair each.
        validity: Share of the evaluator's replies that could be read.
        signature: All that decides its scores.
        replies: Replies of the judge that came from the store, and those that it gave now.
    """

    scores: Mapping[Key, Mapping[str, JSON]]
    details: Sequence[Mapping[str, JSON]] = ()
    validity: Estimate = field(default_factory=lambda: Estimate(None, reason="the evaluator asks nothing"))
    signature: Mapping[str, JSON] = field(default_factory=dict)
    replies: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Evaluator:
    """Compares texts.

    Attributes:
        what: Its name: `information`, `equivalence` or a property.
        parts: Names of its values for a pair.
        compare: Compares all pairs of a run at once; its second argument are the names of the parts of a key.
        needs_prompts: Whether it must be told what was asked.
    """

    what: str
    parts: tuple[str, ...]
    compare: Callable[[Sequence[Texts], Sequence[str]], Compared]
    needs_prompts: bool = False


def information_evaluator(judge: Judge, asker: Asker | None = None) -> Evaluator:
    """Claims of each text, verified against the other.

    Args:
        judge: Finds claims, and verifies them.
        asker: Who asks the judge, where it is a model, and counts its replies.
    """

    def compare(pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        found = information_consistency([Pair(*pair[:3]) for pair in pairs], judge)
        scores: dict[Key, Mapping[str, JSON]] = {
            score.key: {
                "state": score.state,
                "precision": score.precision,
                "recall": score.recall,
                "reason": score.reason,
                "candidate_claims": len(score.candidate.claims),
                "reference_claims": len(score.reference.claims),
            }
            for score in found.scores
        }
        return Compared(scores, found.claim_rows(names), found.validity, found.signature(), replies_of(asker))

    return Evaluator(INFORMATION, ("precision", "recall"), compare)


def equivalence_evaluator(grader: Grader, asker: Asker | None = None) -> Evaluator:
    """Whether two short answers say the same.

    Args:
        grader: Grades pairs.
        asker: Who asks the grader, where it is a model, and counts its replies.
    """

    def compare(pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        given = [ShortPair(pair.key, pair.reference, pair.candidate, pair.prompt or "") for pair in pairs]
        found = answer_equivalence(given, grader)
        scores: dict[Key, Mapping[str, JSON]] = {
            pair.key: {
                "state": silence(pair.reference, pair.candidate)
                or ("compared" if grade.grade is not None else "unreadable"),
                "agreement": grade.grade,
                "reason": grade.reason if grade.grade is None else "",
            }
            for pair, grade in zip(found.pairs, found.grades, strict=True)
        }
        return Compared(scores, found.rows(names), found.validity, found.signature(), replies_of(asker))

    return Evaluator(EQUIVALENCE, ("agreement",), compare)


def replies_of(asker: Asker | None) -> tuple[int, int]:
    """Replies of a judge that came from the store, and those that it gave now; none if no model is asked."""
    return (0, 0) if asker is None else (asker.stored, asker.fresh)


def silence(reference: str | None, candidate: str | None) -> str:
    """The state of a pair with a side that gives no answer; empty where both do."""
    quiet = no_answer(reference), no_answer(candidate)
    return {
        (True, True): "both_silent",
        (True, False): "reference_silent",
        (False, True): "candidate_silent",
    }.get(quiet, "")


EMPATHY = "empathy"
"""The property whose classifier a user trains: there is none to ship."""

UNCLASSIFIED = -1


def profile_evaluator(classifier: PropertyEvaluator, what: str) -> Evaluator:
    """Whether two texts have the same property, or the same profile of several.

    Args:
        classifier: Tells the property.
        what: Its name.
    """

    def compare(pairs: Sequence[Texts], names: Sequence[str]) -> Compared:
        found = property_consistency(
            [PropertyPair(*pair) for pair in pairs],
            classifier,
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

    return Evaluator(what, ("agreement",), compare, classifier.needs_context)


def property_named(what: str, classifier: str | None) -> Evaluator:
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
            "empathy is judged by a classifier: give its folder with --classifier (in a study: `classifiers: {empathy: FOLDER}`); "
            f"{RECIPE} trains one"
        )
    offered = plugins.maker("hesperus.evaluators", classifier or what, {})
    return profile_evaluator(property_evaluator(classifier or what) if offered is None else offered(), what)


AskStage = Callable[[Sequence[Request], str], Sequence[Reply | Failure]]
"""Asks requests, at a stage with a name: `ModelSession.ask`."""

EMBEDDED = "embedded"
"""The judge without a model."""

TRANSLATION_TOKENS = 2048
"""Longest translation of a sentence by a model, in tokens."""


def models_of(translator_name: str, judge: str) -> tuple[str, ...]:
    """Which of a translator and a judge are models, and so have to be asked.

    Raises:
        UnknownNameError: A name that is neither one of ours nor looks like a model's.
    """
    for kind, name, known in (("translator", translator_name, translators()), ("judge", judge, (EMBEDDED,))):
        if name.partition("/")[0] not in known and "/" not in name:
            raise UnknownNameError(kind, name, known, "or a model: provider/name")
    asked = [] if is_translator(translator_name) else [translator_name]
    return tuple(dict.fromkeys([*asked, *([] if judge == EMBEDDED else [judge])]))


def is_translator(name: str) -> bool:
    """Whether a name is that of a translator, rather than of a model that is asked to translate."""
    return name.partition("/")[0] in translators()


def translator_named(
    name: str,
    models: Mapping[str, Model],
    ask: AskStage,
    *,
    options: TranslatorOptions | None = None,
) -> Translator:
    """A translator by its name: `apertium`, `ct2/FOLDER`, `hf/…`, `file/PATH`, `none`, or any model.

    Args:
        name: The name.
        models: Models by name; a model that translates is among them.
        ask: Asks them.
        options: Of translators that run here.

    Raises:
        UsageError: No such translator, or it cannot be used.
        DataError: The folder or file that it names is no such thing.
    """
    if is_translator(name):
        return translator(name, options)
    model = models[name]

    def put(texts: Sequence[str], decoding: Decoding) -> list[str | Failure]:
        replies = ask([_request(name, text, decoding) for text in texts], f"{name}: translations")
        return [reply if isinstance(reply, Failure) else reply.text for reply in replies]

    return AskedTranslator(name, model.identity, put, lambda said, text: trim_quotes(said.strip(), text))


def evaluator_named(
    what: str,
    judge: str,
    ask: AskStage,
    *,
    classifier: str | None = None,
    held: Callable[[Sequence[Request]], Sequence[bool]] | None = None,
    retry: bool = False,
) -> Evaluator:
    """An evaluator by its name.

    Args:
        what: `information`, `equivalence`, or a property: the name of a classifier, or any name with `classifier`.
        judge: `embedded` or a model, for information and equivalence.
        ask: Asks the model.
        classifier: What tells the property, where its name does not.
        held: Which requests the store answers, so that it can be said.
        retry: Whether a model is asked again what its stored replies do not answer readably.

    Raises:
        UsageError: No such evaluator.
        DataError: It is not a classifier.
    """
    if what in (INFORMATION, EQUIVALENCE):
        if classifier is not None:
            raise UsageError(f"{what} takes a judge, not a classifier")
        asked = None
        if judge != EMBEDDED:
            asked = Asker(judge, lambda requests: ask(requests, f"{judge}: {what}"), held=held, retry=retry)
        if what == INFORMATION:
            return information_evaluator(ModelJudge(judge, asked) if asked else EmbeddedJudge(), asked)
        return equivalence_evaluator(ModelGrader(judge, asked) if asked else EmbeddedGrader(), asked)

    return property_named(what, classifier)


def _request(name: str, text: str, decoding: Decoding) -> Request:
    """A request for a translation; a sampled try after the first is a new question."""
    drawn: dict[str, Any] = {"temperature": decoding.temperature or 0.0, "top_p": decoding.top_p}
    sampled = decoding.temperature is not None
    settings = Settings(**drawn, max_tokens=TRANSLATION_TOKENS)
    return Request(name, Prompt(text), settings, repeat=1 + decoding.seed if sampled else 1)
