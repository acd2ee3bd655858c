"""Texts with claims that people have labelled, read from files: what a judge is calibrated on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import msgspec

from hesperus.errors import DataError, UsageError
from hesperus.tables import unpacked

Label = Literal["supported", "not supported", "irrelevant"]
"""What people said of a claim."""

LABELS: tuple[Label, ...] = get_args(Label)

_LABELS: Mapping[str, Label] = {
    "s": "supported", "ns": "not supported", "ir": "irrelevant", **{label: label for label in LABELS}
}  # fmt: skip


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


class _Claim(msgspec.Struct):
    label: str
    claim: str = ""
    text: str = ""


_Fact = tuple[str, str] | _Claim


class _Sentence(msgspec.Struct, rename={"atomic": "human-atomic-facts"}):
    facts: list[_Fact] | None = None
    atomic: list[_Fact] | None = None


class _Row(msgspec.Struct):
    topic: str
    text: str | None = None
    output: str | None = None
    system: str | None = None
    claims: list[_Fact] | None = None
    sentences: list[_Sentence] | None = None
    annotations: list[_Sentence] | None = None

    def facts(self) -> Iterator[tuple[str, str]]:
        """Claims with their labels as written, from any of the three layouts."""
        parts = self.sentences or self.annotations or []
        facts = self.claims or [fact for part in parts for fact in part.facts or part.atomic or []]
        for fact in facts:
            yield (fact.claim or fact.text, fact.label) if isinstance(fact, _Claim) else fact


def read_labelled(path: Path) -> list[LabelledText]:
    """Read a file of labelled texts: JSON lines, plain or gzip.

    A line has `topic`, `text` (or `output`), perhaps `system` (else the name of the file), and the claims in one of
    three layouts: `claims: [{"claim", "label"}]`; `sentences: [{"facts": [[claim, label]]}]`; or FActScore's own
    `annotations: [{"human-atomic-facts": [{"text", "label"}]}]`. Labels are supported, not supported and irrelevant, or
    S, NS and IR.

    Raises:
        UsageError: There is no such file.
        DataError: The file is not that; the message says where and what.
    """
    texts = []
    for number, row, text in _rows(path):
        claims = tuple((claim, _label(label, claim, path, number)) for claim, label in row.facts())
        texts.append(LabelledText(row.system or path.name.partition(".")[0], row.topic, text, claims))
    if not any(text.claims for text in texts):
        raise DataError("holds no labelled claim", file=path)
    return texts


def read_references(path: Path) -> dict[str, str]:
    """Read what is known of each topic: JSON lines, plain or gzip, with `topic` and `text`."""
    found: dict[str, str] = {}
    for number, row, text in _rows(path):
        if row.topic in found:
            raise DataError(f"has the topic {row.topic!r} a second time", file=path, line=number)
        found[row.topic] = text
    return found


def known_from_others(texts: Sequence[LabelledText]) -> dict[tuple[str, str], str]:
    """What people found supported in the other systems' texts on each topic: a reference if there is no better one.

    It holds a part of what is true, so a judge that is perfect will miss true claims, and says nothing of irrelevance.

    By (system, topic), a claim a line; topics on which no other system has a supported claim are not there.
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


def _rows(path: Path) -> Iterator[tuple[int, _Row, str]]:
    """Line number, row and text of each line."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    decoder = msgspec.json.Decoder(_Row)
    for number, line in enumerate(unpacked(path).split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise DataError(f"is no labelled text: {error}", file=path, line=number) from None
        text = row.text if row.text is not None else row.output
        if text is None:
            raise DataError("must be a string", file=path, line=number, field="text")
        yield number, row, text


def _label(said: str, claim: str, path: Path, line: int) -> Label:
    known = _LABELS.get(said.strip().lower())
    if known is None or not claim:
        raise DataError(
            f"{said[:40]!r} of {claim[:80]!r} is no claim with a label supported, not supported or irrelevant (S, NS, IR)",
            file=path,
            line=line,
        )
    return known
