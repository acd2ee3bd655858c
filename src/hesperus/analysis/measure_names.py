"""The names of all measures, which cost little to know: where those of answers are declared, and what else a run may have.

A measure of answers is one file of this folder: what stands under `@measure("NAME", …)` (see hesperus.analysis.measure) is listed,
measured, checked and shown by that name. The names are read from the text of the files, since importing all of them would take
as long as a small measure does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from hesperus import plugins
from hesperus.lazy import declared_in

_DECLARED = re.compile(r'\n@measure\(\s*"(?P<name>\w+)".*?\ndef (?P<thing>\w+)', re.DOTALL)

MEASURES: Mapping[str, str] = dict(
    sorted(declared_in(__package__, "*.py", _DECLARED).items(), key=lambda one: (one[0] != "summary", one[0]))
)
"""Measure of answers to where it is declared; the first is where people begin."""

TRANSLATION = "translation"
"""The measure of answers that also needs the scores of their translations."""

SIMILARITY = ("similarity", "means", "contrasts", "correlations", "all_languages", "scoring")
"""Tables of a similarity study: of all pairs of runs, not of cells; see hesperus.analysis.similarity.all_pairs. Of these
``all_languages`` is a measure of any run; that of a similarity study has the subsets that the study wants."""

OPEN_ANSWERS = ("scores", "groups", "counts", "prompts", "readability")
"""Tables of a run of open answers, from the evaluations in its folder; see hesperus.analysis.open_answers.open_tables."""


@dataclass(frozen=True, slots=True)
class TaxTable:
    """A measure of an audit of a translated benchmark.

    Attributes:
        needs: What it is made of, for the error of an audit that lacks it.
        made: The made conditions that it compares: a run may hold several of the others.
        number: What it is called in the paper; empty for what the paper does not number.
        is_of_run: Whether the run folder alone decides it.
    """

    needs: str = ""
    made: tuple[str, ...] = ()
    number: str = ""
    is_of_run: bool = True


TAX_TABLES: Mapping[str, TaxTable] = {
    "back_translation": TaxTable(
        "the original items and their back-translation: name them with --original and --back", ("back",), "E1"
    ),
    "native_control": TaxTable(
        "translated items and native ones of another task: --native RUN or --native-task NAME, --translated CODE", (), "E3"
    ),
    "naturalisation": TaxTable(
        "strata, and the translated and the rewritten items: --strata FILE, --translated CODE, --natural CODE", ("natural",), "E4"
    ),
    "bounds": TaxTable(
        "two conditions to compare: name them with --original, --back, --translated, --natural", ("back", "natural")
    ),
    "rating": TaxTable(
        "the original items, their back-translation and ratings: name them with --original, --back and --ratings",
        ("back",), "E2", is_of_run=False,
    ),
    "parsers": TaxTable(is_of_run=False),
}  # fmt: skip
"""Measures of such an audit: `rating` needs what people said, `parsers` is about valid answers as each parser reads them."""

TAX_MEASURES = tuple(name for name, one in TAX_TABLES.items() if one.is_of_run)
"""Those that its run folder alone decides."""

TAX_ESTIMATORS: Mapping[str, str] = {
    name: TAX_TABLES[name].number for name in TAX_MEASURES if TAX_TABLES[name].number
}
"""What such an audit estimates, with its number in the paper."""

OF_RATINGS = ("raters", "categories")
"""Measures of a long table of ratings, which is no run."""

OF_RECORDS = tuple(dict.fromkeys((*MEASURES, *SIMILARITY, *OPEN_ANSWERS)))
"""Measures that are made of records and of what a run folder says of them."""

OF_RUNS = (*OF_RECORDS, *TAX_MEASURES, TRANSLATION)
"""Every measure of a run, those of plug-ins apart."""


def offered_measures() -> tuple[str, ...]:
    """Names of the measures that plug-ins offer."""
    return plugins.names("hesperus.measures", {})
