"""The GenBench card, filled in from the records."""

from __future__ import annotations

import json

import polars as pl

from hesperus.records import Run
from hesperus.reports.card import AXES, Card, card_of
from hesperus.wording import own_senses


def card(*codes: str) -> Card:
    return card_of(pl.DataFrame({"model": "m", "task": "t", "instruction": codes, "input": codes}), codes)


def ticked(found: Card) -> dict[str, tuple[str, ...]]:
    return {axis.name: axis.ticked for axis in found.axes}


def test_a_run_with_own_translations(capitals: Run) -> None:
    found = card_of(capitals.records, own_senses(capitals.study, capitals.items))
    assert (found.models, found.tasks) == (("pocket/m",), ("capitals",))
    assert ticked(found) == {
        "Motivation": ("Intrinsic",),
        "Generalisation type": ("Cross language", "Robustness"),
        "Shift type": ("Assumed",),
        "Shift source": ("Generated shift",),
        "Shift locus": ("Pretrain–test",),
    }
    assert "Arabic (ar), German (de), English (en) and Chinese (zh)" in found.axes[1].reason
    assert found.axes[3].reason.endswith("made by the model itself.")


def test_originals_only_are_natural() -> None:
    found = card("en", "de")
    assert ticked(found)["Shift source"] == ("Naturally occurring",)
    assert ticked(card("en", "de", "de_from_en"))["Shift source"] == (
        "Naturally occurring",
        "Generated shift",
    )


def test_one_language_is_robustness_alone() -> None:
    assert ticked(card("en"))["Generalisation type"] == ("Robustness",)
    assert card("en").axes[1].reason == "Consistency over the same questions, asked again."
    found = card("en", "en~paraphrase", "en_via_zh@nllb")
    assert ticked(found)["Generalisation type"] == ("Robustness",)
    assert "2 rewordings in the same language" in found.axes[1].reason
    assert "the model itself and others" in found.axes[3].reason
    assert "made by other systems" in card("en", "de_from_en@nllb").axes[3].reason


def test_many_languages_are_counted() -> None:
    codes = ["ar", "bn", "cs", "de", "el", "en", "es", "fa", "fi", "fr", "he", "hi", "hu"]
    assert "in 13 languages" in card(*codes).axes[1].reason


def test_every_axis_is_there_with_ticks_that_exist() -> None:
    found = card("en", "de_from_en")
    assert [axis.name for axis in found.axes] == list(AXES)
    for axis in found.axes:
        assert axis.ticked and set(axis.ticked) <= set(AXES[axis.name]) and axis.reason.endswith(".")
        assert [held for _, held in axis.boxes].count(True) == len(axis.ticked)


def test_as_markdown_and_json(capitals: Run) -> None:
    found = card_of(capitals.records, own_senses(capitals.study, capitals.items))
    text = found.markdown()
    assert text.startswith("## GenBench evaluation card\n") and "✓ Cross language<br>☐ Cross domain" in text
    document = json.loads(found.json())
    assert document["axes"]["Shift locus"]["ticked"] == ["Pretrain–test"]
    assert document["models"] == ["pocket/m"]
