"""How a question about a file, and what the file holds, pass between two processes.

JSON for what describes, Arrow for rows: nothing is pickled.
"""

from __future__ import annotations

from dataclasses import fields
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import msgspec
import polars as pl

from hesperus.records.importers.import_settings import ImportSettings, LeftOut, Log, Source, Tool
from hesperus.records.importers.log_readers import Result

_LENGTH = 8
"""Bytes before each message that say how long it is."""

_DESCRIBED = tuple(field.name for field in fields(Log) if field.name != "rows")


class _Asked(msgspec.Struct):
    path: str
    place: str
    tool: Tool
    settings: ImportSettings


class _Found(msgspec.Struct):
    logs: list[dict[str, Any]]
    left: list[LeftOut]


def send_source(source: Source, settings: ImportSettings, stream: IO[bytes]) -> None:
    """Ask what a file holds."""
    asked = _Asked(str(source.path), source.place, source.tool, settings)
    _send(msgspec.json.encode(asked), stream)


def receive_source(stream: IO[bytes]) -> tuple[Source, ImportSettings]:
    """The file that is asked about, and how to read it.

    Raises:
        EOFError: Nothing more is asked.
    """
    asked = msgspec.json.decode(_receive(stream), type=_Asked)
    return Source(Path(asked.path), asked.place, asked.tool), asked.settings


def send_result(result: Result, stream: IO[bytes]) -> None:
    """Say what a file holds."""
    logs, left = result
    described = [{name: getattr(log, name) for name in _DESCRIBED} for log in logs]
    _send(msgspec.json.encode(_Found(described, left)), stream)
    for log in logs:
        _send(log.rows.write_ipc(None).getbuffer(), stream)


def receive_result(stream: IO[bytes]) -> Result:
    """What a file holds.

    Raises:
        EOFError: The other process ended.
    """
    found = msgspec.json.decode(_receive(stream), type=_Found)
    logs = [
        Log(rows=pl.read_ipc(BytesIO(_receive(stream))), **{**described, "texts": tuple(described["texts"])})
        for described in found.logs
    ]
    return logs, found.left


def _send(data: bytes | memoryview, stream: IO[bytes]) -> None:
    stream.write(len(data).to_bytes(_LENGTH, "little"))
    stream.write(data)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes:
    return _exactly(stream, int.from_bytes(_exactly(stream, _LENGTH), "little"))


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
