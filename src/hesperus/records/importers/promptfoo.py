"""Logs of promptfoo: the JSON of `promptfoo eval -o results.json`, or its JSON lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec

from hesperus.errors import DataError
from hesperus.records.importers.asked_texts import texts_of_item
from hesperus.records.importers.benchmark_table import COMMON_KEYS
from hesperus.records.importers.import_settings import ROW_KEY, ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.log_names import Evidence, about
from hesperus.records.importers.sampled import Kept, Row, groups_in, logs_of, own_language
from hesperus.records.importers.settling import samples
from hesperus.records.importers.texts import text_of, written_by
from hesperus.tables import LANGUAGE_COLUMNS, unpacked

_GOLD_FIELDS = ("gold", "target", "expected", "answer", "label")
_EQUALS = ("equals", "icontains", "contains", "is-equal")


class _Provider(msgspec.Struct):
    id: str = ""
    label: str | None = None


class _Response(msgspec.Struct):
    output: Any = None
    error: str | None = None


class _Assert(msgspec.Struct):
    type: str = ""
    value: Any = None


class _Case(msgspec.Struct):
    vars: dict[str, Any] | None = None
    assertions: list[_Assert] | None = msgspec.field(name="assert", default=None)
    metadata: dict[str, Any] | None = None


class _Result(msgspec.Struct, rename="camel"):
    provider: _Provider | str
    vars: dict[str, Any] = {}
    response: _Response | None = None
    test_case: _Case | None = None
    prompt_idx: int = 0
    test_idx: int | None = None
    repeat_index: int | None = None
    error: str | None = None
    success: bool | None = None


class _Summary(msgspec.Struct):
    results: list[_Result]
    timestamp: str = ""


class _File(msgspec.Struct):
    results: _Summary | list[_Result] | None = None


def read_promptfoo(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one file: a log for each provider, prompt and language.

    Raises:
        DataError: It is no output of promptfoo, no variable makes an id, or the language cannot be told.
    """
    results, date = _results(source)
    if not results:
        return [], [LeftOut("no rows", 0, source.place, "the file has no results")]
    fields = [_fields(result) for result in results]
    key = _key(fields, settings, source)
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, result in enumerate(results):
        groups[_model(result), result.prompt_idx].append(place)
    prompts = {prompt for _, prompt in groups}
    name = settings.task or re.sub(r"\.jsonl?(\.gz)?$", "", source.path.name)
    logs: list[Log] = []
    left: list[LeftOut] = []
    for (model, prompt), places in groups.items():
        rows = [_row(results[place], fields[place], key, settings) for place in places]
        languages = {row.language for row in rows}
        first = next((row.language for row in rows if row.language is not None), None)
        evidence = Evidence(name, source.place, {}, {"language": first} if first else {})
        what = about(evidence, settings if None in languages else ImportSettings(task=settings.task))
        task = name if len(prompts) == 1 else f"{name}-prompt{prompt + 1}"
        what = replace(what, task=task, own_task=task, benchmark=None, subject=None)
        texts = samples([fields[place] for place in places[:24]])
        kept = Kept(source, model, what, key == (ROW_KEY,), date=date, texts=texts)
        found, more = logs_of(rows, kept, settings)
        logs += found
        left += more
    return logs, left


def _results(source: Source) -> tuple[list[_Result], str]:
    text = unpacked(source.path, source.place)
    with written_by("promptfoo", source.place):
        if source.path.name.removesuffix(".gz").endswith(".jsonl"):
            return msgspec.json.Decoder(_Result).decode_lines(text), ""
        held = msgspec.json.decode(text, type=_File).results
    if isinstance(held, _Summary):
        return held.results, held.timestamp
    return held or [], ""


def _fields(result: _Result) -> dict[str, Any]:
    """Variables and metadata of a test."""
    case = result.test_case
    metadata = (case.metadata or {}) if case is not None else {}
    return {**metadata, **((case.vars or {}) if case is not None else {}), **result.vars}


def _key(fields: list[dict[str, Any]], settings: ImportSettings, source: Source) -> tuple[str, ...]:
    if settings.key:
        absent = [name for name in settings.key if name != ROW_KEY and any(name not in one for one in fields)]
        if absent:
            shown = ", ".join(fields[0]) or "none"
            raise DataError(f"no variable {absent[0]!r} in every test; there is {shown}", file=source.place)
        return settings.key
    for key in COMMON_KEYS:
        if all(one.get(name) is not None for one in fields for name in key):
            return key
    shown = ", ".join(fields[0]) or "none"
    raise DataError(
        f"no variable is known to be the same in every language (there is {shown}); give --key VARIABLE",
        file=source.place,
    )


def _model(result: _Result) -> str:
    """``openai:chat:gpt-4o`` and ``openai:gpt-4o`` as ``openai/gpt-4o``."""
    provider = result.provider if isinstance(result.provider, str) else result.provider.id
    name = re.sub(r"^(\w+):(?:chat|completion|messages|responses):", r"\1:", provider)
    return name.replace(":", "/", 1) if "/" not in name.split(":", 1)[0] else name


def _row(result: _Result, fields: Mapping[str, Any], key: tuple[str, ...], settings: ImportSettings) -> Row:
    response = result.response
    failed = response is None or response.output is None
    reply = None if response is None else text_of(response.output)
    item = (
        str(result.test_idx) if key == (ROW_KEY,) else "/".join(text_of(fields[name]) or "" for name in key)
    )
    return Row(
        item=item,
        gold=_gold(result, fields, settings),
        answer=reply,
        failed="error" if failed else None if reply and reply.strip() else "empty",
        reply=reply,
        repeat=(result.repeat_index or 0) + 1,
        language=own_language(fields, settings),
        groups=groups_in(fields, settings),
        verdict=None if failed else result.success,
        asked=texts_of_item(
            {
                name: value
                for name, value in fields.items()
                if name not in (*key, *_GOLD_FIELDS, *LANGUAGE_COLUMNS, *groups_in(fields, settings))
            }
        ),
    )


def _gold(result: _Result, fields: Mapping[str, Any], settings: ImportSettings) -> str | None:
    """The variable that --map names, one of the usual names, or what an assertion wants the output to equal."""
    named = (settings.columns["gold"],) if "gold" in settings.columns else _GOLD_FIELDS
    for name in named:
        if fields.get(name) is not None:
            return text_of(fields[name])
    asserts = (result.test_case.assertions or []) if result.test_case is not None else []
    for one in asserts:
        if one.type in _EQUALS and isinstance(one.value, str | int | float):
            text = text_of(one.value) or ""
            variable = re.fullmatch(r"\{\{\s*(\w+)\s*\}\}", text)
            return text_of(fields.get(variable[1])) if variable else text
    return None
