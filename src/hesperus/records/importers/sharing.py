"""Reads many files on all processors: worker processes, and what passes between them.

Whatever goes wrong here ends the process. The one that asked then reads the file itself, so that an error is the same
wherever a file is read.

JSON for what describes, Arrow for rows: nothing is pickled.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields
from io import BytesIO
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import IO, Any

import msgspec
import polars as pl

from hesperus.records.importers.import_settings import ImportSettings, LeftOut, Log, Source
from hesperus.records.importers.log_readers import Result, read_source

_LENGTH = 8
"""Bytes before each message that say how long it is."""

_DESCRIBED = tuple(field.name for field in fields(Log) if field.name != "rows")


class _Asked(msgspec.Struct):
    path: str
    place: str
    tool: str
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


class Worker:
    """The process, as the one that asks sees it."""

    def __init__(self) -> None:
        """Start it.

        Raises:
            OSError: No process can be started.
        """
        # -P: modules are not looked for in the folder where the user happens to be. One thread of polars: the other
        # processors have processes of their own, and every thread keeps some memory.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "POLARS_MAX_THREADS": "1"},
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            # Closing writes what was not yet passed to the process, and it has ended.
            with suppress(OSError):
                stream.close()  # type: ignore[union-attr]  # both are pipes

    def read(self, source: Source, settings: ImportSettings) -> Result | None:
        """What a file holds; None if the process has ended, or the name of the file cannot be passed to it."""
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None and answering is not None
        try:
            send_source(source, settings, asking)
            return receive_result(answering)
        except (OSError, EOFError, UnicodeEncodeError):
            return None

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()


def main() -> None:
    """Read what is asked for on standard input; answer on standard output."""
    while True:
        try:
            source, settings = receive_source(sys.stdin.buffer)
        except EOFError:
            return
        send_result(read_source(source, settings), sys.stdout.buffer)


if __name__ == "__main__":
    main()


_WORTH = 3 << 28
"""Bytes of logs from which another process is worth its start, which takes as long as reading 300 MB: at 500 MB both ways
take the same where a second processor is free, at 900 MB where other work leaves half of one."""

_PACKED, _UNPACKED = (".gz", ".eval"), 8
"""What is compressed, and about how many bytes come out of each of its bytes."""

_MOST = 3
"""Processes next to this one, however many processors there are: each takes some 150 MB."""


def read_sources(
    sources: Sequence[Source], settings: ImportSettings, progress: Callable[[int, int], None] | None = None
) -> list[Result]:
    """What some files hold, in their order, however many processes read them.

    Args:
        sources: The files.
        settings: How to read them.
        progress: Called with how many files are done, of how many.

    Raises:
        UsageError: The settings cannot be followed.
        UnknownNameError: They name a language that does not exist.
    """
    results: list[Result | None] = [None] * len(sources)
    waiting: SimpleQueue[int] = SimpleQueue()
    for number in range(len(sources)):
        waiting.put(number)

    def ask(worker: Worker) -> None:
        with worker:
            while (place := _next(waiting)) is not None:
                try:
                    results[place] = worker.read(sources[place], settings)
                finally:
                    if results[place] is None:
                        waiting.put(place)
                if results[place] is None:
                    return

    def tell() -> None:
        if progress is not None:
            progress(len(results) - results.count(None), len(results))

    workers = _workers(sources)
    threads = [Thread(target=ask, args=(worker,)) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        while None in results:
            while (place := _next(waiting)) is not None:
                results[place] = read_source(sources[place], settings)
                tell()
            for thread in threads:
                thread.join()
                tell()
    finally:
        for worker in workers:
            worker.end()
    return [result for result in results if result is not None]


def _next(waiting: SimpleQueue[int]) -> int | None:
    try:
        return waiting.get_nowait()
    except Empty:
        return None


def _workers(sources: Sequence[Source]) -> list[Worker]:
    """Processes to read with; none if the files are few or small, or where none can be started."""
    if len(sources) < 2 or sum(map(_size, sources)) < _WORTH:
        return []
    workers: list[Worker] = []
    with suppress(OSError):
        for _ in range(min(_processors() - 1, _MOST, len(sources) - 1)):
            workers.append(Worker())
    return workers


def _processors() -> int:
    """How many this process may use; a container or a user may have set fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _size(source: Source) -> int:
    try:
        size = source.path.stat().st_size
    except OSError:
        return 0
    return size * (_UNPACKED if source.path.suffix.lower() in _PACKED else 1)
