"""What a study of open answers would ask, worked out without sending anything: every stage, as ranges.

Only questions in the task's own languages are known beforehand. How many sentences and claims there will be depends on
answers that nobody has yet: the low end takes the shortest answers, the high end the longest that are allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hesperus.fingerprint import JSON
from hesperus.models.protocol import DEFAULT_TOKENS
from hesperus.senses import item_texts
from hesperus.studies.asked.answering import How, Senses
from hesperus.studies.asked.desk import models_named
from hesperus.studies.asked.material import Material, originals_of
from hesperus.studies.asked.planning import Line, Plan, answer_lines, plan_of
from hesperus.studies.evaluating.naming import EMBEDDED, is_translator
from hesperus.studies.token_estimate import NOTHING, TokenRange, tokens_of
from hesperus.studies.translate_then_evaluate.config import OpenAnswersStudy
from hesperus.studies.translate_then_evaluate.prompts import gathered, own_languages, sense_of
from hesperus.studies.translate_then_evaluate.running import (
    cells_for,
    everybody,
    refuse_unaskable_translations,
)
from hesperus.translation import sentences
from hesperus.types import Sense

_TOKENS_OF_A_SENTENCE = 20
"""Of a short one: as many sentences as this makes of the longest answer is the high end."""

_TOKENS_OF_A_CLAIM = 12
_CLAIMS_AT_ONCE = 10
_TRIES = 3
"""A judge's prompt is asked at most so often, and a faulty sentence sampled."""

_REQUEST_WORDS = TokenRange(15, 60)
_JUDGE_WORDS = TokenRange(250, 700)
"""Tokens of the words around a sentence to translate, and around a text to judge."""


@dataclass(frozen=True, slots=True)
class OpenPlan:
    """A plan with a low end of the requests.

    Attributes:
        plan: Lines with the high end as their requests.
        low: Low end of the requests of each line.
        said: Notes of its own.
    """

    plan: Plan
    low: tuple[int, ...]
    said: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those of every plan, with `requests_low` before `requests`."""
        at = self.plan.columns.index("requests")
        return (*self.plan.columns[:at], "requests_low", *self.plan.columns[at:])

    @property
    def rows(self) -> tuple[dict[str, object], ...]:
        """One row a line, and a row `total` for each model."""
        totals: dict[str, int] = {}
        for line, low in zip(self.plan.lines, self.low, strict=True):
            totals[line.model] = totals.get(line.model, 0) + low
        rows = self.plan.rows
        low_ends = (*self.low, *(totals[str(row["model"])] for row in rows[len(self.low) :]))
        return tuple({**row, "requests_low": low} for row, low in zip(rows, low_ends, strict=True))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know beside the rows."""
        return (*self.plan.notes, *self.said)

    @property
    def signature(self) -> Mapping[str, JSON]:
        """Fingerprint of the study."""
        return self.plan.signature

    def request_lines(self) -> Iterator[str]:
        """Every distinct request that is known beforehand, as JSON lines."""
        return self.plan.request_lines()


@dataclass(frozen=True, slots=True)
class _Ranged:
    line: Line
    low: int


def plan_study(study: OpenAnswersStudy, *, store: Path | None = None) -> OpenPlan:
    """What asking, translating and judging would send and cost; sends nothing.

    Args:
        study: The design.
        store: Reply store whose replies need not be asked again; None or a missing file holds none.

    Raises:
        UsageError: As in run_study.
        DataError: As in run_study.
    """
    material = gathered(study)
    models = models_named(everybody(study), study)
    refuse_unaskable_translations(study)
    prompts = [text for item in originals_of(material, study.reference).values() for text in item_texts(item)]
    ranged = [
        *_of_prompts(study, prompts),
        *_of_answers(study, material),
        *_of_translations(study, len(originals_of(material, study.reference))),
        *_of_verdicts(study, len(originals_of(material, study.reference))),
    ]
    plan = plan_of(
        [one.line for one in ranged], models, study=study, store=store, prices=study.prices, material=material
    )
    return OpenPlan(plan, tuple(one.low for one in ranged), tuple(_notes(study, len(prompts))))


def _of_prompts(study: OpenAnswersStudy, prompts: Sequence[str]) -> Iterator[_Ranged]:
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
            yield _Ranged(
                Line(maker, "translate", what, tag, asked * (1 + _TRIES), (), TokenRange(low.low, high),
                     TokenRange(inside.low, inside.high * (1 + _TRIES))),
                asked,
            )  # fmt: skip


def _of_answers(study: OpenAnswersStudy, material: Material) -> Iterator[_Ranged]:
    how = How(study.system, study.answers.settings())
    senses = Senses(
        material.task.layout,
        material.task.form,
        {Sense(tag): instruction for tag, instruction in material.instructions.items()},
        {Sense(tag): originals_of(material, tag) for tag in material.instructions},
        {},
        {},
        {},
    )
    for model in study.models:
        for line in answer_lines(model, cells_for(model, study), senses, how):
            yield _Ranged(line, line.requests)


def _of_translations(study: OpenAnswersStudy, items: int) -> Iterator[_Ranged]:
    if is_translator(study.translator):
        return
    longest = study.answers.max_tokens or DEFAULT_TOKENS
    most = max(1, longest // _TOKENS_OF_A_SENTENCE)
    legs = 3 if study.control else 1
    for model in study.models:
        for tag in study.languages:
            low, high = items * legs, items * legs * most * (1 + _TRIES)
            code = sense_of(tag, model, study).code
            yield _Ranged(
                Line(study.translator, "translate", f"answers of {model} in {code}", study.reference, high, (),
                     TokenRange(low * _REQUEST_WORDS.low, legs * items * longest * (1 + _TRIES) + high * _REQUEST_WORDS.high),
                     TokenRange(low, legs * items * longest * (1 + _TRIES))),
                low,
            )  # fmt: skip


def _of_verdicts(study: OpenAnswersStudy, items: int) -> Iterator[_Ranged]:
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
            yield _Ranged(
                Line(study.judge, "judge", f"{what} of {model}", study.reference, high, (),
                     TokenRange(low * _JUDGE_WORDS.low, high * (_JUDGE_WORDS.high + longest)),
                     TokenRange(low * 2, high * longest // 2)),
                low,
            )  # fmt: skip


def _notes(study: OpenAnswersStudy, prompts: int) -> Iterator[str]:
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
