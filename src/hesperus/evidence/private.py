"""What leaves a machine with a bundle, and what does not: no key, no local path, no address of an endpoint, no host name."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from hesperus.errors import DataError
from hesperus.fingerprint import JSON, text_hash

REMOVED = "[removed]"

_PATH = re.compile(r"(?<![\w:/.])(?:~/|/(?!/)|[A-Za-z]:[\\/]|\\\\)(?:[^\s\"'<>|:;,]+)")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s\"'<>]+", re.IGNORECASE)
_SECRET = re.compile(r"(?:^|_)(?:API_?KEY|TOKEN|SECRET|PASSWORD)(?:_|$)", re.IGNORECASE)
_SHORTEST = 8
"""A secret of fewer characters is a word that any text may hold."""

_TEXTS = ("reply", "reasoning", "note", "claim", "source", "translation")
_OF_CLAIMS = "reason"
"""A judge's own words where it stands beside a claim; elsewhere why a number is not there."""
_DETAIL = "detail"
_TEXT_ENDINGS = ("_text",)
_TEXT_PREFIXES = ("field:",)


def without_places(value: JSON, at: str = "") -> tuple[JSON, list[str]]:
    """What a run says of itself, without addresses and absolute paths; of a path its last part is kept.

    Returns:
        The value, and where something was removed.
    """
    if isinstance(value, str):
        kept = _PATH.sub(lambda found: _last(found[0]), _ADDRESS.sub(REMOVED, value))
        return kept, [at] if kept != value else []
    if isinstance(value, dict):
        parts = {key: without_places(inner, f"{at}.{key}".lstrip(".")) for key, inner in value.items()}
        return {key: part[0] for key, part in parts.items()}, [
            name for part in parts.values() for name in part[1]
        ]
    if isinstance(value, list):
        items = [without_places(inner, f"{at}[{place}]") for place, inner in enumerate(value)]
        return [item[0] for item in items], [name for item in items for name in item[1]]
    return value, []


def _last(path: str) -> str:
    return re.split(r"[\\/]", path.rstrip("\\/"))[-1] or REMOVED


def hashed_texts(frame: pl.DataFrame, *, open_answers: bool) -> pl.DataFrame:
    """The same table with a hash in the place of every text of a benchmark or a model; equal texts stay equal."""
    exprs = []
    is_items = any(name.startswith(_TEXT_PREFIXES) for name in frame.columns)
    for name, kind in frame.schema.items():
        judged = name == _OF_CLAIMS and "claim" in frame.columns
        if not (_is_text(name, open_answers) or judged or (is_items and name == "options")):
            continue
        if kind == pl.String:
            exprs.append(pl.Series(name, [_hash(text) for text in frame[name]], dtype=pl.String))
        elif kind == pl.List(pl.String):
            lists = [
                None if texts is None else [_hash(text) for text in texts] for texts in frame[name].to_list()
            ]
            exprs.append(pl.Series(name, lists, dtype=kind))
    return frame.with_columns(exprs)


def hashed_findings(value: JSON) -> JSON:
    """What an audit found, with a hash in the place of each detail: a detail quotes the texts of items."""
    if isinstance(value, dict):
        return {
            key: _hash(inner) if key == _DETAIL and isinstance(inner, str) else hashed_findings(inner)
            for key, inner in value.items()
        }
    return [hashed_findings(inner) for inner in value] if isinstance(value, list) else value


def _is_text(name: str, open_answers: bool) -> bool:
    return (
        name in _TEXTS
        or name.startswith(_TEXT_PREFIXES)
        or name.endswith(_TEXT_ENDINGS)
        or (open_answers and name in ("answer", "gold"))
    )


def _hash(text: str | None) -> str | None:
    return text_hash(text) if text else text


def refuse_secrets(
    files: Mapping[str, bytes], run: Path, environment: Mapping[str, str] = os.environ
) -> None:
    """Refuse to pack what would give away a key of this environment, or where and on what machine the run lies.

    Raises:
        DataError: A file holds one; the message names the file and the kind, never the value.
    """
    for kind, values in _own(run, environment):
        for value in values:
            sought = value.encode()
            for name, content in files.items():
                if sought in content:
                    raise DataError(f"holds {kind}; it is not packed", file=name)


def _own(run: Path, environment: Mapping[str, str]) -> Iterator[tuple[str, Sequence[str]]]:
    for name, value in environment.items():
        if _SECRET.search(name) and len(value) >= _SHORTEST:
            yield f"the value of the environment variable {name}", [value]
    folder = str(run.resolve() if run.is_dir() else run.resolve().parent)
    home = str(Path.home())
    places = [place for place in (folder, home) if place.count(os.sep) > 1]
    yield "a path of this machine", places
    host = socket.gethostname()
    yield "the name of this machine", [host] if len(host) >= _SHORTEST else []
