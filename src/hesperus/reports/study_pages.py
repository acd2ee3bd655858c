"""The page of each study, by the study's name: a page is one file, found by the decorator `@study_page("NAME")`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, TypeVar

import polars as pl

from hesperus import plugins
from hesperus.analysis.run_kinds import kind_of_records, study_kind
from hesperus.analysis.settings import NOTHING_GIVEN, GivenSettings
from hesperus.analysis.table import Table
from hesperus.lazy import declared_in
from hesperus.records import Run
from hesperus.reports.blocks import Block, Page
from hesperus.reports.drawing import Drawing

_GROUP = "hesperus.pages"
_DECLARED = re.compile(r'^@study_page\("(?P<name>\w+)"\)\s+def (?P<thing>\w+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PageInputs:
    """What the page of a run is made of.

    Attributes:
        run: The run; some of its questions were answered.
        given: How it is measured.
        scores: The scores of its translations, or None.
        folder: The run folder; None for records without one.
    """

    run: Run
    given: GivenSettings = NOTHING_GIVEN
    scores: pl.DataFrame | None = None
    folder: Path | None = None


@dataclass(frozen=True, eq=False)
class Report:
    """The measured report of a run, with its figures and its page.

    Attributes:
        page: Makes the page of the run.
        drawings: Makes every figure for which there is something to draw.
        measured: Tables by measure, each as `measure` makes it of all records of the run.
        claims: Measures whose tables the page claims, where the run has them: what its text and main tables show.
        found: What was measured.
    """

    page: Callable[[Run], Page]
    drawings: Callable[[], list[Drawing]]
    measured: Mapping[str, Table] = field(default_factory=dict)
    claims: tuple[str, ...] = ()
    found: Any = None


def ready_report(
    title: str,
    lead: Iterable[Block | None] = (),
    blocks: Iterable[Block | None] = (),
    *,
    claims: tuple[str, ...] = (),
) -> Report:
    """A report of blocks that are made already; the figures are those among them."""
    page = Page.of(title, lead, blocks)
    drawn = [block for block in page.every() if isinstance(block, Drawing)]
    return Report(lambda run: page, lambda: drawn, claims=claims)


MakePage = Callable[[PageInputs], Report]
_Make = TypeVar("_Make", bound=MakePage)


def study_page(name: str) -> Callable[[_Make], _Make]:
    """Declare the page of a study: the function under it makes the report of a run."""
    return lambda make: make


@cache
def _declared() -> Mapping[str, str]:
    """Name of each study to the module and function of its page."""
    return declared_in(__package__, "**/*.py", _DECLARED)


def page_for(run: Run) -> MakePage:
    """What makes the page of a run: that of its study, or where the study has none, the one that fits its records.

    Raises:
        UsageError: A plug-in's page does not import, or is no function.
    """
    pages, kind = _declared(), study_kind(run)
    found: str | MakePage | None = plugins.maker(_GROUP, kind, pages)
    if found is None:
        found = pages[kind_of_records(run.records)]
    make: MakePage = resolve_name(found) if isinstance(found, str) else found
    return make
