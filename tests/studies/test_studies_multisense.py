"""Whole multisense studies against a real endpoint on loopback: complete, resumable, never asking twice."""

from __future__ import annotations

import json
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from bilingual import GERMAN, answer, write_task

from command_line import hesperus
from hesperus.asking import Progress
from hesperus.errors import BudgetReachedError, ModelError, UnknownNameError, UsageError
from hesperus.records import read_run
from hesperus.senses import SenseMaker
from hesperus.studies.asked.stages import plan_study, run_study
from hesperus.studies.multisense.multisense_study import MultisenseStudy
from loopback_endpoint import Action, Endpoint, Say, Send, serving, user_text
from own_process import started
from waiting import until

ITEMS = 24
CELLS = 5


def study(task: Path, endpoint: Endpoint | None, /, **more: Any) -> MultisenseStudy:
    base_url = endpoint.url if endpoint else "http://127.0.0.1:9/v1"
    values = {
        "task": str(task),
        "data": str(task.with_suffix(".jsonl")),
        "models": ["http/tide"],
        "target": ["de"],
    }
    return MultisenseStudy.from_mapping({**values, "base_url": base_url, **more})


def test_a_study_asks_makes_and_records_everything(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)
    stages: dict[str, Progress] = {}
    with serving(answer) as endpoint:
        run = run_study(study(task, endpoint), tmp_path / "run", progress=stages.__setitem__)
    run.raise_if_incomplete()
    records = run.records
    assert len(records) == ITEMS * CELLS
    assert records["outcome"].unique().to_list() == ["answered"]
    assert set(records["sea"].unique()) == {"north", "south"}
    assert records.filter(pl.col("item") == "t003")["gold"].unique().to_list() == ["same"]
    cells = records.select("instruction", "input", "repeat").unique().sort("instruction", "input", "repeat")
    assert cells.rows() == [
        ("de_from_en", "de_from_en", 1), ("de_from_en", "en", 1), ("en", "de_from_en", 1), ("en", "en", 1), ("en", "en", 2),
    ]  # fmt: skip
    assert (
        sum(state.done for state in stages.values()) == len(endpoint.asked) == 3 + 2 * ITEMS + ITEMS * CELLS
    )
    assert 'Bedeuten diese Sätze dasselbe? Satz 1: "DE The tide 0 rises." Satz 2: "DE Tide 0 is rising." ' \
        'Bitte antworten Sie mit "Ja" oder "Nein".' in endpoint.asked  # fmt: skip
    items = run.run.items
    assert items is not None
    assert items.filter(pl.col("input") == "de_from_en")["field:first"][0] == "DE The tide 0 rises."


def test_a_second_run_asks_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)
    with serving(answer) as endpoint:
        what = study(task, endpoint)
        run_study(what, tmp_path / "run")
        first = (tmp_path / "run" / "records.parquet").read_bytes()
        asked = len(endpoint.asked)
        run_study(what, tmp_path / "run")
        other = study(task, endpoint, repeats=3)
        run_study(other, tmp_path / "more")
        assert len(endpoint.asked) == asked + ITEMS, "only the new repeat is asked"
    assert (tmp_path / "run" / "records.parquet").read_bytes() == first
    assert read_run(tmp_path / "run").study["repeats"] == 2


def test_a_lost_label_is_named_kept_apart_and_mended_by_hand(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)

    def forgetful(body: dict[str, Any], count: int) -> Action:
        if 'Please answer with "yes"' in user_text(body) and "translate" in user_text(body):
            return Say('Bitte antworten Sie mit "Ja".')
        return answer(body, count)

    with serving(forgetful) as endpoint:
        run = run_study(study(task, endpoint), tmp_path / "run")
        with pytest.raises(ModelError, match=r"(?s)de_from_en.*lost.*different.*by hand"):
            run.raise_if_incomplete()
        counts = run.records.group_by("instruction", "outcome").len().sort("instruction", "outcome").rows()
        assert counts == [("de_from_en", "error", 2 * ITEMS), ("en", "answered", 3 * ITEMS)]
        asked = len(endpoint.asked)
        by_hand = {"de_from_en": {"suffix": GERMAN['Please answer with "yes" or "no".']}}
        mended = run_study(study(task, endpoint, instructions=by_hand), tmp_path / "run")
        assert len(endpoint.asked) == asked + 2 * ITEMS
    mended.raise_if_incomplete()
    assert mended.records["outcome"].unique().to_list() == ["answered"]


def test_what_cannot_be_translated_is_one_row_each(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)

    def tired(body: dict[str, Any], count: int) -> Action:
        text = user_text(body)
        if "translate" in text and "tide 7 " in text:
            return Say("DE The tide", finish="length")
        return answer(body, count)

    with serving(tired) as endpoint:
        run = run_study(study(task, endpoint), tmp_path / "run")
    lost = run.records.filter(pl.col("outcome") == "error")
    assert set(lost["item"]) == {"t007"} and len(lost) == 2
    assert lost["note"].str.contains("token limit").all()
    with pytest.raises(ModelError, match=r"1 texts were not made"):
        run.raise_if_incomplete()


def test_a_budget_stops_cleanly_and_the_next_run_goes_on(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)
    total = 3 + 2 * ITEMS + ITEMS * CELLS
    with serving(answer) as endpoint:
        with pytest.raises(BudgetReachedError, match="60"):
            run_study(study(task, endpoint, budget={"requests": 60}), tmp_path / "run")
        assert len(endpoint.asked) == 60
        assert not (tmp_path / "run" / "records.parquet").exists()
        run_study(
            study(task, endpoint, budget={"requests": total - 60}), tmp_path / "run"
        ).raise_if_incomplete()
        assert len(endpoint.asked) == total
        assert max(Counter(endpoint.asked).values()) <= 2, "a question is asked again only as a repeat"


def test_a_hopeless_endpoint_stops_the_run_and_keeps_what_was_answered(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)

    def closing(body: dict[str, Any], count: int) -> Action:
        return answer(body, count) if count <= 80 else Send({"error": {"message": "bad key"}}, status=401)

    with serving(closing) as endpoint:
        with pytest.raises(ModelError, match="401"):
            run_study(study(task, endpoint), tmp_path / "run")
        assert len(endpoint.asked) < 3 + 2 * ITEMS + ITEMS * CELLS
        kept = endpoint.asked[:60]
        endpoint.behaviour = answer
        run_study(study(task, endpoint), tmp_path / "run").raise_if_incomplete()
        assert not Counter(endpoint.asked[80:]).keys() & set(kept) - set(endpoint.asked[80:])


def test_a_maker_by_rule_puts_inputs_only(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)
    shout = SenseMaker("shout", None, lambda text, original: original.upper())
    with serving(answer) as endpoint:
        what = study(task, endpoint, target=[], senses=["en~shout"], conditions=["X"], repeats=1)
        run = run_study(what, tmp_path / "run", makers={"shout": shout})
        assert any('"THE TIDE 0 RISES."' in text for text in endpoint.asked)
        assert len(endpoint.asked) == 2 * ITEMS
    run.raise_if_incomplete()
    with pytest.raises(UnknownNameError, match="sense maker.*shout"):
        run_study(what, tmp_path / "run")


def test_back_translation_takes_two_steps(tmp_path: Path) -> None:
    task = write_task(tmp_path, 4)
    back = {value.strip('"'): key for key, value in GERMAN.items()}

    def both_ways(body: dict[str, Any], count: int) -> Action:
        text = user_text(body)
        if "ins Englische" in text:
            german = text.split(": ", 1)[1][1:-1]
            return Say(back.get(german, german.removeprefix("DE ")))
        return answer(body, count)

    with serving(both_ways) as endpoint:
        run = run_study(
            study(task, endpoint, target=[], senses=["en_via_de"], conditions=["T"]), tmp_path / "run"
        )
    run.raise_if_incomplete()
    replies = run.records.filter(pl.col("repeat") == 1).pivot("input", index="item", values="reply")
    assert replies["en"].to_list() == replies["en_via_de"].to_list()


def test_a_plan_names_every_known_request_and_sends_nothing(tmp_path: Path) -> None:
    task = write_task(tmp_path, ITEMS)
    with serving(answer) as endpoint:
        what = study(task, endpoint)
        plan = plan_study(what)
        lines = [json.loads(line) for line in plan.request_lines()]
        assert not endpoint.asked
        run_study(what, tmp_path / "run")
        planned = {line["prompt"]["user"] for line in lines}
        assert planned <= set(endpoint.asked)
        total = plan.rows[-1]
        assert total["to_ask"] == len(endpoint.asked)
        again = plan_study(what, store=tmp_path / "replies.sqlite")
        assert again.rows[-1]["stored"] == len(lines)
        assert any("no price for http/tide" in note for note in plan.notes)


def test_money_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="price for http/tide"):
        run_study(study(write_task(tmp_path), None, budget={"money": 1}), tmp_path / "run")


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"task": "nothere"}, UnknownNameError, "nothere"),
        ({"models": ["opnai/gpt"]}, UnknownNameError, "openai"),
        ({"source": ["fr"]}, Exception, "fr"),
        ({"instructions": {"fr_from_en": {"suffix": "x"}}}, UnknownNameError, "fr_from_en"),
        ({"instructions": {"de_from_en": {"words": {"frist": "x"}}}}, UnknownNameError, "first"),
        ({"senses": ["de_from_en@nllb"]}, UnknownNameError, "provider/name"),
    ],
)
def test_faults_are_found_before_anything_is_asked(
    tmp_path: Path, more: dict[str, Any], error: type[Exception], words: str
) -> None:
    task = write_task(tmp_path)
    with serving(answer) as endpoint, pytest.raises(error, match=words):
        run_study(study(task, endpoint, **more), tmp_path / "run").raise_if_incomplete()


def test_a_run_killed_at_random_moments_gives_the_same_bytes(tmp_path: Path) -> None:
    task = write_task(tmp_path, 60)
    concurrency = 8

    def slow(body: dict[str, Any], count: int) -> Action:
        said = answer(body, count)
        assert isinstance(said, Say)
        return Say(said.text, seconds=0.01)

    with serving(slow) as endpoint:
        words = (
            "run", "multisense", "--task", task, "--data", task.with_suffix(".jsonl"), "--model", "http/tide", "--base-url",
            endpoint.url, "--target", "de", "--concurrency", concurrency, "--quiet", "--format", "json", "--out",
        )  # fmt: skip
        assert hesperus(*words, tmp_path / "whole" / "run").returncode == 0
        undisturbed = Counter(endpoint.asked)
        before, kills = len(endpoint.asked), 0
        chance = random.Random(7)
        while kills < 2:
            mark = len(endpoint.asked)
            process = started(*words, tmp_path / "killed" / "run")
            until(lambda mark=mark: len(endpoint.asked) > mark, running=process)
            time.sleep(chance.uniform(0, 0.06))
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
        assert hesperus(*words, tmp_path / "killed" / "run").returncode == 0
        again = Counter(endpoint.asked[before:])
    assert again.keys() == undisturbed.keys()
    twice = sum((again - undisturbed).values())
    assert twice <= kills * concurrency, "only what was in flight at a kill may be asked again"
    for name in ("records.parquet", "items.parquet", "signature.json"):
        assert (tmp_path / "killed" / "run" / name).read_bytes() == (
            tmp_path / "whole" / "run" / name
        ).read_bytes()
