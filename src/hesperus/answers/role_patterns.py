"""What a word of a reader must look like in each role: behind a cue, at the start, in quotes, anywhere.

A word is *open* where it may be followed by anything ("Ja die Sätze …"), and otherwise must be *set apart*: by
punctuation, a closing quote or bracket, the end of the line. Capital letters are open unless the language has a word
of that one letter; small letters and words that double as function words never are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from hesperus.answers.needles import Needles, lone_letters, whole_words
from hesperus.answers.reply_words import Wording
from hesperus.answers.scripts import NOTHING, Edges, alternatives, edges, is_unspaced
from hesperus.answers.spelling import fold, respelt
from hesperus.answers.tokens import Token
from hesperus.answers.triggers import Triggers
from hesperus.languages.letters import script_of
from hesperus.normalization import PUNCTUATION, key

OPENERS = r"[\"'(\[{<]"
CLOSERS = r"[\"')\]}>]"
_EMOJI = "\u2600-\u2793\U0001f300-\U0001faff"
_EDGE = rf" ?(?:{CLOSERS}|[{PUNCTUATION}{_EMOJI}]|[–—]|-(?!\w)|\n|\Z)"

_COLONS = ":：፡፦៖"
# What shows a capital to be a letter where it could be a word: "A is", and a capitalised article, "A The first …".
_COPULA = r"(?=\ (?:(?i:is|ist|est|es|è|é|trifft|stimmt|applies)|The|La|Le|Les|El|Los|Las)\b)"
_AFTER_NOUN = rf"(?:{CLOSERS}{{0,2}} ?(?:[{_COLONS}=>]|[–—]|-(?!\w)|\n|(?=[(\[\"]))|(?:应该|应)?[是为]|(?=是(?:[.!\n]|\Z)))"
_CONSONANTS = frozenset("BCDFGH")
"""Letters that are no word in any language that writes them; small vowels are ("la respuesta a …")."""
_GAP = rf"(?:[ \n{_COLONS}$\\]|{OPENERS}){{0,6}}"


@lru_cache(maxsize=256)
def set_apart(wording: Wording) -> str:
    """Lookahead: what precedes is separate from what follows, but for endings and copulas of the language."""
    blank = "| " if wording.grammar.clause_blank else ""
    return rf"(?={endings(wording, ' ?')}(?:{_EDGE}{blank}))"


@lru_cache(maxsize=256)
def endings(wording: Wording, before: str = "", *, lone: bool = False) -> str:
    """Pattern of at most one ending of the language, a hyphen before it or none; matches nothing where it has none.

    Args:
        wording: The language.
        before: Pattern of what may be between a word and its ending.
        lone: Behind a single letter, to which no ending of one letter is attached: Georgian "და" is "and", no "დ".
    """
    spelt = (respelt(key(word), wording.grammar) for word in wording.grammar.endings)
    ends = sorted((end for end in spelt if len(end) > lone), key=lambda e: (-len(e), e))
    return f"(?:{before}-?(?i:{'|'.join(map(re.escape, ends))}))?" if ends else ""


def word_needles(
    tokens: Iterable[Token], wording: Wording, *, small: bool, unaccented: Iterable[str] = ()
) -> Needles:
    """What is in every text in which one of some words can be found in its role."""
    single = [token.word for token in tokens if token.letter and len(token.word) == 1]
    words = {fold(token.word) for token in tokens if not (token.letter and len(token.word) == 1)}
    words |= set(unaccented) - set(map(fold, single))
    return Needles(
        Triggers.of((), words),
        lone_letters(single, endings(wording, lone=True), small=small),
        whole_words((word, _edges(word, wording)) for word in words if word),
    )


@lru_cache(maxsize=256)
def cue_needles(wording: Wording) -> Needles:
    """What is in every text that holds a cue of the language."""
    stems = plains(wording.cues, wording)
    nouns = [stem.rstrip(": ") for stem in stems if stem.endswith(":")]
    phrases = [stem for stem in stems if not stem.endswith(":")]
    if wording.grammar.verb_second:
        phrases += [f"{verb} {noun}" for noun, verb in clauses(wording)]
    words = {fold(noun): (edges(noun)[0], edges(noun)[1] + _AFTER_NOUN) for noun in nouns if noun}
    words |= {fold(phrase): edges(phrase) for phrase in phrases}
    return Needles(cue_triggers(words, wording), None, whole_words(words.items()))


def cue_triggers(cues: Iterable[str], wording: Wording) -> Triggers:
    """What tells whether one of some folded cues can be in a text; a particle may be on one of another script: "answer는"."""
    if wording.script == "Latn":
        return Triggers.of(((cue, False),) for cue in cues)
    return Triggers.of((), cues)


def any_of(words: Iterable[str]) -> str:
    """An alternation, longest first, so that 不是 hides 是; matches nothing if there are no words."""
    found = sorted(
        {re.escape(word).replace(r"\ ", r"\s") for word in words if word}, key=lambda w: (-len(w), w)
    )
    return "(?:" + "|".join(found) + ")" if found else r"(?!)"


def either(tokens: Iterable[Token], wording: Wording, *, role: str) -> str:
    """One alternation over all tokens, each with its boundaries and, where it is not open, its lookahead."""
    longest_first = sorted(tokens, key=lambda token: -len(token.word))
    return alternatives(pattern for token in longest_first for pattern in _patterns(token, wording, role))


def _patterns(token: Token, wording: Wording, role: str) -> Iterator[tuple[str, Edges]]:
    """A token as it may be in a role (`start`, `cue`, `quoted`, `inside`, `beside`), with its edges.

    Capitals count anywhere, small letters only where they are set apart, and never inside a sentence.
    """
    text = re.escape(token.word).replace(r"\ ", r"\s")
    before, behind = _edges(token.word, wording)
    if not token.letter:
        is_open = role in ("quoted", "beside") or _open(token, wording, role)
        yield f"(?i:{text})", (before, behind if is_open else behind + set_apart(wording))
        return
    # An initial or a compound is no option: "D.C.", "A-level", "3-A".
    capital = (
        rf"(?<![A-Za-z]\.){_behind_hyphen(wording)}{before}",
        rf"{behind}{_no_compound(wording)}(?![+#])(?!\.[A-Za-z])",
    )
    if role in ("quoted", "beside"):
        yield text, capital
        if role == "quoted":
            yield f"(?i:{text})", (r"(?<=[(\[])", "")
        return
    # Behind a colon a sentence may begin: "Válasz: A szöveg …", "Answer: A tough one".
    begins = role == "cue" and token.word in wording.grammar.letter_words
    if begins or not _open(token, wording, role):
        told = f"{set_apart(wording)}|{_COPULA}|{_next_letter(wording)}"
        if begins:
            yield text, (f"{capital[0]}(?<=\\w )", capital[1])
            told += rf"|(?=</|\ (?i:{_because(wording)})\ )"
        capital = (capital[0], f"{capital[1]}(?:{told})")
    yield text, capital
    if role != "inside":
        yield f"(?i:{text})", (before, behind + set_apart(wording))


@lru_cache(maxsize=256)
def joins(wording: Wording) -> str:
    """Pattern of the words between two answers: "or" and "and"."""
    return any_of(respelt(key(word), wording.grammar) for word in (*wording.or_words, *wording.grammar.joins))


@lru_cache(maxsize=256)
def _because(wording: Wording) -> str:
    """Pattern of the words that begin a reason: "A because …"."""
    return any_of(respelt(key(word), wording.grammar) for word in wording.grammar.because)


@lru_cache(maxsize=256)
def _next_letter(wording: Wording) -> str:
    """Lookahead for "A or B": the second letter shows that the first is one."""
    return rf"(?= ?(?:[,/&+]|(?i:{joins(wording)}) |\ (?=[B-H]\b)) ?[(\"]?[A-JА-Е]\b)"


def prefixes(wording: Wording) -> str:
    """Pattern of at most one prefix of a letter; matches nothing where the language has none."""
    found = sorted(wording.grammar.prefixes, key=lambda word: (-len(word), word))
    return rf"(?:\b(?i:{'|'.join(map(re.escape, found))})-)?" if found else ""


@lru_cache(maxsize=256)
def _behind_hyphen(wording: Wording) -> str:
    """Lookbehind: no hyphen, but for that of a prefix."""
    allowed = "".join(rf"|(?<=\b(?i:{re.escape(word)})-)" for word in wording.grammar.prefixes)
    return f"(?:(?<!-){allowed})" if allowed else "(?<!-)"


def _open(token: Token, wording: Wording, role: str) -> bool:
    if is_unspaced(token.word):
        return False
    if token.letter:
        if token.word.lower() == token.word:
            return False
        return role == "cue" or token.word not in wording.grammar.letter_words
    if script_of(token.word[-1]) is None or token.word in everyday(wording):
        return False
    return role != "inside" or token.word not in wording.grammar.not_inside


def named_before(words: Iterable[str]) -> str:
    """An optional word before the answer ("Option", "选项") with what may be between."""
    names = alternatives(_phrase(word) for word in words if word)
    return rf"(?:{names}[ :]?(?:{OPENERS}){{0,3}})" if names != NOTHING else "(?:)"


def start_pattern(tokens: tuple[Token, ...], wording: Wording) -> re.Pattern[str]:
    """A word at the start, behind quotes, brackets or what an option is called."""
    nouns = [cue.rstrip(": ") for cue in plains(wording.cues, wording) if cue.endswith(":")]
    lead = named_before([*plains(wording.option_words, wording), *nouns])
    return re.compile(
        rf"\A(?:{OPENERS}|[¿¡ ]){{0,5}}{lead}?{prefixes(wording)}(?P<word>{either(tokens, wording, role='start')})"
    )


def option_pattern(letters: list[Token], wording: Wording) -> re.Pattern[str] | None:
    """A letter directly behind an option's name: "Option B", "विकल्प ख"; only a small consonant need be set apart."""
    names = alternatives(_phrase(word) for word in plains(wording.option_words, wording) if word)
    if not letters or names == NOTHING:
        return None
    spelt = [(re.escape(token.word), _edges(token.word, wording)) for token in letters]
    for token in letters:
        if token.word in _CONSONANTS:
            before, behind = _edges(token.word, wording)
            spelt.append((token.word.lower(), (before, behind + set_apart(wording))))
    found = alternatives(spelt)
    # Where blanks end clauses a letter on the name is part of a word: Thai "เกี่ยวข้อง" (related) is no "ข้อ ง".
    apart = r"(?=[^\w])" if wording.grammar.clause_blank else ""
    return re.compile(
        rf"{names}(?:{apart}|(?=[A-Za-z])) ?:?(?:{OPENERS}| ){{0,3}}{prefixes(wording)}(?P<word>{found})(?!\w){_no_compound(wording)}"
    )


@lru_cache(maxsize=256)
def _no_compound(wording: Wording) -> str:
    """Lookahead: no hyphen and word ("A-level") but for an ending ("B-dir")."""
    return rf"(?!-(?!{ending}(?!\w))\w)" if (ending := endings(wording).removesuffix("?")) else r"(?!-\w)"


def _counters(wording: Wording) -> str:
    counters = sorted(wording.grammar.counters, key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, counters))})?" if counters else ""


@lru_cache(maxsize=256)
def everyday(wording: Wording) -> frozenset[str]:
    """Keys of answers that are everyday words too, or that negate: they must be set apart."""
    grammar = wording.grammar
    return frozenset(
        respelt(key(word), grammar) for word in (*grammar.everyday, *grammar.whole_negators_after)
    )


def _edges(word: str, wording: Wording) -> Edges:
    ends = endings(wording, lone=len(word) == 1)
    return edges(word, endings=ends, suffixes=wording.grammar.apostrophe == "suffix")


def numbered_pattern(digits: Mapping[str, str], wording: Wording) -> re.Pattern[str]:
    """A digit that is the reply, names an option, or begins the reply as in a list."""
    lead = named_before(plains(wording.option_words, wording))
    digit, edge = any_of(digits), f"(?:{CLOSERS}){{0,3}}"
    listed = rf"(?:[.:]|{CLOSERS}[.:]?)(?=[ \n])"
    return re.compile(
        rf"\A(?:{OPENERS}){{0,3}}(?:{lead}(?P<named>{digit}){_counters(wording)}{edge}(?:{set_apart(wording)}|\Z)|(?P<first>{digit}){listed})"
    )


def cue_pattern(
    tokens: tuple[Token, ...], wording: Wording, digits: Mapping[str, str]
) -> re.Pattern[str] | None:
    """Cue, then quotes, brackets or an option's name, then a word. A bare noun needs its colon, a dash or a line."""
    stems = sorted(set(plains(wording.cues, wording)), key=lambda text: (-len(text), text))
    cues = [_phrase(stem) for stem in stems if not stem.endswith(":")]
    if wording.grammar.verb_second:
        cues += [_phrase(f"{verb} {noun}") for noun, verb in clauses(wording)]
    for noun in (stem.rstrip(": ") for stem in stems if stem.endswith(":")):
        if noun:
            pattern, (before, behind) = _phrase(noun)
            cues.append((pattern, (before, behind + _AFTER_NOUN)))
    if not cues:
        return None
    word = either(tokens, wording, role="cue")
    if digits:
        word = f"(?:{word}|{any_of(digits)}{_counters(wording)}{set_apart(wording)})"
    named = named_before(plains(wording.option_words, wording))
    # A prefix may belong to the cue: "impendulo efanele ngu-B".
    gap = f"(?:-|{_GAP})" if wording.grammar.prefixes else _GAP
    return re.compile(rf"{alternatives(cues)}{gap}{named}?{prefixes(wording)}(?P<word>{word})")


def named_pattern(letters: list[Token], wording: Wording) -> re.Pattern[str] | None:
    """The cues turned round. Only letters: "no is the answer" is not how anybody writes."""
    turned = [
        rf" ?{alternatives([_phrase(verb)])} ?{alternatives([_phrase(noun)])}"
        for noun, verb in clauses(wording)
    ]
    if not letters or not turned:
        return None
    return re.compile(
        rf"(?P<word>{either(letters, wording, role='cue')})(?:{CLOSERS}){{0,3}}(?:{'|'.join(turned)})"
    )


def clauses(wording: Wording) -> list[tuple[str, str]]:
    """Cues that are a noun and a verb, taken apart: ("the correct answer", "is"), ("正确答案", "是")."""
    found = []
    for cue in sorted(set(plains(wording.cues, wording)), key=lambda text: (-len(text), text)):
        noun, _, verb = cue.rpartition(" ")
        if cue[-1:] == "是":
            found.append((cue[:-1], "是"))
        elif " " in noun and verb.isalpha():
            found.append((noun, verb))
    return found


def _phrase(text: str) -> tuple[str, Edges]:
    """A phrase in either case as whole words; the boundaries name both cases, and ignoring it there costs time."""
    spelt = re.escape(text).replace(r"\ ", r"\s")
    return f"(?i:{spelt})", edges(text)


def plains(phrases: Iterable[str], wording: Wording) -> list[str]:
    """Phrases of a pack in the spelling of cleaned text; a final colon is kept, other edges go."""
    return [
        respelt(key(phrase), wording.grammar) + (":" if phrase.rstrip().endswith(tuple(_COLONS)) else "")
        for phrase in phrases
    ]


def beside_pattern(tokens: tuple[Token, ...], wording: Wording) -> re.Pattern[str]:
    """A second answer behind an answer: in a list, after "or" or "and", or letters one after the other."""
    joining = f"(?i:{joins(wording)})"
    separators = rf"{endings(wording, ' ?')}(?: ?(?:[,、;/&+|→⇒]|[-=]>) ?{joining}?| ?{joining})"
    letters = [token for token in tokens if token.letter]
    word = either(tokens, wording, role="beside")
    joined = rf"{CLOSERS}{{0,4}}{separators} ?{OPENERS}{{0,4}}{prefixes(wording)}(?P<word>{word})(?:{set_apart(wording)}|(?={separators}))"
    if not letters:
        return re.compile(joined)
    letter = either(letters, wording, role="beside")
    again = joined.replace("(?P<word>", "(?P<again>")
    # Behind a word that joins, a letter needs no mark: "A和B都有可能".
    both = rf"{CLOSERS}{{0,4}} ?{joining} ?{OPENERS}{{0,4}}{prefixes(wording)}(?P<both>{letter})"
    row = rf"{CLOSERS}{{0,4}} {OPENERS}{{0,4}}(?P<word>{letter})(?:{set_apart(wording)}|(?= [A-Z]\b))"
    return re.compile(f"{again}|{both}|{row}")
