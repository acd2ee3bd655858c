"""The list of `hesperus tasks` for a terminal: one line a benchmark, grouped by what its languages share."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from hesperus.terminal_width import terminal_width

if TYPE_CHECKING:
    from hesperus.tasks import Task

GROUPS = {
    "builtin": "Comes with hesperus",
    "parallel": "The same questions in several languages",
    "pairs": "The same questions in one language and in English, a task for each place",
    "local": "Other questions in every language: compare each with what is made from it",
    "single": "In one language: the others are made by a model",
}
"""What the languages of a task share, to the heading under which it is listed."""

_SHARING = {"yes": "yes", "unchanged": "ND", "non-commercial": "NC", "no": "no", "unknown": "?"}
_LEGEND = (
    "native: languages of the benchmark in which people wrote the instruction; –: a prompt is the item's own text.",
    "share: whether the texts may be given to others; NC: for non-commercial purposes; ND: unchanged, so no translations.",
)
_PAIR = 2
_UNLIMITED = 10_000
_ROOM = 24
"""Columns that a description needs to be worth showing."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the list: a task, or all editions of a benchmark.

    Attributes:
        name: Of the task, or of the benchmark with ``-…``.
        task: The task, or one of the editions.
        languages: BCP-47 tags of all of them.
        description: What it asks, or what all editions ask.
    """

    name: str
    task: Task
    languages: tuple[str, ...]
    description: str


def group_of(task: Task, *, is_edition: bool) -> str:
    """What the languages of a task share: a key of GROUPS."""
    if task.source.builtin is not None:
        return "builtin"
    if is_edition and len(task.languages) <= _PAIR:
        return "pairs"
    if len(task.languages) == 1:
        return "single"
    return "parallel" if task.key.parallel else "local"


def native(task: Task) -> tuple[str, ...]:
    """The benchmark's languages in which the task has an instruction of its own."""
    return tuple(tag for tag in task.languages if task.find_instruction(tag) is not None)


def entries() -> dict[str, list[Entry]]:
    """The lines of the catalogue under each key of GROUPS."""
    from hesperus.tasks import task, tasks
    from hesperus.tasks.task_registry import family, family_description

    found: dict[str, list[Entry]] = {group: [] for group in GROUPS}
    editions: dict[str, list[Task]] = {}
    for name in tasks():
        if family(name) != name:
            editions.setdefault(family(name), []).append(task(name))
        else:
            one = task(name)
            found[group_of(one, is_edition=False)].append(Entry(name, one, one.languages, one.description))
    for name, many in editions.items():
        tags = tuple(dict.fromkeys(tag for one in many for tag in one.languages))
        shared = family_description(many[0].name)
        found[group_of(many[0], is_edition=True)].append(Entry(f"{name}-…", many[0], tags, shared))
    return found


def print_list() -> None:
    """Write the list to standard output, fitted to its width."""
    width = terminal_width(sys.stdout) or _UNLIMITED
    console = Console(highlight=False)
    for line in _lines(width):
        console.print(line, soft_wrap=True)


def _lines(width: int) -> Iterator[Text]:
    found = entries()
    every = [entry for many in found.values() for entry in many]
    wide = max(len(entry.name) for entry in every)
    terms = max(len(entry.task.licence) for entry in every)
    head = _line("", ("languages", "native", "items", "share", "licence"), wide, terms)
    room = width - len(head) - 2
    yield Text(head + ("  what it asks" if room >= _ROOM else ""), style="dim")
    for group, many in found.items():
        yield Text(textwrap.shorten(GROUPS[group], width, placeholder="…"), style="bold")
        for entry in many:
            line = _line(entry.name, _cells(entry), wide, terms)
            if room >= _ROOM:
                line += "  " + _shortened(entry.description, room)
            yield Text(line.rstrip())
    yield Text("")
    for text in _LEGEND:
        for line in textwrap.wrap(text, min(width, 120)):
            yield Text(line, style="dim")
    yield Text("`hesperus tasks NAME` shows all of one; a name with … has editions.", style="dim")


def _cells(entry: Entry) -> tuple[str, str, str, str, str]:
    one = entry.task
    served = sum(one.find_instruction(tag) is not None for tag in entry.languages)
    shown = str(served) if one.has_wording else "–"
    items = f"{one.size}" if one.size else "–"
    return (str(len(entry.languages)), shown, items, _SHARING[one.share], one.licence)


def _line(name: str, cells: tuple[str, str, str, str, str], wide: int, terms: int) -> str:
    languages, own, items, share, licence = cells
    return f"{name:<{wide}}  {languages:>9}  {own:>6}  {items:>5}  {share:<5}  {licence:<{terms}}"


def _shortened(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 1].rstrip()}…"
