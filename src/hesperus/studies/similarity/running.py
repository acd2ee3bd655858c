"""Runs a similarity study: gathers records or asks for them, and writes a run folder that every table is made from."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

import polars as pl

from hesperus.asking import ReplyStore, Spending
from hesperus.errors import DataError, UnknownNameError, UsageError
from hesperus.fingerprint import JSON, fingerprint, plain
from hesperus.languages import normalise
from hesperus.models import Model
from hesperus.records import Run, conform, read_records, write_run
from hesperus.studies.multisense.answering import How, Senses, answer_cells, questions
from hesperus.studies.multisense.design import Design, design
from hesperus.studies.multisense.desk import Desk, Watch, models_of, policies_of
from hesperus.studies.multisense.keeping import items_of, lost_questions, records_of
from hesperus.studies.multisense.material import Material, gather, originals_of
from hesperus.studies.multisense.planning import Plan
from hesperus.studies.multisense.planning import plan_study as plan_multisense
from hesperus.studies.multisense.running import StudyRun, default_store
from hesperus.studies.similarity.config import LanguageNumbers, SimilarityStudy
from hesperus.studies.similarity.grouping import grouping
from hesperus.types import Sense
from hesperus.version import __version__

_DOES_NOT_DECIDE = {"concurrency", "budget", "prices"}


def default_folder(study: SimilarityStudy) -> Path:
    """`runs/similarity-TASK-HASH`: the same study always has the same folder."""
    decides = study.model_dump(mode="json", exclude=_DOES_NOT_DECIDE)
    name = Path(study.task).stem if study.task else Path(study.records[0]).stem
    return Path("runs") / f"similarity-{name}-{fingerprint(decides)[:8]}"


def run_study(
    study: SimilarityStudy, folder: Path, *, store: Path | None = None, progress: Watch | None = None
) -> StudyRun:
    """Run a study to its end, or go on with one that was stopped.

    What stands in `study.yaml` under `comparison` is what the tables of hesperus.reports.measured.similarity take:
    numbers of languages are read from their files and kept there, so that a run folder needs nothing else.

    Args:
        study: The design.
        folder: Run folder to write.
        store: Reply store; `replies.sqlite` beside the folder where None.
        progress: Hears of every stage.

    Raises:
        UsageError: A task, language, model or file that does not exist, or a missing key.
        DataError: Records or items that break their contract, or a table of numbers that does.
        ModelError: An endpoint that fails every request alike.
        BudgetReachedError: The budget stopped the run; what was answered is kept.
    """
    comparison = _comparison(study)
    items: pl.DataFrame | None = None
    signed: dict[str, JSON] = {}
    if study.records:
        records = _gathered(study)
    else:
        records, items, signed = _asked(study, store or default_store(folder), progress)
    if study.grouping:
        records = grouping(study.grouping).applied(records)
    for name in (*study.comparison.by, *([study.comparison.macro] if study.comparison.macro else [])):
        if name not in records.columns:
            raise UnknownNameError("column under comparison", name, records.columns)
    described = {**study.model_dump(mode="json"), "comparison": comparison, "by": list(study.comparison.by)}
    signature = {
        "hesperus": __version__,
        "study": fingerprint(study.model_dump(mode="json", exclude=_DOES_NOT_DECIDE)),
        **signed,
    }
    run = Run(records, items, described, signature)
    write_run(run, folder)
    return StudyRun(run, folder, () if study.records else tuple(lost_questions(records)))


def plan_study(study: SimilarityStudy, *, store: Path | None = None) -> Plan:
    """What asking would send and cost; sends nothing.

    Where options are both scored and generated, the plan is of the generated answers; scoring asks as many again.

    Raises:
        UsageError: The study takes records and asks nothing.
    """
    if study.records:
        raise UsageError("this study compares records and asks nothing; run it")
    return plan_multisense(
        study.asking("logprobs" if study.scoring == "logprobs" else "generate"), store=store
    )


def _asked(
    study: SimilarityStudy, store: Path, progress: Watch | None
) -> tuple[pl.DataFrame, pl.DataFrame, dict[str, JSON]]:
    """Ask every model in every language; labels and probabilities of one question stand in one record."""
    ways = ("generate", "logprobs") if study.scoring == "both" else (study.scoring,)
    asking = study.asking("generate")
    plan = design(asking)
    material = gather(asking, plan)
    models = models_of(asking, plan)
    frames = []
    with ReplyStore(store) as replies:
        desk = Desk(models, replies, policies_of(asking, models), Spending(), progress)
        for name in study.models:
            made = [
                records_of(name, _answers(study, name, plan, material=material, way=way, desk=desk), material)
                for way in ways
            ]
            frames.append(made[0] if len(made) == 1 else _both(*made))
    signed: dict[str, JSON] = {
        "task": material.task.name,
        "models": _identities(models),
        "dropped": plain(list(material.items.dropped)),
    }
    return pl.concat(frames), items_of(material), signed


def _answers(
    study: SimilarityStudy, name: str, plan: Design, *, material: Material, way: str, desk: Desk
) -> list[dict[str, object]]:
    senses = _senses(material, plan)
    how = How(study.system, study.answers.settings(), way == "logprobs")
    return answer_cells(
        questions(name, plan.cells, senses, how),
        senses,
        how,
        task=material.task.name,
        ask=lambda requests: desk.ask(requests, f"{name}: {way}"),
    )


def _both(generated: pl.DataFrame, scored: pl.DataFrame) -> pl.DataFrame:
    """Generated labels with scored probabilities; both frames have the same questions in the same order."""
    return generated.with_columns(
        scored["probs"], pl.coalesce(generated["options"], scored["options"]).alias("options")
    )


def _senses(material: Material, plan: Design) -> Senses:
    return Senses(
        material.task.layout,
        material.task.form,
        {Sense(language): material.instructions[language] for language in plan.originals},
        {Sense(language): originals_of(material, language) for language in plan.originals},
        {language: {item.id: item.gold for item in material.items[language]} for language in plan.originals},
        material.labels,
    )


def _identities(models: Mapping[str, Model]) -> JSON:
    return {name: plain(dict(model.identity)) for name, model in models.items()}


def _gathered(study: SimilarityStudy) -> pl.DataFrame:
    """The records of all folders and files together, each row once."""
    frames = [read_records(path) for path in study.records]
    together = pl.concat(frames, how="diagonal_relaxed") if len(frames) > 1 else frames[0]
    if study.task is not None:
        known = together["task"].unique().sort().to_list()
        if study.task not in known:
            raise UnknownNameError("task of the records", study.task, known)
        together = together.filter(pl.col("task") == study.task)
    return conform(together, file=", ".join(study.records)) if len(frames) > 1 else together


def _comparison(study: SimilarityStudy) -> dict[str, JSON]:
    """The comparison with everything that files say in it."""
    given = study.comparison
    values = given.model_dump(mode="json", exclude={"languages", "by", "exclude"})
    covariates = {name: _numbers(table) for name, table in given.languages.items()}
    return {**values, "covariates": plain(covariates), "exclude": _excluded(given.exclude)}


def _numbers(table: LanguageNumbers) -> dict[str, object]:
    path = Path(table.file)
    try:
        text = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the numbers of languages {path}: {error}") from None
    values: dict[str, float] = {}
    reader = csv.DictReader(text, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
    for name in (table.language, table.value):
        if name not in (reader.fieldnames or ()):
            raise UnknownNameError(f"column of {path.name}", name, reader.fieldnames or ())
    for row in reader:
        if not row[table.value]:
            continue
        try:
            tag, number = normalise(row[table.language]), float(row[table.value])
        except (ValueError, UnknownNameError) as error:
            raise DataError(str(error), file=path, line=reader.line_num) from None
        if values.setdefault(tag, number) != number:
            raise DataError(f"{tag!r} has two numbers", file=path, line=reader.line_num)
    return {"values": values, "source": table.source, "date": table.date, "logarithm": table.log}


def _excluded(file: str | None) -> list[JSON]:
    if file is None:
        return []
    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the list of items to leave out {file}: {error}") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
