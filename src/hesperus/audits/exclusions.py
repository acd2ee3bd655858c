"""Exclusion lists: the items that a study leaves out, and why."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from pathlib import Path

from hesperus.audits.finding import Finding
from hesperus.errors import DataError
from hesperus.records.files import write_content
from hesperus.spreadsheets import guarded, unguarded
from hesperus.text_files import read_text

_COLUMNS = ("item", "reason")
_LONGEST_CELL = 100_000


def exclusion_reasons(findings: Iterable[Finding]) -> dict[str, str]:
    """Item to its reasons, ``; `` between them, in the order of the findings."""
    reasons: dict[str, dict[str, None]] = {}
    for finding in findings:
        reasons.setdefault(finding.item, {})[finding.reason] = None
    return {item: "; ".join(found) for item, found in reasons.items()}


def write_exclusions(path: Path | str, findings: Iterable[Finding]) -> Mapping[str, str]:
    """Write an exclusion list: CSV with the columns ``item`` and ``reason``, one row an item.

    Args:
        path: Where to; the file appears whole or not at all.
        findings: What to exclude, whatever its severity.

    Returns:
        What was written.
    """
    found = exclusion_reasons(findings)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([_COLUMNS, *(map(guarded, row) for row in found.items())])
    write_content(Path(path), text.getvalue())
    return found


def read_exclusions(path: Path | str) -> dict[str, str]:
    """Read an exclusion list, written by an audit or by hand.

    Args:
        path: CSV (UTF-8) with a column ``item``, and ``reason`` where reasons are known; others are ignored.

    Returns:
        Item to reason, in the order of the file; the reasons of an item that is twice are joined.

    Raises:
        UsageError: There is no such file.
        DataError: No CSV in UTF-8, no column ``item``, or a row without an item; names the line.
    """
    path = Path(path)
    reader = csv.reader(io.StringIO(read_text(path, "exclusion list"), newline=""), strict=True)
    found: dict[str, str] = {}
    try:
        header = [name.strip() for name in next(reader, [])]
        if "item" not in header:
            raise DataError(
                f"an exclusion list has the columns item and reason; this has {', '.join(header) or 'none'}",
                file=path,
            )
        for row in reader:
            if row:
                item, reason = _row(header, row, path, reader.line_num)
                found[item] = "; ".join(filter(None, dict.fromkeys([found.get(item, ""), reason])))
    except csv.Error as error:
        raise DataError(f"no CSV: {error}", file=path, line=reader.line_num) from None
    return found


def _row(header: list[str], row: list[str], path: Path, line: int) -> tuple[str, str]:
    cells = dict(zip(header, row, strict=False))
    item = unguarded(cells.get("item", "").strip())
    if not item:
        raise DataError("the row names no item", file=path, line=line)
    if len(item) > _LONGEST_CELL:
        raise DataError(f"an item id of {len(item)} characters", file=path, line=line)
    return item, unguarded(cells.get("reason", "").strip())
