"""What is measured of a run, how two runs differ, and the pages and figures that show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from hesperus import records
from hesperus.analysis.description import Described, described
from hesperus.analysis.measure_names import SIMILARITY, TAX_MEASURES, TRANSLATION
from hesperus.analysis.registry import measure_columns
from hesperus.analysis.settings import GivenSettings, resolve_settings
from hesperus.analysis.short_signature import with_short
from hesperus.analysis.table import Table
from hesperus.analysis.views import narrowed
from hesperus.api.tables_of_records import (
    Chosen,
    RecordParts,
    Told,
    agreement_of_file,
    similarity_of_file,
    tables_of,
)
from hesperus.errors import UsageError
from hesperus.records import Run

if TYPE_CHECKING:
    from hesperus.analysis.similarity.orders import Order


class Held(Protocol):
    """A run in memory, such as hesperus.run gives."""

    @property
    def run(self) -> Run:
        """Records, items, study and signature."""

    @property
    def folder(self) -> Path:
        """Where it lies."""


OF_PAIRS = tuple(what for what in SIMILARITY if what != "all_languages")
"""Tables that a similarity study alone has."""

Source = Held | pl.DataFrame | Path | str
"""A run: what a study gave, records, a run folder, or a records file."""


def measure(
    what: str,
    run: Source,
    *,
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    scores: Path | str | None = None,
    **settings: Any,
) -> Table:
    """Compute a measure: what `hesperus measure` prints, as a table with `rows`, `frame()` and its `signature`.

    Args:
        what: `summary`, `consistency`, `accuracy`, `agreement`, `validity`, `labels`, `outcomes`, …; of a similarity
            study also `means`, `similarity`, `contrasts`, `correlations`, `scoring`; of open answers `scores`, `groups`, …; of
            an audit of a translated benchmark `back_translation`, `native_control`, `naturalisation`, `bounds`.
        run: What a study gave, records, a run folder, or a records file.
        models: Only this model.
        tasks: Only this task.
        scores: For translation: item scores (default: scores.parquet of the run).
        settings: Fields of hesperus.analysis.settings.GivenSettings (`by`, `invalid`, `resamples`, `seed`, …); `a` and `b`
            may be text such as `"instruction=en,input=en"`. What is not given is as the run's study says.

    Raises:
        UnknownNameError: No such measure, cell or setting.
        UsageError: The run has not what the measure needs.
        DataError: The records break their contract.
    """
    place = None if scores is None else Path(scores)
    return measured(what, run, GivenSettings.of(**settings), chosen=(models, tasks), scores=place)


def measured(
    what: str,
    run: Source,
    given: GivenSettings,
    *,
    chosen: Chosen = ((), ()),
    scores: Path | None = None,
    told: Told | None = None,
) -> Table:
    """As measure, of settings that are read already.

    Args:
        what: See measure.
        run: See measure.
        given: How.
        chosen: Models and tasks that are looked at.
        scores: See measure.
        told: Gathers what a reader must be told next to the table; None if nobody is.

    Returns:
        The table, its signature on one line among its own (see hesperus.analysis.short_signature).
    """
    table = _measured(what, run, given, chosen=chosen, scores=scores, told=told)
    return with_short(table, given, what, models=tuple(chosen[0]), tasks=tuple(chosen[1]))


def _measured(
    what: str, run: Source, given: GivenSettings, *, chosen: Chosen, scores: Path | None, told: Told | None
) -> Table:
    from hesperus.analysis.open_answers.measuring import refuse_labels
    from hesperus.api.tax_evidence import tax_measure

    said = run_description(run)
    if what in TAX_MEASURES:
        found = tax_measure(what, said, given, chosen)
        if told is not None:
            for part in _parts(what, run, (), given, chosen):
                told.take(part, None)
        return found
    refuse_labels(what, said)
    if what in OF_PAIRS and isinstance(run, Path | str) and not any(chosen):
        table = similarity_of_file(what, Path(run), given, said, told)
        if table is not None:
            return table
    if what == "agreement" and isinstance(run, Path | str):
        table = agreement_of_file(Path(run), given, said, chosen, told)
        if table is not None:
            return table
    parts = _parts(what, run, measure_columns(what, given, said), given, chosen)
    if what != TRANSLATION:
        if (given.threshold, given.comet_threshold) != (None, None):
            raise UsageError(f"--threshold and --comet-threshold are for translation, not for {what}")
        return tables_of((what,), parts, given, said, told)[what]
    (records,) = parts
    if told is not None:
        told.take(records, None)
    return _translation(records, said, given, scores)


def _parts(
    what: str, run: Source, columns: Sequence[str], given: GivenSettings, chosen: Chosen
) -> Iterable[pl.DataFrame]:
    if isinstance(run, pl.DataFrame | Path | str):
        place = Path(run) if isinstance(run, str) else run
        return RecordParts(place, columns, chosen, measures=(what,), given=given)
    return (narrowed(run.run.records, models=tuple(chosen[0]), tasks=tuple(chosen[1])),)


def run_description(run: Source) -> Described:
    """What a run says of itself."""
    if isinstance(run, pl.DataFrame):
        return Described()
    if isinstance(run, Path | str):
        return described(Path(run))
    return Described(run.run.study, run.run.signature, run.folder if run.folder.is_dir() else None)


def _translation(found: pl.DataFrame, said: Described, given: GivenSettings, scores: Path | None) -> Table:
    """How consistency goes with the quality of the translations."""
    from hesperus.analysis.scores import read_scores, translation_table

    settings = resolve_settings(given, said.study)
    if settings.a is not None:
        raise UsageError("translation takes no pair of cells; it looks at every made input")
    file = scores or (said.folder / "scores.parquet" if said.folder else None)
    if file is None or not file.is_file():
        raise UsageError(
            f"{said.folder or 'the records'}: no item scores of translations; `hesperus score RUN` writes them, --scores "
            "FILE names them"
        )
    return translation_table(found, read_scores(file), settings)


def figure(
    what: str,
    run: Path | str,
    out: Path | str,
    *,
    models: Sequence[str] = (),
    languages: Sequence[str] = (),
    task: str | None = None,
    order: Order | None = None,
    statistic: str | None = None,
    by: str | None = None,
    beside: Sequence[str] = (),
    score: str | None = None,
    **settings: Any,
) -> Path:
    """Draw one figure of a run into a file.

    Args:
        what: `languages`, `models`, `groups`, `densities` or `correlations` (similarity); `overview`, `map`, `causes`,
            `consistency`, `pairs`, `accuracy`, `labels`, `directions`, `outcomes` or `translation` (senses).
        run: Run folder or records file (Parquet, CSV, JSON lines).
        out: The file: .svg, .png, .pdf, or .html (loads and runs nothing).
        models: Only this model.
        languages: For models: only in this language.
        task: Which task, where the run has several.
        order: Of a map: `family`, `cluster` (alike ones side by side) or `alphabet`.
        statistic: Measure of pairs: `kappa_p`, `raw`, `cohen_kappa`, `scott_pi`, `error_consistency` or `rank_consistency`
            (default: the study's, else `kappa_p`).
        by: For groups: column of the records, e.g. `subject`.
        beside: For correlations: `accuracy`, `size`, `log size`, or a table of the study.
        score: For translation: `bleu`, `chrf`, … (default: the first).
        settings: `resamples`, `seed`, `level`, `interval`.

    Raises:
        UnknownNameError: No such figure, model, language or format.
        UsageError: The run has not what the figure shows.
    """
    from hesperus.analysis.scores import run_scores
    from hesperus.records import read_any_run
    from hesperus.reports.one_figure import FigureChoice, file_format, one_figure, write_figure

    file_format(Path(out))
    choice = FigureChoice(
        tuple(models),
        tuple(languages),
        task,
        order,
        statistic,
        by,
        tuple(beside),
        score,
        GivenSettings.of(**settings),
    )
    scores = run_scores(Path(run)) if what == "translation" else None
    return write_figure(one_figure(what, read_any_run(Path(run)), choice, scores=scores), Path(out))


def read_records(run: pl.DataFrame | Path | str) -> pl.DataFrame:
    """Records from a run folder or file; a frame is checked against the contract and returned.

    Raises:
        UsageError: No such file.
        DataError: The records break their contract.
    """
    return records.conform(run) if isinstance(run, pl.DataFrame) else records.read_records(Path(run))
