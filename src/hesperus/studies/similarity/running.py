"""Runs a similarity study: gathers records or asks for them, and writes a run folder that every table is made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON
from hesperus.records import Run, conform, read_records, write_run
from hesperus.studies.asked.answering import How, answer_cells, questions, senses_of
from hesperus.studies.asked.cells import original_cells
from hesperus.studies.asked.desk import Watch, identities, models_named, open_desk
from hesperus.studies.asked.exclusions import Excluded, without_records
from hesperus.studies.asked.keeping import (
    StudyRun,
    as_kept,
    decided,
    folder_for,
    items_of,
    lost_questions,
    records_of,
)
from hesperus.studies.asked.material import gather
from hesperus.studies.asked.planning import Line, Plan, answer_lines, plan_of
from hesperus.studies.asked.sharding import Stores, stores_of
from hesperus.studies.similarity.config import Comparison, SimilarityStudy
from hesperus.studies.similarity.grouping import grouping
from hesperus.types import Request
from hesperus.version import __version__


@dataclass(frozen=True, slots=True)
class _Answers:
    """What is compared, and where it comes from."""

    records: pl.DataFrame
    items: pl.DataFrame | None
    signed: dict[str, JSON]
    excluded: Excluded | None
    faults: tuple[str, ...] = ()


def default_folder(study: SimilarityStudy) -> Path:
    """`runs/similarity-TASK-HASH`: the same study always has the same folder."""
    name = Path(study.task).stem if study.task else Path(study.records[0]).stem
    return folder_for(study, f"similarity-{name}")


def run_study(
    study: SimilarityStudy, folder: Path, *, store: Path | None = None, progress: Watch | None = None
) -> StudyRun:
    """Run a study to its end, or go on with one that was stopped.

    What stands in `study.yaml` under `comparison` is what the tables of hesperus.analysis.similarity.all_pairs take;
    `study.yaml` is a study file itself, and needs no other file than the records, the task and the grouping that it names.

    Args:
        study: The design.
        folder: Run folder to write.
        store: Reply store; `replies.sqlite` beside the folder where None.
        progress: Hears of every stage.

    Raises:
        UsageError: A task, language, model or file that does not exist, or a missing key.
        DataError: Records or items that break their contract, or that give nothing to compare.
        ModelError: An endpoint that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    if study.records and study.shard is not None:
        raise UsageError("this study compares records and asks nothing: there is nothing to split (--shard)")
    found = (
        _gathered(study, folder)
        if study.records
        else _asked(study, stores_of(study, folder, store), progress)
    )
    if isinstance(found, StudyRun):
        return found
    records = found.records
    if study.grouping:
        records = grouping(study.grouping).applied(records)
    for name in (*study.comparison.by, *([study.comparison.macro] if study.comparison.macro else [])):
        if name not in records.columns:
            raise UnknownNameError("column under comparison", name, records.columns)
    _check_pivot(study.comparison.pivot, records)
    signature = {"hesperus": __version__, "study": decided(study), **found.signed}
    run = Run(records, found.items, as_kept(study, folder), signature)
    write_run(run, folder)
    return StudyRun(run, folder, found.faults, found.excluded)


def plan_study(study: SimilarityStudy, *, store: Path | None = None) -> Plan:
    """What asking would send and cost; sends nothing. Where options are both scored and generated, both are counted.

    Args:
        study: The design.
        store: Reply store whose replies need not be asked again; None or a missing file holds none.

    Raises:
        UsageError: The study takes records and asks nothing, or as in run_study.
        DataError: As in run_study.
    """
    if study.records:
        raise UsageError("this study compares records and asks nothing; run it")
    material = gather(study.subject(), study.languages)
    models = models_named(study.models, study)
    senses, cells = senses_of(material), original_cells(study.languages)
    lines: list[Line] = []
    for name in study.models:
        for how in _ways(study):
            lines += answer_lines(name, cells, senses, how, stage="score" if how.by_logprobs else "answer")
    return plan_of(lines, models, study=study, store=store, prices=study.prices, material=material)


def _ways(study: SimilarityStudy) -> Iterator[How]:
    """How every question is put: its label generated, its options scored, or first one and then the other."""
    for by_logprobs, wanted in ((False, "generate"), (True, "logprobs")):
        if study.scoring in (wanted, "both"):
            yield How(study.system, study.answers.settings(), by_logprobs)


def _asked(study: SimilarityStudy, stores: Stores, progress: Watch | None) -> _Answers | StudyRun:
    """Ask every model in every language; labels and probabilities of one question stand in one record."""
    material = gather(study.subject(), study.languages)
    models = models_named(study.models, study)
    senses, cells = senses_of(material), original_cells(study.languages)
    frames = []
    with open_desk(models, stores, terms=study, watch=progress) as desk:
        for name in () if stores.is_common else study.models:
            made = []
            for how in _ways(study):
                stage = f"{name}: {'options scored' if how.by_logprobs else 'answers'}"
                asked = questions(name, cells, senses, how)
                if how.by_logprobs:
                    desk.check_scoring([one.request for one in asked if isinstance(one.request, Request)])
                rows = answer_cells(
                    asked,
                    senses,
                    how,
                    task=material.task.name,
                    ask=lambda requests, stage=stage: desk.ask_with_room(  # type: ignore[misc]
                        requests, stage, tokens=study.answers.max_tokens_again
                    ),
                )
                made.append(records_of(name, rows, material))
            frames.append(made[0] if len(made) == 1 else _both(*made))
        if stores.is_shard:
            lost = [line for frame in frames for line in lost_questions(frame)]
            return stores.ended(desk.store, desk.failures.total(), lost)
    records = pl.concat(frames)
    signed = {**material.signed(), "models": identities(models)}
    return _Answers(records, items_of(material), signed, material.excluded, tuple(lost_questions(records)))


def _both(generated: pl.DataFrame, scored: pl.DataFrame) -> pl.DataFrame:
    """Generated labels with scored probabilities; both frames have the same questions in the same order."""
    return generated.with_columns(
        scored["probs"], pl.coalesce(generated["options"], scored["options"]).alias("options")
    )


def _gathered(study: SimilarityStudy, folder: Path) -> _Answers:
    """The records of all folders and files together, each row once, of one task, without what is left out."""
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
    return _Answers(
        together, None, signed if excluded is None else {**signed, "excluded": excluded.signed()}, excluded
    )


def _check_comparable(records: pl.DataFrame) -> None:
    """Some model in two languages, or some language with two models.

    Raises:
        DataError: There is neither.
    """
    runs = records.select("model", "instruction", "input").unique()
    senses = runs.group_by("model").len()["len"].max()
    models = runs.group_by("instruction", "input").len()["len"].max()
    if max(int(str(count or 0)) for count in (senses, models)) < 2:
        shown = ", ".join(f"{row[0]} in {row[1]}" for row in runs.sort("model", "input").head(4).iter_rows())
        raise DataError(
            f"nothing to compare: similarity needs a model in two languages, or two models in one (there is {shown})"
        )


def _check_pivot(pivot: str, records: pl.DataFrame) -> None:
    """Refuse a pivot that no run is in; the default, English, is let pass, and its design is then empty.

    Raises:
        UnknownNameError: There is no such run.
    """
    known = records["input"].unique().sort().to_list()
    if pivot not in (*known, Comparison().pivot):
        raise UnknownNameError("pivot", pivot, known, "comparison.pivot, or --pivot")
