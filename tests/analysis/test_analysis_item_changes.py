"""Two runs item by item: what is lost, gained, otherwise changed, and what cannot be compared."""

from __future__ import annotations

import polars as pl
import pytest

from hesperus.analysis.item_changes import ItemChanges, item_changes
from hesperus.analysis.item_matrix import item_matrix
from hesperus.errors import DataError, UnknownNameError
from hesperus.records import Run, conform


def run_of(answers: str, *, model: str = "m", sense: str = "en", items: int = 0) -> Run:
    """Answers to q0, q1, …; the right one is A, "-" a refusal, "!" a failed request."""
    outcomes = {"-": "refused", "!": "error"}
    rows = [
        {"model": model, "task": "t", "item": f"q{n + items}", "instruction": sense, "input": sense, "gold": "A",
         "answer": None if letter in outcomes else letter, "outcome": outcomes.get(letter, "answered")}
        for n, letter in enumerate(answers)
    ]  # fmt: skip
    return Run(conform(pl.DataFrame(rows)))


def changes(before: Run, after: Run) -> ItemChanges:
    return item_changes(item_matrix({"before": before, "after": after}), "before", "after")


def test_every_kind_is_counted_and_failed_requests_are_left_out() -> None:
    #                        lost     gained   other  same      error
    found = changes(run_of("AA" + "B-" + "BC-" + "AB-" + "A!"), run_of("B-" + "AA" + "C-B" + "AB-" + "!A"))
    (counts,) = found.counts().values()
    assert {name: counts[name] for name in ("n", "lost", "gained", "other")} == {
        "n": 10, "lost": 2, "gained": 2, "other": 3,
    }  # fmt: skip
    kinds = {row["item"]: row["kind"] for row in found.cells.iter_rows(named=True)}
    assert [kinds[f"q{n}"] for n in range(10)] == [
        "lost", "lost", "gained", "gained", "other", "other", "other", None, None, None,
    ]  # fmt: skip
    assert found.unmatched == 2, "each run has one reply that the other lacks"
    assert found.rows["item"].to_list() == [f"q{n}" for n in range(7)]
    assert found.of("gained", None)["item"].to_list() == ["q2", "q3"]
    assert found.of("", 0).height == 7
    with pytest.raises(UnknownNameError, match="kind of change"):
        found.of("broken", None)


def test_runs_of_one_model_each_are_paired_whatever_it_is_called() -> None:
    assert changes(run_of("AB", model="old"), run_of("BB", model="new")).rows["item"].to_list() == ["q0"]
    two = Run(pl.concat([run_of("AA", model="old").records, run_of("BB", model="new").records]))
    assert changes(two, run_of("AA", model="new")).counts()[0]["gained"] == 2
    with pytest.raises(DataError, match="no answer to the same question"):
        changes(two, run_of("AA", model="third"))


@pytest.mark.parametrize("other", [run_of("AA", sense="de"), run_of("AA", items=7), run_of("!!")])
def test_runs_without_a_common_question_say_so(other: Run) -> None:
    with pytest.raises(DataError, match="no answer to the same question"):
        changes(run_of("AA"), other)
    with pytest.raises(UnknownNameError, match="run"):
        item_changes(item_matrix({"a": run_of("A"), "b": run_of("B")}), "a", "c")


def test_scored_texts_are_lost_where_their_score_falls() -> None:
    def scored(scores: tuple[float, ...]) -> Run:
        rows = [
            {"model": "m", "task": "t", "item": f"q{n}", "instruction": "de", "input": "de", "answer": f"text {score}",
             "rule": "whole text", "score": score, "ceiling": 1.0}
            for n, score in enumerate(scores)
        ]  # fmt: skip
        return Run(conform(pl.DataFrame(rows)))

    found = changes(scored((0.5, 0.5, 0.5)), scored((0.2, 0.5, 0.9)))
    kinds = dict(found.cells.sort("item").select("item", "kind").iter_rows())
    assert kinds == {"q0": "lost", "q1": None, "q2": "gained"}
