"""Every task of the catalogue on a small file of its columns: read whole, and each way to break the file is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hesperus.errors import DataError
from hesperus.tasks import ItemSet, Task, load_items, task, tasks
from hesperus.tasks.definition import LETTERS
from hesperus.tasks.task_parts import Options
from hesperus.tasks.task_registry import family

Row = dict[str, Any]
Table = dict[str, list[Row]]
ROWS = 4
# One edition represents all of its family: they differ in words that are put in
NAMES = tuple(dict((family(name), name) for name in tasks() if task(name).source.builtin is None).values())


def languages(found: Task) -> tuple[str, ...]:
    """Two languages of a task, or its one."""
    return (*found.languages[:1], *found.languages[-1:])[: len(found.languages)]


NO_OPTIONS = Options(columns=(("none",),))


def put(row: Row, path: str, value: object) -> None:
    """Write a value at a path with dots; where a number follows a name, the name holds a list of one mapping."""
    steps = path.split(".")
    inside = row
    for step, following in pairwise(steps):
        if step.isdecimal():
            continue
        inner = inside.setdefault(step, [{}] if following.isdecimal() else {})
        inside = inner[0] if isinstance(inner, list) else inner
    inside[steps[-1]] = value


def take(row: Row, path: str) -> tuple[Row, str]:
    """The mapping that holds the last name of a path, and that name."""
    steps = [step for step in path.split(".") if not step.isdecimal()]
    inside: Any = row
    for step in steps[:-1]:
        inside = inside[step]
        inside = inside[0] if isinstance(inside, list) else inside
    return inside, steps[-1]


def used(found: Task, code: str) -> dict[str, str]:
    """Key of the task file to the column that it names, with the code put in."""
    columns = found.columns
    keys = {f"source.where.{name}": name for name in found.source.where}
    if found.source.language_column:
        keys["source.language_column"] = found.source.language_column
    keys |= {f"columns.fields.{name}": column[0] for name, column in columns.fields.items()}
    if columns.options and columns.options.column:
        keys["columns.options"] = columns.options.column[0]
    elif columns.options:
        keys |= {
            f"columns.options.{letter}": column[0]
            for letter, column in zip(LETTERS, columns.options.columns, strict=False)
        }
    keys |= {f"columns.groups.{name}": column[0] for name, column in columns.groups.items()}
    for key, name in (("columns.gold", columns.gold), ("columns.aliases", columns.aliases)):
        keys |= {key: name[0]} if name else {}
    for column in found.key.columns:
        keys.setdefault("key.columns", next(name for name in column if name))
    return {key: name.replace("{language}", code) for key, name in keys.items()}


def gold(found: Task, options: list[str], n: int) -> object:
    """A right answer as the task's data write it."""
    read = found.gold.read
    if read == "label":
        known = list(found.gold.labels) or list(found.labels)
        return known[n % len(known)]
    return {
        "letter": "B",
        "position0": 1,
        "position1": 2,
        "option": options[1] if options else None,
        "number": 7 + n,
        "text": [f"answer {n}", f"another {n}"],
    }[read]


def row_of(found: Task, tag: str, n: int) -> Row:
    """Row ``n`` (from 0) of a language."""
    row: Row = {}
    code = found.source.code(tag)
    where = found.columns.options or NO_OPTIONS
    options = [f"{tag} {letter} {n}" for letter in "ABCD"[: len(found.labels)]]
    for key, path in used(found, code).items():
        part, _, name = key.removeprefix("columns.").partition(".")
        if part == "options" and where.column:
            separator = where.separator
            value: object = separator.join(options) if separator else options
        elif part == "options":
            place = LETTERS.index(name)
            value = f"{tag} {name} {n}" if place < min(len(where.every), len(options)) else None
        elif key == "columns.gold":
            if path.startswith(f"{used(found, code).get('columns.options')}."):
                continue
            value = gold(found, options, n)
        elif path in found.source.where:
            value = found.source.where[path][0]
        else:
            value = {
                "columns.aliases": [f"alias {n}"],
                "source.language_column": code,
            }.get(key, "cause" if name == "asks" else "law" if part == "groups" else f"{tag} {part} {n}")
        put(row, path, value)
    for column in found.key.columns:
        cut = (found.key.without or "").replace("{language}", code).replace("{tag}", tag)
        path = next(name for name in column if name)
        put(row, path, f"k{n}{cut}" if path != found.source.config_column else "law")
    if found.source.config_column and found.source.config_column not in row:
        row[found.source.config_column] = "law"
    if (
        found.key.columns
        and found.key.columns[0][0] == found.source.config_column
        and len(found.key.columns) > 1
    ):
        row[found.key.columns[1][0]] = n
    return row


def table_of(found: Task) -> Table:
    return {tag: [row_of(found, tag, n) for n in range(ROWS)] for tag in languages(found)}


def load(found: Task, folder: Path, table: Table) -> ItemSet:
    """Write the rows of each language as a file and read them as a run does."""
    folder.mkdir(exist_ok=True)
    for tag, rows in table.items():
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{tag}.jsonl").write_text(text, encoding="utf-8")
    return load_items(found, list(table), source={tag: folder / f"{tag}.jsonl" for tag in table})


def with_columns(table: Table, found: Task, key: str) -> Iterator[tuple[Row, str]]:
    """The place of a column in every row of every language."""
    for tag, rows in table.items():
        for row in rows:
            yield take(row, used(found, found.source.code(tag))[key])


every = pytest.mark.parametrize("name", NAMES)


@every
def test_a_file_of_the_columns_is_read_whole(tmp_path: Path, name: str) -> None:
    found = task(name)
    items = load(found, tmp_path, table_of(found))
    assert [len(many) for many in items.values()] == [ROWS] * len(items)
    assert not items.dropped
    assert all(item.gold is not None for many in items.values() for item in many) or not found.columns.gold
    assert not any("no gold" in note for note in items.notes)


@every
def test_each_mistyped_column_is_named_with_what_is_there_and_the_nearest(tmp_path: Path, name: str) -> None:
    found = task(name)
    tag = languages(found)[0]
    columns = used(found, found.source.code(tag))
    for place, (key, path) in enumerate(columns.items()):
        last = [step for step in path.split(".") if not step.isdecimal()][-1]
        typo = last[0] + last
        table = table_of(found)
        for inside, step in with_columns(table, found, key):
            inside[typo] = inside.pop(step, None)
        with pytest.raises(DataError) as caught:
            load(found, tmp_path / str(place), table)
        said = str(caught.value)
        assert f"{tag}.jsonl" in said and last in said, key
        assert f"did you mean {typo!r}?" in said or (len(last) == 1 and repr(typo) in said), (key, said)
        # Several keys may name one column; the error names the one that is looked for first
        same = [one for one, other in columns.items() if path.startswith(other) or other.startswith(path)]
        assert any(f"field {one!r}" in said for one in same), (key, said)


OPTIONS = tuple(name for name in NAMES if task(name).columns.options)
options = pytest.mark.parametrize("name", OPTIONS)


def change_options(found: Task, row: Row, tag: str, change: Callable[[list[Any]], list[Any]]) -> None:
    """Change the options of a row, however they lie there."""
    columns = used(found, found.source.code(tag))
    where = found.columns.options or NO_OPTIONS
    if where.column is None:
        places = [take(row, path) for key, path in columns.items() if key.startswith("columns.options.")]
        changed = change([inside[step] for inside, step in places if inside[step]])
        for place, (inside, step) in enumerate(places):
            inside[step] = changed[place] if place < len(changed) else None
        return
    inside, step = take(row, columns["columns.options"])
    separator = where.separator
    texts = inside[step].split(separator) if separator else inside[step]
    inside[step] = separator.join(change(texts)) if separator else change(texts)


@options
def test_an_empty_option_at_the_end_is_no_option_or_leaves_the_item_out(tmp_path: Path, name: str) -> None:
    found = task(name)
    table = table_of(found)
    for tag, rows in table.items():
        change_options(found, rows[3], tag, lambda texts: [*texts[:-1], ""])
    items = load(found, tmp_path, table)
    one = next(iter(items.values()))
    least = found.columns.options and found.columns.options.at_least
    if least is not None and len(found.labels) > least:
        assert not items.dropped
        assert len(one[3].options or ()) == len(one[0].options or ()) - 1
    else:
        reasons = {drop.reason for drop in items.dropped}
        assert reasons <= {"empty option", "too few options", "gold is no option"} and reasons
        assert not any(drop.detail == "1 options" for drop in items.dropped)
        assert len(one) == ROWS - 1


@options
def test_a_hole_inside_the_options_is_an_error_with_row_and_column(tmp_path: Path, name: str) -> None:
    found = task(name)
    table = table_of(found)
    tag = languages(found)[-1]
    change_options(found, table[tag][1], tag, lambda texts: ["", *texts[1:]])
    with pytest.raises(DataError) as caught:
        load(found, tmp_path, table)
    said = str(caught.value)
    columns = used(found, found.source.code(tag))
    where = (
        f"{columns['columns.options']}.0" if "columns.options" in columns else columns["columns.options.A"]
    )
    assert f"{tag}.jsonl, line 2, field {where!r}, item" in said
    assert "option 1 of" in said and "name the item under `faults`" in said


LISTED = tuple(
    name for name in OPTIONS if (where := task(name).columns.options) and where.column and not where.separator
)


@pytest.mark.parametrize("name", LISTED)
def test_a_list_written_as_text_is_the_list_or_an_error_with_its_row(tmp_path: Path, name: str) -> None:
    found = task(name)
    plain = load(found, tmp_path / "plain", table_of(found))
    for writer in (str, json.dumps):
        table = table_of(found)
        for inside, step in with_columns(table, found, "columns.options"):
            inside[step] = writer(inside[step])
        assert load(found, tmp_path / writer.__name__, table).by_language == plain.by_language
    tag = languages(found)[0]
    inside, step = take(table[tag][1], used(found, found.source.code(tag))["columns.options"])
    inside[step] = "['a', __import__('os').getcwd()]"
    with pytest.raises(
        DataError, match=r"line 2, field '\S+', item '\S+': the options are no list of texts and numbers"
    ):
        load(found, tmp_path / "broken", table)


GOLD = tuple(name for name in NAMES if task(name).columns.gold)
OWN_GOLD = tuple(name for name in GOLD if not task(name).columns.gold[0].endswith(".0"))  # type: ignore[index]


@pytest.mark.parametrize("name", OWN_GOLD)
def test_a_missing_gold_is_counted_or_leaves_the_item_out(tmp_path: Path, name: str) -> None:
    found = task(name)
    table = table_of(found)
    tag = languages(found)[-1]
    inside, step = take(table[tag][1], used(found, found.source.code(tag))["columns.gold"])
    inside[step] = None
    if found.columns.aliases:
        inside, step = take(table[tag][1], used(found, found.source.code(tag))["columns.aliases"])
        inside[step] = []
    items = load(found, tmp_path, table)
    alone = len(table) == 1 or not found.key.parallel
    if alone:
        assert "1 item without gold, counted for no accuracy" in items.notes
    elif found.gold_across == "per_language":
        assert any(note.startswith("1 item without gold in some languages") for note in items.notes)
    else:
        assert [(drop.reason, drop.languages) for drop in items.dropped] == [("gold missing", (tag,))]


@pytest.mark.parametrize("name", [name for name in OWN_GOLD if task(name).gold.read != "text"])
def test_a_gold_out_of_range_is_never_taken(tmp_path: Path, name: str) -> None:
    found = task(name)
    tag = languages(found)[0]
    for wrong in ("Z", "99", "-1", "no such answer"):
        if found.gold.read == "number" and wrong in ("99", "-1"):
            continue
        table = table_of(found)
        inside, step = take(table[tag][1], used(found, found.source.code(tag))["columns.gold"])
        inside[step] = wrong
        if found.gold.read == "option":
            items = load(found, tmp_path / wrong[:2], {tag: table[tag]})
            assert [drop.reason for drop in items.dropped] == ["gold is no option"]
            continue
        if found.gold.only_numbers:
            items = load(found, tmp_path / wrong[:2], table)
            assert [drop.reason for drop in items.dropped] == ["gold is no number"]
            continue
        with pytest.raises(DataError) as caught:
            load(found, tmp_path / wrong[:2], table)
        assert f"{tag}.jsonl, line 2, field {step!r}" in str(caught.value) or step in str(caught.value)
        assert f"unknown gold: {wrong!r}" in str(caught.value)


@every
def test_an_id_that_stands_twice_is_an_error_where_there_are_ids(tmp_path: Path, name: str) -> None:
    found = task(name)
    table = table_of(found)
    tag = languages(found)[0]
    table[tag][2] = deepcopy(table[tag][1])
    if found.key.row:
        if found.gold_across != "error" or found.gold.read not in ("label", "number"):
            assert len(load(found, tmp_path, {tag: table[tag]})[tag]) == ROWS
        return
    with pytest.raises(DataError, match=r"line 3, item '\S+': this id stands twice, here and at 2"):
        load(found, tmp_path, table)


@pytest.mark.parametrize("name", [name for name in NAMES if len(languages(task(name))) > 1])
def test_rows_that_one_language_lacks_are_listed_or_an_error(tmp_path: Path, name: str) -> None:
    found = task(name)
    table = table_of(found)
    tag = languages(found)[-1]
    del table[tag][1]
    if not found.key.parallel:
        assert [len(many) for many in load(found, tmp_path, table).values()] == [ROWS, ROWS - 1]
    elif found.key.counts_rows:
        with pytest.raises(DataError, match=rf"3 rows in '{tag}', 4 in .* must match row by row"):
            load(found, tmp_path, table)
    else:
        items = load(found, tmp_path, table)
        assert [(drop.reason, drop.languages) for drop in items.dropped] == [("missing", (tag,))]
        assert items.coverage == {"kept": ROWS - 1, "missing": 1}


@every
def test_an_empty_field_leaves_the_item_out_and_names_it(tmp_path: Path, name: str) -> None:
    found = task(name)
    table = table_of(found)
    tag = languages(found)[-1]
    fields = [key for key in used(found, found.source.code(tag)) if key.startswith("columns.fields.")]
    inside, step = take(table[tag][1], used(found, found.source.code(tag))[fields[-1]])
    inside[step] = None
    items = load(found, tmp_path, table)
    if len(fields) == 1 and not found.key.columns:
        # A blank line of a file without ids; where languages are matched by row, the others tell that it is missing
        assert [drop.reason for drop in items.dropped] == ["missing"] * (
            len(table) > 1 and found.key.parallel
        )
        return
    # A row without any field is an item that the language lacks
    reason = "missing" if len(fields) == 1 else "empty field"
    assert [(drop.reason, drop.languages) for drop in items.dropped] == [(reason, (tag,))]
