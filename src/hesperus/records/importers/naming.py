"""Which language, task and model a log is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.languages import languages, normalise
from hesperus.records.exporters.asked import NAME_FIELD
from hesperus.records.importers.benchmarks import Benchmark, name_of
from hesperus.records.importers.settings import ImportSettings

LANGUAGE_FIELDS = ("language", "lang", "locale", "language_code", "lang_code")
"""Fields of an item, of arguments or of metadata that say the language."""

_CONFIG_FIELDS = (*LANGUAGE_FIELDS, "dataset_name", "subset", "config_name")

# Two- and three-letter endings of task names that are tags of languages, but mean something else.
_NO_LANGUAGE = frozenset(
    {
        "all",
        "gen",
        "mc",
        "pro",
        "cot",
        "mcf",
        "cf",
        "en_cot",
        "dev",
        "val",
        "xl",
        "xs",
        "plus",
        "lite",
        "hard",
    }
)


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
        language: BCP-47 tag.
        benchmark: What is known of it, or None.
        instruction: Language of the instruction, where it is another.
        own_task: The task's name by the log, where the user gave another.
    """

    task: str
    language: str
    benchmark: Benchmark | None
    instruction: str | None = None
    own_task: str = ""


def about(evidence: Evidence, settings: ImportSettings) -> About:
    """Find task and language of a log.

    Raises:
        DataError: The language cannot be told; the message says how to give it.
        UsageError: ``language_from`` cannot be read.
    """
    named = name_of(evidence.name)
    task, given = named.task, named.language
    if settings.language_from is not None:
        language = _asked(settings.language_from, evidence)
        if named.benchmark is None:
            task = _without(task, language)
    elif given is not None:
        language = _tag(given)
    else:
        language, task = _found(evidence)
    if language is None:
        raise DataError(
            f"the language of {evidence.name!r} cannot be told; give --language-from '=TAG', 'name:REGEX', "
            "'path:REGEX', 'field:NAME' or 'config:NAME'",
            file=evidence.place,
        )
    task = evidence.config.get(NAME_FIELD) or task
    return About(settings.task or task, language, named.benchmark, named.instruction, own_task=task)


def tag_or_none(text: object) -> str | None:
    """A language tag in any style as BCP-47; None where it is none."""
    return _tag(text) if isinstance(text, str) else None


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


def _tag(text: str) -> str | None:
    try:
        return normalise(text)
    except UnknownNameError:
        return None


def _asked(spec: str, evidence: Evidence) -> str | None:
    """The language by the user's own rule."""
    kind, _, rest = spec.partition(":")
    if spec.startswith("="):
        return normalise(spec[1:])
    if kind in ("name", "path") and rest:
        try:
            match = re.search(rest, evidence.name if kind == "name" else evidence.place)
        except re.error as error:
            raise UsageError(f"--language-from {spec!r}: not a regular expression: {error}") from error
        if match is not None and not match.groups():
            raise UsageError(
                f"--language-from {spec!r}: put the language in a group, as in 'name:_([a-z]+)$'"
            )
        return _tag(match[1]) if match is not None and match[1] else None
    if kind in ("field", "config") and rest:
        value = (evidence.item if kind == "field" else evidence.config).get(rest)
        return _tag(value) if value is not None else None
    raise UsageError(
        f"--language-from {spec!r}: write '=TAG', 'name:REGEX', 'path:REGEX', 'field:NAME' or 'config:NAME'"
    )


def _found(evidence: Evidence) -> tuple[str | None, str]:
    """The language by what usually says it, and the task's name without it."""
    for source, names in ((evidence.item, LANGUAGE_FIELDS), (evidence.config, LANGUAGE_FIELDS)):
        for name in names:
            language = tag_or_none(source.get(name))
            if language is not None:
                return language, _without(evidence.name, language)
    language = _in_name(evidence.name)
    if language is None:
        for name in _CONFIG_FIELDS:
            language = tag_or_none(evidence.config.get(name))
            if language is not None and language.split("-")[0] in languages():
                break
            language = None
    return language, _without(evidence.name, language)


def _endings(name: str) -> list[tuple[str, str]]:
    """(stem, ending) of a name: its last two parts, then its last."""
    parts = re.split(r"([_:|-])", name)
    found = []
    for count in (3, 1):
        if len(parts) > count + 1:
            found.append(("".join(parts[: -count - 1]), "".join(parts[-count:])))
    return found


def _in_name(name: str) -> str | None:
    for _, ending in _endings(name):
        language = _tag(ending) if ending.lower() not in _NO_LANGUAGE and len(ending) <= 8 else None
        if language is not None and language.split("-")[0] in languages():
            return language
    return None


def _without(name: str, language: str | None) -> str:
    """The name without the language at its end, so that the logs of one task share it."""
    for stem, ending in _endings(name):
        if language is not None and stem and _tag(ending) == language:
            return stem
    return name
