"""Replies in another language than the one asked for, planted in many languages and followed through the commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

from hesperus.analysis.open_answers.statistics import LOW_CEILING, scored
from hesperus.analysis.reply_language import language_notes, language_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.answers import read, reader_for
from hesperus.cli.app import app
from hesperus.languages import language_asked, reply_language
from hesperus.measures import Bootstrap
from hesperus.studies.evaluating.replies import read_open, replies_of
from hesperus.types import Reply
from languages.said_in import SAID

Call = Callable[..., Result]
OTHERS = [tag for tag in SAID if tag != "en"]


@pytest.fixture
def call() -> Call:
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(one) for one in arguments])


def planted(tags: list[str]) -> pl.DataFrame:
    """Four replies a language: two as they should be, one in English, one that goes on in English."""
    rows = []
    for tag in ["en", *tags]:
        texts = [SAID[tag], SAID[tag], SAID["en"], f"{SAID[tag]}\n\n{SAID['en']}"]
        for number, text in enumerate(texts):
            rows.append({"model": "m", "task": "report", "item": f"i{number}", "instruction": tag, "input": tag,
                         "answer": text, "reply": text})  # fmt: skip
    return pl.DataFrame(rows)


def rows(done: Result) -> list[dict[str, object]]:
    assert done.exit_code == 0, (done.stdout, done.stderr, done.exception)
    return list(json.loads(done.stdout)["rows"])


def test_every_planted_reply_is_found_by_the_measure(tmp_path: Path, call: Call) -> None:
    planted(OTHERS).write_parquet(tmp_path / "r.parquet")
    found = rows(call("measure", "language", tmp_path / "r.parquet", "--resamples", 50, "--format", "json"))
    for tag in OTHERS:
        own = {
            row["statistic"]: row for row in found if row["input"] == tag and row["reply_language"] is None
        }
        assert own["right_language"]["value"] == own["line_pass_rate"]["value"] == 0.5, (tag, own)
        assert (
            own["right_language"]["n"] == 4
            and own["right_language"]["low"] < 0.5 < own["right_language"]["high"]
        )
        words = own["word_pass_rate"]
        latin = SAID[tag].encode()[:1].isascii() or tag in ("tr", "hu", "fi", "vi", "hi")
        assert (words["value"] is None and bool(words["reason"])) or words["value"] == 1.0, (tag, latin)
        shares = {
            row["reply_language"]: row["value"]
            for row in found
            if row["input"] == tag and row["statistic"] == "share"
        }
        assert shares[tag] + shares["en"] == 1 and shares["en"] >= 0.25
    english = [row for row in found if row["input"] == "en" and row["statistic"] == "right_language"]
    assert [row["value"] for row in english] == [1.0]
    called = call("check", tmp_path / "r.parquet", "--require", "language.line_pass_rate[de] >= 0.9")
    assert called.exit_code == 1, called.stdout


def test_what_cannot_be_told_is_excluded_and_said() -> None:
    frame = pl.DataFrame(
        [{"model": "m", "task": "t", "item": f"i{n}", "instruction": tag, "input": tag, "repeat": 1, "outcome": "invalid",
          "answer": None, "reply": reply}
         for tag in ("de", "ilo", "zh")
         for n, reply in enumerate(["B", None, SAID["en"], "Ja."])]
    )  # fmt: skip
    found = {(row["input"], row["statistic"]): row for row in language_table(frame, MeasureSettings(bootstrap=Bootstrap(0))).rows
             if row["reply_language"] is None}  # fmt: skip
    german, unknown = found["de", "right_language"], found["ilo", "right_language"]
    assert (german["value"], german["n"], german["excluded"]) == (0.0, 1, 3)
    assert "1 without a reply" in str(german["reason"]) and "2 too short" in str(german["reason"])
    assert unknown["value"] == 1.0 and "cannot be identified" in str(unknown["reason"])
    assert found["zh", "word_pass_rate"]["value"] is None and found["de", "word_pass_rate"]["value"] is None
    absent = language_table(frame.drop("reply"), MeasureSettings(bootstrap=Bootstrap(0))).rows
    assert len(absent) == 9 and all(
        row["value"] is None and row["n"] == 0 and row["reason"] for row in absent
    )


@pytest.mark.parametrize("tag", OTHERS)
def test_an_open_reply_in_english_is_no_answer_to_another_prompt(tag: str) -> None:
    assert read_open(Reply(SAID["en"]), tag).outcome == "wrong_language"
    assert read_open(Reply(SAID[tag]), "en").outcome == "wrong_language"
    assert read_open(Reply(SAID[tag]), tag).outcome == "answered"
    assert reply_language(SAID["en"], tag) == "en" and reply_language(SAID[tag], tag) == tag
    assert language_asked(f"{tag}_from_en~natural") == tag


def test_short_answers_are_read_by_their_label_and_unread_ones_by_their_language() -> None:
    german = reader_for("label", "de", answers={"yes": ["ja"], "no": ["nein"]})
    assert read(german, 'Both sentences say the same thing, so the answer is "Ja".').label == "yes"
    assert (
        read(german, "The two sentences describe the very same event from different points of view").outcome
        == "wrong_language"
    )
    assert (
        read(german, "Die beiden Sätze beschreiben dasselbe Ereignis von verschiedenen Seiten").outcome
        == "invalid"
    )
    assert read(german, "B").outcome == "invalid"
    letters = reader_for("choice", "sw", answers={letter: [letter] for letter in "ABCD"})
    assert read(letters, "B, because the river runs through the whole of the country").label == "B"
    free = reader_for("text", "fr", answers={})
    assert read(free, "Paris").outcome == "answered"
    said = "it is the city where the president of the country lives and works"
    assert (
        read(free, said).outcome == "wrong_language"
        and read(reader_for("text", "en", answers={}), said).outcome == "answered"
    )


def test_evaluating_ready_answers_counts_replies_in_another_language(tmp_path: Path, call: Call) -> None:
    texts = [f"The town {n} has {n + 3} wells, and the mill was built in {1800 + n}." for n in range(8)]
    table = [{"model": "m", "item": f"i{n}", "input": tag, "reply": text}
             for tag in ("en", "de", "sw") for n, text in enumerate(texts)]  # fmt: skip
    pl.DataFrame(table).write_csv(tmp_path / "replies.csv")
    done = call("evaluate", "information", tmp_path / "replies.csv", "--reference", "en", "--translator", "none",
                "--out", tmp_path / "out", "--resamples", 0, "--format", "json")  # fmt: skip
    found = {(row["language"], row["statistic"]): row for row in rows(done)}
    assert "in 16 of them a reply is in another language than the one asked for" in done.stderr
    for tag in ("de", "sw"):
        assert found[tag, "f_of_means"]["value"] == 1.0
        right = found[tag, "f_of_means_right_language"]
        assert (
            right["value"] is None and right["excluded"] == 8 and "another language" in str(right["reason"])
        )
    replies = replies_of(pl.DataFrame(table))
    assert set(replies.filter(pl.col("input") != "en")["outcome"]) == {"wrong_language"}


@pytest.mark.parametrize(("ceiling", "low"), [(0.5, True), (0.79, True), (0.8, False), (1.0, False)])
def test_below_a_low_ceiling_the_share_of_it_is_withheld(ceiling: float, low: bool) -> None:
    pairs = pl.DataFrame(
        [{"item": f"i{n}", "state": "compared", "outcome": "answered", "reference_outcome": "answered", "agreement": 0.48,
          "ceiling_state": "compared", "ceiling_agreement": ceiling} for n in range(12)]
    )  # fmt: skip
    found = scored(pairs, Bootstrap(20))["agreement"]
    assert found.ceiling is not None and (found.relative is None) == low == (ceiling < LOW_CEILING)
    assert ("cannot measure" in found.estimate.reason) == low and found.estimate.value == pytest.approx(0.48)


def test_the_note_and_the_measure_count_the_same_replies(tmp_path: Path, call: Call) -> None:
    frame = planted(["de", "sw"]).with_columns(pl.lit("answered").alias("outcome"))
    short = frame.head(2).with_columns(item=pl.lit("short"), reply=pl.lit("B"), answer=pl.lit("B")).head(1)
    # A third of it is in English, though most is not: by one rule it counts as English everywhere.
    mixed = frame.filter(pl.col("item") == "i3").with_columns(
        item=pl.lit("mixed"),
        reply=pl.col("instruction").replace_strict(
            {tag: f"{SAID[tag]}\n{SAID['en'][:95]}" for tag in ("de", "sw", "en")}
        ),
    )
    frame = pl.concat([frame, short, mixed])
    told = [reply_language(text, tag) for text, tag in frame.select("reply", "instruction").iter_rows()]
    frame = frame.with_columns(pl.Series("reply_language", told))
    frame.write_parquet(tmp_path / "r.parquet")
    measured = rows(call("measure", "language", tmp_path / "r.parquet", "--resamples", 0, "--format", "json"))
    right = [row for row in measured if row["statistic"] == "right_language"]
    others = sum(round((1 - float(str(row["value"]))) * int(str(row["n"]))) for row in right)
    (line,) = language_notes(frame)
    assert others == 6 and line.startswith("m: 6 of 15 replies") and "English 6" in line, line
    assert "of 1 more it cannot be told" in line and sum(int(str(row["n"])) for row in right) == 15
    assert line in call("measure", "summary", tmp_path / "r.parquet", "--resamples", 0).stderr.replace(
        "note: ", ""
    )
    # Without the column the replies themselves are looked at; of many, some, and the note says so.
    assert language_notes(frame.drop("reply_language")) == [line]
    assert language_notes(frame.drop("reply_language", "reply")) == []
    frame.drop("reply_language").write_parquet(tmp_path / "plain.parquet")
    assert line in call("measure", "summary", tmp_path / "plain.parquet", "--resamples", 0).stderr
    (some,) = language_notes(pl.concat([frame.drop("reply_language")] * 200))
    assert "; of 3,200 replies of the table 1,000 were looked at; " in some
    others, looked_at = (int(number.replace(",", "")) for number in re.findall("[0-9,]+", some)[:2])
    assert others / looked_at == pytest.approx(6 / 15, abs=0.05)
    assert language_notes(frame.with_columns(outcome=pl.lit("error"))) == []
