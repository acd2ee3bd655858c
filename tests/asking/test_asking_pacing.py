"""The pure parts: backoff, the limit in flight, the circuit, the purse."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.asking import Budget, Policy, Prices, Progress, Spending
from hesperus.asking.pacing import (
    ANY_RUN,
    BACKOFF_BASE,
    BACKOFF_CAP,
    DECREASE,
    ENDPOINT_RUN,
    START,
    Circuit,
    Limit,
    backoff,
)
from hesperus.asking.progress import Tally
from hesperus.asking.spending import OVERHEAD_TOKENS, Purse
from hesperus.errors import UsageError
from hesperus.types import Prompt, Reply, Request, Settings


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.integers(1, 10_000), st.integers())
def test_backoff_is_full_jitter_under_an_exponential_ceiling(attempt, seed):
    wait = backoff(attempt, random.Random(seed))
    assert 0 <= wait <= min(BACKOFF_CAP, BACKOFF_BASE * 2 ** min(attempt - 1, 30))


def test_backoff_grows_and_spreads():
    rng = random.Random(1)
    means = [sum(backoff(k, rng) for _ in range(2000)) / 2000 for k in (1, 2, 3, 12)]
    assert means == pytest.approx([0.5, 1.0, 2.0, 30.0], rel=0.1)


events = st.lists(
    st.tuples(st.booleans(), st.floats(0.001, 10), st.integers(0, 80)), min_size=1, max_size=200
)


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.integers(1, 64), events)
def test_the_limit_stays_within_bounds(most, happened):
    limit, now = Limit(most), 0.0
    for success, seconds, in_flight in happened:
        now += seconds
        if success:
            limit.succeeded(seconds, in_flight)
        else:
            limit.overloaded(now - seconds, now)
        assert 1 <= limit.value <= most


def test_the_limit_doubles_each_round_trip_then_creeps():
    limit = Limit(1000)
    assert limit.value == START
    for _ in range(3):
        for _ in range(limit.value):
            limit.succeeded(1.0, limit.value)
    assert limit.value == START * 8
    limit.overloaded(5.0, 6.0)
    cut = int(START * 8 * DECREASE)
    assert limit.value == cut
    for _ in range(cut):
        limit.succeeded(1.0, limit.value)
    assert cut <= limit.value <= cut + 1


def test_one_burst_of_overload_cuts_once():
    limit = Limit(64)
    for _ in range(5):
        limit.overloaded(sent_at=1.0, now=2.0)
    assert limit.value == int(START * DECREASE)
    limit.overloaded(sent_at=2.5, now=3.0)
    assert limit.value == int(START * DECREASE * DECREASE)


def test_a_limit_that_is_not_reached_does_not_grow():
    limit = Limit(64)
    for _ in range(100):
        limit.succeeded(1.0, START - 1)
    assert limit.value == START


def test_growth_stops_where_a_queue_forms():
    limit = Limit(1000)
    for _ in range(50):  # an endpoint that serves eight at a time: what is more waits
        for _ in range(limit.value):
            limit.succeeded(max(1.0, limit.value / 8), limit.value)
    assert 8 * 3 < limit.value < 8 * 8


def test_an_endpoint_that_refuses_everything_opens_the_circuit():
    circuit = Circuit()
    assert [circuit.failed("http_401", 100, retried=False) for _ in range(ENDPOINT_RUN)] == [False] * (
        ENDPOINT_RUN - 1
    ) + [True]


def test_failures_of_single_requests_do_not_unless_nothing_works():
    circuit = Circuit()
    assert [circuit.failed("http_400", 100, retried=False) for _ in range(ANY_RUN)] == [False] * (
        ANY_RUN - 1
    ) + [True]
    working = Circuit()
    working.succeeded()
    assert not any(working.failed("http_400", 100, retried=False) for _ in range(5 * ANY_RUN))


def test_the_only_requests_of_a_run_refused_alike_open_it_too():
    assert Circuit().failed("http_404", 0, retried=False)
    assert not Circuit().failed("http_400", 0, retried=False)
    mixed = Circuit()
    mixed.succeeded()
    assert not mixed.failed("http_401", 0, retried=False)


def test_a_success_or_another_failure_resets_the_run():
    circuit = Circuit()
    for kind in ("http_401", "http_401", "connect", "http_401", "http_401"):
        assert not circuit.failed(kind, 9, retried=False)
    circuit.succeeded()
    assert not circuit.failed("http_401", 9, retried=False)


def test_an_endpoint_that_dies_half_way_stops_the_run():
    circuit = Circuit()
    circuit.succeeded()
    stops = [circuit.failed("http_500", 100, retried=True) for _ in range(ANY_RUN)]
    assert stops == [False] * (ANY_RUN - 1) + [True]


def test_an_endpoint_that_fails_everything_is_given_a_rest():
    circuit = Circuit()
    assert circuit.faltered("connect", 8)
    circuit.succeeded()
    assert [circuit.faltered("http_500", 2) for _ in range(5)] == [False] * 4 + [True]


def test_an_endpoint_never_reached_is_not_waited_for_long():
    circuit = Circuit()
    assert circuit.tries("connect", 8) == 3 and circuit.tries("connect", 1) == 1
    assert circuit.tries("http_500", 8) == 8
    circuit.succeeded()
    assert circuit.tries("connect", 8) == 8


def request(text="abcd", **more):
    return Request("a/b", Prompt(text), Settings(max_tokens=10), **more)


def test_a_purse_holds_for_the_worst_and_charges_what_it_cost():
    spending = Spending()
    purse = Purse(Budget(tokens=200, money=1.0, prices=Prices(1e6, 2e6)), spending)
    worst = 4 + OVERHEAD_TOKENS + 10
    assert purse.hold(request()) is None  # 88 in money at the worst
    purse = Purse(Budget(tokens=200), spending)
    first, second = purse.hold(request()), purse.hold(request())
    assert first is not None and second is not None and 2 * worst <= 200 < 3 * worst
    assert purse.hold(request()) is None and purse.waits
    purse.settle(first, Reply("x", tokens_in=3, tokens_out=1))
    third = purse.hold(request())
    assert third is not None
    purse.settle(second, None, charged=False)
    purse.settle(third, Reply("x"))  # no usage reported: the worst is charged
    assert not purse.waits
    assert (spending.requests, spending.tokens_in, spending.tokens_out) == (3, 3 + worst - 10, 1 + 10)
    assert str(purse) == f"{4 + worst} of 200 tokens"


def test_a_purse_of_money():
    spending = Spending()
    purse = Purse(Budget(requests=5, money=0.001, prices=Prices(1.0, 10.0)), spending)
    hold = purse.hold(request())
    assert hold is not None
    purse.settle(hold, Reply("x", tokens_in=100, tokens_out=50))
    assert spending.money == pytest.approx((100 * 1.0 + 50 * 10.0) / 1e6)
    assert str(purse) == "1 of 5 requests, 0.0006 of 0.001 in money"


def test_scored_options_are_held_for_once_each():
    purse = Purse(Budget(tokens=10**6), Spending())
    hold = purse.hold(request(options=("yes", "no")))
    assert hold is not None and (hold.tokens_in, hold.tokens_out) == (2 * (4 + OVERHEAD_TOKENS) + 5, 2)
    unbounded = purse.hold(Request("a/b", Prompt("x"), Settings(max_tokens=None)))
    assert unbounded is not None and unbounded.tokens_out == 4096


@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    st.integers(0, 3000),
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 70), st.integers(0, 10)), max_size=40),
)
def test_a_budget_is_never_passed(tokens, costs):
    spending = Spending()
    purse = Purse(Budget(tokens=tokens), spending)
    for length, used_in, used_out in costs:
        hold = purse.hold(request("x" * length))
        if hold is not None:
            purse.settle(hold, Reply("", tokens_in=min(used_in, hold.tokens_in), tokens_out=used_out))
        assert spending.tokens_in + spending.tokens_out <= tokens


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Policy(concurrency=0), "concurrency is 0, expected at least 1"),
        (lambda: Policy(retries=-1), "retries is -1"),
        (lambda: Policy(timeout=0), "timeout is 0"),
        (lambda: Policy(timeout=float("nan")), "timeout is nan"),
        (lambda: Policy(patience=-1), "patience is -1"),
        (lambda: Budget(requests=-1), "budget of requests is -1"),
        (lambda: Budget(tokens=-1), "budget of tokens is -1"),
        (lambda: Budget(money=-1.0), "budget of money is -1"),
        (lambda: Budget(money=1.0), "needs the model's prices"),
        (lambda: Prices(-1, 0), "price is -1"),
    ],
)
def test_impossible_policies_are_refused(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def test_the_rate_is_that_of_the_last_while_and_not_of_the_last_look():
    tally = Tally(10, cached=1)
    tally.done = 5
    time.sleep(0.01)
    assert tally.snapshot().rate > 0 and tally.snapshot().rate > 0 and tally.snapshot().rate > 0


def test_progress_tells_what_is_left():
    assert Progress(10, done=4, failed=1, rate=2.0).seconds_left == 2.5
    assert Progress(10).seconds_left is None and Progress(10, cached=3, done=3).left == 7
