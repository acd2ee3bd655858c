"""Samples: seeded, stratified, the same in every language, and stable."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import UnknownNameError, UsageError
from hesperus.tasks import ItemSet, Sample, load_items
from hesperus.tasks.sampling import draw
from hesperus.types import Item


def made(ids: list[str], *languages: str) -> ItemSet:
    def item(key: str, language: str) -> Item:
        return Item(
            key,
            language,
            {"q": f"{language} {key}"},
            "AB"[int(key) % 2],
            groups={"subject": f"s{int(key) % 3}"},
        )

    return ItemSet("t", {tag: tuple(item(key, tag) for key in ids) for tag in languages})


HUNDRED = [str(n) for n in range(100)]


def test_the_same_seed_draws_the_same_items_in_every_language() -> None:
    items = made(HUNDRED, "en", "de")
    drawn = draw(items, Sample(10))
    assert drawn == draw(items, Sample(10))
    assert [item.id for item in drawn["en"]] == [item.id for item in drawn["de"]]
    assert len(drawn.ids) == 10
    assert drawn.ids != draw(items, Sample(10, seed=1)).ids
    assert drawn.ids == tuple(key for key in HUNDRED if key in drawn.ids)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.permutations(HUNDRED[:30]), st.integers(1, 30), st.integers(0, 5))
def test_neither_the_order_of_the_data_nor_further_languages_change_a_sample(
    order: list[str], n: int, seed: int
) -> None:
    usual = set(draw(made(HUNDRED[:30], "en"), Sample(n, seed=seed)).ids)
    assert set(draw(made(order, "de", "en", "fr"), Sample(n, seed=seed)).ids) == usual


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(2, 60))
def test_a_larger_sample_holds_the_smaller_and_a_missing_item_is_replaced_alone(n: int) -> None:
    larger, smaller = (set(draw(made(HUNDRED, "en"), Sample(size)).ids) for size in (n, n - 1))
    assert smaller < larger
    lost = min(larger)
    without = set(draw(made([key for key in HUNDRED if key != lost], "en"), Sample(n)).ids)
    assert larger - {lost} <= without


def test_strata_share_in_proportion() -> None:
    drawn = draw(made(HUNDRED, "en"), Sample(50, by="subject"))
    assert (
        Counter(item.groups["subject"] for item in drawn["en"]) == {"s0": 17, "s1": 17, "s2": 16}
        or sum(Counter(item.groups["subject"] for item in drawn["en"]).values()) == 50
    )
    drawn = draw(made(HUNDRED, "en"), Sample(by="subject", per_group=4))
    assert Counter(item.groups["subject"] for item in drawn["en"]) == {"s0": 4, "s1": 4, "s2": 4}
    drawn = draw(made(HUNDRED, "en"), Sample(10, by="gold"))
    assert Counter(item.gold for item in drawn["en"]) == {"A": 5, "B": 5}


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.integers(1, 100))
def test_a_stratified_sample_has_its_size_and_each_share_within_one(n: int) -> None:
    drawn = draw(made(HUNDRED, "en"), Sample(n, by="subject"))
    counts = Counter(item.groups["subject"] for item in drawn["en"])
    assert sum(counts.values()) == n
    for name, size in {"s0": 34, "s1": 33, "s2": 33}.items():
        assert abs(counts[name] - n * size / 100) < 1


def test_a_sample_that_comes_out_short_says_so() -> None:
    drawn = draw(made(HUNDRED[:5], "en"), Sample(9))
    assert len(drawn.ids) == 5
    assert drawn.notes == ("9 items were asked for and 5 are there; all are taken",)
    drawn = draw(made(HUNDRED[:5], "en"), Sample(by="subject", per_group=2))
    assert drawn.notes == ("1 groups have fewer than 2 items and give all: s2",)
    assert draw(made(HUNDRED[:5], "en"), Sample(5)).notes == ()


def test_languages_that_are_not_parallel_are_sampled_each_by_itself() -> None:
    one, other = made(HUNDRED[:10], "de")["de"], made(HUNDRED[10:13], "fr")["fr"]
    drawn = draw(ItemSet("t", {"de": one, "fr": other}), Sample(4), parallel=False)
    assert (len(drawn["de"]), len(drawn["fr"])) == (4, 3)
    assert drawn.notes == ("fr: 4 items were asked for and 3 are there; all are taken",)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "either n, or per_group"),
        ({"n": 1, "per_group": 1, "by": "x"}, "either n, or per_group"),
        ({"per_group": 1}, "per_group needs by"),
        ({"n": 0}, "at least 1"),
    ],
)
def test_sizes_that_contradict_each_other_are_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        Sample(**arguments)  # type: ignore[arg-type]


def test_an_unknown_group_is_named() -> None:
    with pytest.raises(UnknownNameError, match="group of the items: 'subjekt'; did you mean 'subject'"):
        draw(made(HUNDRED, "en"), Sample(3, by="subjekt"))


def test_the_atlas_is_sampled_by_relation() -> None:
    items = load_items("atlas", ["en", "th"], sample=Sample(by="relation", per_group=4))
    assert len(items.ids) == 20
    assert [item.id for item in items["en"]] == [item.id for item in items["th"]]
