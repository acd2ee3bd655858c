"""Which language, task and model a log is about, from what the log itself says.

In this order: what the user says; the log's own configuration; the names of known benchmarks. What none of them tells is
left to `settling`, which sees all logs together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from hesperus.errors import DataError, UsageError
from hesperus.languages import normalise
from hesperus.records.exporters.asked import NAME_FIELD
from hesperus.records.importers.benchmark_table import Benchmark, benchmarks
from hesperus.records.importers.import_settings import Basis, ImportSettings
from hesperus.records.importers.tagging import NO_LANGUAGE, base_of, explicit_tag, tag_in_name
from hesperus.tables import LANGUAGE_COLUMNS


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
    for benchmark in benchmarks():
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
        spelt = benchmark.codes.get(text, text.removeprefix("north_")) if text else ""
        tags[slot] = explicit_tag(spelt) if spelt and is_language else None
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


_DATASET_FIELDS = ("dataset_name", "subset", "config_name", "dataset_config", "hf_subset")
"""Fields that name a part of a data set: its language in parallel ones, its subject in others."""

_FIELD = "field "
"""How evidence begins that is from an item."""

_PARTS = re.compile(r"([_:|./\s-]+)")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a log says of itself.

    Attributes:
        name: The tool's task name.
        place: The file.
        config: Arguments and metadata of the task, as text.
        item: Fields of its first item, as text.
    """

    name: str
    place: str
    config: Mapping[str, str] = field(default_factory=dict)
    item: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class About:
    """What a log is about.

    Attributes:
        task: Its name in the records.
        language: BCP-47 tag; None if the log alone does not tell.
        benchmark: What is known of it, or None.
        instruction: Language of the instruction, where it is another.
        own_task: The task's name by the log, where the user gave another.
        name: The tool's task name.
        basis: What the language rests on.
        evidence: The same for a reader, e.g. ``dataset_name = 'de'``.
        subject: The part of a benchmark that the name says.
    """

    task: str
    language: str | None
    benchmark: Benchmark | None
    instruction: str | None = None
    own_task: str = ""
    name: str = ""
    basis: Basis | None = None
    evidence: str = ""
    subject: str | None = None

    @property
    def is_of_first_item(self) -> bool:
        """Whether the language is what the first item says of itself, which need not hold for the others."""
        return self.evidence.startswith(_FIELD)

    def prefix(self, key: Sequence[str]) -> str:
        """What has to be before an id: the subject or language within which it is unique."""
        if self.benchmark is None or (self.benchmark.key and tuple(key) == self.benchmark.key):
            return ""
        parts = [] if self.benchmark.parallel or self.language is None else [self.language]
        return "".join(f"{part}/" for part in (*parts, *([self.subject] if self.subject else [])))


def about(evidence: Evidence, settings: ImportSettings) -> About:
    """Find task and language of a log, as far as it says them.

    Raises:
        DataError: The user's rule finds no language in it.
        UsageError: ``language_from`` cannot be read.
    """
    named = name_of(evidence.name)
    found = About(
        named.task, None, named.benchmark, named.instruction, name=evidence.name, subject=named.subject
    )
    language, basis, why = (
        _by_user(evidence, settings) or _by_config(evidence, named.benchmark) or (None, None, "")
    )
    if language is None and named.language is not None:
        language, basis, why = (
            named.language,
            "benchmark",
            f"the name {evidence.name!r} is one of {named.task}",
        )
    elif language is not None and named.language is not None and base_of(language) != base_of(named.language):
        why = f"{why}, though the name {evidence.name!r} says {named.language}"
    if named.benchmark is None and language is not None:
        found = replace(found, task=without(evidence.name, language))
    task = evidence.config.get(NAME_FIELD) or found.task
    instruction = None if found.instruction == language else found.instruction
    return replace(
        found,
        task=settings.task or task,
        own_task=task,
        language=language,
        instruction=instruction,
        basis=basis,
        evidence=why,
    )


def tag_or_none(text: object, settings: ImportSettings | None = None) -> str | None:
    """A language in any style as BCP-47 tag, by the user's list first; None if it is not a language."""
    if not isinstance(text, str):
        return None
    given = settings.languages.get(text) if settings is not None else None
    return normalise(given) if given is not None else explicit_tag(text)


def parts_of(name: str) -> list[str]:
    """A name and its separators in turn."""
    return _PARTS.split(name)


def slots(name: str) -> list[tuple[int, int, str]]:
    """Where codes of languages are in a name: first part, part after the last, tag; longer ones first, later ones first."""
    parts = parts_of(name)
    found: list[tuple[int, int, str]] = []
    for width in (3, 1):
        for start in range(len(parts) - width, -1, -2):
            tag = tag_in_name("".join(parts[start : start + width])) if not start % 2 else None
            inside = any(begin <= start < end for begin, end, _ in found)
            if tag is not None and not inside:
                found.append((start, start + width, tag))
    return found


def without(name: str, language: str) -> str:
    """The name without its language, so that the logs of one task share it."""
    parts = parts_of(name)
    for start, stop, tag in slots(name):
        if tag == language and stop - start < len(parts):
            return cut_out(parts, start, stop)
    return name


def cut_out(parts: Sequence[str], start: int, stop: int) -> str:
    """A name without some of its parts, and without the separator before (at the beginning: after) them."""
    return "".join([*parts[: start - 1], *parts[stop:]] if start else parts[stop + 1 :])


def short_models(models: Iterable[str]) -> dict[str, str]:
    """Shorten the names of models that are paths to their last part, as far as they stay different.

    A model that was loaded from a folder has a path for a name, which says more of a machine than of the model.
    """
    every = sorted(set(models))
    short: dict[str, str] = {}
    for model in every:
        tool, slash, rest = model.partition("/")
        is_path = rest.startswith(("/", ".", "~")) or re.match(r"[A-Za-z]:[\\/]", rest) is not None
        last = re.split(r"[\\/]+", rest.rstrip("/\\"))[-1]
        short[model] = f"{tool}{slash}{last}" if is_path and last else model
    taken = list(short.values())
    return {model: name if taken.count(name) == 1 else model for model, name in short.items()}


_Found = tuple[str | None, Basis | None, str]


def _by_user(evidence: Evidence, settings: ImportSettings) -> _Found | None:
    given = settings.languages.get(evidence.name)
    if given is not None:
        return normalise(given), "given", f"--language {evidence.name}={given}"
    if settings.language_from is None:
        return None
    language = _asked(settings.language_from, evidence, settings)
    if language is None:
        raise DataError(
            f"the language of {evidence.name!r} cannot be told by --language-from {settings.language_from!r}",
            file=evidence.place,
        )
    return language, "given", f"--language-from {settings.language_from}"


def _asked(spec: str, evidence: Evidence, settings: ImportSettings) -> str | None:
    """The language by the user's own rule."""
    kind, _, rest = spec.partition(":")
    if spec.startswith("="):
        return normalise(spec[1:])
    if kind in ("name", "path") and rest:
        found = found_in(spec, evidence.name, evidence.place, "--language-from")
        return tag_or_none(found, settings)
    if kind in ("field", "config") and rest:
        return tag_or_none((evidence.item if kind == "field" else evidence.config).get(rest), settings)
    raise UsageError(
        f"--language-from {spec!r}: write '=TAG', 'name:REGEX', 'path:REGEX', 'field:NAME' or 'config:NAME'"
    )


def found_in(spec: str, name: str, place: str, flag: str) -> str | None:
    """The first group of a user's `name:REGEX` or `path:REGEX`; None if it does not match.

    Args:
        spec: The rule.
        name: Name of the log.
        place: Its path, from the folder that was named on; the pattern may have a slash before the first folder.
        flag: For messages.
    """
    kind, _, pattern = spec.partition(":")
    texts = (name,) if kind == "name" else (place, f"/{place}")
    return next((found for text in texts if (found := _matched(pattern, text, flag, spec))), None)


def _matched(pattern: str, text: str, flag: str, spec: str) -> str | None:
    """The first group of a user's pattern in a text; None if it does not match.

    Raises:
        UsageError: It is no regular expression, or has no group.
    """
    try:
        match = re.search(pattern, text)
    except re.error as error:
        raise UsageError(f"{flag} {spec!r}: not a regular expression: {error}") from error
    if match is not None and not match.groups():
        raise UsageError(f"{flag} {spec!r}: put what is wanted in a group, as in 'name:_([a-z]+)$'")
    return match[1] if match is not None and match[1] else None


def _by_config(evidence: Evidence, benchmark: Benchmark | None) -> _Found | None:
    """The language by the fields of the items and of the configuration that usually say it."""
    for source, kind in ((evidence.item, _FIELD), (evidence.config, "configuration ")):
        for name in LANGUAGE_COLUMNS:
            language = explicit_tag(source.get(name) or "")
            if language is not None:
                return language, "log", f"{kind}{name} = {source[name]!r}"
    if benchmark is not None and (
        benchmark.language is not None or {"question", "target"} & set(benchmark.pattern.groupindex)
    ):
        # The part of the data set is a subject, or a pair of languages, which the name takes apart.
        return None
    for name in _DATASET_FIELDS:
        value = evidence.config.get(name) or ""
        language = tag_in_name(value) or (explicit_tag(value) if value.isalpha() and len(value) > 3 else None)
        if language is not None:
            return language, "log", f"configuration {name} = {value!r}"
    return None
