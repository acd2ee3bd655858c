"""The one reader of YAML: untrusted text in, plain values out, every fault named with its line.

Less than YAML allows, on purpose. No aliases and no tags: with them, a small file grows without end or makes objects. No
key twice: one of the two values would be lost. No dates, and no `yes` or `no` as truth values: they stay the text that
was written, so `languages: [no]` is Norwegian. Whole and decimal numbers, `true`, `false` and `null` are what they look
like, and a value in quotes is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeVar

import msgspec
import yaml

from hesperus.errors import DataError
from hesperus.text_files import read_text

T = TypeVar("T")

Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]

LONGEST = 20_000_000
"""Characters of a file; a study that lists 100,000 excluded items has a tenth of it."""

DEEPEST = 20
"""Levels of lists and mappings."""

_LONGEST_NUMBER = 40
_WORDS: Mapping[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?")
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


@dataclass(frozen=True, slots=True)
class Document:
    """What a YAML file holds.

    Attributes:
        value: Its one value.
        lines: Line of each key and each list entry, by its path: ``columns.gold``, ``fields.0``.
    """

    value: Value
    lines: Mapping[str, int]

    def line(self, path: str) -> int | None:
        """The line of a path, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path.rpartition(".")[0]
        return self.lines.get(path)


@dataclass(slots=True)
class _Open:
    """A list or mapping that has not ended yet."""

    path: str
    value: list[Value] | dict[str, Value]
    key: str | None = None


@dataclass(slots=True)
class _Building:
    """The values read so far, without recursion: a hostile file cannot exhaust the stack."""

    file: object
    is_text: bool
    deepest: int
    lines: dict[str, int] = field(default_factory=dict)
    around: list[_Open] = field(default_factory=list)
    value: Value = None
    documents: int = 0

    def take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 1
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise DataError(
                    "a second document begins (---); one file holds one", file=self.file, line=line
                )
        elif anchor:
            name = f"{'*' if isinstance(event, yaml.AliasEvent) else '&'}{anchor}"
            raise DataError(f"YAML aliases ({name}) are not taken; write it out", file=self.file, line=line)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.around.pop()

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._refuse_tag(event.tag, line)
        inner = self.around[-1] if self.around else None
        if inner is not None and isinstance(inner.value, dict) and inner.key is None:
            self._key(inner, event.value, line)
            return
        path = self._path(line)
        is_plain = event.implicit[0] and not self.is_text
        self._put(_meant(event.value, self.file, line, path) if is_plain else event.value)

    def _open(self, event: yaml.CollectionStartEvent, line: int) -> None:
        self._refuse_tag(event.tag, line)
        inner = self.around[-1] if self.around else None
        if inner is not None and isinstance(inner.value, dict) and inner.key is None:
            raise DataError("a key must be plain text", file=self.file, line=line)
        if len(self.around) >= self.deepest:
            raise DataError(f"nested deeper than {self.deepest} levels", file=self.file, line=line)
        path = self._path(line)
        value: list[Value] | dict[str, Value] = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self._put(value)
        self.around.append(_Open(path, value))

    def _key(self, inner: _Open, name: str, line: int) -> None:
        path = f"{inner.path}.{name}" if inner.path else name
        if name in inner.value:
            raise DataError("this key is given twice", file=self.file, line=line, field=path)
        self.lines[path] = line
        inner.key = name

    def _path(self, line: int) -> str:
        """The path of the value that comes now."""
        if not self.around:
            return ""
        inner = self.around[-1]
        step = inner.key if isinstance(inner.value, dict) else str(len(inner.value))
        path = f"{inner.path}.{step}" if inner.path else str(step)
        self.lines.setdefault(path, line)
        return path

    def _put(self, value: Value) -> None:
        if not self.around:
            self.value = value
            return
        inner = self.around[-1]
        if isinstance(inner.value, list):
            inner.value.append(value)
        else:
            assert inner.key is not None
            inner.value[inner.key], inner.key = value, None

    def _refuse_tag(self, tag: str | None, line: int) -> None:
        if tag is not None:
            shown = tag.replace("tag:yaml.org,2002:", "!!")[:60]
            raise DataError(f"YAML tags ({shown}) are not taken; leave it out", file=self.file, line=line)


def read_yaml(
    text: str, file: object, *, is_text: bool = False, longest: int = LONGEST, deepest: int = DEEPEST
) -> Document:
    """Read YAML.

    Args:
        text: The file's text.
        file: Named in errors.
        is_text: Whether every value is the text that was written, numbers and `true` included.
        longest: Characters that such a file may have.
        deepest: Levels that it may have.

    Raises:
        DataError: No YAML, or YAML that is not taken: see the module; names the line.
    """
    if len(text) > longest:
        raise DataError(f"{len(text):,} characters; such a file has at most {longest:,}", file=file)
    if not text.isascii() and (half := _HALF_A_PAIR.search(text)):
        at = text.count("\n", 0, half.start()) + 1
        raise DataError("half a surrogate pair, which is no character", file=file, line=at)
    building = _Building(file, is_text, deepest)
    try:
        for event in _events(text):
            building.take(event)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable"
        # What breaks off is noticed behind the last line.
        line = min(mark.line, text.rstrip("\n").count("\n")) + 1 if mark else None
        raise DataError(f"no YAML: {said}", file=file, line=line) from None
    return Document(building.value, building.lines)


def read_yaml_file(
    path: Path | Traversable,
    kind: str,
    *,
    file: object = None,
    is_text: bool = False,
    longest: int = LONGEST,
) -> Document:
    """Read a YAML file.

    Args:
        path: The file.
        kind: What it is, for messages: ``study``, ``price file``.
        file: Its name in messages; None for its path.
        is_text: See read_yaml.
        longest: See read_yaml.

    Raises:
        UsageError: It cannot be opened.
        DataError: It is not UTF-8; or see read_yaml.
    """
    text = read_text(path, kind, file=file)
    return read_yaml(text, path if file is None else file, is_text=is_text, longest=longest)


def read_yaml_as(path: Path | Traversable, kind: str, shape: type[T], *, is_text: bool = False) -> T:
    """Read a YAML file of a fixed shape.

    Args:
        path: See read_yaml_file.
        kind: See read_yaml_file.
        shape: Type of its value, of msgspec's structs or plain.
        is_text: See read_yaml.

    Raises:
        UsageError: See read_yaml_file.
        DataError: See read_yaml_file; or the value is of another shape.
    """
    try:
        return msgspec.convert(read_yaml_file(path, kind, is_text=is_text).value, shape)
    except msgspec.ValidationError as error:
        raise DataError(str(error), file=path) from None


def _events(text: str) -> Iterator[yaml.Event]:
    events: Iterator[yaml.Event] = yaml.parse(text, Loader=yaml.CBaseLoader)
    return events


def _meant(text: str, file: object, line: int, path: str) -> Value:
    """What a plain scalar means."""
    if text.lower() in _WORDS and text in (text.lower(), text.capitalize(), text.upper()):
        return _WORDS[text.lower()]
    if _NOT_FINITE.fullmatch(text):
        raise DataError(f"{text} is no finite number", file=file, line=line, field=path or None)
    is_whole = _INTEGER.fullmatch(text) is not None
    if not is_whole and not _DECIMAL.fullmatch(text):
        return text
    if len(text) > _LONGEST_NUMBER:
        message = f"a number of {len(text):,} characters; put it in quotes if it is text"
        raise DataError(message, file=file, line=line, field=path or None)
    if is_whole:
        return int(text)
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise DataError(f"{text} is larger than a number can be", file=file, line=line, field=path or None)
    return number
