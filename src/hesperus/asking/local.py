"""Asking a model batch by batch: in this process, or several copies of it elsewhere."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from hesperus.asking.runs import Job, Ledger, Run, storable
from hesperus.asking.spending import Hold
from hesperus.asking.store import Entry
from hesperus.errors import ModelError, PermanentError, TransientError
from hesperus.models import CopiedModel, LocalModel
from hesperus.models.protocol import alone
from hesperus.types import Reply

GROUP_SECONDS = 0.05
"""Batches that take less than this share a commit: a write to disk may take longer than a small batch."""


class LocalRun(Run):
    """A run with a local model. Requests of like length share a batch, or those that begin alike, as suits the model.

    Each copy of the model has a lane, a thread that has one batch after the other answered; all that they share is touched
    by one lane at a time, and a lane passes its turn on while its batch is computed.

    Args:
        model: Who is asked.
        ledger: What becomes of what is asked.
        jobs: What is asked.
    """

    def __init__(self, model: LocalModel | CopiedModel, ledger: Ledger, jobs: Sequence[Job]) -> None:
        super().__init__(ledger)
        self._model, self._jobs = model, jobs
        self._batches: deque[Sequence[Job]] = deque()
        self._turn = threading.Condition()
        self._ready: list[tuple[Job, Reply]] = []
        self._committed_at = time.monotonic()

    def ask_all(self) -> None:
        """See Run; a batch under way cannot be cut short."""
        model, jobs = self._model, self._jobs
        copies = model.copies() if isinstance(model, CopiedModel) else alone(model)
        # No copy stands idle for the sake of full batches.
        size = max(1, min(copies.batch_size, -(-len(jobs) // max(1, copies.count))))
        key: Callable[[Job], tuple[Any, ...]] = _text_of if copies.by_text else _work_of
        jobs = jobs if size == 1 else sorted(jobs, key=key)
        self._batches.extend(jobs[start : start + size] for start in range(0, len(jobs), size))
        lanes = range(1, min(copies.count, len(self._batches)))
        others = [threading.Thread(target=self._lane, name="hesperus-lane", daemon=True) for _ in lanes]
        for thread in others:
            thread.start()
        self._lane()
        for thread in others:
            thread.join()

    def _lane(self) -> None:
        """Have batches answered until none is left."""
        with self._turn:
            try:
                try:
                    while self._batches and not self.ledger.stopping:
                        self._ask(self._batches.popleft())
                        self._turn.notify_all()
                        if time.monotonic() - self._committed_at >= GROUP_SECONDS:
                            self._commit()
                finally:
                    self._commit()
                    self._turn.notify_all()
            except BaseException as error:  # as of main
                self.ledger.halt(error)

    def _ask(self, batch: Sequence[Job]) -> None:
        """Answer as much of a batch as the budget has room for; the rest comes next."""
        held: list[tuple[Job, Hold]] = []
        for job in batch:
            hold = self.ledger.purse.hold(job.request)
            if hold is None:
                break
            held.append((job, hold))
        if held:
            self._answer(held)
        # Only now: what the batch held beyond its cost may have left room.
        if len(held) < len(batch) and not self.ledger.stopping:
            self._batches.appendleft(batch[len(held) :])
            if not held and self.ledger.purse.waits:
                self._turn.wait()
            elif not held:
                self.ledger.spent_out()

    def _answer(self, held: Sequence[tuple[Job, Hold]]) -> None:
        """Answer requests together; where that fails, in parts, so that a culprit fails alone."""
        if self.ledger.stopping:
            for _, hold in held:
                self.ledger.purse.settle(hold, None, charged=False)
            return
        try:
            self._compute(held)
        except TransientError as error:  # whoever computed it is gone: once more, then in halves
            self.ledger.tally.faults[error.kind] += 1
            tries = max([job.count(error.kind) for job, _ in held])
            if tries == 1 or len(held) > 1:
                self.ledger.tally.retried += len(held)
                size = len(held) if tries == 1 else (len(held) + 1) // 2
                self._answer(held[:size])
                self._answer(held[size:])
            else:
                self._give_up(*held[0], error)
        except ModelError as error:
            if len(held) == 1:
                self._give_up(*held[0], error)
            else:
                for one in held:
                    self._answer([one])

    def _give_up(self, job: Job, hold: Hold, error: ModelError) -> None:
        self.ledger.purse.settle(hold, None, charged=False)
        self.ledger.failed(job, error)

    def _compute(self, held: Sequence[tuple[Job, Hold]]) -> None:
        """Answer requests; settles their holds only where all went well."""
        self.ledger.tally.in_flight += len(held)
        self._turn.release()
        try:
            replies = self._replies([job for job, _ in held])
        finally:
            self._turn.acquire()
            self.ledger.tally.in_flight -= len(held)
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


def _text_of(job: Job) -> tuple[bool, str, str]:
    """What makes requests begin alike: scored or generated, and the prompt."""
    request = job.request
    return (request.options is not None, request.prompt.system or "", request.prompt.user)


def _work_of(job: Job) -> tuple[bool, int]:
    """What makes requests alike: scored or generated, and how long the prompt is."""
    request = job.request
    return (request.options is not None, len(request.prompt.user) + len(request.prompt.system or ""))
