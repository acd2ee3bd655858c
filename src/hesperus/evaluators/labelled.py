"""Texts with claims that people have labelled, read from files: what a judge is calibrated on."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from hesperus.errors import DataError

Label = Literal["supported", "not supported", "irrelevant"]
"""What people said of a claim."""

LABELS: tuple[Label, ...] = get_args(Label)

_LABELS: Mapping[str, Label] = {
    "s": "supported", "ns": "not supported", "ir": "irrelevant", **{label: label for label in LABELS}
}  # fmt: skip
_BIGGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class LabelledText:
    """A text about a topic, and its claims as people labelled them.

    Attributes:
        system: Who wrote it.
        topic: What it is about; texts of several systems meet by it.
        text: The text.
        claims: Claim and label, in order; empty where the system gave no answer.
    """

    system: str
    topic: str
    text: str
    claims: tuple[tuple[str, Label], ...]


def read_labelled(path: Path) -> list[LabelledText]:
    """Read a file of labelled texts: JSON lines, plain or gzip.

    A line has `topic`, `text` (or `output`), perhaps `system` (else the name of the file), and the claims in one of
    three layouts: `claims: [{"claim", "label"}]`; `sentences: [{"facts": [[claim, label]]}]`; or FActScore's own
    `annotations: [{"human-atomic-facts": [{"text", "label"}]}]`. Labels are supported, not supported and irrelevant, or
    S, NS and IR.

    Raises:
        DataError: The file is not that; the message says where and what.
    """
    texts = []
    for number, row in rows(path):
        topic, text = _said(row, ("topic",), path, number), _said(row, ("text", "output"), path, number)
        system = row.get("system", path.name.partition(".")[0])
        if not isinstance(system, str):
            raise DataError("must be a string", file=path, line=number, field="system")
        claims = tuple(_claims(row, path, number))
        texts.append(LabelledText(system, topic, text, claims))
    if not any(text.claims for text in texts):
        raise DataError("holds no labelled claim", file=path)
    return texts


def read_references(path: Path) -> dict[str, str]:
    """Read what is known of each topic: JSON lines, plain or gzip, with `topic` and `text`.

    Raises:
        DataError: The file is not that, or names a topic twice.
    """
    found: dict[str, str] = {}
    for number, row in rows(path):
        topic = _said(row, ("topic",), path, number)
        if topic in found:
            raise DataError(f"has the topic {topic!r} a second time", file=path, line=number)
        found[topic] = _said(row, ("text", "output"), path, number)
    return found


def known_from_others(texts: Sequence[LabelledText]) -> dict[tuple[str, str], str]:
    """What people found supported in the other systems' texts on each topic: a reference if there is no better one.

    It holds a part of what is true, so a judge that is perfect will miss true claims, and says nothing of irrelevance.

    Returns:
        (system, topic) to text, a claim a line; topics on which no other system has a supported claim are not there.
    """
    known: dict[str, list[tuple[str, str]]] = {}
    for text in texts:
        known.setdefault(text.topic, []).extend(
            (text.system, claim) for claim, label in text.claims if label == "supported"
        )
    found = {}
    for text in texts:
        lines = [claim for system, claim in known[text.topic] if system != text.system]
        if lines:
            found[text.system, text.topic] = "\n".join(dict.fromkeys(lines))
    return found


def rows(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The objects of a file of JSON lines, with their line numbers.

    Raises:
        DataError: It cannot be read, or a line is no JSON object.
    """
    if not path.is_file():
        raise DataError("is no file", file=path)
    try:
        with path.open("rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as lines:
            for number, line in enumerate(_bounded(lines, path), 1):
                if line.strip():
                    yield number, _object(line, path, number)
    except (OSError, EOFError) as error:
        raise DataError(f"cannot be read: {error}", file=path) from None


def _bounded(lines: Iterable[bytes], path: Path) -> Iterator[bytes]:
    """Lines until there are too many bytes: a small archive can hold a huge file."""
    total = 0
    for line in lines:
        total += len(line)
        if total > _BIGGEST:
            raise DataError(f"holds more than {_BIGGEST >> 20} MiB", file=path)
        yield line


def _object(line: bytes, path: Path, number: int) -> Mapping[str, object]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DataError(f"is no JSON: {error}", file=path, line=number) from None
    if not isinstance(row, dict):
        raise DataError("is no JSON object", file=path, line=number)
    return row


def _said(row: Mapping[str, object], names: Sequence[str], path: Path, number: int) -> str:
    value = next((row[name] for name in names if name in row), None)
    if not isinstance(value, str):
        raise DataError("must be a string", file=path, line=number, field=names[0])
    return value


def _claims(row: Mapping[str, object], path: Path, number: int) -> Iterator[tuple[str, Label]]:
    """The claims of any of the three layouts."""
    if "claims" in row:
        found = _listed(row["claims"])
    else:
        sentences = _listed(row.get("sentences", row.get("annotations")))
        parts = [part for part in sentences if isinstance(part, dict)]
        if len(parts) < len(sentences):
            raise DataError("has a sentence that is no object", file=path, line=number)
        found = [
            fact for part in parts for fact in _listed(part.get("facts", part.get("human-atomic-facts")))
        ]
    for fact in found:
        if isinstance(fact, dict):
            claim, label = fact.get("claim", fact.get("text")), fact.get("label")
        elif isinstance(fact, list) and len(fact) == 2:
            claim, label = fact
        else:
            claim = label = None
        known = _LABELS.get(label.strip().lower()) if isinstance(label, str) else None
        if not isinstance(claim, str) or known is None:
            raise DataError(
                f"{str(fact)[:80]!r} is no claim with a label supported, not supported or irrelevant (S, NS, IR)",
                file=path,
                line=number,
            )
        yield claim, known


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
