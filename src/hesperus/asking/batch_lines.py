"""What came of requests that were asked by the file: each line a reply, a failure, or something to ask again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hesperus.asking.policy import Batching
from hesperus.asking.runs import Job, Ledger, storable
from hesperus.asking.store import Entry
from hesperus.errors import ModelError, PermanentError, TransientError
from hesperus.models.batches import BatchLine, read_line, request_line
from hesperus.models.chat import ChatModel
from hesperus.types import Reply

TOGETHER = 500
"""Replies in one commit."""

EXPIRED = "batch_expired"
"""Kind, and the endpoint's own word, of a request that was not reached within the batch's day; nothing was paid for it."""


class Lines:
    """Takes the lines of files in, for some jobs.

    Args:
        model: Who was asked.
        ledger: Takes replies and failures.
        jobs: What is waited for, by key.

    Attributes:
        answered: Keys of finished jobs: a reply that is committed, or a failure for good.
        again: Jobs to ask again, with the reason.
    """

    def __init__(self, model: ChatModel, ledger: Ledger, jobs: Mapping[str, Job]) -> None:
        self._model, self._ledger, self._jobs = model, ledger, jobs
        self.answered: set[str] = set()
        self.again: dict[str, ModelError] = {}

    def take(self, lines: Iterable[bytes]) -> None:
        """Take lines in; the first of a key counts. Replies are committed here.

        Raises:
            StoreError: They cannot be.
        """
        ready: list[tuple[Job, Reply]] = []
        for line in lines:
            if not line.strip():
                continue
            row = read_line(line)
            job = None if row is None else self._jobs.get(row.key)
            if row is None or job is None or job.key in self.answered:
                continue
            reply = self._reply(job, row)
            if reply is not None:
                ready.append((job, reply))
            if len(ready) == TOGETHER:
                self._commit(ready)
        self._commit(ready)

    def _reply(self, job: Job, row: BatchLine) -> Reply | None:
        try:
            if row.raw is None:
                raise TransientError(
                    f"{self._model.name}: {row.problem}",
                    kind=EXPIRED if row.code == EXPIRED else "batch_line",
                )
            reply = storable(self._model.batch_reply(job.request, row.raw), self._model.name)
        except TransientError as error:
            self.again[job.key] = error
            return None
        except PermanentError as error:
            self.again.pop(job.key, None)
            self.answered.add(job.key)
            self._ledger.failed(job, error)
            return None
        self.again.pop(job.key, None)
        self.answered.add(job.key)
        return reply

    def _commit(self, ready: list[tuple[Job, Reply]]) -> None:
        """Commit, and only then count."""
        if not ready:
            return
        entries = [Entry(job.key, job.request, reply) for job, reply in ready]
        self._ledger.store.put(entries, self._model.identity)
        for job, reply in ready:
            self._ledger.received()
            self._ledger.answered(job, reply)
        ready.clear()


def files_of(
    model: ChatModel, jobs: Sequence[Job], ledger: Ledger, batching: Batching, folder: Path, name: str
) -> Iterator[tuple[Path, list[Job]]]:
    """Write requests to files, none of more than an endpoint takes; those that cannot be asked so fail here.

    Args:
        model: Who is asked.
        jobs: What is asked.
        ledger: Takes failures.
        batching: Bounds of one file.
        folder: Where the files are written.
        name: How they begin.
    """
    lines: list[bytes] = []
    held: list[Job] = []
    size = number = 0
    for job in jobs:
        try:
            line = request_line(job.key, model.batch_url, model.batch_body(job.request))
        except PermanentError as error:
            ledger.failed(job, error)
            continue
        if held and (len(held) == batching.most_requests or size + len(line) > batching.most_bytes):
            number += 1
            yield _written(folder / f"{name}-{number}.jsonl", lines), held
            lines, held, size = [], [], 0
        lines.append(line)
        held.append(job)
        size += len(line)
    if held:
        yield _written(folder / f"{name}-{number + 1}.jsonl", lines), held


def _written(path: Path, lines: Sequence[bytes]) -> Path:
    path.write_bytes(b"".join(lines))
    return path
