"""One question in all its senses, side by side: texts, options with probabilities, replies, answers, and two senses compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import polars as pl

from hesperus.analysis.item_matrix import ItemMatrix, MatrixColumn
from hesperus.analysis.item_texts import Text, of_task, row_in, texts_of
from hesperus.analysis.text_differences import Piece, differences
from hesperus.item_views.matrix_view import CellView, cell_view, label_of
from hesperus.rounding import cell as rounded
from hesperus.untrusted import one_line
from hesperus.wording import direction, language_name, parsed, sense_sentence


@dataclass(frozen=True, slots=True)
class OptionView:
    """An option: its label, its text where it is known, whether it is gold or the answer, and its probability in [0, 1]."""

    label: str
    text: Text | None
    is_gold: bool
    is_answer: bool
    probability: float | None
    shown: str


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What came back to one way of asking.

    Attributes:
        place: Instruction, input and repeat.
        asked: The way of asking in words; empty for the sense as a whole.
        cell: The answer with its mark.
        reply: What the model wrote.
        reply_language: In which language.
        options: The options with their probabilities.
        translation: The reply in the language of the reference.
    """

    place: tuple[str, str, int]
    asked: str
    cell: CellView
    reply: Text | None
    reply_language: str | None
    options: tuple[OptionView, ...]
    translation: Text | None


@dataclass(frozen=True, slots=True)
class SenseView:
    """One input sense with everything that was asked of it.

    Attributes:
        code: Sense code.
        anchor: Id of its place on the page.
        label: In words.
        language: Tag, or None for a code of another tool.
        direction: ``ltr``, ``rtl`` or ``auto``.
        fields: Field name to text.
        has_texts: Whether the texts of this sense are known.
        answers: The first is that of the sense as a whole, if it was asked.
        against: Code of an earlier sense in the same language with the same texts in other words; empty without one.
        marked: Name of a field, or ``option`` and a label, to its text in pieces; those that `against` does not have are marked.
        href: Compares this sense with the one that is chosen; None if it is chosen or nothing leads there.
    """

    code: str
    anchor: str
    label: str
    language: str | None
    direction: str
    fields: tuple[tuple[str, Text], ...]
    has_texts: bool
    answers: tuple[AnswerView, ...]
    against: str = ""
    marked: Mapping[str, tuple[Piece, ...]] = field(default_factory=dict)
    href: str | None = None


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """A text of both senses.

    Attributes:
        name: What it is.
        a: Its pieces in the one; a piece that only one has is marked.
        b: Its pieces in the other.
        text_a: The text of the one.
        text_b: That of the other; None if it has none.
        is_whole: Whether it could be compared as far as the languages allow; too long texts cannot.
    """

    name: str
    a: tuple[Piece, ...]
    b: tuple[Piece, ...]
    text_a: Text
    text_b: Text | None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Compared:
    """Two senses next to each other, part by part; ``note`` says why nothing is marked and is empty otherwise."""

    a: SenseView
    b: SenseView
    parts: tuple[ComparedPart, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class QuestionView:
    """A question as one model was asked it."""

    run: str
    model: str
    task: str
    item: str
    gold: str | None
    groups: tuple[tuple[str, str], ...]
    senses: tuple[SenseView, ...]
    compared: Compared | None
    note: str


def question_view(
    matrix: ItemMatrix,
    row: Mapping[str, Any],
    *,
    own: frozenset[str] = frozenset(),
    a: str | None = None,
    b: str | None = None,
) -> QuestionView:
    """The question of a row of a matrix.

    `own` are senses that the answering model made itself; `a` and `b` are compared with each other.
    """
    cells = matrix.cells.filter(pl.col("row") == row["row"]).to_dicts()
    by_column = {cell["column"]: cell for cell in cells}
    items = matrix.items.get(row["run"])
    held = None if items is None else of_task(items, row["task"]).filter(pl.col("item") == row["item"])
    asked: dict[str, list[MatrixColumn]] = {}
    for column in matrix.columns:
        if column.number in by_column:
            asked.setdefault(column.input, []).append(column)
    senses = tuple(
        _marked(
            _sense(
                code,
                columns,
                by_column,
                matrix,
                None if held is None else row_in(held, row["item"], code, row["model"]),
                own,
            )
            for code, columns in _ordered(asked).items()
        )
    )
    gold = next((cell["gold"] for cell in cells if cell["gold"] is not None), None)
    groups = tuple((name, row[name]) for name in matrix.groups if row[name] is not None)
    note = _note(items, held, senses)
    return QuestionView(
        row["run"], row["model"], row["task"], row["item"], gold, groups, senses, _compared(senses, a, b), note
    )  # fmt: skip


def _marked(senses: Iterable[SenseView]) -> Iterator[SenseView]:
    """Senses with what differs from the first one in their language: a translation next to an original, the way back."""
    first: dict[str, SenseView] = {}
    for sense in senses:
        other = first.setdefault(sense.language, sense) if sense.language and sense.fields else sense
        if other is sense:
            yield sense
            continue
        found = {
            name: pieces[1]
            for name, one, two in _shared(other, sense)
            if not name.startswith("reply")
            and (pieces := differences(one.text, two.text, sense.language or ""))
        }
        is_other = any(alone for pieces in found.values() for _, alone in pieces)
        yield replace(sense, against=other.code, marked=found if is_other else {})


def _ordered(asked: Mapping[str, list[MatrixColumn]]) -> dict[str, list[MatrixColumn]]:
    """The reference first, then the senses of a language together: a text next to its back-translation."""
    codes = list(asked)

    def place(code: str) -> tuple[object, ...]:
        sense = parsed(code)
        if sense is None:
            return (2, code)
        return (code != codes[0], sense.via or sense.language, bool(sense.via), code)

    first = codes[:1]
    rest = sorted((code for code in codes[1:] if parsed(code)), key=place)
    return {code: asked[code] for code in [*first, *rest, *(c for c in codes[1:] if parsed(c) is None)]}


def _note(items: pl.DataFrame | None, held: pl.DataFrame | None, senses: tuple[SenseView, ...]) -> str:
    if items is None:
        return (
            "The texts of the questions are not in this run: it holds records only. Put an items.parquet into the run folder "
            "(hesperus import writes it where a log holds the texts)."
        )
    if held is not None and held.is_empty():
        return "The texts of this question are missing from the items of the run (items.parquet); its answers are all there."
    absent = [sense.code for sense in senses if not sense.has_texts]
    return f"No texts in the items of the run for {', '.join(absent)}." if absent else ""


def _sense(
    code: str,
    columns: list[MatrixColumn],
    cells: Mapping[int, Mapping[str, Any]],
    matrix: ItemMatrix,
    held: Mapping[str, Any] | None,
    own: frozenset[str],
) -> SenseView:
    sense = parsed(code)
    tag = sense.language if sense else None
    fields: tuple[tuple[str, Text], ...] = ()
    options: tuple[Text, ...] = ()
    if held is not None:
        fields, options = texts_of(held, tag or "und")
    columns = sorted(columns, key=lambda column: not column.is_whole)
    answers = tuple(_answer(column, cells[column.number], matrix, options) for column in columns)
    return SenseView(
        code, anchor_of(code), sense_sentence(code, own), tag, direction(tag) if tag else "auto", fields, held is not None, answers
    )  # fmt: skip


def _answer(
    column: MatrixColumn, cell: Mapping[str, Any], matrix: ItemMatrix, texts: tuple[Text, ...]
) -> AnswerView:
    asked = "" if column.is_whole else label_of(column)
    reply = _text(cell["reply"], cell["reply_language"], column.instruction)
    labels = cell["options"] or []
    if not labels and texts:
        labels = [chr(ord("A") + number) for number in range(len(texts))] if len(texts) <= 26 else []
    probs = cell["probs"] or []
    options = tuple(
        OptionView(
            label,
            texts[number] if len(texts) == len(labels) else None,
            label == cell["gold"],
            label == cell["answer"],
            probs[number] if number < len(probs) else None,
            rounded(min(1.0, max(0.0, probs[number]))) if number < len(probs) else "",
        )
        for number, label in enumerate(labels)
    )
    spoken = cell["reply_language"]
    return AnswerView(
        (column.instruction, column.input, column.repeat), asked, cell_view(cell, column, matrix, None), reply, language_name(spoken) if spoken else None, options,
        _text(cell["reply_translation"], None, matrix.columns[0].input),
    )  # fmt: skip


def _text(text: str | None, tag: str | None, code: str) -> Text | None:
    """A text of a model, in a language or else that of a sense; set as its first letters are, whatever was asked for."""
    if text is None:
        return None
    sense = parsed(code)
    return Text(text, tag or (sense.language if sense else None))


def _compared(senses: tuple[SenseView, ...], a: str | None, b: str | None) -> Compared | None:
    by_code = {sense.code: sense for sense in senses}
    if a not in by_code or b not in by_code or a == b:
        return None
    left, right = by_code[a], by_code[b]
    parts = [compared_part(name, one, other) for name, one, other in _shared(left, right)]
    note = (
        ""
        if all(part.is_whole for part in parts)
        else "Texts that are too long to compare word by word are shown unmarked."
    )
    alone = any(marked for part in parts for _, marked in (*part.a, *part.b))
    if parts and not note and not alone:
        same = left.language is not None and left.language == right.language
        note = "The texts are the same." if same else "Texts in two languages are not compared word by word."
    return Compared(left, right, tuple(parts), note)


def compared_part(name: str, one: Text, other: Text | None) -> ComparedPart:
    """Two texts in pieces; those that only one has are marked where both are in one language."""
    if other is None:
        return ComparedPart(name, ((one.text, False),), (), one, None)
    same = one.language is not None and one.language == other.language
    found = differences(one.text, other.text, one.language or "") if same else None
    pieces = found or (((one.text, False),), ((other.text, False),))
    return ComparedPart(name, *pieces, one, other, is_whole=not same or found is not None)


def _shared(left: SenseView, right: SenseView) -> Iterator[tuple[str, Text, Text]]:
    """Texts of both under the same name: fields, options, the reply to the sense as a whole, and its translation."""
    fields = dict(right.fields)
    yield from ((name, text, fields[name]) for name, text in left.fields if name in fields)
    if not left.answers or not right.answers:
        return
    one, other = left.answers[0], right.answers[0]
    for option, another in zip(one.options, other.options, strict=False):
        if option.text is not None and another.text is not None:
            yield f"option {option.label}", option.text, another.text
    if one.asked or other.asked or one.reply is None or other.reply is None:
        return
    yield "reply", one.reply, other.reply
    if one.translation is not None or other.translation is not None:
        yield "reply, translated", one.translation or one.reply, other.translation or other.reply


def anchor_of(code: str) -> str:
    """The id of a sense on the page of a question."""
    return f"sense-{one_line(code).replace(' ', '-')}"
