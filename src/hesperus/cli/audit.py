"""`hesperus audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hesperus.analysis.table import Table
    from hesperus.audits import Audit, Material


@takes_flags
def command(
    what: list[str],
    *,
    baselines: bool = False,
    show: int = 5,
    format: Format = "table",
    **settings: Annotated[Any, Flags("hesperus.api.auditing:audit", called={"roles": "map"})],
) -> None:
    """Is it the same question in every language? Finds what is missing, misaligned, untranslated or damaged.

    Next to the findings is how far one gets without knowing anything: by the option that shares the longest string
    with the question, by the options alone, by the longest option, by the most frequent label.

    Exit code 1 where an item should be excluded; with --strict also where one should be looked at. `--format json` and
    csv give every finding; docs/audits.md says what each kind means. Files that no task describes have a column
    `language`, or are named for their language, or hold all languages in a row.

    For example:

        hesperus audit atlas

        hesperus audit xcopa --data xcopa-test-{language}.jsonl --language et --language sw --out exclusions.csv

        hesperus audit questions_en.jsonl questions_sw.jsonl --strict

        hesperus audit runs/atlas --baselines

        hesperus audit mmlu.jsonl --map subject=item --map row=item --format json

    Args:
        what: A task of the catalogue, a task file (.yaml), the folder of a run that asked, or data files and folders.
        baselines: Instead of the findings: how far one gets without knowledge, in each language, and for a run how far
            each model agrees with it.
        show: Findings of each kind to show in a table; 0 for all.
    """
    from hesperus.api.auditing import audited, write_list
    from hesperus.errors import UsageError
    from hesperus.reports.formats import print_table
    from hesperus.untrusted import one_line

    out, strict = settings.pop("out", None), settings.pop("strict", False)
    audit, material = audited(what, **settings)
    if baselines:
        found = _baselines(material, what)
        if found is None:
            raise UsageError(
                f"{material.name}: no item has a gold among its options, so there is nothing to guess"
            )
        print_table(found, format)
    else:
        _show(audit, material, format, show)
    for note in (*material.notes, *audit.notes):
        say(one_line(f"note: {note}"))
    if out is not None:
        say(f"{out}: {write_list(audit, out, strict=strict)} of {audit.items} items")
    if audit.of("exclude", "review") if strict else audit.of("exclude"):
        raise typer.Exit(1)


def _baselines(material: Material, what: Sequence[str] = ()) -> Table | None:
    """Every baseline in every language, of a run also κ of its models; None if no item has a gold label."""
    from hesperus.analysis.baselines import baselines_table
    from hesperus.audits import baseline_guesses
    from hesperus.records import read_records
    from hesperus.records.reading import RECORDS_FILE

    guesses = baseline_guesses(material.items, material.contract.labels)
    ran = len(what) == 1 and (Path(what[0]) / RECORDS_FILE).exists()
    records = read_records(Path(what[0])) if ran else None
    return baselines_table(guesses, records=records, audited=material.name) if guesses else None


def _show_baselines(material: Material) -> None:
    """The baselines over all languages, for people."""
    found = _baselines(material)
    if found is None:
        return
    overall = [row for row in found.rows if row["language"] == "all"] or list(found.rows)
    columns = ("baseline", "language", "chance", "value", "low", "high", "n")
    typer.echo("")
    show_rows(
        "answers without knowledge (accuracy)", overall, "table", columns=columns, signature=found.signature
    )


def _show(audit: Audit, material: Material, format: str, show: int) -> None:
    """The findings; for people the summary first, and some findings of each kind."""
    from hesperus.api.auditing import findings_table
    from hesperus.reports.formats import print_table
    from hesperus.untrusted import one_line
    from hesperus.wording import counted

    name = material.name
    found = findings_table(audit, name)
    if format != "table":
        print_table(found, format)
        return
    bad, odd = (len({finding.item for finding in audit.of(severity)}) for severity in ("exclude", "review"))
    about = f"{counted(audit.items, 'item')} in {counted(len(audit.languages), 'language')}"
    if not found.rows:
        typer.echo(f"{one_line(name)}: no findings in {about}")
    else:
        lead = f"audit: {bad:,} of {about} to exclude, {odd:,} to review"
        kinds = ("kind", "severity", "findings", "items", "languages", "meaning")
        show_rows("audit", audit.summary(), format, columns=kinds, signature={"audited": name}, lead=lead)
        typer.echo("")
        seen: dict[object, int] = {}
        shown = []
        for row, finding in zip(found.rows, audit.findings, strict=True):
            seen[finding.kind] = seen.get(finding.kind, 0) + 1
            if show < 1 or seen[finding.kind] <= show:
                shown.append({**row, "languages": " ".join(finding.languages)})
        show_rows("findings", shown, format, columns=found.columns)
    _show_baselines(material)
