"""A study is declared; whatever is wrong in it is named, with the right key beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.studies.multisense.multisense_study import MultisenseStudy, design
from hesperus.types import Sense

SMALL = {"task": "atlas", "models": ["pocket/m"], "source": ["en"], "target": ["de", "zh"]}


def test_design_has_the_conditions_of_the_paper() -> None:
    plan = design(MultisenseStudy.from_mapping(SMALL))
    assert [str(cell) for cell in plan.cells] == [
        "instruction=en,input=en",
        "instruction=en,input=en,repeat=2",
        "instruction=de_from_en,input=de_from_en",
        "instruction=de_from_en,input=en",
        "instruction=en,input=de_from_en",
        "instruction=zh_from_en,input=zh_from_en",
        "instruction=zh_from_en,input=en",
        "instruction=en,input=zh_from_en",
    ]
    assert plan.made == (Sense("de", source="en"), Sense("zh", source="en"))
    assert plan.originals == ("en",)


def test_design_of_many_sources_originals_and_variants() -> None:
    study = MultisenseStudy.from_mapping(
        SMALL
        | {
            "source": ["en", "de"],
            "target": ["de"],
            "originals": True,
            "senses": ["en~paraphrase", "en_via_zh"],
        }
    )
    plan = design(study)
    codes = [str(cell) for cell in plan.cells]
    assert len(codes) == len(set(codes))
    assert "instruction=de,input=de" in codes
    assert "instruction=en~paraphrase,input=en~paraphrase" in codes
    assert "instruction=en_via_zh,input=en" in codes
    assert not any("de_from_de" in code for code in codes)


def test_tags_in_any_style_become_bcp47() -> None:
    study = MultisenseStudy.from_mapping(SMALL | {"source": "eng", "target": ["deu_Latn", "ZH"]})
    assert study.source == ("en",)
    assert study.target == ("de", "zh")


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"modles": ["pocket/m"]}, UnknownNameError, ["modles", "models"]),
        ({"answers": {"temprature": 0}}, UnknownNameError, ["answers.temprature", "answers.temperature"]),
        ({"sample": {"n": 3, "sead": 1}}, UnknownNameError, ["sample.sead", "sample.seed"]),
        ({"models": []}, DataError, ["models"]),
        ({"models": ["a/b", "a/b"]}, DataError, ["models", "a/b"]),
        ({"repeats": 0}, DataError, ["repeats", "0"]),
        ({"answers": {"temperature": -1}}, DataError, ["answers.temperature"]),
        ({"conditions": ["T", "Q"]}, DataError, ["conditions"]),
        ({"senses": ["en"]}, DataError, ["original"]),
        ({"senses": ["en from de"]}, DataError, ["sense code"]),
        ({"target": ["xx-nonsense-land"]}, UnknownNameError, ["language"]),
        ({"target": [], "repeats": 1}, DataError, ["nothing to compare"]),
        ({"sample": {"seed": 1}}, DataError, ["per_group"]),
        ({"sample": {"per_group": 1}}, DataError, ["by"]),
    ],
)
def test_faults_are_named(change: dict[str, object], error: type[Exception], words: list[str]) -> None:
    with pytest.raises(error) as caught:
        MultisenseStudy.from_mapping(SMALL | change, file="study.yaml")
    for word in words:
        assert word in str(caught.value)


def test_missing_task_is_named() -> None:
    with pytest.raises(DataError, match="task.*missing"):
        MultisenseStudy.from_mapping({"models": ["pocket/m"], "target": ["de"]})


def test_study_file_round_trip(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(
        "task: atlas\nmodels: pocket/m\ntarget: [de]\nanswers: {temperature: 0}\n", encoding="utf-8"
    )
    study = MultisenseStudy.read(file)
    assert study == MultisenseStudy(
        task="atlas", models=("pocket/m",), target=("de",), answers={"temperature": 0}
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("task: [atlas", ["study.yaml", "line"]),
        ("- atlas\n", ["mapping"]),
        ("task: !!python/object/apply:os.getcwd []\n", ["YAML"]),
    ],
)
def test_bad_yaml_names_file_and_line(tmp_path: Path, text: str, words: list[str]) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        MultisenseStudy.read(file)
    for word in words:
        assert word in str(caught.value)


def test_absent_study_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the study"):
        MultisenseStudy.read(tmp_path / "none.yaml")
