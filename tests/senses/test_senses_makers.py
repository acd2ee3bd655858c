"""Sense-makers: the exact requests, each text once, and makers of a user's own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hesperus.errors import SenseError
from hesperus.senses import (
    SenseMaker,
    make_senses,
    naturalise,
    paraphrase,
    requests,
    translate,
)
from hesperus.types import Prompt


class Echo:
    """A stand-in for a model: returns what it was asked about, in quotation marks."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def __call__(self, prompts: Sequence[Prompt]) -> list[str]:
        self.sent += [prompt.user for prompt in prompts]
        return ['"' + prompt.user.split('"')[1].upper() + '"' for prompt in prompts]


def test_the_translation_request_is_the_papers_and_in_the_source_language() -> None:
    assert requests(translate, ["x"], source="en", target="de") == (
        Prompt('Please translate the following text into German: "x"'),
    )
    assert requests(translate, ["x"], source="de", target="en") == (
        Prompt('Bitte übersetze den folgenden Text ins Englische: "x"'),
    )
    assert requests(translate, ["x"], source="zh", target="en") == (Prompt('请将下面的文字翻译成英语: "x"'),)


def test_a_plan_needs_no_model() -> None:
    planned = requests(paraphrase, ["a", "b", "a"], source="en", target="en")
    assert [prompt.user.count('"a"') for prompt in planned] == [1, 0]
    assert requests(naturalise, ["a"], source="de", target="de")[0].user.endswith('"a"')


def test_each_text_is_asked_once_and_answered_in_place() -> None:
    model = Echo()
    made = make_senses(translate, ["a", "b", "a"], source="en", target="de", complete=model)
    assert made == ("A", "B", "A")
    assert len(model.sent) == 2


def test_a_reply_without_words_is_refused() -> None:
    with pytest.raises(SenseError, match="nothing came back for 'a'"):
        make_senses(translate, ["a"], source="en", target="de", complete=lambda prompts: ['""'])


def test_a_missing_reply_is_refused() -> None:
    with pytest.raises(SenseError, match="1 prompts were sent and 0 replies"):
        make_senses(translate, ["a"], source="en", target="de", complete=lambda prompts: [])


def test_a_maker_that_asks_needs_a_model() -> None:
    with pytest.raises(SenseError, match="'translate' asks a model"):
        make_senses(translate, ["a"], source="en", target="de")


def test_a_user_adds_a_maker_by_rule() -> None:
    shout = SenseMaker("shout", None, lambda text, original: text.upper() + "!")
    assert make_senses(shout, ["a", "b"], source="en", target="en") == ("A!", "B!")
    assert requests(shout, ["a"], source="en", target="en") == ()


def test_a_user_adds_a_maker_that_asks() -> None:
    formal = SenseMaker(
        "formal",
        lambda text, source, target: Prompt(f'Make this formal: "{text}"'),
        lambda reply, text: reply.strip('"'),
    )
    assert make_senses(formal, ["hi"], source="en", target="en", complete=Echo()) == ("HI",)
