"""Names of translators and judges that are neither ours nor a model's."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from hesperus.cli.app import app
from hesperus.errors import UnknownNameError
from hesperus.studies.evaluating.evaluators import models_of


def test_ours_are_no_models_and_models_are_asked_once() -> None:
    assert models_of("apertium/eng-spa", "embedded") == ()
    assert models_of("pocket/l", "pocket/l") == ("pocket/l",)
    assert models_of("openai/gpt-4o-mini", "hf/org/name") == ("openai/gpt-4o-mini", "hf/org/name")


@pytest.mark.parametrize(
    ("translator", "judge", "message"),
    [
        ("apertiumm", "embedded", "unknown translator: 'apertiumm'; did you mean 'apertium'"),
        ("none", "embeded", "unknown judge: 'embeded'; did you mean 'embedded'"),
        ("gpt-4o", "embedded", "unknown translator: 'gpt-4o'.*or a model: provider/name"),
    ],
)
def test_a_misspelt_name_is_told_the_nearest_of_ours(translator: str, judge: str, message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        models_of(translator, judge)


def test_a_misspelt_judge_is_not_calibrated(tmp_path: Path) -> None:
    claims = tmp_path / "a.jsonl"
    claims.write_text(
        '{"topic": "Lima", "output": "Lima is big.", "annotations": [{"is-relevant": true, "human-atomic-facts": '
        '[{"text": "Lima is big.", "label": "S"}]}]}\n'
    )
    known = tmp_path / "known.jsonl"
    known.write_text('{"topic": "Lima", "text": "Lima is big."}\n')
    words = ["calibrate", str(claims), "--reference", str(known), "--judge", "embeded"]
    refused = CliRunner().invoke(app, words)
    assert "unknown judge: 'embeded'; did you mean 'embedded'" in str(refused.exception)
