"""Instructions in parts, each rephrased by itself, and put together again without losing or doubling a label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from hesperus.errors import SenseError
from hesperus.senses.mentions import (
    Mentions,
    Words,
    bare_labels,
    bracketed_words,
    fold,
    mentions,
    owners,
)
from hesperus.senses.quotes import quoted_words
from hesperus.types import Instruction

_STOPS = ".?!。？！؟।።"
_BY_HAND = "Write this part by hand under `instructions:` of the study, for this sense"


def instruction_parts(instruction: Instruction) -> tuple[str, ...]:
    """The texts of an instruction that are rephrased, a request each: prefix, the word of each field, suffix.

    Empty parts are left out and each text is once. Option letters, numbers and quotation marks of the layout are
    no part, so nothing can happen to them.
    """
    parts = (instruction.prefix, *instruction.words.values(), instruction.suffix)
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))


def recompose(
    instruction: Instruction,
    made: Mapping[str, str],
    target: str,
    answers: Words | None = None,
) -> Instruction:
    """Put an instruction together from its parts made anew.

    What represents a label is settled thus. Where the original quotes its labels ("yes", "no") and the made text
    quotes as many words, these become the first words of the labels, in order, unless they are known words of another
    label: then they are read as what they are. Otherwise known words are looked for. Where the original names a label
    in brackets, ``(A)``, so must the made text, in the same order. The further words of each label come from
    ``answers``.

    Args:
        instruction: The original.
        made: Text of a part, as instruction_parts gives it, to what was made of it.
        target: BCP-47 tag of the made texts.
        answers: Known words of each label in the target language, the first preferred; None for the original's own,
            which is right for a rewording in the same language.

    Returns:
        The instruction; its ``answers`` hold at least one word for every label.

    Raises:
        SenseError: A part is missing, empty, or visibly no translation of its original; or a label was lost, doubled
            or cannot be told from another. The message says what came back and how to put it right by hand.
    """
    known = instruction.answers if answers is None else answers
    prefix = _part(instruction.prefix, made, "prefix")
    suffix = _part(instruction.suffix, made, "suffix")
    words = {name: _word(name, word, made) for name, word in instruction.words.items()}
    if not instruction.answers:
        return Instruction(target, prefix, words, suffix, {})

    found: dict[str, list[str]] = {label: [] for label in instruction.answers}
    for name, original, text in (
        ("suffix", instruction.suffix, suffix),
        ("prefix", instruction.prefix, prefix),
    ):
        named = mentions(original, instruction.answers)
        if named is None:
            continue
        candidates = _joined(found, known, instruction.answers)
        for label, word in _find(
            named, text, candidates, place=f"the {name} {text!r} made from {original!r}"
        ):
            found[label].append(word)
    return Instruction(target, prefix, words, suffix, _settled(instruction.answers, found, known, target))


def _part(original: str, made: Mapping[str, str], name: str) -> str:
    key = original.strip()
    if not key:
        return ""
    if key not in made:
        raise SenseError(f"the {name} {key!r} was not made. {_BY_HAND}")
    text = made[key].strip()
    if not text:
        raise SenseError(f"the {name} {key!r} came back empty. {_BY_HAND}")
    if len(text) > 80 + 5 * len(key):
        raise SenseError(
            f"the {name} {key!r} came back as a text much longer than itself: {text!r}. {_BY_HAND}"
        )
    return text


def _word(field: str, original: str, made: Mapping[str, str]) -> str:
    """The word of a field, refused where a sentence about the word came back instead of the word."""
    name = f"word of {field!r}"
    text = _part(original, made, name)
    chatter = (
        "\n" in text
        or (bool(quoted_words(text)) and not quoted_words(original))
        or (text[-1:] in _STOPS and original.strip()[-1:] not in _STOPS)
        or len(text.split()) > 3 + 2 * len(original.split())
        or len(text) > 24 + 4 * len(original)
    )
    if chatter:
        raise SenseError(
            f"the {name}, {original!r}, came back as {text!r}, which is no word for it. {_BY_HAND}"
        )
    return text


def _find(named: Mentions, text: str, words: Words, *, place: str) -> Sequence[tuple[str, str]]:
    """(label, word) for every label that a made text names, checked against what the original names."""
    wanted = [label for label in named.labels if label is not None]
    if named.form == "bracketed":
        return _bracketed(named, text, words, place)
    quoted = quoted_words(text)
    if named.form == "quoted" and len(quoted) == len(named.labels):
        pairs = [(label, word) for label, word in zip(named.labels, quoted, strict=True) if label is not None]
        return _in_order(pairs, words, place)
    recognised = [(label, word) for word in quoted for label in owners(word, words)]
    if Counter(label for label, _ in recognised) == Counter(wanted):
        return recognised
    bare = bare_labels(text, words)
    if Counter(label for label, _ in bare) == Counter(wanted):
        return bare
    raise SenseError(f"{_difference(wanted, [label for label, _ in bare])} in {place}. {_BY_HAND}")


def _in_order(pairs: Sequence[tuple[str, str]], words: Words, place: str) -> Sequence[tuple[str, str]]:
    """Take the quoted words for the labels in order, unless they are known to represent others."""
    meant = [owners(word, words) for _, word in pairs]
    if all(not labels or label in labels for (label, _), labels in zip(pairs, meant, strict=True)):
        doubled = [
            word
            for label, word in pairs
            if any(fold(word) == fold(w) and label != other for other, w in pairs)
        ]
        if doubled:
            raise SenseError(f"{doubled[0]!r} stands for two labels in {place}. {_BY_HAND}")
        return pairs
    if all(len(labels) == 1 for labels in meant):
        swapped = [(next(iter(labels)), word) for labels, (_, word) in zip(meant, pairs, strict=True)]
        if Counter(label for label, _ in swapped) == Counter(label for label, _ in pairs):
            return swapped
    named = ", ".join(repr(word) for _, word in pairs)
    raise SenseError(f"it is not clear which label each of {named} stands for in {place}. {_BY_HAND}")


def _bracketed(named: Mentions, text: str, words: Words, place: str) -> Sequence[tuple[str, str]]:
    """Letters in brackets must come back as many and in their order, as themselves or as those of another script."""
    wanted = [label for label in named.labels if label is not None]
    found = bracketed_words(text)
    recognised = [(label, word) for word in found for label in owners(word, words)]
    if [label for label, _ in recognised] == wanted:
        return recognised
    if not recognised and len(found) == len(wanted) == len(set(map(fold, found))):
        return list(zip(wanted, found, strict=True))
    raise SenseError(f"{_difference(wanted, [label for label, _ in recognised])} in {place}. {_BY_HAND}")


def _difference(wanted: Sequence[str], got: Sequence[str]) -> str:
    lost = Counter(wanted) - Counter(got)
    doubled = Counter(got) - Counter(wanted)
    said = []
    if lost:
        said.append(f"lost: {', '.join(map(repr, lost))}")
    if doubled:
        said.append(f"doubled: {', '.join(map(repr, doubled))}")
    return f"labels do not match ({'; '.join(said) or 'their order changed'})"


def _joined(*many: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """The words of each label from all sources, each word once."""
    words: dict[str, dict[str, str]] = {}
    for source in many:
        for label, known in source.items():
            for word in known:
                words.setdefault(label, {}).setdefault(fold(word), word)
    return {label: tuple(known.values()) for label, known in words.items()}


def _settled(
    labels: Words, found: Mapping[str, Sequence[str]], known: Words, target: str
) -> dict[str, tuple[str, ...]]:
    """The words of every label: those that the instruction itself names, then the known ones."""
    own = {fold(word): label for label, words in found.items() for word in words}
    settled: dict[str, tuple[str, ...]] = {}
    for label, original in labels.items():
        # The layout prints option letters itself, so the letter stays the first word for its label.
        letter = [label] if original and fold(original[0]) == fold(label) and len(label) == 1 else []
        others = [word for word in known.get(label, ()) if own.get(fold(word), label) == label]
        settled[label] = _joined({label: [*letter, *found[label], *others]}).get(label, ())
        if not settled[label]:
            raise SenseError(
                f"no word stands for the label {label!r} in {target!r}: the instruction does not name it, and no "
                f"language pack or task gives one. Add `answers` for it under `instructions:` of the study"
            )
    return settled
