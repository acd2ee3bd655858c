"""Models that think: what they thought is kept apart, and replies that were cut off before an answer are asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hesperus.errors import DataError, UsageError
from hesperus.studies.asked.stages import run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from hesperus.studies.similarity.similarity_study import SimilarityStudy
from loopback_endpoint import Action, Say, Send, serving


def study(url: str, **more: Any):
    return MultisenseStudy.from_mapping(
        {"task": "atlas", "models": ["http/thinker"], "source": "en", "target": [], "repeats": 2, "sample": {"n": 4},
         "base_url": url, **more}
    )  # fmt: skip


def thinker(body: dict[str, Any], count: int) -> Action:
    """Refuses what models that think refuse, and needs 1,000 tokens for every second question."""
    if "temperature" in body:
        return Send({"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}}, 400)
    if "max_tokens" in body:
        return Send({"error": {"message": "Unsupported parameter: 'max_tokens'", "param": "max_tokens"}}, 400)
    thought = {"reasoning_content": "Let me see: A, or B?"}
    if body["max_completion_tokens"] < 1000 and len(body["messages"][-1]["content"]) % 2:
        return Say("", "length", message=thought)
    return Say("A", message=thought)


def test_a_model_that_thinks_answers_at_once_and_its_thinking_is_a_column(tmp_path: Path) -> None:
    with serving(thinker) as endpoint:
        chosen = study(endpoint.url, reasoning_effort="low", request={"top_k": 20})
        run = run_study(chosen, tmp_path / "run")
        bodies = list(endpoint.bodies)
    assert run.faults == () and set(run.records["reply"]) == {"A"}
    assert set(run.records["reasoning"]) == {"Let me see: A, or B?"}
    assert set(run.records["reasoning_language"]) <= {"en", None} and set(run.records["note"]) == {None}
    assert all(body["reasoning_effort"] == "low" and body["top_k"] == 20 for body in bodies)
    assert bodies[-1]["max_completion_tokens"] == 4096


def test_what_was_cut_off_before_an_answer_is_said_and_can_be_asked_again_alone(tmp_path: Path) -> None:
    with serving(thinker) as endpoint:
        first = run_study(study(endpoint.url, answers={"max_tokens": 100}), tmp_path / "short")
        short = first.records
        cut = short.filter(short["outcome"] == "truncated")
        assert 0 < len(cut) < len(short)
        assert all("thinking and no answer" in note for note in cut["note"])
        assert first.cut_off.startswith(f"{len(cut)} of {len(short)} replies ended before any answer")
        before = len(endpoint.bodies)
        again = study(endpoint.url, answers={"max_tokens": 100, "max_tokens_again": 2000})
        whole = run_study(again, tmp_path / "again").records
        assert set(whole["reply"]) == {"A"}
        assert sorted(
            {
                body["max_completion_tokens"]
                for body in endpoint.bodies[before:]
                if "max_completion_tokens" in body
            }
        ) == [2000]
        asked_again = sum(body.get("max_completion_tokens") == 2000 for body in endpoint.bodies[before:])
        assert asked_again == len(cut)
        count = len(endpoint.bodies)
        run_study(again, tmp_path / "once more")
        assert len(endpoint.bodies) == count


def test_presets_and_flags_of_requests() -> None:
    paper = study("http://localhost:1/v1", answers="ohmer2023").answers
    assert (paper.temperature, paper.max_tokens) == (0.25, 256)
    assert study("http://localhost:1/v1").answers.temperature is None
    flags = study("http://localhost:1/v1", request=["top_k=20", "user=me", 'stop=["\\n"]'], system="")
    assert flags.request == {"top_k": 20, "user": "me", "stop": ["\n"]} and flags.system is None
    for wrong, message in (
        ({"answers": "paper"}, "no preset 'paper'"),
        ({"request": ["top_k"]}, "NAME=JSON"),
    ):
        with pytest.raises(DataError, match=message):
            study("http://localhost:1/v1", **wrong)


def test_similarity_finds_out_before_asking_whether_there_are_log_probabilities(tmp_path: Path) -> None:
    values = {"task": "atlas", "models": ["http/m"], "languages": ["en", "de"], "sample": {"n": 40}}
    with serving(lambda *_: Say("A")) as endpoint:
        chosen = SimilarityStudy.from_mapping({**values, "base_url": endpoint.url})
        with pytest.raises(UsageError, match="--scoring generate"):
            run_study(chosen, tmp_path / "run")
        assert len(endpoint.bodies) <= 3
    with serving(lambda *_: Send({"error": {"message": "logprobs are not supported"}}, 400)) as endpoint:
        chosen = SimilarityStudy.from_mapping({**values, "base_url": endpoint.url})
        with pytest.raises(UsageError, match="logprobs are not supported.*--scoring generate"):
            run_study(chosen, tmp_path / "run")
        assert len(endpoint.bodies) <= 3


def test_the_first_scored_questions_are_not_paid_for_twice(tmp_path: Path) -> None:
    top = [{"token": letter, "logprob": -n - 0.5} for n, letter in enumerate("ABCD")]
    say = Say("A", choice={"logprobs": {"content": [{"top_logprobs": top}]}})
    values = {"task": "atlas", "models": ["http/m"], "languages": ["en", "de"], "sample": {"n": 4},
              "comparison": {"permutations": 9, "bootstrap": {"resamples": 20}}}  # fmt: skip
    with serving(lambda *_: say) as endpoint:
        chosen = SimilarityStudy.from_mapping({**values, "base_url": endpoint.url})
        run = run_study(chosen, tmp_path / "run")
        assert len(endpoint.bodies) == 8 == len(run.records) and run.faults == ()


def test_a_member_of_a_request_is_left_out_by_null(tmp_path: Path) -> None:
    with serving(thinker) as endpoint:
        chosen = study(endpoint.url, answers={"temperature": 0}, request=["temperature=null"])
        assert run_study(chosen, tmp_path / "run").faults == ()
        assert not any("temperature" in body for body in endpoint.bodies)
