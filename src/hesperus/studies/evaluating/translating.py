"""Texts into another language, whatever translates: sentence by sentence with repair, looked up, or left as they are.

What was made is kept in a store as it is made, and is never made twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hesperus.asking import Progress
from hesperus.errors import ModelError, UsageError
from hesperus.fingerprint import JSON, fingerprint, plain
from hesperus.studies.asked.session import ProgressCallback
from hesperus.studies.asked.study_files import with_masked_endpoint
from hesperus.studies.evaluating.translation_store import TranslationStore
from hesperus.translation import (
    LADDER,
    Decoding,
    Job,
    Ladder,
    Translated,
    Translator,
    all_unsupported,
    translate_kept,
)
from hesperus.translation.translators.files import FileTranslator

AS_THEY_ARE = "none"
"""Name of the translator that leaves texts as they are."""

_TOGETHER = 4_096
"""Texts that are handed over together, as far as they are short; a kill loses no more."""


@dataclass(frozen=True, slots=True)
class Made:
    """A text in the wanted language.

    Attributes:
        text: None if there is no translation.
        sentences: Sentences translated; 0 where the text was looked up or left as it is.
        repaired: Sentences with a replaced first translation.
        unrepaired: Sentences with a fault left in the best translation.
        document: All that was tried, where it was translated here.
        reason: Why there is no translation; empty otherwise.
    """

    text: str | None
    sentences: int = 0
    repaired: int = 0
    unrepaired: int = 0
    document: Translated | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """From which language into which, and for what."""

    source: str
    target: str
    stage: str


class Translating:
    """A translator with its store.

    Args:
        translator: What translates; `none` leaves texts as they are, `file/…` looks whole texts up.
        store: Where translations are kept.
        ladder: How documents are translated sentence by sentence and repaired; a Decoding hands texts over whole.
        watch: Hears of the progress.
    """

    def __init__(
        self,
        translator: Translator,
        store: TranslationStore,
        *,
        ladder: Ladder | Decoding = LADDER,
        watch: ProgressCallback | None = None,
    ) -> None:
        self.translator = translator
        self._store = store
        self._ladder = ladder
        self._watch = watch

    @property
    def name(self) -> str:
        """The translator's name."""
        return self.translator.name

    @property
    def leaves_as_is(self) -> bool:
        """Whether texts stay in their own language."""
        return self.name == AS_THEY_ARE

    @property
    def looks_up(self) -> bool:
        """Whether translations of whole texts come from a file."""
        return self.name.startswith("file/")

    def signature(self) -> dict[str, JSON]:
        """All that decides a translation."""
        identity = plain(with_masked_endpoint(self.translator.identity))
        if self.leaves_as_is or self.looks_up:
            return {"translator": identity}
        return {"translator": identity, "ladder": fingerprint(self._ladder)}

    def both_ways(self, source: str, target: str) -> bool:
        """Whether texts can go from one language into the other and back, so that there can be a control."""
        made = not (self.leaves_as_is or self.looks_up)
        return made and all(self.translator.supports(*pair) for pair in ((source, target), (target, source)))

    def refuse_unsupported(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Before anything is done: every pair must be known."""
        lacking = [pair for pair in dict.fromkeys(pairs) if not self.translator.supports(*pair)]
        if not lacking:
            return
        hint = "name another translator, or only the languages that it does (--language)"
        raise all_unsupported(self.name, lacking, len(set(pairs)), hint)

    def texts(self, texts: Sequence[str], way: Way, *, items: Sequence[str] | None = None) -> list[Made]:
        """Translate documents, each different one once.

        `items` has the item of each, for a file that has translations by item and not by text. If the translator
        fails, what was translated is kept, and a second call goes on from there.
        """
        if self.leaves_as_is or way.source == way.target:
            return [Made(text) for text in texts]
        different = list(dict.fromkeys(texts))
        if isinstance(self.translator, FileTranslator):
            of = dict(zip(texts, items, strict=True)) if items is not None else {}
            found = self._looked_up(self.translator, different, way, of)
        else:
            found = self._translated(different, way)
        return [found[text] for text in texts]

    def _looked_up(
        self, file: FileTranslator, texts: Sequence[str], way: Way, items: Mapping[str, str]
    ) -> dict[str, Made]:
        """Whole texts from a file; one that it lacks has no translation, and says so."""
        by_item = bool(items) and not _knows_texts(file, way)
        if by_item and len(set(items.values())) < len(texts):
            raise UsageError(
                f"{self.name} has translations by item, and some item has several texts in {way.source}; give them by "
                "text (column text), or evaluate one model at a time (--model)"
            )
        found: dict[str, Made] = {}
        for text in texts:
            try:
                if by_item:
                    made = file.translate_items([items[text]], [text], way.source, way.target)
                else:
                    made = file.translate([text], way.source, way.target)
                found[text] = Made(str(made[0]))
            except ModelError as error:
                if error.kind != "missing":
                    raise
                found[text] = Made(None, reason=f"{self.name} lacks its translation")
        return found

    def _translated(self, texts: Sequence[str], way: Way) -> dict[str, Made]:
        watch, started = self._watch, time.monotonic()

        def tell(done: int, kept: int) -> None:
            if watch is not None and texts:
                rate = (done - kept) / max(time.monotonic() - started, 1e-9)
                watch(way.stage, Progress(total=len(texts), done=done, cached=kept, rate=rate))

        pair = (self.translator, way.source, way.target)
        if isinstance(self._ladder, Decoding):
            job = Job(*pair, self._ladder)
        else:
            job = Job(*pair, ladder=self._ladder, chunk=_TOGETHER)
        done = translate_kept(job, texts, store=self._store, tell=tell)
        return {text: _made(document) for text, document in zip(texts, done, strict=True)}


def _knows_texts(file: FileTranslator, way: Way) -> bool:
    try:
        file.translate([], way.source, way.target)
    except UsageError:
        return False
    return True


def translation_rows(made: Made, names: Mapping[str, JSON]) -> Iterator[dict[str, JSON]]:
    """A row for each sentence of a translation: its source, what became of it, and by which rung."""
    if made.document is None:
        return
    repaired = {repair.sentence: repair for repair in made.document.repairs}
    for number, sentence in enumerate(made.document.sentences):
        repair = repaired.get(number)
        before = repair.before if repair else sentence.faults
        yield {
            **names,
            "sentence": number,
            "source": sentence.source,
            "translation": sentence.output,
            "rung": repair.rung if repair else "first",
            "tries": len(sentence.attempts),
            "faults_before": "; ".join(f"{fault.kind}: {fault.detail}" for fault in before),
            "faults": "; ".join(f"{fault.kind}: {fault.detail}" for fault in sentence.faults),
        }


def _made(document: Translated) -> Made:
    return Made(
        document.text, len(document.sentences), len(document.repairs), len(document.unrepaired), document
    )
