"""Where the numbers of a page lead: the filter of the item matrix that shows the questions behind each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.analysis.item_filter import filter_of
from hesperus.analysis.item_matrix import sense_key
from hesperus.item_views.filter_address import filter_query
from hesperus.reports.blocks import Items
from hesperus.reports.columns import Column
from hesperus.reports.grid import Number, Value
from hesperus.wording import sense_label, target_label

_ROW_SENSE = ("language", "prompt", "sense", "target")
_PAIR = ("a", "b")
_RUNS = ("one", "other")
_MARKS = {
    key: mark
    for mark, keys in {
        "lost": ("T_correct", "precision", "recall", "f_of_means", "mean_f", "relative"),
        "wrong": ("accuracy", "accuracy_label", "accuracy_probs"),
        "unanswered": ("answered", "validity", "invalid"),
        "instruction": ("I", "instruction"),
        "input": ("X", "input"),
        "changed": (
            "T",
            "consistency",
            "raw",
            "kappa_p",
            "kappa_p_soft",
            "cohen_kappa",
            "error_consistency",
            "share",
            "total",
        ),
    }.items()
    for key in keys
}
"""Key of a column to the items behind it. ``instruction``, ``input``: changed with this part alone."""


@dataclass(frozen=True, slots=True)
class ItemLinks:
    """Filters for the cells of tables, by the labels of models and senses that are in their rows.

    Attributes:
        items: The matrix that everything leads to.
        models: Models of the run of which some item has a mark.
        senses: Label of a sense to its key.
        targets: Likewise of the label next to the origin (see hesperus.wording.target_label).
    """

    items: Items
    models: frozenset[str]
    senses: Mapping[str, str]
    targets: Mapping[str, str]

    @classmethod
    def of(cls, items: Items) -> ItemLinks:
        """The links to a matrix."""
        senses = {sense_label(column.input): column.key for column in items.columns}
        targets = {target_label(column.input): column.key for column in items.columns}
        return cls(items, frozenset(model for model, _, _ in items.totals), senses, targets)

    def of_row(self, columns: Sequence[Column], row: Sequence[Value]) -> tuple[str, ...]:
        """A query for each cell; empty if the cell leads to no item."""
        place = {column.key: str(cell) for column, cell in zip(columns, row, strict=True)}
        return tuple(
            self._of_cell(column.key, place) if isinstance(cell, Number) and cell.value is not None else ""
            for column, cell in zip(columns, row, strict=True)
        )

    def _of_cell(self, column: str, place: Mapping[str, str]) -> str:
        model = place.get("model", place.get("model_a"))
        models = (model,) if model in self.models else ()
        mark = _MARKS.get(column.rpartition(".")[2])
        if mark is None or (model is not None and not models) or place.get("model_b", model) != model:
            return ""
        if place.keys() >= set(_PAIR):
            return self._of_pair([self.senses.get(place[name]) for name in _PAIR], models, mark)
        if place.keys() >= set(_RUNS):
            return self._of_runs([place[name].partition(", ") for name in _RUNS])
        name = next((name for name in _ROW_SENSE if name in place), None)
        if name is None:
            return ""
        key = (self.targets if name == "target" else self.senses).get(place[name])
        if key is not None and mark in ("instruction", "input"):
            origin = self.senses.get(place.get("source", ""), "")
            key = sense_key(key, origin) if mark == "instruction" else sense_key(origin, key)
            mark = "changed"
        return "" if key is None else self._of_mark(mark, key, models)

    def _of_mark(self, mark: str, key: str, models: tuple[str, ...]) -> str:
        if not any(self.items.totals.get((model, key, mark)) for model in models or self.models):
            return ""
        return filter_query(filter_of({"model": models, mark: key}))

    def _of_pair(self, keys: Sequence[str | None], models: tuple[str, ...], mark: str) -> str:
        a, b = keys
        if mark != "changed" or a is None or b is None:
            return ""
        return filter_query(filter_of({"model": models, "differs": (a, b)}))

    def _of_runs(self, runs: Sequence[tuple[str, str, str]]) -> str:
        """Of two languages of a model where they differ; of two models where one of them is wrong."""
        (one, _, first), (other, _, second) = runs
        keys = [self.senses.get(label) for label in (first, second)]
        if one == other:
            return self._of_pair(keys, (one,), "changed")
        if first != second or keys[0] is None:
            return ""
        return self._of_mark("wrong", keys[0], (one, other))


def totals_by_model(items: Items) -> Iterator[tuple[str, Mapping[str, Mapping[str, int]]]]:
    """Totals nested by model, sense and mark, for the script of a page."""
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for (model, key, mark), count in items.totals.items():
        nested.setdefault(model, {}).setdefault(key, {})[mark] = count
    yield from nested.items()
