"""EPITOME's files: posts of seekers, responses to them, the level of each mechanism of empathy; train, dev and test by seeker.

A post is the same where its id or its words are: one of the published files lacks a word in some posts that the others
have, and no post may be trained on under one property and tested under another.

A response to a post may be in a file more than once. Rows that agree on whether the mechanism is there count once;
a pair with rows that disagree has no label, so it is left out of that mechanism. Both are counted.

Reference: Sharma, Miner, Atkins and Althoff (2020), A Computational Approach to Understanding Empathy Expressed in
Text-Based Mental Health Support, section 3 (mechanisms and levels); Gupta et al., Found in Translation, Appendix C.1
(levels 1 and 2 are present).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Literal, get_args

from hesperus.errors import DataError
from hesperus.fingerprint import fingerprint
from hesperus.measures import wilson
from hesperus.types import Estimate

MECHANISMS: Mapping[str, str] = {
    "emotional_reactions": "emotional-reactions",
    "interpretations": "interpretations",
    "explorations": "explorations",
}
"""The three properties, and how the names of their files begin."""

COLUMNS = ("seeker_post", "response_post", "level")
ID = "sp_id"
"""Column with the id of the post; it may be missing."""

LEVELS = ("0", "1", "2")

_ENDINGS = (".csv", ".csv.gz")
_BIGGEST = 1 << 28
_LONGEST_FIELD = 1 << 20


@dataclass(frozen=True, slots=True)
class Example:
    """A labelled pair.

    Attributes:
        context: What the seeker wrote.
        text: The response.
        present: 1 where the response has the property, else 0.
        post: Name of the seeker's post, the same in every file: pairs of one post stay together.
    """

    context: str
    text: str
    present: int
    post: str


@dataclass(frozen=True, slots=True)
class LabelledPairs:
    """The examples of every property.

    Attributes:
        examples: By property, in the order of the files.
        rows: Rows that were read, by property.
        repeated: Rows that say the same again of a pair, left out.
        conflicting: Pairs with rows that disagree on whether the property is there, left out with all their rows.
        conflicting_rows: How many rows those are.
    """

    examples: Mapping[str, tuple[Example, ...]]
    rows: Mapping[str, int]
    repeated: Mapping[str, int]
    conflicting: Mapping[str, int]
    conflicting_rows: Mapping[str, int]

    @property
    def properties(self) -> tuple[str, ...]:
        """Names of the properties."""
        return tuple(self.examples)

    def fingerprint(self) -> str:
        """A hash of every example: what a training rests on."""
        return fingerprint(self.examples)


def read_epitome(folder: Path) -> LabelledPairs:
    """Read the three files of a folder, such as ``emotional-reactions-reddit.csv`` or ``….csv.gz``.

    Raises:
        DataError: A file is missing, twice there or no such table: the message says which, where and what is expected.
    """
    if not folder.is_dir():
        raise DataError("is no folder; give the one that holds EPITOME's three files", file=folder)
    files = {name: list(_rows(_file(folder, beginning))) for name, beginning in MECHANISMS.items()}
    posts = _posts([row for held in files.values() for row in held])
    examples, rows, repeated, conflicting, conflicting_rows = {}, {}, {}, {}, {}
    for name, held in files.items():
        labels: dict[tuple[str, str], list[_Row]] = {}
        for row in held:
            labels.setdefault((row.words, folded(row.text)), []).append(row)
        agreed = {key: len({each.present for each in same}) == 1 for key, same in labels.items()}
        examples[name] = tuple(
            Example(same[0].context, same[0].text, same[0].present, posts[same[0].words])
            for key, same in labels.items()
            if agreed[key]
        )
        rows[name] = sum(map(len, labels.values()))
        repeated[name] = sum(len(same) - 1 for key, same in labels.items() if agreed[key])
        conflicting[name] = sum(not agreed[key] for key in labels)
        conflicting_rows[name] = sum(len(same) for key, same in labels.items() if not agreed[key])
    return LabelledPairs(examples, rows, repeated, conflicting, conflicting_rows)


def folded(text: str) -> str:
    """A text as it is compared: without case, marks and spacing; itself where nothing else is in it."""
    said = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", " ", said).strip() or text.strip()


@dataclass(frozen=True, slots=True)
class _Row:
    context: str
    words: str
    text: str
    present: int
    id: str


def _posts(rows: Sequence[_Row]) -> dict[str, str]:
    """The name of the post that a context's words belong to: the first in the alphabet of all words with its ids."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for row in rows:
        ends = sorted((top(f"words {row.words}"), top(f"id {row.id}" if row.id else f"words {row.words}")))
        above[ends[0]] = ends[1]
    found: dict[str, list[str]] = {}
    for words in {row.words for row in rows}:
        found.setdefault(top(f"words {words}"), []).append(words)
    return {words: min(same) for same in found.values() for words in same}


def _file(folder: Path, beginning: str) -> Path:
    found = sorted(
        path for path in folder.iterdir()
        if path.name.startswith(beginning) and path.name.endswith(_ENDINGS) and path.is_file()
    )  # fmt: skip
    if len(found) != 1:
        held = ", ".join(path.name for path in found) or "none"
        raise DataError(
            f"needs one file whose name begins with {beginning!r} and ends with .csv or .csv.gz; found: {held}",
            file=folder,
        )
    return found[0]


def _rows(path: Path) -> Iterator[_Row]:
    reader = csv.reader(io.StringIO(_text(path), newline=""))
    limit = csv.field_size_limit(_LONGEST_FIELD)
    try:
        header = next(reader, [])
        places = _places(header, path)
        some = False
        for row in reader:
            if not row:
                continue
            if len(row) != len(header):
                raise DataError(
                    f"has {len(row)} fields, the header {len(header)}", file=path, line=reader.line_num
                )
            some = True
            yield _row([row[place] if place is not None else "" for place in places], path, reader.line_num)
        if not some:
            raise DataError("holds no row", file=path)
    except csv.Error as error:
        raise DataError(f"is no CSV: {error}", file=path, line=reader.line_num) from None
    finally:
        csv.field_size_limit(limit)


def _text(path: Path) -> str:
    """The whole file, bounded: a small archive can hold a huge one."""
    try:
        with path.open("rb") as raw, gzip.open(raw) if path.suffix == ".gz" else raw as file:
            held = file.read(_BIGGEST + 1)
    except (OSError, EOFError) as error:
        raise DataError(f"cannot be read: {error}", file=path) from None
    if len(held) > _BIGGEST:
        raise DataError(f"holds more than {_BIGGEST >> 20} MiB", file=path)
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = held[: error.start].count(b"\n") + 1
        raise DataError("is not UTF-8", file=path, line=line) from None


def _places(header: Sequence[str], path: Path) -> list[int | None]:
    lacking = [name for name in COLUMNS if name not in header]
    if lacking:
        raise DataError(
            f"lacks the column{'s' if len(lacking) > 1 else ''} {', '.join(lacking)}; it has {', '.join(header) or 'none'}",
            file=path,
            line=1,
        )
    return [header.index(name) if name in header else None for name in (*COLUMNS, ID)]


def _row(cells: Sequence[str], path: Path, line: int) -> _Row:
    context, text, level, post = cells
    if level.strip() not in LEVELS:
        raise DataError(
            f"is {level[:20]!r}; a level is 0 (none), 1 (weak) or 2 (strong)", file=path, line=line, field="level"
        )  # fmt: skip
    for name, cell in (("seeker_post", context), ("response_post", text)):
        if not cell.strip():
            raise DataError("is empty", file=path, line=line, field=name)
    return _Row(context, folded(context), text, int(level.strip() != "0"), post.strip())


Side = Literal["train", "dev", "test"]

SIDES: tuple[Side, ...] = get_args(Side)

_ANOTHER = "take another --seed, or more data"


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """How pairs are divided.

    Attributes:
        seed: Another seed gives another split.
        train: Share of the pairs to train on, in (0, 1).
        dev: Share to choose settings on; what is left is for the test.
        version: Of the rule; rises whenever a split may change.
    """

    seed: int = 0
    train: float = 0.75
    dev: float = 0.05
    version: int = 1

    def __post_init__(self) -> None:
        if min(self.train, self.dev) <= 0.0 or self.train + self.dev >= 1.0:
            raise ValueError(
                f"train and dev need shares above 0 and below 1 together, not {self.train}, {self.dev}"
            )


@dataclass(frozen=True, slots=True)
class Balance:
    """How much of a side has a property.

    Attributes:
        side: The side.
        property: The property.
        share: Share of the side's pairs in which it is present, with Wilson's interval.
        present: How many pairs those are.
    """

    side: Side
    property: str
    share: Estimate
    present: int


@dataclass(frozen=True, slots=True)
class Split:
    """Examples by property and side, and how many posts each side holds."""

    examples: Mapping[str, Mapping[Side, tuple[Example, ...]]]
    posts: Mapping[Side, int]

    def balances(self) -> list[Balance]:
        """How much of each side has each property."""
        found = []
        for name, sides in self.examples.items():
            for side in SIDES:
                present = sum(example.present for example in sides[side])
                found.append(Balance(side, name, wilson(present, len(sides[side])), present))
        return found


def split_by_post(pairs: LabelledPairs, settings: SplitSettings = SplitSettings()) -> Split:  # noqa: B008
    """Divide pairs by seeker.

    Posts are put in an order by a hash of the seed and the post, so that neither the order of a file nor another post
    moves them, and the order is cut where the shares of pairs are reached.

    Raises:
        DataError: A side would lack pairs with or without a property.
    """
    weights: Counter[str] = Counter()
    for examples in pairs.examples.values():
        # A post weighs as many pairs as the property has that keeps most of them.
        weights |= Counter(example.post for example in examples)
    ordered = sorted(weights, key=lambda post: _place(post, settings.seed))
    reached = list(accumulate(weights[post] for post in ordered))
    side_of: dict[str, Side] = {}
    for post, pairs_so_far in zip(ordered, reached, strict=True):
        middle = (pairs_so_far - weights[post] / 2) / reached[-1]
        side_of[post] = (
            "train" if middle < settings.train
            else "dev" if middle < settings.train + settings.dev
            else "test"
        )  # fmt: skip
    examples_of = {
        name: {side: tuple(e for e in examples if side_of[e.post] == side) for side in SIDES}
        for name, examples in pairs.examples.items()
    }
    for name, sides in examples_of.items():
        for side in SIDES:
            _refuse_one_class(name, side, sides[side])
    posts = {side: sum(each == side for each in side_of.values()) for side in SIDES}
    return Split(examples_of, posts)


def _place(post: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed}\0{post}".encode(), digest_size=16).digest()


def _refuse_one_class(name: str, side: Side, examples: Sequence[Example]) -> None:
    present = sum(example.present for example in examples)
    if 0 < present < len(examples):
        return
    if not examples:
        raise DataError(f"{side} holds no pair for {name}: {_ANOTHER}")
    lacking = "with" if not present else "without"
    raise DataError(
        f"none of the {len(examples)} pairs of {side} is {lacking} {name}, so F1 says nothing there: {_ANOTHER}"
    )
