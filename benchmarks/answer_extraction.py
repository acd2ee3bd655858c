"""What it costs to read a reply that holds no answer, beside one search with a bare regular expression.

    python -m benchmarks answer_extraction

Reads the released replies of Ohmer, Bruni and Hupkes (2023) under HESPERUS_TEST_DATA that the parser finds no answer in,
and for each pack its own refusals, since few of those replies are refusals, and two answers joined by its word for "or". Of each reply the fastest of REPEATS readings
counts, which other processes on the machine disturb least; the replies take turns, so that nothing is kept of the last. The identification of the language is printed by itself: it is
part of reading a reply in which neither an answer nor a refusal was found.
"""

from __future__ import annotations

import os
import re
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
from result_rows import keep

from hesperus.answers import Reader, read, reader_for
from hesperus.languages import pack, packs
from hesperus.languages.identification import is_in_other_language
from hesperus.tasks import task

DATA = Path(os.environ.get("HESPERUS_TEST_DATA", "../shared/data")) / "multisense"
REPEATS = 20
MOST = 60
"""Replies of one instruction, or refusals of one pack."""
BARE = re.compile(r"(?i)\b(?:yes|no|answer|[A-D])\b")

Case = tuple[Reader, str]


def released(name: str) -> list[Case]:
    """Distinct replies without an answer, the first MOST of each instruction."""
    table = (
        pl.read_parquet(DATA / f"{name}.parquet")
        .select("instruction", "response")
        .unique()
        .sort("instruction", "response")
    )
    found: dict[str, list[Case]] = {}
    for instruction, reply in table.rows():
        language = instruction.split("_")[0]
        reader = reader_for("label", language, answers=task(name).instruction(language).answers)
        cases = found.setdefault(instruction, [])
        if len(cases) < MOST and read(reader, reply).label is None:
            cases.append((reader, reply))
    return [case for cases in found.values() for case in cases]


def declined(tag: str) -> list[Case]:
    """The refusals of a pack, as replies to a choice."""
    reader = reader_for("choice", tag, answers={letter: [letter] for letter in "ABCD"})
    replies = (
        phrase.rstrip("*").replace("…", " ") + pack(tag).sentence_end for phrase in pack(tag).refusals[:MOST]
    )
    return [(reader, reply) for reply in replies if read(reader, reply).label is None]


def joined(tag: str) -> list[Case]:
    """Two answers of a pack and a word for "or" between them: all rules are tried, and none finds one."""
    own, yes_no = pack(tag), pack(tag).groups["polarity"]
    cases = [
        (reader_for("label", tag, answers={name: yes_no[name][:1] for name in ("yes", "no")}), yes_no["yes"][0], yes_no["no"][0]),
        (reader_for("choice", tag, answers={letter: [letter] for letter in "ABCD"}), "A", "B"),
    ]  # fmt: skip
    replies = [(reader, f"{one} {own.or_words[0]} {other}{own.sentence_end}") for reader, one, other in cases]
    return [(reader, reply) for reader, reply in replies if read(reader, reply).label is None]


def fastest(cases: list[Case], call: Callable[[Reader, str], object]) -> list[float]:
    """Milliseconds of the fastest of REPEATS calls for each reply, one reply after the other."""
    best = [float("inf")] * len(cases)
    for _ in range(REPEATS):
        for place, (reader, reply) in enumerate(cases):
            begun = time.perf_counter()
            call(reader, reply)
            best[place] = min(best[place], time.perf_counter() - begun)
    return [1000 * seconds for seconds in best]


def report(name: str, cases: list[Case]) -> None:
    whole = fastest(cases, read)
    identified = fastest(cases, lambda reader, reply: is_in_other_language(reply, reader.language))
    bare = fastest(cases, lambda _, reply: BARE.search(reply))
    mean = statistics.fmean(whole)
    keep(f"{name}, a reply", mean, "ms", peer="re, one bare search", ratio=mean / statistics.fmean(bare))
    print(
        f"{name:<10} n = {len(cases):>5}  mean {mean:.3f} ms  median {statistics.median(whole):.3f}"
        f"  95 % below {sorted(whole)[int(0.95 * len(whole))]:.3f}"
        f"  identification alone {statistics.fmean(identified):.3f}  {mean / statistics.fmean(bare):.0f} bare searches"
    )


def main() -> None:
    for name in ("boolq", "paws-x"):
        report(name, released(name))
    report("refusals", [case for tag in packs() for case in declined(tag)])
    report("two labels", [case for tag in packs() for case in joined(tag)])


if __name__ == "__main__":
    main()
