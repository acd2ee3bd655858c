"""Benchmarks of the catalogue on files of their published schema, which the test writes: the whole way through loading."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

from hesperus.answers import read, reader_for
from hesperus.errors import DataError, UnknownNameError
from hesperus.tasks import ItemSet, load_items, task

Row = dict[str, object]


@dataclass(frozen=True)
class Sample:
    """A benchmark's schema: how a row looks, in a language whose code is given, and what an item must be.

    Attributes:
        row: Row number and the benchmark's code of the language to a row.
        languages: Tags to write and read.
        key: Id of row 1 in the first of them.
        gold: Gold of row 1.
        options: Options of row 1.
        groups: Groups of row 1.
        kind: Ending of the files.
        one_file: Whether one file holds all languages.
    """

    row: Callable[[int, str], Row]
    languages: tuple[str, ...]
    key: str
    gold: str | None
    options: tuple[str, ...] | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    kind: str = "jsonl"
    one_file: bool = False


def lettered(code: str, names: Sequence[str], filled: int | None = None) -> Row:
    """A column for each option; the last ones are empty beyond ``filled``."""
    return {
        name: f"{code} {name}" if filled is None or place < filled else None
        for place, name in enumerate(names)
    }


OPTION_LETTERS = [f"option_{letter}" for letter in "abcd"]
PROX = [f"option_{number}" for number in range(10)]
ARABIC = [f"Option {number}" for number in range(1, 6)]


def mmlu_lite(n: int, code: str) -> Row:
    row = {"sample_id": f"law/test/{n}", "subject": "law", "subject_category": "Other"}
    culture = {"cultural_sensitivity_label": "CS", "answer": "C"}
    return {**row, "question": f"{code} q{n}", **lettered(code, OPTION_LETTERS), **culture}


def piqa(options: int) -> Callable[[int, str], Row]:
    def row(n: int, code: str) -> Row:
        solutions = {f"solution{place}": f"{code} s{place}" for place in range(options)}
        return {"prompt": f"{code} p{n}", **solutions, "label": 1, "language": code}

    return row


def story(n: int, code: str) -> Row:
    sentences = {f"input_sentence_{place}": f'{code} "s{place}"' for place in range(1, 5)}
    endings = {"sentence_quiz1": f"{code} one", "sentence_quiz2": f"{code} two"}
    return {"story_id": f"story-{n}", **sentences, **endings, "answer_right_ending": 2}


def truthful(n: int, code: str) -> Row:
    targets = {"choices": [f"{code} {word}" for word in ("true", "false", "wrong")], "labels": [1, 0, 0]}
    return {"id": n, "question": f"{code} q{n}", "mc1_targets": targets, "type": "Adversarial"}


def nli(n: int, code: str) -> Row:
    return {"premise": f"{code} p{n}", "hypothesis": f"{code} h{n}", "label": n % 3}


def arithmetic(n: int, code: str) -> Row:
    return {"question": f"{code} q{n}", "answer": None, "answer_number": 18 + n, "equation_solution": None}


def include(n: int, code: str) -> Row:
    choices = [f"{code} {letter}" for letter in "wxyz"]
    return {"question": f"{code} q{n}", "choices": choices, "answer": 3, "subject": "Law"}


def polymath(level: str) -> Callable[[int, str], Row]:
    def row(n: int, code: str) -> Row:
        return {"id": f"{level}-{code}-{n}", "question": f"{code} q{n}", "answer": f"${n},000$"}

    return row


def everyday(n: int, code: str) -> Row:
    choices = json.dumps({letter: f"{letter} {n}" for letter in "ABCD"})
    row = {
        "MCQID": f"Al-{n}_0",
        "ID": "Al-en-01",
        "country": "Algeria",
        "prompt": f"q{n}?\n\nA. …\n\nAnswer:",
    }
    return {**row, "choices": choices, "answer_idx": "B"}


def prox(n: int, code: str) -> Row:
    row = {"question_id": 70 + n, "question": f"{code} q{n}", **lettered(code, PROX, 4)}
    return {**row, "answer": "D", "answer_index": 3, "category": "law", "src": "x", "question_id_src": n}


def afrimmlu(n: int, code: str) -> Row:
    choices = str([f"{code} it's", f'{code} "b"', "0.10", "None"])
    return {"subject": "global_facts", "question": f"{code} q{n}", "choices": choices, "answer": "B"}


def arc(n: int, code: str) -> Row:
    row = {"id": f"Mercury_{n}", "instruction": f"{code} q{n}"}
    return {**row, **lettered(code, [*OPTION_LETTERS, "option_e"], 4), "answer": "D"}


def mkqa(n: int, code: str) -> Row:
    answers = {
        tag: [
            {"type": "entity", "entity": "Q1", "text": f"{tag} first {n}", "aliases": [f"{tag} alias"]},
            {"type": "entity", "entity": "Q2", "text": f"{tag} second {n}", "aliases": []},
        ]
        for tag in ("en", "de", "zh_cn")
    }
    if n == 2:
        answers = {tag: [{"type": "unanswerable", "text": None}] for tag in answers}
    return {
        "example_id": -900 + n,
        "query": f"q{n}",
        "queries": {tag: f"{tag} q{n}" for tag in answers},
        "answers": answers,
    }


def exams(n: int, code: str) -> Row:
    choices = {
        "text": [f"{code} {letter}" for letter in "wxyz"],
        "label": list("ABCD"),
        "para": [""] * 4,
    }
    return {
        "id": f"{code}-{n}",
        "question": {"stem": f"{code} q{n}", "choices": choices},
        "answerKey": "@" if n == 2 else "B",
        "info": {"grade": 12, "subject": "Physics", "language": code},
    }


def arabic(n: int, code: str) -> Row:
    row = {"ID": n, "Subject": "Law", "Level": "Prof", "Country": None, "Question": f"q{n}"}
    return {**row, "Context": "passage" if n == 2 else None, "Answer Key": "B", **lettered(code, ARABIC, 2)}


def flores(n: int, code: str) -> Row:
    return {"id": n, "text": f"{code} sentence {n}", "iso_639_3": code[:3], "topic": "health"}


def turkish(n: int, code: str) -> Row:
    choices = [f"{code} {letter}" for letter in "vwxyz"]
    return {"question": f"q{n}", "choices": choices, "answer": "E", "subject": "Biology"}


def culture(n: int, code: str) -> Row:
    options = lettered(code, [f"prompt_option_{letter}" for letter in "abcd"])
    return {"question_idx": n, "prompt_question": f"q{n}", **options, "answer": "A", "country": "Peru"}


def m3exam(n: int, code: str) -> Row:
    marks = ("๑. ", "๒. ", "๓. ", "๔. ") if code == "thai" else ("A. ", "B. ", "C. ", "D. ")
    options = [f"{mark}{code} {letter}" for mark, letter in zip(marks, "wxyz", strict=True)]
    gold = "๒" if code == "thai" else "2" if n == 3 else "B"
    return {
        "background": "x" if n == 0 else "",
        "question_text": f"q{n}",
        "options": options,
        "answer_text": gold,
    }


def hellaswag(n: int, code: str) -> Row:
    texts = {"activity_label": f"{code} sport", "ctx_a": "a", "ctx_b": "b", "ctx": f"{code} a b {n}"}
    endings = [f"{code} {letter}" for letter in "wxyz"]
    return {"id": f"hellaswag/validation/{n}", **texts, "endings": endings, "label": " 2"}


def okapi_mmlu(n: int, code: str) -> Row:
    options = lettered(code, OPTION_LETTERS)
    return {"id": f"anatomy/test/{n}", "instruction": f"{code} q{n}", **options, "answer": "D"}


def okapi_truthful(n: int, code: str) -> Row:
    choices = [f"{code} {word}" for word in ("true", "false", "wrong")]
    return {"question": f"{code} q{n}", "mc1_targets_choices": choices, "mc1_targets_labels": [1, 0, 0]}


def multi_if(n: int, code: str) -> Row:
    tag = {"English": "en", "Chinese": "zh", "Italian": "it"}[code]
    message = json.dumps({"role": "user", "content": f'{code} "request" {n},\nno commas'})
    row = {"key": f"{1000 + n}:1:{tag}", "turns": None, "language": code, "turn_1_prompt": message}
    return {**row, "turn_1_instruction_id_list": '["x:y"]', "turn_1_kwargs": '["{}"]'}


def multiloko(n: int, code: str) -> Row:
    texts = {"text": f"{code} page", "question": f"{code} q{n}", "target": f"{code}, long"}
    return {**texts, "targets": [f"{code} a{n}", f"{code} b"], "id": f"page-{n // 2}", "output_type": "word"}


def blend(n: int, code: str) -> Row:
    answers = [
        {"answers": [f"밥 {n}", "쌀밥"], "en_answers": [f"rice {n}"], "count": 4},
        {"answers": ["김치"], "en_answers": ["kimchi"], "count": 1},
    ]
    counts = {"idk": 0, "no-answer": 0, "not-applicable": 0}
    questions = {"question": f"무엇 {n}", "en_question": f"what {n}"}
    return {"ID": f"Al-en-0{n}", **questions, "annotations": [] if n == 3 else answers, "idks": counts}


def multinrc(n: int, code: str) -> Row:
    native = {"i18n_prompt": f"q{n} ?", "i18n_gtfa": f"réponse {n}"}
    english = {"english_prompt": f"q{n}?", "english_gtfa": f"answer {n}"}
    spoken = "Spanish" if n == 2 else "French"
    return {"task_id": f"t{n}", **native, **english, "language": spoken, "category": "riddles"}


FOUR = tuple(f"{{}} option_{letter}" for letter in "abcd")
SAMPLES = {
    "global-mmlu-lite": Sample(
        mmlu_lite,
        ("en", "sw", "my"),
        "law/test/1",
        "C",
        FOUR,
        {"subject": "law", "category": "Other", "culture": "CS"},
        "parquet",
    ),
    "global-piqa-parallel": Sample(
        piqa(4), ("en", "pt-BR", "sr-Latn"), "1", "B", tuple(f"{{}} s{n}" for n in range(4)), kind="tsv"
    ),
    "global-piqa-nonparallel": Sample(
        piqa(2), ("en", "sk-x-sari"), "en/1", "B", ("{} s0", "{} s1"), kind="tsv"
    ),
    "xstorycloze": Sample(story, ("en", "my", "eu"), "story-1", "B", ("{} one", "{} two"), kind="tsv"),
    "truthfulqa-multi": Sample(truthful, ("en", "ca", "gl"), "1", None, kind="parquet"),
    "afrixnli": Sample(nli, ("en", "am", "sw"), "1", "neutral", kind="parquet"),
    "afrimgsm": Sample(arithmetic, ("en", "vai", "zu"), "1", "19"),
    "afrimmlu": Sample(
        afrimmlu, ("en", "fr", "yo"), "1", "B", ("{} it's", '{} "b"', "0.10", "None"),
        {"subject": "global_facts"}, "parquet",
    ),
    "include-lite": Sample(
        include, ("de", "uz"), "de/1", "D", tuple(f"{{}} {x}" for x in "wxyz"), {"subject": "Law"}, "parquet"
    ),
    "polymath-low": Sample(polymath("low"), ("en", "te"), "low-1", "1000", kind="parquet"),
    "polymath-top": Sample(polymath("top"), ("en", "zh"), "top-1", "1000", kind="parquet"),
    "blend-choices": Sample(
        everyday, ("en",), "Al-1_0", "B", tuple(f"{x} 1" for x in "ABCD"), {"country": "Algeria"}
    ),
    "mmlu-prox": Sample(
        prox, ("en", "wo", "zh"), "71", "D", tuple(f"{{}} option_{n}" for n in range(4)), {"subject": "law"},
        "parquet",
    ),
    "mmlu-prox-lite": Sample(
        prox, ("en", "zu"), "71", "D", tuple(f"{{}} option_{n}" for n in range(4)), {"subject": "law"}
    ),
    "m-arc": Sample(arc, ("de", "hy", "zh"), "Mercury_1", "D", FOUR),
    "mkqa": Sample(
        mkqa, ("de", "en", "zh"), "-899", "en first 1", None, {"type": "entity"}, one_file=True
    ),
    "exams": Sample(
        exams, ("bg", "vi"), "bg/Bulgarian-1", "B", tuple(f"{{}} {x}" for x in "wxyz"),
        {"subject": "Physics", "grade": "12"}, "parquet", one_file=True,
    ),
    "arabicmmlu": Sample(
        arabic, ("ar",), "1", "B", ("{} Option 1", "{} Option 2"),
        {"subject": "Law", "level": "Prof", "country": ""},
    ),
    "flores": Sample(flores, ("en", "zh", "ace-Arab"), "1", None, kind="parquet"),
    "m3exam": Sample(m3exam, ("th", "en"), "th/1", "B", tuple(f"{{}} {x}" for x in "wxyz"), kind="parquet"),
    "turkishmmlu": Sample(turkish, ("tr",), "1", "E", tuple(f"{{}} {x}" for x in "vwxyz"), kind="parquet"),
    "m-hellaswag": Sample(
        hellaswag, ("de", "zh"), "hellaswag/validation/1", "C", tuple(f"{{}} {x}" for x in "wxyz")
    ),
    "m-mmlu": Sample(okapi_mmlu, ("en", "is", "zh"), "anatomy/test/1", "D", FOUR),
    "m-truthfulqa": Sample(okapi_truthful, ("de", "vi"), "de/1", None, kind="parquet"),
    "multi-if": Sample(multi_if, ("en", "zh", "it"), "1001:1", None, kind="csv", one_file=True),
    "multiloko": Sample(
        multiloko, ("en", "yue"), "page-0/1", "dev a1", None, {"kind": "word"}
    ),
    "multiloko-zh-hant": Sample(
        multiloko, ("zh-Hant", "en"), "page-0/1", "dev_translated_human_english a1", None, {"kind": "word"}
    ),
    "blend-kr": Sample(blend, ("ko", "en"), "Al-en-01", "rice 1", kind="json", one_file=True),
    "multinrc-fr": Sample(
        multinrc, ("fr", "en"), "t1", "answer 1", None, {"category": "riddles"}, "parquet", one_file=True
    ),
    "culturalbench-easy": Sample(
        culture, ("en",), "1", "A", tuple(f"{{}} prompt_option_{x}" for x in "abcd"), {"country": "Peru"}
    ),
}  # fmt: skip


def write(path: Path, rows: Sequence[Row]) -> None:
    """Rows as a file of the path's ending."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
    elif path.suffix == ".tsv":
        lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix == ".csv":
        pl.DataFrame(rows).write_csv(path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def rows_of(name: str) -> dict[str, list[Row]]:
    """Rows 0 to 3 of a benchmark in each of the languages of its sample."""
    sample, found = SAMPLES[name], task(name)
    return {tag: [sample.row(n, found.source.code(tag)) for n in range(4)] for tag in sample.languages}


def load(name: str, folder: Path, rows: Mapping[str, list[Row]]) -> ItemSet:
    """Write the rows as the benchmark publishes them, and read them back."""
    sample, found = SAMPLES[name], task(name)
    if not sample.one_file:
        for tag, many in rows.items():
            write(folder / f"{found.source.code(tag)}.{sample.kind}", many)
        return load_items(name, sample.languages, source=str(folder / f"{{language}}.{sample.kind}"))
    # A column that tells the language parts the rows; where languages lie in columns, every row holds all of them
    many = [row for part in rows.values() for row in part]
    if found.source.language_column is None:
        many = next(iter(rows.values()))
    write(folder / f"all.{sample.kind}", many)
    return load_items(name, sample.languages, source=folder / f"all.{sample.kind}")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_of_the_published_schema_is_read(tmp_path: Path, name: str) -> None:
    sample, found = SAMPLES[name], task(name)
    items = load(name, tmp_path, rows_of(name))
    assert list(items) == list(sample.languages)
    first = sample.languages[0]
    item = next(item for item in items[first] if item.id == sample.key)
    code = found.source.code(first)
    if sample.options is not None:
        assert item.options == tuple(option.format(code) for option in sample.options)
    if sample.gold is not None:
        assert item.gold == sample.gold
    assert dict(item.groups) == dict(sample.groups)
    assert list(item.fields) == list(found.fields)
    if found.key.parallel:
        assert all(len(many) == len(items[first]) for many in items.values())
        assert [i.id for i in items[first]] == [i.id for i in items[sample.languages[-1]]]
        assert item.fields != items[sample.languages[-1]][1].fields or len(sample.languages) == 1


def test_the_english_stories_are_read_under_the_names_of_their_authors(tmp_path: Path) -> None:
    names = {f"input_sentence_{n}": f"InputSentence{n}" for n in range(1, 5)}
    names |= {f"sentence_quiz{n}": f"RandomFifthSentenceQuiz{n}" for n in (1, 2)}
    names |= {"story_id": "InputStoryid", "answer_right_ending": "AnswerRightEnding"}
    rows = rows_of("xstorycloze")
    rows["en"] = [{names[name]: value for name, value in row.items()} for row in rows["en"]]
    assert load("xstorycloze", tmp_path, rows).coverage == {"kept": 4}


def test_the_known_hole_is_left_out_and_listed(tmp_path: Path) -> None:
    rows = rows_of("mmlu-prox")
    for tag, many in rows.items():
        many[2]["question_id"] = 3299
        if tag == "zh":
            many[2] |= {"option_2": None}
    items = load("mmlu-prox", tmp_path, rows)
    assert [(drop.item, drop.reason, drop.languages) for drop in items.dropped] == [
        ("3299", "known fault", ("zh",))
    ]


def test_a_known_fault_may_have_options_that_are_no_texts(tmp_path: Path) -> None:
    rows = rows_of("m-hellaswag")
    for many in rows.values():
        many[1]["id"] = "hellaswag/validation/8881"
    rows["zh"][1]["endings"] = [{"zh": "一", "en": "one"}] * 4
    items = load("m-hellaswag", tmp_path, rows)
    assert [(drop.item, drop.reason) for drop in items.dropped] == [
        ("hellaswag/validation/8881", "known fault")
    ]
    rows["zh"][2]["endings"] = [{"zh": "一", "en": "one"}] * 4
    with pytest.raises(DataError, match=r"line 3, field 'endings\.0', item '\S+/2': the cell holds a map"):
        load("m-hellaswag", tmp_path, rows)


def test_a_benchmark_is_found_in_the_folder_in_which_it_is_published(tmp_path: Path) -> None:
    for folder, code in (("korean", "한국"), ("thai", "ไทย"), ("english", "en")):
        for name in ("dev", "dev_translated_human_english", "dev_translated_human_thai"):
            write(tmp_path / folder / f"{name}.jsonl", [multiloko(n, f"{code} {name}") for n in range(2)])
    local = load_items("multiloko-ko", ["ko", "en"], source=tmp_path)
    assert local["ko"][0].fields["question"] == "한국 dev q0"
    assert local["en"][0].fields["question"] == "한국 dev_translated_human_english q0"
    shared = load_items("multiloko", ["th", "en"], source=tmp_path)
    assert shared["th"][0].fields["question"] == "en dev_translated_human_thai q0"
    assert shared["en"][0].accepted == {"en dev a0": ("en dev a0", "en dev b")}


def test_a_message_is_taken_out_of_the_json_that_holds_it(tmp_path: Path) -> None:
    items = load("multi-if", tmp_path, rows_of("multi-if"))
    assert items["zh"][0].fields == {"prompt": 'Chinese "request" 0,\nno commas'}
    assert items["en"][0].gold is None and not items.notes


def test_each_place_has_its_own_questions_and_every_answer_of_its_people(tmp_path: Path) -> None:
    items = load("blend-kr", tmp_path, rows_of("blend-kr"))
    assert items["ko"][1].accepted == {"rice 1": ("밥 1", "쌀밥", "김치")}
    assert items["en"][1].accepted == {"rice 1": ("rice 1", "kimchi")}
    assert items.notes[0] == "1 item without gold, counted for no accuracy"
    assert task("blend-us").languages == ("en",) and task("blend-gr").languages == ("el", "en")
    with pytest.raises(UnknownNameError, match=r"unknown task: 'blend'; .*\(it has 16 editions: blend-dz"):
        task("blend")


def test_answers_that_are_no_numbers_are_left_out_and_listed(tmp_path: Path) -> None:
    rows = rows_of("polymath-top")
    for many in rows.values():
        many[2]["answer"] = r"\frac{1}{2}"
    items = load("polymath-top", tmp_path, rows)
    assert [(drop.item, drop.reason) for drop in items.dropped] == [("top-2", "gold is no number")]
    assert items.ids == ("top-0", "top-1", "top-3")


def test_the_json_that_a_published_prompt_asks_for_is_read() -> None:
    reader = reader_for("choice", "en", answers=task("blend-choices").instruction("en").answers)
    assert read(reader, '```json\n{"answer_choice": "C"}\n```').label == "C"


def test_options_that_are_shuffled_keep_their_gold_in_every_language(tmp_path: Path) -> None:
    items = load("truthfulqa-multi", tmp_path, rows_of("truthfulqa-multi"))
    for tag, many in items.items():
        for item in many:
            assert item.options is not None and item.gold is not None
            assert item.options["ABC".index(item.gold)] == f"{tag} true"
    assert len({item.gold for item in items["en"]}) > 1


def test_questions_without_a_right_answer_are_left_out_and_counted(tmp_path: Path) -> None:
    items = load("exams", tmp_path, rows_of("exams"))
    assert items.coverage == {"kept": 6, "no right answer": 2}
    assert items.dropped[0].detail == "gold is '@'"


def test_rows_that_are_no_items_are_counted_in_a_note(tmp_path: Path) -> None:
    items = load("mkqa", tmp_path, rows_of("mkqa"))
    assert items.ids == ("-900", "-899", "-897")
    assert items.notes[0].startswith("rows are items only where answers.en.0.type is binary or date")
    assert items.notes[0].endswith("others: 1 of 4 in de, 1 of 4 in en, 1 of 4 in zh")
    assert items["de"][1].accepted == {"en first 1": ("de first 1", "de second 1", "de alias")}
    arabic = load("arabicmmlu", tmp_path / "ar", rows_of("arabicmmlu"))
    assert arabic.ids == ("0", "1", "3")
    assert "1 of 4 in ar" in arabic.notes[0]


def test_gold_that_differs_in_a_row_is_an_error_where_rows_are_the_key(tmp_path: Path) -> None:
    for name, change in {
        "global-piqa-parallel": {"label": 3},
        "afrimmlu": {"answer": "A"},
        "afrixnli": {"label": 0},
    }.items():
        rows = rows_of(name)
        rows[SAMPLES[name].languages[1]][1] |= change
        with pytest.raises(DataError, match="item '1': gold differs"):
            load(name, tmp_path / name, rows)


# Several configurations


def configured(n: int, subject: str) -> Row:
    """A row of KMMLU, CMMLU, C-Eval or MMLU-Redux at once; each reads the columns that it knows."""
    return {
        "id": n,
        "question": f"{subject} q{n}",
        "Question": f"{subject} q{n}",
        **{letter: f"{subject} {letter}" for letter in "ABCD"},
    }


CONFIGURED: dict[str, tuple[str, Row, str, str]] = {
    "kmmlu": ("ko", {"answer": 2, "Category": "x"}, "{config}-test.csv", "B"),
    "cmmlu": ("zh", {"Answer": "D"}, "test/{config}.csv", "D"),
    "c-eval": ("zh", {"answer": "A"}, "{config}/val-00000-of-00001.parquet", "A"),
    "kmmlu-hard": ("ko", {"answer": 2, "category": "x"}, "{config}/test-00000-of-00001.parquet", "B"),
    "mmlu-redux": (
        "en",
        {"answer": 2, "choices": ["w", "x", "y", "z"], "error_type": "ok"},
        "{config}/test-00000-of-00001.parquet",
        "C",
    ),
    "mmlu-redux-es": (
        "es",
        {"answer": 0, "choices": ["w", "x", "y", "z"]},
        "{config}/test-00000-of-00001.parquet",
        "A",
    ),
}


@pytest.mark.parametrize("name", CONFIGURED)
def test_the_configurations_of_a_task_are_one_table_with_a_group(tmp_path: Path, name: str) -> None:
    tag, more, pattern, gold = CONFIGURED[name]
    subjects = task(name).source.config
    for subject in subjects:
        rows = [configured(n, subject) | more for n in range(2)]
        write(tmp_path / pattern.format(config=subject), rows)
    write(tmp_path / pattern.format(config=subjects[0]).replace("test", "dev").replace("val", "dev"), rows)
    items = load_items(name, tag, source=tmp_path)
    assert len(items[tag]) == 2 * len(subjects)
    assert {item.groups["subject"] for item in items[tag]} == set(subjects)
    assert items.ids[:2] == (f"{subjects[0]}/0", f"{subjects[0]}/1")
    assert all(item.fields["question"].startswith(item.groups["subject"]) for item in items[tag])
    assert {item.gold for item in items[tag]} == {gold}
    assert load_items(name, tag, source=str(tmp_path / pattern)).ids == items.ids
    (tmp_path / pattern.format(config=subjects[-1])).unlink()
    with pytest.raises(DataError, match=rf"none is named for {subjects[-1]!r}"):
        load_items(name, tag, source=tmp_path)


def test_one_table_may_hold_all_configurations(tmp_path: Path) -> None:
    rows = [configured(n, s) | {"answer": 1, "subject": s} for s in ("Law", "Criminal-Law") for n in range(2)]
    write(tmp_path / "all.csv", rows)
    items = load_items("kmmlu", "ko", source=tmp_path / "all.csv")
    assert items.ids == ("Law/0", "Law/1", "Criminal-Law/0", "Criminal-Law/1")
    write(tmp_path / "all.csv", [configured(0, "Law") | {"answer": 1, "subjekt": "Law"}])
    with pytest.raises(DataError, match="no column 'subject'; did you mean 'subjekt'"):
        load_items("kmmlu", "ko", source=tmp_path / "all.csv")


def test_an_error_in_one_of_several_files_names_that_file(tmp_path: Path) -> None:
    for subject in task("kmmlu").source.config:
        write(
            tmp_path / f"{subject}-test.csv",
            [configured(n, subject) | {"answer": 9 if subject == "Law" and n else 1} for n in range(2)],
        )
    with pytest.raises(DataError, match=r"/Law-test\.csv, line 3, field 'answer': unknown gold"):
        load_items("kmmlu", "ko", source=tmp_path)


def test_only_faultless_questions_of_mmlu_redux_are_items(tmp_path: Path) -> None:
    tag, more, pattern, _ = CONFIGURED["mmlu-redux"]
    for subject in task("mmlu-redux").source.config:
        kinds = ("ok", "wrong_groundtruth", "ok")
        rows = [configured(n, subject) | more | {"error_type": kind} for n, kind in enumerate(kinds)]
        write(tmp_path / pattern.format(config=subject), rows)
    items = load_items("mmlu-redux", tag, source=tmp_path)
    assert items.ids[:3] == ("abstract_algebra/0", "abstract_algebra/2", "anatomy/0")
    assert items.notes == ("rows are items only where error_type is ok; others: 57 of 171 in en",)
