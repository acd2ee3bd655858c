"""Items are read with their faults, from a task or from files of any layout; exclusion lists come back whole."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from hesperus.audits import (
    Finding,
    audit_items,
    exclusion_reasons,
    file_items,
    read_exclusions,
    task_items,
    write_exclusions,
)
from hesperus.audits.audited_tables import language_of_path
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.tasks import items_frame, load_items, task

QUIZ = """\
name: quiz
description: Mine.
form: choice
fields: [question]
options: 4
layout: "{question} {options}"
columns: {fields: {question: question}, options: {column: options}, gold: gold}
gold: {read: position1}
key: {columns: [subject, id], normalised: [subject]}
faults: [{item: "art/3", language: de, reason: another question}]
"""
EN = [
    {"subject": "Art", "id": "1", "question": "Who?", "options": ["a", "b"], "gold": 1},
    {"subject": "Art", "id": "2", "question": "Where?", "options": ["a", "b"], "gold": 2},
    {"subject": "Art", "id": "3", "question": "When?", "options": ["a", "b"], "gold": 2},
]


def lines(path: Path, rows: list[dict[str, object]]) -> Path:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def quiz(folder: Path, german: list[dict[str, object]]) -> str:
    (folder / "quiz.yaml").write_text(QUIZ, encoding="utf-8")
    lines(folder / "quiz_en.jsonl", EN)
    lines(folder / "quiz_de.jsonl", german)
    return str(folder / "quiz.yaml")


def test_a_task_is_read_with_its_faults(tmp_path: Path) -> None:
    german: list[dict[str, object]] = [
        {"subject": "art", "id": "1", "question": "Wer?", "options": ["a", "b", "c"], "gold": 1},
        {"subject": "art", "id": "1", "question": "Wer?", "options": ["a", "b", "c"], "gold": 1},
        {"subject": "art", "id": "2", "question": "", "options": "a", "gold": 9},
        {"subject": "art", "id": "", "question": "Wann?", "options": ["a", "b"], "gold": None},
        {"subject": "art", "id": "3", "question": "Wann?", "options": None, "gold": 2},
        {"subject": "art", "id": "4", "question": None, "options": ["a", "b"], "gold": 2},
    ]
    found = task(quiz(tmp_path, german))
    material = task_items(found, ["en", "DE"], source=str(tmp_path / "quiz_{language}.jsonl"))
    assert material.name == "quiz"
    assert [item.id for item in material.items["de"]] == [
        "art/1",
        "art/1",
        "art/2",
        "(no id, line 4)",
        "art/3",
    ]
    assert [item.gold for item in material.items["de"]] == ["A", "A", "9", None, "2"]
    audit = audit_items(material.items, contract=material.contract, known=material.known)
    kinds = {(finding.kind, finding.item) for finding in audit.findings if finding.severity == "exclude"}
    assert kinds == {
        ("missing", "(no id, line 4)"), ("duplicate_id", "art/1"), ("option_count", "art/1"), ("option_count", "art/2"),
        ("option_count", "art/3"), ("gold_range", "art/2"), ("gold_differs", "art/2"), ("gold_range", "art/3"),
        ("gold_differs", "art/3"), ("empty", "art/2"), ("known_fault", "art/3"),
    }  # fmt: skip


def test_an_open_answer_that_each_language_spells_is_no_difference(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {
            "ID": f"Al-en-{n}",
            "question": f"한국의 {n}번째 음식은 무엇입니까?",
            "en_question": f"What is food {n} of Korea?",
            "annotations": [{"answers": [f"밥 {n}"], "en_answers": [f"rice {n}"]}] if n != 2 else [],
        }
        for n in range(4)
    ]
    rows[3]["annotations"] = [{"answers": [], "en_answers": ["rice 3"]}]
    found = task_items(task("blend-kr"), ["ko", "en"], source=lines(tmp_path / "all.jsonl", rows))
    audit = audit_items(found.items, contract=found.contract, known=found.known)
    assert [(f.kind, f.item, f.languages) for f in audit.findings] == [("gold_missing", "Al-en-3", ("ko",))]


def test_what_a_task_lacks_is_said(tmp_path: Path) -> None:
    found = task(
        quiz(tmp_path, [{"subject": "a", "id": "1", "question": None, "options": None, "gold": None}])
    )
    where = str(tmp_path / "quiz_{language}.jsonl")
    with pytest.raises(UsageError, match="lists no languages: name them with --language"):
        task_items(found, source=where)
    with pytest.raises(UsageError, match="a language is given twice: de"):
        task_items(found, ["de", "deu"], source=where)
    with pytest.raises(DataError, match="no row holds anything in 'de'"):
        task_items(found, ["de"], source=where)


def test_rows_as_key_an_option_text_and_a_language_column(tmp_path: Path) -> None:
    text = QUIZ.replace("{columns: [subject, id], normalised: [subject]}", "{row: true}").replace(
        "options: {column: options}", 'options: {column: options, separator: "|"}'
    )
    text = text.replace("faults", "source: {language_column: lang}\nfaults")
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    rows: list[dict[str, object]] = [
        {"lang": tag, "question": f"{tag}?", "options": "a | b", "gold": "2"} for tag in ("en", "de")
    ]
    material = task_items(task(str(tmp_path / "t.yaml")), ["de"], source=lines(tmp_path / "all.jsonl", rows))
    (item,) = material.items["de"]
    assert (item.id, item.options, item.gold) == ("0", ("a", "b"), "B")


def test_a_table_with_a_language_column(tmp_path: Path) -> None:
    path = tmp_path / "all.csv"
    path.write_text(
        "link,question_number,lang,question,A,B,correct_answer_num,dialect\n"
        "x,1,eng_Latn,Who?,me,you,1,eng\nx,2,eng_Latn,Where?,here,there,2,eng\n"
        "x,1,deu_Latn,Wer?,ich,du,1,deu\nx,2,deu_Latn,Wo?,hier,dort,3,deu\n",
        encoding="utf-8",
    )
    material = file_items([path])
    assert list(material.items) == ["en", "de"]
    first, second = material.items["de"]
    assert (first.id, first.fields, first.options, first.gold) == (
        "x/1",
        {"question": "Wer?"},
        ("ich", "du"),
        "A",
    )
    assert second.gold == "3"
    assert [f.kind for f in audit_items(material.items).findings] == ["gold_range", "gold_differs"]


def test_a_file_for_each_language(tmp_path: Path) -> None:
    for tag, code in (("en", "en"), ("zh", "zho_Hans"), ("pt", "Portuguese")):
        lines(
            tmp_path / f"quiz-test-{code}.jsonl.gz",
            [{"idx": n, "premise": f"{tag} {n}", "choice1": "a", "choice2": "b", "label": n} for n in (0, 1)],
        )
    material = file_items([tmp_path], ["en", "zh"])
    assert list(material.items) == ["en", "zh"]
    assert [(item.id, item.gold, item.options) for item in material.items["zh"]] == [
        ("0", "A", ("a", "b")),
        ("1", "B", ("a", "b")),
    ]


def test_rows_that_hold_all_languages(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "wide.jsonl",
        [
            {
                "row": 7,
                "gold": "a",
                "q": {"en": ["Who?", "a", "b"], "German": ["Wer?", "c", "d"], "X y": ["?"]},
            },
            {"row": 8, "gold": "b", "q": {"en": ["Who?", "a", "b"], "German": None}},
            {
                "row": 9,
                "gold": "b",
                "q": {"en": {"question": "Who?", "choices": {"text": ["a", "b"]}}, "German": []},
            },
        ],
    )
    material = file_items([path])
    assert list(material.items) == ["en", "de"]
    assert material.items["de"][0].options == ("c", "d")
    assert [item.id for item in material.items["en"]] == ["7", "8"]
    assert material.notes == ("'X y' is no known language: 1 rows were skipped",)


def test_a_run_folder_is_read(tmp_path: Path) -> None:
    items = load_items("atlas", ["en", "sw"])
    items_frame(items).write_parquet(tmp_path / "items.parquet")
    material = file_items([tmp_path])
    assert {tag: [i.options for i in many] for tag, many in material.items.items()} == {
        tag: [i.options for i in many] for tag, many in items.items()
    }
    assert [item.gold for item in material.items["sw"]] == [item.gold for item in items["sw"]]
    assert audit_items(material.items).findings == ()


def test_columns_are_named_where_names_do_not_tell(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"block": "x", "n": n, "tongue": tag, "frage": f"{tag} {n}?", "weg": "1", "right": "yes"}
        for tag in ("en", "de")
        for n in (1, 2)
    ]
    path = lines(tmp_path / "t.jsonl", rows)
    roles = {
        "block": "item",
        "n": "item",
        "tongue": "language",
        "frage": "field",
        "right": "gold",
        "weg": "ignore",
    }
    material = file_items([path], roles=roles)
    assert [(item.id, item.gold, item.fields) for item in material.items["de"]] == [
        ("x/1", "yes", {"frage": "de 1?"}),
        ("x/2", "yes", {"frage": "de 2?"}),
    ]
    with pytest.raises(UnknownNameError, match="unknown role of a column: 'id'"):
        file_items([path], roles={"n": "id"})
    with pytest.raises(UnknownNameError, match="unknown column of these files: 'm'"):
        file_items([path], roles={"m": "item", "tongue": "language"})
    with pytest.raises(UnknownNameError, match="unknown column of .*: 'lang'"):
        file_items([path], roles={"lang": "language"})
    with pytest.raises(UnknownNameError, match="unknown language of these files: 'fr'; known: de, en"):
        file_items([path], ["fr"], roles=roles)


def test_files_that_cannot_be_read_are_told_apart(tmp_path: Path) -> None:
    plain = lines(tmp_path / "questions.jsonl", [{"id": "1", "question": "Who?"}])
    with pytest.raises(UsageError, match="its language cannot be told; name the file for it"):
        file_items([plain])
    numbers = lines(tmp_path / "n_en.jsonl", [{"id": 1, "n": 1}, {"id": 2, "n": 2}])
    with pytest.raises(UsageError, match="no column holds text; name one with --map COLUMN=field"):
        file_items([numbers])
    silent = lines(tmp_path / "s.jsonl", [{"id": "1", "language": " ", "question": "Who?"}])
    with pytest.raises(DataError, match="line 1, field 'language': the row names no language"):
        file_items([silent])
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="holds no data file"):
        file_items([tmp_path / "empty"])
    with pytest.raises(UsageError, match="no such data file"):
        file_items([tmp_path / "no_en.jsonl"])


@pytest.mark.parametrize(
    ("path", "tag"),
    [
        ("xcopa-test-et.jsonl", "et"), ("swh_Latn.parquet", "sw"), ("data/German/test.csv", "de"), ("val.jsonl", None),
        ("mgsm_zh.tsv", "zh"), ("q_pt_BR.csv", "pt-BR"), ("dev.test.jsonl", None), ("questions_to_ask.csv", None), ("en_questions.jsonl.gz", "en"), ("questions-arb_Latn.jsonl", "ar-Latn"),
    ],
)  # fmt: skip
def test_the_language_of_a_file(path: str, tag: str | None) -> None:
    assert language_of_path(Path(path)) == tag


FOUND = [
    Finding("gold_differs", "exclude", "a,1", ("zu", "bm"), "…"),
    Finding("missing", "exclude", "b\n2", ("zu",), "…"),
    Finding("empty", "exclude", "a,1", ("bm",), "…"),
]


def test_an_exclusion_list_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "out.csv"
    wanted = {"a,1": "gold differs in zu, bm; empty: bm", "b\n2": "missing: zu"}
    assert write_exclusions(path, FOUND) == exclusion_reasons(FOUND) == wanted
    assert read_exclusions(path) == wanted
    assert write_exclusions(path, []) == {} == read_exclusions(path)


def test_an_exclusion_list_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("\ufeffwho,item,reason\nme, q1 ,bad\n\nme,q2\nyou,q1,worse\n", encoding="utf-8")
    assert read_exclusions(path) == {"q1": "bad; worse", "q2": ""}
    path.write_text("item\nq1\n", encoding="utf-8")
    assert read_exclusions(path) == {"q1": ""}
    for text, message in [
        ("id,reason\nq,r\n", "has the columns item and reason; this has id, reason"),
        ("", "this has none"),
        ("item,reason\n ,r\n", "line 2: the row names no item"),
        ('item,reason\n"q,r\n', "no CSV: unexpected end of data"),
        ("item\n" + "x" * 100_001, "an item id of 100001 characters"),
    ]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match=message):
            read_exclusions(path)
    path.write_bytes(b"item\n\xff\n")
    with pytest.raises(DataError, match="not UTF-8"):
        read_exclusions(path)
    with pytest.raises(UsageError, match="cannot read the exclusion list"):
        read_exclusions(tmp_path / "none.csv")


def _run_items(folder: Path, *parts: tuple[str, str, str | None]) -> Path:
    """The items of a run: (language, sense, who made it)."""
    originals = load_items("atlas", sorted({language for language, _, _ in parts}))
    frames = [
        items_frame({language: originals[language]}).with_columns(
            input=pl.lit(sense), model=pl.lit(maker, pl.String)
        )
        for language, sense, maker in parts
    ]
    folder.mkdir()
    pl.concat(frames).write_parquet(folder / "items.parquet")
    return folder


def test_of_a_run_the_originals_are_audited(tmp_path: Path) -> None:
    run = _run_items(
        tmp_path / "run",
        ("en", "en", None),
        ("sw", "sw", None),
        ("sw", "sw_from_en", "m/x"),
        ("sw", "sw_from_en", "m/y"),
    )
    material = file_items([run])
    assert {tag: len(many) for tag, many in material.items.items()} == {"en": 200, "sw": 200}
    assert material.notes == () and audit_items(material.items).findings == ()


def test_where_a_run_has_no_original_what_its_model_made_is_audited(tmp_path: Path) -> None:
    one = _run_items(tmp_path / "one", ("en", "en", None), ("de", "de_from_en", "m/x"))
    material = file_items([one])
    assert list(material.items) == ["en", "de"]
    assert material.notes == ("de: no original in the run; audited is de_from_en, as m/x made it",)
    two = _run_items(
        tmp_path / "two",
        ("en", "en", None),
        ("sw", "sw", None),
        ("de", "de_from_en", "m/x"),
        ("de", "de_from_en", "m/y"),
    )
    material = file_items([two])
    assert sorted(material.items) == ["en", "sw"]
    assert material.notes[0].startswith(
        "de: no original in the run, and 2 senses made by models, of which none is audited"
    )


def test_answers_alone_cannot_be_audited(tmp_path: Path) -> None:
    columns = ("model", "task", "item", "instruction", "input", "answer")
    pl.DataFrame({name: ["x"] for name in columns}).write_parquet(tmp_path / "records.parquet")
    for place in (tmp_path, tmp_path / "records.parquet"):
        with pytest.raises(UsageError, match="holds answers and no questions; audit the task by its name"):
            file_items([place])
