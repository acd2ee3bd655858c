"""Files that users write: YAML of every kind, and tables."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import polars as pl
from polars.testing import assert_frame_equal

from hesperus.annotation.scheme import read_scheme, scheme_text
from hesperus.answers import load_overrides
from hesperus.api.studies import study_declaration
from hesperus.records import conform
from hesperus.spreadsheets import unguarded
from hesperus.strict_yaml import read_yaml
from hesperus.studies.prices import read_prices
from hesperus.tables import read_table, write_table
from hesperus.tasks import load_items, task

from .draws import DEEP, ODD_NUMBERS, ODD_TEXTS, damaged, mutated, odd_value, written
from .trying import Changed

STUDY = """\
study: multisense
tasks: [{task: atlas, limit: 5}]   # a comment
models: [pocket/m, openai/gpt-4o-mini]
source: en
targets: [de, zh-Hant]
drawing: {temperature: 0.25, max_tokens: 256}
budget: {money: 2.5}
request:
  reasoning_effort: "low"
  stop: ['a', "b\\n"]
exclude: {x: 'wrong gold', y: |
    two
    lines
  }
"""
PRICES = """\
currency: USD
as_of: 2025-06
models:
  openai/gpt-4o: {input: 2.50, output: 10.00}
  a/b: {input: 0, output: .5}
"""
OVERRIDES = """\
- {model: m, task: t, item: q1, instruction: en, input: en, reply: "perhaps", label: yes, note: said so}
- model: m
  task: t
  item: q2
  instruction: de
  input: de
  repeat: 2
  reply: "no"
  outcome: refused
  note: declined
"""
_TOKENS = (
    "---", "...", "&a ", "*a", "!!float ", "!x ", "? ", ": ", "- ", "| \n", "> \n", "<<: ", "%YAML 1.2\n", "#", "'", '"', "{", "}", "[", "]", ",", "\t",
    "\n", "\n  ", "0x1F", "1_000", "0o7", "2025-01-01", "~", ".inf", ".nan", "yes", "NO", "1e400", "[" * 50, "a: " * 30, "\x00", "\x85", "\ufeff", "\ud800",
)  # fmt: skip
"""Pieces of YAML that mean something somewhere."""


def yaml(rng: random.Random, folder: Path) -> None:
    """Text as YAML: refused, or a value that a harmless change of the text leaves as it is."""
    text = _yaml_text(
        rng, rng.choice((STUDY, PRICES, OVERRIDES, json.dumps({"a": [1, "b", None], "c": {"d": 0.5}})))
    )
    read = read_yaml(text, "x.yaml").value
    _all_plain(read)
    if "|" in text or ">" in text or '"' in text or "'" in text:
        return  # in a text of several lines, blanks and # are its own
    harmless = rng.choice(
        (f"# note\n{text}", f"{text}\n# note\n", text.replace("\n", "\r\n"), f"\n{text}\n\n")
    )
    if text.startswith(("%", "\ufeff", "---")) or "\r" in text or "..." in text:
        return
    again = read_yaml(harmless, "x.yaml").value
    if repr(again) != repr(read):
        raise Changed(f"YAML: {read!r} became {again!r}; {harmless[:200]!r}")


def _yaml_text(rng: random.Random, text: str) -> str:
    for _ in range(rng.randrange(4)):
        place = rng.randint(0, len(text))
        stop = min(len(text), place + rng.randrange(12))
        piece = rng.choice((rng.choice(_TOKENS), rng.choice(ODD_TEXTS), "", text[place:stop] * 2))
        text = text[:place] + piece + text[stop:]
    return text if rng.random() < 0.98 else text + "\n" + rng.choice(("[", "{a: ", "- ")) * DEEP


def _all_plain(value: object) -> None:
    """Nothing but what the reader promises."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one
        elif not isinstance(one, None | bool | int | float | str) or one != one:
            raise Changed(f"YAML: {one!r} is no plain value")


_STUDIES: dict[str, dict[str, Any]] = {
    "multisense": {
        "study": "multisense",
        "task": "atlas",
        "sample": {"n": 5, "seed": 1},
        "models": ["pocket/m", "openai/gpt-4o-mini"],
        "source": ["en"],
        "target": ["de", "zh"],
        "answers": {"temperature": 0.25, "max_tokens": 256},
        "budget": {"money": 2.5},
        "request": {"stop": ["a"]},
        "exclude": {"x": "wrong"},
        "concurrency": 8,
    },
    "similarity": {"study": "similarity", "task": "atlas", "models": ["pocket/m"], "languages": ["en", "de"]},
    "translate_then_evaluate": {
        "study": "translate_then_evaluate",
        "task": "atlas-describe",
        "models": ["pocket/l"],
        "languages": ["de"],
        "translator": "pocket/l",
    },
    "translation_tax": {
        "study": "translation_tax",
        "task": "atlas",
        "models": ["pocket/m"],
        "target": ["zh"],
    },
}


def studies(rng: random.Random, folder: Path) -> None:
    """The values of a study file: refused, or a study that is written and read as the same."""
    name = rng.choice(list(_STUDIES))
    values = mutated(rng, _STUDIES[name])
    if not isinstance(values, dict):
        values = {"study": values}
    declaration = study_declaration(name)
    study = declaration.from_mapping(values, file="study.yaml")
    written_out = study.model_dump(mode="json")
    again = declaration.from_mapping(written_out, file="study.yaml")
    if again.model_dump(mode="json") != written_out and "nan" not in repr(written_out):
        raise Changed(f"study: {written_out!r} was read as {again.model_dump(mode='json')!r}")


def yaml_files(rng: random.Random, folder: Path) -> None:
    """Files of YAML other than studies and tasks: prices, corrections, schemes of raters."""
    kind = rng.randrange(3)
    path = folder / "file.yaml"
    source = (PRICES, OVERRIDES, scheme_text("qc"))[kind]
    path.write_bytes(_yaml_text(rng, source).encode("utf-8", "surrogatepass"))
    (read_prices, load_overrides, read_scheme)[kind](path)


_TASK: dict[str, Any] = {
    "name": "quiz",
    "description": "Mine.",
    "form": "choice",
    "fields": ["question"],
    "options": "3",
    "layout": "{question} {options}",
    "source": {"where": {"kind": ["a", ""]}},
    "columns": {
        "fields": {"question": "question"},
        "options": {"columns": ["a", "b", "c"]},
        "gold": "gold",
        "groups": {"subject": "info.subject"},
    },
    "gold": {"read": "letter", "unanswered": ["@"]},
    "key": {"columns": ["id"]},
}
_TASK_ROWS = [
    {
        "id": "q1",
        "question": "Q?",
        "a": "x",
        "b": "y",
        "c": "z",
        "gold": "B",
        "kind": "a",
        "info": {"subject": "s"},
    },
    {
        "id": "q2",
        "question": "R?",
        "a": "u",
        "b": "v",
        "c": "",
        "gold": "A",
        "kind": "",
        "info": {"subject": "s"},
    },
]


def tasks(rng: random.Random, folder: Path) -> None:
    """A task file and its data: refused, or items."""
    file, data = folder / "quiz.yaml", folder / "quiz.jsonl"
    declared = mutated(rng, _TASK) if rng.random() < 0.5 else _TASK
    file.write_bytes(json.dumps(declared).encode("utf-8", "surrogatepass"))
    rows = [
        written(rng, mutated(rng, row) if rng.random() < 0.6 else row).replace(b"\n", b" ")
        for row in _TASK_ROWS
    ]
    held = b"\n".join(rows)
    data.write_bytes(damaged(rng, held) if rng.random() < 0.1 else held)
    load_items(task(str(file)), ["en"], source=data)


_ROWS = (
    {"model": "m", "item": "01", "answer": "A", "text": "one, two"},
    {"model": "m", "item": "1", "answer": "", "text": 'say "no"\nthen'},
    {"model": "n", "item": "2", "answer": "=1+1", "text": "'-x"},
)


def tables(rng: random.Random, folder: Path) -> None:
    """A table: refused, or the same after a harmless change and after it was written and read again."""
    ending = rng.choice((".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".jsonl.gz"))
    data = _table_bytes(rng, ending)
    path = folder / f"table{ending}"
    path.write_bytes(gzip.compress(data, 1, mtime=0) if ending.endswith(".gz") else data)
    frame = read_table(path)
    kind = ending.removesuffix(".gz").removeprefix(".")
    if kind == "parquet":
        return
    if "\ufeff" in data.decode("utf-8", "replace") or b"\r\r" in data:
        return  # is taken off at the beginning, wherever it comes from; how many ends of lines these are is a matter of taste
    ended = data if data.endswith(b"\n") or data.count(b'"') % 2 else data + b"\n"
    harmless = rng.choice((b"\xef\xbb\xbf" + data, ended))
    plain = folder / f"again.{kind}"
    plain.write_bytes(harmless)
    _alike(frame, read_table(plain), f"a byte order mark or last end of a line: {harmless[:300]!r}")
    if kind == "jsonl":
        return
    _as_the_standard_library_reads(frame, data, "\t" if kind == "tsv" else ",")
    write_table(frame, plain, kind)
    _alike(frame, read_table(plain), f"written and read: {data[:300]!r}")


def _as_the_standard_library_reads(frame: pl.DataFrame, data: bytes, separator: str) -> None:
    """As many rows, with the same cells, where the other reader takes the file at all."""
    try:
        read = csv.reader(map(bytes.decode, io.BytesIO(data)), delimiter=separator, strict=True)
        rows = [row for row in read if row]
    except (csv.Error, UnicodeDecodeError):
        return
    if any(len(row) > len(rows[0]) for row in rows):
        return  # taken as one cell where a quotation mark begins in the middle: a"b,c" is no form of CSV
    held = [[unguarded(cell) for cell in row] for row in rows[1:]]
    ours = [[cell or "" for cell in row] for row in frame.iter_rows() if any(row) or frame.width == 1]
    theirs = [row + [""] * (frame.width - len(row)) for row in held if any(row) or frame.width == 1]
    if ours != theirs:
        raise Changed(f"rows: {ours!r} are {theirs!r} to the standard library; {data[:300]!r}")


def _alike(one: pl.DataFrame, other: pl.DataFrame, what: str) -> None:
    if one.schema == other.schema and one.equals(other):
        return
    try:
        assert_frame_equal(one, other)
    except AssertionError as error:
        raise Changed(f"{what} {str(error)[:200]}") from None


def _table_bytes(rng: random.Random, ending: str) -> bytes:
    rows = [
        {key: rng.choice((value, value, rng.choice(ODD_TEXTS))) for key, value in row.items()}
        for row in _ROWS
    ]
    if rng.random() < 0.3:
        rows = [
            {rng.choice((key, rng.choice(ODD_TEXTS))): value for key, value in row.items()} for row in rows
        ]
    if ending.startswith(".jsonl"):
        lines = [
            written(rng, mutated(rng, row) if rng.random() < 0.4 else row).replace(b"\n", b" ")
            for row in rows
        ]
        data = b"\n".join(lines)
    elif ending == ".parquet":
        sink = io.BytesIO()
        pl.DataFrame({"a": [1, 2], "b": ["x", None]}).write_parquet(sink)
        data = damaged(rng, sink.getvalue())
    else:
        names = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO(newline="")
        out = csv.writer(
            text,
            delimiter="\t" if ending == ".tsv" else ",",
            lineterminator=rng.choice(("\n", "\r\n")),
            quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        )
        out.writerows([names, *([row.get(name, "") for name in names] for row in rows)])
        data = text.getvalue().encode("utf-8", "surrogatepass")
    return damaged(rng, data) if rng.random() < 0.4 else data


_RECORD: dict[str, Any] = {
    "model": "m", "task": "t", "item": "1", "instruction": "en", "input": "de_from_en", "repeat": 1, "outcome": "answered", "answer": "A", "gold": "B",
    "options": ["A", "B"], "probs": [0.25, 0.75], "reply": "A.",
}  # fmt: skip


def records(rng: random.Random, folder: Path) -> None:
    """A records table from outside: refused, or one that is taken as it is the second time."""
    rows = [{**_RECORD, "item": str(number)} for number in range(3)]
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in _RECORD}
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(columns))
        match rng.randrange(5):
            case 0:
                del columns[name]
            case 1:
                columns[name] = [odd_value(rng) for _ in rows]
            case 2:
                columns[name] = [rng.choice(ODD_TEXTS + ODD_NUMBERS)] * 3
            case 3:
                columns[rng.choice(ODD_TEXTS)] = [odd_value(rng) for _ in rows]
            case _:
                columns[name][rng.randrange(3)] = odd_value(rng)
        if not columns:
            return
    try:
        frame = pl.DataFrame(columns, strict=rng.random() < 0.5)
    except (pl.exceptions.PolarsError, TypeError, OverflowError, ValueError):
        return  # no table at all
    frame = frame.select(
        name for name, kind in frame.schema.items() if kind != pl.Object()
    )  # no file holds those
    taken = conform(frame, file="records.parquet")
    _alike(taken, conform(taken), "records taken twice")
