"""The limit of what is in flight, against simulated endpoints: chance, a token bucket, few places, and mixtures."""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.asking.limit import START, Limit

Outcome = tuple[str, float]
"""``reply``, ``refusal`` or ``fault``, and the seconds after which it comes."""

Server = Callable[[float, int, random.Random], Outcome]


@dataclass
class Found:
    """What came of a simulated run: replies per second in its middle half, tries, and those refused."""

    rate: float
    tries: int
    refused: int
    busiest: int


class Simulation:
    """Requests in flight against a server, with a clock of its own; what fails is sent again after up to a second.

    Whoever waits for a place in line is woken so many seconds too late, on average.
    """

    def __init__(self, server: Server, count: int, most: int = 64, seed: int = 1, late: float = 0.0) -> None:
        self.server, self.limit, self.rng, self.late = server, Limit(most), random.Random(seed), late
        self.left, self.now, self.in_flight, self.waiting = count, 0.0, 0, 0
        self.events: list[tuple[float, int, str, tuple[str, float]]] = []
        self.number = self.tries = self.refused = self.busiest = 0
        self.replies: list[float] = []

    def run(self) -> Found:
        self.fill()
        while self.events:
            self.now, _, what, (outcome, sent) = heapq.heappop(self.events)
            if what == "send":
                self.send()
            elif what == "again":
                self.left += 1
            else:
                self.end(outcome, sent)
            self.fill()
        half = self.replies[len(self.replies) // 4 : len(self.replies) * 3 // 4]
        return Found((len(half) - 1) / (half[-1] - half[0]), self.tries, self.refused, self.busiest)

    def fill(self) -> None:
        while self.left and self.in_flight + self.waiting < self.limit.value:
            self.left -= 1
            self.waiting += 1
            slot = self.limit.slot(self.now)
            is_woken = slot > self.now and self.late > 0
            self.at(max(self.now, slot) + (self.rng.expovariate(1 / self.late) if is_woken else 0.0), "send")

    def send(self) -> None:
        self.waiting -= 1
        self.in_flight += 1
        self.tries += 1
        self.busiest = max(self.busiest, self.in_flight)
        outcome, seconds = self.server(self.now, self.in_flight, self.rng)
        self.at(self.now + seconds, "end", outcome, self.now)

    def end(self, outcome: str, sent: float) -> None:
        if outcome == "reply":
            self.replies.append(self.now)
            self.limit.succeeded(self.in_flight, sent_at=sent, now=self.now)
        else:
            self.refused += outcome == "refusal"
            self.limit.failed(is_refusal=outcome == "refusal", sent_at=sent, now=self.now)
            self.at(self.now + self.rng.uniform(0, 1), "again")
        self.in_flight -= 1

    def at(self, time: float, what: str, outcome: str = "", sent: float = 0.0) -> None:
        self.number += 1
        heapq.heappush(self.events, (time, self.number, what, (outcome, sent)))


def by_chance(latency: float, refusals: float, faults: float = 0.0) -> Server:
    def serve(now: float, in_flight: int, rng: random.Random) -> Outcome:
        drawn = rng.random()
        if drawn < refusals + faults:
            return ("refusal" if drawn < refusals else "fault"), latency / 2
        return "reply", latency * rng.uniform(0.7, 1.5)

    return serve


def bucket(rate: float, size: float, latency: float, faults: float = 0.0, refusals: float = 0.0) -> Server:
    def levels() -> Iterator[Outcome]:
        level, before = size, 0.0
        now, rng = yield ("", 0.0)
        while True:
            level, before = min(size, level + (now - before) * rate), now
            drawn = rng.random()
            if drawn < faults + refusals:
                now, rng = yield (("fault" if drawn < faults else "refusal"), latency / 2)
            elif level >= 1:
                level -= 1
                now, rng = yield ("reply", latency * rng.uniform(0.7, 1.5))
            else:
                now, rng = yield ("refusal", min(0.003, latency))

    running = levels()
    next(running)
    return lambda now, in_flight, rng: running.send((now, rng))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("refusals", "faults"), [(0.0, 0.0), (0.0, 0.3), (0.15, 0.15), (0.3, 0.0), (0.05, 0.25)]
)
def test_where_chance_refuses_the_rate_stays_above_70_percent_of_what_could_be_served(refusals, faults, seed):
    found = Simulation(by_chance(0.05, refusals, faults), 6_000, seed=seed).run()
    lost = refusals + faults
    could = (1 - lost) * 64 / ((1 - lost) * 0.055 + lost * 0.025)
    assert found.rate >= 0.8 * could and found.busiest == 64


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("rate", "size", "latency"),
    [(100, 100, 0.02), (100, 10, 0.02), (300, 50, 0.05), (1000, 1000, 0.05), (5, 5, 2.0)],
)
def test_a_token_bucket_is_met_within_10_percent(rate, size, latency, seed):
    found = Simulation(bucket(rate, size, latency), min(20_000, 150 * rate), seed=seed).run()
    assert 0.9 * rate <= found.rate <= 1.1 * rate
    assert found.refused <= 0.8 * found.tries if rate == 5 else found.refused <= 0.45 * found.tries


def test_a_token_bucket_is_met_by_a_process_that_comes_late():
    found = [Simulation(bucket(50, 5, 0.05), 3000, seed=seed, late=0.05).run().rate for seed in (1, 2, 3)]
    assert sum(found) / 3 >= 0.965 * 50 and max(found) <= 1.1 * 50


@pytest.mark.parametrize("seed", [1, 2])
def test_a_bucket_behind_faults_is_met_as_well(seed):
    assert Simulation(bucket(200, 200, 0.05, faults=0.3), 8_000, seed=seed).run().rate >= 0.85 * 200
    mixed = bucket(200, 200, 0.05, faults=0.2, refusals=0.1)
    assert Simulation(mixed, 8_000, seed=seed).run().rate >= 0.7 * 200


def test_an_endpoint_with_few_places_is_not_run_down():
    def serve(now: float, in_flight: int, rng: random.Random) -> Outcome:
        return ("refusal", 0.002) if in_flight > 6 else ("reply", 0.01 * rng.uniform(0.7, 1.5))

    found = Simulation(serve, 3000).run()
    assert found.refused < 0.1 * found.tries and found.rate > 0.6 * 6 / 0.011


def test_growth_stops_where_a_queue_forms():
    def serve(now: float, in_flight: int, rng: random.Random) -> Outcome:
        return "reply", 0.05 * max(1.0, in_flight / 8)

    assert 16 < Simulation(serve, 5000, most=1000).run().busiest < 100


def test_it_doubles_each_round_trip_and_a_single_refusal_changes_nothing():
    limit, now = Limit(1000), 0.0
    assert limit.value == START
    for _ in range(3):
        for _ in range(limit.value):
            limit.succeeded(limit.value, sent_at=now, now=now + 1.0)
        now += 1.0
    assert limit.value == START * 8
    limit.failed(is_refusal=True, sent_at=now, now=now + 1.0)
    assert limit.value == START * 8 and limit.slot(now) <= now


def test_a_limit_that_is_not_reached_does_not_grow():
    limit = Limit(64)
    for n in range(100):
        limit.succeeded(START - 1, sent_at=float(n), now=n + 1.0)
    assert limit.value == START


events = st.lists(
    st.tuples(st.sampled_from(["reply", "refusal", "fault"]), st.floats(0.001, 10), st.integers(0, 80)),
    min_size=1, max_size=300,
)  # fmt: skip


@settings(max_examples=200, derandomize=True, deadline=None)
@given(st.integers(1, 64), events)
def test_it_stays_within_bounds_whatever_comes(most, happened):
    limit, now = Limit(most), 0.0
    for outcome, seconds, in_flight in happened:
        now += seconds
        if outcome == "reply":
            limit.succeeded(in_flight, sent_at=now - seconds, now=now)
        else:
            limit.failed(is_refusal=outcome == "refusal", sent_at=now - seconds, now=now)
        assert 1 <= limit.value <= most
        assert limit.slot(now) < now + 60 * 600


class Rounds:
    """A steady stream of what a limit lets through: replies come a second after their requests, refusals at once."""

    def __init__(self, most: int) -> None:
        self.limit, self.now, self.owed = Limit(most), 0.0, 0.0

    def round(self, share: float = 0.0, *, bears: float = math.inf, is_refusal: bool = True) -> int:
        """A second, in which an even share is refused or fails, and what the endpoint does not bear; the limit afterwards."""
        sent = self.limit.value
        for place in range(sent):
            at = self.now + place / sent
            self.owed += max(share, 1.0 - bears / self.limit.value)
            if self.owed >= 1.0 - 1e-9:
                self.owed -= 1.0
                self.limit.failed(is_refusal=is_refusal, sent_at=at, now=at)
            else:
                self.limit.succeeded(sent, sent_at=at - 1.0, now=at)
        self.now += 1.0
        return self.limit.value

    def rounds(self, count: int, share: float) -> list[int]:
        """The limit after each of so many rounds."""
        return [self.round(share) for _ in range(count)]

    def gap(self) -> float:
        """Seconds between two places in line."""
        first, second = self.limit.slot(self.now), self.limit.slot(self.now)
        return second - first


def grown_to(most: int) -> Rounds:
    rounds = Rounds(most)
    while rounds.limit.value < most:
        rounds.round()
    return rounds


def in_trial(most: int, share: float) -> tuple[Rounds, list[int]]:
    """Rounds with refusals until the limit is lowered, and the limits on the way."""
    rounds, seen = grown_to(most), []
    while not seen or seen[-1] == most:
        seen += rounds.rounds(1, share)
        assert len(seen) < 20
    return rounds, seen


def known_to_refuse(share: float) -> Rounds:
    """A limit of 200 whose refusals were put down to chance."""
    rounds, _ = in_trial(200, share)
    while rounds.limit.value != 200:
        rounds.rounds(1, share)
    return rounds


def test_a_tenth_of_refusals_is_put_up_with_and_more_is_put_to_the_test_at_a_second_look():
    calm = grown_to(200)
    assert calm.rounds(30, 0.09) == [200] * 30 and calm.gap() == 0.0
    rounds, seen = in_trial(200, 0.3)
    assert seen[:-1] == [200] * (len(seen) - 1) and len(seen) >= 4, "one bad sample is looked at again"
    assert len(seen) == 5, "two samples of 300 outcomes each: one and a half times the limit"
    assert seen[-1] == pytest.approx(200 * 0.9 * 0.7, abs=4), "less by what was refused, and a tenth"
    assert rounds.gap() == pytest.approx(1.0 / 126, rel=0.05), "as many a second as come back"


def test_refusals_that_stay_with_less_load_are_chance_and_the_limit_returns():
    rounds, _ = in_trial(200, 0.3)
    while rounds.limit.value != 200:
        rounds.rounds(1, 0.3)
    assert rounds.gap() == pytest.approx(1.0 / 200 / 1.5, rel=0.01), "half as fast again as replies come"
    after = rounds.rounds(60, 0.3)
    lowered = [place for place, value in enumerate(after) if value < 200]
    assert lowered[0] == 49, "20 samples of two and a half rounds later it is put to the test again"
    assert rounds.limit.value == 200, "and again put down to chance"


def test_refusals_that_vanish_with_less_load_keep_the_limit_down():
    rounds, lowered = grown_to(200), []
    while not lowered or lowered[-1] == 200:
        lowered.append(rounds.round(bears=140))
    assert lowered[-1] == 126
    while rounds.limit.value == 126:
        rounds.round(bears=140)
    assert rounds.limit.value == pytest.approx(141, abs=2), "what came back a second, no more"
    assert rounds.gap() == pytest.approx(1.0 / rounds.limit.value, rel=0.05)
    growth = [rounds.round() for _ in range(60)]
    assert list(dict.fromkeys(growth)) == [141, 144, 147, 150, 153, 156, 162, 175, 193, 200], (
        "five samples of 2 %, then 4 %, 8 %, and a tenth at most"
    )


@pytest.mark.parametrize(("share", "is_chance"), [(0.35, False), (0.45, True)])
def test_what_is_refused_with_less_load_is_weighed_against_what_load_would_explain(share, is_chance):
    # Of 200 with 30 % by chance 60 % are refused: if all were load, 22 % of 103 would be, so the middle of both decides.
    rounds = known_to_refuse(0.3)
    while rounds.limit.value == 200:
        rounds.rounds(1, 0.6)
    assert rounds.limit.value == 111
    assert rounds.rounds(6, share)[-1] == (200 if is_chance else 111)


def test_a_share_that_was_put_down_to_chance_is_forgotten_as_it_vanishes():
    rounds = known_to_refuse(0.3)
    assert set(rounds.rounds(25, 0.0)) == {200}
    assert min(rounds.rounds(6, 0.25)) < 200, (
        "no longer what chance explains, so it is put to the test at once"
    )


def test_growth_goes_on_where_chance_interrupted_it():
    rounds = Rounds(1000)
    while rounds.limit.value < 200:
        rounds.round()
    seen = rounds.rounds(20, 0.3)
    assert min(seen) == 128
    after = list(dict.fromkeys(seen[seen.index(128) :]))
    assert after[:4] == [128, 202, 219, 241], "back to where it was, then 8 %, then a tenth"


def test_a_refusal_counts_when_a_reply_would_have_come():
    limit = Limit(64)
    limit.succeeded(1, sent_at=0.0, now=1.0)
    for place in range(40):
        limit.failed(is_refusal=True, sent_at=1.0 + place / 400, now=1.0 + place / 400)
    assert limit.slot(1.1) == limit.slot(1.1) == 1.1, "within a tenth of a round trip nothing is known"
    limit.succeeded(1, sent_at=1.2, now=2.2)
    first, second = limit.slot(2.2), limit.slot(2.2)
    assert second - first == pytest.approx(1 / START), "in doubt: as many in a round trip as may be in flight"


@pytest.mark.parametrize(("refusals", "is_doubted"), [(18, False), (19, True)])
def test_twenty_outcomes_of_which_most_are_refused_are_enough(refusals, is_doubted):
    limit = Limit(64)
    limit.succeeded(1, sent_at=0.0, now=1.0)
    for _ in range(refusals):
        limit.failed(is_refusal=True, sent_at=1.0, now=1.0)
    limit.failed(is_refusal=True, sent_at=2.0, now=2.0)  # by now the others count
    assert (limit.slot(2.0) < limit.slot(2.0)) == is_doubted


def test_nearly_everything_refused_is_never_put_down_to_chance():
    rounds, seen = in_trial(200, 0.8)
    assert seen[-1] == pytest.approx(200 * 0.25, abs=1), "to a quarter at once"
    lowest = min(rounds.rounds(40, 0.8))
    assert lowest == 1
    assert rounds.gap() > 1.0, "one request at a time, with pauses"
    rounds.rounds(600, 0.97)
    assert 10.0 < rounds.gap() <= 1.0 / 0.02 + 1e-6, (
        "50 round trips between two requests are the longest pause"
    )


def test_faults_that_tell_nothing_of_load_lower_nothing():
    rounds = grown_to(100)
    for _ in range(30):
        rounds.round(0.4, is_refusal=False)
    assert rounds.limit.value == 100 and rounds.gap() == 0.0


def test_failures_that_tell_nothing_of_load_are_no_reason_to_send_more():
    rounds, _ = in_trial(200, 0.8)
    rounds.rounds(10, 0.0)
    seen = [rounds.round(1.0, is_refusal=False) for _ in range(20)]
    assert seen[3] < 200, "the sample in which the last replies came may raise it"
    assert set(seen[3:]) == {seen[3]}


@pytest.mark.parametrize(("times", "grows"), [(3.5, True), (4.5, False)])
def test_growth_stops_where_replies_take_four_times_as_long_as_at_best(times, grows):
    limit = Limit(1000)
    for n in range(8):
        limit.succeeded(1, sent_at=n * 1.0, now=n + 1.0)
    for n in range(200):
        limit.succeeded(1, sent_at=100.0 + n, now=100.0 + n + times)
    before = limit.value
    limit.succeeded(before, sent_at=400.0, now=400.0 + times)
    assert (limit.value > before) == grows


def test_a_small_sample_decides_nothing():
    rounds = Rounds(8)
    gaps = [(rounds.round(0.25), rounds.gap())[1] for _ in range(12)]
    assert gaps[:4] == [0.0] * 4 and gaps[5] > 0.0, "of forty outcomes, or five rounds of eight"
    worse = Rounds(8)
    gaps = [(worse.round(0.5), worse.gap())[1] for _ in range(12)]
    assert gaps[:2] == [0.0] * 2 and gaps[3] > 0.0, (
        "where four times as many are refused as is put up with, of twenty"
    )


def test_places_in_line_are_given_out_evenly_and_little_is_made_up_for():
    rounds, _ = in_trial(200, 0.3)
    gap = rounds.gap()
    start = rounds.now + 100.0
    places = [rounds.limit.slot(start) for _ in range(50)]
    assert places[0] == pytest.approx(start - 0.05), "at most 50 ms in the past"
    assert [b - a for a, b in pairwise(places)] == pytest.approx([gap] * 49)
