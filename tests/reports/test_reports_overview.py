"""What stands before every other number: on pages, in a terminal, and for a run of an earlier version."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from page_outline import loads_nothing, outline
from typer.testing import CliRunner

from command_line import hesperus
from hesperus import api
from hesperus.analysis.run_notes import pack_notes, run_notes
from hesperus.analysis.settings import GivenSettings, MeasureSettings
from hesperus.cli.app import app
from hesperus.errors import EarlierRunWarning
from hesperus.measures import Bootstrap
from hesperus.records import SCHEMA_VERSION, Run, conform, read_records, read_run, write_records, write_run
from hesperus.records.schema import VERSION_KEY
from hesperus.reports.blocks import Fold, Sentences
from hesperus.reports.formats import format_table
from hesperus.reports.html import report_html, write_report
from hesperus.reports.overview import overview
from hesperus.types import OUTCOMES

LABELS = ("A", "B", "C", "D")
QUICK = GivenSettings(resamples=50)


def _records(senses: dict[str, Sequence[str]], *, model: str = "m") -> pl.DataFrame:
    """Records of a model: for each sense the answers; a word that is an outcome stands for itself."""
    rows = [
        {"model": model, "task": "t", "item": f"{item:03}", "instruction": sense, "input": sense, "repeat": 1,
         "outcome": said if said in OUTCOMES else "answered", "answer": None if said in OUTCOMES else said,
         "gold": LABELS[item % 4], "options": list(LABELS)}
        for sense, answers in senses.items()
        for item, said in enumerate(answers)
    ]  # fmt: skip
    return conform(pl.DataFrame(rows))


RIGHT = [LABELS[item % 4] for item in range(20)]
LOST = ["error"] * 3 + ["refused"] * 2 + RIGHT[5:]


@pytest.mark.parametrize("other", ["de_from_en", "de"])
def test_the_answer_comes_first_then_the_notes_and_the_summary(other: str) -> None:
    nasty = "<b>m</b>\u202e"
    records = _records({"en": RIGHT, other: LOST}, model=nasty)
    note = "3 items spell their gold differently <i>"
    text = report_html(Run(records, None, {}, {"notes": [note]}), given=QUICK)
    outline(text)
    loads_nothing(text)
    head = text[: text.index("<nav")]
    assert "2 refused, 3 without a reply (error)" in head
    assert "3 items without a reply (error)" in head
    assert "3 items spell their gold differently &lt;i&gt;" in head
    assert head.index('class="lead"') < head.index('class="told"') < head.index("<table") < head.index("75.0")
    assert "&lt;b&gt;m&lt;/b&gt;⟨U+202E⟩" in head and "<b>" not in text and "\u202e" not in text


@pytest.mark.parametrize("other", ["de_from_en", "de"])
@pytest.mark.parametrize("outcome", ["error", "refused"])
def test_a_run_without_an_answer_has_a_page_that_says_so(tmp_path: Path, other: str, outcome: str) -> None:
    records = _records({"en": [outcome] * 5, other: [outcome] * 5})
    write_records(records, tmp_path / "records.parquet")
    text = write_report(tmp_path / "records.parquet", tmp_path / "page.html", given=QUICK).read_text("utf-8")
    outline(text)
    assert "<h1>Nothing was answered</h1>" in text and "10 of 10 questions have no answer" in text
    text = text[text.index("<main") : text.index("<script>")]
    assert "κ" not in text and "<figure" not in text and ">0.0" not in text
    done = CliRunner().invoke(app, ["report", str(tmp_path / "records.parquet"), "--resamples", "0"])
    assert done.exit_code == 0


def test_an_audit_without_an_answer_has_one_too(tmp_path: Path) -> None:
    records = _records({"en": ["error"] * 4, "en_from_de": ["error"] * 4, "de": ["error"] * 4})
    write_run(Run(records, None, {"study": "translation_tax"}, {}), tmp_path)
    done = CliRunner().invoke(app, ["report", str(tmp_path), "--resamples", "0"], catch_exceptions=False)
    assert done.exit_code == 0 and "Nothing was answered" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("model", ["m", "vendor/a-model-with-a-name"])
def test_a_summary_keeps_its_rows_whole_in_a_terminal(tmp_path: Path, width: int, model: str) -> None:
    write_records(_records({"en": RIGHT, "de": LOST}, model=model), tmp_path / "records.parquet")
    text = format_table(
        api.measure("summary", tmp_path / "records.parquet", resamples=50), "table", width=width
    ).splitlines()
    assert max(map(len, text)) <= width and text[0].startswith("summary: Right 88.2 %") and model in text[1]
    (german,) = (line for line in text if line.startswith("German"))
    assert "88" in german and "%" in text[2]


def test_the_notes_of_a_run_are_in_one_place() -> None:
    records = _records({"en": RIGHT, "de": LOST})
    told = records.with_columns(reply_language=pl.when(pl.col("input") == "de").then(pl.lit("fr")))
    summary = api.measure("summary", told, resamples=0)
    notes = run_notes(summary, told, {"notes": ["of the task"]})
    read = told.with_columns(rule=pl.lit("exact"))
    assert any("no native reader has confirmed" in note for note in run_notes(summary, read, {}))
    assert notes[-1] == "of the task" and any(
        "17 of 17 replies" in note and "of 20 more it cannot be told" in note and "(French 17)" in note
        for note in notes
    )
    assert not any("(fr" in note for note in run_notes(summary, records, {}))


def _earlier(folder: Path) -> Path:
    """A run folder as version 1 of the records table had it."""
    run = Run(
        _records({"en": RIGHT, "de": LOST}), None, {"study": "similarity", "bootstrap": {"seed": 0}}, {}
    )
    write_run(run, folder)
    file = folder / "records.parquet"
    pl.read_parquet(file).write_parquet(file, metadata={VERSION_KEY: "1"})
    return folder


def test_a_run_of_an_earlier_version_says_what_differs(tmp_path: Path) -> None:
    folder = _earlier(tmp_path / "run")
    for read in (read_records, read_run):
        with pytest.warns(EarlierRunWarning) as told:
            read(folder)
        (said,) = [str(one.message) for one in told]
        assert "version 1" in said and "missing data" in said and "percentile" in said
    write_run(
        replace(Run(read_current(folder)), study={"bootstrap": {"resamples": 9, "seed": 0, "level": 0.95}}),
        folder,
    )
    with pytest.warns(EarlierRunWarning, match="percentile"):
        read_run(folder)
    write_run(replace(Run(read_records(folder)), study={"bootstrap": {"interval": "bayesian"}}), folder)
    read_run(folder)


def read_current(folder: Path) -> pl.DataFrame:
    """The records as today's version would have them."""
    return conform(pl.read_parquet(folder / "records.parquet"))


def test_the_command_says_it_once(tmp_path: Path) -> None:
    folder = _earlier(tmp_path / "run")
    done = hesperus("measure", "accuracy", folder, "--resamples", "0")
    assert (
        done.returncode == 0
        and done.stderr.count("written by an earlier hesperus") == 1
        and "Warning" not in done.stderr
    )
    assert f"version {SCHEMA_VERSION - 1} of the records table" in done.stderr


def test_a_run_says_on_which_language_packs_its_answers_rest() -> None:
    rows = [
        {"model": "m", "task": "t", "item": "1", "instruction": code, "input": code, "repeat": 1, "outcome": "answered",
         "answer": "yes", "rule": rule}
        for code, rule in (("de_from_en", "exact"), ("sw", "cue"), ("fr", "logprobs"), ("cy", "exact"), ("ja", None))
    ]  # fmt: skip
    assert pack_notes(pl.DataFrame(rows)) == [
        "Answers in German and Swahili are read by language packs that no native reader has confirmed.",
        "There is no language pack for Welsh: answers are read by English words and Latin letters.",
    ]
    tags = ("aa", "ab", "ace", "acm", "acq", "aeb", "af", "ak", "am", "an", "as", "ast", "av", "awa")
    many = [{**rows[0], "instruction": tag} for tag in tags]
    *_, told = pack_notes(pl.DataFrame(many))
    assert told.startswith("There is no language pack for Afar, Abkhaz") and " more: answers are read" in told
    assert pack_notes(pl.DataFrame(rows).drop("rule")) == []


def test_notes_of_many_models_are_folded() -> None:
    """The first are read before the numbers; two hundred of them would stand in their place."""
    rows = [
        {"model": f"m{place:02}", "task": "t", "item": item, "instruction": tag, "input": tag, "gold": "yes", "answer": answer,
         "outcome": "answered" if answer else "invalid"}
        for place in range(15) for tag in ("en", "de") for item, answer in (("a", "yes"), ("b", None))
    ]  # fmt: skip
    shown, folded, _ = overview(conform(pl.DataFrame(rows)), {}, MeasureSettings(bootstrap=Bootstrap(0)))
    assert isinstance(shown, Sentences) and len(shown.texts) == 12
    assert isinstance(folded, Fold) and len(folded.blocks[0].texts) >= 3  # type: ignore[union-attr]
    assert folded.title.endswith("more notes")
