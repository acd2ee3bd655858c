"""Tables as a report's reader wants them: one line a comparison, shares in per cent, codes next to names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from hesperus.analysis.pairs import Side, pair
from hesperus.analysis.table import ANSWERED, Row
from hesperus.reports.blocks import Column, Grid, Value, count
from hesperus.reports.multisense_figures import reading_order
from hesperus.reports.multisense_findings import Findings
from hesperus.reports.number_cells import FOLDED, RESTS_ON, answered_cell, left_out, number_cell, share_cell
from hesperus.rounding import cell
from hesperus.types import OUTCOMES
from hesperus.wording import MISSING, OUTCOME_WORDS, parsed, sense_label, target_label


def _indexed(rows: Iterable[Row], *names: str) -> dict[tuple[Any, ...], dict[str, Row]]:
    """Rows by the values of columns, then by statistic, in the order of the table."""
    found: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), {})[str(row["statistic"])] = row
    return found


def _varying(heads: Sequence[tuple[str, str]], rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Of columns such as the model, those that are needed: with more than one value."""
    return [(name, shown) for name, shown in heads if len({row[name] for row in rows}) > 1]


_WHO = (("model", "Model"), ("task", "Task"))


def summary_grid(found: Findings) -> Grid | None:
    """One line a target: T, I and X, T where the source is right, and T over the ways to count unreadable answers."""
    lines: dict[tuple[Any, ...], dict[str, dict[str, Row]]] = {}
    for (model, task, a, b), rows in _indexed(found.consistency.rows, "model", "task", "a", "b").items():
        seen = pair(a, b)
        if seen.kind in {"T", "I", "X"}:
            lines.setdefault((model, task, seen.source, seen.target), {})[seen.kind] = rows
    if not lines:
        return None
    who = _varying(_WHO, found.consistency.rows)
    places = {"model": 0, "task": 1}
    # Where every reply could be read, the ways to count the others give one number.
    differ = any(
        _range(kinds.get("T", {})) not in (MISSING, _one(kinds.get("T", {}))) for kinds in lines.values()
    )
    cells = []
    for key, kinds in sorted(lines.items(), key=lambda line: (*line[0][:3], reading_order(line[0][3]))):
        t, i, x = (kinds.get(kind, {}) for kind in ("T", "I", "X"))
        main = [part.get("consistency") for part in (t, i, x)]
        first = next(row for row in main if row is not None)
        cells.append(
            (
                *(key[places[name]] for name, _ in who),
                sense_label(key[2]),
                target_label(key[3]),
                *(share_cell(row) for row in main),
                share_cell(t.get("consistency_correct")),
                *((_range(t),) if differ else ()),
                count(first["n"]),
                answered_cell(first),
                left_out(main),
            )
        )
    heads = [Column(shown) for _, shown in who]
    heads += [Column("From"), Column("Into")]
    heads += [Column(name, True) for name in ("T, %", "I, %", "X, %", "T where the source is right, %")]
    heads += [*((Column("T, least to most, %", True),) if differ else ()), *RESTS_ON]
    least = " Least to most: over the three ways to count unreadable answers." if differ else ""
    return Grid(
        f"Answers that stay the same, with {100 * found.level:g} % intervals over items. T: instruction and input are in the "
        f"other sense; I: only the instruction; X: only the input.{least}",
        tuple(heads),
        tuple(cells),
    )


def _one(rows: Mapping[str, Row]) -> str:
    """The range where it is one number."""
    row = rows.get("consistency_min")
    return (
        MISSING
        if row is None or row["value"] is None
        else " to ".join([cell(row["value"], "percentage")] * 2)
    )


def _range(rows: Mapping[str, Row]) -> str:
    low, high = rows.get("consistency_min"), rows.get("consistency_max")
    if low is None or high is None or low["value"] is None or high["value"] is None:
        return MISSING
    return f"{cell(low['value'], 'percentage')} to {cell(high['value'], 'percentage')}"


def pairs_grid(found: Findings) -> Grid | None:
    """The comparisons that are not T, I or X: repeats and the benchmark's own versions."""
    who = _varying(_WHO, found.consistency.rows)
    cells = []
    for (_, _, a, b), rows in _indexed(found.consistency.rows, "model", "task", "a", "b").items():
        seen, row = pair(a, b), rows.get("consistency")
        if seen.kind in {"T", "I", "X"} or row is None:
            continue
        what = f"asked again, repeat {seen.b.repeat}" if seen.kind == "repeat" else seen.b.label
        cells.append(
            (
                *(str(row[name]) for name, _ in who),
                seen.a.label,
                what,
                share_cell(row),
                count(row["n"]),
                answered_cell(row),
                left_out([row]),
            )
        )
    if not cells:
        return None
    heads = [*(Column(shown) for _, shown in who), Column("Sense"), Column("Compared with")]
    heads += [Column("Same answer, %", True), *RESTS_ON]
    return Grid(
        "Other comparisons. The same prompt asked again is the noise floor: no other consistency can be expected to be "
        "higher.",
        tuple(heads),
        tuple(cells),
    )


def split_grid(found: Findings) -> Grid | None:
    """Where inconsistency comes from."""
    names = {
        "total": "Changed, %", "noise": "by noise, %", "instruction": "by the instruction, %",
        "input": "by the input, %", "interaction": "by both together, %", "unreadable": "of which unreadable, %",
    }  # fmt: skip
    present = [name for name in names if any(row["statistic"] == name for row in found.decomposition.rows)]
    rows = sorted(
        found.decomposition.rows,
        key=lambda row: (str(row["model"]), str(row["task"]), reading_order(str(row["sense"]))),
    )
    grid = _lines(
        rows,
        ("source", "sense"),
        lambda key: (sense_label(key[0]), target_label(key[1])),
        present,
        share_cell,
    )
    if not grid:
        return None
    who = _varying(_WHO, found.decomposition.rows)
    heads = [*(Column(shown) for _, shown in who), Column("From"), Column("Into")]
    heads += [
        *(Column(names[name], True) for name in present),
        *RESTS_ON,
    ]
    return Grid(
        "Where inconsistency comes from. Changed = noise + instruction + input + both together; a part can be negative "
        "where errors cancel.",
        tuple(heads),
        tuple(grid),
        folded=len(grid) > FOLDED,
    )


def _lines(
    rows: Sequence[Row],
    keys: Sequence[str],
    label: Callable[[Sequence[Any]], Sequence[str]],
    statistics: Sequence[str],
    cell: Callable[[Row | None], Value],
) -> list[tuple[Value, ...]]:
    """One line a combination of keys, one column a statistic, then RESTS_ON; without a share answered where rows have none."""
    who = [name for name, _ in _varying(_WHO, rows)]
    found = []
    for key, held in _indexed(rows, "model", "task", *keys).items():
        shown = [held.get(name) for name in statistics]
        first = next((row for row in shown if row is not None), None)
        if first is not None:
            named = [str(first[name]) for name in who]
            found.append(
                (
                    *named,
                    *label(key[2:]),
                    *(cell(row) for row in shown),
                    count(first["n"]),
                    *((answered_cell(first),) if ANSWERED in first else ()),
                    left_out(shown),
                )
            )
    return found


def accuracy_grid(found: Findings) -> Grid:
    """Accuracy and validity of every cell, whole senses first."""
    rows = sorted([*found.accuracy.rows, *found.validity.rows], key=_cell_order)
    cells = _lines(
        rows, ("instruction", "input", "repeat"), _cell_label, ("accuracy", "validity"), share_cell
    )
    return Grid(
        "Right and readable answers of every prompt. An unreadable answer counts as wrong; gold is that of the input's "
        "own language.",
        (*_who_heads(rows), Column("Prompt"), Column("Right, %", True), Column("Readable, %", True), *RESTS_ON),
        tuple(cells),
        folded=len(cells) > FOLDED,
    )  # fmt: skip


def _who_heads(rows: Sequence[Row]) -> tuple[Column, ...]:
    return tuple(Column(shown) for _, shown in _varying(_WHO, rows))


def _cell_order(row: Row) -> tuple[Any, ...]:
    mixed = row["instruction"] != row["input"]
    return (
        row["model"],
        row["task"],
        mixed,
        reading_order(row["input"]),
        reading_order(row["instruction"]),
        row["repeat"],
    )


def _cell_label(key: Sequence[Any]) -> Sequence[str]:
    again = f", repeat {key[2]}" if key[2] != 1 else ""
    return [Side(key[0], key[1]).label + again]


def outcomes_grid(found: Findings) -> Grid:
    """What became of the replies of every cell."""
    present = [
        outcome
        for outcome in OUTCOMES
        if outcome == "answered"
        or any(row["statistic"] == outcome and row["value"] for row in found.outcomes.rows)
    ]
    rows = sorted(found.outcomes.rows, key=_cell_order)
    cells = _lines(rows, ("instruction", "input", "repeat"), _cell_label, present, share_cell)
    return Grid(
        "What became of the replies.",
        (*_who_heads(rows), Column("Prompt"), *(Column(f"{OUTCOME_WORDS[name]}, %", True) for name in present),
         Column("Replies", True), Column("Left out", True)),
        tuple(cells),
        folded=len(cells) > FOLDED,
    )  # fmt: skip


def labels_grid(found: Findings, most: int) -> Grid | None:
    """Shares of labels of whole senses, and of the right answers."""
    labels = list(dict.fromkeys(str(row["label"]) for row in found.labels.rows))
    if not 0 < len(labels) <= most:
        return None
    whole = [row for row in found.labels.rows if row["instruction"] == row["input"] and row["repeat"] == 1]
    cells = []
    for statistic, what in (("gold_share", "right answers"), ("share", "answers")):
        held = [
            {**row, "statistic": row["label"]}
            for row in sorted(whole, key=_cell_order)
            if row["statistic"] == statistic
        ]
        if statistic == "gold_share":
            held = [row for row in held if (sense := parsed(row["input"])) is None or sense.is_original]
        cells += _lines(held, ("input",), _labelled(what), labels, share_cell)
    heads = (*_who_heads(whole), Column("Sense"), Column("Of"), *(Column(f"{label}, %", True) for label in labels), *RESTS_ON)  # fmt: skip
    return Grid(
        "Shares of the labels; unreadable answers stay in the denominator.",
        heads,
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def _labelled(what: str) -> Callable[[Sequence[Any]], Sequence[str]]:
    return lambda key: (sense_label(key[0]), what)


def directions_grid(found: Findings, most: int) -> Grid | None:
    """Where changed answers go, for whole senses."""
    labels = {str(row[side]) for row in found.directions.rows for side in ("from", "to")}
    if not 0 < len(labels) <= most + 1:
        return None
    who = _varying(_WHO, found.directions.rows)
    cells = []
    for row in found.directions.rows:
        seen = pair(str(row["a"]), str(row["b"]))
        if seen.kind in {"T", "versions"} and row["value"]:
            cells.append(
                (*(str(row[name]) for name, _ in who), sense_label(seen.source or ""), target_label(seen.target or ""),
                 f"{row['from']} → {row['to']}", share_cell(row), count(row['n']))
            )  # fmt: skip
    heads = (*(Column(shown) for _, shown in who), Column("From"), Column("Into"), Column("Change"),
             Column("Of the changed, %", True), Column("Changed", True))  # fmt: skip
    return (
        Grid("Where changed answers go.", heads, tuple(cells), folded=len(cells) > FOLDED) if cells else None
    )


def agreement_grid(found: Findings) -> Grid | None:
    """Agreement beyond chance, for pairs of whole senses that were all measured with an interval."""
    statistics = {
        "raw": "Same answer, %",
        "kappa_p": "κp",
        "cohen_kappa": "Cohen's κ",
        "error_consistency": "Error consistency",
    }
    present = [name for name in statistics if any(row["statistic"] == name for row in found.agreement.rows)]
    who = [(name, shown) for name, shown in (("model_a", "Model"), ("task", "Task"))]
    varying = _varying(who, found.agreement.rows)
    cells = []
    for (_, _, a, b), held in _indexed(found.agreement.rows, "model_a", "task", "a", "b").items():
        shown = [held.get(name) for name in present]
        first = next((row for row in shown if row is not None), None)
        if first is None:
            continue
        seen = pair(a, b)
        numbers = [
            share_cell(row) if name == "raw" else number_cell(row)
            for name, row in zip(present, shown, strict=True)
        ]
        cells.append((*(str(first[name]) for name, _ in varying), seen.a.label, seen.b.label, *numbers,
                      count(first['n']), answered_cell(first), left_out(shown)))  # fmt: skip
    if not cells:
        return None
    heads = (*(Column(shown) for _, shown in varying), Column("One sense"), Column("Another"),
             *(Column(statistics[name], True) for name in present), *RESTS_ON)  # fmt: skip
    return Grid(
        "Agreement of pairs of whole senses, also beyond chance, over the items whose right answer is the same in all.",
        heads,
        tuple(cells),
        folded=len(cells) > FOLDED,
    )


def bins_grid(found: Findings) -> Grid | None:
    """Consistency by bins of translation scores."""
    if found.bins is None:
        return None
    who = _varying(_WHO, found.bins.rows)
    cells = tuple(
        (*(str(row[name]) for name, _ in who), "all" if row["sense"] == "all" else target_label(str(row["sense"])),
         str(row["score"]), f"{row['from']:g} to {row['to']:g}", share_cell(row), count(row['answers']), count(row['n']))
        for row in found.bins.rows
    )  # fmt: skip
    heads = (*(Column(shown) for _, shown in who), Column("Into"), Column("Score"), Column("Bin"),
             Column("Same answer, %", True), Column("Answers", True), Column("Items", True))  # fmt: skip
    return Grid(
        "Consistency by translation score: the input translated, the instruction not (X).",
        heads,
        cells,
        folded=len(cells) > FOLDED,
    )
