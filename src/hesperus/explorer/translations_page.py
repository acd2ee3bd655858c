"""The translations of a run, the worst first, as the explorer shows them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import polars as pl

from hesperus.analysis.worst_translations import ScoredTranslation, score_names, worst_translations
from hesperus.explorer.addresses import TRANSLATIONS, View, question_url
from hesperus.item_views.question_view import ComparedPart, anchor_of, compared_part

PER_PAGE = 10


def translations_shown(
    run: str, scores: pl.DataFrame | None, items: pl.DataFrame | None, metric: str, page: int
) -> Mapping[str, Any]:
    """What the template of the page takes."""
    names = score_names(scores) if scores is not None else ()
    metric = metric or next(iter(names), "")
    total = int(scores[metric].count()) if scores is not None and metric in names else 0
    pages = max(1, -(-total // PER_PAGE))
    page = min(page, pages)
    shown: tuple[ScoredTranslation, ...] = ()
    if scores is not None and names:
        shown = worst_translations(scores, items, metric, start=(page - 1) * PER_PAGE, most=PER_PAGE)

    def url(number: int = 1, name: str = metric) -> str:
        return f"{TRANSLATIONS}?{urlencode({'run': run, 'metric': name, 'page': number})}"

    def href_of(one: ScoredTranslation) -> str:
        place = {"item": one.item, "model": one.model, "task": one.task, "run": run}
        return f"{question_url(View(), place)}#{anchor_of(one.sense)}"

    return {
        "run": run, "names": names, "metric": metric, "shown": shown, "page": page, "pages": pages, "total": total, "url": url,
        "href_of": href_of, "parts_of": _parts,
    }  # fmt: skip


def _parts(one: ScoredTranslation) -> tuple[ComparedPart, ...]:
    """A translation next to what it is compared with: texts in pieces, those marked that the other does not have."""
    others = dict(one.other_texts)
    return tuple(compared_part(name, text, others.get(name)) for name, text in one.texts)
