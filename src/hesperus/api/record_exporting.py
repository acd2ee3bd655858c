"""Records and items for other tools."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hesperus.errors import UnknownNameError, UsageError
from hesperus.records import read_records, read_run
from hesperus.records.exporters import (
    AskedItem,
    DatasetCard,
    EvaluationSource,
    answers_table,
    write_dataset,
    write_every_eval,
    write_inspect_task,
    write_lm_eval_task,
    write_table,
)
from hesperus.senses import render
from hesperus.tasks import items_from_frame, load_items, task
from hesperus.tasks.definition import LETTERS

if TYPE_CHECKING:
    from hesperus.tasks import Task
    from hesperus.types import Item

EXPORTS = ("table", "dataset", "every-eval-ever", "inspect", "lm-eval")


def export(
    what: str,
    source: Path | str,
    out: Path | str,
    *,
    shape: str = "long",
    value: str = "answer",
    title: str | None = None,
    licence: str | None = None,
    languages: Sequence[str] = (),
    data: str | None = None,
    name: str | None = None,
    organization: str = "unknown",
    relationship: str = "other",
) -> str:
    """Give records or items to another tool: what `hesperus export` does.

    Args:
        what: `table`, `dataset`, `every-eval-ever`, `inspect` or `lm-eval`.
        source: Run folder or records file; for inspect and lm-eval also a task.
        out: File (.csv, .parquet, .jsonl) of a table, folder of the others.
        shape: Of a table: long (a row per answer) or wide (per item).
        value: Of a wide table: answer, outcome, reply or correct.
        title: Of a data set: its heading.
        licence: Of a data set: identifier of its licence, e.g. cc-by-4.0.
        languages: Of a task: a language of its items.
        data: Of a task: where its data are, instead of its own source.
        name: Of inspect and lm-eval: name of the task.
        organization: Of every-eval-ever: who evaluated.
        relationship: Of every-eval-ever: of the evaluator to the models' makers: first_party, third_party, collaborative or
            other.

    Returns:
        What was written and what to do with it, as a line for people.

    Raises:
        UnknownNameError: No such export, shape, value, task or language.
        UsageError: No such run, one without items, or a task without languages.
        DataError: The records break their contract.
    """
    if what not in EXPORTS:
        raise UnknownNameError("export", what, EXPORTS)
    target = Path(out)
    if what in ("inspect", "lm-eval"):
        items, found = _items(str(source), languages, data)
        return _task(what, items, target, name or found)
    records = read_records(source)
    if what == "table":
        table = answers_table(records, shape=shape, value=value)  # type: ignore[arg-type]  # checked there
        write_table(table, target)
        return f"{len(table):,} rows of {len(table.columns)} columns written to {out}"
    if what == "dataset":
        write_dataset(records, target, DatasetCard(title=title or DatasetCard().title, licence=licence))
        return f"{len(records):,} records written to {out}"
    by = EvaluationSource(organization, relationship, time.time())
    made = write_every_eval(
        records, target, by, read_run(Path(source)).items if Path(source).is_dir() else None
    )
    left = f"; {made.left_out:,} records without a right label or a reply excluded" if made.left_out else ""
    return f"{made.samples:,} samples in {len(made.files)} evaluations written to {out}{left}"


def _task(what: str, items: Sequence[AskedItem], out: Path, name: str) -> str:
    languages = ", ".join(dict.fromkeys(one.language for one in items))
    if what == "inspect":
        hint = f"inspect eval {write_inspect_task(items, out, name)} -T language=TAG"
    else:
        tasks = write_lm_eval_task(items, out, name)
        hint = f"lm_eval run --include_path {out} --tasks {','.join(tasks)} --log_samples --output_path logs"
    return f"{len(items):,} items in {languages}; run with: {hint}"


def _items(source: str, languages: Sequence[str], data: str | None) -> tuple[list[AskedItem], str]:
    """Items of a run, or of a task of the catalogue."""
    if Path(source).is_dir():
        run = read_run(Path(source))
        if run.items is None:
            raise UsageError(f"{source}: the run has no items.parquet; name the task and --language instead")
        names = run.records["task"].unique().sort().to_list()
        if len(names) > 1:
            raise UsageError(
                f"{source}: has items of {', '.join(names)}; name one task and --language instead"
            )
        what = task(names[0])
        held = items_from_frame(run.items, task=names[0])
        items: Mapping[str, Sequence[Item]] = {
            tag: many for tag, many in held.items() if not languages or tag in languages
        }
    else:
        what = task(source)
        if not languages:
            raise UsageError(
                f"which languages of {what.name}? give --language, e.g. --language en --language de"
            )
        items = load_items(what, languages, source=data)
    return [_asked(what, one) for many in items.values() for one in many], what.name


def _asked(what: Task, item: Item) -> AskedItem:
    """An item in the words of its task: a choice by its fields and options, labels by the whole instruction."""
    instruction = what.find_instruction(item.language)
    by_group = any("=" in word for one in what.instructions.values() for word in one.words)
    if item.options is not None and what.form == "choice" and not (by_group and instruction is None):
        # What is asked may depend on the item ("What was the cause?"): such words are under group=value.
        words_of = instruction.words if instruction is not None else {}
        asks = [words_of[key] for key in (f"{k}={v}" for k, v in item.groups.items()) if key in words_of]
        prompt = "\n".join([*item.fields.values(), *asks])
        letters = tuple(LETTERS[: len(item.options)])
        return AskedItem(item.id, item.language, prompt, item.options, letters, item.gold, item.groups)
    if instruction is None:
        raise UsageError(f"the task {what.name!r} has no instruction in {item.language!r}")
    prompt = render(what.layout, instruction, item)
    labels = tuple(instruction.answers) if what.form == "label" else ()
    words = tuple(instruction.answers[label][0] for label in labels)
    return AskedItem(item.id, item.language, prompt, words, labels, item.gold, item.groups)
