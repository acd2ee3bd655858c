"""The library as short as the command: load items, ask a model, run a study, measure, report. Frames are polars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from hesperus import asking, models, records, tasks
from hesperus.analysis.settings import GivenSettings
from hesperus.answers import read, reader_for
from hesperus.reports.html import write_report
from hesperus.reports.measured import Described, described, measure_table
from hesperus.reports.table import Table
from hesperus.senses import SenseMaker
from hesperus.studies import multisense as multisense_study
from hesperus.studies import similarity as similarity_study
from hesperus.studies.asked import StudyRun
from hesperus.types import Prompt, Reply, Request, Settings


def load_items(
    task: str, languages: Sequence[str], *, data: str | None = None, limit: int | None = None, seed: int = 42
) -> pl.DataFrame:
    """Items of a task, aligned by id, as a frame with one row per item and language.

    Args:
        task: Name in the catalogue, or path of a task file.
        languages: Any style of tag.
        data: File or folder of items, instead of the task's own source.
        limit: Take a seeded sample of this many items.
        seed: Seed of the sample.

    Raises:
        UnknownNameError: No such task or language.
        DataError: The data break their contract.
    """
    sample = tasks.Sample(n=limit, seed=seed) if limit else None
    return tasks.items_frame(tasks.load_items(tasks.task(task), languages, source=data, sample=sample))


def ask(
    model: str,
    prompts: Sequence[str | Prompt],
    *,
    settings: Settings | None = None,
    repeat: int = 1,
    store: Path | str = ":memory:",
    base_url: str | None = None,
) -> pl.DataFrame:
    """Ask a model; one row per prompt with `prompt`, `reply`, `finish`, `tokens_in`, `tokens_out`, `error`.

    Args:
        model: `provider/name`.
        prompts: Texts, or `hesperus.types.Prompt` for one with a system text.
        settings: How replies are drawn.
        repeat: Ask for the repeat of this number; each is its own question.
        store: Reply store; what it holds is not asked again. Kept in memory only by default.
        base_url: Endpoint, for `http/NAME` or in place of a provider's own.

    Raises:
        UnknownNameError: No such model.
        ModelError: The endpoint fails every request alike.
    """
    options = models.ModelOptions(base_url=base_url)
    put = [Prompt(one) if isinstance(one, str) else one for one in prompts]
    requests = [Request(model, one, settings or Settings(), repeat=repeat) for one in put]
    with asking.ReplyStore(store) as replies:
        results = asking.ask(models.model(model, options), requests, store=replies)
    rows = [
        (one.user, r.text, r.finish, r.tokens_in, r.tokens_out, None)
        if isinstance(r, Reply)
        else (one.user, None, None, None, None, r.message)
        for one, r in zip(put, results, strict=True)
    ]
    text, number = pl.String(), pl.Int64()
    schema = {
        "prompt": text,
        "reply": text,
        "finish": text,
        "tokens_in": number,
        "tokens_out": number,
        "error": text,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def multisense(
    task: str,
    *,
    models: Sequence[str] | str,
    source: Sequence[str] | str = "en",
    targets: Sequence[str] | str = (),
    out: Path | str | None = None,
    makers: Mapping[str, SenseMaker] | None = None,
    **settings: Any,
) -> StudyRun:
    """Run a multisense study, or go on with it.

    Args:
        task: Name in the catalogue, or path of a task file.
        models: `provider/name`, one or many.
        source: Languages of the originals.
        targets: Languages into which each model puts the task itself.
        out: Run folder; `runs/TASK-HASH` where None.
        makers: Further sense-makers by the name of their variant.
        settings: Any other key of a study file: `sample`, `senses`, `repeats`, `scoring`, ….

    Raises:
        UnknownNameError: A key, task, language, model or sense that does not exist.
        DataError: A value of the wrong kind, or items that break their contract.
    """
    study = multisense_study.study_from_mapping(
        {"task": task, "models": models, "source": source, "target": targets, **settings}
    )
    folder = Path(out) if out else multisense_study.default_folder(study)
    return multisense_study.run_study(study, folder, makers=makers)


def similarity(
    task: str | None = None,
    *,
    models: Sequence[str] | str = (),
    languages: Sequence[str] | str = (),
    records: Sequence[str] | str = (),
    out: Path | str | None = None,
    **settings: Any,
) -> StudyRun:
    """Run a similarity study, or go on with it: ask models in languages, or take the records of earlier runs.

    Its tables are those of `measure`: `designs`, `similarity`, `tests`, `relations`, `together`, `scoring`.

    Args:
        task: Name in the catalogue, or path of a task file; with records, which of their tasks.
        models: `provider/name`, one or many.
        languages: Languages of the benchmark's own versions.
        records: Run folders or records files, in place of models and languages.
        out: Run folder; `runs/similarity-TASK-HASH` where None.
        settings: Any other key of a study file: `scoring`, `sample`, `exclude`, `comparison`, ….

    Raises:
        UnknownNameError: A key, task, language or model that does not exist.
        DataError: A value of the wrong kind, records that break their contract, or nothing to compare.
    """
    given = {"task": task, "models": models, "languages": languages, "records": records, **settings}
    study = similarity_study.study_from_mapping(given)
    return similarity_study.run_study(study, Path(out) if out else similarity_study.default_folder(study))


def measure(what: str, run: StudyRun | pl.DataFrame | Path | str, **settings: Any) -> Table:
    """Compute a measure: what `hesperus measure` prints, as a table with `rows`, `frame()` and the `signature` that they rest on.

    Args:
        what: `consistency`, `accuracy`, `validity`, `labels`, `directions`, `outcomes`, `agreement`, …; of a similarity
            study also `designs`, `similarity`, `tests`, `relations`, `scoring`, made as the run's study wants them.
        run: What a study gave, records, a run folder, or a records file.
        settings: Fields of hesperus.analysis.settings.GivenSettings (`by`, `invalid`, `resamples`, `seed`, …); `a` and `b` may
            be text such as `"instruction=en,input=en"`. What is not given is as the run's study says.

    Raises:
        UnknownNameError: No such measure, cell or setting.
        DataError: The records break their contract.
    """
    return measure_table(what, _records(run), GivenSettings.of(**settings), described=_described(run))


def _records(run: StudyRun | pl.DataFrame | Path | str) -> pl.DataFrame:
    return run.records if isinstance(run, StudyRun) else read_records(run)


def _described(run: StudyRun | pl.DataFrame | Path | str) -> Described:
    if isinstance(run, pl.DataFrame):
        return Described()
    return (
        Described(run.run.study, run.run.signature, run.folder)
        if isinstance(run, StudyRun)
        else described(Path(run))
    )


def read_records(run: pl.DataFrame | Path | str) -> pl.DataFrame:
    """Records from a run folder or file; a frame is checked against the contract and returned.

    Raises:
        UsageError: No such file.
        DataError: The records break their contract.
    """
    return records.conform(run) if isinstance(run, pl.DataFrame) else records.read_records(Path(run))


def read_answers(
    replies: Sequence[str], *, form: str, language: str, answers: Mapping[str, Sequence[str]]
) -> pl.DataFrame:
    """Read replies; one row each with `reply`, `outcome`, `answer`, `rule`.

    Args:
        replies: Raw texts.
        form: `label`, `choice`, `text` or `number`.
        language: Language of the instruction.
        answers: Label to its words in that language.
    """
    reader = reader_for(form, language, answers=answers)
    rows = [(reply, a.outcome, a.label, a.rule) for reply in replies for a in (read(reader, reply),)]
    text = pl.String()
    return pl.DataFrame(
        rows, schema={"reply": text, "outcome": text, "answer": text, "rule": text}, orient="row"
    )


def report(run: Path | str, out: Path | str | None = None) -> Path:
    """Write the HTML report of a run folder or records file; returns where it stands."""
    place = Path(run)
    target = Path(out) if out else (place if place.is_dir() else place.parent) / "report.html"
    write_report(place, target)
    return target
