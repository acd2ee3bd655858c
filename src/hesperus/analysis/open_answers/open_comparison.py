"""Two runs of open answers side by side, or two models of one: what is kept better, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hesperus.analysis.open_answers.contrasts import CONTRAST_COLUMNS, contrast_rows
from hesperus.analysis.open_answers.differences import SWAPS
from hesperus.analysis.open_answers.open_measures import OPEN_COMPARED
from hesperus.analysis.open_answers.sides import ALL, Chosen, CommonEvaluation, RunPair, opened, places
from hesperus.analysis.p_corrections import EXCHANGED, P_DECIDES, correct, tests_signature, without_resamples
from hesperus.analysis.run_kinds import Described
from hesperus.analysis.settings import GivenSettings, agreed_settings
from hesperus.analysis.short_signature import SHORT
from hesperus.analysis.table import NewRow, Table, table
from hesperus.errors import DataError, UsageError
from hesperus.fingerprint import JSON, plain
from hesperus.measures import Bootstrap
from hesperus.version import __version__

_PLACES = {
    "scores": ("language", "input_a", "input_b"),
    "groups": ("grouping", "group", "languages"),
}
_SHOWN = (
    "evaluator", "model_a", "model_b", "task", "language", "grouping", "group", "statistic", "value_a", "value_b", "answered_a",
    "answered_b", "value", "low", "high", "p", "p_holm", "detectable", "n", "excluded", "reason",
)  # fmt: skip
_MAIN = ("precision", "recall", "f_of_means", "agreement")
_EVERYTHING = Chosen()


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
    chosen: Chosen = _EVERYTHING,
    given: GivenSettings | None = None,
) -> Comparison:
    """Difference of a second run from a first, on the prompts that both have.

    Args:
        runs: What two run folders say of themselves; the same one twice compares two of its models.
        what: ``scores`` (a row a language, and one of all languages together) or ``groups`` of languages.
        chosen: Which models are compared with each other, and which rows are wanted.
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
    both = opened(runs, chosen)
    drawn = agreed_settings(given, both.studies).bootstrap
    rows = [row for one in both.evaluations for row in _rows(one, both, (what, chosen), drawn)]
    if not any(row["n"] for row in rows):
        reasons = dict.fromkeys(str(row["reason"]) for row in rows if row["reason"])
        why = "; ".join([*list(reasons)[:1], *both.apart.warnings()])
        raise DataError("the runs share no prompt that could be compared" + (f": {why}" if why else ""))
    tests = _adjust(rows, what)
    if not drawn.resamples:
        without_resamples(rows)
    signature = {
        "hesperus": __version__,
        "bootstrap": plain(drawn),
        "swaps": SWAPS,
        "tests": tests,
        **both.apart.signed(),
        "evaluations": {one.what: one.signatures[0] for one in both.evaluations},
    }
    columns = ("evaluator", "model_a", "model_b", "task", *_PLACES[what], *CONTRAST_COLUMNS)
    found = table(f"compare {what}", columns, rows=rows, signature=signature)
    return Comparison(found, tuple(both.apart.warnings()))


def _rows(
    one: CommonEvaluation, both: RunPair, wanted: tuple[str, Chosen], bootstrap: Bootstrap
) -> list[NewRow]:
    what, chosen = wanted
    remark = both.apart.instrument_said(one.what)
    return [
        {"evaluator": one.what, **place, **row}
        for place, sides in places(one, what, both.studies, chosen.matched)
        for row in contrast_rows(sides, reworded=both.apart.reworded, bootstrap=bootstrap, remark=remark)
    ]


def _adjust(rows: Sequence[NewRow], what: str) -> dict[str, JSON]:
    """Holm's and Benjamini and Hochberg's p in each family of rows; gives what the signature says of the tests."""
    families: dict[tuple[object, ...], list[NewRow]] = {}
    for row in rows:
        place = row["grouping"] if what == "groups" else row["language"] == ALL
        families.setdefault((row["evaluator"], row["statistic"], place), []).append(row)
    sizes = [correct(family, bh_into="p_bh") for family in families.values()]
    return tests_signature(EXCHANGED, sizes, of="rows of the same evaluator and statistic", decides=P_DECIDES)
