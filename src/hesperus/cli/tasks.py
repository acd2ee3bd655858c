"""`hesperus tasks`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.help import Commands
from hesperus.cli.measure_flags import Format

if TYPE_CHECKING:
    from hesperus.tasks import Task
    from hesperus.types import Item

app = Commands()

_DATA = typer.Option(
    help="File, folder or pattern with {language} that holds the items, instead of the task's own source."
)
_LANGUAGE = typer.Option(help="Language tag; repeatable where items are read.")


@app.callback(invoke_without_command=True)
def command(context: typer.Context) -> None:
    """The benchmarks that can be asked, and files of your own.

    Without a command, this lists the catalogue. A file of your own (YAML) is used wherever a task's name is:
    `--task my-task.yaml`.
    """
    if context.invoked_subcommand is None:
        listing()


@app.command("list")
def listing(format: Format = "table") -> None:
    """List the benchmarks of the catalogue: languages, items of a language, licence, and whether texts may be shared.

    `share` is yes, unchanged (no translations), non-commercial, no, or unknown. `--format json` also lists the
    languages, and the columns that a narrow terminal has no room for.

    For example:

        hesperus tasks list

        hesperus tasks list --format json
    """
    from hesperus.analysis.table import Table
    from hesperus.reports.formats import print_table
    from hesperus.tasks import task, tasks

    rows = tuple(_listed(task(name)) for name in tasks())
    columns = _NARROW if format == "table" else tuple(rows[0])
    if format == "table":
        rows = tuple({**row, "languages": len(task(str(row["task"])).languages)} for row in rows)
    print_table(Table("tasks", columns, rows, {}), format)


_NARROW = ("task", "languages", "items", "share", "licence")
"""The columns that fit a line of 80."""


def _listed(task: Task) -> dict[str, object]:
    """One entry of the list."""
    return {
        "task": task.name,
        "languages": list(task.languages),
        "items": task.size,
        "share": task.share,
        "licence": task.licence,
        "form": task.form,
        "parallel": task.key.parallel,
        "instructions": list(task.instructions),
        "wordings": list(task.presets),
        "description": task.description,
    }


@app.command()
def show(
    name: Annotated[
        str, typer.Argument(help="Task of the catalogue, or path of a task file.", show_default=False)
    ],
    language: Annotated[
        list[str] | None, typer.Option(help="Language of the example prompt (default en, else the first).")
    ] = None,
    data: Annotated[str | None, _DATA] = None,
    format: Format = "table",
) -> None:
    """Show a task: what it asks, in which languages, under which licence, and an example prompt.

    The example shows field names in brackets; with --data (and for tasks that come with hesperus) it shows the first
    item.

    For example:

        hesperus tasks show paws-x --language zh

        hesperus tasks show atlas --language sw

        hesperus tasks show xcopa --data xcopa-test-{language}.jsonl --language et --format json
    """
    from hesperus.analysis.table import Table
    from hesperus.reports.formats import print_table
    from hesperus.tasks import task
    from hesperus.untrusted import visible

    found = task(name)
    rows = [{"property": key, "value": value} for key, value in _facts(found)]
    prompts = _prompts(found, language, data)
    if format != "table":
        rows += [{"property": f"prompt ({tag})", "value": prompt} for tag, prompt in prompts]
        print_table(Table("task", ("property", "value"), tuple(rows), {}), format)
        return
    print_table(Table("task", ("property", "value"), tuple(rows[1:]), {}), format, lead=f"task {found.name}")
    for tag, prompt in prompts:
        typer.echo(visible(f"\nprompt in {tag}:\n\n{prompt}"))


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="Task file (YAML).", show_default=False)],
    language: Annotated[list[str] | None, _LANGUAGE] = None,
    data: Annotated[str | None, _DATA] = None,
    format: Format = "table",
) -> None:
    """Check a task file of your own; with --data and --language, its items too.

    Every instruction is rendered once. Items are read and aligned as a run would read them, and what would be left
    out is listed with its reason. Exit code 2 and one line say what is wrong.

    For example:

        hesperus tasks check my-task.yaml

        hesperus tasks check my-task.yaml --data items.csv --language en --language de --format json
    """
    from hesperus.analysis.table import Table
    from hesperus.reports.formats import print_table
    from hesperus.tasks import load_items, task

    found = task(file)
    for tag in found.instructions:
        _rendered(found, tag, None)
    if not language:
        typer.echo(
            f"{file}: a task of form {found.form}, instructions in {', '.join(found.instructions) or 'no language'}"
        )
        return
    items = load_items(found, language, source=data)
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
        print_table(
            Table("dropped", ("item", "reason", "languages", "detail"), tuple(rows), items.coverage), format
        )
    typer.echo(str(items), err=True)
    for note in items.notes:
        typer.echo(f"note: {note}", err=True)


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
        ("instructions", " ".join(task.instructions)),
        ("source", _source(task) or "named with --data"),
        ("items only where", ", ".join(f"{column} is {' or '.join(map(repr, values))}" for column, values in task.source.where.items())),
        ("key", key if task.key.parallel else f"{key}; languages hold different items"),
        ("gold that differs", {"shared": "item left out", "per_language": "each language its own", "error": "error"}[task.gold.across]),
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


_SHARING = {
    "yes": "yes",
    "unchanged": "unchanged only, so no translations",
    "non-commercial": "for non-commercial purposes only",
    "no": "no",
    "unknown": "not known",
}


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


def _prompts(task: Task, languages: list[str] | None, data: str | None) -> list[tuple[str, str]]:
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
