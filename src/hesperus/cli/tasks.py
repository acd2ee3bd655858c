"""`hesperus tasks`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from hesperus.cli.flags import Format, takes_flags
from hesperus.cli.help import Commands, ShowGroup, broken_command
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hesperus.tasks import Task
    from hesperus.types import Item


app = Commands(
    cls=ShowGroup,
    help="""The benchmarks that can be asked, and files of your own.

    Without a command, this lists the catalogue; with the name of a task, it shows the task, as `show NAME` does. A file of
    your own (YAML) is used wherever a task's name is: `--task my-task.yaml`.

    For example:

        hesperus tasks

        hesperus tasks belebele --language hu
    """,
)


@app.command("list")
def listing(format: Format = "table") -> None:
    """List the benchmarks of the catalogue: languages, items of a language, licence, and whether texts may be shared.

    Benchmarks are grouped by what their languages share. A wide terminal also shows what each asks. `--format json` lists
    every edition, the languages and the instructions.

    For example:

        hesperus tasks list

        hesperus tasks list --format json
    """
    from hesperus.cli.task_list import print_list
    from hesperus.tasks import task, tasks

    if format == "table":
        print_list()
        return
    rows = tuple(_listed(task(name)) for name in tasks())
    show_rows("tasks", rows, format)


def _listed(task: Task) -> dict[str, object]:
    """One entry of the list."""
    from hesperus.cli.task_list import group_of, native
    from hesperus.tasks.task_registry import family

    return {
        "task": task.name,
        "benchmark": family(task.name),
        "group": group_of(task, is_edition=family(task.name) != task.name),
        "languages": list(task.languages),
        "items": task.size,
        "share": task.share,
        "licence": task.licence,
        "form": task.form,
        "parallel": task.key.parallel,
        "instructions": list(task.instructions),
        "native": list(native(task)),
        "wordings": list(task.presets),
        "description": task.description,
    }


@app.command()
@takes_flags
def show(
    name: str, *, languages: list[str] | None = None, data: str | None = None, format: Format = "table"
) -> None:
    """Show a task: what it asks, in which languages, under which licence, and an example prompt.

    The example shows field names in brackets; with --data (and for tasks that come with hesperus) it shows the first
    item.

    For example:

        hesperus tasks show paws-x --language zh

        hesperus tasks show atlas --language sw

        hesperus tasks show xcopa --data xcopa-test-{language}.jsonl --language et --format json

    Args:
        name: Task of the catalogue, or path of a task file.
        languages: Language of the example prompt (default en, else the first).
        data: File, folder or pattern with {language} that holds the items, instead of the task's own source.
    """
    from hesperus.tasks import task
    from hesperus.terminal_width import terminal_width
    from hesperus.untrusted import visible

    found = task(name)
    rows = [{"property": key, "value": value} for key, value in _facts(found)]
    prompts = _prompts(found, languages, data)
    if format != "table":
        rows += [{"property": f"prompt ({tag})", "value": prompt} for tag, prompt in prompts]
        rows += [{"property": "example", "value": example(found)}]
        show_rows("task", rows, format, columns=("property", "value"))
        return
    show_rows("task", rows[1:], format, columns=("property", "value"), lead=f"task {found.name}")
    for tag, prompt in prompts:
        typer.echo(visible(f"\nprompt in {tag}:\n\n{prompt}"))
    width = terminal_width(sys.stdout)
    run = [example(found)] if width is None else broken_command(example(found), width)
    typer.echo(visible("\n".join(["\nto run it:\n", *run])))


@app.command()
@takes_flags
def check(
    file: str, *, languages: list[str] | None = None, data: str | None = None, format: Format = "table"
) -> None:
    """Check a task file of your own; with --data and --language, its items too.

    Every instruction is rendered once. Items are read and aligned as a run would read them, and what would be left
    out is listed with its reason. Exit code 2 and one line say what is wrong.

    For example:

        hesperus tasks check my-task.yaml

        hesperus tasks check my-task.yaml --data items.csv --language en --language de --format json

    Args:
        file: Task file (YAML).
        languages: Language tag.
        data: File, folder or pattern with {language} that holds the items, instead of the task's own source.
    """
    from hesperus.tasks import load_items, task

    found = task(file)
    for tag in found.instructions:
        _rendered(found, tag, None)
    if not languages:
        typer.echo(
            f"{file}: a task of form {found.form}, instructions in {', '.join(found.instructions) or 'no language'}"
        )
        return
    items = load_items(found, languages, source=data)
    for tag, many in items.items():
        if tag in found.instructions:
            for item in many:
                _rendered(found, tag, item)
    rows = [
        {
            "item": drop.item,
            "reason": drop.reason,
            "languages": " ".join(drop.languages),
            "detail": drop.detail,
        }
        for drop in items.dropped
    ]
    if rows or format != "table":
        show_rows(
            "dropped",
            rows,
            format,
            columns=("item", "reason", "languages", "detail"),
            signature=items.coverage,
        )
    say(str(items))
    for note in items.notes:
        say(f"note: {note}")


def _facts(task: Task) -> list[tuple[str, str]]:
    """What there is to know of a task, in the order in which a person asks."""
    key = ", ".join(" or ".join(filter(None, column)) for column in task.key.columns)
    key = " and ".join(filter(None, (key, "row" if task.key.counts_rows else "")))
    facts = [
        ("task", task.name),
        ("description", task.description),
        ("form", task.form),
        ("fields", ", ".join(task.fields)),
        ("labels", ", ".join(task.labels)),
        ("languages", " ".join(task.languages) or "those of the data"),
        ("items of a language", f"{task.size:,}" if task.size else ""),
        ("instructions", _instructions(task)),
        ("source", _source(task) or "named with --data"),
        ("items only where", ", ".join(f"{column} is {' or '.join(repr(value) if value else 'empty' for value in values)}" for column, values in task.source.where.items())),
        ("editions", _editions(task)),
        ("key", key if task.key.parallel else f"{key}; languages hold different items"),
        ("gold that differs", _GOLD_ACROSS[task.gold_across] if _has_gold(task) else "there is no gold"),
        ("licence", task.licence),
        ("licence note", task.licence_note),
        ("texts may be shared", _SHARING[task.share]),
        ("citation", task.citation),
        ("url", task.url),
    ]  # fmt: skip
    more = [
        *(("wording", f"{name}: {tags}") for name, tags in _wordings(task).items()),
        *(("note", note) for note in task.notes),
        *(("known fault", f"{fault.item} in {fault.language}: {fault.reason}") for fault in task.faults),
        *(("not verified", text) for text in task.unverified),
    ]
    return [(name, text) for name, text in (*facts, *more) if text]


def _instructions(task: Task) -> str:
    """The languages in which people wrote instructions, and which of the benchmark's have none."""
    from hesperus.cli.task_list import native

    if not task.has_wording:
        return "none: a prompt is the text of the item"
    if task.asks_in_english_only:
        return "en only; those in other languages are made by a model"
    lacking = sorted(set(task.languages) - set(native(task)))
    written = f"{len(task.instructions)} languages: {' '.join(task.instructions)}"
    return f"{written}; none for {' '.join(lacking)}" if lacking else written


def example(task: Task) -> str:
    """A command that runs the task: with native versions where it has two and no options, else with senses of a model."""
    from hesperus.cli.task_list import native

    if task.example:
        return task.example
    own = [tag for tag in ("en", "de", *native(task)) if tag in native(task)]
    more = "" if task.source.hub or task.source.builtin else " --data FOLDER"
    more += " --limit 100" if (task.size or 1000) > 100 else ""
    asked = f"--task {task.name} --model openai/gpt-4o-mini"
    source = own[0] if own else next(iter(task.instructions))
    others = [tag for tag in dict.fromkeys(own) if tag != source]
    if not _has_gold(task):
        spoken = others[0] if others else "de"
        return f"hesperus run translate_then_evaluate {asked} --translator openai/gpt-4o-mini --language {spoken}{more}"
    if task.form == "text" and others:
        return f"hesperus run similarity {asked} --language {source} --language {others[0]} --scoring generate{more}"
    target = others[0] if others and task.key.parallel else "de" if source == "en" else "en"
    return f"hesperus run multisense {asked} --source {source} --target {target}{more}"


def _has_gold(task: Task) -> bool:
    """Whether the items have a right answer."""
    if task.source.builtin is None:
        return task.columns.gold is not None
    return task.form != "text" or (task.source.builtin, task.source.form) == ("atlas", "open")


_GOLD_ACROSS = {"shared": "item excluded", "per_language": "each language its own", "error": "error"}
_SHARING = {
    "yes": "yes",
    "unchanged": "unchanged only, so no translations",
    "non-commercial": "for non-commercial purposes only",
    "no": "no",
    "unknown": "not known",
}


def _editions(task: Task) -> str:
    """The other tasks of the same benchmark."""
    from hesperus.tasks import tasks
    from hesperus.tasks.task_registry import family

    base = family(task.name.partition("@")[0])
    return " ".join(name for name in tasks() if family(name) == base != name and name != task.name)


def _source(task: Task) -> str:
    """Where the data of a task lie."""
    source = task.source
    if source.builtin:
        return "comes with hesperus"
    if source.hub is None:
        return source.obtain
    return f"{source.hub} at {source.revision or f'no fixed commit ({source.revision_note})'}"


def _wordings(task: Task) -> dict[str, str]:
    """Wording to the languages that take their instruction from it, if there are several to choose from."""
    if len(task.presets) < 2:
        return {}
    base = task.name.partition("@")[0]
    return {
        name: f"{' '.join(tag for tag, of in task.wordings.items() if of == name) or 'no language'}; "
        f"`{base}@{name}` asks it first"
        for name in task.presets
    }


def _prompts(task: Task, languages: Sequence[str] | None, data: str | None) -> list[tuple[str, str]]:
    """An example prompt for each language that was asked for."""
    from hesperus.tasks import load_items

    if not task.instructions:
        return []
    tags = languages or ["en" if "en" in task.instructions else next(iter(task.instructions))]
    prompts = []
    for tag in tags:
        item = None
        if data is not None or task.source.builtin is not None:
            item = next(iter(load_items(task, tag, source=data).values()))[0]
        prompts.append((task.instruction(tag).language, _rendered(task, tag, item)))
    return prompts


def _rendered(task: Task, language: str, item: Item | None) -> str:
    from hesperus.senses import render

    return render(task.layout, task.instruction(language), item or _bracketed(task, language))


def _bracketed(task: Task, language: str) -> Item:
    """An item that shows the names of its fields, for an example without data."""
    from hesperus.types import Item

    options = tuple(f"[option {letter}]" for letter in task.labels) if task.form == "choice" else None
    words = task.instruction(language).words
    groups: dict[str, str] = {}
    for key in words:
        name, _, value = key.partition("=")
        if value:
            groups.setdefault(name, value)
    return Item("example", language, {name: f"[{name}]" for name in task.fields}, None, options, groups)
