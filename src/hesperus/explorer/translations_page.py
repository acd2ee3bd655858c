"""The translations of a run, the worst first, as the explorer shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import polars as pl

from hesperus.analysis.worst_translations import ScoredTranslation, score_names, worst_translations
from hesperus.explorer.addresses import TRANSLATIONS, View, question_url
from hesperus.item_views.question_view import ComparedPart, anchor_of, compared_part
from hesperus.rounding import cell
from hesperus.wording import sense_label

PER_PAGE = 10


@dataclass(frozen=True, slots=True)
class ShownTranslation:
    """A translation next to what it is compared with: texts in pieces, those marked that the other does not have."""

    held: ScoredTranslation
    score: str
    label: str
    other_label: str
    href: str
    parts: tuple[ComparedPart, ...]


def translations_shown(
    run: str, scores: pl.DataFrame | None, items: pl.DataFrame | None, metric: str, page: int
) -> Mapping[str, Any]:
    """What the template of the page takes."""
    names = score_names(scores) if scores is not None else ()
    if scores is None or not names:
        return {
            "run": run,
            "names": (),
            "metric": "",
            "shown": (),
            "page": 1,
            "pages": 1,
            "total": 0,
            "url": None,
        }
    metric = metric or names[0]
    total = int(scores[metric].count()) if metric in names else 0
    pages = max(1, -(-total // PER_PAGE))
    page = min(page, pages)
    found = worst_translations(scores, items, metric, start=(page - 1) * PER_PAGE, most=PER_PAGE)

    def url(number: int = 1, name: str = metric) -> str:
        return f"{TRANSLATIONS}?{urlencode({'run': run, 'metric': name, 'page': number})}"

    shown = tuple(_shown(run, one) for one in found)
    return {
        "run": run, "names": names, "metric": metric, "shown": shown, "page": page, "pages": pages, "total": total, "url": url,
    }  # fmt: skip


def _shown(run: str, one: ScoredTranslation) -> ShownTranslation:
    place = {"item": one.item, "model": one.model, "task": one.task, "run": run}
    href = f"{question_url(View(), place)}#{anchor_of(one.sense)}"
    label, other = sense_label(one.sense), sense_label(one.other) if one.other else ""
    others = dict(one.other_texts)
    parts = tuple(compared_part(name, text, others.get(name)) for name, text in one.texts)
    return ShownTranslation(one, cell(one.score, "score"), label, other, href, parts)
