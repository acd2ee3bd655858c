"""Information consistency: the rules for silence, both ways of reporting, what is kept for reading."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hesperus.evaluators
from hesperus.evaluators import (
    NO_ANSWER,
    Check,
    EmbeddedJudge,
    EmbeddedSettings,
    Extracted,
    Judge,
    Judged,
    ModelJudge,
    ModelJudgeSettings,
    Texts,
    Verified,
    information_consistency,
    no_answer,
)
from hesperus.evaluators.information.model_judge import passages
from hesperus.evaluators.judging import fenced, visible
from hesperus.fingerprint import canonical_json
from hesperus.types import Prompt, Reply

A = "Lima is the capital of Peru. Peru borders Chile."
B = "Lima is the capital of Peru. Peru borders Bolivia."
ROOT = Path(__file__).resolve().parents[2]


def test_everything_public_exists_and_is_sorted() -> None:
    for name in hesperus.evaluators.__all__:
        assert getattr(hesperus.evaluators, name) is not None
    assert set(hesperus.evaluators.__all__) == set(dir(hesperus.evaluators))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        hesperus.evaluators.nonsense  # noqa: B018


def test_judges_keep_the_protocol() -> None:
    assert isinstance(EmbeddedJudge(), Judge) and isinstance(ModelJudge("a/b", lambda p, n: []), Judge)


@pytest.mark.parametrize(
    ("reference", "candidate", "state", "precision", "recall"),
    [
        (A, A, "compared", 1.0, 1.0),
        (A, B, "compared", 0.5, 0.5),
        (A, None, "candidate_silent", 0.0, 0.0),
        (A, "", "candidate_silent", 0.0, 0.0),
        (A, "No answer.", "candidate_silent", 0.0, 0.0),
        (A, "I'm sorry, but I cannot help with that.", "candidate_silent", 0.0, 0.0),
        (None, B, "reference_silent", 0.0, 0.0),
        (None, "**no answer**", "both_silent", 1.0, 1.0),
        ("…", "\u200b\n", "both_silent", 1.0, 1.0),
    ],
)
def test_the_rule_for_silence(
    reference: str | None, candidate: str | None, state: str, precision: float, recall: float
) -> None:
    found = information_consistency([Texts(("q",), reference, candidate)], EmbeddedJudge(), ("item",))
    score = found.scores["q",]
    assert (score["state"], score["precision"], score["recall"]) == (state, precision, recall)
    if state == "candidate_silent" and reference:
        # What was not said is kept for reading, with the rule that judged it.
        assert {(row["side"], row["verdict"], row["reason"]) for row in found.details} == {
            ("reference", "not supported", "the other text says nothing")
        }


def test_rows_for_reading() -> None:
    found = information_consistency(
        [Texts(("m", "de", "q1"), A, B), Texts(("m", "fr", "q1"), A, None)],
        EmbeddedJudge(),
        ("model", "language", "item"),
    )
    rows = found.details
    assert rows[0] == {
        "model": "m", "language": "de", "item": "q1", "side": "candidate", "number": 1,
        "claim": "Lima is the capital of Peru.", "verdict": "supported", "reason": "",
    }  # fmt: skip
    assert len(rows) == 6 and {row["side"] for row in rows} == {"candidate", "reference"}
    first, second = found.scores.values()
    assert (first["precision"], first["candidate_claims"], first["reference_claims"]) == (0.5, 2, 2)
    assert (second["state"], second["candidate_claims"], second["reference_claims"]) == (
        "candidate_silent",
        0,
        2,
    )
    assert json.loads(canonical_json(rows)) == rows
    assert found.validity.value is None and found.validity.reason == "the judge asks nothing"
    with pytest.raises(ValueError, match="zip"):
        information_consistency([Texts(("m", "q"), A, B)], EmbeddedJudge(), ("item",))


class Counting:
    """Hands its tasks on, and keeps them."""

    name = "counting"

    def __init__(self, lose: bool = False) -> None:
        self.texts: list[str] = []
        self.checks: list[Check] = []
        self.lose = lose

    def claims(self, texts: Sequence[str]) -> list[Extracted]:
        self.texts += texts
        return [Extracted((text,)) for text in texts][int(self.lose) :]

    def verify(self, checks: Sequence[Check]) -> list[Verified]:
        self.checks += checks
        return [Verified(tuple(Judged(claim, "supported") for claim in check.claims)) for check in checks]

    def signature(self) -> dict[str, object]:
        return {"judge": self.name}


def test_a_text_is_read_once_and_no_text_that_is_no_answer() -> None:
    judge = Counting()
    pairs = [Texts((str(n),), "English.", f"Back {n % 2}.") for n in range(10)]
    pairs += [Texts(("x",), "English.", None), Texts(("y",), NO_ANSWER, "Alone.")]
    found = information_consistency(pairs, judge, ("item",))  # type: ignore[arg-type]
    assert judge.texts == ["English.", "Back 0.", "Back 1.", "Alone."]
    assert len(judge.checks) == 4 and len(found.scores) == 12
    assert found.signature["judge"] == "counting" and "both 0" in str(found.signature["rule"])


def test_a_judge_must_answer_for_every_text_and_a_pair_needs_its_own_key() -> None:
    with pytest.raises(ValueError, match="was given 1 texts and gave 0 results"):
        information_consistency([Texts(("q",), A, A)], Counting(lose=True), ("item",))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"two pairs have the key \('q',\)"):
        information_consistency([Texts(("q",), A, A), Texts(("q",), A, B)], EmbeddedJudge(), ("item",))


def test_nothing_at_all() -> None:
    found = information_consistency([], EmbeddedJudge(), ("item",))
    assert (found.scores, found.details) == ({}, [])


def test_what_decides_a_verdict_is_in_the_signature() -> None:
    said = canonical_json(EmbeddedJudge().signature())
    for changed in (
        EmbeddedSettings(version=2),
        EmbeddedSettings(overlap=0.6),
        EmbeddedSettings(elsewhere=0.0),
    ):
        assert canonical_json(EmbeddedJudge(changed).signature()) != said
    said = canonical_json(ModelJudge("a/b", lambda p, n: []).signature())
    for field, value in {"tries": 1, "claims_at_once": 2, "passage": 3, "longest_text": 4}.items():
        settings = ModelJudgeSettings(**{field: value})
        assert canonical_json(ModelJudge("a/b", lambda p, n: [], settings=settings).signature()) != said
    assert re.search('"prompts":"[0-9a-f]{32}"', said)


@given(st.text(max_size=300), st.text(max_size=300))
def test_a_fence_holds_whatever_the_text(text: str, other: str) -> None:
    made = fenced(text, also=other)
    assert made == fenced(text, also=other)
    assert made.mark not in visible(text).lower() and made.mark not in visible(other).lower()
    shown = str(made)
    assert shown.startswith(f"<<<{made.mark}\n") and shown.endswith(f"\n{made.mark}>>>")
    shown.encode("utf-8")


def test_a_text_that_holds_its_own_mark_gets_another() -> None:
    first = fenced("x").mark
    assert fenced("x", also=f"y {first}").mark != first
    assert (
        visible("\u06a9\u200c\u06af \u0915\u094d\u200d\u0937")
        == "\u06a9\u200c\u06af \u0915\u094d\u200d\u0937"
    )


@given(st.text(alphabet="ab. \n。", max_size=200), st.integers(1, 30))
def test_passages_joined_are_the_text(text: str, longest: int) -> None:
    cut = passages(text, longest)
    assert "".join(cut) == text and all(len(part) <= longest for part in cut)


def test_no_answer_is_not_an_answer_that_begins_so() -> None:
    assert no_answer("x" * 5_000) is False and no_answer("-" * 5_000) is True
    assert no_answer("No answer can be given, for the sea is deep.") is False


def test_a_model_that_is_asked_nothing_is_not_called() -> None:
    def never(prompts: Sequence[Prompt], attempt: int) -> list[Reply]:
        raise AssertionError("asked")

    found = information_consistency([Texts(("q",), None, "")], ModelJudge("a/b", never), ("item",))
    assert found.scores["q",]["state"] == "both_silent"


def test_free_answers_in_four_languages(shared_data: Path) -> None:
    path = shared_data / "en_ru_zh_kk_free_answers" / "answers.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    pairs = [
        Texts((model, language, str(row["id"])), answers.get(language), answers.get(language))
        for row in rows
        for model, answers in row["answer"].items()
        for language in ("en", "ru", "zh", "kz")
    ]
    scores = information_consistency(pairs, EmbeddedJudge(), ("model", "language", "item")).scores.values()
    assert len(scores) == 50 * 3 * 4
    # Whatever the script, a text supports itself; texts without a claim are silent on both sides.
    assert {(score["precision"], score["recall"]) for score in scores} == {(1.0, 1.0)}
    assert sum(score["state"] == "compared" for score in scores) > 550


def test_the_page_runs() -> None:
    page = (ROOT / "docs" / "evaluators.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "docs/evaluators.md", "exec"), {})
