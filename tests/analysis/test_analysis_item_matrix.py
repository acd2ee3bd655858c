"""The item matrix against a plain reading of the records, row by row."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest

import hesperus as hs
from hesperus.analysis.item_filter import ItemFilter, filter_of, matching_rows, sorted_rows
from hesperus.analysis.item_matrix import item_matrix
from hesperus.errors import DataError, UnknownNameError
from hesperus.records import SCHEMA, Run, conform, write_run

MADE = "sw_from_en"
SENSES = [
    ("en", "en", 1),
    ("en", "en", 2),
    ("sw", "sw", 1),
    (MADE, MADE, 1),
    (MADE, "en", 1),
    ("en", MADE, 1),
]
REFERENCE = {
    ("en", "en", 2): ("en", "en", 1), ("sw", "sw", 1): ("en", "en", 1), (MADE, MADE, 1): ("en", "en", 1),
    (MADE, "en", 1): ("en", "en", 1), ("en", MADE, 1): ("en", "en", 1),
}  # fmt: skip


def drawn(seed: int = 1, items: int = 40) -> pl.DataFrame:
    """Records with every outcome, with gold and without, and holes."""
    rng = random.Random(seed)
    rows = []
    for model in ("m/a", "m/b"):
        for number in range(items):
            gold = None if number % 10 == 9 else "ABCD"[number % 4]
            for instruction, given, repeat in SENSES:
                if rng.random() < 0.05:
                    continue
                outcome = rng.choices(["answered", "invalid", "refused", "error"], [12, 2, 1, 1])[0]
                probs = [rng.random() for _ in "ABCD"]
                rows.append(
                    {"model": model, "task": "quiz", "item": f"q{number:02}", "instruction": instruction, "input": given,
                     "repeat": repeat, "outcome": outcome, "gold": gold, "options": list("ABCD"),
                     "answer": rng.choice("ABCD") if outcome == "answered" else None, "reply": f"reply {number}",
                     "probs": [p / sum(probs) for p in probs] if outcome == "answered" else None,
                     "subject": ("law", "art")[number % 2]}
                )  # fmt: skip
    return conform(pl.DataFrame(rows, schema={**SCHEMA, "subject": pl.String}))


Cells = Mapping[tuple[str, str], Mapping[tuple[str, str, int], Mapping[str, object]]]


def by_hand(records: pl.DataFrame) -> Cells:
    found: dict[tuple[str, str], dict[tuple[str, str, int], dict[str, object]]] = {}
    for row in records.iter_rows(named=True):
        sense = (row["instruction"], row["input"], row["repeat"])
        found.setdefault((row["model"], row["item"]), {})[sense] = row
    for cells in found.values():
        for sense, cell in cells.items():
            gold, answer, outcome = cell["gold"], cell["answer"], cell["outcome"]
            if outcome == "error":
                cell["mark"] = "error"
            elif outcome != "answered":
                cell["mark"] = "unanswered"
            else:
                cell["mark"] = "answered" if gold is None else "right" if answer == gold else "wrong"
            other = cells.get(REFERENCE.get(sense, ("", "", 0)))
            known = answer is not None and other is not None and other["answer"] is not None
            cell["changed"] = answer != other["answer"] if known and other else None
    return found


def test_every_cell_has_the_mark_that_its_record_gives_it() -> None:
    records = drawn()
    matrix = item_matrix({"run": Run(records)})
    wide = matrix.frame()
    expected = by_hand(records)
    assert wide.height == len(expected) and [c.key for c in matrix.columns][:2] == ["en", "sw"]
    assert matrix.groups == ("subject",)
    seen = 0
    for row in wide.iter_rows(named=True):
        cells = expected[row["model"], row["item"]]
        for column in matrix.columns:
            cell, own = row[column.key], cells.get((column.instruction, column.input, column.repeat))
            assert (cell is None) == (own is None)
            if own is not None:
                seen += 1
                for name in ("answer", "outcome", "mark", "changed", "reply", "probs"):
                    assert cell[name] == own[name], (row["item"], column.key, name)
                assert cell["confidence"] == (max(own["probs"]) if own["probs"] else None)  # type: ignore[type-var, arg-type]
    assert seen == records.height
    counts = matrix.rows.select("right", "wrong", "unanswered", "error", "asked").sum().row(0)
    outcomes = [cell["mark"] for cells in expected.values() for cell in cells.values()]
    assert counts == (*(outcomes.count(m) for m in ("right", "wrong", "unanswered", "error")), records.height)


def test_filters_keep_exactly_the_rows_that_meet_them() -> None:
    records = drawn(2)
    matrix = item_matrix({"run": Run(records)})
    cells = by_hand(records)
    en, sw, made = ("en", "en", 1), ("sw", "sw", 1), (MADE, MADE, 1)

    def mark(of: tuple[str, str], sense: tuple[str, str, int], name: str = "mark") -> object:
        return cells[of].get(sense, {}).get(name)

    def confident(of: tuple[str, str]) -> bool:
        probs = mark(of, sw, "probs")
        return mark(of, sw) == "wrong" and isinstance(probs, list) and max(probs) >= 0.45

    def differ(of: tuple[str, str]) -> bool:
        a, b = mark(of, (MADE, "en", 1), "answer"), mark(of, ("en", MADE, 1), "answer")
        return a is not None and b is not None and a != b

    wanted: list[tuple[ItemFilter, Callable[[tuple[str, str]], object]]] = [
        (ItemFilter(right=("en",), wrong=("sw",)), lambda k: mark(k, en) == "right" and mark(k, sw) == "wrong"),
        (ItemFilter(lost=(MADE,)), lambda k: mark(k, en) == "right" and mark(k, made) == "wrong"),
        (ItemFilter(changed=("sw", MADE)), lambda k: mark(k, sw, "changed") and mark(k, made, "changed")),
        (ItemFilter(unanswered=("en",), model=("m/b",)), lambda k: k[0] == "m/b" and mark(k, en) == "unanswered"),
        (ItemFilter(anywhere=("invalid",)), lambda k: any(c["outcome"] == "invalid" for c in cells[k].values())),
        (ItemFilter(anywhere=("error", "changed")), lambda k: any(c["mark"] == "error" for c in cells[k].values())
        and any(c["changed"] for c in cells[k].values())),
        (ItemFilter(differs=(("instruction", "input"),)), differ),
        (ItemFilter(wrong=("sw",), at_least=0.45), confident),
        (ItemFilter(text="Q1", task=("quiz",)), lambda k: "q1" in k[1]),
    ]  # fmt: skip
    for asked, holds in wanted:
        found = set(matching_rows(matrix, asked).select("model", "item").iter_rows())
        expected = {key for key in cells if holds(key)}
        assert found == expected and 0 < len(expected) < len(cells), asked


@pytest.mark.parametrize(
    ("text", "sought"),
    [("Die lange STRAẞE", "straße"), ("Die lange Straße", "STRAẞE"), ("İSTANBUL", "İstanbul"), ("Η ΟΔΟΣ", "η οδος"),
     ("ما عاصمة البلد؟", "عاصمة"), ("เมืองหลวงของประเทศ", "หลวง"), ("这个国家的首都是哪里", "首都"), ("Столица СТРАНЫ", "страны")],
)  # fmt: skip
def test_a_text_of_any_script_is_found_in_whatever_case(text: str, sought: str) -> None:
    records = drawn(2)
    items = pl.DataFrame(
        {
            "item": records["item"].unique().sort().head(2),
            "language": "en",
            "field:question": [text, "another"],
        }
    )
    found = matching_rows(item_matrix({"run": Run(records, items)}), ItemFilter(text=sought))
    assert set(found["item"]) == {items["item"][0]}


def test_the_most_telling_rows_come_first() -> None:
    matrix = item_matrix({"run": Run(drawn(3))})
    rows = matching_rows(matrix, ItemFilter())
    keys = rows.select("lost", "changed", "unanswered").rows()
    assert keys == sorted(keys, reverse=True) and rows.height == matrix.rows.height
    by_mark = sorted_rows(rows, "sw", matrix)
    marks = matrix.frame(by_mark)["sw"].struct.field("mark").drop_nulls().to_physical().to_list()
    assert marks == sorted(marks) and len(set(marks)) > 2
    assert sorted_rows(rows, "-item", matrix)["item"].to_list() == sorted(rows["item"], reverse=True)


def test_the_senses_alone_and_a_chosen_reference() -> None:
    records = drawn(4)
    matrix = item_matrix({"run": Run(records)}, reference="sw")
    assert [c.key for c in matrix.whole.columns] == ["en", "sw", MADE]
    assert matrix.whole.rows["asked"].max() == 3 and matrix.rows["asked"].max() == 6
    assert {c.key for c in matrix.columns if c.reference is None} == {"sw"}
    with pytest.raises(UnknownNameError, match="did you mean 'sw'"):
        item_matrix({"run": Run(records)}, reference="sww")


def test_free_texts_are_neither_right_nor_changed() -> None:
    records = conform(pl.DataFrame(
        [{"model": "m", "task": "t", "item": "a", "instruction": tag, "input": tag, "answer": f"A text in {tag}.",
          "gold": "A text", "rule": "whole text"} for tag in ("en", "de")]
    ))  # fmt: skip
    matrix = item_matrix({"r": Run(records)})
    assert matrix.cells["mark"].to_list() == ["answered"] * 2 and matrix.cells["changed"].to_list() == [
        None,
        None,
    ]


def test_several_runs_stand_next_to_each_other() -> None:
    matrix = item_matrix({"first": Run(drawn(5)), "second": Run(drawn(6).drop("subject"))})
    assert matrix.rows["run"].unique().sort().to_list() == ["first", "second"]
    assert matching_rows(matrix, ItemFilter(run=("second",)))["run"].unique().to_list() == ["second"]


def test_what_does_not_exist_is_refused_by_name() -> None:
    matrix = item_matrix({"run": Run(drawn(7))})
    for conditions, said in (
        ({"wrong": "xx"}, "unknown sense: 'xx'"),
        ({"anywhere": "invalidd"}, "did you mean 'invalid'"),
        ({"groups": {"topic": "law"}}, "unknown group of items: 'topic'"),
        ({"model": "m/c"}, "unknown model: 'm/c'"),
        ({"chnged": "sw"}, "did you mean 'changed'"),
    ):
        with pytest.raises(UnknownNameError, match=said):
            matching_rows(matrix, filter_of(conditions))
    with pytest.raises(DataError, match="no record"):
        item_matrix({"run": Run(drawn(8).clear())})


def test_a_run_is_asked_for_its_items(tmp_path: Path) -> None:
    records = drawn(9)
    write_run(Run(records, None, {"study": "similarity"}, {"hesperus": hs.__version__}), tmp_path / "run")
    run = hs.open_run(tmp_path / "run")
    shown = run.items(right="en", wrong="sw", groups={"subject": "law"})
    found = shown.frame
    assert (
        len(shown) == found.height > 0 and set(found["subject"]) == {"law"} and set(found["run"]) == {"run"}
    )
    assert {row["mark"] for row in found["sw"]} == {"wrong"} and {row["mark"] for row in found["en"]} == {
        "right"
    }
    assert len(run.items(differs=("en", MADE)))
    page = shown._repr_html_()
    assert page.startswith("<iframe") and "right in English, wrong in Swahili, subject: law" in page
    assert page.count("data-model=") == found.height and "cell wrong" in page
    nothing = run.items(text="no such text")
    assert len(nothing) == 0 and "0 rows of" in nothing._repr_html_()
