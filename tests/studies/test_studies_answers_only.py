"""A language whose pack reads answers only cannot be asked to translate: said before anything is asked, by plan and run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bilingual import answer, write_task
from open_world import write_task as write_rivers

from hesperus.errors import UsageError
from hesperus.studies.asked.stages import plan_study, run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from hesperus.studies.translate_then_evaluate.open_study import OpenAnswersStudy
from hesperus.studies.translation_tax.tax_study import TaxStudy
from loopback_endpoint import serving

SAID = "the language pack 'is' reads answers only"


@pytest.mark.parametrize(
    "values",
    [
        {"target": ["de"], "senses": ["en_via_is"]},
        {"target": ["is"], "senses": ["is_from_en~paraphrase"]},
        {"target": ["is"], "senses": ["is_from_en~natural"]},
    ],
)
def test_a_multisense_study_is_refused_before_its_first_request(
    values: dict[str, Any], tmp_path: Path
) -> None:
    task = write_task(tmp_path, 4)
    with serving(answer) as endpoint:
        study = MultisenseStudy.from_mapping(
            {"task": str(task), "data": str(task.with_suffix(".jsonl")), "models": ["http/tide"],
             "base_url": endpoint.url, **values}
        )  # fmt: skip
        with pytest.raises(UsageError, match=SAID):
            plan_study(study)
        with pytest.raises(UsageError, match=SAID):
            run_study(study, tmp_path / "run")
        assert endpoint.asked == []


def test_answers_in_such_a_language_are_asked_for_and_read(tmp_path: Path) -> None:
    task = write_task(tmp_path, 2)
    study = MultisenseStudy.from_mapping(
        {"task": str(task), "data": str(task.with_suffix(".jsonl")), "models": ["http/tide"], "target": ["is"],
         "base_url": "http://127.0.0.1:9/v1"}
    )  # fmt: skip
    assert {row["language"] for row in plan_study(study).rows} >= {"is"}


def test_an_audit_is_refused_before_its_first_request(tmp_path: Path) -> None:
    task = write_task(tmp_path, 4)
    file = task.read_text(encoding="utf-8")
    icelandic = file[file.index("  en:") : file.index("source:")].replace("  en:", "  is:")
    task.write_text(file.replace("source:", icelandic + "source:", 1), encoding="utf-8")
    for language in ("en", "is"):
        (tmp_path / f"tides.{language}.jsonl").write_bytes((tmp_path / "tides.jsonl").read_bytes())
    with serving(answer) as endpoint:
        study = TaxStudy.from_mapping(
            {"task": str(task), "data": str(tmp_path / "tides.{language}.jsonl"), "models": ["http/tide"],
             "target": "is", "base_url": endpoint.url}
        )  # fmt: skip
        with pytest.raises(UsageError, match=SAID):
            plan_study(study)
        with pytest.raises(UsageError, match=SAID):
            run_study(study, tmp_path / "run")
        assert endpoint.asked == []


def test_a_study_of_open_answers_is_refused_before_its_first_request(tmp_path: Path) -> None:
    write_rivers(tmp_path, 2)
    task = tmp_path / "rivers.yaml"
    with serving(answer) as endpoint:
        study = OpenAnswersStudy.from_mapping(
            {"task": str(task), "data": str(task.with_suffix(".jsonl")), "models": ["http/m"], "languages": ["is"],
             "translator": "http/t", "judge": "http/j", "base_url": endpoint.url}
        )  # fmt: skip
        with pytest.raises(UsageError, match=SAID):
            plan_study(study)
        with pytest.raises(UsageError, match=SAID):
            run_study(study, tmp_path / "run")
        assert endpoint.asked == []
