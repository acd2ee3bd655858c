"""The page of a run of senses: how often the answer stays the same when the question is put otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from hesperus.analysis.changed_answers import Asked, Example, inconsistent_examples
from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.multisense_findings import MultisenseFindings
from hesperus.analysis.settings import MeasureSettings
from hesperus.records import Run
from hesperus.reports import multisense_grids as grids
from hesperus.reports import multisense_story as story
from hesperus.reports.answer_figures import MOST_LABELS
from hesperus.reports.blocks import Block, Fold, Item, Page, Reading, Section, Sentences, Side
from hesperus.reports.card import card_of
from hesperus.reports.drawing import Drawing
from hesperus.reports.item_matrix import items_blocks
from hesperus.reports.multisense_drawings import drawings
from hesperus.reports.overview import overview
from hesperus.reports.provenance import cited, made
from hesperus.reports.translation_grids import worst_translations_blocks
from hesperus.wording import own_senses

Blocks = Iterator[Block | None]

_NOTHING = "These records hold no two senses of the same questions, so there is nothing to compare."
_WHAT = (
    "An answer is consistent when the model gives the same one to the same question put in two senses: in two languages, "
    "or in two wordings. It need not be right."
)
_TRANSLATION = (
    "The input is translated by the model, the instruction stays as it was (X). If inconsistency came from bad "
    "translations, answers to well translated questions would stay the same."
)
_NOTES = (
    "Consistency is the share of items with the same answer. Intervals resample items: all answers to a drawn item travel "
    "together, so that differences between senses and models are paired. An answer that could not be read is the same as "
    "no other, unless the settings above say otherwise; where the other rules would give another share, a column shows from "
    "least to most what they give.",
    "Consistency beside accuracy: a model can be consistent and wrong. Consistency beside the noise floor: a model that is "
    "asked the same thing twice may differ from itself. A low share with the input in another sense and a high one with "
    "the instruction alone says that answers go with how the question is put, its translation included, not with how the "
    "task is.",
    "Method: Xenia Ohmer, Elia Bruni, Dieuwke Hupkes. Separating form and meaning: Using self-consistency to quantify task "
    "understanding across multiple senses. GEM 2023. Card: Dieuwke Hupkes et al. A taxonomy and review of generalization "
    "research in NLP. Nature Machine Intelligence 5, 2023.",
)
_CARD = (
    "Where this study stands in the taxonomy of generalisation research (Hupkes et al. 2023). Filled in from the records; "
    "what they cannot tell is said in the last column."
)
_INVALID = {
    "disagree": "an invalid answer is the same as no other",
    "agree": "two invalid answers are the same",
    "drop": "items with an invalid answer are excluded",
}


def multisense_page(
    run: Run, found: MultisenseFindings, settings: MeasureSettings, *, each: int = 3, most: int = 36
) -> Page:
    """The page of a run.

    Args:
        run: The run.
        found: Its tables.
        settings: How they were made.
        each: Examples a model and sense.
        most: Examples in all.

    Raises:
        DataError: The run has no records.
    """
    own = own_senses(run.study, run.items)
    told = story.headlines(found, own)
    drawn = drawings(found)
    lead: list[Block | None] = [
        Sentences(tuple(told) or (_NOTHING,), "list" if len(told) > 4 else "lead"),
        *(one for one in drawn if one.kind == "overview"),
        *overview(run.records, settings, signature=run.signature, summary=found.summary).blocks,
        Sentences.of(story.asides(found, run.records), "aside"),
    ]
    examples = inconsistent_examples(run.records, run.items, each=each, most=most, own=own)
    return Page.of(
        story.title(run.records),
        lead,
        [
            *_measured(found, run.items, drawn),
            *items_blocks(run),
            *_examples(examples.shown, examples.total),
            Section("How it was measured", "measured"),
            Sentences((_held(run.records), _described(settings))),
            *made(run, found.consistency.signature),
            Section("GenBench evaluation card", "card", listed="GenBench card"),
            Sentences((_CARD,)),
            card_of(run.records, own),
            Section("Notes and citation", "notes", listed="Notes"),
            cited(*_NOTES),
        ],
    )


def _measured(found: MultisenseFindings, items: pl.DataFrame | None, made: Sequence[Drawing]) -> Blocks:
    drawn: dict[str, list[Drawing]] = {}
    for drawing in made:
        drawn.setdefault(drawing.kind, []).append(drawing)
    yield Section("Consistency", "summary")
    tables = [grids.summary_grid(found.consistency, level=found.level), grids.pairs_grid(found.consistency)]
    yield Sentences((_WHAT,)) if any(tables) else None
    yield from tables
    yield from drawn.get("map", ())
    every = [*drawn.get("pairs", ()), *filter(None, [grids.agreement_grid(found.agreement)])]
    if every:
        yield Fold("Every sense with every other", tuple(every))
    yield Section("Why answers change", "why")
    yield from drawn.get("causes", ())
    yield grids.split_grid(found.decomposition)
    detail = drawn.get("consistency", ())
    if detail:
        yield Fold("Instruction, input and both, model by model", tuple(detail))
    yield Section("Accuracy", "accuracy")
    yield from drawn.get("accuracy", ())
    yield grids.accuracy_grid(found.accuracy, found.validity)
    yield Section("What changes", "changes")
    if "labels" not in drawn and "directions" not in drawn:
        yield Sentences(
            (
                "The answers are free texts or too many labels for a picture of shares; the examples below show single items.",
            )
        )
    yield from drawn.get("labels", ())
    yield grids.labels_grid(found.labels, MOST_LABELS)
    yield from drawn.get("directions", ())
    yield grids.directions_grid(found.directions, MOST_LABELS)
    yield Section("What became of the replies", "replies", listed="Replies")
    if "outcomes" not in drawn:
        yield Sentences(("Every reply to a prompt in one sense could be read as an answer.",))
    yield from drawn.get("outcomes", ())
    yield grids.outcomes_grid(found.outcomes)
    if "translation" in drawn or found.unscored:
        unused = f"The run has translation scores, but they could not be used: {found.unscored}"
        yield Section("Is it the translation?", "translation", listed="Translation")
        yield Sentences((unused if found.unscored else _TRANSLATION,))
        first, *others = drawn.get("translation", ()) or (None,)
        yield first
        yield Fold("By language, and by other scores", tuple(others)) if others else None
        yield grids.bins_grid(found.bins)
        yield from worst_translations_blocks(found.scores, items)


def _examples(shown: tuple[Example, ...], total: int) -> Blocks:
    yield Section("Examples", "examples")
    if not shown:
        yield Sentences(("No answer changed between the senses.",))
        return
    yield Sentences(
        (
            f"{len(shown)} of {total:,} changed answers: for each model and sense the most frequent changes first. Control "
            "characters are written as their codes.",
        )
    )
    for one in shown:
        gold = "" if one.gold is None else f", right answer: {one.gold}"
        yield Item(f"{one.model}, {one.task}, item {one.item}{gold}", (_side(one.a), _side(one.b)))


def _side(asked: Asked) -> Side:
    texts = (*asked.fields, ("reply", asked.reply))
    return Side(asked.sense, asked.code, texts, asked.options, Reading(asked.answer, asked.right))


def _held(records: pl.DataFrame) -> str:
    cells = records.select("model", "task", "instruction", "input", "repeat").n_unique()
    return (
        f"{records.height:,} answers by {_count(records, 'model')} to {_count(records, 'item')} of "
        f"{_count(records, 'task')}, in {cells:,} combinations of model, senses and repeat."
    )


def _count(records: pl.DataFrame, name: str) -> str:
    number = records[name].n_unique()
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def _described(settings: MeasureSettings) -> str:
    return f"{interval_text(settings.bootstrap)} Invalid answers: {_INVALID[settings.invalid]}."
