"""Sheets to rate: hostile texts, right-to-left and Chinese ones among them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from hesperus.annotation import (
    Mapped,
    RatingStore,
    Sheet,
    create_store,
    read_scheme,
    units_from_frame,
)

HOSTILE = (
    "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> "
    "{{ 7 * 7 }} \u202edesrever \x1b[31m <!-- --><b>bold</b>"
)
ROWS = [
    ("q1", "What is the capital of France?", "ما هي عاصمة فرنسا؟", "ar", "high", 0.5),
    ("q2", "What is the SI unit of force?", "力的国际单位是什么？", "zh", "low", -0.25),
    ("q3", "Hostile", HOSTILE, "he", "high", None),
    ("q4", "Who wrote it?", "誰が書きましたか。", "ja", "low", 0.0),
]


@pytest.fixture(scope="session")
def residue() -> Sheet:
    """Four units in four languages, three questions on scales of five."""
    columns = ("unit", "source", "text", "text.language", "stratum", "tt")
    frame = pl.DataFrame([dict(zip(columns, row, strict=True)) for row in ROWS])
    scheme = read_scheme("residue")
    return Sheet(scheme, units_from_frame(frame, scheme, Mapped(languages={"source": "en"})), seed=3)


@pytest.fixture
def make_store(tmp_path: Path) -> Iterator[Callable[..., RatingStore]]:
    """Makes a store with raters; closed afterwards."""
    opened: list[RatingStore] = []

    def make(sheet: Sheet, *raters: str, adjudicators: tuple[str, ...] = ()) -> RatingStore:
        path = tmp_path / f"store{len(opened)}.sqlite"
        create_store(path, sheet)
        store = RatingStore(path)
        opened.append(store)
        if raters:
            store.add_raters(raters)
        if adjudicators:
            store.add_raters(adjudicators, "adjudicator")
        return store

    yield make
    for store in opened:
        store.close()
