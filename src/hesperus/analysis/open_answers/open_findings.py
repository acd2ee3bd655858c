"""All that the page of open answers is made of, measured once for each evaluator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hesperus.analysis.compared_pairs import Side
from hesperus.analysis.families import family_key
from hesperus.analysis.open_answers.evidence import Evaluated
from hesperus.analysis.open_answers.open_tables import CELL, TableSettings, evaluation_table
from hesperus.analysis.open_answers.statistics import ENDINGS, SILENT
from hesperus.analysis.table import Row, Table
from hesperus.measures.information import INFORMATION
from hesperus.wording import language_label, language_name

Cell = tuple[str, str, str, str, str]
"""Model, task, language, instruction and input of a line."""


@dataclass(frozen=True, slots=True)
class OpenFindings:
    """The tables of one evaluator, and what they are about.

    Attributes:
        evaluated: What the evaluation left.
        scores: As scores_table gives it.
        groups: As groups_table gives it.
        counts: As counts_table gives it.
        cells: Cell to its statistics by name: models in order of name, languages by family.
        labels: Cell to what its language is called.
        level: Coverage of the intervals.
    """

    evaluated: Evaluated
    scores: Table
    groups: Table
    counts: Table
    cells: Mapping[Cell, Mapping[str, Row]]
    labels: Mapping[Cell, str]
    level: float

    @property
    def what(self) -> str:
        """Name of the evaluator."""
        return self.evaluated.what

    @property
    def reference(self) -> str:
        """Tag of the language that the others are compared with."""
        return str(self.evaluated.signature.get("reference") or "en")

    @property
    def reference_name(self) -> str:
        """Its English name."""
        return language_name(self.reference)

    @property
    def is_information(self) -> bool:
        """Whether claims were verified: precision and recall, else agreement."""
        return self.main == INFORMATION[2]

    @property
    def main(self) -> str:
        """The statistic that represents all."""
        return INFORMATION[2] if any(INFORMATION[2] in held for held in self.cells.values()) else "agreement"

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics of the table of scores."""
        return INFORMATION if self.is_information else (self.main,)

    @property
    def properties(self) -> tuple[str, ...]:
        """Properties of the texts' profiles, each measured by itself too; none if texts have no profile."""
        first = next(iter(self.cells.values()), {})
        begins = "agreement."
        return tuple(
            name.removeprefix(begins)
            for name in first
            if name.startswith(begins) and not name.endswith(ENDINGS)
        )

    @property
    def missing_rule(self) -> str:
        """How a property treats replies without an answer; empty for evaluators that compare contents."""
        judge = self.evaluated.signature.get("judge")
        return str(judge.get("missing", "")) if isinstance(judge, Mapping) else ""

    @property
    def models(self) -> tuple[str, ...]:
        """All models, sorted."""
        return tuple(dict.fromkeys(cell[0] for cell in self.cells))

    @property
    def has_ceiling(self) -> bool:
        """Whether any cell has a ceiling."""
        return any(held[self.main]["ceiling"] is not None for held in self.cells.values())

    @property
    def has_intervals(self) -> bool:
        """Whether any cell has an interval of the main statistic."""
        return any(held[self.main]["low"] is not None for held in self.cells.values())

    @property
    def is_silent(self) -> bool:
        """Whether no pair has two answers to compare, so that every score is the rule's for missing answers."""
        states = self.evaluated.pairs["state"]
        return bool(states.is_in(SILENT).any()) and not (states == "compared").any()

    def known(self, statistic: str | None = None) -> list[tuple[Cell, Row]]:
        """Cells in which a statistic (None: the main one) has a value."""
        rows = [(cell, held[statistic or self.main]) for cell, held in self.cells.items()]
        return [(cell, row) for cell, row in rows if row["value"] is not None]

    def whole(self, model: str, statistic: str | None = None) -> Row | None:
        """A statistic of a model over all languages; None if absent, or the model has several tasks."""
        found = [
            row
            for row in self.groups.rows
            if (row["model"], row["grouping"], row["statistic"]) == (model, "all", statistic or self.main)
        ]
        return found[0] if len(found) == 1 else None


def open_findings(evaluated: Evaluated, settings: TableSettings) -> OpenFindings:
    """Make the tables of an evaluation.

    Raises:
        DataError: Its pairs are no table of pairs.
    """
    tables = {
        name: evaluation_table(name, evaluated.pairs, evaluated.what, signature=evaluated.signature, settings=settings)
        for name in ("scores", "groups", "counts")
    }  # fmt: skip
    found: dict[Cell, dict[str, Row]] = {}
    for row in tables["scores"].rows:
        model, task, language, instruction, given = (str(row[name]) for name in CELL)
        found.setdefault((model, task, language, instruction, given), {})[str(row["statistic"])] = row
    placed = sorted(found, key=lambda cell: (cell[0], cell[1], family_key(cell[2]), cell[4], cell[3]))
    level = settings.bootstrap.level if settings.bootstrap is not None else 0.95
    return OpenFindings(
        evaluated,
        tables["scores"],
        tables["groups"],
        tables["counts"],
        {cell: found[cell] for cell in placed},
        cell_labels(placed),
        level,
    )


def cell_labels(cells: Sequence[Cell]) -> dict[Cell, str]:
    """What the language of each cell is called: by its name, and by the sense where a model was asked in several."""
    ways = Counter(cell[:3] for cell in cells)
    return {
        cell: language_label(cell[2]) if ways[cell[:3]] == 1 else Side(cell[3], cell[4]).label
        for cell in cells
    }
