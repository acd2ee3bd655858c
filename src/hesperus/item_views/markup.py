"""The templates of this room: macros that draw a MatrixView and a QuestionView, and their style.

Import the macros in a template of an environment made here::

    {% from "item_matrix.html.j2" import item_matrix, item_marks %}
    {% from "item_question.html.j2" import item_question %}
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

from hesperus.untrusted import one_line, shortened, visible
from hesperus.wording import counted

LONGEST = 20_000
"""Characters of a text that a page shows."""


def environment(*loaders: BaseLoader) -> Environment:
    """Templates that escape everything put into them; the macros of this room are among them.

    Args:
        loaders: Where the page's own templates are.
    """
    made = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("hesperus.item_views", "templates")]),
        autoescape=select_autoescape(
            default=True, default_for_string=True, enabled_extensions=("j2", "html")
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["visible"] = visible
    made.filters["one_line"] = one_line
    made.filters["counted"] = lambda number, name: counted(number, name)
    made.filters["shortened"] = lambda text, length=LONGEST: shortened(text, length)
    return made


@cache
def style() -> str:
    """The style sheet of all macros; colors are variables that the page sets (see matrix.css)."""
    return _sheet("matrix.css") + _sheet("question.css")


def _sheet(name: str) -> str:
    return (files("hesperus.item_views") / "templates" / name).read_text(encoding="utf-8")
