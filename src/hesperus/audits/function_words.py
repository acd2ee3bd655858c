"""Which language a text's small words belong to, learned from the audited items themselves.

No word lists are shipped: a word belongs to a language if it is common in that language's items and rare in those of
all others. Relatives share their small words, which then belong to neither, so that a text is never taken for that
of a near relative. English has a short list of its own, because an English text is found where nothing was translated
even where English is not among the languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from hesperus.audits.finding import Finding, Items, quoted
from hesperus.audits.scripts import is_unspaced
from hesperus.audits.sides import OPTIONS, parts
from hesperus.audits.thresholds import AuditSettings
from hesperus.types import Item

_ENGLISH = (
    "the", "which", "of", "what", "following", "with", "because", "this", "from", "that", "would", "their", "were",
    "they", "and", "who", "when", "where", "should", "between",
)  # fmt: skip
_ENGLISH_LEXICON = frozenset({"en", "pcm", "jam", "tpi", "bi", "srn", "sco", "kri", "enm", "ang"})
_SAMPLE = 2_000
_COMMON = 0.02
_TIMES = 3.0
_AROUND = ".,;:!?\"'()[]{}«»“”„‘’¿¡…،؛؟۔।॥።፣-–—"


def wrong_languages(items: Items, settings: AuditSettings) -> Iterator[Finding]:
    """Texts with several small words of another language and hardly one of their own."""
    learned = {
        tag: _common_words(many, settings) for tag, many in items.items() if _is_learnt(tag, many, settings)
    }
    owners = _owners(learned)
    small = frozenset(owners)
    for tag, many in items.items():
        is_english = tag.split("-")[0] in _ENGLISH_LEXICON
        for item in many:
            for name, text in parts(item):
                # Words that touch a punctuation mark are passed over here: enough others do not.
                words = small.intersection(text.casefold().split())
                if len(words) < settings.function_hits:
                    continue
                # Of a language whose own words are not known, only English can be told apart.
                counts = Counter(owners[word] for word in words if tag in learned or owners[word] == "en")
                mine = counts.pop(tag, 0)
                if is_english:
                    counts.pop("en", None)
                if counts:
                    other, hits = counts.most_common(1)[0]
                    if hits >= settings.function_hits and mine * 3 <= hits:
                        clear = mine == 0 and name != OPTIONS and hits > settings.function_hits
                        shown = ", ".join(sorted(word for word in words if owners[word] == other)[:6])
                        detail = f"{name} reads like {other} ({shown}): {quoted(text)}"
                        yield Finding("language", "exclude" if clear else "review", item.id, (tag,), detail)


def _is_learnt(tag: str, many: Sequence[Item], settings: AuditSettings) -> bool:
    return len(many) >= settings.function_items and not is_unspaced(tag)


def _owners(learned: Mapping[str, Mapping[str, float]]) -> Mapping[str, str]:
    """Word to the one language to which it belongs."""
    rates: dict[str, dict[str, float]] = {}
    for tag, words in learned.items():
        for word, rate in words.items():
            rates.setdefault(word, {})[tag] = rate
    owners = {}
    for word, by_tag in rates.items():
        first, *rest = sorted(by_tag, key=lambda tag: -by_tag[tag])
        # A word that is not among the common ones of another language is taken to be as rare as the limit there.
        second = by_tag[rest[0]] if rest else 0.0
        if by_tag[first] >= _TIMES * second:
            owners[word] = first
    return owners | dict.fromkeys(_ENGLISH, "en")


def _common_words(many: Sequence[Item], settings: AuditSettings) -> dict[str, float]:
    """The words that are in most items, with the share of items."""
    step = max(1, len(many) // _SAMPLE)
    drawn = many[::step]
    counts: Counter[str] = Counter()
    for item in drawn:
        counts.update({word for text in item.fields.values() for word in _words(text)})
    common = counts.most_common(settings.function_words)
    return {
        word: n / len(drawn) for word, n in common if n >= max(3, _COMMON * len(drawn)) and word.isalpha()
    }


def _words(text: str) -> Iterator[str]:
    return (word.strip(_AROUND) for word in text.casefold().split())
