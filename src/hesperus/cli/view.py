"""`hesperus view`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.flags import takes_flags
from hesperus.cli.said import say


@takes_flags
def command(
    runs: list[Path],
    *,
    port: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=65535,
            help="Port on this machine; 0 takes a free one (default: 8766, or a free one if it is taken).",
        ),
    ] = None,
    items: str | None = None,
    no_browser: bool = False,
) -> None:
    """Explore runs in the browser: which questions are behind a number, and each of them in every language.

    The item matrix has a row for each model and item and a cell for each sense: right, wrong, changed against its reference,
    no answer. Filter it by a click, open a question with all its texts, replies and probabilities side by side, download
    what is left as CSV or JSON. Every filter is in the address, so that a view can be shared. Several runs are next
    to each other. Only this machine is served, only the one who has the address with its token, and nothing is
    written but answers that you correct, into overrides.csv next to the records, which reread takes.

    For example:

        hesperus view runs/atlas

        hesperus view runs/atlas --items 'model=pocket/l&right=en&wrong=sw'

        hesperus view runs/before runs/after --port 0 --no-browser

    Args:
        runs: Run folders or records files (Parquet, CSV, JSON lines).
        items: Items to begin with: a filter as it is in an address of the explorer or of a report's page.
        no_browser: Print the address and open nothing.
    """
    from urllib.parse import parse_qsl

    from hesperus.api.results import open_run
    from hesperus.explorer.addresses import View
    from hesperus.explorer.server import serve
    from hesperus.explorer.state import OpenRuns, with_scores_of

    view = View.parse(parse_qsl(items or ""))
    opened = OpenRuns.of(
        [(place.resolve().name, with_scores_of(open_run(place).run, place)) for place in runs], runs
    )

    def ready(url: str) -> None:
        say(f"{url}\nserving {', '.join(opened.runs)} on this machine only; Ctrl-C stops")
        if not no_browser:
            _show(url)

    with suppress(KeyboardInterrupt):  # how it ends
        serve(opened, port, ready, view=view)


def _show(url: str) -> None:
    """Open a browser if there is a screen: elsewhere Python would start one in this terminal."""
    import os
    import sys
    import webbrowser

    if sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        webbrowser.open(url)
