"""Requests in their order, some at a time, and what came of them: kept until those before them have ended, too."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from hesperus.asking.progress import Tally
from hesperus.asking.runs import Again, Job
from hesperus.asking.store import ReplyStore
from hesperus.errors import DataError
from hesperus.types import Failure, Reply, Request

LOOK_AHEAD = 1 << 18
"""Requests, at most, from the first that has not ended to the last that was taken: what a slow reply holds up comes after so many."""

IN_MEMORY = 1 << 14
"""Replies that are held for their turn; of more, only the keys are, and the store has the replies."""


@dataclass(slots=True, eq=False)
class _Part:
    """Requests that are handed out together.

    Attributes:
        keys: Key of each.
        left: Different ones that have not ended.
        results: Key to what came of it; the key under which the store has it where it is not held.
    """

    keys: list[str] = field(default_factory=list)
    left: int = 0
    results: dict[str, Reply | Failure | str] = field(default_factory=dict)


class Window:
    """Takes requests a part at a time, and hands out parts in the order in which they were taken.

    Requests are let go as they end, replies as they are too many: what is held is bounded however late one reply is.

    Args:
        requests: What is asked; taken from as there is room.
        count: How many they are, about.
        key_of: Makes the key of a request.
        store: Where replies are.
        tally: Its totals and what comes from the store are counted here.
        at_once: Requests of a part.
        again: What to ask in place of a request because of its reply, or None where the reply stands.
    """

    def __init__(
        self,
        requests: Iterable[Request],
        count: int,
        *,
        key_of: Callable[[Request], str],
        store: ReplyStore,
        tally: Tally,
        at_once: int,
        again: Again,
    ) -> None:
        self._requests, self._count, self._at_once = iter(requests), count, max(1, at_once)
        self._key_of, self._store, self._tally, self._again = key_of, store, tally, again
        self._parts: deque[_Part] = deque()
        self._asked: dict[str, tuple[Request, list[tuple[_Part, str]]]] = {}
        self._is_exhausted = False
        self._taken = self._distinct = self._held = 0

    @property
    def is_open(self) -> bool:
        """Whether something is still to be taken or to end."""
        return not self._is_exhausted or bool(self._asked)

    @property
    def has_room(self) -> bool:
        """Whether a further part may be taken."""
        return not self._is_exhausted and (len(self._parts) + 1) * self._at_once <= max(
            LOOK_AHEAD, self._at_once
        )

    def take(self) -> list[Job]:
        """Take a part; what of it must be looked up."""
        part, jobs = _Part(), list[Job]()
        for request in islice(self._requests, self._at_once):
            part.keys.append(key := self._key(request, part))
            if key in part.results:
                continue
            waiting = self._asked.get(key)
            if waiting is None:
                self._asked[key] = (request, [(part, key)])
                jobs.append(Job(key, request))
                part.left += 1
            elif waiting[1][-1] != (part, key):
                waiting[1].append((part, key))
                part.left += 1
        self._is_exhausted = len(part.keys) < self._at_once
        self._taken += len(part.keys)
        self._distinct += len(jobs) + len(part.results)
        self._tally.total = self._distinct + (0 if self._is_exhausted else max(0, self._count - self._taken))
        if part.keys:
            self._parts.append(part)
        return jobs

    def look_up(self, jobs: Sequence[Job]) -> list[Job]:
        """Take from the store what it has; the rest.

        Raises:
            StoreError: It cannot be read.
        """
        missing = list[Job]()
        while jobs:
            stored = self._store.find([job.key for job in jobs])
            missing += [job for job in jobs if job.key not in stored]
            jobs = self.note(stored.items())
            self._tally.cached += len(stored) - len(jobs)
        return missing

    def note(self, results: Iterable[tuple[str, Reply | Failure]]) -> list[Job]:
        """Note what came, by key; what must be looked up because of it."""
        jobs = list[Job]()
        for key, result in results:
            request, places = self._asked.pop(key)
            longer = self._again(request, result) if isinstance(result, Reply) else None
            if longer is not None:
                jobs += self._instead(longer, places)
                continue
            for part, name in places:
                part.left -= 1
                if isinstance(result, Reply) and self._held >= IN_MEMORY and part is not self._parts[0]:
                    part.results[name] = key
                else:
                    part.results[name] = result
                    self._held += 1
        return jobs

    def _instead(self, request: Request, places: list[tuple[_Part, str]]) -> list[Job]:
        """Wait for another request in the place of one that has ended."""
        key = self._key_of(request)
        if key in self._asked:
            self._asked[key][1].extend(places)
            return []
        self._asked[key] = (request, places)
        return [Job(key, request)]

    def ready(self) -> Iterator[list[Reply | Failure]]:
        """Parts of which every request has ended, and those before them: reply or failure of each request.

        Raises:
            StoreError: Replies that were not held cannot be read.
        """
        while self._parts and not self._parts[0].left:
            part = self._parts.popleft()
            absent = {name: key for name, key in part.results.items() if isinstance(key, str)}
            self._held -= len(part.results) - len(absent)
            stored = self._store.find(list(absent.values()))
            found = part.results | {name: stored[key] for name, key in absent.items()}
            yield [found[key] for key in part.keys]  # type: ignore[misc]

    def _key(self, request: Request, part: _Part) -> str:
        """The key of a request; one of its own, with a failure, where its text cannot be sent."""
        try:
            return self._key_of(request)
        except DataError as error:
            key = f"unsayable-{len(part.keys)}"
            part.results[key] = Failure("bad_text", str(error))
            self._held += 1
            self._tally.unsayable += 1
            return key
