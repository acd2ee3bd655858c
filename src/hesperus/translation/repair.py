"""Whole documents, sentence by sentence; what degenerates is translated again by a ladder of other ways.

A sentence climbs the ladder until an attempt has no fault. If none has, the attempt with the least is kept, and the
document says so. Sentences that occur more than once are translated once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from hesperus.errors import PermanentError
from hesperus.languages import normalise
from hesperus.translation.codes import unsupported
from hesperus.translation.degeneration import Fault, FaultSettings, faults, severity
from hesperus.translation.segmentation import clauses
from hesperus.translation.translator import GREEDY, Decoding, TextTooLongError, Translator
from hesperus.translation.units import Layout, Wording, assembled, laid_out, spaced

_WINDOW = 4_096
"""Sentences that are held and sent at once, at least if there are so many."""

_SHORTEST_PART = 24
_AFTER, _BEFORE = re.compile(r"[^\s([{<“‘«]$"), re.compile(r"[\w`\[<(“‘«]")
"""What a blank may follow, and what it may be before."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One way of translating a faulty sentence again.

    Attributes:
        name: What is in the records.
        decoding: How it is drawn; each further try adds 1 to the seed.
        tries: How often, as long as there is a fault.
        split: ``clauses`` translates the parts of the sentence apart, ``verbatim`` what is between the code and
            addresses in it; None translates it whole.
    """

    name: str
    decoding: Decoding = GREEDY
    tries: int = 1
    split: Literal["clauses", "verbatim"] | None = None


@dataclass(frozen=True, slots=True)
class Ladder:
    """How documents are translated and repaired.

    Attributes:
        first: How every sentence is drawn at first.
        rungs: What is tried next, in order.
        longest: Characters of what is sent at once; longer sentences are cut at their clauses.
        faults: What counts as a fault.
    """

    first: Decoding = GREEDY
    rungs: tuple[Rung, ...] = (
        Rung("verbatim", split="verbatim"),
        Rung("sample", Decoding(temperature=0.7, top_p=0.95), tries=3),
        Rung("beam", Decoding(beams=5)),
        Rung("split", split="clauses"),
    )
    longest: int = 600
    faults: FaultSettings = field(default_factory=FaultSettings)


LADDER = Ladder()
"""Greedy first; then sampling at temperature 0.7 and top-p 0.95, as in Found in Translation; a beam; clause by clause."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One translation of a sentence: the rung that made it (``first`` for the first), its text and its faults."""

    rung: str
    output: str
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class TranslatedSentence:
    """A sentence (or a part of a long one) with all that was tried; ``output`` and ``faults`` are those of the best."""

    source: str
    output: str
    faults: tuple[Fault, ...]
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Repair:
    """A sentence that another rung made better: its number in the document from 0, and its faults before and after."""

    sentence: int
    rung: str
    before: tuple[Fault, ...]
    after: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Translated:
    """A translated document.

    Attributes:
        text: The translation, with the structure of the source.
        sentences: What was translated, in the order of the document.
        repairs: Sentences with a replaced first translation.
        unrepaired: Numbers of the sentences with a fault left in the best translation.
        dropped_marks: Marks of emphasis inside sentences that the translation does not have.
    """

    text: str
    sentences: tuple[TranslatedSentence, ...] = ()
    repairs: tuple[Repair, ...] = ()
    unrepaired: tuple[int, ...] = ()
    dropped_marks: int = 0


Keep = Callable[[int, Translated], object]


@dataclass(frozen=True, slots=True)
class _Job:
    translator: Translator
    source: str
    target: str
    ladder: Ladder

    def translate(self, texts: Sequence[str], decoding: Decoding) -> Sequence[str]:
        if not texts:
            return ()
        try:
            made = self.translator.translate(texts, self.source, self.target, decoding)
        except TextTooLongError as error:
            return self._in_parts(texts, error, decoding)
        if len(made) != len(texts):
            raise PermanentError(
                f"{self.translator.name} returned {len(made)} translations of {len(texts)} texts",
                kind="translator",
            )
        return made

    def _in_parts(self, texts: Sequence[str], error: TextTooLongError, decoding: Decoding) -> Sequence[str]:
        """Translations of texts of which some are longer than the translator reads: these are cut at their clauses."""
        parts: list[list[tuple[str, bool]]] = []
        for place, text in enumerate(texts):
            size = error.sizes.get(place)
            if size is None:
                parts.append([(text, True)])
                continue
            if len(text) < 2:
                raise error
            longest = min(len(text) // 2, max(1, int(0.8 * len(text) * error.limit / size)))
            parts.append([(part, any(map(str.isalpha, part))) for part in clauses(text, longest=longest)])
        asked = list(dict.fromkeys(part for found in parts for part, said in found if said))
        made = dict(zip(asked, self.translate(asked, decoding), strict=True))
        return [_joined(found, made, self) for found in parts]

    def judged(self, rung: str, wording: Wording, output: str) -> Attempt:
        output = output.strip()
        found = faults(wording.text, output, self.source, self.target, settings=self.ladder.faults)
        lost = [kept for kept in dict.fromkeys(wording.kept) if output.count(kept) < wording.kept.count(kept)]
        if lost:
            found = (*found, Fault("verbatim", f"lost {', '.join(map(repr, lost))}"))
        return Attempt(rung, output, found)


def translate_document(
    translator: Translator, text: str, source: str, target: str, *, ladder: Ladder = LADDER
) -> Translated:
    """Translate one document, sentence by sentence, with its Markdown structure; see ``translate_documents``."""
    return translate_documents(translator, [text], source, target, ladder=ladder)[0]


def translate_documents(
    translator: Translator,
    texts: Sequence[str],
    source: str,
    target: str,
    *,
    ladder: Ladder = LADDER,
    keep: Keep | None = None,
) -> tuple[Translated, ...]:
    """Translate documents of one language; all their sentences go to the translator together, then the faulty ones.

    Args:
        translator: What translates a sentence.
        texts: Documents, plain or Markdown; empty ones stay empty.
        source: Language of the texts.
        target: Language of the translations.
        ladder: What is tried when a translation degenerates.
        keep: Called with the number of a text and its translation as soon as it is finished, those without a fault
            first. When the translator fails midway, its error passes through, and what was kept is safe.

    Returns:
        A translation for every text, in order.

    Raises:
        UnknownNameError: No such language.
        UsageError: The translator does not know the pair.
        PermanentError: The translator returned another number of texts than it was given.
    """
    job = _Job(translator, normalise(source), normalise(target), ladder)
    if not translator.supports(job.source, job.target):
        raise unsupported(translator.name, job.source, job.target)
    done: dict[int, Translated] = {}
    for window in _windows(texts, job):
        for number, translated in _translate_window(window, job):
            done[number] = translated
            if keep:
                keep(number, translated)
    return tuple(done[number] for number in range(len(texts)))


def _windows(texts: Iterable[str], job: _Job) -> Iterator[dict[int, Layout]]:
    window: dict[int, Layout] = {}
    held = 0
    for number, text in enumerate(texts):
        window[number] = laid_out(text, job.source, longest=job.ladder.longest)
        held += sum(isinstance(part, Wording) for part in window[number].parts)
        if held >= _WINDOW:
            yield window
            window, held = {}, 0
    if window:
        yield window


def _translate_window(window: dict[int, Layout], job: _Job) -> Iterator[tuple[int, Translated]]:
    """Translations of a window's texts: first those that need no repair, then the others."""
    wordings = list(
        dict.fromkeys(w for layout in window.values() for w in layout.parts if isinstance(w, Wording))
    )
    outputs = job.translate([wording.text for wording in wordings], job.ladder.first)
    tried = {w: [job.judged("first", w, output)] for w, output in zip(wordings, outputs, strict=True)}
    faulty = {wording for wording, attempts in tried.items() if attempts[0].faults}
    waiting = {n for n, layout in window.items() if any(part in faulty for part in layout.parts)}
    for number, layout in window.items():
        if number not in waiting:
            yield number, _finished(layout, tried, job.target)
    for rung in job.ladder.rungs:
        _climb(rung, tried, job)
    for number in sorted(waiting):
        yield number, _finished(window[number], tried, job.target)


def _climb(rung: Rung, tried: dict[Wording, list[Attempt]], job: _Job) -> None:
    """Translate what still has a fault in one way, and add the attempts."""
    for further in range(rung.tries):
        decoding = replace(rung.decoding, seed=rung.decoding.seed + further)
        faulty = [
            w for w, attempts in tried.items() if _best(attempts).faults and _applies(rung, w, attempts)
        ]
        parts = [_parts(wording, rung) for wording in faulty]
        asked = list(dict.fromkeys(part for found in parts for part, said in found if said))
        made = dict(zip(asked, job.translate(asked, decoding), strict=True))
        for wording, found in zip(faulty, parts, strict=True):
            tried[wording].append(job.judged(rung.name, wording, _joined(found, made, job)))


def _applies(rung: Rung, wording: Wording, attempts: Sequence[Attempt]) -> bool:
    if rung.split == "verbatim":
        return any(fault.kind == "verbatim" for fault in _best(attempts).faults)
    return rung.split is None or len(_parts(wording, rung)) > 1


def _parts(wording: Wording, rung: Rung) -> list[tuple[str, bool]]:
    """What a rung sends of a wording, and what stays between; only what is True is sent."""
    text = wording.text
    if rung.split is None:
        return [(text, True)]
    if rung.split == "clauses":
        longest = max(_SHORTEST_PART, (len(text) + 1) // 2)
        return [(part, any(map(str.isalpha, part))) for part in clauses(text, longest=longest)]
    found: list[tuple[str, bool]] = []
    place = 0
    for kept in wording.kept:
        at = text.find(kept, place)
        if at >= 0:
            found += [(text[place:at], any(map(str.isalpha, text[place:at]))), (kept, False)]
            place = at + len(kept)
    return [*found, (text[place:], any(map(str.isalpha, text[place:])))]


def _joined(parts: Sequence[tuple[str, bool]], made: Mapping[str, str], job: _Job) -> str:
    """Translations of the parts with the blanks that stood around them, or those that the target needs."""
    gaps = spaced(job.target) and not spaced(job.source)
    joined = ""
    for part, said in parts:
        before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
        words = f"{before}{made[part].strip()}{after}" if said else part
        if gaps and _AFTER.search(joined) and _BEFORE.match(words):
            joined += " "
        joined += words
    return joined.strip()


def _best(attempts: Sequence[Attempt]) -> Attempt:
    """The attempt with the least faults; of equals the earliest."""
    return min(attempts, key=lambda attempt: severity(attempt.faults))


def _finished(layout: Layout, tried: dict[Wording, list[Attempt]], target: str) -> Translated:
    wordings = [part for part in layout.parts if isinstance(part, Wording)]
    said: list[TranslatedSentence] = []
    repairs: list[Repair] = []
    for number, wording in enumerate(wordings):
        attempts = tuple(tried[wording])
        best = _best(attempts)
        said.append(TranslatedSentence(wording.text, best.output, best.faults, attempts))
        if best is not attempts[0]:
            repairs.append(Repair(number, best.rung, attempts[0].faults, best.faults))
    return Translated(
        text=assembled(layout, {wording: _best(tried[wording]).output for wording in wordings}, target),
        sentences=tuple(said),
        repairs=tuple(repairs),
        unrepaired=tuple(number for number, sentence in enumerate(said) if sentence.faults),
        dropped_marks=layout.dropped,
    )
