"""`hesperus annotate`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.help import Commands
from hesperus.cli.said import say, show_rows

app = Commands(
    help="People who judge: a page for raters, their links, and what they said.", no_args_is_help=True
)

_PORT = 8765

Store = Annotated[Path, typer.Argument(help="Rating store (.sqlite) that `create` made.", show_default=False)]
"""The first argument of most commands."""


def tell(*lines: str) -> None:
    """Say something next to the data; what is in a line may come from raters."""
    from hesperus.untrusted import visible

    for line in lines:
        say(visible(line))


@app.command()
@takes_flags
def schemes(name: str | None = None, *, format: Format = "table") -> None:
    """List what raters can be asked, or print one scheme; a file of one's own (.yaml) goes wherever a name does.

    For example:

        hesperus annotate schemes

        hesperus annotate schemes residue > my-scheme.yaml

    Args:
        name: Print this scheme as YAML, to start an own one from.
    """
    from hesperus.annotation import read_scheme, scheme_text
    from hesperus.annotation import schemes as known

    if name is not None:
        typer.echo(scheme_text(name), nl=False)
        return
    rows = tuple(
        {
            "scheme": scheme.name,
            "title": scheme.title,
            "shows": ", ".join(shown.name for shown in scheme.shows),
            "questions": ", ".join(question.name for question in scheme.questions),
            "blind": scheme.blind,
        }
        for scheme in map(read_scheme, known())
    )
    columns = ("scheme", "title", "shows", "questions", "blind")
    show_rows("schemes", rows, format, columns=columns, lead=f"schemes: {len(rows)} that raters can be asked")


@app.command()
@takes_flags
def create(
    scheme: str,
    source: Path,
    *,
    out: Path,
    mapped: Annotated[Any, Flags("hesperus.annotation.unit_tables:Mapped", called={"columns": "map"})],
    draw: Annotated[Any, Flags("hesperus.annotation.unit_tables:Draw")],
    **senses: Annotated[Any, Flags("hesperus.annotation.sources:Source", without="path")],
) -> None:
    """Make a rating store from a run or a table. What the scheme does not show never reaches a rater.

    For example:

        hesperus annotate create residue items.csv --map source=english --map text=chinese --language text=zh --out rate.sqlite

        hesperus annotate create qc runs/rewritten --a zh --b zh~natural --by stratum --n 30 --out qc.sqlite

        hesperus annotate create readings runs/atlas --outcome invalid --out readings.sqlite

        hesperus annotate create inconsistency runs/atlas --a en --b de_from_en --changed --out why.sqlite

    Args:
        scheme: Name of a scheme, or a file of one's own (.yaml).
        source: Run folder, records file, or table (CSV, TSV, JSON lines, Parquet).
        out: Rating store to make (.sqlite).
    """
    from hesperus.annotation import Source, create_store, read_scheme, sheet_from

    units = Source(source, **senses)
    sheet, notes = sheet_from(units, read_scheme(scheme), mapped=mapped, draw=draw, seed=draw.seed)
    create_store(out, sheet)
    tell(*(f"note: {note}" for note in notes))
    tell(
        f"{out}: units: {len(sheet.units):,}, questions about each: {len(sheet.scheme.questions)}; "
        f"next: hesperus annotate links {shlex.quote(str(out))} --rater first --rater second"
    )


@app.command()
@takes_flags
def links(
    store: Store,
    *,
    rater: list[str] | None = None,
    adjudicator: list[str] | None = None,
    reissue: list[str] | None = None,
    per_unit: int | None = None,
    base_url: str = "http://127.0.0.1:8765",
    format: Format = "table",
) -> None:
    """Add raters and print their personal links, once: the store keeps no link, only what tells a true one.

    For example:

        hesperus annotate links rate.sqlite --rater first --rater second

        hesperus annotate links rate.sqlite --adjudicator third --base-url https://rate.example.org

        hesperus annotate links rate.sqlite --reissue first

    Args:
        rater: Name of a new rater.
        adjudicator: Name of somebody who decides where raters differ.
        reissue: Name of somebody who needs a new link; the old one is void.
        per_unit: How many of these raters judge each unit (default: all).
        base_url: What links begin with.
    """
    from hesperus.annotation import RatingStore, link
    from hesperus.errors import UsageError
    from hesperus.serving import Address

    if not (rater or adjudicator or reissue):
        raise UsageError("name somebody: --rater NAME, --adjudicator NAME or --reissue NAME")
    base_url = Address(base_url=base_url).url
    with RatingStore(store) as opened:
        given = [opened.rater(name) for name in reissue or ()]
        given += opened.add_raters(rater, per_unit=per_unit) if rater else ()
        given += opened.add_raters(adjudicator, "adjudicator") if adjudicator else ()
        rows = tuple(
            {"rater": one.name, "role": one.role, "link": link(base_url, opened.issue_token(one))}
            for one in given
        )
    show_rows("links", rows, format, columns=("rater", "role", "link"))
    tell(
        "whoever has a link can rate in its owner's name; links are not shown again (--reissue makes new ones)"
    )


@app.command()
@takes_flags
def serve(
    store: Store,
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port.")] = _PORT,
    **place: Annotated[Any, Flags("hesperus.serving:Address")],
) -> None:
    """Serve the rating page until interrupted; every answer is on disk before the page says that it is saved.

    For example:

        hesperus annotate serve rate.sqlite

        hesperus annotate serve rate.sqlite --base-url https://rate.example.org
    """
    from hesperus.annotation import serve as run
    from hesperus.serving import Address

    address = Address(port=port, **place)
    if not address.is_loopback:
        tell(
            f"warning: {address.host} can be reached from other machines, and plain HTTP can be read on the way"
        )
    run(
        store,
        address,
        ready=lambda: tell(f"serving {store} at {address.url} (Ctrl-C stops; links: annotate links)"),
    )


@app.command()
def status(store: Store, format: Format = "table") -> None:
    """Show how far every rater is, question by question, and how many answers differ.

    For example:

        hesperus annotate status rate.sqlite
    """
    from hesperus.annotation import RatingStore, decisions, progress
    from hesperus.fingerprint import plain

    columns = ("rater", "role", "question", "assigned", "rated", "cannot_judge", "open", "begun", "last")
    with RatingStore(store) as opened:
        rows = tuple({name: getattr(row, name) for name in columns} for row in progress(opened))
        made = decisions(opened)
        sheet = opened.sheet
    signature = {"scheme": sheet.scheme.name, "sheet": sheet.fingerprint, "units": len(sheet.units)}
    show_rows(
        "annotation",
        rows,
        format,
        columns=columns,
        signature={name: plain(value) for name, value in signature.items()},
    )
    if not rows:
        tell(f"no raters yet: hesperus annotate links {shlex.quote(str(store))} --rater first --rater second")
    counts = {basis: sum(one.basis == basis for one in made) for basis in ("agreed", "adjudicated", "single")}
    apart = sum(one.reason == "raters differ" for one in made)
    tell(
        f"{len(made):,} questions: {counts['agreed']:,} agreed, {counts['adjudicated']:,} adjudicated, "
        f"{counts['single']:,} judged by one rater, {apart:,} where raters differ, "
        f"{len(made) - sum(counts.values()) - apart:,} not judged"
    )


@app.command()
@takes_flags
def html(store: Store, *, rater: str, out: Path) -> None:
    """Write one rater's page as a file that can be mailed; its result file comes back through `import`.

    For example:

        hesperus annotate html rate.sqlite --rater first --out first.html

    Args:
        rater: Whose page; a new name is added as a rater.
        out: HTML file to write.
    """
    from hesperus.annotation import RatingStore, write_mailed

    with RatingStore(store) as opened:
        if rater not in [known.name for known in opened.raters()]:
            opened.add_raters([rater])
            tell(f"added the rater {rater}")
        write_mailed(opened, opened.rater(rater), out)
    tell(f"{out}: needs no network; the rater downloads a result file, `hesperus annotate import` takes it")


@app.command("import")
@takes_flags
def import_(store: Store, file: list[Path]) -> None:
    """Import judgements; all of a file are checked before any is stored, and importing again changes nothing.

    For example:

        hesperus annotate import rate.sqlite ratings-first.json ratings-second.json

        hesperus annotate import rate.sqlite ratings.csv

    Args:
        file: Result of a mailed page or Label Studio's JSON export (.json), or a table with unit, rater, question, rating.
    """
    from hesperus.annotation import RatingStore, import_file

    with RatingStore(store) as opened:
        for path in file:
            counts = import_file(opened, path)
            tell(
                f"{path}: {counts.new:,} new judgements, {counts.known:,} known already"
                + (f", {counts.empty:,} rows without a rating" if counts.empty else "")
                + (f"; raters added: {', '.join(counts.added)}" if counts.added else "")
            )


@app.command()
@takes_flags
def export(
    store: Store,
    **settings: Annotated[Any, Flags("hesperus.api.annotating:export_judgements", options="out")],
) -> None:
    """Export ratings for `hesperus measure raters`, decisions, the whole log, or files for other tools.

    `ratings` has a row per unit, rater and question; `wide` a row per unit and rater with a column per question;
    `decisions` what raters agreed on or an adjudicator decided; `overrides` what `hesperus reread` takes.

    For example:

        hesperus annotate export rate.sqlite --question cue --out cue.csv

        hesperus annotate export readings.sqlite --what overrides --out reviewed.csv

        hesperus annotate export rate.sqlite --what label-studio --out label-studio
    """
    from hesperus.api.annotating import export_judgements

    tell(export_judgements(store, **settings))
