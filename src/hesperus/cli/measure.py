"""`hesperus measure`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from hesperus.cli.help import PlainCommand
from hesperus.cli.measure_flags import Chosen, Format, RunPath, TableFlags, takes_flags
from hesperus.cli.measure_raters import RaterFlags, measured_raters
from hesperus.cli.said import say
from hesperus.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from typer._click import Context

    from hesperus.analysis.table import Table

_CELL = "instruction=…,input=…[,repeat=…][,model=…], or one code for both"
_NO_PAIR = "nothing in {run} can be compared; --a and --b name two cells"
_NO_ROWS = {
    "decomposition": "in {run} no original was also asked with its instruction and with its input in another sense alone",
    "contrasts": "{run} does not have two models in two languages, whose pairs could be compared",
    "all_languages": "no model in {run} was asked in two languages",
    "prompts": "no prompt of {run} was translated",
}


@dataclass(frozen=True, slots=True)
class TranslationFlags:
    """The flags of `measure translation`."""

    scores: Annotated[
        Path | None, typer.Option(help="For translation: item scores (default: scores.parquet of the run).")
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(
            help="For translation: scores from 0 to 100 strictly above it count as good; ROUGE takes a hundredth (default: 50)."
        ),
    ] = None
    comet_threshold: Annotated[
        float | None,
        typer.Option(help="For translation: the same for COMET, with scores between 0 and 1 (default: 0.8)."),
    ] = None

    def thresholds(self, what: str) -> dict[str, float | None]:
        """The thresholds; a UsageError if another measure is given one."""
        given = {"threshold": self.threshold, "comet_threshold": self.comet_threshold}
        if what != "translation" and any(value is not None for value in given.values()):
            raise UsageError(f"--threshold and --comet-threshold are for translation, not for {what}")
        return given


def _either(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


class MeasureCommand(PlainCommand):
    """The command; who names a run alone is told what else it takes, and its help names the measures of plug-ins too."""

    def parse_args(self, ctx: Context, args: list[str]) -> list[str]:
        """Read the words of the command line."""
        if len(args) == 1 and Path(args[0]).exists():
            raise UsageError(f"what to measure is not said; begin with: hesperus measure summary {args[0]}")
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
    a: Annotated[str | None, typer.Option(help=f"Source of a comparison: {_CELL}.")] = None,
    b: Annotated[str | None, typer.Option(help="What to compare it with, likewise.")] = None,
    statistic: Annotated[list[str] | None, typer.Option(help="Only this statistic; repeatable.")] = None,
    chosen: Chosen = Chosen(),
    flags: TableFlags = TableFlags(),
    translation: TranslationFlags = TranslationFlags(),
    format: Format = "table",
    ratings: RaterFlags = RaterFlags(),
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
        others = {**chosen.named(), "a": a, "b": b, "scores": translation.scores, "invalid": flags.invalid}
        print_table(_narrow(_ratings(what, run, ratings, flags, others), statistic or ()), format)
        return
    if ratings.used():
        raise UsageError(f"{', '.join(ratings.used())} belongs to `measure raters`, not to {what}")
    given = flags.given(a=a, b=b, **translation.thresholds(what))
    told = None if what == "outcomes" else Told(given, run_description(run))
    found = measured(what, run, given, chosen=chosen.pair, scores=translation.scores, told=told)
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
    what: str, path: Path, ratings: RaterFlags, flags: TableFlags, others: Mapping[str, object]
) -> Table:
    """Measure a table of ratings, which takes none of the flags of records."""
    from hesperus.analysis.settings import GivenSettings, resolve_bootstrap
    from hesperus.measures import Bootstrap

    given = GivenSettings.of(resamples=flags.resamples, seed=flags.seed, interval=flags.interval)
    foreign = {f"--{name}": value for name, value in others.items()}
    drawn = resolve_bootstrap(given, {}, Bootstrap())
    return measured_raters(path, ratings, what=what, by=flags.by or (), bootstrap=drawn, others=foreign)


def _narrow(table: Table, statistics: Sequence[str]) -> Table:
    return table.only("statistic", statistics) if statistics and table.rows else table
