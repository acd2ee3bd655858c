"""What the notes of a summary say of replies without an answer, and what is not said of right answers that nobody gave."""

from __future__ import annotations

import polars as pl
import pytest

from hesperus.analysis.run_notes import run_notes, summary_notes
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import labels_table
from hesperus.analysis.summary import summary_table
from hesperus.measures import Bootstrap
from hesperus.records import conform


def records(answers: dict[str, str], gold: str = "ABABABABAB", options: str = "ABC") -> pl.DataFrame:
    """An answer a letter, '-' for a reply without one; of gold '-' where it is not known."""
    return conform(
        pl.DataFrame(
            [
                {
                    "model": "m", "task": "t", "item": f"i{place}", "instruction": language, "input": language,
                    "answer": None if letter == "-" else letter, "reply": letter,
                    "gold": None if right == "-" else right, "options": list(options),
                }
                for language, letters in answers.items()
                for place, (letter, right) in enumerate(zip(letters, gold, strict=True))
            ]
        )
    )  # fmt: skip


def notes(frame: pl.DataFrame, rule: str = "disagree", by: tuple[str, ...] = ()) -> str:
    settings = MeasureSettings(by=by, invalid=rule, bootstrap=Bootstrap(200))
    return "\n".join(run_notes(summary_table(frame, settings=settings), frame, {}))


def test_what_kappa_p_makes_of_replies_without_an_answer_is_said_where_they_are_many() -> None:
    many = records({"en": "ABABABABBA", "de": "-BABABABAA", "sw": "ABABABABAA"})
    said = notes(many)
    assert "κp counts a reply without an answer as a wrong answer" in said
    assert "it is too low in German, where a tenth of the replies" in said
    assert "it says little of the answers in German," in notes(many, "agree")
    assert "κp counts" not in notes(many, "drop")
    few = records({"en": "ABABABABBA" * 2, "de": "-BABABABAA" + "ABABABABAA"}, gold="ABABABABAB" * 2)
    assert "κp counts" not in notes(few)
    # Where the reference has them, every language compared with it is concerned, and each group by itself.
    whole = records({"en": "-BABABABBA", "de": "ABABABABAA"}).with_columns(
        part=pl.when(pl.col("item").is_in(["i0", "i1"])).then(pl.lit("first")).otherwise(pl.lit("rest"))
    )
    assert "it is too low in German, where" in notes(whole)
    assert "it is too low in first German, where" in notes(whole, by=("part",))


@pytest.mark.parametrize(
    ("statistics", "told"),
    [
        (("kappa_p", "raw"), (True, True, True)),
        (("consistency",), (False, True, True)),
        (("accuracy",), (False, True, False)),
        (("tax", "accuracy en"), (False, True, False)),
        (("validity",), (False, False, False)),
        ((), (False, False, False)),
    ],
)
def test_a_table_has_the_notes_that_are_about_its_numbers(
    statistics: tuple[str, ...], told: tuple[bool, bool, bool]
) -> None:
    frame = records({"en": "AAAAAAAAAA", "de": "-AAAAAAAAA", "sw": "AAAAAAAAAA"})
    summary = summary_table(frame, settings=MeasureSettings(bootstrap=Bootstrap(200)))
    said = "\n".join(summary_notes(summary, statistics))
    assert "1 of 30 questions have no answer" in said, "which every number rests on"
    phrases = ("κp counts a reply", "always gives the same label", "by chance")
    assert tuple(phrase in said for phrase in phrases) == told
    assert summary_notes(summary, {str(row["statistic"]) for row in summary.rows}) == summary_notes(summary)


def test_a_model_whose_answers_are_all_right_is_not_said_to_answer_whatever_is_asked() -> None:
    right = records({"en": "AAAAAAAA--", "de": "AAAAAAAAA-"}, gold="A" * 10)
    said = notes(right)
    assert "all answers are the same label (A), and all are right" in said and "whatever is asked" not in said
    wrong = records({"en": "AAAAAAAA--", "de": "AAAAAAAAA-"}, gold="A" * 7 + "BBB")
    assert "always gives the same label (A), whatever is asked" in notes(wrong)


@pytest.mark.parametrize("gold", ["ABABAB----", "----------"])
def test_shares_of_right_answers_are_of_the_items_with_a_right_answer(gold: str) -> None:
    table = labels_table(records({"en": "ABABABABAB"}, gold=gold), MeasureSettings(bootstrap=Bootstrap(200)))
    rows = {row["label"]: row for row in table.rows if row["statistic"] == "gold_share"}
    known = len(gold.replace("-", ""))
    assert [rows[label]["value"] for label in "ABC"] == ([0.5, 0.5, 0.0] if known else [None] * 3)
    assert {(row["n"], row["excluded"]) for row in rows.values()} == {(known, 10 - known)}
    assert all(f"{10 - known} items without a gold label" in row["reason"] for row in rows.values())
