"""Batches over a real server: every reply once, whatever happens to batches, lines and this process."""

from __future__ import annotations

import itertools
import json
import signal

import pytest

from batch_endpoint import Batches, echo, refused, replied, serving_batches, unanswered
from hesperus.asking import Batching, Budget, Policy, Prices, ReplyStore, Spending, ask
from hesperus.errors import BudgetReachedError, PendingError, PermanentError, TransientError, UsageError
from hesperus.models import ModelOptions, ScriptedModel, model
from hesperus.types import Failure, Prompt, Reply, Request, Settings
from loopback_endpoint import serving, user_text
from own_process import Started, forked
from waiting import ends

QUICK = Batching(poll=0.01)


def questions(count, **more):
    return [Request("http/m", Prompt(f"q{n}", **more)) for n in range(count)]


def made(endpoint: Batches, **more):
    return model("http/m", ModelOptions(base_url=endpoint.url, **more))


def asked(endpoint, count=5, store=None, batching=QUICK, **more):
    with ReplyStore(":memory:") if store is None else ReplyStore(store) as replies:
        return ask(made(endpoint), questions(count), store=replies, policy=Policy(batching=batching, **more))


def texts(replies):
    return [reply.text if isinstance(reply, Reply) else reply.kind for reply in replies]


def test_requests_go_as_one_file_and_replies_come_in_any_order(tmp_path):
    with serving_batches(looks=3) as endpoint:
        replies = asked(endpoint, 7, tmp_path / "s.sqlite")
        assert texts(replies) == [f"you said: q{n}" for n in range(7)]
        assert replies[0].tokens_in == 2 and replies[0].served_by == "m-2026"
        assert len(endpoint.batches) == 1
        assert texts(asked(endpoint, 7, tmp_path / "s.sqlite")) == texts(replies)
        assert len(endpoint.batches) == 1 and sorted(endpoint.asked) == [f"q{n}" for n in range(7)]
        (batch,) = endpoint.batches.values()
        line = json.loads(endpoint.files[batch["input_file_id"]].splitlines()[0])
    assert line["url"] == "/v1/chat/completions" and line["body"]["model"] == "m"
    with ReplyStore(tmp_path / "s.sqlite") as store:
        assert store.notes() == {}


def test_the_same_reply_as_asked_one_by_one(tmp_path):
    with serving() as single, ReplyStore(":memory:") as store:
        one_by_one = ask(model("http/m", ModelOptions(base_url=single.url)), questions(3), store=store)
    with serving_batches() as endpoint:
        assert asked(endpoint, 3) == one_by_one


def test_a_file_has_no_more_than_an_endpoint_takes():
    with serving_batches() as endpoint:
        replies = asked(endpoint, 10, batching=Batching(poll=0.01, most_requests=4))
        assert texts(replies) == [f"you said: q{n}" for n in range(10)] and len(endpoint.batches) == 3
        sizes = Batching(poll=0.01, most_bytes=400)
        assert texts(asked(endpoint, 10, batching=sizes)) == texts(replies)
        assert all(
            len(content) <= 400
            for name, content in endpoint.files.items()
            if int(name[5:]) > 6 and b"method" in content
        )


def test_a_file_is_nearly_as_large_as_openai_takes_them():
    # 50,000 requests and 200 MB; a megabyte may be counted in either way.
    assert Batching().most_requests == 50_000
    assert 0.9 * 200e6 < Batching().most_bytes < 200e6


def test_a_file_may_have_exactly_as_many_bytes_as_are_allowed():
    with serving_batches() as endpoint:
        asked(endpoint, 6)
        (whole,) = (len(endpoint.files[one["input_file_id"]]) for one in endpoint.batches.values())
        for bytes_allowed, files in ((whole, 1), (whole - 1, 2), (whole // 2, 2), (whole // 2 - 1, 3)):
            before = len(endpoint.batches)
            asked(endpoint, 6, batching=Batching(poll=0.01, most_bytes=bytes_allowed))
            assert len(endpoint.batches) - before == files, bytes_allowed


def test_failed_lines_are_named_or_asked_again():
    def answer(key, body, batch):
        match user_text(body):
            case "q0":
                return refused(400, "the prompt is too long", code="context_length_exceeded")
            case "q1" if batch == 1:
                return refused(500, "oops")
            case "q2" if batch < 3:
                return None
            case "q3":
                return unanswered("something_else")
            case "q4":
                return refused(400, "held back", code="content_filter")
        return echo(key, body, batch)

    with serving_batches(answer=answer) as endpoint:
        replies = asked(endpoint, 6)
        assert texts(replies) == [
            "http_400",
            "you said: q1",
            "you said: q2",
            "batch_line",
            "",
            "you said: q5",
        ]
        assert "too long" in replies[0].message and replies[4].finish == "filter"
        assert [endpoint.asked.count(f"q{n}") for n in range(6)] == [1, 2, 3, 4, 1, 1]


def test_a_line_that_fails_time_and_again_is_in_four_batches():
    def answer(key, body, batch):
        return refused(500, "oops") if user_text(body) == "q1" else echo(key, body, batch)

    with serving_batches(answer=answer) as endpoint:
        assert texts(asked(endpoint, 3)) == ["you said: q0", "http_500", "you said: q2"]
        assert len(endpoint.batches) == endpoint.asked.count("q1") == 4


def test_what_an_expired_batch_did_is_kept_and_only_the_rest_asked_again(tmp_path):
    def answer(key, body, batch):
        if batch == 1 and user_text(body) in ("q1", "q3"):
            return unanswered("batch_expired")
        return echo(key, body, batch)

    with serving_batches(answer=answer, status=lambda n: "expired" if n == 1 else "completed") as endpoint:
        replies = asked(endpoint, 5, tmp_path / "s.sqlite")
        assert texts(replies) == [f"you said: q{n}" for n in range(5)]
        assert sorted(endpoint.asked) == ["q0", "q1", "q1", "q2", "q3", "q3", "q4"]


def test_a_cancelled_batch_keeps_what_it_did_and_says_so(tmp_path):
    def answer(key, body, batch):
        return echo(key, body, batch) if batch > 1 or user_text(body) == "q1" else None

    with serving_batches(answer=answer, status=lambda n: "cancelled" if n == 1 else "completed") as endpoint:
        with pytest.raises(
            PermanentError, match="1 replies of it are fetched and kept; run again to submit the other 3"
        ):
            asked(endpoint, 4, tmp_path / "s.sqlite")
        assert texts(asked(endpoint, 4, tmp_path / "s.sqlite")) == [f"you said: q{n}" for n in range(4)]
        assert sorted(endpoint.asked) == ["q0", "q0", "q1", "q2", "q2", "q3", "q3"]


def test_a_batch_that_is_refused_as_a_whole_says_why(tmp_path):
    refusing = serving_batches(status=lambda n: "failed", problem="enqueued token limit reached")
    with refusing as endpoint, pytest.raises(PermanentError, match="line 1: enqueued token limit reached"):
        asked(endpoint, 2, tmp_path / "s.sqlite")
    with ReplyStore(tmp_path / "s.sqlite") as store:
        assert store.notes() == {} and len(store) == 0


def test_an_endpoint_without_batches_and_a_model_that_cannot():
    with serving_batches(before=lambda method, path, count: None) as endpoint:
        elsewhere = model("http/m", ModelOptions(base_url=endpoint.url + "/nowhere"))
        with ReplyStore(":memory:") as store, pytest.raises(PermanentError, match="offers no batches"):
            ask(elsewhere, questions(1), store=store, policy=Policy(batching=QUICK))
    echoing = model("http/m", ModelOptions(base_url="http://127.0.0.1:9/v1", scoring="echo"))
    scored = [Request("http/m", Prompt("q"), Settings(), ("A", "B"))]
    with serving_batches() as endpoint, ReplyStore(":memory:") as store:
        echoing = model("http/m", ModelOptions(base_url=endpoint.url, scoring="echo"))
        (failed,) = ask(echoing, scored, store=store, policy=Policy(batching=QUICK))
        assert isinstance(failed, Failure) and failed.kind == "unsupported" and not endpoint.batches
        local = ScriptedModel(["a"])
        assert ask(local, [Request(local.name, Prompt("q"))], store=store, policy=Policy(batching=QUICK)) == [
            Reply("a")
        ]


class OneByOne:
    name, identity = "odd/m", {"protocol": "odd"}

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def reply(self, request: Request) -> Reply:
        return Reply("a")


def test_a_model_without_batches_is_refused():
    with ReplyStore(":memory:") as store, pytest.raises(UsageError, match="odd/m cannot be asked in batches"):
        ask(OneByOne(), [Request("odd/m", Prompt("q"))], store=store, policy=Policy(batching=QUICK))


def test_scores_and_system_texts_and_what_an_endpoint_refuses(tmp_path):
    def answer(key, body, batch):
        if "max_tokens" in body:
            return refused(
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                param="max_tokens",
                code="unsupported_parameter",
            )
        if body["messages"][0]["role"] == "system":
            return refused(400, "System role not supported")
        top = [{"token": "A", "logprob": -0.5}, {"token": "B", "logprob": -1.5}]
        line = replied("A", body)
        line["response"]["body"]["choices"][0]["logprobs"] = {
            "content": [{"token": "A", "logprob": -0.5, "top_logprobs": top}]
        }
        return line

    requests = [Request("http/m", Prompt(f"q{n}", "Be brief."), Settings(), ("A", "B")) for n in range(4)]
    with serving_batches(answer=answer) as endpoint, ReplyStore(":memory:") as store:
        with pytest.warns(UserWarning, match="takes no system role"):
            replies = ask(made(endpoint), requests, store=store, policy=Policy(batching=QUICK))
        assert [reply.option_logprobs for reply in replies] == [(-0.5, -1.5)] * 4
        assert len(endpoint.batches) == 3


def test_an_endpoint_that_falters_is_asked_again_and_no_batch_is_submitted_twice(tmp_path, quick_backoff):
    def before(method, path, count):
        if method == "POST" and path == "/batches" and count == 1:
            return "lost"  # taken, and the answer never came
        return "unavailable" if count % 3 == 2 else None

    with serving_batches(before=before, looks=2) as endpoint:
        assert texts(asked(endpoint, 5)) == [f"you said: q{n}" for n in range(5)]
        assert len(endpoint.batches) == 1


@pytest.mark.parametrize("path", ["/files", "/batches"])
def test_an_endpoint_that_takes_nothing_is_given_up_after_the_tries_that_are_allowed(path, quick_backoff):
    tries = []

    def before(method, where, count):
        if (method, where) == ("POST", path):
            tries.append(where)
            return "unavailable"
        return None

    with serving_batches(before=before) as endpoint, pytest.raises(TransientError, match="503"):
        asked(endpoint, 2, retries=3)
    assert len(tries) == 4 and not endpoint.batches


def test_a_batch_that_an_endpoint_does_not_take_ends_the_run_with_its_words(tmp_path):
    def before(method, path, count):
        return "forbidden" if (method, path) == ("POST", "/batches") else None

    with (
        serving_batches(before=before) as endpoint,
        pytest.raises(PermanentError, match="no batches for this"),
    ):
        asked(endpoint, 2, tmp_path / "s.sqlite")
    with ReplyStore(tmp_path / "s.sqlite") as store:
        assert store.notes() == {} and len(store) == 0


def test_progress_counts_faults_and_names_three_batches_at_most(quick_backoff):
    def before(method, path, count):
        return "unavailable" if method == "GET" and path.startswith("/batches/") and count in (1, 2) else None

    seen = []
    with serving_batches(before=before, looks=3) as endpoint, ReplyStore(":memory:") as store:
        policy = Policy(batching=Batching(poll=0.01, most_requests=2))
        ask(made(endpoint), questions(10), store=store, policy=policy, progress=seen.append)
        assert len(endpoint.batches) == 5
    assert sum(seen[-1].faults.values()) == 2
    assert max(state.note.count("; ") for state in seen if "batch" in state.note) == 2


def test_a_batch_of_which_no_answer_came_is_found_again_by_the_next_run(tmp_path, quick_backoff):
    is_down = [True]

    def before(method, path, count):
        if (method, path) == ("POST", "/batches"):
            return "lost"
        return "unavailable" if path == "/batches" and is_down[0] else None

    with serving_batches(before=before) as endpoint:
        with pytest.raises(TransientError):
            asked(endpoint, 4, tmp_path / "s.sqlite", retries=1)
        is_down[0] = False
        assert texts(asked(endpoint, 4, tmp_path / "s.sqlite")) == [f"you said: q{n}" for n in range(4)]
        assert len(endpoint.batches) == 1 and len(endpoint.asked) == 4


def test_odd_lines_in_a_file_of_replies_stop_nothing():
    extra = b'\n[]\n{"custom_id": 3}\nnot json\n{"custom_id": "x", "response": {"status_code": 200, "body": 1}}\n\xff\n'

    def answer(key, body, batch):
        if user_text(body) == "q1" and batch == 1:
            return {"response": {"status_code": 200, "body": "no completion"}, "error": None}
        return echo(key, body, batch)

    with serving_batches(answer=answer, extra=extra) as endpoint:
        assert texts(asked(endpoint, 3)) == [f"you said: q{n}" for n in range(3)]


def test_submitting_ends_at_once_and_the_next_run_fetches(tmp_path):
    submitting = Batching("submit", poll=0.01)
    with serving_batches(looks=2) as endpoint:
        with pytest.raises(
            PendingError, match="5 requests to http/m are with the provider, in the batch batch_1"
        ):
            asked(endpoint, 5, tmp_path / "s.sqlite", submitting)
        with pytest.raises(
            PendingError, match="6 requests"
        ):  # one more question, and the first batch is still under way
            asked(endpoint, 6, tmp_path / "s.sqlite", submitting)
        with pytest.raises(PendingError, match="1 requests .* in the batch batch_2"):
            asked(endpoint, 6, tmp_path / "s.sqlite", submitting)
        assert texts(asked(endpoint, 6, tmp_path / "s.sqlite", submitting)) == [
            f"you said: q{n}" for n in range(6)
        ]
        assert sorted(endpoint.asked) == [f"q{n}" for n in range(6)]


def test_replies_to_requests_that_are_not_asked_now_wait_for_whoever_asks_them(tmp_path):
    with serving_batches(looks=2) as endpoint:
        with pytest.raises(PendingError):
            asked(endpoint, 5, tmp_path / "s.sqlite", Batching("submit", poll=0.01))
        assert texts(asked(endpoint, 2, tmp_path / "s.sqlite")) == ["you said: q0", "you said: q1"]
        assert texts(asked(endpoint, 5, tmp_path / "s.sqlite")) == [f"you said: q{n}" for n in range(5)]
        assert len(endpoint.batches) == 1
    with ReplyStore(tmp_path / "s.sqlite") as store:
        assert store.notes() == {}


def test_a_batch_that_the_provider_no_longer_has_is_asked_again(tmp_path):
    with serving_batches(looks=9) as endpoint:
        with pytest.raises(PendingError):
            asked(endpoint, 2, tmp_path / "s.sqlite", Batching("submit", poll=0.01))
        endpoint.batches.clear()
        endpoint.looks = 1
        assert texts(asked(endpoint, 2, tmp_path / "s.sqlite")) == ["you said: q0", "you said: q1"]


def submit_600(url, store):
    made = model("http/m", ModelOptions(base_url=url))
    with ReplyStore(store) as replies:
        asked = [Request("http/m", Prompt(f"q{n}")) for n in range(600)]
        ask(made, asked, store=replies, policy=Policy(batching=Batching(poll=0.01, most_requests=200)))


def test_kills_at_every_call_submit_nothing_twice(tmp_path):
    """Each run is killed while the server works on one call more than the last time, until a run needs no more calls."""
    store = tmp_path / "s.sqlite"
    running: list[Started] = []
    calls, kills = itertools.count(1), 0

    def killing(method: str, path: str, count: int) -> None:
        if next(calls) == kills + 1:
            running[-1].kill()

    with serving_batches(looks=2, before=killing) as endpoint:
        while not running or running[-1].returncode == -signal.SIGKILL:
            calls, kills = itertools.count(1), len(running)
            running.append(forked(submit_600, endpoint.url, store))
            ends(running[-1])
        assert running[-1].returncode == 0 and kills >= 5
        assert sorted(endpoint.asked) == sorted(f"q{n}" for n in range(600))
    with ReplyStore(store) as replies:
        assert len(replies) == 600 and replies.notes() == {}
        assert all(row.reply.text == f"you said: {row.request.prompt.user}" for row in replies.stored())


def test_a_budget_holds_for_batches():
    prices = Prices(1.0, 1.0)
    with serving_batches() as endpoint, ReplyStore(":memory:") as store:
        spent, limit = Spending(), Budget(requests=3, money=1.0, prices=prices)
        with pytest.raises(BudgetReachedError, match="3 of 3 requests"):
            ask(
                made(endpoint),
                questions(5),
                store=store,
                policy=Policy(batching=QUICK, budget=limit),
                spending=spent,
            )
        assert endpoint.asked == ["q0", "q1", "q2"] and len(store) == 3
        assert spent.requests == 3 and spent.tokens_in == 6 and spent.money == pytest.approx(42 / 1e6)


def test_requests_as_files_for_another_machine(tmp_path):
    """The answers of the loopback server stand for those of a machine without a network."""
    export, store = Batching("export"), tmp_path / "s.sqlite"
    with serving_batches() as endpoint:
        with pytest.raises(
            PendingError, match="3 requests to http/m are to be answered elsewhere"
        ) as pending:
            asked(endpoint, 3, store, export)
        (requests,) = (tmp_path / "s.batches" / "requests").glob("*.jsonl")
        assert str(requests) in str(pending.value) and not endpoint.calls
        lines = [json.loads(line) for line in requests.read_text().splitlines()]
        assert [user_text(line["body"]) for line in lines] == ["q0", "q1", "q2"]
        replies = tmp_path / "s.batches" / "replies"
        replies.mkdir()
        said = [{"custom_id": one["custom_id"], **echo("", one["body"], 1)} for one in lines]
        said[1] = {"custom_id": lines[1]["custom_id"], **refused(500, "oops")}
        (replies / "a.jsonl").write_text(
            "\n".join(map(json.dumps, [*said, {"custom_id": "other", "response": None}]))
        )
        with pytest.raises(
            PendingError, match=r"1 requests .* \(1 of them failed in the replies that are here\)"
        ):
            asked(endpoint, 3, store, export)
        (again,) = requests.parent.glob("*.jsonl")
        assert [json.loads(line)["custom_id"] for line in again.read_text().splitlines()] == [
            lines[1]["custom_id"]
        ]
        said[1] = {"custom_id": lines[1]["custom_id"], **echo("", lines[1]["body"], 2)}
        (replies / "b.jsonl").write_text(json.dumps(said[1]))
        assert texts(asked(endpoint, 3, store, export)) == [f"you said: q{n}" for n in range(3)]
        assert not list(requests.parent.glob("*.jsonl"))
