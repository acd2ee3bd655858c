"""Requirements on numbers, for continuous integration: a small strict language, read by hand and never evaluated.

    REQUIREMENT := MEASURE [.STATISTIC] [.low | .high] [ "[" TERM {, TERM} "]" ] OPERATOR NUMBER
    TERM        := SENSE | INSTRUCTION/INPUT | COLUMN=VALUE
    OPERATOR    := >= | > | <= | <

``consistency[de_from_en] >= 0.8`` holds where every row of which one side is (de_from_en, de_from_en) has a value of
at least 0.8; ``consistency.low[de_from_en] >= 0.75`` asks it of the lower end of the interval. In tables of similarity
that have no sense, a term without a column is a design, a group, a part or a comparison: ``means[within_model] >= 0.3``.
Of a run of open answers, ``scores.f_of_means[de] >= 0.6`` and ``groups.recall[grouping=family, Uralic] >= 0.5``;
of an audit of a translated benchmark, ``back_translation.tax.high[clustered] < 0.05``.

    DROP        := [MEASURE [.STATISTIC] [.low | .high] [ "[" TERM {, TERM} "]" ] "="] NUMBER

``accuracy[hi]=0.02`` holds where no such row of `hesperus compare BASELINE RUN accuracy` has fallen by more than 0.02;
``accuracy.high=0`` where no interval of a difference (simultaneous over the rows that such drops are about) lies wholly
on the side of a fall. A number alone is about
accuracy, of open answers about scores. Of a tax, which is a loss, a drop is a rise: ``back_translation=0.02``,
``native_control.low=0``. Only scores and groups of open answers have statistics
(``scores.recall[de]=0.03``); without one they are about the main one of each evaluator, F of means or agreement.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hesperus.analysis.measure_names import MEASURES, SIMILARITY, TAX_ESTIMATORS, TAX_TABLES, offered_measures
from hesperus.analysis.registry import measure_of
from hesperus.analysis.table import ANSWERED, Table, table
from hesperus.errors import UnknownNameError, UsageError
from hesperus.rounding import seven_digits

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHAPE = re.compile(
    r"\s*(?P<path>[A-Za-z0-9_.]+)\s*(?:\[(?P<terms>[^\]]*)\])?\s*(?P<operator>>=|<=|>|<)\s*(?P<number>\S+)\s*"
)
_DROP = re.compile(r"\s*(?:(?P<path>[A-Za-z0-9_.]+)\s*(?:\[(?P<terms>[^\]]*)\])?\s*=)?\s*(?P<number>\S+)\s*")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_HOLDS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_ENDS = ("value", "low", "high")
_ONLY = ""
"""Statistic of a requirement that names none, where the measure's table has one and the same in all rows."""

_OPEN_ANSWERS = ("scores", "groups")
"""Tables of a run of open answers that have statistics."""

_DROP_OF = "drop of "
_MAIN = ("f_of_means", "agreement")
"""The main statistic of each evaluator of open answers: what a drop is about that names none."""

_PLAIN_TERM = ("design", "group", "part", "comparison", "with", "language", "analysis", "stratum")


SIMULTANEOUS = "interval simultaneous over"
"""Said of an interval that holds together with those of other rows: it is wider than one that holds by itself."""

ROUNDED = "before it is rounded"
"""Said of a number that would satisfy a bound, or break it, if it were what people are shown."""
_SHOWN_DIGITS = 3
"""Digits after the point that people are shown of a number."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A requirement, read.

    Attributes:
        text: As it was written.
        measure: Name of the measure; of a drop, ``drop of MEASURE``.
        statistic: Value of the column `statistic`; empty for the only one there is.
        end: ``value``, ``low`` or ``high``.
        terms: What a row must have: ("", code) for a sense, (column, value) else.
        operator: One of >=, >, <=, <.
        number: The bound.
    """

    text: str
    measure: str
    statistic: str
    end: str
    terms: tuple[tuple[str, str], ...]
    operator: str
    number: float

    @classmethod
    def parse(cls, text: str) -> Requirement:
        """Read a requirement.

        Raises:
            UsageError: The text does not follow the grammar.
            UnknownNameError: No such measure.
        """
        shape = _SHAPE.fullmatch(text)
        if shape is None:
            raise UsageError(f"{text!r} is no requirement; write e.g. 'consistency[de_from_en] >= 0.8'")
        if _NUMBER.fullmatch(shape["number"]) is None:
            raise UsageError(f"requirement {text!r}: {shape['number']!r} is no number")
        measure, *path = shape["path"].split(".")
        known = (*MEASURES, *SIMILARITY, *_OPEN_ANSWERS, *TAX_TABLES, *offered_measures())
        if measure not in known:
            raise UnknownNameError("measure", measure, known)
        # A statistic of open answers may end in the name of a property: kappa.empathy
        most = 2 if measure in _OPEN_ANSWERS else 1
        if any(_WORD.fullmatch(word) is None for word in path) or len(path) > most + 1:
            raise UsageError(f"requirement {text!r}: {shape['path']!r} is no measure.statistic")
        end = path.pop() if path and path[-1] in _ENDS else "value"
        if len(path) > most:
            raise UsageError(f"requirement {text!r}: after the statistic comes low or high, not {path[1]!r}")
        declared = measure_of(measure)
        statistic = ".".join(path) if path else declared.main if declared is not None else _ONLY
        if statistic is None:
            raise UsageError(f"requirement {text!r}: {measure} has several statistics; write {measure}.NAME")
        return cls(
            text.strip(),
            measure,
            statistic,
            end,
            _terms(shape["terms"], text),
            shape["operator"],
            float(shape["number"]),
        )

    @classmethod
    def drop(cls, text: str, measures: Sequence[str], *, default: str = "accuracy") -> Requirement:
        """Read how far something may drop below a baseline, as a requirement on the table of differences.

        Args:
            text: For example ``accuracy[hi]=0.02``, or ``0.02``.
            measures: Measures that compare runs.
            default: The measure of a number alone.

        Raises:
            UsageError: The text does not follow the grammar, or the number is below 0.
            UnknownNameError: No such comparison.
        """
        shape = _DROP.fullmatch(text)
        if shape is None:
            raise UsageError(f"{text!r} is no drop; write e.g. 'accuracy[hi]=0.02', or 0.02")
        number = shape["number"]
        if _NUMBER.fullmatch(number) is None or float(number) < 0:
            raise UsageError(f"drop {text!r}: {number!r} is no number of 0 or more")
        measure, *path = (shape["path"] or default).split(".")
        if measure not in measures:
            raise UnknownNameError("comparison", measure, measures)
        end = path.pop() if path and path[-1] in _ENDS else "value"
        most = 2 if measure in _OPEN_ANSWERS else 0
        if len(path) > most or any(_WORD.fullmatch(word) is None for word in path):
            after = "the statistic" if most else "the measure"
            raise UsageError(f"drop {text!r}: after {after} comes low or high")
        terms = _terms(shape["terms"], text)
        said = f"max-drop {text.strip()}"
        bound = ("<=", float(number)) if measure in TAX_ESTIMATORS else (">=", -float(number))
        return cls(said, f"{_DROP_OF}{measure}", ".".join(path), end, terms, *bound)

    @property
    def compared(self) -> str:
        """Of a drop, the comparison that it is about."""
        return self.measure.removeprefix(_DROP_OF)

    def rows(self, measured: Table) -> list[Mapping[str, object]]:
        """The rows of the measure's table that the requirement is about.

        Raises:
            UnknownNameError: A statistic or column that the table does not have.
            UsageError: No row has all that the terms name.
        """
        statistics = {str(row["statistic"]) for row in measured.rows}
        if not statistics:
            raise UsageError(f"requirement {self.text!r}: the table of {self.measure} has no row")
        wanted = {self.statistic} if self.statistic else statistics
        if self.statistic == _ONLY and self.measure != self.compared and self.compared in _OPEN_ANSWERS:
            wanted = statistics.intersection(_MAIN)
        elif self.statistic == _ONLY and len(statistics) > 1:
            raise UsageError(
                f"requirement {self.text!r}: {self.measure} has several statistics; write {self.measure}.NAME, one of "
                f"{', '.join(sorted(statistics))}"
            )
        if not wanted & statistics:
            raise UnknownNameError(f"statistic of {self.measure}", self.statistic, statistics)
        for column, _ in self.terms:
            of_both = column == "model" and "model_a" in measured.columns
            if column and column not in measured.columns and not of_both:
                raise UnknownNameError(f"column of {self.measure}", column, measured.columns)
        found = [
            row
            for row in measured.rows
            if row["statistic"] in wanted and all(_has(row, *term) for term in self.terms)
        ]
        if not found:
            known = sorted({_where(row, measured.by) for row in measured.rows})
            shown = "; ".join(known[:12]) + ("; …" if len(known) > 12 else "")
            whose = sorted(
                {f"model={model}" for row in measured.rows if (model := _whose(row)) and "," not in model}
            )
            models = f" of {', '.join(whose[:6])}{', …' if len(whose) > 6 else ''}" if whose else ""
            raise UsageError(f"requirement {self.text!r} is about no row; there are: {shown}{models}")
        return found

    def holds(self, value: float) -> bool:
        """True where the value satisfies the bound."""
        return bool(_HOLDS[self.operator](value, self.number))


def check_table(requirements: Sequence[Requirement], tables: Mapping[str, Table]) -> Table:
    """Hold tables to requirements.

    Returns:
        A row per requirement and row that it is about; `passed` is False also where the value is undefined.

    Raises:
        UnknownNameError: A statistic or column that a table does not have.
        UsageError: A requirement is about no row.
    """
    rows: list[dict[str, object]] = []
    for requirement in requirements:
        measured = tables[requirement.measure]
        answered, groups = _answered(measured), measured.by
        for row in requirement.rows(measured):
            number = row[requirement.end]
            passed = isinstance(number, int | float) and requirement.holds(number)
            reasons = [row.get("reason") if number is not None or row["value"] is None else "no interval"]
            if together := measured.signature.get("simultaneous"):
                reasons.append(f"{SIMULTANEOUS} {together} rows")
            if isinstance(number, float) and requirement.holds(round(number, _SHOWN_DIGITS)) != passed:
                reasons.append(f"{seven_digits(number)} {ROUNDED}")
            rows.append(
                {
                    "requirement": requirement.text,
                    "passed": passed,
                    "model": _whose(row),
                    "task": row.get("task"),
                    "where": _where(row, groups),
                    **{name: row[name] for name in ("value", "low", "high", "n")},
                    "answered": answered(row),
                    "reason": "; ".join(map(str, filter(None, reasons))) or reasons[0],
                }
            )
    columns = (
        "requirement",
        "passed",
        "model",
        "task",
        "where",
        "value",
        "low",
        "high",
        "n",
        "answered",
        "reason",
    )
    signed = {measure: found.signature for measure, found in sorted(tables.items())}
    return table("check", columns, rows=rows, signature=signed)


def _answered(measured: Table) -> Callable[[Mapping[str, object]], object]:
    """What share was answered behind a row: of a difference in the run where it was less, of a summary in its language."""
    if "answered_a" in measured.columns:
        return lambda row: min(
            (share for side in "ab" if isinstance(share := row[f"answered_{side}"], float)), default=None
        )
    if ANSWERED in measured.columns or measured.measure != "summary":
        return lambda row: row.get(ANSWERED)
    place = [
        name
        for name in measured.columns[: measured.columns.index("statistic")]
        if name not in ("reference", "label")
    ]
    shares = {
        tuple(row[name] for name in place): row["value"]
        for row in measured.rows
        if row["statistic"] == ANSWERED
    }
    return lambda row: shares.get(tuple(row[name] for name in place))


def _terms(given: str | None, text: str) -> tuple[tuple[str, str], ...]:
    return tuple(_term(part, text) for part in (given or "").split(",") if part.strip())


def _whose(row: Mapping[str, object]) -> str | None:
    """The model of a row, both where it has two, or None if it is about all."""
    if "model_a" in row:
        return ", ".join(dict.fromkeys(str(row[side]) for side in ("model_a", "model_b")))
    return None if row.get("model") is None else str(row["model"])


def _term(part: str, text: str) -> tuple[str, str]:
    column, sign, value = (piece.strip() for piece in part.partition("="))
    if not sign:
        return "", column
    if not column or not value:
        raise UsageError(f"requirement {text!r}: {part.strip()!r} is no COLUMN=VALUE")
    return column, value


def _has(row: Mapping[str, object], column: str, value: str) -> bool:
    if column == "model" and "model_a" in row:
        return value == row["model_a"] == row["model_b"]
    if column:
        return str(row[column]) == value
    instruction, _, given = value.partition("/")
    wanted = (instruction, given or instruction)
    if "sense" in row:
        return row["sense"] == value
    if "instruction" in row:
        return (row["instruction"], row["input"]) == wanted
    if "a" not in row:
        return any(str(row[name]) == value for name in _PLAIN_TERM if row.get(name) is not None)
    label = f"instruction={wanted[0]},input={wanted[1]}"
    return any(
        str(row[side]) == label or str(row[side]).startswith(f"{label},repeat=") for side in ("a", "b")
    )


def _where(row: Mapping[str, object], groups: Sequence[str]) -> str:
    """The row's own coordinates, next to model and task."""
    place = _place(row)
    own = ",".join(f"{name}={row[name]}" for name in groups if f"{name}=" not in place)
    return ",".join(text for text in (own, place) if text)


def _place(row: Mapping[str, object]) -> str:
    if "a" in row:
        return f"{row['a']} with {row['b']}"
    if "sense" in row:
        return f"sense={row['sense']}"
    if "instruction" in row:
        whose = f"evaluator={row['evaluator']}," if "evaluator" in row else ""
        again = f",repeat={row['repeat']}" if "repeat" in row else ""
        return f"{whose}instruction={row['instruction']},input={row['input']}{again}"
    known = ("evaluator", "by", "part", "grouping", *_PLAIN_TERM, "aggregate", "size")
    return ",".join(f"{name}={row[name]}" for name in dict.fromkeys(known) if row.get(name) not in (None, ""))
