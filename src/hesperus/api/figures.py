"""One figure of a run, drawn into a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hesperus.analysis.settings import GivenSettings

if TYPE_CHECKING:
    from hesperus.analysis.similarity.orders import Order


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
