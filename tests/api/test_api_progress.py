"""What a run says of itself where nobody watches a bar."""

from __future__ import annotations

import pytest

from hesperus.api.progress import StageProgress
from hesperus.asking import Progress


def test_what_a_stage_waits_for_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    with StageProgress() as progress:
        for note in ("", "no reply; trying again", "no reply; trying again", "another; trying again", ""):
            progress("m: answers", Progress(total=2, note=note))
        progress("m: answers", Progress(total=2, done=2))
    assert capsys.readouterr().err.splitlines() == [
        "m: answers: no reply; trying again",
        "m: answers: 2/2 (0/s)",
    ]


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    with StageProgress(quiet=True) as progress:
        progress("m: answers", Progress(total=2, note="no reply; trying again"))
    assert capsys.readouterr().err == ""
