"""A model that answers from a file of stored replies: the network's part in a run, without the network."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from hesperus.errors import DataError, PermanentError, UsageError
from hesperus.fingerprint import fingerprint
from hesperus.models.stored import APPLICATION_ID, StoredReply, decode_reply, decode_request
from hesperus.storage import open_to_read
from hesperus.types import Reply, Request, Settings

_Question = tuple[str, str | None, tuple[str, ...] | None, int]

_ANY_SETTINGS = Settings(**dict.fromkeys(f.name for f in fields(Settings)))
"""What the short form stores: it does not say how the reply was drawn, so it answers any settings."""

FORMATS = (".jsonl", ".ndjson", ".parquet", ".sqlite", ".sqlite3", ".db")


class ReplayModel:
    """Answers each request with the reply that a file holds for it.

    A reply fits where prompt, options and repeat are equal, and the settings are equal or not stored.

    Args:
        path: JSONL or Parquet of stored replies, or a reply store. ``FILE#MODEL`` picks one of several models.
        name: Name to answer under.

    Raises:
        UsageError: The file does not exist, has an unknown ending, or holds several models and none is picked.
        DataError: The file breaks its contract.
    """

    batch_size = 256

    def __init__(self, path: str | Path, *, name: str | None = None) -> None:
        self.name = name or f"replay/{path}"
        self._path, picked = _split(str(path))
        rows = list(_rows(self._path))
        held = sorted({row.request.model for row in rows})
        if picked is None and len(held) > 1:
            raise UsageError(
                f"{self._path} holds replies of {len(held)} models; pick one: replay/{self._path}#{held[0]} "
                f"(also {', '.join(held[1:6])})"
            )
        if picked is not None and picked not in held:
            raise UsageError(f"{self._path} holds no reply of {picked!r}, only of {', '.join(held[:6])}")
        self._replies: dict[_Question, list[tuple[Settings, Reply]]] = {}
        for row in rows:
            if picked is None or row.request.model == picked:
                self._replies.setdefault(_question(row.request), []).append((row.request.settings, row.reply))
        contents = sorted((repr(q), [(s, r) for s, r in held]) for q, held in self._replies.items())
        self.identity: Mapping[str, str] = {"protocol": "replay", "replies": fingerprint(contents)}

    def __len__(self) -> int:
        return sum(map(len, self._replies.values()))

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        """Answer the requests, in their order.

        Raises:
            PermanentError: The file holds no reply to one of them (kind ``not_stored``), and says which.
        """
        return [self._find(request) for request in requests]

    def _find(self, request: Request) -> Reply:
        held = self._replies.get(_question(request), [])
        for wanted in (request.settings, _ANY_SETTINGS):
            for settings, reply in held:
                if settings == wanted:
                    return reply
        shown = " ".join(request.prompt.user[:200].split())
        why = f"only with other settings ({held[0][0]})" if held else f"under none of its {len(self)} replies"
        raise PermanentError(
            f"{self._path} has no reply to {shown!r} (repeat {request.repeat}, "
            f"{'text' if request.options is None else 'option log-probabilities'}): {why}",
            kind="not_stored",
        )


def _split(path: str) -> tuple[Path, str | None]:
    """File and picked model."""
    whole = Path(path)
    if whole.exists() or "#" not in path:
        return whole, None
    file, _, picked = path.partition("#")
    return Path(file), picked


def _question(request: Request) -> _Question:
    return (request.prompt.user, request.prompt.system, request.options, request.repeat)


def _rows(path: Path) -> Iterable[StoredReply]:
    if not path.is_file():
        raise UsageError(f"no file {str(path)!r} to replay")
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            return _from_jsonl(path)
        case ".parquet":
            return _from_parquet(path)
        case ".sqlite" | ".sqlite3" | ".db":
            return _from_store(path)
        case other:
            raise UsageError(f"cannot replay a file that ends with {other!r}; known: {', '.join(FORMATS)}")


def _from_jsonl(path: Path) -> Iterator[StoredReply]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    value = json.loads(line.decode("utf-8-sig"))
                except (ValueError, RecursionError) as wrong:
                    raise DataError(f"no JSON: {wrong}", file=path, line=number) from None
                yield StoredReply.from_json(value, file=path, line=number)


def _from_parquet(path: Path) -> Iterator[StoredReply]:
    import polars as pl  # only where a table is read: `import hesperus.models` must stay light

    from hesperus.tables import DAMAGED

    try:
        frame = pl.read_parquet(path)
    except DAMAGED as wrong:
        raise DataError(f"no Parquet file: {wrong}", file=path) from None
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield StoredReply.from_json(row, file=path, line=number)


def _from_store(path: Path) -> Iterator[StoredReply]:
    try:
        connection = open_to_read(path)
        try:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise DataError("a SQLite file, but no reply store of hesperus", file=path)
            for request, reply in connection.execute("SELECT request, reply FROM replies ORDER BY rowid"):
                yield StoredReply(decode_request(request), decode_reply(reply), {})
        finally:
            connection.close()
    except (sqlite3.Error, ValueError, RecursionError) as wrong:
        raise DataError(f"no readable reply store: {wrong}", file=path) from None
