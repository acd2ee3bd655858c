"""What the commands of `hesperus annotate` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hesperus.cli.said import say

Store = Annotated[Path, typer.Argument(help="Rating store (.sqlite) that `create` made.", show_default=False)]


def tell(*lines: str) -> None:
    """Say something next to the data; what is in a line may come from raters."""
    from hesperus.untrusted import visible

    for line in lines:
        say(visible(line))
