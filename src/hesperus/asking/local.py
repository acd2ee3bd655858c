"""Asking a model in this process, batch by batch."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hesperus.asking.runs import Job, Ledger, storable
from hesperus.asking.spending import Hold
from hesperus.asking.store import Entry
from hesperus.errors import ModelError, PermanentError
from hesperus.models import LocalModel
from hesperus.types import Reply

GROUP_SECONDS = 0.05
"""Batches that take less than this share a commit: a write to disk may take longer than a small batch."""


class LocalRun:
    """A run with a local model. Requests of like length share a batch, so that little is computed for padding.

    Args:
        model: Who is asked.
        ledger: What is asked, and what became of it.
    """

    def __init__(self, model: LocalModel, ledger: Ledger) -> None:
        self.ledger = ledger
        self._model = model
        self._ready: list[tuple[Job, Reply]] = []
        self._committed_at = time.monotonic()

    def main(self) -> None:
        """Ask everything; see Run."""
        size = max(1, self._model.batch_size)
        jobs = self.ledger.jobs if size == 1 else sorted(self.ledger.jobs, key=_work_of)
        try:
            try:
                for start in range(0, len(jobs), size):
                    self._ask(jobs[start : start + size])
                    if self.ledger.stopping:
                        break
                    if time.monotonic() - self._committed_at >= GROUP_SECONDS:
                        self._commit()
            finally:
                self._commit()
        except BaseException as error:  # it must reach the caller's thread, which raises it
            self.ledger.halt(error)

    def stop(self) -> None:
        """Send nothing more; see Run."""
        self.ledger.stopping = True

    def abort(self) -> None:
        """The same as ``stop``: a batch under way cannot be cut short."""
        self.stop()

    def _ask(self, batch: Sequence[Job]) -> None:
        """Answer one batch; where it fails as a whole, its requests one by one, so that the culprit alone fails."""
        held: list[tuple[Job, Hold]] = []
        for job in batch:
            hold = self.ledger.purse.hold(job.request)
            if hold is None:
                break
            held.append((job, hold))
        try:
            self._compute(held)
        except ModelError as error:
            if len(held) == 1:
                self._give_up(*held[0], error)
            else:
                self._ask_singly(held)
        # Only now: what the batch held beyond its cost may have left room.
        if len(held) < len(batch) and not self.ledger.stopping:
            if held:
                self._ask(batch[len(held) :])
            else:
                self._commit()  # what is answered must be kept before it is counted
                self.ledger.spent_out()

    def _ask_singly(self, held: Sequence[tuple[Job, Hold]]) -> None:
        for job, hold in held:
            if self.ledger.stopping:
                self.ledger.purse.settle(hold, None, charged=False)
                continue
            try:
                self._compute([(job, hold)])
            except ModelError as error:
                self._give_up(job, hold, error)

    def _give_up(self, job: Job, hold: Hold, error: ModelError) -> None:
        self.ledger.purse.settle(hold, None, charged=False)
        self.ledger.failed(job, error)

    def _compute(self, held: Sequence[tuple[Job, Hold]]) -> None:
        """Answer requests; settles their holds only where all went well."""
        if not held:
            return
        self.ledger.tally.in_flight = len(held)
        try:
            replies = self._replies([job for job, _ in held])
        finally:
            self.ledger.tally.in_flight = 0
        self.ledger.received()
        for (job, hold), reply in zip(held, replies, strict=True):
            self.ledger.purse.settle(hold, reply)
            self._ready.append((job, reply))

    def _commit(self) -> None:
        """Commit what is ready, and only then count it as answered."""
        ready, self._ready = self._ready, []
        if ready:
            entries = [Entry(job.key, job.request, reply) for job, reply in ready]
            self.ledger.store.put(entries, self._model.identity)
            for job, reply in ready:
                self.ledger.answered(job, reply)
        self._committed_at = time.monotonic()

    def _replies(self, jobs: Sequence[Job]) -> list[Reply]:
        replies = self._model.replies([job.request for job in jobs])
        if len(replies) != len(jobs):
            raise PermanentError(
                f"{self._model.name} returned {len(replies)} replies to {len(jobs)} requests",
                kind="bad_reply",
            )
        return [storable(reply, self._model.name) for reply in replies]


def _work_of(job: Job) -> tuple[bool, int]:
    """What makes requests alike: scored or generated, and how long the prompt is."""
    request = job.request
    return (request.options is not None, len(request.prompt.user) + len(request.prompt.system or ""))
