"""Many texts through a translator, kept as they are made: what was translated is not translated again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO

from hesperus.errors import DataError
from hesperus.fingerprint import fingerprint
from hesperus.translation.codes import unsupported
from hesperus.translation.repair import Ladder, translate_documents
from hesperus.translation.translator import GREEDY, Decoding, TextTooLongError, Translator

Told = Callable[[int, int], None]
"""Told how many of the texts are done, and how many of these were kept from before."""


@dataclass(frozen=True, slots=True)
class Made:
    """A translated text, and how many of its sentences were repaired or could not be; 0 where it was not cut up."""

    text: str
    repaired: int = 0
    unrepaired: int = 0


@dataclass
class Journal:
    """Translations by all that decides them, in a file that grows; a line that was cut off by a kill is passed over.

    Attributes:
        path: The file; it is made with the first translation.
    """

    path: Path
    _kept: dict[str, Made] = field(default_factory=dict)
    _file: IO[str] | None = None

    def __enter__(self) -> Journal:
        if not self.path.is_file():
            return self
        try:
            lines = self.path.read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise DataError(f"cannot be read; remove it to begin anew: {error}", file=self.path) from error
        # What follows the last line break was being written when the run ended.
        for number, line in enumerate(lines[:-1], start=1):
            try:
                key, text, repaired, unrepaired = json.loads(line)
            except (ValueError, TypeError) as error:
                raise DataError(
                    "is no line of this journal; remove the file to begin anew", file=self.path, line=number
                ) from error
            self._kept[key] = Made(text, repaired, unrepaired)
        whole = sum(len(line.encode()) + 1 for line in lines[:-1])
        with self.path.open("r+b") as torn:
            torn.truncate(whole)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def get(self, key: str) -> Made | None:
        """The translation kept under a key."""
        return self._kept.get(key)

    def keep(self, key: str, made: Made) -> None:
        """Keep a translation; it is with the system when this returns."""
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a", encoding="utf-8")
        line = [key, made.text, made.repaired, made.unrepaired]
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self._file.flush()
        self._kept[key] = made

    def remove(self) -> None:
        """Forget all: the result is elsewhere now."""
        if self._file is not None:
            self._file.close()
            self._file = None
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be translated, but for the texts.

    Attributes:
        translator: Who does it.
        source: Language of the texts.
        target: Language wanted.
        decoding: How whole texts are drawn.
        ladder: How documents are translated sentence by sentence and repaired; None hands texts over whole.
        chunk: Texts handed over at a time, and lost at most when the run is killed.
    """

    translator: Translator
    source: str
    target: str
    decoding: Decoding = GREEDY
    ladder: Ladder | None = None
    chunk: int = 256


def translate_kept(
    job: Job, texts: Sequence[str], *, journal: Journal | None = None, tell: Told | None = None
) -> list[Made]:
    """Translate many texts, each different one once, keeping them as they come.

    Args:
        job: What is to be done.
        texts: The texts.
        journal: Where translations are kept; without one, nothing is.
        tell: Told after every chunk, in different texts.

    Returns:
        The translations, in the order of the texts.

    Raises:
        UsageError: The translator does not do the pair; the message names those that would.
        TextTooLongError: A text is longer than the translator reads; its number is that among ``texts``.
        TransientError: Worth another try; what was made is kept.
        PermanentError: Not worth one.
    """
    if not job.translator.supports(job.source, job.target):
        raise unsupported(job.translator.name, job.source, job.target)
    places: dict[str, int] = {}
    for place, text in enumerate(texts):
        places.setdefault(text, place)
    keys: dict[str, str] = {}
    if journal is not None:
        about = fingerprint(
            [dict(job.translator.identity), job.source, job.target, job.ladder or job.decoding]
        )
        keys = {text: fingerprint([about, text]) for text in places}
    made = {text: found for text, key in keys.items() if journal and (found := journal.get(key)) is not None}
    kept = len(made)
    left = [text for text in places if text not in made]

    def keep(text: str, one: Made) -> None:
        made[text] = one
        if journal is not None:
            journal.keep(keys[text], one)

    for start in range(0, len(left), job.chunk):
        chunk = left[start : start + job.chunk]
        try:
            _translate(job, chunk, keep)
        except TextTooLongError as error:
            sizes = {places[chunk[number]]: size for number, size in error.sizes.items()}
            raise TextTooLongError(job.translator.name, texts, sizes, error.limit) from error
        if tell is not None:
            tell(len(made), kept)
    return [made[text] for text in texts]


def _translate(job: Job, texts: Sequence[str], keep: Callable[[str, Made], None]) -> None:
    if job.ladder is None:
        done = job.translator.translate(texts, job.source, job.target, job.decoding)
        for text, one in zip(texts, done, strict=True):
            keep(text, Made(one))
        return
    translate_documents(
        job.translator,
        texts,
        job.source,
        job.target,
        ladder=job.ladder,
        keep=lambda number, one: keep(
            texts[number],
            Made(one.text, len({repair.sentence for repair in one.repairs}), len(one.unrepaired)),
        ),
    )
