"""Cells, the words by which a user names them, and the pairs that a design implies; the table as arrays."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from hesperus import measures
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import (
    INVALID,
    MISSING,
    Cell,
    Selection,
    answer_arrays,
    conform,
    implied_pairs,
    made_senses,
)
from hesperus.types import OUTCOMES


def _cells(*senses: str, repeats: dict[str, int] | None = None) -> list[Cell]:
    cells = []
    for sense in senses:
        instruction, _, given = sense.partition("/")
        for repeat in range(1, (repeats or {}).get(sense, 1) + 1):
            cells.append(Cell("m", instruction, given or instruction, repeat))
    return cells


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("instruction=en,input=de_from_en", Selection("en", "de_from_en")),
        (" input=x , instruction=de_test1 ", Selection("de_test1", "x")),
        ("instruction=en,input=en,repeat=2,model=openai/gpt-4o", Selection("en", "en", 2, "openai/gpt-4o")),
        ("en~paraphrase", Selection("en~paraphrase", "en~paraphrase")),
    ],
)
def test_selections_are_read(text: str, selection: Selection) -> None:
    assert Selection.parse(text) == selection


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (
            "instruction=en,inptu=en",
            UnknownNameError,
            "unknown key of a selection: 'inptu'; did you mean 'input'",
        ),
        ("instruction=en", UsageError, "no input; write instruction=en,input=de_from_en"),
        ("input=en", UsageError, "no instruction"),
        ("instruction=en,input=", UsageError, "input needs a value"),
        ("instruction=en,input=en,input=de", UsageError, "input is given twice"),
        (
            "instruction=en,input=en,repeat=two",
            UsageError,
            "repeat is a whole number of 1 or more, not 'two'",
        ),
        ("instruction=en,input=en,repeat=0", UsageError, "not '0'"),
        ("", UnknownNameError, "unknown key of a selection: ''"),
        ("en,de", UnknownNameError, "unknown key of a selection: 'en'"),
    ],
)
def test_unreadable_selections_are_refused(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Selection.parse(text)


def test_a_selection_finds_the_first_repeat_and_names_what_is_there_instead() -> None:
    cells = _cells("en", "de_from_en", "en/de_from_en", repeats={"en": 3})
    assert Selection("en", "en").find(reversed(cells)) == Cell("m", "en", "en", 1)
    assert Selection("en", "en", 2).find(cells) == Cell("m", "en", "en", 2)
    assert Selection("en", "en", model="other").find(cells) is None
    Selection("en", "en", 3, "m").check(cells)
    wrong = [
        (Selection("en", "fr"), r"unknown input sense: 'fr'.*de_from_en"),
        (
            Selection("de_from_em", "en"),
            r"unknown instruction sense: 'de_from_em'; did you mean 'de_from_en'.*; en",
        ),
        (Selection("de_from_en", "en"), r"unknown combination: 'instruction=de_from_en,input=en'"),
        (Selection("en", "en", 4), r"unknown combination: .*repeat=4"),
        (Selection("en", "en", model="mm"), r"unknown model: 'mm'; did you mean 'm'\?"),
    ]
    for selection, message in wrong:
        with pytest.raises(UnknownNameError, match=message):
            selection.check(cells)


def test_made_senses_imply_both_instruction_and_input() -> None:
    cells = _cells("en", "de", "de_from_en", "de_from_en/en", "en/de_from_en", "en/de", "de_test1/de")
    found = [(pair.condition, *pair.labels) for pair in implied_pairs(cells)]
    source = "instruction=en,input=en"
    assert found == [
        ("T", source, "instruction=de_from_en,input=de_from_en"),
        ("I", source, "instruction=de_from_en,input=en"),
        ("X", source, "instruction=en,input=de_from_en"),
    ]
    assert made_senses(cells) == (("de_from_en", "en"),)


def test_paraphrases_other_makers_and_back_translations_are_made_senses_too() -> None:
    codes = ("en~paraphrase", "de_from_en@nllb", "en_via_zh")
    cells = _cells("en", *codes)
    assert {pair.b.input for pair in implied_pairs(cells)} == set(codes)
    assert implied_pairs(_cells("de", "fr_from_en", "fr")) == implied_pairs(_cells("de", "fr", "fr_from_en"))
    without_source = implied_pairs(_cells("de", "fr_from_en", "fr"))
    assert [(pair.condition, pair.a.input, pair.b.input) for pair in without_source] == [
        ("originals", "de", "fr")
    ]


def test_originals_alone_are_compared_with_each_other_and_repeats_with_the_first() -> None:
    pairs = implied_pairs(_cells("en", "de", "zh", "de/zh", repeats={"en": 3}))
    assert [(pair.condition, *pair.labels) for pair in pairs] == [
        ("repeat", "instruction=en,input=en,repeat=1", "instruction=en,input=en,repeat=2"),
        ("repeat", "instruction=en,input=en,repeat=1", "instruction=en,input=en,repeat=3"),
        ("originals", "instruction=de,input=de", "instruction=en,input=en"),
        ("originals", "instruction=de,input=de", "instruction=zh,input=zh"),
        ("originals", "instruction=en,input=en", "instruction=zh,input=zh"),
    ]
    assert implied_pairs([]) == ()


def _records(rows: list[dict[str, object]]) -> pl.DataFrame:
    base = {"model": "m", "task": "t", "instruction": "en", "input": "en", "repeat": 1}
    return conform(pl.DataFrame([{**base, **row} for row in rows], infer_schema_length=None))


def test_arrays_place_every_answer() -> None:
    arrays = answer_arrays(
        _records(
            [
                {"item": "b", "answer": "no", "gold": "yes", "outcome": "answered", "input": "en"},
                {"item": "a", "answer": None, "gold": "no", "outcome": "refused", "input": "en"},
                {"item": "a", "answer": "yes", "gold": None, "outcome": "answered", "input": "de"},
            ]
        )
    )
    assert arrays.items == ("a", "b") and arrays.labels == ("no", "yes")
    assert arrays.cells == (Cell("m", "en", "de"), Cell("m", "en", "en"))
    assert arrays.answers.tolist() == [[1, MISSING], [INVALID, 0]]
    assert arrays.gold.tolist() == [[INVALID, MISSING], [0, 1]]
    assert OUTCOMES[arrays.outcomes[1, 0]] == "refused" and arrays.outcomes[0, 1] == MISSING
    assert arrays.coverage.tolist() == [1, 2]
    assert arrays.options.tolist() == [2, 2] and arrays.probs is None
    a, b = arrays.pair(Cell("m", "en", "de"), Cell("m", "en", "en"))
    assert (a[0], b[0]) == (1, INVALID)
    with pytest.raises(KeyError):
        arrays.row(Cell("m", "fr", "fr"))


def test_arrays_follow_the_order_of_options_and_hold_probabilities() -> None:
    rows = [
        {"item": "1", "answer": "B", "gold": "C", "options": ["C", "B", "A"], "probs": [0.2, 0.7, 0.1]},
        {"item": "2", "answer": "C", "gold": "C", "options": ["C", "B"], "probs": [0.9, 0.1]},
        {"item": "3", "answer": "C", "gold": "B", "options": ["C", "B"], "probs": None},
        {"item": "3", "answer": "B", "gold": "B", "options": ["C", "B"], "probs": [0.3, 0.7], "repeat": 2},
        {"item": "4", "answer": "Z", "gold": "B", "options": None, "probs": None},
    ]
    frame = _records(rows)
    arrays = answer_arrays(frame, probs=True)
    assert arrays.labels == ("C", "B", "A", "Z")
    assert arrays.options.tolist() == [3, 2, 2, 4]
    assert arrays.probs is not None
    assert arrays.probs[0, 0].tolist() == [0.2, 0.7, 0.1, 0.0]
    assert arrays.probs[0, 1].tolist() == [0.9, 0.1, 0.0, 0.0]
    assert np.isnan(arrays.probs[0, 2]).all() and arrays.probs[1, 2].tolist() == [0.3, 0.7, 0.0, 0.0]
    assert answer_arrays(frame).probs is None
    assert answer_arrays(frame.filter(pl.col("probs").is_null()), probs=True).probs is None


def test_arrays_refuse_two_tasks_and_uneven_options() -> None:
    rows = [{"item": "1", "answer": "A", "task": task} for task in ("t", "u")]
    with pytest.raises(DataError, match="arrays hold one task, the table has t, u"):
        answer_arrays(_records(rows))
    uneven = [
        {"item": "1", "answer": "A", "options": ["A", "B"], "repeat": 1},
        {"item": "1", "answer": "A", "options": ["A", "B", "C"], "repeat": 2},
    ]
    with pytest.raises(
        DataError, match="field 'options', item '1': has 2 options in one sense and 3 in another"
    ):
        answer_arrays(_records(uneven))


def test_both_rooms_mean_the_same_by_their_codes() -> None:
    assert (INVALID, MISSING) == (measures.INVALID, measures.MISSING)


def test_a_failed_request_is_another_thing_than_one_that_was_never_made() -> None:
    rows = [
        {"model": "m", "instruction": "en", "input": "en", "item": "a", "outcome": "error"},
        {"model": "m", "instruction": "en", "input": "en", "item": "b", "outcome": "answered", "answer": "A"},
        {"model": "n", "instruction": "en", "input": "en", "item": "b", "outcome": "answered", "answer": "A"},
    ]
    arrays = answer_arrays(_records(rows))
    assert arrays.cells[0] == Cell("m", "en", "en") and Cell("m", "en", "en").repeat == 1
    assert arrays.answers[:, 0].tolist() == [measures.FAILED, measures.MISSING]
    assert len({measures.FAILED, measures.MISSING, measures.INVALID}) == 3
