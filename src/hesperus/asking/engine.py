"""Requests in, replies out: what is stored is looked up, what is missing is asked."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence

from hesperus.asking.keys import key_maker
from hesperus.asking.policy import Policy
from hesperus.asking.progress import Parts, Report, Tally
from hesperus.asking.runs import Job, Ledger, conduct
from hesperus.asking.spending import Spending
from hesperus.asking.store import ReplyStore
from hesperus.asking.turns import turn
from hesperus.errors import DataError, UsageError
from hesperus.models import BatchModel, CopiedModel, LocalModel, Model, RemoteModel
from hesperus.types import Failure, Reply, Request


def ask(
    model: Model,
    requests: Sequence[Request],
    *,
    store: ReplyStore,
    policy: Policy | None = None,
    progress: Report | None = None,
    spending: Spending | None = None,
    parts: Parts | None = None,
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
        parts: Where these requests are a part of more: how far the parts before came; brought up to date.

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
    if not isinstance(model, RemoteModel | LocalModel | CopiedModel):
        raise UsageError(f"{type(model).__name__} is no model: it has neither reply() nor replies()")
    keys, unsayable = _keys(requests, model.identity)
    asked = {key: request for key, request in zip(keys, requests, strict=True) if key not in unsayable}
    found: dict[str, Reply | Failure] = {**unsayable, **store.find(list(asked))}
    missing = [Job(key, request) for key, request in asked.items() if key not in found]
    tally = Tally(len(asked) + len(unsayable), len(found) - len(unsayable), parts=parts)
    tally.failed += len(unsayable)
    if missing:
        with turn(store.path, model.identity, waiting=_waiting(tally, progress)):
            tally.note = ""
            # What another process asked while this one waited for its turn is there now.
            late = store.find([job.key for job in missing])
            found.update(late)
            tally.cached += len(late)
            tally.done += len(late)
            left = [job for job in missing if job.key not in late]
            ledger = Ledger(
                left, store, policy=policy or Policy(), spending=spending or Spending(), tally=tally
            )
            found.update(_run(model, ledger, progress))
    if parts is not None:
        parts.reached = tally.snapshot()
    if progress is not None:
        progress(tally.snapshot())
    return [found[key] for key in keys]


def held(model: Model, requests: Sequence[Request], *, store: ReplyStore) -> list[bool]:
    """Which requests the store answers already, in the order of the requests; nothing is asked.

    Raises:
        StoreError: The store cannot be read.
    """
    keys, unsayable = _keys(requests, model.identity)
    found = store.find([key for key in dict.fromkeys(keys) if key not in unsayable])
    return [key in found for key in keys]


def _run(
    model: RemoteModel | LocalModel | CopiedModel, ledger: Ledger, progress: Report | None
) -> Mapping[str, Reply | Failure]:
    if not ledger.jobs:
        return {}
    # The engines are imported where they are needed: asyncio alone costs a tenth of the start-up time.
    batching = ledger.policy.batching
    if batching is not None and isinstance(model, RemoteModel):
        if not isinstance(model, BatchModel):
            raise UsageError(f"{model.name} cannot be asked in batches; leave --batch out")
        if batching.mode == "export":
            from hesperus.asking.batch_files import FilesRun

            return conduct(FilesRun(model, ledger, batching), progress)
        from hesperus.asking.batches import BatchRun

        return conduct(BatchRun(model, ledger, batching), progress)
    if isinstance(model, RemoteModel):
        from hesperus.asking.remote import RemoteRun

        return conduct(RemoteRun(model, ledger), progress)
    from hesperus.asking.local import LocalRun

    return conduct(LocalRun(model, ledger), progress)


def _keys(
    requests: Sequence[Request], identity: Mapping[str, str]
) -> tuple[list[str], dict[str, Reply | Failure]]:
    """The key of each request, and failures for those with a text that cannot be sent."""
    key_of, keys = key_maker(identity), []
    unsayable: dict[str, Reply | Failure] = {}
    for index, request in enumerate(requests):
        try:
            keys.append(key_of(request))
        except DataError as error:
            keys.append(f"unsayable-{index}")
            unsayable[keys[-1]] = Failure("bad_text", str(error))
    return keys, unsayable


def _waiting(tally: Tally, progress: Report | None) -> Callable[[str], None]:
    def note(text: str) -> None:
        if not tally.note:
            logging.getLogger(__name__).warning("%s", text)
        tally.note = text
        if progress is not None:
            progress(tally.snapshot())

    return note
