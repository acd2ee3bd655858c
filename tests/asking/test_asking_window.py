"""Requests that are never all held: asked as there is room, handed out in their order whatever comes first."""

from __future__ import annotations

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.asking import Budget, Policy, ReplyStore, ask_in_parts, handing, window
from hesperus.asking.keys import key_maker
from hesperus.asking.progress import Tally
from hesperus.asking.store import Entry
from hesperus.asking.window import Window
from hesperus.errors import BudgetReachedError, PermanentError, TransientError
from hesperus.models import ModelOptions, model
from hesperus.storage import MEMORY
from hesperus.types import Failure, Prompt, Reply, Request, Settings
from loopback_endpoint import Say, serving, user_text

IDENTITY = {"provider": "x"}
LONGER = 99
KEY_OF = key_maker(IDENTITY)


def question(text: str) -> Request:
    return Request("x/y", Prompt(text), Settings(max_tokens=5))


def longer(request: Request, reply: Reply) -> Request | None:
    """Replies that are cut off are asked for again, once, with more tokens."""
    if reply.finish != "length" or request.settings.max_tokens == LONGER:
        return None
    return replace(request, settings=replace(request.settings, max_tokens=LONGER))


def reply_to(request: Request) -> Reply | Failure:
    """What comes of a request; its text and its tokens decide."""
    text = request.prompt.user
    if text.startswith("bad"):
        return Failure("bad", text)
    is_cut = text.startswith("cut") and request.settings.max_tokens != LONGER
    return Reply(
        "" if is_cut else f"{text}: {request.settings.max_tokens}", finish="length" if is_cut else "stop"
    )


def due(request: Request) -> Reply | Failure:
    """What is to be handed out."""
    if "\ud83d" in request.prompt.user:
        return Failure("bad_text", "")
    first = reply_to(request)
    again = longer(request, first) if isinstance(first, Reply) else None
    return first if again is None else reply_to(again)


texts = st.lists(
    st.builds("{}{}".format, st.sampled_from(["q", "q", "cut", "bad", "\ud83d"]), st.integers(0, 30)),
    max_size=80,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(texts, st.integers(1, 9), st.integers(1, 40), st.integers(0, 5), st.randoms(use_true_random=False))
def test_whatever_ends_first_replies_come_in_the_order_of_requests(asked, at_once, ahead, held, rng):
    requests = [question(text) for text in asked]
    with ReplyStore(MEMORY) as store, pytest.MonkeyPatch.context() as patch:
        patch.setattr(window, "LOOK_AHEAD", ahead)
        patch.setattr(window, "IN_MEMORY", held)
        known = [one for one in requests if one.prompt.user.isascii() and rng.random() < 0.2]
        replies = [(one, reply_to(one)) for one in known]
        store.put([Entry(KEY_OF(one), one, got) for one, got in replies if isinstance(got, Reply)], IDENTITY)
        tally = Tally(len(requests))
        taking = Window(
            requests, len(requests), key_of=KEY_OF, store=store, tally=tally, at_once=at_once, again=longer
        )
        waiting: dict[str, Request] = {}
        out: list[Reply | Failure] = []
        sent: Counter[str] = Counter()
        while taking.is_open:
            jobs = []
            if taking.has_room and (not waiting or rng.random() < 0.5):
                jobs = taking.take()
            elif waiting:
                key = rng.choice(sorted(waiting))
                request = waiting.pop(key)
                result = reply_to(request)
                if isinstance(result, Reply):
                    store.put([Entry(key, request, result)], IDENTITY)
                jobs = taking.note([(key, result)])
            for job in taking.look_up(jobs):
                assert job.key not in waiting
                waiting[job.key] = job.request
                sent[job.key] += 1
            out += [one for part in taking.ready() for one in part]
            assert len(taking._parts) * at_once <= max(ahead, at_once)
        out += [one for part in taking.ready() for one in part]
        in_store = len(store)
    assert [one.kind if isinstance(one, Failure) else one for one in out] == [
        one.kind if isinstance(one, Failure) else one for one in map(due, requests)
    ]
    answered = {key for key in sent if sent[key] > 1}
    assert all(
        any(KEY_OF(one) == key for one in requests if one.prompt.user.startswith("bad")) for key in answered
    ), "what is answered is asked once"
    assert in_store <= 2 * len(requests) and not taking._held
    assert tally.unsayable == sum("\ud83d" in text for text in asked)


class Endpoint:
    """A model over no network that is late, fails now and then, and notes what it was asked."""

    name, identity = "x/y", IDENTITY

    def __init__(self, seed: int, share: float) -> None:
        self.rng, self.share, self.asked = random.Random(seed), share, Counter[str]()

    async def open(self) -> None:
        self.busy = self.most = 0

    async def close(self) -> None:
        assert not self.busy

    async def reply(self, request: Request) -> Reply:
        self.busy += 1
        self.most = max(self.most, self.busy)
        try:
            late = self.rng.random() < 0.05
            await asyncio.sleep(self.rng.uniform(0, 0.05 if late else 0.002))
            if self.rng.random() < self.share:
                raise TransientError("not now", kind="http_500")
        finally:
            self.busy -= 1
        result = reply_to(request)
        if isinstance(result, Failure):
            raise PermanentError(result.message, kind=result.kind)
        self.asked[f"{request.prompt.user} {request.settings.max_tokens}"] += 1
        return result


@pytest.mark.usefixtures("quick_backoff")
@pytest.mark.parametrize("seed", range(8))
def test_latencies_failures_and_sizes_of_the_window_change_no_reply(seed, monkeypatch):
    rng = random.Random(seed)
    at_once = rng.randint(1, 40)
    monkeypatch.setattr(window, "LOOK_AHEAD", rng.randint(1, 200))
    monkeypatch.setattr(window, "IN_MEMORY", rng.randint(0, 60))
    monkeypatch.setattr(handing, "WAITING", rng.randint(1, 60))
    kinds = ["q"] * 20 + ["cut", "bad"]
    requests = [question(f"{rng.choice(kinds)}{rng.randint(0, 400)}") for _ in range(500)]
    endpoint, seen = Endpoint(seed, rng.choice([0.0, 0.2])), []
    with ReplyStore(MEMORY) as store:
        parts = ask_in_parts(
            endpoint, iter(requests), 500, store=store, policy=Policy(concurrency=rng.randint(1, 30), retries=30),
            progress=seen.append, again=longer, at_once=at_once,
        )  # fmt: skip
        found = list(parts)
        stored = len(store)
    assert [one for part in found for one in part] == [due(request) for request in requests]
    assert [len(part) for part in found[:-1]] == [at_once] * (len(found) - 1)
    assert set(endpoint.asked.values()) == {1} and stored == len(endpoint.asked)
    last = seen[-1]
    assert last.left == 0 and last.done + last.failed == last.total


def test_a_late_reply_holds_up_nothing_but_its_turn(monkeypatch):
    monkeypatch.setattr(handing, "WAITING", 5)
    is_enough = threading.Event()

    def behave(body, count):
        if count >= 100:
            is_enough.set()
        late = user_text(body) == "q3"
        return Say(user_text(body), after=is_enough if late else None)

    requests = [Request("http/m", Prompt(f"q{n}")) for n in range(120)]
    with serving(behave) as endpoint, ReplyStore(MEMORY) as store:
        asked = model("http/m", ModelOptions(base_url=endpoint.url))
        parts = ask_in_parts(asked, requests, 120, store=store, policy=Policy(concurrency=4), at_once=5)
        replies = [reply for part in parts for reply in part]
        assert sorted(endpoint.asked) == sorted(f"q{n}" for n in range(120))
    assert [reply.text for reply in replies if isinstance(reply, Reply)] == [f"q{n}" for n in range(120)]


def test_requests_are_taken_only_as_there_is_room(monkeypatch):
    monkeypatch.setattr(window, "LOOK_AHEAD", 20)
    monkeypatch.setattr(handing, "WAITING", 1000)
    taken, is_enough = list[int](), threading.Event()

    def requests() -> Iterator[Request]:
        for n in range(100):
            taken.append(n)
            yield Request("http/m", Prompt(f"q{n}"))

    def told(state):
        if state.done == 19:
            assert len(taken) <= 25, "the first is late: what was taken is what the window holds"
            is_enough.set()

    def behave(body, count):
        return Say("x", after=is_enough if user_text(body) == "q0" else None)

    with serving(behave) as endpoint, ReplyStore(MEMORY) as store:
        asked = model("http/m", ModelOptions(base_url=endpoint.url))
        parts = ask_in_parts(asked, requests(), 100, store=store, progress=told, at_once=5)
        when = [len(taken) for _ in parts]
    assert len(when) == 20 and is_enough.is_set()
    assert when[0] < when[3], "further ones are taken before all is read that waited for the first"


def test_who_stops_in_the_middle_keeps_what_is_in_flight():
    requests = (Request("http/m", Prompt(f"q{n}")) for n in range(10_000))
    with serving(lambda body, _: Say(user_text(body), seconds=0.01)) as endpoint, ReplyStore(MEMORY) as store:
        asked = model("http/m", ModelOptions(base_url=endpoint.url))
        seen = []
        parts = ask_in_parts(asked, requests, 10_000, store=store, progress=seen.append, at_once=10)
        with closing(parts):
            assert len(list(islice(parts, 2))) == 2
        assert 20 <= len(store) == len(endpoint.bodies) < 5000
        assert threading.active_count() < 20 and not any(
            thread.name == "hesperus-asking" for thread in threading.enumerate()
        )


def test_a_budget_holds_over_all_parts():
    requests = [question(f"q{n}") for n in range(100)]
    endpoint = Endpoint(1, 0.0)
    with ReplyStore(MEMORY) as store:
        policy = Policy(budget=Budget(requests=33))
        with pytest.raises(BudgetReachedError, match="33 of 100 requests are answered and kept, 67 are left"):
            list(ask_in_parts(endpoint, requests, 100, store=store, policy=policy, at_once=10))
        assert len(store) == 33
