"""A run: the asking of many requests in a thread of its own, watched and stopped from the caller's.

A thread of its own, because then ``ask`` works inside a running event loop (a notebook) as outside, and an
interrupt reaches the caller and never cuts through a commit.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from hesperus.asking.pacing import TWICE_KINDS, WAITING_KIND, Circuit
from hesperus.asking.policy import Policy
from hesperus.asking.progress import Report, Tally
from hesperus.asking.spending import Purse, Spending
from hesperus.asking.store import ReplyStore
from hesperus.errors import BudgetReachedError, ModelError, PermanentError, TransientError
from hesperus.types import Failure, Reply, Request

TICK_SECONDS = 0.1


@dataclass(slots=True, eq=False)
class Job:
    """One request on its way.

    Attributes:
        key: Key in the store.
        request: What is asked.
        failed: Tries that failed so far in a way that is worth many.
        odd: Kinds of the tries that failed in a way that another hardly mends.
        told_to_wait: Tries that the endpoint put off.
    """

    key: str
    request: Request
    failed: int = 0
    odd: tuple[str, ...] = ()
    told_to_wait: int = 0

    @property
    def tries(self) -> int:
        """Tries that failed so far."""
        return self.failed + len(self.odd) + self.told_to_wait

    def count(self, kind: str) -> int:
        """Note a try that failed; how many of its sort there were."""
        if kind == WAITING_KIND:
            self.told_to_wait += 1
            return self.told_to_wait
        if kind in TWICE_KINDS:
            self.odd += (kind,)
            return self.odd.count(kind)
        self.failed += 1
        return self.failed


class Run(Protocol):
    """What ``conduct`` needs of a run."""

    ledger: Ledger

    def main(self) -> None:
        """Ask everything; runs in the thread. Errors are left in the ledger."""

    def stop(self) -> None:
        """Send nothing more; finish and commit what is in flight. Called from another thread."""

    def abort(self) -> None:
        """Finish at once; commit what has arrived. Called from another thread."""


class Ledger:
    """What a run shares, remote or local: jobs in, results out, and the reasons to stop.

    Args:
        jobs: What to ask.
        store: Where replies are committed before they count.
        policy: How to ask.
        spending: Running total that the budget is compared with.
        tally: Counters for the progress report.
    """

    def __init__(
        self, jobs: list[Job], store: ReplyStore, *, policy: Policy, spending: Spending, tally: Tally
    ) -> None:
        self.jobs, self.store, self.policy, self.tally = jobs, store, policy, tally
        self.purse = Purse(policy.budget, spending)
        self.results: dict[str, Reply | Failure] = {}
        self.stopping = False
        self.error: BaseException | None = None
        self._circuit = Circuit()
        self._waiting = ""

    def received(self) -> None:
        """Note that a reply has come, committed or not: the model works."""
        self._circuit.succeeded()
        if self._waiting and self.tally.note == self._waiting:
            self.tally.note = self._waiting = ""

    def waits_because(self, error: ModelError) -> None:
        """Say what the run waits for: minutes may pass before an endpoint that fails is given up."""
        if not self.stopping:
            self.tally.note = self._waiting = f"{error}; trying again"

    def needs_rest(self, error: ModelError) -> bool:
        """Note a try that failed; True where nothing should be sent until the next try."""
        self.tally.faults[error.kind] += 1
        return self._circuit.faltered(error.kind, self.tally.in_flight + 1)

    @property
    def left(self) -> int:
        """Requests still to be answered, those of later parts included."""
        return self.tally.total - self.tally.done - self.tally.failed

    @property
    def is_working(self) -> bool:
        """Whether the endpoint answers most requests."""
        return self._circuit.is_working

    @property
    def is_refusing(self) -> bool:
        """Whether the endpoint refuses most requests."""
        return self._circuit.is_refusing

    def worth_retrying(self, job: Job, error: ModelError) -> bool:
        """Note a try that failed in a way that may pass; True where its request has tries left."""
        tries = job.count(error.kind)
        return not self.stopping and tries <= self._circuit.tries(error.kind, self.policy.retries)

    def answered(self, job: Job, reply: Reply) -> None:
        """Note a committed reply."""
        self.results[job.key] = reply
        self.tally.done += 1
        self.tally.tokens_in += reply.tokens_in or 0
        self.tally.tokens_out += reply.tokens_out or 0

    def failed(self, job: Job, error: ModelError) -> None:
        """Note a request that is given up; stop the run where that shows it to be hopeless."""
        self.results[job.key] = Failure(error.kind, str(error))
        self.tally.failed += 1
        if not isinstance(error, TransientError):  # those that may pass are counted with each try
            self.tally.faults[error.kind] += 1
        left, retried = self.left, isinstance(error, TransientError)
        if self._circuit.failed(error.kind, left, retried=retried):
            self.halt(error)

    def halt(self, error: BaseException) -> None:
        """Stop for this reason; the first one counts."""
        self.stopping = True
        if self.error is None:
            self.error = error

    def spent_out(self) -> None:
        """Stop because the budget leaves no room for a further request."""
        self.halt(
            BudgetReachedError(
                f"the budget is reached ({self.purse}); {self.tally.done} of {self.tally.total} requests are "
                f"answered and kept, {self.left} are left: run again with a larger budget to go on"
            )
        )


def conduct(run: Run, report: Report | None) -> Mapping[str, Reply | Failure]:
    """Run it, report about it, and stop it when the user says so.

    The first interrupt lets what is in flight finish, the second does not.

    Args:
        run: What to run.
        report: Called in this thread some ten times a second.

    Returns:
        Reply or failure by key.

    Raises:
        KeyboardInterrupt: The user interrupted; what was answered is committed.
        HesperusError: Whatever stopped the run.
    """
    tally, interrupts = run.ledger.tally, 0
    # Not Thread.join: in Python 3.11 and 3.12 an interrupted join takes a running thread for a finished one.
    ready, finished = threading.Event(), threading.Event()
    thread = threading.Thread(target=_main, args=(run, ready, finished), name="hesperus-asking", daemon=True)
    thread.start()
    while True:
        try:
            ready.set()
            while not finished.wait(TICK_SECONDS):
                if report is not None:
                    report(tally.snapshot())
            break
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts > 2:
                raise
            tally.note = "stopping: what is in flight will be kept; interrupt again to quit at once"
            run.stop() if interrupts == 1 else run.abort()
        except BaseException:  # the report failed: the caller's error, but first keep what is in flight
            run.stop()
            finished.wait()
            raise
    thread.join()
    if run.ledger.error is not None and not interrupts:
        raise run.ledger.error
    if interrupts:
        raise KeyboardInterrupt
    return run.ledger.results


def _main(run: Run, ready: threading.Event, finished: threading.Event) -> None:
    # An interrupt before `conduct` waits ends the process: compiled code that runs here then would abort it.
    ready.wait()
    try:
        run.main()
    finally:
        finished.set()


def storable(reply: Reply, model: str) -> Reply:
    """The reply as a store can hold it: whole characters and finite numbers.

    Raises:
        PermanentError: An option's log-probability is not finite (kind ``no_logprobs``).
    """
    if reply.option_logprobs is not None and not all(map(math.isfinite, reply.option_logprobs)):
        raise PermanentError(f"{model} gave a log-probability that is no finite number", kind="no_logprobs")
    try:
        reply.text.encode()
    except UnicodeEncodeError:
        return replace(reply, text=reply.text.encode("utf-8", "replace").decode())
    return reply
