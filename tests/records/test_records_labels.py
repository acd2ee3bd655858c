"""Labels of users' tables: options in another spelling are those options, anything else is refused with counts."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.errors import DataError, EarlierRunWarning, HesperusWarning
from hesperus.records import answer_arrays, conform, read_records
from hesperus.records.labels import label_counts, label_key


def table(
    *rows: tuple[object, object],
    options: object = None,
    task: str = "t",
    language: str = "en",
    **more: object,
) -> pl.DataFrame:
    """A row for each answer and gold."""
    return pl.DataFrame(
        [
            {"model": "m", "task": task, "item": f"i{n}", "instruction": language, "input": language,
             "answer": answer, "gold": gold, "options": options, **more}
            for n, (answer, gold) in enumerate(rows)
        ],
        infer_schema_length=None, strict=False,
    )  # fmt: skip


def measured(folder: Path, frame: pl.DataFrame, *arguments: str) -> tuple[int, list[dict[str, Any]], str]:
    file = folder / "records.parquet"
    frame.write_parquet(file)
    result = CliRunner().invoke(
        app, ["measure", *arguments[:1], str(file), *arguments[1:], "--format", "json"]
    )
    rows = json.loads(result.stdout)["rows"] if result.exit_code == 0 else []
    return result.exit_code, rows, result.stderr


def test_options_in_another_spelling_are_those_options(tmp_path: Path) -> None:
    spelt = [("a", "A"), ("(B)", "b."), ("C.", "C"), ("**D**", "[D]"), ("Ａ", "B")]
    frame = table(*spelt, options=["A", "B", "C", "D"])
    found = conform(frame)
    assert found["answer"].to_list() == ["A", "B", "C", "D", "A"]
    assert found["gold"].to_list() == ["A", "B", "C", "D", "B"]
    code, rows, _ = measured(tmp_path, frame, "accuracy")
    assert (code, rows[0]["value"], rows[0]["n"]) == (0, 0.8, 5)


def test_what_is_no_option_is_refused_with_counts_and_place(tmp_path: Path) -> None:
    frame = table(("A", "A"), ("E", "A"), ("e", "A"), ("Paris", "A"), options=["A", "B"])
    frame.with_columns(pl.lit('["A", "B"]').alias("options")).write_csv(tmp_path / "r.csv")
    with pytest.raises(DataError) as caught:
        read_records(tmp_path / "r.csv")
    told = str(caught.value)
    for part in (
        "r.csv",
        "line 3",
        "field 'answer'",
        "item 'i1'",
        "3 rows",
        "'E' (1)",
        "'Paris' (1)",
        "'A', 'B'",
    ):
        assert part in told
    with pytest.raises(DataError, match="field 'gold'"):
        conform(table(("A", "2"), options=["A", "B"]))


def test_of_many_wrong_labels_five_are_shown_and_the_rest_counted() -> None:
    wrong = [(f"w{place}", "A") for place in range(7)]
    with pytest.raises(DataError) as caught:
        conform(table(*wrong, options=["A", "B"]))
    told = str(caught.value)
    assert "7 rows hold labels" in told and " and 2 others; the options here" in told
    assert sum(f"'w{place}' (1)" in told for place in range(7)) == 5
    with pytest.raises(DataError) as caught:
        conform(table(*wrong[:5], options=["A", "B"]))
    assert "others" not in str(caught.value)


def test_the_first_row_is_named_where_it_is_the_one_that_is_wrong() -> None:
    good = [0.5, 0.25, 0.25]
    wrong = (
        ([-0.5, 0.75, 0.75], "do not all lie in"),
        ([1.5, -0.5, 0.0], "do not all lie in"),
        ([0.2, 0.2, 0.2], "do not sum"),
    )
    for probs, said in wrong:
        frame = pl.concat([table(("A", "A"), options=["A", "B", "C"], probs=row) for row in (probs, good)])
        with pytest.raises(DataError, match=said) as caught:
            conform(frame.with_columns(item=pl.Series(["first", "second"])))
        assert "'first'" in str(caught.value) and "'second'" not in str(caught.value)


def test_repeats_are_numbers_that_the_table_can_hold() -> None:
    assert conform(table(("A", "A"), options=["A", "B"], repeat=2**31 - 1))["repeat"].to_list() == [2**31 - 1]
    for repeat in (2**31, 0, 1.5):
        with pytest.raises(DataError, match="repeat"):
            conform(table(("A", "A"), options=["A", "B"], repeat=repeat))


def test_without_gold_the_most_frequent_spelling_stands_for_a_label() -> None:
    frame = table(("yes", None), ("Yes", None), ("Yes", None), ("no", None)).with_columns(
        gold=pl.lit(None, pl.String)
    )
    assert conform(frame)["answer"].to_list() == ["Yes", "Yes", "Yes", "no"]
    # Whether and by which rule each was read changes nothing of that.
    for rule in (None, "exact"):
        ruled = frame.with_columns(rule=pl.Series([rule, None, "exact", rule], dtype=pl.String))
        assert conform(ruled)["answer"].to_list() == ["Yes", "Yes", "Yes", "no"]


def test_a_task_of_open_answers_has_no_closed_set_of_labels() -> None:
    closed = table(("A", "A"), ("B", "A"), ("C", "A"))
    assert label_counts(conform(closed)) == {"t": 3}
    assert label_counts(conform(closed.with_columns(rule=pl.lit("own words")))) == {"t": 0}
    assert label_counts(conform(closed.with_columns(rule=pl.lit("cue")))) == {"t": 3}
    some = pl.Series("rule", ["cue", None, None])
    assert label_counts(conform(closed.with_columns(some))) == {"t": 3}, "no rule is no open answer"


def test_two_options_that_differ_only_in_case_need_their_own_spelling() -> None:
    assert conform(table(("a", "A"), options=["a", "A"]))["answer"].to_list() == ["a"]
    with pytest.raises(DataError, match="none of the item's options"):
        conform(table(("(a)", "A"), options=["a", "A"]))


def test_the_reply_itself_need_not_be_an_option() -> None:
    frame = table(("rome", "Rome"), ("milan", "Rome"), options=["Rome", "Paris"], rule="own words")
    found = conform(frame)
    assert found["answer"].to_list() == ["Rome", "milan"]
    assert answer_arrays(found).options.tolist() == [2, 0]


def test_labels_that_differ_in_case_are_one_within_a_task() -> None:
    found = conform(table(("Yes", "yes"), ("yes", "yes"), ("YES", "no"), ("no.", "no")))
    assert found["answer"].to_list() == ["yes", "yes", "yes", "no"]
    other = pl.concat([table(("Yes", None), task="one"), table(("yes", None), task="two")])
    assert conform(other)["answer"].to_list() == ["Yes", "yes"]


def test_a_file_whose_labels_differ_only_in_case_says_which_count_as_one(tmp_path: Path) -> None:
    file = tmp_path / "pronouns.csv"
    table(("US", "us"), ("us", "US"), ("them", "them"), ("THEM", "them")).select(
        "model", "task", "item", "instruction", "input", "answer", "gold"
    ).write_csv(file)
    with pytest.warns(
        HesperusWarning, match="count as one: 'us' .2. as 'US', 'THEM' .1. as 'them'; a column options"
    ):
        assert read_records(file)["answer"].to_list() == ["US", "US", "them", "them"]
    # Options tell them apart, and other forms of a label go without saying.
    listed = pl.read_csv(file).with_columns(options=pl.lit('["US", "us", "them", "THEM"]'))
    listed.write_csv(file)
    assert read_records(file)["answer"].to_list() == ["US", "us", "them", "THEM"]
    listed.drop("options").with_columns(
        answer=pl.Series(["US", "US.", "them", "(them)"]), gold=pl.lit("US")
    ).write_csv(file)
    assert read_records(file)["answer"].to_list() == ["US", "US", "them", "them"]


@pytest.mark.parametrize("values", [["1", "2"], [1, 2], [1.0, 2.0], ["01", " 2.0 "], ["١", "٢"]])
def test_a_number_is_a_number_in_every_file(values: list[object]) -> None:
    parts = [table(("1", "1"), ("2", "1"), language="en"), table(*((v, "1") for v in values), language="de")]
    held = conform(pl.concat([conform(part) for part in parts]))
    assert set(held["answer"]) == {"1", "2"}
    assert held["answer"].to_list()[:2] == held["answer"].to_list()[2:]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("3,5", "35", False), ("-1", "1", False), ("1.50", "1.5", True), ("1e400", "1", False), ("?", "!", False),
     ("nan", "NaN", True), ("inf", "infinity", False), ("1e100", "1" + "0" * 100, False), ("9" * 200, "9" * 199, False), ("Å", "Å", True)],
)  # fmt: skip
def test_what_counts_as_one_label(one: str, other: str, same: bool) -> None:
    assert (label_key(one) == label_key(other)) is same


def grouped() -> pl.DataFrame:
    """Two models on 40 items with three labels, of which each subject shows two."""
    rows = []
    for model, item in product(("m/a", "m/b"), range(40)):
        subject, labels = ("sea", ("x", "y")) if item < 20 else ("land", ("y", "z"))
        gold = labels[item % 2]
        wrong = labels[1 - item % 2]
        answer = gold if (item * (3 if model == "m/a" else 7)) % 10 < 7 else wrong
        rows.append({"model": model, "task": "t", "item": f"i{item:02}", "instruction": "en", "input": "en",
                     "answer": answer, "gold": gold, "subject": subject})  # fmt: skip
    return pl.DataFrame(rows)


def test_the_number_of_options_is_that_of_the_whole_task(tmp_path: Path) -> None:
    bare = grouped()
    named = bare.with_columns(pl.lit(["x", "y", "z"]).alias("options"))
    found = [measured(tmp_path, frame, "agreement", "--by", "subject")[1] for frame in (bare, named)]
    values = [[row["value"] for row in rows if row["statistic"] == "kappa_p"] for rows in found]
    assert values[0] == pytest.approx(values[1]) and len(values[0]) == 2
    assert label_counts(conform(bare)) == {"t": 3} and label_counts(conform(named)) == {}


@pytest.mark.parametrize("what", ["agreement", "similarity"])
def test_free_text_and_single_options_have_no_kappa_p_but_a_reason(what: str, tmp_path: Path) -> None:
    bare = grouped()
    towns = bare.with_columns(
        pl.col("item").alias("gold"),
        pl.when(pl.col("answer") == pl.col("gold")).then("item").otherwise(pl.lit("i99")).alias("answer"),
    )
    single = bare.with_columns(
        pl.lit(["x"]).alias("options"), pl.lit("x").alias("answer"), pl.lit("x").alias("gold")
    )
    for frame in (towns, single):
        code, rows, told = measured(tmp_path, frame, what)
        assert code == 0, told
        kappa = [row for row in rows if row["statistic"] == "kappa_p"]
        assert kappa and all(
            row["value"] is None and "say two or more options" in row["reason"] for row in kappa
        )


def test_a_run_from_before_is_held_to_the_same(tmp_path: Path) -> None:
    frame = conform(table(("A", "A"), ("B", "A"), options=["A", "B"]))
    old = frame.with_columns(answer=pl.Series(["a", "(b)"]))
    old.write_parquet(tmp_path / "records.parquet", metadata={"hesperus.records": "1"})
    with pytest.warns(EarlierRunWarning, match="version 1"):
        assert read_records(tmp_path)["answer"].to_list() == ["A", "B"]


@pytest.mark.parametrize(("many", "counted"), [(26, {"t": 26}), (27, {"t": 0})])
def test_as_many_labels_as_letters_are_a_closed_set_and_more_are_free_text(
    many: int, counted: dict[str, int]
) -> None:
    rows = [(f"l{n}", f"l{n}") for n in range(many)]
    assert label_counts(conform(table(*rows))) == counted


def test_a_task_in_which_one_label_occurs_has_two_options_at_least() -> None:
    assert label_counts(conform(table(("A", "A"), ("A", "A")))) == {"t": 2}


def test_labels_that_are_no_options_are_shown_with_the_most_frequent_first() -> None:
    answers = ["P", "Q", "Q", "R", "R", "R", *"STUV"]
    with pytest.raises(
        DataError, match=r"10 rows hold labels that are none of .*: 'R' \(3\), 'Q' \(2\), "
    ) as told:
        conform(table(*((answer, "A") for answer in answers), options=["A", "B"]))
    assert "and 2 others" in str(told.value), "five are shown of seven"


def test_replies_that_are_the_answer_as_a_whole_keep_their_spelling() -> None:
    towns = [("rome", "Rome"), ("Rome", "Rome"), ("ROME.", "Rome")]
    assert conform(table(*towns, rule="own words"))["answer"].to_list() == ["Rome"] * 3
    assert conform(table(*towns, rule="whole text"))["answer"].to_list() == ["rome", "Rome", "ROME."]


def test_of_an_open_answer_nobody_knows_how_many_options_there_were() -> None:
    many = [(f"word {n}", f"word {n}") for n in range(40)]
    assert answer_arrays(conform(table(*many))).options.tolist() == [0] * 40
    some = pl.concat(
        [
            table(("A", "A"), options=["A", "B"]),
            table(*many).with_columns(item=pl.col("item") + "x", options=pl.lit(None, pl.List(pl.String))),
        ],
        how="vertical_relaxed",
    )
    assert sorted(set(answer_arrays(conform(some)).options.tolist())) == [0, 2]
