"""Requests in, replies out: what is stored is looked up, what is missing is asked."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, closing

from hesperus.asking.handing import Handing, handing_to
from hesperus.asking.keys import key_maker
from hesperus.asking.policy import Policy
from hesperus.asking.progress import Report, Tally
from hesperus.asking.runs import TICK_SECONDS, Again, Ledger
from hesperus.asking.spending import Spending
from hesperus.asking.store import ReplyStore
from hesperus.asking.turns import turn
from hesperus.asking.window import Window
from hesperus.errors import DataError, UsageError
from hesperus.models import CopiedModel, LocalModel, Model, RemoteModel
from hesperus.types import Failure, Reply, Request

STREAMED_PART, COMPUTED_PART = 1 << 10, 1 << 14
"""Requests that are taken and handed out together: of an endpoint, which has further ones before these are answered, few, since none
are taken while what was handed out is read; of a model that computes, which has batches of those alike among them."""


def ask(
    model: Model,
    requests: Sequence[Request],
    *,
    store: ReplyStore,
    policy: Policy | None = None,
    progress: Report | None = None,
    spending: Spending | None = None,
) -> list[Reply | Failure]:
    """Answer requests, each from the store or, once, from the model.

    Every reply is committed to the store before it is returned. Kill the process at any moment and call again:
    only what was in flight is asked twice. A failure is returned and never stored, so the next call tries again.
    Works inside a running event loop (which it blocks) as well as outside. Only one process at a time asks one
    model with one store; others wait for their turn.

    Args:
        model: Who is asked.
        requests: What is asked. Equal requests are asked once; ask for a new ``repeat`` to hear again.
        store: Where replies are kept.
        policy: How hard to ask, and what may be spent; ``Policy()`` where None.
        progress: Called in the caller's thread some ten times a second, and at the end.
        spending: What was spent before; added to. One object for several calls makes one budget over all.

    Returns:
        Reply or Failure for each request, in the order of the requests.

    Raises:
        UsageError: The model is neither remote nor local, or lacks what it needs to be opened.
        ModelError: The endpoint fails every request alike (wrong key, no such model), so the run stopped early.
        BudgetReachedError: The budget leaves requests unasked; what was answered is kept.
        PendingError: Batches are under way, or files were written, that are to be answered elsewhere.
        StoreError: The store cannot be read or written.
        EngineError: Where the model is asked cannot be used, or is gone; what was answered is kept.
        KeyboardInterrupt: The user interrupted; what was answered is kept.
    """
    count = len(requests)
    parts = ask_in_parts(
        model,
        requests,
        count,
        store=store,
        policy=policy,
        progress=progress,
        spending=spending,
        at_once=count,
    )
    with closing(parts):
        return [reply for part in parts for reply in part]


def ask_in_parts(
    model: Model,
    requests: Iterable[Request],
    count: int,
    *,
    store: ReplyStore,
    policy: Policy | None = None,
    progress: Report | None = None,
    spending: Spending | None = None,
    again: Again | None = None,
    at_once: int | None = None,
) -> Generator[list[Reply | Failure]]:
    """As ``ask``, of requests that are not all held: they are taken as there is room for them, and replies come in their order.

    An endpoint has further requests while a late reply holds up those that come after it. Close the generator where it is not
    used up: what is in flight is then kept before anything else happens.

    Args:
        model: Who is asked.
        requests: What is asked.
        count: How many they are, for the progress; at the end they are counted.
        store: Where replies are kept.
        policy: How hard to ask, and what may be spent; ``Policy()`` where None.
        progress: Called in the caller's thread some ten times a second while it waits, and at the end.
        spending: What was spent before; added to.
        again: What to ask in place of a request because of its reply; what comes of that is handed out instead.
        at_once: Requests that are taken and handed out together; as suits the model where None.

    Yields:
        Reply or Failure for each of some requests; all of them have the order of the requests.

    Raises:
        HesperusError: As of ``ask``.
        KeyboardInterrupt: As of ``ask``.
    """
    if not isinstance(model, RemoteModel | LocalModel | CopiedModel):
        raise UsageError(f"{type(model).__name__} is no model: it has neither reply() nor replies()")
    policy, again, tally = policy or Policy(), again or _stands, Tally(count)
    ledger = Ledger(store, policy=policy, spending=spending or Spending(), tally=tally, again=again)
    window = Window(
        requests, count, key_of=key_maker(model.identity), store=store, tally=tally, again=again,
        at_once=_at_once(model, policy, count) if at_once is None else at_once,
    )  # fmt: skip

    told_at = time.monotonic()

    def report() -> None:
        nonlocal told_at
        if progress is None or time.monotonic() - told_at < TICK_SECONDS:
            return
        told_at, state = time.monotonic(), tally.snapshot()
        if state.left:  # the last state is told once, at the end
            progress(state)

    with ExitStack() as opened:
        handing: Handing | None = None
        has_turn, part = False, None
        while window.is_open:
            takes = window.has_room and (handing is None or handing.wants_more)
            if handing is not None:
                handing.wait(0.0 if takes or part is not None else TICK_SECONDS)
            jobs = window.note(ledger.ended()) + (window.take() if takes else [])
            jobs = window.look_up(jobs)
            if jobs and not has_turn:
                opened.enter_context(turn(store.path, model.identity, waiting=_waiting(tally, progress)))
                has_turn, tally.note = True, ""
                jobs = window.look_up(jobs)  # another process may have asked them meanwhile
            if jobs:
                handing = handing or handing_to(model, ledger, opened, report)
                handing.hand(jobs)
            report()
            # One at a time: who reads many that waited for one late reply would leave the endpoint with nothing to do.
            part = next(window.ready(), None) if window.is_open else None
            if part is not None:
                yield part
        if handing is not None:
            handing.end()
    if progress is not None:
        progress(tally.snapshot())
    yield from window.ready()


def _at_once(model: Model, policy: Policy, count: int) -> int:
    if not isinstance(model, RemoteModel):
        return COMPUTED_PART
    return STREAMED_PART if policy.batching is None else count


def _stands(request: Request, reply: Reply) -> None:
    """Every reply stands."""


def held(model: Model, requests: Sequence[Request], *, store: ReplyStore) -> list[bool]:
    """Which requests the store answers already, in the order of the requests; nothing is asked.

    Raises:
        StoreError: The store cannot be read.
    """
    key_of, keys = key_maker(model.identity), list[str | None]()
    for request in requests:
        try:
            keys.append(key_of(request))
        except DataError:
            keys.append(None)
    found = store.find([key for key in dict.fromkeys(keys) if key is not None])
    return [key in found for key in keys]


def _waiting(tally: Tally, progress: Report | None) -> Callable[[str], None]:
    def note(text: str) -> None:
        if not tally.note:
            logging.getLogger(__name__).warning("%s", text)
        tally.note = text
        if progress is not None:
            progress(tally.snapshot())

    return note
