"""Whether a parallel benchmark asks the same question in every language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hesperus.analysis.table import Table
    from hesperus.audits import Audit, Material


def audit(
    *what: Path | str,
    languages: Sequence[str] = (),
    data: str | None = None,
    roles: Mapping[str, str] | None = None,
    reference: str = "en",
    out: Path | str | None = None,
    strict: bool = False,
) -> Table:
    """Every finding of an audit: what is missing, misaligned, untranslated or damaged.

    Args:
        what: A task of the catalogue, a task file, the folder of a run that asked, or data files and folders.
        languages: Only this language (default: all).
        data: Where a task's items are: file, folder or pattern with {language}.
        roles: COLUMN=ROLE: what a column of a file is: `item`, `language`, `gold`, `options`, `field` or `ignore`; several
            columns that are `item` make the id together.
        reference: Language that the others were translated from.
        out: Write the items to leave out as CSV (item, reason).
        strict: Findings for review count as those for exclusion.

    Returns:
        A row for each finding: kind, severity (`exclude`, `review`, `note`), item, languages, detail.

    Raises:
        UsageError: No such file, or options that do not go together.
        UnknownNameError: No such task or language.
        DataError: The items break their contract.
    """
    found, material = audited(
        [str(one) for one in what], languages=languages, data=data, roles=roles, reference=reference
    )
    if out is not None:
        write_list(found, Path(out), strict=strict)
    return findings_table(found, material.name)


def audited(what: Sequence[str], *, reference: str = "en", **settings: Any) -> tuple[Audit, Material]:
    """The findings, and the items that were audited; arguments as in audit."""
    from hesperus.audits import AuditSettings, audit_items
    from hesperus.languages import normalise

    material = audited_material(what, **settings)
    thresholds = AuditSettings(reference=normalise(reference))
    return audit_items(material.items, thresholds, contract=material.contract, known=material.known), material


def write_list(audit: Audit, out: Path, *, strict: bool) -> int:
    """Write the list of items to leave out, and give how many there are; arguments as in audit."""
    from hesperus.audits import write_exclusions

    return len(write_exclusions(out, audit.of("exclude", "review") if strict else audit.of("exclude")))


def audited_material(
    what: Sequence[str],
    languages: Sequence[str] = (),
    *,
    data: str | None = None,
    roles: Mapping[str, str] | None = None,
) -> Material:
    """The items of a task where its name or file is given, else those of files; arguments as in audit."""
    from hesperus.audits import file_items, task_items
    from hesperus.errors import UsageError
    from hesperus.tasks import task, tasks

    if not what:
        raise UsageError("nothing to audit: name a task, a run folder or data files")
    first = Path(what[0])
    is_task = what[0] in tasks() or what[0].endswith((".yaml", ".yml"))
    if not is_task and not first.exists() and (first.suffix or len(first.parts) > 1):
        raise UsageError(f"{what[0]}: no such file")
    if is_task or not first.exists():
        found = task(what[0])
        if len(what) > 1:
            raise UsageError(f"one task at a time: {what[0]!r} and {what[1]!r} were given (its data: --data)")
        if roles:
            raise UsageError(
                "--map is for files that no task describes; a task says itself what its columns are"
            )
        return task_items(found, languages, source=data)
    if data is not None:
        raise UsageError("--data names the data of a task; files are audited by themselves")
    return file_items([Path(path) for path in what], languages, roles=dict(roles or {}))


def findings_table(audit: Audit, name: str) -> Table:
    """Every finding of an audit, with its signature."""
    from hesperus.analysis.table import Table

    columns = ("kind", "severity", "item", "languages", "detail")
    rows = tuple(
        {c: getattr(finding, c) for c in columns} | {"languages": list(finding.languages)}
        for finding in audit.findings
    )
    return Table("audit", columns, rows, {"audited": name, **audit.signature()})
