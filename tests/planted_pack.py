"""A copy of a pack with one change, to see that the fault in it is found."""

from __future__ import annotations

from pathlib import Path

from hesperus.languages.wordings import pack_files


def planted(folder: Path, tag: str, old: str, new: str) -> Path:
    """Write a copy of a pack in which one text, which must stand there once, is another; gives its file."""
    text = pack_files()[tag].read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    file = folder / f"{tag}.yaml"
    file.write_text(text.replace(old, new), encoding="utf-8")
    return file
