"""The rules of the default reader, each a small function: a reply's text in, a label or None out.

A reader names its rules in order and the first that finds a label decides. None of them weighs or guesses: a rule
that sees two different answers finds none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from hesperus.answers.ambiguity import CONDITIONS, DENIALS, NEGATIONS
from hesperus.answers.lexicon import CLOSERS, Lexicon, fold, lexicon
from hesperus.answers.reader import Reader
from hesperus.answers.scripts import is_unspaced
from hesperus.languages.letters import script_of
from hesperus.normalization import PUNCTUATION, comparable, key, peel, unaccented


@dataclass(frozen=True, slots=True)
class Text:
    """A cleaned reply beside what it is read with."""

    text: str
    reader: Reader
    words: Lexicon

    @classmethod
    def of(cls, text: str, reader: Reader) -> Text:
        """Join a cleaned text and a reader."""
        return cls(text, reader, lexicon(reader))


_BOXED = re.compile(r"\\f?boxed ?\{ ?(?:\\[a-z]{2,8} ?\{)? ?([^{}\n]{1,200})\}")
_SENTENCES = re.compile(r"[.!?…।॥።](?=[ \n\"')\]]|\Z|[^\W0-9A-Za-z])|\n")
_LONGEST_WORD = 300
_LONGEST_OWN = 200
_DENIED = re.compile(rf"{CLOSERS}{{0,3}} ?(?i:{DENIALS})")
_ASKED = re.compile(rf" ?(?:{CLOSERS}){{0,3}} ?\?")
_NO_WORD = re.compile(r"[^\w']+")
_BLANK = re.compile(r"[ \n]+")


def exact(reply: Text) -> str | None:
    """The whole reply is a template, whatever its case, quotes, brackets, Markdown or end mark."""
    return _label(reply, reply.text)


def _label(reply: Text, text: str) -> str | None:
    if len(text) > _LONGEST_WORD:
        return None
    word = _BLANK.sub(" ", fold(peel(text)))
    found = reply.words.exact
    return found.get(word) or found.get(unaccented(word))


def text(reply: Text) -> str | None:
    """The whole reply is the text of exactly one option, or of a known answer in free text."""
    return _whole_option(reply, reply.text) if len(reply.text) < 2000 else None


def _option_texts(reply: Text) -> list[tuple[str, str]]:
    """Each option's text with its label; options of free text without labels are their own."""
    options = reply.reader.options
    if options is None:
        return []
    return list(zip(options, reply.reader.labels or options, strict=True))


def _whole_option(reply: Text, wanted: str) -> str | None:
    form = comparable(wanted)
    texts = _option_texts(reply)
    if reply.reader.form == "text":
        texts += [(word, label) for label, words in reply.reader.answers for word in words]
    return _one(label for text, label in texts if form and comparable(text) == form)


def digit(reply: Text) -> str | None:
    """The reply is an option's number, or begins with it as a list does: "2", "(2)", "2. Paris", "٢"."""
    alone = reply.words.digits.get(peel(reply.text[:_LONGEST_WORD]))
    match = reply.words.numbered.match(reply.text)
    return alone or (reply.words.digits[match["named"] or match["first"]] if match else None)


def boxed(reply: Text) -> str | None:
    r"""The last LaTeX box holds a template, an option's text or its number: `\boxed{\text{C}}`."""
    found = _BOXED.findall(reply.text)
    if not found:
        return None
    inner = peel(found[-1])
    return _label(reply, inner) or _whole_option(reply, inner) or reply.words.digits.get(inner)


def cue(reply: Text) -> str | None:
    """A template directly behind a cue ("the answer is …", "Antwort: …", "答案是…"); the last such answer counts.

    Two cues with different answers are none where one of them only holds on a condition ("if so, the answer is …").
    """
    return _last_said(reply, reply.words.cue)


def named(reply: Text) -> str | None:
    """A letter that is called the answer: "(C) is the correct answer", "C是正确答案"; the last one counts."""
    return _last_said(reply, reply.words.named)


def _last_said(reply: Text, pattern: re.Pattern[str] | None) -> str | None:
    if pattern is None:
        return None
    found = [
        (match.start(), label)
        for match in pattern.finditer(reply.text)
        if (label := _matched(reply, match)) and not _joined(reply, match, label)
    ]
    if len({label for _, label in found}) > 1 and any(_conditional(reply, start) for start, _ in found):
        return None
    return found[-1][1] if found else None


def start(reply: Text) -> str | None:
    """A template at the start, set apart by punctuation where it could be another word: "(C) Keines von beiden."."""
    match = reply.words.start.match(reply.text)
    label = _matched(reply, match) if match else None
    if match is None or label is None or _joined(reply, match, label):
        return None
    if _denied(reply, match) or _lists_options(reply):
        return None
    return label


def last(reply: Text) -> str | None:
    """The last sentence or line is a template: "Die Sätze sind identisch. Ja."."""
    tail = reply.text[-_LONGEST_WORD:].rstrip()
    if tail.endswith("?"):
        return None
    parts = [part for part in _SENTENCES.split(tail) if peel(part)]
    return _label(reply, parts[-1]) if len(parts) > 1 else None


def quoted(reply: Text) -> str | None:
    """Exactly one distinct template stands in quotes or brackets."""
    return _one(_quoted(reply))


def _quoted(reply: Text) -> set[str]:
    matches = reply.words.quoted.finditer(reply.text)
    return {label for match in matches if (label := _matched(reply, match)) and not _denied(reply, match)}


def sole(reply: Text) -> str | None:
    """Exactly one distinct template stands as a word, neither turned round nor on a condition.

    Words with a second use (see `ambiguity`) must be set apart; in scripts without blanks short words and words for
    yes and no must be a whole clause, since 是 is also a copula.
    """
    return _one(_inside(reply))


def _inside(reply: Text) -> set[str]:
    found = set()
    for match in reply.words.inside.finditer(reply.text):
        word = fold(match["word"])
        label = reply.words.exact.get(word)
        if label is None:
            continue
        alone = word in reply.words.alone
        if word not in reply.words.templates and not alone:
            continue
        if (alone and not _is_clause(reply.text, match)) or _ASKED.match(reply.text, match.end("word")):
            continue
        if _turned(reply, match.start()) or _denied(reply, match):
            continue
        found.add(label)
    return found


def text_inside(reply: Text) -> str | None:
    """Exactly one option's text stands in the reply as words; longer options hide the shorter ones in them."""
    rest = key(reply.text)
    found = set()
    texts = [(key(text), label) for text, label in _option_texts(reply)]
    for option, label in sorted(texts, key=lambda each: (-len(each[0]), each[0])):
        if len(option) < 2 and not option.isdigit():
            continue
        place = _find_word(rest, option)
        if place is not None:
            found.add(label)
            rest = rest.replace(option, "\0")
    return _one(found)


def own_words(reply: Text) -> str | None:
    """The reply itself as free text is compared (see `comparable`), where it is at most 200 characters long."""
    if is_refusal(reply):
        return None
    said = comparable(reply.text)
    return said if 0 < len(said) <= _LONGEST_OWN else None


def is_refusal(reply: Text) -> bool:
    """True where a phrase by which models decline stands in the first 400 characters."""
    head = _BLANK.sub(" ", fold(reply.text[:400]))
    return any(fold(key(phrase)) in head for phrase in reply.reader.wording.refusals)


def several(reply: Text) -> bool:
    """True where more than one answer is mentioned, so that none was read."""
    return len(_inside(reply) | _quoted(reply)) > 1


def _one(labels: Iterable[str]) -> str | None:
    found = set(labels)
    return found.pop() if len(found) == 1 else None


def _matched(reply: Text, match: re.Match[str]) -> str | None:
    word = _BLANK.sub(" ", fold(match["word"]))
    return reply.words.exact.get(word) or reply.words.digits.get(word)


def _joined(reply: Text, match: re.Match[str], label: str) -> bool:
    """True where another answer is joined to this one: "A or B", "yes/no", "B, C, D"."""
    beside = reply.words.beside.match(reply.text, match.end("word"))
    if beside is None:
        return False
    other = reply.words.exact.get(fold(beside.groupdict().get("again") or beside["word"]))
    return other is not None and other != label


def _denied(reply: Text, match: re.Match[str]) -> bool:
    """True where an option letter is called wrong: "(A) is not true"."""
    word = match["word"]
    return (
        len(word) == 1 and not is_unspaced(word) and _DENIED.match(reply.text, match.end("word")) is not None
    )


def _lists_options(reply: Text) -> bool:
    """True where lines begin with different letters: the reply goes through the options one by one."""
    if reply.words.line is None or "\n" not in reply.text:
        return False
    lines = reply.words.line.finditer(reply.text)
    return len({reply.words.exact.get(fold(match["word"])) for match in lines}) > 1


def _sentence_before(text: str, place: int) -> str:
    """What stands before a place in its sentence, at most 200 characters."""
    head = text[max(0, place - 200) : place]
    return _SENTENCES.split(head)[-1]


def _conditional(reply: Text, place: int) -> bool:
    before = fold(_sentence_before(reply.text, place))
    return _has_word(before, CONDITIONS.get(reply.reader.wording.base, ())) or _has_word(
        before, CONDITIONS["en"]
    )


def _turned(reply: Text, place: int) -> bool:
    """True where a negation or a condition stands within two words before a place of the same clause."""
    clause = re.split(f'[{PUNCTUATION}"()\n]', reply.text[max(0, place - 60) : place])[-1]
    before = fold(" ".join(clause.split()[-3:]))
    base = reply.reader.wording.base
    # English beside the language itself: models slip into it under any instruction.
    blockers = frozenset().union(
        *(table.get(tag, ()) for table in (NEGATIONS, CONDITIONS) for tag in (base, "en"))
    )
    return _has_word(before, blockers)


def _has_word(text: str, words: Iterable[str]) -> bool:
    spaced = f" {_NO_WORD.sub(' ', text)} "
    return any(text.rstrip().endswith(word) if is_unspaced(word) else f" {word} " in spaced for word in words)


def _is_clause(text: str, match: re.Match[str]) -> bool:
    """True where nothing but punctuation, quotes, blanks or another script precedes; the pattern saw what follows."""
    before = text[match.start() - 1 : match.start()]
    return not before or not before.isalpha() or script_of(before) != script_of(match["word"][0])


def _find_word(text: str, word: str) -> int | None:
    """Place of a word in a text, with word boundaries where its script has them."""
    place = text.find(word)
    while place >= 0:
        before, after = (
            text[place - 1 : place] if place else "",
            text[place + len(word) : place + len(word) + 1],
        )
        if not (_glued(before, word[0]) or _glued(after, word[-1])):
            return place
        place = text.find(word, place + 1)
    return None


def _glued(outer: str, inner: str) -> bool:
    if not outer or not outer.isalnum() or is_unspaced(inner):
        return False
    return outer.isdigit() == inner.isdigit() and (outer.isdigit() or script_of(outer) == script_of(inner))


Rule = Callable[[Text], str | None]

RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "exact": exact,
        "text": text,
        "digit": digit,
        "boxed": boxed,
        "cue": cue,
        "named": named,
        "start": start,
        "last": last,
        "quoted": quoted,
        "sole": sole,
        "text inside": text_inside,
        "own words": own_words,
    }
)
"""Rules by the name that stands in `Answer.rule`."""

UNFINISHED = frozenset({"last", "quoted", "sole", "text inside", "own words", "last number"})
"""Rules that need the end of a reply: they are left out where it was cut off at the token limit."""
