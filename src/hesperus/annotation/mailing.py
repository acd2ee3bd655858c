"""The page as one file that can be mailed: no server, no network; its result file is imported again."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from hesperus.annotation.payload import payload, script_json
from hesperus.annotation.server import asset, page_environment
from hesperus.annotation.store import Rater, RatingStore
from hesperus.records.files import write_content


@dataclass(frozen=True, slots=True)
class Mailed:
    """What is inside the file.

    Attributes:
        data: The page's data as JSON that may be in a script element.
        script: The page's scripts.
        style: The page's style sheet.
        script_hash: What the content security policy allows to run: this script and no other.
        style_hash: Likewise.
    """

    data: Markup
    script: Markup
    style: Markup
    script_hash: str
    style_hash: str


def mailed_html(store: RatingStore, rater: Rater) -> str:
    """The page of one rater as one file. It holds no token, no other rater's judgements and no hidden column."""
    script, style = asset("saving.js") + asset("rate.js"), asset("rate.css")
    mailed = Mailed(
        # Escaped for this place by script_json; both assets are our own
        data=Markup(script_json(payload(store, rater))),
        script=Markup(script),
        style=Markup(style),
        script_hash=_hash(script),
        style_hash=_hash(style),
    )
    return (
        page_environment().get_template("rate.html.j2").render(title=store.sheet.scheme.title, mailed=mailed)
    )


def write_mailed(store: RatingStore, rater: Rater, path: Path | str) -> Path:
    """Write the page of one rater as one file."""
    path = Path(path)
    write_content(path, mailed_html(store, rater))
    return path


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
