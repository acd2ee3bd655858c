"""The benchmarks that are known by the names tools give their tasks, from `benchmarks.yaml`, which says what is in an entry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec

from hesperus.strict_yaml import read_yaml_file

COMMON_GROUPS = ("subject", "category", "subcategory", "domain", "topic", "relation")
"""Fields of an item that become group columns wherever they occur."""

COMMON_KEYS = (
    ("sample_id",), ("item_id",), ("item",), ("question_id",), ("qid",), ("uid",), ("guid",), ("uuid",),
    ("id",), ("ID",), ("idx",),
)  # fmt: skip
"""Fields that usually hold an id; taken for an unknown benchmark where their values are unique in every log."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark as tools log it.

    Attributes:
        pattern: Matches the tool's task name; its groups are described in `benchmarks.yaml`.
        name: Task name in the records (that of the catalogue, where it is there); empty takes the group ``family``.
        key: Fields that make the id, or (``row``,); empty tries the usual ones.
        keys_again: Other spellings of the key, tried where the first is absent.
        labels: Where labels are words: value of ``gold_field`` to label; empty where they are letters.
        gold_field: Field of the item that holds the gold value; None takes the log's target.
        positions: Label of each option in the order in which tools offer them, for tasks with fixed words.
        groups: Field of the item to column of the records.
        normalised: Key fields that are spelt differently between languages.
        golds_differ: True where the benchmark's gold is known to differ between languages.
        language: The only language that it is in.
        codes: The benchmark's own codes of languages to BCP-47 tags, where they are no codes of these languages.
        parallel: False where each language has its own items, so that a number names another item in each.
    """

    pattern: re.Pattern[str]
    name: str = ""
    key: tuple[str, ...] = ()
    keys_again: tuple[tuple[str, ...], ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    gold_field: str | None = None
    positions: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    normalised: tuple[str, ...] = ()
    golds_differ: bool = False
    language: str | None = None
    codes: Mapping[str, str] = field(default_factory=dict)
    parallel: bool = True


_PARTS = {
    "INCLUDE": (
        "albanian|arabic|armenian|azerbaijani|basque|belarusian|bengali|bulgarian|chinese|croatian|dutch|estonian|finnish|"
        "french|georgian|german|greek|hebrew|hindi|hungarian|indonesian|italian|japanese|kazakh|korean|lithuanian|"
        "malayalam|malay|nepali|north_macedonian|persian|polish|portuguese|russian|serbian|spanish|tagalog|tamil|telugu|"
        "turkish|ukrainian|urdu|uzbek|vietnamese"
    ),
    "FORM": r"(?:_(?:mcf|cf|hybrid))?",
    "PROMPT": r"(?P<form>_prompt_\d+)?",
    "BENCH": r"(?:_[a-z]+_bench)?",
    "SUBJECT": r"(?:[_-](?P<subject>\w[\w -]*))?",
    "TAG": r"[A-Za-z]{2,3}(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}|[a-z]{4})|-[a-z]{2})?",
    "CODE": r"[a-z]{2,3}",
}
"""What the words in capitals in a pattern mean."""


@cache
def benchmarks() -> tuple[Benchmark, ...]:
    """The known benchmarks, in the order in which they are tried."""
    entries = read_yaml_file(
        files("hesperus.records.importers") / "benchmarks.yaml", "table of benchmarks"
    ).value
    return msgspec.convert(entries, tuple[Benchmark, ...], dec_hook=lambda kind, text: _compiled(text))


def _compiled(pattern: str) -> re.Pattern[str]:
    for name, part in _PARTS.items():
        pattern = pattern.replace(name, part)
    return re.compile(pattern)
