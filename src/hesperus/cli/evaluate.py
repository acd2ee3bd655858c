"""`hesperus evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hesperus.cli.measure_flags import Interval, Resamples, Seed, resampling

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from hesperus.fingerprint import JSON
    from hesperus.reports.open_answers import TableSettings
    from hesperus.reports.table import Table
    from hesperus.studies.evaluating import Evaluation

_MANY = list[str] | None


def command(
    what: Annotated[
        str,
        typer.Argument(
            help="information, equivalence, or a property: empathy (with --classifier), refusal, length, hf/ORG/NAME.",
            show_default=False,
        ),
    ],
    file: Annotated[
        Path,
        typer.Argument(
            help="Run folder, or a file of replies (Parquet, CSV, TSV, JSON lines) with model, item, input and reply.",
            show_default=False,
        ),
    ],
    reference: Annotated[
        str, typer.Option(help="Language whose replies the others are held against.")
    ] = "en",
    translator: Annotated[
        str,
        typer.Option(help="none, apertium, ct2/FOLDER, hf/ORG/NAME, file/PATH, or a model: provider/name."),
    ] = "none",
    judge: Annotated[
        str, typer.Option(help="Of information and equivalence: embedded, or a model: provider/name.")
    ] = "embedded",
    classifier: Annotated[
        str | None, typer.Option(help="Of a property: a folder of `hesperus train`, or hf/ORG/NAME.")
    ] = None,
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="What was asked, in the reference language: a table with item and prompt (default: the run's)."
        ),
    ] = None,
    language: Annotated[_MANY, typer.Option(help="Only this language; repeatable.")] = None,
    model: Annotated[_MANY, typer.Option(help="Only the replies of this model; repeatable.")] = None,
    task: Annotated[_MANY, typer.Option(help="Only this task; repeatable.")] = None,
    control: Annotated[
        bool,
        typer.Option(
            "--control/--no-control",
            help="Send the reference there and back, too, where the translator can: the ceiling of each score.",
        ),
    ] = True,
    missing: Annotated[
        str, typer.Option(help="An item that one side was not asked: leave-out, or no-answer.")
    ] = "leave-out",
    trained_on: Annotated[
        _MANY, typer.Option(help="MODEL=de,fr,…: languages of its training, for --table groups; repeatable.")
    ] = None,
    table: Annotated[str, typer.Option(help="scores, groups, counts.")] = "scores",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for pairs, claims with verdicts, translations and tables (Parquet)."),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Also write a page to read: one HTML file that loads nothing.")
    ] = None,
    retry_unread: Annotated[
        bool,
        typer.Option(
            "--retry-unread", help="Ask the judge again where its stored replies could not be read."
        ),
    ] = False,
    store: Annotated[Path, typer.Option(help="Reply store: no request is paid for twice.")] = Path(
        "replies.sqlite"
    ),
    translations: Annotated[
        Path, typer.Option(help="Store of translations: nothing is translated twice.")
    ] = Path("translations.sqlite"),
    base_url: Annotated[str | None, typer.Option(help="Endpoint of models over HTTP.")] = None,
    resamples: Resamples = None,
    seed: Seed = None,
    interval: Interval = None,
    format: Annotated[str, typer.Option(help="table, json, csv, markdown or latex.")] = "table",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Evaluate open answers that are there already: how much of the reference's information each language holds.

    Each reply is put into the reference's language, sentence by sentence, and held against the same model's reply to
    the same item there. Replies that are refused, blocked, empty or failed count as no answer (one such side: 0; both:
    1); statistics that end in `_answered` leave them out. Properties leave such pairs out, except that `refusal` counts a
    refused reply as refusing. `ceiling` is the score of the reference itself sent there and
    back, `relative` the score over it.

    Stop it whenever you like: translations and verdicts are kept, and the same command goes on. Verdicts that could not be
    read are kept, too; `--retry-unread` asks for them again.

    For example:

        hesperus evaluate information answers.jsonl --reference en --translator apertium --format json

        hesperus evaluate information runs/long --translator ct2/nllb-600m --judge openai/gpt-4o-mini --out evaluated

        hesperus evaluate information runs/long --translator ct2/nllb-600m --table groups --trained-on hf/org/m=de,fr

        hesperus evaluate information answers.csv --translator none --report answers.html

        hesperus evaluate empathy runs/posts --classifier empathy-large --translator ct2/nllb-600m
    """
    from hesperus.analysis.coverage import coverage_of_pairs
    from hesperus.analysis.settings import resolve_bootstrap
    from hesperus.cli.progress import StageProgress
    from hesperus.errors import UnknownNameError, UsageError
    from hesperus.measures import Bootstrap
    from hesperus.reports.formats import print_table
    from hesperus.reports.measured import described
    from hesperus.reports.measured.summary import nothing_of
    from hesperus.reports.open_answers import TABLES, TableSettings, evaluation_table, scores_summary
    from hesperus.studies.asked import Terms
    from hesperus.studies.evaluating import (
        EvaluationSettings,
        Means,
        chosen,
        evaluate_ready,
        paired,
        read_prompts,
        read_replies,
        write_evaluation,
    )

    if table not in TABLES:
        raise UnknownNameError("table of evaluate", table, TABLES)
    if missing not in ("leave-out", "no-answer"):
        raise UsageError(f"--missing is leave-out or no-answer, not {missing!r}")
    trained = _declared(trained_on or [])
    replies = chosen(chosen(read_replies(file), "model", model or []), "task", task or [])
    asked_models = replies["model"].unique().sort().to_list()
    for name in trained:
        if name not in asked_models:
            raise UnknownNameError("model of --trained-on", name, asked_models)
    together = paired(replies, reference, language or [])
    asked = read_prompts(prompts or file, together.reference, named=prompts is not None)
    means = Means(store, translations, translator, judge, classifier, Terms(base_url), retry_unread)
    with StageProgress(quiet=quiet) as progress:
        (found,) = evaluate_ready(
            together,
            [what],
            means,
            settings=EvaluationSettings(control, missing.replace("-", " ")),
            prompts=asked,
            watch=progress,
        )
    drawn = resolve_bootstrap(resampling(resamples, seed, interval), described(file).study, Bootstrap())
    settings = TableSettings(drawn, trained)
    warned: list[JSON] = list(found.warnings())
    signed = {**found.signature, **({"notes": warned} if warned else {})}
    made = {
        name: evaluation_table(name, found.pairs, what, signature=signed, settings=settings)
        for name in (TABLES if out is not None else (table,))
    }
    if out is not None:
        written = write_evaluation(found, out, tables={name: _frame(one) for name, one in made.items()})
        typer.echo(f"written: {written}", err=True)
    if report is not None:
        typer.echo(f"written: {_page(report, found, (replies, asked), settings)}", err=True)
    plain = table == "scores" and format == "table"
    rules = signed.get("judge")
    # An evaluator that has a rule for replies without an answer measures something of them, too.
    ruled = isinstance(rules, dict) and bool(rules.get("missing"))
    nothing = "" if ruled else nothing_of(coverage_of_pairs(found.pairs))
    if nothing:
        typer.echo(nothing, err=True)
    if not nothing or format != "table":
        print_table(scores_summary(made[table], what) if plain else made[table], format)
    for line in found.notes():
        typer.echo(line, err=True)


def _page(
    out: Path, found: Evaluation, given: tuple[pl.DataFrame, Mapping[str, str]], settings: TableSettings
) -> Path:
    """The page of an evaluation, as that of a run: with the replies, and the prompts where they are known."""
    from dataclasses import asdict

    import polars as pl

    from hesperus.analysis.settings import GivenSettings
    from hesperus.records import Run
    from hesperus.reports.html import write_report
    from hesperus.reports.open_answers.evidence import Evaluated
    from hesperus.reports.open_answers.report import OpenEvidence, open_answers_report

    replies, asked = given
    evaluated = Evaluated(found.what, found.pairs, found.details, found.sentences, found.signature)
    columns = {"item": list(asked), "field:prompt": list(asked.values())}
    items = (
        pl.DataFrame(columns).with_columns(language=pl.lit(found.signature["reference"])) if asked else None
    )
    run = Run(replies, items)
    decided = (
        GivenSettings(**asdict(settings.bootstrap)) if settings.bootstrap else GivenSettings(resamples=0)
    )
    evidence = OpenEvidence([evaluated], replies, trained_on=settings.trained_on)
    return write_report(run, out, found=open_answers_report(run, evidence, given=decided))


def _frame(table: Table) -> pl.DataFrame:
    import polars as pl

    columns = {column: [row[column] for row in table.rows] for column in table.columns}
    return pl.DataFrame(columns, infer_schema_length=None, strict=False)


def _declared(given: list[str]) -> dict[str, list[str]]:
    """Model to languages, from MODEL=de,fr."""
    from hesperus.errors import UsageError
    from hesperus.languages import normalise

    found: dict[str, list[str]] = {}
    for one in given:
        model, equals, tags = one.rpartition("=")
        if not (model and equals and tags):
            raise UsageError(f"--trained-on is MODEL=de,fr,… and not {one!r}")
        found.setdefault(model, []).extend(normalise(tag) for tag in tags.split(",") if tag.strip())
    return found
