"""The tables of a run of senses: which rows, named by what, with which columns of the registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from hesperus.analysis.compared_pairs import Pair, Side, pair, reading_order
from hesperus.analysis.short_signature import signed_setting
from hesperus.analysis.summary import summary_cells
from hesperus.analysis.table import Row, Table
from hesperus.reports.columns import RESTS_ON, Column, column
from hesperus.reports.grid import Grid, Label
from hesperus.reports.tabulated import Key, tabulated
from hesperus.untrusted import one_line
from hesperus.wording import parsed

_T = {"consistency_correct": "T_correct", "consistency_min": "T_min", "consistency_max": "T_max"}
_TESTED = ("T", "I", "X")


def groups_of(table: Table, *own: str) -> tuple[str, ...]:
    """The columns that a table is grouped by besides its own, and which therefore name its lines too."""
    known = ("model", "task", "model_a", "model_b", "statistic", *own)
    before = table.columns[: table.columns.index("statistic")] if "statistic" in table.columns else ()
    return tuple(name for name in before if name not in known)


def _compared(table: Table) -> Iterator[tuple[Pair, Row]]:
    for row in table.rows:
        yield pair(str(row["a"]), str(row["b"])), row


def summary_grid(table: Table, *, level: float = 0.95) -> Grid | None:
    """One line a target: T, I and X, T where the source is right, and T over the ways to count invalid answers."""
    rows = [
        {**row, "source": seen.source, "target": seen.target, "statistic": name}
        for seen, row in _compared(table)
        if seen.kind in _TESTED
        and (name := seen.kind if row["statistic"] == "consistency" else _T.get(str(row["statistic"])))
        and (seen.kind == "T" or name == seen.kind)
    ]
    # Where every reply could be read, the ways to count the others give one number.
    bounds = {name: [row["value"] for row in rows if row["statistic"] == name] for name in ("T_min", "T_max")}
    if bounds["T_min"] == bounds["T_max"]:
        rows = [row for row in rows if row["statistic"] not in bounds]
    rows.sort(key=lambda row: (row["model"], row["task"], row["source"], reading_order(row["target"])))
    return tabulated(
        f"Answers that stay the same, with {100 * level:g} % intervals over items. T: instruction and input are in the "
        "other sense; I: only the instruction; X: only the input.",
        rows,
        ("model", "task", *groups_of(table, "a", "b"), "source", "target"),
        "consistency",
        folds=None,
    )


def pairs_grid(table: Table) -> Grid | None:
    """The comparisons that are not T, I or X: repeats and the benchmark's own versions."""
    found = [
        (seen, row)
        for seen, row in _compared(table)
        if seen.kind not in _TESTED and row["statistic"] == "consistency"
    ]
    floor = (
        " The same prompt asked again is the noise floor: no other consistency can be expected to be higher."
        if any(seen.kind == "repeat" for seen, _ in found)
        else ""
    )
    return tabulated(
        f"Other comparisons.{floor}",
        [{**row, "sense": _asked(seen.a), "compared": f"asked again, repeat {seen.b.repeat}" if seen.kind == "repeat" else _asked(seen.b)} for seen, row in found],
        ("model", "task", *groups_of(table, "a", "b"), replace(column("sense"), unit="text"), Column("compared", "Compared with")),
        "pairs",
        folds=None,
    )  # fmt: skip


def split_grid(table: Table) -> Grid | None:
    """Where inconsistency comes from."""
    rows = [{**row, "target": row["sense"]} for row in table.rows]
    return tabulated(
        "Where inconsistency comes from. Changed = noise + instruction + input + both together; a part can be negative "
        "where errors cancel.",
        sorted(rows, key=lambda row: (row["model"], row["task"], reading_order(row["target"]))),
        ("model", "task", *groups_of(table, "source", "sense"), "source", "target"),
        "decomposition",
    )


def prompts(rows: Iterable[Row], *, ordered: bool = True) -> list[Row]:
    """Rows of single prompts with the prompt in words, in reading order: whole senses first."""
    placed = sorted(rows, key=_prompt_order) if ordered else rows
    return [
        {**row, "prompt": _asked(Side(row["instruction"], row["input"], row.get("repeat", 1)))}
        for row in placed
    ]


def _asked(side: Side) -> Label:
    return Label.of(one_line(side.label + side.repeated), one_line(side.brief + side.repeated))


def _prompt_order(row: Row) -> tuple[Any, ...]:
    mixed = row["instruction"] != row["input"]
    places = (reading_order(row["input"]), reading_order(row["instruction"]), row.get("repeat", 1))
    return (row["model"], row["task"], mixed, *places)


_PROMPT = ("instruction", "input", "repeat")


def overview_grid(table: Table, *, labels: bool = True) -> Grid | None:
    """A summary: a line for each model and language. Why a number is undefined is in the notes of the run.

    Of open answers, without `labels`, only what became of the questions is shown.
    """
    _, lines = summary_cells(table)
    # A number that no line has is not shown: what is missing from it is missing from nothing here.
    there = {name for line in lines.values() for name, row in line.items() if row["value"] is not None}
    rows = []
    for line in lines.values():
        answered, reference = line["answered"], line.get("consistency", {}).get("reference")
        said = {
            "language": _language(str(answered["instruction"]), str(answered["input"])),
            "asked": answered["n"],
            **({"reference": reference} if labels else {}),
        }
        rows += [
            {
                **row,
                **said,
                **({"reason": ""} if row["value"] is None else {}),
                **({} if name in there else {"excluded": 0}),
            }
            for name, row in line.items()
            if labels or name == "answered"
        ]
    return tabulated(
        "Every model and language."
        + (
            " Reference: what the language was made from, else English."
            if labels and "consistency" in there
            else ""
        )
        + (
            " κp: agreement with it beyond what accuracy alone gives."
            if labels and "kappa_p" in there
            else ""
        ),
        rows,
        (
            "model",
            "task",
            *groups_of(table, *_PROMPT, "reference", "label"),
            replace(column("language"), unit="text"),
        ),
        "summary",
        folds=0,
    )


def _language(instruction: str, given: str) -> Label:
    """The sense of the input; with the instruction's where that is in another language."""
    first, second = parsed(instruction), parsed(given)
    same = first is not None and second is not None and first.language == second.language
    return _asked(Side(given, given) if same else Side(instruction, given))


def accuracy_grid(*tables: Table) -> Grid | None:
    """Accuracy and validity of every prompt, whole senses first."""
    of_gold = next((table for table in tables if table.measure == "accuracy"), None)
    drops = of_gold is not None and signed_setting(of_gold.signature, "invalid") == "drop"
    unread = "is left out of what is right" if drops else "counts as wrong"
    gold = (
        f" A reply without an answer {unread}; gold is that of the input's own language." if of_gold else ""
    )
    return tabulated(
        f"Right and valid answers of every prompt.{gold}",
        prompts(row for table in tables for row in table.rows),
        ("model", "task", *groups_of(tables[0], *_PROMPT), "prompt"),
        "accuracy",
    )


def outcomes_grid(table: Table) -> Grid | None:
    """What became of the replies of every prompt; outcomes without a reply are not shown."""
    there = {row["statistic"] for row in table.rows if row["value"]}
    return tabulated(
        "What became of the replies.",
        prompts(row for row in table.rows if row["statistic"] in there),
        ("model", "task", *groups_of(table, *_PROMPT), "prompt"),
        "outcomes",
    )


def labels_grid(table: Table, most: int = 12) -> Grid | None:
    """Shares of labels of whole senses, and of the right answers; None if there are more than so many labels."""
    labels = list(dict.fromkeys(str(row["label"]) for row in table.rows))
    if len(labels) > most:
        return None
    whole = [row for row in table.rows if row["instruction"] == row["input"] and row["repeat"] == 1]
    rows = [
        {**row, "sense": row["input"], "of": of, "statistic": row["label"]}
        for statistic, of in (("gold_share", "right answers"), ("share", "answers"))
        for row in sorted(whole, key=_prompt_order)
        if row["statistic"] == statistic
        if of == "answers" or (sense := parsed(str(row["input"]))) is None or sense.is_original
    ]
    keys: tuple[Key, ...] = (
        "model",
        "task",
        *groups_of(table, *_PROMPT, "label"),
        "sense",
        Column("of", "Of"),
    )
    shares = [Column(label, label, "percentage") for label in labels]
    caption = "Shares of the labels; invalid answers stay in the denominator."
    return tabulated(caption, rows, keys, (*shares, *RESTS_ON))


def directions_grid(table: Table, most: int = 12) -> Grid | None:
    """Where changed answers go, for whole senses; None if there are more than so many labels."""
    if len({str(row[side]) for row in table.rows for side in ("from", "to")}) > most + 1:
        return None
    rows = [
        {**row, "source": seen.source or "", "target": seen.target or "", "change": f"{row['from']} → {row['to']}"}
        for seen, row in _compared(table)
        if seen.kind in {"T", "versions"} and row["value"]
    ]  # fmt: skip
    keys: tuple[Key, ...] = (
        "model",
        "task",
        *groups_of(table, "a", "b", "from", "to"),
        "source",
        "target",
        Column("change", "Change"),
    )
    return tabulated("Where changed answers go.", rows, keys, "directions")


def agreement_grid(table: Table) -> Grid | None:
    """Agreement beyond chance, of all pairs that were measured with an interval."""
    return tabulated(
        "Agreement of pairs of whole senses, also beyond chance, over the items whose right answer is the same in all.",
        table.rows,
        (
            replace(column("model_a"), heading="Model"),
            *(("model_b",) if any(row["model_a"] != row["model_b"] for row in table.rows) else ()),
            "task",
            *groups_of(table, "a", "b"),
            "a",
            "b",
        ),
        "agreement",
    )


def bins_grid(table: Table | None) -> Grid | None:
    """Consistency by bins of translation scores."""
    rows = [
        {**row, "target": row["sense"] if row["sense"] != "all" else "all", "bin": f"{row['from']:g} to {row['to']:g}"}
        for row in (table.rows if table is not None else ())
    ]  # fmt: skip
    return tabulated(
        "Consistency by translation score: the input translated, the instruction not (X).",
        rows,
        ("model", "task", "target", Column("score", "Score"), Column("bin", "Bin")),
        "bins",
    )
