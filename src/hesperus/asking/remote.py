"""Asking an endpoint: many requests in flight, as many as it bears, each tried until it is answered or hopeless."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from hesperus.asking.commits import Committer
from hesperus.asking.deadline import Deadline
from hesperus.asking.limit import Limit
from hesperus.asking.pacing import REFUSAL_KINDS, backoff
from hesperus.asking.runs import Job, Ledger, Run, storable
from hesperus.asking.spending import Hold
from hesperus.asking.store import Entry
from hesperus.errors import PermanentError, TransientError
from hesperus.models import RemoteModel
from hesperus.types import Reply

BILLED_KINDS = frozenset(
    {
        "bad_encoding",
        "bad_json",
        "empty_choices",
        "gave_up",
        "no_content",
        "no_logprobs",
        "option_not_shown",
        "reset",
        "timeout",
        "worker_lost",
    }
)
"""Failures by which a provider may have generated, and billed, a reply that we did not get."""


class RemoteRun(Run):
    """A run against an endpoint: takes jobs until it is told that no more come. A worker is a coroutine that asks one after another.

    A worker counts as in flight until its reply is committed: so a kill loses at most as many replies as the
    limit allows in flight.

    Args:
        model: Who is asked.
        ledger: What becomes of what is asked.
    """

    def __init__(self, model: RemoteModel, ledger: Ledger) -> None:
        super().__init__(ledger)
        self._model = model
        self._queue: deque[Job] = deque()
        self._is_open, self._is_ended = False, False
        self._limit = Limit(ledger.policy.concurrency)
        self._rng = random.Random()
        self._workers: set[asyncio.Task[None]] = set()
        self._delayed = 0
        self._paused_until = 0.0
        self._loop: asyncio.AbstractEventLoop | None = None

    def ask_all(self) -> None:
        """See Run."""
        with asyncio.Runner(loop_factory=_new_loop) as runner:
            runner.run(self._run())

    @property
    def waiting(self) -> int:
        """Jobs that are not in flight, those left aside that are to be tried again later."""
        return len(self._queue)

    def add(self, jobs: Iterable[Job]) -> None:
        """Take more jobs. Called from another thread."""
        self._queue.extend(jobs)
        self._from_outside(self._fill)

    def end(self) -> None:
        """Know that no more jobs come. Called from another thread."""
        self._is_ended = True
        self._from_outside(self._settle_down)

    def stop(self) -> None:
        """See Run."""
        super().stop()
        self._from_outside(self._settle_down)

    def abort(self) -> None:
        """See Run."""
        super().stop()
        self._from_outside(self._cancel)

    def _from_outside(self, action: Callable[[], None]) -> None:
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop is closed: the run has ended by itself
                loop.call_soon_threadsafe(action)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        self._now = loop.time
        self._idle, self._stopped, self._freed = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._opening = loop.create_task(self._model.open())
        self._loop = loop
        await asyncio.wait([self._opening])
        if self._opening.cancelled():
            return
        self._opening.result()
        try:
            self._committer = Committer(self.ledger.store, self._model.identity)
            self._deadline = Deadline(self.ledger.policy.timeout)
            try:
                self._is_open = True
                self._fill()
                self._settle_down()
                await self._idle.wait()
            finally:
                self._deadline.close()
                self._committer.close()
        finally:
            await self._model.close()

    def _fill(self) -> None:
        """Start workers up to the limit."""
        wanted = min(self._limit.value - len(self._workers), len(self._queue))
        if wanted > 0 and self._is_open and not self.ledger.stopping:
            for _ in range(wanted):
                worker = asyncio.create_task(self._work())
                self._workers.add(worker)
                worker.add_done_callback(self._ended)

    def _ended(self, worker: asyncio.Task[None]) -> None:
        self._workers.discard(worker)
        error = None if worker.cancelled() else worker.exception()
        if error is not None:
            self.ledger.halt(error)
        self._fill()
        self._settle_down()

    def _settle_down(self) -> None:
        """Wake who waits in a run that stops; end the run where nothing is left to wait for and nothing more comes."""
        if self.ledger.stopping:
            self._opening.cancel()
            self._stopped.set()
            self._freed.set()
        is_done = self._is_ended and not (self._queue or self._delayed)
        if not self._workers and (self.ledger.stopping or is_done):
            self._idle.set()

    def _cancel(self) -> None:
        for worker in self._workers:
            worker.cancel()
        self._settle_down()

    async def _work(self) -> None:
        ledger, queue, limit = self.ledger, self._queue, self._limit
        while queue and not ledger.stopping and len(self._workers) <= limit.value:
            if (pause := self._paused_until - self._now()) > 0:
                await self._pause(pause)
                continue
            if (pause := limit.slot(self._now()) - self._now()) > 0:
                await self._pause(pause)
                if not queue or ledger.stopping:
                    return
            job = queue.popleft()
            hold = ledger.purse.hold(job.request)
            if hold is not None:
                await self._try(job, hold)
                continue
            queue.appendleft(job)
            if not ledger.purse.waits:
                ledger.spent_out()
                self._settle_down()
                return
            self._freed.clear()
            await self._freed.wait()

    async def _pause(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    async def _try(self, job: Job, hold: Hold) -> None:
        """Ask once; commit the reply, or put the request back, or give it up."""
        ledger, sent = self.ledger, self._now()
        ledger.tally.in_flight += 1
        try:
            reply = await self._deadline.bound(self._model.reply(job.request))
            reply = storable(reply, self._model.name)
            error = None
        except TransientError as caught:
            error = caught
        except TimeoutError:
            error = TransientError(
                f"{self._model.name} sent no reply within {ledger.policy.timeout:g} s", kind="timeout"
            )
        except PermanentError as caught:
            self._pay(hold, None, charged=caught.kind in BILLED_KINDS)
            self._limit.failed(is_refusal=False, sent_at=sent, now=self._now())
            ledger.failed(job, caught)
            self._settle_down()
            return
        finally:
            ledger.tally.in_flight -= 1
        if error is not None:
            self._pay(hold, None, charged=error.kind in BILLED_KINDS)
            self._retry(job, error, sent)
            return
        self._pay(hold, reply)
        ledger.received()
        self._limit.succeeded(len(self._workers), sent_at=sent, now=self._now())
        await self._committer.add(Entry(job.key, job.request, reply), len(self._workers))
        ledger.answered(job, reply)
        self._fill()

    def _pay(self, hold: Hold, reply: Reply | None, *, charged: bool = True) -> None:
        self.ledger.purse.settle(hold, reply, charged=charged)
        self._freed.set()

    def _retry(self, job: Job, error: TransientError, sent: float) -> None:
        """Put a request back for later, or give it up."""
        ledger, now, wait = self.ledger, self._now(), error.retry_after
        self._limit.failed(is_refusal=error.kind in REFUSAL_KINDS, sent_at=sent, now=now)
        needs_rest = ledger.needs_rest(error)
        if wait is not None and wait > ledger.policy.patience:
            ledger.halt(
                PermanentError(
                    f"{error}; it asks to wait {wait:.0f} s, more than the {ledger.policy.patience:g} s allowed: "
                    "run again later, what is answered is kept",
                    kind=error.kind,
                )
            )
        if not ledger.worth_retrying(job, error):
            ledger.failed(job, error)
            self._settle_down()
            return
        ledger.tally.retried += 1
        self._delayed += 1
        attempt = job.tries
        delay = (wait or 0.0) + backoff(attempt, self._rng, is_working=ledger.is_working)
        if needs_rest:
            self._paused_until = max(self._paused_until, now + delay)
            ledger.waits_because(error)
        if wait is not None and ledger.is_refusing:  # holds for the endpoint, not for this request alone
            self._paused_until = max(self._paused_until, now + wait)
        asyncio.get_running_loop().call_later(delay, self._requeue, job)

    def _requeue(self, job: Job) -> None:
        self._delayed -= 1
        self._queue.appendleft(job)  # before fresh ones: where all fail, few should have been tried
        self._fill()
        self._settle_down()


def _new_loop() -> asyncio.AbstractEventLoop:
    """The fastest event loop that is installed."""
    if sys.platform == "win32":
        return asyncio.new_event_loop()
    import uvloop  # heavy, and needed only once something is sent

    return uvloop.new_event_loop()
