"""`hesperus check`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from hesperus.cli.flags import MEASURED, Flags, Format, takes_flags
from hesperus.cli.said import say

if TYPE_CHECKING:
    from hesperus.analysis.table import Table


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[
        Any,
        Flags("hesperus.api.checking:check", arguments="run", options="require"),
        Flags(MEASURED, "by invalid resamples seed interval"),
    ],
) -> None:
    """Hold a run to requirements, for continuous integration: exit code 1 where one does not hold.

    A requirement is MEASURE[.STATISTIC][.low|.high], then what it is about in square brackets, then >=, >, <= or < and
    a number. In the brackets: a sense (de_from_en), an instruction and an input (en/de_from_en), or column=value;
    model=NAME takes the rows of which both sides are that model. Every row that it is about must satisfy it; an
    undefined value does not.

    A drop is [MEASURE[.low|.high][…]=]NUMBER, of accuracy, consistency, similarity or validity, item by item against
    --baseline; `.high=0` fails only where the whole interval shows a fall: the intervals are simultaneous over all rows that such
    drops are about, so that a run without any change fails in at most 2.5 % of cases. Of open answers it is of scores or
    groups, with a statistic (scores.recall[de]=0.03), or without one of F of means and agreement. Of audits of a translated
    benchmark it is of back_translation, native_control or naturalisation: how far the tax may rise; `.low=0` fails only where
    the whole interval shows a rise.

    For example:

        hesperus check runs/atlas --require 'consistency[de_from_en] >= 0.8'

        hesperus check runs/atlas --require 'accuracy.low[model=pocket/l, en] > 0.6' --junit check.xml

        hesperus check runs/atlas --require 'agreement.kappa_p[hi, model=pocket/m] >= 0.5' --require 'validity >= 0.95'

        hesperus check runs/similarity --require 'means[within_model, pocket/m] >= 0.3'

        hesperus check runs/open --require 'scores.f_of_means.low[language=de] >= 0.6'

        hesperus check runs/new --baseline runs/old --max-drop 0.02 --max-drop 'consistency.high=0' --summary check.md

        hesperus check runs/open --baseline runs/open-before --max-drop 'scores.f_of_means.high[all]=0' --junit check.xml
    """
    from hesperus.api.checking import check
    from hesperus.reports.checked import failures_first, passed_sentence
    from hesperus.reports.formats import print_table

    checked = check(**settings)
    shown = failures_first(checked) if format == "table" else checked
    print_table(shown, format, lead=f"check: {passed_sentence(checked)}")
    _exit(checked, said=format == "table")


def _exit(checked: Table, *, said: bool) -> None:
    """Exit with 1 where a requirement does not hold; the sentence is not repeated where the table began with it."""
    from hesperus.analysis.requirements import ROUNDED, SIMULTANEOUS
    from hesperus.reports.checked import named, passed_sentence

    if any(SIMULTANEOUS in str(row["reason"]) for row in checked.rows):
        say(
            "note: intervals of --max-drop rows hold together over all rows whose ends a drop is about, and are wider than those "
            "of the requirements, which hold each by itself"
        )
    for row in checked.rows:
        if row["value"] is None:
            say(f"{named(row)}: undefined: {row['reason']}")
        elif ROUNDED in str(row["reason"]):
            say(f"{named(row)}: {row['reason']}")
    if not all(row["passed"] for row in checked.rows):
        if not said:
            say(passed_sentence(checked))
        raise typer.Exit(1)
