"""A drawing in fewer bytes: what all parts of a group have in common is said once, by the group."""

from __future__ import annotations

import re
from collections import Counter
from os.path import commonprefix
from xml.etree import ElementTree

_NAMESPACE = "http://www.w3.org/2000/svg"
_DRAWN = frozenset({"g", "path", "text", "line", "rect", "circle"})
_INHERITED = (
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "text-anchor", "font-family",
    "font-size", "font-weight",
)  # fmt: skip
_PLACES = ("d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height")
_DECIMALS = re.compile(r"-?\d+\.\d{3,}")
_RGB = re.compile(r"rgb\((\d+), (\d+), (\d+)\)")
_MANY = 2000
"""Marks of a group from which on those that look alike are drawn as one."""
_LEADS, _UNDER = "data-leads", "data-under"


def lean(svg: str) -> str:
    """The same picture: attributes that all children of a group share are moved to it, and lengths have two decimals.

    Where marks lead (``data-leads``), what all marks of a group begin with is moved to the group (``data-under``).
    """
    ElementTree.register_namespace("", _NAMESPACE)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(svg)
    _shrink(root)
    return ElementTree.tostring(root, encoding="unicode").replace(" />", "/>")


def _shrink(node: ElementTree.Element) -> None:
    kept = []
    for child in node:
        kind = _kind(child)
        if kind == "path" and not child.get("d"):
            continue
        if kind in _DRAWN:
            _plain(child)
        _shrink(child)
        if kind == "g" and len(child) == 1 and set(child.attrib) == {_LEADS}:
            child[0].set(_LEADS, child.attrib[_LEADS])
            child = child[0]
        kept.append(child)
    node[:] = _merged(kept) if len(kept) > _MANY else kept
    parts = [child for child in kept if _kind(child) != "title"]
    if _kind(node) == "g" and len(parts) > 1 and all(_kind(child) in _DRAWN for child in parts):
        _shared(node, parts)


def _merged(parts: list[ElementTree.Element]) -> list[ElementTree.Element]:
    """Marks that look alike and say nothing of their own become one: the cells of a map of 200 languages are in the way else."""
    alike: dict[tuple[tuple[str, str], ...], ElementTree.Element] = {}
    kept = []
    for part in parts:
        look = tuple(sorted((name, value) for name, value in part.attrib.items() if name != "d"))
        if _kind(part) != "path" or len(part) or "transform" in part.attrib:
            kept.append(part)
        elif look in alike:
            alike[look].set("d", alike[look].attrib["d"] + part.attrib["d"])
        else:
            alike[look] = part
            kept.append(part)
    return kept


def _plain(node: ElementTree.Element) -> None:
    node.attrib.pop("pointer-events", None)
    if node.get("opacity") == "1":
        del node.attrib["opacity"]
    for name in _PLACES:
        if name in node.attrib:
            node.set(
                name,
                _DECIMALS.sub(
                    lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), node.attrib[name]
                ),
            )
    for name in ("fill", "stroke"):
        if found := _RGB.fullmatch(node.get(name, "")):
            node.set(name, "#" + "".join(f"{int(part):02x}" for part in found.groups()))


def _shared(group: ElementTree.Element, parts: list[ElementTree.Element]) -> None:
    """Only what every part says itself can move: a part without the attribute has that of its ancestors."""
    for name in _INHERITED:
        values = Counter(value for part in parts if (value := part.get(name)) is not None)
        if values.total() != len(parts):
            continue
        (most, _), *_ = values.most_common(1)
        group.set(name, most)
        for part in parts:
            if part.get(name) == most:
                del part.attrib[name]
    leads = [value for part in parts if (value := part.get(_LEADS)) is not None]
    prefix = commonprefix(leads).rpartition("=")
    if len(leads) > 1 and prefix[1] and not any(part.get(_UNDER) for part in parts):
        begin = prefix[0] + prefix[1]
        group.set(_UNDER, begin)
        for part in parts:
            if _LEADS in part.attrib:
                part.set(_LEADS, part.attrib[_LEADS].removeprefix(begin))


def _kind(node: ElementTree.Element) -> str:
    return node.tag.rpartition("}")[2]
