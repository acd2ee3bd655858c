"""Takes the names apart that tools give their tasks: benchmark, language, subject."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from hesperus.records.importers.benchmark_table import BENCHMARKS
from hesperus.records.importers.benchmarks import Benchmark
from hesperus.records.importers.tagging import NO_LANGUAGE, explicit_tag


@dataclass(frozen=True, slots=True)
class Named:
    """A tool's task name, understood.

    Attributes:
        task: Name in the records.
        language: BCP-47 tag of the item's language, where the name says it.
        benchmark: What is known of it, or None.
        instruction: Language of the instruction (or of the question), where the name says another.
        subject: The part of the benchmark that the name says, or None.
    """

    task: str
    language: str | None
    benchmark: Benchmark | None
    instruction: str | None = None
    subject: str | None = None


@lru_cache(maxsize=1024)
def name_of(tool_task: str) -> Named:
    """Understand a tool's task name; a name that no benchmark has comes back as it is.

    A name counts as a benchmark's only where what is in the place of a language is a registered one: ``paws_x`` and
    ``xnli_all`` are no languages.
    """
    for benchmark in BENCHMARKS:
        match = benchmark.pattern.fullmatch(tool_task)
        named = _named(benchmark, match.groupdict()) if match is not None else None
        if named is not None:
            return named
    return Named(tool_task, None, None)


def _named(benchmark: Benchmark, groups: Mapping[str, str | None]) -> Named | None:
    tags: dict[str, str | None] = {}
    for slot in ("language", "question", "target"):
        text = groups.get(slot)
        is_language = text is not None and text.lower() not in NO_LANGUAGE
        tags[slot] = explicit_tag(text.removeprefix("north_")) if text and is_language else None
        if text and tags[slot] is None:
            return None
    name = benchmark.name or (groups.get("family") or "")
    parts = [
        name,
        groups.get("variant") or "",
        f"-to-{tags['target']}" if tags["target"] else "",
        groups.get("form") or "",
    ]
    task = "".join(parts).replace("_", "-")
    instruction = tags["question"]
    if instruction is None and (
        "en" in (groups.get("variant") or "").split("_") or groups.get("instruction") == "en"
    ):
        instruction = "en"
    language = benchmark.language or tags["language"]
    return Named(
        task, language, benchmark, None if instruction == language else instruction, groups.get("subject")
    )
