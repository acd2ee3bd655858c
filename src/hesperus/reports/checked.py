"""What a check found, for people and for continuous integration: a sentence, JUnit XML, Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from hesperus.analysis.item_changes import BrokenItems
from hesperus.analysis.table import Table
from hesperus.reports.formats import format_table
from hesperus.rounding import cell, seven_digits
from hesperus.wording import counted

_SHOWN = 30
"""Answers that broke which a summary lists."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(checked: Table) -> str:
    """The result of check_table as JUnit XML: a test case per row, a failure where it did not pass."""
    failed = sum(not row["passed"] for row in checked.rows)
    counts = {"tests": str(len(checked.rows)), "failures": str(failed), "errors": "0"}
    suite = ElementTree.Element("testsuite", {"name": "hesperus check", **counts})
    for row in checked.rows:
        name = named(row)
        case = ElementTree.SubElement(suite, "testcase", classname="hesperus.check", name=_clean(name))
        if not row["passed"]:
            ElementTree.SubElement(case, "failure", message=_clean(_measured(row)))
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _measured(row: Mapping[str, Any]) -> str:
    """The number of a row with all that it rests on."""
    value, low, high, answered = (row.get(name) for name in ("value", "low", "high", "answered"))
    ends = [] if value is None else [seven_digits(end) for end in (low, high) if end is not None]
    parts = [
        "undefined" if value is None else f"value {seven_digits(value)}",
        *([f"interval {' to '.join(ends)}"] if ends else []),
        f"n {row['n']}",
        *([f"answered {cell(answered, 'share')}"] if isinstance(answered, float) else []),
    ]
    return ", ".join(parts) + (f"; {row['reason']}" if row["reason"] else "")


def named(row: Mapping[str, object]) -> str:
    """A row of a check by its requirement and what it is about."""
    place = ", ".join(str(row[name]) for name in ("model", "task", "where") if row[name])
    return f"{row['requirement']} ({place})"


def passed_sentence(checked: Table) -> str:
    """How many requirements hold, and of those that do not, in how many rows: the answer of a check."""
    broken: dict[str, list[bool]] = {}
    for row in checked.rows:
        broken.setdefault(row["requirement"], []).append(not row["passed"])
    failing = [
        f"not {name} in {sum(rows)} of {counted(len(rows), 'row')}"
        for name, rows in broken.items()
        if any(rows)
    ]
    return "; ".join([f"{len(broken) - len(failing)} of {len(broken)} satisfied", *failing])


def failures_first(checked: Table) -> Table:
    """The same rows, those that did not pass before the others."""
    return replace(checked, rows=tuple(sorted(checked.rows, key=lambda row: bool(row["passed"]))))


def markdown_summary(checked: Table, broken: BrokenItems | None = None) -> str:
    """The result of check_table as Markdown, for the summary of a job.

    Without a baseline nothing is said of items that broke.

    Returns:
        A sentence, a table with failures first and its signature, the items that broke.
    """
    parts = [
        f"## hesperus check: {passed_sentence(checked)}\n",
        format_table(failures_first(checked), "markdown"),
    ]
    if broken is not None:
        parts.append(_items_that_broke(broken))
    return "\n".join(parts)


def _items_that_broke(found: BrokenItems) -> str:
    broken = found.answers
    if not found.compared:
        return (
            "### Items that broke: not known\n\nNo answer that was right in the baseline has its like in this run: other models, "
            "items or senses were asked, or nothing says which answer is right.\n"
        )
    if broken.is_empty():
        return (
            "### Items that broke: none\n\n"
            f"All {found.compared:,} answers that were right in the baseline, and were asked again, are right in this run.\n"
        )
    items = broken.select("model", "task", "item").n_unique()
    head = f"### Items that broke: {items:,}\n\nRight in the baseline and not in this run: {len(broken):,} answers to {items:,} "
    head += "items (of each model)."
    shown = broken.head(_SHOWN)
    if len(shown) < len(broken):
        head += f" The first {_SHOWN} answers, items that were lost in most senses first; `hesperus view RUN BASELINE` shows all."
    columns = ("model", "task", "item", "input", "gold", "before", "now")
    rows = tuple({name: row[name] for name in columns} for row in shown.iter_rows(named=True))
    return f"{head}\n\n{format_table(Table('broken', columns, rows, {}), 'markdown')}"


def _clean(text: str) -> str:
    """Without what XML cannot say; names come from files of others."""
    return _NOT_XML.sub("\ufffd", text)
