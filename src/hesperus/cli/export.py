"""`hesperus export`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hesperus.records.exporters import AskedItem
    from hesperus.tasks import Task
    from hesperus.types import Item

_WHAT = ("table", "dataset", "every-eval-ever", "inspect", "lm-eval")


def command(
    what: Annotated[
        str, typer.Argument(help="table, dataset, every-eval-ever, inspect or lm-eval.", show_default=False)
    ],
    source: Annotated[
        str,
        typer.Argument(
            help="A run folder or records file; for inspect and lm-eval also a task.", show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            help="File (.csv, .parquet, .jsonl) of a table, folder of the others.", show_default=False
        ),
    ],
    shape: Annotated[
        str, typer.Option(help="Of a table: long (a row per answer) or wide (per item).")
    ] = "long",
    value: Annotated[
        str, typer.Option(help="Of a wide table: answer, outcome, reply or correct.")
    ] = "answer",
    title: Annotated[str | None, typer.Option(help="Of a data set: its heading.")] = None,
    licence: Annotated[
        str | None, typer.Option(help="Of a data set: identifier of its licence, e.g. cc-by-4.0.")
    ] = None,
    language: Annotated[
        list[str] | None, typer.Option(help="Of a task: a language of its items; repeatable.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Of a task: where its data are, instead of its own source.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Of inspect and lm-eval: name of the task.")] = None,
    organization: Annotated[str, typer.Option(help="Of every-eval-ever: who evaluated.")] = "unknown",
    relationship: Annotated[
        str,
        typer.Option(
            help="Of every-eval-ever: of the evaluator to the models' makers: first_party, third_party, collaborative or other."
        ),
    ] = "other",
) -> None:
    """Give records or items to another tool.

    table: records per model, language and item. dataset: a folder as the Hugging Face hub shows it, with Croissant metadata.
    every-eval-ever: results and samples after the schema of the EvalEval Coalition, a folder for each task and model. inspect,
    lm-eval: an aligned item set as a task of that tool; what it logs comes back with `hesperus import`.

    For example:

        hesperus export table runs/atlas --out answers.csv

        hesperus export table runs/atlas --shape wide --value correct --out correct.parquet

        hesperus export dataset runs/atlas --out hub/atlas --licence cc-by-4.0

        hesperus export every-eval-ever runs/atlas --out shared/ --organization 'My lab' --relationship third_party

        hesperus export lm-eval atlas --language en --language sw --out tasks/

        hesperus export inspect runs/atlas --out tasks/
    """
    from hesperus.errors import UnknownNameError

    if what not in _WHAT:
        raise UnknownNameError("export", what, _WHAT)
    if what in ("table", "dataset"):
        _records(what, Path(source), out, shape=shape, value=value, card=(title, licence))
        return
    if what == "every-eval-ever":
        _every_eval(Path(source), out, organization, relationship)
        return
    items, found = _items(source, language or [], data)
    _task(what, items, out, name or found)


def _records(
    what: str, source: Path, out: Path, *, shape: str, value: str, card: tuple[str | None, str | None]
) -> None:
    from hesperus.records import read_records
    from hesperus.records.exporters import DatasetCard, answers_table, write_dataset, write_table

    records = read_records(source)
    title, licence = card
    if what == "dataset":
        write_dataset(records, out, DatasetCard(title=title or DatasetCard().title, licence=licence))
        say(f"{len(records):,} records written to {out}")
        return
    table = answers_table(records, shape=shape, value=value)  # type: ignore[arg-type]  # checked there
    write_table(table, out)
    say(f"{len(table):,} rows of {len(table.columns)} columns written to {out}")


def _every_eval(source: Path, out: Path, organization: str, relationship: str) -> None:
    import time

    from hesperus.records import read_records, read_run
    from hesperus.records.exporters import EvaluationSource, write_every_eval

    by = EvaluationSource(organization, relationship, time.time())
    items = read_run(source).items if source.is_dir() else None
    made = write_every_eval(read_records(source), out, by, items)
    left = f"; {made.left_out:,} records without a right label or a reply excluded" if made.left_out else ""
    say(f"{made.samples:,} samples in {len(made.files)} evaluations written to {out}{left}")


def _task(what: str, items: Sequence[AskedItem], out: Path, name: str) -> None:
    from hesperus.records.exporters import write_inspect_task, write_lm_eval_task

    languages = ", ".join(dict.fromkeys(one.language for one in items))
    if what == "inspect":
        file = write_inspect_task(items, out, name)
        hint = f"inspect eval {file} -T language=TAG"
    else:
        tasks = write_lm_eval_task(items, out, name)
        hint = f"lm_eval run --include_path {out} --tasks {','.join(tasks)} --log_samples --output_path logs"
    say(f"{len(items):,} items in {languages}; run with: {hint}")


def _items(source: str, languages: list[str], data: str | None) -> tuple[list[AskedItem], str]:
    """Items of a run, or of a task of the catalogue."""
    from hesperus.errors import UsageError
    from hesperus.records import read_run
    from hesperus.tasks import items_from_frame, load_items, task

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
    from hesperus.errors import UsageError
    from hesperus.records.exporters import AskedItem
    from hesperus.senses import render
    from hesperus.tasks.definition import LETTERS

    instruction = what.find_instruction(item.language)
    by_group = any("=" in word for one in what.instructions.values() for word in one.words)
    if item.options is not None and what.form == "choice" and not (by_group and instruction is None):
        # What is asked may depend on the item ("What was the cause?"): such words stand under group=value.
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
