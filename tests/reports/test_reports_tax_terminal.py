"""`hesperus tax` on records of several benchmarks, on mere translations, on empty strata, and where no answer changes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from typer.testing import CliRunner, Result

from hesperus.analysis.tax.back_translation import back_translation_table
from hesperus.analysis.tax.difference_rows import could_change
from hesperus.analysis.tax.paired_records import Side, compared
from hesperus.analysis.tax.tax_settings import TaxSettings
from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.records import conform, write_records
from hesperus.studies.translation_tax.strata import StrataRule, strata_of, write_strata
from hesperus.types import Estimate

Tax = Callable[..., Result]
SENSES = ("en", "zh", "en_from_zh", "zh~natural")


def answers(
    task: str, senses: tuple[str, ...], wrong: Mapping[str, tuple[int, ...]], items: int = 12
) -> pl.DataFrame:
    """Two models; an item is answered wrongly in a sense where `wrong` says so, and by the first model only."""
    rows = [
        {"model": model, "task": task, "item": f"i{item}", "instruction": sense.partition("_")[0].partition("~")[0],
         "input": sense, "repeat": repeat, "outcome": "answered", "gold": "A",
         "answer": "B" if model == "m/a" and item in wrong.get(sense, ()) else "A"}
        for model in ("m/a", "m/b") for item in range(items) for sense in senses for repeat in (1, 2)
    ]  # fmt: skip
    return conform(pl.DataFrame(rows))


@pytest.fixture
def tax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tax:
    """The command in this process, in a folder of its own, without many resamples."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    return lambda what, *words: runner.invoke(
        app,
        [
            *(
                ["report"]
                if what == "report"
                else ["tax" if what in ("strata", "checklist") else "measure", what]
            ),
            *map(str, words),
            *(["--resamples", "40"] if what != "strata" else []),
        ],
    )


def refused(done: Result, error: type[Exception], *words: str) -> None:
    assert isinstance(done.exception, error), (done.exception, done.stdout, done.stderr)
    for word in words:
        assert word in str(done.exception), str(done.exception)


@pytest.fixture
def several(tmp_path: Path) -> Path:
    """Logs of three benchmarks in one file, as an import leaves them; ids only count."""
    parts = [
        answers("quiz", ("en", "zh"), {"zh": (1, 2, 3)}),
        answers("exam", ("en", "zh"), {"zh": (1,)}),
        answers("native", ("zh",), {}),
    ]
    write_records(pl.concat(parts), tmp_path / "several.parquet")
    return tmp_path / "several.parquet"


def test_a_native_control_takes_the_benchmark_that_is_named(tax: Tax, several: Path) -> None:
    refused(
        tax("native_control", several, "--translated", "zh", "--native-task", "native"), DataError,
        "takes one benchmark", "2: exam, quiz", "--task",
    )  # fmt: skip
    for task, right in (("quiz", 21 / 24), ("exam", 23 / 24)):
        done = tax(
            "native_control",
            several,
            "--translated",
            "zh",
            "--task",
            task,
            "--native-task",
            "native",
            "--format",
            "json",
        )
        document = json.loads(done.stdout)
        assert document["signature"]["tasks"] == [task, "native"]
        (gap,) = [row for row in document["rows"] if row["statistic"] == "gap" and not row["model"]]
        assert gap["value"] == pytest.approx(right - 1)
    # Which the native items are goes without saying only where nothing else could be meant.
    same = ("--translated", "zh", "--task", "quiz", "--native-task", "quiz")
    refused(tax("native_control", several, *same), UsageError, "both are the task 'quiz'")
    refused(
        tax("native_control", several, "--translated", "zh", "--task", "quizz"),
        UnknownNameError,
        "did you mean 'quiz'",
    )


def test_every_table_narrows_to_the_tasks_that_are_named(tax: Tax, tmp_path: Path) -> None:
    parts = [
        answers(task, SENSES, {"en_from_zh": wrong}) for task, wrong in (("quiz", (0, 1)), ("exam", (2,)))
    ]
    write_records(pl.concat(parts), tmp_path / "two.parquet")
    for words, tasks in (((), {"quiz", "exam"}), (("--task", "exam"), {"exam"})):
        for what in ("back_translation", "bounds", "validity"):
            done = tax(what, "two.parquet", *words, "--format", "json")
            found = {row["task"] for row in json.loads(done.stdout)["rows"] if row["task"]}
            assert found == tasks, (what, words)
    groups = ("--group", "x=m/a,m/b")
    refused(tax("strata", "two.parquet", "--out", "s.json", *groups), DataError, "exam, quiz")
    assert tax("strata", "two.parquet", "--out", "s.json", *groups, "--task", "quiz").exit_code == 0
    # The strata are of quiz; that exam has items of the same ids is no matter.
    done = tax("naturalisation", "two.parquet", "--strata", "s.json", "--format", "json")
    assert {row["n"] for row in json.loads(done.stdout)["rows"] if row["analysis"] == "pooled"} == {12}
    refused(
        tax("naturalisation", "two.parquet", "--strata", "s.json", "--task", "exam"),
        DataError,
        "of the task 'quiz'",
    )
    rows = [{"unit": f"i{k}", "rater": "ann", "question": "cue", "rating": 1 + k % 5} for k in range(12)]
    pl.DataFrame(rows).write_csv(tmp_path / "cues.csv")
    refused(
        tax("rating", "two.parquet", "--ratings", "cues.csv"),
        DataError,
        "'i0'",
        "of exam and of quiz",
        "--task",
    )
    assert tax("rating", "two.parquet", "--ratings", "cues.csv", "--task", "quiz").exit_code == 0


def test_a_mere_translation_is_no_back_translation(tax: Tax, several: Path) -> None:
    for what in ("back_translation", "bounds", "report"):
        done = tax(what, several, "--original", "en", "--back", "zh", "--task", "quiz")
        refused(done, UsageError, "'zh' is in Chinese", "'en' in English", "such as en_from_zh")
    refused(
        tax("back_translation", several, "--original", "en", "--back", "en"),
        UsageError,
        "the original itself",
    )
    natural = ("--natural", "zh", "--translated", "en", "--task", "quiz")
    refused(tax("bounds", several, *natural), UsageError, "E4 compares two of one language")
    with pytest.raises(UsageError, match="is a translation"):
        back_translation_table(compared(answers("quiz", ("en", "zh"), {}), Side("en"), Side("zh")))
    # Another script or region of the language is the language.
    records = answers("quiz", ("zh-Hant", "zh_from_en"), {})
    settings = TaxSettings(bootstrap=Bootstrap(0))
    assert back_translation_table(compared(records, Side("zh-Hant"), Side("zh_from_en")), settings).rows


def test_where_no_answer_changes_the_bound_stands_beside_the_interval(tax: Tax, tmp_path: Path) -> None:
    records = answers("quiz", SENSES, {})
    write_records(records, tmp_path / "still.parquet")
    rule = StrataRule(per_subject=None)
    write_strata(strata_of(records, rule, centric=("m/a", "m/b")), tmp_path / "s.json")
    done = tax("back_translation", "still.parquet")
    assert "up to 22.1" in done.stdout and "exact one-sided bound" in done.stderr
    rows = json.loads(tax("back_translation", "still.parquet", "--format", "json").stdout)["rows"]
    clustered = next(row for row in rows if row["analysis"] == "clustered")
    assert clustered["low"] < 0 < clustered["high"] and clustered["could_change"] == 1 - 0.05 ** (1 / 12)
    done = tax("naturalisation", "still.parquet", "--strata", "s.json")
    assert "up to 22.1" in done.stdout
    assert "Difference –: it is empty: no item that was asked is in it (stratum high, stratum" in done.stdout
    assert "Difference –: the stratum high is empty" in done.stdout and "valid answers" not in done.stderr
    page = tmp_path / "page.html"
    assert tax("report", "still.parquet", "--strata", "s.json", "--out", page).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "up to 22.1" in text and "room for an effect on up to" in text and "of items could change" in text
    # One answer that changed has an interval that tells.
    write_records(answers("quiz", SENSES, {"en_from_zh": (0,)}), tmp_path / "one.parquet")
    done = tax("back_translation", "one.parquet", "--format", "json")
    by_model = {
        row["model"]: row["could_change"] for row in json.loads(done.stdout)["rows"]
        if row["analysis"] == "cell" and row["statistic"] == "tax"
    }  # fmt: skip
    assert by_model["m/a"] is None and by_model["m/b"] == clustered["could_change"]


@given(st.integers(1, 10_000), st.floats(0.5, 0.999))
def test_the_bound_is_clopper_and_pearsons_at_no_event(items: int, level: float) -> None:
    most = could_change(Estimate(0.0, n=items), 0, level)
    assert most is not None and most == pytest.approx(float(beta.ppf(level, 1, items)), rel=1e-9)
    assert (1 - most) ** items == pytest.approx(1 - level)


def test_of_no_item_there_is_no_bound() -> None:
    assert could_change(Estimate(0.0, n=0), 0, 0.95) is None


def test_an_undefined_correlation_and_a_missing_interval_give_their_reason(tax: Tax, tmp_path: Path) -> None:
    rows = [{"unit": f"i{k}", "rater": "ann", "question": "cue", "rating": 1 + k % 5} for k in range(12)]
    pl.DataFrame(rows).write_csv(tmp_path / "cues.csv")
    write_records(answers("quiz", SENSES, {}), tmp_path / "still.parquet")
    done = tax("rating", "still.parquet", "--ratings", "cues.csv")
    assert "ρ –: all values of the taxes are the same" in done.stdout and "excluded" not in done.stdout
    # One item carries all that varies: many resamples do not hold it.
    write_records(answers("quiz", SENSES, {"en_from_zh": (0,)}), tmp_path / "one.parquet")
    done = tax("rating", "one.parquet", "--ratings", "cues.csv")
    assert "no interval: " in done.stdout and "too few items vary, so there is no interval" in done.stdout
    # An invalid answer beside it is told with its cause, after that reason.
    unread = answers("quiz", SENSES, {"en_from_zh": (0,)}).with_columns(
        pl.when((pl.col("item") == "i5") & (pl.col("input") == "en"))
        .then(pl.lit(None, pl.String)).otherwise(pl.col("answer")).alias("answer"),
        pl.when((pl.col("item") == "i5") & (pl.col("input") == "en"))
        .then(pl.lit("invalid")).otherwise(pl.col("outcome")).alias("outcome"),
    )  # fmt: skip
    write_records(unread, tmp_path / "unread.parquet")
    done = tax("rating", "unread.parquet", "--ratings", "cues.csv", "--format", "json")
    reasons = [row["reason"] for row in json.loads(done.stdout)["rows"] if row["model"] == "m/a"]
    assert reasons[0].endswith("so there is no interval; 1 invalid in en")


@pytest.mark.parametrize("form", ["table", "markdown"])
def test_how_p_was_made_and_corrected_stands_below_the_tables(tax: Tax, form: str) -> None:
    """Also where a caption says it behind the colon of its first sentence."""
    write_records(answers("one", ("en", "zh", "en_from_zh"), {"en_from_zh": (0, 1)}), Path("records.parquet"))
    shown = " ".join(tax("back_translation", "records.parquet", "--format", form).stdout.split())
    assert "both sides of an item are exchanged" in shown and "corrected over all lines" in shown


def test_of_groups_of_items_the_first_line_says_how_far_they_lie_apart(tax: Tax, tmp_path: Path) -> None:
    number = pl.col("item").str.strip_prefix("i").cast(pl.Int64)
    subject = pl.when(number < 6).then(pl.lit("law")).otherwise(pl.lit("art"))
    records = answers("quiz", ("en", "zh", "en_from_zh"), {"en_from_zh": (0, 1, 2), "en": (7,)})
    records.with_columns(subject=subject).write_parquet(tmp_path / "run.parquet")
    lines = tax("back_translation", tmp_path / "run.parquet", "--by", "subject").stdout.splitlines()
    assert lines[0].startswith("back_translation: Difference −8.3 [")
    assert lines[0].partition(" to ")[2].startswith("+25.0 [") and lines[0].endswith("(law, all models)")
    pooled = [line.split()[:3] for line in lines if "all models" in line][1:]
    assert pooled == [["art", "all", "models"], ["law", "all", "models"]], "before what each depends on"
    markdown = tax("bounds", tmp_path / "run.parquet", "--by", "subject", "--format", "markdown").stdout
    assert "Subject" in markdown and markdown.count("art") == markdown.count("law") > 2
