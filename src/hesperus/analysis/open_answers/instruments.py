"""Were two runs measured alike, and asked alike? What differs between them besides the models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from hesperus.analysis.open_answers.evidence import read_frame
from hesperus.errors import DataError
from hesperus.fingerprint import JSON, plain
from hesperus.untrusted import one_line

Differing = dict[str, list[JSON]]
"""Path of a setting to what it is on side a and on side b; None if a side lacks it."""

_COUNTED = ("judge.distinct_texts", "judge.truncated_texts")
"""What a signature says of the texts that were judged, and not of who judged them."""

_PARTS = (
    ("judge.hesperus", "version"),
    ("judge.rule", "rules"),
    ("judge.missing", "rules"),
    ("judge", "judge"),
    ("translator", "translator"),
    ("translation.ladder", "ladder of repairs"),
    ("translation", "translator"),
    ("missing", "rules"),
)
"""Beginning of a path to what is called by it; the first that fits."""

_ASKED = ("task", "data", "prompts", "system", "answers", "instructions", "prompt_translator")
"""Keys of a study that decide how models were asked."""

_MOST_SHOWN = 4
_LONGEST = 48


@dataclass(frozen=True, slots=True)
class RunDifferences:
    """What differs between two runs, besides their models.

    Attributes:
        instruments: Evaluator to what its signatures differ in.
        asked: What the studies differ in.
        alone: Kind of thing (`languages`, `models`, `evaluators`) to the names that only side a, or b, has.
        reworded: Prompts with words that differ in the reference language.
        notes: What else to know.
    """

    instruments: Mapping[str, Differing] = field(default_factory=dict)
    asked: Differing = field(default_factory=dict)
    alone: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    reworded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def signed(self) -> dict[str, JSON]:
        """For the signature of a table: what differs, and nothing else."""
        told: dict[str, object] = {
            "instruments_differ": {what: found for what, found in self.instruments.items() if found},
            "asked_differently": self.asked,
            "on_one_side_only": self.alone,
            "reworded_prompts": list(self.reworded),
        }
        return {name: plain(value) for name, value in told.items() if value}

    def warnings(self) -> list[str]:
        """A sentence for each thing that a reader must know, gravest first."""
        told = [
            f"{what}: the two runs were not measured alike, so that differences may come from the instrument: "
            f"{_shown(found)}"
            for what, found in self.instruments.items()
            if found
        ]
        if self.asked:
            told.append(f"the two runs were not asked alike: {_shown(self.asked)}")
        if self.reworded:
            told.append(
                f"{len(self.reworded)} prompts have other words in the two runs and are excluded ({_names(self.reworded)})"
            )
        told += [
            f"{kind} on side {side} only, excluded: {_names(names)}"
            for kind, sides in self.alone.items()
            for side, names in sides.items()
            if names
        ]
        return [one_line(text) for text in (*told, *self.notes)]

    def instrument_said(self, what: str) -> str:
        """What to say in a row of an evaluator; empty where both runs were measured alike."""
        parts = dict.fromkeys(_part(path) for path in self.instruments.get(what, {}))
        return f"measured otherwise on side b ({', '.join(parts)})" if parts else ""


def instrument_apart(first: Mapping[str, object], second: Mapping[str, object]) -> Differing:
    """Where the signatures of an evaluation differ."""
    return _apart(first, second, leave=_COUNTED)


def asked_apart(first: Mapping[str, object], second: Mapping[str, object]) -> Differing:
    """Where two studies differ in how models were asked."""
    kept = ({name: study.get(name) for name in _ASKED} for study in (first, second))
    return _apart(*kept)


def reworded(folders: tuple[Path, Path], reference: str) -> tuple[tuple[str, ...], str]:
    """Prompts that both runs have, in other words.

    Returns:
        Their ids, and why nothing could be compared, empty where it could.
    """
    try:
        first, second = (_words(read_frame(folder / "items.parquet"), reference) for folder in folders)
    except DataError as error:
        return (), f"whether prompts have the same words in both runs is not known: {error}"
    return tuple(sorted(item for item in first.keys() & second.keys() if first[item] != second[item])), ""


def _words(items: pl.DataFrame, reference: str) -> dict[str, str]:
    """Item to the texts of its fields, as the task itself has them."""
    absent = [name for name in ("item", "language", "input", "model") if name not in items.columns]
    if absent:
        raise DataError(f"the table of items lacks {', '.join(absent)}")
    original = items.filter(
        (pl.col("language") == reference) & (pl.col("input") == reference) & pl.col("model").is_null()
    )
    fields = sorted(name for name in items.columns if name.startswith("field:"))
    return {
        str(row["item"]): json.dumps([[name, row[name]] for name in fields if row[name] is not None])
        for row in original.select("item", *fields).iter_rows(named=True)
    }


def _apart(
    first: Mapping[str, object], second: Mapping[str, object], *, leave: tuple[str, ...] = ()
) -> Differing:
    a, b = (dict(_leaves(plain(side))) for side in (first, second))
    return {
        path: [a.get(path), b.get(path)]
        for path in sorted(a.keys() | b.keys())
        if path not in leave and a.get(path) != b.get(path)
    }


def _leaves(value: JSON, path: str = "") -> Iterator[tuple[str, JSON]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, f"{path}.{name}" if path else name)
    else:
        yield path, value


def _part(path: str) -> str:
    return next(
        (name for begin, name in _PARTS if path == begin or path.startswith(f"{begin}.")), path.split(".")[0]
    )


def _shown(found: Differing) -> str:
    told = [f"{path} {_brief(a)} and {_brief(b)}" for path, (a, b) in list(found.items())[:_MOST_SHOWN]]
    left = len(found) - len(told)
    return "; ".join(told) + (f"; and {left} more" if left > 0 else "")


def _brief(value: JSON) -> str:
    if value is None:
        return "unset"
    text = one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _names(names: tuple[str, ...] | list[str]) -> str:
    shown = ", ".join(one_line(name) for name in names[:_MOST_SHOWN])
    return shown + (", …" if len(names) > _MOST_SHOWN else "")
