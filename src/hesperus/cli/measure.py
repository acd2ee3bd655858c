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
    TAX_MEASURES,
    TRANSLATION,
    offered_measures,
)
from hesperus.cli.flags import INTERVALS, MEASURED, Flags, Format, RunPath, takes_flags
from hesperus.cli.help import PlainCommand
from hesperus.cli.said import say
from hesperus.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typer._click import Context

    from hesperus.analysis.settings import GivenSettings
    from hesperus.analysis.table import Table

_SETTINGS = Flags(MEASURED, "a b by invalid resamples seed interval threshold comet_threshold")
_CHOSEN = Flags("hesperus.api.measuring:measure")
_RATINGS = Flags("hesperus.api.rating_measures:measure_ratings", without="by", panel="For raters")
_NO_PAIR = "nothing in {run} can be compared; --a and --b name two cells"
_NO_ROWS = {
    "decomposition": "in {run} no original was also asked with its instruction and with its input in another sense alone",
    "contrasts": "{run} does not have two models in two languages, whose pairs could be compared",
    "all_languages": "no model in {run} was asked in two languages",
    "prompts": "no prompt of {run} was translated",
}


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


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
    what: Annotated[
        str,
        typer.Argument(
            help=f"summary (begin here), {_either(sorted({*MEASURES, TRANSLATION} - {'summary'}))}; of a similarity study also "
            f"{_either([name for name in SIMILARITY if name not in MEASURES])}; of open answers {_either(OPEN_ANSWERS)}; of an audit "
            f"{_either(list(TAX_MEASURES))}; of a long table of ratings: {', '.join(OF_RATINGS)}.",
            show_default=False,
        ),
    ],
    run: RunPath,
    statistic: Annotated[list[str] | None, typer.Option(help="Only this statistic; repeatable.")] = None,
    format: Format = "table",
    *,
    given: Annotated[Any, _SETTINGS],
    ratings: Annotated[Any, _RATINGS],
    **chosen: Annotated[Any, _CHOSEN],
) -> None:
    """Measure a run: how consistent, how accurate, how readable, and how sure that is.

    Every number comes with a 95 % interval from resampled items. Without --a and --b, consistency compares whatever
    the senses in the file imply: each made sense with its source (both, instruction only, input only), and repeats.

    `summary` has a line for each model and language: accuracy, consistency with its noise floor and what chance alone would
    give, agreement corrected for chance, the share answered, what was excluded and why.

    For example:

        hesperus measure summary runs/atlas

        hesperus measure consistency runs/atlas

        hesperus measure consistency records.parquet --a instruction=en,input=en --b instruction=de_from_en,input=en

        hesperus measure accuracy runs/atlas --by subject --format csv

        hesperus measure agreement runs/atlas --a hi --b sw --statistic kappa_p

        hesperus measure all_languages runs/atlas --statistic krippendorff_alpha --statistic ac3

        hesperus measure scores runs/open --statistic f_of_means

        hesperus measure raters cues.csv --question cue

        hesperus measure categories why.csv --by model

        hesperus measure raters ratings.csv --unit item --rater who --rating score --level ordinal
    """
    from hesperus.api.measuring import measured, run_description
    from hesperus.api.tables_of_records import Told
    from hesperus.reports.formats import print_table

    _known(what)
    if what in OF_RATINGS:
        print_table(_narrow(_ratings(what, run, ratings, given, chosen), statistic or ()), format)
        return
    if used := _RATINGS.used(ratings):
        raise UsageError(f"{', '.join(used)} belongs to `measure raters`, not to {what}")
    told = None if what == "outcomes" else Told(given, run_description(run))
    scores, picked = chosen["scores"], (chosen["models"], chosen["tasks"])
    found = measured(what, run, given, chosen=picked, scores=scores, told=told)
    nothing = "" if told is None else told.nothing()
    if nothing:
        say(nothing)
    if not nothing or format != "table" or what == "summary":
        print_table(_narrow(found, statistic or ()), format)
    for note in [] if told is None or nothing else told.notes():
        say(f"note: {note}")
    if not found.rows:
        say(f"no rows: {_NO_ROWS.get(what, _NO_PAIR).format(run=run)}")


command.help_class = MeasureCommand  # type: ignore[attr-defined]


def _known(what: str) -> None:
    from hesperus.errors import UnknownNameError

    known = (*OF_RUNS, *OF_RATINGS, *offered_measures())
    if what not in known:
        raise UnknownNameError("measure", what, known)


def _ratings(
    what: str, path: Path, ratings: Mapping[str, Any], given: GivenSettings, chosen: Mapping[str, Any]
) -> Table:
    """Measure a table of ratings, which takes none of the flags of records."""
    from hesperus.api.rating_measures import measure_ratings

    of_records = {
        name: getattr(given, name) for name in ("a", "b", "invalid", "threshold", "comet_threshold")
    }
    foreign = [f"--{name.replace('_', '-')}" for name, value in of_records.items() if value is not None]
    if foreign := [*_CHOSEN.used(chosen), *foreign]:
        raise UsageError(
            f"{', '.join(foreign)} chooses among records, and {what} measures a table of ratings; keep the rows you want "
            "in the table, or measure groups apart (--by COLUMN)"
        )
    drawn = {name: getattr(given, name) for name in INTERVALS.names.split()}
    found = measure_ratings(path, what, by=given.by or (), **ratings, **drawn)
    notes = found.signature.get("notes")
    for line in notes if isinstance(notes, list) else ():
        say(f"note: {line}")
    return found


def _narrow(table: Table, statistics: Sequence[str]) -> Table:
    return table.only("statistic", statistics) if statistics and table.rows else table
