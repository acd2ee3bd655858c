"""The HTTP client against a real server on the loopback that misbehaves."""

from __future__ import annotations

import asyncio
import gzip
import socket

import pytest

from hesperus.errors import ModelError, PermanentError, TransientError
from hesperus.models import ModelOptions, model, transport
from hesperus.types import Prompt, Reply, Request, Settings
from loopback_endpoint import Action, Reset, Say, Send, Truncate, serving, user_text

KEY = "sk-proj-Abc123Def456Ghi789"


def ask_once(url: str, request: Request | None = None, **options: object) -> Reply:
    """One try over a fresh connection."""
    made = model("http/some/model", ModelOptions(base_url=url, **options))  # type: ignore[arg-type]

    async def main() -> Reply:
        await made.open()
        try:
            return await made.reply(request or Request(made.name, Prompt("hello")))
        finally:
            await made.close()

    return asyncio.run(main())


def error_of(action: Action, **options: object) -> ModelError:
    with serving(lambda body, count: action) as endpoint, pytest.raises(ModelError) as caught:
        ask_once(endpoint.url, **options)
    assert "some/model at 127.0.0.1:" in str(caught.value) or "127.0.0.1" in str(caught.value)
    return caught.value


def test_a_reply_comes_back_with_all_that_it_says(monkeypatch):
    monkeypatch.setenv("HESPERUS_API_KEY", KEY)
    request = Request("http/some/model", Prompt("héllo 你好", "sys"), Settings(0.0, 9, 0.5, 3))
    with serving() as endpoint:
        reply = ask_once(endpoint.url, request)
    assert reply == Reply("you said: héllo 你好", "stop", None, 8, 18, "some/model-2026")
    assert endpoint.bodies == [
        {
            "model": "some/model",
            "messages": [{"role": "system", "content": "sys"}, {"role": "user", "content": "héllo 你好"}],
            "temperature": 0.0,
            "max_tokens": 9,
            "top_p": 0.5,
            "seed": 3,
        }
    ]
    assert endpoint.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent_and_extras_are(monkeypatch):
    monkeypatch.delenv("HESPERUS_API_KEY", raising=False)
    with serving() as endpoint:
        ask_once(endpoint.url, extra={"reasoning_effort": "low"})
    assert "Authorization" not in endpoint.headers[0]
    assert endpoint.bodies[0]["reasoning_effort"] == "low"


@pytest.mark.parametrize(
    ("action", "error", "kind"),
    [
        (Send({"error": {"message": "bad key"}}, 401), PermanentError, "http_401"),
        (Send({"error": {"message": "slow down"}}, 429, {"Retry-After": "3"}), TransientError, "http_429"),
        (Send("oops", 500, kind="text/plain"), TransientError, "http_500"),
        (Send("<html><title>Bad Gateway</title>", 502, kind="text/html"), TransientError, "http_502"),
        (Send("<html><title>Welcome</title>", 200, kind="text/html"), TransientError, "html"),
        (Send('{"choices": [{"mess'), TransientError, "bad_json"),
        (Send(""), TransientError, "bad_json"),
        (Send({"hello": "world"}), TransientError, "bad_reply"),
        (Send({"choices": []}), TransientError, "empty_choices"),
        (Send({"choices": []}, 202), TransientError, "bad_reply"),
        (Send({"error": {"message": "upstream", "code": 429}}), TransientError, "http_429"),
        (Send({"error": {"message": "upstream", "code": "weird"}}), TransientError, "http_502"),
        (Send({"error": "upstream"}), TransientError, "http_502"),
        (Truncate(), TransientError, "reset"),
        (Reset(), TransientError, "reset"),
        (Send("", 307, {"Location": "https://evil.example/v1"}), TransientError, "redirect"),
        (Send("", 301), TransientError, "redirect"),
        (Send("", 302, {"Location": "http://["}), TransientError, "redirect"),
    ],
)
def test_every_misbehaviour_has_its_name(action, error, kind):
    caught = error_of(action)
    assert type(caught) is error or isinstance(caught, error)
    assert caught.kind == kind
    if kind == "http_429" and isinstance(action, Send) and action.status == 429:
        assert isinstance(caught, TransientError) and caught.retry_after == 3.0


def test_redirects_are_not_followed_and_say_where_to(monkeypatch):
    monkeypatch.setenv("HESPERUS_API_KEY", KEY)
    with serving() as other:
        caught = error_of(Send("", 308, {"Location": other.url + "/chat/completions"}))
    assert other.bodies == []
    assert "give the final address as the base URL" in str(caught)


def test_a_key_that_the_server_echoes_is_not_shown(monkeypatch):
    monkeypatch.setenv("HESPERUS_API_KEY", KEY)
    caught = error_of(Send({"error": {"message": f"Incorrect API key provided: {KEY}"}}, 401))
    assert "HESPERUS_API_KEY" in str(caught) and KEY[:9] not in str(caught) and KEY[-6:] not in str(caught)
    assert caught.__cause__ is None and KEY not in repr(model("http/x", ModelOptions(base_url="http://h/v1")))


def test_a_server_that_is_not_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(TransientError, match="cannot connect to .*; is the server running") as caught:
        ask_once(url)
    assert caught.value.kind == "connect" and caught.value.__cause__ is None


def test_a_host_that_has_no_name():
    with pytest.raises(
        TransientError, match="host name of no-such-host.invalid cannot be resolved"
    ) as caught:
        ask_once("http://no-such-host.invalid/v1")
    assert caught.value.kind == "dns"


def test_https_where_there_is_none():
    with serving() as endpoint, pytest.raises(ModelError) as caught:
        ask_once(endpoint.url.replace("http:", "https:"))
    assert caught.value.kind in ("tls", "reset", "connect")


def test_the_proxy_of_the_environment_is_used_but_never_for_this_machine(monkeypatch):
    with serving() as proxy, serving() as endpoint:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        assert ask_once("http://somewhere.invalid/v1").text == "you said: hello"
        assert len(proxy.bodies) == 1 and proxy.headers[0]["Host"] == "somewhere.invalid"
        ask_once(endpoint.url)
        assert len(proxy.bodies) == 1 and len(endpoint.bodies) == 1
        url = proxy.url
    monkeypatch.setenv("http_proxy", url.replace("http://", "http://me:s3cr3t@"))
    with pytest.raises(TransientError, match="proxy of the environment cannot be reached") as caught:
        ask_once("http://somewhere.invalid/v1")
    assert "s3cr3t" not in str(caught.value)


def test_a_body_without_end_is_cut_off(monkeypatch):
    monkeypatch.setattr(transport, "MAX_BODY", 2**20)
    assert error_of(Send("x" * (2**20 + 1))).kind == "too_large"
    bomb = gzip.compress(b"[" + b" " * 8 * 2**20 + b"]")
    caught = error_of(Send(bomb, headers={"Content-Encoding": "gzip"}))
    assert caught.kind == "too_large" and "1 MiB" in str(caught)


def test_compressed_replies_are_read():
    body = gzip.compress(b'{"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}]}')
    with serving(lambda *_: Send(body, headers={"Content-Encoding": "gzip"})) as endpoint:
        assert ask_once(endpoint.url) == Reply("yes", "stop")


def test_a_slow_server_meets_the_bound(monkeypatch):
    monkeypatch.setattr(transport, "TOTAL_SECONDS", 0.2)
    caught = error_of(Say("late", seconds=1.0))
    assert caught.kind == "timeout" and "took too long" in str(caught)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": "content_filter", "message": "held back"}, 400),
        (
            {
                "type": "content_filter",
                "message": "The request was rejected because it was considered high risk",
            },
            400,
        ),
        ({"code": "data_inspection_failed", "message": "Input data may contain inappropriate content."}, 400),
        ({"code": "invalid_request_error", "message": "Content Exists Risk"}, 400),
        (
            {
                "code": "invalid_prompt",
                "message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
            },
            400,
        ),
        ({"type": "invalid_request_error", "message": "Output blocked by content filtering policy"}, 400),
        ({"code": 403, "message": 'm requires moderation on P. Your input was flagged for "violence"'}, 403),
    ],
)
def test_a_held_back_prompt_is_a_reply_of_its_own(error, status):
    with serving(lambda *_: Send({"error": error}, status)) as endpoint:
        assert ask_once(endpoint.url) == Reply("", "filter")
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": "invalid_prompt", "message": "Invalid Responses API request"}, 400),
        ({"code": "content_filter", "message": "the filter is out of order"}, 500),
        ({"message": "this key may not do that"}, 403),
    ],
)
def test_other_refusals_are_no_filter(error, status):
    assert error_of(Send({"error": error}, status)).kind == f"http_{status}"


def refusing(word: str) -> object:
    """A server that knows the limit by one name only."""
    other = "max_completion_tokens" if word == "max_tokens" else "max_tokens"

    def behave(body: dict[str, object], count: int) -> Action:
        if word not in body:
            return Say("fine")
        message = f"Unsupported parameter: '{word}' is not supported with this model. Use '{other}' instead."
        error = {"message": message, "param": word, "code": "unsupported_parameter"}
        return Send({"error": error}, 400)

    return behave


def test_the_limit_changes_its_name_once_and_stays_changed():
    made_requests = 3
    with serving(refusing("max_tokens")) as endpoint:  # type: ignore[arg-type]
        made = model("http/o3", ModelOptions(base_url=endpoint.url))

        async def main() -> list[Reply]:
            await made.open()
            replies = [await made.reply(Request(made.name, Prompt(str(i)))) for i in range(made_requests)]
            await made.close()
            return replies

        assert [reply.text for reply in asyncio.run(main())] == ["fine"] * made_requests
    assert len(endpoint.bodies) == made_requests + 1
    assert ["max_tokens" in body for body in endpoint.bodies] == [True, False, False, False]
    assert endpoint.bodies[1]["max_completion_tokens"] == 4096


@pytest.mark.parametrize(
    "error",
    [
        {"message": "max_tokens is too large: 5000. This model supports at most 4096", "param": "max_tokens"},
        {"message": "temperature does not support 0.25 with this model", "param": "temperature"},
        {"message": "context length exceeded", "code": "context_length_exceeded"},
    ],
)
def test_other_refusals_are_not_sent_twice(error):
    with serving(lambda *_: Send({"error": error}, 400)) as endpoint:
        with pytest.raises(PermanentError, match="refused the request") as caught:
            ask_once(endpoint.url)
        assert error["message"] in str(caught.value)
    assert len(endpoint.bodies) == 1


def test_a_server_that_knows_no_limit_says_so_after_two_tries():
    def behave(body: dict[str, object], count: int) -> Action:
        word = "max_tokens" if "max_tokens" in body else "max_completion_tokens"
        return Send({"detail": [{"type": "extra_forbidden", "loc": ["body", word]}]}, 422)

    with serving(behave) as endpoint, pytest.raises(PermanentError, match="extra_forbidden") as caught:
        ask_once(endpoint.url)
    assert (
        len(endpoint.bodies) == 2 and caught.value.kind == "http_422" and type(caught.value) is PermanentError
    )


def test_options_are_scored_by_the_first_token():
    top = [{"token": "A", "logprob": -0.25}, {"token": "B", "logprob": -1.5}, {"token": "C", "logprob": -9}]
    say = Say("A", choice={"logprobs": {"content": [{"token": "A", "top_logprobs": top}]}})
    request = Request("http/some/model", Prompt("pick"), options=("A", "B"))
    with serving(lambda *_: say) as endpoint:
        reply = ask_once(endpoint.url, request)
    assert reply.text == "" and reply.option_logprobs == (-0.25, -1.5)
    body = endpoint.bodies[0]
    assert body["logprobs"] is True and body["top_logprobs"] == 20 and body["max_tokens"] == 1
    for options, kind in (((), "no_options"), (("A", "X"), "option_not_shown")):
        with serving(lambda *_: say) as endpoint, pytest.raises(PermanentError) as caught:
            ask_once(endpoint.url, Request("http/some/model", Prompt("pick"), options=options))
        assert caught.value.kind == kind


def test_providers_without_log_probabilities_are_not_even_asked(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    made = model("anthropic/claude")

    async def main() -> None:
        await made.open()
        try:
            await made.reply(Request(made.name, Prompt("x"), options=("A", "B")))
        finally:
            await made.close()

    with pytest.raises(PermanentError, match="anthropic offers no log-probabilities"):
        asyncio.run(main())


def test_options_are_scored_by_echo():
    def behave(body: dict[str, object], count: int) -> Action:
        text = user_text(body)
        tokens = [text[:5], text[5:], "!"]
        shown = {
            "tokens": tokens,
            "token_logprobs": [None, -0.5 * count, -3.0],
            "text_offset": [0, 5, len(text)],
        }
        usage = {"prompt_tokens": 5, "completion_tokens": 1}
        return Send({"model": "m", "choices": [{"text": text + "!", "logprobs": shown}], "usage": usage})

    request = Request("http/some/model", Prompt("pick:"), options=(" red", " blue"))
    with serving(behave) as endpoint:
        reply = ask_once(endpoint.url, request, scoring="echo")
    assert reply == Reply("", "stop", (-0.5, -1.0), 10, 2, "m")
    assert [body["prompt"] for body in endpoint.bodies] == ["pick: red", "pick: blue"]
    assert all(body["echo"] is True and body["logprobs"] == 1 for body in endpoint.bodies)


def test_a_model_that_is_not_open_says_so():
    made = model("http/x", ModelOptions(base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(RuntimeError, match="reply before open"):
        asyncio.run(made.reply(Request(made.name, Prompt("x"))))
