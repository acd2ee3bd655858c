"""Logs of lm-evaluation-harness: `results_*.json` next to `samples_*.jsonl`, of all 0.4 releases."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl

from hesperus.errors import DataError
from hesperus.records.importers.asked_texts import OPTION_FIELDS
from hesperus.records.importers.benchmark_table import COMMON_GROUPS, COMMON_KEYS, Benchmark
from hesperus.records.importers.import_settings import (
    ROW_KEY,
    VERDICT_METRICS,
    ImportSettings,
    LeftOut,
    Log,
    Source,
)
from hesperus.records.importers.lm_eval_answers import Reading, chosen, written
from hesperus.records.importers.lm_eval_rows import BadLines, Layout, option_texts, peek, read_rows
from hesperus.records.importers.log_names import About, Evidence, about
from hesperus.records.importers.sampled import Kept
from hesperus.records.importers.settling import samples
from hesperus.records.importers.texts import text_of, texts_in
from hesperus.tables import decode, unpacked

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?")
_SAMPLES = re.compile(rf"samples_(?P<task>.+?)(?:_(?P<date>{_DATE.pattern}))?\.jsonl?(?:\.gz)?")
_NO_CHOICE = {"loglikelihood_rolling": "perplexity of a text: there is nothing to choose between"}


@dataclass(frozen=True, slots=True)
class _Run:
    """What `results_*.json` says of a log."""

    model: str
    config: Mapping[str, Any]
    date: str


def read_lm_eval(source: Source, settings: ImportSettings) -> tuple[list[Log], list[LeftOut]]:
    """Read one log.

    Returns:
        The log (or none), and what was left out of it.

    Raises:
        DataError: The file holds no rows of the harness, the language cannot be told, or nothing makes an id.
    """
    first = peek(source.path)
    if not first:
        raise DataError("no row can be read; expected JSON lines of lm-evaluation-harness", file=source.place)
    wanted = {"doc", "doc_id", "filtered_resps"}
    absent = ", ".join(sorted(wanted - first[0].keys()))
    first = [row for row in first if wanted <= row.keys()]
    if not first:
        raise DataError(
            f"not a log of samples: no {absent} (was it written with --log_samples?)", file=source.place
        )
    name, date = _name_of(source)
    run = _run_of(source, name, date)
    what = about(_evidence(name, source, run, first[0]), settings)
    reading, left = _reading(source, run, what, first, settings)
    if reading is None:
        return [], left
    rows, more = _rows(source, reading)
    left += more
    if rows.is_empty():
        return [], left
    kept = Kept(
        source,
        run.model,
        what,
        by_row=reading.key == (ROW_KEY,),
        split=_split(run.config),
        date=run.date,
        texts=samples([row["doc"] for row in first if isinstance(row["doc"], dict)]),
    )
    return [kept.log(rows, what.language or "", settings)], left


def _name_of(source: Source) -> tuple[str, str]:
    """Task and date from the name of the file."""
    match = _SAMPLES.fullmatch(source.path.name)
    if match is not None:
        return match["task"], match["date"] or ""
    # The first 0.4 releases put the arguments of the model before the task.
    stem = re.sub(r"\.jsonl?(?:\.gz)?$", "", source.path.name)
    tasks = [task for path in _results(source) for task in _document(path).get("configs", {})]
    fitting = [task for task in tasks if stem.endswith(str(task))]
    return (max(fitting, key=len) if fitting else stem), ""


def _results(source: Source) -> list[Path]:
    folder = source.path.parent
    return sorted({*folder.glob("results*.json"), *folder.glob("results*.json.gz")})


def _document(path: Path) -> dict[str, Any]:
    """A results file; one file is asked for by the log of every task that it covers, and there may be thousands."""
    state = path.stat()
    return _parsed_document(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _parsed_document(path: Path, changed: int, size: int) -> dict[str, Any]:
    try:
        value = decode(unpacked(path))
    except (ValueError, OSError, DataError):
        return {}
    return value if isinstance(value, dict) else {}


def _run_of(source: Source, task: str, date: str) -> _Run:
    """The results that belong to a log: of the same date, or else the newest that has the task."""
    candidates = _results(source)
    same = [path for path in candidates if date and date in path.name]
    for path in same or reversed(candidates):
        document = _document(path)
        configs = _part(document, "configs")
        if task not in configs and task not in _part(document, "results"):
            continue
        config = _part(configs, task)
        found = _DATE.search(path.name)
        return _Run(_model(document, source), config, date or (found[0] if found else ""))
    return _Run(_folder_model(source), {}, date)


def _part(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part that is an object; nothing where it is another value."""
    value = document.get(name)
    return value if isinstance(value, Mapping) else {}


def _model(document: Mapping[str, Any], source: Source) -> str:
    name, kind = document.get("model_name"), document.get("model_source")
    config = _part(document, "config")
    if not name:
        arguments = config.get("model_args") or ""
        if isinstance(arguments, Mapping):
            arguments = ",".join(f"{key}={value}" for key, value in arguments.items())
        match = re.search(r"(?:^|,)(?:pretrained|model)=([^,]+)", str(arguments))
        name = match[1] if match else None
    if not name or not isinstance(name, str):
        return _folder_model(source)
    kinds = (kind, config.get("model"), "lm-eval")
    return f"{next(one for one in kinds if one and isinstance(one, str))}/{name}"


def _folder_model(source: Source) -> str:
    """The harness writes the logs of ORG/NAME into the folder ORG__NAME."""
    folder = source.path.parent.name
    return f"hf/{folder.replace('__', '/')}" if "__" in folder else ""


def _split(config: Mapping[str, Any]) -> str | None:
    for kind in ("test_split", "validation_split", "training_split"):
        if config.get(kind):
            return str(config[kind])
    return None


def _evidence(name: str, source: Source, run: _Run, row: Mapping[str, Any]) -> Evidence:
    document = row["doc"] if isinstance(row["doc"], dict) else {}
    config = {key: str(value) for key, value in run.config.items() if isinstance(value, str | int)}
    metadata = run.config.get("metadata")
    if isinstance(metadata, Mapping):
        config |= texts_in(metadata)
    return Evidence(name, source.place, config, texts_in(document))


def _reading(
    source: Source, run: _Run, what: About, first: list[dict[str, Any]], settings: ImportSettings
) -> tuple[Reading | None, list[LeftOut]]:
    """How the rows of a log are read, from its configuration and its first rows."""
    kind = run.config.get("output_type")
    if isinstance(kind, str) and kind in _NO_CHOICE:
        return None, [LeftOut("no choice", 0, source.place, _NO_CHOICE[kind])]
    scored = all(_is_scored(row["filtered_resps"]) for row in first)
    if scored and all(len(row["filtered_resps"]) < 2 for row in first):
        detail = "one continuation was scored in each row: there is nothing to choose between"
        return None, [LeftOut("no choice", 0, source.place, detail)]
    fields = sorted({str(name) for row in first if isinstance(row["doc"], dict) for name in row["doc"]})
    key = _key(what.benchmark, fields, settings, source)
    groups = _groups(what.benchmark, fields, settings)
    gold_field = what.benchmark.gold_field if what.benchmark else None
    reading = Reading(
        key=key,
        candidates=() if key else tuple(k for k in COMMON_KEYS if set(k) <= set(fields)),
        groups=groups,
        gold_field=gold_field if gold_field in fields else None,
        benchmark=what.benchmark,
        choice=scored,
        constants=_constants(first) if scored else (),
        halved=scored and _is_halved(first),
        filter=settings.filter,
        texts=scored and _needs_texts(first, gold_field in fields),
        prefix=what.prefix(key),
        subject=what.subject if "subject" not in groups.values() else None,
        verdict=_verdict(first),
    )
    if settings.texts:
        reading = replace(reading, asked=_texts(first, reading.fields))
    if not reading.key and not reading.candidates:
        shown = ", ".join(fields) or "none"
        raise DataError(
            f"nothing in the rows is known to be the same in every language (fields: {shown}); give --key FIELD "
            "(repeatable), or --key row where the rows of all languages are in one order",
            file=source.place,
        )
    return reading, []


def _texts(first: list[dict[str, Any]], used: Collection[str]) -> tuple[str, ...]:
    """Fields of the documents that are texts, or lists of texts of options, and not the same in all of them."""
    documents = [row["doc"] for row in first if isinstance(row["doc"], dict)]
    found = []
    for name in dict.fromkeys(name for document in documents for name in document):
        values = [document.get(name) for document in documents]
        is_list = name.lower() in OPTION_FIELDS and all(isinstance(value, list) for value in values)
        is_text = all(isinstance(value, str) for value in values)
        if (
            name not in used
            and (is_list or is_text)
            and (len(values) < 2 or any(v != values[0] for v in values))
        ):
            found.append(str(name))
    return tuple(found)


def _verdict(first: list[dict[str, Any]]) -> str:
    """The metric that says right or wrong of every row."""
    for name in VERDICT_METRICS:
        values = [row.get(name) for row in first]
        if any(value is not None for value in values) and all(value in (0, 1, None) for value in values):
            return name
    return VERDICT_METRICS[0]


def _is_scored(resps: object) -> bool:
    return isinstance(resps, list) and all(
        isinstance(value, list)
        and len(value) == 2
        and str(value[1]) in ("True", "False", "true", "false", "0", "1")
        for value in resps
    )


def _key(
    benchmark: Benchmark | None, fields: list[str], settings: ImportSettings, source: Source
) -> tuple[str, ...]:
    if settings.key:
        for name in settings.key:
            if name != ROW_KEY and name not in fields:
                raise DataError(f"no field {name!r}; there are {', '.join(fields)}", file=source.place)
        return settings.key
    usual = any(set(key) <= set(fields) for key in COMMON_KEYS)
    for key in (benchmark.key, *benchmark.keys_again) if benchmark is not None else ():
        if key == (ROW_KEY,) and (benchmark is not None and key == benchmark.key or not usual):
            return key
        if key and set(key) <= set(fields):
            return key
    return ()


def _groups(benchmark: Benchmark | None, fields: list[str], settings: ImportSettings) -> dict[str, str]:
    """Field of the document to column of the records."""
    known = (
        benchmark.groups
        if benchmark is not None and benchmark.groups
        else {name: name for name in COMMON_GROUPS}
    )
    return {name: known.get(name, name) for name in fields if name in known or name in settings.groups}


def _constants(first: list[dict[str, Any]]) -> tuple[str, ...]:
    """The texts of the options, where they are the same in every row."""
    try:
        texts = {tuple(option_texts(row["arguments"])) for row in first}
    except (KeyError, TypeError, IndexError):
        return ()
    return next(iter(texts)) if len(texts) == 1 else ()


def _is_halved(first: list[dict[str, Any]]) -> bool:
    """Whether the second half of the scores is that of the options without the question (acc_mutual_info)."""
    return all("acc_mutual_info" in row and len(row["filtered_resps"]) % 2 == 0 for row in first)


def _needs_texts(first: list[dict[str, Any]], gold_known: bool) -> bool:
    """Whether the right option is named by its text, which is only in the prompts."""
    if gold_known or _constants(first):
        return False
    targets = [text_of(row.get("target")) or "" for row in first]
    return not all(re.fullmatch(r"\d+|[A-Z]", target) for target in targets)


def _rows(source: Source, reading: Reading) -> tuple[pl.DataFrame, list[LeftOut]]:
    """All rows of a log as LOG_COLUMNS and groups."""
    bad = BadLines()
    layout = Layout(reading.fields, reading.choice, reading.texts, reading.verdict)
    frames = list(read_rows(source.path, layout, bad))
    raw = pl.concat(frames) if frames else pl.DataFrame(schema=layout.schema)
    left = [LeftOut(reason, count, source.place, bad.first[reason]) for reason, count in bad.counts.items()]
    raw, dropped = _filtered(raw, reading, source)
    left += dropped
    if raw.is_empty():
        return raw, left
    found, more = (chosen if reading.choice else written)(raw, reading, source)
    return found, left + more


def _filtered(raw: pl.DataFrame, reading: Reading, source: Source) -> tuple[pl.DataFrame, list[LeftOut]]:
    """The rows of one filter: a reply that went through several is there once for each."""
    names = [name for name in raw["filter"].unique(maintain_order=True).to_list() if name is not None]
    if reading.filter is not None and reading.filter not in names:
        raise DataError(
            f"no filter {reading.filter!r}; there is {', '.join(map(repr, names)) or 'no filter at all'}",
            file=source.place,
        )
    if len(names) < 2:
        return raw, []
    taken = reading.filter or names[0]
    kept = raw.filter(pl.col("filter") == taken)
    others = ", ".join(name for name in names if name != taken)
    detail = f"{taken!r} is taken, not {others}; --filter chooses"
    return kept, [LeftOut("another filter", len(raw) - len(kept), source.place, detail)]
