"""Filters that are often wanted, above the item matrix of the explorer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from hesperus.analysis.item_filter import INSTRUCTION_AND_INPUT, LOST, has_instruction_and_input
from hesperus.explorer.addresses import View
from hesperus.explorer.state import OpenRuns
from hesperus.item_views.filter_address import lost_words, references_of


@dataclass(frozen=True, slots=True)
class Quick:
    """A filter that is often wanted, with how many rows it keeps."""

    label: str
    count: int
    href: str


def quick_filters(open_: OpenRuns, view: View) -> Iterator[Quick]:
    """Filters that are often wanted; counts are of all rows."""
    everything = view.with_(senses="all")
    references = references_of(open_.matrix(view))
    for column, count in open_.lost_counts(view):
        other = View(senses=view.senses, reference=view.reference).toggled(LOST, column)
        yield Quick(lost_words(column, references), count, other.url())
    plain = View(senses="all", reference=view.reference)
    matrix = open_.matrix(everything)
    if has_instruction_and_input(matrix):
        other = plain.filtered(differs=(INSTRUCTION_AND_INPUT,))
        yield Quick("instruction and input differ", open_.rows(other).height, other.url())
    for mark, label in (("unanswered", "no answer in some sense"), ("error", "no reply in some sense")):
        count = matrix.rows.filter(pl.col(mark) > 0).height
        if count:
            yield Quick(label, count, plain.filtered(anywhere=(mark,)).url())
