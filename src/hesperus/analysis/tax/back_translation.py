"""E1: accuracy on the original minus accuracy on what came back from the translation, same model, same items.

Reference: "The Translation Tax Is Not a Scalar", sections 3.1, 4.3 and 5.1 to 5.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hesperus.analysis.table import NewRow, Table, table
from hesperus.analysis.tax.difference_rows import (
    COLUMNS,
    EVERY,
    Shown,
    corrected,
    difference_rows,
    everywhere,
    group_difference_rows,
    notes_of,
    sensitive_models,
    sensitivity_rows,
)
from hesperus.analysis.tax.item_groups import grouped_columns
from hesperus.analysis.tax.paired_records import PairedAnswers
from hesperus.analysis.tax.tax_settings import TaxSettings, refuse_mere_translation
from hesperus.fingerprint import JSON, signature

NOTES = (
    "the tax is what the way back costs: loss of cues, but also noise and stiffness of the back-translation and "
    "content that is harder to translate back than forth; a positive value alone is no proof of cues",
    "`clustered` is the primary estimate: items are resampled with all their models",
)

ONE_MODEL = "one model: there is none to leave out, and `clustered` is its own cell"


def back_translation_table(given: PairedAnswers, settings: TaxSettings | None = None) -> Table:
    """The tax by back-translation: by cell, clustered over items, by group, and under each sensitivity.

    Args:
        given: The benchmark's own items in the source language, such as ``en``, and what came back, such as ``en_from_zh`` or
            ``en_from_zh@maker``, of one benchmark or more (column ``task``); grouped by the columns of the settings.
        settings: Groups, bootstrap, and when a model is parser-sensitive.

    Returns:
        Rows by ``analysis``: ``cell`` (a task and model: accuracies, tax, discordant pairs, sign test),
        ``clustered`` (all models; by group), ``groups`` (first group minus another), ``without model``,
        ``without parser-sensitive models``, ``one benchmark``; of grouped items the rows of every group.

    Raises:
        UsageError: What came back is not in the language of the original.
    """
    original, back = given.sides
    refuse_mere_translation(original.input, back.input)
    settings = settings or TaxSettings()
    sides = (f"accuracy {original.input}", f"accuracy {back.input}")
    rows = [named | row for named, part in given.by_group() for row in _rows(part, settings, sides)]
    signed = _signed(given, settings)
    signed["tests"] = corrected(rows, settings)
    signed["notes"] = [*NOTES, *([ONE_MODEL] if len(given.models) < 2 else []), *notes_of(rows)]
    return table("back_translation", grouped_columns(given.by, COLUMNS), rows=rows, signature=signed)


def _rows(given: PairedAnswers, settings: TaxSettings, sides: tuple[str, ...]) -> Iterator[NewRow]:
    whole, made = everywhere(given), partial(difference_rows, given, settings=settings)
    groups = settings.named_groups(given.models)
    for task in given.tasks:
        items = given.of_task(task)
        for row, model, group in settings.with_groups(given.models):
            if given.pairs.asked[row, items].any() or given.left_out([row], items):
                shown = Shown("tax", sides)
                yield from made([row], items, "cell", shown=shown, task=task, group=group, model=model)
    every = list(range(len(given.models)))
    for group, rows in {EVERY: every, **groups}.items():
        yield from made(rows, whole, "clustered", group=group)
    yield from group_difference_rows(given, groups, whole, settings=settings)
    yield from sensitivity_rows(given, {EVERY: whole}, settings=settings)
    if len(given.tasks) > 1:
        for task in given.tasks:
            yield from made(every, given.of_task(task), "one benchmark", task=task)


def _signed(given: PairedAnswers, settings: TaxSettings) -> dict[str, JSON]:
    (original, back), quality = given.sides, given.quality
    signed = signature(original, settings) if quality is None else signature(original, settings, quality)
    signed["first"], signed["second"] = original.input, back.input
    signed.pop("Side", None)
    signed["repeats"] = [original.repeat, back.repeat]
    signed["quality"] = (
        "none: no scores were given" if quality is None else f"{quality.metric} {quality.threshold:g} or more"
    )
    signed["parser_sensitive"] = {
        model: round(rate, 4) for model, rate in sensitive_models(given, settings).items()
    }
    signed["asked on one side only"] = list(given.one_sided)
    return signed
