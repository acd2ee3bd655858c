"""What a study of open answers would ask before there is any answer: ranges, by the shortest and the longest answers.

Only questions in the task's own languages are known beforehand. How many sentences and claims there will be depends on
answers that nobody has yet: the low end takes the shortest answers, the high end the longest that are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hesperus.models.protocol import DEFAULT_TOKENS
from hesperus.studies.asked.planning import Line
from hesperus.studies.evaluating.naming import EMBEDDED, is_translator
from hesperus.studies.token_estimate import NOTHING, TokenRange, tokens_of
from hesperus.studies.translate_then_evaluate.open_study import OpenAnswersStudy
from hesperus.studies.translate_then_evaluate.prompts import own_languages, sense_of
from hesperus.translation import sentences

_TOKENS_OF_A_SENTENCE = 20
"""Of a short one: as many sentences as this makes of the longest answer is the high end."""

_TOKENS_OF_A_CLAIM = 12
_CLAIMS_AT_ONCE = 10
_TRIES = 3
"""A judge's prompt is asked at most so often, and a faulty sentence sampled."""

_REQUEST_WORDS = TokenRange(15, 60)
_JUDGE_WORDS = TokenRange(250, 700)
"""Tokens of the words around a sentence to translate, and around a text to judge."""


def prompt_lines(study: OpenAnswersStudy, prompts: Sequence[str]) -> Iterator[Line]:
    """Translating the prompts, there and back."""
    maker = study.prompt_translator or study.translator
    made = [tag for tag in study.languages if tag not in own_languages(study)]
    if is_translator(maker):
        return
    asked = sum(len(sentences(text, study.reference)) for text in prompts)
    inside = sum((tokens_of(text, study.reference) for text in prompts), NOTHING)
    for tag in made:
        for what in (f"prompts to {tag}", f"prompts back from {tag}"):
            low = TokenRange(inside.low + asked * _REQUEST_WORDS.low, inside.low)
            high = (inside.high + asked * _REQUEST_WORDS.high) * (1 + _TRIES)
            yield Line(
                maker, "translate", what, tag, asked * (1 + _TRIES), (), TokenRange(low.low, high),
                     TokenRange(inside.low, inside.high * (1 + _TRIES)), asked,
            )  # fmt: skip


def translation_lines(study: OpenAnswersStudy, items: int) -> Iterator[Line]:
    """Translating the answers, and those of the control."""
    if is_translator(study.translator):
        return
    longest = study.answers.max_tokens or DEFAULT_TOKENS
    most = max(1, longest // _TOKENS_OF_A_SENTENCE)
    legs = 3 if study.control else 1
    for model in study.models:
        for tag in study.languages:
            low, high = items * legs, items * legs * most * (1 + _TRIES)
            code = sense_of(tag, model, study).code
            yield Line(
                study.translator, "translate", f"answers of {model} in {code}", study.reference, high, (),
                     TokenRange(low * _REQUEST_WORDS.low, legs * items * longest * (1 + _TRIES) + high * _REQUEST_WORDS.high),
                     TokenRange(low, legs * items * longest * (1 + _TRIES)), low,
            )  # fmt: skip


def verdict_lines(study: OpenAnswersStudy, items: int) -> Iterator[Line]:
    """Judging pairs of answers."""
    judged = [what for what in study.evaluate if what in ("information", "equivalence")]
    if study.judge == EMBEDDED or not judged:
        return
    longest = study.answers.max_tokens or DEFAULT_TOKENS
    checks = -(-max(1, longest // _TOKENS_OF_A_CLAIM) // _CLAIMS_AT_ONCE)
    sets = 2 if study.control else 1
    for model in study.models:
        pairs = items * len(study.languages) * sets
        for what in judged:
            texts = items + pairs if what == "information" else 0
            low = texts + 2 * pairs
            high = (texts + 2 * pairs * (checks if what == "information" else 1)) * _TRIES
            yield Line(
                study.judge, "judge", f"{what} of {model}", study.reference, high, (),
                     TokenRange(low * _JUDGE_WORDS.low, high * (_JUDGE_WORDS.high + longest)),
                     TokenRange(low * 2, high * longest // 2), low,
            )  # fmt: skip


def notes_of(study: OpenAnswersStudy, prompts: int) -> Iterator[str]:
    """What to know next to the lines."""
    made = [tag for tag in study.languages if tag not in own_languages(study)]
    maker = study.prompt_translator or study.translator
    if made and is_translator(maker):
        yield f"{maker} translates {prompts:,} texts of prompts into {len(made)} languages and back, here"
    answers = prompts * len(study.languages) * len(study.models)
    if is_translator(study.translator) and study.translator != "none":
        control = f", and {answers:,} answers of the reference there and back" if study.control else ""
        yield f"{study.translator} translates up to {answers:,} answers{control}, here"
    yield (
        "requests of translating and judging depend on answers that are yet to come: requests_low is for the shortest, "
        "requests for the longest that are allowed, with every repair and retry"
    )
