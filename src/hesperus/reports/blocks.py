"""What a page is made of. Studies make blocks; renderers show them; nothing else knows both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from hesperus.analysis.item_matrix import MatrixColumn
from hesperus.analysis.item_texts import Text
from hesperus.analysis.table import Row
from hesperus.item_views.matrix_view import MatrixView
from hesperus.reports.card import Card
from hesperus.reports.drawing import Drawing
from hesperus.reports.grid import Grid
from hesperus.reports.item_questions import Question
from hesperus.wording import OUTCOME_WORDS, parsed

Level = Literal["lead", "note", "aside", "list", "limit"]
"""How a sentence is set: the answer of the page; a paragraph; in small type; an entry of a list; what limits the whole page."""


_MOST_LEADING = 4
"""Sentences of an answer that are set as paragraphs."""


@dataclass(frozen=True, slots=True)
class Items:
    """The item matrix: which questions are behind the other numbers of a page, which lead here.

    Attributes:
        caption: What it shows and how to read it.
        view: Rows and senses as they are drawn.
        columns: Its senses.
        totals: Model, key of a sense and mark (see hesperus.analysis.item_filter.IN_A_SENSE) to how many items of the run
            have it; what no item has is left out.
        questions: The items of its rows in all languages.
    """

    caption: str
    view: MatrixView
    columns: tuple[MatrixColumn, ...]
    totals: Mapping[tuple[str, str, str], int]
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading. A section without content is left out of the page.

    Attributes:
        title: As it is on the page.
        anchor: Where links lead.
        level: 2, or 3 within a section.
        listed: Short form for the list of contents; None: the title; empty: it is not listed.
    """

    title: str
    anchor: str
    level: Literal[2, 3] = 2
    listed: str | None = None


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences.

    Attributes:
        texts: One or several.
        level: How they are set.
    """

    texts: tuple[str, ...]
    level: Level = "note"

    @classmethod
    def of(cls, texts: Iterable[str], level: Level = "list") -> Sentences:
        """The same, from any sequence."""
        return cls(tuple(texts), level)


def headline(told: Sequence[str]) -> Sentences:
    """The answer of a page, as a list where it is long."""
    return Sentences(tuple(told), "list" if len(told) > _MOST_LEADING else "lead")


def note(*texts: str, level: Level = "note") -> Sentences:
    """Sentences, a paragraph each."""
    return Sentences(texts, level)


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with their values, line by line."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Text as it is in a file."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer as it was read.

    Attributes:
        answer: The label, or the outcome in words.
        right: Whether it is the right one; None if that is not known.
        reply: What the model wrote, where it is shown with the answer.
    """

    answer: str
    right: bool | None
    reply: Text | None = None

    @classmethod
    def of(cls, row: Row, gold: str | None) -> Reading:
        """The answer of a record, held to a label."""
        sense, reply = parsed(row["input"]), row.get("reply")
        answer = (
            row["answer"] if row["answer"] is not None else OUTCOME_WORDS.get(row["outcome"], row["outcome"])
        )
        written = None if reply is None else Text(reply, None if sense is None else sense.language)
        return cls(answer, None if gold is None else row["answer"] == gold, written)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A short judgement.

    Attributes:
        text: What is judged.
        verdict: In words.
        good: Whether it holds; None if nobody could say.
    """

    text: str
    verdict: str
    good: bool | None


@dataclass(frozen=True, slots=True)
class Side:
    """A version of an item.

    Attributes:
        title: In words; may be empty.
        code: Sense code; may be empty.
        texts: Name to text; None if it is not kept.
        options: Texts of the options.
        reading: The answer, where one was given.
        verdicts: Title to judgements.
    """

    title: str
    code: str = ""
    texts: tuple[tuple[str, Text | None], ...] = ()
    options: tuple[Text, ...] = ()
    reading: Reading | None = None
    verdicts: tuple[tuple[str, tuple[Verdict, ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class Replies:
    """Answers to an item: a line a model, a column a version; None if it was not asked."""

    heads: tuple[str, ...]
    lines: tuple[tuple[str, tuple[Reading | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """An item to be read.

    Attributes:
        title: What it is.
        sides: Its versions, side by side.
        notes: Sentences below.
        verdicts: Judgements below.
        replies: Answers of models.
    """

    title: str
    sides: tuple[Side, ...] = ()
    notes: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    replies: Replies | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    """Blocks that are shown when asked for."""

    title: str
    blocks: tuple[Block, ...]


def fold(title: str, *blocks: Block | None) -> Fold | None:
    """Those blocks that are there, folded; or None."""
    held = tuple(block for block in blocks if block is not None)
    return Fold(title, held) if held else None


@dataclass(frozen=True, slots=True)
class Check:
    """A point of a checklist; by itself on a page it says what was not done, and what would do it.

    Attributes:
        item: What is to be done.
        state: Whether it was done.
        finding: What was found.
        commands: What would do it, one after the other.
        needs: What it takes if no command alone would do.
    """

    item: str
    state: Literal["done", "warned", "open"]
    finding: str = ""
    commands: tuple[str, ...] = ()
    needs: str = ""

    @property
    def status(self) -> str:
        """The state in words."""
        return {"done": "done", "warned": "done, with a warning", "open": "not done"}[self.state]


@dataclass(frozen=True, slots=True)
class Checklist:
    """Points by section."""

    sections: tuple[tuple[str, tuple[Check, ...]], ...]


Block = (
    Section | Sentences | Grid | Items | Drawing | Item | Fold | Facts | Code | Checklist | Check | Card
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Page:
    """What a report shows.

    Attributes:
        title: The question that it answers.
        lead: What is before the list of contents.
        blocks: The rest, by sections.
    """

    title: str
    lead: tuple[Block, ...] = ()
    blocks: tuple[Block, ...] = field(default=())

    @classmethod
    def of(cls, title: str, lead: Iterable[Block | None], blocks: Iterable[Block | None]) -> Page:
        """A page of what is there: empty blocks, and sections without content, are left out."""
        return cls(title, tuple(_there(lead)), tuple(_with_content(list(_there(blocks)))))

    def with_blocks(self, blocks: Iterable[Block | None]) -> Page:
        """The same with further blocks at the end."""
        return Page.of(self.title, self.lead, (*self.blocks, *blocks))

    def with_limits(self, said: Sequence[str]) -> Page:
        """The same with what limits all of its numbers before the first of them."""
        return Page.of(self.title, (Sentences(tuple(said), "limit"), *self.lead), self.blocks)

    @property
    def sections(self) -> list[Section]:
        """What the list of contents names."""
        return [block for block in self.blocks if isinstance(block, Section) and block.listed != ""]

    def every(self) -> Iterator[Block]:
        """All blocks, also those within others."""
        return _flat((*self.lead, *self.blocks))

    @property
    def named(self) -> frozenset[str]:
        """What a table has in `Grid.about` and must say itself: heads that are not the same on the whole page.

        A table in which only one of two models has rows says which.
        """
        grids = [block for block in self.every() if isinstance(block, Grid)]
        found: dict[str, set[str]] = {name: set() for grid in grids for name, _ in grid.about}
        for grid in grids:
            for name, text in grid.about:
                found[name].add(text)
            for place, column in enumerate(grid.columns):
                if column.name in found:
                    found[column.name].update(str(row[place]) for row in grid.rows)
        return frozenset(name for name, texts in found.items() if len(texts) > 1)


def anchor(text: str) -> str:
    """A name for links, made of a title."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _there(blocks: Iterable[Block | None]) -> Iterator[Block]:
    for block in blocks:
        if block is not None and not (isinstance(block, Sentences | Facts) and not _content(block)):
            yield block


def _content(block: Sentences | Facts) -> bool:
    return bool(block.texts if isinstance(block, Sentences) else block.rows)


def _with_content(blocks: list[Block]) -> Iterator[Block]:
    for place, block in enumerate(blocks):
        after = blocks[place + 1] if place + 1 < len(blocks) else None
        if isinstance(block, Section) and (
            after is None or (isinstance(after, Section) and after.level <= block.level)
        ):
            continue
        yield block


def _flat(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Fold):
            yield from _flat(block.blocks)
