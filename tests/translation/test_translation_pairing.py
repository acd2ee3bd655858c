"""From the items of a run to pairs of translation and reference."""

from __future__ import annotations

import polars as pl
import pytest

from hesperus.errors import DataError
from hesperus.translation import score_senses, sense_pairs


def row(item: str, code: str, model: str | None, a: str | None, b: str | None = "x") -> dict[str, object]:
    return {
        "item": item, "language": code[:2], "input": code, "model": model, "gold": "yes", "options": None,
        "field:a": a, "field:b": b, "group:subject": "s",
    }  # fmt: skip


ITEMS = pl.DataFrame(
    [
        row("1", "en", None, "one", "uno"), row("2", "en", None, "two"), row("1", "de", None, "eins", "un"),
        row("2", "de", None, "zwei"), row("1", "de_from_en", "m", "eins", "um"), row("2", "de_from_en", "m", "zwo"),
        row("1", "de_from_en", "n", "EINS"), row("1", "en_via_de", "m", "one"), row("1", "en~paraphrase", "m", "1"),
        row("1", "zh_from_en", "m", "一"), row("1", "odd code", "m", "?"),
    ]
)  # fmt: skip


def test_translations_meet_their_source_and_reference() -> None:
    found = sense_pairs(ITEMS, task="t")
    assert found.columns == ["model", "task", "item", "sense", "field", "hypothesis", "reference", "source"]
    first = found.filter(
        pl.col("model") == "m", pl.col("sense") == "de_from_en", pl.col("item") == "1"
    ).rows()
    assert sorted(first) == [
        ("m", "t", "1", "de_from_en", "a", "eins", "eins", "one"),
        ("m", "t", "1", "de_from_en", "b", "um", "un", "uno"),
    ]


def test_back_translations_are_scored_paraphrases_and_senses_without_originals_are_not() -> None:
    found = sense_pairs(ITEMS, task="t")
    assert set(found.select("model", "sense").unique().rows()) == {
        ("m", "de_from_en"), ("n", "de_from_en"), ("m", "en_via_de"),
    }  # fmt: skip


def test_what_a_model_did_not_translate_is_counted() -> None:
    pairs = sense_pairs(ITEMS, task="t")
    lost = pairs.filter(pl.col("model") == "n", pl.col("item") == "2")
    assert lost["hypothesis"].to_list() == [None, None]
    rows = {
        (row["model"], row["sense"]): row for row in score_senses(pairs).rows if row["statistic"] == "chrf"
    }
    assert (rows["n", "de_from_en"]["n"], rows["n", "de_from_en"]["excluded"]) == (1, 1)
    assert rows["m", "de_from_en"]["n"] == 2


def test_without_originals_in_the_target_nothing_can_be_scored() -> None:
    assert sense_pairs(ITEMS.filter(pl.col("input") == "en"), task="t").is_empty()
    assert sense_pairs(
        ITEMS.filter(pl.col("input") != "de", pl.col("input") != "en_via_de"), task="t"
    ).is_empty()


@pytest.mark.parametrize(("dropped", "named"), [("model", "model"), ("item", "item")])
def test_missing_columns_are_told(dropped: str, named: str) -> None:
    with pytest.raises(DataError, match=f"the items lack columns: {named}"):
        sense_pairs(ITEMS.drop(dropped), task="t")
    with pytest.raises(DataError, match="field:NAME"):
        sense_pairs(ITEMS.drop("field:a", "field:b"), task="t")
