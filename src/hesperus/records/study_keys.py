"""Keys of a run's `study.yaml` that this version does not know: said wherever the run is read, or refused."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hesperus import plugins
from hesperus.declared_studies import declared_studies, keys_of
from hesperus.errors import DataError, UnknownKeyWarning
from hesperus.records.earlier import warn_of_study, warn_of_version
from hesperus.records.reading import RECORDS_FILE
from hesperus.strict_yaml import Document

DECIDING = ("bootstrap", "comparison")
"""Parts from which every table takes its settings: an unknown key in them would have changed numbers."""

_OF_TABLES = ("study", "invalid", "bootstrap")
"""Keys that tables read from the study of any run, whatever wrote it; keys below the last are as in open answers."""


_IMPORT = "import"
"""What the study file of imported logs names, which no study is."""


def _keys_of(study: str) -> Mapping[str, Any]:
    """Keys of a study: key to those below it, or to None if anything may be below; `*` is any key."""
    if study == _IMPORT:
        return dict.fromkeys(("logs", "left_out", "notes"))
    keys = keys_of(study)
    if study == "similarity":  # of a study file it is a key of its own
        keys = {**keys, "comparison": {**keys["comparison"], "exclude": None}}
    return keys


def check_study(folder: Path, document: Document) -> None:
    """Say what of a run's study this version does not follow: its unknown keys, and what another version wrote.

    Args:
        folder: The run folder.
        document: Its `study.yaml`, a mapping.

    Raises:
        DataError: A key in a part that decides numbers (DECIDING).
    """
    study = document.value
    if not isinstance(study, Mapping):
        return
    warn_of_version(folder)
    warn_of_study(folder, study, folder / RECORDS_FILE)
    said = unknown_keys(study, document)
    if said:
        warnings.warn(f"{folder}: {said}", UnknownKeyWarning, stacklevel=3)


def unknown_keys(study: Mapping[str, Any], document: Document | None = None) -> str:
    """One or two sentences about the keys of a study that this version does not know; empty if it knows all.

    Args:
        study: Keys of a run's `study.yaml`.
        document: The file, for the lines.

    Raises:
        DataError: A key in a part that decides numbers (DECIDING).
    """
    name, kinds = study.get("study"), (*declared_studies(), _IMPORT)
    if isinstance(name, str) and name not in kinds:
        is_offered = "plugins" in study or name in plugins.names("hesperus.studies", {})
        return "" if is_offered else _unknown_study(name, kinds)
    shared = keys_of("translate_then_evaluate")
    every = {key: shared.get(key) for key in _OF_TABLES}
    for kind in [name] if isinstance(name, str) else kinds:
        every |= _keys_of(kind)
    found = list(_unknown(study, every))
    for path, known in found:
        if path.partition(".")[0] in DECIDING:
            line = document.line(path) if document is not None else None
            message = f"no such key{_near(path, known)}; it would decide numbers, so nothing is measured: correct or delete it"
            raise DataError(message, file="study.yaml", line=line, field=path)
    if not found:
        return ""
    shown = ", ".join(f"{path!r}{_near(path, known)}{_line(path, document)}" for path, known in found)
    keys = "a key" if len(found) == 1 else f"{len(found)} keys"
    return (
        f"study.yaml has {keys} that this version of hesperus does not know: {shown}. What was meant by "
        f"{'it' if len(found) == 1 else 'them'} is unknown; all numbers rest on the other keys."
    )


def _unknown_study(name: str, kinds: Sequence[str]) -> str:
    near = get_close_matches(name, kinds, n=1, cutoff=0.55)
    meant = f" (did you mean {near[0]!r}?)" if near else ""
    return (
        f"study.yaml names a study that this version of hesperus does not know: {name!r}{meant}. Its keys say nothing "
        "here; which tables there are follows from the records."
    )


def _unknown(
    values: Mapping[Any, Any], known: Mapping[str, Any], above: str = ""
) -> Iterator[tuple[str, list[str]]]:
    """Path of each unknown key, and the paths that are known next to it."""
    for key, value in values.items():
        path = f"{above}{key}"
        if key not in known and "*" not in known:
            yield path, [above + name for name in known]
            continue
        below = known.get(key, known.get("*"))
        for one in value if isinstance(value, list) else [value]:
            if below and isinstance(one, Mapping):
                yield from _unknown(one, below, f"{path}.")


def _near(path: str, known: list[str]) -> str:
    near = get_close_matches(path, known, n=1, cutoff=0.7)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _line(path: str, document: Document | None) -> str:
    line = document.line(path) if document is not None else None
    return f" on line {line}" if line is not None else ""
