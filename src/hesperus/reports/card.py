"""The GenBench evaluation card of a run: which kind of generalisation it tests.

Hupkes et al. 2023, "A taxonomy and review of generalization research in NLP" (Nature Machine Intelligence 5), asks
every study to place itself on five axes; the multisense paper fills a card in its appendix A. Here the run fills it in.
What the records cannot tell (why the study is done, what the model was trained on) is set to what holds for most, and
the reason next to each box says so.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import polars as pl

from hesperus.types import Sense
from hesperus.wording import joined, language_label, parsed

AXES: dict[str, tuple[str, ...]] = {
    "Motivation": ("Practical", "Cognitive", "Intrinsic", "Fairness"),
    "Generalisation type": (
        "Compositional", "Structural", "Cross task", "Cross language", "Cross domain", "Robustness",
    ),
    "Shift type": ("Covariate", "Label", "Full", "Assumed"),
    "Shift source": ("Naturally occurring", "Partitioned natural", "Generated shift", "Fully generated"),
    "Shift locus": ("Train–test", "Finetune train–test", "Pretrain–train", "Pretrain–test"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of the card."""

    name: str
    ticked: tuple[str, ...]
    reason: str

    @property
    def boxes(self) -> tuple[tuple[str, bool], ...]:
        """Every value of the axis, and whether it is ticked."""
        return tuple((value, value in self.ticked) for value in AXES[self.name])


@dataclass(frozen=True, slots=True)
class Card:
    """The card of a run."""

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    axes: tuple[Axis, ...]

    def markdown(self) -> str:
        """The card as Markdown: a line an axis with its boxes, and why."""
        lines = ["## GenBench evaluation card", ""]
        lines += [f"Models: {', '.join(self.models)}. Tasks: {', '.join(self.tasks)}.", ""]
        lines += ["| axis | boxes | why |", "| --- | --- | --- |"]
        for axis in self.axes:
            boxes = "<br>".join(f"{'✓' if held else '☐'} {value}" for value, held in axis.boxes)
            lines.append(f"| {axis.name} | {boxes} | {axis.reason} |")
        return "\n".join(lines) + "\n"

    def json(self) -> str:
        """The card as JSON: ``{"models", "tasks", "axes": {name: {"ticked", "reason"}}}``."""
        axes = {axis.name: {"ticked": list(axis.ticked), "reason": axis.reason} for axis in self.axes}
        document = {"models": list(self.models), "tasks": list(self.tasks), "axes": axes}
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def card_of(records: pl.DataFrame, own: Collection[str] = ()) -> Card:
    """Fill in the card from what was asked.

    `own` are senses that are known to be made by the answering model itself (see wording.own_senses).
    """
    codes = sorted(set(records["instruction"].unique()) | set(records["input"].unique()))
    senses = [sense for sense in map(parsed, codes) if sense is not None]
    kind, why = _generalisation(senses)
    source, origin = _source(senses, own)
    return Card(
        tuple(sorted(records["model"].unique())),
        tuple(sorted(records["task"].unique())),
        (
            Axis(
                "Motivation",
                ("Intrinsic",),
                "Asks whether the answer depends on the form in which a meaning is put; a study that decides about "
                "the use of a model, or about fair treatment of its speakers, ticks another box.",
            ),
            Axis("Generalisation type", kind, why),
            Axis(
                "Shift type",
                ("Assumed",),
                "What the models saw in training is taken as not known; that the senses differ from it is assumed.",
            ),
            Axis("Shift source", source, origin),
            Axis(
                "Shift locus",
                ("Pretrain–test",),
                "The models are asked as they are; nothing was trained for it.",
            ),
        ),
    )


def _generalisation(senses: Iterable[Sense]) -> tuple[tuple[str, ...], str]:
    senses = list(senses)
    tags = sorted({sense.language for sense in senses})
    reworded = [sense for sense in senses if sense.variant or sense.via]
    ticked = ("Cross language", "Robustness") if len(tags) > 1 else ("Robustness",)
    parts = []
    if len(tags) > 1:
        named = joined([language_label(tag) for tag in tags]) if len(tags) <= 12 else f"{len(tags)} languages"
        parts.append(f"the same questions in {named}")
    if reworded:
        parts.append(f"{len(reworded)} rewordings in the same language")
    if not parts:
        parts.append("the same questions, asked again")
    return ticked, f"Consistency over {joined(parts)}."


def _source(senses: Iterable[Sense], known: Collection[str]) -> tuple[tuple[str, ...], str]:
    senses = list(senses)
    made = [sense for sense in senses if not sense.is_original]
    natural = len({sense.language for sense in senses if sense.is_original}) > 1
    own = [sense for sense in made if sense.maker is None and sense.code in known]
    unknown = [sense for sense in made if sense.maker is None and sense.code not in known]
    if not made:
        return ("Naturally occurring",), "All versions are the benchmark's own."
    who = (
        "the model itself"
        if len(own) == len(made)
        else "the model itself and others"
        if own
        else "other systems"
    )
    if unknown:
        ticked = ("Naturally occurring", "Generated shift") if natural else ("Generated shift",)
        return (
            ticked,
            "The benchmark's items, and other versions of them; who made these, the records do not say.",
        )
    if natural:
        return (
            "Naturally occurring",
            "Generated shift",
        ), f"The benchmark's own versions, and versions made by {who}."
    return ("Generated shift",), f"The items are the benchmark's; their other versions were made by {who}."
