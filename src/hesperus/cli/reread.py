"""`hesperus reread`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from hesperus.cli.flags import Flags, Format, takes_flags
from hesperus.cli.said import say, show_rows

if TYPE_CHECKING:
    from hesperus.studies.reread.rereading import RereadCounts


@takes_flags
def command(
    format: Format = "table",
    **settings: Annotated[Any, Flags("hesperus.api.reply_rereading:reread", arguments="run", options="out")],
) -> None:
    """Read the stored replies again, with the parser and language packs of this version; asks nothing.

    Writes `outcome`, `answer` and `rule`, and leaves every other column as it is. Rows without a reply, rows answered by
    probabilities and open answers stay as they are. Where no task file describes a row's task, options and gold say how it is read, as far
    as they tell; without them it stays as it is, too.

    For example:

        hesperus reread replies.parquet --task xnli --out answers.parquet

        hesperus reread runs/atlas --out runs/atlas-strict --parser strict

        hesperus reread runs/atlas --overrides reviewed.csv --out runs/atlas-reviewed
    """
    from hesperus.api.reply_rereading import reread

    counts, made = reread(**settings)
    rows = [
        {
            "outcome": name,
            "before": counts.before.get(name, 0),
            "after": counts.after.get(name, 0),
            "changed": counts.changed.get(name, 0),
        }
        for name in dict.fromkeys((*counts.before, *counts.after))
    ]
    changed = sum(counts.changed.values())
    changes = f"{changed:,} of {counts.rows:,} rows changed"
    columns = ("outcome", "before", "after", "changed")
    show_rows("reread", rows, format, columns=columns, signature=made, lead=f"reread: {changes}")
    say(f"written to {settings['out']}" if format == "table" else f"{changes}; written to {settings['out']}")
    _tell(counts)


def _tell(counts: RereadCounts) -> None:
    if counts.without_reply or counts.scored:
        say(
            f"as they were: rows without a reply {counts.without_reply:,}, rows answered by probabilities {counts.scored:,}"
        )
    if counts.whole:
        say(f"{counts.whole:,} rows with open answers are as they were; they hold no label to read")
    for name, many in counts.undescribed.items():
        say(
            f"{many:,} rows of {name!r} are as they were: no task file describes it; --task NAME or FILE says how it is read"
        )
    if counts.overridden:
        say(f"{counts.overridden:,} answers corrected by hand")
    for what, lines in (("reply has changed", counts.stale), ("record is not there", counts.unmatched)):
        if lines:
            shown = ", ".join(map(str, lines[:20])) + (", …" if len(lines) > 20 else "")
            say(f"overrides not applied because their {what}: line {shown}")
