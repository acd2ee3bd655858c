"""Asking by batches: submit, wait, fetch; a kill at any moment loses no batch and submits none twice.

What is under way is in the store before it is submitted: a mark of its own and the keys of its requests. The batch has
the same mark, so that it is found again where the process ended before the endpoint's answer was noted.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar
from uuid import uuid4

from hesperus.asking.batch_lines import EXPIRED, Lines, files_of
from hesperus.asking.pacing import backoff
from hesperus.asking.policy import Batching
from hesperus.asking.runs import Job, Ledger, Run
from hesperus.asking.spending import Hold
from hesperus.errors import ModelError, PendingError, PermanentError, TransientError
from hesperus.fingerprint import JSON, fingerprint
from hesperus.models.batches import Batch, BatchEndpoint
from hesperus.models.chat import ChatModel
from hesperus.types import Reply

T = TypeVar("T")

ROUNDS = 4
"""Batches in which one request is asked at most."""

LONGEST_POLL = 60.0

_NOTE = "batch "


@dataclass(slots=True)
class UnderWay:
    """A batch that was or is being submitted.

    Attributes:
        mark: What it is marked with.
        keys: Keys of its requests.
        id: Its id at the endpoint; None until that is known.
    """

    mark: str
    keys: tuple[str, ...]
    id: str | None = None

    def to_json(self, identity: str) -> dict[str, JSON]:
        """As the store keeps it."""
        return {"identity": identity, "id": self.id, "keys": list(self.keys)}


class BatchRun(Run):
    """A run by batches.

    Args:
        model: Who is asked.
        ledger: What becomes of what is asked.
        jobs: What is asked.
        batching: How.
    """

    def __init__(self, model: ChatModel, ledger: Ledger, jobs: Sequence[Job], batching: Batching) -> None:
        super().__init__(ledger)
        self._model, self._batching = model, batching
        self._identity = fingerprint(dict(model.identity))
        self._jobs: Mapping[str, Job] = {job.key: job for job in jobs}
        self._held: dict[str, Hold] = {}
        self._rounds: Counter[str] = Counter()
        self._rng = random.Random()
        self._under_way: list[UnderWay] = []
        self._stop: Callable[[], object] | None = None

    def ask_all(self) -> None:
        """See Run."""
        asyncio.run(self._run())

    def stop(self) -> None:
        """Submit nothing more and wait for nothing; what is under way is fetched by the next run."""
        super().stop()
        stop = self._stop
        if stop is not None:
            with suppress(RuntimeError):  # the loop is closed: the run has ended by itself
                stop()

    async def _run(self) -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        self._stopped = stopped
        self._stop = lambda: loop.call_soon_threadsafe(stopped.set)
        await self._model.open()
        try:
            self._endpoint: BatchEndpoint = self._model.batches()
            self._under_way = list(self._noted())
            await self._adopt()
            await self._fetch_ended()
            pause = self._batching.poll
            while not self.ledger.stopping:
                await self._submit(self._unasked())
                if not self._under_way or self.ledger.stopping:
                    return
                if self._batching.mode == "submit":
                    raise PendingError(self._pending())
                await self._wait(pause)
                pause = min(LONGEST_POLL, pause * 1.5)
                if not self.ledger.stopping and await self._fetch_ended():
                    pause = self._batching.poll
        finally:
            await self._model.close()

    # What is under way

    def _noted(self) -> Iterator[UnderWay]:
        for name, value in self.ledger.store.notes().items():
            if name.startswith(_NOTE) and isinstance(value, dict) and value.get("identity") == self._identity:
                keys, batch = value.get("keys"), value.get("id")
                if isinstance(keys, list):
                    known = batch if isinstance(batch, str) else None
                    yield UnderWay(name.removeprefix(_NOTE), tuple(map(str, keys)), known)

    def _note(self, one: UnderWay) -> None:
        self.ledger.store.note(_NOTE + one.mark, one.to_json(self._identity))

    def _forget(self, one: UnderWay) -> None:
        self._under_way.remove(one)
        self.ledger.store.forget(_NOTE + one.mark)

    async def _adopt(self) -> None:
        """Find out whether the endpoint has the batches that were being submitted when the last run ended."""
        for one in [one for one in self._under_way if one.id is None]:
            batch = await self._sure(self._endpoint.find, one.mark)
            if batch is None:
                self._forget(one)
            else:
                one.id = batch.id
                self._note(one)

    def _unasked(self) -> list[Job]:
        asked = {key for one in self._under_way for key in one.keys}
        return [job for key, job in self._jobs.items() if key not in asked and key not in self.ledger.results]

    def _pending(self) -> str:
        count, batches = sum(len(one.keys) for one in self._under_way), len(self._under_way)
        of = f"{batches} batches" if batches > 1 else f"the batch {self._under_way[0].id}"
        return (
            f"{count:,} requests to {self._model.name} are with the provider, in {of}; run the same command again to fetch "
            "what is ready (nothing is submitted or paid for twice)"
        )

    # Submitting

    async def _submit(self, jobs: Sequence[Job]) -> None:
        afforded = self._afforded(jobs)
        with tempfile.TemporaryDirectory() as folder:
            for path, held in files_of(
                self._model, afforded, self.ledger, self._batching, Path(folder), "requests"
            ):
                if self.ledger.stopping:
                    return
                self.ledger.tally.note = f"submitting {len(held):,} requests"
                file = await self._sure(self._endpoint.upload, path)
                await self._create(file, held)
                path.unlink()
        if len(afforded) < len(jobs) and not self._under_way:
            self.ledger.spent_out()

    def _afforded(self, jobs: Sequence[Job]) -> list[Job]:
        """The jobs for which the budget has room, each at its worst."""
        afforded = []
        for job in jobs:
            hold = self._held.get(job.key) or self.ledger.purse.hold(job.request)
            if hold is None:
                break
            self._held[job.key] = hold
            afforded.append(job)
        return afforded

    async def _create(self, file: str, jobs: Sequence[Job]) -> None:
        one = UnderWay(uuid4().hex, tuple(job.key for job in jobs))
        self._note(one)  # before it is submitted: else a kill in between would lose it
        self._under_way.append(one)
        tries = 0
        while one.id is None:
            try:
                batch = await self._endpoint.submit(file, self._model.batch_url, one.mark)
            except TransientError as error:
                # It may have been taken although no answer came.
                found = await self._sure(self._endpoint.find, one.mark)
                tries += 1
                if found is None and tries > self.ledger.policy.retries:
                    self._forget(one)
                    raise
                if found is None:
                    await self._wait(error.retry_after or backoff(tries, self._rng))
                    continue
                batch = found
            except PermanentError:
                self._forget(one)
                raise
            one.id = batch.id
            self._note(one)

    async def _sure(self, ask: Callable[..., Awaitable[T]], *given: Any) -> T:
        """Ask the endpoint something that may be asked again, until it answers.

        Raises:
            ModelError: It does not.
        """
        tries = 0
        while True:
            try:
                return await ask(*given)
            except TransientError as error:
                tries += 1
                self.ledger.tally.faults[error.kind] += 1
                if tries > self.ledger.policy.retries or self.ledger.stopping:
                    raise
                self.ledger.tally.note = f"{error}; trying again"
                await self._wait(error.retry_after or backoff(tries, self._rng))

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    # Fetching

    async def _fetch_ended(self) -> bool:
        """Fetch what came of batches that have ended; whether there was one."""
        ended, told = False, []
        for one in list(self._under_way):
            assert one.id is not None
            try:
                batch = await self._sure(self._endpoint.look, one.id)
            except PermanentError as error:
                if error.kind != "no_batches":
                    raise
                self._forget(one)  # the provider keeps no batch for ever: what was in it is asked again
                continue
            told.append(str(batch))
            if batch.has_ended:
                ended = True
                await self._fetch(one, batch)
        self.ledger.tally.in_flight = sum(len(one.keys) for one in self._under_way)
        self.ledger.tally.note = "; ".join(told[:3])
        return ended

    async def _fetch(self, one: UnderWay, batch: Batch) -> None:
        jobs = {
            key: self._jobs[key] for key in one.keys if key in self._jobs and key not in self.ledger.results
        }
        lines = Lines(self._model, self.ledger, jobs)
        for file in batch.files:
            with tempfile.TemporaryFile() as content:
                await self._sure(self._downloaded, file, content)
                content.seek(0)
                lines.take(content)
        for key in lines.answered:
            self._pay(jobs[key])
        self._keep_foreign(one)
        left = {key: job for key, job in jobs.items() if key not in lines.answered}
        if left and batch.status in ("failed", "cancelled"):
            raise _whole_failure(self._model.name, batch, len(lines.answered), len(left))
        for key, job in left.items():
            self._again(job, lines.again.get(key) or _without_a_line(self._model.name, batch))

    async def _downloaded(self, file: str, content: BinaryIO) -> None:
        content.seek(0)
        content.truncate()
        await self._endpoint.fetch(file, content)

    def _pay(self, job: Job) -> None:
        """Charge what a request cost, as far as the endpoint said."""
        hold = self._held.pop(job.key, None) or self.ledger.purse.hold(job.request)
        reply = self.ledger.results[job.key]
        if hold is not None:
            paid = reply if isinstance(reply, Reply) else None
            self.ledger.purse.settle(hold, paid, charged=paid is not None)

    def _keep_foreign(self, one: UnderWay) -> None:
        """Forget a batch, but for requests in it that this run does not ask: whoever asks them fetches it again."""
        self._forget(one)
        others = [key for key in one.keys if key not in self._jobs]
        stored = self.ledger.store.find(others)
        one.keys = tuple(key for key in others if key not in stored)
        if one.keys:
            self._note(one)

    def _again(self, job: Job, error: ModelError) -> None:
        """Put a request into the next batch, or give it up."""
        self.ledger.tally.faults[error.kind] += 1
        self._rounds[job.key] += 1
        if self._rounds[job.key] < ROUNDS:
            self.ledger.tally.retried += 1
            return
        self.ledger.failed(job, PermanentError(str(error), kind=error.kind))
        hold = self._held.pop(job.key, None)
        if hold is not None:
            self.ledger.purse.settle(hold, None, charged=False)


def _whole_failure(model: str, batch: Batch, fetched: int, left: int) -> PermanentError:
    why = f": {batch.problem}" if batch.problem else ""
    return PermanentError(
        f"{model}: {batch}{why}. {fetched:,} replies of it are fetched and kept; run again to submit the other {left:,}",
        kind=f"batch_{batch.status}",
    )


def _without_a_line(model: str, batch: Batch) -> TransientError:
    if batch.status == "expired":
        return TransientError(
            f"{model}: the batch's day was over before this request was reached", kind=EXPIRED
        )
    return TransientError(f"{model}: {batch}, and has no line for this request", kind="batch_line")
