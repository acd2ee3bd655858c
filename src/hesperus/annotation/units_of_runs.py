"""Tables of units from a run: two wordings of each item side by side, replies to read, answers that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError, refuse_unknown
from hesperus.records import Run
from hesperus.records.schema import KEY
from hesperus.types import Sense
from hesperus.wording import parsed

_FIELD, _GROUP = "field:", "group:"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def sides_frame(run: Run, a: str, b: str) -> pl.DataFrame:
    """Two wordings of each item side by side.

    Columns are ``unit, item, model, a, b`` (the two sense codes), ``source, source.language, text, text.language,
    key`` (the right option, with its text if there is one) and the groups of the items; where models made a wording,
    each model's is a unit.
    """
    items = _items(run)
    left, right = (_of_sense(items, code) for code in (a, b))
    by_item: dict[str, list[dict[str, Any]]] = {}
    for row in left:
        by_item.setdefault(row["item"], []).append(row)
    rows = []
    for row in right:
        sources = by_item.get(row["item"], [])
        source = next((one for one in sources if one.get("model") in (None, row.get("model"))), None)
        if source is None:
            continue
        model = row.get("model") or source.get("model")
        rows.append(
            {
                "unit": row["item"] if model is None else f"{row['item']}|{model}",
                "item": row["item"],
                "model": model,
                "a": a,
                "b": b,
                "source": worded(source),
                "source.language": Sense.parse(a).language,
                "text": worded(row),
                "text.language": Sense.parse(b).language,
                "key": _key(row),
                **_groups(row),
            }
        )
    if not rows:
        raise UsageError(f"no item is in both {a!r} and {b!r}")
    return pl.DataFrame(rows, infer_schema_length=None)


def readings_frame(run: Run, *, outcomes: Sequence[str] = ()) -> pl.DataFrame:
    """Replies to read, with what was asked where the run keeps its items.

    `outcomes` chooses among the replies; without, all that have a reply are taken. Columns are those of the record's
    key, ``unit, question, question.language, reply, reply.language, labels, outcome, answer``.
    """
    records = run.records
    if "reply" not in records.columns:
        raise UsageError("the records hold no replies")
    kept = records.filter(pl.col("reply").is_not_null() & (pl.col("outcome") != "error"))
    if outcomes:
        known = set(records["outcome"].unique())
        refuse_unknown("outcome in these records", outcomes, known)
        kept = kept.filter(pl.col("outcome").is_in(list(outcomes)))
    if kept.is_empty():
        raise UsageError("no reply is left to read")
    asked = _asked(run)
    labels = _labels(records)
    rows = []
    for row in kept.iter_rows(named=True):
        question = asked.get((row["item"], row["input"], row["model"])) or asked.get(
            (row["item"], row["input"], None)
        )
        rows.append(
            {
                **{name: row[name] for name in KEY},
                "unit": "|".join(str(row[name]) for name in KEY),
                "question": question,
                "question.language": _language(row["input"]),
                "reply": row["reply"],
                "reply.language": _language(row["instruction"]),
                "labels": list(row["options"]) if row["options"] is not None else labels.get(row["task"], []),
                "outcome": row["outcome"],
                "answer": row["answer"],
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def changed_frame(run: Run, a: str, b: str) -> pl.DataFrame:
    """Items with an answer that differs between two senses (instruction and input alike), in both wordings.

    An answer that cannot be read differs from every other, as in the default of the measures; a request that failed
    has no answer, and nothing changed there. Columns are those of `sides_frame`, with ``answer_a, answer_b,
    outcome_a, outcome_b``; a row for each model and item.
    """
    sides = sides_frame(run, a, b).drop("unit")
    made = sides["model"].is_not_null().any()
    whole = run.records.filter(
        (pl.col("instruction") == pl.col("input")) & (pl.col("repeat") == 1) & (pl.col("outcome") != "error")
    )
    key = ["model", "task", "item"]
    pair = [
        whole.filter(pl.col("input") == code).select(*key, pl.col("answer", "outcome").name.suffix(end))
        for code, end in ((a, "_a"), (b, "_b"))
    ]
    joined = pair[0].join(pair[1], on=key)
    changed = joined.filter(~(pl.col("answer_a") == pl.col("answer_b")).fill_null(False))
    shown = changed.join(sides if made else sides.drop("model"), on=["item", "model"] if made else ["item"])
    if shown.is_empty():
        raise UsageError(f"no answer differs between {a!r} and {b!r} among {joined.height} compared")
    return shown.with_columns(unit=pl.concat_str("model", "task", "item", separator="|")).sort("unit")


def worded(row: Mapping[str, Any]) -> str:
    """An item as raters read it: its fields, then its options with letters."""
    fields = [str(row[name]) for name in row if name.startswith(_FIELD) and row[name] is not None]
    if not fields:
        known = ("item", "language", "gold", "options", "input", "model")
        fields = [str(value) for name, value in row.items() if isinstance(value, str) and name not in known]
    options = row.get("options") or []
    lettered = [f"{_LETTERS[at]}. {text}" for at, text in enumerate(options) if at < len(_LETTERS)]
    return "\n\n".join(fields + (["\n".join(lettered)] if lettered else []))


def _items(run: Run) -> pl.DataFrame:
    if run.items is None:
        raise UsageError("the run keeps no items (items.parquet): give a table of texts instead")
    for name in ("item", "language"):
        if name not in run.items.columns:
            raise DataError(f"the items have no column {name!r}", file="items.parquet")
    return run.items if "input" in run.items.columns else run.items.with_columns(input=pl.col("language"))


def _of_sense(items: pl.DataFrame, code: str) -> list[dict[str, Any]]:
    known = items["input"].unique().to_list()
    if code not in known:
        raise UnknownNameError("sense of the items", code, known)
    return items.filter(pl.col("input") == code).to_dicts()


def _asked(run: Run) -> dict[tuple[str, str, str | None], str]:
    if run.items is None:
        return {}
    return {(row["item"], row["input"], row.get("model")): worded(row) for row in _items(run).to_dicts()}


def _labels(records: pl.DataFrame) -> dict[str, list[str]]:
    """Labels of each task, for rows that name no options: all that were ever given or right."""
    found = {}
    for (task,), part in records.group_by("task"):
        found[str(task)] = sorted({*part["answer"].drop_nulls(), *part["gold"].drop_nulls()})
    return found


def _language(code: str) -> str | None:
    sense = parsed(code)
    return sense.language if sense is not None else None


def _key(row: Mapping[str, Any]) -> str | None:
    gold, options = row.get("gold"), row.get("options") or []
    place = _LETTERS.find(gold) if gold and len(gold) == 1 else -1
    return f"{gold}. {options[place]}" if 0 <= place < len(options) else gold


def _groups(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(_GROUP): row[name] for name in row if name.startswith(_GROUP)}
