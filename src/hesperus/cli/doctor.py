"""`hesperus doctor`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import typer

from hesperus.cli.flags import Format, takes_flags
from hesperus.cli.said import say, show_rows

_Row = tuple[str, str, str]

OK, ABSENT, BROKEN = "ok", "absent", "broken"
_ORDER = (BROKEN, ABSENT, OK)
_PACKAGE = "package "


@takes_flags
def command(*, store: Path = Path("runs/replies.sqlite"), format: Format = "table") -> None:
    """Check the installation: Python, packages, extras, keys (names only), pocket models, reply store.

    `absent` is no fault: an extra or a key that is not there is only missed by what needs it. Exit code 1 where
    something is `broken`.

    For example:

        hesperus doctor

        hesperus doctor --store runs/replies.sqlite --format json

    Args:
        store: Reply store to check; by default that of runs in this folder.
    """
    checked = [*_python(), *_packages(), *_keys(), *_pocket(), _store(store)]
    rows = tuple(dict(zip(("check", "status", "detail"), row, strict=True)) for row in checked)
    shown = _shortened(rows) if format == "table" else rows
    counts = ", ".join(f"{sum(row['status'] == one for row in rows)} {one}" for one in _ORDER)
    show_rows("doctor", shown, format, columns=("check", "status", "detail"), lead=f"doctor: {counts}")  # fmt: skip
    broken = [check for check, status, _ in checked if status == BROKEN]
    if broken:
        say(f"broken: {', '.join(broken)}")
        raise typer.Exit(1)


def _shortened(rows: Sequence[Mapping[str, str]]) -> tuple[Mapping[str, str], ...]:
    """What is broken first, then what is absent; the packages that are in order on one line."""
    fine = [row for row in rows if row["check"].startswith(_PACKAGE) and row["status"] == OK]
    names = ", ".join(row["check"].removeprefix(_PACKAGE) for row in fine)
    one = {"check": f"{len(fine)} packages", "status": OK, "detail": names}
    rest = [row for row in rows if row not in fine]
    return tuple(sorted((*rest, one), key=lambda row: _ORDER.index(row["status"])))


def _python() -> Iterator[_Row]:
    import platform
    import sqlite3
    import sys

    from hesperus.version import __version__

    yield "hesperus", OK, __version__
    status = OK if sys.version_info >= (3, 11) else BROKEN
    yield "python", status, f"{platform.python_version()} ({platform.python_implementation()})"
    yield "platform", OK, platform.platform(terse=True)
    # STRICT tables, which the reply store uses, came with 3.37.
    yield "sqlite", OK if sqlite3.sqlite_version_info >= (3, 37) else BROKEN, sqlite3.sqlite_version


def _packages() -> Iterator[_Row]:
    """What the distribution requires, and its extras, from its own metadata."""
    from importlib.metadata import PackageNotFoundError, requires, version

    from packaging.requirements import Requirement

    extras: dict[str, list[str]] = {}
    for text in requires("hesperus") or []:
        requirement = Requirement(text)
        extra = _extra_of(requirement)
        if extra is None and requirement.marker is not None and not requirement.marker.evaluate():
            continue
        try:
            found = version(requirement.name)
        except PackageNotFoundError:
            found = ""
        if extra is not None:
            extras.setdefault(extra, []).append(f"{requirement.name} {found or '(absent)'}")
        elif not found:
            yield f"{_PACKAGE}{requirement.name}", BROKEN, f"not installed; required: {requirement.specifier}"
        elif not requirement.specifier.contains(found, prereleases=True):
            yield f"{_PACKAGE}{requirement.name}", BROKEN, f"{found}; required: {requirement.specifier}"
        else:
            yield f"{_PACKAGE}{requirement.name}", OK, found
    for extra, parts in sorted(extras.items()):
        status = ABSENT if any("(absent)" in part for part in parts) else OK
        yield f"extra {extra}", status, ", ".join(parts)


def _keys() -> Iterator[_Row]:
    import os

    from hesperus.models import PROVIDERS

    for provider in PROVIDERS.values():
        variable = provider.key_variable()
        is_set = bool(os.environ.get(variable))
        if is_set or provider.needs_key:
            yield f"key {provider.name}", OK if is_set else ABSENT, variable


def _pocket() -> Iterator[_Row]:
    """Each pocket model loads and answers; its identity is the hash of its files."""
    from hesperus.errors import HesperusError
    from hesperus.models.pocket import SIZES, PocketModel
    from hesperus.types import Prompt, Request, Settings

    for size in SIZES:
        name = f"pocket/{size}"
        try:
            model = PocketModel(name)
            digest = model.identity["weights"]
            model.replies([Request(name, Prompt("?"), Settings(0.0, 4))])
        except (HesperusError, OSError, ValueError, RuntimeError) as error:
            yield name, BROKEN, str(error)
        else:
            yield name, OK, f"weights {digest}"


def _store(path: Path) -> _Row:
    """An existing store opens; if absent, one could be made."""
    import tempfile

    from hesperus.asking import ReplyStore
    from hesperus.errors import StoreError

    try:
        if path.exists():
            with ReplyStore(path) as store:
                return "reply store", OK, f"{path}: {len(store)} replies"
        folder = next(parent for parent in path.absolute().parents if parent.is_dir())
        with tempfile.TemporaryDirectory(dir=folder) as trial, ReplyStore(Path(trial) / "replies.sqlite"):
            return "reply store", OK, f"{path}: not there yet, can be made"
    except (StoreError, OSError) as error:
        return "reply store", BROKEN, str(error)


def _extra_of(requirement: object) -> str | None:
    """The extra that a requirement belongs to, or None."""
    import re

    found = re.search(r"extra\s*==\s*['\"]([\w.-]+)['\"]", str(getattr(requirement, "marker", "")))
    return found[1] if found else None
