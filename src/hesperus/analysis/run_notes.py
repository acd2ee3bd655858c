"""What a reader of a run must be told in words: its summary, the language of replies, right answers, packs and task."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import polars as pl

from hesperus.analysis.answered import Coverage, coverage
from hesperus.analysis.compared_pairs import Side
from hesperus.analysis.reply_language import language_notes
from hesperus.analysis.table import ESTIMATE_COLUMNS, Row, Table
from hesperus.frames import distinct_rows, slices
from hesperus.languages import language_asked, pack_or_none
from hesperus.records.labels import VERDICTS
from hesperus.rounding import cell
from hesperus.types import OUTCOMES
from hesperus.wording import OUTCOME_WORDS, counted, first_named, joined, language_name, sense_brief

_MOST_NAMED = 12
"""Languages or models that a note names; the table has all."""
_MOST_CODES = 6
"""Senses whose gold is missing that a note names."""
_MANY_LOST = 0.1
"""Share of replies without an answer from which on it is said what κp makes of them."""
_KAPPA_OF_UNANSWERED = {
    "disagree": "of which some would agree by chance, while none of these can: it is too low",
    "agree": "and two of them as the same: it says little of the answers",
}
"""What the rules for invalid answers make of κp."""
_OF_CONSISTENCY = ("consistency", "noise", "total")
_OF_AGREEMENT = (*_OF_CONSISTENCY, "kappa", "scott", "alpha", "ac3", "raw", "pearson")
_OF_ANSWERS = (*_OF_AGREEMENT, "accuracy", "gold_share")
_OF_KAPPA = ("kappa_p", "pearson")
"""Words in the names of the statistics that a note is about."""
_CONSTANT_FROM = 5
"""Answers from which on it is worth saying that all are the same label."""


def run_notes(summary: Table, records: pl.DataFrame, signature: Row) -> list[str]:
    """All that a reader of a run must be told in words: its summary, its replies' language, packs and task."""
    return [
        *summary_notes(summary),
        *language_notes(records),
        *gold_notes(records),
        *pack_notes(records),
        *task_notes(signature),
    ]


def task_notes(signature: Mapping[str, object]) -> list[str]:
    """The notes of a run's task, from the run's signature."""
    noted = signature.get("notes")
    return [str(note) for note in noted] if isinstance(noted, list | tuple) else []


def summary_notes(summary: Table, statistics: Collection[str] | None = None) -> list[str]:
    """What the numbers of a summary do not say by themselves, each as one sentence.

    Args:
        summary: The summary of a run.
        statistics: Statistics of the table next to which the notes are told: what is about others is left out. None: all.

    Returns:
        That a model's questions had no reply; that a model gives one label whatever is asked; that its consistency is no
        more than chance would give. Empty if there is nothing of the kind.
    """
    notes: list[str] = []
    grouped = summary.columns.index("instruction") > 2
    settings = summary.signature.get("MeasureSettings")
    rule = settings.get("invalid") if isinstance(settings, Mapping) else None
    excluded: dict[tuple[str, str], list[str]] = {}
    by_model: dict[tuple[str, str], list[Row]] = {}
    for row in summary.rows:
        by_model.setdefault((str(row["model"]), str(row["task"])), []).append(row)
    for (model, task), rows in by_model.items():
        who = f"{model}, {task}"
        if not grouped:
            notes += _lost_note(who, rows)
            for note in _excluded_notes(rows, statistics):
                excluded.setdefault((task, note), []).append(model)
        if _is_of(statistics, *_OF_ANSWERS):
            notes += _constant_note(who, rows)
        if _is_of(statistics, *_OF_CONSISTENCY):
            notes += _chance_note(who, rows)
        if _is_of(statistics, *_OF_KAPPA):
            notes += _unanswered_kappa_note(who, rows, rule)
    # The same items are mostly missing from the numbers of all models: that is said once.
    return [*notes, *(f"{_named(models)}, {task}: {note}" for (task, note), models in excluded.items())]


def _is_of(statistics: Collection[str] | None, *words: str) -> bool:
    """Whether a table has a statistic that one of these words is in the name of."""
    return statistics is None or any(word in name for name in statistics for word in words)


def nothing_answered(records: pl.DataFrame) -> str:
    """The sentence that is in place of every number where no question was answered; empty where one was."""
    return nothing_of(coverage(records).get((), Coverage()))


def nothing_of(found: Coverage) -> str:
    """The same of what became of some questions."""
    if found.answered:
        return ""
    if not found.asked:
        return "nothing was asked: there is no record, hence nothing to measure"
    return (
        f"nothing was answered: of {counted(found.asked, 'question')} {_outcomes(found.lost)}; there is nothing to measure "
        "(`measure outcomes` has the counts by model and language)"
    )


def _lost_note(who: str, rows: Sequence[Row]) -> Iterator[str]:
    asked = sum(int(row["n"]) for row in rows if row["statistic"] == "answered")
    counts = {name: sum(_count(row) for row in rows if row["statistic"] == name) for name in OUTCOMES}
    lost: dict[str, int] = {name: n for name, n in counts.items() if n and name != "answered"}
    if not lost:
        return
    missing = lost.get("error", 0)
    said = f"{who}: {sum(lost.values()):,} of {counted(asked, 'question')} have no answer: {_outcomes(lost)}"
    yield said + ("; questions without a reply are missing data, in no number" if missing else "")


def _constant_note(who: str, rows: Sequence[Row]) -> Iterator[str]:
    tops = [row for row in rows if row["statistic"] == "top_label" and row["value"] is not None]
    constant = [row for row in tops if row["value"] == 1.0 and int(row["n"]) >= _CONSTANT_FROM]
    if not constant:
        return
    counts = {(_place(row), str(row["statistic"])): _count(row) for row in rows}
    # Of replies without an answer nothing is said here: what counts is that all answers are right.
    right = {
        place
        for place, name in counts
        if name == "accuracy" and counts[place, name] == counts[place, "answered"]
    }
    for is_right in (False, True):
        told = [row for row in constant if (_place(row) in right) == is_right]
        if told:
            yield f"{who}: {_constant(told, len(told) == len(tops), is_right=is_right)}"


def _constant(rows: Sequence[Row], everywhere: bool, *, is_right: bool) -> str:
    """That answers are all the same label; where it is also right everywhere, the questions are to blame, not the model."""
    labels = ", ".join(dict.fromkeys(str(row["label"]) for row in rows))
    senses = list(dict.fromkeys(map(_where, rows)))
    where = "" if everywhere else f" in {first_named(senses, _MOST_NAMED)}"
    if is_right:
        return (
            f"all answers are the same label ({labels}){where}, and all are right: on such items nobody can tell a model "
            "that understands from one that always says so"
        )
    return (
        f"always gives the same label ({labels}){where}, whatever is asked: there consistency and agreement say nothing of "
        "what it understands"
    )


def _chance_note(who: str, rows: Sequence[Row]) -> Iterator[str]:
    lines: dict[tuple[object, ...], dict[str, Row]] = {}
    for row in rows:
        lines.setdefault(_place(row), {})[str(row["statistic"])] = row
    told = []
    for line in lines.values():
        consistent, chance, kappa = (line.get(name) for name in ("consistency", "chance", "cohen_kappa"))
        if consistent is None or chance is None or consistent["value"] is None or chance["value"] is None:
            continue
        if not _beyond_chance(consistent, chance, kappa):
            told.append(
                f"{_where(consistent)} ({cell(float(consistent['value']), 'share')}, by chance "
                f"{cell(float(chance['value']), 'share')})"
            )
    if told:
        where = first_named(told, _MOST_NAMED)
        yield f"{who}: consistency is not shown to be more than chance alone would give in {where}"


def _unanswered_kappa_note(who: str, rows: Sequence[Row], rule: object) -> Iterator[str]:
    """That κp counts replies without an answer as wrong answers, where many are."""
    if rule not in _KAPPA_OF_UNANSWERED:
        return
    lost: dict[tuple[object, ...], float] = {}
    for row in rows:
        if row["statistic"] in OUTCOMES and row["statistic"] not in ("answered", "error"):
            key = (*_groups(row), row["input"])
            lost[key] = lost.get(key, 0.0) + float(row["value"] or 0.0)
    told = [
        _where(row)
        for row in rows
        if row["statistic"] == "kappa_p" and row["value"] is not None
        if max(lost.get((*_groups(row), row[side]), 0.0) for side in ("input", "reference")) >= _MANY_LOST
    ]
    if told:
        yield (
            f"{who}: κp counts a reply without an answer as a wrong answer, {_KAPPA_OF_UNANSWERED[rule]} in "
            f"{first_named(told, _MOST_NAMED)}, where a tenth of the replies or more have none; `--invalid drop` leaves them out"
        )


def _place(row: Row) -> tuple[object, ...]:
    """What a row of a summary is about, apart from the statistic."""
    return tuple(
        row[name] for name in row if name not in {"statistic", "reference", "label", *ESTIMATE_COLUMNS}
    )


def _beyond_chance(consistent: Row, chance: Row, kappa: Row | None) -> bool:
    # κ is of the items with one gold label in all senses; where it is of fewer, the share itself is compared with chance.
    same = kappa is not None and kappa["n"] == consistent["n"]
    told, floor = (kappa, 0.0) if kappa is not None and same else (consistent, float(chance["value"]))
    bound = told["low"] if isinstance(told["low"], float) else told["value"]
    return bound is not None and float(bound) > floor


def _sense(row: Row) -> str:
    """In words."""
    return Side(str(row["instruction"]), str(row["input"])).brief


def _where(row: Row) -> str:
    """The same, after the values of the columns that the records were grouped by."""
    return " ".join([*map(str, _groups(row)), _sense(row)])


def _groups(row: Row) -> list[object]:
    """Values of the columns that the records were grouped by."""
    names = list(row)
    return [row[name] for name in names[2 : names.index("instruction")]]


def _count(row: Row) -> int:
    return 0 if row["value"] is None else round(float(row["value"]) * int(row["n"]))


def _outcomes(lost: Mapping[str, int]) -> str:
    words = {**OUTCOME_WORDS, "error": "without a reply (error)"}
    return ", ".join(f"{count:,} {words.get(name, name)}" for name, count in lost.items())


def _excluded_notes(rows: Sequence[Row], statistics: Collection[str] | None) -> Iterator[str]:
    """Why items are excluded from the numbers, each reason once with the languages and numbers that it befell."""
    told: dict[str, dict[str, list[str]]] = {}
    for row in rows:
        name = str(row["statistic"])
        if name in ("accuracy", "consistency", "kappa_p") and row["reason"] and _is_of(statistics, name):
            said = "κp" if name == "kappa_p" else name
            told.setdefault(str(row["reason"]), {}).setdefault(_sense(row), []).append(said)
    for reason, senses in told.items():
        by_names: dict[str, list[str]] = {}
        for sense, names in senses.items():
            by_names.setdefault(", ".join(names), []).append(sense)
        where = "; ".join(f"{names} in {first_named(held, _MOST_NAMED)}" for names, held in by_names.items())
        yield f"{reason} ({where})"


def gold_notes(records: pl.DataFrame) -> list[str]:
    """A sentence on each task that has verdicts in place of answers, gold in other words in other senses, or in some senses only."""
    told = [
        f"{task}: of each answer it is only known whether it is right; “same answer” means right on both sides or wrong on "
        "both, and two wrong answers may differ"
        for task in _tasks_of_verdicts(records)
    ]
    told += _other_words(records)
    if not records.select(pl.col("gold").null_count()).item():
        return told
    without = pl.col("gold").is_null()
    some = records.filter(
        (without.any() & (pl.col("gold").drop_nulls().n_unique() == 1)).over("task", "item")
    )
    for (task,), part in some.partition_by("task", as_dict=True, maintain_order=True).items():
        codes = list(map(sense_brief, part.filter(without)["input"].unique().sort()))
        told.append(
            f"{task}: {counted(part['item'].n_unique(), 'item')} without gold in {first_named(codes, _MOST_CODES)}: "
            "accuracy there excludes them; numbers over several senses (κp, accuracy over all languages) take the gold of the others"
        )
    return told


def _tasks_of_verdicts(records: pl.DataFrame) -> dict[str, None]:
    verdicts = pl.col("options").list.eval(pl.element().is_in(VERDICTS)).list.all()
    found: dict[str, None] = {}
    for part in slices(records):
        two = part.select("task", "options").filter(pl.col("options").list.len() == len(VERDICTS))
        found |= dict.fromkeys(two.unique(maintain_order=True).filter(verdicts)["task"])
    return found


def _other_words(records: pl.DataFrame) -> list[str]:
    """Tasks in which right answers to an item are not the same label in all senses: Rome and Rom."""
    right = records.lazy().filter((pl.col("answer") == pl.col("gold")).fill_null(False))
    key = ("task", "item")
    gold = pl.col("gold").to_physical()  # the order of codes is no matter, and theirs is found at once
    ends = right.group_by(key).agg(gold.min().alias("low"), gold.max().alias("high"))
    several = ends.filter(pl.col("low") != pl.col("high")).select(key).collect(engine="streaming").lazy()
    golds = right.join(several, on=key, how="semi").group_by(key).agg(pl.col("gold").unique().sort())
    found = golds.sort(key).collect()
    told = []
    for (task,), part in found.partition_by("task", as_dict=True, maintain_order=True).items():
        one, other = part["gold"][0][:2]
        told.append(
            f"{task}: {counted(len(part), 'item')} answered rightly in several senses under different labels (first {one!r} and "
            f"{other!r}): consistency counts these as different answers; write one label in every language, as `hesperus import` does"
        )
    return told


def pack_notes(records: pl.DataFrame) -> list[str]:
    """One sentence where answers were read by packs that no native reader has confirmed; one if there is no pack.

    Rows without a rule, or answered by probabilities, were read by no words.
    """
    if "rule" not in records.columns:
        return []
    rules = distinct_rows(records, ("instruction", "rule")).cast(pl.String)
    read = rules.filter(pl.col("rule").is_not_null() & ~pl.col("rule").str.starts_with("logprobs"))
    tags = sorted({tag for code in read["instruction"].unique() if (tag := language_asked(code))})
    packs = {tag: pack_or_none(tag) for tag in tags}
    told = []
    if unconfirmed := [tag for tag, found in packs.items() if found is not None and found.reviewed == "no"]:
        told.append(
            f"Answers in {_languages_named(unconfirmed)} are read by language packs that no native reader has confirmed."
        )
    if without := [tag for tag, found in packs.items() if found is None]:
        told.append(
            f"There is no language pack for {_languages_named(without)}: answers are read by English words and Latin letters."
        )
    return told


def _named(names: list[str]) -> str:
    return joined(names) if len(names) <= _MOST_NAMED else first_named(names, _MOST_NAMED)


def _languages_named(tags: list[str]) -> str:
    return _named([language_name(tag) for tag in tags])
