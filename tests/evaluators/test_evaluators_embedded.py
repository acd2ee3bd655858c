"""The embedded judge: does it find what was planted, and how does it read?"""

from __future__ import annotations

import doctest
import gzip
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hesperus.evaluators import Check, EmbeddedJudge, EmbeddedSettings, Texts, information_consistency
from hesperus.evaluators.embedded.judge import clauses, sentences
from hesperus.evaluators.embedded.words import words
from hesperus.measures import Bootstrap, information
from hesperus.tasks.atlas import description, facts, statement
from hesperus.types import Estimate
from waiting import bounded_work


@pytest.mark.parametrize(
    "name",
    [
        "embedded.judge",
        "embedded.words",
        "equivalence.short_answers",
        "information.judges",
        "information.model_judge",
        "judging",
    ],
)
def test_the_examples_hold(name: str) -> None:
    done = doctest.testmod(import_module(f"hesperus.evaluators.{name}"))
    assert done.attempted > 0 and done.failed == 0


def estimated(
    pairs: Sequence[Texts], judge: EmbeddedJudge, bootstrap: Bootstrap | None = None
) -> Mapping[str, Estimate]:
    names = tuple(map(str, range(len(pairs[0].key))))
    scores = information_consistency(pairs, judge, names).scores.values()
    return information(
        *([score[part] for score in scores] for part in ("precision", "recall")), bootstrap=bootstrap
    )


def verdicts(text: str, *claims: str) -> list[str | None]:
    (found,) = EmbeddedJudge().verify([Check(claims, text)])
    assert [judged.claim for judged in found.judged] == list(claims)
    return [judged.verdict for judged in found.judged]


def planted(rates: tuple[float, float, float], seed: int) -> Iterator[tuple[Texts, float, float]]:
    """Pairs of texts about countries, with the true precision and recall of each."""
    dropped, contradicted, added = rates
    rng = random.Random(seed)
    by_country: dict[str, list[int]] = {}
    known = facts()
    for place, fact in enumerate(known):
        by_country.setdefault(fact.country, []).append(place)
    for turn in range(3):
        for country, places in by_country.items():
            said, kept, wrong, more = [], 0, 0, 0
            for place in places:
                fact = known[place]
                draw = rng.random()
                if draw < dropped:
                    continue
                if draw < dropped + contradicted:
                    said.append(statement(fact, rng.choice(fact.distractors), "en", turn))
                    wrong += 1
                else:
                    said.append(statement(fact, fact.gold, "en", turn))
                    kept += 1
            other = known[rng.choice([place for place in range(len(known)) if place not in places])]
            if rng.random() < added:
                said.append(statement(other, other.gold, "en", turn))
                more = 1
            rng.shuffle(said)
            reference = " ".join(statement(known[p], known[p].gold, "en", turn) for p in places)
            total = kept + wrong + more
            yield (
                Texts((country, str(turn)), reference, " ".join(said)),
                kept / total if total else 0.0,
                kept / len(places),
            )


def covers(found: Estimate, truth: float) -> bool:
    assert found.value is not None and found.low is not None and found.high is not None
    return found.low <= truth <= found.high


@pytest.mark.parametrize(
    "rates", [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.7), (0.2, 0.2, 0.5)]
)
def test_planted_rates_are_recovered(rates: tuple[float, float, float]) -> None:
    made = list(planted(rates, seed=4))
    estimates = estimated([pair for pair, _, _ in made], EmbeddedJudge(), Bootstrap(1000))
    precision = sum(p for _, p, _ in made) / len(made)
    recall = sum(r for _, _, r in made) / len(made)
    assert covers(estimates["precision"], precision) and covers(estimates["recall"], recall)
    assert abs((estimates["precision"].value or 0) - precision) < 0.02
    assert abs((estimates["recall"].value or 0) - recall) < 0.02
    assert estimates["f_of_means"].value == pytest.approx(
        2 * precision * recall / (precision + recall), abs=0.02
    )
    # The rates themselves, not only what the draw made of them.
    dropped, contradicted, _ = rates
    assert covers(estimates["recall"], 1 - dropped - contradicted)


def test_descriptions_in_other_words_still_agree_and_other_facts_do_not() -> None:
    true = {
        "continent": "europe",
        "capital": "rome",
        "language": "italian",
        "currency": "euro",
        "neighbour": "austria",
    }
    wrong = {
        "continent": "asia", "capital": "stockholm", "language": "german", "currency": "yuan", "neighbour": "finland"
    }  # fmt: skip
    # The third description says two things in one clause ("a country in Europe that borders Austria"), judged as one.
    for k, ways in enumerate(((0, 1), (0, 1), (2,))):
        for m in ways:
            same = Texts(("same",), description("italy", true, "en", k), description("italy", true, "en", m))
            other = Texts(("other",), same.reference, description("italy", wrong, "en", m))
            scores = information_consistency([same, other], EmbeddedJudge(), ("item",)).scores
            assert (scores["same",]["precision"], scores["same",]["recall"]) == (1.0, 1.0)
            assert (scores["other",]["precision"], scores["other",]["recall"]) == (0.0, 0.0)


def test_numbers_names_and_negation_decide() -> None:
    text = "The Eiffel Tower was built in 1889 in Paris. It is 330 metres tall. It was not designed by Le Corbusier."
    assert verdicts(
        text,
        "The Eiffel Tower was built in 1889.",
        "The Eiffel Tower was built in 1899.",
        "It is three hundred and thirty metres tall.",
        "The Eiffel Tower was built in Lyon.",
        "It was designed by Le Corbusier.",
        "It wasn't designed by Le Corbusier.",
        "It is made of wrought iron.",
        "…",
    ) == [
        "supported", "contradicted", "supported", "not supported", "contradicted", "supported", "not supported",
        "not supported",
    ]  # fmt: skip


def test_of_two_words_one_alone_is_never_enough() -> None:
    settings = EmbeddedSettings()
    assert settings.elsewhere < 2 * settings.overlap - 1
    # "euro" stands in the text, but not as the capital.
    assert verdicts("Its currency is the euro. Its capital is Rome.", "Its capital is the euro.") == [
        "not supported"
    ]


def test_digits_of_any_script_and_languages_without_blanks() -> None:
    assert verdicts("यह १८८९ में बना।", "यह 1889 में बना।") == ["supported"]
    assert verdicts("法国的首都是巴黎。", "法国的首都是巴黎。", "日本的首都是东京。") == [
        "supported",
        "not supported",
    ]
    assert words("ราคา ๕๐ บาท").numbers == {"50"}


def test_what_is_no_claim() -> None:
    text = (
        "# France\n\nSure! Here are the facts:\n\n1. **Capital**: Paris.\n2. [Spain](https://x.org/y) borders it.\n\n"
        "Is that all?\nI hope this helps! Let me know.\nI'm sorry, but I cannot say more."
    )
    assert list(clauses(text)) == ["Capital: Paris.", "Spain borders it."]
    assert EmbeddedJudge().claims([text, "I do not know.", "!!!"])[1:] == EmbeddedJudge().claims(["", ""])


@given(st.text(max_size=400))
def test_any_text_supports_itself(text: str) -> None:
    judge = EmbeddedJudge()
    claims = judge.claims([text])[0].claims
    assert claims is not None
    (found,) = judge.verify([Check(claims, text)])
    assert all(judged.verdict == "supported" for judged in found.judged)


@pytest.mark.parametrize(
    "text",
    [
        " " * 50_000, "." * 50_000, "a" * 50_000, "a." * 25_000, "1," * 25_000, "[" * 50_000, "](" * 25_000,
        "- " * 25_000, "\n \n" * 16_000, "and is " * 7_000, "five " * 10_000, "#" * 50_000, "巴黎" * 25_000,
        "\u0301" * 50_000, "1 hundred " * 5_000, "A. " * 16_000, "'a" * 25_000,
    ],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
def test_hostile_texts_take_no_time(text: str) -> None:
    judge = EmbeddedJudge()
    with bounded_work():
        (found,) = judge.claims([text])
        assert found.claims is not None
        judge.verify([Check((*found.claims[:5], "Paris is in France."), text)])


def test_long_answers_of_real_models(shared_data: Path) -> None:
    def english(name: str) -> dict[str, str]:
        with gzip.open(
            shared_data / "calmqa_longform_outputs" / f"{name}.jsonl.gz", "rt", encoding="utf-8"
        ) as lines:
            return {
                row["id"]: row["answer"]["english"]
                for row in map(json.loads, lines)
                if "english" in row["answer"]
            }

    gpt, llama = english("gpt_4o"), english("llama_3_70b")
    ids = sorted(gpt.keys() & llama.keys())
    assert len(ids) > 20
    judge = EmbeddedJudge()
    itself = estimated([Texts((i,), gpt[i], gpt[i]) for i in ids], judge)
    assert all(found.value == 1.0 for found in itself.values())
    others = [Texts((i,), gpt[i], llama[i]) for i in ids]
    shuffled = [Texts((i,), gpt[i], llama[j]) for i, j in zip(ids, ids[1:] + ids[:1], strict=True)]
    same, apart = (estimated(pairs, judge, Bootstrap(500))["f_of_means"] for pairs in (others, shuffled))
    # Two models on one question share some of their words; on two questions next to none.
    assert same.low is not None and apart.high is not None and same.low > apart.high


def test_sentences_lose_nothing_but_blanks() -> None:
    text = 'Mr. Smith (b. 1960) paid $3.50, e.g. for tea. Who? "Me." He left…\n\n- one\n- two'
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
    assert sentences(text)[0] == "Mr. Smith (b. 1960) paid $3.50, e.g. for tea."


def test_search_results_are_beyond_it_as_the_page_says(shared_data: Path) -> None:
    path = shared_data / "veriscore_demos" / "few_shot_examples.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    said = [(row["human_label"], verdicts(row["search_result"], row["claim"])[0]) for row in rows]
    assert len(said) == 9
    # Another number is seen, and what snippets leave open stays open ...
    assert ("Contradicted.", "contradicted") in said and ("Inconclusive.", "supported") not in said
    # ... but not another meaning of the same words, nor the same meaning in others.
    assert said.count(("Contradicted.", "supported")) == 2 and ("Supported.", "supported") not in said
