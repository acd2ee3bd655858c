"""A run: the asking of many requests in a thread of its own, watched and stopped from the caller's.

A thread of its own, because then ``ask`` works inside a running event loop (a notebook) as outside, and an
interrupt reaches the caller and never cuts through a commit.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from hesperus.asking.pacing import TWICE_KINDS, WAITING_KIND, Circuit
from hesperus.asking.policy import Policy
from hesperus.asking.progress import Tally
from hesperus.asking.spending import Purse, Spending
from hesperus.asking.store import ReplyStore
from hesperus.errors import BudgetReachedError, ModelError, PermanentError, TransientError
from hesperus.types import Failure, Reply, Request

TICK_SECONDS = 0.1

Again = Callable[[Request, Reply], Request | None]
"""What to ask in place of a request because of its reply; None where the reply stands."""


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


class Run(ABC):
    """What a Conductor has work in a thread of its own.

    Args:
        ledger: What becomes of what is asked.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def main(self) -> None:
        """Ask everything, in the thread."""
        try:
            self.ask_all()
        except BaseException as error:  # it must reach the caller's thread, which raises it
            self.ledger.halt(error)

    @abstractmethod
    def ask_all(self) -> None:
        """Ask everything; what is raised stops the run."""

    def stop(self) -> None:
        """Send nothing more; finish and commit what is in flight. Called from another thread."""
        self.ledger.stopping = True

    def abort(self) -> None:
        """Finish at once, where that can be; commit what has arrived. Called from another thread."""
        self.stop()


class Ledger:
    """What the runs of one call share, remote or local: what came of jobs, and the reasons to stop.

    Args:
        store: Where replies are committed before they count.
        policy: How to ask.
        spending: Running total that the budget is compared with.
        tally: Counters for the progress report.
        again: Tells replies that do not stand.
    """

    def __init__(
        self, store: ReplyStore, *, policy: Policy, spending: Spending, tally: Tally, again: Again
    ) -> None:
        self.store, self.policy, self.tally, self._again = store, policy, tally, again
        self.purse = Purse(policy.budget, spending)
        self.results: dict[str, Reply | Failure] = {}
        self.stopping = self._is_spent = False
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
        """Requests still to be answered, those included that are yet to be taken."""
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
        self.tally.answered += self._again(job.request, reply) is None
        self.results[job.key] = reply
        self.tally.tokens_in += reply.tokens_in or 0
        self.tally.tokens_out += reply.tokens_out or 0

    def failed(self, job: Job, error: ModelError) -> None:
        """Note a request that is given up; stop the run where that shows it to be hopeless."""
        self.results[job.key] = Failure(error.kind, str(error))
        self.tally.given_up += 1
        if not isinstance(error, TransientError):  # those that may pass are counted with each try
            self.tally.faults[error.kind] += 1
        left, retried = self.left, isinstance(error, TransientError)
        if self._circuit.failed(error.kind, left, retried=retried):
            self.halt(error)

    def ended(self) -> list[tuple[str, Reply | Failure]]:
        """Keys and results of jobs that ended since the last call; for the caller's thread."""
        return [(key, self.results.pop(key)) for key in list(self.results)]

    def halt(self, error: BaseException) -> None:
        """Stop for this reason; the first one counts."""
        self.stopping = True
        if self.error is None:
            self.error = error

    def spent_out(self) -> None:
        """Stop because the budget leaves no room for a further request."""
        self.stopping = self._is_spent = True

    def why_stopped(self) -> BaseException | None:
        """What stopped a run that has ended; None where all was asked."""
        if self.error is not None or not self._is_spent:
            return self.error
        return BudgetReachedError(
            f"the budget is reached ({self.purse}); {self.tally.done} of {self.tally.total} requests are "
            f"answered and kept, {self.left} are left: run again with a larger budget to go on"
        )


class Conductor:
    """Has a run work in a thread of its own while a `with` block of the caller lasts, and stops it where the block fails.

    An interrupt, as any error in the block, lets what is in flight finish and be kept. A second interrupt does not wait for it, a
    third for nothing.

    Args:
        run: What to run.
        report: Called while the run is being stopped.
    """

    def __init__(self, run: Run, report: Callable[[], None]) -> None:
        self._run, self._report = run, report
        # Not Thread.join: in Python 3.11 and 3.12 an interrupted join takes a running thread for a finished one.
        self._ready, self._finished = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._main, name="hesperus-asking", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._finished.is_set():
            self._stop(1 if isinstance(error, KeyboardInterrupt | GeneratorExit) else 0)

    def wait(self, seconds: float = TICK_SECONDS) -> bool:
        """Let the run go on for some time; whether it goes on after that.

        Raises:
            HesperusError: Whatever stopped the run.
        """
        self._ready.set()
        if not self._finished.wait(seconds):
            return True
        self._thread.join()
        if (error := self._run.ledger.why_stopped()) is not None:
            raise error
        return False

    def _stop(self, interrupts: int) -> None:
        """Send nothing more and wait for the end, while interrupts shorten it."""
        self._ready.set()
        while True:
            try:
                if interrupts:
                    self._run.ledger.tally.note = (
                        "stopping: what is in flight will be kept; interrupt again to quit at once"
                    )
                self._run.stop() if interrupts < 2 else self._run.abort()
                while not self._finished.wait(TICK_SECONDS):
                    if interrupts:  # else it may be the report that failed
                        self._report()
                return
            except KeyboardInterrupt:
                interrupts += 1
                if interrupts > 2:
                    raise

    def _main(self) -> None:
        # An interrupt before the caller waits ends the process: compiled code that runs here then would abort it.
        self._ready.wait()
        try:
            self._run.main()
        finally:
            self._finished.set()


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
