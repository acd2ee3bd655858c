"""Many texts through a translator, kept as they are made: what was translated is not translated again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from hesperus.fingerprint import fingerprint
from hesperus.translation.codes import unsupported
from hesperus.translation.repair import Ladder, Translated, translate_documents
from hesperus.translation.translator import GREEDY, Decoding, TextTooLongError, Translator

_BATCH = 100_000
"""Characters of texts that are handed over together, so that a kill loses little."""


class KeptTranslations(Protocol):
    """What keeps translations, each as soon as it is made (see hesperus.studies.evaluating.translation_store)."""

    def find(self, keys: Sequence[str]) -> Mapping[str, Translated]:
        """The translations that are there already, by key."""
        ...

    def keep(self, key: str, made: Translated) -> None:
        """Keep a translation; it is safe when this returns."""
        ...


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be translated, but for the texts.

    Attributes:
        translator: Who does it.
        source: Language of the texts.
        target: Language wanted.
        decoding: How whole texts are drawn.
        ladder: How documents are translated sentence by sentence and repaired; None hands texts over whole.
        chunk: Texts handed over at a time at most, and lost at most when the run is killed.
    """

    translator: Translator
    source: str
    target: str
    decoding: Decoding = GREEDY
    ladder: Ladder | None = None
    chunk: int = 256

    def keys(self, texts: Sequence[str]) -> list[str]:
        """The key of each text: all that decides its translation."""
        how = self.ladder or self.decoding
        about = fingerprint([dict(self.translator.identity), how, self.source, self.target])
        return [fingerprint([about, text]) for text in texts]


def translate_kept(
    job: Job,
    texts: Sequence[str],
    *,
    store: KeptTranslations | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> list[Translated]:
    """Translate many texts, each different one once, keeping them as they come.

    Args:
        job: What is to be done.
        texts: The texts.
        store: Where translations are kept; without one, nothing is.
        tell: Told at the beginning and after every text how many of the different texts are done, and how many of these
            were kept from before.

    Returns:
        The translations, in the order of the texts; those of whole texts have no sentences.

    Raises:
        UsageError: The translator does not do the pair; the message names those that would.
        TextTooLongError: A text is longer than the translator reads; its number is that among ``texts``.
        TransientError: Worth another try; what was made is kept.
        PermanentError: Not worth one.
        StoreError: The store cannot be read or written.
    """
    if not job.translator.supports(job.source, job.target):
        raise unsupported(job.translator.name, job.source, job.target)
    places: dict[str, int] = {}
    for place, text in enumerate(texts):
        places.setdefault(text, place)
    made: dict[str, Translated] = {}
    keys: dict[str, str] = {}
    if store is not None:
        keys = dict(zip(places, job.keys(list(places)), strict=True))
        stored = store.find(list(keys.values()))
        made = {text: stored[key] for text, key in keys.items() if key in stored}
    kept = len(made)

    def keep(text: str, one: Translated) -> None:
        made[text] = one
        if store is not None:
            store.keep(keys[text], one)
        if tell is not None:
            tell(len(made), kept)

    if tell is not None:
        tell(kept, kept)
    for batch in _batches([text for text in places if text not in made], job.chunk):
        try:
            _translate(job, batch, keep)
        except TextTooLongError as error:
            sizes = {places[batch[number]]: size for number, size in error.sizes.items()}
            raise TextTooLongError(job.translator.name, texts, sizes, error.limit) from error
    return [made[text] for text in texts]


def _batches(texts: Sequence[str], chunk: int) -> Iterator[list[str]]:
    batch: list[str] = []
    held = 0
    for text in texts:
        batch.append(text)
        held += len(text)
        if held >= _BATCH or len(batch) == chunk:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def _translate(job: Job, texts: Sequence[str], keep: Callable[[str, Translated], None]) -> None:
    if job.ladder is not None:
        translate_documents(
            job.translator, texts, job.source, job.target, ladder=job.ladder,
            keep=lambda number, one: keep(texts[number], one),
        )  # fmt: skip
        return
    done = job.translator.translate(texts, job.source, job.target, job.decoding)
    for text, one in zip(texts, done, strict=True):
        keep(text, Translated(one))
