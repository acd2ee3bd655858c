"""Judgements from files: a mailed page's result, a Label Studio export, or a long table of ratings."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.annotation.label_studio import judgements_of
from hesperus.annotation.payload import RESULT_FORMAT, RESULT_VERSION
from hesperus.annotation.scales import Judgement, check_judgement, judgement_from
from hesperus.annotation.scheme import COMMENT
from hesperus.annotation.store import RatingStore
from hesperus.annotation.unit_tables import first_line, read_frame
from hesperus.errors import DataError, UnknownNameError
from hesperus.fingerprint import fingerprint
from hesperus.text_files import read_json

_LARGEST_FILE = 200_000_000
_TABLE = ("unit", "rater", "question", "rating")


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What came of a file.

    Attributes:
        new: Judgements that were not there.
        known: Judgements that were there already, or that say what the rater's last one says.
        empty: Rows of a table without a rating.
        added: Raters that the store did not know; they have no link.
    """

    new: int
    known: int
    empty: int
    added: tuple[str, ...]


def import_file(store: RatingStore, path: Path | str) -> ImportCounts:
    """Import judgements; every one is checked before any is stored, and a second import changes nothing.

    Args:
        store: Where they go, after what is there: the last judgement counts.
        path: Result file of a mailed page or JSON export of Label Studio (``.json``), or a table with ``unit, rater,
            question, rating`` and perhaps ``comment`` and ``state`` (CSV, TSV, JSON lines, Parquet).

    Raises:
        DataError: The file is not one of these, belongs to another sheet or an unknown rater, or a rating is out of scale;
            names the entry. Nothing was stored.
        UsageError: No such file.
    """
    path = Path(path)
    if path.suffix.lower() != ".json":
        frame = read_frame(path)
        return _from_table(store, frame, path)
    document = _document(path)
    if isinstance(document, dict) and document.get("format") == RESULT_FORMAT:
        return _from_result(store, document, path)
    if isinstance(document, list):
        by_rater = judgements_of(document, store.sheet, path)
        return _take(store, by_rater, path, add=True)
    raise DataError("neither the result of a mailed page nor a JSON export of Label Studio", file=path)


def _document(path: Path) -> Any:
    if path.is_file() and path.stat().st_size > _LARGEST_FILE:
        raise DataError(f"larger than {_LARGEST_FILE:,} bytes", file=path)
    return read_json(path, "judgements")


def _from_result(store: RatingStore, document: Mapping[str, Any], path: Path) -> ImportCounts:
    if document.get("version") != RESULT_VERSION:
        raise DataError(
            f"version {document.get('version')!r} of a result file, this hesperus reads {RESULT_VERSION}",
            file=path,
        )
    if document.get("sheet") != store.sheet.fingerprint:
        raise DataError("this result belongs to another sheet than the store's", file=path, field="sheet")
    entries, rater = document.get("judgements"), document.get("rater")
    if not isinstance(entries, list) or not isinstance(rater, str):
        raise DataError("a result file has a rater and a list of judgements", file=path)
    judgements = []
    for number, entry in enumerate(entries, start=1):
        try:
            judgements.append(judgement_from(entry))
        except DataError as error:
            raise DataError(f"judgement {number}: {error}", file=path) from None
    return _take(store, {rater: judgements}, path, add=False)


def _from_table(store: RatingStore, frame: pl.DataFrame, path: Path) -> ImportCounts:
    for name in _TABLE:
        if name not in frame.columns:
            raise DataError(f"no column {name!r}; there are {', '.join(frame.columns)}", file=path)
    by_rater: dict[str, list[Judgement]] = {}
    lines: dict[str, int] = {}
    empty, rows = 0, dict[tuple[str, str, str], tuple[int, str | None]]()
    for number, row in enumerate(frame.iter_rows(named=True), start=first_line(path)):
        rater, unit = _named(row, store, path, number)
        question = str(row["question"])
        rating = _rating(row["rating"], _allowed(store, unit, question))
        is_unjudged = _is_unjudged(row.get("state"), rating, path, number)
        first = rows.setdefault((rater, unit, question), (number, rating))
        if first != (number, rating) and first[1] != rating:
            raise DataError(
                f"line {first[0]} has another rating of this unit by the same rater; keep one of them",
                file=path,
                line=number,
                item=str(row["unit"]),
            )
        said = []
        if rating is None and not is_unjudged:
            empty += 1
        else:
            said.append(_tabled(row, (rater, unit, question), rating))
        if row.get("comment"):
            said.append(_tabled(row, (rater, unit, COMMENT), str(row["comment"])))
        by_rater.setdefault(rater, []).extend(said)
        lines |= {judgement.key: number for judgement in said}
    counts = _take(store, by_rater, path, add=True, lines=lines)
    return ImportCounts(counts.new, counts.known, empty, counts.added)


def _named(row: Mapping[str, Any], store: RatingStore, path: Path, number: int) -> tuple[str, str]:
    """The rater of a row, and the code of its unit."""
    unit = store.sheet.by_id.get(str(row["unit"]))
    if unit is None:
        raise DataError("there is no such unit on this sheet", file=path, line=number, item=str(row["unit"]))
    rater = "" if row["rater"] is None else str(row["rater"]).strip()
    if not rater:
        raise DataError("is empty", file=path, line=number, field="rater")
    return rater, unit


def _is_unjudged(state: object, rating: str | None, path: Path, number: int) -> bool:
    """Whether the rater said that there can be no rating; a state that contradicts its row is refused."""
    said = str(state or "").strip()
    if said not in ("", "rated", "cannot_judge"):
        error = UnknownNameError("state", said[:60], ("rated", "cannot_judge"))
        raise DataError(str(error), file=path, line=number, field="state")
    if said == "cannot_judge" and rating is not None:
        raise DataError(
            f"says cannot_judge beside the rating {rating[:60]!r}; keep one",
            file=path, line=number, field="state",
        )  # fmt: skip
    return said == "cannot_judge"


def _rating(value: object, allowed: Container[str]) -> str | None:
    """A cell as the text of a choice: 4, "4" and, where no choice is called that, 4.0 are one rating."""
    text = "" if value is None else str(value).strip()
    if not text:
        return None
    whole = text.partition(".")[0]
    return whole if text not in allowed and text == f"{whole}.0" else text


def _allowed(store: RatingStore, unit: str, question: str) -> Container[str]:
    for known in store.sheet.scheme.questions:
        if known.name == question:
            return known.values(store.sheet.by_code[unit].labels)
    return ()


def _tabled(row: Mapping[str, Any], said: tuple[str, str, str], value: str | None) -> Judgement:
    """A judgement of a rater about a unit and question; the same row gives the same key."""
    _, unit, question = said
    key = f"table-{fingerprint([*said, value, str(row.get('time'))])}"
    return Judgement(unit, question, "cannot_judge" if value is None else "rated", value, key)


def _take(
    store: RatingStore,
    by_rater: Mapping[str, Sequence[Judgement]],
    path: Path,
    *,
    add: bool,
    lines: Mapping[str, int] | None = None,
) -> ImportCounts:
    """Check everything, then store it; what says the same as the rater's last word is not stored again.

    With `add`, names that the store does not know become raters; `lines` has the line of each judgement by its key.
    """
    _check(store, by_rater, path, add=add, lines=lines or {})
    known = {rater.name for rater in store.raters()}
    added = tuple(name for name in by_rater if name not in known)
    if added:
        store.add_raters(added)
    last = {place: (entry.judgement.state, entry.judgement.value) for place, entry in store.current().items()}
    new = total = 0
    for name, judgements in by_rater.items():
        fresh = []
        for judgement in judgements:
            place, said = (name, judgement.unit, judgement.question), (judgement.state, judgement.value)
            if not add or last.get(place) != said:
                fresh.append(judgement)
                last[place] = said
        new += store.append(store.rater(name), fresh)
        total += len(judgements)
    return ImportCounts(new, total - new, 0, added)


def _check(
    store: RatingStore,
    by_rater: Mapping[str, Sequence[Judgement]],
    path: Path,
    *,
    add: bool,
    lines: Mapping[str, int],
) -> None:
    known = {rater.name: rater for rater in store.raters()}
    for name, judgements in by_rater.items():
        if name not in known and not add:
            raise DataError(str(UnknownNameError("rater", name[:80], known)), file=path)
        share = set(store.assigned(known[name])) if name in known else None
        for number, judgement in enumerate(judgements, start=1):
            line = lines.get(judgement.key)
            who = f"rater {name!r}" if line else f"rater {name!r}, judgement {number}"
            unit = store.sheet.by_code.get(judgement.unit)
            try:
                check_judgement(judgement, store.sheet)
            except DataError as error:
                message = str(error).replace(judgement.unit, unit.id) if unit else str(error)
                raise DataError(f"{who}: {message}", file=path, line=line) from None
            if share is not None and judgement.unit not in share:
                raise DataError(
                    f"{who}: the unit is not assigned to them",
                    file=path, line=line, item=unit.id if unit else judgement.unit,
                )  # fmt: skip
