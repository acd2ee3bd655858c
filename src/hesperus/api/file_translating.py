"""Texts, line by line or in a column of a table, through a translator."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from hesperus.api.progress import stage_progress
from hesperus.errors import DataError, PermanentError, UnknownNameError, UsageError
from hesperus.languages import normalise
from hesperus.records.files import write_content
from hesperus.storage import MEMORY
from hesperus.studies.evaluating.replies import languages_of
from hesperus.studies.evaluating.translating import Made, Translating, Way
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.tables import FORMATS, read_table, write_table
from hesperus.text_files import decoded, read_text
from hesperus.translation import LADDER, Decoding, TranslatorOptions
from hesperus.translation.codes import unsupported
from hesperus.translation.translator_registry import translator as translator_named


@dataclass(frozen=True, slots=True)
class TranslatedFile:
    """A translated text or table.

    Attributes:
        content: As it is written.
        notes: What became of it, each as one line for people.
    """

    content: bytes
    notes: tuple[str, ...]


def translate(
    file: Path | str | bytes,
    *,
    translator: str,
    target: str,
    source: str | None = None,
    source_column: str | None = None,
    column: str = "reply",
    into: str = "translation",
    out: Path | str | None = None,
    format: str | None = None,
    whole: bool | None = None,
    beams: int = 1,
    device: str = "auto",
    compute_type: str = "default",
    batch_tokens: int = 1024,
    progress: bool | None = None,
) -> TranslatedFile:
    """Translate a text, line by line, or a column of a table: what `hesperus translate` does.

    Args:
        file: Text, a line a text; or a table (.csv, .tsv, .jsonl, .parquet); - reads lines.
        translator: Who translates; `hesperus translators` lists them.
        target: Language wanted.
        source: Language of the texts.
        source_column: Column that holds each row's language or sense, such as input.
        column: Of a table: the column to translate.
        into: Of a table: the column to put translations in.
        out: File to write (default: standard output); what was translated is kept next to it until all is done.
        format: Of a table: csv, tsv, jsonl or parquet (default: as OUT or FILE).
        whole: Hand texts over whole, or sentence by sentence with repair of what degenerates (default: sentences; whole for
            file/ and none).
        beams: Width of the search; 1 is greedy.
        device: cpu, cuda, cuda:1, or auto.
        compute_type: default, float32, float16, bfloat16; of ct2 also int8 and auto.
        batch_tokens: Tokens translated at a time; more suits a GPU.
        progress: As in hesperus.run.

    Raises:
        UsageError: A pair of languages that the translator does not know, or settings that do not go together.
        DataError: The file cannot be read, or lacks a column.
        ModelError: The translator failed; with `out`, what was translated is kept.
    """
    is_table = not isinstance(file, bytes) and Path(file).suffix.lower() in FORMATS
    if (source is None) == (source_column is None):
        raise UsageError("say --from LANGUAGE, or of a table --from-column COLUMN")
    if not is_table and (source_column or format):
        raise UsageError(
            f"lines of text take no --from-column and no --format; tables do ({', '.join(FORMATS)})"
        )
    if beams < 1:
        raise UsageError(f"--beams is a number from 1, not {beams}")
    options = TranslatorOptions(device=device, compute_type=compute_type, batch_tokens=batch_tokens)
    chosen, decoding = translator_named(translator, options), Decoding(beams=beams)
    is_whole = translator.partition("/")[0] in ("file", "none") if whole is None else whole
    place, wanted = None if out is None else Path(out), normalise(target)
    texts: Lines | Column
    if is_table:
        columns = (column, into, source_column)
        texts = Column.read(
            Path(str(file)), columns, source, wanted, kind=_kind(format, place, Path(str(file)))
        )
    else:
        texts = Lines(_text(file), normalise(source or ""))
        if not chosen.supports(texts.language, wanted):
            raise unsupported(chosen.name, texts.language, wanted)
    kept = None if place is None else place.with_name(f".{place.name}.translations.sqlite")
    with TranslationStore(kept or MEMORY) as store, stage_progress(progress) as watch:
        ladder = decoding if is_whole else replace(LADDER, first=decoding)
        made = _made(texts, Translating(chosen, store, ladder=ladder, watch=watch), wanted)
    content = texts.written({tag: [_said(one) for one in many] for tag, many in made.items()})
    if place is not None and kept is not None:
        write_content(place, content)
        kept.unlink(missing_ok=True)
    counts = getattr(chosen, "counts", {})
    said = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items() if count)
    notes = (*_repairs(made), *texts.notes(), f"{chosen.name}: {said or 'nothing to count'}")
    return TranslatedFile(content, notes)


def _text(file: Path | str | bytes) -> str:
    if isinstance(file, bytes):
        return decoded(file)
    if str(file) == "-":
        return decoded(sys.stdin.buffer.read(), "standard input")
    return read_text(Path(file), "text")


def _made(texts: Lines | Column, translating: Translating, target: str) -> dict[str, list[Made]]:
    """Language to what became of its texts."""
    asked = texts.by_language()
    translating.refuse_unsupported([(tag, target) for tag in asked])
    return {
        tag: translating.texts(many, Way(tag, target, f"{tag} to {target}")) for tag, many in asked.items()
    }


@dataclass(frozen=True, slots=True)
class Lines:
    """A line in, a line out.

    Attributes:
        text: All of it.
        language: Its language.
    """

    text: str
    language: str

    def by_language(self) -> dict[str, list[str]]:
        """Language to texts."""
        return {self.language: [line.removesuffix("\r") for line in self.text.split("\n")]}

    def written(self, made: Mapping[str, Sequence[str]]) -> bytes:
        """The translations as a file; none takes more lines than its text, so that the n-th line stays the n-th."""
        ends = ["\r" if line.endswith("\r") else "" for line in self.text.split("\n")]
        lines = zip(made[self.language], ends, strict=True)
        return "\n".join(text.replace("\n", " ") + end for text, end in lines).encode()

    def notes(self) -> tuple[str, ...]:
        """Nothing."""
        return ()


@dataclass(frozen=True, slots=True)
class Column:
    """A column in, a column more out; empty cells stay empty, rows in the wanted language stay as they are.

    Attributes:
        table: The table.
        column: What is translated.
        into: The new column.
        kind: Format that is written.
        languages: Of each row.
        target: Language wanted.
    """

    table: pl.DataFrame
    column: str
    into: str
    kind: str
    languages: tuple[str, ...]
    target: str

    @classmethod
    def read(
        cls, file: Path, columns: tuple[str, str, str | None], source: str | None, target: str, *, kind: str
    ) -> Column:
        """Read a table.

        Args:
            file: The table.
            columns: What is translated, the new column, and the one that holds each row's language.
            source: The language of all rows, where no column holds it.
            target: Language wanted.
            kind: Format that is written.
        """
        column, into, source_column = columns
        table = read_table(file)
        for name in filter(None, (column, source_column)):
            if name not in table.columns or table[name].dtype != pl.String:
                raise DataError(f"has no text column {name!r}; it has {', '.join(table.columns)}", file=file)
        if into in table.columns:
            raise UsageError(f"{file} has a column {into!r} already; name another with --into")
        if source_column is None:
            languages = [normalise(source or "")] * table.height
        else:
            languages = languages_of(table[source_column], file).to_list()
        return cls(table, column, into, kind, tuple(languages), target)

    def _rows(self) -> dict[str, list[int]]:
        rows: dict[str, list[int]] = {}
        for row, (text, tag) in enumerate(zip(self.table[self.column], self.languages, strict=True)):
            if text is not None and tag != self.target:
                rows.setdefault(tag, []).append(row)
        return rows

    def by_language(self) -> dict[str, list[str]]:
        """Language to texts."""
        return {tag: self.table[self.column].gather(rows).to_list() for tag, rows in self._rows().items()}

    def written(self, made: Mapping[str, Sequence[str]]) -> bytes:
        """The table with the translations."""
        done = self.table[self.column].to_list()
        for tag, rows in self._rows().items():
            for row, text in zip(rows, made[tag], strict=True):
                done[row] = text
        held = io.BytesIO()
        write_table(self.table.with_columns(pl.Series(self.into, done, pl.String)), held, self.kind)
        return held.getvalue()

    def notes(self) -> tuple[str, ...]:
        """What was left as it is."""
        texts = self.table[self.column]
        same = sum(
            text is not None and tag == self.target for text, tag in zip(texts, self.languages, strict=True)
        )
        return (
            f"{texts.len():,} rows: {same:,} in {self.target} already, {texts.null_count():,} without a text",
        )


def _kind(format: str | None, out: Path | None, file: Path) -> str:
    """The format in which a table is written."""
    if format is not None and format not in FORMATS.values():
        raise UnknownNameError("format of a table", format, set(FORMATS.values()))
    kind = format or FORMATS.get((out or file).suffix.lower(), "jsonl")
    if kind == "parquet" and out is None:
        raise UsageError("Parquet is no text for the terminal; name a file with --out, or say --format jsonl")
    return kind


def _said(made: Made) -> str:
    if made.text is None:
        raise PermanentError(made.reason)
    return made.text


def _repairs(made: Mapping[str, Sequence[Made]]) -> tuple[str, ...]:
    repaired = sum(one.repaired for many in made.values() for one in many)
    left = sum(one.unrepaired for many in made.values() for one in many)
    told = f"sentences: {repaired:,} made better by another try, {left:,} still faulty"
    return (told,) if repaired or left else ()
