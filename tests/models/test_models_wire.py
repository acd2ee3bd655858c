"""Bytes in, replies and errors out, without a network."""

from __future__ import annotations

import contextlib
import time
from email.utils import formatdate

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hesperus.errors import PermanentError, TransientError
from hesperus.models import wire
from hesperus.models.faults import EXCERPT, excerpt, fault, retry_after
from hesperus.models.protocol import DEFAULT_TOKENS
from hesperus.models.wire import Dialect
from hesperus.types import Prompt, Reply, Request, Settings

KEY = "sk-proj-Abc123Def456Ghi789"


def completion(**choice):
    return {
        "model": "m-1",
        "choices": [{"message": {"content": "yes"}, "finish_reason": "stop", **choice}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    }


def test_a_body_holds_what_the_request_sets_and_nothing_else():
    request = Request("x/y", Prompt("hi", "be brief"), Settings(0.0, 5, 0.9, 7))
    assert wire.chat_body("y", request, Dialect("max_completion_tokens", "random_seed")) == {
        "model": "y",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        "temperature": 0.0,
        "max_completion_tokens": 5,
        "top_p": 0.9,
        "random_seed": 7,
    }
    bare = Request("x/y", Prompt("hi"), Settings(None, None))
    assert wire.chat_body("y", bare, Dialect(seed_word=None)) == {
        "model": "y",
        "max_tokens": DEFAULT_TOKENS,
        "messages": [{"role": "user", "content": "hi"}],
    }
    with pytest.raises(PermanentError, match="takes no seed"):
        wire.chat_body("y", request, Dialect(seed_word=None))


def test_text_that_is_no_utf8_is_refused():
    with pytest.raises(PermanentError, match="half a surrogate pair"):
        wire.encode({"a": "\ud83d"})


@pytest.mark.parametrize(
    ("body", "error", "kind"),
    [
        (b"", TransientError, "bad_json"),
        (b"  \n", TransientError, "bad_json"),
        (b'{"choices": [{"mess', TransientError, "bad_json"),
        (b"[" * 200_000, TransientError, "bad_json"),
        (b"<!doctype html><title> Sign\nin </title>", TransientError, "html"),
        (b"upstream connect error", TransientError, "not_json"),
        (b"data: {}\n\n", TransientError, "not_json"),
        (b"\xff\xfe{}", TransientError, "not_json"),
        (b'{"choices": [{"message": {"content": "na\xefve"}}]}', TransientError, "bad_encoding"),
        (b'{"choices": [{"message": {"content": "\xe4\xbd', TransientError, "bad_json"),
    ],
)
def test_bodies_that_are_no_json_are_told_apart(body, error, kind):
    with pytest.raises(error) as caught:
        wire.decode(body, "m at host")
    assert caught.value.kind == kind
    assert str(caught.value).startswith("m at host ")


def test_html_shows_its_title():
    with pytest.raises(TransientError, match=r"usually ends with /v1\): Sign in"):
        wire.decode(b"<html><title> Sign\nin </title>", "m")


def test_loose_json_is_read():
    assert wire.decode(b'\n\n {"a": NaN, "b": "x\\ud83dy"}', "m") == {"a": None, "b": "x?y"}


@pytest.mark.parametrize(
    ("document", "error", "kind"),
    [
        ({"choices": []}, TransientError, "empty_choices"),
        ({"choices": None}, TransientError, "bad_reply"),
        ({"choices": ["x"]}, TransientError, "bad_reply"),
        ({"hello": "world"}, TransientError, "bad_reply"),
        ([1, 2], TransientError, "bad_reply"),
        ("text", TransientError, "bad_reply"),
        (None, TransientError, "bad_reply"),
        (completion(message=None), TransientError, "bad_reply"),
        (completion(message={"content": 7}), TransientError, "bad_reply"),
        (completion(finish_reason="error"), TransientError, "gave_up"),
        (completion(message={"content": None}), TransientError, "no_content"),
        (completion(message={"content": None}, finish_reason="tool_calls"), TransientError, "no_content"),
        (completion(finish_reason="insufficient_system_resource"), TransientError, "gave_up"),
        (completion(finish_reason="abort"), TransientError, "gave_up"),
        (completion(finish_reason="network_error"), TransientError, "gave_up"),
    ],
)
def test_json_that_is_no_completion_is_named(document, error, kind):
    with pytest.raises(error) as caught:
        wire.read_chat(document, "m at host")
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    ("choice", "text", "finish"),
    [
        ({}, "yes", "stop"),
        ({"finish_reason": "length"}, "yes", "length"),
        ({"finish_reason": "content_filter", "message": None}, "", "filter"),
        ({"finish_reason": "SAFETY", "message": {"content": None}}, "", "filter"),
        ({"finish_reason": None}, "yes", "unknown"),
        ({"finish_reason": {"reason": "stop"}}, "yes", "unknown"),
        ({"finish_reason": ["error"]}, "yes", "unknown"),
        ({"finish_reason": "length", "message": {"content": None}}, "", "length"),
        ({"message": {"content": None, "refusal": "I cannot."}}, "I cannot.", "stop"),
        ({"message": {"content": [{"type": "refusal", "refusal": "I cannot."}]}}, "I cannot.", "stop"),
        ({"message": {"content": [{"type": "output_text", "text": "B"}]}}, "B", "stop"),
        (
            {"message": {"content": None, "tool_calls": [{"id": "1"}]}, "finish_reason": "tool_calls"},
            "",
            "unknown",
        ),
        ({"message": {"role": "assistant"}, "finish_reason": "content_filter: RECITATION"}, "", "filter"),
        ({"message": {"role": "assistant"}, "finish_reason": "PROHIBITED_CONTENT"}, "", "filter"),
        ({"message": {"content": ""}, "finish_reason": "refusal"}, "", "filter"),
        ({"finish_reason": "COMPLETE"}, "yes", "stop"),
        ({"finish_reason": "model_context_window_exceeded"}, "yes", "length"),
    ],
)
def test_replies_are_read(choice, text, finish):
    reply = wire.read_chat(completion(**choice), "m")
    assert reply == Reply(text, finish, None, 3, 1, "m-1")


@pytest.mark.parametrize(
    ("message", "thought", "text"),
    [
        ({"content": "B", "reasoning_content": "First, A?"}, "First, A?", "B"),
        ({"content": "B", "reasoning": "First, A?"}, "First, A?", "B"),
        ({"content": "B", "reasoning": ""}, None, "B"),
        ({"content": "<think>\nFirst, A?\n</think>\n\nB"}, "First, A?", "B"),
        ({"content": "First, A?\n</think>\n\nB"}, "First, A?", "B"),
        ({"content": "<think>First, A? Then"}, "First, A? Then", ""),
        ({"content": "<think>\n\n</think>\n\nB"}, None, "B"),
        ({"content": "I think B"}, None, "I think B"),
        ({"content": None, "reasoning": "First, A?"}, "First, A?", ""),
        (
            {
                "content": "B",
                "reasoning": None,
                "reasoning_details": [
                    {"type": "reasoning.text", "text": "First, A?"},
                    {"type": "reasoning.encrypted", "data": "=="},
                    {"type": "reasoning.summary", "summary": " Then B."},
                ],
            },
            "First, A? Then B.",
            "B",
        ),
        ({"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "no"}]}, "hm", "no"),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "no"},
                ]
            },
            "hm",
            "no",
        ),
    ],
)
def test_thinking_is_kept_apart_from_the_answer(message, thought, text):
    reply = wire.read_chat(completion(message=message), "m")
    assert (reply.reasoning, reply.text) == (thought, text)


def test_counts_beyond_all_measure_are_not_counts():
    for odd in (2**64 - 1, 10**30, 1e300, "7", None, [1], -1):
        assert wire.usage_of({"usage": {"prompt_tokens": odd, "completion_tokens": 1}}) == (None, 1)
    assert wire.served_by({"model": "m" * 10**6}) == "m" * 200


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        # OpenAI, Anthropic, DeepSeek: thinking is in the completion, cached tokens in the prompt.
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 30,
                "total_tokens": 80,
                "completion_tokens_details": {"reasoning_tokens": 25},
                "prompt_tokens_details": {"cached_tokens": 40},
            },
            (50, 30),
        ),
        # xAI, Google: it is in the total alone.
        (
            {
                "prompt_tokens": 50,
                "completion_tokens": 5,
                "total_tokens": 80,
                "completion_tokens_details": {"reasoning_tokens": 25},
            },
            (50, 30),
        ),
        ({"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 0}, (50, 5)),
        ({"prompt_tokens": 50, "completion_tokens": None, "total_tokens": 80}, (50, 30)),
        ({"prompt_tokens": 50, "completion_tokens": None, "total_tokens": 50}, (50, None)),
    ],
)
def test_tokens_of_thinking_are_counted_once(usage, counts):
    assert wire.usage_of({"usage": usage}) == counts


def test_missing_usage_is_none_never_zero():
    document = completion() | {"usage": None, "model": ""}
    assert wire.read_chat(document, "m") == Reply("yes", "stop")
    assert wire.usage_of({"usage": {"prompt_tokens": "3", "completion_tokens": True}}) == (None, None)
    assert wire.usage_of({"usage": {"prompt_tokens": -3, "completion_tokens": 0}}) == (None, 0)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["choices", "message", "content", "error", "usage", "finish_reason", "code"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_json_document_breaks_the_reader(document):
    try:
        reply = wire.read_chat(document, "m")
    except (TransientError, PermanentError):
        pass
    else:
        assert isinstance(reply.text, str)
    wire.read_error(str(document).encode(), None)


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_break_the_reader(body):
    with contextlib.suppress(TransientError, PermanentError):
        wire.decode(body, "m")
    said, _, _ = wire.read_error(body, KEY)
    assert len(said) <= EXCERPT + 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"error": {"message": "no", "code": "c", "param": "p"}}', ("no", "c", "p")),
        (b'{"error": {"message": "no", "type": "t"}}', ("no", "t", "")),
        (b'[{"error": {"code": 400, "message": "API key not valid"}}]', ("API key not valid", "400", "")),
        (b'{"error": "just words"}', ("just words", "", "")),
        (b'{"detail": "Not Found"}', ("Not Found", "", "")),
        (b'{"object": "error", "message": "m"}', ("m", "", "")),
        (b"<html><title>502 Bad Gateway</title>...", (": 502 Bad Gateway", "", "")),
        (b"busy\x1b[31m now", ("busy [31m now", "", "")),
        (b"7", ("", "", "")),
        (b"[]", ("", "", "")),
    ],
)
def test_error_bodies_are_read(body, expected):
    assert wire.read_error(body, None) == expected


@pytest.mark.parametrize(
    "said",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Incorrect API key provided: {KEY[:8]}***********{KEY[-4:]}. You can find it at",
        f"Authorization: Bearer {KEY}",
        f"bad token '{KEY[4:20]}'",
        f"got {KEY[-9:]}",
    ],
)
def test_echoed_keys_are_cut(said):
    shown = excerpt(said, KEY)
    assert "[key]" in shown
    assert not any(KEY[i : i + 6] in shown for i in range(len(KEY) - 5))


def test_keys_of_other_shapes_are_cut_without_being_known():
    assert "AIzaSy" not in excerpt("key AIzaSyA-1234567890 invalid")
    assert "gsk_" not in excerpt("Invalid gsk_abcdefgh123")
    assert excerpt("set HF_HUB_OFFLINE=0, not hf_abcdefgh123") == "set HF_HUB_OFFLINE=0, not [key]"
    assert excerpt("a" * 1000, KEY).endswith("…") and len(excerpt("a" * 1000)) == EXCERPT
    assert excerpt("short", "abc") == "short" and "abc" not in excerpt("xabcx", "abc")


def test_retry_after_in_all_its_forms():
    assert retry_after({"Retry-After": "7"}) == 7.0
    assert retry_after({"Retry-After": " 1.5 "}) == 1.5
    assert retry_after({"retry-after-ms": "250", "Retry-After": "1"}) == 0.25
    soon = retry_after({"Retry-After": formatdate(time.time() + 30, usegmt=True)})
    assert soon is not None and 27 <= soon <= 30
    assert retry_after({"Retry-After": formatdate(time.time() - 30, usegmt=True)}) == 0.0
    for nonsense in ("", "soon", "-5", "nan", "inf", "1e9", "9" * 30, "Mon, 99 Foo 2026"):
        assert retry_after({"Retry-After": nonsense}) is None
    assert retry_after({}) is None


@pytest.mark.parametrize(
    ("status", "code", "error", "kind", "words"),
    [
        (400, "", PermanentError, "http_400", "refused the request"),
        (401, "", PermanentError, "http_401", "check the environment variable SOME_KEY"),
        (402, "", PermanentError, "quota", "no credit left"),
        (403, "", PermanentError, "http_403", "SOME_KEY"),
        (404, "", PermanentError, "http_404", "check the model's name and the base URL"),
        (408, "", TransientError, "http_408", "failed for now"),
        (409, "", TransientError, "http_409", "failed for now"),
        (413, "", PermanentError, "http_413", "refused"),
        (422, "", PermanentError, "http_422", "refused"),
        (429, "", TransientError, "http_429", "fewer requests"),
        (429, "insufficient_quota", PermanentError, "quota", "no credit left"),
        (500, "", TransientError, "http_500", "failed for now"),
        (501, "", PermanentError, "http_501", "refused"),
        (503, "", TransientError, "http_503", "failed for now"),
        (529, "", TransientError, "http_529", "failed for now"),
    ],
)
def test_statuses_are_told_apart(status, code, error, kind, words):
    raised = fault(status, "said", code=code, where="m at host", variable="SOME_KEY", wait=3.0)
    assert type(raised) is error and raised.kind == kind
    assert words in str(raised) and str(raised).endswith(": said") and str(raised).startswith("m at host ")
    if isinstance(raised, TransientError):
        assert raised.retry_after == 3.0


def test_replies_survive_orjson():
    assert orjson.loads(orjson.dumps(Reply("é", "stop", (-1.5,), 1, 2, "m")))["option_logprobs"] == [-1.5]
