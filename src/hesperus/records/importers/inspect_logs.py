"""Logs of Inspect: `.eval` (a ZIP file, an entry per sample) and `.json`."""

from __future__ import annotations

import mmap
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from hesperus.errors import DataError
from hesperus.records.importers.benchmarks import COMMON_GROUPS
from hesperus.records.importers.naming import Evidence, about
from hesperus.records.importers.sampled import Kept, Row, logs_of, own_language
from hesperus.records.importers.settings import ROW_KEY, ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.texts import text_of
from hesperus.records.importers.zipped import Entries
from hesperus.types import Outcome

_Kind = TypeVar("_Kind")

_STOPPED: Mapping[str, Outcome] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "blocked",
}


class _Message(msgspec.Struct):
    content: str | list[dict[str, Any]] = ""


class _Choice(msgspec.Struct):
    message: _Message
    stop_reason: str = ""


class _Output(msgspec.Struct):
    choices: list[_Choice] = []
    completion: str | None = None


class _Score(msgspec.Struct):
    value: Any = None
    answer: Any = None


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int
    target: str | list[str]
    choices: list[str] | None = None
    output: _Output | None = None
    scores: dict[str, _Score] | None = None
    metadata: dict[str, Any] = {}
    error: Any = None
    attachments: dict[str, str] = {}


class _Dataset(msgspec.Struct):
    name: str | None = None
    sample_ids: list[int | str] | None = None


class _Config(msgspec.Struct):
    epochs: int | None = None


class _Eval(msgspec.Struct):
    task: str
    model: str
    created: str = ""
    task_args: dict[str, Any] = {}
    metadata: dict[str, Any] | None = None
    dataset: _Dataset = msgspec.field(default_factory=_Dataset)
    config: _Config = msgspec.field(default_factory=_Config)


class _Header(msgspec.Struct):
    eval: _Eval
    status: str = "started"


class _Whole(_Header):
    samples: list[_Sample] | None = None


def read_inspect(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one log; a scorer's `answer` counts as the answer (``filter`` names the scorer).

    Raises:
        DataError: It is no log of Inspect, or its language cannot be told.
    """
    left: list[LeftOut] = []
    if zipfile.is_zipfile(source.path) or source.path.suffix == ".eval":
        entries = Entries(source.path, source.place)
        header = _header(entries, source)
        samples = list(_samples(entries, source, left))
    else:
        whole = _whole(source)
        header, samples = whole, whole.samples or []
    if header.status != "success":
        detail = f"the run ended as {header.status!r}; what it has is taken"
        left.append(LeftOut("run not finished", 0, source.place, detail))
    left += _missing(header, samples, source)
    if not samples:
        return [], left
    name = header.eval.task.rsplit("/", 1)[-1]
    config = {
        **(header.eval.metadata or {}),
        **header.eval.task_args,
        "dataset_name": header.eval.dataset.name,
    }
    evidence = Evidence(name, source.place, _texts(config), _texts(samples[0].metadata))
    by_row = settings.key == (ROW_KEY,) or (not settings.key and _are_counted(samples))
    kept = Kept(source, header.eval.model, about(evidence, settings), by_row, date=header.eval.created)
    rows = [_row(sample, settings, source) for sample in samples]
    logs, more = logs_of(rows, kept, settings)
    return logs, left + more


def _header(entries: Entries, source: Source) -> _Header:
    # A run that was stopped has only the header of its start.
    for name in ("header.json", "_journal/start.json"):
        if name in entries:
            return _decode(entries.read(name), _Header, source)
    raise DataError("a ZIP file without header.json is no log of Inspect", file=source.place)


def _samples(entries: Entries, source: Source, left: list[LeftOut]) -> Iterator[_Sample]:
    names = sorted(name for name in entries if name.startswith("samples/") and name.endswith(".json"))
    for name in names:
        try:
            yield _decode(entries.read(name), _Sample, source)
        except DataError as error:
            left.append(LeftOut("sample cannot be read", 1, source.place, str(error)))


def _whole(source: Source) -> _Whole:
    with source.path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
        return _decode(view, _Whole, source)


def _decode(data: bytes | mmap.mmap, kind: type[_Kind], source: Source) -> _Kind:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not as Inspect writes it: {error}", file=source.place) from error


def _missing(header: _Header, samples: list[_Sample], source: Source) -> list[LeftOut]:
    """Samples that the dataset has and the log has not."""
    asked = header.eval.dataset.sample_ids
    if asked is None:
        return []
    epochs = header.eval.config.epochs or 1
    there = {(sample.id, sample.epoch) for sample in samples}
    absent = [(name, epoch) for name in asked for epoch in range(1, epochs + 1) if (name, epoch) not in there]
    if not absent:
        return []
    shown = ", ".join(f"{name} (epoch {epoch})" for name, epoch in absent[:3]) + (
        ", …" if len(absent) > 3 else ""
    )
    return [LeftOut("sample missing", len(absent), source.place, f"not in the log: {shown}")]


def _are_counted(samples: list[_Sample]) -> bool:
    """Whether the ids are 1, 2, …: what Inspect gives to samples that have none."""
    ids = {sample.id for sample in samples}
    numbers = {int(name) for name in ids if isinstance(name, int) or name.isdecimal()}
    return len(numbers) == len(ids) and max(numbers) <= len(numbers)


def _row(sample: _Sample, settings: ImportSettings, source: Source) -> Row:
    score = _score(sample, settings, source)
    reply = _reply(sample)
    target = sample.target if isinstance(sample.target, str) else next(iter(sample.target), None)
    answer = text_of(score.answer) if score is not None else None
    stop = sample.output.choices[0].stop_reason if sample.output and sample.output.choices else ""
    failed: Outcome | None = "error" if sample.error is not None else _STOPPED.get(stop)
    if answer is None and not sample.choices:
        answer = reply
    if failed is None and not reply:
        failed = "empty"
    elif failed is None and answer in (None, ""):
        failed = "invalid"
    groups = {name: name for name in (*COMMON_GROUPS, *settings.groups)}
    return Row(
        item=_item(sample, settings, source),
        gold=target,
        answer=answer,
        options=len(sample.choices or ()),
        failed=failed,
        reply=reply,
        repeat=sample.epoch,
        language=own_language(sample.metadata, settings),
        groups={name: text for name in groups if (text := text_of(sample.metadata.get(name))) is not None},
    )


def _item(sample: _Sample, settings: ImportSettings, source: Source) -> str:
    if not settings.key or settings.key == (ROW_KEY,):
        return str(sample.id)
    for name in settings.key:
        if name not in sample.metadata:
            shown = ", ".join(map(str, sample.metadata)) or "none"
            raise DataError(
                f"no field {name!r} in its metadata: {shown}", file=source.place, item=str(sample.id)
            )
    return "/".join(text_of(sample.metadata[name]) or "" for name in settings.key)


def _score(sample: _Sample, settings: ImportSettings, source: Source) -> _Score | None:
    scores = sample.scores or {}
    if settings.filter is None:
        return next((score for score in scores.values() if score.answer is not None), None)
    if scores and settings.filter not in scores:
        raise DataError(f"no scorer {settings.filter!r}; there is {', '.join(scores)}", file=source.place)
    return scores.get(settings.filter)


def _reply(sample: _Sample) -> str | None:
    if sample.output is None or not sample.output.choices:
        return (sample.output.completion if sample.output else None) or None
    content = sample.output.choices[0].message.content
    if not isinstance(content, str):
        content = "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    # Long texts stand once, elsewhere in the sample.
    return sample.attachments.get(content.removeprefix("attachment://"), content)


def _texts(values: Mapping[str, Any]) -> dict[str, str]:
    return {str(key): value for key, value in values.items() if isinstance(value, str)}
