"""Scores of made senses: items, corpora, intervals, missing texts, bad tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl
import pytest

from hesperus.errors import DataError, UnknownNameError
from hesperus.fingerprint import signature
from hesperus.translation import Bleu, Chrf, QualitySettings, score_senses

TEXTS = {
    ("1", "a"): ("die Katze sitzt auf der Matte", "die Katze sitzt auf der Matte"),
    ("1", "b"): ("ein Hund läuft nach Hause .", "ein Hund rennt schnell nach Hause ."),
    ("2", "a"): ("ganz andere Worte stehen hier", "die Vögel singen in den Bäumen"),
    ("2", "b"): ("kurz", "kurz"),
    ("3", "a"): (None, "dieser Satz fehlt in der Übersetzung"),
    ("3", "b"): ("der zweite Satz ist da", "der zweite Satz ist da"),
}


def pairs(sense: str = "de_from_en", **changes: object) -> pl.DataFrame:
    rows = [
        {"model": "pocket/m", "task": "t", "item": item, "sense": sense, "field": field,
         "hypothesis": hypothesis, "reference": reference, "source": "x"}
        for (item, field), (hypothesis, reference) in TEXTS.items()
    ]  # fmt: skip
    return pl.DataFrame([{**row, **changes} for row in rows])


def corpus(rows: Sequence[dict[str, object]]) -> dict[object, dict[str, object]]:
    return {row["statistic"]: row for row in rows}


def test_the_item_is_the_mean_of_its_fields_and_the_corpus_is_one_of_all_fields() -> None:
    found = score_senses(pairs())
    first = found.items.row(0, named=True)
    assert first["bleu:a"] == pytest.approx(100)
    loose = Bleu(effective_order=True)
    single = loose.score(loose.statistics([TEXTS["1", "b"][0]], [TEXTS["1", "b"][1]])[0])  # type: ignore[list-item]
    assert first["bleu:b"] == single
    assert first["bleu"] == (first["bleu:a"] + single) / 2
    kept = [pair for key, pair in TEXTS.items() if key[0] != "3"]
    hypotheses, references = [str(pair[0]) for pair in kept], [pair[1] for pair in kept]
    rows = corpus(found.rows)
    for metric, name in ((Bleu(), "bleu"), (Chrf(), "chrf")):
        assert rows[name]["value"] == metric.score(metric.statistics(hypotheses, references).sum(axis=0))


def test_a_perfect_short_translation_is_perfect_but_under_the_papers_preset() -> None:
    short = pairs().with_columns(hypothesis=pl.lit("zwei Wörter"), reference=pl.lit("zwei Wörter"))
    assert score_senses(short).items["bleu"].to_list() == pytest.approx([100.0] * 3)
    paper = score_senses(short, QualitySettings(item_bleu="ohmer2023"))
    assert paper.items["bleu"].to_list() == [0.0] * 3
    assert corpus(paper.rows)["bleu"]["value"] == corpus(score_senses(short).rows)["bleu"]["value"]
    assert signature(QualitySettings()) != signature(QualitySettings(item_bleu="ohmer2023"))


def test_an_item_without_a_translation_has_no_score_and_is_counted() -> None:
    found = score_senses(pairs())
    assert found.items.columns[:4] == ["model", "task", "item", "sense"]
    assert found.items["item"].to_list() == ["1", "2", "3"]
    assert found.items.row(2, named=True)["bleu"] is None
    row = corpus(found.rows)["bleu"]
    assert (row["n"], row["excluded"], row["low"]) == (2, 1, None)
    assert row["reason"] == "1 of 3 items have no translation"


def test_a_sense_with_no_translation_at_all_is_undefined_and_says_why() -> None:
    found = score_senses(pairs().with_columns(hypothesis=pl.lit(None, pl.String)))
    assert {row["value"] for row in found.rows} == {None}
    assert {row["reason"] for row in found.rows} == {"3 of 3 items have no translation"}
    assert found.items["bleu"].to_list() == [None, None, None]


def test_a_table_without_rows_gives_no_scores() -> None:
    found = score_senses(pairs().clear())
    assert found.rows == () and found.items.height == 0


def test_senses_and_models_are_scored_apart_and_each_with_its_own_tokenizer() -> None:
    chinese = pairs("zh_from_en", hypothesis="猫坐在垫子上", reference="猫坐在垫子上", model="other/x")
    found = score_senses(pl.concat([pairs(), chinese]))
    assert [(row["model"], row["sense"], row["statistic"]) for row in found.rows] == [
        ("other/x", "zh_from_en", "bleu"),
        ("other/x", "zh_from_en", "chrf"),
        ("pocket/m", "de_from_en", "bleu"),
        ("pocket/m", "de_from_en", "chrf"),
    ]
    assert found.rows[0]["value"] == pytest.approx(100)
    words = score_senses(chinese, QualitySettings(tokenizers={"zh": "13a"}))
    assert words.rows[0]["value"] == 0


def test_intervals_resample_items_with_all_their_fields() -> None:
    def twice(
        columns: npt.NDArray[np.float64],
        reduce: Callable[[npt.NDArray[np.float64]], float | None],
        corners: Sequence[Sequence[float]],
    ) -> tuple[float | None, float | None]:
        assert columns.shape[0] == 2
        # An item of mean counts that is matched wholly, and one that is not at all.
        best, worst = (reduce(np.array(corner)) for corner in corners)
        assert best == pytest.approx({10: 100.0, 18: 100.0}[columns.shape[1]]) and worst == 0.0
        return reduce(2.0 * columns[1]), reduce(2.0 * columns[0])

    found = score_senses(pairs(), interval=twice)
    row, items = corpus(found.rows)["bleu"], found.items["bleu"]
    kept = [TEXTS["1", name] for name in "ab"]
    alone = Bleu().score(Bleu().statistics([str(h) for h, _ in kept], [r for _, r in kept]).sum(axis=0))
    assert row["high"] == pytest.approx(alone)
    assert row["low"] < row["value"] < row["high"]
    assert items[0] > items[1]


def test_rouge_and_comet_join_where_they_are_asked_for() -> None:
    def judge(
        sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
    ) -> list[float | None]:
        assert set(sources) == {"x"}
        return [None if hypothesis == "kurz" else 0.5 for hypothesis in hypotheses]

    found = score_senses(pairs(), QualitySettings(rouge="unicode"), comet=judge)
    rows = corpus(found.rows)
    assert list(rows) == ["bleu", "chrf", "rouge1", "rouge2", "rougeL", "comet"]
    assert rows["comet"]["value"] == 0.5
    assert found.items["comet"].to_list() == [0.5, None, None]
    assert 0 < rows["rouge1"]["value"] < 1


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pairs().drop("field", "reference"), "lacks columns: field, reference"),
        (
            pl.concat([pairs(), pairs()]),
            "field 'a', item '1': two translations of one text in sense 'de_from_en'",
        ),
        (pairs(reference=None), "no reference for sense 'de_from_en'"),
        (pairs("german!"), "'german!' is no sense code"),
        (pairs()[:-1], "item '3': sense 'de_from_en' lacks a field that other items have"),
    ],
)
def test_bad_tables_are_told(table: pl.DataFrame, message: str) -> None:
    with pytest.raises(DataError) as caught:
        score_senses(table)
    assert message in str(caught.value)


def test_comet_needs_the_sources() -> None:
    with pytest.raises(DataError, match="lacks columns: source"):
        score_senses(pairs().drop("source"), comet=lambda s, h, r: [0.0] * len(s))


def test_an_unknown_language_is_told() -> None:
    with pytest.raises(UnknownNameError, match="unknown language"):
        score_senses(pairs("xx_from_en"))
