"""The pure parts: backoff, the limit in flight, the circuit, the purse."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.asking import Budget, Policy, Prices, Progress, Spending
from hesperus.asking.pacing import (
    BACKOFF_BASE,
    BACKOFF_CAP,
    FIRST_RUN,
    LATE,
    LATE_FAILED,
    RECENT_FAILED,
    Circuit,
    backoff,
)
from hesperus.asking.progress import Tally
from hesperus.asking.runs import Job
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


def test_an_endpoint_that_works_is_not_waited_for_long():
    rng = random.Random(1)
    waits = [backoff(12, rng, is_working=True) for _ in range(2000)]
    assert 4.9 < max(waits) <= 5.0, "five seconds, of an endpoint that answers most others"
    assert 59 < max(backoff(12, rng) for _ in range(2000)) <= 60.0, "else a minute"


def test_an_endpoint_that_refuses_everything_opens_the_circuit():
    circuit = Circuit()
    assert [circuit.failed("http_401", 100, retried=False) for _ in range(FIRST_RUN)] == [False] * (
        FIRST_RUN - 1
    ) + [True]


def test_failures_of_single_requests_do_not_unless_nothing_works():
    circuit = Circuit()
    assert [circuit.failed("http_400", 100, retried=False) for _ in range(LATE)] == [False] * (LATE - 1) + [
        True
    ]
    working = Circuit()
    working.succeeded()
    assert not any(working.failed("http_400", 100, retried=False) for _ in range(5 * LATE))


def test_the_only_requests_of_a_run_refused_alike_open_it_too():
    assert Circuit().failed("http_404", 0, retried=False)
    assert not Circuit().failed("http_400", 0, retried=False)
    mixed = Circuit()
    mixed.succeeded()
    assert not mixed.failed("http_401", 0, retried=False)


def test_another_failure_begins_the_count_anew_and_a_success_ends_it():
    circuit = Circuit()
    for kind in ("http_401", "http_401", "connect", "http_401", "http_401"):
        assert not circuit.failed(kind, 9, retried=False)
    circuit.succeeded()
    assert not circuit.failed("http_401", 9, retried=False)


def test_a_share_of_failures_stops_a_run_that_worked_and_single_successes_do_not_save_it():
    circuit = Circuit()
    for _ in range(30):
        circuit.succeeded()
    stops = [circuit.failed("http_401", 100, retried=False) for _ in range(RECENT_FAILED)]
    assert stops == [False] * (RECENT_FAILED - 1) + [True]
    late = Circuit()
    late.succeeded()
    stops = [late.failed("http_500", 100, retried=True) for _ in range(LATE_FAILED)]
    assert stops == [False] * (LATE_FAILED - 1) + [True]
    half = Circuit()
    for _ in range(200):
        half.succeeded()
        assert not half.failed("html", 100, retried=True)


def test_an_endpoint_that_cannot_be_reached_is_given_a_rest_also_after_it_worked():
    circuit = Circuit()
    for _ in range(3):
        circuit.succeeded()
    assert [circuit.faltered("connect", 8) for _ in range(4)] == [False, False, False, True], (
        "it answered at least half of the tries so far, and then no more"
    )


def test_tries_of_every_sort_lengthen_the_wait():
    job = Job("k", request())
    assert [job.count(kind) for kind in ("http_500", "timeout", "html", "html", "redirect", "http_429")] == [
        1, 2, 1, 2, 1, 1,
    ]  # fmt: skip
    assert job.tries == 6, "each is a try, whatever it counts towards"


def test_an_endpoint_that_fails_everything_is_given_a_rest():
    circuit = Circuit()
    assert circuit.faltered("connect", 8) and Circuit().faltered("html", 8)
    circuit.succeeded()
    assert [circuit.faltered("http_500", 2) for _ in range(5)] == [False] * 4 + [True]


def test_an_endpoint_of_which_a_third_fails_is_given_no_rest():
    circuit, rng = Circuit(), random.Random(3)
    circuit.succeeded()
    for _ in range(5000):
        if rng.random() < 0.3:
            kind = rng.choice(["http_503", "connect", "html", "timeout"])
            assert not circuit.faltered(kind, 16)
        else:
            circuit.succeeded()
    assert circuit.is_working and not circuit.is_refusing


def test_what_another_try_hardly_mends_has_one_and_what_is_put_off_has_many():
    circuit = Circuit()
    for kind in ("html", "redirect", "bad_encoding", "not_json", "bad_reply", "no_content"):
        assert circuit.tries(kind, 8) == 1 and circuit.tries(kind, 0) == 0
    assert circuit.tries("http_429", 8) == 32 and circuit.tries("http_503", 8) == 8


def test_most_tries_refused_is_a_refusing_endpoint():
    circuit = Circuit()
    circuit.faltered("http_429", 8)
    assert circuit.is_refusing and not circuit.is_working
    for _ in range(3):
        circuit.succeeded()
    assert not circuit.is_refusing and circuit.is_working


def test_half_of_the_last_twenty_tries_make_a_refusing_endpoint():
    circuit = Circuit()
    for _ in range(50):
        circuit.succeeded()
    for _ in range(9):
        circuit.faltered("http_429", 8)
    assert not circuit.is_refusing
    circuit.faltered("http_429", 8)
    assert circuit.is_refusing, "ten of the last twenty; what came before does not count"
    circuit.faltered("html", 8)
    assert circuit.is_refusing, "another fault is no refusal, and the oldest success falls out"
    for _ in range(9):
        circuit.succeeded()
    assert circuit.is_refusing
    circuit.succeeded()
    assert not circuit.is_refusing


def test_nine_failures_of_the_last_ten_stop_a_run_and_nine_of_eleven_do_not():
    late = Circuit()
    for _ in range(30):
        late.succeeded()
    assert not any(late.failed("http_401", 100, retried=False) for _ in range(8))
    late.succeeded()
    assert late.failed("http_401", 100, retried=False), "nine of the last ten"
    later = Circuit()
    for _ in range(30):
        later.succeeded()
    assert not any(later.failed("http_401", 100, retried=False) for _ in range(8))
    later.succeeded()
    later.succeeded()
    assert not later.failed("http_401", 100, retried=False)


def test_runs_stop_at_the_numbers_that_are_promised():
    nothing_works = Circuit()
    assert [nothing_works.failed("http_400", 100, retried=False) for _ in range(20)] == [False] * 19 + [True]
    worked = Circuit()
    for _ in range(30):
        worked.succeeded()
    assert [worked.failed("http_500", 100, retried=True) for _ in range(19)] == [False] * 18 + [True]
    refused = Circuit()
    assert [refused.failed("http_401", 100, retried=False) for _ in range(3)] == [False, False, True]
    revoked = Circuit()
    for _ in range(30):
        revoked.succeeded()
    assert [revoked.failed("http_401", 100, retried=False) for _ in range(9)] == [False] * 8 + [True]
    usual = Policy()
    assert (usual.concurrency, usual.retries, usual.timeout, usual.patience) == (64, 8, 120.0, 600.0)


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
    assert not purse.waits
    first, second = purse.hold(request()), purse.hold(request())
    assert first is not None and second is not None and 2 * worst <= 200 < 3 * worst
    assert purse.hold(request()) is None and purse.waits
    purse.settle(first, Reply("x", tokens_in=3, tokens_out=1))
    third = purse.hold(request())
    assert third is not None
    purse.settle(second, None, charged=False)
    assert purse.waits, "one request in flight may still give back what it holds"
    purse.settle(third, Reply("x"))  # no usage reported: the worst is charged
    assert not purse.waits
    assert (spending.requests, spending.tokens_in, spending.tokens_out) == (3, 3 + worst - 10, 1 + 10)
    assert str(purse) == f"{4 + worst} of 200 tokens" and spending.money == 0.0, (
        "without prices nothing costs"
    )


def test_a_purse_of_money():
    spending = Spending()
    purse = Purse(Budget(requests=5, money=0.001, prices=Prices(1.0, 10.0)), spending)
    hold = purse.hold(request())
    assert hold is not None
    purse.settle(hold, Reply("x", tokens_in=100, tokens_out=50))
    assert spending.money == pytest.approx((100 * 1.0 + 50 * 10.0) / 1e6)
    for _ in range(2):  # what was held at the worst, and did not cost that, is there again
        again = purse.hold(request())
        assert again is not None
        purse.settle(again, None, charged=False)
    spending.requests = 1
    assert str(purse) == "1 of 5 requests, 0.0006 of 0.001 in money"


def test_without_a_bound_on_tokens_only_what_is_reported_is_charged():
    spending = Spending()
    purse = Purse(Budget(requests=3), spending)
    holds = [purse.hold(request()) for _ in range(2)]
    assert holds[0] is not None and holds[1] is not None and not purse.waits
    purse.settle(holds[0], Reply("x"))
    assert (spending.tokens_in, spending.tokens_out, spending.money) == (0, 0, 0.0)
    purse.settle(holds[1], Reply("x", tokens_in=5, tokens_out=2))
    assert (spending.requests, spending.tokens_in, spending.tokens_out) == (2, 5, 2)


def test_a_purse_of_requests_lets_through_as_many_and_no_more():
    purse = Purse(Budget(requests=2), Spending())
    assert [purse.hold(request()) is not None for _ in range(4)] == [True, True, False, False]
    assert Purse(Budget(requests=0), Spending()).hold(request()) is None
    assert Purse(Budget(tokens=0), Spending()).hold(request()) is None, (
        "a budget of nothing is one, and asks nothing"
    )


def test_a_budget_is_kept_to_the_token_and_to_the_cent():
    worst = 4 + 64 + 10
    for budget, fits in ((worst, True), (worst - 1, False)):
        assert (Purse(Budget(tokens=budget), Spending()).hold(request()) is not None) == fits
    for budget, fits in ((100.0, True), (99.9, False)):
        purse = Purse(Budget(money=budget, prices=Prices(1e6, (100 - 68) / 10 * 1e6)), Spending())
        assert (purse.hold(request()) is not None) == fits, "68 tokens in at 1, 10 out at 3.2"


def test_money_that_requests_in_flight_may_cost_is_not_spent_twice():
    purse = Purse(Budget(money=150.0, prices=Prices(1e6, (100 - 68) / 10 * 1e6)), Spending())
    first = purse.hold(request())
    assert first is not None and purse.hold(request()) is None, "a hundred is held of a hundred and fifty"
    purse.settle(first, None, charged=False)
    assert purse.hold(request()) is not None


def test_scored_options_are_held_for_once_each():
    purse = Purse(Budget(tokens=10**6), Spending())
    hold = purse.hold(request(options=("yes", "no")))
    assert hold is not None and (hold.tokens_in, hold.tokens_out) == (2 * (4 + 64) + 5, 2)
    one = purse.hold(request(options=("maybe",)))
    assert one is not None and (one.tokens_in, one.tokens_out) == (4 + 64 + 5, 1)
    system = purse.hold(Request("a/b", Prompt("ü", "sys"), Settings(max_tokens=1)))
    assert system is not None and (system.tokens_in, system.tokens_out) == (2 + 3 + 64, 1), "bytes of UTF-8"
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


def test_the_rate_is_that_of_the_last_fifteen_seconds_and_not_of_the_last_look():
    times = [0.0]
    tally = Tally(1000, clock=lambda: times[-1])
    assert tally.snapshot().rate == 0.0, "no time has passed"
    told = []
    for second in range(1, 41):
        times.append(float(second))
        tally.answered += 2 if second <= 20 else 5
        tally.cached += 10
        told.append(tally.snapshot().rate)
    assert told[:20] == pytest.approx([2.0] * 20), "replies from the store do not count"
    assert told[34:] == [5.0] * 6, "15 seconds after the endpoint became faster, only those 15 count"
    assert told[24] == pytest.approx((5 * 5 + 10 * 2) / 15)
    times.append(200.0)
    assert tally.snapshot().rate == pytest.approx(0.0), "a rate falls where nothing comes"


def test_nothing_has_happened_in_a_progress_of_which_nothing_is_said():
    fresh = Progress(7)
    assert fresh == Progress(7, 0, 0, 0, 0, 0, 0, 0, 0.0, {}, "") and fresh.left == 7


def test_progress_tells_what_is_left():
    assert Progress(10, done=4, failed=1, rate=2.0).seconds_left == 2.5
    assert Progress(10, rate=0.5).seconds_left == 20 and Progress(10).seconds_left is None
    assert Progress(10, cached=3, done=3).left == 7
