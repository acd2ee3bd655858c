"""The prompts in every language: the task's own version where it has one, a translation from the reference elsewhere.

A translation is checked by sending it back: BLEU and chrF of what returns, against the original.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from hesperus.errors import SenseError, refuse_unknown
from hesperus.measures import Bootstrap, NoCorners, Statistic, estimate
from hesperus.senses import instruction_parts, recompose, render
from hesperus.studies.asked.answering import Fault
from hesperus.studies.asked.making import (
    put_in,
    remade_items,
    texts_of_items,
    translated_texts,
    whole_texts,
)
from hesperus.studies.asked.material import LoadedItems, gather, originals_of, override
from hesperus.studies.asked.study_cells import as_maker
from hesperus.studies.evaluating.translating import Made, Translating, Way
from hesperus.studies.translate_then_evaluate.open_study import OpenAnswersStudy
from hesperus.tasks import task
from hesperus.translation import Bleu, Chrf, tokenizer_for
from hesperus.types import Instruction, Item, Sense

CHECKS = ("bleu", "chrf")
"""Scores of a prompt that came back, from 0 to 100."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """What is asked in each language.

    Attributes:
        material: The task in the reference and in the languages of its own that are asked.
        made: Languages into which the prompts were translated.
        instructions: Language to instruction, or to what kept it from being made.
        items: Language to items by id, each an Item or a Fault.
        check: A row for each made language and score of its way back, and for each count.
    """

    material: LoadedItems
    made: tuple[str, ...]
    instructions: Mapping[str, Instruction | Fault]
    items: Mapping[str, Mapping[str, Item | Fault]]
    check: pl.DataFrame

    def asked(self, reference: str) -> dict[str, str]:
        """Item id to its whole prompt in the reference language."""
        instruction = self.instructions[reference]
        assert isinstance(instruction, Instruction)
        return {
            key: render(self.material.task.layout, instruction, item)
            for key, item in self.items[reference].items()
            if isinstance(item, Item)
        }


def own_languages(study: OpenAnswersStudy) -> tuple[str, ...]:
    """The reference, and the other languages in which the task itself is asked."""
    if study.prompts == "translated":
        return (study.reference,)
    what = task(study.task)
    own = [tag for tag in study.languages if tag in what.languages and tag in what.instructions]
    return (study.reference, *own)


def gathered(study: OpenAnswersStudy) -> LoadedItems:
    """The task in the languages that it has."""
    refuse_unknown("language under instructions", study.instructions, (study.reference, *study.languages))
    material = gather(study, own_languages(study))
    instructions = {
        tag: override(instruction, study.instructions.get(tag))
        for tag, instruction in material.instructions.items()
    }
    return replace(material, instructions=instructions)


def sense_of(tag: str, model: str, study: OpenAnswersStudy) -> Sense:
    """The sense in which a model is asked in a language: original, made by itself, or made by the translator."""
    if tag in own_languages(study):
        return Sense(tag)
    maker = study.prompt_translator or study.translator
    if maker == model:
        return Sense(tag, source=study.reference)
    return Sense(tag, source=study.reference, maker=as_maker(maker))


def put_prompts(study: OpenAnswersStudy, material: LoadedItems, translating: Translating | None) -> Prompts:
    """Translate what the task does not have in a language, and check it by its way back.

    Without `translating` the originals are in place of every translation: by their length a plan estimates what will
    be asked.
    """
    own = own_languages(study)
    made = tuple(tag for tag in study.languages if tag not in own)
    source, first = material.instructions[study.reference], originals_of(material, study.reference)
    instructions: dict[str, Instruction | Fault] = {**material.instructions, **dict.fromkeys(made, source)}
    items: dict[str, Mapping[str, Item | Fault]] = {tag: dict(originals_of(material, tag)) for tag in own}
    items |= dict.fromkeys(made, dict(first))
    checks: list[dict[str, object]] = []
    if translating is None:
        return Prompts(material, made, instructions, items, pl.DataFrame(schema=_CHECK))
    translating.refuse_unsupported([(study.reference, tag) for tag in made])
    for tag in made:
        originals = tuple(first.values())
        texts = list(dict.fromkeys([*instruction_parts(source), *texts_of_items(originals)]))
        way = Way(study.reference, tag, f"prompts: {study.reference} to {tag}")
        done = dict(zip(texts, translating.texts(texts, way), strict=True))
        translated = translated_texts(done, (study.reference, tag))
        instructions[tag] = _instruction(source, whole_texts(translated), tag, study)
        items[tag] = remade_items(originals, translated, put_in(tag))
        checks += _check(tag, done, study, translating)
    return Prompts(material, made, instructions, items, pl.DataFrame(checks, schema=_CHECK, orient="row"))


_CHECK = {
    "language": pl.String(), "statistic": pl.String(), "value": pl.Float64(), "low": pl.Float64(), "high": pl.Float64(),
    "n": pl.Int64(), "excluded": pl.Int64(), "reason": pl.String(),
}  # fmt: skip


def _instruction(
    source: Instruction, put: Mapping[str, str], tag: str, study: OpenAnswersStudy
) -> Instruction | Fault:
    try:
        return override(recompose(source, put, tag), study.instructions.get(tag))
    except SenseError as error:
        return Fault("sense", str(error))


def _check(
    tag: str, done: Mapping[str, Made], study: OpenAnswersStudy, translating: Translating
) -> list[dict[str, object]]:
    """BLEU and chrF of the way back, where the translator goes both ways, and how many sentences kept a fault."""
    faulty = sum(made.unrepaired > 0 for made in done.values())
    rows: list[dict[str, object]] = [
        {"language": tag, "statistic": "unrepaired", "value": faulty / len(done) if done else None, "n": len(done),
         "excluded": 0, "reason": "share of prompts with a sentence whose fault stayed"}
    ]  # fmt: skip
    if not translating.both_ways(study.reference, tag):
        return rows
    originals = [text for text, made in done.items() if made.text]
    way = Way(tag, study.reference, f"prompts: {tag} to {study.reference}")
    back = translating.texts([made.text for made in done.values() if made.text], way)
    returned = [made.text or "" for made in back]
    metrics: tuple[Bleu | Chrf, ...] = (Bleu(tokenizer_for(study.reference)), Chrf())
    for name, metric in zip(CHECKS, metrics, strict=True):
        found = estimate(
            _corpus(metric, returned, originals),
            Bootstrap(200, study.bootstrap.seed, interval=study.bootstrap.interval),
        )
        rows.append(
            {"language": tag, "statistic": name, "value": found.value, "low": found.low, "high": found.high,
             "n": found.n, "excluded": len(done) - len(originals), "reason": found.reason}
        )  # fmt: skip
    return rows


def _corpus(metric: Bleu | Chrf, hypotheses: Sequence[str], references: Sequence[str]) -> Statistic:
    """A corpus score as a statistic: its counts are summed, whatever was drawn."""
    counts = metric.statistics(hypotheses, references)
    return Statistic(
        tuple(counts.T.copy()),
        metric.score,
        metric.corners(counts.mean(axis=0)) if len(counts) else NoCorners("there is no prompt"),
        len(hypotheses),
        undefined="no prompt to check",
    )
