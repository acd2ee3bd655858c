"""Loading: files found, gold read, languages aligned, and every contradiction listed or refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from hesperus.errors import DataError, HesperusError, UnknownNameError, UsageError
from hesperus.tasks import Dropped, Gold, ItemSet, Key, Task, items_frame, items_from_frame, load_items, task
from hesperus.tasks.task_parts import Columns, Options, Source
from hesperus.types import Item

Row = Mapping[str, object]


def lines(path: Path, rows: Sequence[Row]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def paws(key: int, label: object = 1, **change: object) -> Row:
    return {"id": key, "sentence1": f"one {key}", "sentence2": f"two {key}", "label": label} | change


def choice(
    key: object, answer: object = "A", options: Sequence[object] = ("x", "y", "z"), **change: object
) -> Row:
    return {
        "id": key,
        "question": f"q{key}",
        "choices": list(options),
        "answer": answer,
        "subject": "s",
    } | change


CHOICE = replace(
    task("global-mmlu"),
    name="choice",
    source=Source(),
    columns=Columns(
        {"question": ("question",)},
        ("answer",),
        Options(column=("choices",)),
        groups={"subject": ("subject",)},
    ),
    key=Key((("id",),)),
)


def load(found: Task, folder: Path, by_language: Mapping[str, Sequence[Row]]) -> ItemSet:
    source = {tag: lines(folder / f"{tag}.jsonl", rows) for tag, rows in by_language.items()}
    return load_items(found, list(by_language), source=source)


def test_languages_are_aligned_by_id_whatever_their_order(tmp_path: Path) -> None:
    items = load(
        task("paws-x"),
        tmp_path,
        {"en": [paws(1), paws(2, 0), paws(3)], "de": [paws(3), paws(1), paws(9), paws(2, 0)]},
    )
    assert items.ids == ("1", "2", "3")
    assert [item.id for item in items["de"]] == ["1", "2", "3"]
    assert [item.gold for item in items["de"]] == ["same", "different", "same"]
    assert items["de"][0] == Item("1", "de", {"sentence1": "one 1", "sentence2": "two 1"}, "same")
    assert items.dropped == (Dropped("9", "missing", ("en",), "not in en"),)
    assert items.coverage == {"kept": 3, "missing": 1}
    assert str(items) == "paws-x: 3 items in en, de; excluded: 1 missing"
    assert len(items) == 2 and list(items) == ["en", "de"]


def test_gold_that_belongs_to_the_language_is_kept(tmp_path: Path) -> None:
    items = load(
        task("paws-x"), tmp_path, {"en": [paws(1), paws(2)], "de": [paws(1), paws(2, 0, sentence1="NS")]}
    )
    assert (items["en"][1].gold, items["de"][1].gold) == ("same", "different")
    assert items.notes == ("1 items have another gold in some languages; each language keeps its own",)


def test_other_golds_are_left_out_and_listed(tmp_path: Path) -> None:
    data = {
        "en": [choice(1), choice(2, "B")],
        "de": [choice(1), choice(2, "C")],
        "fr": [choice(1), choice(2, "B")],
    }
    items = load(CHOICE, tmp_path, data)
    assert items.ids == ("1",)
    assert items.dropped == (Dropped("2", "gold differs", ("de",), "'B' in en, 'C' in de, 'B' in fr"),)


def test_other_option_counts_are_left_out_and_listed(tmp_path: Path) -> None:
    items = load(CHOICE, tmp_path, {"en": [choice(1), choice(2)], "de": [choice(1), choice(2, options="xy")]})
    assert items.dropped == (Dropped("2", "option count differs", ("de",), "3 in en, 2 in de"),)


def test_an_item_unusable_in_one_language_is_left_out_of_all(tmp_path: Path) -> None:
    data = {
        "en": [choice(n) for n in range(6)],
        "de": [
            choice(0),
            choice(1, question=" "),
            choice(2, options=("x", "y", "")),
            choice(3, options=("x",)),
            choice(4, options="x" * 27),
            choice(5, question=None),
        ],
    }
    items = load(CHOICE, tmp_path, data)
    assert items.ids == ("0",)
    assert {drop.item: drop.reason for drop in items.dropped} == {
        "1": "empty field",
        "2": "empty option",
        "3": "too few options",
        "4": "too many options",
        "5": "missing",
    }


def test_a_row_is_a_key_only_where_gold_agrees_in_every_row(tmp_path: Path) -> None:
    def row(label: int) -> Row:
        return {"premise": "p", "hypothesis": "h", "label": label}

    items = load(task("xnli"), tmp_path, {"en": [row(0), row(1)], "de": [row(0), row(1)]})
    assert items.ids == ("0", "1")
    assert [item.gold for item in items["en"]] == ["entailment", "neutral"]
    with pytest.raises(
        DataError, match=r"de\.jsonl, line 2, item '1': gold differs .*'neutral' in en, 'contradiction' in de"
    ):
        load(task("xnli"), tmp_path, {"en": [row(0), row(1)], "de": [row(0), row(2)]})
    with pytest.raises(DataError, match="1 rows in 'de', 2 in 'en'"):
        load(task("xnli"), tmp_path, {"en": [row(0), row(1)], "de": [row(0)]})


def test_ids_must_be_unique_and_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"line 3, item '1': this id stands twice, here and at 1"):
        load(task("paws-x"), tmp_path, {"en": [paws(1), paws(2), paws(1)]})
    unusable = paws(2, sentence1="")
    for rows in ([paws(1), paws(2), unusable], [paws(1), unusable, paws(2)], [paws(1), unusable, unusable]):
        with pytest.raises(DataError, match=r"line 3, item '2': this id stands twice, here and at 2"):
            load(task("paws-x"), tmp_path, {"en": rows})
    with pytest.raises(DataError, match=r"line 2, field 'id': the id is empty"):
        load(task("paws-x"), tmp_path, {"en": [paws(1), paws(2, id=None)]})


@pytest.mark.parametrize(
    ("gold", "value", "expected"),
    [
        (Gold("letter"), "b", "B"),
        (Gold("position0"), 1, "B"),
        (Gold("position1"), "2", "B"),
        (Gold("option"), "y", "B"),
        (Gold("number"), "1,200.50", "1200.5"),
        (Gold("number"), 1000, "1000"),
        (Gold("number"), "3.14159265358979323846264338327950288", "3.14159265358979323846264338327950288"),
        (Gold("text"), " Paris ", "Paris"),
        (Gold("letter"), None, None),
        (Gold("letter"), "", None),
    ],
)
def test_gold_is_read_as_the_task_says(
    tmp_path: Path, gold: Gold, value: object, expected: str | None
) -> None:
    assert load(replace(CHOICE, gold=gold), tmp_path, {"en": [choice(1, value)]})["en"][0].gold == expected


@pytest.mark.parametrize(
    ("gold", "value", "words"),
    [
        (
            Gold("letter"),
            "D",
            "line 1, field 'answer': unknown gold: 'D'; known: A, B, C (the row has 3 options)",
        ),
        (Gold("position0"), 3, "unknown gold: 'D'"),
        (Gold("position1"), 0, "unknown gold: '0'"),
        (Gold("position0"), "b", "a position, that is a whole number"),
        (Gold("position0"), "9" * 5000, "a position, that is a whole number"),
        (Gold("number"), "1e999999999", "at most 60 digits were expected"),
        (Gold("letter"), ["A"], "field 'answer': the cell holds a list, where one text or number belongs"),
        (Gold("number"), "ten", "a number was expected"),
        (Gold("number"), "NaN", "a finite number was expected"),
        (Gold("label"), "Z", "unknown gold: 'Z'; known: A, B, C, D (write gold.labels"),
        (Gold("label", {"1": "A"}), "2", "unknown gold: '2'; known: 1 (gold.labels of the task"),
    ],
)
def test_an_unknown_gold_is_an_error_with_its_line(
    tmp_path: Path, gold: Gold, value: object, words: str
) -> None:
    with pytest.raises(DataError) as caught:
        load(replace(CHOICE, gold=gold), tmp_path, {"en": [choice(1, value)]})
    assert words in str(caught.value)


def test_a_gold_that_is_no_option_or_two_is_listed(tmp_path: Path) -> None:
    rows = [choice(1, "x"), choice(2, "w"), choice(3, "x", ("x", "x", "y"))]
    items = load(replace(CHOICE, gold=Gold("option")), tmp_path, {"en": rows})
    assert [(drop.item, drop.reason) for drop in items.dropped] == [
        ("2", "gold is no option"),
        ("3", "gold is two options"),
    ]


def test_no_item_left_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no item is left: 2 missing"):
        load(task("paws-x"), tmp_path, {"en": [paws(1)], "de": [paws(2)]})


def test_options_in_one_text_are_parted_and_shuffled_alike_in_every_language(tmp_path: Path) -> None:
    def row(n: int, language: str) -> Row:
        options = [f"{language} {k}" for k in range(10)]
        return {
            "Prompt": f"It is <mask> {n}.",
            "Ans": options[9],
            "Candidate Ans": ", ".join(options),
            "Subject": "It",
        }

    items = load(task("bmlama"), tmp_path, {tag: [row(n, tag) for n in range(40)] for tag in ("en", "de")})
    golds = [item.gold for item in items["en"]]
    assert golds == [item.gold for item in items["de"]]
    assert len(set(golds)) > 5
    for en, de in zip(items["en"], items["de"], strict=True):
        assert en.options is not None and de.options is not None
        assert [text.split()[1] for text in en.options] == [text.split()[1] for text in de.options]
        assert en.options["ABCDEFGHIJ".index(en.gold or "")] == "en 9"


def test_keys_join_columns_and_even_out_their_spelling(tmp_path: Path) -> None:
    def row(n: int, subject: str) -> Row:
        return {
            "": n,
            "Question": "q",
            "A": "a",
            "B": "b",
            "C": "c",
            "D": "d",
            "Answer": "A",
            "Subject": subject,
        }

    data = {
        "de": [row(1, "college_biology"), row(5954, "law")],
        "zh": [row(1, "College Biology"), row(5954, "law")],
    }
    items = load(task("mmmlu"), tmp_path, data)
    assert items.ids == ("1/college_biology",)
    assert items.dropped[0].reason == "known fault" and items.dropped[0].item == "5954/law"
    assert items["zh"][0].groups == {"subject": "college_biology"}
    assert items.notes == ("the group 'subject' reads otherwise in 1 cases; that of 'de' holds for all",)


def test_languages_that_are_not_parallel_stand_side_by_side(tmp_path: Path) -> None:
    def row(n: int) -> Row:
        options = {f"option_{letter}": letter for letter in "abcd"}
        groups = {"subject": "law", "domain": "d", "country": "c", "regional_feature": "r"}
        return {"question": f"q{n}", "answer": 2, **options, **groups}

    items = load(task("include"), tmp_path, {"de": [row(0), row(1)], "fr": [row(0)]})
    assert items.ids == ("de/0", "de/1", "fr/0")
    assert items["fr"][0].gold == "C"
    assert "never two originals" in items.notes[0]


# Where the data are


def two_languages(folder: Path, pattern: str) -> None:
    for code in ("de", "en"):
        lines(folder / pattern.format(code), [paws(1, text=code)])


@pytest.mark.parametrize(
    "pattern",
    ["{}.jsonl", "{}/test.jsonl", "test_{}.jsonl", "data/x-test-{}.jsonl", "{}/test-00000-of-00001.jsonl"],
)
def test_a_folder_is_searched_by_language_code(tmp_path: Path, pattern: str) -> None:
    two_languages(tmp_path, pattern)
    if "test" in pattern:
        lines(tmp_path / "train" / "de.jsonl", [paws(2)])
        lines(tmp_path / "train" / "en.jsonl", [paws(2)])
    assert load_items("paws-x", ["en", "de"], source=tmp_path).ids == ("1",)


def test_shards_are_joined(tmp_path: Path) -> None:
    for shard in (0, 1):
        lines(tmp_path / "en" / f"test-0000{shard}-of-00002.jsonl", [paws(shard + 1)])
    assert load_items("paws-x", "en", source=str(tmp_path)).ids == ("1", "2")
    lines(tmp_path / "en" / "test-00001-of-00002.jsonl", [{"id": 5}])
    with pytest.raises(DataError, match="its columns differ"):
        load_items("paws-x", "en", source=str(tmp_path))


def test_a_saved_data_set_folder_is_read_without_its_library(tmp_path: Path) -> None:
    for code in ("de", "en"):
        folder = tmp_path / code / "test"
        folder.mkdir(parents=True)
        pl.DataFrame([dict(paws(1))]).write_ipc_stream(folder / "data-00000-of-00001.arrow")
        (folder / "dataset_info.txt").write_text("{}", encoding="utf-8")
    assert load_items("paws-x", ["de", "en"], source=tmp_path).ids == ("1",)


def test_a_pattern_takes_the_benchmarks_code_or_the_tag(tmp_path: Path) -> None:
    row = {
        "Unnamed: 0": 1,
        "Question": "q",
        **{letter: letter for letter in "ABCD"},
        "Answer": "A",
        "Subject": "s",
    }
    lines(tmp_path / "mmlu_DE_DE.jsonl", [row])
    lines(tmp_path / "mmlu_fr.jsonl", [row])
    items = load_items("mmmlu", ["de", "fr"], source=str(tmp_path / "mmlu_{language}.jsonl"))
    assert list(items) == ["de", "fr"]
    with pytest.raises(UsageError, match=r"no such data file: .*mmlu_JA_JP.jsonl or .*mmlu_ja.jsonl"):
        load_items("mmmlu", "ja", source=str(tmp_path / "mmlu_{language}.jsonl"))
    (tmp_path / "mmlu_DE_DE.jsonl").rename(tmp_path / "mmlu_DE-DE.jsonl")
    assert list(load_items("mmmlu", "de", source=tmp_path)) == ["de"]


def test_one_table_may_hold_all_languages(tmp_path: Path) -> None:
    long = replace(task("paws-x"), source=replace(task("paws-x").source, language_column="lang"))
    rows = [paws(1, lang="en"), paws(1, lang="de"), paws(2, lang="en"), paws(2, lang="de")]
    path = lines(tmp_path / "all.jsonl", rows)
    assert load_items(long, ["en", "de"], source=path).ids == ("1", "2")
    assert load_items(long, ["en", "de"], source=tmp_path).ids == ("1", "2")
    assert load_items(long, ["en", "de"], source=pl.DataFrame([dict(row) for row in rows])).ids == ("1", "2")
    with pytest.raises(DataError, match=r"field 'lang': no row has 'fr' there; it holds de, en"):
        load_items(long, ["en", "fr"], source=path)
    lines(path, [*rows[:3], paws(1, lang="de")])
    with pytest.raises(DataError, match=r"line 4, item '1': this id stands twice, here and at 2"):
        load_items(long, "de", source=path)


@pytest.mark.parametrize(
    ("languages", "words", "error"),
    [
        ([], "no language was given", UsageError),
        (["en", "EN"], "a language is given twice: en", UsageError),
        (["tlh-nonsense-x"], "unknown language", UnknownNameError),
        (["th"], "unknown language of this task's data: 'th'", UnknownNameError),
        (["en", "de"], "one file for several languages", UsageError),
    ],
)
def test_bad_requests_are_told_apart(
    tmp_path: Path, languages: list[str], words: str, error: type[HesperusError]
) -> None:
    path = lines(tmp_path / "a.jsonl", [paws(1)])
    with pytest.raises(error) as caught:
        load_items("paws-x", languages, source=path)
    assert words in str(caught.value)


def test_data_that_cannot_be_found_are_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="clone github.com/Betswish"):
        load_items("bmlama", "en")
    with pytest.raises(UsageError, match="no such data file"):
        load_items("paws-x", "en", source=tmp_path / "none")
    with pytest.raises(UsageError, match="holds no data file"):
        load_items("paws-x", "en", source=tmp_path)
    with pytest.raises(UsageError, match="no data are named for 'de'; there are some for en"):
        load_items("paws-x", ["en", "de"], source={"en": "x"})
    lines(tmp_path / "x.jsonl", [paws(1)])
    lines(tmp_path / "y.jsonl", [paws(1)])
    with pytest.raises(DataError, match="no file there has 'en' in its path; the files are x.jsonl, y.jsonl"):
        load_items("paws-x", "en", source=tmp_path)
    lines(tmp_path / "x.en.jsonl", [paws(1)])
    lines(tmp_path / "y.en.jsonl", [paws(1)])
    with pytest.raises(DataError, match="several files there have 'en' in their path"):
        load_items("paws-x", "en", source=tmp_path)


def test_missing_columns_name_the_nearest(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"id": 1, "sentence_1": "a", "sentence_2": "b", "label": 1}])
    with pytest.raises(DataError, match="no column 'sentence1'; did you mean 'sentence_1'"):
        load_items("paws-x", "en", source=path)


# Frames


def test_items_go_through_a_frame_and_back(tmp_path: Path) -> None:
    items = load(CHOICE, tmp_path, {"en": [choice(1), choice(2, None)], "de": [choice(1), choice(2, None)]})
    frame = items_frame(items)
    assert frame.columns == ["item", "language", "gold", "options", "field:question", "group:subject"]
    assert frame.schema["options"] == pl.List(pl.String)
    back = items_from_frame(frame, task="choice")
    assert back == ItemSet("choice", items.by_language)
    assert items_frame(load_items("atlas-open", "th")).height == 160


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda frame: frame.drop("gold"), "no column 'gold'"),
        (lambda frame: frame.drop("field:question"), "no column begins with 'field:'"),
        (lambda frame: pl.concat([frame, frame]), "line 2, item '1': stands twice in 'en'"),
        (lambda frame: frame.with_columns(item=pl.lit(None, pl.String)), "must not be null"),
    ],
)
def test_a_frame_without_its_columns_is_refused(tmp_path: Path, change: object, words: str) -> None:
    frame = items_frame(load(CHOICE, tmp_path, {"en": [choice(1)]}))
    assert callable(change)
    with pytest.raises(DataError) as caught:
        items_from_frame(change(frame))
    assert words in str(caught.value)


def test_of_a_runs_items_the_originals_are_taken(tmp_path: Path) -> None:
    frame = items_frame(load(CHOICE, tmp_path, {"en": [choice(1)]}))
    original = frame.with_columns(input=pl.lit("en"), model=pl.lit(None, pl.String))
    made = frame.with_columns(language=pl.lit("de"), input=pl.lit("de_from_en"), model=pl.lit("m/x"))
    again = made.with_columns(model=pl.lit("m/y"))
    assert items_from_frame(pl.concat([original, made, again])) == items_from_frame(frame)


def test_a_language_column_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    source = replace(task("paws-x").source, language_column="langauge")
    path = lines(tmp_path / "all.jsonl", [paws(1, language="en"), paws(2, language="de")])
    for languages in (["en", "de"], "en"):
        with pytest.raises(
            DataError,
            match=r"field .source\.language_column.: no column .langauge.; did you mean .language.\?",
        ):
            load_items(replace(task("paws-x"), source=source), languages, source=path)


def test_a_column_of_languages_that_the_task_does_not_name_is_an_error_also_for_one_language(
    tmp_path: Path,
) -> None:
    by_row = replace(task("paws-x"), key=Key(row=True))
    path = lines(tmp_path / "all.jsonl", [paws(1, language="en"), paws(2, language="de")])
    with pytest.raises(DataError, match=r"several languages \(de, en\).*language_column: language"):
        load_items(by_row, "en", source=path)
    with pytest.raises(DataError, match="several languages"):
        load_items(by_row, ["en", "de"], source={"en": path, "de": path})
    one = lines(tmp_path / "en.jsonl", [paws(1, language="en"), paws(2, language="en")])
    assert [item.id for item in load_items(by_row, "en", source=one)["en"]] == ["0", "1"]
