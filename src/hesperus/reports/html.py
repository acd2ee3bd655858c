"""The report: one HTML file that needs no network, no script and no other file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from hesperus.errors import UsageError
from hesperus.fingerprint import plain
from hesperus.measures import Bootstrap, InvalidRule
from hesperus.records import Run, read_records, read_run
from hesperus.reports import grids, story
from hesperus.reports.answer_figures import MOST_LABELS
from hesperus.reports.card import card_of
from hesperus.reports.drawings import FIGURES, drawings
from hesperus.reports.examples import inconsistent_examples
from hesperus.reports.findings import Findings, findings_of
from hesperus.reports.theme import inline_svg
from hesperus.reports.untrusted import shortened, visible
from hesperus.version import __version__

_LONGEST = 1200
"""Characters of a text in an example."""


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """How a report is made.

    Attributes:
        invalid: How unreadable answers compare.
        bootstrap: How intervals are made.
        each: Examples a model and sense.
        most: Examples in all.
    """

    invalid: InvalidRule = "disagree"
    bootstrap: Bootstrap = Bootstrap()
    each: int = 3
    most: int = 36


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure.

    Attributes:
        id: Anchor, and the prefix of the ids inside.
        svg: The drawing.
        caption: What it shows.
        alt: The same for those who do not see it, and where the numbers stand.
        wide: Whether it is shown in its own size and scrolled.
    """

    id: str
    svg: Markup
    caption: str
    alt: str
    wide: bool = False


def open_run(path: Path | str) -> Run:
    """Read a run folder, or a records file as a run without items, study and signature.

    Raises:
        UsageError: There is no such folder or file.
        DataError: A file breaks its contract.
    """
    return read_run(path) if Path(path).is_dir() else Run(read_records(path))


def write_report(
    run: Run | Path | str,
    out: Path | str,
    *,
    settings: ReportSettings | None = None,
    found: Findings | None = None,
) -> Path:
    """Write the report of a run as one HTML file.

    Args:
        run: A run, its folder, or a records file.
        out: The file to write; its folder is made.
        settings: How; None takes the defaults.
        found: The tables, where they have been made with these settings before.

    Returns:
        The file.

    Raises:
        UsageError: No such run, or the file cannot be written.
        DataError: A file breaks its contract, or holds no records.
    """
    text = report_html(run if isinstance(run, Run) else open_run(run), settings=settings, found=found)
    out = Path(out)
    partial = out.with_name(f".{out.name}.partial")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8", newline="\n")
        partial.replace(out)
    except OSError as error:
        raise UsageError(f"cannot write the report {out}: {error.strerror}") from error
    return out


def report_html(run: Run, *, settings: ReportSettings | None = None, found: Findings | None = None) -> str:
    """The report of a run as text; the same run gives the same text.

    Raises:
        DataError: The run has no records.
    """
    settings = settings or ReportSettings()
    records = run.records
    found = found or findings_of(records, invalid=settings.invalid, bootstrap=settings.bootstrap)
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            version=__version__,
            css=Markup(_css()),
            title=story.title(records),
            headlines=story.headlines(found),
            asides=story.asides(found, records),
            figures=_figures(found),
            grids=_grids(found),
            examples=inconsistent_examples(records, run.items, each=settings.each, most=settings.most),
            records=_held(records),
            settings=_described(settings),
            study=_yaml(run.study),
            signature=_signature(run, found),
            card=card_of(records),
        )
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hesperus.reports", "templates"),
        autoescape=select_autoescape(
            default=True, default_for_string=True, enabled_extensions=("j2", "html")
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.filters["shortened"] = lambda text: shortened(text, _LONGEST)
    return environment


def _css() -> str:
    loader = PackageLoader("hesperus.reports", "templates")
    return loader.get_source(Environment(autoescape=True), "report.css")[0]


def _figures(found: Findings) -> dict[str, Any]:
    drawn: dict[str, Any] = {name: None for name in FIGURES}
    drawn["pairs"] = []
    for drawing in drawings(found):
        # The renderer escapes every text that it draws; a test feeds it markup
        svg = Markup(inline_svg(drawing.chart, drawing.name))
        alt = f"Figure: {drawing.caption} The table on {drawing.table} has the numbers."
        figure = Figure(f"figure-{drawing.name}", svg, drawing.caption, alt, wide=drawing.kind == "pairs")
        if drawing.kind == "pairs":
            drawn["pairs"].append(figure)
        else:
            drawn[drawing.kind] = figure
    return drawn


def _grids(found: Findings) -> dict[str, grids.Grid | None]:
    return {
        "summary": grids.summary_grid(found),
        "pairs": grids.pairs_grid(found),
        "split": grids.split_grid(found),
        "agreement": grids.agreement_grid(found),
        "accuracy": grids.accuracy_grid(found),
        "labels": grids.labels_grid(found, MOST_LABELS),
        "directions": grids.directions_grid(found, MOST_LABELS),
        "outcomes": grids.outcomes_grid(found),
    }


def _held(records: pl.DataFrame) -> str:
    cells = records.select("model", "task", "instruction", "input", "repeat").n_unique()
    return (
        f"{records.height:,} answers by {_count(records, 'model')} to {_count(records, 'item')} of "
        f"{_count(records, 'task')}, in {cells:,} combinations of model, senses and repeat."
    )


def _count(records: pl.DataFrame, name: str) -> str:
    number = records[name].n_unique()
    return f"{number:,} {name}" + ("" if number == 1 else "s")


def _described(settings: ReportSettings) -> str:
    boot = settings.bootstrap
    rule = {
        "disagree": "an unreadable answer is the same as no other",
        "agree": "two unreadable answers are the same",
        "drop": "items with an unreadable answer are left out",
    }[settings.invalid]
    return (
        f"Intervals hold {100 * boot.level:g} % of {boot.resamples:,} resamples of items (seed {boot.seed}). "
        f"Unreadable answers: {rule}."
    )


_USER = re.compile(r"(//)[^/@\s]+@")


def _without_user(value: Any) -> Any:
    """Drop user names and passwords from addresses: they have no place in a file that is passed on."""
    if isinstance(value, str):
        return _USER.sub(r"\1", value)
    if isinstance(value, Mapping):
        return {key: _without_user(inner) for key, inner in value.items()}
    return [_without_user(inner) for inner in value] if isinstance(value, list | tuple) else value


def _yaml(study: Mapping[str, object]) -> str:
    if not study:
        return ""
    return str(yaml.safe_dump(_without_user(plain(study)), allow_unicode=True, sort_keys=False))


def _signature(run: Run, found: Findings) -> str:
    document = {"run": _without_user(plain(run.signature)), "numbers": plain(found.consistency.signature)}
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True)
