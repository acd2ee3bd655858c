"""One thing of every kind is added by a package and by a file, without a change of the source; faults are named."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import polars as pl
import pytest

from command_line import hesperus
from hesperus import plugins
from hesperus.languages import wordings

PACKAGE = Path(__file__).with_name("plugin_package")
SOURCE = Path(__file__).parents[1] / "src"
OFFERS = PACKAGE / "hesperus_example" / "offers.py"
Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built and installed in a folder of its own."""
    place = tmp_path_factory.mktemp("site")
    shutil.copytree(PACKAGE, place / "source")
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation",
             "--disable-pip-version-check", "--target", str(place / "site"), str(place / "source")]  # fmt: skip
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return place / "site"


@contextmanager
def packs_of_packages_anew() -> Iterator[None]:
    """What is known of language packs rests on the packages of a process, which do not change while it runs; here they do."""
    known = (wordings._tags, wordings._pack_of, wordings._offered_file)
    try:
        for one in known:
            one.cache_clear()
        yield
    finally:
        for one in known:
            one.cache_clear()


def caller(folder: Path, *first: str, site: Path | None = None) -> Call:
    """Calls the command with nothing loaded before, and a folder of packages, if any, as Python finds them."""

    def call(*words: object, ends: int = 0) -> subprocess.CompletedProcess[str]:
        paths = [*([str(site)] if site else []), *sys.path]
        with (
            mock.patch.dict(plugins._offered, clear=True),
            mock.patch.object(plugins, "_loaded", set()),
            mock.patch.object(sys, "path", paths),
        ):
            for name in [name for name in sys.modules if name.partition(".")[0] == "hesperus_example"]:
                del sys.modules[name]
            with packs_of_packages_anew():
                done = hesperus(*first, *words, cwd=folder)
        assert done.returncode == ends, (done.stdout, done.stderr)
        return done

    return call


@pytest.fixture(params=["package", "file"])
def call(request: pytest.FixtureRequest, tmp_path: Path) -> Call:
    if request.param == "file":
        return caller(tmp_path, "--plugin", str(OFFERS))
    return caller(tmp_path, site=request.getfixturevalue("installed"))


def counts(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    return {row["model"]: row["value"] for row in json.loads(done.stdout)["rows"]}


def test_one_of_each_kind_is_used_by_its_name(call: Call, tmp_path: Path) -> None:
    data = ("--data", OFFERS.with_name("tides.jsonl"))
    ran = call(
        "run",
        "once",
        "--task",
        "tides",
        *data,
        "--model",
        "parrot/a",
        "--out",
        "run",
        "--format",
        "json",
        "-q",
    )
    assert counts(ran) == {"parrot/a": 6}
    assert "hesperus measure counted run" in ran.stderr
    measured = call("measure", "counted", "run", "--format", "json")
    assert counts(measured) == {"parrot/a": 6}

    words = (
        "multisense",
        "--task",
        "tides",
        *data,
        "--model",
        "parrot/a",
        "--sense",
        "en~shout",
        "--condition",
        "X",
    )
    call("run", *words, "--out", "senses", "-q")
    made = pl.read_parquet(tmp_path / "senses" / "items.parquet").filter(pl.col("input") == "en~shout")
    assert "HOW HIGH IS TIDE 3?" in str(made.to_dicts())
    answers = [
        {"model": "m", "item": "1", "input": tag, "reply": text}
        for tag, text in (("en", "Yes!"), ("de", "Ja!"))
    ]
    (tmp_path / "answers.jsonl").write_text(
        "".join(json.dumps(one) + "\n" for one in answers), encoding="utf-8"
    )
    found = call(
        "evaluate", "exclaims", "answers.jsonl", "--translator", "swap", "--format", "json", "--resamples", 0
    )
    assert {row["value"] for row in json.loads(found.stdout)["rows"] if row["statistic"] == "agreement"} == {
        1.0
    }

    shown = call("languages", "show", "eo")
    assert "Esperanto" in shown.stdout and "eo.yaml" in shown.stdout

    (tmp_path / "answers.bars").write_text("q1|A|A\nq2|B|A\n", encoding="utf-8")
    call("import", "answers.bars", "--out", "imported")  # told by its name
    accuracy = json.loads(call("measure", "accuracy", "imported", "--format", "json").stdout)["rows"]
    assert [row["value"] for row in accuracy] == [0.5]


def test_a_study_and_a_measure_of_a_plug_in_are_as_any_other(tmp_path: Path) -> None:
    """Planned, checked, shown, explained and on the page."""
    call = caller(tmp_path, "--plugin", str(OFFERS))
    data = ("--data", OFFERS.with_name("tides.jsonl"))
    asked = ("once", "--task", "tides", *data, "--model", "parrot/a")
    planned = json.loads(call("plan", *asked, "--format", "json").stdout)
    assert planned["rows"][-1]["to_ask"] == 6
    call("run", *asked, "--out", "run", "-q")
    checked = call("check", "run", "--require", "counted[model=parrot/a] >= 7", "--format", "json", ends=1)
    assert json.loads(checked.stdout)["rows"][0]["value"] == 6
    call("check", "run", "--require", "counted.records[model=parrot/a] >= 6", "--require", "counted > 5")
    said = " ".join(call("measure", "--help").stdout.split())
    assert "Measures of plug-ins: counted: How many records each model has." in said
    shown = call("measure", "counted", "run").stdout
    assert re.search(r"Records\D+6\b", shown), shown
    assert "Records" in call("measure", "counted", "run", "--format", "latex").stdout
    call("report", "run")
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "Further measures" in page and "How many records each model has" in page
    assert page.count("<h1>") == 1 and "<h1>Every question once" in page and "6 answers by one parrot" in page
    assert "--language" in call("run", "once", "--help").stdout


def test_a_study_file_names_its_plug_in(tmp_path: Path) -> None:
    shutil.copy(OFFERS, tmp_path / "mine.py")
    for name in ("tides.yaml", "tides.jsonl"):
        shutil.copy(OFFERS.with_name(name), tmp_path / name)
    (tmp_path / "s.yaml").write_text(
        "study: once\nplugins: mine.py\ntask: tides\ndata: tides.jsonl\nmodels: parrot/a\n", encoding="utf-8"
    )
    (tmp_path / "elsewhere").mkdir()
    call = caller(tmp_path / "elsewhere")
    ran = call("run", "../s.yaml", "--format", "json", "-q")
    assert counts(ran) == {"parrot/a": 6}
    assert "mine.py" in ran.stderr and "is run" in ran.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "import nothing_of_this_name\n",
            ["mine.py, line 1, cannot be loaded", "ModuleNotFoundError", "nothing_of_this_name"],
        ),
        ("x = (\n", ["mine.py, line 1, cannot be loaded", "SyntaxError"]),
        ("X = 1\n", ["mine.py", "HESPERUS = {KIND: {NAME: …}}"]),
        ("HESPERUS = {'sense': {}}\n", ["kind of plug-in", "'sense'", "did you mean 'senses'"]),
        ("HESPERUS = {'models': {'pocket': print}}\n", ["'pocket'", "hesperus itself", "mine.py"]),
        ("raise SystemExit(0)\n", ["mine.py, line 1,", "SystemExit"]),
        ("HESPERUS = {'studies': {'multisense': 3}}\n", ["'multisense'", "hesperus itself", "mine.py"]),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_named_and_nothing_is_asked(
    text: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    call = caller(tmp_path, "--plugin", "mine.py")
    done = call(
        "run", "multisense", "--task", "atlas", "--model", "pocket/s", "--target", "de", "--limit", 2, ends=2
    )
    for word in words:
        assert word in done.stderr, (word, done.stderr)
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HESPERUS = {'measures': {'accuracy': print}}\n", ["'accuracy'", "hesperus itself", "mine.py"]),
        ("HESPERUS = {'measures': {'mine': 3}}\n", ["'mine'", "of the type int", "mine.py"]),
        ("HESPERUS = {'measures': {'mine': print}}\n", ["'mine'", "of the type builtin_function_or_method"]),
        (
            "from hesperus.analysis.measure import measure\n"
            "@measure('mine', help='Fails.')\n"
            "def mine(records, settings):\n"
            "    return 1 / 0\n"
            "HESPERUS = {'measures': {'mine': mine}}\n",
            ["mine.py, line 4", "ZeroDivisionError"],
        ),
    ],
)
def test_a_measure_that_cannot_be_used_is_named(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    records = "model,task,item,instruction,input,answer,gold\nm,t,1,en,en,a,a\n"
    (tmp_path / "records.csv").write_text(records, encoding="utf-8")
    name = "accuracy" if "accuracy" in text else "mine"
    said = caller(tmp_path, "--plugin", "mine.py")("measure", name, "records.csv", ends=2).stderr
    assert all(word in said for word in words), said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("HESPERUS = {'studies': {'mine': 3}}\n", ["'mine'", "of the type int", "Declared"]),
    ],
)
def test_a_study_that_cannot_be_used_is_named(text: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(text, encoding="utf-8")
    said = caller(tmp_path, "--plugin", "mine.py")("run", "mine", ends=2).stderr
    assert all(word in said for word in words), said


@pytest.mark.parametrize("form", ["folder", "archive"])
def test_packages_without_plug_ins_are_passed_over_and_one_with_some_is_found(
    form: str, tmp_path: Path
) -> None:
    def put(name: str, declared: str) -> None:
        about = tmp_path / "site" / f"{name}-1.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n", encoding="utf-8"
        )
        (about / "entry_points.txt").write_text(declared, encoding="utf-8")

    put("others", "[console_scripts]\nhesperus.models = others:run\n")
    put("ours", "[console_scripts]\nours = ours:run\n\n[hesperus.models]\nparrot = ours:parrot\n")
    site = tmp_path / "site"
    if form == "archive":
        site = Path(shutil.make_archive(str(tmp_path / "packed"), "zip", site))
    with mock.patch.object(sys, "path", [str(site), *sys.path]):
        assert plugins.names("hesperus.models", {}) == ("parrot",)
        assert plugins.names("hesperus.measures", {}) == ()
    shutil.rmtree(tmp_path / "site" / "ours-1.dist-info")
    with mock.patch.object(sys, "path", [str(tmp_path / "site"), *sys.path]):
        assert plugins.names("hesperus.models", {}) == ()


def test_two_plug_ins_of_one_name_are_both_named(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("HESPERUS = {'models': {'parrot': print}}\n", encoding="utf-8")
    call = caller(tmp_path, "--plugin", "mine.py", site=installed)
    words = ("run", "multisense", "--task", "atlas", "--model", "parrot/a", "--target", "de")
    said = call(*words, ends=2).stderr
    assert "'parrot'" in said and "mine.py" in said and "hesperus-example" in said
    missing = caller(tmp_path, "--plugin", "none.py")("tasks", ends=2)
    assert "none.py: no such plug-in file" in missing.stderr


def test_a_package_whose_plug_in_does_not_import_is_named(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "site"
    shutil.copytree(installed, broken)
    (broken / "hesperus_example" / "offers.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    call = caller(tmp_path, site=broken)
    words = ("run", "multisense", "--task", "atlas", "--model", "parrot/a", "--target", "de")
    said = call(*words, ends=2).stderr
    assert "the plug-in 'parrot' of the package hesperus-example" in said and "nothing_of_this_name" in said
    # What does not need it is not disturbed by it, in a process of its own, too.
    call("plan", "multisense", "--task", "atlas", "--model", "pocket/s", "--target", "de", "--limit", 2)
    paths = os.pathsep.join(map(str, (SOURCE, broken)))
    alone = subprocess.run(
        [sys.executable, "-m", "hesperus", *words], cwd=tmp_path, env={**os.environ, "PYTHONPATH": paths},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (alone.returncode, alone.stderr) == (2, said)
