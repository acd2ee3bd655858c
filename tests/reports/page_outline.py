"""The outline of an HTML page: whether its tags close in order, what it would load, what its anchors are; a page without drawings."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser

from hesperus.reports.blocks import Block, Code, Fold, Page
from hesperus.reports.drawing import Drawing
from hesperus.reports.html_page import html
from hesperus.reports.theme import specification

VOID = {"meta", "br", "img", "hr", "input", "link"}
LOADS = {
    "link",
    "img",
    "iframe",
    "object",
    "embed",
    "video",
    "audio",
    "source",
    "base",
    "form",
    "foreignobject",
}


class Outline(HTMLParser):
    """Checks that tags close in order, and notes what is there."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, Mapping[str, str | None]]] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append((tag, found))
        if identifier := found.get("id"):
            self.ids.append(identifier)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes something else, line {self.getpos()[0]}"

    def count(self, tag: str) -> int:
        """How many there are of an element."""
        return sum(name == tag for name, _ in self.tags)


def outline(text: str) -> Outline:
    found = Outline()
    found.feed(text)
    found.close()
    assert found.open == []
    return found


def undrawn(page: Page) -> str:
    """The page as HTML with what its figures are drawn of in their place: drawing takes most of the time of a page."""

    def told(blocks: Sequence[Block]) -> Iterator[Block]:
        for block in blocks:
            if isinstance(block, Drawing):
                yield Code(f"{block.name}: {block.caption}", specification(block.chart))
            else:
                yield replace(block, blocks=tuple(told(block.blocks))) if isinstance(block, Fold) else block

    return html(replace(page, lead=tuple(told(page.lead)), blocks=tuple(told(page.blocks))))


def as_read(text: str) -> str:
    """A page without what sets numbers in type: cells hold their text alone."""
    return re.sub(r'</?small>| data-(?:value|low|high|leads)="[^"]*"', "", text)


def loads_nothing(text: str) -> None:
    """Asserts that a page runs one script, which its policy names by hash, and fetches nothing.

    Questions lie packed in scripts that are plain text, which no browser runs.
    """
    found = outline(text)
    scripts = [attrs for tag, attrs in found.tags if tag == "script"]
    assert [attrs for attrs in scripts if attrs.get("type") != "text/plain"] == [{}]
    script = text.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert not {tag for tag, _ in found.tags} & LOADS
    for tag, attrs in found.tags:
        bad = [name for name in attrs if name.startswith("on") or name in {"src", "action", "srcset"}]
        assert not bad, tag
        assert tag == "a" or not attrs.get("href"), tag
    assert "url(http" not in text and "@import" not in text
    policy = next(a["content"] for _, a in found.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; font-src data:; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def is_sound(text: str) -> Outline:
    """Asserts that anchors are unique and every link goes to one, and that headings, tables and figures are in order."""
    found = outline(text)
    assert len(found.ids) == len(set(found.ids))
    links = [str(attrs["href"]) for tag, attrs in found.tags if tag == "a"]
    assert links and all(link[0] == "#" and link[1:] in found.ids for link in links)
    headings = [int(tag[1]) for tag, _ in found.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in zip(headings, headings[1:], strict=False))
    assert found.count("caption") == found.count("table")
    assert found.count("figcaption") == found.count("figure")
    return found
