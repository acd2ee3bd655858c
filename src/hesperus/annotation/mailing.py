"""The page as one file that can be mailed: no server, no network; its result file is imported again."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from markupsafe import Markup

from hesperus.annotation.payload import payload, script_json
from hesperus.annotation.server import asset, page_environment
from hesperus.annotation.store import Rater, RatingStore
from hesperus.records.files import write_content


def mailed_html(store: RatingStore, rater: Rater) -> str:
    """The page of one rater as one file. It holds no token, no other rater's judgements and no hidden column."""
    script, style = asset("saving.js") + asset("rate.js"), asset("rate.css")
    mailed = {
        # Escaped for this place by script_json; both assets are our own
        "data": Markup(script_json(payload(store, rater))),
        "script": Markup(script),
        "style": Markup(style),
        # What the content security policy allows to run: this script, this style, and no other.
        "script_hash": _hash(script),
        "style_hash": _hash(style),
    }
    template = page_environment().get_template("rate.html.j2")
    return template.render(title=store.sheet.scheme.title, mailed=mailed)


def write_mailed(store: RatingStore, rater: Rater, path: Path | str) -> Path:
    """Write the page of one rater as one file."""
    path = Path(path)
    write_content(path, mailed_html(store, rater))
    return path


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
