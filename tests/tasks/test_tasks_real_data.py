"""Public benchmark files, read in place in the shapes in which people publish them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from hesperus.errors import DataError
from hesperus.senses import render
from hesperus.tasks import Sample, Task, load_items, task

MERGED = """\
name: {name}
description: A merged file.
form: {form}
fields: [{fields}]
{extra}
layout: "{layout}"
columns:
{columns}
gold: {gold}
key: {key}
"""


def merged(folder: Path, name: str, **parts: str) -> Task:
    path = folder / f"{name}.yaml"
    defaults = {"extra": "", "key": "{row: true}", "gold": "{read: letter}"}
    path.write_text(MERGED.format(name=name, **(defaults | parts)), encoding="utf-8")
    return task(str(path))


def test_xcopa_in_eleven_languages(shared_data: Path, tmp_path: Path) -> None:
    found = merged(
        tmp_path,
        "xcopa-merged",
        form="choice",
        fields="premise",
        extra="options: 2",
        layout="{premise} {asks.word} {options}",
        columns='  fields: {premise: "q.{language}.0"}\n  options: ["q.{language}.1", "q.{language}.2"]\n'
        "  gold: gold\n  groups: {asks: asks}",
        gold="{read: position0}",
        key="{columns: [idx]}",
    )
    languages = ["et", "ht", "id", "it", "qu", "sw", "ta", "th", "tr", "vi", "zh"]
    items = load_items(
        found, languages, source=shared_data / "parallel_benchmarks" / "xcopa_test_11lang.jsonl.gz"
    )
    assert list(items) == languages
    assert items.coverage == {"kept": 500}
    assert [sum(item.gold == gold for item in items["et"]) for gold in "AB"] == [250, 250]
    first = items["it"][0]
    assert (first.gold, first.groups, first.options) == (
        "A",
        {"asks": "cause"},
        ("Era delicato.", "Era piccolo."),
    )
    prompt = render(task("xcopa").layout, task("xcopa").instruction("en"), first)
    assert prompt == (
        'Which of the two alternatives is more plausible? Premise: "L\'oggetto era incartato nella plastica bollata." '
        'What was the cause of this? (A) "Era delicato." (B) "Era piccolo." Please answer with "A" or "B".'
    )


def test_mgsm_in_eleven_languages(shared_data: Path, tmp_path: Path) -> None:
    found = merged(
        tmp_path,
        "mgsm-merged",
        form="number",
        fields="question",
        layout="{question}",
        columns='  fields: {question: "q.{language}"}\n  gold: gold',
        gold="{read: number}",
    )
    languages = ["bn", "de", "en", "es", "fr", "ja", "ru", "sw", "te", "th", "zh"]
    items = load_items(found, languages, source=shared_data / "parallel_benchmarks" / "mgsm_11lang.jsonl.gz")
    assert items.coverage == {"kept": 250}
    assert items["en"][0].gold == "18"
    assert items["th"][0].id == "0"
    assert all(item.gold is not None and float(item.gold) == int(item.gold) for item in items["sw"])


def test_sib_200_in_two_hundred_languages(shared_data: Path, tmp_path: Path) -> None:
    codes = task("sib-200").source.languages
    found = merged(
        tmp_path,
        "sib-merged",
        form="label",
        fields="text",
        extra="labels: [science/technology, travel, politics, sports, health, entertainment, geography]\n"
        "source: {languages: {" + ", ".join(f'"{tag}": {code}' for tag, code in codes.items()) + "}}",
        layout="{text}",
        columns='  fields: {text: "text.{language}"}\n  gold: label',
        gold="{read: label}",
        key="{columns: [id]}",
    )
    path = shared_data / "parallel_benchmarks" / "sib200_test_all_languages.jsonl.gz"
    items = load_items(found, list(codes), source=path, sample=Sample(21, by="gold"))
    assert len(items) == 205
    assert items.coverage == {"kept": 21}
    few = load_items(found, ["en", "zh", "ace_Arab"], source=path, sample=Sample(21, by="gold"))
    assert few.ids == items.ids
    assert few["ace-Arab"][0].language == "ace-Arab"


BELEBELE = {
    "form": "choice",
    "fields": "question",
    "extra": "options: 4",
    "layout": "{question} {options}",
    "columns": '  fields: {question: "q.{language}.0"}\n  options: {column: "q.{language}.1:"}\n  gold: gold',
}


@pytest.mark.parametrize(("name", "count"), [("belebele_first300", 300), ("mmlu_medical", 604)])
def test_african_choices_in_twelve_languages(
    shared_data: Path, tmp_path: Path, name: str, count: int
) -> None:
    path = shared_data / "idm_african_mcq_outputs" / f"{name}_12lang.jsonl.gz"
    key = "{columns: [task, row]}" if name.startswith("mmlu") else "{columns: [row]}"
    found = merged(tmp_path, "african", **BELEBELE, key=key)
    languages = ["en", "af", "am", "bm", "ig", "nso", "sn", "st", "tn", "ts", "xh", "zu"]
    items = load_items(found, languages, source=path)
    assert sum(items.coverage.values()) == count
    assert len(items.ids) > 0.98 * count
    assert items["zu"][0].options is not None and len(items["zu"][0].options) == 4


def test_exams_have_another_number_of_options_in_some_questions(shared_data: Path, tmp_path: Path) -> None:
    columns = BELEBELE["columns"] + "\n  groups: {subject: subject}"
    names = "source: {languages: {hr: Croatian, it: Italian, sr: Serbian}}"
    found = merged(tmp_path, "exams", **BELEBELE | {"columns": columns, "extra": f"options: 5\n{names}"})
    path = shared_data / "parallel_benchmarks" / "exams_parallel_3plus_languages.jsonl.gz"
    items = load_items(found, ["hr", "it", "sr"], source=path)
    assert items.coverage["missing"] > 0
    assert items.coverage["kept"] + items.coverage["missing"] <= 165


def test_wrong_rows_are_found_where_rows_are_the_key(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "parallel_benchmarks" / "mgsm_11lang.jsonl.gz"
    found = merged(
        tmp_path,
        "mgsm-wide",
        form="number",
        fields="question",
        layout="{question}",
        columns="  fields: {question: question}\n  gold: gold",
        gold="{read: number}",
    )
    frame = pl.read_ndjson(path)
    wide = {
        tag: pl.DataFrame({"question": frame["q"].struct.field(tag), "gold": frame["gold"]})
        for tag in ("en", "de")
    }
    assert load_items(found, ["en", "de"], source=wide).coverage == {"kept": 250}
    swapped = wide["de"][[*range(10), 11, 10, *range(12, 250)]]
    with pytest.raises(DataError, match="line 11, item '10': gold differs"):
        load_items(found, ["en", "de"], source={"en": wide["en"], "de": swapped})


def test_bmlama_facts_are_read_in_place(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "NC_bmlama17_subset" / "every_17th_row_17lang.jsonl.gz"
    found = merged(
        tmp_path,
        "bmlama-merged",
        form="choice",
        fields="statement",
        extra="options: 10",
        layout="{statement} {options}",
        columns='  fields: {statement: "q.{language}.prompt"}\n'
        '  options: {column: "q.{language}.candidates", shuffled: true}\n  gold: "q.{language}.gold"',
        gold="{read: position0}",
        key="{columns: [row]}",
    )
    items = load_items(found, ["en", "fr", "nl", "es", "ru", "ja", "zh", "ko"], source=path)
    assert sum(items.coverage.values()) == 400
    golds = [item.gold for item in items["en"]]
    assert max(golds.count(gold) for gold in set(golds)) < 100
    assert golds == [item.gold for item in items["zh"]]


def test_released_translations_are_a_table_with_a_language_column(shared_data: Path, tmp_path: Path) -> None:
    found = merged(
        tmp_path,
        "translations",
        form="label",
        fields="sentence1, sentence2",
        extra="labels: [same, different]\nsource: {language_column: sense, languages: {de: de_from_en, zh: zh_from_en}}",
        layout="{sentence1} {sentence2}",
        columns="  fields: {sentence1: text1, sentence2: text2}\n  gold: gold",
        gold="{labels: {1: same, 0: different}}",
        key="{columns: [dataset_id]}",
    )
    path = shared_data / "multisense" / "translations_paws-x.parquet"
    items = load_items(found, ["zh", "de"], source=path)
    assert items.coverage == {"kept": 2000}
    same = sum(item.gold == "same" for item in items["de"])
    assert 0.44 < same / 2000 < 0.46
    assert len(load_items(found, "de", source=path, sample=Sample(50, by="gold")).ids) == 50
