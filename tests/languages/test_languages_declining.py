"""Refusals in wordings that no list holds are known by their grammar; sentences that decline nothing are not.

`declining.tsv` holds for each language six refusals (R) and four other sentences (-). They were written before any grammar
of refusing was; half of them served to write it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hesperus.answers import Reader, read, reader_for
from hesperus.languages import pack

LINES = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("declining.tsv").read_text(encoding="utf-8").splitlines()
]
LANGUAGES = sorted({language for language, _, _ in LINES})
FEWEST_KNOWN = 0.9


@cache
def readers(language: str) -> tuple[Reader, ...]:
    """Of an open question, one with yes or no, one with four options."""
    polarity = pack(language).groups["polarity"]
    return (
        reader_for("text", language, answers={}),
        reader_for("label", language, answers={label: words[:1] for label, words in polarity.items()}),
        reader_for(
            "choice",
            language,
            answers={letter: [letter] for letter in "ABCD"},
            options=["§1", "§2", "§3", "§4"],
        ),
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_declines_nothing_is_no_refusal_and_what_declines_no_answer(language: str) -> None:
    for _, kind, reply in (line for line in LINES if line[0] == language):
        outcomes = [read(reader, reply).outcome for reader in readers(language)]
        if kind == "R":
            assert "answered" not in outcomes[1:], reply
        else:
            assert "refused" not in outcomes, reply


def test_nearly_all_refusals_are_known_under_every_form() -> None:
    refusals = [(language, reply) for language, kind, reply in LINES if kind == "R"]
    unknown = [
        reply
        for language, reply in refusals
        if {read(reader, reply).outcome for reader in readers(language)} != {"refused"}
    ]
    assert len(unknown) <= (1 - FEWEST_KNOWN) * len(refusals), unknown


@pytest.mark.parametrize(
    ("language", "reply", "outcome", "label"),
    [
        ("en", "I can't discuss whether it is A or B.", "invalid", None),
        ("en", "My policies do not allow me to answer. The answer is B.", "answered", "B"),
        ("de", "Ich werde mich zu Option C nicht äußern.", "invalid", None),
        ("tr", "Bu isteği yerine getirmeyeceğim.", "refused", None),
        ("tr", "Bakan bu isteği yerine getirmedi.", "invalid", None),
        ("es", "No voy a hablar de eso.", "refused", None), ("es", "El texto no habla de eso.", "invalid", None),
        ("ur", "مجھے اس پر بات کرنے کی اجازت نہیں۔", "refused", None),
    ],
)  # fmt: skip
def test_a_refusal_holds_no_candidate_for_an_answer(
    language: str, reply: str, outcome: str, label: str | None
) -> None:
    answer = read(readers(language)[2], reply)
    assert (answer.outcome, answer.label) == (outcome, label)


def test_a_name_behind_a_refusal_is_an_answer_to_an_open_question() -> None:
    open_question = readers("en")[0]
    assert read(open_question, "I won't discuss it, but it was probably Lima.").outcome == "answered"
    assert read(open_question, "I won't discuss it here.").outcome == "refused"
