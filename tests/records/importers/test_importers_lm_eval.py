from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from log_makers import DATE, FIXTURES, lm_eval_row, mmlu_rows, write_lm_eval

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.records import answer_arrays, conform
from hesperus.records.importers import Imported, ImportSettings, import_logs
from hesperus.records.importers.lines import pieces
from hesperus.records.importers.lm_eval_rows import BadLines, Layout, read_rows

LM_EVAL = FIXTURES / "lm_eval"


def _reasons(imported: Imported) -> dict[str, int]:
    found: dict[str, int] = {}
    for left in imported.left_out:
        found[left.reason] = found.get(left.reason, 0) + left.count
    return found


def _softmax(scores: list[float]) -> list[float]:
    weights = [math.exp(score - max(scores)) for score in scores]
    return [weight / sum(weights) for weight in weights]


def test_real_logs_with_option_texts_letters_and_generation() -> None:
    imported = import_logs(LM_EVAL)
    records = imported.records
    conform(records)
    assert set(records["model"]) == {"hf/tiny-a", "hf/tiny-b"}
    assert set(records["task"]) == {"atlas", "atlas_letters", "atlas_gen"}
    atlas = records.filter(pl.col("task") == "atlas")
    assert atlas.height == 2 * 3 * 6 and atlas["item"].n_unique() == 6
    assert set(atlas["input"]) == {"en", "de", "sw"} and set(atlas["relation"]) == {"capital"}
    # Gold is a place in one task and a letter in the other, and both mean the same option.
    golds = records.filter(pl.col("task") != "atlas_gen").group_by("item").agg(pl.col("gold").n_unique())
    assert golds["gold"].to_list() == [1] * 6
    assert _reasons(imported) == {"another filter": 12}


def test_real_probabilities_and_answers_are_those_of_the_log() -> None:
    """acc_mutual_info doubles the scores; only those with the question count, and argmax gives the harness's acc."""
    records = import_logs(LM_EVAL).records
    for path in sorted(LM_EVAL.rglob("samples_atlas*.jsonl")):
        if "_gen_" in path.name:
            continue
        language = path.name.split("_2026")[0].rsplit("_", 1)[1]
        task = "atlas_letters" if "letters" in path.name else "atlas"
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found = records.filter(
                task=task, item=row["doc"]["item"], input=language, model=f"hf/{path.parent.name}"
            ).row(0, named=True)
            scores = [float(score) for score, _ in row["filtered_resps"]][:4]
            assert found["probs"] == pytest.approx(_softmax(scores), abs=1e-12)
            assert found["gold"] == "ABCD"[row["doc"]["gold"]]
            assert (found["answer"] == found["gold"]) == (row["acc"] == 1.0)


def test_a_filter_is_chosen() -> None:
    logs = LM_EVAL / "tiny-a"
    flexible = import_logs(logs, ImportSettings(filter=None)).records.filter(task="atlas_gen")
    assert flexible["outcome"].to_list() == ["invalid"] * 12 and flexible["reply"].null_count() == 0
    path = next(logs.glob("samples_atlas_gen_en*"))
    imported = import_logs(path, ImportSettings(filter="flexible"))
    expected = [
        row["filtered_resps"][0]
        for line in path.read_text(encoding="utf-8").splitlines()
        if (row := json.loads(line))["filter"] == "flexible"
    ]
    found = imported.records["answer"].to_list()
    assert found == [None if text == "[invalid]" else text for text in expected]
    assert imported.left_out[0].detail == "'flexible' is taken, not strict; --filter chooses"
    with pytest.raises(DataError, match="no filter 'loose'; there is 'strict', 'flexible'"):
        import_logs(path, ImportSettings(filter="loose"))


def test_real_logs_of_five_languages_join_by_their_id(shared_data: Path) -> None:
    imported = import_logs(shared_data / "lm_eval_logs")
    records = imported.records
    assert records.height == 600 and not imported.left_out
    assert imported.notes == (
        "truthfulqa-multi-gen: no options and no gold; answers that are texts of their own are compared by `hesperus evaluate`",
    )
    assert set(records["model"]) == {"hf/google/gemma-2-9b-it", "hf/meta-llama/Llama-3.1-8B-Instruct"}
    assert set(records["task"]) == {"truthfulqa-multi-gen"}
    assert set(records["input"]) == {"en", "ca", "es", "eu", "gl"}
    per_item = records.group_by("item").agg(pl.len(), pl.col("category").n_unique())
    assert per_item["len"].to_list() == [10] * 60 and per_item["category"].to_list() == [1] * 60
    # The right answer of an open question is no label.
    assert records["gold"].null_count() == 600
    assert records["reply"].null_count() == 0


def test_a_row_that_json_alone_can_say_otherwise_gives_the_same_values(tmp_path: Path) -> None:
    for path in [*LM_EVAL.rglob("samples_*.jsonl")]:
        choice = "_gen_" not in path.name
        layout = Layout(("item", "relation", "gold", "choices", "absent"), choice)
        passed_over = pl.concat(read_rows(path, layout, BadLines()))
        # NaN is no JSON: such a row is parsed as a whole.
        other = tmp_path / path.name
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        lines = (json.dumps({**row, "perplexity": math.nan}, separators=(",", ":")) for row in rows)
        other.write_text("\n".join(lines), encoding="utf-8")
        assert passed_over.equals(pl.concat(read_rows(other, layout, BadLines()))), path


def test_the_layouts_of_the_first_releases(tmp_path: Path) -> None:
    """0.4.0 wrote one JSON array, arguments as lists, numbers as numbers, and any name."""
    rows = mmlu_rows(8)
    for row in rows:
        row["arguments"] = [[value["arg_0"], value["arg_1"]] for value in row["arguments"].values()]
        row["filtered_resps"] = [[float(score), flag == "True"] for score, flag in row["filtered_resps"]]
        row["resps"] = [[score] for score in row["filtered_resps"]]
        del row["filter"], row["metrics"]
    task = "global_mmlu_full_de_anatomy"
    new = write_lm_eval(tmp_path / "new", task, mmlu_rows(8))
    old = tmp_path / "old" / f"run_pretrained=org__model_{task}.jsonl"
    old.parent.mkdir()
    old.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    held = {
        "configs": {task: {"task": task}},
        "results": {task: {}},
        "config": {"model": "hf", "model_args": "pretrained=org/model,dtype=float"},
    }
    (old.parent / "results.json").write_text(json.dumps(held), encoding="utf-8")
    assert import_logs(old).records.equals(import_logs(new).records)


@pytest.mark.parametrize(
    ("targets", "texts"),
    [
        (["0", "1", "2"], ("A", "B", "C")),
        (["A", "B", "C"], ("A", "B", "C")),
        (["yes", "also", "no"], ("yes", "also", "no")),
        ([0, 1, 2], ("A", "B", "C")),
        # A digit that is the text of an option is that option, not its place.
        (["1", "2", "3"], ("1", "2", "3")),
    ],
)
def test_targets_as_place_letter_or_text(
    tmp_path: Path, targets: list[object], texts: tuple[str, ...]
) -> None:
    rows = []
    for number, target in enumerate(targets):
        row = lm_eval_row(number, {"id": f"q{number}"}, [-1.0, -2.0, -3.0], target=target, texts=texts)
        row["target"] = target
        row["acc"] = float(number == 0)
        rows.append(row)
    write_lm_eval(tmp_path, "quiz_de", rows)
    records = import_logs(tmp_path).records
    assert records["gold"].to_list() == ["A", "B", "C"]
    assert records["answer"].to_list() == ["A"] * 3
    assert set(records["task"]) == {"quiz"} and set(records["input"]) == {"de"}


def test_targets_as_the_text_of_options_that_differ_by_item(tmp_path: Path) -> None:
    rows = [
        lm_eval_row(n, {"id": n}, [-2.0, -1.0], target=f"right {n}", texts=(f"wrong {n}", f"right {n}"))
        for n in range(3)
    ]
    write_lm_eval(tmp_path, "quiz_de", rows)
    assert import_logs(tmp_path).records["gold"].to_list() == ["B"] * 3


def test_an_accuracy_that_contradicts_the_target_leaves_no_gold(tmp_path: Path) -> None:
    rows = mmlu_rows(10)
    for row in rows:
        row["acc"] = 1.0 - row["acc"]
    write_lm_eval(tmp_path, "global_mmlu_full_de", rows)
    imported = import_logs(tmp_path)
    assert imported.records["gold"].null_count() == 10
    assert _reasons(imported) == {"gold not known": 10}
    assert "contradicts the target in 10 rows; kept without gold" in imported.left_out[0].detail
    rows = mmlu_rows(10)
    rows[4]["acc"] = 1.0 - rows[4]["acc"]
    write_lm_eval(tmp_path, "global_mmlu_full_de", rows)
    one = import_logs(tmp_path)
    assert one.records["gold"].null_count() == 0 and not one.left_out


def test_a_number_of_options_that_varies(tmp_path: Path) -> None:
    rows = [
        lm_eval_row(
            n,
            {"id": n},
            [-float(k + 1) for k in range(2 + n)],
            target=n,
            texts=[f"t{n}{k}" for k in range(2 + n)],
        )
        for n in range(3)
    ]
    write_lm_eval(tmp_path, "quiz_de", rows)
    records = import_logs(tmp_path).records
    assert [len(options) for options in records["options"]] == [2, 3, 4]
    assert records["gold"].to_list() == ["A", "B", "C"] and records["answer"].to_list() == ["A"] * 3
    assert answer_arrays(records).options.tolist() == [2, 3, 4]


def test_fixed_words_and_the_order_in_which_they_were_offered(tmp_path: Path) -> None:
    """XNLI's labels are words; PAWS-X is offered as No, Yes in one release and Yes, No in another: acc tells which."""
    labels = [0, 1, 1, 0, 1, 0]
    for language, order in (("de", ("No", "Yes")), ("fr", ("Yes", "No"))):
        rows = []
        for number, label in enumerate(labels):
            best = number % 2
            meant = 1 if order[best] == "Yes" else 0
            scores = [-1.0 if place == best else -3.0 for place in range(2)]
            texts = [f"x{number}, {word}, y" for word in order]
            row = lm_eval_row(number, {"id": number + 1, "label": label}, scores, target=label, texts=texts)
            row["acc"] = float(meant == label)
            rows.append(row)
        write_lm_eval(tmp_path, f"paws_{language}", rows)
    imported = import_logs(tmp_path)
    records = imported.records
    assert set(records["task"]) == {"paws-x"} and not imported.left_out
    gold = records.filter(input="de").sort("item")["gold"].to_list()
    assert gold == [("different", "same")[label] for label in labels]
    assert records.filter(input="de")["answer"].to_list() == ["different", "same"] * 3
    assert records.filter(input="fr")["answer"].to_list() == ["same", "different"] * 3
    assert records["item"].n_unique() == 6


def test_numbers_and_free_text(tmp_path: Path) -> None:
    def row(number: int, target: str, reply: str) -> dict[str, Any]:
        made = lm_eval_row(number, {"question": f"q{number}", "answer_number": target}, [-1.0], target=target)
        return made | {
            "resps": [[f"So it is {reply}"]],
            "filtered_resps": [reply],
            "filter": "flexible-extract",
        }

    rows = [
        row(0, "18", "18."),
        row(1, "1200", "$1,200"),
        row(2, "3", "3.0"),
        row(3, "5", "[invalid]"),
        row(4, "5", " "),
    ]
    config = {"output_type": "generate_until"}
    for language in ("en", "sw"):
        write_lm_eval(tmp_path, f"mgsm_direct_{language}", rows, config=config)
    imported = import_logs(tmp_path)
    one = imported.records.filter(input="sw")
    assert set(one["task"]) == {"mgsm-direct"}
    assert one["answer"].to_list() == ["18", "1200", "3", None, None]
    assert one["outcome"].to_list() == ["answered"] * 3 + ["invalid", "empty"]
    assert one["gold"].to_list() == ["18", "1200", "3", "5", "5"]
    assert one["reply"][0] == "So it is 18."
    assert imported.logs[0]["joined_by"] == "row, gold checked"
    assert import_logs(tmp_path, ImportSettings(replies=False)).records["reply"].null_count() == 10


def test_instructions_in_english_stand_in_their_own_column(tmp_path: Path) -> None:
    row = lm_eval_row(0, {"question": "q", "answer_number": "3"}, [-1.0], target="3")
    row |= {"resps": [["3"]], "filtered_resps": ["3"]}
    write_lm_eval(tmp_path, "mgsm_en_cot_sw", [row], config={"output_type": "generate_until"})
    records = import_logs(tmp_path).records
    assert records.select("task", "instruction", "input").row(0) == ("mgsm-en-cot", "en", "sw")


def test_broken_scores_are_told_apart(tmp_path: Path) -> None:
    rows = mmlu_rows(6)
    rows[1]["filtered_resps"][2][0] = "nan"
    rows[2]["filtered_resps"][3][0] = "-inf"
    rows[3]["filtered_resps"] = [["-inf", "False"]] * 4
    rows[4]["filtered_resps"][0][0] = "inf"
    write_lm_eval(tmp_path / "text", "global_mmlu_full_de", rows)
    imported = import_logs(tmp_path / "text")
    records = imported.records
    assert records["outcome"].to_list() == ["answered", "error", "answered", "invalid", "error", "answered"]
    assert records["probs"].is_null().to_list() == [False, True, False, True, True, False]
    assert records["probs"][2][3] == 0.0 and sum(records["probs"][2]) == pytest.approx(1.0)
    assert _reasons(imported) == {"log-likelihood is NaN": 2, "no option has a finite log-likelihood": 1}
    assert "first at item 'anatomy/test/1'" in imported.left_out[0].detail
    # Older releases wrote NaN and -Infinity as Python does, which is no JSON.
    for row in rows:
        row["filtered_resps"] = [[float(score), False] for score, _ in row["filtered_resps"]]
    write_lm_eval(tmp_path / "numbers", "global_mmlu_full_de", rows)
    assert import_logs(tmp_path / "numbers").records.equals(records)


def test_a_log_cut_in_the_middle_of_a_line(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(10))
    text = path.read_bytes()
    path.write_bytes(text[: len(text) - 100])
    imported = import_logs(tmp_path)
    assert imported.records.height == 9
    assert _reasons(imported) == {"line cut in the middle": 1}
    assert imported.left_out[0].detail.startswith("line 10 is no JSON: …")


def test_the_number_of_a_bad_line_holds_over_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(40))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:30], b"\n", b"{bad\n", *lines[30:]]))
    monkeypatch.setattr("hesperus.records.importers.lines.PIECE", 3000)
    imported = import_logs(tmp_path)
    assert imported.records.height == 40
    assert imported.left_out[0].detail.startswith("line 32 is no JSON")


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_log_that_was_cut_and_written_on(tmp_path: Path, place: int) -> None:
    """The next row stands on the line of the interrupted one: neither may take the other's scores."""
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(6))
    lines = path.read_bytes().splitlines(keepends=True)
    lines[place] = lines[place][: lines[place].index(b'"resps"') - 60]
    path.write_bytes(b"".join(lines))
    imported = import_logs(tmp_path)
    assert _reasons(imported) == {"line cut in the middle": 1}
    whole = import_logs(write_lm_eval(tmp_path / "whole", "global_mmlu_full_de", mmlu_rows(6))).records
    assert imported.records.equals(whole.filter(pl.col("item") != f"anatomy/test/{place}"))


def test_gzip_and_gzip_that_was_cut(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path / "plain", "global_mmlu_full_de", mmlu_rows(300))
    whole = import_logs(path).records
    packed = tmp_path / "packed" / "org__model" / f"{path.name}.gz"
    packed.parent.mkdir(parents=True)
    data = gzip.compress(path.read_bytes(), mtime=0)
    packed.write_bytes(data)
    found = import_logs(packed).records
    # Without results_*.json the model comes from the folder.
    assert found.equals(whole)
    packed.write_bytes(data[: len(data) * 2 // 3])
    imported = import_logs(packed)
    assert 0 < imported.records.height < 300
    assert "compressed file cut" in _reasons(imported)


def test_pieces_of_a_file_hold_every_line_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(50))
    whole = import_logs(path).records
    lines = path.read_bytes().split(b"\n")[:-1]
    for size in (100, 1000, 4096, 10**6):
        monkeypatch.setattr("hesperus.records.importers.lines.PIECE", size)
        found = list(pieces(path))
        assert [line for piece in found for line in piece.lines if line] == lines
        assert import_logs(path).records.equals(whole)


def test_rows_of_another_form(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(4))
    with path.open("a", encoding="utf-8") as file:
        file.write('[1, 2]\n{"doc_id": 9, "doc": {"sample_id": "x"}, "target": "A"}\n\n')
    imported = import_logs(path)
    assert imported.records.height == 4
    assert _reasons(imported) == {"row of another form": 2}


def test_half_of_a_surrogate_pair_is_no_text(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(3))
    path.write_text(path.read_text(encoding="utf-8").replace("Q1?", "Q\\ud83d?"), encoding="utf-8")
    imported = import_logs(path, ImportSettings(groups=("question",)))
    assert imported.records["question"].to_list() == ["Q0?", "Q??", "Q2?"]


def test_what_there_is_nothing_to_choose_in(tmp_path: Path) -> None:
    rows = [lm_eval_row(0, {"id": 1}, [-1.0], target="x", texts=("x",))]
    write_lm_eval(tmp_path, "lambada_de", rows, config={"output_type": "loglikelihood"})
    write_lm_eval(tmp_path, "wikitext_de", rows, config={"output_type": "loglikelihood_rolling"})
    with pytest.raises(DataError, match="nothing to choose between"):
        import_logs(tmp_path)


def test_models_that_are_folders_are_named_by_their_last_part(tmp_path: Path) -> None:
    for folder, name in (("a", "/data/one/final"), ("b", "/data/two/best")):
        path = write_lm_eval(tmp_path / folder, "global_mmlu_full_de", mmlu_rows(2), model="x")
        results = path.with_name(f"results_{DATE}.json")
        held = json.loads(results.read_text(encoding="utf-8")) | {"model_name": name}
        results.write_text(json.dumps(held), encoding="utf-8")
    assert set(import_logs(tmp_path).records["model"]) == {"hf/final", "hf/best"}
    held["model_name"] = "/data/two/final"
    results.write_text(json.dumps(held), encoding="utf-8")
    # Two that would share it keep their paths.
    assert set(import_logs(tmp_path).records["model"]) == {"hf//data/one/final", "hf//data/two/final"}


def test_a_log_without_a_model(tmp_path: Path) -> None:
    path = write_lm_eval(tmp_path, "global_mmlu_full_de", mmlu_rows(2))
    alone = tmp_path / "alone" / path.name
    alone.parent.mkdir()
    alone.write_bytes(path.read_bytes())
    with pytest.raises(DataError, match="does not name its model; give --model NAME"):
        import_logs(alone)
    assert set(import_logs(alone, ImportSettings(model="hf/mine")).records["model"]) == {"hf/mine"}


def test_no_stable_key(tmp_path: Path) -> None:
    rows = [lm_eval_row(n, {"question": f"q{n}"}, [-1.0, -2.0], target=0, texts=("a", "b")) for n in range(2)]
    write_lm_eval(tmp_path, "quiz_de", rows)
    with pytest.raises(DataError, match=r"nothing in the rows is known .*fields: question.*--key FIELD"):
        import_logs(tmp_path)
    assert import_logs(tmp_path, ImportSettings(key=("question",))).records["item"].to_list() == ["q0", "q1"]
    assert import_logs(tmp_path, ImportSettings(key=("row",))).records["item"].to_list() == ["0", "1"]
    with pytest.raises(DataError, match="no field 'qid'; there are question"):
        import_logs(tmp_path, ImportSettings(key=("qid",)))
    with pytest.raises(UsageError, match="--key row stands alone"):
        ImportSettings(key=("row", "question"))
    same = [lm_eval_row(n, {"id": 7}, [-1.0, -2.0], target=0, texts=("a", "b")) for n in range(2)]
    write_lm_eval(tmp_path / "same", "quiz_de", same)
    with pytest.raises(DataError, match="no id in every row once: tried id"):
        import_logs(tmp_path / "same")


def test_settings_are_checked() -> None:
    with pytest.raises(UnknownNameError, match="unknown format of logs: 'lmeval'; did you mean 'lm-eval'"):
        ImportSettings(tool="lmeval")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="rule for a second log"):
        ImportSettings(again="oldest")  # type: ignore[arg-type]


def test_not_a_log_of_samples(tmp_path: Path) -> None:
    path = tmp_path / "samples_x_de.jsonl"
    path.write_text('{"doc_id": 1, "acc": 0}\n', encoding="utf-8")
    with pytest.raises(DataError, match="no doc, filtered_resps .*--log_samples"):
        import_logs(path)
    path.write_text("nothing\n", encoding="utf-8")
    with pytest.raises(DataError, match="no row can be read"):
        import_logs(path)
