"""Every published or released number of the multisense study that released data can give comes out of the tables.

Source: Ohmer, Bruni and Hupkes (2023), Separating form and meaning, and its released answers. `expected.csv` names what
the paper, its notebooks and its released accuracies print.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from pathlib import Path

import polars as pl
import pytest

from hesperus.analysis.paired import consistency_table, directions_table
from hesperus.analysis.scores import translation_table
from hesperus.analysis.settings import MeasureSettings
from hesperus.analysis.single import accuracy_table, labels_table
from hesperus.analysis.table import Table
from hesperus.measures import Bootstrap
from hesperus.records import Selection, read_records, write_records

LABELS = {"paws-x": {0: "different", 1: "same"}, "boolq": {0: "no", 1: "yes"}}
POINT = Bootstrap(resamples=0)

Expected = Mapping[str, str]


@dataclass(frozen=True)
class Paper:
    """The released data as hesperus sees them."""

    records: Mapping[str, pl.DataFrame]
    accuracies: Mapping[str, Table]
    labels: Table
    scores: pl.DataFrame
    corpus: Mapping[str, Mapping[str, str]]
    expected: tuple[Expected, ...]


@pytest.fixture(scope="module")
def paper(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Paper:
    folder = shared_data / "multisense"
    if not folder.is_dir():
        pytest.skip(f"no released answers at {folder}")
    written = tmp_path_factory.mktemp("records")
    for task, names in LABELS.items():
        released = pl.read_parquet(folder / f"{task}.parquet")
        write_records(_records(released, task, names), written / f"{task}.parquet")
    translations = pl.read_parquet(folder / "translations_paws-x.parquet")
    scores = translations.select(
        "task", "sense", item=pl.col("item_id").cast(pl.String), bleu="bleu_mean",
        comet=(pl.col("comet1") + pl.col("comet2")) / 2,
    ).with_columns(pl.col("bleu").fill_nan(None))  # fmt: skip
    with (folder / "translation_scores_corpus.csv").open(encoding="utf-8") as file:
        corpus = {row["sense"]: row for row in csv.DictReader(file)
                  if row["task"] == "paws-x" and row["variant"] == "final"}  # fmt: skip
    with (folder / "expected.csv").open(encoding="utf-8") as file:
        expected = tuple(csv.DictReader(file))
    read = {task: read_records(written / f"{task}.parquet") for task in LABELS}
    accuracies = {
        task: accuracy_table(frame, MeasureSettings(bootstrap=POINT)) for task, frame in read.items()
    }
    return Paper(
        read,
        accuracies,
        labels_table(read["paws-x"], MeasureSettings(bootstrap=POINT)),
        scores,
        corpus,
        expected,
    )


def _records(released: pl.DataFrame, task: str, names: Mapping[int, str]) -> pl.DataFrame:
    return released.select(
        model=pl.lit("openai/gpt-3.5-turbo-0301"),
        task=pl.lit(task),
        item=pl.col("item_id").cast(pl.String),
        instruction="instruction",
        input="input",
        repeat="run",
        answer=pl.col("label").replace_strict(names, default=None, return_dtype=pl.String),
        gold=pl.col("gold").replace_strict(names, return_dtype=pl.String),
        reply="response",
    )


def _made(direction: str) -> tuple[str, str]:
    """``en->de`` to the source and the sense made from it."""
    source, target = direction.split("->")
    return source, f"{target}_from_{source}"


def _cell(instruction: str, given: str, repeat: int = 1) -> str:
    return f"instruction={instruction},input={given},repeat={repeat}"


def _consistency(paper: Paper, task: str, a: str, b: str, statistic: str = "consistency") -> float:
    table = consistency_table(
        paper.records[task],
        MeasureSettings(a=Selection.parse(a), b=Selection.parse(b), invalid="agree", bootstrap=POINT),
    )
    return _only(table.rows, statistic=statistic)


def _only(rows: object, **cells: object) -> float:
    found = [row for row in rows if all(row[name] == value for name, value in cells.items())]  # type: ignore[attr-defined]
    assert len(found) == 1, cells
    assert isinstance(found[0]["value"], float), found[0]
    return float(found[0]["value"])


def _condition(
    paper: Paper, task: str, direction: str, condition: str, statistic: str = "consistency"
) -> float:
    source, sense = _made(direction)
    other = {"T": (sense, sense), "I": (sense, source), "X": (source, sense)}[condition]
    return _consistency(paper, task, _cell(source, source), _cell(*other), statistic)


def _accuracy(paper: Paper, task: str, instruction: str, given: str, repeat: int = 1) -> float:
    return _only(paper.accuracies[task].rows, instruction=instruction, input=given, repeat=repeat)


def _share(paper: Paper, run: str, label: str, statistic: str = "share") -> float:
    """``T_en`` or ``T_en->de`` to the share of a label."""
    language = run.removeprefix("T_")
    sense = _made(language)[1] if "->" in language else language
    return _only(
        paper.labels.rows, instruction=sense, input=sense, repeat=1, label=label, statistic=statistic
    )


def _direction(paper: Paper, direction: str, moves: tuple[str, str]) -> tuple[float, int]:
    source, sense = _made(direction)
    table = directions_table(
        paper.records["paws-x"],
        MeasureSettings(
            a=Selection.parse(_cell(source, source)),
            b=Selection.parse(_cell(sense, sense)),
            invalid="agree",
            bootstrap=POINT,
        ),
    )
    row = next(row for row in table.rows if (row["from"], row["to"]) == moves)
    assert isinstance(row["value"], float) and isinstance(row["n"], int)
    return row["value"], row["n"]


def _translation(paper: Paper, direction: str, score: str, statistic: str) -> float:
    source, sense = _made(direction)
    table = translation_table(
        paper.records["paws-x"],
        paper.scores.filter(sense=sense),
        MeasureSettings(invalid="agree", bootstrap=POINT),
    )
    return _only(table.rows, a=f"instruction={source},input={source}", score=score, statistic=statistic)


def _corpus_bleu(row: Mapping[str, str]) -> float:
    """BLEU of the released n-gram counts, as its definition says."""
    counts, totals = ([int(n) for n in row[name].split()] for name in ("counts", "totals"))
    sys_len, ref_len = int(row["sys_len"]), int(row["ref_len"])
    brevity = 1.0 if sys_len > ref_len else exp(1 - ref_len / sys_len)
    return 100 * brevity * exp(sum(log(c / t) for c, t in zip(counts, totals, strict=True)) / 4)


def _value(paper: Paper, row: Expected) -> tuple[str, float | None]:
    """How a row is obtained, and its value; None where the release does not hold what it needs."""
    table, name, column = row["table"], row["row"], row["column"]
    direction = name.split()[-1]
    if table == "8" or name.startswith("xnli"):
        return "needs the answers to XNLI", None
    if table == "1":
        return "answers", _condition(paper, "paws-x", direction, column)
    if table in ("2", "10"):
        released = paper.corpus[_made(direction)[1]]
        if column == "BLEU":
            return "released counts", _corpus_bleu(released)
        if column == "COMET-22":
            return "answers and released item scores", _translation(paper, direction, "comet", "mean")
        return "only released as such: needs the reference texts", None
    if table in ("3", "11") or "Table 3" in table or "Table 11" in table or "BLEU vs" in table:
        return "answers and released item scores", _table_of_scores(paper, row)
    if table == "4":
        source, sense = _made(direction)
        cell = source if column == "T_src" else sense
        return "answers", _accuracy(paper, "paws-x", cell, cell)
    if table in ("5", "notebook Table 5"):
        return "answers", _split(paper, name, column)
    if table == "7":
        label = {"true": "same", "false": "different"}[column]
        if name.startswith("ground truth"):
            return "answers", _share(paper, "T_en", label, "gold_share")
        return "answers", _share(paper, name, label)
    if table == "9":
        language = name.removeprefix("T_")
        if column == "consistency":
            return "answers", _condition(paper, "boolq", language, "T")
        sense = _made(language)[1] if "->" in language else language
        return "answers", _accuracy(paper, "boolq", sense, sense)
    if table == "12":
        given, instruction = (part.split("=")[1] for part in column.split(" / "))
        return "answers", _accuracy(paper, "paws-x", instruction, given)
    if table == "13":
        source, sense = _made(direction)
        cells = {"T_src": (source, source), "T_src->tgt": (sense, sense),
                 "I_src->tgt/X_src": (sense, source), "I_src/X_src->tgt": (source, sense)}  # fmt: skip
        return "answers", _accuracy(paper, "paws-x", *cells[column])
    return "answers", _elsewhere(paper, row)


def _table_of_scores(paper: Paper, row: Expected) -> float:
    direction = row["column"]
    if row["table"] in ("3", "notebook Table 3"):
        return _translation(paper, direction, "bleu", "correlation")
    if row["table"] == "notebook BLEU vs correctness":
        return _translation(paper, direction, "bleu", "correlation_correct")
    if "orig" in row["row"]:
        return _translation(paper, direction, "bleu", "consistency")
    if "%" in row["row"] or "fraction" in row["row"]:
        percent = 100 if "%" in row["row"] else 1
        return percent * _translation(paper, direction, "bleu", "share_above")
    return _translation(paper, direction, "bleu", "consistency_above")


def _split(paper: Paper, name: str, column: str) -> float:
    statistic = {
        "all": "consistency",
        "correct": "consistency_correct",
        "incorrect": "consistency_incorrect",
    }[name.split()[-1]]
    if column == "T_en (2nd run)":
        return _consistency(paper, "paws-x", _cell("en", "en"), _cell("en", "en", 2), statistic)
    return _condition(paper, "paws-x", column.removeprefix("T_"), "T", statistic)


def _elsewhere(paper: Paper, row: Expected) -> float:
    table, name, column = row["table"], row["row"], row["column"]
    if table == "performance.pkl accuracy":
        cell = dict(part.split("=") for part in column.split())
        return _accuracy(paper, name, cell["instruction"], cell["input"], int(cell["run"]))
    if table == "notebook consistency":
        task, _, base = name.partition(" base ")
        return _consistency(paper, task, base.replace(" ", ","), column.replace(" ", ","))
    if table == "App.E":
        return _direction(paper, column.split()[-1], ("same", "different"))[1]
    assert table == "App.D", row
    if "paraphrases predicted" in name:
        return 100 * _share(paper, "T_en->zh", "same")
    moves = ("different", "same") if name.startswith("not paraphrase") else ("same", "different")
    return 100 * _direction(paper, column.split()[-1], moves)[0]


def test_every_number_that_the_release_can_give_comes_out(paper: Paper) -> None:
    kinds: Counter[str] = Counter()
    misprinted = []
    for row in paper.expected:
        kind, value = _value(paper, row)
        kinds[kind] += 1
        if value is None:
            continue
        printed, unit = float(row["paper_value"]), 10.0 ** -int(row["paper_digits"])
        assert value == pytest.approx(float(row["recomputed_value"]), abs=1e-6), row
        if row["status"] == "ok":
            assert abs(value - printed) <= unit / 2 + 1e-9, row
        elif row["status"] == "double-rounding":
            assert abs(value - printed) <= unit / 2 + unit / 20 + 1e-9, row
        else:
            misprinted.append((row["table"], row["row"]))
    assert kinds == {
        "answers": 177,
        "answers and released item scores": 36,
        "released counts": 8,
        "needs the answers to XNLI": 24,
        "only released as such: needs the reference texts": 12,
    }
    assert misprinted == [("App.D", "text: paraphrases predicted T_en->zh")]
