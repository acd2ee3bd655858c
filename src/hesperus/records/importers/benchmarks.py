"""What is known of a benchmark as other tools log it: names, languages, keys, labels.

The benchmarks themselves are in `benchmark_table`. The id of an item has to be the same in every language. The tools' own counters and hashes are not (they depend on
language and filtering), so each benchmark names the fields that are. A user's own table comes in through
ImportSettings.key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_CODE = r"[a-z]{2,3}"
_TAG = r"[A-Za-z]{2,3}(?:[-_](?:[A-Z][a-z]{3}|[A-Z]{2}|[a-z]{4}))?"

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
        name: Task name in the records (that of the catalogue, where it is there); empty takes the group ``family``.
        pattern: Matches the tool's task name; its groups are described in `benchmark_table`.
        key: Fields that make the id, or (``row``,); empty tries the usual ones.
        keys_again: Other spellings of the key, tried where the first is absent.
        labels: Where labels are words: value of ``gold_field`` to label; empty where they are letters.
        gold_field: Field of the item that holds the gold value; None takes the log's target.
        positions: Label of each option in the order in which tools offer them, for tasks with fixed words.
        groups: Field of the item to column of the records.
        normalised: Key fields whose spelling varies between languages.
        golds_differ: True where the benchmark's gold is known to differ between languages.
        language: The only language that it is in.
        parallel: False where each language has its own items, so that a number names another item in each.
    """

    name: str
    pattern: re.Pattern[str]
    key: tuple[str, ...]
    keys_again: tuple[tuple[str, ...], ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    gold_field: str | None = None
    positions: tuple[str, ...] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    normalised: tuple[str, ...] = ()
    golds_differ: bool = False
    language: str | None = None
    parallel: bool = True


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of the table, with TAG and CODE written out."""
    return re.compile(pattern.replace("TAG", _TAG).replace("CODE", _CODE))
