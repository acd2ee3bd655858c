"""Two runs of open answers side by side, or two models of one: what is kept better, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from hesperus.analysis.compared import matched_models
from hesperus.analysis.open_answers.contrasts import CONTRAST_COLUMNS, WAY, contrast_rows
from hesperus.analysis.open_answers.differences import SWAPS
from hesperus.analysis.open_answers.evidence import homes, read_pairs
from hesperus.analysis.open_answers.instruments import RunDifferences, asked_apart, instrument_apart, reworded
from hesperus.analysis.open_answers.open_measures import OPEN_COMPARED, STUDY, is_open
from hesperus.analysis.open_answers.open_tables import CELL, members, settings_of, trained_languages
from hesperus.analysis.open_answers.statistics import need
from hesperus.analysis.p_corrections import EXCHANGED, tested
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings, agreed_settings
from hesperus.analysis.short_signature import SHORT
from hesperus.analysis.table import NewRow, Table, table
from hesperus.analysis.views import narrowed
from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import plain
from hesperus.version import __version__

_ALL = "all"
"""In place of a language: all that the runs share, together."""
_PLACES = {
    "scores": ("language", "input_a", "input_b"),
    "groups": ("grouping", "group", "languages"),
}
_SHOWN = (
    "evaluator", "model_a", "model_b", "task", "language", "grouping", "group", "statistic", "value_a", "value_b", "answered_a",
    "answered_b", "value", "low", "high", "p", "p_holm", "detectable", "n", "excluded", "reason",
)  # fmt: skip
_MAIN = ("precision", "recall", "f_of_means", "agreement")
_PAIR_KEY = (*CELL, "item", "repeat")
_SENSE = ("language", "instruction", "input")

_Pair = tuple[pl.DataFrame, pl.DataFrame]


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """Two runs side by side.

    Attributes:
        table: A row for each evaluator, model, language (or group) and statistic.
        warnings: What to know before the numbers are believed, a sentence each.
    """

    table: Table
    warnings: tuple[str, ...]


def main_rows(compared: Table) -> Table:
    """What a terminal shows of a comparison: the main statistics of each evaluator, without ceilings."""
    columns = tuple(name for name in _SHOWN if name in compared.columns)
    rows = [{name: row[name] for name in columns} for row in compared.rows if row["statistic"] in _MAIN]
    kept = ("hesperus", "bootstrap", "swaps", "tests", SHORT)
    signature = {name: compared.signature[name] for name in kept if name in compared.signature}
    return table(compared.measure, columns, rows=rows, signature=signature)


def compare_open_answers(
    runs: tuple[Described, Described],
    what: str = "scores",
    *,
    matched: tuple[str, str] | None = None,
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    given: GivenSettings | None = None,
) -> Comparison:
    """Difference of a second run from a first, on the prompts that both have.

    Args:
        runs: What two run folders say of themselves; the same one twice compares two of its models.
        what: ``scores`` (a row a language, and one of all languages together) or ``groups`` of languages.
        matched: A model of the first and one of the second run; None pairs models of the same name, or the only two.
        models: Only these; all where empty.
        tasks: Only these; all where empty.
        given: What was asked for; both studies decide what is not given.

    Returns:
        A row for each evaluator, model, task, language and statistic: both values; `value` = second − first, with its
        interval from resampled prompts, the same on both sides; `p`, two-sided, of exchanging the sides of whole
        prompts; `p_holm` and `p_bh` over the rows of the same evaluator and statistic (all languages together, and
        each grouping, are families of their own); `detectable`, the smallest difference that so many prompts would
        show with a chance of 80 %; pairs (`n`), `prompts`, what was excluded and why; both ceilings, and the difference
        of scores over their own ceiling.

    Raises:
        UnknownNameError: A model or task that does not exist.
        UsageError: A run is not one of open answers, or there is no such table.
        DataError: The runs share no evaluator, model, language or prompt, or hold broken evaluations.
    """
    if what not in OPEN_COMPARED:
        raise UsageError(f"of open answers {' and '.join(OPEN_COMPARED)} are compared, not {what}")
    evaluations, apart = _opened(runs, models, tasks, is_matched=matched is not None)
    drawn = agreed_settings(given, [run.study for run in runs]).bootstrap
    rows: list[NewRow] = [
        {"evaluator": one.what, **place, **row}
        for one in evaluations
        for place, sides in _places(one.pairs, what, runs, matched)
        for row in contrast_rows(
            sides, reworded=apart.reworded, bootstrap=drawn, remark=apart.instrument_said(one.what)
        )
    ]
    if not any(row["n"] for row in rows):
        reasons = dict.fromkeys(str(row["reason"]) for row in rows if row["reason"])
        why = "; ".join([*list(reasons)[:1], *apart.warnings()])
        raise DataError("the runs share no prompt that could be compared" + (f": {why}" if why else ""))
    tests = tested(
        rows, EXCHANGED, drawn, of="rows of the same evaluator and statistic", bh_into="p_bh",
        family=lambda row: (row["evaluator"], row["statistic"], row["grouping"] if what == "groups" else row["language"] == _ALL),
    )  # fmt: skip
    signature = {
        "hesperus": __version__,
        "bootstrap": plain(drawn),
        "swaps": SWAPS,
        "tests": tests,
        **apart.signed(),
        "evaluations": {one.what: one.signatures[0] for one in evaluations},
    }
    columns = ("evaluator", "model_a", "model_b", "task", *_PLACES[what], *CONTRAST_COLUMNS)
    found = table(f"compare {what}", columns, rows=rows, signature=signature)
    return Comparison(found, tuple(apart.warnings()))


class _Common(NamedTuple):
    """An evaluation that both runs have: its tables of pairs, and how each was made."""

    what: str
    pairs: _Pair
    signatures: tuple[Mapping[str, object], Mapping[str, object]]


def _opened(
    runs: tuple[Described, Described], models: Sequence[str], tasks: Sequence[str], *, is_matched: bool
) -> tuple[list[_Common], RunDifferences]:
    """The evaluations that both runs have, and what differs between the runs besides the models."""
    first, second = (_folder(run, side) for run, side in zip(runs, "ab", strict=True))
    placed = homes(first, runs[0].study), homes(second, runs[1].study)
    alone = {"evaluators": _alone(list(placed[0]), list(placed[1]))}
    shared = [
        _common(what, (place, placed[1][what]), models, tasks)
        for what, place in placed[0].items()
        if what in placed[1]
    ]
    notes = [note for one in shared if (note := _properties_apart(one))]
    found = [one for one in shared if not _properties_apart(one)]
    if not found:
        names = " and ".join(", ".join(side) for side in placed)
        why = "".join(f"; {note}" for note in notes)
        raise DataError(f"the runs share no evaluator that could be compared ({names}){why}")
    for kind in ("language",) if is_matched else ("language", "model"):
        own, other = (side[kind].unique().sort().to_list() for side in found[0].pairs)
        alone[f"{kind}s"] = _alone(own, other)
    words, unknown = reworded((first, second), str(found[0].signatures[0].get("reference")))
    instruments = {one.what: instrument_apart(*one.signatures) for one in found}
    asked = asked_apart(runs[0].study, runs[1].study)
    return found, RunDifferences(instruments, asked, alone, words, (*notes, *filter(None, [unknown])))


def _folder(run: Described, side: str) -> Path:
    if run.folder is None or not is_open(run):
        raise UsageError(
            f"side {side} is no run folder of open answers (`hesperus run {STUDY}`), and scores are compared of two such runs"
        )
    return run.folder


def _common(what: str, placed: tuple[Path, Path], models: Sequence[str], tasks: Sequence[str]) -> _Common:
    (first, signed_a), (second, signed_b) = (read_pairs(home) for home in placed)
    references = [signed.get("reference") for signed in (signed_a, signed_b)]
    if references[0] != references[1]:
        raise DataError(
            f"{what}: side a is compared with answers in {references[0]}, side b with answers in {references[1]}; their "
            "scores say different things"
        )
    for pairs, home in zip((first, second), placed, strict=True):
        need(pairs, (*_PAIR_KEY, "state", "outcome", "reference_outcome"))
        if pairs.select(_PAIR_KEY).is_duplicated().any():
            raise DataError("a prompt stands several times with the same model, sense and repeat", file=home)
    one, other = (narrowed(pairs, models=models, tasks=tasks) for pairs in (first, second))
    return _Common(what, (one, other), (signed_a, signed_b))


def _properties_apart(one: _Common) -> str:
    """What to say where the sides have different properties; empty where they have the same."""
    begin = "reference."
    names = [
        sorted(name.removeprefix(begin) for name in side.columns if name.startswith(begin))
        for side in one.pairs
    ]
    if names[0] == names[1]:
        return ""
    said = " and ".join(", ".join(side) or "none" for side in names)
    return f"{one.what}: the properties differ ({said}), excluded"


def _alone(first: Sequence[str], second: Sequence[str]) -> dict[str, list[str]]:
    """Names that only side a, or b, has."""
    own = {
        "a": [name for name in first if name not in second],
        "b": [name for name in second if name not in first],
    }
    return {side: names for side, names in own.items() if names}


def _places(
    pairs: _Pair, what: str, runs: tuple[Described, Described], matched: tuple[str, str] | None
) -> Iterator[tuple[NewRow, _Pair]]:
    """The coordinates of each row of a comparison, and its pairs on both sides."""
    for names in matched_models([side["model"].unique() for side in pairs], matched):
        first, second = (side.filter(model=name) for side, name in zip(pairs, names, strict=True))
        tasks = second["task"].unique()
        for task in first.filter(pl.col("task").is_in(tasks.implode()))["task"].unique(maintain_order=True):
            ways, one, other = _ways(first.filter(task=task), second.filter(task=task))
            rows = _by_language(ways) if what == "scores" else _by_group(ways, _trained(runs, names))
            for place, wanted in rows:
                head = {"model_a": names[0], "model_b": names[1], "task": task}
                inside = pl.col(WAY).is_in(wanted["way"].implode())
                yield {**head, **place}, (one.filter(inside), other.filter(inside))


def _ways(first: pl.DataFrame, second: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Cells that both sides have (of the same senses, or the only one of a language on each), and the pairs in them."""
    senses = [side.select(_SENSE).unique(maintain_order=True) for side in (first, second)]
    both = senses[0].join(senses[1], on="language", suffix="_b", maintain_order="left")
    same = (pl.col("instruction") == pl.col("instruction_b")) & (pl.col("input") == pl.col("input_b"))
    ways = both.filter(same | (pl.len().over("language") == 1)).with_row_index(WAY)
    sides = [
        side.join(ways.select(WAY, "language", **{name: f"{name}{end}" for name in _SENSE[1:]}), on=_SENSE)
        for side, end in ((first, ""), (second, "_b"))
    ]
    return ways, sides[0], sides[1]


def _by_language(ways: pl.DataFrame) -> Iterator[tuple[NewRow, pl.DataFrame]]:
    for number, way in enumerate(ways.iter_rows(named=True)):
        codes = [
            given if given == how else f"{how}/{given}"
            for how, given in ((way[f"instruction{end}"], way[f"input{end}"]) for end in ("", "_b"))
        ]
        yield {"language": way["language"], "input_a": codes[0], "input_b": codes[1]}, ways[number]
    if ways.height > 1:
        yield {"language": _ALL, "input_a": None, "input_b": None}, ways


def _by_group(ways: pl.DataFrame, trained: frozenset[str] | None) -> Iterator[tuple[NewRow, pl.DataFrame]]:
    for grouping, group, inside in members(ways["language"].unique().sort().to_list(), trained):
        place = {"grouping": grouping, "group": group, "languages": " ".join(inside)}
        yield place, ways.filter(pl.col("language").is_in(inside))


def _trained(runs: tuple[Described, Described], names: tuple[str, str]) -> frozenset[str] | None:
    """What both models are declared to be trained on; None if the declarations are not the same."""
    declared = [
        trained_languages(settings_of(run.study).trained_on).get(name)
        for run, name in zip(runs, names, strict=True)
    ]
    return declared[0] if declared[0] == declared[1] else None
