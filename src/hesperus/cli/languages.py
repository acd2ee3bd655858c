"""`hesperus languages`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.flags import Format, takes_flags
from hesperus.cli.help import Commands, ShowGroup
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.resources.abc import Traversable

    from hesperus.languages import Language

app = Commands(
    cls=ShowGroup,
    help="Languages, and the words that prompts and answers need in each.",
    no_args_is_help=False,
)

_PACKS = ("full", "answers")
_PACKED = typer.Option("--packs", help="Only languages that have a pack of words.")


@app.callback(invoke_without_command=True)
@takes_flags
def command(
    context: typer.Context,
    *,
    script: list[str] | None = None,
    family: list[str] | None = None,
    direction: str | None = None,
    packed: Annotated[bool, _PACKED] = False,
    format: Format = "table",
) -> None:
    """List the languages that hesperus knows by name; any other registered tag may be used as well.

    Answers in a language with a pack are read by its own words. In a language with a full pack, a model can also be
    asked to translate or reword; a pack of answers has no requests. The column reviewed says what a native reader has
    confirmed of a pack: no (nothing), answers (all that reads answers) or all. A tag alone shows that language, as
    `show TAG` does.

    For example:

        hesperus languages --packs

        hesperus languages --direction rtl

        hesperus languages sw

        hesperus languages --family Germanic --family Slavic --format json

    Args:
        script: Only this ISO 15924 script, such as Cyrl.
        family: Only this family or branch, such as Indo-European or Germanic.
        direction: Only languages written ltr or rtl.
    """
    if context.invoked_subcommand is not None:
        return
    from hesperus.languages import language, languages, packs

    known = [language(tag) for tag in sorted({*languages(), *packs()})]
    families = {name: name for found in known for name in (found.family, found.branch) if name}
    scripts = _chosen("script", script, {found.script: found.script for found in known})
    wanted = _chosen("family", family, families)
    runs = _chosen("direction", [direction] if direction else None, {"ltr": "ltr", "rtl": "rtl"})
    columns = ("tag", "name", "autonym", "script", "direction", "family", "branch", "pack", "reviewed")
    rows = [
        {**{name: getattr(found, name) for name in columns[:-2]}, **_pack_columns(found.tag)}
        for found in known
        if (scripts is None or found.script in scripts)
        and (wanted is None or {found.family, found.branch} & wanted)
        and (runs is None or found.direction in runs)
        and (not packed or found.tag in packs())
    ]
    counts = [sum(row["pack"] == kind for row in rows) for kind in _PACKS]
    lead = f"languages: {len(rows)} known by name, {counts[0]} with a full pack of words, {counts[1]} with one of answers"
    if format == "table":
        rows.sort(key=lambda row: _PACKS.index(str(row["pack"])) if row["pack"] in _PACKS else len(_PACKS))
    show_rows("languages", rows, format, columns=columns, lead=lead)


@app.command()
@takes_flags
def show(tag: str, *, format: Format = "table") -> None:
    """Show a language and, where it has a pack, every word of it.

    For example:

        hesperus languages show swh_Latn

        hesperus languages show "Chinese (Simplified)" --format json

    Args:
        tag: Tag in any style, or an English name in quotes.
    """
    from hesperus.languages import language

    found = language(tag)
    rows = tuple({"property": name, "value": value} for name, value in _facts(found))
    lead = f"language {found.tag}"
    shown = rows[1:] if format == "table" else rows  # the first row says what the lead does
    show_rows("language", shown, format, columns=("property", "value"), lead=lead)


@app.command()
@takes_flags
def check(pack: str | None = None, *, format: Format = "table") -> None:
    """Check language packs: every word there, none standing for two labels, letters of the right script, and so on.

    Replies made from the words of each pack are read as well (a negated label, "A or B", a refusal): what is read as
    an answer that it does not mean is a finding. Exit code 1 where something is found. docs/languages.md says what a pack holds.

    For example:

        hesperus languages check

        hesperus languages check sw

        hesperus languages check my-packs/eu.yaml --format json

    Args:
        pack: Language, or file of a pack (default: all packs that come with hesperus).
    """
    from hesperus.answers.probes import false_answers
    from hesperus.languages import check as check_packs
    from hesperus.languages import packs

    file = _pack_file(pack) if pack else None
    found = check_packs(file, probe=false_answers)
    if found or format != "table":
        columns = ("file", "line", "language", "key", "message")
        rows = tuple({name: getattr(finding, name) for name in columns} for finding in found)
        show_rows("findings", rows, format, columns=columns)
    packs_read = "1 pack" if file else f"{len(packs())} packs"
    say(f"{packs_read}, {len(found) or 'no'} finding{'' if len(found) == 1 else 's'}")
    if found:
        raise typer.Exit(1)


def _pack_file(name: str) -> Path | Traversable:
    """The file that a path names, or that of a language's pack."""
    from hesperus.languages import normalise, pack, packs
    from hesperus.languages.wordings import offered_file, pack_files

    path = Path(name)
    if path.suffix == ".yaml" or path.parent != Path() or path.exists():
        return path
    tag = normalise(name)
    served = tag if tag in packs() else pack(tag).tag
    return offered_file(served) or pack_files()[served]


def _chosen(kind: str, given: Sequence[str] | None, known: dict[str, str]) -> set[str] | None:
    """The names that a filter represents, whatever their case; None lets everything pass."""
    from hesperus.errors import UnknownNameError

    if not given:
        return None
    folded = {name.casefold(): name for name in known}
    for name in given:
        if name.casefold() not in folded:
            raise UnknownNameError(kind, name, known)
    return {folded[name.casefold()] for name in given}


def _pack_columns(tag: str) -> dict[str, str | None]:
    """What there is of a pack, or whose serves; what a native reader has confirmed of it; None without a pack."""
    from hesperus.errors import UnknownNameError
    from hesperus.languages import pack

    try:
        words = pack(tag)
    except UnknownNameError:
        return {"pack": None, "reviewed": None}
    kind = "full" if words.can_ask else "answers"
    return {"pack": kind if words.tag == tag else f"as {words.tag}", "reviewed": words.reviewed}


def _facts(found: Language) -> Iterator[tuple[str, str]]:
    """What there is to know of a language, then its pack."""
    from hesperus.errors import UnknownNameError
    from hesperus.languages import pack
    from hesperus.languages.wordings import offered_file

    for name in ("tag", "name", "autonym", "script", "direction", "family", "branch", "iso639_3"):
        yield name, getattr(found, name) or "not known"
    if found.paper_family:
        yield "group in Found in Translation", f"{found.paper_family}, {found.paper_script}"
    try:
        words = pack(found.tag)
    except UnknownNameError:
        yield "pack", "none; docs/languages.md says how to add one"
        return
    yield "pack", words.tag
    if (file := offered_file(words.tag)) is not None:
        yield "pack's file", str(file)
    yield "confirmed by a native reader", words.reviewed
    for group, labels in words.groups.items():
        for label, synonyms in labels.items():
            yield f"{group}: {label}", ", ".join(synonyms)
    latin = " (or A B C D)" if words.latin_letters and words.option_letters[0] != "A" else ""
    yield "option letters", " ".join(words.option_letters) + latin
    yield "digits", " ".join(words.digits)
    yield "option words", ", ".join(words.option_words)
    yield "or", ", ".join(words.or_words)
    yield "full stop, question mark", f"{words.sentence_end} {words.question_mark}"
    yield "quotation marks", ", ".join(f"{left} {right}" for left, right in words.quotes)
    yield "answer cues", " | ".join(words.cues)
    yield "refusals", " | ".join(words.refusals)
    if not words.can_ask:
        yield "requests", "none: the pack reads answers only"
        return
    for name, template in words.requests.items():
        yield f"request: {name}", template
    yield "target languages", ", ".join(f"{tag}: {name}" for tag, name in words.targets.items())
