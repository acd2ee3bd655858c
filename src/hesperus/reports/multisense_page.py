"""The page of a run of senses: how often the answer stays the same when the question is put otherwise."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import polars as pl

from hesperus.analysis.changed_answers import changed_answers
from hesperus.analysis.interval_text import interval_text
from hesperus.analysis.item_texts import of_task, row_in, texts_of
from hesperus.analysis.multisense_findings import MultisenseFindings, multisense_findings
from hesperus.analysis.settings import GivenSettings, MeasureSettings, resolve_settings
from hesperus.analysis.summary import summary_table
from hesperus.analysis.table import Row, Table
from hesperus.records import Run
from hesperus.reports import multisense_grids as grids
from hesperus.reports import multisense_story as story
from hesperus.reports.answer_figures import MOST_LABELS
from hesperus.reports.blocks import Block, Item, Page, Reading, Section, Sentences, Side, fold, headline, note
from hesperus.reports.card import card_of
from hesperus.reports.drawing import Drawing, by_kind
from hesperus.reports.item_section import items_blocks
from hesperus.reports.multisense_drawings import drawings
from hesperus.reports.overview import overview, replies_blocks, unlabelled_report
from hesperus.reports.provenance import card_blocks, closing
from hesperus.reports.study_pages import PageInputs, Report, study_page
from hesperus.reports.translation_figures import worst_translations_blocks
from hesperus.wording import counted, own_senses, parsed, sense_sentence

Blocks = Iterator[Block | None]

_NOTHING = "These records hold no two senses of the same questions, so there is nothing to compare."
_WHAT = (
    "An answer is consistent when the model gives the same one to the same question put in two senses: in two languages, "
    "or in two wordings. It need not be right."
)
_WHICH_MODEL = (
    "Whether one model is more consistent than another is tested on the same questions by `hesperus compare RUN RUN consistency "
    "--model-a A --model-b B`; that two intervals overlap does not decide it."
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
_FREE = "The answers are free texts or too many labels for a picture of shares; the examples below show single items."
_DIRECTIONS = (
    "`hesperus measure directions RUN` has where changed answers go of all models and pairs, with intervals."
)
_INVALID = {
    "disagree": "an invalid answer is the same as no other",
    "agree": "two invalid answers are the same",
    "drop": "items with an invalid answer are excluded",
}


def _page(run: Run, *, found: MultisenseFindings, settings: MeasureSettings, summary: Table) -> Page:
    own, drawn = own_senses(run.study, run.items), by_kind(drawings(found))
    lead = (
        headline(story.headlines(found, own) or [_NOTHING]),
        *drawn["overview"],
        *overview(run.records, run.signature, settings, summary=summary),
        Sentences.of(story.asides(found, run.records), "aside"),
    )
    invalid = _INVALID[settings.invalid]
    measured = note(_held(run.records), f"{interval_text(settings.bootstrap)} Invalid answers: {invalid}.")
    blocks = (
        *_measured(found, drawn),
        *_translations(found, run.items, drawn["translation"]),
        *items_blocks(run),
        *_examples(run, own),
        *card_blocks(card_of(run.records, own)),
        *closing(run, found.consistency.signature, measured, *_NOTES),
    )
    return Page.of(story.title(run.records), lead, blocks)


@study_page("multisense")
def multisense_page(of: PageInputs) -> Report:
    """The page of senses, or one that says that no answer is a label."""
    told = unlabelled_report(of.run, resolve_settings(of.given, of.run.study))
    return told or multisense_report(of.run, given=of.given, scores=of.scores)


def multisense_report(
    run: Run, *, given: GivenSettings | None = None, scores: pl.DataFrame | None = None
) -> Report:
    """Measure all that the page shows.

    Raises:
        DataError: The run has no records.
    """
    decided = resolve_settings(given, run.study)
    found = multisense_findings(
        run.records, invalid=decided.invalid, bootstrap=decided.bootstrap, scores=scores
    )
    summary = summary_table(run.records, settings=replace(decided, by=()))
    measured = {"summary": summary, "consistency": found.consistency, "decomposition": found.decomposition}
    page = partial(_page, found=found, settings=decided, summary=summary)
    return Report(page, partial(drawings, found), measured, tuple(measured), found)


def _measured(found: MultisenseFindings, drawn: Mapping[str, Sequence[Drawing]]) -> Blocks:
    yield Section("Consistency", "summary")
    tables = [grids.summary_grid(found.consistency, level=found.level), grids.pairs_grid(found.consistency)]
    yield note(_WHAT) if any(tables) else None
    yield from tables
    yield (
        note(_WHICH_MODEL)
        if tables[0] is not None and len({row["model"] for row in found.consistency.rows}) > 1
        else None
    )
    yield from drawn["map"]
    yield fold("Every sense with every other", *drawn["pairs"], grids.agreement_grid(found.agreement))
    yield Section("Why answers change", "why")
    yield from drawn["causes"]
    yield grids.split_grid(found.decomposition)
    yield fold("Instruction, input and both, model by model", *drawn["consistency"])
    yield Section("Accuracy", "accuracy")
    yield from drawn["accuracy"]
    yield grids.accuracy_grid(found.accuracy, found.validity)
    yield Section("What changes", "changes")
    yield None if drawn["labels"] or drawn["directions"] else note(_FREE)
    yield from drawn["labels"]
    yield grids.labels_grid(found.labels, MOST_LABELS)
    yield from drawn["directions"]
    yield grids.directions_grid(found.directions, MOST_LABELS) if found.has_directions else note(_DIRECTIONS)
    yield from replies_blocks(found.outcomes, drawn["outcomes"])


def _translations(found: MultisenseFindings, items: pl.DataFrame | None, drawn: Sequence[Drawing]) -> Blocks:
    """Whether bad translations explain it, where translations were scored."""
    if not drawn and not found.unscored:
        return
    unused = f"The run has translation scores, but they could not be used: {found.unscored}"
    yield Section("Is it the translation?", "translation", listed="Translation")
    yield note(unused if found.unscored else _TRANSLATION)
    yield from drawn[:1]
    yield fold("By language, and by other scores", *drawn[1:])
    yield grids.bins_grid(found.bins)
    yield from worst_translations_blocks(found.scores, items)


def _examples(run: Run, own: Collection[str]) -> Blocks:
    changed, total = changed_answers(run)
    if changed:
        yield Section("Examples", "examples")
        said = "For each model and sense the most frequent changes first. Control characters are written as their codes."
        told = f"{len(changed)} of {total:,} changed answers, side by side"
        yield fold(told, note(said), *(example(*both, run.items, own) for both in changed))


def example(a: Row, b: Row, items: pl.DataFrame | None, own: Collection[str]) -> Item:
    """Two records of an item with different answers, next to each other."""
    gold = "" if a["gold"] is None else f", right answer: {a['gold']}"
    sides = tuple(_side(row, Reading.of(row, a["gold"]), items, own) for row in (a, b))
    return Item(f"{a['model']}, {a['task']}, item {a['item']}{gold}", sides)


def _side(row: Row, read: Reading, items: pl.DataFrame | None, own: Collection[str]) -> Side:
    code = row["input"]
    sense = parsed(code)
    kept = (
        None
        if items is None or sense is None
        else row_in(of_task(items, row["task"]), row["item"], code, row["model"])
    )
    fields, options = texts_of(kept, sense.language) if kept is not None and sense is not None else ((), ())
    texts = (*fields, ("reply", read.reply))
    return Side(sense_sentence(code, own), code, texts, options, replace(read, reply=None))


def _held(records: pl.DataFrame) -> str:
    different = records.lazy().select("model", "task", "instruction", "input", "repeat").unique()
    cells = different.select(pl.len()).collect(engine="streaming").item()
    models, items, tasks = (counted(records[name].n_unique(), name) for name in ("model", "item", "task"))
    return f"{records.height:,} answers by {models} to {items} of {tasks}, in {cells:,} combinations of model, senses and repeat."
