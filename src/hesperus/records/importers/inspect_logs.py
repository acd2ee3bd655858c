"""Logs of Inspect: `.eval` (a ZIP file, an entry per sample) and `.json`."""

from __future__ import annotations

import mmap
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from hesperus.errors import DataError
from hesperus.records.importers.asked_texts import texts_of_item
from hesperus.records.importers.import_settings import ROW_KEY, ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.log_names import Evidence, about
from hesperus.records.importers.sampled import Kept, Row, groups_in, item_id, logs_of, own_language
from hesperus.records.importers.settling import samples
from hesperus.records.importers.texts import decoded, text_of, texts_in, written_by
from hesperus.records.importers.zipped import Entries
from hesperus.records.schema import LAST_REPEAT
from hesperus.types import Outcome

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


_VERDICTS: Mapping[object, bool] = {
    "C": True,
    "I": False,
    "CORRECT": True,
    "INCORRECT": False,
    "N": False,
    1: True,
    0: False,
}

_ATTACHED = "attachment://"

_MOST_EPOCHS = 1 << 10

_QUESTIONS = 24
_QUESTION = 20_000
"""Characters of a question that are kept."""

_NULL = msgspec.Raw(b"null")

_PART = 1 << 22
"""Bytes of one part of a sample (its metadata, its output, …) that are made into values. In memory values are up to 25
times as large as their text, so that this and `zipped.LARGEST` bound what a log can take; the rest is skipped as bytes."""

_TEXTS, _SHARE = 1 << 25, 20
"""Bytes of replies and questions that are kept of one log, or so many times the size of its file."""


class _Packed(msgspec.Struct):
    """A sample with parts that are still text."""

    id: int | str
    epoch: Annotated[int, msgspec.Meta(ge=1, le=LAST_REPEAT)]
    target: msgspec.Raw
    input: msgspec.Raw = _NULL
    choices: msgspec.Raw = _NULL
    output: msgspec.Raw = _NULL
    scores: msgspec.Raw = _NULL
    metadata: msgspec.Raw = _NULL
    error: msgspec.Raw = _NULL
    attachments: msgspec.Raw = _NULL


@dataclass(frozen=True, slots=True)
class _Sample:
    id: int | str
    epoch: int
    target: str | list[str]
    choices: list[str] | None
    output: _Output | None
    scores: dict[str, _Score] | None
    metadata: dict[str, Any]
    asked: str
    error: bool
    attachments: msgspec.Raw


class _Dataset(msgspec.Struct):
    name: str | None = None
    sample_ids: msgspec.Raw = _NULL


class _Config(msgspec.Struct):
    epochs: int | None = None


class _Eval(msgspec.Struct):
    task: str
    model: str
    created: str = ""
    task_args: msgspec.Raw = _NULL
    metadata: msgspec.Raw = _NULL
    dataset: _Dataset = msgspec.field(default_factory=_Dataset)
    config: _Config = msgspec.field(default_factory=_Config)


class _Header(msgspec.Struct):
    eval: _Eval
    status: str = "started"


class _Whole(_Header):
    samples: list[msgspec.Raw] | None = None


def read_inspect(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one log; a scorer's `answer` counts as the answer (``filter`` names the scorer).

    Samples are read one at a time, so that memory is bounded by what is kept of them.

    Raises:
        DataError: It is no log of Inspect, or its language cannot be told.
    """
    left: list[LeftOut] = []
    if zipfile.is_zipfile(source.path) or source.path.suffix == ".eval":
        entries = Entries(source.path, source.place)
        header, packed = _header(entries, source), _entries(entries, left, source)
    else:
        whole = _whole(source)
        header, packed = whole, iter(whole.samples or [])
    if header.status != "success":
        detail = f"the run ended as {header.status!r}; what it has is taken"
        left.append(LeftOut("run not finished", 0, source.place, detail))
    rows, there, first, texts = _rows(packed, settings, source, left)
    left += _missing(header, there, source)
    if first is None:
        return [], left
    name = header.eval.task.rsplit("/", 1)[-1]
    config = {
        **(_part(header.eval.metadata, dict[str, Any] | None, "metadata", source) or {}),
        **(_part(header.eval.task_args, dict[str, Any] | None, "task_args", source) or {}),
        "dataset_name": header.eval.dataset.name,
    }
    evidence = Evidence(name, source.place, texts_in(config), texts_in(first))
    by_row = settings.key == (ROW_KEY,) or (not settings.key and _are_counted(there))
    kept = Kept(
        source, header.eval.model, about(evidence, settings), by_row, date=header.eval.created, texts=texts
    )
    logs, more = logs_of(rows, kept, settings)
    return logs, left + more


def _rows(
    packed: Iterator[bytes | msgspec.Raw], settings: ImportSettings, source: Source, left: list[LeftOut]
) -> tuple[list[Row], set[tuple[int | str, int]], Mapping[str, Any] | None, tuple[str, ...]]:
    """What is kept of each sample; which samples there are; the metadata of the first; and the first questions."""
    rows: list[Row] = []
    there: set[tuple[int | str, int]] = set()
    first: Mapping[str, Any] | None = None
    questions: list[dict[str, str]] = []
    kept, most = 0, max(_TEXTS, _SHARE * source.path.stat().st_size)
    for text in packed:
        try:
            sample = _sample(text, source)
        except DataError as error:
            left.append(LeftOut("sample cannot be read", 1, source.place, str(error)))
            continue
        there.add((sample.id, sample.epoch))
        first = sample.metadata if first is None else first
        if len(questions) < _QUESTIONS:
            questions.append({"input": sample.asked})
        rows.append(_row(sample, settings, source))
        kept += len(rows[-1].reply or "") + sum(map(len, rows[-1].asked.values()))
        if kept > most:
            raise DataError(
                f"its texts are more than {most:,} characters, which no log of this size holds",
                file=source.place,
            )
    return rows, there, first, samples(questions)


def _header(entries: Entries, source: Source) -> _Header:
    # A run that was stopped has only the header of its start.
    for name in ("header.json", "_journal/start.json"):
        if name in entries:
            header: _Header = _decode(entries.read(name), _Header, source)
            return header
    raise DataError("a ZIP file without header.json is no log of Inspect", file=source.place)


def _entries(entries: Entries, left: list[LeftOut], source: Source) -> Iterator[bytes]:
    names = sorted(name for name in entries if name.startswith("samples/") and name.endswith(".json"))
    for name in names:
        try:
            yield entries.read(name)
        except DataError as error:
            left.append(LeftOut("sample cannot be read", 1, source.place, str(error)))


def _whole(source: Source) -> _Whole:
    # The samples stay views of the file, which ends with the last of them.
    if not source.path.stat().st_size:
        raise DataError("is empty", file=source.place)
    with source.path.open("rb") as file:
        view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    whole: _Whole = _decode(view, _Whole, source)
    return whole


def _sample(text: bytes | msgspec.Raw, source: Source) -> _Sample:
    packed = _decode(text, _Packed, source)

    def part(name: str, kind: Any) -> Any:
        return _part(getattr(packed, name), kind, f"{name} of sample {packed.id!r}", source)

    return _Sample(
        id=packed.id,
        epoch=packed.epoch,
        target=part("target", str | list[str] | None) or "",
        choices=part("choices", list[str] | None),
        output=part("output", _Output | None),
        scores=part("scores", dict[str, _Score] | None),
        metadata=part("metadata", dict[str, Any] | None) or {},
        asked=_asked(part("input", str | list[dict[str, Any]] | None)),
        error=bytes(packed.error) != b"null",
        attachments=packed.attachments,
    )


def _asked(value: str | list[dict[str, Any]] | None) -> str:
    """The question: the text, or the last message that is one."""
    if isinstance(value, list):
        value = next((one["content"] for one in reversed(value) if isinstance(one.get("content"), str)), None)
    return (value or "")[:_QUESTION]


def _part(raw: msgspec.Raw, kind: Any, name: str, source: Source) -> Any:
    size = len(memoryview(raw))
    if size > _PART:
        raise DataError(f"{name}: {size:,} bytes; at most {_PART:,} are read", file=source.place)
    return _decode(raw, kind, source)


def _decode(data: bytes | msgspec.Raw | mmap.mmap, kind: Any, source: Source) -> Any:
    with written_by("Inspect", source.place):
        return decoded(data, kind)


def _missing(header: _Header, there: set[tuple[int | str, int]], source: Source) -> list[LeftOut]:
    """Samples that the dataset has and the log has not."""
    asked = _part(header.eval.dataset.sample_ids, list[int | str] | None, "sample_ids", source)
    if asked is None:
        return []
    epochs = min(header.eval.config.epochs or 1, _MOST_EPOCHS)
    absent = [(name, epoch) for name in asked for epoch in range(1, epochs + 1) if (name, epoch) not in there]
    if not absent:
        return []
    shown = ", ".join(f"{name} (epoch {epoch})" for name, epoch in absent[:3]) + (
        ", …" if len(absent) > 3 else ""
    )
    return [LeftOut("sample missing", len(absent), source.place, f"not in the log: {shown}")]


def _are_counted(there: set[tuple[int | str, int]]) -> bool:
    """Whether the ids are 1, 2, …: what Inspect gives to samples that have none."""
    ids = {name for name, _ in there}
    numbers = {int(name) for name in ids if isinstance(name, int) or name.isdecimal()}
    return len(numbers) == len(ids) and max(numbers) <= len(numbers)


def _row(sample: _Sample, settings: ImportSettings, source: Source) -> Row:
    score = _score(sample, settings, source)
    reply = _reply(sample, source)
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    target = next(iter(targets), None)
    answer = text_of(score.answer) if score is not None else None
    stop = sample.output.choices[0].stop_reason if sample.output and sample.output.choices else ""
    failed: Outcome | None = "error" if sample.error else _STOPPED.get(stop)
    if answer is None and not sample.choices:
        answer = reply
    if failed is None and not reply:
        failed = "empty"
    elif failed is None and answer in (None, ""):
        failed = "invalid"
    return Row(
        item=item_id(sample.metadata, str(sample.id), settings, source),
        gold=target,
        also_right=tuple(targets[1:]),
        answer=answer,
        options=len(sample.choices or ()),
        failed=failed,
        reply=reply,
        repeat=sample.epoch,
        language=own_language(sample.metadata, settings),
        groups=groups_in(sample.metadata, settings),
        verdict=_verdict(score) if failed != "error" else None,
        asked=texts_of_item({"input": sample.asked}, sample.choices),
    )


def _verdict(score: _Score | None) -> bool | None:
    """Whether the scorer counted the answer as right; None if its value is no verdict, such as a part of 1."""
    value = score.value if score is not None else None
    if isinstance(value, list | dict):
        return None
    return _VERDICTS.get(value.upper() if isinstance(value, str) else value)


def _score(sample: _Sample, settings: ImportSettings, source: Source) -> _Score | None:
    scores = sample.scores or {}
    if settings.filter is None:
        answering = (score for score in scores.values() if score.answer is not None)
        return next(answering, next(iter(scores.values()), None))
    if scores and settings.filter not in scores:
        raise DataError(f"no scorer {settings.filter!r}; there is {', '.join(scores)}", file=source.place)
    return scores.get(settings.filter)


def _reply(sample: _Sample, source: Source) -> str | None:
    if sample.output is None or not sample.output.choices:
        return (sample.output.completion if sample.output else None) or None
    content = sample.output.choices[0].message.content
    if not isinstance(content, str):
        content = "".join(str(part.get("text", "")) for part in content if part.get("type") == "text")
    if not content.startswith(_ATTACHED):
        return content
    # Long texts are kept once, elsewhere in the sample.
    held = _part(sample.attachments, dict[str, str] | None, f"attachments of sample {sample.id!r}", source)
    return str((held or {}).get(content.removeprefix(_ATTACHED), content))
