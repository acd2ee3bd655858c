"""The stages of similarity: every model in every language, asked or gathered from records."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON
from hesperus.records import conform, read_records
from hesperus.studies.asked.answering import AskSettings, senses_of
from hesperus.studies.asked.exclusions import without_records
from hesperus.studies.asked.keeping import items_of
from hesperus.studies.asked.material import LoadedItems, gather
from hesperus.studies.asked.session import models_named
from hesperus.studies.asked.stages import Answer, Course, Outcome, Stages
from hesperus.studies.asked.study_cells import original_cells
from hesperus.studies.similarity.grouping import grouping
from hesperus.studies.similarity.similarity_study import Comparison, SimilarityStudy


def course(study: SimilarityStudy, *, folder: Path | None = None) -> Course:
    """Load a study; what is in its `study.yaml` under `comparison` is what the tables of similarity take.

    The records that are gathered must not lie in `folder`; a plan has none.
    """
    if study.records:
        if study.shard is not None:
            raise UsageError(
                "this study compares records and asks nothing: there is nothing to split (--shard)"
            )
        return Course(None, {}, _gathering(study, folder))
    material = gather(study, study.languages, by_hand=study.instructions)
    return Course(material, models_named(study.models, study), _asking(study, material))


def _asking(study: SimilarityStudy, material: LoadedItems) -> Stages:
    """Ask every model in every language; labels and probabilities of one question are in one record."""
    senses, cells = senses_of(material), original_cells(study.languages, study.instruction_language)
    frames = []
    for name in study.models:
        made = []
        for how in _ways(study):
            called = "score" if how.by_logprobs else "answer"
            made.append((yield Answer(name, cells, senses, how, material, called)))
        frames.append(made[0] if len(made) == 1 else _both(*made))

    def outcome() -> Outcome:
        records = pl.concat(frames)
        grouped = records if study.shard is not None else _grouped(records, study)
        return Outcome(grouped, items_of(material), excluded=material.excluded)

    return outcome


def _gathering(study: SimilarityStudy, folder: Path | None) -> Stages:
    """The records of all folders and files together, each row once, of one task, without what is left out."""
    yield from ()
    return lambda: _gathered(study, folder or Path())


def _grouped(records: pl.LazyFrame, study: SimilarityStudy) -> pl.LazyFrame:
    """The records with the columns that the comparison asks for."""
    found = grouping(study.grouping).applied(records) if study.grouping else records
    for name in (*study.comparison.by, *([study.comparison.macro] if study.comparison.macro else [])):
        if name not in (known := found.collect_schema().names()):
            raise UnknownNameError("column under comparison", name, known)
    _check_pivot(study.comparison.pivot, found)
    return found


def _ways(study: SimilarityStudy) -> Iterator[AskSettings]:
    """How every question is put: its label generated, its options scored, or first one and then the other."""
    for by_logprobs, wanted in ((False, "generate"), (True, "logprobs")):
        if study.scoring in (wanted, "both"):
            yield AskSettings.of(study, by_logprobs=by_logprobs)


def _both(generated: pl.LazyFrame, scored: pl.LazyFrame) -> pl.LazyFrame:
    """Generated labels with scored probabilities; both frames have the same questions in the same order."""
    beside = scored.select("probs", pl.col("options").alias("scored")).collect()
    return (
        generated.collect()
        .with_columns(beside["probs"], pl.coalesce("options", beside["scored"]).alias("options"))
        .lazy()
    )


def _gathered(study: SimilarityStudy, folder: Path) -> Outcome:
    for path in study.records:
        if Path(path).resolve() in (folder.resolve(), (folder / "records.parquet").resolve()):
            raise UsageError(
                f"{path}: the run would be written over what it reads; give it another folder (--out)"
            )
    frames = [read_records(path) for path in study.records]
    together = pl.concat(frames, how="diagonal_relaxed") if len(frames) > 1 else frames[0]
    known = together["task"].unique().sort().to_list()
    if study.task is not None and study.task not in known:
        raise UnknownNameError("task of the records", study.task, known)
    if study.task is None and len(known) > 1:
        raise DataError(
            f"runs are compared within one task, and the records have {len(known)}: {', '.join(known[:8])}; name one "
            "(task: NAME, or --task NAME)"
        )
    together = together.filter(pl.col("task") == (study.task or known[0])) if len(known) > 1 else together
    together = conform(together, file=", ".join(study.records)) if len(frames) > 1 else together
    together, excluded = without_records(together, study.exclude)
    _check_comparable(together)
    signed: dict[str, JSON] = {"task": together["task"][0]}
    more = {} if excluded is None else {"excluded": excluded.signed()}
    return Outcome(_grouped(together.lazy(), study), None, signed={**signed, **more}, excluded=excluded)


def _check_comparable(records: pl.DataFrame) -> None:
    """Some model in two languages, or some language with two models."""
    runs = records.select("model", "instruction", "input").unique()
    if (
        max(
            runs.group_by(by).len()["len"].to_numpy().max(initial=0)
            for by in ("model", ("instruction", "input"))
        )
        < 2
    ):
        shown = ", ".join(f"{row[0]} in {row[1]}" for row in runs.sort("model", "input").head(4).iter_rows())
        raise DataError(
            f"nothing to compare: similarity needs a model in two languages, or two models in one (there is {shown})"
        )


def _check_pivot(pivot: str, records: pl.LazyFrame) -> None:
    """Refuse a pivot that no run is in; the default, English, is let pass, and its design is then empty."""
    known = records.select(pl.col("input").unique().sort()).collect()["input"].to_list()
    if pivot not in (*known, Comparison().pivot):
        raise UnknownNameError("pivot", pivot, known, "comparison.pivot, or --pivot")
