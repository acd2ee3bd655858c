"""`hesperus compare`."""

from __future__ import annotations

from typing import Annotated, Any

from hesperus.cli.flags import AUDIT, MEASURED, Flags, Format, takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[
        Any,
        Flags("hesperus.api.run_comparison:compare", arguments="run_a run_b what"),
        Flags(MEASURED, "by invalid resamples seed interval"),
        Flags(
            AUDIT, "original translated back natural native_task", panel="Of audits of a translated benchmark"
        ),
    ],
) -> None:
    """Set two runs next to each other: paired differences (second − first), intervals, tests.

    Items count where both runs have them. `p` comes from the same weights of items as the interval: of shares it is worked
    out and decides where the drawn interval differs, of similarity (κ_p of two languages) it is drawn too. `p_holm`
    corrects it for the number of rows, `detectable` is the smallest difference that this test, uncorrected, would find in
    so many items with a chance of 80 %. --resamples 0 leaves out interval and p.

    Of audits of a translated benchmark, the tax of either run over the items that count in both, and their difference: `p` is
    of exchanging the runs item by item (of the native control: of items that change sets).

    Of open answers, `p` is of exchanging both sides prompt by prompt, and `p_holm` corrects it over the rows of a
    statistic. Where judge, translator or rules differ between the runs, standard error says so.

    For example:

        hesperus compare runs/before runs/after

        hesperus compare runs/atlas runs/atlas accuracy --model-a pocket/s --model-b pocket/l

        hesperus compare runs/before runs/after similarity --format csv

        hesperus compare runs/audit-before runs/audit-after back_translation --by subject

        hesperus compare runs/open-before runs/open-after scores --format markdown
    """
    from hesperus.analysis.compared import changed_sentence
    from hesperus.analysis.open_answers.open_comparison import main_rows
    from hesperus.analysis.open_answers.open_measures import OPEN_COMPARED
    from hesperus.api.run_comparison import compare
    from hesperus.reports.formats import print_table

    found = compare(**settings)
    if format == "table" and all(row["value"] is None for row in found.rows):
        reasons = dict.fromkeys(str(row["reason"]) for row in found.rows if row["reason"])
        say(f"no difference could be measured: {'; '.join(reasons) or 'no row'}")
        return
    is_short = (
        format == "table"
        and found.measure.removeprefix("compare ") in OPEN_COMPARED
        and "evaluator" in found.columns
    )
    shown = main_rows(found) if is_short else found
    print_table(shown, format, lead=changed_sentence(shown))
    if is_short:
        say("all statistics, ceilings and reasons: --format json or csv")
