"""The pages of the audit: their Python runs, and every command, table and key that they name exists."""

from __future__ import annotations

import doctest
import re
import runpy
from importlib import import_module
from pathlib import Path

import pytest
import typer
import yaml

from hesperus.cli.app import app
from hesperus.studies.translation_tax.tax_study import TaxStudy

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("translation_tax.md", "simulator.md")


@pytest.mark.parametrize("page", PAGES)
def test_the_python_of_the_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.S))
    assert "assert" in code
    file = tmp_path / "page.py"
    file.write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(file), run_name="__main__")


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_the_page_takes_the_flags_that_it_shows(page: str) -> None:
    group = typer.main.get_command(app)
    text = (DOCS / page).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"^    hesperus (tax \S+|measure) (.*)$", text, re.M)
    assert len(lines) >= 4
    for name, rest in lines:
        first, *second = name.split()
        command = group.get_command(typer.Context(group, info_name="hesperus"), first)
        command = command.commands[second[0]] if second else command  # type: ignore[attr-defined]
        known = {flag for parameter in command.params for flag in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", rest)) <= known, (name, rest)


def test_the_study_file_of_the_page_is_one() -> None:
    text = (DOCS / "translation_tax.md").read_text(encoding="utf-8")
    values = yaml.safe_load(re.findall(r"```yaml\n(.*?)```", text, re.S)[0])
    study = TaxStudy.from_mapping({**values, "exclude": []})
    assert (
        study.back.code == "en_from_zh@ct2/nllb-200-600M" and study.natural.maker == "deepseek/deepseek-chat"
    )
    assert study.rule({"subject"}).per_subject == 4 and study.rule(set()).per_subject is None


@pytest.mark.parametrize(
    "name", ["measures.ranks", "measures.unmatched", "studies.translation_tax.simulator"]
)
def test_the_examples_in_the_docstrings_run(name: str) -> None:
    failures, tried = doctest.testmod(import_module(f"hesperus.{name}"))
    assert tried and not failures
