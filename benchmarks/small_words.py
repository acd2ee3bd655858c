"""Writes the small words by which a text is plainly in a language (src/hesperus/languages/small_words.csv).

    python -m benchmarks small_words

Of each language of SIB-200 (under HESPERUS_TEST_DATA) that is identified and whose script is not its own, the MOST words
that are in most sentences, the single words of its pack, and those of the catalogue's instructions. It prints how many texts in another language would be called
plain of those that are identified as such, with words counted in one half of the sentences and texts of the other.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from language_identification import cut, language_known, texts

from hesperus.languages import language, pack, packs, small_words
from hesperus.languages.identification import are_alike, text_language
from hesperus.languages.letters import scripts_for
from hesperus.normalization import clean
from hesperus.tasks import task, tasks

FILE = Path(small_words.__file__).with_name("small_words.csv")
MOST = 100
FEWEST = 4
"""Sentences of 204 that a word is in."""
GRAMMAR = ("negators", "negators_after", "conditions", "but", "joins", "because", "everyday", "guesses", "wrong", "right", "regrets")  # fmt: skip
SHARED = frozenset({"Hani", "Hira", "Kana"})


def counted(held: dict[str, list[str]]) -> dict[str, list[str]]:
    """The most frequent words of each language."""
    found = {}
    for code, many in held.items():
        counts: Counter[str] = Counter()
        for text in many:
            counts.update(set(words_in(text)))
        least = FEWEST * len(many) / 204
        common = [word for word, count in counts.most_common(400) if count >= least and has_letter(word)]
        found[language(code).tag.split("-")[0]] = common[:MOST]
    return found


def words_in(text: str) -> list[str]:
    return re.findall(r"[^\s.,;:!?\"()\[\]،؛؟।۔…]+", clean(text).lower())


def has_letter(word: str) -> bool:
    return any(map(str.isalpha, word))


def of_packs(bases: Iterable[str]) -> dict[str, list[str]]:
    """The single words of each pack, but those of one letter."""
    found: dict[str, list[str]] = {}
    for tag in packs():
        base = tag.split("-")[0]
        if base not in bases or language(tag).script != language(base).script:
            continue
        own = pack(tag)
        phrases = [word for labels in own.groups.values() for words in labels.values() for word in words]
        phrases += [*own.option_words, *own.or_words, *own.cues, *own.refusals]
        phrases += [word for name in GRAMMAR for word in getattr(own.grammar, name)]
        phrases += [*own.requests.values(), *instructions(tag)]
        parts = (part for phrase in phrases for part in re.split("[ …]+", phrase) if "*" not in part)
        found.setdefault(base, []).extend(
            word for part in parts for word in words_in(part) if len(word) > 1 and has_letter(word)
        )
    return found


def instructions(tag: str) -> list[str]:
    """What the tasks of the catalogue say in a language: replies speak of sentences and meanings too."""
    found = []
    for name in tasks():
        if tag in task(name).instructions:
            asked = task(name).instruction(tag)
            found += [asked.prefix, asked.suffix, *asked.words.values()]
    return [text.replace("\n", " ") for text in found]


def joined(frequent: dict[str, list[str]]) -> dict[str, list[str]]:
    own = of_packs(frequent)
    return {
        base: list(dict.fromkeys([*words, *own.get(base, ())])) for base, words in sorted(frequent.items())
    }


def write(listed: dict[str, list[str]]) -> None:
    with FILE.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerows([("language", "words"), *((base, " ".join(words)) for base, words in listed.items())])
    for each in (small_words._listed, small_words._small_words):
        each.cache_clear()


def taken(held: dict[str, list[str]], longest: int | None) -> None:
    """Texts in another language that are called plain, of those that are identified as such."""
    asked = {tag.split("-")[0] for tag in packs()}
    wrong, tried, own, plain = Counter[str](), 0, 0, 0
    for code, many in held.items():
        base = language(code).tag.split("-")[0]
        for text in many[:30]:
            said = clean(cut(text, longest) if longest else text)
            for tag in asked:
                if tag == base:
                    own, plain = own + 1, plain + small_words.plainly_in(said, tag)
                elif not are_alike(base, tag):
                    tried += 1
                    if small_words.plainly_in(said, tag) and text_language(said, tag).is_other:
                        wrong[f"{base} for {tag}"] += 1
    print(
        f"cut at {longest}: plain in their own language {plain / own:.0%}; taken wrongly {wrong.total()} of {tried}",
        dict(wrong),
    )


def main() -> None:
    held = {code: many for code, many in texts().items() if language_known(code) and shares_script(code)}
    write(joined(counted({code: many[::2] for code, many in held.items()})))
    for longest in (30, 45, 70, None):
        taken({code: many[1::2] for code, many in held.items()}, longest)
    write(joined(counted(held)))


def shares_script(code: str) -> bool:
    scripts = scripts_for(language(code).script)
    return not set(scripts) & (small_words._ONE_LANGUAGE | SHARED)


if __name__ == "__main__":
    main()
