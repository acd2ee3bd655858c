"""Runs the design: sentences, states of every layer into a file, then the measure layer by layer."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from hesperus.errors import DataError, UsageError, refuse_unknown
from hesperus.fingerprint import JSON, plain
from hesperus.measures import (
    Bootstrap,
    RepresentationSimilarity,
    enough_permutations,
    holm,
    mantel_tests,
    representation_similarity,
)
from hesperus.models.hf import HfModel
from hesperus.records.files import write_content
from hesperus.records.writing import write_parquet
from hesperus.studies.representations.agreeing import PairAgreement
from hesperus.tasks import Sample, load_items
from hesperus.tasks import task as task_named
from hesperus.types import Estimate, Item


@dataclass(frozen=True, slots=True)
class Sentences:
    """The same sentences in several languages.

    Attributes:
        items: Ids, in the order of the texts.
        texts: Language to texts.
        dropped: Id to why it is left out of all languages.
    """

    items: tuple[str, ...]
    texts: Mapping[str, tuple[str, ...]]
    dropped: Mapping[str, str]


def parallel_sentences(
    task: str,
    languages: Sequence[str],
    *,
    data: str | None = None,
    fields: Sequence[str] = (),
    limit: int | None = None,
) -> Sentences:
    """The sentences of a task.

    Left out of all languages are items that one of them lacks, that are empty in one, or whose text in one is that of an
    earlier item: such two are no sentences that do not match.

    A sentence is the `fields` of an item, all where empty, a line each; `limit` draws so many items (seeded).
    """
    found = task_named(task)
    if len(languages) < 2:
        raise UsageError("representations are compared between languages: give two or more")
    if not found.key.parallel:
        raise UsageError(f"{found.name} holds other items in every language; its sentences are not parallel")
    refuse_unknown(f"field of {found.name}", fields, found.fields)
    loaded = load_items(found, languages, source=data, sample=None if limit is None else Sample(n=limit))
    wanted = tuple(fields) or found.fields
    texts = {language: [_text(item, wanted) for item in loaded[language]] for language in loaded}
    items = [item.id for item in next(iter(loaded.values()))]
    dropped = {drop.item: drop.detail for drop in loaded.dropped}
    seen: dict[str, dict[str, str]] = {language: {} for language in texts}
    kept: list[int] = []
    for place, item in enumerate(items):
        why = ""
        for language, held in texts.items():
            text = held[place]
            earlier = seen[language].setdefault(text, item)
            if not text:
                why = f"empty in {language}"
            elif earlier != item:
                why = f"the same text as {earlier} in {language}"
        if why:
            dropped[item] = why
        else:
            kept.append(place)
    if len(kept) < 2:
        raise DataError(f"{len(kept)} sentences are left of {len(items)}; two are needed", file=found.name)
    chosen = {language: tuple(held[place] for place in kept) for language, held in texts.items()}
    return Sentences(tuple(items[place] for place in kept), chosen, dropped)


def _text(item: Item, fields: Sequence[str]) -> str:
    return "\n".join(text for field in fields if (text := item.fields.get(field, "").strip()))


Row = dict[str, object]
States = npt.NDArray[np.float32]
ProgressCallback = Callable[[str], None]

PERMUTATIONS = 9999
"""Permutations of Mantel's test."""
_ESTIMATE = ("value", "low", "high", "n", "excluded", "reason")
PAIR_COLUMNS = ("layer", "a", "b", *_ESTIMATE, "matching", "baseline")
AGREEMENT_COLUMNS = ("kappa_p", *(f"kappa_p_{name}" for name in _ESTIMATE[1:]))
"""Columns of the pairs next to the similarity of their states, where agreement was given."""
LAYER_COLUMNS = ("layer", "pairs", *_ESTIMATE, "matching", "baseline")
MANTEL_COLUMNS = ("mantel_r", "mantel_p", "mantel_p_holm", "mantel_pairs", "mantel_reason")

PAIRS_FILE, LAYERS_FILE, STATES_FILE, SIGNATURE_FILE = (
    "similarity.parquet", "layers.parquet", "states.npy", "signature.json",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Represented:
    """What was found.

    Attributes:
        layers: A row per layer: mean over the pairs, and Mantel's test where agreement was given.
        pairs: A row per layer and pair of languages.
        signature: How the numbers were made.
        sentences: What was compared.
    """

    layers: tuple[Row, ...]
    pairs: tuple[Row, ...]
    signature: dict[str, JSON]
    sentences: Sentences = field(repr=False)


def compared_states(
    model: HfModel,
    sentences: Sentences,
    folder: Path,
    beside: PairAgreement | None,
    *,
    bootstrap: Bootstrap,
    keep_states: bool,
    say: ProgressCallback,
) -> tuple[list[Row], list[Row]]:
    """Compare the states of languages in every layer.

    The states lie in a file, [languages, layers, items, hidden] as float32, and are read a layer at a time, so memory
    holds one layer of one model's states.

    `beside` is κ_p of the same pairs, for Mantel's test; no resamples leave intervals and test out. Given back is a
    row for each layer, and one for each layer and pair of languages.
    """
    languages = tuple(sentences.texts)
    found = _compared(model, sentences, folder, bootstrap=bootstrap, keep_states=keep_states, say=say)
    layers = [_layer_row(layer, one) for layer, one in enumerate(found)]
    if beside is not None:
        _set_beside(layers, found, beside.values, languages, PERMUTATIONS if bootstrap.resamples else 0)
    return layers, [
        row for layer, one in enumerate(found) for row in _pair_rows(layer, one, languages, beside)
    ]


def _compared(
    model: HfModel,
    sentences: Sentences,
    folder: Path,
    *,
    bootstrap: Bootstrap,
    keep_states: bool,
    say: ProgressCallback,
) -> list[RepresentationSimilarity]:
    """Every layer, measured from states in a file that is kept only if it is wanted."""
    partial = folder / f".{STATES_FILE}.partial"
    try:
        found = _measured(_states(model, sentences, partial, say), bootstrap, say)
        if keep_states:
            partial.replace(folder / STATES_FILE)
            axes = {"languages": list(sentences.texts), "items": list(sentences.items)}
            _write_json(folder / "states.json", axes)
    finally:
        partial.unlink(missing_ok=True)
    return found


def _states(model: HfModel, sentences: Sentences, path: Path, say: ProgressCallback) -> States:
    """States of every language and layer, in a file."""
    layers, hidden = model.state_shape()
    shape = (len(sentences.texts), layers, len(sentences.items), hidden)
    needed, free = 4 * int(np.prod(shape)), shutil.disk_usage(path.parent).free
    if needed > free:
        raise UsageError(
            f"the states take {needed / 1e9:.1f} GB and {path.parent} has {free / 1e9:.1f} GB left; take fewer items "
            "(--limit), or another folder"
        )
    states: States = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    for place, (language, texts) in enumerate(sentences.texts.items()):
        model.last_token_states(texts, states[place])
        say(f"{language}: states of {layers} layers")
    model.unload()
    return states


def _measured(states: States, bootstrap: Bootstrap, say: ProgressCallback) -> list[RepresentationSimilarity]:
    resampling = bootstrap if bootstrap.resamples else None
    found = []
    for layer in range(states.shape[1]):
        found.append(representation_similarity(np.ascontiguousarray(states[:, layer]), bootstrap=resampling))
        say(f"layer {layer} of {states.shape[1] - 1}")
    return found


def _layer_row(layer: int, found: RepresentationSimilarity) -> Row:
    defined = bool(np.isfinite(found.value).all())
    return {
        "layer": layer,
        "pairs": len(found.pairs),
        **_cells(found.mean),
        "matching": float(found.matching.mean()) if defined else None,
        "baseline": float(found.baseline.mean()) if defined else None,
    }


def _pair_rows(
    layer: int, found: RepresentationSimilarity, languages: Sequence[str], beside: PairAgreement | None
) -> list[Row]:
    rows: list[Row] = []
    for place, (a, b) in enumerate(found.pairs):
        matching, baseline = float(found.matching[place]), float(found.baseline[place])
        rows.append(
            {
                "layer": layer,
                "a": languages[a],
                "b": languages[b],
                **_cells(found.estimate(place)),
                "matching": None if np.isnan(matching) else matching,
                "baseline": None if np.isnan(baseline) else baseline,
                **(
                    {}
                    if beside is None
                    else _agreement_cells(beside.estimates.get((languages[a], languages[b])))
                ),
            }
        )
    return rows


def _agreement_cells(estimate: Estimate | None) -> Row:
    found = estimate or Estimate(None, reason="no answers in one of the languages")
    return dict(zip(AGREEMENT_COLUMNS, _cells(found).values(), strict=True))


def _set_beside(
    rows: Sequence[Row],
    found: Sequence[RepresentationSimilarity],
    beside: npt.NDArray[np.float64],
    languages: Sequence[str],
    permutations: int,
) -> None:
    """Add Mantel's test of each layer with the other measure, and Holm's correction over the layers."""
    ceiling = enough_permutations(permutations, len(found))
    tests = mantel_tests((one.matrix() for one in found), beside, permutations=permutations, ceiling=ceiling)
    for row, test, corrected in zip(rows, tests, holm([test.p for test in tests]), strict=True):
        named = ", ".join(languages[place] for place in test.dropped)
        dropped = f"without {named}, so that every pair has a value of both" if named else ""
        reason = "; ".join(text for text in (test.reason, dropped) if text)
        values = (test.statistic, test.p, corrected, test.n, reason)
        row.update(zip(MANTEL_COLUMNS, values, strict=True))


def _cells(estimate: Estimate) -> Row:
    return {name: getattr(estimate, name) for name in _ESTIMATE}


def write_represented(
    folder: Path, layers: Sequence[Row], pairs: Sequence[Row], signed: dict[str, JSON]
) -> None:
    """Write `similarity.parquet` (layer × pair), `layers.parquet` and, last, `signature.json`."""
    for name, rows in ((PAIRS_FILE, pairs), (LAYERS_FILE, layers)):
        frame = pl.DataFrame(list(rows), infer_schema_length=None)
        numbers = [
            c for c in frame.columns if c not in ("a", "b", "reason", "mantel_reason", "kappa_p_reason")
        ]
        whole = ("layer", "pairs", "n", "excluded", "mantel_pairs", "kappa_p_n", "kappa_p_excluded")
        frame = frame.cast({c: pl.Int64() if c in whole else pl.Float64() for c in numbers})
        write_parquet(frame, folder / name, {"hesperus.representations": "1"})
    _write_json(folder / SIGNATURE_FILE, signed)


def _write_json(path: Path, value: object) -> None:
    write_content(path, json.dumps(plain(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n")
