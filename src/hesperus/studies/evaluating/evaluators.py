"""Who compares answers and who translates them, by name: judges, graders and translators that are models are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hesperus import plugins
from hesperus.errors import UnknownNameError, UsageError
from hesperus.evaluators import (
    Asker,
    EmbeddedGrader,
    EmbeddedJudge,
    Evaluator,
    ModelGrader,
    ModelJudge,
    equivalence_evaluator,
    information_evaluator,
    profile_evaluator,
    property_evaluator,
)
from hesperus.evaluators.equivalence.grading import EQUIVALENCE
from hesperus.evaluators.information.comparing import INFORMATION
from hesperus.evaluators.properties.folder import RECIPE
from hesperus.models import Model
from hesperus.senses import trim_quotes
from hesperus.translation import Decoding, Translator
from hesperus.translation.translator_registry import translator, translators
from hesperus.translation.translators.asked import AskedTranslator
from hesperus.types import Failure, Prompt, Reply, Request, Settings

EMPATHY = "empathy"
"""The property whose classifier a user trains: there is none to ship."""


def property_named(what: str, classifier: str | None) -> Evaluator:
    """The evaluator of a property."""
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
    """Which of a translator and a judge are models, and so have to be asked."""
    for kind, name, known in (("translator", translator_name, translators()), ("judge", judge, (EMBEDDED,))):
        if name.partition("/")[0] not in known and "/" not in name:
            raise UnknownNameError(kind, name, known, "or a model: provider/name")
    asked = [] if is_translator(translator_name) else [translator_name]
    return tuple(dict.fromkeys([*asked, *([] if judge == EMBEDDED else [judge])]))


def is_translator(name: str) -> bool:
    """Whether a name is that of a translator, rather than of a model that is asked to translate."""
    return name.partition("/")[0] in translators()


def translator_named(name: str, models: Mapping[str, Model], ask: AskStage) -> Translator:
    """A translator by its name: `apertium`, `ct2/FOLDER`, `hf/…`, `file/PATH`, `none`, or any model."""
    if is_translator(name):
        return translator(name)
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

    `judge` is `embedded` or a model, for information and equivalence; `classifier` tells a property where its name
    does not; `held` says which requests the store answers; with `retry` a model is asked again what those do not
    answer readably.
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
