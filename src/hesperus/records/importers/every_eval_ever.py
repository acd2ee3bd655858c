"""Samples of Every Eval Ever: JSON lines after its schema of instances, of any version so far (0.1 to 0.3).

The schema has no language: it is read from the sample's metadata, where `hesperus export every-eval-ever` writes it with the codes
of instruction and input; of other files it is settled as of any log (names, texts, `--language-from`). `sample_id` is taken as the
id of the item, the same in every language; `--key` names something else of the metadata.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from hesperus.errors import DataError
from hesperus.records.exporters.every_eval import OWN
from hesperus.records.importers.asked_texts import texts_of_item
from hesperus.records.importers.import_settings import LOG_COLUMNS, ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.lines import pieces
from hesperus.records.importers.log_names import About, Evidence, about
from hesperus.records.importers.sampled import Kept, Row, logs_of, own_language
from hesperus.records.importers.settling import samples
from hesperus.records.importers.texts import written_by

_NEEDED = {"instruction", "input", "repeat", "outcome"}
"""What the metadata of our own export have: such a sample is read as it was written."""


class _Input(msgspec.Struct):
    raw: str = ""
    reference: list[str] | str | None = None
    choices: list[str] | None = None


class _Output(msgspec.Struct):
    raw: list[str] | str | None = None


class _Attribution(msgspec.Struct):
    extracted_value: str = ""
    is_terminal: bool = True


class _Evaluation(msgspec.Struct, frozen=True):
    is_correct: bool | None = None


class _Sample(msgspec.Struct):
    model_id: str
    evaluation_name: str
    sample_id: str
    input: _Input
    output: _Output | None = None
    answer_attribution: list[_Attribution] = []
    evaluation: _Evaluation = _Evaluation()
    evaluation_id: str = ""
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    error: str | None = None
    metadata: dict[str, str] | None = None


def read_every_eval(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one file of samples: a log for each model, task, instruction and input.

    Raises:
        DataError: A line is no sample.
    """
    groups: dict[tuple[str, str, str, str], list[_Sample]] = defaultdict(list)
    for sample in _samples(source):
        said = sample.metadata or {}
        own = (said["instruction"], said["input"]) if said.keys() >= _NEEDED else ("", "")
        groups[sample.model_id, said.get("task") or sample.evaluation_name, *own].append(sample)
    if not groups:
        return [], [LeftOut("no rows", 0, source.place, "the file has no samples")]
    logs: list[Log] = []
    left: list[LeftOut] = []
    for (model, task, instruction, code), many in groups.items():
        if code:
            logs.append(_own_log(source, settings, (model, task, instruction, code), many))
            continue
        found, more = _foreign_logs(source, settings, (model, task), many)
        logs += found
        left += more
    return logs, left


def _samples(source: Source) -> list[_Sample]:
    decoder = msgspec.json.Decoder(_Sample)
    found: list[_Sample] = []
    for piece in pieces(source.path):
        for line in filter(None, map(bytes.strip, piece.lines)):
            with written_by("Every Eval Ever", source.place, f"sample {len(found) + 1}"):
                found.append(decoder.decode(line))
    return found


def _own_log(
    source: Source, settings: ImportSettings, cell: tuple[str, str, str, str], many: list[_Sample]
) -> Log:
    """Samples that hesperus wrote: labels, options and outcomes as they were."""
    model, task, instruction, code = cell
    rows = [_own_row(sample) for sample in many]
    groups = dict.fromkeys(name for sample in many for name in sample.metadata or {} if name not in OWN)
    frame = pl.DataFrame(rows, schema=LOG_COLUMNS, orient="row").with_columns(
        pl.Series(name, [(sample.metadata or {}).get(name) for sample in many], dtype=pl.String)
        for name in groups
    )
    about = About(
        settings.task or task, code, None, instruction, task, task, basis="log", evidence="metadata of each sample"
    )  # fmt: skip
    return Kept(source, model, about).log(frame, code, settings)


def _own_row(sample: _Sample) -> tuple[Any, ...]:
    said = sample.metadata or {}
    answered = said["outcome"] == "answered"
    try:
        options, probs = (json.loads(said[name]) if name in said else None for name in ("options", "probs"))
        repeat = int(said["repeat"])
    except ValueError as error:
        raise DataError(f"options, probs or repeat cannot be read: {error}", item=sample.sample_id) from error
    reply = _first(sample.output.raw if sample.output else None)
    answer = _extracted(sample) if answered else None
    return (
        sample.sample_id,
        repeat,
        said["outcome"],
        answer,
        _first(sample.input.reference),
        options,
        probs,
        reply,
    )


def _foreign_logs(
    source: Source, settings: ImportSettings, named: tuple[str, str], many: list[_Sample]
) -> tuple[list[Log], list[LeftOut]]:
    """Samples of other tools, as rows of any log."""
    model, task = named
    rows = [_row(sample, settings) for sample in many]
    first = next((row.language for row in rows if row.language is not None), None)
    evidence = Evidence(task, source.place, {}, {"language": first} if first else {})
    kept = Kept(
        source, model, about(evidence, settings), texts=samples([{"raw": one.input.raw} for one in many[:24]])
    )
    return logs_of(rows, kept, settings)


def _row(sample: _Sample, settings: ImportSettings) -> Row:
    said: Mapping[str, str] = {**(sample.metadata or {}), "sample_hash": sample.sample_hash or ""}
    reply = _first(sample.output.raw if sample.output else None)
    answer = _extracted(sample) if sample.answer_attribution else reply
    silent = None if (answer or "").strip() else "empty"
    return Row(
        item="/".join(said.get(name) or "" for name in settings.key) if settings.key else sample.sample_id,
        gold=_first(sample.input.reference),
        answer=answer,
        failed="error" if reply is None and sample.error else silent,  # type: ignore[arg-type]  # both are outcomes
        reply=reply,
        language=own_language(said, settings),
        groups={name: said[name] for name in settings.groups if name in said},
        verdict=sample.evaluation.is_correct,
        asked=texts_of_item({"input": sample.input.raw}, sample.input.choices),
    )


def _extracted(sample: _Sample) -> str | None:
    terminal = [one.extracted_value for one in sample.answer_attribution if one.is_terminal]
    return terminal[-1] if terminal else None


def _first(texts: list[str] | str | None) -> str | None:
    return texts if isinstance(texts, str) or texts is None else next(iter(texts), None)
