"""Reads many files: those of a large import on all processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread

from hesperus.records.importers.import_settings import ImportSettings, Source
from hesperus.records.importers.log_readers import Result, read_source
from hesperus.records.importers.worker import Worker

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
