from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_makers import lm_eval_row, mmlu_rows, write_lm_eval

from hesperus.errors import DataError, UsageError
from hesperus.records.importers import Imported, ImportSettings, import_logs
from hesperus.records.importers.log_names import Evidence, about
from hesperus.records.importers.option_scores import softmax

LATER = "2025-02-02T03-04-05.000006"


def _reasons(imported: Imported) -> dict[str, int]:
    found: dict[str, int] = {}
    for left in imported.left_out:
        found[left.reason] = found.get(left.reason, 0) + left.count
    return found


def test_items_join_by_their_key_whatever_their_place(tmp_path: Path) -> None:
    """One language was filtered: its doc_id count other items."""
    write_lm_eval(tmp_path, "global_mmlu_full_en", mmlu_rows(20))
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(15, start=5))
    imported = import_logs(tmp_path)
    both = imported.records.pivot("input", index="item", values="gold").drop_nulls()
    assert both.height == 15 and both["en"].to_list() == both["de"].to_list()
    assert imported.notes == ("global-mmlu: 15 of 20 items are in all 2 languages; lacking: de 5",)


def test_subjects_in_files_of_their_own_are_one_task(tmp_path: Path) -> None:
    for subject in ("anatomy", "virology", "high_school_physics"):
        rows = mmlu_rows(4)
        for row in rows:
            row["doc"]["sample_id"] = row["doc"]["sample_id"].replace("anatomy", subject)
            row["doc"]["subject"] = subject
        write_lm_eval(tmp_path, f"global_mmlu_full_de_{subject}", rows)
    imported = import_logs(tmp_path)
    assert imported.records.height == 12 and not imported.left_out
    assert set(imported.records["task"]) == {"global-mmlu"}
    assert imported.records["subject"].n_unique() == 3
    assert [log["answered"] for log in imported.logs] == [4, 4, 4], "of each file its own"


def test_a_second_log_of_the_same(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(5))
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(5, shift=1), date=LATER)
    imported = import_logs(tmp_path)
    assert _reasons(imported) == {"a second log of the same": 5}
    assert LATER in imported.left_out[0].detail
    assert imported.records["answer"].to_list() == ["B", "C", "D", "A", "B"]
    both = import_logs(tmp_path, ImportSettings(again="repeats")).records
    assert both.sort("repeat")["repeat"].to_list() == [1] * 5 + [2] * 5
    with pytest.raises(DataError, match=r"a second log of hf/org/model global-mmlu de: .*--again newest"):
        import_logs(tmp_path, ImportSettings(again="refuse"))


def test_a_row_that_stands_twice(tmp_path: Path) -> None:
    rows = mmlu_rows(5)
    other = mmlu_rows(5, shift=2)
    write_lm_eval(tmp_path, "global_mmlu_full_de", [*rows, rows[1], other[3]])
    imported = import_logs(tmp_path)
    assert _reasons(imported) == {"row occurs twice": 1, "id occurs twice": 2}
    assert imported.records["item"].to_list() == [f"anatomy/test/{n}" for n in (0, 1, 2, 4)]


def _xnli(labels: list[int], split: str) -> tuple[list[dict[str, object]], dict[str, str]]:
    rows = [
        lm_eval_row(
            number,
            {"premise": f"p{number}", "hypothesis": f"h{number}", "label": label},
            [-1.0, -2.0, -3.0],
            target=label,
            texts=(f"{number} Yes", f"{number} Also", f"{number} No"),
        )
        for number, label in enumerate(labels)
    ]
    return rows, {"test_split": "", "validation_split": split}


def test_xnli_joins_by_row_and_gold_is_checked_in_every_row(tmp_path: Path) -> None:
    labels = [2, 1, 0, 0, 1, 2, 1, 0, 2, 0]
    for language in ("en", "de", "sw"):
        rows, config = _xnli(labels, "validation")
        write_lm_eval(tmp_path, f"xnli_{language}", rows, config=config)
    imported = import_logs(tmp_path)
    assert imported.records.height == 30 and not imported.left_out
    words = ("entailment", "neutral", "contradiction")
    assert imported.records.filter(input="sw")["gold"].to_list() == [words[label] for label in labels]
    assert {log["joined_by"] for log in imported.logs} == {"row, gold checked"}
    # A language whose rows were filtered is shifted from there on.
    rows, config = _xnli(labels[:4] + labels[5:], "validation")
    write_lm_eval(tmp_path, "xnli_fr", rows, config=config)
    imported = import_logs(tmp_path)
    assert set(imported.records["input"]) == {"en", "de", "sw"}
    assert _reasons(imported) == {"rows do not match": 9}
    assert "first in row 4 (contradiction, not neutral)" in imported.left_out[0].detail


def test_two_runs_of_different_splits(tmp_path: Path) -> None:
    for language, split in (("en", "validation"), ("de", "validation"), ("sw", "test")):
        rows, config = _xnli([2, 1, 0], split)
        write_lm_eval(tmp_path, f"xnli_{language}", rows, config=config)
    imported = import_logs(tmp_path)
    assert set(imported.records["input"]) == {"en", "de"}
    assert _reasons(imported) == {"another split": 3}
    assert "this is split 'test', the others are 'validation'" in imported.left_out[0].detail


def test_rows_of_free_text_cannot_be_joined_by_row(tmp_path: Path) -> None:
    for language in ("en", "de"):
        row = lm_eval_row(0, {"question": "q"}, [-1.0], target="a text")
        row |= {"resps": [["x"]], "filtered_resps": ["x"]}
        write_lm_eval(tmp_path, f"open_{language}", [row], config={"output_type": "generate_until"})
    with pytest.raises(DataError, match="row order cannot be checked"):
        import_logs(tmp_path, ImportSettings(key=("row",)))


def test_options_in_another_order(tmp_path: Path) -> None:
    gold = [n % 4 for n in range(40)]
    for language in ("en", "de"):
        write_lm_eval(tmp_path, f"global_mmlu_full_{language}", mmlu_rows(40, gold=gold))
    shuffled = [(place + 1 + n % 3) % 4 for n, place in enumerate(gold)]
    write_lm_eval(tmp_path, "global_mmlu_full_sw", mmlu_rows(40, gold=shuffled))
    imported = import_logs(tmp_path)
    assert set(imported.records["input"]) == {"en", "de"}
    assert _reasons(imported) == {"gold differs": 40}
    assert "are its options in another order" in imported.left_out[0].detail


def test_a_few_golds_that_differ_are_kept_and_counted(tmp_path: Path) -> None:
    gold = [n % 4 for n in range(40)]
    write_lm_eval(tmp_path, "global_mmlu_full_en", mmlu_rows(40, gold=gold))
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(40, gold=[1, 2, *gold[2:]]))
    imported = import_logs(tmp_path)
    assert imported.records.height == 80 and not imported.left_out
    assert imported.notes == (
        "global-mmlu: gold differs between logs in 2 items; each row keeps its own gold",
    )


def test_another_number_of_options(tmp_path: Path) -> None:
    for language, count in (("en", 4), ("de", 4), ("sw", 3)):
        rows = [
            lm_eval_row(
                0, {"id": "a"}, [-float(k + 1) for k in range(count)], target=0, texts="wxyz"[:count]
            ),
            lm_eval_row(1, {"id": "b"}, [-1.0, -2.0, -3.0, -4.0], target=1, texts="wxyz"),
        ]
        write_lm_eval(tmp_path, f"quiz_{language}", rows)
    imported = import_logs(tmp_path)
    assert _reasons(imported) == {"another number of options": 1}
    assert imported.left_out[0].detail == "first 'a': 3 options, 4 in other logs"
    assert imported.records.height == 5


def test_no_item_in_common(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "global_mmlu_full_en", mmlu_rows(5))
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(5, start=100))
    assert "no item is in all of de, en" in import_logs(tmp_path).notes[0]


def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(5))
    (tmp_path / "samples_global_mmlu_full_en.jsonl").write_text("[", encoding="utf-8")
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    imported = import_logs(tmp_path)
    assert imported.records.height == 5
    assert _reasons(imported) == {"cannot be read": 0, "not a log": 0}


def test_nothing_to_import(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file or folder"):
        import_logs(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="no log of lm-eval"):
        import_logs(tmp_path)
    odd = tmp_path / "odd.json"
    odd.write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="is an array of objects, or lines of objects"):
        import_logs(odd)
    odd = tmp_path / "odd.gz"
    odd.write_bytes(b"x")
    with pytest.raises(DataError, match="nobody's log is like this; name the format with --from"):
        import_logs(odd)


def test_language_from_fields_configuration_and_rules() -> None:
    evidence = Evidence(
        "quiz", "runs/de/log.jsonl", {"dataset_name": "fr", "lang": "it"}, {"language": "spa_Latn"}
    )
    assert about(evidence, ImportSettings()).language == "es"
    without = Evidence("quiz", "runs/de/log.jsonl", {"dataset_name": "fr"})
    assert about(without, ImportSettings()).language == "fr"
    rules = {
        "=iw": "he",
        "path:/([a-z]{2})/": "de",
        "field:language": "es",
        "config:lang": "it",
        "name:q(ui)z": None,
    }
    for rule, language in rules.items():
        if language is None:
            with pytest.raises(DataError, match="cannot be told"):
                about(evidence, ImportSettings(language_from=rule))
        else:
            assert about(evidence, ImportSettings(language_from=rule)).language == language
    for wrong, message in (
        ("nothing", "write '=TAG'"),
        ("name:(", "not a regular expression"),
        ("name:x", "in a group"),
    ):
        with pytest.raises(UsageError, match=message):
            about(Evidence("x", "x"), ImportSettings(language_from=wrong))


@settings(deadline=None, max_examples=50, derandomize=True)
@given(
    st.lists(
        st.lists(st.floats(-1e4, 0) | st.just(float("-inf")), min_size=1, max_size=6), min_size=1, max_size=8
    )
)
def test_softmax_sums_to_one_and_its_top_is_the_best(rows: list[list[float]]) -> None:
    found = softmax(pl.Series("scores", rows, dtype=pl.List(pl.Float64)))
    for scores, best, probs in zip(rows, found.best, found.probs, strict=True):
        if max(scores) == float("-inf"):
            assert best == -1 and probs is None
            continue
        assert best == int(np.argmax(scores))
        assert sum(probs) == pytest.approx(1.0) and probs.to_list()[best] == max(probs)


def test_the_account_is_written_with_the_run(tmp_path: Path) -> None:
    from hesperus.records import read_records, read_run
    from hesperus.records.importers import save_imported

    write_lm_eval(tmp_path / "logs", "global_mmlu_full_de", mmlu_rows(5))
    write_lm_eval(tmp_path / "logs", "global_mmlu_full_de", mmlu_rows(5), date=LATER)
    imported = import_logs(tmp_path / "logs")
    save_imported(imported, tmp_path / "run")
    run = read_run(tmp_path / "run")
    assert run.study["study"] == "import"
    assert run.study["left_out"][0]["reason"] == "a second log of the same"  # type: ignore[index]
    assert str(tmp_path) not in json.dumps([run.study, run.signature])
    save_imported(imported, tmp_path / "records.parquet")
    assert read_records(tmp_path / "records.parquet").equals(run.records)


def test_most_languages_decide_a_gold_and_english_a_tie(tmp_path: Path) -> None:
    """Two models of one language share its gold, and so have one vote."""
    gold = [n % 4 for n in range(10)]
    other = [*gold[:5], 3, *gold[6:]]

    def left_out(folder: str, golds: dict[tuple[str, str], list[int]]) -> set[tuple[str, str]]:
        for (language, model), labels in golds.items():
            rows = mmlu_rows(10, gold=labels)
            write_lm_eval(tmp_path / folder, f"global_mmlu_full_{language}", rows, model=model)
        imported = import_logs(tmp_path / folder, ImportSettings(key=("row",)))
        for left in imported.left_out:
            assert left.reason == "rows do not match" and "in 1 of 10 items, first in row 5 (" in left.detail
        kept = {(log["language"], log["model"]) for log in imported.logs}
        return {(language, model) for language, model in golds if (language, f"hf/{model}") not in kept}

    models = {("en", "org/a"): gold, ("en", "org/b"): gold}
    assert left_out("two", models | {("de", "org/a"): other, ("fr", "org/a"): other}) == set(models)
    assert left_out("tie", {("de", "org/a"): other, **models}) == {("de", "org/a")}
    assert left_out("first", {("fr", "org/a"): other, ("de", "org/a"): gold}) == {("fr", "org/a")}
