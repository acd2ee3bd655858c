"""What docs and benchmarks name exists: modules and what is in them, files of the source, pages that links lead to."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GROUPS = {"hesperus.translators", "hesperus.measures", "hesperus.evaluators"}
"""Entry-point groups, which look like modules."""

_SOURCES = {
    file.name
    for folder in ("src", "tests", "benchmarks", "pocket", "recipes", "docs")
    for file in (ROOT / folder).rglob("*.py")
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_names_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    named = {*re.findall(r"(?<![\w/.-])hesperus(?:\.\w+)+(?!\w*\()", text), *_imported(text)} - GROUPS
    missing = [name for name in sorted(named) if not name.endswith((".json", ".yaml")) and not _exists(name)]
    missing += [
        file
        for file in re.findall(r"`[\w/]*?(\w+\.py)`", text)
        if file not in _SOURCES and file not in ("mine.py", "my_study.py")
    ]
    missing += [
        link
        for link in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
        if not link.startswith("http") and not (page.parent / link).exists()
    ]
    assert not missing, f"{page.name} names what is not there: {', '.join(missing)}"


@pytest.mark.parametrize(
    "file", sorted((ROOT / "benchmarks").rglob("*.py")), ids=lambda file: file.relative_to(ROOT).as_posix()
)
def test_what_a_benchmark_imports_exists(file: Path) -> None:
    """Most benchmarks are run by hand alone."""
    missing = [name for name in _imported(file.read_text(encoding="utf-8")) if not _exists(name)]
    assert not missing, f"{file.name} imports what is not there: {', '.join(missing)}"


def _imported(text: str) -> list[str]:
    """Names that lines of Python import from the package, in brackets or not."""
    lines = re.findall(r"^ *from (hesperus[\w.]*) import (?:\(([^)]*)\)|(.+))", text, re.MULTILINE)
    return [
        f"{module}.{name.split()[0]}"
        for module, within, line in lines
        for name in re.sub(r"#.*", "", within or line).split(",")
        if name.strip()
    ]


def _exists(name: str) -> bool:
    """Whether a name is there; a folder of data is imported only where nothing in the package has its name."""
    held: object = import_module("hesperus")
    path = "hesperus"
    for part in name.split(".")[1:]:
        path = f"{path}.{part}"
        if not hasattr(held, part):
            try:
                import_module(path)
            except ImportError:
                return False
        held = getattr(held, part)
    return True
