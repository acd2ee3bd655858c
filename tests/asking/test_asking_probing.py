"""What a model can do, asked of a real endpoint that takes some things and refuses others."""

from __future__ import annotations

import pytest

from hesperus.asking.probing import Capability, probe
from hesperus.errors import PermanentError
from hesperus.models import ModelOptions
from loopback_endpoint import Action, Say, Send, serving, user_text

TOP = [{"token": "A", "logprob": -0.1}, {"token": "B", "logprob": -2.5}]


def obliging(body, count) -> Action:
    """Takes everything, with log-probabilities of two first tokens, and echoes prompts."""
    if "messages" not in body:
        return Send(echoed(body["prompt"]))
    shown = {"logprobs": {"content": [{"token": "A", "logprob": -0.1, "top_logprobs": TOP}]}}
    return Say("A", choice=shown if body.get("logprobs") else {})


def echoed(prompt: str) -> dict[str, object]:
    """A completion that repeats its prompt and goes on, a token a character."""
    whole = prompt + "!"
    logprobs = {
        "tokens": list(whole),
        "token_logprobs": [None, *([-0.5] * (len(whole) - 1))],
        "text_offset": list(range(len(whole))),
    }
    return {"choices": [{"text": whole, "finish_reason": "length", "logprobs": logprobs}]}


def refusing(*members: str, say: str = "unsupported") -> object:
    def behave(body, count) -> Action:
        for member in members:
            if member in body:
                return Send({"error": {"message": say, "param": member}}, 400)
        return Say("A")

    return behave


def found(behave, **options: object) -> dict[str, Capability]:
    with serving(behave) as endpoint:
        listed = probe("http/m", ModelOptions(base_url=endpoint.url, **options))  # type: ignore[arg-type]
    assert len({one.name for one in listed}) == len(listed)
    return {one.name: one for one in listed}


def test_an_endpoint_that_takes_everything_is_told_with_the_flags_to_give():
    seen = found(obliging)
    assert {name: one.works for name, one in seen.items()} == {
        "text": True, "log-probabilities": True, "system role": True, "temperature": True, "seed": True, "echo": True,
    }  # fmt: skip
    flags = {name: one.flags for name, one in seen.items() if one.flags}
    assert flags == {
        "log-probabilities": "--scoring logprobs",
        "temperature": "--temperature 0",
        "seed": "answers.seed in a study file",
    }
    text = seen["text"].detail
    assert text.startswith("'A', ended by stop, served by m-2026, ") and "tokens in, 1 out" in text
    assert "thinks aloud" not in text
    assert seen["log-probabilities"].detail == "of the 2 most likely first tokens; -0.10 -2.50 for A and B"


def test_what_each_question_sends_is_what_its_line_says():
    bodies = []

    def behave(body, count) -> Action:
        bodies.append(body)
        return obliging(body, count)

    found(behave)
    text, scored, system, temperature, seed, *echo = bodies
    assert "temperature" not in text and "seed" not in text and len(text["messages"]) == 1
    assert scored["logprobs"] is True
    assert [turn["role"] for turn in system["messages"]] == ["system", "user"]
    assert temperature["temperature"] == 0.0 and "seed" not in temperature
    assert seed["seed"] == 1 and "temperature" not in seed
    assert [body["prompt"][-1] for body in echo] == ["A", "B"], "one request an option"
    assert user_text(text).startswith("Which letter comes first in the alphabet?")


def test_what_is_refused_is_told_with_the_flags_to_leave_out():
    seen = found(refusing("temperature", "seed", "logprobs"))
    told = {name: (one.works, one.flags) for name, one in seen.items() if name not in ("text", "system role")}
    assert told == {
        "log-probabilities": (False, "--scoring generate"),
        "temperature": (False, "leave --temperature out"),
        "seed": (False, "leave answers.seed out"),
        "echo": (False, ""),
    }
    assert seen["text"].works and seen["system role"].works
    assert all("unsupported" in seen[name].detail for name in ("log-probabilities", "temperature", "seed"))


def test_an_endpoint_without_a_system_role_puts_it_in_front_of_the_question():
    def behave(body, count) -> Action:
        if any(turn["role"] != "user" for turn in body.get("messages", ())):
            return Send({"error": {"message": "System role not supported"}}, 400)
        return Say("A")

    one = found(behave)["system role"]
    assert (one.works, one.flags) == (False, "")
    assert one.detail == "the system text goes in front of the question"


def test_a_system_text_that_is_refused_otherwise_is_to_be_left_out():
    def behave(body, count) -> Action:
        if len(body.get("messages", ())) > 1:
            return Send({"error": {"message": "one turn only"}}, 413)
        return Say("A")

    one = found(behave)["system role"]
    assert (one.works, one.flags) == (False, "--system ''") and "one turn only" in one.detail


def test_a_model_that_thinks_its_limit_away_is_told_to_have_more():
    def behave(body, count) -> Action:
        return Say("  ", finish="length", message={"reasoning_content": "hm" * 800})

    one = found(behave)["text"]
    assert (one.works, one.flags) == (False, "--max-tokens-again 16000")
    assert "ended by length" in one.detail and "thinks aloud first, 1,600 characters" in one.detail


def test_an_endpoint_that_says_nothing_of_tokens_is_not_said_to_count_them():
    document = {"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}
    assert "tokens in" not in found(lambda *_: Send(document))["text"].detail


def test_a_model_in_this_process_is_asked_for_text_and_log_probabilities_only():
    listed = probe("pocket/s", ModelOptions())
    assert [(one.name, one.works) for one in listed] == [("text", True), ("log-probabilities", True)]
    assert listed[1].detail.startswith("of every option; ")


@pytest.mark.usefixtures("quick_backoff")
def test_each_question_is_tried_three_times_and_no_more():
    def behave(body, count) -> Action:
        return Send("busy", 503) if "seed" in body else Say("A")

    with serving(behave) as endpoint:
        listed = probe("http/m", ModelOptions(base_url=endpoint.url))
    assert sum("seed" in body for body in endpoint.bodies) == 3
    assert [one.name for one in listed if one.name == "seed" and not one.works] == ["seed"]


def test_a_model_that_does_not_answer_at_all_is_an_error():
    with (
        serving(lambda *_: Send({"error": {"message": "no such model"}}, 404)) as endpoint,
        pytest.raises(PermanentError, match="no such model"),
    ):
        probe("http/m", ModelOptions(base_url=endpoint.url))
