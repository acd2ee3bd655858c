"""Replies made from a pack's own words, with a meaning known from its grammar: do its readers give a false answer?

Every probe is a slip that a model's reply can make in any language: a negation, "A or B", a refusal. What is expected
follows from the pack alone, so a new language is probed without anybody who speaks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from hesperus.answers.reader import Reader, reader_for
from hesperus.answers.reading import answer_in
from hesperus.answers.refusals import is_refusal
from hesperus.answers.reply_text import Text
from hesperus.answers.scripts import is_unspaced
from hesperus.answers.tokens import LOOKALIKES
from hesperus.languages.wordings import Pack
from hesperus.normalization import clean, key

_LATIN = ("A", "B", "C", "D")
_NO_TEXTS = ("§1", "§2", "§3", "§4")
"""Texts of options that no probe contains."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A reply, the key of the pack that it is made from, and what it may be read as.

    Attributes:
        key: Path of the key, such as ``grammar.negators``.
        reply: The reply.
        reader: How it is read.
        allowed: Labels that are no false answer; no answer never is one.
        refused: Whether the reply must be known as a refusal.
    """

    key: str
    reply: str
    reader: Reader
    allowed: frozenset[str] = frozenset()
    refused: bool = False

    def fault(self) -> str | None:
        """What is wrong with how the reply is read, or None."""
        reply = Text.of(clean(self.reply), self.reader)
        answer = answer_in(reply)
        kind = f"a {self.reader.form} reply"
        if answer is not None and answer.label is not None and answer.label not in self.allowed:
            wanted = " or ".join(sorted(self.allowed)) or "no answer"
            return f"{self.reply!r} as {kind} is read as {answer.label!r} (rule {answer.rule}); it means {wanted}"
        if self.refused and not is_refusal(reply):
            return f"{self.reply!r} is not known as a refusal; it is one of the pack's own"
        return None


def probes(pack: Pack) -> Iterator[Probe]:
    """The probes of a pack, no reply to one reader twice."""
    seen: set[tuple[str, str, str]] = set()
    for probe in _Probes(pack):
        known = (probe.reply, probe.reader.form, str(probe.reader.labels))
        if known not in seen:
            seen.add(known)
            yield probe


def false_answers(pack: Pack) -> Iterator[tuple[str, str]]:
    """Key and message of every probe of a pack that is read as something that it does not mean."""
    for probe in probes(pack):
        if message := probe.fault():
            yield probe.key, message


def _without_gaps(phrase: str) -> str:
    """A phrase of a pack without its stars and ellipses."""
    return re.sub(" ?… ?", " ", phrase.replace("*", ""))


@dataclass(frozen=True)
class _Probes:
    pack: Pack
    end: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "end", self.pack.sentence_end)

    def __iter__(self) -> Iterator[Probe]:
        yield from self._negated_labels()
        yield from self._joined_labels()
        yield from self._letters_called_wrong()
        yield from self._letters_left_out()
        yield from self._joined_letters()
        yield from self._other_cases()
        yield from self._cases()
        yield from self._doubts()
        yield from self._corrections()
        yield from self._refusals()
        yield from self._apostrophes()
        yield from self._own_letters_and_digits()
        yield from self._words_that_are_no_letters()
        yield from self._magnitudes()
        yield from self._joined_numbers()
        yield from self._bounds()

    @cached_property
    def labels(self) -> dict[str, Reader]:
        """A reader of the preferred words of each group."""
        return {
            group: reader_for(
                "label", self.pack.tag, answers={name: own[:1] for name, own in words.items()}, pack=self.pack
            )
            for group, words in self.pack.groups.items()
        }

    @cached_property
    def lettered(self) -> list[Reader]:
        """Readers of options counted with Latin letters and with the language's own."""
        own = self.pack.option_letters[: len(_LATIN)]
        return [
            reader_for(
                "choice",
                self.pack.tag,
                answers={label: [written] for label, written in zip(_LATIN, letters, strict=True)},
                options=_NO_TEXTS,
                pack=self.pack,
            )
            for letters in dict.fromkeys((_LATIN, own))
        ]

    def _joined(self, *words: str) -> str:
        """Words of a sentence; no blank in scripts that write none."""
        text = words[0]
        for before, word in pairwise(words):
            bare = is_unspaced(before) and is_unspaced(word)
            text += word if bare else f" {word}"
        return text + self.end

    def _negated_labels(self) -> Iterator[Probe]:
        grammar = self.pack.grammar
        for group, reader in self.labels.items():
            known = {key(own) for each in self.pack.groups[group].values() for own in each}
            begun = tuple(f"{own} " for own in known)
            for label, words in reader.answers:
                others = frozenset(reader.labels) - {label}
                allowed = frozenset() if group == "polarity" or len(others) > 1 else others
                for name in ("negators", "negators_after", "conditions"):
                    for word in getattr(grammar, name):
                        if word.startswith("*"):
                            continue
                        parts = (words[0], word) if name == "negators_after" else (word, words[0])
                        reply = self._joined(*parts)
                        # "hindi tama ang" begins with "not true"; Khmer "no" is the clause-final negator too.
                        if key(reply) in known or f"{key(word)} ".startswith(begun):
                            continue
                        means = frozenset() if name == "conditions" else allowed
                        yield Probe(f"grammar.{name}", reply, reader, means)

    def _joined_labels(self) -> Iterator[Probe]:
        for reader in self.labels.values():
            said = [words[0] for _, words in reader.answers]
            for name, joins in (("or_words", self.pack.or_words), ("grammar.joins", self.pack.grammar.joins)):
                for join in joins:
                    for one, other in zip(said, said[1:] + said[:1], strict=True):
                        yield Probe(name, self._joined(one, join, other), reader)

    def _letters_called_wrong(self) -> Iterator[Probe]:
        grammar, option = self.pack.grammar, self.pack.option_words[0]
        wrong = [
            (f"grammar.{name}", word)
            for name in ("wrong", "negators_after")
            for word in getattr(grammar, name)
        ]
        for group, label in (("correctness", "incorrect"), ("truth", "false")):
            wrong += [(f"labels.{group}.{label}", word) for word in self.pack.groups[group][label]]
        for reader in self.lettered:
            one, other = (words[0] for _, words in reader.answers[:2])
            for name, word in wrong:
                # A Korean particle is spelt like a letter, and "가 아니" like two.
                if "*" not in word and word.split()[0] not in self.pack.option_letters:
                    yield Probe(name, self._joined(option, one, word), reader)
            for word in grammar.negators:
                yield Probe("grammar.negators", self._joined(word, one), reader)
                for but in grammar.but[:1]:
                    reply = self._joined(word, one, but, other)
                    yield Probe("grammar.but", reply, reader, frozenset("B"))

    def _letters_left_out(self) -> Iterator[Probe]:
        option = self.pack.option_words[0]
        for reader in self.lettered:
            (_, (one, *_)), *_ = reader.answers
            for word in self.pack.grammar.excludes:
                said = _without_gaps(word)
                if said.split()[0] not in self.pack.option_letters:
                    for parts in ((option, one, said), (said, option, one)):
                        yield Probe("grammar.excludes", self._joined(*parts), reader)

    def _joined_letters(self) -> Iterator[Probe]:
        for reader in self.lettered:
            written = [words[0] for _, words in reader.answers]
            for name, joins in (("or_words", self.pack.or_words), ("grammar.joins", self.pack.grammar.joins)):
                for join in joins:
                    yield Probe(name, self._joined(written[0], join, written[1]), reader)
                    yield Probe(
                        name, self._joined(self.pack.option_words[0], *written[1:2], join, written[2]), reader
                    )

    def _other_cases(self) -> Iterator[Probe]:
        own = {
            key(word) for labels in self.pack.groups.values() for words in labels.values() for word in words
        }
        for word in self.pack.grammar.otherwise:
            for reader in (*self.labels.values(), *self.lettered):
                (_, (one, *_)), (_, (two, *_)) = reader.answers[:2]
                for condition in self.pack.grammar.cases[:1]:
                    yield Probe(
                        "grammar.otherwise",
                        f"{self._case(condition)}, {one}, {self._joined(word, two)}",
                        reader,
                    )
                # Dutch "anders" is "different" too.
                if key(word) not in own:
                    yield Probe("grammar.otherwise", self._joined(word, one), reader)

    def _cases(self) -> Iterator[Probe]:
        """An answer on either side of a case: "Yes, unless §", "Unless §, yes", "Unless §, the answer is yes"."""
        for phrase in self.pack.grammar.cases:
            case = self._case(phrase)
            for reader in (self.labels["polarity"], *self.lettered):
                (_, (one, *_)), *_ = reader.answers
                called = self._joined(self.pack.cues[0].rstrip(": "), one)
                for reply in (f"{one}, {case}{self.end}", f"{case}, {one}{self.end}", f"{case}, {called}"):
                    yield Probe("grammar.cases", reply, reader)

    def _case(self, phrase: str) -> str:
        """A clause that names a case, made of a phrase of the grammar; the phrase ends it where it begins with a star."""
        said = _without_gaps(phrase)
        if phrase.endswith("*"):
            return f"{said}§§"
        if not phrase.startswith("*"):
            return self._joined(said, "§§").removesuffix(self.end)
        return f"§§{' ' if phrase.startswith('* ') else ''}{said.strip()}"

    def _doubts(self) -> Iterator[Probe]:
        for word in self.pack.grammar.doubts:
            for reader in (*self.labels.values(), *self.lettered):
                (_, (one, *_)), *_ = reader.answers
                yield Probe("grammar.doubts", self._joined(_without_gaps(word), one), reader)

    def _corrections(self) -> Iterator[Probe]:
        for word in self.pack.grammar.corrections:
            said = _without_gaps(word)
            for reader in (*self.labels.values(), *self.lettered):
                (_, (one, *_)), (other, (two, *_)) = reader.answers[:2]
                reply = f"{one}{self.end} {said}, {two}{self.end}"
                yield Probe("grammar.corrections", reply, reader, frozenset({other}))

    def _refusals(self) -> Iterator[Probe]:
        open_answer = reader_for("text", self.pack.tag, answers={}, pack=self.pack)
        for place, refusal in enumerate(self.pack.refusals):
            reply = _without_gaps(refusal) + self.end
            for reader in (open_answer, *self.labels.values(), *self.lettered):
                yield Probe(f"refusals[{place}]", reply, reader, refused=True)
        for word in self.pack.grammar.regrets:
            yield Probe("grammar.regrets", f"{word}, …{self.end}", open_answer, refused=True)

    def _apostrophes(self) -> Iterator[Probe]:
        """A letter before an apostrophe is no answer, unless the apostrophe begins an ending: C'est, B'dir."""
        suffix = self.pack.grammar.apostrophe == "suffix"
        words = (*self.pack.grammar.endings, *self.pack.or_words, *self.pack.option_words)
        for word in words:
            if not word[0].isalpha() or word in self.pack.option_letters:
                continue
            ending = suffix and word in self.pack.grammar.endings
            for letter in _LATIN:
                reply = f"{letter}'{word}{self.end}"
                yield Probe(
                    "grammar.apostrophe", reply, self.lettered[0], frozenset({letter} if suffix else ())
                )
                if ending:
                    yield Probe("grammar.endings", reply, self.lettered[0], frozenset({letter}))

    def _own_letters_and_digits(self) -> Iterator[Probe]:
        alike = "".join(LOOKALIKES.values())
        for reader in self.lettered:
            for place, (label, words) in enumerate(reader.answers):
                # What looks like an expected letter is that letter: Cyrillic "В", the third of its alphabet, is B.
                own = "" if self.pack.option_letters[place] in alike else self.pack.option_letters[place]
                for written in filter(None, (words[0], own, self.pack.digits[place + 1])):
                    for reply in (written, f"({written})", f"{self.pack.option_words[0]} {written}"):
                        allowed = {label} | {other for other, known in reader.answers if known[0] == written}
                        yield Probe("option_letters", reply, reader, frozenset(allowed))

    def _words_that_are_no_letters(self) -> Iterator[Probe]:
        """A word of the pack that happens to hold or to be spelt like a letter: Thai "ถูก" ends with the letter ก."""
        grammar = self.pack.grammar
        letters = {key(word) for word in (*self.pack.option_letters, *_LATIN)}
        named: list[tuple[str, Iterable[str]]] = [
            (f"grammar.{name}", getattr(grammar, name))
            for name in ("negators", "negators_after", "conditions", "but", "joins", "because", "endings")
        ]
        named += [("or_words", self.pack.or_words), ("option_words", self.pack.option_words)]
        named += [
            (f"labels.{g}", (w for own in labels.values() for w in own))
            for g, labels in self.pack.groups.items()
        ]
        for name, words in named:
            for word in words:
                if key(word) not in letters and not word.isdigit():
                    for reader in self.lettered:
                        yield Probe(name, word + self.end, reader)

    def _joined_numbers(self) -> Iterator[Probe]:
        grammar = self.pack.grammar
        reader = reader_for("number", self.pack.tag, answers={}, pack=self.pack)
        for name, words in (
            ("or_words", self.pack.or_words),
            ("grammar.joins", grammar.joins),
            ("grammar.up_to", grammar.up_to),
        ):
            for word in words:
                yield Probe(name, self._joined("3", word, "5"), reader)

    def _magnitudes(self) -> Iterator[Probe]:
        reader = reader_for("number", self.pack.tag, answers={}, pack=self.pack)
        for stem, factor in self.pack.grammar.magnitudes.items():
            word = stem.rstrip("*")
            for three in ("3", self.pack.digits[3]):
                for gap in ("", " "):
                    value = frozenset({str(3 * int(factor))})
                    yield Probe("grammar.magnitudes", f"{three}{gap}{word}{self.end}", reader, value)

    def _bounds(self) -> Iterator[Probe]:
        reader = reader_for("number", self.pack.tag, answers={}, pack=self.pack)
        for word in self.pack.grammar.bounds:
            yield Probe("grammar.bounds", self._joined(word, "100"), reader)
