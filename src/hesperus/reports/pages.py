"""What every page shares: templates that escape, the style, figures in place, the study and its signature as text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from hesperus.fingerprint import plain
from hesperus.reports.drawing import Drawing
from hesperus.reports.theme import inline_svg
from hesperus.untrusted import shortened, visible
from hesperus.version import __version__

_LONGEST = 1200
"""Characters of a text in an example."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure.

    Attributes:
        id: Anchor, and the prefix of the ids inside.
        svg: The drawing.
        caption: What it shows.
        alt: The same for those who do not see it, and where the numbers stand.
        wide: Whether it is shown in its own size and scrolled.
    """

    id: str
    svg: Markup
    caption: str
    alt: str
    wide: bool = False


def page(template: str, **held: Any) -> str:
    """Fill a template of this room in; every text is escaped."""
    return _environment().get_template(template).render(version=__version__, css=Markup(_css()), **held)


def figure(drawing: Drawing) -> Figure:
    """A drawing for a page."""
    # The renderer escapes every text that it draws; a test feeds it markup
    svg = Markup(inline_svg(drawing.chart, drawing.name))
    alt = f"Figure: {drawing.caption}"
    alt += f" The table on {drawing.table} has the numbers." if drawing.table else ""
    return Figure(f"figure-{drawing.name}", svg, drawing.caption, alt, wide=drawing.wide)


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("hesperus.reports", "templates"),
        autoescape=select_autoescape(
            default=True, default_for_string=True, enabled_extensions=("j2", "html")
        ),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["visible"] = visible
    environment.filters["shortened"] = lambda text: shortened(text, _LONGEST)
    return environment


def _css() -> str:
    loader = PackageLoader("hesperus.reports", "templates")
    return loader.get_source(Environment(autoescape=True), "report.css")[0]


_USER = re.compile(r"(//)[^/@\s]+@")


_ADDRESS = re.compile(r"[a-z]+://\S+")
_PLACE = re.compile(r"(?:/|[A-Za-z]:[\\/])[^\s/\\]+[\\/]\S*")


def _to_share(value: Any, key: str = "") -> Any:
    """What may be passed on: no endpoint's address, no user or password in any, of an absolute path its last name."""
    if isinstance(value, str):
        if key == "base_url" and _ADDRESS.fullmatch(value):
            return "(an address)"
        if _PLACE.fullmatch(value):
            return re.split(r"[\\/]", value.rstrip("/\\"))[-1]
        return _USER.sub(r"\1", value)
    if isinstance(value, Mapping):
        return {name: _to_share(inner, str(name)) for name, inner in value.items()}
    return [_to_share(inner, key) for inner in value] if isinstance(value, list | tuple) else value


def study_text(study: Mapping[str, object]) -> str:
    """The resolved study as YAML; empty where there is none."""
    if not study:
        return ""
    return str(yaml.safe_dump(_to_share(plain(study)), allow_unicode=True, sort_keys=False))


def signature_text(run: Mapping[str, object], numbers: Mapping[str, object]) -> str:
    """How the run and the numbers of a page were made, as JSON."""
    document = {"run": _to_share(plain(run)), "numbers": _to_share(plain(numbers))}
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True)
