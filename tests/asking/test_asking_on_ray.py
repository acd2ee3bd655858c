"""Asking on a real Ray cluster of two nodes, of which workers, then a node, then all are killed. In this order: nodes stay dead."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections import Counter
from pathlib import Path

import msgspec
import pytest

import hesperus as hs
from command_line import hesperus
from hesperus.api.declared import declared_study
from hesperus.asking import Policy, ReplyStore, ask
from hesperus.asking.engines import opened_engine
from hesperus.asking.on_ray.messages import Failed, Spec, encode
from hesperus.asking.on_ray.worker import Worker, decode_opening
from hesperus.errors import EngineError, MissingExtraError, PermanentError, TransientError, UsageError
from hesperus.models import Model, ModelOptions, model
from hesperus.studies.asked.stages import run_study
from hesperus.types import Prompt, Reply, Request
from loopback_endpoint import Say, Send, serving, user_text
from own_process import started
from ray_nodes import below, is_running, kill, listening, two_nodes
from waiting import last_words, until

SECRET, VARIABLE = "sk-planted-5b1d9c", "PLANTED_RAY_KEY"
CONCURRENCY = 16


@pytest.fixture(scope="module")
def nodes():
    with two_nodes() as running:
        yield running


def questions(asked: Model, count: int) -> list[Request]:
    return [Request(asked.name, Prompt(f"q{n}")) for n in range(count)]


RUN = ("run", "similarity", "--task", "atlas", "--language", "en", "--language", "de", "--quiet", "--scoring", "generate",
       "--concurrency", CONCURRENCY)  # fmt: skip


def stored(path: Path) -> Counter[str]:
    with ReplyStore(path) as store:
        return Counter(row.request.prompt.user for row in store.stored())


def test_a_study_whose_worker_is_killed_has_the_bytes_of_one_in_this_process(tmp_path, nodes):
    """And a local model is there once on each node."""
    study = {"task": "atlas", "models": ["pocket/m"], "target": ["de"], "sample": {"n": 60}}
    local, spread, killed = tmp_path / "local" / "run", tmp_path / "ray" / "run", list[int]()
    hs.run("multisense", **study, out=local, progress=False)

    def watch(stage, state):
        if not killed and state.done >= 32:
            running = [nodes.workers(one) for one in (nodes.head, nodes.other)]
            assert max(map(len, running)) <= 1, "one on each node"
            killed.extend(*filter(None, running[::-1][:1] if running[1] else running[:1]))
            kill(*killed)

    engine = {"engine": "ray", "engine_address": nodes.address}
    run_study(declared_study("multisense", {**study, **engine}).study, spread, progress=watch)
    assert len(killed) == 1
    for name in ("records.parquet", "items.parquet", "signature.json", "study.yaml"):
        assert (spread / name).read_bytes() == (local / name).read_bytes(), name


def test_a_worker_and_then_a_node_are_killed_and_nothing_is_lost_or_asked_twice(tmp_path, nodes, monkeypatch):
    """And no key is kept by Ray or by us."""
    monkeypatch.setenv(VARIABLE, SECRET)
    count, killed = 600, list[str]()
    with serving(lambda body, _: Say(f"you said: {user_text(body)}", seconds=0.1)) as endpoint:
        options = ModelOptions(endpoint.url, key_variable=VARIABLE)

        def killing() -> None:
            until(lambda: len(endpoint.bodies) >= 50 and nodes.workers())
            kill(nodes.workers()[0])
            killed.append("worker")
            until(lambda: len(endpoint.bodies) >= 150 and nodes.workers())
            nodes.kill_node(nodes.other)
            killed.append("node")

        with (
            ReplyStore(tmp_path / "s.sqlite") as store,
            opened_engine("ray", address=nodes.address) as engine,
        ):
            asked = engine.seated(model("http/m", options), options)
            wanted, policy = questions(asked, count), Policy(concurrency=CONCURRENCY)
            killer = threading.Thread(target=killing)
            killer.start()
            replies = ask(asked, wanted, store=store, policy=policy)
            killer.join()
            seen = len(endpoint.bodies)
            assert replies == ask(asked, wanted, store=store, policy=policy), "nothing is asked again"
        assert killed == ["worker", "node"]
        assert [one.text for one in replies if isinstance(one, Reply)] == [
            f"you said: q{n}" for n in range(count)
        ]
        assert count <= len(endpoint.bodies) == seen <= count + 2 * CONCURRENCY
        assert {one["Authorization"] for one in endpoint.headers} == {f"Bearer {SECRET}"}
    kept = [path for path in (*nodes.session.rglob("*"), *tmp_path.rglob("*")) if path.is_file()]
    assert len(kept) > 10
    assert not [path for path in kept if SECRET.encode() in path.read_bytes()]


def test_what_a_worker_says_is_raised_here(tmp_path, nodes):
    with (
        serving(lambda *_: Send({"error": {"message": "no such model"}}, 404)) as endpoint,
        ReplyStore(tmp_path / "s.sqlite") as store,
        opened_engine("ray", address=nodes.address) as engine,
    ):
        options = ModelOptions(endpoint.url)
        asked = engine.seated(model("http/m", options), options)
        with pytest.raises(PermanentError, match="no such model") as local:
            ask(model("http/m", options), questions(asked, 3), store=store)
        with pytest.raises(PermanentError) as spread:
            ask(asked, questions(asked, 3), store=store)
        assert (str(spread.value), spread.value.kind) == (str(local.value), local.value.kind)
        options = ModelOptions(key_variable="PLANTED_UNSET_KEY")
        asked = engine.seated(model("openai/m", options), options)
        with pytest.raises(UsageError, match="PLANTED_UNSET_KEY"):
            ask(asked, questions(asked, 3), store=store)


def test_an_interrupt_keeps_what_is_in_flight(tmp_path, nodes):
    with serving(lambda body, _: Say("A", seconds=0.5)) as endpoint:
        flags = [
            "--model",
            "http/m",
            "--base-url",
            endpoint.url,
            "--engine",
            "ray",
            "--engine-address",
            nodes.address,
        ]
        process = started(*RUN, *flags, "--out", tmp_path / "run")
        until(lambda: len(endpoint.bodies) >= 8, running=process)
        process.send_signal(signal.SIGINT)
        said = last_words(process)
        assert process.returncode == 130, said
        assert stored(tmp_path / "replies.sqlite") == Counter(endpoint.asked)
        assert 8 <= len(endpoint.bodies) < 200


def test_a_cluster_that_vanishes_is_said_and_the_run_goes_on_without_it(tmp_path, nodes):
    with serving(lambda body, _: Say("A", seconds=0.05)) as endpoint:
        flags = ["--model", "http/m", "--base-url", endpoint.url, "--out", tmp_path / "run"]
        process = started(
            *RUN, *flags, "--engine", "ray", "--engine-address", nodes.address,
            environment={"RAY_gcs_rpc_server_reconnect_timeout_s": "3"},
        )  # fmt: skip
        until(lambda: len(endpoint.bodies) >= 40, running=process)
        nodes.kill_node(nodes.other)
        nodes.kill_node(nodes.head)
        said = last_words(process)
        assert process.returncode == 3, said
        assert f"the Ray cluster at {nodes.address} is gone" in said and "--engine local" in said
        before, kept = Counter(endpoint.asked), stored(tmp_path / "replies.sqlite")
        assert kept <= before and sum((before - kept).values()) <= CONCURRENCY
        end = hesperus(*RUN, *flags)
        assert end.returncode == 0, end.stderr
        assert all(before[text] == times for text, times in Counter(endpoint.asked).items() if text in kept)


def test_an_address_that_does_not_answer_is_said(tmp_path):
    flags = [
        "--model",
        "pocket/s",
        "--engine",
        "ray",
        "--engine-address",
        "127.0.0.1:9",
        "--out",
        tmp_path / "run",
    ]
    end = hesperus(*RUN, *flags)
    assert end.returncode == 3 and "no Ray cluster answers at 127.0.0.1:9" in end.stderr


@pytest.mark.parametrize(
    ("error", "kind", "retry_after"),
    [
        (TransientError("later", kind="http", retry_after=2.5), "http", 2.5),
        (PermanentError("never", kind="http"), "http", None),
        (UsageError("not so"), "", None),
        (EngineError("no node"), "", None),
    ],
)
def test_an_error_of_a_worker_keeps_its_sort_on_the_way(error, kind, retry_after):
    sent = Failed.of(error)
    assert type(sent.raised()) is type(error) and str(sent.raised()) == str(error)
    assert (sent.kind, sent.retry_after) == (kind, retry_after)
    assert "in a worker: ValueError: x" in str(Failed.of(ValueError("x")).raised())


def test_a_node_with_another_build_is_refused():
    """Two builds of one version may encode what they say differently."""
    spec = Spec("pocket/s", {"loading": {}}, {}, (), build="of another day")
    for sent in (encode(spec), encode(["pocket/s", 7, None]), b"\xc1"):
        with pytest.raises(UsageError, match="a node has another build of hesperus"):
            raise decode_opening(asyncio.run(Worker().open(sent, None))).raised()
    assert isinstance(Failed.of(msgspec.ValidationError("of the driver")).raised(), UsageError)


def test_without_ray_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"hesperus\[ray\]"), opened_engine("ray"):
        pass


def test_ray_that_is_started_for_a_run_hears_this_machine_alone_and_ends_with_the_run(tmp_path):
    before = set(below(os.getpid()))
    with ReplyStore(tmp_path / "s.sqlite") as store, opened_engine("ray", workers=1) as engine:
        asked = engine.seated(model("pocket/s"), ModelOptions())
        assert set(below(os.getpid())) == before, "nothing is started before it is needed"
        replies = ask(asked, questions(asked, 4), store=store)
        started = [pid for pid in below(os.getpid()) if pid not in before]
        assert len(started) > 3
        assert set() < listening(started) <= {"0100007F", "0000000000000000FFFF00000100007F"}, (
            "127.0.0.1 in both spellings"
        )
    with ReplyStore(tmp_path / "local.sqlite") as store:
        assert replies == ask(model("pocket/s"), questions(asked, 4), store=store)
    until(lambda: not any(map(is_running, started)))


def test_a_client_address_is_refused():
    with pytest.raises(UsageError, match="HOST:PORT"), opened_engine("ray", address="ray://head:10001"):
        pass


def test_settings_of_an_engine_without_it_are_refused():
    for given, flag in (({"address": "h:1"}, "--engine-address"), ({"workers": 2}, "--engine-workers")):
        with pytest.raises(UsageError, match=flag), opened_engine("local", **given):
            pass


def test_batches_need_no_workers(tmp_path):
    end = hesperus(
        *RUN, "--model", "openai/m", "--engine", "ray", "--batch", "wait", "--out", tmp_path / "run"
    )
    assert end.returncode == 2 and "leave --engine ray out" in end.stderr
