"""Whether a change of κ_p hangs on a few items, against κ_p measured again without them."""

from __future__ import annotations

import polars as pl
import pytest

import hesperus as hs
from hesperus.analysis.item_changes import FEW, item_changes, kappa_changes
from hesperus.analysis.item_matrix import item_matrix
from hesperus.records import Run, conform


def run_of(answers: dict[str, tuple[str, str]]) -> Run:
    """Answers in en and sw by item; the right one is A."""
    return Run(
        conform(
            pl.DataFrame(
                [
                    {
                        "model": "m",
                        "task": "t",
                        "item": item,
                        "instruction": tag,
                        "input": tag,
                        "gold": "A",
                        "options": list("ABCD"),
                        "answer": answer,
                    }
                    for item, both in answers.items()
                    for tag, answer in zip(("en", "sw"), both, strict=True)
                ]  # fmt: skip
            )
        )
    )


def kappa_p(run: Run) -> float:
    found = hs.measure("agreement", run.records, resamples=0).rows
    return float(next(row["value"] for row in found if row["statistic"] == "kappa_p"))


def test_the_change_without_the_items_that_move_it_most_is_what_is_measured_without_them() -> None:
    before = {f"q{n:02}": (("A", "A") if n < 12 else ("B", "C") if n < 16 else ("B", "B")) for n in range(20)}
    after = {**before, **{f"q{n}": ("B", "B") for n in range(12, 16)}, "q01": ("A", "D")}
    runs = {"before": run_of(before), "after": run_of(after)}
    matrix = item_matrix(runs)
    (found,) = kappa_changes(matrix, item_changes(matrix, "before", "after"))
    assert (found.column.key, found.other.key, found.n, len(found.rows)) == ("sw", "en", 20, FEW)
    assert found.before == pytest.approx(kappa_p(runs["before"])) and found.after == pytest.approx(
        kappa_p(runs["after"])
    )
    named = set(matrix.rows.filter(pl.col("row").is_in(found.rows))["item"])
    assert named < {"q12", "q13", "q14", "q15"}
    left = [
        kappa_p(run_of({item: both for item, both in answers.items() if item not in named}))
        for answers in (before, after)
    ]
    assert found.without == pytest.approx(left[1] - left[0])
    assert 0 < found.without < found.after - found.before


def test_what_does_not_change_or_is_undefined_has_no_row() -> None:
    same = {f"q{n}": ("A", "B" if n % 2 else "A") for n in range(6)}
    right = {item: ("A", "A") for item in same}
    for before, after in ((same, same), (same, right)):
        matrix = item_matrix({"before": run_of(before), "after": run_of(after)})
        assert list(kappa_changes(matrix, item_changes(matrix, "before", "after"))) == []
