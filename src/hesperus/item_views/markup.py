"""The templates of this room: macros that draw a MatrixView and a QuestionView, and their style.

Import the macros in a template of an environment made here::

    {% from "item_matrix.html.j2" import item_matrix, item_marks %}
    {% from "item_question.html.j2" import item_question %}
"""

from __future__ import annotations

import base64
import re
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from types import CodeType

from jinja2 import (
    BaseLoader,
    BytecodeCache,
    ChoiceLoader,
    Environment,
    PackageLoader,
    StrictUndefined,
    select_autoescape,
)
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from hesperus.untrusted import one_line, shortened, visible
from hesperus.wording import counted

FONTS = Path(__file__).parent / "fonts"

LONGEST = 20_000
"""Characters of a text that a page shows."""


class _Compiled(BytecodeCache):
    """Templates of this process, compiled once: every page has an environment of its own."""

    def __init__(self) -> None:
        self._code: dict[str, CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give the template's code, if it was compiled before."""
        bucket.code = self._code.get(bucket.key + bucket.checksum)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the template's code."""
        if bucket.code is not None:
            self._code[bucket.key + bucket.checksum] = bucket.code


_COMPILED = _Compiled()


def environment(*loaders: BaseLoader) -> Environment:
    """Templates that escape everything put into them; the macros of this room are among them.

    ``once(macro, argument, …)`` writes what it wrote before of equal arguments: a page has 70,000 cells of some hundred kinds.
    """
    made = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("hesperus.item_views", "templates")]),
        autoescape=select_autoescape(
            default=True, default_for_string=True, enabled_extensions=("j2", "html")
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=_COMPILED,
    )
    made.filters["visible"] = visible
    made.filters["one_line"] = one_line
    made.filters["with_code"] = _with_code
    made.filters["counted"] = lambda number, name: counted(number, name)
    made.filters["shortened"] = lambda text, length=LONGEST: shortened(text, length)
    made.globals["once"] = lru_cache(maxsize=16_384)(lambda macro, *arguments: macro(*arguments))
    return made


def _with_code(text: str) -> Markup:
    """A text with the parts between backticks set as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))


@cache
def style() -> str:
    """The style sheet that all pages begin with: font, colors, and what the macros of this room need."""
    return font_faces() + "".join(map(_sheet, ("base.css", "matrix.css", "question.css")))


def font_faces() -> str:
    """The fonts as CSS that loads nothing: Latin and Greek letters, digits and signs, in two weights."""
    return "".join(
        f'@font-face{{font-family:"Hesperus Sans";font-weight:{weights};src:url(data:font/woff2;base64,'
        f'{base64.b64encode((FONTS / f"{name}.woff2").read_bytes()).decode()}) format("woff2")}}'
        for name, weights in (("regular", "1 500"), ("semibold", "501 1000"))
    )


def _sheet(name: str) -> str:
    return (files("hesperus.item_views") / "templates" / name).read_text(encoding="utf-8")
