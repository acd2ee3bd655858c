"""Answers corrected by hand: a reviewed file, each line tied to the exact reply that the reviewer saw.

CSV with the columns below, or YAML with a list of mappings of the same keys. A reply is named by its hash, or is
there itself; when the model is asked again and says something else, the correction is stale and not applied.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hesperus.errors import DataError, UnknownNameError
from hesperus.spreadsheets import unguarded
from hesperus.strict_yaml import read_yaml
from hesperus.text_files import read_text
from hesperus.types import OUTCOMES, Answer

KEYS = ("model", "task", "item", "instruction", "input", "repeat")
"""What names a record."""

_SAID = ("reply_hash", "reply")
_MEANT = ("label", "outcome")
_COLUMNS = (*KEYS, *_SAID, *_MEANT, "note")
_HAND_OUTCOMES = tuple(outcome for outcome in OUTCOMES if outcome not in ("answered", "error"))

RecordKey = tuple[str, str, str, str, str, int]
"""model, task, item, instruction, input, repeat."""


def reply_hash(reply: str) -> str:
    """16 hexadecimal digits of BLAKE2b over the reply's UTF-8: what an override names a reply by."""
    return hashlib.blake2b(reply.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Override:
    """One answer as a person read it.

    Attributes:
        key: The record.
        reply_hash: Hash of the reply that the person saw (see `reply_hash`).
        answer: What it means; the rule is `override`.
        note: The reviewer's reason.
        line: Line of the file.
    """

    key: RecordKey
    reply_hash: str
    answer: Answer
    note: str
    line: int


@dataclass(frozen=True, slots=True)
class Overrides:
    """The corrections of one file.

    Attributes:
        file: Where they are.
        by_key: Record to correction.
    """

    file: str
    by_key: Mapping[RecordKey, Override]

    def answer(self, key: RecordKey, reply: str) -> Answer | None:
        """The correction of a record, if it was made for this very reply."""
        override = self.by_key.get(key)
        return override.answer if override is not None and override.reply_hash == reply_hash(reply) else None

    def check_labels(self, task: str, labels: tuple[str, ...]) -> None:
        """Refuse labels that a task does not have.

        Raises:
            DataError: Naming the line and the labels there are.
        """
        for override in self.by_key.values():
            label = override.answer.label
            if override.key[1] == task and label is not None and label not in labels:
                message = str(UnknownNameError(f"label of {task}", label, labels))
                raise DataError(message, file=self.file, line=override.line, field="label")


def load_overrides(path: Path | str) -> Overrides:
    """Read a file of corrections.

    Args:
        path: CSV, TSV or YAML (by its ending) with `model, task, item, instruction, input`, `repeat` (1 where it is
            absent), `reply_hash` or `reply`, `label` or `outcome`, and `note`, which says why and may not be empty.

    Raises:
        UsageError: The file cannot be opened.
        DataError: The file or an entry breaks this form; names the line.
    """
    path = Path(path)
    text = read_text(path, "corrections")
    entries = _yaml_entries if path.suffix.lower() in (".yaml", ".yml") else _csv_entries
    found: dict[RecordKey, Override] = {}
    for line, entry in entries(text, path):
        override = _override(entry, line, path)
        first = found.setdefault(override.key, override)
        if first is not override:
            raise DataError(f"the same record as line {first.line}; keep one of them", file=path, line=line)
    return Overrides(str(path), found)


def _csv_entries(text: str, path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    rows = csv.reader(
        io.StringIO(text), delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True
    )
    try:
        header = next(rows, [])
        _check_keys(header, 1, path)
        line = rows.line_num + 1
        for row in rows:
            if row:
                if len(row) != len(header):
                    raise DataError(f"{len(row)} values for {len(header)} columns", file=path, line=line)
                yield line, dict(zip(header, map(unguarded, row), strict=True))
            line = rows.line_num + 1
    except csv.Error as error:
        raise DataError(f"no CSV: {error}", file=path, line=rows.line_num) from error


def _yaml_entries(text: str, path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    found = read_yaml(text, path, is_text=True)
    if found.value is None:
        return
    if not isinstance(found.value, list):
        raise DataError("expected a list of entries, each beginning with '- model: …'", file=path, line=1)
    for place, entry in enumerate(found.value):
        line = found.lines[str(place)]
        if not isinstance(entry, dict):
            raise DataError("expected keys with plain values", file=path, line=line)
        texts = {name: value for name, value in entry.items() if isinstance(value, str)}
        if len(texts) < len(entry):
            raise DataError("expected keys with plain values", file=path, line=line)
        _check_keys(list(texts), line, path)
        yield line, texts


def _check_keys(names: list[str], line: int, path: Path) -> None:
    for name in names:
        if name not in _COLUMNS:
            raise DataError(str(UnknownNameError("column", name, _COLUMNS)), file=path, line=line)
        if names.count(name) > 1:
            raise DataError("is given twice", file=path, line=line, field=name)
    absent = [name for name in (*KEYS[:-1], "note") if name not in names]
    absent += [" or ".join(either) for either in (_SAID, _MEANT) if not set(either) & set(names)]
    if absent:
        raise DataError(f"missing: {', '.join(absent)}", file=path, line=line)


def _override(entry: Mapping[str, str], line: int, path: Path) -> Override:
    for name in (*KEYS[:-1], "note"):
        if not entry[name].strip():
            raise DataError("is empty", file=path, line=line, field=name)
    repeat = entry.get("repeat", "").strip() or "1"
    if not (repeat.isascii() and repeat.isdecimal() and int(repeat) > 0):
        raise DataError(
            f"expected a whole number from 1, found {repeat!r}", file=path, line=line, field="repeat"
        )
    model, task, item, instruction, input_ = (entry[name] for name in KEYS[:-1])
    return Override(
        key=(model, task, item, instruction, input_, int(repeat)),
        reply_hash=_hash(entry, line, path),
        answer=_answer(entry.get("label", "").strip(), entry.get("outcome", "").strip(), line, path),
        note=entry["note"].strip(),
        line=line,
    )


def _hash(entry: Mapping[str, str], line: int, path: Path) -> str:
    given, reply = entry.get("reply_hash", "").strip().lower(), entry.get("reply", "")
    if not given and not reply:
        raise DataError("give the reply, or its hash as reply_hash", file=path, line=line)
    if not given:
        return reply_hash(reply)
    if len(given) != 16 or set(given) - set("0123456789abcdef"):
        raise DataError("expected 16 hexadecimal digits", file=path, line=line, field="reply_hash")
    if reply and reply_hash(reply) != given:
        raise DataError(
            "is not the hash of the reply in the same entry", file=path, line=line, field="reply_hash"
        )
    return given


def _answer(label: str, outcome: str, line: int, path: Path) -> Answer:
    if outcome in ("", "answered") and label:
        return Answer("answered", label, "override")
    if label:
        raise DataError(f"a label goes with the outcome 'answered', not {outcome!r}", file=path, line=line)
    for known in _HAND_OUTCOMES:
        if outcome == known:
            return Answer(known, None, "override")
    if outcome in ("", "answered"):
        raise DataError("give a label, or an outcome other than 'answered'", file=path, line=line)
    message = str(UnknownNameError("outcome", outcome, ("answered", *_HAND_OUTCOMES)))
    raise DataError(message, file=path, line=line, field="outcome")
