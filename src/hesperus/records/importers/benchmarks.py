"""What is known of parallel benchmarks as other tools log them: names, languages, keys, labels.

The id of an item has to be the same in every language. The tools' own counters and hashes are not (they depend on
language and filtering), so each benchmark names the fields that are. A user's own table comes in through
ImportSettings.key.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hesperus.records.importers.settings import ROW_KEY

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
        name: Task name in the records (that of the catalogue, where it is there).
        pattern: Matches the tool's task name; groups ``language`` and, optionally, ``variant`` (kept in the name).
        key: Fields that make the id, or (``row``,).
        keys_again: Other spellings of the key, tried where the first is absent.
        labels: Where labels are words: value of ``gold_field`` to label; empty where they are letters.
        gold_field: Field of the item that holds the gold value; None takes the log's target.
        positions: Label of each option in the order in which tools offer them, for tasks with fixed words.
        groups: Field of the item to column of the records.
        normalised: Key fields whose spelling varies between languages.
        golds_differ: True where the benchmark's gold is known to differ between languages.
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


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("TAG", _TAG))


_NLI = {"0": "entailment", "1": "neutral", "2": "contradiction"}
_MMLU_GROUPS = {
    "subject": "subject",
    "subject_category": "category",
    "cultural_sensitivity_label": "culture",
}

BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "global-mmlu",
        _pattern(r"global[_-]mmlu[_-]full[_-](?P<language>[a-z]{2,3})(?:_[a-z_]+)?"),
        ("sample_id",),
        groups=_MMLU_GROUPS,
    ),
    Benchmark(
        "global-mmlu-lite",
        _pattern(r"global[_-]mmlu(?:[_-]lite)?[_-](?P<language>[a-z]{2,3})(?:_[a-z_]+)?"),
        ("sample_id",),
        groups=_MMLU_GROUPS,
    ),
    Benchmark(
        "mmmlu",
        _pattern(
            r"(?:openai[_-])?mmmlu[_-](?P<language>[a-zA-Z]{2}(?:[_-](?!xy)[a-zA-Z]{2})?)(?:[_-][a-zA-Z_]+)?"
        ),
        ("Unnamed: 0", "Subject"),
        keys_again=(("", "Subject"), ("row_id", "subject"), ("id", "Subject")),
        groups={"Subject": "subject"},
        normalised=("Subject", "subject"),
    ),
    Benchmark(
        "belebele",
        _pattern(r"belebele[_-](?P<language>[a-z]{3}_[A-Za-z]{4})(?:_(?:mcf|cf|hybrid))?"),
        ("link", "question_number"),
        groups={},
    ),
    Benchmark(
        "paws-x",
        _pattern(r"paws[_-]?x?[_-](?P<language>TAG)(?:_(?:mcf|cf|hybrid))?"),
        ("id",),
        labels={"0": "different", "1": "same"},
        gold_field="label",
        positions=("different", "same"),
        golds_differ=True,
    ),
    Benchmark(
        "xcopa",
        _pattern(r"xcopa[_:-](?P<language>TAG)(?:_(?:mcf|cf|hybrid))?"),
        ("idx",),
        groups={"question": "asks"},
    ),
    Benchmark(
        "xnli",
        _pattern(r"xnli[_-](?P<language>TAG)(?:_(?:mcf|cf|hybrid))?"),
        (ROW_KEY,),
        labels=_NLI,
        gold_field="label",
        positions=("entailment", "neutral", "contradiction"),
    ),
    Benchmark(
        "mgsm",
        _pattern(r"mgsm(?P<variant>_direct|_native_cot|_en_cot)?[_:-](?P<language>TAG)"),
        (ROW_KEY,),
        gold_field="answer_number",
    ),
    Benchmark(
        "truthfulqa-multi",
        _pattern(r"truthfulqa-multi(?P<variant>_gen|_mc1|_mc2)_(?P<language>TAG)"),
        ("id",),
        groups={"category": "category", "type": "type"},
    ),
    Benchmark(
        "xstorycloze",
        _pattern(r"xstory_?cloze[_-](?P<language>TAG)(?:_(?:mcf|cf|hybrid))?"),
        ("story_id",),
    ),
    Benchmark(
        "sib-200",
        _pattern(r"sib[_-]?200[_-](?P<language>[a-z]{3}_[A-Z][a-z]{3})"),
        ("index_id",),
        keys_again=(("id",),),
    ),
)
"""In the order in which they are tried."""


@dataclass(frozen=True, slots=True)
class Named:
    """A tool's task name, understood.

    Attributes:
        task: Name in the records.
        language: What stands in the name for it, as it stands; None where the name has none.
        benchmark: What is known of it, or None.
        instruction: Language of the instruction where the name says another.
    """

    task: str
    language: str | None
    benchmark: Benchmark | None
    instruction: str | None = None


def name_of(tool_task: str) -> Named:
    """Understand a tool's task name; a name that no benchmark has comes back as it is."""
    for benchmark in BENCHMARKS:
        match = benchmark.pattern.fullmatch(tool_task)
        if match is None:
            continue
        variant = match.groupdict().get("variant") or ""
        instruction = "en" if variant == "_en_cot" else None
        return Named(benchmark.name + variant.replace("_", "-"), match["language"], benchmark, instruction)
    return Named(tool_task, None, None)
