"""`hesperus measure`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.analysis.measure_names import (
    MEASURES,
    OF_RATINGS,
    OF_RUNS,
    OPEN_ANSWERS,
    SIMILARITY,
    TAX_TABLES,
    TRANSLATION,
    offered_measures,
)
from hesperus.cli.flags import AUDIT, MEASURED, Flags, Format, RunPath, completed, takes_flags
from hesperus.cli.help import PlainCommand
from hesperus.cli.said import say
from hesperus.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typer._click import Context

_NO_PAIR = "nothing in {run} can be compared; --a and --b name two cells"
_NO_ROWS = {
    "decomposition": "in {run} no original was also asked with its instruction and with its input in another sense alone",
    "contrasts": "{run} does not have two models in two languages, whose pairs could be compared",
    "all_languages": "no model in {run} was asked in two languages",
    "prompts": "no prompt of {run} was translated",
}


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


What = Annotated[
    str,
    typer.Argument(
        help=f"summary (begin here), {_either(sorted({*MEASURES, TRANSLATION} - {'summary'}))}; of a similarity study also "
        f"{_either([name for name in SIMILARITY if name not in MEASURES])}; of open answers {_either(OPEN_ANSWERS)}; of an audit "
        f"{_either(list(TAX_TABLES))}; of a long table of ratings: {', '.join(OF_RATINGS)}.",
        show_default=False,
        autocompletion=completed(dict.fromkeys((*OF_RUNS, *TAX_TABLES, *OF_RATINGS))),
    ),
]


class MeasureCommand(PlainCommand):
    """The command; who names a run alone is told what else it takes, and its help names the measures of plug-ins too."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the words of the command line."""
        if len(args) == 1 and Path(args[0]).exists():
            raise UsageError(
                f"what to measure is not said; begin with: hesperus measure summary {shlex.quote(args[0])}"
            )
        return super().parse_args(ctx, args)

    def shown_help(self, ctx: Context) -> str:
        """What the command does, and what plug-ins add."""
        names = offered_measures()
        if not names:
            return super().shown_help(ctx)
        from hesperus.analysis.registry import measure_of

        declared = {name: measure_of(name) for name in names}
        told = "; ".join(f"{name}: {one.help.removesuffix('.')}" for name, one in declared.items() if one)
        return f"{super().shown_help(ctx)}\n\nMeasures of plug-ins: {told}."


@takes_flags
def command(
    what: What,
    run: RunPath,
    format: Format = "table",
    **settings: Annotated[
        Any,
        Flags("hesperus.api.measuring:measure", without="told"),
        Flags(MEASURED, "a b by invalid resamples seed interval threshold comet_threshold"),
        Flags("hesperus.api.rating_measures:measure_ratings", without="by", panel="For raters"),
        Flags(
            AUDIT, without="audit tasks scores threshold scale", panel="Of an audit of a translated benchmark"
        ),
    ],
) -> None:
    """Measure a run: how consistent, how accurate, how readable, and how sure that is.

    Every number comes with a 95 % interval from resampled items. Without --a and --b, consistency compares whatever
    the senses in the file imply: each made sense with its source (both, instruction only, input only), and repeats.

    `summary` has a line for each model and language: accuracy, consistency with its noise floor and what chance alone would
    give, agreement corrected for chance, the share answered, what was excluded and why.

    Of an audit of a translated benchmark, or of any records of one: `back_translation` (E1), accuracy on the original minus
    that on what came back, of which `clustered` is the estimate to report; `native_control` (E3), against items that were
    written in the language; `naturalisation` (E4), against naturally rewritten ones; `rating` (E2), whether what people see
    in an item goes with its tax; `parsers`, which cells depend on the parser of the replies; `bounds`, how far invalid
    answers could move each difference.

    For example:

        hesperus measure summary runs/atlas

        hesperus measure consistency records.parquet --a instruction=en,input=en --b instruction=de_from_en,input=en

        hesperus measure accuracy runs/atlas --by subject --format csv

        hesperus measure agreement runs/atlas --a hi --b sw --statistic kappa_p

        hesperus measure all_languages runs/atlas --statistic krippendorff_alpha --statistic ac3

        hesperus measure scores runs/open --statistic f_of_means

        hesperus measure raters ratings.csv --unit item --rater who --rating score --level ordinal

        hesperus measure back_translation records.csv --scores bleu.csv --threshold 25 --group english=gpt-4o,gpt-4o-mini

        hesperus measure native_control runs/mmmlu --native runs/include --translated zh

        hesperus measure parsers runs/tax-mmmlu-1a2b3c4d --parser strict --parser ohmer2023
    """
    from hesperus.api.measuring import measure
    from hesperus.api.told import Told
    from hesperus.reports.formats import print_table

    told = Told()
    found = measure(what, run, told=None if what == "outcomes" else told, **settings)
    nothing = told.nothing()
    if nothing:
        say(nothing)
    if not nothing or format != "table" or what == "summary":
        print_table(found, format)
    notes = found.signature.get("notes") if what in OF_RATINGS else told.notes(found)
    for note in notes if isinstance(notes, list) and not nothing else ():
        say(f"note: {note}")
    if what in TAX_TABLES:
        from hesperus.api.tax_evidence import audit_notes

        whole = format == "table" and not nothing
        for line in audit_notes(found, asked=bool(settings.get("parsers")), whole=whole):
            say(line)
    if not found.rows:
        say(f"no rows: {_NO_ROWS.get(what, _NO_PAIR).format(run=run)}")


command.help_class = MeasureCommand  # type: ignore[attr-defined]
