"""`hesperus evaluate`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from hesperus.cli.measure_flags import Format, Resampling, named_values, takes_flags
from hesperus.cli.said import say

_MANY = list[str] | None


@dataclass(frozen=True, slots=True)
class Replies:
    """The flags of which replies are compared with which."""

    reference: Annotated[str, typer.Option(help="Language with which the others are compared.")] = "en"
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="What was asked, in the reference language: a table with item and prompt (default: the run's)."
        ),
    ] = None
    language: Annotated[_MANY, typer.Option(help="Only this language; repeatable.")] = None
    model: Annotated[_MANY, typer.Option(help="Only the replies of this model; repeatable.")] = None
    task: Annotated[_MANY, typer.Option(help="Only this task; repeatable.")] = None
    missing: Annotated[
        str, typer.Option(help="An item that one side was not asked: leave-out, or no-answer.")
    ] = "leave-out"

    def named(self) -> dict[str, Any]:
        """The same as `hesperus.evaluate` names them."""
        lists = {"languages": self.language or (), "models": self.model or (), "tasks": self.task or ()}
        return {"reference": self.reference, "prompts": self.prompts, "missing": self.missing, **lists}


@dataclass(frozen=True, slots=True)
class Instruments:
    """The flags of what translates and judges, and of what they keep."""

    translator: Annotated[
        str,
        typer.Option(help="none, apertium, ct2/FOLDER, hf/ORG/NAME, file/PATH, or a model: provider/name."),
    ] = "none"
    judge: Annotated[
        str, typer.Option(help="Of information and equivalence: embedded, or a model: provider/name.")
    ] = "embedded"
    classifier: Annotated[
        str | None, typer.Option(help="Of a property: a folder of `hesperus train`, or hf/ORG/NAME.")
    ] = None
    control: Annotated[
        bool,
        typer.Option(
            "--control/--no-control",
            help="Send the reference there and back, too, where the translator can: the ceiling of each score.",
        ),
    ] = True
    retry_unread: Annotated[
        bool,
        typer.Option(
            "--retry-unread", help="Ask the judge again where its stored replies could not be read."
        ),
    ] = False
    store: Annotated[Path, typer.Option(help="Reply store: no request is paid for twice.")] = Path(
        "replies.sqlite"
    )
    translations: Annotated[
        Path, typer.Option(help="Store of translations: nothing is translated twice.")
    ] = Path("translations.sqlite")
    base_url: Annotated[str | None, typer.Option(help="Endpoint of models over HTTP.")] = None


@dataclass(frozen=True, slots=True)
class Engines:
    """The flags of where models are asked, as `hesperus run` has them."""

    engine: Annotated[
        str | None,
        typer.Option(
            help="Where models are asked: local is this process, ray a Ray cluster (extra ray), with the same replies."
        ),
    ] = None
    engine_address: Annotated[
        str | None,
        typer.Option(
            help="Head node of a running Ray cluster, HOST:PORT; if not given, Ray is started on this machine."
        ),
    ] = None
    engine_workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000,
            help="Workers that ask each model; if not given, one per GPU for models that run here, or else one per node.",
        ),
    ] = None


@takes_flags
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
    replies: Replies = Replies(),
    instruments: Instruments = Instruments(),
    engines: Engines = Engines(),
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
    drawn: Resampling = Resampling(),
    format: Format = "table",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Evaluate open answers that are there already: how much of the reference's information each language holds.

    Each reply is put into the reference's language, sentence by sentence, and compared with the same model's reply to
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
    from hesperus.analysis.open_answers.run_tables import TABLES
    from hesperus.api.evaluating import evaluate
    from hesperus.errors import UnknownNameError
    from hesperus.reports.formats import print_table

    if table not in TABLES:
        raise UnknownNameError("table of evaluate", table, TABLES)
    found = evaluate(
        what, file, trained_on=_declared(trained_on), progress=not quiet,
        **replies.named(), **asdict(instruments), **asdict(engines), **drawn.named(),
    )  # fmt: skip
    if out is not None:
        say(f"written: {found.save(out)}")
    if report is not None:
        say(f"written: {found.report(report)}")
    made = found.table(table)
    if found.nothing:
        say(found.nothing)
    if not found.nothing or format != "table":
        print_table(made, format)
    for line in found.found.notes():
        say(line)


def _declared(given: list[str] | None) -> dict[str, tuple[str, ...]]:
    """Model to languages, from MODEL=de,fr."""
    from hesperus.languages import normalise

    found: dict[str, tuple[str, ...]] = {}
    for model, tags in named_values("--trained-on", given, "MODEL=de,fr,…", last=True):
        found[model] = (*found.get(model, ()), *(normalise(tag) for tag in tags.split(",") if tag.strip()))
    return found
