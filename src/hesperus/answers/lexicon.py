"""The words of a reader, compiled: which text means which label, and where it counts (see role_patterns)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from hesperus.answers.needles import Needles
from hesperus.answers.reader import Reader
from hesperus.answers.reply_words import Answers, Wording
from hesperus.answers.role_patterns import (
    CLOSERS,
    OPENERS,
    any_of,
    beside_pattern,
    clauses,
    cue_needles,
    cue_pattern,
    either,
    named_before,
    named_pattern,
    numbered_pattern,
    option_pattern,
    plains,
    start_pattern,
    word_needles,
)
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.spelling import fold, respelt
from hesperus.answers.tokens import Token, digits_of, exact_words, has_letters, recounted, tokens_of
from hesperus.answers.triggers import shortest
from hesperus.normalization import key

_LONG_POLAR = 6
"""Characters from which a word for yes, no, true or false is no part of another word where no blanks are written."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """A reader's words, ready to be looked for.

    A pattern is made when it is first asked for: most readers ask for few, and making them takes longest.

    Attributes:
        tokens: The words with their labels.
        wording: The language.
        exact: Key of a word to its label.
        templates: Keys of the words that the instruction names.
        letters: Keys of the option letters.
        digits: Digit to label, for choices.
        alone: Keys that, in scripts without blanks, count only where they are alone.
        clausal: Keys of words that have another use inside a reply: they count there as a clause of their own.
        inside_synonyms: Keys of the synonyms; at the end of a reply of one sentence they count inside it too.
        counted: Digits that name an option, those among `exact` too.
        recounted: Own letters that count as the Latin one of their place next to a letter that `telling` finds.
        telling: A letter that tells which letters are counted with, or None.
        longest: Characters of the longest text in `exact`, with an ending.
        nouns: What is in every reply that holds something that `named` finds; `names` for `option`.
    """

    tokens: tuple[Token, ...]
    wording: Wording
    exact: Mapping[str, str]
    templates: frozenset[str]
    letters: frozenset[str]
    digits: Mapping[str, str]
    alone: frozenset[str]
    clausal: frozenset[str]
    inside_synonyms: frozenset[str]
    counted: Mapping[str, str]
    recounted: Mapping[str, str]
    telling: re.Pattern[str] | None
    longest: int
    nouns: tuple[str, ...]
    names: tuple[str, ...]

    @cached_property
    def option(self) -> re.Pattern[str] | None:
        """A letter behind an option's name, or None."""
        return option_pattern(self._lettered, self.wording)

    @cached_property
    def start(self) -> re.Pattern[str]:
        """A word at the start."""
        return start_pattern(self.tokens, self.wording)

    @cached_property
    def cue(self) -> re.Pattern[str] | None:
        """A word behind a cue, or None if the language has no cues."""
        return cue_pattern(self.tokens, self.wording, self.counted)

    @cached_property
    def named(self) -> re.Pattern[str] | None:
        """A letter that is called the answer ("C is the correct answer"), or None."""
        return named_pattern(self._lettered, self.wording)

    @cached_property
    def quoted(self) -> re.Pattern[str]:
        """A word in quotes or brackets."""
        name = named_before(plains(self.wording.option_words, self.wording))
        word = either(self.tokens, self.wording, role="quoted")
        return re.compile(
            rf"(?:(?<![A-Za-zÀ-ɏ])'|[\"(\[{{<]){OPENERS}{{0,3}} ?{name}?(?P<word>{word}) ?[.:,]?{CLOSERS}"
        )

    @cached_property
    def inside(self) -> re.Pattern[str]:
        """A word anywhere."""
        return re.compile(rf"(?P<word>{either(self._worded, self.wording, role='inside')})")

    @cached_property
    def mention(self) -> re.Pattern[str]:
        """A word anywhere, in whatever use."""
        return re.compile(rf"(?P<word>{either(self.tokens, self.wording, role='beside')})")

    @cached_property
    def beside(self) -> re.Pattern[str]:
        """A second word joined to the first ("or", a comma, a slash)."""
        return beside_pattern(self.tokens, self.wording)

    @cached_property
    def line(self) -> re.Pattern[str] | None:
        """A letter that begins a line as in a list of the options, or None."""
        letters = any_of(token.word for token in self._lettered)
        found = rf"^{OPENERS}?(?P<word>{letters}){CLOSERS}?[.):]"
        return re.compile(found, re.MULTILINE) if self._lettered else None

    @cached_property
    def numbered(self) -> re.Pattern[str]:
        """A digit that is the reply, names an option, or begins the reply as in a list."""
        return numbered_pattern(self.counted, self.wording)

    @cached_property
    def anywhere(self) -> Needles:
        """What is in every reply that holds one of the words in any role."""
        return word_needles(self.tokens, self.wording, small=True, unaccented=self.exact)

    @cached_property
    def within(self) -> Needles:
        """What is in every reply that holds something that `inside` finds."""
        return word_needles(self._worded, self.wording, small=False)

    @cached_property
    def cues(self) -> Needles:
        """What is in every reply that holds something that `cue` finds."""
        return cue_needles(self.wording)

    @property
    def _lettered(self) -> list[Token]:
        return [token for token in self.tokens if token.letter]

    @property
    def _worded(self) -> list[Token]:
        # A bare digit inside a sentence counts things more often than it names an option.
        return [token for token in self.tokens if not token.word.isdigit()]


@lru_cache(maxsize=1024)
def _lexicon(form: str, answers: Answers, synonyms: Answers, wording: Wording) -> Lexicon:
    tokens = tuple(tokens_of(form, answers, synonyms, wording))
    exact = exact_words(tokens)
    clausal = {
        respelt(key(word), wording.grammar)
        for word in (*wording.grammar.whole_negators_after, *wording.grammar.own_clause)
    }
    digits = digits_of(answers, wording) if form == "choice" and has_letters(answers) else {}
    polar = {key(word) for word in wording.polar}
    letters = [token for token in tokens if token.letter]
    moved, telling = recounted(answers, wording) if letters else ({}, "")
    return Lexicon(
        tokens=tokens,
        wording=wording,
        exact=exact,
        templates=frozenset(key(token.word) for token in tokens if token.template),
        letters=frozenset(key(token.word) for token in letters),
        digits={digit: label for digit, label in digits.items() if digit not in exact},
        alone=frozenset(
            k for k in exact if is_unspaced(k) and (len(k) == 1 or (k in polar and len(k) < _LONG_POLAR))
        ),
        clausal=frozenset(k for k in exact if k in clausal),
        inside_synonyms=frozenset(
            key(token.word) for token in tokens if not token.template and not token.letter
        ),
        counted=digits,
        recounted=moved,
        telling=re.compile(rf"(?<!\w)[{telling}](?!\w)") if telling else None,
        longest=max(map(len, exact), default=0) + max(map(len, wording.grammar.endings), default=0),
        nouns=shortest(fold(noun) for noun, _ in clauses(wording)),
        names=shortest(map(fold, plains(wording.option_words, wording))),
    )


def lexicon(reader: Reader) -> Lexicon:
    """The compiled words of a reader; readers that differ only in option texts share one."""
    return _lexicon(reader.form, reader.answers, reader.synonyms, reader.wording)
