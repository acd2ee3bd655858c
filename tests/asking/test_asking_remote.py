"""Asking a real server on the loopback, in all its moods."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from hesperus.asking import Budget, Policy, Prices, ReplyStore, Spending, ask
from hesperus.errors import (
    BudgetReachedError,
    MissingKeyError,
    PermanentError,
    StoreError,
    TransientError,
    UsageError,
)
from hesperus.models import ModelOptions, RemoteModel, model
from hesperus.types import Failure, Prompt, Reply, Request, Settings
from loopback_endpoint import Action, Reset, Say, Send, Truncate, echo, serving, user_text
from waiting import LIMIT, until

pytestmark = pytest.mark.usefixtures("quick_backoff")

OVERLOAD = Send({"error": {"message": "slow down"}}, 429)


def made(url: str) -> RemoteModel:
    built = model("http/m", ModelOptions(base_url=url))
    assert isinstance(built, RemoteModel)
    return built


def questions(count: int, **more: object) -> list[Request]:
    return [Request("http/m", Prompt(f"q{n}"), **more) for n in range(count)]  # type: ignore[arg-type]


def texts(replies: list[Reply | Failure]) -> list[str]:
    return [reply.text if isinstance(reply, Reply) else reply.kind for reply in replies]


@pytest.fixture
def store(tmp_path):
    with ReplyStore(tmp_path / "s.sqlite") as opened:
        yield opened


def test_everything_is_asked_once_and_only_once(store):
    requests = questions(150)
    with serving() as endpoint:
        first = ask(made(endpoint.url), requests + requests[::-1], store=store)
        again = ask(made(endpoint.url), requests, store=store)
        repeats = ask(made(endpoint.url), questions(5, repeat=2), store=store)
    assert texts(first) == [f"you said: q{n}" for n in [*range(150), *reversed(range(150))]]
    assert again == first[:150] and texts(repeats) == texts(first[:5])
    assert Counter(endpoint.asked) == {f"q{n}": 2 if n < 5 else 1 for n in range(150)}
    assert len(store) == 155


def test_nothing_is_needed_where_all_is_stored(store, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none-needed")
    requests = [Request("openai/m", Prompt("q"))]
    with serving() as endpoint:
        ask(model("openai/m", ModelOptions(base_url=endpoint.url)), requests, store=store)
        monkeypatch.delenv("OPENAI_API_KEY")
        url = endpoint.url
    assert texts(ask(model("openai/m", ModelOptions(base_url=url)), requests, store=store)) == ["you said: q"]
    with pytest.raises(MissingKeyError, match="OPENAI_API_KEY"):
        ask(model("openai/m"), requests, store=store)
    assert ask(model("openai/m"), [], store=store) == []


def test_it_works_inside_a_running_event_loop(store):
    async def notebook() -> list[Reply | Failure]:
        return ask(made(endpoint.url), questions(3), store=store)

    with serving() as endpoint:
        assert texts(asyncio.run(notebook())) == ["you said: q0", "you said: q1", "you said: q2"]


def test_what_may_pass_is_tried_again(store):
    moods: list[Action] = [
        Send("x", 500),
        Reset(),
        Truncate(),
        Send("{"),
        Send({"choices": []}),
        Send("x", 503),
    ]

    def behave(body, count):
        return moods[count - 1] if count <= len(moods) else echo(body, count)

    seen = []
    with serving(behave) as endpoint:
        replies = ask(made(endpoint.url), questions(3), store=store, progress=seen.append)
    assert texts(replies) == ["you said: q0", "you said: q1", "you said: q2"]
    assert len(endpoint.bodies) == 3 + len(moods)
    assert seen[-1].retried == len(moods) and seen[-1].done == seen[-1].total == 3 and seen[-1].in_flight == 0


def test_what_will_not_pass_is_a_failure_and_never_stored(store):
    def behave(body, count):
        if user_text(body) == "q1":
            return Send({"error": {"message": "too long"}}, 400)
        return Send("x", 500) if user_text(body) == "q2" else echo(body, count)

    seen = []
    with serving(behave) as endpoint:
        policy = Policy(retries=2)
        replies = ask(made(endpoint.url), questions(4), store=store, policy=policy, progress=seen.append)
        assert seen[-1].faults == {"http_400": 1, "http_500": 3} and (seen[-1].failed, seen[-1].retried) == (
            2,
            2,
        )
        assert texts(replies) == ["you said: q0", "http_400", "http_500", "you said: q3"]
        assert isinstance(replies[1], Failure) and "too long" in replies[1].message
        assert Counter(endpoint.asked) == {"q0": 1, "q1": 1, "q2": 3, "q3": 1}
        assert len(store) == 2
        endpoint.behaviour = echo
        assert texts(ask(made(endpoint.url), questions(4), store=store)) == [
            f"you said: q{n}" for n in range(4)
        ]


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        (Send("<html>", kind="text/html"), "html"),
        (Send("upstream error", kind="text/plain"), "not_json"),
        (Send(b'{"choices": [{"message": {"content": "na\xefve"}}]}'), "bad_encoding"),
        (Send(b'{"choices": []}', headers={"Content-Encoding": "gzip"}), "bad_encoding"),
        (Send("", 307, {"Location": "http://127.0.0.1:9/"}), "redirect"),
        (Send({"hello": 1}), "bad_reply"),
        (Say(None), "no_content"),
    ],
)
def test_what_another_try_hardly_mends_is_tried_twice_and_holds_up_nothing_else(store, action, kind):
    def behave(body, count):
        return action if user_text(body) == "q7" else echo(body, count)

    seen = []
    with serving(behave) as endpoint:
        replies = ask(made(endpoint.url), questions(40), store=store, progress=seen.append)
        asked = Counter(endpoint.asked)
        assert asked.pop("q7") == 2 and set(asked.values()) == {1}
        assert [text for text in texts(replies) if not text.startswith("you said")] == [kind]
        assert seen[-1].faults == {kind: 2} and len(store) == 39
        endpoint.behaviour = echo
        assert texts(ask(made(endpoint.url), questions(40), store=store))[7] == "you said: q7"


def test_odd_values_in_a_reply_are_left_out_and_stop_nothing(store):
    def behave(body, count):
        odd = {
            "choices": [{"message": {"content": user_text(body)}, "finish_reason": {"a": [1]}}],
            "model": ["m"],
        }
        return Send({**odd, "usage": {"prompt_tokens": 2**64 - 1, "completion_tokens": 1e300}})

    with serving(behave) as endpoint:
        replies = ask(made(endpoint.url), questions(5), store=store)
        assert replies == [Reply(f"q{n}", "unknown") for n in range(5)]
        assert ask(made(endpoint.url), questions(5), store=store) == replies and len(endpoint.bodies) == 5


def test_an_absurd_count_that_was_stored_long_ago_stops_nothing(store):
    with serving() as endpoint:
        ask(made(endpoint.url), questions(2), store=store)
        store._connection.execute(
            "UPDATE replies SET reply = json_set(reply, '$.tokens_in', 18446744073709551615) WHERE rowid = 1"
        )
        replies = ask(made(endpoint.url), questions(2), store=store)
    assert sorted(str(reply.tokens_in) for reply in replies if isinstance(reply, Reply)) == ["2", "None"]


def test_a_share_of_faults_of_every_kind_loses_nothing_and_mixes_nothing_up():
    benchmark = Path(__file__).resolve().parents[2] / "benchmarks" / "faults.py"
    command = [
        sys.executable,
        str(benchmark),
        "--requests",
        "200",
        "--seconds",
        "0.03",
        "--floor",
        "0",
        "--timeout",
        "15",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=2 * LIMIT)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "lost 0, mixed up 0, a usable reply given again 0" in ended.stdout


def test_a_hang_ends_at_the_timeout(store):
    with serving(lambda body, _: Say("never", after=threading.Event())) as endpoint:
        policy = Policy(timeout=0.5, retries=1)
        (reply,) = ask(made(endpoint.url), questions(1), store=store, policy=policy)
    assert isinstance(reply, Failure) and reply.kind == "timeout" and "within 0.5 s" in reply.message
    assert len(endpoint.bodies) <= 2


@pytest.mark.parametrize(
    ("action", "error", "words"),
    [
        (Send({"error": {"message": "no"}}, 401), PermanentError, "HESPERUS_API_KEY"),
        (Send({"error": {"message": "no"}}, 404), PermanentError, "check the model's name"),
        (Send("<html>", kind="text/html"), TransientError, "usually ends with /v1"),
        (Send({"hello": 1}), TransientError, "no completion"),
        (Send({"error": {"code": "insufficient_quota"}}, 429), PermanentError, "no credit left"),
    ],
)
def test_a_hopeless_endpoint_stops_the_run_early(store, action, error, words):
    with serving(lambda *_: action) as endpoint, pytest.raises(error, match=words):
        ask(made(endpoint.url), questions(500), store=store)
    assert len(endpoint.bodies) <= 24
    with serving(lambda *_: action) as endpoint, pytest.raises(error, match=words):
        ask(made(endpoint.url), questions(1), store=store)
    assert len(store) == 0


def test_an_endpoint_that_is_not_there_stops_the_run(store):
    with serving() as endpoint:
        url = endpoint.url
    seen = []
    with pytest.raises(TransientError, match="cannot connect .*Connection refused"):
        ask(made(url), questions(50), store=store, policy=Policy(retries=1000), progress=seen.append)
    assert seen == [] or seen[-1].retried <= 8 * 3


def test_an_endpoint_that_only_fails_is_given_rest_and_then_up(store):
    with serving(lambda body, count: echo(body, count) if count <= 30 else Send("x", 500)) as endpoint:
        with pytest.raises(TransientError, match="failed for now .500."):
            ask(made(endpoint.url), questions(5000), store=store, policy=Policy(retries=2))
        assert len(store) == 30
        assert len(endpoint.bodies) < 300


def test_a_key_that_dies_half_way_keeps_what_was_answered(store):
    def behave(body, count):
        return echo(body, count) if count <= 40 else Send({"error": {"message": "revoked"}}, 401)

    with serving(behave) as endpoint, pytest.raises(PermanentError, match="401"):
        ask(made(endpoint.url), questions(500), store=store)
    assert len(store) == 40 and len(endpoint.bodies) < 110


def test_retry_after_holds_for_the_whole_endpoint(store):
    stamps, has_arrived = list[float](), threading.Event()

    def behave(body, count):
        stamps.append(time.monotonic())
        return Send("busy", 429, {"Retry-After": "0.6"}) if count == 1 else Say("fine", after=has_arrived)

    def told(state):
        if state.faults:
            has_arrived.set()

    with serving(behave) as endpoint:
        replies = ask(made(endpoint.url), questions(60), store=store, progress=told)
    assert texts(replies) == ["fine"] * 60
    early = [at for at in stamps if at - stamps[0] < 0.6]
    assert len(early) <= 8  # those that were in flight when the refusal arrived


def test_a_wait_beyond_patience_stops_the_run(store):
    behave = Send("come back tomorrow", 429, {"Retry-After": "7200"})
    with (
        serving(lambda body, count: behave if count > 5 else echo(body, count)) as endpoint,
        pytest.raises(PermanentError, match=r"asks to wait 7200 s, more than the 600 s allowed"),
    ):
        ask(made(endpoint.url), questions(100), store=store)
    assert len(store) == 5


def test_concurrency_stays_within_what_is_allowed(store):
    are_together = threading.Event()

    def behave(body, count):
        if endpoint._busy == 8:
            are_together.set()
        return Say("x", seconds=0.02, after=are_together)

    with serving(behave) as endpoint:
        ask(made(endpoint.url), questions(400), store=store, policy=Policy(concurrency=24))
        assert 8 <= endpoint.busiest <= 24
    with serving(lambda *_: Say("x", seconds=0.005)) as endpoint:
        ask(made(endpoint.url), questions(20), store=store, policy=Policy(concurrency=1))
        assert endpoint.busiest == 1


def test_concurrency_adapts_to_an_endpoint_that_bears_little(store):
    busy = Counter[str]()

    def behave(body, count):
        busy["now"] = endpoint._busy
        busy["refused"] += endpoint._busy > 6
        return OVERLOAD if endpoint._busy > 6 else Say("x", seconds=0.01)

    with serving(behave) as endpoint:
        replies = ask(made(endpoint.url), questions(300), store=store, policy=Policy(retries=20))
    assert set(texts(replies)) == {"x"}
    # With 64 in flight all the time nine of ten tries would be refused, ten for each reply.
    assert busy["refused"] < 2 * 300


def test_a_budget_of_requests_is_kept_to_the_request(store):
    spending = Spending()
    with serving() as endpoint:
        for expected in (30, 60):
            policy = Policy(budget=Budget(requests=expected))
            with pytest.raises(
                BudgetReachedError, match=f"{expected} of {expected} requests.*are answered and kept"
            ):
                ask(made(endpoint.url), questions(70), store=store, policy=policy, spending=spending)
            assert len(endpoint.bodies) == len(store) == expected
        policy = Policy(budget=Budget(requests=70))
        assert (
            len(ask(made(endpoint.url), questions(70), store=store, policy=policy, spending=spending)) == 70
        )
    assert len(endpoint.bodies) == 70 and spending.requests == 70


def test_budgets_of_tokens_and_money_are_never_passed(store):
    policy = Policy(budget=Budget(tokens=5000))
    spending = Spending()
    requests = questions(500, settings=Settings(max_tokens=100))
    with serving() as endpoint, pytest.raises(BudgetReachedError, match="of 5000 tokens"):
        ask(made(endpoint.url), requests, store=store, policy=policy, spending=spending)
    spent = spending.tokens_in + spending.tokens_out
    assert 4500 < spent <= 5000 and len(store) == len(endpoint.bodies) > 200
    with serving() as endpoint, pytest.raises(BudgetReachedError, match="0.01 in money"):
        policy = Policy(budget=Budget(money=0.01, prices=Prices(1.0, 10.0)))
        money = Spending()
        ask(made(endpoint.url), requests, store=store, policy=policy, spending=money)
    assert 0.008 < money.money <= 0.01
    with serving() as endpoint, pytest.raises(BudgetReachedError, match="0 of 0 requests"):
        ask(made(endpoint.url), requests[:1], store=store, policy=Policy(budget=Budget(requests=0)))
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    ("action", "kind", "is_billed"),
    [
        (Send({"error": {"message": "too long"}}, 400), "http_400", False),
        (Send({"choices": []}), "empty_choices", True),
    ],
)
def test_a_refusal_costs_nothing_and_a_reply_without_a_choice_may_have_cost_the_worst(
    store, action, kind, is_billed
):
    spending, requests = Spending(), questions(1, settings=Settings(max_tokens=100))
    with serving(lambda body, count: action) as endpoint:
        policy = Policy(retries=0, budget=Budget(tokens=5000))
        assert texts(ask(made(endpoint.url), requests, store=store, policy=policy, spending=spending)) == [
            kind
        ]
    assert spending.tokens_out == (100 if is_billed else 0)


def test_text_that_cannot_be_sent_fails_by_itself(store):
    with serving() as endpoint:
        broken = [Request("http/m", Prompt("\ud83d")), Request("http/m", Prompt("\ud83e"))]
        replies = ask(made(endpoint.url), [*broken, *questions(1)], store=store)
    assert texts(replies) == ["bad_text", "bad_text", "you said: q0"]


def test_progress_is_told_in_the_callers_thread_and_its_errors_stop_the_run(store):
    seen = []

    def report(progress):
        seen.append((threading.current_thread(), progress))
        if progress.done > 20:
            raise ZeroDivisionError

    with serving(lambda *_: Say("x", seconds=0.05)) as endpoint, pytest.raises(ZeroDivisionError):
        ask(made(endpoint.url), questions(2000), store=store, progress=report)
    assert {thread for thread, _ in seen} == {threading.main_thread()}
    assert len(store) == len(endpoint.bodies) < 2000  # what was in flight is kept
    rates = [progress.rate for _, progress in seen if progress.done]
    assert all(rate > 0 for rate in rates)


def test_a_store_that_fails_stops_the_run(store):
    store._connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON replies WHEN (SELECT count(*) FROM replies) > 20 "
        "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
    )
    with serving() as endpoint, pytest.raises(StoreError, match="disk is full"):
        ask(made(endpoint.url), questions(1000), store=store)
    assert len(endpoint.bodies) < 200


def test_what_is_no_model_is_refused(store):
    with pytest.raises(UsageError, match="str is no model"):
        ask("openai/gpt-4o", [], store=store)  # type: ignore[arg-type]


def test_what_a_run_waits_for_is_said(store, monkeypatch):
    monkeypatch.setattr("hesperus.asking.runs.TICK_SECONDS", 0.005)

    def behave(body, count):
        return Send("{") if count <= 60 else echo(body, count)

    seen = []
    with serving(behave) as endpoint:
        replies = ask(
            made(endpoint.url), questions(3), store=store, policy=Policy(retries=60), progress=seen.append
        )
    assert texts(replies) == ["you said: q0", "you said: q1", "you said: q2"]
    notes = {state.note for state in seen}
    assert any(note.endswith("sent JSON that breaks off; trying again") for note in notes), notes
    assert seen[-1].note == ""


@pytest.mark.usefixtures("interruptible")
def test_a_second_interrupt_cuts_short_what_is_in_flight(store):
    def behave(body, count):
        return echo(body, count) if count <= 3 else Say("never", after=threading.Event())

    def interrupting() -> None:
        until(lambda: len(endpoint.bodies) >= 8 and any(state.done == 3 for state in seen))
        os.kill(os.getpid(), signal.SIGINT)
        until(lambda: any(state.note for state in seen))
        os.kill(os.getpid(), signal.SIGINT)

    seen = []
    with serving(behave) as endpoint:
        thread = threading.Thread(target=interrupting)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            ask(made(endpoint.url), questions(100), store=store, progress=seen.append)
        assert len(store) == 3
        thread.join()
    stopped = [state for state in seen if state.note]
    assert stopped and all(state.in_flight > 0 for state in stopped[:2]), (
        "the first waits for what is in flight"
    )
    assert (
        len({state.note for state in stopped}) == 1 and "interrupt again to quit at once" in stopped[0].note
    )


def test_progress_is_told_at_most_ten_times_a_second_while_nothing_comes(store):
    seen, is_enough = list[float](), threading.Event()

    def told(state):
        seen.append(time.monotonic())
        if len(seen) == 5:
            is_enough.set()

    with serving(lambda *_: Say("x", after=is_enough)) as endpoint:
        ask(made(endpoint.url), questions(1), store=store, progress=told)
    assert all(later - at > 0.09 for at, later in itertools.pairwise(seen[:5]))


def test_a_wait_of_the_length_that_is_allowed_is_waited_for(store):
    def behave(body, count):
        return Send("busy", 429, {"Retry-After": "0"}) if count == 1 else echo(body, count)

    with serving(behave) as endpoint:
        replies = ask(made(endpoint.url), questions(1), store=store, policy=Policy(patience=0.0))
    assert texts(replies) == ["you said: q0"]


def test_replies_without_usage_add_no_tokens(store):
    bare = Send({"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}]})
    seen = []
    with serving(lambda *_: bare) as endpoint:
        ask(made(endpoint.url), questions(3), store=store, progress=seen.append)
    assert (seen[-1].done, seen[-1].tokens_in, seen[-1].tokens_out) == (3, 0, 0)
