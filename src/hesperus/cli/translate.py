"""`hesperus translate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import polars as pl

    from hesperus.api.progress import StageProgress
    from hesperus.translation import Job, KeptTranslations, Translated

_FILE = typer.Argument(
    help="Text, a line a text; or a table (.csv, .tsv, .jsonl, .parquet); - reads lines.", show_default=False
)
_SOURCE = typer.Option("--from", help="Language of the texts.", show_default=False)
_SOURCE_COLUMN = typer.Option(
    "--from-column", help="Column that holds each row's language or sense, such as input.", show_default=False
)
_WHOLE = typer.Option(
    "--whole/--sentences",
    help="Hand texts over whole, or sentence by sentence with repair of what degenerates "
    "(default: sentences; whole for file/ and none).",
    show_default=False,
)


def command(
    file: Annotated[str, _FILE],
    translator: Annotated[str, typer.Option(help="Who translates; `hesperus translators` lists them.")],
    target: Annotated[str, typer.Option("--to", help="Language wanted.", show_default=False)],
    source: Annotated[str | None, _SOURCE] = None,
    source_column: Annotated[str | None, _SOURCE_COLUMN] = None,
    column: Annotated[str, typer.Option(help="Of a table: the column to translate.")] = "reply",
    into: Annotated[str, typer.Option(help="Of a table: the column to put translations in.")] = "translation",
    out: Annotated[Path | None, typer.Option(help="File to write (default: standard output).")] = None,
    format: Annotated[
        str | None, typer.Option(help="Of a table: csv, tsv, jsonl or parquet (default: as OUT or FILE).")
    ] = None,
    whole: Annotated[bool | None, _WHOLE] = None,
    beams: Annotated[int, typer.Option(min=1, help="Width of the search; 1 is greedy.")] = 1,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, or auto.")] = "auto",
    compute_type: Annotated[
        str, typer.Option(help="default, float32, float16, bfloat16; of ct2 also int8 and auto.")
    ] = "default",
    batch_tokens: Annotated[
        int, typer.Option(min=1, help="Tokens translated at a time; more suits a GPU.")
    ] = 1024,
) -> None:
    r"""Translate a text, line by line, or a column of a table, such as the replies of a records file.

    Sentences are translated one by one, Markdown and code stay, and what degenerates is translated again in other ways.
    With --out the work is kept as it is done, and the same command goes on where it was stopped.

    For example:

        hesperus translate questions.txt --from en --to es --translator apertium

        hesperus translate runs/long/records.parquet --from-column input --to en --translator ct2/nllb --out en.parquet

        printf 'The house is green.\n' | hesperus translate - --from en --to es --translator apertium
    """
    from dataclasses import replace

    from hesperus.errors import UsageError
    from hesperus.tables import FORMATS
    from hesperus.translation import LADDER, Decoding, Job, TranslatorOptions
    from hesperus.translation.translator_registry import translator as make

    table = file != "-" and Path(file).suffix.lower() in FORMATS
    if (source is None) == (source_column is None):
        raise UsageError("say --from LANGUAGE, or of a table --from-column COLUMN")
    if not table and (source_column or format):
        raise UsageError(
            f"{file} is read as lines; --from-column and --format are for tables ({', '.join(FORMATS)})"
        )
    options = TranslatorOptions(device=device, compute_type=compute_type, batch_tokens=batch_tokens)
    chosen = make(translator, options)

    if whole is None:
        whole = translator.partition("/")[0] in ("file", "none")
    first = Decoding(beams=beams)

    def job(language: str) -> Job:
        return Job(chosen, language, target, first, None if whole else replace(LADDER, first=first))

    if table:
        _table(Path(file), job, _Columns(column, into, source, source_column), out, format)
    else:
        assert source is not None
        _lines(file, job(source), out)
    counts = getattr(chosen, "counts", {})
    said = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items() if count)
    say(f"{chosen.name}: {said or 'nothing to count'}")


class _Columns:
    """Which columns of a table hold what."""

    def __init__(self, text: str, into: str, source: str | None, source_column: str | None) -> None:
        self.text, self.into, self.source, self.source_column = text, into, source, source_column


def _lines(file: str, job: Job, out: Path | None) -> None:
    """A line in, a line out."""
    from hesperus.errors import DataError

    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=file) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise DataError(f"is no UTF-8: {error.reason}", file=file, line=line) from error
    lines = text.split("\n")
    bare = [line.removesuffix("\r") for line in lines]

    def write(made: dict[str, str]) -> bytes:
        # A translation never takes more lines than its text, so that the n-th line stays the n-th.
        done = [
            made[text].replace("\n", " ") + line[len(text) :] for text, line in zip(bare, lines, strict=True)
        ]
        return "\n".join(done).encode()

    _translated({job: bare}, out, lambda made: write(dict(zip(bare, made[job], strict=True))))


def _table(
    file: Path, job: Callable[[str], Job], columns: _Columns, out: Path | None, format: str | None
) -> None:
    """A column in, a column more out; empty cells stay empty, rows in the wanted language stay as they are."""
    import io

    import polars as pl

    from hesperus.errors import DataError, UnknownNameError, UsageError
    from hesperus.languages import normalise
    from hesperus.tables import FORMATS, read_table, write_table

    table = read_table(file)
    for name in filter(None, (columns.text, columns.source_column)):
        if name not in table.columns or table[name].dtype != pl.String:
            raise DataError(f"has no text column {name!r}; it has {', '.join(table.columns)}", file=file)
    if columns.into in table.columns:
        raise UsageError(f"{file} has a column {columns.into!r} already; name another with --into")
    if format is not None and format not in FORMATS.values():
        raise UnknownNameError("format of a table", format, set(FORMATS.values()))
    kind = format or FORMATS.get((out or file).suffix.lower(), "jsonl")
    if kind == "parquet" and out is None:
        raise UsageError("Parquet is no text for the terminal; name a file with --out, or say --format jsonl")
    languages = _languages(table, columns, file)
    texts: Sequence[str | None] = table[columns.text].to_list()
    wanted = normalise(job("en").target)
    rows: dict[str, list[int]] = {}
    for row, (text, language) in enumerate(zip(texts, languages, strict=True)):
        if text is not None and language != wanted:
            rows.setdefault(language, []).append(row)
    jobs = {job(language): found for language, found in rows.items()}
    _refuse_unsupported(list(jobs))
    asked = {one: [texts[row] or "" for row in found] for one, found in jobs.items()}

    def write(made: dict[Job, list[str]]) -> bytes:
        done = list(texts)
        for one, found in jobs.items():
            for row, text in zip(found, made[one], strict=True):
                done[row] = text
        held = io.BytesIO()
        write_table(table.with_columns(pl.Series(columns.into, done, pl.String)), held, kind)
        return held.getvalue()

    _translated(asked, out, write)
    same = sum(text is not None and tag == wanted for text, tag in zip(texts, languages, strict=True))
    empty = sum(text is None for text in texts)
    say(f"{len(texts):,} rows: {same:,} in {wanted} already, {empty:,} without a text")


def _refuse_unsupported(jobs: Sequence[Job]) -> None:
    """Before anything is done: the translator must do the language of every row."""
    from hesperus.translation import all_unsupported

    lacking = [
        (one.source, one.target) for one in jobs if not one.translator.supports(one.source, one.target)
    ]
    if lacking:
        hint = "name another translator, or leave these rows out"
        raise all_unsupported(jobs[0].translator.name, lacking, len(jobs), hint)


def _languages(table: pl.DataFrame, columns: _Columns, file: Path) -> list[str]:
    """The language of each row, as a normal tag; a sense code represents its language."""
    from hesperus.errors import DataError, UnknownNameError
    from hesperus.languages import normalise
    from hesperus.types import Sense

    if columns.source_column is None:
        assert columns.source is not None
        return [normalise(columns.source)] * table.height
    known: dict[str, str] = {}
    for row, value in enumerate(table[columns.source_column].to_list(), start=1):
        if value in known:
            continue
        try:
            known[value] = normalise(Sense.parse(value).language)
        except (UnknownNameError, ValueError, TypeError):
            try:
                known[value] = normalise(value)
            except UnknownNameError as error:
                raise DataError(str(error), file=file, line=row, field=columns.source_column) from error
    return [known[value] for value in table[columns.source_column].to_list()]


def _translated(
    asked: dict[Job, list[str]], out: Path | None, write: Callable[[dict[Job, list[str]]], bytes]
) -> None:
    """Translate; what was made is kept next to the file until that is written, at the end."""
    from contextlib import nullcontext

    from hesperus.api.progress import StageProgress
    from hesperus.records.files import write_content
    from hesperus.studies.evaluating.translation_store import TranslationStore

    kept = None if out is None else out.parent / f".{out.name}.translations.sqlite"
    with TranslationStore(kept) if kept else nullcontext() as store, StageProgress() as progress:
        found = {job: _watched(job, texts, store, progress) for job, texts in asked.items()}
        written = write({job: [one.text for one in made] for job, made in found.items()})
    if out is None or kept is None:
        sys.stdout.buffer.write(written)
        sys.stdout.buffer.flush()
    else:
        write_content(out, written)
        kept.unlink(missing_ok=True)
    _say(found)


def _watched(
    job: Job, texts: list[str], store: KeptTranslations | None, progress: StageProgress
) -> list[Translated]:
    import time

    from hesperus.asking import Progress
    from hesperus.translation import translate_kept

    total, started = len(set(texts)), time.monotonic()

    def tell(done: int, kept: int) -> None:
        rate = (done - kept) / max(time.monotonic() - started, 1e-9)
        progress(f"{job.source} to {job.target}", Progress(total=total, done=done, cached=kept, rate=rate))

    return translate_kept(job, texts, store=store, tell=tell)


def _say(found: Mapping[Job, Sequence[Translated]]) -> None:
    repaired = sum(len(one.repairs) for made in found.values() for one in made)
    left = sum(len(one.unrepaired) for made in found.values() for one in made)
    if repaired or left:
        say(f"sentences: {repaired:,} made better by another try, {left:,} still faulty")
