"""The examples of the pages run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from hesperus.studies.multisense.multisense_study import MultisenseStudy
from hesperus.studies.similarity.similarity_study import SimilarityStudy

DOCS = Path(__file__).resolve().parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert found
    return [str(block) for block in found]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("studies.md", "open_session"),
        ("similarity.md", "hs.run"),
        ("python.md", "hs.plan"),
        ("similarity.md", "similarity_tables"),
    ],
)
def test_examples_in_python_run(
    page: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example = next(block for block in blocks(page, "python") if words in block)
    exec(compile(example, page, "exec"), {})


def test_study_files_of_the_pages_are_studies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("exclusions.csv").write_text("item,reason\nq1,doubled option\n", encoding="utf-8")
    Path("articles.csv").write_text("wiki,articles\nen,7000000\n", encoding="utf-8")
    for page, study in (
        ("studies.md", MultisenseStudy.from_mapping),
        ("similarity.md", SimilarityStudy.from_mapping),
    ):
        values = yaml.safe_load(next(block for block in blocks(page, "yaml") if "exclude" in block))
        found = study(values, file=page)
        assert dict(found.exclude) == {"q1": "doubled option"}
