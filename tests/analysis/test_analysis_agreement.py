"""Which pairs `agreement` compares, how they are named, and of which questions their share answered is."""

from __future__ import annotations

import math

import polars as pl
import pytest

import hesperus
from hesperus.records import conform

CELLS = (("m", "de", 1), ("m", "en", 1), ("m", "en", 2), ("n", "de", 1), ("n", "en", 1))


def _records() -> pl.DataFrame:
    """Four items of each cell; as many have no answer as the cell's place says."""
    rows = [
        {
            "model": model, "task": "t", "item": f"i{item}", "instruction": sense, "input": sense, "repeat": repeat,
            "outcome": "answered" if item >= place % 3 else "invalid", "answer": "A" if item >= place % 3 else None,
            "gold": "A", "options": ["A", "B"],
        }
        for place, (model, sense, repeat) in enumerate(CELLS)
        for item in range(4)
    ]  # fmt: skip
    return conform(pl.DataFrame(rows))


def _sense(sense: str) -> str:
    return f"instruction={sense},input={sense}"


def _pairs(**settings: str) -> dict[tuple[str, str, str, str], float]:
    rows = hesperus.measure("agreement", _records(), resamples=0, **settings).rows
    return {
        (row["model_a"], row["a"], row["model_b"], row["b"]): row["answered"]
        for row in rows
        if row["statistic"] == "raw"
    }


def test_all_pairs_are_compared_once_and_say_the_repeat_where_one_is_not_the_first() -> None:
    de, en, again = _sense("de"), _sense("en"), f"{_sense('en')},repeat=2"
    once = {sense: f"{sense},repeat=1" for sense in (de, en)}
    assert _pairs() == {
        ("m", de, "m", en): 7 / 8,
        ("m", once[de], "m", again): 6 / 8,
        ("m", de, "n", de): 1.0,
        ("m", de, "n", en): 7 / 8,
        ("m", once[en], "m", again): 5 / 8,
        ("m", en, "n", de): 7 / 8,
        ("m", en, "n", en): 6 / 8,
        ("m", again, "n", once[de]): 6 / 8,
        ("m", again, "n", once[en]): 5 / 8,
        ("n", de, "n", en): 7 / 8,
    }


@pytest.mark.parametrize(
    ("settings", "wanted"),
    [
        # One cell with every other, of each model the first of its sense.
        ({"a": "instruction=en,input=en,model=m"}, ["m m de", "m m en 2", "m n de", "m n en"]),
        # Two senses within each model, the same sense between models.
        ({"a": _sense("en"), "b": _sense("de")}, ["m m de", "n n de"]),
        ({"a": _sense("en"), "b": _sense("en")}, ["m n en"]),
        # Both models named: as named, and nothing with itself. A repeat with the first time, within its model.
        ({"a": f"{_sense('en')},model=m", "b": f"{_sense('de')},model=n"}, ["m n de"]),
        ({"a": f"{_sense('en')},model=m", "b": f"{_sense('en')},model=m"}, []),
        ({"a": f"{_sense('en')},repeat=1", "b": f"{_sense('en')},repeat=2"}, ["m m en 2"]),
    ],
)
def test_cells_that_are_named_are_compared_with(settings: dict[str, str], wanted: list[str]) -> None:
    found = []
    for first, a, second, b in _pairs(**settings):
        assert a.startswith(_sense("en"))
        found.append(f"{first} {second} {b[len('instruction=') :][:2]}{' 2' * b.endswith('repeat=2')}")
    assert found == wanted


def test_ranks_are_of_an_items_own_options_wherever_these_are_among_the_labels() -> None:
    """Of two options the orders differ: the second place alone agrees. Of three, half of the first two and the last."""
    said = {
        "en": {
            ("yes", "no"): [0.6, 0.4],
            ("no", "yes", "maybe"): [0.5, 0.3, 0.2],
            ("red", "blue"): [0.2, 0.8],
        },
        "de": {
            ("yes", "no"): [0.3, 0.7],
            ("no", "yes", "maybe"): [0.2, 0.5, 0.3],
            ("red", "blue"): [0.9, 0.1],
        },
    }
    rows = [
        {"model": "m", "task": "t", "item": options[0], "instruction": tag, "input": tag, "outcome": "answered",
         "answer": options[probs.index(max(probs))], "gold": options[-1], "options": list(options), "probs": probs}
        for tag, items in said.items() for options, probs in items.items()
    ]  # fmt: skip
    rows = [{**row, "item": "+".join(row["options"])} for row in rows]  # type: ignore[arg-type]
    found = hesperus.measure("agreement", conform(pl.DataFrame(rows)), resamples=0).rows
    (ranks,) = [row["value"] for row in found if row["statistic"] == "rank_consistency"]
    of_two, of_three = 1 / (1 + math.e), (math.e / 2 + 1) / (math.e**2 + math.e + 1)
    assert ranks == pytest.approx((2 * of_two + of_three) / 3, abs=1e-6)
