"""What a model sent back in place of a made text: a refusal, an answer, the text as it was, another language.

Such a text would be asked as if it were the question in another sense. It is found, counted, and not asked.
"""

from __future__ import annotations

from functools import cache

from hesperus.answers.reply_words import wording_for
from hesperus.answers.spelling import fold
from hesperus.languages import are_alike, text_language
from hesperus.normalization import key
from hesperus.senses import SenseMaker, naturalise, paraphrase, translate
from hesperus.studies.asked.answering import Fault
from hesperus.translation.degeneration import faults
from hesperus.translation.degeneration.foreign import copied_share

_CHECKED = (translate, paraphrase, naturalise)
_COPIED, _COPIED_WORDS = 0.75, 4
_QUESTION_MARKS = frozenset("?？؟;՞፧")
_FEWEST_OF_A_QUESTION = 20
_SHOWN = 80


def found_in_place(maker: SenseMaker, made: str, text: str, way: tuple[str, str]) -> Fault | None:
    """What a model wrote in place of what was to be made; None if nothing speaks against it.

    Only the makers of this package are checked: what one of your own makes need be no prose.

    Args:
        maker: Who made it.
        made: What it made.
        text: Of what.
        way: Language of the text, and of what was to be made.
    """
    return in_place_of(made, text, way, same=maker is not translate) if maker in _CHECKED else None


def in_place_of(made: str, text: str, way: tuple[str, str], *, same: bool = False) -> Fault | None:
    """What is in place of a translation or a rewording.

    Args:
        made: What came back.
        text: The original.
        way: Language of the text, and of what was to be made.
        same: Whether it is a rewording, which may be the same text.
    """
    source, target = way
    shown = f"{made[:_SHOWN]!r} in place of {text[:_SHOWN]!r}"
    if _refuses(made, (source, target)) and not _refuses(text, (source,)):
        return Fault("refused", f"a refusal came back: {shown}")
    if not same and not are_alike(source, target):
        share, count = copied_share(text, made)
        if share >= _COPIED and count >= _COPIED_WORDS:
            return Fault("unchanged", f"the text came back untranslated: {shown}")
    if (said := text_language(made, target)).is_other:
        return Fault(
            "wrong_language", f"it is in {said.language or 'another language'}, not in {target}: {shown}"
        )
    if _answers(made, text, way):
        return Fault("answered", f"an answer came back: {shown}")
    return None


def _refuses(text: str, tags: tuple[str, ...]) -> bool:
    folded = " ".join(fold(text[:400]).split())
    return any(phrase in folded for tag in tags for phrase in _refusals(tag))


@cache
def _refusals(tag: str) -> tuple[str, ...]:
    # A phrase of few letters stands in ordinary texts too.
    phrases = (fold(key(phrase)) for phrase in wording_for(tag).refusals)
    return tuple(phrase for phrase in phrases if sum(map(str.isalpha, phrase)) >= _FEWEST_LETTERS)


_FEWEST_LETTERS = 8


def _answers(made: str, text: str, way: tuple[str, str]) -> bool:
    """Whether a question came back as something far too short that asks nothing."""
    if not _asks(text) or _asks(made) or sum(map(str.isalpha, text)) < _FEWEST_OF_A_QUESTION:
        return False
    short = sum(map(str.isalpha, made)) * 3 < sum(map(str.isalpha, text))
    return short and any(fault.kind in ("length", "empty") for fault in faults(text, made, *way))


def _asks(text: str) -> bool:
    return not _QUESTION_MARKS.isdisjoint(text.rstrip(" \"'”»)")[-3:])
