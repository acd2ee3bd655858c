"""Help as a person sees it: plain lines that fit, every command there, one study at a time, quick to show."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import hesperus.cli
from command_line import hesperus as hesperus_command
from hesperus.api.studies import study_declaration
from hesperus.cli.app import app
from hesperus.cli.flags import Flag
from hesperus.cli.mirrored import mirrored
from hesperus.declared_studies import declared_studies
from hesperus.studies.asked.settings import settings_of

RUNNER = CliRunner()
ROOT = typer.main.get_command(app)
CONTEXT = typer.Context(ROOT, info_name="hesperus")
NAMES = ROOT.list_commands(CONTEXT)
NESTED = [[name, one] for name in NAMES for one in getattr(ROOT.get_command(CONTEXT, name), "commands", ())]


def shown(*words: str) -> str:
    done = RUNNER.invoke(app, [*words, "--help"])
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("words", [[], *([name] for name in NAMES), *NESTED], ids=" ".join)
def test_help_fits_eighty_columns_and_has_no_cut_sentence(words: list[str]) -> None:
    text = shown(*words)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "..." not in text.partition("Commands:")[2]
    assert "--help" in text


def test_every_file_with_a_command_is_listed() -> None:
    folder = Path(next(iter(hesperus.cli.__path__)))
    has_command = {
        path.stem.rstrip("_")
        for path in folder.glob("*.py")
        if "\ndef command(" in path.read_text(encoding="utf-8") or "\napp = Commands(" in path.read_text(encoding="utf-8")
    }  # fmt: skip
    assert has_command - {"app"} == set(NAMES)


def test_examples_are_lines_that_can_be_copied() -> None:
    lines = shown("measure").splitlines()
    start = lines.index("    hesperus measure consistency records.parquet --a instruction=en,input=en \\")
    assert lines[start + 1] == "        --b instruction=de_from_en,input=en"


@pytest.mark.parametrize("study", declared_studies())
def test_help_of_a_study_shows_its_settings_and_no_other(study: str) -> None:
    text = shown("run", study)
    known = {name: settings_of(study_declaration(name)) for name in declared_studies()}
    own = {one.flag for one in known[study] if one.kind is not None}
    for name in {one.flag for many in known.values() for one in many}:
        is_listed = re.search(rf"--{re.escape(name)}[ /\n]", text.split("Arguments:")[1]) is not None
        assert is_listed is (name in own), name
    assert f"Of the study {study}:" in text
    assert not [other for other in declared_studies() if other != study and f"run {other}" in text]


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    done = subprocess.run([sys.executable, "-m", "hesperus", "mesure"], capture_output=True, text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (
        2,
        "error: unknown command: 'mesure'; did you mean 'measure' or 'merge'?\n",
    )


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ([], ["pydantic", "hesperus.cli.run", "hesperus.cli.measure"]),
        (["measure"], ["pydantic", "importlib.metadata", "hesperus.cli.run"]),
        (["import"], ["pydantic"]), (["run"], ["hesperus.cli.plan"]), (["plan"], ["hesperus.cli.run"]),
        *((["run", study], ["hesperus.cli.plan"]) for study in declared_studies()),
    ],
)  # fmt: skip
def test_help_loads_no_other_command_and_nothing_heavy(words: list[str], others: list[str]) -> None:
    code = (
        f"import sys; sys.argv = ['hesperus', *{words!r}, '--help']\n"
        "from hesperus.cli.app import app\n"
        "try: app()\n"
        "except SystemExit: pass\n"
        f"loaded = {{'polars', 'numpy', 'langcodes', 'rich', *{others!r}}} & set(sys.modules)\n"
        "print(sorted(loaded), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_completion_offers_commands_and_flags() -> None:
    def offered(words: str, place: int) -> list[str]:
        environment = {"_HESPERUS_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        return hesperus_command(environment=environment).stdout.split()

    assert offered("hesperus me", 1) == ["merge", "measure"]
    assert {"simulate", "strata", "checklist"} <= set(offered("hesperus tax ", 2))
    assert offered("hesperus measure summary --mo", 3) == ["--model"]
    assert offered("hesperus measure pars", 2) == ["parsers"] and offered("hesperus run mul", 2) == [
        "multisense"
    ]


@pytest.mark.parametrize(
    ("command", "function"),
    [
        ("evaluate", "hesperus.api.evaluating:evaluate"), ("compare", "hesperus.api.run_comparison:compare"),
        ("figure", "hesperus.api.figures:figure"), ("verify", "hesperus.api.verifying:verify"),
        ("represent", "hesperus.api.representing:represent"), ("calibrate", "hesperus.api.calibrating:calibrate"),
        ("score", "hesperus.api.translation_scoring:score"), ("export", "hesperus.api.record_exporting:export"),
        ("reread", "hesperus.api.reply_rereading:reread"), ("check", "hesperus.api.checking:check"),
        ("audit", "hesperus.api.auditing:audit"),
    ],
)  # fmt: skip
def test_what_a_function_takes_its_command_takes(command: str, function: str) -> None:
    text = " ".join(shown(command).split())
    module, _, name = function.partition(":")
    parameters = inspect.signature(getattr(import_module(module), name)).parameters.values()
    settings = {one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY} - {
        "progress",
        "watch",
    }
    flags = {
        "languages": "language",
        "models": "model",
        "tasks": "task",
        "beside": "with",
        "fields": "field",
        "roles": "map",
    }
    assert len(settings) >= 3
    for name in settings:
        assert f"--{flags.get(name, name).replace('_', '-')}" in text, name
    for name, setting in mirrored(function).items():
        told = Flag(setting).parameter().annotation.__metadata__[0].help
        assert told.removesuffix(".")[:40] in text or name in ("engine_workers", "progress", "watch")


def test_a_setting_is_read_from_signature_and_docstring() -> None:
    found = mirrored("hesperus.records.importers.import_settings:ImportSettings")
    key = Flag(found["key"])
    assert key.is_many and key.parameter().default is None
    assert key.value(["topic", "id"]) == ("topic", "id") and key.value(None) == ()
    assert found["replies"].kind is bool and found["replies"].default is True
    assert found["again"].default == "newest" and found["again"].text.endswith("newest, repeats or refuse.")
