from __future__ import annotations

import doctest
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from property_encoders import encoder, torch

from hesperus.errors import UnknownNameError, UsageError
from hesperus.evaluators import (
    NO_ANSWER,
    Profiles,
    Texts,
    property_consistency,
    property_evaluator,
)
from hesperus.evaluators.properties import lookup_text as wording
from hesperus.evaluators.properties.encoders import Place, Placing, batches
from hesperus.evaluators.properties.profiles import PRESENCE
from hesperus.fingerprint import JSON


class Keyword:
    """An evaluator in the manner of an outside one: present where a word stands; counts how often it is asked."""

    name, properties = "keyword", ("sorry", "asks")
    missing: Mapping[str, int] = {"refused": 1}
    levels: Mapping[str, tuple[str, ...]] = {"sorry": PRESENCE, "asks": PRESENCE}

    def __init__(self, *, needs_context: bool = False) -> None:
        self.needs_context = needs_context
        self.asked: list[tuple[str, str | None]] = []

    def signature(self) -> dict[str, JSON]:
        return {"evaluator": self.name}

    def profiles(self, texts: Sequence[str], contexts: Sequence[str] | None = None) -> Profiles:
        self.asked += zip(texts, contexts or [None] * len(texts), strict=True)
        found = [[int("sorry" in text), int("?" in text)] if text.strip("x") else [-1, -1] for text in texts]
        reasons = tuple("" if text.strip("x") else "only x" for text in texts)
        return Profiles(np.array(found, dtype=np.int32).reshape(-1, 2), reasons)


PAIRS = [
    Texts(("m", "de", "1"), "sorry", "I am sorry"),
    Texts(("m", "de", "2"), "sorry?", "sorry"),
    Texts(("m", "de", "3"), "sorry?", None, outcomes=("answered", "refused")),
    Texts(("m", "hi", "1"), "sorry", "why?"),
    Texts(("m", "hi", "2"), None, "No answer.", outcomes=("empty", "answered")),
    Texts(("m", "hi", "3"), "no", "xxx"),
]


NAMES = ("model", "language", "item")


def test_profiles_of_pairs_are_compared() -> None:
    evaluator = Keyword()
    found = property_consistency(PAIRS, evaluator, NAMES)
    assert len(evaluator.asked) == len(set(evaluator.asked)) == 6
    assert all(text != NO_ANSWER for text, _ in evaluator.asked)
    scores = list(found.scores.values())
    # 3 agrees by the rule for refused replies; 5 is silence, 6 is unclassified.
    assert [score["agreement"] for score in scores] == [1.0, 0.0, 1.0, 0.0, None, None]
    assert [score["state"] for score in scores[3:]] == ["compared", "no_answer", "unreadable"]
    assert [score["candidate.asks"] for score in scores] == [0, 0, 1, 1, -1, -1]
    assert scores[4]["reason"] == "no answer (empty); no answer"
    rows = found.details
    assert rows[1]["candidate.asks"] == "absent" and rows[1]["reference.asks"] == "present"
    assert rows[5]["candidate.sorry"] is None and rows[5]["reason_candidate"] == "only x"
    assert [row["silent_candidate"] for row in rows] == [False, False, True, False, True, False]
    assert found.signature["missing"] and found.signature["evaluator"] == "keyword"


def test_pairs_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(ValueError, match="two pairs have the key"):
        property_consistency([PAIRS[0], PAIRS[0]], Keyword(), NAMES)
    with pytest.raises(UsageError, match=r"6 of 6 pairs have no prompt, such as m/de/1"):
        property_consistency(PAIRS, Keyword(needs_context=True), NAMES)
    evaluator = Keyword(needs_context=True)
    property_consistency([pair._replace(prompt="post") for pair in PAIRS], evaluator, NAMES)
    assert {context for _, context in evaluator.asked} == {"post"}
    assert property_consistency([], Keyword(), NAMES).scores == {}


def test_refusals_are_found_by_the_phrases_of_the_pack() -> None:
    texts = [
        "I’m sorry, but I can't help with that.",
        "As an AI language\nmodel, I have no opinion.",
        "Lima is the capital of Peru.",
        "Lima. " * 100 + "I cannot answer",
        "",
    ]
    evaluator = property_evaluator("refusal")
    found = evaluator.profiles(texts)
    assert found.values[:, 0].tolist() == [1, 1, 0, 0, -1]
    assert found.reasons == ("", "", "", "", "empty text")
    assert evaluator.levels == {"refusal": ("absent", "present")} and not evaluator.needs_context
    assert evaluator.signature()["language"] == "en"


def test_lengths_have_three_levels() -> None:
    evaluator = property_evaluator("length")
    found = evaluator.profiles(["word " * n for n in (1, 49, 50, 199, 200)])
    assert found.values[:, 0].tolist() == [0, 0, 1, 1, 2]
    assert evaluator.profiles([]).values.shape == (0, 1)


def test_names_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'refusal'"):
        property_evaluator("refusals")
    with pytest.raises(UsageError, match="has no evaluator.json"):
        property_evaluator(tmp_path)
    with pytest.raises(UsageError, match="is no folder"):
        property_evaluator(tmp_path / "nowhere")


def _labels(*names: str) -> dict[str, Any]:
    return {"id2label": dict(enumerate(names)), "label2id": {name: place for place, name in enumerate(names)}}


def test_a_classifier_of_transformers_gives_its_likeliest_class(tmp_path: Path) -> None:
    from transformers import pipeline

    folder = encoder(tmp_path, head="ForSequenceClassification", **_labels("negative", "neutral", "positive"))
    evaluator = property_evaluator(f"hf/{folder}", device="cpu")
    assert (evaluator.properties, evaluator.levels) == (
        ("class",),
        {"class": ("negative", "neutral", "positive")},
    )
    texts = ["i am so sorry", "the bus was late again today", "my cat sleeps", " ", "?", "red " * 200]
    found = evaluator.profiles(texts)
    theirs = pipeline("text-classification", model=str(folder), device="cpu")
    said = [theirs(text, truncation=True, max_length=64)[0]["label"] for text in texts if text.strip()]
    spoken = [level for level in found.values[:, 0].tolist() if level >= 0]
    assert [evaluator.levels["class"][level] for level in spoken] == said
    assert (found.truncated, found.reasons.count("empty text")) == (1, 1)
    assert evaluator.signature()["max_tokens"] == 64


def test_a_classifier_with_several_labels_has_a_property_for_each(tmp_path: Path) -> None:
    more = {**_labels("toxic", "insult"), "problem_type": "multi_label_classification"}
    folder = encoder(tmp_path, head="ForSequenceClassification", **more)
    evaluator = property_evaluator(f"hf/{folder}", device="cpu")
    texts = ["i am so sorry", "the bus was late", "blue sun long"]
    transformers: Any = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokens = [torch.tensor([tokenizer(text)["input_ids"]]) for text in texts]
    with torch.inference_mode():
        wanted = [(model(input_ids=row).logits[0].sigmoid() >= 0.5).int().tolist() for row in tokens]
    assert evaluator.properties == ("toxic", "insult")
    assert evaluator.profiles(texts).values.tolist() == wanted


def test_a_checkpoint_that_is_no_classifier_is_refused(tmp_path: Path) -> None:
    bare = encoder(tmp_path / "bare")
    with pytest.raises(UsageError, match="does not hold the weights"):
        property_evaluator(f"hf/{bare}", device="cpu")
    numbers = encoder(
        tmp_path / "n", head="ForSequenceClassification", problem_type="regression", num_labels=1
    )
    with pytest.raises(UsageError, match="regression"):
        property_evaluator(f"hf/{numbers}")
    (bare / "config.json").write_text('{"model_type": "unheard-of"}')
    with pytest.raises(UsageError, match="cannot be read"):
        property_evaluator(f"hf/{bare}")


def test_a_batch_holds_no_more_than_its_tokens() -> None:
    lengths = [5, 100, 7, 8, 6, 1]
    made = batches(lengths, 20)
    assert sorted(place for batch in made for place in batch) == list(range(6))
    assert all(len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= 20 for batch in made)
    assert batches([], 20) == []
    ids, mask = Place(Placing("cpu")).padded([[1, 2], [3]], 9)
    assert (ids.tolist(), mask.tolist()) == ([[1, 2], [3, 9]], [[1, 1], [1, 0]])


def test_the_example_of_the_page_runs() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "properties.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), {})


def test_the_examples_run() -> None:
    failures, tried = doctest.testmod(wording)
    assert tried and not failures
