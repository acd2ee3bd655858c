"""The sentences, the tables and the examples of a report."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl
import pytest

from hesperus.analysis.changed_answers import changed_answers
from hesperus.analysis.multisense_findings import MultisenseFindings, multisense_findings
from hesperus.errors import DataError
from hesperus.measures import Bootstrap
from hesperus.records import SCHEMA, Run, conform
from hesperus.reports import multisense_grids as grids
from hesperus.reports import multisense_story as story
from hesperus.reports.blocks import Reading
from hesperus.reports.multisense_page import example
from hesperus.reports.tabulated import estimate_text
from hesperus.wording import own_senses, sense_sentence

QUICK = Bootstrap(resamples=200)

OWN = (
    "de_from_en",
    "ar_from_en",
    "zh_from_en",
    "en_from_de",
    "en~paraphrase",
    "de_from_en~formal",
    "hi_from_en",
)
"""Senses that the runs of these tests are known to have made themselves."""


def rows(
    model: str, cells: dict[tuple[str, str], str], *, gold: str = "yyyynnnnnn", repeat: int = 1
) -> pl.DataFrame:
    """One letter an item: y, n, or ? for a reply that could not be read."""
    words = {"y": "yes", "n": "no"}
    found = [
        {
            "model": model, "task": "t", "item": f"i{at}", "instruction": instruction, "input": given,
            "repeat": repeat, "outcome": "invalid" if letter == "?" else "answered", "answer": words.get(letter),
            "gold": words[gold[at]], "options": ["yes", "no"], "probs": None, "reply": letter,
        }
        for (instruction, given), letters in cells.items()
        for at, letter in enumerate(letters)
    ]  # fmt: skip
    return pl.DataFrame(found, schema=SCHEMA)


def found_of(*frames: pl.DataFrame) -> tuple[MultisenseFindings, pl.DataFrame]:
    records = pl.concat(frames)
    return multisense_findings(records, bootstrap=QUICK), records


SOURCE = {("en", "en"): "yyyynnnnnn"}
GERMAN = {
    ("de_from_en", "de_from_en"): "yyynnnnnn?",
    ("de_from_en", "en"): "yyyynnnnnn",
    ("en", "de_from_en"): "yyynnnnnnn",
}


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_one_target_in_a_sentence() -> None:
    found, records = found_of(rows("pocket/m", SOURCE | GERMAN))
    (sentence,) = story.headlines(found, OWN)
    assert plain(sentence).startswith("pocket/m: same answer to 80.0 % [")
    assert sentence.endswith("] of 10 questions after it translated them into German itself.")
    assert story.title(records) == "Is pocket/m consistent across 2 languages?"


def test_several_targets_from_the_worst_to_the_best() -> None:
    arabic = {("ar_from_en", "ar_from_en"): "nnnnyynnnn"}
    found, _ = found_of(rows("m", SOURCE | GERMAN | arabic))
    (sentence,) = story.headlines(found, OWN)
    assert plain(sentence).startswith("m: same answer to 40.0 % [")
    assert "(Arabic) up to 80" in sentence and "(German) of 10 questions" in sentence
    assert sentence.endswith("after it translated them into 2 other languages itself.")


def test_other_senses_are_named() -> None:
    found, _ = found_of(rows("m", SOURCE | {("en~paraphrase", "en~paraphrase"): "yyyynnnnnn"}))
    assert story.headlines(found, OWN)[0].endswith(
        "put in another way (English, paraphrase by the model itself)."
    )
    found, _ = found_of(rows("m", SOURCE | {("de_from_en@nllb", "de_from_en@nllb"): "yyyynnnnnn"} | GERMAN))
    assert (
        "(German (de) from English, by nllb) of 10 questions put in 2 other ways."
        in (story.headlines(found, OWN)[0])
    )


def test_originals_where_nothing_was_made() -> None:
    found, _ = found_of(rows("m", SOURCE | {("de", "de"): "yyyynnnnny"}))
    assert story.headlines(found, OWN)[0].endswith("of 10 questions in German and in English.")


def test_several_originals_are_one_sentence_that_names_both_languages_of_a_pair() -> None:
    languages = {
        "en": "yyyynnnnnn",
        "de": "yyyynnnnny",
        "ar": "yyyynnnnyy",
        "sw": "nnnnnnnnnn",
        "zh": "nnnnnnyyyy",
    }
    records = rows("m", {(code, code): letters for code, letters in languages.items()})
    found = multisense_findings(records, bootstrap=QUICK)
    (told,) = [plain(sentence) for sentence in story.headlines(found, OWN)]
    assert "(English and Chinese) up to" in told and told.endswith(
        "(German and English) of 10 questions in two of 5 languages."
    )
    (accuracy,) = [plain(sentence) for sentence in story.asides(found, records) if "accuracy" in sentence]
    assert "(Chinese) to " in accuracy and accuracy.endswith("(English) in 5 languages, of 10 questions.")


def test_every_model_and_source_has_its_own_sentence() -> None:
    back = {("de", "de"): "yyyynnnnnn", ("en_from_de", "en_from_de"): "yyyynnnnnn"}
    found, records = found_of(rows("a", SOURCE | GERMAN | back), rows("b", SOURCE | GERMAN))
    told = story.headlines(found, OWN)
    assert len(told) == 3
    assert "of 10 questions from German after it translated them into English itself." in told[0] + told[1]
    assert story.title(records) == "Are a and b consistent across 2 languages?"


def test_what_the_headline_is_held_against() -> None:
    again = rows("m", {("en", "en"): "yyyynnnnyy"}, repeat=2)
    found, records = found_of(rows("m", SOURCE | GERMAN), again)
    told = [plain(sentence) for sentence in story.asides(found, records)]
    assert (
        told[0].startswith("Noise floor: asked the same in English twice, m: same answer to 80.0 % [")
        and "of 10 questions" in told[0]
    )
    assert told[1].startswith("m: accuracy 100.0 % [80.6, 100.0] in English and 80.0 % [")
    assert told[1].endswith(", of 10 questions.")
    assert told[2] == "Brackets are 95 % intervals over the questions, each drawn with all its answers."
    assert (
        told[3]
        == "1 of 50 replies (2.0 %) carry no valid answer; below, every number says how it counts them."
    )
    found, records = found_of(rows("m", SOURCE))
    assert plain(story.asides(found, records)[-1]) == "All 10 replies could be read."
    assert story.headlines(found, OWN) == []


def test_accuracy_is_told_of_the_source_not_of_other_originals() -> None:
    found, records = found_of(rows("m", SOURCE | GERMAN | {("ar", "ar"): "nnnnnnnnnn"}))
    (told,) = [sentence for sentence in story.asides(found, records) if "accuracy" in sentence]
    assert "in English and" in told and "Arabic" not in told


def test_no_intervals_without_resamples() -> None:
    records = rows("m", SOURCE | GERMAN)
    found = multisense_findings(records, bootstrap=Bootstrap(resamples=0))
    assert plain(story.headlines(found, OWN)[0]) == (
        "m: same answer to 80.0 % of 10 questions after it translated them into German itself."
    )
    assert not any("Brackets" in sentence for sentence in story.asides(found, records))


def test_the_summary_has_one_line_a_target_with_the_range_over_unreadable_answers() -> None:
    found, _ = found_of(rows("m", SOURCE | GERMAN))
    grid = grids.summary_grid(found.consistency, level=found.level)
    assert grid is not None
    assert [column.name for column in grid.columns][:5] == ["From", "Into", "T, %", "I, %", "X, %"]
    (line,) = grid.texts
    assert line[:2] == ("English (en)", "German (de)")
    assert line[2].startswith("80.0 [") and line[3].startswith("100.0 [")
    assert (
        line[6].startswith("80.0 [")
        and line[7].startswith("88.9 [")
        and line[8:] == ("10", "95.0 to 100.0", "0")
    )
    assert "with 95 % intervals" in grid.caption


def test_models_get_a_column_only_where_there_are_several() -> None:
    found, _ = found_of(rows("a", SOURCE | GERMAN), rows("b", SOURCE | GERMAN))
    assert grids.summary_grid(found.consistency, level=found.level).columns[0].name == "Model"  # type: ignore[union-attr]
    assert [row[0] for row in grids.summary_grid(found.consistency, level=found.level).texts] == ["a", "b"]  # type: ignore[union-attr]


def test_what_is_left_out_stands_beside_the_number() -> None:
    found, _ = found_of(rows("m", SOURCE | {("de_from_en", "de_from_en"): "yyyynnnn"}))
    (line,) = grids.summary_grid(found.consistency, level=found.level).texts  # type: ignore[union-attr]
    assert (line[-3], line[-1]) == ("8", "2 items asked on one side only")


def test_an_undefined_number_says_why() -> None:
    wrong = rows("m", {("en", "en"): "nnnnyyyyyy", ("de_from_en", "de_from_en"): "nnnnyyyyyy"})
    found, _ = found_of(wrong)
    (line,) = grids.summary_grid(found.consistency, level=found.level).texts  # type: ignore[union-attr]
    assert line[3] == "– (no item that the source answers correctly)"


def test_grids_that_have_nothing_to_say_are_left_out() -> None:
    found, _ = found_of(rows("m", SOURCE))
    assert (
        grids.summary_grid(found.consistency, level=found.level) is None
        and grids.pairs_grid(found.consistency) is None
    )
    assert grids.split_grid(found.decomposition) is None and grids.agreement_grid(found.agreement) is None
    assert grids.directions_grid(found.directions, 10) is None
    assert (
        len(grids.accuracy_grid(found.accuracy, found.validity).rows) == 1
        and len(grids.outcomes_grid(found.outcomes).rows) == 1
    )
    assert grids.labels_grid(found.labels, 1) is None


def test_many_rows_are_folded(make_run: Callable[..., Run]) -> None:
    found = multisense_findings(
        make_run({f"m/{n}": 1.0 for n in range(5)}).records, bootstrap=Bootstrap(resamples=0)
    )
    assert (
        grids.accuracy_grid(found.accuracy, found.validity).folded
        and not grids.summary_grid(found.consistency, level=found.level).folded
    )  # type: ignore[union-attr]


def test_many_senses_are_compared_with_the_original_alone_but_drawn_in_full() -> None:
    tags = ["ar", "bn", "cs", "de", "el", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it"]
    made = {(f"{tag}_from_en", f"{tag}_from_en"): "yyyynnnnny" for tag in tags}
    found, _ = found_of(rows("m", SOURCE | made))
    assert len(grids.agreement_grid(found.agreement).rows) == 14  # type: ignore[union-attr]
    raw = [row for row in found.pairs.rows if row["statistic"] == "raw"]
    assert len(raw) == 15 * 14 / 2 and raw[0]["low"] is None
    assert all(row["low"] is not None for row in found.agreement.rows if row["statistic"] == "raw")


def test_an_empty_table_is_told() -> None:
    with pytest.raises(DataError, match="no records"):
        multisense_findings(pl.DataFrame(schema=SCHEMA))


def test_examples_take_the_most_frequent_change_first_and_spread_over_changes() -> None:
    german = {("de_from_en", "de_from_en"): "nnyynnnn??"}
    found, total = changed_answers(Run(rows("m", SOURCE | german)), each=3)
    assert total == 4
    assert [a["item"] for a, _ in found] == ["i0", "i8", "i1"]
    (a, b), (_, second) = (example(*both, None, ()).sides for both in found[:2])
    assert (a.reading, b.reading) == (Reading("yes", True), Reading("no", False))
    assert second.reading == Reading("invalid", False)
    ((name, reply),) = b.texts
    assert name == "reply" and reply is not None and reply.language == "de"


def test_examples_are_few_over_many_models_and_senses(make_run: Callable[..., Run]) -> None:
    run = make_run({f"m/{n}": 2.0 for n in range(4)})
    found, total = changed_answers(run, each=3, most=12)
    assert len(found) == 12 and total > 12
    assert {(b["model"], b["input"]) for _, b in found} == {
        (f"m/{n}", f"{tag}_from_en") for n in range(4) for tag in ("ar", "de", "zh")
    }


def test_examples_show_the_text_of_each_side_with_its_direction(capitals: Run) -> None:
    both = next(
        pair
        for pair in changed_answers(capitals)[0]
        if (pair[1]["item"], pair[1]["input"]) == ("q0-0", "ar_from_en")
    )
    (_, source), (name, text) = (side.texts[0] for side in example(*both, capitals.items, ()).sides)
    assert text is not None and source is not None
    assert (name, text.text, text.language, text.direction) == (
        "question",
        "هل باريس عاصمة فرنسا؟",
        "ar",
        "rtl",
    )
    assert (source.text, source.direction) == ("Is Paris the capital of France?", "ltr")


def test_items_with_prefixed_fields_and_options_and_without_senses() -> None:
    records = rows("m", SOURCE | {("de", "de"): "nnnnnnnnnn"})
    items = pl.DataFrame(
        {
            "item": ["i0", "i0"], "language": ["en", "de"], "gold": ["yes"] * 2,
            "options": [["one", "two"], ["eins", "zwei"]], "field:question": ["What?", "Was?"],
            "field:context": [None, ""], "group:subject": ["x", "x"],
        }
    )  # fmt: skip
    found, _ = changed_answers(Run(records, items))
    a, b = example(*found[0], items, ()).sides
    assert [(name, text.text) for name, text in b.texts if text and name != "reply"] == [("question", "Was?")]
    assert [option.text for option in a.options] == ["one", "two"]
    later = example(*found[1], items, ()).sides[0]
    assert (
        found[1][0]["item"] == "i1" and [name for name, _ in later.texts] == ["reply"] and later.options == ()
    )


def test_records_of_another_tool_without_gold_and_replies() -> None:
    frame = conform(
        pl.DataFrame(
            [
                {"model": "m", "task": "t", "item": "1", "instruction": code, "input": code, "answer": answer}
                for code, answer in (("en", "A"), ("de", "B"), ("prompt one", "C"))
            ]
        )
    )
    found, _ = changed_answers(Run(frame))
    ((a, b),) = (example(*both, None, ()).sides for both in found)
    assert (a.code, b.code, a.reading, a.texts) == ("en", "de", Reading("A", None), (("reply", None),))


def test_no_maker_is_named_whom_the_records_do_not_name() -> None:
    records = pl.DataFrame({"input": ["de_from_en", "en"], "model": ["m", None]})
    assert own_senses({"study": "multisense"}, records) == {"de_from_en"}
    for study, items in (({}, records), ({"study": "multisense"}, None), ({"study": "import"}, records)):
        assert own_senses(study, items) == frozenset()
    assert (
        sense_sentence("de_from_en", {"de_from_en"}) == "German, translated from English by the model itself"
    )
    assert sense_sentence("de_from_en") == "German, translated from English"
    assert sense_sentence("de_from_en@nllb") == "German, translated from English by nllb"
    assert sense_sentence("en~paraphrase") == "English, paraphrase"


def test_an_estimate_says_its_interval_or_why_it_has_no_value() -> None:
    row = {"value": 0.5, "low": 0.25, "high": 0.75, "ceiling": None, "reason": "no item was asked"}
    assert estimate_text(row, "share") == "50.0\u00a0% [25.0, 75.0]"
    assert estimate_text({**row, "low": None}, "points") == "+50.0"
    assert estimate_text(row, "share", "ceiling") == "undefined (no item was asked)"
    assert estimate_text({"value": None}) == "undefined"
