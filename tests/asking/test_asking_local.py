"""Asking models in this process."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Sequence

import pytest

from hesperus.asking import Budget, Policy, ReplyStore, Spending, ask, held, request_key
from hesperus.asking.spending import Purse
from hesperus.asking.store import Entry
from hesperus.asking.turns import turn
from hesperus.errors import BudgetReachedError, PermanentError, StoreError, TransientError
from hesperus.models import ScriptedModel
from hesperus.models.protocol import Copies
from hesperus.types import Failure, Prompt, Reply, Request, Settings
from waiting import LIMIT, until


def questions(*texts: str, **more: object) -> list[Request]:
    return [Request("x/y", Prompt(text), **more) for text in texts]  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path):
    with ReplyStore(tmp_path / "s.sqlite") as opened:
        yield opened


class Batches:
    """A local model that remembers its batches, and fails on the word ``bad``."""

    name, batch_size, identity = "x/batches", 4, {"weights": "0"}

    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        texts = [request.prompt.user for request in requests]
        self.seen.append(texts)
        if "bad" in texts:
            raise PermanentError("cannot read this", kind="bad_prompt")
        return [Reply(text.upper(), tokens_in=len(text), tokens_out=1) for text in texts]


def test_batches_are_full_sorted_and_asked_once(store):
    model, texts = Batches(), [("x" * (7 * n % 11)) + str(n) for n in range(10)]
    replies = ask(model, questions(*texts, *texts), store=store)
    assert replies == ask(model, questions(*texts, *texts), store=store)
    assert [r.text for r in replies if isinstance(r, Reply)] == [text.upper() for text in texts] * 2
    assert [len(batch) for batch in model.seen] == [4, 4, 2]
    lengths = [len(text) for batch in model.seen for text in batch]
    assert lengths == sorted(lengths)


def test_one_bad_request_fails_alone(store):
    model = Batches()
    replies = ask(model, questions("a", "b", "bad", "d", "e"), store=store)
    kinds = [r.text if isinstance(r, Reply) else r.kind for r in replies]
    assert kinds == ["A", "B", "bad_prompt", "D", "E"] and len(store) == 4
    assert replies[2] == Failure("bad_prompt", "cannot read this")


def test_a_request_that_fails_by_itself_is_asked_once(store):
    model = Batches()
    ask(model, questions("a"), store=store)
    assert ask(model, questions("bad"), store=store) == [Failure("bad_prompt", "cannot read this")]
    assert model.seen == [["a"], ["bad"]]


def test_batches_are_of_like_length_with_the_system_text_counted(store):
    long, short = Prompt("xxxx", "s" * 40), Prompt("x" * 20)
    prompts = [long, short, long, short, short, long]
    model = Batches()
    requests = [Request("x/y", prompt, repeat=n) for n, prompt in enumerate(prompts)]
    ask(model, requests, store=store)
    assert model.seen == [["x" * 20] * 3 + ["xxxx"], ["xxxx"] * 2]


def test_batches_that_take_their_time_are_each_committed_before_the_next(store):
    class Slow(Batches):
        def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
            kept.append(len(store))
            time.sleep(0.07)
            return super().replies(requests)

    kept: list[int] = []
    ask(Slow(), questions(*map(str, range(12))), store=store)
    assert kept == [0, 4, 8], "a kill loses one batch"


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_keeps_the_batch_under_way_and_asks_no_more(store):
    class Interrupted(Batches):
        def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
            if len(self.seen) == 1:
                os.kill(os.getpid(), signal.SIGINT)
                until(lambda: any(state.note for state in seen))
            return super().replies(requests)

    model, seen = Interrupted(), []
    with pytest.raises(KeyboardInterrupt):
        ask(model, questions(*map(str, range(40))), store=store, progress=seen.append)
    assert len(model.seen) == 2 and len(store) == 8
    notes = {state.note for state in seen} - {""}
    assert notes == {"stopping: what is in flight will be kept; interrupt again to quit at once"}


@pytest.mark.usefixtures("interruptible")
def test_a_third_interrupt_waits_for_nothing(store):
    class Stuck(Batches):
        def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
            for number in (1, 2):
                sent.append(number)
                os.kill(os.getpid(), signal.SIGINT)
                before = len(seen)
                until(
                    lambda before=before: len(seen) >= before + 2
                )  # the second report follows the interrupt
            sent.append(3)
            os.kill(os.getpid(), signal.SIGINT)
            left.wait(LIMIT)
            return super().replies(requests)

    sent: list[int] = []
    left, model, seen = threading.Event(), Stuck(), []
    with pytest.raises(KeyboardInterrupt):
        ask(model, questions("a"), store=store, progress=seen.append)
    assert (model.seen, sent) == ([], [1, 2, 3]), "two let it finish, the third does not"
    left.set()


def test_what_is_stored_is_known_before_anything_is_asked(store):
    model = Batches()
    ask(model, questions("a", "c"), store=store)
    broken = Request("x/y", Prompt("\ud83d"))
    assert held(model, [*questions("a", "b", "c", "a"), broken], store=store) == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert len(model.seen) == 1


def test_who_waits_for_another_process_says_so_and_takes_what_it_asked(store, tmp_path, caplog):
    model, seen, found = Batches(), [], []
    asked = questions("a", "b", "c")

    def second() -> None:
        found.append(ask(model, asked, store=store, progress=seen.append))

    with ReplyStore(tmp_path / "s.sqlite") as other:
        with turn(store.path, model.identity, waiting=lambda _: None):
            thread = threading.Thread(target=second)
            thread.start()
            until(lambda: len(seen) >= 3)
            keys = [request_key(request, model.identity) for request in asked[:2]]
            entries = [Entry(key, one, Reply("theirs")) for key, one in zip(keys, asked, strict=False)]
            other.put(entries, model.identity)
        thread.join(LIMIT)
    assert found == [[Reply("theirs"), Reply("theirs"), Reply("C", tokens_in=1, tokens_out=1)]]
    waits = {state.note for state in seen} - {""}
    assert len(waits) == 1 and "is asking the same model with" in waits.pop()
    last = seen[-1]
    assert (last.cached, last.done, last.total, last.note) == (2, 3, 3, "")
    assert len([r for r in caplog.records if "waiting for" in r.message]) == 1, "logged once"
    assert ask(model, asked, store=store) == found[0] and len(model.seen) == 1


def test_a_script_is_asked_in_order(store):
    model = ScriptedModel(["one", "two", "three"])
    replies = ask(model, questions("long question", "q", "mid one"), store=store)
    assert [r.text for r in replies if isinstance(r, Reply)] == ["one", "two", "three"]
    used_up = ask(model, questions("more"), store=store)
    assert isinstance(used_up[0], Failure) and used_up[0].kind == "not_scripted"


def test_a_model_that_never_works_stops_the_run(store):
    with pytest.raises(PermanentError, match="no reply to"):
        ask(ScriptedModel({}), questions(*map(str, range(100))), store=store)


def test_bugs_are_raised_and_what_was_answered_is_kept(store):
    def script(request: Request) -> str:
        return str(1 // (int(request.prompt.user) - 5))

    with pytest.raises(ZeroDivisionError):
        ask(ScriptedModel(script), questions(*map(str, range(10))), store=store)
    assert len(store) == 5


def test_a_model_that_loses_replies_is_named(store):
    class Lossy(Batches):
        def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
            return super().replies(requests)[:-1]

    with pytest.raises(PermanentError, match="x/batches returned 0 replies to 1 requests"):
        ask(Lossy(), questions("a", "b", "c"), store=store)


def test_what_no_store_can_hold_is_mended_or_refused(store):
    lone = ask(ScriptedModel({"q": "x\ud83dy"}), questions("q"), store=store)
    assert lone == [Reply("x?y")] == ask(ScriptedModel({"q": "x\ud83dy"}), questions("q"), store=store)
    scored = questions("q", options=("A", "B"))
    infinite = ScriptedModel(lambda _: Reply("", option_logprobs=(0.0, -math.inf)), version="inf")
    refused = ask(infinite, scored, store=store)
    assert isinstance(refused[0], Failure) and refused[0].kind == "no_logprobs"


def test_budgets_hold_for_local_models_too(store):
    spending, texts = Spending(), [f"q{n}" for n in range(20)]
    with pytest.raises(
        BudgetReachedError, match=r"10 of 10 requests\); 10 of 20 requests are answered and kept"
    ):
        ask(
            Batches(),
            questions(*texts),
            store=store,
            policy=Policy(budget=Budget(requests=10)),
            spending=spending,
        )
    assert len(store) == 10 and spending.requests == 10
    bounded = questions(*texts, settings=Settings(max_tokens=256))
    with pytest.raises(BudgetReachedError, match="of 340 tokens"):
        ask(Batches(), bounded, store=store, policy=Policy(budget=Budget(tokens=340)))
    assert 10 < len(store) < 30
    assert len(ask(Batches(), bounded, store=store)) == 20


def test_progress_ends_complete(store):
    seen = []
    ask(Batches(), questions("a", "b"), store=store)
    ask(Batches(), questions("a", "b", "c", "bad", "\ud83d"), store=store, progress=seen.append)
    last = seen[-1]
    assert (last.total, last.cached, last.done, last.failed, last.left) == (5, 2, 3, 2, 0)
    assert (last.tokens_in, last.tokens_out) == (1, 1)


def test_small_batches_share_commits(store, monkeypatch):
    sizes, put = [], ReplyStore.put

    def counted(self, entries, identity):
        sizes.append(len(entries))
        put(self, entries, identity)

    monkeypatch.setattr(ReplyStore, "put", counted)
    ask(ScriptedModel(lambda r: r.prompt.user), questions(*map(str, range(2000))), store=store)
    assert sum(sizes) == len(store) == 2000 and len(sizes) < 200


def test_a_store_that_fails_is_raised(store):
    store._connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON replies BEGIN SELECT RAISE(ABORT, 'disk is full'); END"
    )
    with pytest.raises(StoreError, match="disk is full"):
        ask(Batches(), questions("a"), store=store)


def test_a_store_in_memory_will_do():
    with ReplyStore(":memory:") as store:
        assert ask(Batches(), questions("a"), store=store) == [Reply("A", tokens_in=1, tokens_out=1)]


class Copied:
    """Three copies of a local model, which are lost with one text, and with another once."""

    name, identity = "x/copied", {"weights": "0"}

    def __init__(self, at_once: int = 0) -> None:
        self.seen: list[list[str]] = []
        self.meeting = threading.Barrier(at_once) if at_once else None

    def copies(self) -> Copies:
        return Copies(3, 4)

    def replies(self, requests: Sequence[Request]) -> Sequence[Reply]:
        texts = [request.prompt.user for request in requests]
        first = not any("unlucky." in batch for batch in self.seen)
        self.seen.append(texts)
        if self.meeting is not None and len(self.seen) <= self.meeting.parties:
            self.meeting.wait(LIMIT)
        time.sleep(0.02)
        if "deadly.." in texts or ("unlucky." in texts and first):
            raise TransientError("a worker was lost", kind="worker_lost")
        return [Reply(text.upper(), tokens_in=len(text), tokens_out=1) for text in texts]


def test_copies_answer_as_many_batches_at_a_time_and_the_same_ones(store):
    texts = [f"q{n:03}" for n in range(40)]
    alone, model = Batches(), Copied(at_once=3)
    with ReplyStore(":memory:") as other:
        expected = ask(alone, questions(*texts), store=other)
    assert ask(model, questions(*texts), store=store) == expected
    assert sorted(model.seen) == sorted(alone.seen)


def test_no_copy_stands_idle_for_the_sake_of_full_batches(store):
    model = Copied(at_once=3)
    texts = [f"q{n}" for n in range(6)]
    assert all(isinstance(reply, Reply) for reply in ask(model, questions(*texts), store=store))
    assert sorted(map(len, model.seen)) == [2, 2, 2]


class ByText(Batches):
    """A local model that computes what prompts begin with in common once."""

    by_text = True


@pytest.mark.parametrize(("kind", "first"), [(ByText, ["a", "a a a", "a b"]), (Batches, ["a", "b", "c"])])
def test_requests_that_begin_alike_share_a_batch_where_that_suits_the_model(store, kind, first):
    model = kind()
    ask(model, questions("a", "b", "c", "a a a", "a b", "d", "b c", "e"), store=store)
    assert model.seen[0][:3] == first


def test_what_a_lost_copy_had_is_asked_again_whole_then_in_halves_until_the_culprit_fails_alone(store):
    model, states = Copied(), []
    texts = ["q1", "q2", "unlucky", "q3", "q4", "q5", "deadly", "q6", "q7", "q8", "q9", "q10"]
    texts = [f"{text:<8}".replace(" ", ".") for text in texts]  # of one length: batches in this order
    replies = ask(model, questions(*texts), store=store, progress=states.append)
    failed = [text for text, reply in zip(texts, replies, strict=True) if isinstance(reply, Failure)]
    assert failed == ["deadly.."]
    assert states[-1].faults == {
        "worker_lost": 5
    }  # the unlucky batch once; the other whole, again, a half, alone
    assert sum("deadly.." in batch for batch in model.seen) == 4


def test_copies_share_a_budget_and_wait_for_what_the_others_hold(store):
    model = Copied()
    wanted = questions(*(f"q{n:03}" for n in range(60)), settings=Settings(max_tokens=10))
    each = Purse(Budget(tokens=10**6), Spending()).hold(wanted[0])
    spent = Spending()
    policy = Policy(budget=Budget(tokens=20 * 5 + each.tokens_in + each.tokens_out))
    with pytest.raises(BudgetReachedError):
        ask(model, wanted, store=store, policy=policy, spending=spent)
    assert spent.tokens_in + spent.tokens_out <= policy.budget.tokens
    assert 20 <= sum(held(model, wanted, store=store)) == spent.requests < 60
