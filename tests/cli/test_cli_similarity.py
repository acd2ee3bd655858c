"""The similarity study as a person types it: asked and from records, by file and by flags, checked and compared."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner, Result

from command_line import hesperus
from hesperus.cli.app import app
from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.records import read_run, write_records

ASKED = (
    "run", "similarity", "--task", "atlas", "--model", "pocket/s", "--model", "pocket/m", "--language", "en", "--language",
    "de", "--language", "sw", "--limit", "60", "--resamples", "200",
)  # fmt: skip

Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """The command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A study that asked two embedded models; and what it printed."""
    folder = tmp_path_factory.mktemp("similar")
    done = hesperus(
        *ASKED, "--scoring", "both", "--out", "runs/atlas", cwd=folder, environment={"NO_COLOR": "1"}
    )
    return folder / "runs" / "atlas", done


def rows(done: Result) -> list[dict[str, object]]:
    assert done.exit_code == 0, (done.stdout, done.stderr, done.exception)
    found: list[dict[str, object]] = json.loads(done.stdout)["rows"]
    return found


def refused(done: Result, error: type[HesperusError], *words: str) -> None:
    assert isinstance(done.exception, error), (done.exception, done.stdout)
    assert done.exception.exit_code == 2 and done.stdout == ""
    for word in words:
        assert word in str(done.exception), str(done.exception)


def test_run_ends_with_what_was_found_and_what_to_do_next(
    asked: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    folder, done = asked
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("summary: Right ") and "\nmeans: κp" in done.stdout
    for words in (
        "one model, two languages",
        "one model, pivot and another language",
        "two models, one language",
    ):
        assert words in done.stdout
    assert "pocket/m: options scored: 180/180" in done.stderr and "pocket/m: answers: 180/180" in done.stderr
    assert "run folder: runs/atlas   next: hesperus measure contrasts runs/atlas" in done.stderr
    run = read_run(folder)
    assert run.records.height == 2 * 3 * 60 and run.study["study"] == "similarity"
    assert run.records["probs"].null_count() == 0 and run.records["reply"].null_count() == 0


def test_the_resolved_study_runs_again(asked: tuple[Path, object], call: Call) -> None:
    folder = asked[0]
    store = folder.parent / "replies.sqlite"
    first = call("run", folder / "study.yaml", "--out", "again", "--store", store, "--format", "json")
    whole = call("run", folder, "--out", "folder", "--store", store, "--format", "json", "--quiet")
    assert rows(first) == rows(whole) and json.loads(first.stdout)["measure"] == "means"
    for name in ("records.parquet", "items.parquet", "study.yaml", "signature.json"):
        assert (
            (folder / name).read_bytes()
            == Path("again", name).read_bytes()
            == Path("folder", name).read_bytes()
        )
    tables = {}
    for table in ("similarity", "contrasts", "correlations", "all_languages", "scoring"):
        done = call(
            "run", folder, "--out", "again", "--store", store, "--quiet", "--format", "json", "--table", table
        )
        tables[table] = rows(done)
    assert len(tables["similarity"]) == 2 * 3 + 3
    assert {row["statistic"] for row in tables["scoring"]} >= {"disagreement", "accuracy_difference"}
    text = call("run", folder, "--out", "again", "--store", store, "--quiet", "--table", "contrasts")
    assert text.stdout.startswith("contrasts: ")


def test_measure_makes_every_table_from_the_run_folder(asked: tuple[Path, object], call: Call) -> None:
    folder = asked[0]
    designs = rows(call("measure", "means", folder, "--format", "json"))
    store = folder.parent / "replies.sqlite"
    assert designs == rows(call("run", folder, "--out", "x", "--store", store, "--quiet", "--format", "json"))
    for table in ("similarity", "contrasts", "correlations", "all_languages", "scoring"):
        assert rows(call("measure", table, folder, "--format", "json"))


def test_plan_counts_both_halves(call: Call) -> None:
    found = rows(call("plan", *ASKED[1:], "--scoring", "both", "--format", "json"))
    totals = {row["model"]: row["requests"] for row in found if row["stage"] == "total"}
    assert totals == {"pocket/s": 360, "pocket/m": 360}
    half = call("plan", *ASKED[1:], "--scoring", "generate", "--requests")
    assert len(half.stdout.splitlines()) == 2 * 180


def test_records_are_compared_by_flags(asked: tuple[Path, object], call: Call) -> None:
    folder = asked[0]
    records = read_run(folder).records.with_columns(
        subject=pl.when(pl.col("item").hash(1) % 2 == 0).then(pl.lit("law")).otherwise(pl.lit("art"))
    )
    for model in ("pocket/s", "pocket/m"):
        write_records(records.filter(pl.col("model") == model), f"{model[-1]}.parquet")
    Path("out.csv").write_text(
        f"item,reason\n{records['item'][0]},doubled option\nnone,x\n", encoding="utf-8"
    )
    given = ("run", "similarity", "--records", "s.parquet", "--records", "m.parquet", "--resamples", "100")
    done = call(*given, "--by", "subject", "--exclude", "out.csv", "--pivot", "de", "--format", "json")
    found = rows(done)
    assert {row["part"] for row in found} == {None, "law", "art"} and {
        row["n"] for row in found if not row["by"]
    } == {59}
    assert "1 item excluded (1 doubled option); 1 id of the list belongs to no item" in done.stderr
    signature = json.loads(done.stdout)["signature"]
    assert signature["excluded"] == {"items": 1, "reasons": {"doubled option": 1}, "absent": 1}
    assert "next: hesperus measure contrasts runs/similarity-s-" in done.stderr
    one = call(*given[:4], "--statistic", "raw", "--out", "r", "--format", "json", "--table", "similarity")
    assert {row["statistic"] for row in rows(one)} == {"raw_soft"} and len(rows(one)) == 3


def test_flags_win_over_the_file_and_complete_it(call: Call) -> None:
    values = {"study": "similarity", "task": "atlas", "languages": ["en"], "sample": {"by": "relation", "per_group": 2},
              "comparison": {"permutations": 9, "bootstrap": {"seed": 5}}}  # fmt: skip
    Path("study.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")
    given = (
        "--model",
        "pocket/s",
        "--language",
        "en",
        "--language",
        "th",
        "--limit",
        "8",
        "--resamples",
        "20",
        "--quiet",
    )
    assert rows(call("run", "study.yaml", *given, "--out", "run", "--format", "json"))
    study = read_run("run").study
    assert study["languages"] == ["en", "th"] and study["sample"] == {
        "n": 8,
        "by": None,
        "per_group": None,
        "seed": 42,
    }
    comparison = study["comparison"]
    assert isinstance(comparison, dict) and comparison["bootstrap"] == {
        "resamples": 20,
        "seed": 5,
        "level": 0.95,
        "interval": "bayesian",
    }


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("similarity",), DataError, ["give either records, or models and languages"]),
        (("similarity", "--task", "atlas", "--model", "pocket/s"), DataError, ["asking needs a task, models and languages"]),
        (("similarity", "--task", "atlas", "--model", "pocket/s", "--language", "en"), DataError, ["nothing to compare"]),
        (("similarity", "--task", "atlas", "--model", "pocket/s", "--language", "en", "--language", "klingonese"), UnknownNameError, ["language"]),
        (("similarity", "--task", "atlas", "--model", "pocket/s", "--language", "en", "--language", "sv"), UnknownNameError, ["'sv'"]),
        (("similarity", "--task", "atlas", "--model", "pocket/xl", "--language", "en", "--language", "de"), UnknownNameError, ["pocket/l"]),
        (("similarity", "--records", "none"), UsageError, ["none: no such file or folder"]),
        (("similarity", "--records", "x", "--target", "de"), UnknownNameError, ["flag of the study similarity: '--target'"]),
        (("multisense", "--records", "x"), UnknownNameError, ["flag of the study multisense: '--records'"]),
        (("similarty", "--records", "x"), UnknownNameError, ["did you mean 'similarity'"]),
        (("similarity", "--records", "x", "--table", "pairs"), UnknownNameError, ["table of similarity", "correlations"]),
        (("similarity", "--records", "x", "--statistic", "kappa"), UsageError, ["--statistic: write kappa_p"]),
        (("similarity", "--records", "x", "--exclude", "none.csv"), UsageError, ["none.csv"]),
    ],
)  # fmt: skip
def test_bad_use_says_what_to_do(
    call: Call, arguments: tuple[str, ...], error: type[HesperusError], words: list[str]
) -> None:
    refused(call("run", *arguments, "--quiet"), error, *words)
    assert not Path("runs").exists() or not list(Path("runs").rglob("records.parquet"))


def test_records_that_give_nothing_to_compare_write_nothing(asked: tuple[Path, object], call: Call) -> None:
    records = read_run(asked[0]).records
    write_records(records.filter((pl.col("model") == "pocket/s") & (pl.col("input") == "en")), "one.parquet")
    both = pl.concat([records, records.with_columns(task=pl.lit("other"))])
    write_records(both, "two.parquet")
    Path("all.txt").write_text("\n".join(records["item"].unique()), encoding="utf-8")
    Path("empty.csv").write_text("", encoding="utf-8")
    one = ("run", "similarity", "--records", "one.parquet")
    refused(call(*one), DataError, "nothing to compare", "pocket/s in en")
    refused(
        call("run", "similarity", "--records", "two.parquet"),
        DataError,
        "atlas, other; name one",
        "--task NAME",
    )
    refused(
        call("run", "similarity", "--records", "two.parquet", "--task", "atlsa"), UnknownNameError, "'atlas'"
    )
    two = ("run", "similarity", "--records", "two.parquet", "--task", "atlas")
    refused(call(*two, "--by", "subject"), UnknownNameError, "column under comparison: 'subject'")
    refused(call(*two, "--pivot", "fr"), UnknownNameError, "unknown pivot: 'fr'; known: de, en, sw")
    refused(call(*two, "--exclude", "all.txt"), DataError, "names all 60 items")
    refused(call(*two, "--exclude", "empty.csv"), DataError, "empty.csv", "is empty")
    refused(call(*two, "--grouping", "global-mmlu"), UnknownNameError, "column: 'subject'")
    assert not Path("runs").exists()
    refused(call("plan", *two[1:]), UsageError, "asks nothing; run it")


def test_a_study_file_of_an_unknown_kind_is_refused(call: Call) -> None:
    Path("s.yaml").write_text("study: similarly\nrecords: x\n", encoding="utf-8")
    refused(call("run", "s.yaml"), UnknownNameError, "unknown study: 'similarly'; did you mean 'similarity'")
    Path("t.yaml").write_text("study: similarity\nrecord: x\n", encoding="utf-8")
    refused(call("run", "t.yaml"), UnknownNameError, "t.yaml", "'records'")


def test_check_holds_similarity_to_requirements(asked: tuple[Path, object], call: Call) -> None:
    folder = asked[0]
    done = call(
        "check", folder, "--require", "agreement.kappa_p[de, model=pocket/m] >= -1", "--require", "similarity[en, sw] >= 2",
        "--require", "means.high[within_model, pocket/s] <= 1", "--require", "contrasts[model=pocket/s] > -2", "--junit", "j.xml",
        "--summary", "deep/s.md", "--format", "json",
    )  # fmt: skip
    assert done.exit_code == 1 and "2 of " in done.stderr
    found = json.loads(done.stdout)["rows"]
    of = {
        text: [row for row in found if row["requirement"].startswith(text)]
        for text in ("agreement", "similarity", "means", "contrasts")
    }
    assert [row["model"] for row in of["agreement"]] == ["pocket/m"] * 2
    assert [(row["model"], row["passed"]) for row in of["similarity"]] == [
        ("pocket/m", False), ("pocket/s", False),
    ]  # fmt: skip
    assert [row["where"] for row in of["means"]] == ["design=within_model,group=pocket/s,aggregate=micro"]
    assert len(of["contrasts"]) == 2 and all(row["passed"] for row in of["contrasts"])
    suite = ElementTree.fromstring(Path("j.xml").read_text(encoding="utf-8"))
    assert (suite.attrib["tests"], suite.attrib["failures"]) == (str(len(found)), "2")
    failed = [case for case in suite if case.find("failure") is not None]
    assert all("similarity[en, sw] >= 2 (pocket/" in case.attrib["name"] for case in failed)
    summary = Path("deep/s.md").read_text(encoding="utf-8").splitlines()
    assert summary[0] == "## hesperus check: 3 of 4 satisfied; not similarity[en, sw] >= 2 in 2 of 2 rows"
    assert (
        summary[2].startswith("| Requirement | Holds |")
        and "| no |" in summary[4]
        and "| yes |" in summary[6]
    )


def test_check_holds_a_run_to_a_baseline(asked: tuple[Path, object], call: Call) -> None:
    folder = asked[0]
    records = read_run(folder).records
    worse = records.with_columns(
        answer=pl.when((pl.col("input") == "de") & (pl.col("model") == "pocket/m") & (pl.col("item").rank("dense") <= 30))
        .then(pl.lit("A")).otherwise("answer"),
    )  # fmt: skip
    write_records(worse, "worse.parquet")
    same = call("check", folder, "--baseline", folder, "--max-drop", "0", "--max-drop", "similarity.high=0")
    assert same.exit_code == 0, same.stdout
    done = call(
        "check", "worse.parquet", "--baseline", folder, "--max-drop", "accuracy=0.02", "--format", "json"
    )
    assert done.exit_code == 1
    found = json.loads(done.stdout)["rows"]
    assert len(found) == 6 and [(row["model"], row["where"]) for row in found if not row["passed"]] == [
        ("pocket/m", "instruction=de,input=de,repeat=1")
    ]
    drop = next(float(row["value"]) for row in found if not row["passed"])
    assert -30 / 60 <= drop < -0.05
    for text, code in (
        (f"accuracy[de]={-drop - 1e-9}", 1),
        (f"accuracy[de]={-drop + 1e-9}", 0),
        ("accuracy[en]=0", 0),
        ("accuracy.high[de, model=pocket/m]=0", 1),
        ("validity.high=0", 0),
    ):
        assert call("check", "worse.parquet", "--baseline", folder, "--max-drop", text).exit_code == code, (
            text
        )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ["give --require, or --baseline and --max-drop"]),
        (("--max-drop", "0.1"), ["belong together"]),
        (("--require", "validity > 0", "--baseline", "RUN"), ["belong together"]),
        (("--baseline", "RUN", "--max-drop", "-0.1"), ["'-0.1' is no number of 0 or more"]),
        (("--baseline", "RUN", "--max-drop", "agreement=0.1"), ["unknown comparison: 'agreement'"]),
        (("--baseline", "RUN", "--max-drop", "accuracy.mid=0.1"), ["after the measure comes low or high"]),
        (("--baseline", "RUN", "--max-drop", "accuracy[fr]=0.1"), ["is about no row"]),
        (("--baseline", "none", "--max-drop", "0.1"), ["none: no such file or folder"]),
        (("--require", "scoring > 0"), ["scoring has several statistics; write scoring.NAME", "disagreement"]),
        (("--require", "means[group=none] > 0"), ["is about no row; there are:"]),
        (("--require", "similarity.kappa_p > 0"), ["unknown statistic of similarity: 'kappa_p'; did you mean 'kappa_p_soft'"]),
    ],
)  # fmt: skip
def test_checks_that_cannot_be_made_are_refused(
    asked: tuple[Path, object], call: Call, arguments: tuple[str, ...], words: list[str]
) -> None:
    given = [str(asked[0]) if argument == "RUN" else argument for argument in arguments]
    refused(call("check", asked[0], *given), UsageError, *words)


def test_compare_gives_similarity_of_two_models(asked: tuple[Path, object], call: Call) -> None:
    folder = asked[0]
    models = ("--model-a", "pocket/s", "--model-b", "pocket/m", "--resamples", "200")
    found = rows(call("compare", folder, folder, "similarity", *models, "--format", "json"))
    assert len(found) == 3
    for row in found:
        assert row["value"] == pytest.approx(float(str(row["value_b"])) - float(str(row["value_a"])))
        assert 0 < float(str(row["p"])) <= float(str(row["p_holm"])) <= 1
    text = call("compare", folder, folder, "similarity", *models, "--format", "csv").stdout
    header = text.splitlines()[0].split(",")
    assert header[:7] == ["model_a", "model_b", "task", "a", "b", "statistic", "value_a"]
