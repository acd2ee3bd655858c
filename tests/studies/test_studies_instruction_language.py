"""Questions under an instruction in one language: a condition that a study declares, told apart in every record."""

from __future__ import annotations

import polars as pl
import pytest

import hesperus as hs
from hesperus.api.studies import study_declaration, study_names
from hesperus.asking import ReplyStore
from hesperus.errors import UnknownNameError, UsageError
from hesperus.studies.asked.settings import settings_of

FEW = {"n": 8}


def cells(run):
    kept = (
        run.records.select("instruction", "input", "repeat").unique().sort("instruction", "input", "repeat")
    )
    return [f"{row[0]}/{row[1]}" + ("" if row[2] == 1 else f" {row[2]}") for row in kept.iter_rows()]


def prompts(run):
    """The questions as they were put, by what stands in the store."""
    with ReplyStore(run.folder.parent / "replies.sqlite") as store:
        return [row.request.prompt.user for row in store.stored()]


def test_multisense_asks_native_questions_under_an_english_instruction(tmp_path):
    run = hs.run(
        "multisense", task="atlas", models=["pocket/m"], target=["de"], originals=True, instruction_language="en", sample=FEW,
        out=tmp_path / "run", progress=False,
    )  # fmt: skip
    assert cells(run) == [
        "de_from_en/de_from_en",
        "de_from_en/en",
        "en/de",
        "en/de_from_en",
        "en/en",
        "en/en 2",
    ]
    german = run.run.items.filter((pl.col("input") == "de") & pl.col("model").is_null())[
        "field:question"
    ].to_list()
    put = [text for text in prompts(run) if text.startswith("Answer the following question.")]
    assert all(any(question in text for text in put) for question in german) and len(german) == 8


def test_a_source_can_stand_under_another_instruction(tmp_path):
    run = hs.run(
        "multisense", task="atlas", models=["pocket/m"], source=["de"], target=["en"], conditions=["X"],
        instruction_language="en", sample=FEW, out=tmp_path / "run", progress=False,
    )  # fmt: skip
    assert cells(run) == ["en/de", "en/de 2", "en/en_from_de"]


def test_similarity_compares_languages_under_one_instruction(tmp_path):
    run = hs.run(
        "similarity", task="atlas", models=["pocket/m", "pocket/l"], languages=["en", "de", "zh"], instruction_language="en",
        sample=FEW, out=tmp_path / "run", progress=False,
    )  # fmt: skip
    assert cells(run) == ["en/de", "en/en", "en/zh"]
    found = {row["design"]: row for row in hs.measure("means", run).rows if row["group"] == "all"}
    assert found["pivot"]["value"] is not None and found["between_models"]["n"] == 8
    summary = hs.measure("summary", run).rows
    assert {row["input"] for row in summary if row["statistic"] == "consistency"} == {"de", "zh"}
    numbers = {"speakers": {"values": {"en": 3.0, "de": 2.0, "zh": 1.0}, "source": "a table", "date": "2026"}}
    related = hs.run(
        "similarity",
        records=[str(run.folder)],
        comparison={"languages": numbers},
        out=tmp_path / "two",
        progress=False,
    )
    assert [row["n"] for row in hs.measure("correlations", related).rows if row["with"] == "speakers"] == [3]


def test_an_audit_asks_every_version_under_one_instruction(tmp_path):
    run = hs.run(
        "translation_tax", task="atlas", models=["pocket/m", "pocket/l"], target="zh", instruction_language="en",
        naturalise={"rewriter": "pocket/l", "sizes": {"disagreement": 2, "high": 2, "low": 2}}, sample={"n": 16},
        out=tmp_path / "run", progress=False,
    )  # fmt: skip
    assert set(cells(run)) == {"en/en", "en/en_from_zh", "en/zh", "en/zh 2", "en/zh~natural@pocket/l"}
    assert any(row["value"] is not None for row in hs.measure("back_translation", run).rows)


def test_where_no_instruction_language_is_given_nothing_changes():
    declared = {"study": "similarity", "task": "atlas", "models": ["pocket/m"], "languages": ["en", "de"]}
    plain = hs.plan(declared)
    given = hs.plan(declared, instruction_language="de")
    assert plain.signature != given.signature
    assert {row["what"] for row in plain.rows} == {"instruction=en,input=en", "instruction=de,input=de", ""}
    assert {row["what"] for row in given.rows} == {"instruction=de,input=en", "instruction=de,input=de", ""}


def test_what_cannot_be_asked_so_is_refused():
    with pytest.raises(UsageError, match="has no instruction in 'is'"):
        hs.plan(
            "similarity", task="atlas", models=["pocket/m"], languages=["en", "de"], instruction_language="is"
        )
    with pytest.raises(UnknownNameError, match="instruction_language"):
        hs.plan(
            "translate_then_evaluate", task="atlas-describe", models=["pocket/l"], languages=["de"], translator="none",
            instruction_language="en",
        )  # fmt: skip


def test_a_flag_says_it_too():
    flags = {
        name: {one.flag: one.kind for one in settings_of(study_declaration(name))} for name in study_names()
    }
    asked = {name for name, known in flags.items() if "instruction-language" in known}
    assert asked == {"multisense", "similarity", "translation_tax"}
    assert {flags[name]["instruction-language"] for name in asked} == {str}
