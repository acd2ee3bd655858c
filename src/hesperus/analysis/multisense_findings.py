"""All tables that a report shows, made from records once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import polars as pl

from hesperus.analysis.agreement import agreement_of
from hesperus.analysis.answered import Places, with_shares
from hesperus.analysis.paired import consistency_table, decomposition_table, directions_table
from hesperus.analysis.scores import translation_bins, translation_table
from hesperus.analysis.settings import DEFAULT, MeasureSettings
from hesperus.analysis.single import accuracy_table, labels_table, outcomes_table, validity_table
from hesperus.analysis.table import Table
from hesperus.analysis.views import views
from hesperus.errors import DataError
from hesperus.measures import Bootstrap, InvalidRule
from hesperus.records import Selection
from hesperus.wording import parsed

_MANY_SENSES = 14
"""Beyond so many whole senses, pairs of all of them are drawn without intervals: hundreds, of which none is read."""

_WHOLE = (pl.col("instruction") == pl.col("input")) & (pl.col("repeat") == 1)
_MANY_CELLS = 160
"""Models × whole senses that a page draws with a panel a model; of more it draws the first models, and where changed answers
go is measured without intervals, which would be most of all that is measured."""

_MANY_PAIRS = 2_500
"""Compared pairs of senses of which the same holds: 70 originals of one model, each with every other."""


@dataclass(frozen=True, slots=True)
class MultisenseFindings:
    """The tables of a report.

    Attributes:
        consistency: Of every pair that the design implies.
        decomposition: What instruction, input and noise contribute.
        accuracy: Of every cell.
        validity: Of every cell.
        labels: Shares of labels, of every cell.
        directions: Where changed answers go.
        has_directions: Whether these have intervals and are few enough to be shown, hence of all models and pairs.
        outcomes: What became of the replies.
        agreement: Of pairs of whole senses within each model, with intervals: all pairs, or, where the senses are
            many, each original with every other sense.
        pairs: The same of all pairs, without intervals where they are many.
        level: Coverage of the intervals.
        drawn: The models that figures with a panel a model are drawn of; all, unless models and senses are many.
        translation: Translation scores next to consistency; None if no item was scored.
        bins: Consistency by bins of the scores, likewise.
        unscored: Why scores that are there could not be used; empty otherwise.
        scores: Item scores of translations, if any.
    """

    consistency: Table
    decomposition: Table
    accuracy: Table
    validity: Table
    labels: Table
    directions: Table
    has_directions: bool
    outcomes: Table
    agreement: Table
    pairs: Table
    level: float
    drawn: tuple[str, ...]
    translation: Table | None = None
    bins: Table | None = None
    unscored: str = ""
    scores: pl.DataFrame | None = None


def multisense_findings(
    records: pl.DataFrame,
    *,
    invalid: InvalidRule = "disagree",
    bootstrap: Bootstrap | None = None,
    scores: pl.DataFrame | None = None,
) -> MultisenseFindings:
    """Measure all that a report shows.

    Raises:
        DataError: The table is empty.
    """
    settings = MeasureSettings(invalid=invalid, bootstrap=bootstrap or Bootstrap())
    # A page counts invalid answers as wrong, whatever rule compares them.
    usual = replace(settings, invalid=DEFAULT.invalid)
    agreement, pairs = _agreements(records, settings)
    translation, bins, unscored = _translations(records, scores, settings)
    places = Places(records, ())
    models = tuple(sorted(records["model"].unique()))
    cells = records.lazy().filter(_WHOLE).select("model", "input").unique().collect().height
    fitting = max(1, len(models) * _MANY_CELLS // max(cells, 1))
    consistency = consistency_table(records, settings)
    few = fitting >= len(models) and len(consistency.rows) <= _MANY_PAIRS
    counted = settings if few else replace(settings, bootstrap=replace(settings.bootstrap, resamples=0))
    return MultisenseFindings(
        with_shares(consistency, places),
        with_shares(decomposition_table(records, settings), places),
        with_shares(accuracy_table(records, usual), places),
        with_shares(validity_table(records, usual), places),
        with_shares(labels_table(records, usual), places),
        with_shares(directions_table(records, counted), places),
        few,
        outcomes_table(records, usual),
        with_shares(agreement, places),
        with_shares(pairs, places),
        settings.bootstrap.level,
        models[:fitting],
        translation,
        bins,
        unscored,
        scores,
    )


def _translations(
    records: pl.DataFrame, scores: pl.DataFrame | None, settings: MeasureSettings
) -> tuple[Table | None, Table | None, str]:
    """The tables of scores, or why it has no such table: scores that fit nothing must not cost the rest of a report."""
    if scores is None:
        return None, None, ""
    try:
        bins = translation_bins(records, scores, invalid=settings.invalid, bootstrap=settings.bootstrap)
        return translation_table(records, scores, settings), bins, ""
    except DataError as error:
        return None, None, str(error)


def _agreements(records: pl.DataFrame, settings: MeasureSettings) -> tuple[Table, Table]:
    """Pairs of whole senses of each model by itself; models are compared by `hesperus compare`."""
    whole = records if records.select(_WHOLE.all()).item() else records.filter(_WHOLE)
    laid = views(whole, probs=True) if whole.height else ()
    models = [list(of_model) for _, of_model in groupby(laid, key=lambda view: view.model)]
    few = whole["input"].n_unique() <= _MANY_SENSES
    drawn = settings.bootstrap if few else replace(settings.bootstrap, resamples=0)
    pairs = _together([agreement_of(model, replace(settings, bootstrap=drawn)) for model in models])
    if few:
        return pairs, pairs
    pivots = [
        agreement_of(model, replace(settings, a=Selection(code, code)))
        for model in models
        for code in sorted({cell.input for view in model for cell in view.arrays.cells})
        if (sense := parsed(code)) is not None and sense.is_original
    ]
    return _together(pivots), pairs


def _together(parts: Sequence[Table]) -> Table:
    if not parts:
        return Table("agreement", (), (), {})
    return replace(parts[0], rows=tuple(row for part in parts for row in part.rows))
