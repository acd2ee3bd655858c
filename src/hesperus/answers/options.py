"""Answers by the text of an option: as the whole reply, or inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from hesperus.answers.context import Context, negated
from hesperus.answers.judged import denied, excluded
from hesperus.answers.reply_text import Text
from hesperus.answers.reply_words import Wording
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.spelling import fold, respelt
from hesperus.answers.triggers import stands
from hesperus.languages.letters import script_of
from hesperus.normalization import comparable, key, peel

_NEAR = 8
"""Characters before an option's text in which its letter is looked for."""


def text(reply: Text) -> str | None:
    """The whole reply is the text of exactly one option, or of a known answer in free text."""
    return whole_option(reply, reply.text) if len(reply.text) < 2000 else None


@dataclass(frozen=True, slots=True)
class _Option:
    """An option's text in the forms in which it is looked for."""

    label: str
    key: str
    comparable: str


def _options(reply: Text) -> tuple[_Option, ...]:
    """Each option's text with its label; options of free text without labels are their own."""
    reader = reply.reader
    if reader.options is None:
        return ()
    return _keyed(reader.options, reader.labels or reader.options, reader.wording)


@lru_cache(maxsize=8192)
def _keyed(texts: tuple[str, ...], labels: tuple[str, ...], wording: Wording) -> tuple[_Option, ...]:
    spelt = [respelt(text, wording.grammar) for text in texts]
    return tuple(
        _Option(label, key(text), comparable(text)) for text, label in zip(spelt, labels, strict=True)
    )


def whole_option(reply: Text, wanted: str) -> str | None:
    """The label of the one option, or known answer in free text, that a text is."""
    texts = _options(reply)
    if reply.reader.form == "text":
        reader = reply.reader
        known = tuple((word, label) for label, words in reader.answers for word in words)
        texts += _named_answers(known, reader.wording)
    if not texts:
        return None
    form = comparable(wanted)
    forms = (form, *(form.removesuffix(end) for end in reply.around.articles if form.endswith(end)))
    for spelt in filter(None, forms):
        if found := {each.label for each in texts if each.comparable == spelt}:
            return one_of(found)
    return None


@lru_cache(maxsize=8192)
def _named_answers(known: tuple[tuple[str, str], ...], wording: Wording) -> tuple[_Option, ...]:
    spelt = [(respelt(word, wording.grammar), label) for word, label in known]
    return tuple(_Option(label, key(word), comparable(word)) for word, label in spelt)


def text_inside(reply: Text) -> str | None:
    """Exactly one option's text is in the reply as words, not denied; longer options hide shorter ones in them."""
    texts = [(each.key, each.label) for each in _options(reply) if len(each.key) > 1 or each.key.isdigit()]
    if not stands((option for option, _ in texts), reply.folded):
        return None
    rest = key(reply.text)
    found = set()
    for option, label in sorted(texts, key=lambda each: (-len(each[0]), each[0])):
        places = list(_places(rest, option, reply.around))
        said = (place for place in places if not _lettered(reply, rest[:place], label))
        if not all(_denied(rest, reply.around, place, place + len(option)) for place in said):
            found.add(label)
        if places:
            rest = rest.replace(option, "\0")
    return one_of(found)


def option_keys(reply: Text) -> tuple[tuple[str, str], ...]:
    """Label and key of each option's text."""
    return tuple((each.label, each.key) for each in _options(reply) if each.key)


def option_of(reply: Text, word: str) -> str:
    """The text of the option that a letter represents, or nothing."""
    label = reply.words.exact.get(fold(word))
    return next((each.key for each in _options(reply) if each.label == label), "")


def one_of(labels: Iterable[str]) -> str | None:
    """The label, where all that were found are the same one."""
    found = set(labels)
    return found.pop() if len(found) == 1 else None


def _denied(text: str, words: Context, start: int, end: int) -> bool:
    return negated(text, words, start, end) or denied(text, words, end) or excluded(text, words, (start, end))


def _lettered(reply: Text, before: str, label: str) -> bool:
    """True behind the option's own letter, of which the reply says what it says of the option: "Option A Paris …"."""
    letter = peel(before[-_NEAR:]).rpartition(" ")[2]
    return reply.reader.form == "choice" and bool(letter) and reply.words.exact.get(letter) == label


def _places(text: str, word: str, words: Context) -> Iterator[int]:
    """Places of a word in a text, with word boundaries where its script has them, or an ending of the language."""
    place = text.find(word)
    while place >= 0:
        before, end = text[place - 1 : place] if place else "", place + len(word)
        ending = words.endings.match(text, end)
        ends = [end, *([ending.end()] if ending else ())]
        ends += [end + len(article) for article in words.articles if text.startswith(article, end)]
        if not _glued(before, word[0]) and not all(_glued(text[at : at + 1], word[-1]) for at in ends):
            yield place
        place = text.find(word, place + 1)


def _glued(outer: str, inner: str) -> bool:
    if not outer or not outer.isalnum() or is_unspaced(inner):
        return False
    return outer.isdigit() == inner.isdigit() and (outer.isdigit() or script_of(outer) == script_of(inner))
