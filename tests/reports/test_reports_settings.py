"""Who decides a setting, over all tables and studies: what is given, else the study, else the default; and it is signed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import open_answer_runs as towns
import polars as pl
import pytest
import typer
from typer.testing import CliRunner

from hesperus import api
from hesperus.analysis.measure_names import MEASURES, SIMILARITY
from hesperus.analysis.open_answers.open_tables import TABLES
from hesperus.analysis.settings import (
    DEFAULT,
    GivenSettings,
    MeasureSettings,
    agreed_settings,
    resolve_bootstrap,
    resolve_settings,
    study_settings,
)
from hesperus.cli.app import app
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.measures import Bootstrap
from hesperus.records import Run, conform, write_run
from reports.simulated_runs import quiz

DRAWN = {"resamples": 40, "seed": 5, "level": 0.8, "interval": "percentile"}
OTHER: Mapping[str, Any] = {"resamples": 30, "seed": 9, "level": 0.5, "interval": "bayesian"}
"""A value of each setting that is neither the study's nor the default."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, capitals: Run) -> dict[str, Path]:
    """A run folder of each kind of study, none of whose own settings is the default."""
    place = tmp_path_factory.mktemp("runs")
    write_run(capitals, place / "multisense")
    comparison = {"invalid": "agree", "bootstrap": DRAWN, "permutations": 19}
    records = conform(quiz(("a/s", "b/s"), ("en", "de", "sw"), items=24)).head(120)
    unread = records.with_row_index("row").with_columns(
        answer=pl.when(pl.col("row") % 6 == 0).then(None).otherwise("answer"),
        outcome=pl.when(pl.col("row") % 6 == 0).then(pl.lit("invalid")).otherwise("outcome"),
    )
    study = {"study": "similarity", "comparison": comparison}
    write_run(Run(conform(unread.drop("row")), None, study, {}), place / "similarity")
    towns.written(place / "open", ("information",), bootstrap=DRAWN)
    return {name: place / name for name in ("multisense", "similarity", "open")}


TABLES_OF = {
    "multisense": sorted(MEASURES),
    "similarity": sorted({*MEASURES, *SIMILARITY} - {"decomposition", "scoring"}),
    "open": sorted(TABLES),
}


def signed(signature: object, name: str) -> list[object]:
    """Every statement of a setting in a signature, wherever it stands."""
    if not isinstance(signature, Mapping):
        return []
    own = [signature[name]] if name in signature else []
    return own + [found for inner in signature.values() for found in signed(inner, name)]


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind, names in TABLES_OF.items() for what in names]
)
def test_each_setting_wins_and_is_signed(runs: dict[str, Path], kind: str, what: str) -> None:
    own = asdict(Bootstrap(20)) if kind == "multisense" else DRAWN
    default = {**asdict(DEFAULT.bootstrap), "resamples": 21}
    plain = api.measure(what, runs[kind], **({"resamples": 20} if kind == "multisense" else {}))
    changed = api.measure(what, runs[kind], **OTHER, **({} if kind == "open" else {"invalid": "drop"}))
    draws = 0 if what == "counts" else 1
    for found, drawn in (
        (plain, own),
        (changed, OTHER),
        (api.measure(what, runs[kind], **default), default),
    ):
        assert signed(found.signature, "bootstrap") == [drawn] * draws
    if [row.get("value") for row in changed.rows] != [row.get("value") for row in plain.rows]:
        assert signed(changed.signature, "invalid") == ["drop"], "what moves the numbers is signed"
    if kind == "similarity":
        assert signed(plain.signature, "invalid") in (["agree"], ["disagree"])


def test_a_flag_that_equals_the_default_wins_over_the_study(runs: dict[str, Path]) -> None:
    def values(*flags: str) -> list[object]:
        done = CliRunner().invoke(
            app, ["measure", "means", str(runs["similarity"]), "--format", "json", *flags]
        )
        assert done.exit_code == 0, done.stderr
        return [row["value"] for row in json.loads(done.stdout)["rows"]]

    own, disagree, agree = values(), values("--invalid", "disagree"), values("--invalid", "agree")
    assert own == agree != disagree


STUDIED = {"invalid": "agree", "bootstrap": {"resamples": 30, "seed": 5, "interval": "percentile"}}
AS_DEFAULT = ("--resamples", 2000, "--seed", 0, "--interval", "bayesian", "--invalid", "disagree")


@pytest.fixture(scope="module")
def decided(runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """A run and another, of a study that decides all settings (`own`) and of one that decides none (`none`)."""
    place = tmp_path_factory.mktemp("decided")
    records = pl.read_parquet(runs["similarity"] / "records.parquet")
    shifted = records.with_columns(answer=pl.col("answer").shift(3).over("model", "input"))
    shifted = shifted.with_columns(
        outcome=pl.when(pl.col("answer").is_null()).then(pl.lit("invalid")).otherwise(pl.lit("answered"))
    )
    for name, study in (("own", {"study": "similarity", "comparison": STUDIED}), ("none", {})):
        for which, held in (("RUN", records), ("OTHER", shifted)):
            write_run(Run(conform(held), None, study, {}), place / name / which)
    return {
        name: {which: str(place / name / which) for which in ("RUN", "OTHER")} for name in ("own", "none")
    }


@pytest.mark.parametrize(
    "command",
    [
        ("measure", "consistency", "RUN"), ("measure", "summary", "RUN"), ("measure", "agreement", "RUN"), ("measure", "similarity", "RUN"),
        ("measure", "all_languages", "RUN"), ("compare", "RUN", "OTHER", "consistency"), ("compare", "RUN", "OTHER", "similarity"),
        ("check", "RUN", "--require", "consistency.low >= 0", "--require", "agreement.kappa_p.low >= -1"),
        ("check", "RUN", "--baseline", "OTHER", "--max-drop", "consistency.high=0"),
    ],
)  # fmt: skip
def test_flags_that_equal_all_defaults_win_in_every_command(
    command: tuple[str, ...], decided: dict[str, dict[str, str]]
) -> None:
    def rows(name: str, *flags: object) -> object:
        words = [decided[name].get(word, word) for word in command]
        done = CliRunner().invoke(app, [*words, "--format", "json", *map(str, flags)])
        assert done.exit_code in (0, 1), done.stderr
        return json.loads(done.stdout)["rows"]

    asked = rows("own", *AS_DEFAULT)
    assert asked == rows("none")
    assert asked != rows("own"), "the study decides where nothing is given"


def test_no_flag_that_is_a_setting_has_a_default_of_its_own() -> None:
    """Else it would win over the study without being given. Seeds that draw no resamples decide themselves."""
    settings = {field.name for field in fields(GivenSettings)}
    draws = {("tax", "strata"), ("tax", "simulate"), ("annotate", "create")}
    found = 0

    def visit(command: Any, path: tuple[str, ...] = ()) -> None:
        nonlocal found
        if names := getattr(command, "list_commands", None):
            context = typer.Context(command)
            for name in names(context):
                visit(command.get_command(context, name), (*path, name))
            return
        for one in command.params:
            if one.name in settings and not (path in draws and one.name == "seed"):
                found += 1
                assert one.default is None, (path, one.name)

    visit(typer.main.get_command(app))
    assert found > 50


def test_every_setting_of_a_bootstrap_can_be_given() -> None:
    given = {field.name for field in fields(GivenSettings)}
    assert {field.name for field in fields(Bootstrap)} <= given
    assert {field.name for field in fields(MeasureSettings)} - {"bootstrap"} <= given
    assert all(getattr(GivenSettings(), name) is None for name in given)


def test_given_before_study_before_default() -> None:
    study = {"comparison": {"invalid": "agree", "bootstrap": {"resamples": 50, "seed": 3}}}
    assert resolve_settings(None, {}) == DEFAULT
    assert resolve_settings(None, study).invalid == "agree"
    of_rows = resolve_settings(GivenSettings(invalid="drop", by=("topic",), seed=3), study, ("by",))
    assert (of_rows.invalid, of_rows.by, of_rows.bootstrap.seed) == ("disagree", ("topic",), 3)
    found = resolve_settings(GivenSettings(invalid="disagree", seed=0), study)
    assert (found.invalid, found.bootstrap) == ("disagree", Bootstrap(50, 0))
    assert resolve_bootstrap(
        GivenSettings(resamples=2000), {"bootstrap": {"resamples": 7}}, Bootstrap(9, 42)
    ) == (Bootstrap(2000, 42))
    assert study_settings({"comparison": None}) == GivenSettings()


def test_settings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="resample"):
        GivenSettings.of(resample=3)
    with pytest.raises(UnknownNameError, match="skip"):
        GivenSettings.of(invalid="skip")
    with pytest.raises(UsageError, match="level"):
        resolve_bootstrap(GivenSettings(level=2.0), {}, Bootstrap())
    for broken in (
        {"invalid": "skip"},
        {"bootstrap": 4},
        {"bootstrap": {"seeds": 1}},
        {"bootstrap": {"seed": -1}},
    ):
        with pytest.raises(DataError, match=r"study\.yaml"):
            study_settings({"comparison": broken})


def test_runs_whose_studies_disagree_need_a_word() -> None:
    studies: list[dict[str, object]] = [
        {"comparison": {"invalid": "agree"}},
        {"comparison": {"invalid": "drop"}},
    ]
    assert agreed_settings(None, [studies[0], {}]).invalid == "agree"
    with pytest.raises(UsageError, match="--invalid"):
        agreed_settings(None, studies)
    assert agreed_settings(GivenSettings(invalid="drop"), studies).invalid == "drop"
