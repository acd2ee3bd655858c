"""What a language lends to reading: cues, refusals, letters, digits, and the answers of other languages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType

from hesperus.answers.scripts import capital
from hesperus.languages import Pack, language, pack, pack_or_none, packs
from hesperus.languages.grammar import NO_GRAMMAR, Grammar
from hesperus.normalization import key
from hesperus.plugins import loaded as loaded_plugins

Answers = tuple[tuple[str, tuple[str, ...]], ...]
"""Labels in order, each with the words that represent it."""

_LATIN = tuple("ABCDEFGHIJ")
_ARABIC_DIGITS = tuple("0123456789")


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """The words of one language that a reader listens for.

    Attributes:
        language: BCP-47 tag of the instruction.
        script: ISO 15924 code of its script.
        cues: Phrases directly before an answer; a bare noun keeps its colon.
        refusals: Phrases by which a model declines.
        option_words: What an option is called.
        or_words: Conjunctions between options.
        letters: Letters with which the language counts options.
        digits: 0 to 9 in its script.
        polar: Words for yes, no, true and false; in scripts without blanks they count only where they are alone.
        yes_no: Words for yes and no: "not a yes" is no "no".
        no: Words for no.
        wrong: Words that call an option wrong, those that end in a star as a word's beginning.
        right: Words that call an option right or choose it, likewise.
        declining: The grammar of the language, and of English, by which a sentence declines.
        grammar: What is around an answer. Of English, which models slip into under any instruction, the words that
            negate, make a case or multiply count as well.
    """

    language: str
    script: str
    cues: tuple[str, ...]
    refusals: tuple[str, ...]
    option_words: tuple[str, ...]
    or_words: tuple[str, ...]
    letters: tuple[str, ...] = _LATIN
    digits: tuple[str, ...] = _ARABIC_DIGITS
    polar: tuple[str, ...] = ()
    yes_no: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    declining: tuple[Grammar, ...] = ()
    grammar: Grammar = NO_GRAMMAR

    @property
    def base(self) -> str:
        """The language without script and region."""
        return self.language.split("-")[0]

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Wording) and self._parts() == other._parts())

    def __hash__(self) -> int:
        # Equal wordings share both; hashing every phrase on each look-up would cost more than reading a reply.
        return hash((self.language, len(self.cues)))

    def _parts(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in self.__slots__)


def _unique(*lists: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for words in lists for word in words))


def wording_of(own: Pack | None, tag: str, script: str) -> Wording:
    """Make the wording of a language from its pack, with English next to it.

    Models frame an answer in English under any instruction ('The answer is "Nein".'), hence English cues, refusals
    and option words always count. Without a pack English and Latin letters are all there is.
    """
    english = pack("en") if "en" in packs() else None
    both = [each for each in (own, english) if each is not None]
    made = Wording(
        language=tag,
        script=script,
        cues=_unique(*(each.cues for each in both)),
        refusals=_unique(*(each.refusals for each in both)),
        option_words=_unique(*(each.option_words for each in both)),
        or_words=_unique(*(each.or_words for each in both)),
        letters=own.option_letters if own else _LATIN,
        digits=own.digits if own else _ARABIC_DIGITS,
        polar=_words_of(own, ("polarity", "yes"), ("polarity", "no"), ("truth", "true"), ("truth", "false")),
        yes_no=_words_of(own, ("polarity", "yes"), ("polarity", "no")),
        no=_words_of(own, ("polarity", "no")),
        wrong=_unique(
            *(
                _unique(each.grammar.wrong, _words_of(each, ("correctness", "incorrect"), ("truth", "false")))
                for each in both
            )
        ),
        right=_unique(
            *(
                _unique(each.grammar.right, _words_of(each, ("correctness", "correct"), ("truth", "true")))
                for each in both
            )
        ),
        declining=tuple(dict.fromkeys(each.grammar for each in both)),
        grammar=_beside_english(
            own.grammar if own else NO_GRAMMAR, english.grammar if english else NO_GRAMMAR
        ),
    )
    return _first_equal(made)


@lru_cache(maxsize=256)
def _first_equal(wording: Wording) -> Wording:
    """The first wording that equals one: what is kept for a wording is found without a look at its phrases."""
    return wording


def _words_of(own: Pack | None, *places: tuple[str, str]) -> tuple[str, ...]:
    return _unique(*(own.groups.get(group, {}).get(label, ()) for group, label in places)) if own else ()


def _beside_english(own: Grammar, english: Grammar) -> Grammar:
    def both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
        return _unique(one, tuple(word for word in other if word not in own.unlike_english))

    return replace(
        own,
        negators=both(own.negators, english.negators),
        conditions=both(own.conditions, english.conditions),
        otherwise=both(own.otherwise, english.otherwise),
        cases=both(own.cases, english.cases),
        but=both(own.but, english.but),
        joins=both(own.joins, english.joins),
        up_to=both(own.up_to, english.up_to),
        because=both(own.because, english.because),
        excludes=both(own.excludes, english.excludes),
        regrets=both(own.regrets, english.regrets),
        guesses=both(own.guesses, english.guesses),
        doubts=both(own.doubts, english.doubts),
        unsaid=both(own.unsaid, english.unsaid),
        corrections=both(own.corrections, english.corrections),
        magnitudes=MappingProxyType({**english.magnitudes, **own.magnitudes}),
    )


def wording_for(tag: str) -> Wording:
    """The wording of a language.

    Args:
        tag: BCP-47; a language without a pack gets English cues and Latin letters.

    Raises:
        UnknownNameError: No such language.
    """
    return _wording_for(tag, loaded_plugins())


@cache
def _wording_for(tag: str, loaded: tuple[str, ...]) -> Wording:
    known = language(tag)
    return wording_of(pack_or_none(known.tag), known.tag, known.script)


def is_lettered(answers: Answers) -> bool:
    """True where every label's preferred word is one letter of a script with capitals (A, B, C; А, Б, В)."""
    first = [key(words[0]) for _, words in answers if words]
    return bool(first) and all(len(word) == 1 and capital(word) != word for word in first)


def synonyms_of(own: Pack | None, answers: Answers) -> Answers:
    """Other words of the same pack for the same meanings: 不是 for 否, 是的 for 是.

    A word that would represent two labels is left out.
    """
    if own is None:
        return ()
    taken = {key(word) for _, words in answers for word in words}
    found = {
        label: [word for word in _siblings(own, label, words) if key(word) not in taken]
        for label, words in answers
    }
    counts: dict[str, int] = {}
    for words in found.values():
        for word in {key(word) for word in words}:
            counts[word] = counts.get(word, 0) + 1
    return tuple(
        (label, tuple(word for word in words if counts[key(word)] == 1))
        for label, words in found.items()
        if words
    )


def foreign_words(own: Pack | None, answers: Answers) -> tuple[str, ...]:
    """What other languages with a pack say where this one says an answer: "no" under a German instruction."""
    if own is None:
        return ()
    concepts = {place for label, words in answers for place in _places(own, label, words)}
    mine = {key(word) for label, words in (*answers, *synonyms_of(own, answers)) for word in words}
    others = {
        word
        for tag in packs()
        if tag != own.tag
        for place in concepts
        for word in _keys(tag, loaded_plugins()).get(place, ())
    }
    return tuple(sorted(word for word in others - mine if word))


@cache
def _keys(tag: str, loaded: tuple[str, ...]) -> dict[tuple[str, str], frozenset[str]]:
    """Keys of the words of a pack by group and label."""
    groups = pack(tag).groups.items()
    return {
        (group, label): frozenset(map(key, words))
        for group, labels in groups
        for label, words in labels.items()
    }


def _places(own: Pack, label: str, words: tuple[str, ...]) -> list[tuple[str, str]]:
    """Group and label of the pack in which a word is: under the label of that name, as preferred, or as any."""
    keys = [key(word) for word in words]
    places = [
        (group, name, [key(word) for word in known])
        for group, labels in own.groups.items()
        for name, known in labels.items()
    ]
    for wanted in keys:
        named = [(group, name) for group, name, known in places if name == label and wanted in known]
        first = [(group, name) for group, name, known in places if known[0] == wanted]
        anywhere = [(group, name) for group, name, known in places if wanted in known]
        if found := named or first or anywhere:
            return found[:1]
    return []


def _siblings(own: Pack, label: str, words: tuple[str, ...]) -> tuple[str, ...]:
    places = _places(own, label, words)
    return _unique(*(own.groups[group][name] for group, name in places))
