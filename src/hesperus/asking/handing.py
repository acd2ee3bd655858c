"""How jobs reach a model: one after the other as there is room, or many at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from hesperus.asking.runs import TICK_SECONDS, Conductor, Job, Ledger, Run
from hesperus.errors import UsageError
from hesperus.models import CopiedModel, LocalModel, RemoteModel

WAITING = 1 << 12
"""Jobs that wait to be sent; where there are fewer, more are taken: what comes meanwhile must not use them up."""


class Handing:
    """Hands jobs to a model, each time in a run of their own whose end is waited for; the ledger has what came of them.

    Args:
        run_of: Makes a run of jobs.
        report: Called some ten times a second.
    """

    def __init__(self, run_of: Callable[[Sequence[Job]], Run], report: Callable[[], None]) -> None:
        self._run_of, self._report = run_of, report

    @property
    def wants_more(self) -> bool:
        """Whether further jobs would be asked before long."""
        return True

    def hand(self, jobs: Sequence[Job]) -> None:
        """Have jobs asked, now or later.

        Raises:
            HesperusError: Whatever stopped the run, as of `wait` and `end`.
        """
        with Conductor(self._run_of(jobs), self._report) as conductor:
            while conductor.wait():
                self._report()

    def wait(self, seconds: float = TICK_SECONDS) -> None:
        """Wait for some time for what was handed over and is under way."""

    def end(self) -> None:
        """Nothing more comes; wait until all is done."""


class Streaming(Handing):
    """Hands jobs to one run that goes on, while there is something to ask.

    Args:
        model: Who is asked.
        ledger: What becomes of jobs.
        opened: Ends the run.
        report: Called now and then while the run is being stopped.
    """

    def __init__(
        self, model: RemoteModel, ledger: Ledger, opened: ExitStack, report: Callable[[], None]
    ) -> None:
        from hesperus.asking.remote import RemoteRun  # asyncio alone costs a tenth of the start-up time

        self._run = RemoteRun(model, ledger)
        self._conductor = opened.enter_context(Conductor(self._run, report))

    @property
    def wants_more(self) -> bool:
        """Whether few are left that are not in flight."""
        return self._run.waiting < WAITING

    def hand(self, jobs: Sequence[Job]) -> None:
        """See Handing."""
        self._run.add(jobs)

    def wait(self, seconds: float = TICK_SECONDS) -> None:
        """See Handing."""
        self._conductor.wait(seconds)

    def end(self) -> None:
        """See Handing."""
        self._run.end()
        while self._conductor.wait():
            pass


def handing_to(
    model: RemoteModel | LocalModel | CopiedModel,
    ledger: Ledger,
    opened: ExitStack,
    report: Callable[[], None],
) -> Handing:
    """How a model is asked.

    Args:
        model: Who is asked.
        ledger: What becomes of jobs; its policy says whether they go in batches.
        opened: Ends what was begun.
        report: Called some ten times a second while this waits.

    Raises:
        UsageError: The model cannot be asked in batches, and should be.
    """
    batching = ledger.policy.batching
    if not isinstance(model, RemoteModel):
        from hesperus.asking.local import LocalRun

        return Handing(lambda jobs: LocalRun(model, ledger, jobs), report)
    if batching is None:
        return Streaming(model, ledger, opened, report)
    from hesperus.models.chat import ChatModel

    if not isinstance(model, ChatModel):
        raise UsageError(f"{model.name} cannot be asked in batches; leave --batch out")
    if batching.mode == "export":
        from hesperus.asking.batch_files import FilesRun

        return Handing(lambda jobs: FilesRun(model, ledger, jobs, batching), report)
    from hesperus.asking.batches import BatchRun

    return Handing(lambda jobs: BatchRun(model, ledger, jobs, batching), report)
