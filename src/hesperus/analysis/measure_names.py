"""The names of all measures, which cost nothing to know: where those of answers are declared, and what else a run may have."""

from __future__ import annotations

from collections.abc import Mapping

from hesperus import plugins

MEASURES: Mapping[str, str] = {
    "summary": "hesperus.analysis.summary:summary",
    "accuracy": "hesperus.analysis.single:accuracy_table",
    "agreement": "hesperus.analysis.agreement:agreement_table",
    "consistency": "hesperus.analysis.paired:consistency_table",
    "decomposition": "hesperus.analysis.paired:decomposition_table",
    "directions": "hesperus.analysis.paired:directions_table",
    "labels": "hesperus.analysis.single:labels_table",
    "language": "hesperus.analysis.reply_language:language_table",
    "outcomes": "hesperus.analysis.single:outcomes_table",
    "all_languages": "hesperus.analysis.agreement:all_languages_table",
    "tokens": "hesperus.analysis.tokens:tokens_table",
    "validity": "hesperus.analysis.single:validity_table",
}
"""Measure of answers to where it is declared (see hesperus.analysis.measure)."""

TRANSLATION = "translation"
"""The measure of answers that also needs the scores of their translations."""

SIMILARITY = ("similarity", "means", "contrasts", "correlations", "all_languages", "scoring")
"""Tables of a similarity study: of all pairs of runs, not of cells; see hesperus.analysis.similarity.all_pairs. Of these
``all_languages`` is a measure of any run; that of a similarity study has the subsets that the study wants."""

OPEN_ANSWERS = ("scores", "groups", "counts", "prompts", "readability")
"""Tables of a run of open answers, from the evaluations in its folder; see hesperus.analysis.open_answers.open_tables."""

TAX_ESTIMATORS: Mapping[str, str] = {"back_translation": "E1", "native_control": "E3", "naturalisation": "E4"}
"""What an audit of a translated benchmark estimates, with its number in the paper."""

TAX_MEASURES = (*TAX_ESTIMATORS, "bounds")
"""Tables of such an audit that its run folder alone decides."""

TAX_TABLES = (*TAX_MEASURES, "rating", "parsers")
"""Measures of such an audit: `rating` needs what people said, `parsers` is about valid answers as each parser reads them."""

OF_RATINGS = ("raters", "categories")
"""Measures of a long table of ratings, which is no run."""

OF_RECORDS = tuple(dict.fromkeys((*MEASURES, *SIMILARITY, *OPEN_ANSWERS)))
"""Measures that are made of records and of what a run folder says of them."""

OF_RUNS = (*OF_RECORDS, *TAX_MEASURES, TRANSLATION)
"""Every measure of a run, those of plug-ins apart."""


def offered_measures() -> tuple[str, ...]:
    """Names of the measures that plug-ins offer."""
    return plugins.names("hesperus.measures", {})
